// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/intervalset.h"

#include <QTest>

#include <random>

using namespace tuneline::analysis;

namespace {

using Bits = std::vector<bool>; // the obvious model: one bit for each ns of [0, 200)

constexpr std::int64_t kSpan = 200;

std::vector<Range> randomRanges(std::mt19937 &random)
{
    std::uniform_int_distribution<std::int64_t> at(0, kSpan), length(-3, 20);
    std::vector<Range> ranges;
    for (int i = 0; i < 15; ++i) {
        const std::int64_t begin = at(random);
        ranges.push_back({begin, std::min(kSpan, begin + length(random))});
    }
    return ranges;
}

Bits bitsOf(const std::vector<Range> &ranges)
{
    Bits bits(kSpan, false);
    for (const Range &r : ranges) {
        for (std::int64_t t = r.begin; t < r.end; ++t)
            bits[static_cast<std::size_t>(t)] = true;
    }
    return bits;
}

template <typename F> Bits combine(const Bits &a, const Bits &b, F f)
{
    Bits out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        out[i] = f(a[i], b[i]);
    return out;
}

} // namespace

class TestIntervalSet : public QObject
{
    Q_OBJECT

private slots:
    void touchingRangesMerge()
    {
        const IntervalSet set({{5, 9}, {0, 5}, {20, 20}, {12, 11}});
        QCOMPARE(set.ranges(), (std::vector<Range>{{0, 9}}));
        QCOMPARE(set.length(), 9);
    }

    void everyOperationAgreesWithBits()
    {
        std::mt19937 random(7);
        for (int round = 0; round < 300; ++round) {
            const auto first = randomRanges(random), second = randomRanges(random);
            const IntervalSet a(first), b(second);
            const Bits x = bitsOf(first), y = bitsOf(second);
            QCOMPARE(bitsOf(a.ranges()), x);
            QCOMPARE(bitsOf(a.unite(b).ranges()), combine(x, y, [](bool p, bool q) { return p || q; }));
            QCOMPARE(bitsOf(a.subtract(b).ranges()), combine(x, y, [](bool p, bool q) { return p && !q; }));
            QCOMPARE(bitsOf(a.intersect(b).ranges()), combine(x, y, [](bool p, bool q) { return p && q; }));
            QCOMPARE(bitsOf(a.complement({0, kSpan}).ranges()), combine(x, x, [](bool p, bool) { return !p; }));
            const Range window{40, 120};
            QCOMPARE(a.lengthIn(window), a.clip(window).length());
            QCOMPARE(a.length(), std::count(x.begin(), x.end(), true));
        }
    }
};

QTEST_GUILESS_MAIN(TestIntervalSet)
#include "tst_intervalset.moc"

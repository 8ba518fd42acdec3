// SPDX-License-Identifier: GPL-3.0-or-later
// What the columns are built with: lists in chunks, runs of what lies elsewhere, the sort, work on all cores.
#include "analysis/trace/nearlysorted.h"
#include "analysis/trace/parallel.h"
#include "analysis/trace/runs.h"

#include <QTest>
#include <atomic>
#include <numeric>
#include <random>

using namespace tuneline::analysis;

namespace {

struct Item
{
    int key = 0;
    std::size_t place = 0; // before sorting
    bool operator==(const Item &) const = default;
};

bool less(const Item &a, const Item &b)
{
    return a.key < b.key;
}

std::vector<Item> items(const std::vector<int> &keys)
{
    std::vector<Item> all;
    for (const int key : keys)
        all.push_back({key, all.size()});
    return all;
}

} // namespace

class TestLists : public QObject
{
    Q_OBJECT
private slots:
    void sortIsStable_data();
    void sortIsStable();
    void slabKeepsItsElements();
    void slabGivesRanges();
    void runsKeepTheOrder();
    void everyPieceIsDoneOnce();
};

void TestLists::sortIsStable_data()
{
    QTest::addColumn<std::vector<int>>("keys");
    constexpr int kCount = 5000;
    std::vector<int> rising(kCount);
    std::iota(rising.begin(), rising.end(), 0);
    for (int &key : rising)
        key /= 3; // equal ones
    std::mt19937 random(3);
    std::vector<int> falling(rising.rbegin(), rising.rend()), mixed = rising, late = rising, lists, outlier = rising;
    std::shuffle(mixed.begin(), mixed.end(), random);
    for (int i = 100; i < kCount; i += 100) // a step's own range comes behind what is in it
        std::rotate(late.begin() + i - 100, late.begin() + i - 99, late.begin() + i);
    for (int list = 0; list < 12; ++list)
        lists.insert(lists.end(), rising.begin(), rising.begin() + 400);
    outlier.front() = 1'000'000;
    QTest::addRow("empty") << std::vector<int>{};
    QTest::addRow("sorted") << rising;
    QTest::addRow("falling") << falling;
    QTest::addRow("random") << mixed;
    QTest::addRow("some late") << late;
    QTest::addRow("several lists") << lists;
    QTest::addRow("a large one first") << outlier;
}

void TestLists::sortIsStable()
{
    QFETCH(std::vector<int>, keys);
    std::vector<Item> expected = items(keys), sorted = expected;
    std::stable_sort(expected.begin(), expected.end(), less);
    sortNearlySorted(sorted.begin(), sorted.end(), less);
    QVERIFY(sorted == expected);
}

void TestLists::slabKeepsItsElements()
{
    Slab<std::uint64_t> slab;
    const std::size_t count = 2 * Slab<std::uint64_t>::kPerChunk + 7;
    std::uint64_t *const first = &slab.push(0);
    for (std::uint64_t i = 1; i < count; ++i)
        slab.push(i);
    QCOMPARE(slab.size(), count);
    QCOMPARE(*first, std::uint64_t{0}); // it has not moved
    std::uint64_t next = 0;
    bool inOrder = true;
    slab.forRange(0, count, [&](std::span<std::uint64_t> part) {
        for (const std::uint64_t value : part)
            inOrder = inOrder && value == next++;
    });
    QVERIFY(inOrder);
    QCOMPARE(next, count);
    slab.clear();
    QCOMPARE(slab.size(), std::size_t{0});
    QCOMPARE(slab.push(5), std::uint64_t{5});
}

void TestLists::slabGivesRanges()
{
    Slab<std::uint32_t> slab;
    constexpr std::uint32_t kChunk = Slab<std::uint32_t>::kPerChunk;
    for (std::uint32_t i = 0; i < 2 * kChunk; ++i)
        slab.push(i);
    std::vector<std::uint32_t> got;
    const auto take = [&](std::span<std::uint32_t> part) { got.insert(got.end(), part.begin(), part.end()); };
    slab.forRange(kChunk - 2, kChunk + 2, take);
    QCOMPARE(got, (std::vector<std::uint32_t>{kChunk - 2, kChunk - 1, kChunk, kChunk + 1}));
    got.clear();
    slab.forRange(kChunk, kChunk, take);
    QVERIFY(got.empty());
    slab.forRange(kChunk, 2 * kChunk, take);
    QCOMPARE(got.size(), std::size_t{kChunk});
}

void TestLists::runsKeepTheOrder()
{
    std::vector<int> foreign{10, 11, 12};
    Runs<int> runs;
    runs.push(1);
    runs.push(2);
    runs.append(foreign);
    runs.append({});
    runs.push(3);
    runs.close();
    runs.push(4);
    std::vector<int> all;
    for (const std::span<int> run : runs.list())
        all.insert(all.end(), run.begin(), run.end());
    QCOMPARE(all, (std::vector<int>{1, 2, 10, 11, 12, 3, 4}));
    QCOMPARE(runs.list().size(), std::size_t{4});
    QCOMPARE(runs.list()[1].data(), foreign.data());
}

void TestLists::everyPieceIsDoneOnce()
{
    std::vector<std::atomic<int>> done(1000);
    forEachOnAllCores(done.size(), [&](std::size_t i) { ++done[i]; });
    QVERIFY(std::all_of(done.begin(), done.end(), [](const auto &count) { return count == 1; }));
    forEachOnAllCores(0, [](std::size_t) { QFAIL("there is nothing to do"); });
}

QTEST_GUILESS_MAIN(TestLists)
#include "tst_lists.moc"

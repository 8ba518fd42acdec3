// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/ruler.h"

#include "ui/models/eventtext.h"

#include <QLocale>

namespace tuneline::ui {

namespace {

std::int64_t floorTo(std::int64_t value, std::int64_t step)
{
    const std::int64_t rest = value % step;
    return value - (rest < 0 ? rest + step : rest);
}

QString inUnit(std::int64_t ns, std::int64_t unit, std::int64_t step)
{
    const char *name = unit == 1 ? "ns" : unit == 1000 ? "µs" : unit == 1000000 ? "ms" : "s";
    const double steps = static_cast<double>(unit) / static_cast<double>(step);
    const int digits = std::max(0, static_cast<int>(std::ceil(std::log10(steps) - 1e-9)));
    const double value = static_cast<double>(ns) / static_cast<double>(unit);
    return QLocale::c().toString(value, 'f', digits) + QChar(0x00A0) + QString::fromUtf8(name);
}

} // namespace

RulerScale rulerScale(const TimeAxis &axis, int minLabelDistance)
{
    RulerScale scale;
    if (axis.degenerate())
        return scale;
    const double wanted = axis.nsPerPixel() * minLabelDistance;
    std::int64_t power = 1;
    while (static_cast<double>(power) * 10 <= wanted)
        power *= 10;
    scale.step = power;
    for (const std::int64_t factor : {1, 2, 5, 10}) {
        scale.step = power * factor;
        if (static_cast<double>(scale.step) >= wanted)
            break;
    }
    scale.minor = std::max<std::int64_t>(1, scale.step / 5);

    static constexpr std::int64_t kLongLabel = 100000; // steps from zero: from here on six or more digits
    const std::int64_t farthest = std::max(std::abs(axis.range.from), std::abs(axis.range.to));
    if (farthest / scale.step > kLongLabel) {
        std::int64_t block = scale.step;
        while (block < axis.range.length() * 2)
            block *= 10;
        scale.base = floorTo(axis.range.from, block);
    }
    const std::int64_t largest = std::max(std::abs(axis.range.to - scale.base), std::abs(axis.range.from - scale.base));
    while (scale.unit < 1000000000 && largest > scale.unit * 1000)
        scale.unit *= 1000;
    return scale;
}

std::vector<std::int64_t> rulerTicks(const TimeRange &range, std::int64_t step)
{
    static constexpr std::size_t kMaxTicks = 4000; // more than pixels: somebody asked with a step of his own
    std::vector<std::int64_t> ticks;
    if (range.empty() || step <= 0)
        return ticks;
    std::int64_t tick = floorTo(range.from, step);
    tick += tick < range.from ? step : 0;
    for (; tick < range.to && ticks.size() < kMaxTicks; tick += step)
        ticks.push_back(tick);
    return ticks;
}

QString tickText(const RulerScale &scale, std::int64_t time)
{
    const QString text = inUnit(time - scale.base, scale.unit, scale.step);
    return scale.base == 0 ? text : QStringLiteral("+") + text;
}

QString baseText(const RulerScale &scale)
{
    return scale.base == 0 ? QString() : timeText(scale.base, scale.step) + QStringLiteral(" +");
}

} // namespace tuneline::ui

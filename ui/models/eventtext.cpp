// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/eventtext.h"

#include <QCoreApplication>
#include <QLocale>
#include <array>
#include <cmath>

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("EventText", text);
}

struct Unit
{
    double size;
    const char *name;
};

// Three significant digits, in the largest unit that leaves at least 1.
template <std::size_t N> QString scaled(double value, const std::array<Unit, N> &units)
{
    const double magnitude = std::abs(value);
    std::size_t i = 0;
    while (i + 1 < N && magnitude < units[i].size)
        ++i;
    const double shown = value / units[i].size;
    const int digits = units[i].size == 1.0 || std::abs(shown) >= 99.95 ? 0 : std::abs(shown) >= 9.995 ? 1 : 2;
    return QLocale::c().toString(shown, 'f', digits) + QChar(0x00A0) + QString::fromUtf8(units[i].name);
}

} // namespace

QString durationText(std::int64_t ns)
{
    static constexpr std::array<Unit, 4> kUnits{{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};
    return scaled(static_cast<double>(ns), kUnits);
}

QString timeText(std::int64_t ns, std::int64_t resolution)
{
    static constexpr std::array<Unit, 4> kUnits{{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};
    const double magnitude = std::abs(static_cast<double>(ns));
    std::size_t i = 0;
    while (i + 1 < kUnits.size() && magnitude < kUnits[i].size)
        ++i;
    const double steps = kUnits[i].size / static_cast<double>(std::max<std::int64_t>(1, resolution));
    const int digits = std::clamp(static_cast<int>(std::ceil(std::log10(steps) - 1e-9)), 0, 9);
    return QLocale::c().toString(static_cast<double>(ns) / kUnits[i].size, 'f', digits) + QChar(0x00A0)
        + QString::fromUtf8(kUnits[i].name);
}

QString bytesText(double bytes)
{
    static constexpr std::array<Unit, 4> kUnits{
        {{1024.0 * 1024 * 1024, "GiB"}, {1024.0 * 1024, "MiB"}, {1024, "KiB"}, {1, "B"}}};
    return scaled(bytes, kUnits);
}

QString countText(std::uint64_t n)
{
    return QLocale(QLocale::English).toString(static_cast<qulonglong>(n));
}

QString kindText(EventKind kind)
{
    static constexpr std::array kNames{
        QT_TRANSLATE_NOOP("EventText", "operator"),
        QT_TRANSLATE_NOOP("EventText", "range"),
        QT_TRANSLATE_NOOP("EventText", "Python function"),
        QT_TRANSLATE_NOOP("EventText", "runtime call"),
        QT_TRANSLATE_NOOP("EventText", "driver call"),
        QT_TRANSLATE_NOOP("EventText", "compilation"),
        QT_TRANSLATE_NOOP("EventText", "profiler overhead"),
        QT_TRANSLATE_NOOP("EventText", "kernel"),
        QT_TRANSLATE_NOOP("EventText", "copy"),
        QT_TRANSLATE_NOOP("EventText", "memset"),
        QT_TRANSLATE_NOOP("EventText", "device wait"),
        QT_TRANSLATE_NOOP("EventText", "device range"),
        QT_TRANSLATE_NOOP("EventText", "record window"),
        QT_TRANSLATE_NOOP("EventText", "asynchronous range"),
        QT_TRANSLATE_NOOP("EventText", "instant"),
        QT_TRANSLATE_NOOP("EventText", "slice"),
    };
    const auto i = static_cast<std::size_t>(kind);
    return i < kNames.size() ? tr(kNames[i]) : QString();
}

QString laneText(const Trace &trace, const Lane &lane)
{
    const auto text = [&trace](StringId id) {
        const std::string_view v = trace.strings.view(id);
        return QString::fromUtf8(v.data(), static_cast<qsizetype>(v.size()));
    };
    if (lane.kind == LaneKind::Stream && lane.stream) {
        const QString stream = tr("stream %1").arg(*lane.stream);
        return lane.device ? tr("GPU %1 · %2").arg(*lane.device).arg(stream) : stream;
    }
    if (const QString thread = text(lane.thread); !thread.isEmpty())
        return thread;
    if (lane.kind == LaneKind::Cpu && !text(lane.tid).isEmpty())
        return tr("thread %1").arg(text(lane.tid));
    return text(lane.process).isEmpty() ? tr("without a thread") : text(lane.process);
}

} // namespace tuneline::ui

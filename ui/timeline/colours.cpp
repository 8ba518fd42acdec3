// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/colours.h"

#include <QCoreApplication>
#include <cmath>

using tuneline::analysis::IdleCause;

namespace tuneline::ui {

namespace {

struct Entry
{
    QRgb light, dark;
    const char *name;
};

constexpr QRgb rgb(unsigned v)
{
    return 0xFF000000U | v;
}

constexpr std::array<Entry, kColourClasses> kTable{{
    {rgb(0x2F7FC1), rgb(0x3D8FD1), QT_TRANSLATE_NOOP("Timeline", "matrix kernel")},
    {rgb(0x7CC0EC), rgb(0x6CB4E4), QT_TRANSLATE_NOOP("Timeline", "kernel")},
    {rgb(0xD9652B), rgb(0xE0703A), QT_TRANSLATE_NOOP("Timeline", "communication")},
    {rgb(0xEBC13B), rgb(0xD9B23A), QT_TRANSLATE_NOOP("Timeline", "copy to device")},
    {rgb(0xC7A13C), rgb(0xB8943A), QT_TRANSLATE_NOOP("Timeline", "copy to host")},
    {rgb(0xE6D99A), rgb(0xA89B62), QT_TRANSLATE_NOOP("Timeline", "copy")},
    {rgb(0xD8CFA8), rgb(0x8F875F), QT_TRANSLATE_NOOP("Timeline", "memset")},
    {rgb(0x59B899), rgb(0x3DA284), QT_TRANSLATE_NOOP("Timeline", "operator")},
    {rgb(0xD490B5), rgb(0xC27AA2), QT_TRANSLATE_NOOP("Timeline", "backward operator")},
    {rgb(0xA9A84A), rgb(0x98973F), QT_TRANSLATE_NOOP("Timeline", "optimizer")},
    {rgb(0xA9B7C6), rgb(0x66788C), QT_TRANSLATE_NOOP("Timeline", "range")},
    {rgb(0xE8952E), rgb(0xE0912F), QT_TRANSLATE_NOOP("Timeline", "input")},
    {rgb(0x9A7BD0), rgb(0x9478CC), QT_TRANSLATE_NOOP("Timeline", "checkpoint")},
    {rgb(0xC3C9CF), rgb(0x5A6470), QT_TRANSLATE_NOOP("Timeline", "Python")},
    {rgb(0x8FC7C9), rgb(0x4E9A9E), QT_TRANSLATE_NOOP("Timeline", "launch or API call")},
    {rgb(0xC2413B), rgb(0xD2534B), QT_TRANSLATE_NOOP("Timeline", "blocking call")},
    {rgb(0x9C6B3F), rgb(0xA87848), QT_TRANSLATE_NOOP("Timeline", "allocation")},
    {rgb(0x7A5AA8), rgb(0x8A6ABA), QT_TRANSLATE_NOOP("Timeline", "compilation")},
    {rgb(0xB0A8A0), rgb(0x77706A), QT_TRANSLATE_NOOP("Timeline", "profiler overhead")},
    {rgb(0xB9CBE0), rgb(0x54687F), QT_TRANSLATE_NOOP("Timeline", "device wait")},
    {rgb(0xB8BEC4), rgb(0x6B7279), QT_TRANSLATE_NOOP("Timeline", "other")},
    {rgb(0xE3E3E3), rgb(0x47494C), QT_TRANSLATE_NOOP("Timeline", "not measurable")},
}};

const Entry &entry(ColourClass c)
{
    return kTable[static_cast<std::size_t>(c)];
}

// Relative luminance as WCAG 2 defines it.
double luminance(QRgb c)
{
    const auto linear = [](int channel) {
        const double v = channel / 255.0;
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(qRed(c)) + 0.7152 * linear(qGreen(c)) + 0.0722 * linear(qBlue(c));
}

} // namespace

QColor colourOf(ColourClass c, bool dark)
{
    return QColor::fromRgb(dark ? entry(c).dark : entry(c).light);
}

QString colourName(ColourClass c)
{
    return QCoreApplication::translate("Timeline", entry(c).name);
}

ColourClass colourOf(IdleCause cause)
{
    switch (cause) {
    case IdleCause::NotMeasurable:
        return ColourClass::Warning;
    case IdleCause::InputWait:
        return ColourClass::Input;
    case IdleCause::Checkpoint:
        return ColourClass::Checkpoint;
    case IdleCause::Compilation:
        return ColourClass::Compile;
    case IdleCause::Allocation:
        return ColourClass::Allocation;
    case IdleCause::Synchronisation:
        return ColourClass::Blocking;
    case IdleCause::LaunchCalls:
        return ColourClass::Launch;
    case IdleCause::HostOperators:
        return ColourClass::Forward;
    case IdleCause::HostCode:
        return ColourClass::Range;
    case IdleCause::DeviceWait:
        return ColourClass::DeviceWait;
    case IdleCause::Unknown:
        break;
    }
    return ColourClass::Neutral;
}

QString causeText(IdleCause cause)
{
    return QCoreApplication::translate("Timeline", analysis::causeName(cause));
}

QColor curveColour(int index, bool dark)
{
    static constexpr std::array kOrder{ColourClass::MatrixKernel, ColourClass::Communication, ColourClass::Forward,
                                       ColourClass::Input,        ColourClass::Backward,      ColourClass::Optimizer,
                                       ColourClass::Checkpoint,   ColourClass::Allocation};
    return colourOf(kOrder[static_cast<std::size_t>(index) % kOrder.size()], dark);
}

bool isDark(const QPalette &palette)
{
    return palette.color(QPalette::Base).lightness() < 128;
}

QRgb blend(QRgb a, QRgb b, int shareOfB)
{
    const auto mix = [shareOfB](int x, int y) { return x + (y - x) * shareOfB / 255; };
    return qRgb(mix(qRed(a), qRed(b)), mix(qGreen(a), qGreen(b)), mix(qBlue(a), qBlue(b)));
}

bool readsBetterDark(QRgb fill)
{
    // Contrast is (brighter + 0.05) / (darker + 0.05); dark and light ink are equal where their product is met.
    static const double kEqual = std::sqrt((luminance(kDarkInk) + 0.05) * (luminance(kLightInk) + 0.05)) - 0.05;
    return luminance(fill) > kEqual;
}

TimelineTheme::TimelineTheme(const QPalette &palette)
    : dark(isDark(palette))
    , background(palette.color(QPalette::Base))
    , text(palette.color(QPalette::Text))
    , selection(dark ? QColor(0xFF, 0xFF, 0xFF) : QColor(0x10, 0x10, 0x10))
    , match(dark ? QColor(0xFF, 0xE0, 0x4A) : QColor(0x7A, 0x1F, 0xA2))
    , marked(palette.color(QPalette::Highlight))
{
    const QRgb base = background.rgb();
    const QRgb ink = text.rgb();
    alternate = QColor(blend(base, ink, dark ? 8 : 6));
    header = QColor(blend(base, ink, dark ? 16 : 12));
    grid = QColor(blend(base, ink, dark ? 26 : 20));
    border = QColor(blend(base, ink, 60));
    faintText = QColor(blend(base, ink, 165));
    for (std::size_t i = 0; i < kColourClasses; ++i) {
        fill[i] = dark ? kTable[i].dark : kTable[i].light;
        faded[i] = blend(fill[i], base, 170);
        darkText[i] = readsBetterDark(fill[i]);
    }
}

} // namespace tuneline::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// The one colour table of the timeline and the charts. Hues follow Okabe and Ito's palette (distinguishable with any
// colour vision) with one shade for light and one for dark windows; whatever has the same meaning has the same colour:
// waiting for input is orange as an idle cause and as the host's data scope.
#pragma once

#include "analysis/metrics/causes.h"

#include <QColor>
#include <QPalette>
#include <array>
#include <cstdint>

namespace tuneline::ui {

enum class ColourClass : std::uint8_t {
    MatrixKernel, // matmul, convolution
    Kernel,
    Communication,
    CopyToDevice,
    CopyToHost,
    CopyOther,
    Memset,
    Forward, // operators
    Backward,
    Optimizer,
    Range, // user scopes, steps
    Input, // data scope
    Checkpoint,
    Python,
    Launch, // API calls
    Blocking, // API calls that wait, synchronisation
    Allocation,
    Compile,
    Overhead,
    DeviceWait,
    Neutral, // everything else
    Warning, // outliers, what can't be measured
    Count
};
inline constexpr std::size_t kColourClasses = static_cast<std::size_t>(ColourClass::Count);

[[nodiscard]] QColor colourOf(ColourClass c, bool dark);
[[nodiscard]] QString colourName(ColourClass c); // for the legend
[[nodiscard]] ColourClass colourOf(analysis::IdleCause cause);
[[nodiscard]] QString causeText(analysis::IdleCause cause); // "input wait", …
[[nodiscard]] QColor curveColour(int index, bool dark); // charts: the nth line
[[nodiscard]] bool isDark(const QPalette &palette);
inline constexpr QRgb kDarkInk = 0xFF121212, kLightInk = 0xFFFAFAFA; // for text on fills
[[nodiscard]] bool readsBetterDark(QRgb fill);
[[nodiscard]] QRgb blend(QRgb a, QRgb b, int shareOfB); // 0..255

// Everything that painting needs, taken from the palette once.
struct TimelineTheme
{
    explicit TimelineTheme(const QPalette &palette);

    bool dark = false;
    QColor background, alternate, header, text, faintText, grid, border, selection, match, marked;
    std::array<QRgb, kColourClasses> fill{};
    std::array<QRgb, kColourClasses> faded{}; // while a search dims what does not match
    std::array<bool, kColourClasses> darkText{}; // black text on this fill reads better than white
};

} // namespace tuneline::ui

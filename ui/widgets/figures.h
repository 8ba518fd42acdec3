// SPDX-License-Identifier: GPL-3.0-or-later
// How figures are written for people, beside durationText and friends of ui/models/eventtext.h. Pure functions.
#pragma once

#include <QString>

#include <cstdint>

namespace tuneline::ui {

[[nodiscard]] QString percentText(double ratio, int decimals = -1); // 0.123 → "12 %"; -1: one decimal below 10 %
[[nodiscard]] QString changeText(double ratio); // −0.2 → "−20 %", 0.031 → "+3.1 %"
// A range with one unit where both ends share it: "1.2 – 1.8 ms".
[[nodiscard]] QString durationRangeText(std::int64_t lowNs, std::int64_t highNs);
[[nodiscard]] QString percentRangeText(double low, double high); // "8 – 12 %"
[[nodiscard]] QString rateText(double perSecond); // "512 / s"
[[nodiscard]] QString plural(qint64 n, const QString &one, const QString &many); // "1 step", "12,345 steps"

} // namespace tuneline::ui

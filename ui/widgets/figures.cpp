// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/figures.h"

#include "ui/models/eventtext.h"

#include <QLocale>

#include <cmath>

namespace tuneline::ui {

namespace {

const QChar kMinus(0x2212);
const QChar kNarrow(0x202F); // narrow no-break space between a figure and its unit

QString number(double value, int decimals)
{
    QString text = QString::number(std::abs(value), 'f', decimals);
    const bool zero = text.toDouble() == 0.0;
    return value < 0 && !zero ? kMinus + text : text;
}

int decimalsOf(double percent)
{
    const double size = std::abs(percent);
    return size < 9.95 && size > 0.0 ? 1 : 0;
}

} // namespace

QString percentText(double ratio, int decimals)
{
    const double percent = ratio * 100;
    return number(percent, decimals < 0 ? decimalsOf(percent) : decimals) + kNarrow + '%';
}

QString changeText(double ratio)
{
    const QString text = percentText(ratio);
    const bool positive = ratio > 0 && !text.startsWith("0.0") && !text.startsWith("0" + QString(kNarrow));
    return positive ? '+' + text : text;
}

QString durationRangeText(std::int64_t lowNs, std::int64_t highNs)
{
    const QString low = durationText(lowNs);
    const QString high = durationText(highNs);
    if (low == high)
        return high;
    const auto unitOf = [](const QString &text) {
        return text.section(QChar(0x00A0), -1);
    }; // as durationText writes it
    if (unitOf(low) != unitOf(high))
        return low + " – " + high;
    return low.chopped(unitOf(low).size()).trimmed() + " – " + high;
}

QString percentRangeText(double low, double high)
{
    const int decimals = decimalsOf(100 * qMax(std::abs(low), std::abs(high)));
    const QString from = number(low * 100, decimals);
    const QString to = number(high * 100, decimals);
    return (from == to ? to : from + " – " + to) + kNarrow + '%';
}

QString rateText(double perSecond)
{
    if (perSecond >= 1000)
        return QLocale(QLocale::English).toString(static_cast<qint64>(std::llround(perSecond))) + " / s";
    return QString::number(perSecond, 'g', 3) + " / s";
}

QString plural(qint64 n, const QString &one, const QString &many)
{
    return QLocale(QLocale::English).toString(n) + ' ' + (n == 1 ? one : many);
}

} // namespace tuneline::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/metricsmodel.h"

#include "ui/models/eventtext.h"
#include "ui/widgets/figures.h"
#include "ui/widgets/theme.h"

#include <cmath>

namespace tuneline::ui {

using analysis::MetricChange;

QString metricText(const MetricChange &metric, const std::optional<double> &value)
{
    if (!value)
        return MetricsModel::tr("not known");
    if (metric.unit == "ns")
        return durationText(std::llround(*value));
    if (metric.unit == "1/s")
        return rateText(*value);
    if (metric.unit == "bytes" || metric.unit == "B")
        return bytesText(*value);
    if (metric.unit == "ratio")
        return percentText(*value);
    if (metric.unit.empty())
        return QString::number(*value, 'g', 4); // a count
    return QString("%1 %2").arg(*value, 0, 'g', 4).arg(QString::fromStdString(metric.unit));
}

Direction directionOf(const MetricChange &metric)
{
    if (!metric.change || *metric.change == 0.0 || !metric.significant.value_or(false))
        return Direction::None;
    return (*metric.change < 0) == metric.lowerIsBetter ? Direction::Better : Direction::Worse;
}

namespace {

QString changeOf(const MetricChange &metric)
{
    if (!metric.change)
        return "–";
    if (metric.unit != "ratio")
        return changeText(*metric.change);
    return MetricsModel::tr("%1 pts").arg(
        changeText(*metric.change).remove('%').remove(QChar(0x202F))); // difference of two shares
}

QString display(const MetricChange &metric, int column)
{
    switch (column) {
    case MetricsModel::Name:
        return QString::fromStdString(metric.label.empty() ? metric.name : metric.label);
    case MetricsModel::Before:
        return metricText(metric, metric.before);
    case MetricsModel::After:
        return metricText(metric, metric.after);
    case MetricsModel::Change:
        return changeOf(metric);
    case MetricsModel::Interval:
        return metric.ciLow && metric.ciHigh ? changeText(*metric.ciLow) + " … " + changeText(*metric.ciHigh)
                                             : QString("–");
    default:
        if (!metric.significant)
            return MetricsModel::tr("not tested");
        return *metric.significant ? MetricsModel::tr("significant") : MetricsModel::tr("within chance");
    }
}

QVariant colourOf(const MetricChange &metric)
{
    const ThemeColours &colours = Theme::instance().colours();
    switch (directionOf(metric)) {
    case Direction::Better:
        return colours.good;
    case Direction::Worse:
        return colours.bad;
    case Direction::None:
        break;
    }
    return {};
}

} // namespace

void MetricsModel::setResult(std::shared_ptr<const ComparisonResult> result)
{
    beginResetModel();
    m_result = std::move(result);
    endResetModel();
}

int MetricsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_result ? 0 : static_cast<int>(m_result->comparison.metrics.size());
}

int MetricsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant MetricsModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const MetricChange &metric = m_result->comparison.metrics[static_cast<std::size_t>(index.row())];
    if (role == Qt::DisplayRole)
        return display(metric, index.column());
    if (role == Qt::ForegroundRole && index.column() == Change)
        return colourOf(metric);
    if (role == Qt::TextAlignmentRole)
        return QVariant((index.column() == Name || index.column() == Significance ? Qt::AlignLeft : Qt::AlignRight)
                        | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return metric.lowerIsBetter ? tr("lower is better") : tr("higher is better");
    return {};
}

QVariant MetricsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == Name || section == Significance ? Qt::AlignLeft : Qt::AlignRight)
                        | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    static const char *const kTitles[] = {QT_TR_NOOP("Metric"), QT_TR_NOOP("Before"),        QT_TR_NOOP("After"),
                                          QT_TR_NOOP("Change"), QT_TR_NOOP("95 % interval"), QT_TR_NOOP("Verdict")};
    return section < ColumnCount ? tr(kTitles[section]) : QVariant();
}

} // namespace tuneline::ui

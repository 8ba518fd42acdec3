// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/reportmodel.h"

#include "ui/models/eventtext.h"

using namespace tuneline::analysis;

namespace tuneline::ui {

namespace {

// Internal id of a problem's own index; an example carries its problem's row + 1.
constexpr quintptr kProblem = 0;

QString placeText(const ProblemExample &example)
{
    if (example.offset < 0)
        return {};
    const QString byte = ReportModel::tr("byte %1").arg(countText(static_cast<std::uint64_t>(example.offset)));
    return example.line < 0
        ? byte
        : ReportModel::tr("line %1, %2").arg(countText(static_cast<std::uint64_t>(example.line)), byte);
}

} // namespace

void ReportModel::setTrace(TracePtr trace)
{
    beginResetModel();
    m_trace = std::move(trace);
    endResetModel();
}

QModelIndex ReportModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : kProblem);
}

QModelIndex ReportModel::parent(const QModelIndex &index) const
{
    if (!index.isValid() || index.internalId() == kProblem)
        return {};
    return createIndex(static_cast<int>(index.internalId() - 1), 0, kProblem);
}

int ReportModel::rowCount(const QModelIndex &parent) const
{
    if (!m_trace || parent.column() > 0)
        return 0;
    const auto &problems = m_trace->report.problems();
    if (!parent.isValid())
        return static_cast<int>(problems.size());
    if (parent.internalId() != kProblem)
        return 0;
    return static_cast<int>(problems[static_cast<std::size_t>(parent.row())].examples.size());
}

int ReportModel::columnCount(const QModelIndex &) const
{
    return ColumnCount;
}

QVariant ReportModel::data(const QModelIndex &index, int role) const
{
    if (!m_trace || !index.isValid())
        return {};
    const auto &problems = m_trace->report.problems();
    if (index.internalId() == kProblem)
        return problemData(problems[static_cast<std::size_t>(index.row())], index.column(), role);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    const ProblemExample &example = *exampleAt(index);
    if (index.column() == Name)
        return QString::fromStdString(example.text);
    return index.column() == Place ? placeText(example) : QVariant();
}

const ProblemExample *ReportModel::exampleAt(const QModelIndex &index) const
{
    if (!m_trace || !index.isValid() || index.internalId() == kProblem)
        return nullptr;
    return &m_trace->report.problems()[index.internalId() - 1].examples[static_cast<std::size_t>(index.row())];
}

QVariant ReportModel::problemData(const Problem &problem, int column, int role) const
{
    if (role == Qt::TextAlignmentRole && column == Count)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    if (column == Name)
        return QString::fromStdString(problem.name);
    if (column == Count)
        return countText(problem.count);
    if (column == Place)
        return {};
    switch (problem.severity) {
    case Severity::Info:
        return tr("note");
    case Severity::Warning:
        return tr("warning");
    case Severity::DataLoss:
        return tr("data loss");
    }
    return {};
}

QVariant ReportModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Problem");
    case Place:
        return tr("Where in the file");
    case Severity:
        return tr("Severity");
    case Count:
        return tr("Count");
    default:
        return {};
    }
}

} // namespace tuneline::ui

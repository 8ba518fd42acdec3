// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/findingsdiff.h"

#include "ui/widgets/figures.h"
#include "ui/widgets/pieces.h"

#include <QGridLayout>

namespace tuneline::ui {

using analysis::Comparison;
using analysis::FindingState;
using analysis::GuardState;

namespace {

const char *toneOf(FindingState state)
{
    switch (state) {
    case FindingState::Resolved:
    case FindingState::Improved:
        return "good";
    case FindingState::Worse:
    case FindingState::New:
        return "bad";
    case FindingState::Unchanged:
        break;
    }
    return "muted";
}

QString guardName(const std::string &name)
{
    static const QHash<QString, QString> names{{"loss_parity", FindingsDiff::tr("Same loss")},
                                               {"finite", FindingsDiff::tr("Finite values")},
                                               {"work_done", FindingsDiff::tr("Same work done")}};
    const QString key = QString::fromStdString(name);
    return names.value(key, key);
}

} // namespace

FindingsDiff::FindingsDiff(QWidget *parent)
    : QScrollArea(parent)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setProperty("role", "panel");
}

void FindingsDiff::setComparison(const Comparison &comparison)
{
    auto *body = new QWidget;
    auto *grid = new QGridLayout(body);
    grid->setContentsMargins(kSpace + 2, kSpace, kSpace + 2, kSpace);
    grid->setHorizontalSpacing(kSpace);
    grid->setVerticalSpacing(4);
    grid->setColumnStretch(1, 1);
    addFindings(grid, comparison);
    addPrediction(grid, comparison);
    addGuards(grid, comparison);
    addDifferences(grid, comparison);
    grid->setRowStretch(grid->rowCount(), 1);
    setWidget(body);
}

void FindingsDiff::addHeading(QGridLayout *grid, const QString &text)
{
    const int row = grid->rowCount();
    QLabel *label = makeLabel(text, TextRole::Strong);
    label->setContentsMargins(0, row > 1 ? kSpace : 0, 0, 0);
    grid->addWidget(label, row, 0, 1, 2);
}

void FindingsDiff::addRow(QGridLayout *grid, const QString &pill, const char *tone, const QString &title,
                          const QString &detail)
{
    const int row = grid->rowCount();
    grid->addWidget(makePill(pill, tone), row, 0, Qt::AlignTop);
    grid->addWidget(makeWrapped(detail.isEmpty() ? title : title + " · " + detail), row, 1);
}

void FindingsDiff::addFindings(QGridLayout *grid, const Comparison &comparison)
{
    addHeading(grid, tr("Findings"));
    for (const analysis::FindingChange &finding : comparison.findings)
        addRow(grid, QString::fromUtf8(analysis::toText(finding.state)), toneOf(finding.state),
               QString::fromStdString(finding.title),
               tr("%1 → %2 of the step").arg(percentText(finding.beforeShare), percentText(finding.afterShare)));
    if (comparison.findings.empty())
        grid->addWidget(makeWrapped(tr("Neither run has a finding."), TextRole::Body, "muted"), grid->rowCount(), 0, 1,
                        2);
}

void FindingsDiff::addPrediction(QGridLayout *grid, const Comparison &comparison)
{
    if (!comparison.prediction)
        return;
    const analysis::PredictionOutcome &outcome = *comparison.prediction;
    addHeading(grid, tr("Prediction"));
    addRow(grid, outcome.hit ? tr("hit") : tr("missed"), outcome.hit ? "good" : "warn",
           QString::fromStdString(outcome.rule),
           tr("predicted %1 saved, measured %2")
               .arg(percentRangeText(outcome.low, outcome.high), percentText(outcome.measured)));
}

void FindingsDiff::addGuards(QGridLayout *grid, const Comparison &comparison)
{
    if (comparison.guards.empty())
        return;
    addHeading(grid, tr("Guards"));
    for (const analysis::Guard &guard : comparison.guards) {
        const char *tone = guard.state == GuardState::Pass ? "good" : guard.state == GuardState::Fail ? "bad" : "muted";
        const QString pill = guard.state == GuardState::Pass ? tr("pass")
            : guard.state == GuardState::Fail                ? tr("fail")
                                                             : tr("not measured");
        addRow(grid, pill, tone, guardName(guard.name), QString::fromStdString(guard.why));
    }
}

void FindingsDiff::addDifferences(QGridLayout *grid, const Comparison &comparison)
{
    addHeading(grid, comparison.oneVariable ? tr("What was changed (one thing)") : tr("What is different"));
    // A key may be as long as the panel is wide: above its values, or it would leave no room for all the other texts.
    for (const analysis::Difference &difference : comparison.differences) {
        const int row = grid->rowCount();
        grid->addWidget(makePill(QString::fromStdString(difference.key), difference.decisive ? "bad" : "accent"), row,
                        0, 1, 2, Qt::AlignLeft);
        grid->addWidget(makeWrapped(tr("%1 → %2").arg(QString::fromStdString(difference.before),
                                                      QString::fromStdString(difference.after))),
                        row + 1, 0, 1, 2);
    }
    if (comparison.differences.empty())
        grid->addWidget(makeWrapped(tr("Nothing that the two captures state."), TextRole::Body, "muted"),
                        grid->rowCount(), 0, 1, 2);
}

} // namespace tuneline::ui

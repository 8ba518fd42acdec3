// SPDX-License-Identifier: GPL-3.0-or-later
// The findings of both runs with what became of each: resolved, improved, unchanged, worse, new. And the guards, and
// the prediction. GUI thread.
#pragma once

#include "analysis/compare/compare.h"

#include <QScrollArea>

class QGridLayout;

namespace tuneline::ui {

class FindingsDiff : public QScrollArea
{
    Q_OBJECT
public:
    explicit FindingsDiff(QWidget *parent = nullptr);
    void setComparison(const analysis::Comparison &comparison);

private:
    void addFindings(QGridLayout *grid, const analysis::Comparison &comparison);
    void addPrediction(QGridLayout *grid, const analysis::Comparison &comparison);
    void addGuards(QGridLayout *grid, const analysis::Comparison &comparison);
    void addDifferences(QGridLayout *grid, const analysis::Comparison &comparison);
    static void addHeading(QGridLayout *grid, const QString &text);
    static void addRow(QGridLayout *grid, const QString &pill, const char *tone, const QString &title,
                       const QString &detail);
};

} // namespace tuneline::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// One opened run with all that is known about it. The parts arrive in two steps: trace and level of detail first, so
// that the timeline can be looked at; analysis, charts and advice when they are ready. All parts are immutable and
// shared.
#pragma once

#include "analysis/analysis.h"
#include "analysis/findings/advice.h"
#include "analysis/trace/lod.h"
#include "ui/charts/chartdata.h"

#include <QStringList>

namespace tuneline::ui {

using AdvicePtr = std::shared_ptr<const analysis::Advice>;

struct Document
{
    QStringList files;
    analysis::TracePtr trace;
    analysis::LodPtr lod;
    analysis::AnalysisPtr analysis; // null until analysed
    ChartDataPtr charts; // null until analysed
    AdvicePtr advice; // null until analysed

    [[nodiscard]] bool analysed() const { return advice != nullptr; }
    [[nodiscard]] QString title() const; // the file's name, or "4 files from FOLDER"
};

[[nodiscard]] QString titleOf(const QStringList &files);

} // namespace tuneline::ui

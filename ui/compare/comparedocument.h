// SPDX-License-Identifier: GPL-3.0-or-later
// Two opened runs and what the comparison says about them. Immutable parts, shared. Made by CompareLoader.
#pragma once

#include "analysis/compare/alignment.h"
#include "analysis/compare/compare.h"
#include "ui/jobs/document.h"

namespace tuneline::ui {

struct ComparisonResult
{
    analysis::Comparison comparison;
    std::vector<analysis::AlignedStep> alignment;
};

struct CompareDocument
{
    Document before, after;
    std::shared_ptr<const ComparisonResult> result; // null until compared
};

} // namespace tuneline::ui

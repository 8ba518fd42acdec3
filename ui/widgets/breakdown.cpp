// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/breakdown.h"

#include "analysis/findings/stepparts.h"

#include <QCoreApplication>

namespace tuneline::ui {

using analysis::PartKind;

namespace {

ColourClass partColour(const analysis::StepPart &part)
{
    switch (part.kind) {
    case PartKind::Compute:
        return ColourClass::MatrixKernel;
    case PartKind::ExposedCopy:
        return ColourClass::CopyToDevice;
    case PartKind::ExposedComm:
        return ColourClass::Communication;
    case PartKind::Idle:
        break;
    }
    return colourOf(part.cause);
}

} // namespace

std::vector<BreakdownPart> breakdownParts(const analysis::StepSummary &step)
{
    std::vector<BreakdownPart> parts;
    for (const analysis::StepPart &part : analysis::stepParts(step))
        parts.push_back({QCoreApplication::translate("Breakdown", part.name), part.ns, partColour(part)});
    return parts;
}

} // namespace tuneline::ui

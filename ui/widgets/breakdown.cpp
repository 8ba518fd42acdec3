// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/breakdown.h"

#include <QCoreApplication>

namespace tuneline::ui {

using analysis::IdleCause;

std::vector<BreakdownPart> breakdownParts(const analysis::StepSummary &step, bool hasDevice)
{
    const auto text = [](const char *s) { return QCoreApplication::translate("Breakdown", s); };
    const analysis::IdleSummary &idle = step.idle;
    const std::pair<IdleCause, std::int64_t> causes[] = {
        {IdleCause::InputWait, idle.inputWaitNs},         {IdleCause::Synchronisation, idle.synchronisationNs},
        {IdleCause::HostOperators, idle.hostOperatorsNs}, {IdleCause::LaunchCalls, idle.launchCallsNs},
        {IdleCause::HostCode, idle.hostCodeNs},           {IdleCause::Allocation, idle.allocationNs},
        {IdleCause::Compilation, idle.compilationNs},     {IdleCause::Checkpoint, idle.checkpointNs},
        {IdleCause::DeviceWait, idle.deviceWaitNs},       {IdleCause::Unknown, idle.unknownNs},
        {IdleCause::NotMeasurable, step.notMeasurableNs},
    };
    std::vector<BreakdownPart> parts;
    const auto add = [&parts](QString name, std::int64_t ns, ColourClass colour) {
        if (ns > 0)
            parts.push_back({std::move(name), ns, colour});
    };
    add(text("device compute"), step.computeNs, ColourClass::MatrixKernel);
    add(text("exposed copies"), step.exposedCopyNs, ColourClass::CopyToDevice);
    add(text("exposed communication"), step.exposedCommNs, ColourClass::Communication);
    for (const auto &[cause, ns] : causes) {
        // Without a device the operators are the work itself, not a cause of idling.
        const bool work = !hasDevice && cause == IdleCause::HostOperators;
        add(work ? text("operators") : causeText(cause), ns, colourOf(cause));
    }
    return parts;
}

} // namespace tuneline::ui

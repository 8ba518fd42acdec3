// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/findings/quality.h"

#include "analysis/analysis.h"
#include "analysis/findings/words.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tuneline::analysis {

namespace {

constexpr double kMuchSlowdown = 1.15, kHopelessSlowdown = 2.0; // RULES.md; beyond the second nothing can be corrected
constexpr std::size_t kFewSteps = 3;
constexpr double kMuchSpread = 0.2;

// (largest − smallest) / median of the steady steps.
double spreadOf(const StepSet &steps)
{
    std::vector<std::int64_t> times;
    for (const Step &s : steps.list)
        if (s.steady())
            times.push_back(s.timeNs());
    if (times.size() < 2)
        return 0;
    std::sort(times.begin(), times.end());
    // The middle half: one odd step among many is not an unsteady run.
    const std::size_t cut = times.size() / 4;
    const double middle = static_cast<double>(times[times.size() / 2]);
    return middle > 0 ? static_cast<double>(times[times.size() - 1 - cut] - times[cut]) / middle : 0;
}

std::uint64_t droppedOf(const Trace &trace)
{
    std::uint64_t dropped = 0;
    for (const Source &s : trace.sources)
        dropped += s.capture.dropped;
    for (const Problem &p : trace.report.problems())
        dropped += p.severity == Severity::DataLoss ? p.count : 0;
    return dropped;
}

// Why a capture has no device records although the program uses a device; "" = it has them, or there is nothing to
// have.
std::string cuptiTrouble(const Source &source)
{
    if (source.format != SourceFormat::Tuneline)
        return {};
    const nlohmann::json metadata = nlohmann::json::parse(source.metadataJson, nullptr, false);
    const auto cupti = metadata.is_object() ? metadata.find("cupti") : metadata.end();
    if (!metadata.is_object() || cupti == metadata.end() || !cupti->is_object())
        return {};
    const auto text = [&cupti](const char *key) {
        const auto member = cupti->find(key);
        return member != cupti->end() && member->is_string() ? member->get<std::string>() : std::string();
    };
    const std::string state = text("state");
    if (state != "busy" && state != "failed")
        return {};
    const std::string message = text("message");
    return message.empty() ? "CUPTI could not be used: this capture has no GPU records" : message;
}

void worsen(CaptureQuality &q, CaptureVerdict verdict, const std::string &why)
{
    q.verdict = std::max(q.verdict, verdict);
    q.why += (q.why.empty() ? "" : "; ") + why;
}

} // namespace

CaptureQuality captureQuality(const Analysis &analysis, const WhatIf &whatIf)
{
    CaptureQuality q;
    const StepSet &steps = analysis.stepSet();
    q.steadySteps = static_cast<std::uint32_t>(steps.steadyCount());
    q.dropped = droppedOf(*analysis.trace);
    bool estimated = false;
    double leastSlowdown = 0; // what is certain of it
    if (!analysis.trace->sources.empty())
        q.slowdown = analysis.trace->sources[analysis.mainSource].capture.slowdown;
    if (!q.slowdown && whatIf.usable() && whatIf.undisturbedStepNs() < whatIf.measuredStepNs()) {
        q.slowdown = static_cast<double>(whatIf.measuredStepNs()) / static_cast<double>(whatIf.undisturbedStepNs());
        leastSlowdown = static_cast<double>(whatIf.measuredStepNs())
            / static_cast<double>(std::max<std::int64_t>(1, whatIf.undisturbedHighNs()));
        estimated = true;
    }
    if (!estimated)
        leastSlowdown = q.slowdown.value_or(1);
    if (steps.empty()) {
        worsen(q, CaptureVerdict::Unusable,
               "no training steps were found" + (steps.why.empty() ? std::string() : " (" + steps.why + ")")
                   + ": mark them, or capture at least 5 whole steps");
        return q;
    }
    if (!whatIf.usable())
        worsen(q, CaptureVerdict::Unusable, "the steps hold nothing that can be replayed");
    if (q.slowdown && *q.slowdown > kMuchSlowdown)
        worsen(q, leastSlowdown > kHopelessSlowdown ? CaptureVerdict::Unusable : CaptureVerdict::Limited,
               std::string("the step was ") + (estimated ? "about " : "") + percentText(*q.slowdown - 1)
                   + " longer while recorded; gains refer to the run without recording: capture with lighter detail");
    for (const Source &source : analysis.trace->sources)
        if (const std::string trouble = cuptiTrouble(source); !trouble.empty())
            worsen(q, CaptureVerdict::Limited,
                   (source.rank ? "rank " + std::to_string(*source.rank) + ": " : std::string()) + trouble);
    if (q.dropped > 0)
        worsen(q, CaptureVerdict::Limited,
               (q.dropped == 1 ? "1 record is" : std::to_string(q.dropped) + " records are")
                   + std::string(" missing or damaged: capture fewer steps or lighter detail"));
    if (q.steadySteps < kFewSteps)
        worsen(q, CaptureVerdict::Limited,
               "only " + std::to_string(q.steadySteps) + " steady steps: capture at least 5 after warm-up");
    if (const auto pace = whatIf.usable() ? whatIf.loaderPaceNs() : std::nullopt)
        worsen(q, CaptureVerdict::Limited,
               "the window ran on batches loaded before it: its steps took "
                   + timeText(static_cast<double>(whatIf.measuredStepNs())) + ", the loader threads need "
                   + timeText(static_cast<double>(*pace)) + " for each");
    if (const double spread = spreadOf(steps); spread > kMuchSpread)
        worsen(q, CaptureVerdict::Limited,
               "steady steps differ by " + percentText(spread) + ": capture more of them, on a quiet machine");
    if (const DeviceMetrics *d = analysis.device(); d && !d->reliable)
        worsen(q, CaptureVerdict::Limited, "idle time may be an artefact: " + d->unreliableWhy);
    if (q.why.empty())
        q.why = std::to_string(q.steadySteps) + " steady steps, nothing dropped";
    return q;
}

} // namespace tuneline::analysis

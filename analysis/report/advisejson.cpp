// SPDX-License-Identifier: GPL-3.0-or-later
// advise --json, as CLI.md has it.
#include "analysis/report/advisereport.h"

namespace tuneline::analysis {

namespace {

using Json = nlohmann::ordered_json;

template <typename T> Json orNull(const std::optional<T> &value)
{
    return value ? Json(*value) : Json(nullptr);
}

const char *text(CaptureVerdict v)
{
    return v == CaptureVerdict::Good ? "good" : v == CaptureVerdict::Limited ? "limited" : "unusable";
}

const char *text(Confidence c)
{
    return c == Confidence::High ? "high" : c == Confidence::Medium ? "medium" : "low";
}

const char *text(CheckResult r)
{
    return r == CheckResult::Fine ? "fine" : r == CheckResult::NotMeasurable ? "not-measurable" : "not-applicable";
}

Json stepJson(const StepSummary &s)
{
    const IdleSummary &i = s.idle;
    Json recurring = Json::array();
    for (const RecurringStall &r : s.recurring)
        recurring.push_back({{"what", r.what}, {"ns_per_step", r.nsPerStep}});
    return {{"time_ns", s.timeNs},
            {"captured_ns", s.capturedNs},
            {"bound", s.bound},
            {"units_per_s", orNull(s.unitsPerSecond)},
            {"breakdown",
             {{"compute_ns", s.computeNs},
              {"exposed_copy_ns", s.exposedCopyNs},
              {"exposed_comm_ns", s.exposedCommNs},
              {"idle",
               {{"input_wait_ns", i.inputWaitNs},
                {"synchronisation_ns", i.synchronisationNs},
                {"allocation_ns", i.allocationNs},
                {"compilation_ns", i.compilationNs},
                {"checkpoint_ns", i.checkpointNs},
                {"host_operators_ns", i.hostOperatorsNs},
                {"host_code_ns", i.hostCodeNs},
                {"launch_calls_ns", i.launchCallsNs},
                {"device_wait_ns", i.deviceWaitNs},
                {"unknown_ns", i.unknownNs}}},
              {"not_measurable_ns", s.notMeasurableNs}}},
            {"recurring", recurring}};
}

Json findingJson(const Finding &f)
{
    Json evidence = Json::array();
    for (const Evidence &e : f.evidence)
        evidence.push_back({{"start_ns", e.start},
                            {"dur_ns", e.duration},
                            {"lane", e.lane.valid() ? Json(e.lane.value) : Json(nullptr)},
                            {"what", e.what}});
    return {
        {"rule", f.rule},
        {"severity", f.severity == FindingSeverity::Risk ? "risk" : "time"},
        {"title", f.title},
        {"share", f.share},
        {"gain", {{"low_ns", f.gain.lowNs}, {"high_ns", f.gain.highNs}, {"predicted_step_ns", f.gain.predictedStepNs}}},
        {"confidence", text(f.confidence)},
        {"evidence", evidence},
        {"explanation", f.explanation},
        {"fix", {{"where", f.fix.where}, {"cpp", f.fix.cpp}, {"python", f.fix.python}, {"knob", orNull(f.fix.knob)}}},
        {"verify", {{"metric", f.verify.metric}, {"expect", f.verify.expect}}},
        {"caveats", f.caveats},
        {"makes_useless", f.makesUseless},
        {"what_if", f.whatIf.empty() ? Json(nullptr) : Json(f.whatIf)}};
}

// Steps count from 0, as those of inspect.
Json replayJson(const ReplayCheck &r)
{
    return {{"step_ns", r.stepNs},
            {"error", r.error},
            {"steps", {{"first", r.firstStep}, {"count", r.steps}, {"of", r.ofSteps}}}};
}

} // namespace

Json adviceToJson(const Advice &advice)
{
    Json json;
    json["capture"] = {{"slowdown", orNull(advice.capture.slowdown)},
                       {"dropped", advice.capture.dropped},
                       {"steady_steps", advice.capture.steadySteps},
                       {"verdict", text(advice.capture.verdict)},
                       {"why", advice.capture.why}};
    json["step"] = stepJson(advice.step);
    json["findings"] = Json::array();
    for (const Finding &f : advice.findings)
        json["findings"].push_back(findingJson(f));
    json["plan"] = Json::array();
    for (const PlanItem &p : advice.plan)
        json["plan"].push_back({{"rule", p.rule}, {"step_ns_after", p.stepNsAfter}});
    json["checked"] = Json::array();
    for (const CheckedRule &c : advice.checked)
        json["checked"].push_back({{"rule", c.rule}, {"result", text(c.result)}, {"why", c.why}});
    json["replay"] = advice.replay ? replayJson(*advice.replay) : Json(nullptr);
    json["straggler"] = orNull(advice.straggler);
    if (advice.whatIf)
        json["what_if"] = {{"step_ns", advice.whatIf->stepNs},
                           {"low_ns", advice.whatIf->lowNs},
                           {"high_ns", advice.whatIf->highNs},
                           {"assumptions", advice.whatIf->assumptions}};
    return json;
}

} // namespace tuneline::analysis

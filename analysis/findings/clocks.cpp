// SPDX-License-Identifier: GPL-3.0-or-later
// Devices that don't run as fast as they could, or not for this program alone.
#include "analysis/findings/gpustate.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/words.h"

#include <algorithm>

namespace tuneline::analysis {
namespace {

constexpr double kSlow = 0.95; // of the highest clock: below it a limit costs time
constexpr double kUnsteady = 0.9;
constexpr double kOften = 0.2; // of the samples; a full load touches the power limit now and then
constexpr std::uint32_t kPowerCap = 4, kClockSetting = 2;

struct Verdict
{
    std::string what; // "" = nothing to say
    double share = 0;
    std::int64_t time = 0;
};

std::string clockText(double mhz)
{
    return numberText(mhz) + " MHz";
}

std::string held(const GpuState &g)
{
    const double slow = g.smClockMhz && g.smClockMaxMhz ? *g.smClockMhz / *g.smClockMaxMhz : 1;
    const std::string clock = g.smClockMhz
        ? " at " + clockText(*g.smClockMhz) + (g.smClockMaxMhz ? " of " + clockText(*g.smClockMaxMhz) : std::string())
        : std::string();
    const std::string words = limitingWords(g.reasons);
    const bool onlyPower = words == limitingWords(kPowerCap);
    if (!words.empty() && (!onlyPower || (slow < kSlow && g.limitedShare.value_or(0) >= kOften)))
        return "is held back by " + words + " in " + percentText(g.limitedShare.value_or(0)) + " of the samples"
            + (clock.empty() ? "" : "; it runs" + clock)
            + (onlyPower && g.powerLimitWatts ? " (limit " + numberText(*g.powerLimitWatts) + " W)" : std::string())
            + (!onlyPower && g.temperatureC ? ", up to " + numberText(*g.temperatureC) + " °C" : std::string());
    if (slow < kSlow && (g.reasons & kClockSetting) != 0)
        return "runs" + clock + " because of a clock setting (nvidia-smi -lgc or -ac)";
    if (slow < kUnsteady)
        return "runs" + clock + ", for no reason that NVML gives";
    const double most = g.smClockMaxMhz.value_or(g.smClockMhz.value_or(0));
    if (g.lowestClockMhz && *g.lowestClockMhz < kUnsteady * most)
        return "falls to " + clockText(*g.lowestClockMhz) + " of " + clockText(most) + " during the capture";
    return {};
}

Verdict judge(const GpuState &g)
{
    Verdict v;
    const std::string gpu = "GPU " + std::to_string(g.device) + ' ';
    if (const std::string how = held(g); !how.empty()) {
        v.what = gpu + how + '.';
        v.time = g.limitedShare.value_or(0) > 0 ? g.limitedTime : g.lowestClockTime;
        const double clock = g.smClockMhz.value_or(0), most = g.smClockMaxMhz.value_or(0);
        v.share = most > 0 && clock > 0 ? std::clamp(1 - clock / most, 0.0, 1.0) : 0;
    }
    if (g.properties && sharesDevice(*g.properties)) {
        v.what += (v.what.empty() ? "" : " ") + gpu + "is shared with " + otherProcesses(*g.properties) + '.';
        for (const DeviceProcess &process : g.properties->processes)
            v.share = std::max(v.share, process.usedShare);
    }
    return v;
}

std::string fineText(const GpuState &g)
{
    std::string text = "GPU " + std::to_string(g.device);
    if (g.smClockMhz)
        text += " at " + clockText(*g.smClockMhz)
            + (g.smClockMaxMhz ? " of " + clockText(*g.smClockMaxMhz) : std::string());
    text += g.limitedShare ? ", not held back" : ", throttle reasons not known";
    const bool others = g.properties && g.properties->otherProcesses > 0;
    if (others)
        text += "; " + otherProcesses(*g.properties) + " hold memory only";
    else if (g.properties && g.properties->otherProcesses == 0)
        text += ", not shared";
    return text;
}

Verdict judgeForeign(const Trace &trace, const CounterTrack &track)
{
    const auto [least, most] = std::minmax_element(track.value.begin(), track.value.end());
    if (*least > kUnsteady * *most)
        return {};
    return {std::string(trace.strings.view(track.name)) + " falls to " + numberText(*least) + " of " + numberText(*most)
                + " during the capture: power, heat or another process holds the device back.",
            1 - *least / *most, track.time[static_cast<std::size_t>(least - track.value.begin())]};
}

void report(const RuleContext &c, RuleReport &to, const Verdict &v)
{
    Finding f = makeRisk("clocks", v.share, {{"what", v.what}});
    f.gain.predictedStepNs = static_cast<std::int64_t>(c.stepNs);
    const std::int64_t time = std::max(v.time, c.trace.spanBegin); // the first sample lies just before the window
    addEvidence(f, time, time, c.analysis.stepSet().trainingLane, "lowest clock, or first throttling");
    to.add(c, std::move(f));
}

// Other tools' traces: a counter that calls itself a clock.
void checkForeign(const RuleContext &c, RuleReport &to)
{
    for (const CounterTrack &track : c.trace.counters) {
        const std::string_view name = c.trace.strings.view(track.name);
        const bool isClock =
            name.find("clock") != std::string_view::npos || name.find("Clock") != std::string_view::npos;
        if (!isClock || track.value.size() < 3)
            continue;
        const Verdict v = judgeForeign(c.trace, track);
        if (!v.what.empty())
            return report(c, to, v);
        return to.fine("clocks", std::string(name) + " is steady");
    }
    const std::string &nvml = c.trace.sources.empty() ? std::string() : c.trace.sources.front().capture.nvml;
    to.notMeasurable("clocks", "clocks are not recorded" + (nvml.empty() || nvml == "on" ? "" : ": " + nvml));
}

} // namespace

void checkClocks(const RuleContext &c, RuleReport &to)
{
    Verdict all;
    std::string fine;
    for (const GpuState &g : gpuStates(c.trace)) {
        const Verdict v = judge(g);
        if (v.what.empty()) {
            fine += (fine.empty() ? "" : "; ") + fineText(g);
            continue;
        }
        all.what += (all.what.empty() ? "" : " ") + v.what;
        all.share = std::max(all.share, v.share);
        all.time = all.time == 0 ? v.time : all.time;
    }
    if (!all.what.empty())
        report(c, to, all);
    else if (!fine.empty())
        to.fine("clocks", fine);
    else
        checkForeign(c, to);
}

} // namespace tuneline::analysis

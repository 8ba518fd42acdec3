// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/steps/steadiness.h"

#include "analysis/metrics/intervalset.h"
#include "analysis/steps/hostscopes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tuneline::analysis {

namespace {

constexpr double kPartialRecords = 0.8; // as torch_tb_profiler: fewer device records than that of the usual step
constexpr double kMuchLonger = 1.5; // of the median
constexpr double kSpreads = 5; // and that many standard deviations (1.4826 × MAD) away

struct StallKind
{
    const char *what;
    std::uint32_t trait;
    bool periodic; // done every n steps by its nature
};
constexpr std::array kStallKinds{StallKind{"checkpoint", NameTrait::kCheckpointScope, true},
                                 StallKind{"validation", NameTrait::kValidationScope, true},
                                 StallKind{"compilation", NameTrait::kCompilation, false},
                                 StallKind{"input", NameTrait::kDataScope, false}};

double median(std::vector<double> v)
{
    if (v.empty())
        return 0;
    std::sort(v.begin(), v.end());
    const std::size_t m = v.size() / 2;
    return v.size() % 2 == 1 ? v[m] : (v[m - 1] + v[m]) / 2;
}

std::vector<double> timesWithout(const std::vector<Step> &list, std::size_t from, std::uint8_t flags)
{
    std::vector<double> times;
    for (std::size_t i = from; i < list.size(); ++i) {
        if (!list[i].has(flags))
            times.push_back(static_cast<double>(list[i].timeNs()));
    }
    return times;
}

void flagPartial(const Trace &trace, StepSet &set)
{
    if (set.list.size() < 3 || set.device < 0)
        return;
    std::vector<double> kernels(set.list.size(), 0); // copies come and go with checkpoints and logging
    for (std::size_t i = 0; i < set.stepOfRecord.size(); ++i) {
        if (set.stepOfRecord[i] != StepSet::kNoStep && trace.events.kind[i] == EventKind::Kernel)
            ++kernels[set.stepOfRecord[i]];
    }
    const double usual = median(kernels);
    for (const std::size_t i : {std::size_t{0}, set.list.size() - 1}) {
        if (kernels[i] < kPartialRecords * usual)
            set.list[i].flags |= StepFlag::kPartial;
    }
}

// Time inside scopes of one kind in each step, on the training thread.
std::vector<std::int64_t> scopeTime(const Trace &trace, const NameTable &names, const StepSet &set, std::uint32_t trait)
{
    std::vector<Range> ranges;
    for (const EventId e : scopesWith(trace, names, set.source, trait)) {
        if (trace.events.lane[e.value] == set.trainingLane)
            ranges.push_back({trace.start(e), trace.end(e)});
    }
    const IntervalSet scopes(std::move(ranges));
    std::vector<std::int64_t> time;
    for (const Step &s : set.list)
        time.push_back(scopes.lengthIn({s.hostStart, s.hostEnd}));
    return time;
}

struct Usual
{
    double time = 0, limit = 0; // median, and what is much longer
};

Usual usualTime(const StepSet &set)
{
    const auto times = timesWithout(set.list, 0, StepFlag::kPartial | StepFlag::kStalled);
    Usual u;
    u.time = median(times);
    std::vector<double> away;
    for (const double t : times)
        away.push_back(std::abs(t - u.time));
    u.limit = std::max(kMuchLonger * u.time, u.time + kSpreads * 1.4826 * median(away));
    return u;
}

void addStall(StepSet &set, const char *what, const std::vector<std::uint32_t> &steps, double usual)
{
    RecurringStall stall;
    stall.what = what;
    stall.steps = steps;
    double excess = 0;
    for (const std::uint32_t i : steps) {
        set.list[i].flags |= StepFlag::kStalled;
        excess += static_cast<double>(set.list[i].timeNs()) - usual;
    }
    const auto complete = std::count_if(set.list.begin(), set.list.end(),
                                        [](const Step &s) { return !s.has(StepFlag::kPartial | StepFlag::kWarmUp); });
    stall.nsPerStep = std::llround(excess / static_cast<double>(std::max<std::ptrdiff_t>(complete, 1)));
    set.recurring.push_back(std::move(stall));
}

// Long steps whose excess a known scope explains; those explained are taken out of `slow`.
void explainStalls(const Trace &trace, const NameTable &names, StepSet &set, const Usual &usual,
                   std::vector<std::uint32_t> &slow)
{
    for (const StallKind &kind : kStallKinds) {
        if (slow.empty())
            return;
        const auto inside = scopeTime(trace, names, set, kind.trait);
        std::vector<double> all(inside.begin(), inside.end());
        const double normal = median(all);
        std::vector<std::uint32_t> explained;
        std::erase_if(slow, [&](std::uint32_t i) {
            const double excess = static_cast<double>(set.list[i].timeNs()) - usual.time;
            const bool yes = static_cast<double>(inside[i]) - normal >= 0.5 * excess;
            if (yes)
                explained.push_back(i);
            return yes;
        });
        // The first step compiles and starts workers anyway: that is warm-up, unless it comes back.
        const bool firstOnly = explained.size() == 1 && explained.front() == 0;
        if (firstOnly && (kind.trait == NameTrait::kCompilation || kind.trait == NameTrait::kDataScope))
            slow.insert(slow.begin(), 0);
        else if (!explained.empty())
            addStall(set, kind.what, explained, usual.time);
    }
}

// Checkpoints and validation that some steps hold and others don't, however many do: those steps are no outliers.
void findPeriodicWork(const Trace &trace, const NameTable &names, StepSet &set)
{
    constexpr double kHolds = 0.2, kHoldsNot = 0.02; // of the step
    for (const StallKind &kind : kStallKinds) {
        if (!kind.periodic)
            continue;
        const auto inside = scopeTime(trace, names, set, kind.trait);
        std::vector<std::uint32_t> holding;
        std::vector<double> others;
        for (std::uint32_t i = 0; i < set.list.size(); ++i) {
            const double part = static_cast<double>(inside[i]);
            const double whole = static_cast<double>(std::max<std::int64_t>(set.list[i].timeNs(), 1));
            if (part >= kHolds * whole)
                holding.push_back(i);
            else if (part <= kHoldsNot * whole && !set.list[i].has(StepFlag::kPartial))
                others.push_back(whole);
        }
        if (!holding.empty() && !others.empty())
            addStall(set, kind.what, holding, median(others));
    }
}

void flagWarmUp(StepSet &set, std::vector<std::uint32_t> &slow)
{
    for (std::size_t i = 0; i < set.list.size() / 2; ++i) {
        const double rest = median(timesWithout(set.list, i + 1, StepFlag::kPartial | StepFlag::kStalled));
        if (set.list[i].has(StepFlag::kStalled) || static_cast<double>(set.list[i].timeNs()) <= kMuchLonger * rest)
            return;
        set.list[i].flags |= StepFlag::kWarmUp;
        std::erase(slow, static_cast<std::uint32_t>(i));
    }
}

void flagSlow(const Trace &trace, const NameTable &names, StepSet &set)
{
    findPeriodicWork(trace, names, set);
    const Usual usual = usualTime(set);
    std::vector<std::uint32_t> slow;
    for (std::uint32_t i = 0; i < set.list.size(); ++i) {
        if (!set.list[i].has(StepFlag::kPartial | StepFlag::kStalled)
            && static_cast<double>(set.list[i].timeNs()) > usual.limit)
            slow.push_back(i);
    }
    explainStalls(trace, names, set, usual, slow);
    flagWarmUp(set, slow);
    if (slow.size() >= 2) {
        addStall(set, "other", slow, usual.time);
    } else {
        for (const std::uint32_t i : slow)
            set.list[i].flags |= StepFlag::kOutlier;
    }
}

} // namespace

void judgeSteadiness(const Trace &trace, const NameTable &names, StepSet &set)
{
    if (set.list.empty())
        return;
    flagPartial(trace, set);
    if (set.list.size() >= 3)
        flagSlow(trace, names, set);
    for (const std::uint8_t left : {std::uint8_t{0xFF}, StepFlag::kPartial, std::uint8_t{0}}) {
        const auto times = timesWithout(set.list, 0, left);
        if (times.empty())
            continue;
        set.medianNs = std::llround(median(times));
        return;
    }
}

} // namespace tuneline::analysis

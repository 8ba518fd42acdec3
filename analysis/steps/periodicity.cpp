// SPDX-License-Identifier: GPL-3.0-or-later
// Names that come once a step vote for its length; the boundaries are then the places that look like the first one.
#include "analysis/steps/periodicity.h"

#include "analysis/steps/hostscopes.h"
#include "analysis/steps/hosttimes.h"
#include "analysis/steps/tokens.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

namespace tuneline::analysis {

namespace {

constexpr std::uint32_t kShortestStep = 8; // tokens
constexpr std::size_t kFewestVoters = 3; // names that agree on a period
constexpr double kSamePeriod = 0.03;
constexpr double kAlike = 0.8; // share of tokens that two steps have in common

struct Vote
{
    std::uint32_t period = 0;
    std::vector<const Anchor *> voters;
    bool optimizer = false; // an optimizer kernel is among them
};

std::vector<Vote> countVotes(std::vector<Anchor> &anchors)
{
    std::sort(anchors.begin(), anchors.end(), [](const Anchor &a, const Anchor &b) { return a.period < b.period; });
    std::vector<Vote> votes;
    for (const Anchor &a : anchors) {
        if (a.period < kShortestStep)
            continue;
        if (votes.empty() || a.period > votes.back().period * (1 + kSamePeriod) + 1)
            votes.push_back({a.period, {}, false});
        votes.back().voters.push_back(&a);
        votes.back().optimizer |= (a.traits & NameTrait::kOptimizerOp) != 0;
    }
    for (Vote &v : votes)
        v.period = v.voters[v.voters.size() / 2]->period;
    return votes;
}

// A step is one update: the longest period that enough names agree on, or that the optimizer's kernels have.
const Vote *electPeriod(const std::vector<Vote> &votes)
{
    std::size_t all = 0;
    for (const Vote &v : votes)
        all += v.voters.size();
    const Vote *best = nullptr;
    for (const Vote &v : votes) {
        const bool enough = v.voters.size() >= std::max(kFewestVoters, all / 20);
        if ((enough || (v.optimizer && v.voters.size() >= 2)) && (!best || !best->optimizer || v.optimizer))
            best = &v;
    }
    return best;
}

// The first step of a run launches more or less than the others.
constexpr std::uint32_t reachOfFirst(std::uint32_t period)
{
    return period / 8;
}

std::vector<std::uint32_t> beginsFrom(const std::vector<Token> &tokens, std::uint32_t first, std::uint32_t period)
{
    std::vector<std::uint32_t> begins{first};
    while (begins.back() + period - period / 10 <= tokens.size()) {
        const std::uint32_t reach = begins.size() == 1 ? reachOfFirst(period) : period / 20;
        const std::uint32_t next = mostAlike(tokens, begins.back(), begins.back() + period, std::max(8U, reach));
        if (next <= begins.back() || next + period / 10 > tokens.size())
            break;
        begins.push_back(next);
    }
    return begins;
}

// The initialisation of a program is nothing that comes again.
bool beginsAlike(const std::vector<Token> &tokens, std::uint32_t other)
{
    constexpr std::uint32_t kSome = 8;
    std::uint32_t same = 0;
    for (std::uint32_t i = 0; i < kSome && other + i < tokens.size(); ++i)
        same += tokens[i].name == tokens[other + i].name ? 1 : 0;
    return 2 * same >= kSome;
}

// The window begins with a step: it ends with one too, or at least it does not begin in the backward pass or the
// optimizer (profilers begin to record at a step; a window that just takes some seconds begins in those more often than
// not).
bool windowIsAligned(const std::vector<Token> &tokens, const std::vector<std::uint32_t> &begins, std::uint32_t period)
{
    if (begins.size() >= 2 && !beginsAlike(tokens, begins[1]))
        return false;
    constexpr std::size_t kFirst = 3;
    const auto rest = static_cast<double>(tokens.size() - begins.back());
    if (begins.size() >= 2 && rest >= 0.9 * period && rest <= 1.1 * period
        && likeness(tokens, 0, begins[1]) >= kAlike * std::min(kLookAhead, period))
        return true;
    return std::none_of(
        tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(std::min(kFirst, tokens.size())),
        [](const Token &t) { return (t.traits & (NameTrait::kBackward | NameTrait::kOptimizerOp)) != 0; });
}

// Where the step before the one that begins at `begin` began, if the window has it: the first one of a run launches
// more or less than the others.
std::optional<std::uint32_t> stepBefore(const std::vector<Token> &tokens, std::uint32_t begin, std::uint32_t period)
{
    const std::uint32_t reach = reachOfFirst(period);
    if (begin + reach < period)
        return std::nullopt;
    const std::uint32_t before = mostAlike(tokens, begin, begin - std::min(begin, period), reach);
    const bool alike = likeness(tokens, before, begin) * 2 >= std::min(kLookAhead, period);
    return alike ? std::optional(before) : std::nullopt;
}

// First token of a step where the window begins somewhere: behind the optimizer, else at the input copy, else behind
// the longest pause of the host.
std::uint32_t firstBegin(const std::vector<Token> &tokens, const Vote &vote)
{
    const auto behind = [](const Anchor *a) { return a->ends.front(); };
    std::uint32_t best = 0;
    for (const Anchor *a : vote.voters) {
        if ((a->traits & NameTrait::kOptimizerOp) != 0)
            best = std::max(best, behind(a));
    }
    if (best > 0)
        return best;
    std::int64_t pause = -1;
    for (const Anchor *a : vote.voters) {
        std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
        for (const std::uint32_t b : a->begins) {
            if (b > 0)
                shortest = std::min(shortest, tokens[b].time - tokens[b - 1].time);
        }
        if (a->begins.size() > 1 && shortest > pause) {
            pause = shortest;
            best = a->begins.front();
        }
    }
    return best;
}

std::vector<std::uint32_t> beginsSomewhere(const std::vector<Token> &tokens, const Vote &vote)
{
    const std::uint32_t first = firstBegin(tokens, vote);
    auto begins = beginsFrom(tokens, first, vote.period);
    if (const auto before = stepBefore(tokens, first, vote.period))
        begins.insert(begins.begin(), *before);
    return begins;
}

// Share of tokens that two stretches have in common, whatever their order.
double commonShare(const std::vector<Token> &tokens, std::uint32_t a, std::uint32_t b, std::uint32_t end)
{
    std::unordered_map<StringId, std::int64_t> count;
    for (std::uint32_t i = a; i < b; ++i)
        ++count[tokens[i].name];
    std::int64_t common = 0;
    for (std::uint32_t i = b; i < end; ++i)
        common += count[tokens[i].name]-- > 0 ? 1 : 0;
    return static_cast<double>(common) / static_cast<double>(std::max(b - a, end - b));
}

double meanCommonShare(const std::vector<Token> &tokens, const std::vector<std::uint32_t> &begins)
{
    double sum = 0;
    for (std::size_t i = 0; i + 2 < begins.size(); ++i)
        sum += commonShare(tokens, begins[i], begins[i + 1], begins[i + 2]);
    return begins.size() < 3 ? 0 : sum / static_cast<double>(begins.size() - 2);
}

bool isTraining(const Trace &trace, const NameTable &names, const std::vector<Token> &tokens, SourceId source)
{
    constexpr std::uint32_t kTraits = NameTrait::kBackward | NameTrait::kOptimizerOp;
    return std::any_of(tokens.begin(), tokens.end(), [](const Token &t) { return (t.traits & kTraits) != 0; })
        || !scopesWith(trace, names, source, kTraits).empty();
}

} // namespace

void stepsFromPeriodicity(const Trace &trace, const NameTable &names, StepSet &set)
{
    const auto tokens = tokensOf(trace, names, set.source);
    auto anchors = regularAnchors(tokens);
    const auto votes = countVotes(anchors);
    const Vote *vote = electPeriod(votes);
    const LaneId lane = drivingLane(trace, names, set.source);
    if (!vote || !lane.valid())
        return;
    if (!isTraining(trace, names, tokens, set.source)) {
        set.why = "No steps: something repeats, but there is neither a backward pass nor an optimizer in it.";
        return;
    }
    auto begins = beginsFrom(tokens, 0, vote->period);
    if (!windowIsAligned(tokens, begins, vote->period))
        begins = beginsSomewhere(tokens, *vote);
    auto bounds = begins;
    if (const auto size = static_cast<std::uint32_t>(tokens.size());
        size - begins.back() >= vote->period - vote->period / 10)
        bounds.push_back(size); // else what is left is the beginning of a step that the window cut
    const double alike = meanCommonShare(tokens, bounds);
    if (alike < kAlike)
        return;
    set.trainingLane = lane;
    HostTimes(trace, names, tokens, lane).addSteps(bounds, set);
    set.from = StepSource::Periodicity;
    set.confidence = alike * (bounds.size() >= 5 ? 0.9 : bounds.size() == 4 ? 0.75 : 0.5);
    set.why = "No step marks: " + std::to_string(vote->voters.size()) + " kernels or operators come back every "
        + std::to_string(vote->period) + " launches, in the same order.";
}

} // namespace tuneline::analysis

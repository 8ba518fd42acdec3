// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/steps/tokens.h"

#include "analysis/steps/hostscopes.h"

#include <algorithm>

namespace tuneline::analysis {

namespace {

constexpr std::size_t kFewLaunches = 16;
constexpr double kIrregular = 0.1; // of the period

// Launched by the backward pass, whatever the kernel's name says.
bool insideBackward(const Trace &trace, const NameTable &names, EventId call)
{
    for (EventId up = trace.events.parent[call.value]; up.valid(); up = trace.events.parent[up.value]) {
        if (trace.kind(up) == EventKind::Op && names.is(trace, up, NameTrait::kBackward))
            return true;
    }
    return false;
}

// Behind its first record, which is there already, the others that the same call launched: beside an optimizer that
// runs outside, a graph would be one token among many, and a step no longer than the update of one tensor.
void addGraph(const Trace &trace, const NameTable &names, std::vector<Token> &tokens)
{
    const Token first = tokens.back();
    for (const EventId record : trace.deviceRecordsOf(first.event)) {
        if (record != trace.events.launch[first.event.value])
            tokens.push_back({first.time, trace.events.name[record.value], first.event, names.of(trace, record)});
    }
}

std::vector<Token> launches(const Trace &trace, const NameTable &names, SourceId source)
{
    std::vector<Token> tokens;
    for (const Lane &lane : trace.lanes) {
        if (lane.kind != LaneKind::Cpu || lane.source != source)
            continue;
        for (std::uint32_t i = lane.first; i < lane.first + lane.count; ++i) {
            const EventId record = trace.events.launch[i];
            if (!isApiCall(trace.events.kind[i]) || !record.valid())
                continue;
            std::uint32_t traits = names.of(trace, record);
            if (insideBackward(trace, names, EventId{i}))
                traits |= NameTrait::kBackward;
            tokens.push_back({trace.events.start[i], trace.events.name[record.value], EventId{i}, traits});
            if (names.is(trace, EventId{i}, NameTrait::kGraphLaunch))
                addGraph(trace, names, tokens);
        }
    }
    return tokens;
}

std::vector<Token> operators(const Trace &trace, const NameTable &names, SourceId source)
{
    std::vector<Token> tokens;
    const LaneId training = drivingLane(trace, names, source);
    for (std::size_t l = 0; training.valid() && l < trace.lanes.size(); ++l) {
        const Lane &lane = trace.lanes[l];
        if (lane.kind != LaneKind::Cpu || lane.source != source || lane.pid != trace.lanes[training.value].pid)
            continue;
        for (const EventId e : outermostWork(trace, names, LaneId{l})) {
            if (trace.kind(e) == EventKind::Op)
                tokens.push_back({trace.start(e), trace.events.name[e.value], e, names.of(trace, e)});
        }
    }
    return tokens;
}

// Runs: what is nearer to its predecessor than a quarter of the widest gap is the same run.
void splitIntoRuns(const std::vector<std::uint32_t> &at, Anchor &anchor)
{
    std::uint32_t widest = 0;
    for (std::size_t i = 1; i < at.size(); ++i)
        widest = std::max(widest, at[i] - at[i - 1]);
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (i == 0 || at[i] - at[i - 1] > widest / 4) {
            anchor.begins.push_back(at[i]);
            anchor.ends.push_back(0);
        }
        anchor.ends.back() = at[i] + 1;
    }
}

bool isRegular(Anchor &anchor)
{
    std::vector<std::uint32_t> distance;
    for (std::size_t i = 1; i < anchor.begins.size(); ++i)
        distance.push_back(anchor.begins[i] - anchor.begins[i - 1]);
    if (distance.empty())
        return false;
    std::sort(distance.begin(), distance.end());
    anchor.period = distance[distance.size() / 2];
    return distance.back() - distance.front() <= std::max(2.0, kIrregular * anchor.period);
}

} // namespace

std::vector<Token> tokensOf(const Trace &trace, const NameTable &names, SourceId source)
{
    std::vector<Token> tokens = launches(trace, names, source);
    if (tokens.size() < kFewLaunches)
        tokens = operators(trace, names, source);
    std::stable_sort(tokens.begin(), tokens.end(), [](const Token &a, const Token &b) { return a.time < b.time; });
    return tokens;
}

std::vector<Anchor> regularAnchors(const std::vector<Token> &tokens)
{
    std::vector<std::uint32_t> order(tokens.size());
    for (std::uint32_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return tokens[a].name < tokens[b].name; });
    std::vector<Anchor> anchors;
    for (std::size_t i = 0; i < order.size();) {
        std::vector<std::uint32_t> at;
        const Token &token = tokens[order[i]];
        for (; i < order.size() && tokens[order[i]].name == token.name; ++i)
            at.push_back(order[i]);
        Anchor anchor;
        anchor.name = token.name;
        anchor.traits = token.traits;
        splitIntoRuns(at, anchor);
        if (isRegular(anchor))
            anchors.push_back(std::move(anchor));
    }
    return anchors;
}

std::uint32_t likeness(const std::vector<Token> &tokens, std::uint32_t a, std::uint32_t b)
{
    std::uint32_t same = 0;
    for (std::uint32_t i = 0; i < kLookAhead && std::max(a, b) + i < tokens.size(); ++i)
        same += tokens[a + i].name == tokens[b + i].name ? 1 : 0;
    for (std::uint32_t i = 1; i <= kLookBack && i <= a && i <= b; ++i)
        same += tokens[a - i].name == tokens[b - i].name ? 1 : 0;
    return same;
}

std::uint32_t mostAlike(const std::vector<Token> &tokens, std::uint32_t pattern, std::uint32_t guess,
                        std::uint32_t reach)
{
    std::uint32_t best = guess, most = 0;
    for (std::uint32_t d = 0; d <= reach; ++d) {
        for (const std::uint32_t place : {guess + d, guess - std::min(d, guess)}) {
            if (place >= tokens.size() || place == pattern)
                continue;
            if (const std::uint32_t same = likeness(tokens, pattern, place); same > most) {
                most = same;
                best = place;
            }
        }
    }
    return best;
}

} // namespace tuneline::analysis

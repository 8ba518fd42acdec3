// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/change.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tuneline::analysis {

namespace {

enum class Argument : std::uint8_t { None, Number };

// One spelling: `rule`, or `rule:argument`, or `rule:argument=NUMBER` / `rule:NUMBER`.
struct Spelling
{
    std::string_view text; // all that comes before a number
    ChangeKind kind;
    Argument argument = Argument::None;
};

constexpr std::array kSpellings = std::to_array<Spelling>({
    {"input-wait:workers=", ChangeKind::InputWorkers, Argument::Number},
    {"input-wait:synthetic", ChangeKind::InputSynthetic},
    {"copy-pageable", ChangeKind::CopyPageable},
    {"copy-not-overlapped", ChangeKind::CopyNotOverlapped},
    {"copy-many-small", ChangeKind::CopyManySmall},
    {"copy-roundtrip", ChangeKind::CopyRoundtrip},
    {"sync-item", ChangeKind::SyncItem},
    {"sync-explicit", ChangeKind::SyncExplicit},
    {"sync-allocation", ChangeKind::SyncAllocation},
    {"launch-blocking", ChangeKind::LaunchBlocking},
    {"tf32-off", ChangeKind::Tf32},
    {"precision:bf16", ChangeKind::PrecisionBf16},
    {"precision:fp16", ChangeKind::PrecisionFp16},
    {"channels-last", ChangeKind::ChannelsLast},
    {"attention-unfused", ChangeKind::AttentionUnfused},
    {"bias-before-norm", ChangeKind::BiasBeforeNorm},
    {"alignment", ChangeKind::Alignment},
    {"zero-grad-memset", ChangeKind::ZeroGradMemset},
    {"optimizer-unfused:foreach", ChangeKind::OptimizerForeach},
    {"optimizer-unfused", ChangeKind::OptimizerFused},
    {"launch-bound:cuda-graphs", ChangeKind::CudaGraphs},
    {"launch-bound:compile", ChangeKind::Compile},
    {"pointwise-chains", ChangeKind::PointwiseChains},
    {"recompile", ChangeKind::Recompile},
    {"python-or-host-work", ChangeKind::HostWork},
    {"input-worker-restart", ChangeKind::WorkerRestart},
    {"batch-size:", ChangeKind::BatchSize, Argument::Number},
    {"memory-limit:checkpointing", ChangeKind::Checkpointing},
    {"checkpointing-unneeded", ChangeKind::NoCheckpointing},
    {"checkpoint-stall", ChangeKind::CheckpointStall},
    {"comm-exposed", ChangeKind::CommExposed},
    {"straggler", ChangeKind::Straggler},
});

std::string known()
{
    std::string list;
    for (const Spelling &s : kSpellings) {
        list += list.empty() ? "" : ", ";
        list += s.text;
        list += s.argument == Argument::Number ? "N" : "";
    }
    return list;
}

std::optional<Change> parseOne(std::string_view text)
{
    for (const Spelling &s : kSpellings) {
        Change change;
        change.kind = s.kind;
        if (s.argument == Argument::None) {
            if (text == s.text)
                return change;
            continue;
        }
        if (!text.starts_with(s.text))
            continue;
        const std::string_view number = text.substr(s.text.size());
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), change.number);
        if (error == std::errc() && end == number.data() + number.size() && change.number > 0)
            return change;
    }
    return std::nullopt;
}

} // namespace

Result<std::vector<Change>> parseChanges(std::string_view text)
{
    std::vector<Change> changes;
    while (true) {
        const std::size_t plus = text.find('+');
        const std::string_view part = text.substr(0, plus);
        const auto change = parseOne(part);
        if (!change)
            return fail(Error::Code::Usage,
                        "unknown change '" + std::string(part) + "'; known are " + known() + ", joined by '+'");
        changes.push_back(*change);
        if (plus == std::string_view::npos)
            return changes;
        text.remove_prefix(plus + 1);
    }
}

std::string toString(const Change &change)
{
    const auto it =
        std::find_if(kSpellings.begin(), kSpellings.end(), [&](const Spelling &s) { return s.kind == change.kind; });
    if (it == kSpellings.end())
        return {};
    return std::string(it->text) + (it->argument == Argument::Number ? std::to_string(change.number) : std::string());
}

} // namespace tuneline::analysis

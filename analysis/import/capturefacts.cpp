// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/capturefacts.h"

#include "analysis/import/deviceproperties.h"
#include "analysis/import/jsonnumber.h"
#include "analysis/trace/saturate.h"

#include <algorithm>

namespace tuneline::analysis {
namespace {

using nlohmann::json;

std::string plain(const json &value)
{
    return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Knobs and versions. How the run was started and where (command line, host, environment) stays in metadataJson: it
// changes with every run and is no knob.
void readConfig(const json &metadata, Source &source)
{
    for (const char *key : {"torch_version", "cupti_version", "cuda_driver_version", "gpu_driver", "cpu_model"}) {
        if (const auto value = metadata.find(key); value != metadata.end())
            source.config[key] = plain(*value);
    }
    const auto knobs = metadata.find("config");
    if (knobs == metadata.end() || !knobs->is_object())
        return;
    for (const auto &[key, value] : knobs->items())
        source.config[key] = plain(value);
}

std::optional<double> median(std::vector<std::int64_t> values)
{
    if (values.empty())
        return std::nullopt;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1)
        return static_cast<double>(*middle);
    return (static_cast<double>(*middle) + static_cast<double>(*std::max_element(values.begin(), middle))) / 2;
}

std::string nvmlText(const json &nvml)
{
    const std::string state = nvml.contains("state") ? plain(nvml["state"]) : "";
    if (nvml.contains("message"))
        return plain(nvml["message"]);
    return state == "absent" ? "there is no NVML (libnvidia-ml.so.1) where it ran" : state;
}

// Steps after the window are longer: CUPTI keeps a hand in each call for good (+21 % on a launch-bound run, see
// detaillevels.h). Steps before it are the run as it is, where there are enough of them.
constexpr std::size_t kEnoughBefore = 3;

void readStepTimes(const CaptureFrames &frames, CaptureFacts &facts)
{
    std::vector<std::int64_t> inside, before, after;
    for (const RecordView &view : frames.records) {
        for (std::uint32_t i = 0; view.kind == format::RecordKind::StepTime && i < view.count; ++i) {
            const auto step = view.at<format::StepTimeRecord>(i);
            if (step.end > step.start)
                (step.phase == format::StepPhase::Inside       ? inside
                     : step.phase == format::StepPhase::Before ? before
                                                               : after)
                    .push_back(saturatedDifference(step.end, step.start));
        }
    }
    if (before.size() < kEnoughBefore)
        before.insert(before.end(), after.begin(), after.end());
    facts.plainStepsNs = std::move(before);
    const auto recorded = median(inside), plainTime = median(facts.plainStepsNs);
    if (recorded && plainTime)
        facts.slowdown = *recorded / *plainTime;
}

} // namespace

void readCaptureFacts(const CaptureFrames &frames, Source &source)
{
    const json &metadata = frames.metadata;
    source.format = SourceFormat::Tuneline;
    source.truncated = frames.truncated;
    if (const int rank = numberIn(metadata, "rank", -1); rank >= 0)
        source.rank = rank;
    if (const int size = numberIn(metadata, "world_size", -1); size > 0)
        source.worldSize = size;
    if (source.rank)
        source.label = "rank " + std::to_string(*source.rank);
    if (const auto gpus = metadata.find("gpus"); gpus != metadata.end())
        readDevices(*gpus, DeviceSpelling::Capture, source);
    readConfig(metadata, source);
    source.metadataJson = metadata.dump(-1, ' ', false, json::error_handler_t::replace);
    CaptureFacts &facts = source.capture;
    facts.complete = frames.end.has_value();
    facts.detail = metadata.contains("detail") ? plain(metadata["detail"]) : "";
    if (frames.end)
        facts.dropped = frames.end->recordsDropped;
    else if (const auto dropped = metadata.find("dropped"); dropped != metadata.end() && dropped->is_object()) {
        for (const auto &[reason, count] : dropped->items())
            facts.dropped += count.is_number_unsigned() ? count.get<std::uint64_t>() : 0;
    }
    if (const auto nvml = metadata.find("nvml"); nvml != metadata.end() && nvml->is_object())
        facts.nvml = nvmlText(*nvml);
    readStepTimes(frames, facts);
}

} // namespace tuneline::analysis

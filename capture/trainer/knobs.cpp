// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/knobs.h"

#include "capture/trainer/usererror.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tuneline::trainer {
namespace {

using nlohmann::json;

constexpr int64_t kMostOfAnything = 1'000'000'000;

std::string join(const std::vector<std::string> &words)
{
    std::string text;
    for (const std::string &word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

[[noreturn]] void wrongType(const std::string &key, const char *wanted)
{
    usageError("knob '" + key + "' must be " + wanted);
}

void assign(const json &value, bool &target, const KnobInfo &info)
{
    if (!value.is_boolean())
        wrongType(info.key, "true or false");
    target = value.get<bool>();
}

void assign(const json &value, int64_t &target, const KnobInfo &info)
{
    if (!value.is_number_integer())
        wrongType(info.key, "a whole number");
    target = value.get<int64_t>();
}

void assign(const json &value, double &target, const KnobInfo &info)
{
    if (!value.is_number())
        wrongType(info.key, "a number");
    target = value.get<double>();
}

void assign(const json &value, std::string &target, const KnobInfo &info)
{
    if (!value.is_string())
        wrongType(info.key, "text");
    target = value.get<std::string>();
}

void check(bool, const KnobInfo &) { }

void check(int64_t value, const KnobInfo &info)
{
    if (value < info.least || value > kMostOfAnything)
        usageError("knob '" + info.key + "' is " + std::to_string(value) + "; it must be at least "
                   + std::to_string(info.least) + " and at most " + std::to_string(kMostOfAnything));
}

void check(double value, const KnobInfo &info)
{
    if (!(value >= static_cast<double>(info.least)) || value > 1e9)
        usageError("knob '" + info.key + "' is " + std::to_string(value) + "; it must be at least "
                   + std::to_string(info.least));
}

bool isCudaName(const std::string &device)
{
    const std::string prefix = "cuda:";
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return device == "cuda"
        || (device.size() > prefix.size() && device.size() <= prefix.size() + 2
            && device.compare(0, prefix.size(), prefix) == 0
            && std::all_of(device.begin() + static_cast<std::ptrdiff_t>(prefix.size()), device.end(), digit));
}

void check(const std::string &value, const KnobInfo &info)
{
    if (info.key == "device" && value != "auto" && value != "cpu" && !isCudaName(value))
        usageError("knob 'device' is '" + value + "'; it must be auto, cpu, cuda or cuda:N");
    const bool unset = value.empty() && info.key == "optimizer";
    if (!info.allowed.empty() && !unset
        && std::find(info.allowed.begin(), info.allowed.end(), value) == info.allowed.end())
        usageError("knob '" + info.key + "' is '" + value + "'; it must be one of " + join(info.allowed));
}

void refuseWithoutCuda(const Knobs &knobs)
{
    const auto refuse = [](bool set, const std::string &what) {
        if (set)
            usageError(what + " needs a CUDA device; this run is on the CPU");
    };
    refuse(knobs.pinMemory, "pin_memory");
    refuse(knobs.nonBlocking, "non_blocking");
    refuse(knobs.cudaGraph, "cuda_graph");
    refuse(knobs.precision == "tf32", "precision=tf32");
    refuse(knobs.precision == "fp16", "precision=fp16");
}

void refuseUnderGraph(const Knobs &knobs)
{
    // A captured step can't contain work that the host has to look at.
    const auto refuse = [](bool set, const std::string &what) {
        if (set)
            usageError("cuda_graph can't be combined with " + what);
    };
    refuse(knobs.accumulate > 1, "accumulate above 1");
    refuse(knobs.checkpointing, "checkpointing");
}

} // namespace

const std::vector<KnobInfo> &knobTable()
{
    static const std::vector<KnobInfo> table = {
        {"model", &Knobs::model, "what to train: cnn (ResNet-style), gpt (transformer), mlp", {"cnn", "gpt", "mlp"}},
        {"device", &Knobs::device, "auto, cpu, cuda or cuda:N", {}},
        {"batch_size", &Knobs::batchSize, "samples in a batch; 0 = the model's default", {}},
        {"workers", &Knobs::workers, "loader threads; 0 = load in the training thread", {}},
        {"prefetch", &Knobs::prefetch, "batches in flight over all loaders; 0 = 2 per worker", {}},
        {"pin_memory", &Knobs::pinMemory, "load into page-locked memory (CUDA)", {}},
        {"non_blocking", &Knobs::nonBlocking, "copy to the device without waiting (CUDA)", {}},
        {"precision",
         &Knobs::precision,
         "fp32, tf32 (CUDA), bf16, fp16 (CUDA, with loss scaling)",
         {"fp32", "tf32", "bf16", "fp16"}},
        {"channels_last", &Knobs::channelsLast, "NHWC memory order for model and input (cnn)", {}},
        {"checkpointing", &Knobs::checkpointing, "recompute the activations of every block in backward", {}},
        {"accumulate", &Knobs::accumulate, "micro batches in one optimizer step", {}, 1},
        {"optimizer",
         &Knobs::optimizer,
         "sgd, sgd-multi, adamw, adamw-multi (multi = all parameters at once)",
         {"sgd", "sgd-multi", "adamw", "adamw-multi"}},
        {"zero_grad", &Knobs::zeroGrad, "none = drop gradients, memset = fill them with zeros", {"none", "memset"}},
        {"loss_every", &Knobs::lossEvery, "read the loss every N steps", {}, 1},
        {"cuda_graph", &Knobs::cudaGraph, "replay the step as one CUDA graph", {}},
        {"save_every", &Knobs::saveEvery, "save a checkpoint every N steps; 0 = never", {}},
        {"synthetic_batch", &Knobs::syntheticBatch, "train on one batch that never leaves the device", {}},
        {"threads", &Knobs::threads, "threads of one operator; 0 = LibTorch's default", {}},
        {"seed", &Knobs::seed, "of weights, sample order and augmentation", {}},
        {"steps", &Knobs::steps, "stop after N steps; 0 = no limit", {}},
        {"seconds", &Knobs::seconds, "stop after S seconds; 0 = no limit", {}},
    };
    return table;
}

std::string flagOf(const KnobInfo &knob)
{
    std::string flag = "--" + knob.key;
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
}

void checkKnobs(const Knobs &knobs)
{
    for (const KnobInfo &info : knobTable())
        std::visit([&](auto member) { check(knobs.*member, info); }, info.field);
}

void applyKnobs(const json &object, Knobs &knobs)
{
    if (!object.is_object())
        usageError("knobs must be one JSON object, for example {\"workers\": 2}");
    for (const auto &[key, value] : object.items()) {
        const auto &table = knobTable();
        const auto known =
            std::find_if(table.begin(), table.end(), [&k = key](const auto &info) { return info.key == k; });
        if (known == table.end())
            usageError("unknown knob '" + key + "'");
        std::visit([&, &v = value](auto member) { assign(v, knobs.*member, *known); }, known->field);
    }
    checkKnobs(knobs);
}

void applyKnobFile(const std::string &path, Knobs &knobs)
{
    std::ifstream file(path);
    if (!file)
        throw UserError(ExitCode::CannotRead, "can't open the knob file " + path);
    try {
        applyKnobs(json::parse(file), knobs);
    } catch (const json::exception &error) {
        usageError(path + ": " + error.what());
    } catch (const UserError &error) {
        throw UserError(error.code(), path + ": " + error.what());
    }
}

void resolveKnobs(Knobs &knobs, const std::string &device)
{
    checkKnobs(knobs);
    knobs.device = device;
    const bool cuda = device != "cpu";
    if (knobs.batchSize == 0)
        knobs.batchSize = knobs.model == "gpt" ? (cuda ? 32 : 8) : (cuda ? 128 : 32);
    if (knobs.optimizer.empty())
        knobs.optimizer = knobs.model == "gpt" ? "adamw" : "sgd";
    if (knobs.prefetch == 0)
        knobs.prefetch = 2 * knobs.workers;
    if (knobs.channelsLast && knobs.model != "cnn")
        usageError("channels_last is for model=cnn: the others have no images in the network");
    if (!cuda)
        refuseWithoutCuda(knobs);
    if (knobs.cudaGraph)
        refuseUnderGraph(knobs);
}

json toJson(const Knobs &knobs)
{
    json object = json::object();
    for (const KnobInfo &info : knobTable())
        std::visit([&](auto member) { object[info.key] = knobs.*member; }, info.field);
    return object;
}

std::string valueText(const Knobs &knobs, const KnobInfo &knob)
{
    const json value = std::visit([&](auto member) { return json(knobs.*member); }, knob.field);
    return value.is_string() ? value.get<std::string>() : value.dump();
}

} // namespace tuneline::trainer

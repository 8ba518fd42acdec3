// SPDX-License-Identifier: GPL-3.0-or-later
// The knobs of a training run: one field for each fix that the advisor can name. One table (knobTable) gives the key in
// knob files and marks (batch_size), the flag (--batch-size), the allowed values and the help text. No torch in here.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

namespace tuneline::trainer {

struct Knobs
{
    std::string model = "cnn";
    std::string device = "auto"; // cpu, cuda, cuda:N; auto = cuda where LibTorch has one
    int64_t batchSize = 0; // 0 = the model's default
    int64_t workers = 0; // loader threads; 0 = the training thread loads
    int64_t prefetch = 0; // batches in flight over all loaders; 0 = 2 × workers
    bool pinMemory = false;
    bool nonBlocking = false;
    std::string precision = "fp32";
    bool channelsLast = false;
    bool checkpointing = false;
    int64_t accumulate = 1; // micro batches in one step
    std::string optimizer; // empty = sgd, for gpt adamw
    std::string zeroGrad = "none";
    int64_t lossEvery = 10; // steps between two reads of the loss
    bool cudaGraph = false;
    int64_t saveEvery = 0; // steps between two checkpoints; 0 = never
    bool syntheticBatch = false; // one batch, made once, kept on the device
    int64_t threads = 0; // of one operator; 0 = LibTorch's default
    int64_t seed = 1;
    int64_t steps = 200; // 0 = no limit
    double seconds = 0; // 0 = no limit
};

using KnobField = std::variant<bool Knobs::*, int64_t Knobs::*, double Knobs::*, std::string Knobs::*>;

struct KnobInfo
{
    std::string key;
    KnobField field;
    std::string help;
    std::vector<std::string> allowed; // of a text knob; empty = any
    int64_t least = 0; // of a number
};

const std::vector<KnobInfo> &knobTable();

// "batch_size" → "--batch-size"
std::string flagOf(const KnobInfo &knob);

// Throw UserError(Usage) that names the key: unknown key, wrong type, value out of range.
void checkKnobs(const Knobs &knobs); // ranges and names only
void applyKnobs(const nlohmann::json &object, Knobs &knobs);
void applyKnobFile(const std::string &path, Knobs &knobs);

// Fills in what depends on the model (batch size, optimizer) and the resolved device, and refuses what can't work
// together. `device` is "cpu" or "cuda…", as resolved by the caller.
void resolveKnobs(Knobs &knobs, const std::string &device);

nlohmann::json toJson(const Knobs &knobs);
std::string valueText(const Knobs &knobs, const KnobInfo &knob); // as in a knob file, text without quotes

} // namespace tuneline::trainer

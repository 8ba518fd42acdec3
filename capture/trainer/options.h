// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that the command line decides: the knobs, the sizes of model and data, files, planted faults. No torch.
#pragma once

#include "capture/trainer/knobs.h"

#include <set>

namespace tuneline::trainer {

// Mistakes that a run can be told to make, so that the advisor has something to find.
enum class Fault { ItemPerParameter, EmptyCache, SmallCopies, Pageable, HostWork, MemoryGrowth };

struct Options
{
    Knobs knobs;

    // Sizes; 0 = the default of model and device.
    int64_t width = 0; // cnn: channels of the first stage, gpt: embedding, mlp: hidden units
    int64_t depth = 0; // blocks per stage (cnn), blocks (gpt), hidden layers (mlp)
    int64_t imageSize = 0; // side of the crop that the network sees
    int64_t sequence = 0; // tokens of a gpt sample
    int64_t vocab = 0;
    int64_t heads = 4;
    bool convBias = false; // a bias before batch-norm, which removes it again
    std::string attention = "matmul"; // or sdpa, where LibTorch has it

    double learningRate = 0; // 0 = the optimizer's default
    double momentum = 0.9;
    double weightDecay = 1e-4;
    bool cudnnBenchmark = false;
    bool deterministic = false; // CUDA: only algorithms with the same result each time; the CPU's always are

    std::string dataDirectory; // empty = cache directory of the user
    int64_t images = 768;
    int64_t sourceWidth = 500; // ImageNet's most common size
    int64_t sourceHeight = 375;
    int64_t classes = 10;

    bool marks = true;
    bool quiet = false;
    int64_t reportEvery = 10;
    std::string jsonFile;
    std::string lossFile;
    std::string saveDirectory = "checkpoints";
    std::string resumeFile;
    std::set<Fault> faults;

    bool has(Fault fault) const { return faults.count(fault) != 0; }
};

// Reads the command line. When it asked for help or version, that has been printed and `finished` is true.
struct ParsedOptions
{
    Options options;
    bool finished = false;
};
ParsedOptions parseOptions(int argc, const char *const *argv); // throws UserError(Usage)

// Fills in the sizes that depend on the model, after the device is known; refuses faults that need CUDA on the CPU.
void resolveOptions(Options &options, const std::string &device);

} // namespace tuneline::trainer

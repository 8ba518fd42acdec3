// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/options.h"

#include "capture/trainer/usererror.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>

namespace tuneline::trainer {
namespace {

const std::map<std::string, Fault> kFaults = {
    {"item-per-parameter", Fault::ItemPerParameter},
    {"empty-cache", Fault::EmptyCache},
    {"small-copies", Fault::SmallCopies},
    {"pageable", Fault::Pageable},
    {"host-work", Fault::HostWork},
    {"memory-growth", Fault::MemoryGrowth},
};

CLI::Option *addKnob(CLI::App &app, Knobs &knobs, const KnobInfo &info)
{
    const auto add = [&](auto member) -> CLI::Option * {
        auto &value = knobs.*member;
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>)
            return app.add_flag(flagOf(info), value, info.help);
        else
            return app.add_option(flagOf(info), value, info.help);
    };
    return std::visit(add, info.field)->group("Knobs (each is also a key of a knob file, with _ for -)");
}

void addSizes(CLI::App &app, Options &o)
{
    const std::string group = "Model and optimizer";
    app.add_option("--width", o.width, "cnn: first channels, gpt: embedding, mlp: hidden units")->group(group);
    app.add_option("--depth", o.depth, "cnn: blocks per stage, gpt: blocks, mlp: hidden layers")->group(group);
    app.add_option("--image-size", o.imageSize, "side of the crop that the network sees")->group(group);
    app.add_option("--sequence", o.sequence, "tokens of a gpt sample")->group(group);
    app.add_option("--vocab", o.vocab, "gpt: entries of the tokeniser, 300 or more")->group(group);
    app.add_option("--heads", o.heads, "gpt: attention heads")->check(CLI::Range(1, 256))->group(group);
    app.add_flag("--conv-bias", o.convBias, "cnn: bias in convolutions, although batch-norm follows")->group(group);
    app.add_option("--attention", o.attention, "gpt: matmul (with softmax between) or sdpa (LibTorch 2)")
        ->check(CLI::IsMember({"matmul", "sdpa"}))
        ->group(group);
    app.add_option("--lr", o.learningRate, "learning rate; 0 = the optimizer's default")
        ->check(CLI::NonNegativeNumber)
        ->group(group);
    app.add_option("--momentum", o.momentum, "of sgd")->check(CLI::Range(0.0, 1.0))->group(group);
    app.add_option("--weight-decay", o.weightDecay, "of both optimizers")->check(CLI::NonNegativeNumber)->group(group);
    app.add_flag("--deterministic", o.deterministic, "CUDA: refuse algorithms whose result varies")->group(group);
    app.add_flag("--cudnn-benchmark", o.cudnnBenchmark, "let cuDNN time its algorithms")->group(group);
}

void addData(CLI::App &app, Options &o)
{
    const std::string group = "Data";
    app.add_option("--data", o.dataDirectory, "where data sets are kept; made there once (default: the user's cache)")
        ->group(group);
    app.add_option("--images", o.images, "images in the data set")->check(CLI::Range(2, 10'000'000))->group(group);
    app.add_option("--source-width", o.sourceWidth, "of the stored images")->check(CLI::Range(16, 4096))->group(group);
    app.add_option("--source-height", o.sourceHeight, "of the stored images")
        ->check(CLI::Range(16, 4096))
        ->group(group);
    app.add_option("--classes", o.classes, "of the images")->check(CLI::Range(2, 1000))->group(group);
}

void addOutputs(CLI::App &app, Options &o, std::vector<std::string> &faults)
{
    const std::string group = "Output";
    app.add_option("--report-every", o.reportEvery, "print a line every N steps")
        ->check(CLI::PositiveNumber)
        ->group(group);
    app.add_flag("--quiet", o.quiet, "print the last line only")->group(group);
    app.add_option("--json", o.jsonFile, "write a summary with every step's time to FILE")->group(group);
    app.add_option("--losses", o.lossFile, "write every step's loss to FILE, exact to the bit")->group(group);
    app.add_option("--save-dir", o.saveDirectory, "where checkpoints go")->group(group);
    app.add_option("--resume", o.resumeFile, "continue from a checkpoint")->group(group);
    app.add_flag("!--no-marks", o.marks, "run without any tuneline mark")->group(group);
    app.add_option("--fault", faults,
                   "make a mistake on purpose: item-per-parameter, empty-cache, small-copies, pageable, host-work, "
                   "memory-growth")
        ->check(CLI::IsMember(kFaults))
        ->delimiter(',')
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->group("Planted faults");
}

// Flags win over the knob file, which wins over the defaults.
Knobs mergeKnobs(const std::string &knobFile, const Knobs &given, const std::vector<CLI::Option *> &flags)
{
    Knobs knobs;
    if (!knobFile.empty())
        applyKnobFile(knobFile, knobs);
    const auto &table = knobTable();
    for (size_t i = 0; i < table.size(); ++i) {
        if (flags[i]->count() > 0)
            std::visit([&](auto member) { knobs.*member = given.*member; }, table[i].field);
    }
    checkKnobs(knobs);
    return knobs;
}

void refuseFaultsWithoutCuda(const Options &options)
{
    for (const char *name : {"empty-cache", "pageable"}) {
        if (options.has(kFaults.at(name)))
            usageError(std::string("--fault ") + name + " needs a CUDA device; this run is on the CPU");
    }
}

struct Sizes
{
    int64_t width, depth, imageSize, sequence, vocab;
};

// On the CPU a step takes some 100 ms on one core, of which decoding is about half (cnn); a GPU gets something to do.
Sizes defaultSizes(const std::string &model, bool cuda)
{
    if (model == "gpt")
        return cuda ? Sizes{512, 8, 0, 256, 8192} : Sizes{64, 2, 0, 64, 512};
    if (model == "mlp")
        return cuda ? Sizes{2048, 4, 64, 0, 0} : Sizes{256, 3, 32, 0, 0};
    return cuda ? Sizes{64, 2, 128, 0, 0} : Sizes{16, 1, 56, 0, 0};
}

void setSize(const char *flag, int64_t &value, int64_t otherwise, int64_t least = 1)
{
    constexpr int64_t kMost = 65536;
    if (value == 0)
        value = otherwise;
    if (value < (otherwise == 0 ? 0 : least) || value > kMost)
        usageError(std::string(flag) + " must be at least " + std::to_string(least) + " and at most "
                   + std::to_string(kMost));
}

} // namespace

ParsedOptions parseOptions(int argc, const char *const *argv)
{
    CLI::App app("tuneline-train: a LibTorch training run with a knob for every fix that Tuneline can advise",
                 "tuneline-train");
    app.set_version_flag("--version", "tuneline-train " TUNELINE_VERSION);
    // The later of two wins, so that a script can append to a command line that it was given.
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    ParsedOptions parsed;
    Knobs given;
    std::string knobFile;
    std::vector<std::string> faults;
    app.add_option("--knobs", knobFile, "JSON file of knobs; flags win over it");
    std::vector<CLI::Option *> flags;
    for (const KnobInfo &info : knobTable())
        flags.push_back(addKnob(app, given, info));
    addSizes(app, parsed.options);
    addData(app, parsed.options);
    addOutputs(app, parsed.options, faults);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success &request) {
        app.exit(request, std::cout, std::cerr);
        parsed.finished = true;
        return parsed;
    } catch (const CLI::ParseError &error) {
        usageError(error.what());
    }
    for (const std::string &name : faults)
        parsed.options.faults.insert(kFaults.at(name));
    parsed.options.knobs = mergeKnobs(knobFile, given, flags);
    return parsed;
}

void resolveOptions(Options &o, const std::string &device)
{
    resolveKnobs(o.knobs, device);
    if (device == "cpu")
        refuseFaultsWithoutCuda(o);
    const Sizes sizes = defaultSizes(o.knobs.model, device != "cpu");
    setSize("--width", o.width, sizes.width);
    setSize("--depth", o.depth, sizes.depth);
    setSize("--image-size", o.imageSize, sizes.imageSize);
    setSize("--sequence", o.sequence, sizes.sequence, 2);
    setSize("--vocab", o.vocab, sizes.vocab, 300);
    if (o.knobs.model == "gpt" && o.width % o.heads != 0)
        usageError("--width must be a multiple of --heads");
    if (o.learningRate == 0)
        o.learningRate = o.knobs.optimizer.rfind("adamw", 0) == 0 ? 2e-3 : 0.05;
}

} // namespace tuneline::trainer

// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/snapshot.h"

#include "capture/trainer/usererror.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace tuneline::trainer {
namespace fs = std::filesystem;
namespace {

constexpr size_t kKept = 3;
constexpr int64_t kVersion = 1;

torch::Generator generatorOf(torch::Device device)
{
    return at::globalContext().defaultGenerator(device);
}

void writeRandomState(torch::serialize::OutputArchive &archive, torch::Device device)
{
    archive.write("random_cpu", generatorOf(torch::kCPU).get_state(), true);
    if (device.is_cuda())
        archive.write("random_cuda", generatorOf(device).get_state(), true);
}

void readRandomState(torch::serialize::InputArchive &archive, torch::Device device)
{
    torch::Tensor state;
    archive.read("random_cpu", state, true);
    // A generator's state is a CPU tensor, but the archive was read onto the device.
    generatorOf(torch::kCPU).set_state(state.cpu());
    if (device.is_cuda() && archive.try_read("random_cuda", state, true))
        generatorOf(device).set_state(state.cpu());
}

template <typename Part> void writePart(torch::serialize::OutputArchive &archive, const char *name, const Part &part)
{
    torch::serialize::OutputArchive nested(archive.compilation_unit());
    part.save(nested);
    archive.write(name, nested);
}

template <typename Part> void readPart(torch::serialize::InputArchive &archive, const char *name, Part &part)
{
    torch::serialize::InputArchive nested;
    archive.read(name, nested);
    part.load(nested);
}

} // namespace

Snapshots::Snapshots(const Options &options)
    : m_options(options)
{ }

std::string Snapshots::fingerprint() const
{
    const Knobs &knobs = m_options.knobs;
    return nlohmann::json{{"model", knobs.model},
                          {"width", m_options.width},
                          {"depth", m_options.depth},
                          {"image_size", m_options.imageSize},
                          {"sequence", m_options.sequence},
                          {"vocab", m_options.vocab},
                          {"classes", m_options.classes},
                          {"images", m_options.images},
                          {"conv_bias", m_options.convBias},
                          {"batch_size", knobs.batchSize},
                          {"accumulate", knobs.accumulate},
                          {"optimizer", knobs.optimizer},
                          {"seed", knobs.seed},
                          {"scaler", knobs.precision == "fp16"}}
        .dump();
}

void Snapshots::save(const TrainingState &state, int64_t step)
{
    torch::serialize::OutputArchive archive;
    archive.write("version", c10::IValue(kVersion));
    archive.write("step", c10::IValue(step));
    archive.write("configuration", c10::IValue(fingerprint()));
    writePart(archive, "model", static_cast<const torch::nn::Module &>(state.model));
    writePart(archive, "optimizer", state.optimizer);
    writePart(archive, "scaler", state.scaler);
    writeRandomState(archive, state.device);

    char name[32];
    std::snprintf(name, sizeof name, "step-%06lld.pt", static_cast<long long>(step));
    const fs::path path = fs::path(m_options.saveDirectory) / name;
    try {
        fs::create_directories(path.parent_path());
        archive.save_to(path.string() + ".partial");
        fs::rename(path.string() + ".partial", path);
        m_written.push_back(path);
        for (; m_written.size() > kKept; m_written.pop_front())
            fs::remove(m_written.front());
    } catch (const std::exception &error) {
        throw UserError(ExitCode::Failed, "can't save the checkpoint " + path.string() + ": " + error.what());
    }
}

int64_t Snapshots::load(const TrainingState &state, const std::string &path) const
{
    torch::serialize::InputArchive archive;
    c10::IValue version;
    c10::IValue step;
    c10::IValue configuration;
    try {
        archive.load_from(path, state.device);
        archive.read("version", version);
        archive.read("step", step);
        archive.read("configuration", configuration);
    } catch (const std::exception &) {
        throw UserError(ExitCode::CannotRead, "can't read the checkpoint " + path);
    }
    if (version.toInt() != kVersion || configuration.toStringRef() != fingerprint())
        usageError("the checkpoint " + path + " is of another configuration: " + configuration.toStringRef()
                   + "; this run has " + fingerprint());
    readPart(archive, "model", static_cast<torch::nn::Module &>(state.model));
    readPart(archive, "optimizer", state.optimizer);
    readPart(archive, "scaler", state.scaler);
    readRandomState(archive, state.device);
    return step.toInt();
}

} // namespace tuneline::trainer

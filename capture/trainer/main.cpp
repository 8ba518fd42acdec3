// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline-train: options, device, data set, training; turns errors into messages and exit codes.
#include "capture/trainer/trainingrun.h"
#include "capture/trainer/usererror.h"

#include <csignal>

namespace {

using namespace tuneline::trainer;

std::atomic<bool> g_stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");

// The first signal ends the run after its step, a second one at once.
void installSignals()
{
    struct sigaction action = {};
    action.sa_handler = [](int) { g_stop = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigaction(SIGTERM, &action, nullptr);
    sigaction(SIGINT, &action, nullptr);
}

torch::Device resolveDevice(const std::string &name)
{
    if (name == "auto")
        return torch::cuda::is_available() ? torch::Device(torch::kCUDA, 0) : torch::Device(torch::kCPU);
    torch::Device device(name);
    if (device.is_cpu())
        return device;
    if (!torch::cuda::is_available())
        usageError("device=" + name + ", but this LibTorch finds no CUDA device");
    if (!device.has_index())
        device.set_index(0);
    if (static_cast<int64_t>(device.index()) >= static_cast<int64_t>(torch::cuda::device_count()))
        usageError("device=" + name + ", but there are only " + std::to_string(torch::cuda::device_count()));
    return device;
}

void setUpTorch(const Options &options)
{
    if (options.knobs.threads > 0)
        at::set_num_threads(static_cast<int>(options.knobs.threads));
    torch::manual_seed(static_cast<uint64_t>(options.knobs.seed));
    setTf32(options.knobs.precision == "tf32");
    at::globalContext().setBenchmarkCuDNN(options.cudnnBenchmark);
    at::globalContext().setDeterministicCuDNN(options.deterministic);
}

int run(int argc, char **argv)
{
    ParsedOptions parsed = parseOptions(argc, argv);
    if (parsed.finished)
        return 0;
    Options &options = parsed.options;
    // First of all: a capture waits for the steps of a program that has told a fact, and CUDA and the data set may take
    // longer than it waits for others. TrainingRun tells them again with what they resolve to.
    RunMarks(options.marks).config(options.knobs);
    const torch::Device device = resolveDevice(options.knobs.device);
    resolveOptions(options, device.str());
    setUpTorch(options);
    installSignals();
    const auto samples = openSamples(options, !options.quiet);
    TrainingRun(options, device, samples).train(g_stop);
    return 0;
}

int complain(const std::string &message, ExitCode code)
{
    std::fprintf(stderr, "tuneline-train: %s\n", message.c_str());
    return static_cast<int>(code);
}

} // namespace

int main(int argc, char **argv)
{
    try {
        return run(argc, argv);
    } catch (const UserError &error) {
        return complain(error.what(), error.code());
    } catch (const c10::Error &error) {
        return complain(error.what_without_backtrace(), ExitCode::Failed);
    } catch (const std::exception &error) {
        return complain(error.what(), ExitCode::Failed);
    }
}

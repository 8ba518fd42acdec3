// SPDX-License-Identifier: MIT
// A tiny training program for the agent's tests, on the fake LibTorch. Options, each with its default:
//   steps=50 us=2000 (length of a step) marks=0 scopes=0 (1: Optimizer.step#SGD.step, 2: ProfilerStep#n) threads=0
//   fork=0 (at this step; the child runs operators and marks, then exits) exit=return|exit|_exit|kill exitat=0 (step)
//   short=0 (threads that live for one step, per step) memory=0 name=0 (1: a new name for each user scope) config=0
//   nvtx=0 (1: the model runs in an NVTX range "nvtx forward")
// Prints one line at the end and nothing else. Exit code 7, to see that it is kept.
#include "tests/fakes/fakenvtx.h"
#include "tests/fakes/faketorch.h"
#include "tuneline/marks.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

constexpr int kExitCode = 7;

struct Options
{
    int argc;
    char **argv;
    [[nodiscard]] std::string text(const char *key, const char *fallback) const
    {
        const std::size_t length = std::strlen(key);
        for (int i = 1; i < argc; ++i) {
            if (std::strncmp(argv[i], key, length) == 0 && argv[i][length] == '=')
                return argv[i] + length + 1;
        }
        return fallback;
    }
    [[nodiscard]] int number(const char *key, int fallback) const
    {
        return std::atoi(text(key, std::to_string(fallback).c_str()).c_str());
    }
};

void linear(void *)
{
    faketorch::runOp("aten::addmm", 0, nullptr, nullptr);
    faketorch::runOp("aten::relu", 0, nullptr, nullptr);
}

void backward(void *)
{
    faketorch::runOp(
        "autograd::engine::evaluate_function: MmBackward0", 0,
        [](void *) { faketorch::runOp("MmBackward0", 1, nullptr, nullptr); }, nullptr);
}

void runModel(bool memory)
{
    faketorch::runOp("aten::linear", 0, linear, nullptr);
    std::thread(backward, nullptr).join();
    if (memory)
        faketorch::release(faketorch::allocate(4096), 4096);
}

void busyThread(const std::atomic<bool> &stop)
{
    while (!stop) {
        faketorch::runOp("aten::decode", 0, nullptr, nullptr);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

void childWork()
{
    for (int i = 0; i < 50; ++i) {
        tuneline_step();
        tuneline_loss(1.0);
        runModel(true);
    }
    std::exit(0); // runs the exit handlers that the child inherited
}

void end(const std::string &how)
{
    if (how == "_exit")
        _exit(kExitCode);
    if (how == "exit")
        std::exit(kExitCode);
    if (how == "kill")
        raise(SIGKILL);
}

void markAndScope(const Options &options, int step)
{
    if (options.number("marks", 0) != 0) {
        tuneline_step();
        const tuneline::Scope data("data");
        tuneline_units(16, "samples");
        tuneline_loss(1.0 / (1 + step));
    }
    const std::string name = "ProfilerStep#" + std::to_string(step);
    if (options.number("scopes", 0) == 2)
        faketorch::runOp(name.c_str(), 7, nullptr, nullptr);
    if (options.number("name", 0) != 0)
        faketorch::runOp(("scope " + std::to_string(step)).c_str(), 7, nullptr, nullptr);
}

void forkOnce()
{
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        childWork();
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        std::printf("child failed: %d\n", status);
}

} // namespace

int main(int argc, char **argv)
{
    const Options options{argc, argv};
    const auto length = std::chrono::microseconds(options.number("us", 2000));
    if (options.number("config", 0) != 0) {
        tuneline_config("batch_size", "16");
        tuneline_config("precision", "bf16 \"quoted\" \xE2\x9C\x93 \xFF");
    }
    const bool nvtx = options.number("nvtx", 0) != 0 && fakenvtx::start();
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < options.number("threads", 0); ++i)
        threads.emplace_back(busyThread, std::cref(stop));
    const int steps = options.number("steps", 50);
    for (int step = 0; step < steps; ++step) {
        const auto until = std::chrono::steady_clock::now() + length;
        markAndScope(options, step);
        if (nvtx)
            fakenvtx::push("nvtx forward");
        runModel(options.number("memory", 0) != 0);
        if (nvtx)
            fakenvtx::pop();
        for (int i = 0; i < options.number("short", 0); ++i)
            std::thread([] { faketorch::runOp("aten::short_lived", 0, nullptr, nullptr); }).join();
        if (options.number("scopes", 0) == 1)
            faketorch::runOp("Optimizer.step#SGD.step", 7, nullptr, nullptr);
        if (options.number("fork", 0) == step + 1)
            forkOnce();
        if (options.number("exitat", 0) == step + 1)
            end(options.text("exit", "return"));
        std::this_thread::sleep_until(until);
    }
    if (options.number("marks", 0) != 0)
        tuneline_step_end();
    stop = true;
    for (std::thread &thread : threads)
        thread.join();
    std::printf("done %d steps, %d observers\n", steps, faketorch::observers());
    return kExitCode;
}

// SPDX-License-Identifier: MIT
// A small real LibTorch training loop for the agent's tests: torchloop STEPS [--marks] [--width N] [--load S]. Prints a
// hash of all losses and the median step time in ns, and nothing else. --load: seconds before the training begins. One
// translation unit: LibTorch's headers are slow.
#include "tuneline/marks.h"

#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? std::atoi(argv[1]) : 20;
    bool marks = false;
    std::int64_t width = 64;
    int load = 0;
    for (int i = 2; i < argc; ++i) {
        marks = marks || std::strcmp(argv[i], "--marks") == 0;
        if (std::strcmp(argv[i], "--width") == 0 && i + 1 < argc)
            width = std::atol(argv[++i]);
        if (std::strcmp(argv[i], "--load") == 0 && i + 1 < argc)
            load = std::atoi(argv[++i]);
    }
    std::this_thread::sleep_for(std::chrono::seconds(load));
    torch::manual_seed(1);
    at::set_num_threads(1);
    torch::nn::Sequential model(torch::nn::Linear(width, width), torch::nn::ReLU(), torch::nn::Linear(width, 8));
    torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.01).momentum(0.9));
    const auto input = torch::randn({16, width});
    const auto target = torch::randn({16, 8});
    std::uint64_t hash = 14695981039346656037ULL;
    std::vector<std::int64_t> times;
    const std::clock_t cpuBegin = std::clock();
    for (int i = 0; i < steps; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        if (marks)
            tuneline_step();
        optimizer.zero_grad();
        const auto loss = torch::mse_loss(model->forward(input), target);
        loss.backward();
        optimizer.step();
        const float value = loss.item<float>();
        if (marks) {
            tuneline_loss(static_cast<double>(value));
            tuneline_units(16, "samples");
        }
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        hash = (hash ^ bits) * 1099511628211ULL;
        times.push_back((std::chrono::steady_clock::now() - begin).count());
    }
    if (marks)
        tuneline_step_end();
    const double cpu = 1e9 * static_cast<double>(std::clock() - cpuBegin) / CLOCKS_PER_SEC / steps;
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    std::printf("%016llx %lld %.0f\n", static_cast<unsigned long long>(hash),
                static_cast<long long>(times[times.size() / 2]), cpu);
    return 0;
}

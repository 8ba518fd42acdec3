// SPDX-License-Identifier: GPL-3.0-or-later
// The names that the catalogue's C++ snippets may use: what a training loop has anyway.
#pragma once

#include <ATen/autocast_mode.h>
#include <torch/script.h>
#include <torch/torch.h>

#if __has_include(<cuda_runtime_api.h>)
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

#include <cmath>
#include <cstdlib>
#include <future>
#include <iostream>
#include <vector>

struct DataSet : torch::data::datasets::Dataset<DataSet>
{
    torch::data::Example<> get(size_t) override { return {}; }
    torch::optional<size_t> size() const override { return 1; }
};

#define SNIPPET_NAMES                                                                                                  \
    torch::nn::Sequential model, torch::optim::Optimizer &optimizer, torch::nn::CrossEntropyLoss criterion,            \
        DataSet dataset, std::vector<torch::data::Example<>> *loader, torch::data::Example<> batch,                    \
        torch::Tensor input, torch::Tensor target, torch::Tensor loss, torch::Tensor running, torch::Tensor query,     \
        torch::Tensor key, torch::Tensor value, std::vector<torch::Tensor> parts, std::vector<int64_t> sizes,          \
        std::vector<int64_t> lengths, std::vector<torch::Tensor> history, std::vector<torch::Tensor> gradients,        \
        torch::Device device, int64_t step

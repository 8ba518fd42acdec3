// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/cudasupport.h"

#include "capture/trainer/usererror.h"

#ifdef TUNELINE_TRAINER_CUDA
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#endif

namespace tuneline::trainer {

#ifdef TUNELINE_TRAINER_CUDA

std::string deviceName(torch::Device device)
{
    return device.is_cuda() ? at::cuda::getDeviceProperties(device.index())->name : "cpu";
}

void emptyDeviceCache()
{
    c10::cuda::CUDACachingAllocator::emptyCache();
}

struct StepGraph::Parts
{
    explicit Parts(torch::Device device)
        : stream(c10::cuda::getStreamFromPool(false, device.index()))
        , guard(stream)
    { }
    c10::cuda::CUDAStream stream;
    c10::cuda::CUDAStreamGuard guard;
    at::cuda::CUDAGraph graph;
};

StepGraph::StepGraph(torch::Device device)
    : m_parts(std::make_unique<Parts>(device))
{ }

void StepGraph::capture(const std::function<void()> &step)
{
    m_parts->stream.synchronize();
    m_parts->graph.capture_begin();
    step();
    m_parts->graph.capture_end();
    m_captured = true;
}

void StepGraph::replay()
{
    m_parts->graph.replay();
}

#else

namespace {

[[noreturn]] void refuse()
{
    usageError("this tuneline-train was built with a LibTorch without CUDA");
}

} // namespace

std::string deviceName(torch::Device device)
{
    return device.str();
}

void emptyDeviceCache()
{
    refuse();
}

struct StepGraph::Parts
{ };

StepGraph::StepGraph(torch::Device)
{
    refuse();
}

void StepGraph::capture(const std::function<void()> &)
{
    refuse();
}

void StepGraph::replay()
{
    refuse();
}

#endif

StepGraph::~StepGraph() = default;

} // namespace tuneline::trainer

// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/faults.h"

#include "capture/trainer/cudasupport.h"

#include <cmath>
#include <cstdio>

namespace tuneline::trainer {
namespace {

constexpr int64_t kDumpedValues = 200'000; // about 40 ms of formatting

double valueAt(const torch::Tensor &host, int64_t index)
{
    if (host.scalar_type() == torch::kLong)
        return static_cast<double>(host.data_ptr<int64_t>()[index]);
    return static_cast<double>(host.data_ptr<float>()[index]);
}

} // namespace

Faults::Faults(const Options &options, RunMarks marks)
    : m_marks(marks)
    , m_itemPerParameter(options.has(Fault::ItemPerParameter))
    , m_emptyCache(options.has(Fault::EmptyCache))
    , m_smallCopies(options.has(Fault::SmallCopies))
    , m_hostWork(options.has(Fault::HostWork))
    , m_memoryGrowth(options.has(Fault::MemoryGrowth))
{ }

void Faults::afterLoad(const Batch &batch)
{
    if (!m_hostWork)
        return;
    m_dump.clear();
    char text[32];
    for (int64_t i = 0; i < kDumpedValues; ++i) {
        const int length = std::snprintf(text, sizeof text, "%.5f ", valueAt(batch.inputs, i % batch.inputs.numel()));
        m_dump.append(text, static_cast<size_t>(length));
    }
}

torch::Tensor Faults::copyEachSample(const torch::Tensor &host, torch::Device device, bool nonBlocking)
{
    torch::Tensor copy = torch::empty(host.sizes(), host.options().device(device).pinned_memory(false));
    for (int64_t i = 0; i < host.size(0); ++i)
        copy[i].copy_(host[i], nonBlocking);
    return copy;
}

void Faults::afterBackward(const std::vector<torch::Tensor> &parameters)
{
    if (!m_itemPerParameter)
        return;
    double squares = 0;
    for (const torch::Tensor &parameter : parameters) {
        const auto norm = parameter.grad().norm().item<double>();
        squares += norm * norm;
    }
    m_marks.gradientNorm(std::sqrt(squares));
}

void Faults::afterStep(const torch::Tensor &inputs, const torch::Tensor &output)
{
    if (m_memoryGrowth) {
        m_kept.push_back(inputs.clone()); // "for a later look at what the network saw"
        m_kept.push_back(output);
    }
    if (m_emptyCache)
        emptyDeviceCache();
}

} // namespace tuneline::trainer

// SPDX-License-Identifier: GPL-3.0-or-later
// The training data as the loader sees it: a sample is made from its position in the endless sequence of samples, so
// the same seed gives the same sequence with any number of loader threads and after a resume. read() may be called from
// several threads at once. No torch.
#pragma once

#include "capture/trainer/options.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

namespace tuneline::trainer {

// Where a sample's values go; the unused one of pixels and tokens is null. Memory is the caller's.
struct Slot
{
    float *pixels = nullptr;
    int64_t *tokens = nullptr;
    int64_t *targets = nullptr;
};

struct SampleShape
{
    std::vector<int64_t> input; // without the batch dimension
    std::vector<int64_t> target;
    bool tokens = false; // int64 instead of float input
    int64_t units = 1; // images or tokens in one sample
    std::string unit = "images";
    std::string name; // data set and its version, for the run's record
};

class Samples
{
public:
    virtual ~Samples() = default;
    virtual const SampleShape &shape() const = 0;
    virtual void read(uint64_t position, const Slot &slot) const = 0; // throws UserError when a file is damaged
};

// The order of the samples: a new permutation for each epoch. Thread-safe.
class EpochOrder
{
public:
    EpochOrder(uint64_t count, uint64_t seed);
    uint64_t sampleAt(uint64_t position) const; // index in [0, count)

private:
    using Order = std::shared_ptr<const std::vector<uint32_t>>;
    Order orderOf(uint64_t epoch) const;

    const uint64_t m_count;
    const uint64_t m_seed;
    mutable std::mutex m_mutex;
    // Loaders run ahead into the next epoch while others still finish the last one.
    mutable std::pair<uint64_t, Order> m_recent[2];
};

// Makes the data set on disk where it is missing (progress on stderr if asked for), and opens it.
std::shared_ptr<const Samples> openSamples(const Options &options, bool showProgress);

std::shared_ptr<const Samples> openImages(const Options &options, bool showProgress);
std::shared_ptr<const Samples> openText(const Options &options, bool showProgress);

} // namespace tuneline::trainer

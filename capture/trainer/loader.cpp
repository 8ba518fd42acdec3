// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/loader.h"

#include <numeric>
#include <pthread.h>

namespace tuneline::trainer {
namespace {

namespace data = torch::data;

#if TUNELINE_TORCH_AT_LEAST(2, 4)
using OptionalSize = std::optional<size_t>;
using OptionalPositions = std::optional<std::vector<size_t>>;
#else
using OptionalSize = torch::optional<size_t>;
using OptionalPositions = torch::optional<std::vector<size_t>>;
#endif

void nameThisThread()
{
    thread_local const int named = pthread_setname_np(pthread_self(), "data-loader");
    static_cast<void>(named);
}

// Each loader thread has a copy of this; the samples are shared.
class SampleBatches : public data::datasets::BatchDataset<SampleBatches, Batch>
{
public:
    SampleBatches(std::shared_ptr<const Samples> samples, bool threads, bool pinned)
        : m_samples(std::move(samples))
        , m_threads(threads)
        , m_pinned(pinned)
    { }

    // Samples are decoded straight into the batch. Nothing but torch::empty() is called, so no loader thread starts an
    // OpenMP team that would compete with the training thread's.
    Batch get_batch(c10::ArrayRef<size_t> positions) override
    {
        if (m_threads)
            nameThisThread();
        const SampleShape &shape = m_samples->shape();
        const auto count = static_cast<int64_t>(positions.size());
        Batch batch{empty(count, shape.input, shape.tokens ? torch::kLong : torch::kFloat),
                    empty(count, shape.target, torch::kLong)};
        const int64_t inputStride = batch.inputs.numel() / count;
        const int64_t targetStride = batch.targets.numel() / count;
        for (size_t i = 0; i < positions.size(); ++i) {
            const auto row = static_cast<int64_t>(i);
            Slot slot;
            if (shape.tokens)
                slot.tokens = batch.inputs.data_ptr<int64_t>() + row * inputStride;
            else
                slot.pixels = batch.inputs.data_ptr<float>() + row * inputStride;
            slot.targets = batch.targets.data_ptr<int64_t>() + row * targetStride;
            m_samples->read(positions[i], slot);
        }
        return batch;
    }

    OptionalSize size() const override { return {}; }

private:
    torch::Tensor empty(int64_t count, std::vector<int64_t> shape, torch::ScalarType type) const
    {
        shape.insert(shape.begin(), count);
        return torch::empty(shape, torch::TensorOptions(type).pinned_memory(m_pinned));
    }

    std::shared_ptr<const Samples> m_samples;
    bool m_threads;
    bool m_pinned;
};

// Positions 0, 1, 2, … without end; which sample is at a position is the samples' business.
class Positions : public data::samplers::Sampler<>
{
public:
    explicit Positions(size_t first)
        : m_next(first)
    { }
    void reset(OptionalSize = {}) override { }
    OptionalPositions next(size_t batchSize) override
    {
        std::vector<size_t> positions(batchSize);
        std::iota(positions.begin(), positions.end(), m_next);
        m_next += batchSize;
        return positions;
    }
    // A checkpoint holds the step instead: what loaders fetched ahead of it has not been trained on.
    void save(torch::serialize::OutputArchive &) const override { }
    void load(torch::serialize::InputArchive &) override { }

private:
    size_t m_next;
};

class LoaderSource : public BatchSource
{
public:
    LoaderSource(SampleBatches batches, Positions positions, const data::DataLoaderOptions &options)
        : m_loader(data::make_data_loader(std::move(batches), std::move(positions), options))
        , m_at(m_loader->begin())
    { }

    Batch next() override
    {
        try {
            if (m_started)
                ++m_at;
            m_started = true;
            return std::move(*m_at);
        } catch (const data::WorkerException &error) {
            std::rethrow_exception(error.original_exception);
        }
    }

private:
    using Loader = data::StatelessDataLoader<SampleBatches, Positions>;
    const std::unique_ptr<Loader> m_loader;
    data::Iterator<Batch> m_at;
    bool m_started = false;
};

} // namespace

std::unique_ptr<BatchSource> makeBatchSource(std::shared_ptr<const Samples> samples, const Knobs &knobs, bool pinned,
                                             int64_t firstBatch)
{
    const auto options = data::DataLoaderOptions(static_cast<size_t>(knobs.batchSize))
                             .workers(static_cast<size_t>(knobs.workers))
                             .max_jobs(static_cast<size_t>(knobs.prefetch))
                             .enforce_ordering(true);
    return std::make_unique<LoaderSource>(SampleBatches(std::move(samples), knobs.workers > 0, pinned),
                                          Positions(static_cast<size_t>(firstBatch * knobs.batchSize)), options);
}

} // namespace tuneline::trainer

// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/samples.h"

#include "capture/trainer/rng.h"

#include <numeric>

namespace tuneline::trainer {

EpochOrder::EpochOrder(uint64_t count, uint64_t seed)
    : m_count(count)
    , m_seed(seed)
{ }

EpochOrder::Order EpochOrder::orderOf(uint64_t epoch) const
{
    const std::lock_guard lock(m_mutex);
    auto &recent = m_recent[epoch % 2];
    if (!recent.second || recent.first != epoch) {
        auto order = std::make_shared<std::vector<uint32_t>>(m_count);
        std::iota(order->begin(), order->end(), 0U);
        // Not std::shuffle: its result differs between standard libraries.
        Rng rng{m_seed, epoch, 0x6f72646572};
        for (uint64_t i = m_count; i > 1; --i)
            std::swap((*order)[i - 1], (*order)[rng.below(i)]);
        recent = {epoch, std::move(order)};
    }
    return recent.second;
}

uint64_t EpochOrder::sampleAt(uint64_t position) const
{
    return (*orderOf(position / m_count))[position % m_count];
}

std::shared_ptr<const Samples> openSamples(const Options &options, bool showProgress)
{
    return options.knobs.model == "gpt" ? openText(options, showProgress) : openImages(options, showProgress);
}

} // namespace tuneline::trainer

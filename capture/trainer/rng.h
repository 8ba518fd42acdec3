// SPDX-License-Identifier: GPL-3.0-or-later
// Random numbers that depend on their key only: a sample looks the same whichever loader thread makes it, and after a
// resume. SplitMix64; header-only, one instance per sample, not shared between threads.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace tuneline::trainer {

class Rng
{
public:
    Rng(std::initializer_list<uint64_t> key)
    {
        for (uint64_t part : key) {
            m_state ^= part;
            next();
        }
    }

    uint64_t next()
    {
        m_state += 0x9e3779b97f4a7c15ULL;
        uint64_t z = m_state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return m_state = z ^ (z >> 31);
    }

    // [0, 1)
    double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    double between(double low, double high) { return low + (high - low) * unit(); }
    // [0, count); the bias of the remainder is below 1e-9 for the counts used here
    uint64_t below(uint64_t count) { return next() % count; }

private:
    uint64_t m_state = 0x2545f4914f6cdd1dULL;
};

} // namespace tuneline::trainer

// SPDX-License-Identifier: MIT
// CUPTI activity records → records of the capture file. On the CUPTI thread only. Leaves out what lies before the
// window, calls that nobody asked for, and what it can't make sense of (counted).
#pragma once

#include "capture/agent/batches.h"
#include "capture/agent/cupti/apinames.h"
#include "capture/agent/cupti/library.h"
#include "capture/agent/cupti/recordclock.h"

#include <cstdint>
#include <limits>
#include <unordered_set>
#include <vector>

namespace tuneline::agent::cupti {

class Decoder
{
public:
    // allCalls: keep every API call (detail full), not only launches, copies, waits, allocations.
    Decoder(const Library &library, ApiNames &names, Batches &out, bool allCalls) noexcept
        : m_library(library)
        , m_names(names)
        , m_out(out)
        , m_allCalls(allCalls)
    { }

    // CLOCK_REALTIME, to which all times of records are converted. Records that began before `begin` are dropped; calls
    // that began after `end` and what they launched too. Until the end is known it is far away; until the begin is
    // known everything is dropped.
    void setWindow(std::int64_t begin, std::int64_t end) noexcept
    {
        m_begin = begin;
        m_end = end;
    }

    // A whole buffer.
    void decode(std::uint8_t *buffer, std::size_t validBytes);
    // The next buffers are of a forced flush: work without an end isn't over, work without any time didn't even begin.
    void expectUnfinished() noexcept { m_forced = true; }
    // Takes what began after the window's end and was launched inside it; call it after the last buffer.
    void finish();

    // Launches of the window whose kernels haven't come yet. Of a graph nobody knows how many will: its last launch
    // counts as pending until work of a later call has come.
    [[nodiscard]] std::size_t pendingLaunches() const noexcept
    {
        return m_pending.size() + (m_lastGraph != 0 && m_latestWork <= m_lastGraph ? 1 : 0);
    }
    [[nodiscard]] RecordClock::Kind clock() const noexcept { return m_clock.kind(); }
    [[nodiscard]] std::uint64_t unknownKinds() const noexcept { return m_unknown; }
    [[nodiscard]] std::uint64_t implausible() const noexcept { return m_implausible; }
    // Work of the device that was still running when the capture had to end.
    [[nodiscard]] std::uint64_t unfinished() const noexcept { return m_unfinished; }

private:
    std::int64_t time(const void *record, std::size_t offset) noexcept;
    void record(const void *r);
    void kernel(const void *r);
    void copy(const void *r, bool peer);
    void memset(const void *r);
    void api(const void *r, std::uint32_t domain);
    void sync(const void *r);
    void overhead(const void *r);
    void deviceMemory(const void *r);
    void event(const void *r);
    void jit(const void *r);
    void graph(const void *r);
    template <typename Record> void addWork(format::RecordKind kind, const Record &work);

    const Library &m_library;
    ApiNames &m_names;
    Batches &m_out;
    bool m_allCalls;
    bool m_forced = false;
    RecordClock m_clock;
    std::int64_t m_begin = std::numeric_limits<std::int64_t>::max();
    std::int64_t m_end = std::numeric_limits<std::int64_t>::max();
    std::unordered_set<std::uint32_t> m_pending; // correlations
    std::unordered_set<std::uint32_t> m_early; // correlations of kernels that came before their launch call
    std::uint32_t m_lastGraph = 0; // correlation of the window's last graph launch
    std::uint32_t m_latestWork = 0; // the highest correlation of device work that has come
    std::uint32_t m_lastCorrelation = 0; // the latest call inside the window
    struct Late
    {
        format::RecordKind kind{};
        std::uint32_t correlation = 0;
        std::uint32_t bytes = 0;
        std::byte record[sizeof(format::KernelRecord)]{};
    };
    std::vector<Late> m_late; // device work that began after the window's end
    std::uint64_t m_unknown = 0;
    std::uint64_t m_implausible = 0;
    std::uint64_t m_unfinished = 0;
};

} // namespace tuneline::agent::cupti

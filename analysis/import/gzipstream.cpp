// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/gzipstream.h"

#include <algorithm>

namespace tuneline::analysis {
namespace {

constexpr std::size_t kInputPiece = std::size_t{1} << 24U; // ISA-L counts input in 32 bits

} // namespace

GzipStream::GzipStream(std::string_view compressed)
    : m_compressed(compressed)
    , m_state(std::make_unique<inflate_state>())
{
    isal_inflate_init(m_state.get());
    m_state->crc_flag = ISAL_GZIP;
    m_inMember = true;
    refill();
}

std::size_t GzipStream::consumed() const noexcept
{
    return m_given - m_state->avail_in;
}

void GzipStream::refill()
{
    if (m_state->avail_in > 0 || m_given == m_compressed.size())
        return;
    const std::size_t piece = std::min(kInputPiece, m_compressed.size() - m_given);
    // ISA-L's interface is not const-correct; it does not write here.
    m_state->next_in = reinterpret_cast<std::uint8_t *>(const_cast<char *>(m_compressed.data() + m_given));
    m_state->avail_in = static_cast<std::uint32_t>(piece);
    m_given += piece;
}

void GzipStream::beginMember(std::size_t at)
{
    isal_inflate_reset(m_state.get());
    m_state->crc_flag = ISAL_GZIP;
    m_state->avail_in = 0;
    m_given = m_member = at;
    m_inMember = true;
    refill();
}

// What follows a member is another one, zero bytes that pad a tape block, or nothing that we know.
void GzipStream::nextMember()
{
    const std::size_t at = std::min(m_compressed.find_first_not_of('\0', consumed()), m_compressed.size());
    if (isGzip(m_compressed.substr(at)))
        return beginMember(at);
    m_inMember = false;
    if (at < m_compressed.size())
        passOver(at, "bytes that are no gzip data follow at byte " + std::to_string(at));
}

void GzipStream::passOver(std::size_t from, std::string problem)
{
    constexpr std::string_view kDeflated = "\x1f\x8b\x08";
    if (m_problem.empty())
        m_problem = std::move(problem);
    const std::size_t next = m_compressed.find(kDeflated, from);
    m_inMember = next != std::string_view::npos;
    if (m_inMember)
        beginMember(next);
}

std::size_t GzipStream::read(std::span<char> out)
{
    constexpr std::size_t kReadAhead = 16; // bytes that ISA-L may have taken beyond a member's end
    m_state->next_out = reinterpret_cast<std::uint8_t *>(out.data());
    m_state->avail_out = static_cast<std::uint32_t>(out.size());
    while (m_inMember && m_state->avail_out > 0) {
        refill();
        const std::uint32_t room = m_state->avail_out, input = m_state->avail_in;
        const int result = isal_inflate(m_state.get());
        if (result < 0) {
            const std::size_t at = consumed();
            passOver(std::max(m_member + 1, at - std::min(at, kReadAhead)),
                     "the gzip data are damaged near byte " + std::to_string(at));
        } else if (m_state->block_state == ISAL_BLOCK_FINISH) {
            nextMember();
        } else if (m_state->avail_out == room && m_state->avail_in == input) {
            m_inMember = false;
            m_endsEarly = m_problem.empty();
            if (m_endsEarly)
                m_problem = "the gzip data end early, at byte " + std::to_string(m_compressed.size());
        }
    }
    return out.size() - m_state->avail_out;
}

std::string inflateAll(std::string_view compressed, std::string &problem)
{
    constexpr std::size_t kPiece = std::size_t{1} << 22U;
    GzipStream stream(compressed);
    std::string text;
    std::size_t used = 0, got = 0;
    do {
        text.resize(used + std::max(kPiece, used / 2));
        got = stream.read(std::span(text).subspan(used));
        used += got;
    } while (got > 0);
    text.resize(used);
    problem = stream.problem();
    return text;
}

} // namespace tuneline::analysis

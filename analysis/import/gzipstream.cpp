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

// What follows a member is another one, zero bytes that pad a tape block, or nothing that we know.
bool GzipStream::nextMember()
{
    std::size_t at = consumed();
    while (at < m_compressed.size() && m_compressed[at] == '\0')
        ++at;
    m_inMember = isGzip(m_compressed.substr(at));
    if (!m_inMember) {
        if (at < m_compressed.size())
            m_problem = "bytes that are no gzip data follow at byte " + std::to_string(at);
        return false;
    }
    isal_inflate_reset(m_state.get());
    m_state->crc_flag = ISAL_GZIP;
    m_state->avail_in = 0;
    m_given = at;
    refill();
    return true;
}

std::size_t GzipStream::read(std::span<char> out)
{
    m_state->next_out = reinterpret_cast<std::uint8_t *>(out.data());
    m_state->avail_out = static_cast<std::uint32_t>(out.size());
    while (m_inMember && m_state->avail_out > 0 && m_problem.empty()) {
        refill();
        const std::uint32_t room = m_state->avail_out, input = m_state->avail_in;
        const int result = isal_inflate(m_state.get());
        if (result < 0) {
            m_problem = "the gzip data are damaged near byte " + std::to_string(consumed());
        } else if (m_state->block_state == ISAL_BLOCK_FINISH) {
            nextMember();
        } else if (m_state->avail_out == room && m_state->avail_in == input) {
            m_endsEarly = true;
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/messagereader.h"

#include <algorithm>

namespace tuneline::capture {

namespace {
constexpr std::uint32_t kLongestPayload = 1U << 16; // no message is near it; more is noise
}

Result<std::optional<ControlMessage>> MessageReader::next()
{
    format::ControlHeader header;
    if (m_buffer.size() < sizeof header)
        return std::nullopt;
    std::memcpy(&header, m_buffer.data(), sizeof header);
    if (header.magic != format::kControlMagic || header.payloadBytes > kLongestPayload)
        return fail(Error::Code::AgentSilent, "What answers on the agent's socket is no Tuneline agent.");
    if (header.version > format::kControlVersion)
        return fail(Error::Code::AgentSilent,
                    "The agent speaks protocol " + std::to_string(header.version) + ", this program only "
                        + std::to_string(format::kControlVersion) + ".",
                    "Update Tuneline here, or start the training program again with this Tuneline's agent.");
    const auto whole = sizeof header + header.payloadBytes;
    if (m_buffer.size() < whole)
        return std::nullopt;
    const auto payload = m_buffer.begin() + sizeof header;
    ControlMessage message{header.kind, {payload, payload + header.payloadBytes}};
    m_buffer.erase(m_buffer.begin(), m_buffer.begin() + static_cast<std::ptrdiff_t>(whole));
    return message;
}

std::vector<char> encodeMessage(format::ControlKind kind, const void *payload, std::size_t bytes)
{
    format::ControlHeader header;
    header.kind = kind;
    header.payloadBytes = static_cast<std::uint32_t>(bytes);
    std::vector<char> message(sizeof header + bytes);
    std::memcpy(message.data(), &header, sizeof header);
    if (bytes > 0)
        std::memcpy(message.data() + sizeof header, payload, bytes);
    return message;
}

} // namespace tuneline::capture

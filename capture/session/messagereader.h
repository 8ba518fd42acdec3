// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts the bytes of an agent's socket into control messages, whatever pieces they arrive in.
#pragma once

#include "capture/format/control.h"
#include "capture/session/result.h"

#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace tuneline::capture {

struct ControlMessage
{
    format::ControlKind kind{};
    std::vector<char> payload;

    // The payload as T. A longer one is of a newer agent and its tail is left out, a shorter one of an older agent and
    // the rest keeps its defaults.
    template <typename T> [[nodiscard]] T as() const
    {
        T value;
        std::memcpy(static_cast<void *>(&value), payload.data(), std::min(sizeof(T), payload.size()));
        return value;
    }
};

class MessageReader
{
public:
    void feed(const char *data, std::size_t bytes) { m_buffer.insert(m_buffer.end(), data, data + bytes); }
    // The next whole message; nullopt = more bytes are needed. An error is final: the other side is no agent of ours.
    [[nodiscard]] Result<std::optional<ControlMessage>> next();

private:
    std::vector<char> m_buffer;
};

// Header and payload, as they go over the socket.
[[nodiscard]] std::vector<char> encodeMessage(format::ControlKind kind, const void *payload = nullptr,
                                              std::size_t bytes = 0);

// A text field: up to its zero, or its end.
template <std::size_t N> [[nodiscard]] std::string textOf(const char (&field)[N])
{
    return {field, strnlen(field, N)};
}

// False if it had to be cut; the field is always terminated.
template <std::size_t N> bool setText(char (&field)[N], std::string_view text)
{
    const auto length = std::min(text.size(), N - 1);
    std::memcpy(field, text.data(), length);
    field[length] = '\0';
    return length == text.size();
}

} // namespace tuneline::capture

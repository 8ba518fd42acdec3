// SPDX-License-Identifier: MIT
#include "capture/agent/json.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace tuneline::agent {

namespace {

// Length of the UTF-8 sequence that begins at text[at], 0 if it is none.
std::size_t sequenceLength(std::string_view text, std::size_t at) noexcept
{
    const auto byte = [text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const unsigned first = byte(at);
    if (first < 0x80)
        return 1;
    const std::size_t length = first >= 0xC2 && first < 0xE0 ? 2
        : first >= 0xE0 && first < 0xF0                      ? 3
        : first >= 0xF0 && first < 0xF5                      ? 4
                                                             : 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0U) != 0x80)
            return 0;
    }
    const unsigned second = byte(at + 1);
    const bool overlongOrSurrogate = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)
        || (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
    return overlongOrSurrogate ? 0 : length;
}

} // namespace

void JsonWriter::quoted(std::string_view value)
{
    m_out += '"';
    for (std::size_t i = 0; i < value.size();) {
        const std::size_t length = sequenceLength(value, i);
        const char c = value[i];
        if (length == 0) {
            m_out += "\xEF\xBF\xBD";
            ++i;
            continue;
        }
        if (c == '"' || c == '\\') {
            m_out += '\\';
            m_out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            m_out += escape;
        } else {
            m_out += value.substr(i, length);
        }
        i += length;
    }
    m_out += '"';
}

void JsonWriter::prefix(std::string_view key)
{
    if (!m_first)
        m_out += ',';
    m_first = false;
    if (!key.empty()) {
        quoted(key);
        m_out += ':';
    }
}

void JsonWriter::text(std::string_view key, std::string_view value)
{
    prefix(key);
    quoted(value);
}

void JsonWriter::number(std::string_view key, std::int64_t value)
{
    prefix(key);
    m_out += std::to_string(value);
}

// By to_chars: printf writes the host's decimal comma.
void JsonWriter::real(std::string_view key, double value)
{
    prefix(key);
    char text[40];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value);
    if (error == std::errc() && std::isfinite(value))
        m_out.append(text, end);
    else
        m_out += "null";
}

void JsonWriter::boolean(std::string_view key, bool value)
{
    prefix(key);
    m_out += value ? "true" : "false";
}

void JsonWriter::raw(std::string_view key, std::string_view json)
{
    prefix(key);
    m_out += json;
}

void JsonWriter::beginObject(std::string_view key)
{
    prefix(key);
    m_out += '{';
    m_first = true;
}

void JsonWriter::endObject()
{
    m_out += '}';
    m_first = false;
}

void JsonWriter::beginArray(std::string_view key)
{
    prefix(key);
    m_out += '[';
    m_first = true;
}

void JsonWriter::endArray()
{
    m_out += ']';
    m_first = false;
}

std::string JsonWriter::take()
{
    endObject();
    return std::move(m_out);
}

} // namespace tuneline::agent

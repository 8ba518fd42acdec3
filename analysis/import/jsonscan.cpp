// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/jsonscan.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tuneline::analysis::json {
namespace {

constexpr std::array kEventKeys{std::string_view("ph"),  std::string_view("cat"),   std::string_view("name"),
                                std::string_view("pid"), std::string_view("tid"),   std::string_view("ts"),
                                std::string_view("dur"), std::string_view("args"),  std::string_view("id"),
                                std::string_view("id2"), std::string_view("bp"),    std::string_view("s"),
                                std::string_view("tts"), std::string_view("cname"), std::string_view("tdur"),
                                std::string_view("sf"),  std::string_view("scope")};
// The longest gap between a string's closing quote and the next key that the repair looks at.
constexpr std::size_t kMaxKey = 64;

bool isSpace(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool isEventKey(std::string_view key)
{
    return std::find(kEventKeys.begin(), kEventKeys.end(), key) != kEventKeys.end();
}

// The key of `"key":` at text[at], empty if there is none.
std::string_view keyAt(std::string_view text, std::size_t at)
{
    if (at >= text.size() || text[at] != '"')
        return {};
    const std::size_t end = text.find('"', at + 1);
    if (end == kNowhere || end - at > kMaxKey || end == at + 1)
        return {};
    const std::size_t colon = skipSpace(text, end + 1);
    return colon < text.size() && text[colon] == ':' ? text.substr(at + 1, end - at - 1) : std::string_view();
}

// Whether a string that closes before text[at] makes sense as a member's value there.
bool followsValue(std::string_view text, std::size_t at, bool inArgs)
{
    at = skipSpace(text, at);
    if (at >= text.size())
        return false;
    if (text[at] == ',') {
        const std::string_view key = keyAt(text, skipSpace(text, at + 1));
        return !key.empty() && (inArgs || isEventKey(key));
    }
    if (text[at] != '}')
        return false;
    std::size_t after = skipSpace(text, at + 1);
    if (inArgs)
        return after >= text.size() || text[after] == ',' || text[after] == '}' || text[after] == ']';
    // The end of the event: nothing may follow but a comma, as the text ends where the next event begins.
    after = skipSpace(text, after + (after < text.size() && text[after] == ',' ? 1 : 0));
    return after >= text.size() || text[after] == ']';
}

bool followsComma(std::string_view text, std::size_t at)
{
    while (at > 0 && isSpace(text[at - 1]))
        --at;
    return at > 0 && text[at - 1] == ',';
}

// The first quote that makes sense as the string's end. The string can't reach beyond another member of the event: then
// it is that member that is broken.
std::size_t lenientStringEnd(std::string_view text, std::size_t at, bool inArgs)
{
    for (std::size_t quote = text.find('"', at + 1); quote != kNowhere; quote = text.find('"', quote + 1)) {
        if (followsValue(text, quote + 1, inArgs))
            return quote + 1;
        if (isEventKey(keyAt(text, quote)) && followsComma(text, quote))
            return kNowhere;
    }
    return kNowhere;
}

std::size_t scalarEnd(std::string_view text, std::size_t at)
{
    while (at < text.size() && !isSpace(text[at]) && text[at] != ',' && text[at] != '}' && text[at] != ']'
           && text[at] != '"' && text[at] != '{' && text[at] != '[' && text[at] != ':')
        ++at;
    return at;
}

// Reads the members of one object of an event, the event itself or its args.
class EventReader
{
public:
    EventReader(std::string_view text, Reading reading, JsonEvent &event)
        : m_text(text)
        , m_reading(reading)
        , m_event(event)
    { }
    bool read(std::size_t at, bool inArgs);
    [[nodiscard]] std::size_t end() const { return m_end; }

private:
    bool readMember(std::size_t &at, bool inArgs);
    std::size_t readValue(std::size_t at, bool inArgs);

    std::string_view m_text;
    Reading m_reading;
    JsonEvent &m_event;
    std::size_t m_end = kNowhere;
};

bool EventReader::read(std::size_t at, bool inArgs)
{
    at = skipSpace(m_text, at + 1);
    while (at < m_text.size() && m_text[at] != '}') {
        if (!readMember(at, inArgs))
            return false;
        at = skipSpace(m_text, at);
        if (at < m_text.size() && m_text[at] == ',')
            at = skipSpace(m_text, at + 1);
        else if (at >= m_text.size() || m_text[at] != '}')
            return false;
    }
    m_end = at + 1;
    return at < m_text.size();
}

bool EventReader::readMember(std::size_t &at, bool inArgs)
{
    const std::size_t keyEnd = m_text[at] == '"' ? stringEnd(m_text, at) : kNowhere;
    if (keyEnd == kNowhere)
        return false;
    const std::string_view key = m_text.substr(at + 1, keyEnd - at - 2);
    const std::size_t colon = skipSpace(m_text, keyEnd);
    if (colon >= m_text.size() || m_text[colon] != ':')
        return false;
    const std::size_t value = skipSpace(m_text, colon + 1);
    if (value >= m_text.size())
        return false;
    if (!inArgs && key == "args" && m_text[value] == '{') {
        EventReader args(m_text, m_reading, m_event);
        if (!args.read(value, true))
            return false;
        m_event.argsText = m_text.substr(value, args.end() - value);
        at = args.end();
        return true;
    }
    const std::size_t end = readValue(value, inArgs);
    if (end == kNowhere || end == value)
        return false;
    const std::string_view token = m_text.substr(value, end - value);
    if (inArgs)
        m_event.setArg(key, token);
    else
        m_event.setField(key, token);
    at = end;
    return true;
}

std::size_t EventReader::readValue(std::size_t at, bool inArgs)
{
    if (m_text[at] != '"')
        return valueEnd(m_text, at);
    const std::size_t strict = stringEnd(m_text, at);
    if (m_reading == Reading::Strict || (strict != kNowhere && followsValue(m_text, strict, inArgs)))
        return strict;
    const std::size_t lenient = lenientStringEnd(m_text, at, inArgs);
    m_event.repaired = m_event.repaired || lenient != kNowhere;
    return lenient;
}

} // namespace

std::size_t skipSpace(std::string_view text, std::size_t at) noexcept
{
    while (at < text.size() && isSpace(text[at]))
        ++at;
    return at;
}

std::size_t stringEnd(std::string_view text, std::size_t at) noexcept
{
    for (++at; at < text.size(); ++at) {
        const auto *quote = static_cast<const char *>(std::memchr(text.data() + at, '"', text.size() - at));
        if (quote == nullptr)
            return kNowhere;
        const auto end = static_cast<std::size_t>(quote - text.data());
        std::size_t slashes = 0;
        while (end - slashes > at && text[end - slashes - 1] == '\\')
            ++slashes;
        if (slashes % 2 == 0)
            return end + 1;
        at = end;
    }
    return kNowhere;
}

std::size_t valueEnd(std::string_view text, std::size_t at) noexcept
{
    if (at >= text.size())
        return kNowhere;
    if (text[at] == '"')
        return stringEnd(text, at);
    if (text[at] != '{' && text[at] != '[')
        return scalarEnd(text, at);
    std::size_t depth = 0;
    while (at < text.size()) {
        const char c = text[at];
        if (c == '"') {
            at = stringEnd(text, at);
            if (at == kNowhere)
                return kNowhere;
            continue;
        }
        depth += c == '{' || c == '[' ? 1U : 0U;
        depth -= c == '}' || c == ']' ? 1U : 0U;
        ++at;
        if (depth == 0)
            return at;
    }
    return kNowhere;
}

std::size_t nestingOf(std::string_view text) noexcept
{
    std::size_t depth = 0, deepest = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '"') {
            at = stringEnd(text, at);
            continue; // kNowhere ends the loop too
        }
        const bool opens = text[at] == '{' || text[at] == '[', closes = text[at] == '}' || text[at] == ']';
        depth += opens ? 1U : 0U;
        depth -= closes && depth > 0 ? 1U : 0U;
        deepest = std::max(deepest, depth);
        ++at;
    }
    return deepest;
}

bool readEvent(std::string_view text, std::size_t at, Reading reading, JsonEvent &event, std::size_t &end)
{
    event.clear();
    event.lenient = true;
    EventReader reader(text, reading, event);
    const bool whole = reader.read(at, false);
    end = reader.end();
    return whole;
}

bool looksLikeEvent(std::string_view text, std::size_t at) noexcept
{
    const std::string_view first = keyAt(text, skipSpace(text, at + 1));
    bool phase = false;
    constexpr std::size_t kEnough = 65536; // bounds the work on text that is damaged all over
    const auto visit = [&](std::string_view key, std::string_view) { phase = phase || key == "ph"; };
    const bool whole = forEachMember(text.substr(0, at + kEnough), at, visit);
    return phase || (!whole && isEventKey(first));
}

std::size_t nextEvent(std::string_view text, std::size_t from) noexcept
{
    for (std::size_t brace = text.find('{', from); brace != kNowhere; brace = text.find('{', brace + 1)) {
        std::size_t before = brace;
        bool comma = false, space = false;
        while (before > 0 && (isSpace(text[before - 1]) || (text[before - 1] == ',' && !comma))) {
            comma = comma || text[before - 1] == ',';
            space = space || text[before - 1] == '\n';
            --before;
        }
        const bool behindObject = before > 0 && text[before - 1] == '}' && (comma || space);
        if (behindObject && !keyAt(text, skipSpace(text, brace + 1)).empty() && looksLikeEvent(text, brace))
            return brace;
    }
    return kNowhere;
}

namespace {

bool isWholeEvent(std::string_view text, std::size_t brace)
{
    bool phase = false, time = false;
    const bool whole = forEachMember(text, brace, [&](std::string_view key, std::string_view) {
        phase = phase || key == "ph";
        time = time || key == "ts";
    });
    return whole && phase && time;
}

} // namespace

std::size_t eventBehindText(std::string_view text, std::size_t from) noexcept
{
    constexpr std::size_t kFar = 4096; // longer text is damage, where braces may stand in strings
    const std::size_t behindHole = text.find_first_not_of('\0', from); // pages that a crash left unwritten
    from = behindHole == kNowhere ? from : behindHole;
    const std::size_t brace = text.substr(0, from + kFar).find('{', from);
    return brace != kNowhere && isWholeEvent(text, brace) ? brace : eventBehindDamage(text, from + 1);
}

std::size_t eventBehindDamage(std::string_view text, std::size_t from) noexcept
{
    const std::size_t next = nextEvent(text, from);
    const std::string_view before = text.substr(0, next);
    for (std::size_t brace = before.find('{', from); brace != kNowhere; brace = before.find('{', brace + 1)) {
        std::size_t back = brace;
        while (back > 0 && isSpace(text[back - 1]))
            --back;
        if (back == 0 || text[back - 1] != ',' || keyAt(text, skipSpace(text, brace + 1)).empty())
            continue;
        if (isWholeEvent(text, brace))
            return brace;
    }
    return next;
}

std::size_t eventListIn(std::string_view text, std::size_t from) noexcept
{
    constexpr std::string_view kKey = "\"traceEvents\"";
    for (std::size_t key = text.find(kKey, from); key != kNowhere; key = text.find(kKey, key + 1)) {
        const std::size_t colon = skipSpace(text, key + kKey.size());
        if (colon < text.size() && text[colon] == ':')
            return skipSpace(text, colon + 1);
    }
    return kNowhere;
}

std::size_t skipComment(std::string_view text, std::size_t at) noexcept
{
    const bool line = text.substr(at, 2) == "//";
    if (!line && text.substr(at, 2) != "/*")
        return at;
    const std::size_t end = text.find(line ? "\n" : "*/", at + 2);
    return end == kNowhere ? text.size() : end + (line ? 1 : 2);
}

std::size_t eventListEnd(std::string_view text, std::size_t from) noexcept
{
    for (std::size_t bracket = text.find(']', from); bracket != kNowhere; bracket = text.find(']', bracket + 1)) {
        std::size_t before = bracket;
        while (before > from && isSpace(text[before - 1]))
            --before;
        if (before == from || text[before - 1] != '}')
            continue;
        const std::size_t after = skipSpace(text, bracket + 1);
        const bool last = after >= text.size() || text[after] == '}';
        if (last || (text[after] == ',' && !keyAt(text, skipSpace(text, after + 1)).empty()))
            return bracket;
    }
    return kNowhere;
}

} // namespace tuneline::analysis::json

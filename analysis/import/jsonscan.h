// SPDX-License-Identifier: GPL-3.0-or-later
// The tolerant reader's grammar: where tokens, values and events begin and end in text that may be damaged anywhere.
// All functions are iterative and never look beyond the text.
#pragma once

#include "analysis/import/jsonevent.h"

#include <string_view>

namespace tuneline::analysis::json {

inline constexpr std::size_t kNowhere = std::string_view::npos;

[[nodiscard]] std::size_t skipSpace(std::string_view text, std::size_t at) noexcept;

// Behind the string that begins at text[at], kNowhere if it doesn't end.
[[nodiscard]] std::size_t stringEnd(std::string_view text, std::size_t at) noexcept;

// Behind the value that begins at text[at], kNowhere if it doesn't end. Brackets are matched, grammar inside is not
// checked.
[[nodiscard]] std::size_t valueEnd(std::string_view text, std::size_t at) noexcept;

enum class Reading {
    Strict,
    Lenient, // a quote ends a string only where what follows makes sense
};

// Reads the event object at text[at]; `end` is behind it. False if it can't be read that way.
[[nodiscard]] bool readEvent(std::string_view text, std::size_t at, Reading reading, JsonEvent &event,
                             std::size_t &end);

// How deep objects and lists are nested: a JSON library may recurse into what it is given.
[[nodiscard]] std::size_t nestingOf(std::string_view text) noexcept;
inline constexpr std::size_t kMaxNesting = 200;

// Calls visit(key, value token) for each member of the object at text[at]; false where the object is damaged.
template <typename Visit> bool forEachMember(std::string_view text, std::size_t at, Visit &&visit)
{
    at = skipSpace(text, at + 1);
    while (at < text.size() && text[at] != '}') {
        if (text[at] != '"')
            return false;
        const std::size_t keyEnd = stringEnd(text, at);
        if (keyEnd == kNowhere)
            return false;
        const std::string_view key = text.substr(at + 1, keyEnd - at - 2);
        const std::size_t colon = skipSpace(text, keyEnd);
        if (colon >= text.size() || text[colon] != ':')
            return false;
        const std::size_t value = skipSpace(text, colon + 1);
        const std::size_t end = valueEnd(text, value);
        if (end == kNowhere || end == value)
            return false;
        visit(key, text.substr(value, end - value));
        at = skipSpace(text, end);
        if (at < text.size() && text[at] == ',')
            at = skipSpace(text, at + 1);
        else if (at >= text.size() || text[at] != '}')
            return false;
    }
    return at < text.size();
}

// The beginning of the next event at or behind `from` that follows another one: "}, {" with an event's keys in it. In
// valid JSON this pattern can't be inside a string, so it is also where a file may be cut for several readers.
[[nodiscard]] std::size_t nextEvent(std::string_view text, std::size_t from) noexcept;

// Behind damage: the same, or an event in a place where valid JSON has none, as after an event whose brace is missing.
[[nodiscard]] std::size_t eventBehindDamage(std::string_view text, std::size_t from) noexcept;

// Behind text between two events, where no string can be open: the first whole event, or the same as after damage.
[[nodiscard]] std::size_t eventBehindText(std::string_view text, std::size_t from) noexcept;

// True if the object at text[at] has a "ph" member, or looks as if it was going to have one before it breaks off.
[[nodiscard]] bool looksLikeEvent(std::string_view text, std::size_t at) noexcept;

// Where the value of a "traceEvents" member begins, at or behind `from`; kNowhere if there is none.
[[nodiscard]] std::size_t eventListIn(std::string_view text, std::size_t from) noexcept;

// Behind white space and // and /* */ comments, which JSON doesn't have but people write.
[[nodiscard]] std::size_t skipComment(std::string_view text, std::size_t at) noexcept;

// The "]" that ends the event list, at or behind `from`: behind "}", before the document's end or another key.
[[nodiscard]] std::size_t eventListEnd(std::string_view text, std::size_t from) noexcept;

} // namespace tuneline::analysis::json

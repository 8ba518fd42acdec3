// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/jsonfastreader.h"

#include "analysis/import/jsondocument.h"

#include <algorithm>
#include <simdjson.h>

namespace tuneline::analysis::json {
namespace {

bool isSpace(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// Steps over the tokens of a window. simdjson has found where each begins (brackets, commas, colons, strings, scalars),
// checked the UTF-8 and that strings end; what may follow what is checked here. On-Demand parsing costs three times as
// much for the same: its checks of every value come in front of the few that are wanted. A gigabyte has some fifty
// million tokens: a call of its own for each costs as much as its work, which GCC at -O2 doesn't see.
class TokenWalk
{
public:
    TokenWalk(std::string_view text, const std::uint32_t *begins, std::size_t count)
        : m_text(text.data())
        , m_begins(begins)
        , m_count(count)
        , m_size(text.size())
    { }
    [[nodiscard]] char front() const { return m_at < m_count ? m_text[m_begins[m_at]] : '\0'; }
    [[nodiscard]] std::size_t offset() const { return m_at < m_count ? m_begins[m_at] : m_size; }
    [[nodiscard]] bool atEnd() const { return m_at >= m_count; }
    void next() { ++m_at; }
    bool readEvent(JsonEvent &event);

private:
    template <typename Visit> bool readMembers(Visit &&visit);
    bool readArgs(JsonEvent &event);
    bool key(std::string_view &name);
    bool value(std::string_view &token);
    bool skipValue();
    bool skipBrackets();
    [[nodiscard]] std::string_view span(std::size_t from, std::size_t to) const;

    const char *m_text;
    const std::uint32_t *m_begins;
    std::size_t m_count, m_size;
    std::size_t m_at = 0;
};

// Text without the white space at its end.
[[gnu::always_inline]] inline std::string_view TokenWalk::span(std::size_t from, std::size_t to) const
{
    while (isSpace(m_text[to - 1]))
        --to;
    return {m_text + from, to - from};
}

// A key and its colon. Keys are compared as they stand in the file: none that means anything has an escape in it.
[[gnu::always_inline]] inline bool TokenWalk::key(std::string_view &name)
{
    if (front() != '"' || m_at + 1 >= m_count || m_text[m_begins[m_at + 1]] != ':')
        return false;
    name = span(m_begins[m_at] + 1, m_begins[m_at + 1]);
    name.remove_suffix(1);
    m_at += 2;
    return true;
}

[[gnu::always_inline]] inline bool TokenWalk::skipBrackets()
{
    const std::uint32_t *at = m_begins + m_at, *const end = m_begins + m_count;
    std::ptrdiff_t depth = 0;
    do {
        if (at == end)
            return false;
        const int bracket = m_text[*at++] | ('{' ^ '['); // both kinds alike; nothing else that begins a token is
        depth += bracket == '{' ? 1 : 0;
        depth -= bracket == '}' ? 1 : 0;
    } while (depth > 0);
    m_at = static_cast<std::size_t>(at - m_begins);
    return true;
}

[[gnu::always_inline]] inline bool TokenWalk::skipValue()
{
    const char c = front();
    if (c == '[' || c == '{')
        return skipBrackets();
    ++m_at;
    return c != '\0' && c != ',' && c != ':' && c != ']' && c != '}';
}

[[gnu::always_inline]] inline bool TokenWalk::value(std::string_view &token)
{
    const std::size_t from = offset();
    if (!skipValue())
        return false;
    token = span(from, offset());
    return true;
}

// The members of the object that begins here; visit(key) reads or skips the value.
template <typename Visit> bool TokenWalk::readMembers(Visit &&visit)
{
    next();
    if (front() == '}') {
        next();
        return true;
    }
    while (true) {
        std::string_view name;
        if (!key(name) || !visit(name))
            return false;
        const char c = front();
        next();
        if (c == '}')
            return true;
        if (c != ',')
            return false;
    }
}

bool TokenWalk::readArgs(JsonEvent &event)
{
    return readMembers([&](std::string_view name) {
        const Arg arg = JsonEvent::argOf(name);
        if (arg == Arg::Count)
            return skipValue();
        std::string_view token;
        const bool read = value(token);
        event.setArg(arg, token);
        return read;
    });
}

bool TokenWalk::readEvent(JsonEvent &event)
{
    return readMembers([&](std::string_view name) {
        std::string_view token;
        if (const Field field = JsonEvent::fieldOf(name); field != Field::Count) {
            const bool read = value(token);
            event.setField(field, token);
            return read;
        }
        if (name != "args" || front() != '{')
            return skipValue();
        const std::size_t from = offset();
        const bool read = readArgs(event);
        if (read)
            event.argsText = {m_text + from, m_begins[m_at - 1] + 1 - from};
        return read;
    });
}

} // namespace

struct FastReader::State
{
    std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
    JsonEvent event;

    // False: something in the text breaks the grammar of tokens.
    bool findTokens(std::string_view text)
    {
        constexpr std::size_t kDepth = 1; // of simdjson's own walk, which isn't used
        if (!parser || parser->capacity() < text.size()) {
            const std::size_t room = std::max<std::size_t>(text.size() + text.size() / 4, 4096);
            const auto *simd = simdjson::get_active_implementation().operator->();
            if (room > simdjson::SIMDJSON_MAXSIZE_BYTES
                || simd->create_dom_parser_implementation(room, kDepth, parser) != simdjson::SUCCESS)
                return false;
        }
        return parser->stage1(reinterpret_cast<const std::uint8_t *>(text.data()), text.size(),
                              simdjson::stage1_mode::regular)
            == simdjson::SUCCESS;
    }
};

FastReader::FastReader()
    : m_state(std::make_unique<State>())
{ }

FastReader::~FastReader() = default;

std::size_t FastReader::read(std::string_view text, std::uint64_t offset, DocumentSink &sink)
{
    if (!m_state->findTokens(text))
        return 0;
    TokenWalk walk(text, m_state->parser->structural_indexes.get(), m_state->parser->n_structural_indexes);
    JsonEvent &event = m_state->event;
    while (walk.front() == '{') {
        const std::size_t begin = walk.offset();
        event.clear();
        if (!walk.readEvent(event))
            return begin;
        event.offset = offset + begin;
        sink.event(event);
        if (walk.front() != ',')
            break;
        walk.next();
    }
    return walk.offset();
}

} // namespace tuneline::analysis::json

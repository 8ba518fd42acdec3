// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/jsondocument.h"

#include "analysis/import/jsonfastreader.h"
#include "analysis/import/jsonscan.h"
#include "analysis/import/jsontext.h"

#include <algorithm>
#include <string>

namespace tuneline::analysis::json {
namespace {

std::string preview(std::string_view text, std::size_t at)
{
    std::string words{text.substr(at, kPreviewBytes)};
    for (char &c : words)
        c = static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E ? ' ' : c;
    return words;
}

// "[rank0] saved" in a log is no list.
bool mayBeginList(std::string_view text, std::size_t at)
{
    const std::size_t first = skipSpace(text, at + 1);
    return first >= text.size() || std::string_view("{[]\"/,").find(text[first]) != std::string_view::npos
        || text.substr(first, 4) == "null";
}

class Walker
{
public:
    Walker(std::string_view text, std::uint64_t offset, Place place, bool last, DocumentSink &sink, FastReader *fast)
        : m_text(text)
        , m_offset(offset)
        , m_place(place)
        , m_last(last)
        , m_sink(sink)
        , m_fast(fast)
    { }
    Place run();

private:
    void step();
    void outside();
    void member();
    void memberValue(std::string_view key, std::size_t value);
    void listItem();
    void enterList(std::size_t at);
    bool enterContainer();
    void stepOver();
    void readDamaged();
    void skipDamage(std::string_view why);
    void endEarly();
    void finish();
    [[nodiscard]] bool inEvents() const { return m_place >= Place::EventsInObject; }

    std::string_view m_text;
    std::uint64_t m_offset;
    Place m_place;
    bool m_last;
    DocumentSink &m_sink;
    FastReader *m_fast;
    bool m_tryFast = true; // until it stops inside a list: few times, as each try indexes the rest of the window
    JsonEvent m_event;
    std::string m_scratch;
    std::size_t m_at = 0;
    std::size_t m_nested = 0; // lists inside the event list that are open
    bool m_keyed = false; // the event list is an object whose members are the events
    unsigned m_lists = 0;
    bool m_listEnded = false; // just behind an event list
    bool m_comma = false; // and behind a comma after it
    bool m_cut = false; // the text broke off inside something
};

Place Walker::run()
{
    while (true) {
        m_at = skipSpace(m_text, m_at);
        if (m_at >= m_text.size())
            break;
        step();
    }
    if (m_last)
        finish();
    return m_place;
}

void Walker::step()
{
    if (m_text[m_at] == ',') {
        m_comma = true;
        ++m_at;
    } else if (m_text[m_at] == '/' && skipComment(m_text, m_at) != m_at) {
        m_sink.problem("comment-skipped", Severity::Info, m_offset + m_at, preview(m_text, m_at));
        m_at = skipComment(m_text, m_at);
    } else if (m_place == Place::Outside) {
        outside();
    } else if (m_place == Place::Header) {
        member();
    } else {
        listItem();
    }
}

void Walker::outside()
{
    const char c = m_text[m_at];
    // A later window doesn't know what kind of list it is in; what follows the list tells.
    if (m_listEnded && (c == '"' || c == '}')) {
        m_place = Place::Header;
        return;
    }
    if (c == '[' && m_listEnded && m_comma) { // another list of the same list of lists
        enterList(m_at);
    } else if (c == '[' && mayBeginList(m_text, m_at)) {
        m_sink.documentBegins(m_offset + m_at, true);
        enterList(m_at);
        m_place = Place::EventsInList;
    } else if (c == '{') {
        const bool line = looksLikeEvent(m_text, m_at);
        m_sink.documentBegins(m_offset + m_at, line);
        m_listEnded = false;
        m_place = line ? Place::Lines : Place::Header;
        m_at += line ? 0 : 1;
    } else if (c == ']' || c == '}' || c == '\0' || m_text.substr(m_at, 3) == "\xEF\xBB\xBF") {
        m_at += c == '\xEF' ? 3 : 1; // the end of what was around the document, or padding
    } else {
        m_sink.problem("text-outside-document", Severity::Info, m_offset + m_at, preview(m_text, m_at));
        do
            m_at = std::min(m_text.find_first_of("{[", m_at + 1), m_text.size());
        while (m_at < m_text.size() && m_text[m_at] == '[' && !mayBeginList(m_text, m_at));
    }
}

void Walker::enterList(std::size_t at)
{
    if (m_place == Place::Outside || m_place == Place::Header)
        m_place = Place::EventsInObject;
    constexpr unsigned kFastLists = 16;
    m_tryFast = m_lists++ < kFastLists;
    m_keyed = m_text[at] == '{';
    m_listEnded = false;
    m_at = at + 1;
}

void Walker::member()
{
    const char c = m_text[m_at];
    if (m_listEnded && (c == '{' || c == '[')) {
        m_place = Place::Outside;
        return;
    }
    if (c == '}' || (m_listEnded && c == ']')) {
        m_place = c == '}' ? Place::Outside : m_place;
        ++m_at;
        return;
    }
    const std::size_t keyEnd = c == '"' ? stringEnd(m_text, m_at) : kNowhere;
    const std::size_t colon = keyEnd == kNowhere ? kNowhere : skipSpace(m_text, keyEnd);
    if (colon == kNowhere || colon >= m_text.size() || m_text[colon] != ':') {
        const std::size_t list = m_text.find("\"traceEvents\"", m_at + 1);
        m_cut = list == kNowhere;
        if (!m_cut)
            m_sink.problem("header-skipped", Severity::Warning, m_offset + m_at, preview(m_text, m_at));
        m_at = m_cut ? m_text.size() : list;
        return;
    }
    const std::string_view key = decodeString(m_text.substr(m_at, keyEnd - m_at), m_scratch).text;
    memberValue(key, skipSpace(m_text, colon + 1));
}

void Walker::memberValue(std::string_view key, std::size_t value)
{
    const char c = value < m_text.size() ? m_text[value] : '\0';
    if (key == "traceEvents" && (c == '[' || c == '{')) {
        m_sink.listBegins();
        enterList(value);
        return;
    }
    const std::size_t end = valueEnd(m_text, value);
    m_cut = end == kNowhere || end == value;
    // The trace may be a member of something else: {"result": {"traceEvents": […]}}.
    const std::size_t list =
        c == '{' || m_cut ? eventListIn(m_text.substr(0, m_cut ? kNowhere : end), value) : kNowhere;
    if (c == '{' && list != kNowhere) {
        m_at = value + 1;
        m_cut = false;
        return;
    }
    if (!m_cut)
        m_sink.header(key, m_text.substr(value, end - value));
    else if (list != kNowhere)
        m_sink.problem("header-skipped", Severity::Warning, m_offset + m_at, preview(m_text, m_at));
    m_at = !m_cut ? end : list != kNowhere ? m_text.rfind("\"traceEvents\"", list) : m_text.size();
    m_cut = m_cut && list == kNowhere;
}

// What holds events where one event is expected: a list, a whole document, an entry of an object. False if it is none.
bool Walker::enterContainer()
{
    const char c = m_text[m_at];
    const std::size_t inner = skipSpace(m_text, m_at + 1);
    if (c == '[' && inner < m_text.size() && (m_text[inner] == '[' || m_text[inner] == '{')) {
        if (m_text[inner] == '{' && !looksLikeEvent(m_text, inner))
            return false;
        ++m_nested;
        enterList(m_at);
        return true;
    }
    if (c == '{' && m_place == Place::EventsInList && m_tryFast && !looksLikeEvent(m_text, m_at)) {
        const std::size_t end = valueEnd(m_text, m_at);
        if (eventListIn(m_text.substr(0, end), m_at) == kNowhere)
            return false;
        m_sink.documentBegins(m_offset + m_at, false);
        m_place = Place::Header;
        ++m_at;
        return true;
    }
    const std::size_t keyEnd = c == '"' ? stringEnd(m_text, m_at) : kNowhere;
    const std::size_t colon = keyEnd == kNowhere ? kNowhere : skipSpace(m_text, keyEnd);
    const std::size_t value = colon == kNowhere ? kNowhere : skipSpace(m_text, colon + 1);
    if (value == kNowhere || value >= m_text.size() || m_text[colon] != ':' || m_text[value] != '{')
        return false;
    m_at = value; // {"0": event, "1": event}
    return true;
}

void Walker::listItem()
{
    const char c = m_text[m_at];
    if (c == ']' && m_nested > 0) {
        --m_nested;
        ++m_at;
        return;
    }
    if ((c == ']' || (c == '}' && m_keyed)) && m_place != Place::Lines) {
        m_place = m_place == Place::EventsInObject ? Place::Header : Place::Outside;
        m_listEnded = true;
        m_comma = false;
        ++m_at;
        return;
    }
    if (m_place == Place::Lines && c != '{') {
        skipDamage("text between events");
        return;
    }
    if (m_place != Place::Lines && enterContainer())
        return;
    if (c != '{') {
        stepOver();
        return;
    }
    if (m_fast != nullptr && m_tryFast && m_place != Place::Lines) {
        m_tryFast = false;
        if (const std::size_t read = m_fast->read(m_text.substr(m_at), m_offset + m_at, m_sink); read > 0) {
            m_at += read;
            return;
        }
    }
    std::size_t end = 0;
    if (readEvent(m_text, m_at, Reading::Strict, m_event, end)) {
        m_event.offset = m_offset + m_at;
        m_sink.event(m_event);
        m_at = end;
    } else {
        readDamaged();
    }
}

// A null, a number, a list where an event should be: left out, if it is whole; else damage.
void Walker::stepOver()
{
    const std::size_t end = valueEnd(m_text, m_at);
    const std::size_t after = end == kNowhere || end == m_at ? kNowhere : skipSpace(m_text, end);
    if (after == kNowhere || after >= m_text.size() || (m_text[after] != ',' && m_text[after] != ']')) {
        skipDamage("text between events");
        return;
    }
    m_sink.problem("event-skipped", Severity::DataLoss, m_offset + m_at,
                   "an entry of the event list that is no event: " + preview(m_text, m_at));
    m_at = after;
}

// An event that breaks the grammar: its text ends where the next event begins, so its strings can be mended inside
// that.
void Walker::readDamaged()
{
    std::size_t next = eventBehindDamage(m_text, m_at + 1);
    const std::size_t listEnd = next == kNowhere ? eventListEnd(m_text, m_at + 1) : kNowhere;
    const std::size_t limit = next != kNowhere ? next : listEnd != kNowhere ? listEnd : m_text.size();
    std::size_t end = 0;
    const auto reaches = [&] { // nothing but a comma may be left before the next event
        end = skipSpace(m_text, end);
        end += end < limit && m_text[end] == ',' ? 1U : 0U;
        return limit == m_text.size() || skipSpace(m_text, end) >= limit;
    };
    if (readEvent(m_text.substr(0, limit), m_at, Reading::Lenient, m_event, end) && reaches()) {
        m_event.offset = m_offset + m_at;
        m_sink.event(m_event);
        m_at = end;
        return;
    }
    skipDamage("an event that can't be read");
}

void Walker::skipDamage(std::string_view why)
{
    const std::size_t next = m_text[m_at] == '{' ? eventBehindDamage(m_text, m_at + 1) : eventBehindText(m_text, m_at);
    const std::size_t listEnd = next == kNowhere ? eventListEnd(m_text, m_at + 1) : kNowhere;
    if (next == kNowhere && listEnd == kNowhere && m_last) {
        endEarly();
        return;
    }
    m_sink.problem("event-skipped", Severity::DataLoss, m_offset + m_at,
                   std::string(why) + ": " + preview(m_text, m_at));
    m_at = next != kNowhere ? next : listEnd != kNowhere ? listEnd : m_text.size();
}

void Walker::endEarly()
{
    m_cut = true;
    m_at = m_text.size();
}

void Walker::finish()
{
    if (m_cut || m_place == Place::Header || m_place == Place::EventsInObject)
        m_sink.truncated(m_offset + m_text.size());
    else if (m_place == Place::EventsInList)
        m_sink.problem("list-not-closed", Severity::Info, m_offset + m_text.size(),
                       "the event list has no end; the format allows it");
}

} // namespace

Place walk(std::string_view text, std::uint64_t offset, Place place, bool last, DocumentSink &sink, FastReader *fast)
{
    return Walker(text, offset, place, last, sink, fast).run();
}

} // namespace tuneline::analysis::json

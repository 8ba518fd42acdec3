// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/jsonfastreader.h"

#include "analysis/import/jsondocument.h"
#include "analysis/import/jsonscan.h"

#include <cstring>
#include <simdjson.h>
#include <vector>

namespace tuneline::analysis::json {
namespace {

namespace ondemand = simdjson::ondemand;

std::string_view trimmed(std::string_view token)
{
    while (!token.empty()
           && (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' || token.back() == '\t'))
        token.remove_suffix(1);
    return token;
}

// The value's text. Leaves a scalar unread: the iteration over its object steps over it.
bool tokenOf(ondemand::value value, std::string_view &token)
{
    token = value.raw_json_token();
    if (token.empty())
        return false;
    if (token.front() == '{') {
        ondemand::object object;
        return value.get_object().get(object) == simdjson::SUCCESS && object.raw_json().get(token) == simdjson::SUCCESS;
    }
    if (token.front() == '[') {
        ondemand::array array;
        return value.get_array().get(array) == simdjson::SUCCESS && array.raw_json().get(token) == simdjson::SUCCESS;
    }
    token = trimmed(token);
    return true;
}

// Keys are compared as they stand in the file: none that means anything has an escape in it.
bool keyOf(simdjson::simdjson_result<ondemand::field> &field, std::string_view &key)
{
    ondemand::raw_json_string raw;
    if (field.key().get(raw) != simdjson::SUCCESS)
        return false;
    const char *from = raw.raw();
    std::size_t length = 0; // keys are short: a call of memchr costs more; the text ends with padding, not in a key
    while (from[length] != '"' && length < 4096)
        ++length;
    key = std::string_view(from, length);
    return length < 4096;
}

bool readArgs(ondemand::value value, JsonEvent &event)
{
    ondemand::object args;
    if (value.get_object().get(args) != simdjson::SUCCESS)
        return false;
    for (auto field : args) {
        std::string_view key, token;
        ondemand::value member;
        if (field.error() != simdjson::SUCCESS || !keyOf(field, key))
            return false;
        const Arg arg = JsonEvent::argOf(key);
        if (arg == Arg::Count)
            continue;
        if (field.value().get(member) != simdjson::SUCCESS || !tokenOf(member, token))
            return false;
        event.setArg(arg, token);
    }
    return true;
}

bool readFields(ondemand::object object, JsonEvent &event, const char *&args)
{
    for (auto field : object) {
        std::string_view key, token;
        ondemand::value value;
        if (field.error() != simdjson::SUCCESS || !keyOf(field, key) || field.value().get(value) != simdjson::SUCCESS)
            return false;
        if (const Field known = JsonEvent::fieldOf(key); known != Field::Count) {
            if (!tokenOf(value, token))
                return false;
            event.setField(known, token);
        } else if (key == "args") {
            token = value.raw_json_token();
            if (token.empty() || token.front() != '{')
                continue;
            args = token.data();
            if (!readArgs(value, event))
                return false;
        }
    }
    return true;
}

} // namespace

struct FastReader::State
{
    ondemand::parser parser;
    std::vector<char> buffer; // '[' window ']' and the bytes that simdjson may touch behind
    JsonEvent event;
};

FastReader::FastReader()
    : m_state(std::make_unique<State>())
{ }

FastReader::~FastReader() = default;

std::size_t FastReader::read(std::string_view text, std::uint64_t offset, DocumentSink &sink)
{
    const std::string_view whole = text;
    while (!text.empty() && (text.back() == ',' || text.back() == '\n' || text.back() == ' ' || text.back() == '\r'))
        text.remove_suffix(1);
    std::vector<char> &buffer = m_state->buffer;
    if (buffer.size() < text.size() + 2 + simdjson::SIMDJSON_PADDING)
        buffer.resize(text.size() + 2 + simdjson::SIMDJSON_PADDING + text.size() / 4);
    buffer[0] = '[';
    std::memcpy(buffer.data() + 1, text.data(), text.size());
    buffer[text.size() + 1] = ']';
    const char *base = buffer.data() + 1;
    ondemand::document document;
    ondemand::array list;
    if (m_state->parser.iterate(buffer.data(), text.size() + 2, buffer.size()).get(document) != simdjson::SUCCESS
        || document.get_array().get(list) != simdjson::SUCCESS)
        return 0;
    JsonEvent &event = m_state->event;
    std::size_t done = 0; // where the present event begins
    bool taken = false; // the sink has it
    const auto stopped = [&] {
        const std::size_t end = taken ? valueEnd(text, done) : done;
        return end == kNowhere ? done + 1 : end; // never the same event twice
    };
    for (auto element : list) {
        ondemand::object object;
        const char *at = nullptr;
        const char *args = nullptr;
        if (element.error() != simdjson::SUCCESS || element.current_location().get(at) != simdjson::SUCCESS)
            return stopped();
        done = static_cast<std::size_t>(at - base);
        taken = false;
        event.clear();
        if (element.get_object().get(object) != simdjson::SUCCESS || !readFields(object, event, args))
            return stopped();
        if (args != nullptr && (event.field(Field::Ph) == "\"C\"" || event.field(Field::Cat) == "\"tuneline_mark\"")) {
            const std::string_view rest = text.substr(static_cast<std::size_t>(args - base));
            event.argsText = rest.substr(0, valueEnd(rest, 0));
        }
        event.offset = offset + done;
        sink.event(event);
        taken = true;
    }
    // The list ended: at our bracket, with nothing behind it, or at one of the file's own, in front of the next token.
    const char *next = nullptr;
    if (document.current_location().get(next) != simdjson::SUCCESS || next > base + text.size())
        return whole.size();
    while (next > base && *(next - 1) != ']')
        --next;
    return static_cast<std::size_t>(next - 1 - base);
}

} // namespace tuneline::analysis::json

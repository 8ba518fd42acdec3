// SPDX-License-Identifier: GPL-3.0-or-later
// Reads runs of well-formed events: simdjson finds the tokens, whole windows at a time, and this walks over them. Stops
// in front of the first thing that isn't an event; the tolerant reader goes on from there. One per thread: it keeps its
// buffers, as fresh pages cost as much as parsing.
#pragma once

#include "analysis/import/jsonevent.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace tuneline::analysis::json {

class DocumentSink;

class FastReader
{
public:
    FastReader();
    ~FastReader();
    FastReader(const FastReader &) = delete;
    FastReader &operator=(const FastReader &) = delete;

    // `text` begins with an event and stands at `offset` in the file; it is read where it lies. Returns how many bytes
    // were read: all, or up to the "]" that ends the list, or up to an event that breaks the grammar.
    std::size_t read(std::string_view text, std::uint64_t offset, DocumentSink &sink);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace tuneline::analysis::json

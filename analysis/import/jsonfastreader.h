// SPDX-License-Identifier: GPL-3.0-or-later
// Reads runs of well-formed events with simdjson. Stops in front of the first thing that isn't one; the tolerant reader
// goes on from there. One per thread: it keeps its buffers, as fresh pages cost as much as parsing.
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

    // `text` begins with an event and stands at `offset` in the file. Returns how many bytes were read: all, or up to
    // the
    // "]" that ends the list, or up to an event that simdjson rejects.
    std::size_t read(std::string_view text, std::uint64_t offset, DocumentSink &sink);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace tuneline::analysis::json

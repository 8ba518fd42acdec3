// SPDX-License-Identifier: GPL-3.0-or-later
// Walks the documents of a JSON trace, or one window of it: header keys, event list, what follows, a second document.
#pragma once

#include "analysis/import/jsonevent.h"
#include "analysis/trace/importreport.h"

#include <string_view>

namespace tuneline::analysis::json {

class FastReader;

// Gets what a walker finds, in file order.
class DocumentSink
{
public:
    DocumentSink() = default;
    DocumentSink(const DocumentSink &) = delete;
    DocumentSink &operator=(const DocumentSink &) = delete;
    virtual ~DocumentSink() = default;
    virtual void documentBegins(std::uint64_t offset, bool bareList) = 0;
    virtual void listBegins() = 0; // the document has an event list, if perhaps an empty one
    virtual void header(std::string_view key, std::string_view value) = 0;
    virtual void event(const JsonEvent &event) = 0;
    virtual void problem(std::string_view name, Severity severity, std::uint64_t offset, std::string_view text) = 0;
    virtual void truncated(std::uint64_t offset) = 0;
};

enum class Place : std::uint8_t {
    Outside, // between documents
    Header, // in the top object
    EventsInObject,
    EventsInList, // a bare list is the document
    Lines, // events one after another without a list
};

// Reads `text`, which stands at `offset` in the file and begins in `place`; returns the place at its end. Text that is
// not the file's last must end with a whole event. One thread per walk; walks of several windows may run side by side.
// `fast` reads what is well-formed; nullptr: the tolerant reader reads all.
Place walk(std::string_view text, std::uint64_t offset, Place place, bool last, DocumentSink &sink, FastReader *fast);

inline constexpr std::size_t kPreviewBytes = 120; // of a damaged event, quoted in the report

} // namespace tuneline::analysis::json

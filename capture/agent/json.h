// SPDX-License-Identifier: MIT
// Writes the JSON of Metadata frames. Our own few lines, and no library, because the agent may bring none into a
// stranger's process (DESIGN section 3). Output only; texts that aren't UTF-8 are repaired with U+FFFD.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tuneline::agent {

class JsonWriter
{
public:
    JsonWriter() { beginObject(); }

    // Inside an object give a key; inside an array leave it empty.
    void text(std::string_view key, std::string_view value);
    void number(std::string_view key, std::int64_t value);
    void real(std::string_view key, double value); // not a number: null
    void boolean(std::string_view key, bool value);
    // JSON that is right already.
    void raw(std::string_view key, std::string_view json);
    void beginObject(std::string_view key = {});
    void endObject();
    void beginArray(std::string_view key);
    void endArray();

    // Closes the outermost object.
    [[nodiscard]] std::string take();

private:
    void prefix(std::string_view key);
    void quoted(std::string_view value);

    std::string m_out;
    bool m_first = true;
};

} // namespace tuneline::agent

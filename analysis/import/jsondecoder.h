// SPDX-License-Identifier: GPL-3.0-or-later
// Gives JSON events their meaning: phase, category, row, details. Category decides host or device, nothing else does.
// One per reader thread.
#pragma once

#include "analysis/import/jsonbatch.h"
#include "analysis/import/jsonevent.h"

#include <string>

namespace tuneline::analysis::json {

class Decoder
{
public:
    explicit Decoder(ThreadTables &tables)
        : m_tables(tables)
    { }
    void decode(const JsonEvent &event, Batch &batch);

private:
    struct Category
    {
        EventKind kind = EventKind::Slice;
        bool device = false;
        bool kineto = false;
    };
    void decodePhase(const JsonEvent &event, std::string_view phase, Batch &batch);
    [[nodiscard]] static Category categoryOf(const JsonEvent &event);
    void complete(const JsonEvent &event, Batch &batch);
    void instant(const JsonEvent &event, Batch &batch);
    void mark(const JsonEvent &event, Batch &batch);
    void memoryPoint(const JsonEvent &event, Batch &batch);
    void half(const JsonEvent &event, Batch &batch, bool async, bool begin);
    void asyncStep(const JsonEvent &event, Batch &batch);
    void counter(const JsonEvent &event, Batch &batch);
    void counterValues(const JsonEvent &event, CounterPoint point, Batch &batch);
    void label(const JsonEvent &event, Batch &batch);
    void flow(const JsonEvent &event, Batch &batch, bool begin);
    void addDetail(const JsonEvent &event, Batch &batch, RawEvent &raw);
    void addKernel(const JsonEvent &event, Batch &batch, RawEvent &raw);
    void addCopy(const JsonEvent &event, Batch &batch, RawEvent &raw);
    void addOp(const JsonEvent &event, RawEvent &raw);
    void addCollective(const JsonEvent &event, Batch &batch, RawEvent &raw);
    [[nodiscard]] LaneId rowOf(const JsonEvent &event, RowKind kind, bool device);
    [[nodiscard]] StringId text(const JsonEvent &event, std::string_view token, Batch &batch);
    [[nodiscard]] StringId nameOf(const JsonEvent &event, Batch &batch); // "(no name)" where it has none
    static void untimed(const JsonEvent &event, std::string_view what, Batch &batch); // reports it
    [[nodiscard]] LaneId asyncRow(const JsonEvent &event);
    [[nodiscard]] StringId raw(std::string_view token) { return m_tables.intern(token); }
    [[nodiscard]] bool time(const JsonEvent &event, std::int64_t &ns) const;
    void checkNumbers(const JsonEvent &event, Batch &batch) const;

    ThreadTables &m_tables;
    TokenCache m_plain; // texts that stand in the file as they are meant: no escapes, nothing to report
    std::string m_scratch;
};

} // namespace tuneline::analysis::json

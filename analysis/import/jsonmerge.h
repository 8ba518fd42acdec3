// SPDX-License-Identifier: GPL-3.0-or-later
// Joins the batches of all windows, in file order, into the trace that is being built: common string and lane ids,
// begin/end pairs, header keys, one source for each document.
#pragma once

#include "analysis/import/jsonbatch.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tuneline::analysis::json {

class Merger
{
public:
    Merger(TraceBuilder &builder, std::filesystem::path file);
    // What all batches together hold, before the first one: tables that grow step by step are copied again and again.
    struct Sizes
    {
        std::size_t kernels = 0, copies = 0, ops = 0, collectives = 0;
    };
    void expect(const Sizes &sizes);
    // Batches in file order, each with the tables of the thread that read it. The batch is empty afterwards.
    void add(Batch &&batch, const ThreadTables &tables);
    // After the last one. False if the file had no event at all and no list for them.
    bool finish();

private:
    struct Remap
    {
        std::vector<StringId> strings;
        std::vector<LaneId> lanes; // of the current source
    };
    struct LaneUse
    {
        StringId pid, tid;
        LaneId lane;
        RowKind kind;
    };
    void beginDocument(const Batch &batch);
    void endDocument();
    Remap &remapFor(const ThreadTables &tables);
    LaneId laneFor(const Row &row, Remap &remap);
    LaneId laneForFlow(const RawFlow &flow, const Row &row, const Remap &remap) const;
    void learnDevices(const ThreadTables &tables, const Remap &remap);
    // Where a batch's details begin in the trace's tables.
    struct Tables
    {
        std::uint32_t kernels, copies, ops, collectives;
    };
    [[nodiscard]] Tables takeDetails(Batch &batch, const Remap &remap);
    void settle(RawEvent &event, const Tables &first, const ThreadTables &tables, Remap &remap);
    void takeEvents(Batch &batch, const ThreadTables &tables, Remap &remap);
    void takeTracks(const Batch &batch, const Remap &remap);
    void takeFlows(const Batch &batch, const ThreadTables &tables, const Remap &remap);
    void addPair(const HalfEvent &begin, const HalfEvent *end);
    void matchTrack(std::vector<HalfEvent>::const_iterator from, std::vector<HalfEvent>::const_iterator to);
    void matchHalves();
    void bindFlows();
    void applyLabels();
    void applyHeaders();

    TraceBuilder &m_builder;
    std::filesystem::path m_file;
    SourceId m_source;
    std::size_t m_documents = 0;
    std::size_t m_events = 0;
    bool m_kineto = false;
    std::map<const ThreadTables *, Remap> m_remaps;
    std::map<std::pair<StringId, StringId>, std::pair<std::int64_t, std::int64_t>>
        m_devices; // (pid, tid) → device, stream
    std::vector<LaneUse> m_lanes; // of the current source
    std::vector<HalfEvent> m_halves; // their id: of the thread or the async slice
    std::map<StringId, StringId> m_counterOwner; // counter → the first process that has it
    bool m_hasList = false;
    std::vector<std::pair<RawFlow, Row>> m_flows; // the row with the trace's string ids
    std::vector<RowLabel> m_labels;
    std::vector<std::pair<std::string, std::string>> m_headers;
};

} // namespace tuneline::analysis::json

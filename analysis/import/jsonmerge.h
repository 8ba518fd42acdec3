// SPDX-License-Identifier: GPL-3.0-or-later
// Joins the batches of all windows, in file order, into the trace that is being built: common string and lane ids,
// begin/end pairs, header keys, one source for each document.
#pragma once

#include "analysis/import/jsonbatch.h"

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tuneline::analysis::json {

class Merger
{
public:
    // A batch and the tables of the thread that read it.
    struct Item
    {
        Batch *batch;
        std::shared_ptr<ThreadTables> tables;
    };

    Merger(TraceBuilder &builder, std::filesystem::path file);
    // All batches in file order; they are used up. False if the file had no event at all and no list for them.
    bool run(const std::vector<Item> &items);

private:
    struct FlowEnds
    {
        LaneId host, device;
    };
    // From a thread's ids to the trace's.
    struct Remap
    {
        std::vector<StringId> strings;
        std::vector<LaneId> lanes; // of the current source
        std::vector<FlowEnds> flowEnds; // likewise
    };
    // What is added to a thread's index of a detail to get the trace's; wraps round.
    struct Shift
    {
        std::uint32_t kernels, copies, ops, collectives;
    };
    // A batch whose ids are still its thread's.
    struct Unsettled
    {
        const Batch *batch;
        ThreadTables *tables;
        Remap *remap;
        Shift shift;
    };
    struct LaneUse
    {
        StringId pid, tid;
        LaneId lane;
        RowKind kind;
    };
    void learnStrings(const std::vector<Item> &items);
    void learnDevices(const std::vector<Item> &items);
    void learnDevice(const Row &row, const Remap &remap);
    void beginDocument(std::span<const Item> rest); // it begins with the document's first
    void endDocument();
    void add(Batch &batch, ThreadTables &tables);
    [[nodiscard]] Shift makePlace(const Batch &batch);
    // In jsonowners.cpp: a document that our export wrote from several sources gives them back.
    void learnOwners(std::span<const Item> document);
    [[nodiscard]] SourceId sourceOf(StringId pid) const;
    void addEvents(std::span<RawEvent> events, const Remap &remap); // settled lanes
    LaneId laneFor(const Row &row, Remap &remap);
    void takeHalves(const Batch &batch, const ThreadTables &tables, Remap &remap, const Shift &shift);
    void takeCounters(const Batch &batch, const Remap &remap);
    void takeMemory(const Batch &batch, ThreadTables &tables, const Remap &remap);
    void takeMarksAndLabels(const Batch &batch, const Remap &remap);
    // In jsonsettle.cpp.
    void settleAll();
    void findFlowEnds();
    static void settle(const Unsettled &part);
    static void settle(RawEvent &event, const Remap &remap, const Shift &shift);
    [[nodiscard]] std::uint64_t countLostFlows(RawFlow::Type type) const;
    void placeDetails(const std::vector<Item> &items);
    // In jsonpairs.cpp.
    void addPair(const HalfEvent &begin, const HalfEvent *end);
    void matchTrack(std::vector<HalfEvent>::const_iterator from, std::vector<HalfEvent>::const_iterator to);
    void matchHalves();

    void applyLabels();
    [[nodiscard]] std::string processLabel(const LaneUse &use, std::string process, std::string gpu) const;
    void applyHeaders();

    TraceBuilder &m_builder;
    std::filesystem::path m_file;
    SourceId m_source;
    struct Owner
    {
        SourceId source;
        std::string pid; // before the export numbered it
    };
    std::map<StringId, Owner> m_owners; // by pid in the file; mostly empty
    std::vector<SourceId> m_sources; // of the current document
    std::size_t m_documents = 0;
    std::size_t m_events = 0;
    bool m_kineto = false;
    Shift m_filled{}; // rows of the trace's tables that are taken
    std::map<const ThreadTables *, Remap> m_remaps;
    std::map<std::pair<StringId, StringId>, std::pair<std::int64_t, std::int64_t>>
        m_devices; // (pid, tid) → device, stream
    std::vector<LaneUse> m_lanes; // of the current source
    std::vector<Unsettled> m_unsettled; // likewise
    std::vector<HalfEvent> m_halves; // their id: of the thread or the async slice
    std::map<std::pair<SourceId, StringId>, StringId> m_counterOwner; // counter → the first process that has it
    bool m_hasList = false;
    std::vector<RowLabel> m_labels;
    std::vector<std::pair<std::string, std::string>> m_headers;
};

} // namespace tuneline::analysis::json

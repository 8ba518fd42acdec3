// SPDX-License-Identifier: GPL-3.0-or-later
// What stands before the events of an exported Chrome file, and how its rows are called. jsonheader.h reads it back.
#pragma once

#include "analysis/trace/trace.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tuneline::analysis {

// Values of "pid" and "tid" as JSON. Alone, a source keeps its own. Of several (ranks, perhaps of several machines) the
// same pid may stand for different processes: then processes are numbered from 1, over all sources, and the header says
// whose they were.
class ChromeRows
{
public:
    explicit ChromeRows(const Trace &trace);

    [[nodiscard]] const std::string &pid(LaneId lane) const { return m_pids[lane.value]; }
    [[nodiscard]] const std::string &tid(LaneId lane) const { return m_tids[lane.value]; }
    // The row of what belongs to the source as a whole: counters, memory, marks.
    [[nodiscard]] const std::string &pid(SourceId source) const { return m_sourcePids[source.value]; }
    // Whether the lane's process has threads or other rows that are no streams.
    [[nodiscard]] bool hasThreads(LaneId lane) const { return m_withThreads.contains(m_pids[lane.value]); }
    // The process's label; of several sources it begins with whose it is.
    [[nodiscard]] std::string process(const Trace &trace, const Lane &lane) const;
    // By source: number in the file → pid before. Empty for a single source.
    [[nodiscard]] const std::vector<std::map<std::string, std::string>> &numbered() const { return m_numbered; }

private:
    std::string number(SourceId source, StringId pid, const Trace &trace);

    std::vector<std::string> m_pids, m_tids, m_sourcePids;
    std::set<std::string> m_withThreads;
    std::map<std::pair<SourceId, StringId>, std::string> m_numbers;
    std::vector<std::map<std::string, std::string>> m_numbered;
};

// All members of the file's object but the last, the list of events.
[[nodiscard]] nlohmann::json chromeHeader(const Trace &trace, const ChromeRows &rows);

} // namespace tuneline::analysis

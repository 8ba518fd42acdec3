// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/htmltables.h"

#include "analysis/findings/words.h"
#include "analysis/report/htmlpage.h"

#include <algorithm>

namespace tuneline::analysis {
namespace {

constexpr std::size_t kMaxRows = 40;
using Rows = std::vector<std::vector<std::string>>;

std::string time(std::int64_t ns)
{
    return timeText(static_cast<double>(ns));
}

std::string ratio(const std::optional<double> &value)
{
    return value ? percentText(*value) : "n/a";
}

std::string whole(std::int64_t value)
{
    return numberText(static_cast<double>(value));
}

std::string more(std::size_t all)
{
    return all <= kMaxRows ? std::string()
                           : "<p class=\"muted\">and " + std::to_string(all - kMaxRows) + " more of less time</p>\n";
}

std::vector<NameRow> largest(std::vector<NameRow> rows, std::int64_t NameRow::*by)
{
    std::stable_sort(rows.begin(), rows.end(), [&](const NameRow &a, const NameRow &b) { return a.*by > b.*by; });
    rows.resize(std::min(rows.size(), kMaxRows));
    return rows;
}

} // namespace

std::string htmlKernels(const Analysis &a)
{
    std::int64_t sum = 0;
    for (const NameRow &row : a.tables.kernels)
        sum += row.totalNs;
    Rows rows;
    for (const NameRow &row : largest(a.tables.kernels, &NameRow::totalNs))
        rows.push_back({htmlText(a.trace->strings.view(row.name)), whole(static_cast<std::int64_t>(row.calls)),
                        time(row.totalNs), row.meanNs() ? time(*row.meanNs()) : "n/a",
                        sum > 0 ? percentText(static_cast<double>(row.totalNs) / static_cast<double>(sum)) : "n/a"});
    return htmlTable({{"kernel"}, {"calls", true}, {"total", true}, {"mean", true}, {"of kernel time", true}}, rows)
        + more(a.tables.kernels.size());
}

std::string htmlOperators(const Analysis &a)
{
    const bool device = a.device() != nullptr;
    Rows rows;
    for (const NameRow &row : largest(a.tables.ops, device ? &NameRow::deviceSelfNs : &NameRow::selfNs))
        rows.push_back({htmlText(a.trace->strings.view(row.name)), whole(static_cast<std::int64_t>(row.calls)),
                        time(row.selfNs), time(row.totalNs), device ? time(row.deviceSelfNs) : "n/a",
                        device ? time(row.deviceTotalNs) : "n/a"});
    return htmlTable({{"operator"},
                      {"calls", true},
                      {"host self", true},
                      {"host total", true},
                      {"device self", true},
                      {"device total", true}},
                     rows)
        + more(a.tables.ops.size());
}

std::string htmlDevices(const Analysis &a)
{
    Rows rows;
    for (const DeviceMetrics &d : a.devices)
        rows.push_back({std::to_string(d.device) + (d.name.empty() ? "" : ", " + htmlText(d.name)),
                        d.rank ? std::to_string(*d.rank) : "–", d.reliable ? ratio(d.util) : "not measurable",
                        time(d.computeNs), time(d.exposedCopyNs), time(d.exposedCommNs), time(d.idleNs),
                        ratio(d.tensorCoreShare), ratio(d.saturation)});
    return htmlTable({{"device"},
                      {"rank", true},
                      {"busy", true},
                      {"compute", true},
                      {"exposed copies", true},
                      {"exposed communication", true},
                      {"idle", true},
                      {"on tensor cores", true},
                      {"saturation", true}},
                     rows);
}

std::string htmlMemory(const Analysis &a)
{
    Rows rows;
    for (const MemoryCurve &m : a.memory)
        rows.push_back({m.device < 0 ? "CPU" : "GPU " + std::to_string(m.device),
                        bytesText(static_cast<double>(m.startBytes)), bytesText(static_cast<double>(m.peakBytes)),
                        bytesText(static_cast<double>(m.endBytes)), time(m.peakTime)});
    return htmlTable({{"memory of"}, {"at the start", true}, {"peak", true}, {"at the end", true}, {"peak at", true}},
                     rows);
}

std::string htmlRanks(const Analysis &a)
{
    if (a.ranks.ranks.size() < 2)
        return {};
    Rows rows;
    for (const RankFigures &r : a.ranks.ranks) {
        const bool straggler = r.rank && a.ranks.straggler == r.rank;
        rows.push_back({htmlText(a.trace->sources[r.source.value].label) + (straggler ? " (arrives last)" : ""),
                        time(r.commWaitNs), time(r.commTransferNs), time(r.lateNs)});
    }
    return htmlTable({{"rank"}, {"waits for others", true}, {"transfers", true}, {"others wait for it", true}}, rows);
}

std::string htmlChecked(const Advice &advice)
{
    Rows rows;
    for (const CheckedRule &c : advice.checked) {
        if (c.result != CheckResult::NotApplicable)
            rows.push_back(
                {htmlText(c.rule), c.result == CheckResult::Fine ? "fine" : "not measurable", htmlText(c.why)});
    }
    return htmlTable({{"rule"}, {"result"}, {"why"}}, rows);
}

std::string htmlProblems(const ImportReport &report)
{
    constexpr const char *kSeverity[] = {"note", "repaired or doubtful", "lost"};
    Rows rows;
    for (const Problem &p : report.problems()) {
        std::string example;
        if (!p.examples.empty()) {
            const ProblemExample &e = p.examples.front();
            example = htmlText(e.text.substr(0, 300));
            if (e.line >= 0)
                example = "line " + std::to_string(e.line) + ": " + example;
            else if (e.offset >= 0)
                example = "byte " + std::to_string(e.offset) + ": " + example;
        }
        rows.push_back({htmlText(p.name), kSeverity[static_cast<std::size_t>(p.severity)],
                        whole(static_cast<std::int64_t>(p.count)), example});
    }
    return htmlTable({{"what"}, {"so it was"}, {"count", true}, {"for example"}}, rows);
}

std::string htmlEvidence(const Trace &trace, const Finding &finding)
{
    constexpr std::size_t kShown = 8;
    Rows rows;
    for (const Evidence &e : finding.evidence) {
        if (rows.size() == kShown)
            break;
        const std::string lane =
            e.lane.valid() ? std::string(trace.strings.view(trace.lanes[e.lane.value].thread)) : std::string();
        rows.push_back({time(e.start), time(e.duration), htmlText(lane), htmlText(e.what)});
    }
    if (rows.empty())
        return {};
    return "<details><summary>Evidence: " + std::to_string(finding.evidence.size()) + " places</summary>"
        + htmlTable({{"at", true}, {"lasts", true}, {"where"}, {"what"}}, rows) + "</details>\n";
}

} // namespace tuneline::analysis

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/inspect.h"
#include "analysis/report/machine.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <map>

namespace tuneline::analysis {

namespace {

constexpr std::size_t kTopRows = 8;
constexpr std::size_t kNameWidth = 56;

template <typename... Args> std::string print(const char *format, Args... args)
{
    std::array<char, 512> buffer{};
    const int n = std::snprintf(buffer.data(), buffer.size(), format, args...);
    return {buffer.data(), static_cast<std::size_t>(std::clamp(n, 0, static_cast<int>(buffer.size()) - 1))};
}

std::string duration(std::int64_t ns)
{
    const auto x = static_cast<double>(ns);
    if (std::abs(x) >= 1e9)
        return print("%.3f s", x / 1e9);
    if (std::abs(x) >= 1e6)
        return print("%.2f ms", x / 1e6);
    if (std::abs(x) >= 1e3)
        return print("%.1f us", x / 1e3);
    return print("%.0f ns", x);
}

std::string percent(double ratio)
{
    return print("%.1f %%", 100 * ratio);
}

double share(std::int64_t part, std::int64_t whole)
{
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string bytes(std::int64_t n)
{
    const auto x = static_cast<double>(n);
    if (n >= 1 << 30)
        return print("%.2f GiB", x / (1 << 30));
    if (n >= 1 << 20)
        return print("%.1f MiB", x / (1 << 20));
    return print("%.1f KiB", x / 1024);
}

std::string shortened(std::string_view name)
{
    if (name.empty())
        return "(no name)";
    if (name.size() <= kNameWidth)
        return std::string(name);
    std::size_t cut = kNameWidth - 1;
    while (cut > 0 && (static_cast<unsigned char>(name[cut]) & 0xC0U) == 0x80U)
        --cut; // not inside a UTF-8 character
    return std::string(name.substr(0, cut)) + "…";
}

class Writer
{
public:
    explicit Writer(const Analysis &a)
        : m_a(a)
        , m_trace(*a.trace)
    { }

    std::string write()
    {
        sources();
        problems();
        steps();
        for (const DeviceMetrics &d : m_a.devices)
            device(d);
        hostFigures();
        memory();
        ranks();
        table("Operators, by own time", m_a.tables.ops, &NameRow::selfNs);
        table("Kernels", m_a.tables.kernels, &NameRow::totalNs);
        table("API calls", m_a.tables.api, &NameRow::totalNs);
        table("Ranges", m_a.tables.ranges, &NameRow::totalNs);
        table("Python functions, by own time", m_a.tables.python, &NameRow::selfNs);
        return std::move(m_out);
    }

private:
    void line(const std::string &text) { m_out += text + '\n'; }

    void sources()
    {
        for (const Source &s : m_trace.sources)
            line(s.file + (s.rank ? print(" (rank %d)", *s.rank) : std::string()) + (s.truncated ? ", cut off" : ""));
        std::string what = "  " + duration(m_trace.spanEnd - m_trace.spanBegin) + ", "
            + std::to_string(m_trace.events.size()) + " events on " + std::to_string(m_trace.lanes.size()) + " lanes";
        if (m_trace.baseUnixNs) {
            const std::time_t seconds = *m_trace.baseUnixNs / 1'000'000'000;
            std::array<char, 32> date{};
            std::tm utc{};
            gmtime_r(&seconds, &utc);
            std::strftime(date.data(), date.size(), "%Y-%m-%d %H:%M:%S UTC", &utc);
            what += std::string(", recorded ") + date.data();
        }
        line(what);
        for (const std::string &text : machineLines(m_trace))
            line("  " + text);
    }

    void problems()
    {
        static constexpr std::array kSeverity{"note", "warning", "data lost"};
        for (const Problem &p : m_trace.report.problems()) {
            std::string text = print("  %s: ", kSeverity[static_cast<std::size_t>(p.severity)]) + p.name
                + print(" × %llu", static_cast<unsigned long long>(p.count));
            if (!p.examples.empty()) {
                const ProblemExample &e = p.examples.front();
                text += " — " + e.text;
                if (e.line >= 0)
                    text += print(" (line %lld)", static_cast<long long>(e.line));
                else if (e.offset >= 0)
                    text += print(" (byte %lld)", static_cast<long long>(e.offset));
            }
            line(text);
        }
    }

    void steps()
    {
        const StepSet &set = m_a.stepSet();
        line("");
        if (set.empty()) {
            line(set.why);
            return;
        }
        line(print("Steps: %zu, %zu of them steady, median ", set.list.size(), set.steadyCount())
             + (set.medianNs ? duration(*set.medianNs) : std::string("unknown")) + ", bound by " + toString(set.bound)
             + (set.microPerStep > 1 ? print(", %u micro-batches each", set.microPerStep) : std::string()));
        line("  " + set.why
             + (set.hostRunsAhead ? " The host runs ahead: steps are measured on the device."
                                  : " Steps are measured on the host."));
        leftOut(set);
        for (const RecurringStall &r : set.recurring)
            line("  recurring " + r.what + ": " + duration(r.nsPerStep) + " per step on average, beside the median");
        breakdown(m_a.breakdown, set.medianNs.value_or(0));
    }

    // Each by itself while they are few.
    void leftOut(const StepSet &set)
    {
        constexpr std::size_t kFew = 6;
        const std::size_t count = set.list.size() - set.steadyCount();
        std::map<std::string, std::size_t> byReason;
        for (std::size_t i = 0; i < set.list.size(); ++i) {
            const Step &s = set.list[i];
            if (s.steady())
                continue;
            ++byReason[flags(s)];
            if (count <= kFew)
                line(print("  step %zu left out of the median (", i) + flags(s) + "): " + duration(s.timeNs()));
        }
        for (const auto &[reason, steps] : byReason) {
            if (count > kFew)
                line(print("  %zu steps left out of the median (", steps) + reason + ")");
        }
    }

    static std::string flags(const Step &s)
    {
        std::string text;
        const std::pair<std::uint8_t, const char *> names[]{{StepFlag::kWarmUp, "warm-up"},
                                                            {StepFlag::kPartial, "partial"},
                                                            {StepFlag::kOutlier, "outlier"},
                                                            {StepFlag::kStalled, "stall that comes back"}};
        for (const auto &[flag, name] : names) {
            if (s.has(flag))
                text += (text.empty() ? "" : ", ") + std::string(name);
        }
        return text;
    }

    void part(const char *name, std::int64_t ns, std::int64_t whole)
    {
        if (ns > 0)
            line(print("    %-28s %12s %8s", name, duration(ns).c_str(), percent(share(ns, whole)).c_str()));
    }

    void breakdown(const StepBreakdown &b, std::int64_t whole)
    {
        line(m_a.device() ? "  Where a step's time goes:" : "  What the training thread does in a step:");
        part("compute", b.computeNs, whole);
        part("exposed copies", b.exposedCopyNs, whole);
        part("exposed communication", b.exposedCommNs, whole);
        for (std::size_t c = 0; c < kIdleCauses; ++c)
            part((std::string(m_a.device() ? "idle: " : "") + causeName(static_cast<IdleCause>(c))).c_str(),
                 b.idle.ns[c], whole);
    }

    void device(const DeviceMetrics &d)
    {
        line("");
        line(print("Device %d", d.device) + (d.rank ? print(" of rank %d", *d.rank) : std::string())
             + (d.name.empty() ? std::string() : ", " + d.name));
        const std::int64_t window = d.window.length();
        line("  busy " + duration(d.busyNs) + " of " + duration(window) + " ("
             + (d.util ? percent(*d.util) : std::string("n/a")) + "), idle " + duration(d.idleNs));
        line("  compute " + duration(d.computeNs) + ", copies " + duration(d.copyNs) + " (exposed "
             + duration(d.exposedCopyNs) + "), communication " + duration(d.commNs) + " (exposed "
             + duration(d.exposedCommNs) + ")");
        const auto ratio = [](const std::optional<double> &r) { return r ? percent(*r) : std::string("n/a"); };
        line("  tensor cores " + ratio(d.tensorCoreShare) + " of kernel time, occupancy " + ratio(d.occupancy)
             + ", saturation " + ratio(d.saturation) + print(", queue %.1f (at most %u)", d.meanQueue, d.maxQueue));
        if (!d.reliable)
            line("  Take its idle time with care: " + d.unreliableWhy);
    }

    void hostFigures()
    {
        if (m_a.devices.empty()) {
            line("");
            line("No device activity was captured.");
        }
        const LinkCounts &c = m_a.links.counts;
        if (c.linked + c.unlinked + c.orphans > 0)
            line(print("Links: %llu linked, %llu without a known launch, %llu launched before the window",
                       static_cast<unsigned long long>(c.linked), static_cast<unsigned long long>(c.unlinked),
                       static_cast<unsigned long long>(c.orphans)));
        if (m_a.syncs.callsPerStep > 0)
            line(print("Blocking calls: %.1f %s, ", m_a.syncs.callsPerStep, m_a.steps.empty() ? "in all" : "per step")
                 + duration(m_a.syncs.nsPerStep) + " of host time"
                 + (m_a.syncs.trueCostNsPerStep ? ", true cost " + duration(*m_a.syncs.trueCostNsPerStep)
                                                : std::string()));
        if (m_a.input.waitShare && *m_a.input.waitShare > 0)
            line("Input wait: " + percent(*m_a.input.waitShare) + " of the step"
                 + (m_a.input.workers ? print(", %d loader workers", *m_a.input.workers) : std::string()));
        if (m_a.copies.bytes > 0)
            line("Copies: " + bytes(m_a.copies.bytes)
                 + (m_a.copies.meanBandwidthGbs ? print(", %.2f GB/s on average", *m_a.copies.meanBandwidthGbs)
                                                : std::string()));
    }

    void memory()
    {
        for (const MemoryCurve &m : m_a.memory)
            line("Memory of " + (m.device < 0 ? std::string("the CPU") : print("device %d", m.device)) + ": "
                 + bytes(m.startBytes) + " at the start, peak " + bytes(m.peakBytes) + " at " + duration(m.peakTime));
    }

    void ranks()
    {
        if (m_a.ranks.ranks.size() < 2)
            return;
        line("");
        for (const RankFigures &r : m_a.ranks.ranks)
            line(m_trace.sources[r.source.value].label + ": waits " + duration(r.commWaitNs)
                 + " in collectives for later ranks, transfers " + duration(r.commTransferNs));
        if (m_a.ranks.straggler)
            line(print("Straggler: rank %d arrives last.", *m_a.ranks.straggler));
        if (m_a.lateCause)
            line("Its cause: " + duration(m_a.lateCause->excessNs) + " more per step than the others on "
                 + m_a.lateCause->what + ".");
    }

    void table(const char *title, const std::vector<NameRow> &rows, std::int64_t NameRow::*key)
    {
        if (rows.empty())
            return;
        line("");
        line(print("%s (%zu)", title, rows.size()));
        std::size_t shown = 0;
        for (const NameRow &r : rows) {
            const std::string_view name = m_trace.strings.view(r.name);
            if ((classifyHostName(name) & NameTrait::kStepMarker) != 0)
                continue; // they are the steps above
            if (++shown > kTopRows)
                break;
            line(print("  %12s %8llu × ", duration(r.*key).c_str(), static_cast<unsigned long long>(r.calls))
                 + shortened(name));
        }
    }

    const Analysis &m_a;
    const Trace &m_trace;
    std::string m_out;
};

} // namespace

std::string inspectText(const Analysis &a)
{
    return Writer(a).write();
}

} // namespace tuneline::analysis

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/ledger.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace tuneline::analysis {

namespace {

using nlohmann::json;

NLOHMANN_JSON_SERIALIZE_ENUM(Decision,
                             {{Decision::Open, "open"}, {Decision::Kept, "kept"}, {Decision::Discarded, "discarded"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Verdict,
                             {{Verdict::NotConfirmed, "not-confirmed"},
                              {Verdict::Confirmed, "confirmed"},
                              {Verdict::Regressed, "regressed"},
                              {Verdict::NotComparable, "not-comparable"}})

json toJson(const std::optional<double> &value)
{
    return value ? json(*value) : json(nullptr);
}

json toJson(const LedgerEntry &e)
{
    return {{"unix_ms", e.unixMs},
            {"before", e.before},
            {"after", e.after},
            {"change", e.change},
            {"rule", e.rule},
            {"predicted_low", toJson(e.predictedLow)},
            {"predicted_high", toJson(e.predictedHigh)},
            {"measured", toJson(e.measured)},
            {"verdict", e.verdict},
            {"decision", e.decision}};
}

std::optional<double> number(const json &object, const char *key)
{
    const auto it = object.find(key);
    return it != object.end() && it->is_number() ? std::optional<double>(it->get<double>()) : std::nullopt;
}

std::optional<LedgerEntry> fromLine(const std::string &line)
{
    const json object = json::parse(line, nullptr, false);
    if (!object.is_object() || !object.contains("before") || !object.contains("after"))
        return std::nullopt;
    try {
        LedgerEntry e;
        e.unixMs = object.value("unix_ms", std::int64_t{0});
        e.before = object.at("before").get<std::string>();
        e.after = object.at("after").get<std::string>();
        e.change = object.value("change", std::string());
        e.rule = object.value("rule", std::string());
        e.predictedLow = number(object, "predicted_low");
        e.predictedHigh = number(object, "predicted_high");
        e.measured = number(object, "measured");
        e.verdict = object.value("verdict", Verdict::NotConfirmed);
        e.decision = object.value("decision", Decision::Open);
        return e;
    } catch (const json::exception &) {
        return std::nullopt; // a key with a value of another type: counted as damaged by the caller
    }
}

} // namespace

Ledger::Ledger(std::filesystem::path file)
    : m_file(std::move(file))
{ }

std::filesystem::path Ledger::defaultFile()
{
    if (const char *data = std::getenv("XDG_DATA_HOME"); data && *data)
        return std::filesystem::path(data) / "tuneline" / "ledger.jsonl";
    const char *home = std::getenv("HOME");
    return std::filesystem::path(home && *home ? home : "/tmp") / ".local/share/tuneline/ledger.jsonl";
}

Result<std::vector<LedgerEntry>> Ledger::read(std::size_t *damaged) const
{
    if (damaged)
        *damaged = 0;
    std::vector<LedgerEntry> entries;
    std::error_code error;
    if (!std::filesystem::exists(m_file, error))
        return entries; // nothing kept yet
    std::ifstream in(m_file);
    if (!in)
        return fail(Error::Code::CannotOpen, "The experiment ledger can't be read; check its permissions.",
                    m_file.string());

    std::map<std::pair<std::string, std::string>, std::size_t> seen;
    for (std::string line; std::getline(in, line);) {
        if (line.empty())
            continue;
        auto entry = fromLine(line);
        if (!entry) {
            if (damaged)
                ++*damaged;
            continue;
        }
        const auto [it, isNew] = seen.try_emplace({entry->before, entry->after}, entries.size());
        if (isNew)
            entries.push_back(std::move(*entry));
        else
            entries[it->second] = std::move(*entry);
    }
    return entries;
}

Result<void> Ledger::append(const LedgerEntry &entry) const
{
    std::error_code error;
    std::filesystem::create_directories(m_file.parent_path(), error);
    std::ofstream out(m_file, std::ios::app);
    // One write for the whole line: two programs that append at once don't mix their lines.
    const std::string line = toJson(entry).dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
    out.write(line.data(), static_cast<std::streamsize>(line.size()));
    out.flush();
    if (!out)
        return fail(Error::Code::CannotWrite,
                    "The experiment could not be noted in the ledger; check the folder's permissions and free space.",
                    m_file.string());
    return {};
}

Result<void> Ledger::decide(const LedgerEntry &entry, Decision decision) const
{
    LedgerEntry changed = entry;
    changed.decision = decision;
    return append(changed);
}

LedgerEntry ledgerEntry(const Comparison &comparison, std::string before, std::string after)
{
    LedgerEntry entry;
    entry.unixMs =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    entry.before = std::move(before);
    entry.after = std::move(after);
    for (const Difference &d : comparison.differences)
        entry.change += (entry.change.empty() ? "" : ", ") + d.key + ' ' + (d.before.empty() ? "–" : d.before) + " → "
            + (d.after.empty() ? "–" : d.after);
    entry.verdict = comparison.verdict;
    if (comparison.prediction) {
        entry.rule = comparison.prediction->rule;
        entry.predictedLow = comparison.prediction->low;
        entry.predictedHigh = comparison.prediction->high;
    }
    if (!comparison.metrics.empty() && comparison.metrics.front().change)
        entry.measured = -*comparison.metrics.front().change;
    return entry;
}

} // namespace tuneline::analysis

// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment ledger: what was predicted, what came out, what was decided. One JSON object a line, append-only, so
// that a killed program loses at most the line it was writing. $XDG_DATA_HOME/tuneline/ledger.jsonl unless told
// otherwise.
#pragma once

#include "analysis/compare/compare.h"
#include "analysis/result.h"

#include <filesystem>

namespace tuneline::analysis {

enum class Decision : std::uint8_t { Open, Kept, Discarded };

struct LedgerEntry
{
    std::int64_t unixMs = 0;
    std::string before, after; // files
    std::string change; // "workers 0 → 2"
    std::string rule; // of the prediction, "" = none
    std::optional<double> predictedLow, predictedHigh, measured; // share of the step saved
    Verdict verdict = Verdict::NotConfirmed;
    Decision decision = Decision::Open;
};

class Ledger
{
public:
    explicit Ledger(std::filesystem::path file = defaultFile());
    [[nodiscard]] static std::filesystem::path defaultFile();

    // Oldest first. A line that can't be read is skipped and counted in `damaged`.
    [[nodiscard]] Result<std::vector<LedgerEntry>> read(std::size_t *damaged = nullptr) const;
    [[nodiscard]] Result<void> append(const LedgerEntry &entry) const;
    // Appends the entry of the same two files again with another decision; read() gives the last word on each pair.
    [[nodiscard]] Result<void> decide(const LedgerEntry &entry, Decision decision) const;

private:
    std::filesystem::path m_file;
};

[[nodiscard]] LedgerEntry ledgerEntry(const Comparison &comparison, std::string before, std::string after);

} // namespace tuneline::analysis

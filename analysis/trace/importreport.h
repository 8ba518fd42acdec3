// SPDX-License-Identifier: GPL-3.0-or-later
// Everything about a file that was not as it should be. Nothing is dropped or repaired without a line here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tuneline::analysis {

enum class Severity : std::uint8_t { Info, Warning, DataLoss };

struct ProblemExample
{
    std::int64_t offset = -1; // byte in the (decompressed) file, -1 = not applicable
    std::int64_t line = -1; // 1-based, -1 = not applicable
    std::string text; // what is wrong, with the event's own words
};

struct Problem
{
    std::string name; // one per kind of fault: string-repaired, event-skipped, file-truncated, … (CLI.md)
    Severity severity = Severity::Info;
    std::uint64_t count = 0;
    std::vector<ProblemExample> examples; // the first kMaxExamples
};

class ImportReport
{
public:
    static constexpr std::size_t kMaxExamples = 20;

    void add(std::string_view name, Severity severity, ProblemExample example = {}, std::uint64_t count = 1);
    void merge(const ImportReport &other);
    [[nodiscard]] const std::vector<Problem> &problems() const noexcept { return m_problems; }
    // For readers that learn an example's line only at the end.
    [[nodiscard]] std::vector<Problem> &editProblems() noexcept { return m_problems; }
    [[nodiscard]] std::uint64_t count(std::string_view name) const noexcept;

private:
    std::vector<Problem> m_problems;
};

} // namespace tuneline::analysis

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/trace/importreport.h"

#include <algorithm>

namespace tuneline::analysis {
namespace {

Problem &problemNamed(std::vector<Problem> &problems, std::string_view name, Severity severity)
{
    const auto known = std::find_if(problems.begin(), problems.end(), [&](const Problem &p) { return p.name == name; });
    return known != problems.end() ? *known : problems.emplace_back(Problem{std::string(name), severity, 0, {}});
}

} // namespace

void ImportReport::add(std::string_view name, Severity severity, ProblemExample example, std::uint64_t count)
{
    if (count == 0)
        return;
    Problem &problem = problemNamed(m_problems, name, severity);
    problem.count += count;
    problem.severity = std::max(problem.severity, severity);
    if (problem.examples.size() < kMaxExamples && (!example.text.empty() || example.offset >= 0))
        problem.examples.push_back(std::move(example));
}

void ImportReport::merge(const ImportReport &other)
{
    for (const Problem &theirs : other.m_problems) {
        Problem &ours = problemNamed(m_problems, theirs.name, theirs.severity);
        ours.count += theirs.count;
        ours.severity = std::max(ours.severity, theirs.severity);
        for (const ProblemExample &example : theirs.examples) {
            if (ours.examples.size() < kMaxExamples)
                ours.examples.push_back(example);
        }
    }
}

std::uint64_t ImportReport::count(std::string_view name) const noexcept
{
    const auto known =
        std::find_if(m_problems.begin(), m_problems.end(), [&](const Problem &p) { return p.name == name; });
    return known == m_problems.end() ? 0 : known->count;
}

} // namespace tuneline::analysis

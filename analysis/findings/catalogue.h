// SPDX-License-Identifier: GPL-3.0-or-later
// The words of the advice: one entry per rule from resources/advice/<rule>.json, built into the library. Text may hold
// {placeholders}; a rule fills them from the trace.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tuneline::analysis {

struct CatalogueEntry
{
    std::string rule;
    std::string family; // input, synchronisation, launch, compute, memory, distributed, run
    std::string title;
    std::string explanation;
    std::string where, cpp, python; // of the fix
    std::string metric, expect;
    std::vector<std::string> caveats, makesUseless;
};

using Placeholders = std::map<std::string, std::string>;

// nullptr for an unknown rule.
[[nodiscard]] const CatalogueEntry *catalogueEntry(std::string_view rule);
// All rules in RULES.md's order.
[[nodiscard]] const std::vector<CatalogueEntry> &catalogue();
// What the names in all snippets mean, one sentence.
inline constexpr const char *kSnippetNames = "In the code model, optimizer, loader, dataset, batch (input and target, "
                                             "x and y), criterion, loss, device and step "
                                             "stand for your own variables.";
// Replaces {key}; a key that is not in `values` stays as it is (a test fails on those).
[[nodiscard]] std::string fill(std::string_view text, const Placeholders &values);

} // namespace tuneline::analysis

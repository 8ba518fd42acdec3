// SPDX-License-Identifier: GPL-3.0-or-later
// How the knobs that the advisor names (CLI.md, Knobs) are turned on a program's command line.
#pragma once

#include "analysis/result.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tuneline::cli {

using Arguments = std::vector<std::string>; // program first

// "workers=6"; several are separated by commas.
struct KnobSetting
{
    std::string key, value;
};
[[nodiscard]] std::vector<KnobSetting> parseKnobs(const std::string &text);

class KnobFlags
{
public:
    // batch_size → "--batch-size={}", for every knob: the flags of tuneline-train.
    KnobFlags() = default;
    // A JSON object: knob → flag, with {} for the value: {"workers": "--num-workers={}"}. Other knobs are not turned.
    [[nodiscard]] static analysis::Result<KnobFlags> read(const std::string &file);

    // The command line with that knob turned; what it said about the knob before is replaced. nullopt: it has no such
    // knob.
    [[nodiscard]] std::optional<Arguments> apply(const Arguments &program, const KnobSetting &knob) const;

private:
    [[nodiscard]] std::optional<std::string> flagFor(const std::string &key) const;
    std::optional<std::map<std::string, std::string>> m_flags; // nullopt = the trainer's
};

} // namespace tuneline::cli

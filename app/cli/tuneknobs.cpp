// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/tuneknobs.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tuneline::cli {

namespace {

constexpr std::string_view kPlace = "{}";

analysis::Result<std::map<std::string, std::string>> checkFlags(const nlohmann::json &document, const std::string &file)
{
    const auto wrong = [&](const std::string &why) {
        return analysis::fail(analysis::Error::Code::Usage, "This is no knob file: " + why, file);
    };
    if (!document.is_object())
        return wrong("it must be a JSON object like {\"workers\": \"--num-workers={}\"}.");
    std::map<std::string, std::string> flags;
    for (const auto &[knob, flag] : document.items()) {
        if (!flag.is_string() || flag.get<std::string>().find(kPlace) == std::string::npos)
            return wrong("the flag of " + knob + " must be a text with {} where the value goes.");
        flags.emplace(knob, flag.get<std::string>());
    }
    return flags;
}

bool startsWith(const std::string &text, std::string_view prefix)
{
    return text.compare(0, prefix.size(), prefix) == 0;
}

// Takes "--workers=2", or "--workers 2", out of the command line.
void removeFlag(Arguments &program, const std::string &stem)
{
    const bool joined = !stem.empty() && stem.back() == '=';
    const std::string name = joined ? stem.substr(0, stem.size() - 1) : stem;
    for (std::size_t i = 1; i < program.size();) {
        const bool withValue = startsWith(program[i], stem) && (joined || program[i] != name);
        if (!withValue && program[i] != name) {
            ++i;
            continue;
        }
        // The next word is its value, unless it is another flag.
        const bool takesNext = program[i] == name && i + 1 < program.size() && !startsWith(program[i + 1], "-");
        program.erase(program.begin() + static_cast<std::ptrdiff_t>(i),
                      program.begin() + static_cast<std::ptrdiff_t>(i + (takesNext ? 2 : 1)));
    }
}

} // namespace

std::vector<KnobSetting> parseKnobs(const std::string &text)
{
    std::vector<KnobSetting> settings;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, ',');) {
        const auto equals = part.find('=');
        if (equals != std::string::npos && equals > 0)
            settings.push_back({part.substr(part.find_first_not_of(' '), equals - part.find_first_not_of(' ')),
                                part.substr(equals + 1)});
    }
    return settings;
}

analysis::Result<KnobFlags> KnobFlags::read(const std::string &file)
{
    std::ifstream in(file);
    if (!in)
        return analysis::fail(analysis::Error::Code::CannotOpen, "Can't read the knob file.", file);
    const auto document = nlohmann::json::parse(in, nullptr, false);
    return checkFlags(document, file).map([](auto flags) {
        KnobFlags knobs;
        knobs.m_flags = std::move(flags);
        return knobs;
    });
}

std::optional<std::string> KnobFlags::flagFor(const std::string &key) const
{
    if (m_flags) {
        const auto it = m_flags->find(key);
        return it == m_flags->end() ? std::nullopt : std::optional(it->second);
    }
    std::string flag = "--" + key + '=';
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag.append(kPlace);
}

std::optional<Arguments> KnobFlags::apply(const Arguments &program, const KnobSetting &knob) const
{
    auto flag = flagFor(knob.key);
    if (!flag)
        return std::nullopt;
    Arguments changed = program;
    const auto place = flag->find(kPlace);
    std::string stem = flag->substr(0, place);
    while (!stem.empty() && stem.back() == ' ')
        stem.pop_back();
    removeFlag(changed, stem);
    if (place > 0 && (*flag)[place - 1] == ' ') { // "--workers {}": two words
        changed.push_back(stem);
        changed.push_back(knob.value);
    } else {
        changed.push_back(flag->replace(place, kPlace.size(), knob.value));
    }
    return changed;
}

} // namespace tuneline::cli

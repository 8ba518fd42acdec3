// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/launchenvironment.h"

#include <unistd.h>

namespace tuneline::capture {

namespace {

// ld.so splits at spaces and colons; both may stand in a list that a user made.
std::vector<std::string_view> splitPreload(std::string_view list)
{
    std::vector<std::string_view> entries;
    while (!list.empty()) {
        const auto end = std::min(list.find_first_of(": "), list.size());
        if (end > 0)
            entries.push_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return entries;
}

std::string_view fileName(std::string_view path)
{
    return path.substr(path.rfind('/') + 1);
}

} // namespace

std::string composePreload(std::string_view existing, std::string_view agent, std::string_view sanitizer)
{
    std::vector<std::string_view> front, rest;
    for (const auto entry : splitPreload(existing)) {
        const auto name = fileName(entry);
        if (name == fileName(agent))
            continue; // ours, from a launch inside a launch
        const bool isSanitizer = name.substr(0, 7) == "libasan" || name.find("clang_rt.asan") != std::string_view::npos;
        (isSanitizer ? front : rest).push_back(entry);
    }
    if (front.empty() && !sanitizer.empty())
        front.push_back(sanitizer);
    front.push_back(agent);
    front.insert(front.end(), rest.begin(), rest.end());
    std::string preload;
    for (const auto entry : front)
        preload.append(preload.empty() ? "" : ":").append(entry);
    return preload;
}

Environment withAgent(Environment base, const AgentSetup &setup)
{
    const std::string agent = setup.agent.string();
    base["LD_PRELOAD"] = composePreload(base["LD_PRELOAD"], agent, setup.sanitizer);
    base.try_emplace("CUDA_INJECTION64_PATH", agent);
    base.try_emplace("NVTX_INJECTION64_PATH", agent);
    base["TUNELINE_SOCKET_DIR"] = setup.socketFolder.string();
    base[kTagVariable] = setup.tag;
    return base;
}

Environment ownEnvironment()
{
    Environment environment;
    for (char **entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const auto equals = text.find('=');
        if (equals != std::string_view::npos)
            environment.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return environment;
}

std::vector<std::string> toAssignments(const Environment &environment)
{
    std::vector<std::string> assignments;
    assignments.reserve(environment.size());
    for (const auto &[name, value] : environment)
        assignments.push_back(name + '=' + value);
    return assignments;
}

} // namespace tuneline::capture

// SPDX-License-Identifier: GPL-3.0-or-later
// A way to put the agent into a process that was not prepared for it.
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>

namespace tuneline::capture {

class Injector
{
public:
    Injector() = default;
    virtual ~Injector() = default;
    Injector(const Injector &) = delete;
    Injector &operator=(const Injector &) = delete;

    // Can this way work on this machine at all? If not, errorString() says why, in words for the user.
    [[nodiscard]] virtual bool selfTest() = 0;
    // Loads the agent and starts it. Blocks; the process stands still for a part of that time. On failure it goes on as
    // if nothing had been, and errorString() says why and what to do.
    [[nodiscard]] virtual bool inject(pid_t pid, const std::filesystem::path &agent) = 0;
    [[nodiscard]] virtual std::string errorString() const = 0;
};

} // namespace tuneline::capture

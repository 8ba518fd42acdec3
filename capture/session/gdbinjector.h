// SPDX-License-Identifier: GPL-3.0-or-later
// Loads the agent with gdb: stops the process, lets it run to its next malloc (a point where it holds no lock of the
// allocator or, mostly, the loader), calls dlopen and tuneline_agent_start there, and lets go.
#pragma once

#include "capture/session/gdbscript.h"
#include "capture/session/injector.h"

#include <optional>
#include <string_view>
#include <vector>

namespace tuneline::capture {

class GdbInjector : public Injector
{
public:
    // calls: the way that is tried first; ByHand is taken by itself where ByGdb can't work.
    explicit GdbInjector(GdbCalls calls = GdbCalls::ByGdb)
        : m_calls(calls)
    { }
    [[nodiscard]] bool selfTest() override;
    [[nodiscard]] bool inject(pid_t pid, const std::filesystem::path &agent) override;
    [[nodiscard]] std::string errorString() const override { return m_error; }

private:
    [[nodiscard]] bool run(GdbCalls calls, pid_t pid, const std::filesystem::path &agent);

    GdbCalls m_calls;
    std::string m_said; // gdb's own words of the last run
    std::optional<bool> m_usable; // of selfTest, which is asked often
    std::string m_program; // gdb, or cuda-gdb where only that one is
    std::string m_testError, m_error;
};

// The command line, without a shell between. program: gdb or cuda-gdb; script: file of gdbScript(). Exposed for tests.
[[nodiscard]] std::vector<std::string> gdbCommandLine(const std::string &program, pid_t pid,
                                                      const std::filesystem::path &script);
// What went wrong, from what gdb printed; "" = it worked.
[[nodiscard]] std::string explainGdb(std::string_view output, std::string_view errors, pid_t pid);

} // namespace tuneline::capture

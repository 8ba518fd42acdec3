// SPDX-License-Identifier: MIT
// The agent's own log: off unless TUNELINE_AGENT_LOG names a file. Never stdout or stderr, which belong to the host.
#pragma once

namespace tuneline::agent {

// Reads TUNELINE_AGENT_LOG. Called once, from the library's constructor.
void openLog() noexcept;

// One line, printf-like. Any thread; nothing while the log is off.
__attribute__((format(printf, 1, 2))) void logLine(const char *format, ...) noexcept;

} // namespace tuneline::agent

// SPDX-License-Identifier: GPL-3.0-or-later
// Where a capture goes: its default name, and that nothing is overwritten by accident.
#pragma once

#include "capture/session/captureplan.h"
#include "capture/session/ranks.h"
#include "capture/session/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tuneline::capture {

// PROGRAM-YYYYMMDD-HHMMSS.tlc in the current folder; `program` may be a path. Of "python3 train.py" pass the script.
[[nodiscard]] std::filesystem::path defaultOutput(const std::string &program);

// What in a command line names the run: the script of an interpreter or launcher, else the program.
[[nodiscard]] std::string programName(const std::vector<std::string> &commandLine);

// Makes `out` absolute and free: its folder exists and can be written, nothing is at the path (with `force`, a capture
// that was there is removed; a folder only if it holds nothing but .tlc files). The agent runs in another folder than
// we do, so it must get the absolute path.
[[nodiscard]] Result<std::filesystem::path> prepareOutput(const std::filesystem::path &out, bool force);
// The same for a plan: with `join`, a folder of captures may be there and is kept. `environment`: ours; when it names
// our rank (srun or mpirun started us), a file of that rank must not be there yet.
[[nodiscard]] Result<std::filesystem::path> prepareOutput(const CapturePlan &plan, const EnvironmentMap &environment);

} // namespace tuneline::capture

// SPDX-License-Identifier: MIT
// What process is this? Read from the loader and /proc; nothing is loaded or called.
#pragma once

#include "capture/format/control.h"

#include <cstdint>
#include <string>

namespace tuneline::agent {

// Path of the first mapped library whose file name begins with one of ours ("libtorch_cpu.so"); empty if none is.
std::string mappedLibrary(const char *namePrefix) noexcept;

// Handle of a library that is mapped already, as dlopen gives it; nullptr if it isn't. By path, because Python loads
// torch's libraries RTLD_LOCAL and Debian's SONAME carries a version (CAPTURE.md section 9).
void *openMapped(const char *namePrefix) noexcept;

// Worth listening in: a Python, or LibTorch or CUDA are mapped. Cheap: a readlink and a walk over the loaded libraries.
bool looksLikeTraining() noexcept;

// Python's optimizers mark the steps of a training loop by themselves (Optimizer.step#…), since PyTorch 1.8.
bool isPython() noexcept;
// This process is some seconds old: whoever captures it has launched it.
bool hasJustStarted() noexcept;

// pid, rank, libraries and so on.
format::HelloMessage describeSelf() noexcept;

// The first of these environment variables that holds a number, else −1.
int numberFromEnvironment(const char *const *names, std::size_t count) noexcept;
int rankOfSelf() noexcept;
int worldSizeOfSelf() noexcept;
int localRankOfSelf() noexcept;

inline constexpr char kAgentVersion[] = TUNELINE_AGENT_VERSION;

} // namespace tuneline::agent

// SPDX-License-Identifier: GPL-3.0-or-later
// What the environment and the command line of a process say about its place in a job of several ranks.
#pragma once

#include "capture/session/procfs.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tuneline::capture {

using EnvironmentMap = std::map<std::string, std::string>;

// torchrun, mpirun (Open MPI, MPICH, Intel MPI) and srun each have their own variables.
[[nodiscard]] std::optional<int> rankIn(const EnvironmentMap &environment);
[[nodiscard]] std::optional<int> worldSizeIn(const EnvironmentMap &environment);
// Ranks of the same job on this machine; nullopt = the launcher doesn't say.
[[nodiscard]] std::optional<int> localSizeIn(const EnvironmentMap &environment);

// This process is one task of a job of several (srun tuneline-cli record …): the others write into the same folder.
[[nodiscard]] bool isTaskOfJob(const EnvironmentMap &environment);

// A program that only starts the ranks and waits for them. torchrun and accelerate are Python programs that load
// LibTorch themselves, so nothing else tells them from a rank.
[[nodiscard]] bool isLauncher(const std::vector<std::string> &commandLine);

// Processes below `root` that have a rank, use LibTorch or CUDA, and are no helper of another rank (a data loader's
// worker has the rank of its parent). Sorted by rank.
struct RankProcess
{
    pid_t pid = 0;
    int rank = 0;
};
[[nodiscard]] std::vector<RankProcess> ranksBelow(const ProcFs &proc, pid_t root);

} // namespace tuneline::capture

// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/ranks.h"

#include "capture/session/targetlibraries.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace tuneline::capture {

namespace {

// "2", and SLURM's "2(x3)": three nodes with two tasks each.
std::optional<int> numberAtStart(std::string_view text, bool slurm)
{
    int number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (error != std::errc() || number < 0
        || !(rest.empty() || (slurm && rest.starts_with("(x") && rest.ends_with(')'))))
        return std::nullopt;
    return number;
}

std::optional<int> firstOf(const EnvironmentMap &environment, std::initializer_list<const char *> names)
{
    for (const char *name : names) {
        const auto entry = environment.find(name);
        if (entry == environment.end())
            continue;
        if (const auto number = numberAtStart(entry->second, std::string_view(name).starts_with("SLURM_STEP_TASKS")))
            return number;
    }
    return std::nullopt;
}

bool isPython(std::string_view name)
{
    return name.starts_with("python") || name.starts_with("pypy");
}

} // namespace

std::optional<int> rankIn(const EnvironmentMap &environment)
{
    return firstOf(environment, {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"});
}

std::optional<int> worldSizeIn(const EnvironmentMap &environment)
{
    return firstOf(environment, {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"});
}

std::optional<int> localSizeIn(const EnvironmentMap &environment)
{
    return firstOf(environment,
                   {"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE"});
}

bool isTaskOfJob(const EnvironmentMap &environment)
{
    return rankIn(environment) && worldSizeIn(environment).value_or(1) > 1;
}

bool isLauncher(const std::vector<std::string> &commandLine)
{
    static constexpr std::array<std::string_view, 10> kPrograms{"torchrun", "accelerate", "deepspeed", "horovodrun",
                                                                "composer", "mpirun",     "mpiexec",   "orterun",
                                                                "prterun",  "srun"};
    static constexpr std::array<std::string_view, 5> kModules{
        "torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch",
        "accelerate.commands.accelerate_cli", "deepspeed.launcher.launch"};
    const auto isOne = [](const auto &list, std::string_view name) {
        return std::find(list.begin(), list.end(), name) != list.end();
    };
    const auto fileName = [](const std::string &path) { return std::filesystem::path(path).filename().string(); };
    if (commandLine.empty())
        return false;
    const std::string program = fileName(commandLine.front());
    if (!isPython(program))
        return isOne(kPrograms, program);
    for (std::size_t i = 1; i < commandLine.size(); ++i) {
        const std::string &argument = commandLine[i];
        if (argument == "-m")
            return i + 1 < commandLine.size() && isOne(kModules, commandLine[i + 1]);
        if (argument == "-c")
            return false;
        if (argument == "-W" || argument == "-X")
            ++i; // takes a value
        else if (!argument.starts_with('-'))
            return isOne(kPrograms, fileName(argument)); // the script; what follows is its own
    }
    return false;
}

std::vector<RankProcess> ranksBelow(const ProcFs &proc, pid_t root)
{
    std::vector<RankProcess> found;
    for (const pid_t pid : proc.processes()) {
        if (!proc.alive(pid) || !proc.descends(pid, root) || isLauncher(proc.commandLine(pid)))
            continue;
        const auto rank = rankIn(proc.environment(pid));
        const auto libraries = findLibraries(proc.maps(pid).value_or(""));
        if (rank && (libraries.torch || libraries.cuda))
            found.push_back({pid, *rank});
    }
    std::erase_if(found, [&, all = found](const RankProcess &one) {
        return std::any_of(all.begin(), all.end(), [&](const RankProcess &other) {
            return other.pid != one.pid && other.rank == one.rank && proc.descends(one.pid, other.pid);
        });
    });
    std::stable_sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.rank < b.rank; });
    return found;
}

} // namespace tuneline::capture

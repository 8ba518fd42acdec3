// SPDX-License-Identifier: MIT
#include "capture/agent/target.h"

#include "capture/agent/forkguard.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

namespace tuneline::agent {

namespace {

struct Search
{
    const char *prefix;
    char path[1024];
};

int matchLibrary(dl_phdr_info *info, std::size_t, void *data) noexcept
{
    auto &search = *static_cast<Search *>(data);
    const char *path = info->dlpi_name ? info->dlpi_name : "";
    const char *slash = std::strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (std::strncmp(name, search.prefix, std::strlen(search.prefix)) != 0)
        return 0;
    std::snprintf(search.path, sizeof search.path, "%s", path);
    return 1;
}

bool isMapped(const char *prefix, Search &search) noexcept
{
    search.prefix = prefix;
    search.path[0] = 0;
    const ForkGuard guard; // the loader keeps its list locked meanwhile, and glibc frees that lock in no child
    return dl_iterate_phdr(matchLibrary, &search) != 0;
}

// Field 22 of /proc/self/stat. The second field, the name, may hold spaces and parentheses: count from the last one.
std::uint64_t processStart() noexcept
{
    std::FILE *file = std::fopen("/proc/self/stat", "re");
    if (!file)
        return 0;
    char line[1024] = {};
    const std::size_t length = std::fread(line, 1, sizeof line - 1, file);
    std::fclose(file);
    line[length] = 0;
    const char *at = std::strrchr(line, ')');
    for (int field = 2; at && field < 22; ++field)
        at = std::strchr(at + 1, ' ');
    return at ? std::strtoull(at, nullptr, 10) : 0;
}

} // namespace

std::string mappedLibrary(const char *namePrefix) noexcept
{
    Search search{};
    return isMapped(namePrefix, search) ? std::string(search.path) : std::string();
}

void *openMapped(const char *namePrefix) noexcept
{
    Search search{};
    return isMapped(namePrefix, search) ? dlopen(search.path, RTLD_NOLOAD | RTLD_LAZY) : nullptr;
}

bool looksLikeTraining() noexcept
{
    Search search{};
    return isMapped("libtorch_cpu.so", search) || isMapped("libcuda.so", search) || isMapped("libcudart.so", search)
        || isPython();
}

bool isPython() noexcept
{
    char path[1024] = {};
    if (readlink("/proc/self/exe", path, sizeof path - 1) <= 0)
        return false;
    const char *slash = std::strrchr(path, '/');
    return std::strncmp(slash ? slash + 1 : path, "python", 6) == 0;
}

bool hasJustStarted() noexcept
{
    constexpr double kYoungSeconds = 20;
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now); // what processStart counts in
    const double age = static_cast<double>(now.tv_sec)
        - static_cast<double>(processStart()) / static_cast<double>(sysconf(_SC_CLK_TCK));
    return age < kYoungSeconds;
}

int numberFromEnvironment(const char *const *names, std::size_t count) noexcept
{
    for (std::size_t i = 0; i < count; ++i) {
        const char *value = std::getenv(names[i]);
        char *end = nullptr;
        const long number = value ? std::strtol(value, &end, 10) : -1;
        if (value && end != value && *end == 0 && number >= 0 && number < 1'000'000)
            return static_cast<int>(number);
    }
    return -1;
}

int rankOfSelf() noexcept
{
    static constexpr std::array kNames{"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
    return numberFromEnvironment(kNames.data(), kNames.size());
}

int worldSizeOfSelf() noexcept
{
    static constexpr std::array kNames{"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"};
    return numberFromEnvironment(kNames.data(), kNames.size());
}

int localRankOfSelf() noexcept
{
    static constexpr std::array kNames{"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"};
    return numberFromEnvironment(kNames.data(), kNames.size());
}

format::HelloMessage describeSelf() noexcept
{
    format::HelloMessage hello;
    Search search{};
    hello.pid = getpid();
    hello.uid = geteuid();
    hello.processStart = processStart();
    hello.torchFound = isMapped("libtorch_cpu.so", search) ? 1 : 0;
    hello.cudaFound = isMapped("libcuda.so", search) ? 1 : 0;
    hello.rank = rankOfSelf();
    hello.worldSize = worldSizeOfSelf();
    std::snprintf(hello.agentVersion, sizeof hello.agentVersion, "%s", kAgentVersion);
    [[maybe_unused]] const ssize_t length = readlink("/proc/self/exe", hello.executable, sizeof hello.executable - 1);
    return hello;
}

} // namespace tuneline::agent

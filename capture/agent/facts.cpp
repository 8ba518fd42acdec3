// SPDX-License-Identifier: MIT
#include "capture/agent/facts.h"

#include "capture/agent/readfile.h"
#include "capture/agent/target.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <sched.h>
#include <string>
#include <unistd.h>

extern "C" char **environ;

namespace tuneline::agent {

namespace {

void writeCommandLine(JsonWriter &json)
{
    const std::string line = readFile("/proc/self/cmdline"); // arguments, each with a zero behind it
    json.beginArray("command_line");
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t end = line.find('\0', at);
        json.text({}, std::string_view(line).substr(at, end - at));
        at = end == std::string::npos ? line.size() : end + 1;
    }
    json.endArray();
}

void writeEnvironment(JsonWriter &json)
{
    static constexpr std::array kPrefixes{"CUDA_", "TORCH_",  "PYTORCH_", "NCCL_",  "OMP_",
                                          "MKL_",  "CUBLAS_", "CUDNN_",   "NVIDIA_"};
    json.beginObject("env");
    for (char **entry = environ; entry && *entry; ++entry) {
        const char *equals = std::strchr(*entry, '=');
        if (!equals)
            continue;
        for (const char *prefix : kPrefixes) {
            if (std::strncmp(*entry, prefix, std::strlen(prefix)) == 0)
                json.text({*entry, static_cast<std::size_t>(equals - *entry)}, equals + 1);
        }
    }
    json.endObject();
}

// The value of the first "key : value" line.
std::string field(const std::string &text, const char *key)
{
    std::size_t at = text.find(key);
    if (at == std::string::npos)
        return {};
    at = text.find(':', at);
    const std::size_t end = text.find('\n', at);
    return at == std::string::npos || at + 2 > end ? std::string() : text.substr(at + 2, end - at - 2);
}

void writeMachine(JsonWriter &json)
{
    char host[256] = {};
    if (gethostname(host, sizeof host - 1) == 0)
        json.text("hostname", host);
    if (const std::string model = field(readFile("/proc/cpuinfo"), "model name"); !model.empty())
        json.text("cpu_model", model);
    json.number("cpu_count", sysconf(_SC_NPROCESSORS_ONLN));
    cpu_set_t usable;
    CPU_ZERO(&usable);
    if (sched_getaffinity(getpid(), sizeof usable, &usable) == 0)
        json.number("cpu_usable", CPU_COUNT(&usable));
    json.number("memory_bytes", static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE));
    // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  …": the first word that is a number with a point.
    const std::string driver = readFile("/proc/driver/nvidia/version");
    char version[32] = {};
    for (std::size_t at = driver.find("  "); at != std::string::npos && !version[0]; at = driver.find(' ', at + 1)) {
        if (std::sscanf(driver.c_str() + at, " %31[0-9.]", version) == 1 && std::strchr(version, '.'))
            json.text("gpu_driver", version);
        else
            version[0] = 0;
    }
}

} // namespace

void writeProcessFacts(JsonWriter &json)
{
    writeCommandLine(json);
    char path[4096] = {};
    if (readlink("/proc/self/exe", path, sizeof path - 1) > 0)
        json.text("executable", path);
    if (getcwd(path, sizeof path))
        json.text("cwd", path);
    json.number("pid", getpid());
    if (const int rank = rankOfSelf(); rank >= 0)
        json.number("rank", rank);
    if (const int size = worldSizeOfSelf(); size >= 0)
        json.number("world_size", size);
    if (const int local = localRankOfSelf(); local >= 0)
        json.number("local_rank", local);
    writeMachine(json);
    writeEnvironment(json);
    json.text("agent_version", kAgentVersion);
}

} // namespace tuneline::agent

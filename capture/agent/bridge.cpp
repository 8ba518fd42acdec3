// SPDX-License-Identifier: MIT
#include "capture/agent/bridge.h"

#include "capture/agent/agent.h"
#include "capture/agent/forkguard.h"
#include "capture/agent/log.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <vector>

namespace tuneline::agent {

namespace {

constexpr char kMarker[] = "tuneline-torch-bridge ";

std::vector<std::string> candidates()
{
    std::vector<std::string> all;
    const char *chosen = std::getenv("TUNELINE_TORCH_BRIDGE");
    if (chosen && *chosen)
        all.emplace_back(chosen);
    Dl_info self{};
    if (dladdr(reinterpret_cast<void *>(&bridgeVersion), &self) != 0 && self.dli_fname) {
        const std::string path = self.dli_fname;
        const std::size_t slash = path.rfind('/');
        all.push_back((slash == std::string::npos ? std::string() : path.substr(0, slash + 1))
                      + "libtuneline_torch.so");
    }
    return all;
}

std::string readFile(const std::string &path)
{
    std::string content;
    std::FILE *file = std::fopen(path.c_str(), "re");
    if (!file)
        return content;
    constexpr std::size_t kMost = 64U << 20;
    char part[65536];
    for (std::size_t got = 0; (got = std::fread(part, 1, sizeof part, file)) > 0 && content.size() < kMost;)
        content.append(part, got);
    std::fclose(file);
    return content;
}

// "1.13.1+cpu" → "1.13".
std::string majorMinor(const std::string &version)
{
    const std::size_t first = version.find('.');
    return first == std::string::npos ? version : version.substr(0, version.find_first_not_of("0123456789", first + 1));
}

} // namespace

std::string bridgeVersion(const std::string &path) noexcept
{
    try {
        const std::string content = readFile(path);
        const std::size_t at = content.find(kMarker);
        const std::size_t begin = at + sizeof kMarker - 1;
        const std::size_t end = at == std::string::npos ? at : content.find(';', begin);
        return end == std::string::npos || end - begin > 64 ? std::string() : content.substr(begin, end - begin);
    } catch (...) {
        return {};
    }
}

bool sameTorch(const std::string &a, const std::string &b) noexcept
{
    try {
        return !a.empty() && majorMinor(a) == majorMinor(b);
    } catch (...) {
        return false;
    }
}

bool Bridge::load(const TorchLibrary &torch)
{
    m_why = "no torch bridge was found";
    for (const std::string &path : candidates()) {
        const std::string built = bridgeVersion(path);
        if (built.empty())
            continue;
        if (!sameTorch(built, torch.version())) {
            m_why = "the torch bridge was built for LibTorch " + built + ", this process runs " + torch.version();
            continue;
        }
        const ForkGuard guard;
        void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            const char *error = dlerror();
            m_why = error ? error : "the torch bridge can't be loaded";
            continue;
        }
        m_start = reinterpret_cast<tuneline_torch_start_fn>(dlsym(library, "tuneline_torch_start"));
        m_stop = reinterpret_cast<tuneline_torch_stop_fn>(dlsym(library, "tuneline_torch_stop"));
        if (m_start && m_stop)
            return true;
    }
    return false;
}

bool Bridge::start(const TorchLibrary &torch) noexcept
{
    try {
        if (!torch.found() || !load(torch)) {
            logLine("torch bridge: %s", m_why.c_str());
            return false;
        }
    } catch (...) {
        return false;
    }
    const ForkGuard guard;
    m_running = m_start(&interfaceTable()) == 0;
    if (!m_running)
        m_why = "the torch bridge could not register its observer";
    return m_running;
}

void Bridge::stop() noexcept
{
    if (m_running) {
        const ForkGuard guard;
        m_stop();
    }
    m_running = false;
}

} // namespace tuneline::agent

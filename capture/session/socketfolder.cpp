// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/socketfolder.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

namespace tuneline::capture {

namespace fs = std::filesystem;

namespace {
// sockaddr_un::sun_path holds 108 bytes, and "/4194304.sock" comes on top of the folder.
constexpr std::size_t kLongestFolder = sizeof(sockaddr_un::sun_path) - sizeof("/4194304.sock");
} // namespace

std::vector<fs::path> socketFolders(const std::map<std::string, std::string> &environment, uid_t uid)
{
    std::vector<fs::path> folders;
    if (const auto it = environment.find("TUNELINE_SOCKET_DIR"); it != environment.end() && !it->second.empty())
        folders.emplace_back(it->second);
    if (const auto it = environment.find("XDG_RUNTIME_DIR"); it != environment.end() && !it->second.empty())
        folders.push_back(fs::path(it->second) / "tuneline");
    folders.push_back("/tmp/tuneline-" + std::to_string(uid));
    return folders;
}

fs::path ownSocketFolder()
{
    std::map<std::string, std::string> environment;
    for (const char *name : {"TUNELINE_SOCKET_DIR", "XDG_RUNTIME_DIR"}) {
        if (const char *value = std::getenv(name))
            environment.emplace(name, value);
    }
    return socketFolders(environment, geteuid()).front();
}

Result<void> prepareSocketFolder(const fs::path &folder)
{
    const auto advice = "Set TUNELINE_SOCKET_DIR to a short path of a folder that only you can write to.";
    if (folder.string().size() > kLongestFolder)
        return fail(Error::Code::LaunchFailed, "The path of the socket folder is too long: " + folder.string() + ".",
                    advice);
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        return fail(Error::Code::LaunchFailed, "Can't make " + folder.string() + ": " + std::strerror(errno) + ".",
                    advice);
    struct stat status
    { };
    if (lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid()
        || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return fail(Error::Code::NotPermitted, folder.string() + " isn't a folder of yours alone.", advice);
    return {};
}

std::vector<AgentSocket> socketsIn(const fs::path &folder)
{
    std::vector<AgentSocket> sockets;
    std::error_code error;
    for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator();
         it.increment(error)) {
        const fs::path &path = it->path();
        const std::string stem = path.stem();
        pid_t pid = 0;
        const auto [end, bad] = std::from_chars(stem.data(), stem.data() + stem.size(), pid);
        if (path.extension() == ".sock" && bad == std::errc() && end == stem.data() + stem.size() && pid > 0)
            sockets.push_back({pid, path});
    }
    std::sort(sockets.begin(), sockets.end(), [](const auto &a, const auto &b) { return a.pid < b.pid; });
    return sockets;
}

} // namespace tuneline::capture

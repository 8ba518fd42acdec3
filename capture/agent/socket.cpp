// SPDX-License-Identifier: MIT
#include "capture/agent/socket.h"

#include "capture/agent/log.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

namespace tuneline::agent {

namespace {

constexpr int kMaxStale = 256; // sockets looked at, at most: start-up stays cheap in a crowded directory

// The directory is ours and nobody else can write to it. $TUNELINE_SOCKET_DIR may be readable: the user chose it.
bool isPrivate(const std::string &directory) noexcept
{
    struct stat info
    { };
    return lstat(directory.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid()
        && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool makeAddress(const std::string &path, sockaddr_un &address) noexcept
{
    address = {};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return false;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return true;
}

enum class Answer { Alive, Refused, Unknown };

Answer probe(const std::string &path) noexcept
{
    sockaddr_un address;
    if (!makeAddress(path, address))
        return Answer::Unknown;
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return Answer::Unknown;
    const int result = connect(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address);
    const int error = result == 0 ? 0 : errno;
    close(fd);
    return error == 0 || error == EAGAIN ? Answer::Alive : error == ECONNREFUSED ? Answer::Refused : Answer::Unknown;
}

// Processes that were killed leave their socket behind: nobody answers there.
void removeStale(const std::string &directory) noexcept
{
    DIR *entries = opendir(directory.c_str());
    if (!entries)
        return;
    int looked = 0;
    while (const dirent *entry = readdir(entries)) {
        const std::string name = entry->d_name;
        const bool ours = name.size() > 5 && name.compare(name.size() - 5, 5, ".sock") == 0
            && name.find_first_not_of("0123456789") == name.size() - 5;
        if (!ours || ++looked > kMaxStale)
            continue;
        const std::string path = directory + '/' + name;
        if (probe(path) == Answer::Refused)
            unlink(path.c_str());
    }
    closedir(entries);
}

std::vector<std::string> candidates()
{
    std::vector<std::string> all;
    const char *chosen = std::getenv("TUNELINE_SOCKET_DIR");
    if (chosen && *chosen)
        all.emplace_back(chosen);
    const char *runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime && *runtime)
        all.push_back(std::string(runtime) + "/tuneline");
    all.push_back("/tmp/tuneline-" + std::to_string(geteuid()));
    return all;
}

} // namespace

int ListenSocket::listenIn(const std::string &directory) noexcept
{
    if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
        return errno;
    if (!isPrivate(directory))
        return EPERM;
    removeStale(directory);
    const std::string path = directory + '/' + std::to_string(getpid()) + ".sock";
    const std::string making = path + ".new";
    sockaddr_un address;
    if (!makeAddress(making, address))
        return ENAMETOOLONG;
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return errno;
    unlink(making.c_str());
    // fchmod before bind: the file is born 0600, without touching the process-wide umask. Under another name until it
    // listens, so that who finds <pid>.sock can connect.
    if (fchmod(fd, 0600) != 0 || bind(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0
        || ::listen(fd, 8) != 0 || rename(making.c_str(), path.c_str()) != 0) {
        const int error = errno;
        close(fd);
        unlink(making.c_str());
        return error;
    }
    m_fd = fd;
    m_path = path;
    logLine("listening on %s", path.c_str());
    return 0;
}

int ListenSocket::open() noexcept
{
    int error = ENOENT;
    try {
        for (const std::string &directory : candidates()) {
            error = listenIn(directory);
            if (error == 0)
                return 0;
            logLine("no socket in %s: %s", directory.c_str(), std::strerror(error));
        }
    } catch (...) {
        error = ENOMEM;
    }
    return error;
}

int ListenSocket::accept() noexcept
{
    const int fd = accept4(m_fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return -1;
    ucred peer{};
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0))
        return fd;
    logLine("refused a connection of user %u", peer.uid);
    close(fd);
    return -1;
}

void ListenSocket::remove() noexcept
{
    if (m_fd >= 0)
        unlink(m_path.c_str());
}

void ListenSocket::abandon() noexcept
{
    if (m_fd >= 0)
        close(m_fd);
    m_fd = -1;
}

} // namespace tuneline::agent

// SPDX-License-Identifier: MIT
#include "capture/agent/log.h"

#include "capture/agent/clock.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace tuneline::agent {

namespace {
const char *g_path = nullptr;
}

void openLog() noexcept
{
    const char *path = std::getenv("TUNELINE_AGENT_LOG");
    if (path && *path)
        g_path = path;
}

void logLine(const char *format, ...) noexcept
{
    if (!g_path)
        return;
    char line[1024];
    const int head = std::snprintf(line, sizeof line, "%lld [%d] ", static_cast<long long>(hostNow()), getpid());
    va_list arguments;
    va_start(arguments, format);
    const int tail = std::vsnprintf(line + head, sizeof line - static_cast<std::size_t>(head) - 1, format, arguments);
    va_end(arguments);
    if (tail < 0)
        return;
    auto length = static_cast<std::size_t>(head + tail);
    if (length > sizeof line - 2)
        length = sizeof line - 2;
    line[length++] = '\n';
    // Opened for each line: no descriptor of ours that a host might count, inherit or close.
    const int fd = open(g_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    [[maybe_unused]] const ssize_t written = write(fd, line, length);
    close(fd);
}

} // namespace tuneline::agent

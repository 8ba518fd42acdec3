// SPDX-License-Identifier: GPL-3.0-or-later
// What a process has loaded that matters to us, read from /proc/PID/maps before anybody touches it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tuneline::capture {

struct TargetLibraries
{
    std::optional<std::string> torch; // path of libtorch_cpu.so
    std::string torchVersion; // "1.13", from the file's name; "" = the name doesn't say
    std::optional<std::string> cuda; // path of libcuda.so.1
    std::optional<std::string> cupti;
    std::optional<std::string> agent;
    bool python = false; // libpython, or an interpreter that has it built in
    bool sanitizer = false; // AddressSanitizer's runtime
    bool libc = false; // glibc: without it (static, musl) nothing can be loaded into the process
};

// `maps` is the text of /proc/PID/maps. Pure: looks at nothing else.
[[nodiscard]] TargetLibraries findLibraries(std::string_view maps);

// Version of the LibTorch at this path: its name, its symlink's name, or torch/version.py of a Python wheel. `root` is
// /proc/PID/root for a process in a container. "" = not known.
[[nodiscard]] std::string torchVersionAt(const std::string &path, const std::string &root = {});

} // namespace tuneline::capture

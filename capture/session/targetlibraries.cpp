// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/targetlibraries.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

namespace tuneline::capture {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kDeleted = " (deleted)";

bool isVersion(std::string_view text)
{
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front()))
        && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) || c == '.'; });
}

// Is `file` the library `name` ("libcuda"), with or without a version: libcuda.so, libcuda.so.1, libcuda-1a2b3c.so.1
// (what auditwheel makes of it)? The version is returned, "" without one; nullopt for any other file.
std::optional<std::string> versionOf(std::string_view file, std::string_view name)
{
    if (file.substr(0, name.size()) != name)
        return std::nullopt;
    file.remove_prefix(name.size());
    if (!file.empty() && file.front() == '-') {
        const auto dot = file.find(".so");
        const auto hash = file.substr(1, dot == std::string_view::npos ? dot : dot - 1);
        const bool isHash = hash.size() == 8
            && std::all_of(hash.begin(), hash.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
        if (dot == std::string_view::npos || !isHash)
            return std::nullopt;
        file.remove_prefix(dot);
    }
    if (file.substr(0, 3) != ".so")
        return std::nullopt;
    file.remove_prefix(3);
    if (file.empty())
        return std::string();
    if (file.front() != '.' || !isVersion(file.substr(1)))
        return std::nullopt;
    return std::string(file.substr(1));
}

// The path of a line of maps: what follows the fifth column; it may hold spaces.
std::string_view pathOf(std::string_view line)
{
    std::size_t at = 0;
    for (int column = 0; column < 5; ++column) {
        at = line.find(' ', at);
        if (at == std::string_view::npos)
            return {};
        at = line.find_first_not_of(' ', at);
        if (at == std::string_view::npos)
            return {};
    }
    auto path = line.substr(at);
    if (path.size() > kDeleted.size() && path.substr(path.size() - kDeleted.size()) == kDeleted)
        path.remove_suffix(kDeleted.size()); // replaced on disk by an upgrade; still what the process runs
    return !path.empty() && path.front() == '/' ? path : std::string_view();
}

bool isPythonName(std::string_view file)
{
    if (file.substr(0, 9) == "libpython")
        return true;
    return file.substr(0, 6) == "python" && (file.size() == 6 || isVersion(file.substr(6)));
}

void look(std::string_view path, TargetLibraries &found)
{
    const auto file = path.substr(path.rfind('/') + 1);
    if (const auto version = versionOf(file, "libtorch_cpu"); version && !found.torch) {
        found.torch = path;
        found.torchVersion = *version;
    }
    if (!found.cuda && versionOf(file, "libcuda"))
        found.cuda = path;
    if (!found.cupti && versionOf(file, "libcupti"))
        found.cupti = path;
    if (!found.agent && versionOf(file, "libtuneline_agent"))
        found.agent = path;
    found.python = found.python || isPythonName(file);
    found.libc = found.libc || versionOf(file, "libc") == "6"
        || (file.substr(0, 7) == "libc-2." && file.find(".so") != std::string_view::npos); // glibc before 2.34
    found.sanitizer = found.sanitizer || versionOf(file, "libasan") || file.substr(0, 18) == "libclang_rt.asan-x"
        || file.substr(0, 18) == "libclang_rt.asan.s";
}

} // namespace

TargetLibraries findLibraries(std::string_view maps)
{
    TargetLibraries found;
    std::string_view last;
    while (!maps.empty()) {
        const auto end = std::min(maps.find('\n'), maps.size());
        const auto path = pathOf(maps.substr(0, end));
        maps.remove_prefix(std::min(end + 1, maps.size()));
        if (path.empty() || path == last)
            continue; // a library has four or five lines in a row
        last = path;
        look(path, found);
    }
    return found;
}

std::string torchVersionAt(const std::string &path, const std::string &root)
{
    const fs::path library = root + path;
    if (const auto version = versionOf(library.filename().string(), "libtorch_cpu"); version && !version->empty())
        return *version;
    std::error_code error;
    const auto real = fs::canonical(library, error);
    if (const auto version = versionOf(real.filename().string(), "libtorch_cpu");
        !error && version && !version->empty())
        return *version;
    // …/torch/lib/libtorch_cpu.so: the package says its version one folder up.
    std::ifstream in(library.parent_path().parent_path() / "version.py");
    static const std::regex kVersion(R"(^__version__\s*=\s*['"]([^'"]+)['"])");
    for (std::string line; std::getline(in, line);) {
        std::smatch match;
        if (std::regex_search(line, match, kVersion))
            return match[1];
    }
    return {};
}

} // namespace tuneline::capture

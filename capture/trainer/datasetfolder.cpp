// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/datasetfolder.h"

#include "capture/trainer/usererror.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace tuneline::trainer {
namespace fs = std::filesystem;
namespace {

Progress progressLine(const std::string &name)
{
    using Clock = std::chrono::steady_clock;
    return [name, last = Clock::time_point()](int64_t done, int64_t all) mutable {
        const auto now = Clock::now();
        if (done < all && now - last < std::chrono::milliseconds(200))
            return;
        last = now;
        const bool terminal = isatty(STDERR_FILENO) == 1;
        if (!terminal && done < all)
            return;
        std::fprintf(stderr, "%smaking %s: %lld of %lld%s", terminal ? "\r" : "", name.c_str(),
                     static_cast<long long>(done), static_cast<long long>(all), done == all ? "\n" : "");
    };
}

// Removes a half-made folder on every way out.
struct Scratch
{
    fs::path path;
    Scratch(const Scratch &) = delete;
    Scratch &operator=(const Scratch &) = delete;
    explicit Scratch(fs::path folder)
        : path(std::move(folder))
    { }
    ~Scratch()
    {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
};

void make(const fs::path &target, const FillFolder &fill, const Progress &progress)
{
    fs::create_directories(target.parent_path());
    std::string pattern = target.string() + ".partial-XXXXXX";
    if (!mkdtemp(pattern.data()))
        throw fs::filesystem_error("mkdtemp", pattern, std::error_code(errno, std::generic_category()));
    const Scratch scratch(pattern);
    fill(scratch.path, progress);
    fs::permissions(scratch.path,
                    fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read
                        | fs::perms::others_exec);
    std::error_code failed;
    fs::rename(scratch.path, target, failed);
    if (failed && !fs::is_directory(target)) // else another run was first, with the same content
        throw fs::filesystem_error("rename", scratch.path, target, failed);
}

} // namespace

fs::path datasetRoot(const std::string &directory)
{
    if (!directory.empty())
        return directory;
    const char *cache = std::getenv("XDG_CACHE_HOME");
    if (cache && *cache == '/') // the specification: relative paths are to be ignored
        return fs::path(cache) / "tuneline" / "datasets";
    const char *home = std::getenv("HOME");
    if (!home || !*home)
        usageError("neither XDG_CACHE_HOME nor HOME is set: say with --data where to keep the data set");
    return fs::path(home) / ".cache" / "tuneline" / "datasets";
}

fs::path ensureFolder(const fs::path &root, const std::string &name, const FillFolder &fill, bool showProgress)
{
    const fs::path target = root / name;
    try {
        if (!fs::is_directory(target))
            make(
                target, fill, showProgress ? progressLine(name) : [](int64_t, int64_t) {});
    } catch (const fs::filesystem_error &error) {
        throw UserError(ExitCode::Failed, std::string("can't make the data set: ") + error.what());
    }
    return target;
}

std::string readFile(const fs::path &path)
{
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    std::string bytes(file ? static_cast<size_t>(file.tellg()) : 0, '\0');
    if (!file || !file.seekg(0) || !file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
        throw UserError(ExitCode::CannotRead, "can't read " + path.string());
    return bytes;
}

void writeFile(const fs::path &path, const void *bytes, size_t size)
{
    std::ofstream file(path, std::ios::binary);
    if (!file.write(static_cast<const char *>(bytes), static_cast<std::streamsize>(size)) || !file.flush())
        throw UserError(ExitCode::Failed, "can't write " + path.string());
}

} // namespace tuneline::trainer

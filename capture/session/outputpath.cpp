// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/outputpath.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <system_error>
#include <unistd.h>

namespace tuneline::capture {

namespace fs = std::filesystem;

namespace {

constexpr std::array kRunners{"python",    "torchrun", "mpirun", "mpiexec", "srun", "accelerate",
                              "deepspeed", "env",      "nice",   "sh",      "bash"};

bool isRunner(const std::string &name)
{
    return std::any_of(kRunners.begin(), kRunners.end(), [&](std::string_view runner) {
        if (name.compare(0, runner.size(), runner) != 0)
            return false;
        // python3, python3.11: a version may follow, other letters make another program.
        return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(runner.size()), name.end(),
                           [](unsigned char c) { return std::isdigit(c) || c == '.'; });
    });
}

bool holdsOnlyCaptures(const fs::path &folder)
{
    std::error_code ignored;
    for (const auto &entry : fs::directory_iterator(folder, ignored)) {
        if (entry.path().extension() != ".tlc" || !entry.is_regular_file(ignored))
            return false;
    }
    return true;
}

Result<void> makeRoom(const fs::path &path, bool force)
{
    std::error_code error;
    const auto status = fs::symlink_status(path, error);
    if (!fs::exists(status))
        return {};
    if (!force)
        return fail(Error::Code::OutputExists, path.string() + " already exists.",
                    "Choose another name with --out, or replace it with --force.");
    if (fs::is_directory(status) && !holdsOnlyCaptures(path))
        return fail(Error::Code::OutputExists, path.string() + " is a folder with other files in it; it is left alone.",
                    "Choose another name with --out.");
    if (!fs::is_directory(status) && !fs::is_regular_file(status))
        return fail(Error::Code::OutputExists, path.string() + " is neither a file nor a folder; it is left alone.",
                    "Choose another name with --out.");
    fs::remove_all(path, error);
    if (error)
        return fail(Error::Code::OutputUnwritable, "Can't remove " + path.string() + ": " + error.message() + ".");
    return {};
}

} // namespace

std::string programName(const std::vector<std::string> &commandLine)
{
    if (commandLine.empty())
        return "capture";
    const std::string first = fs::path(commandLine.front()).filename();
    if (!isRunner(first))
        return first;
    for (auto it = commandLine.begin() + 1; it != commandLine.end(); ++it) {
        const fs::path path(*it);
        if (!it->empty() && it->front() != '-' && (path.extension() == ".py" || path.extension() == ".sh"))
            return path.stem();
    }
    return first;
}

fs::path defaultOutput(const std::string &program)
{
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    std::array<char, 32> stamp{};
    std::strftime(stamp.data(), stamp.size(), "%Y%m%d-%H%M%S", &local);
    std::string name = fs::path(program).filename();
    if (name.empty())
        name = "capture";
    return name + '-' + stamp.data() + ".tlc";
}

namespace {

Result<fs::path> writablePlace(const fs::path &out)
{
    std::error_code error;
    const fs::path path = fs::absolute(out, error).lexically_normal();
    if (error || path.filename().empty())
        return fail(Error::Code::OutputUnwritable, "\"" + out.string() + "\" is no name for a capture.",
                    "Give a file name, for example --out run.tlc.");
    const fs::path folder = path.parent_path();
    if (!fs::is_directory(folder, error))
        return fail(Error::Code::OutputUnwritable, "There is no folder " + folder.string() + ".", "Make it first.");
    if (access(folder.c_str(), W_OK | X_OK) != 0)
        return fail(Error::Code::OutputUnwritable, "Nothing can be written into " + folder.string() + ".",
                    "Choose another place with --out.");
    if (path.string().size() >= 1000) // ArmMessage::path holds 1024 bytes, "/rankN.tlc" comes on top
        return fail(Error::Code::OutputUnwritable, "The path of the capture is too long.", "Choose a shorter one.");
    return path;
}

} // namespace

Result<fs::path> prepareOutput(const fs::path &out, bool force)
{
    auto path = writablePlace(out);
    if (!path)
        return path;
    return makeRoom(*path, force).map([&] { return *path; });
}

Result<fs::path> prepareOutput(const CapturePlan &plan, const EnvironmentMap &environment)
{
    std::error_code error;
    if (!plan.join || !fs::is_directory(plan.out, error))
        return prepareOutput(plan.out, plan.force);
    auto path = writablePlace(plan.out);
    if (path && !holdsOnlyCaptures(*path))
        return fail(Error::Code::OutputExists, path->string() + " is a folder with other files in it.",
                    "Choose another name with --out.");
    const auto rank = rankIn(environment);
    if (path && rank && !plan.force && fs::exists(*path / ("rank" + std::to_string(*rank) + ".tlc"), error))
        return fail(Error::Code::OutputExists,
                    path->string() + " holds a capture of rank " + std::to_string(*rank) + " already.",
                    "Choose another name with --out, or replace it with --force.");
    return path;
}

} // namespace tuneline::capture

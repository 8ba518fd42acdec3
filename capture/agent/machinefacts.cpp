// SPDX-License-Identifier: MIT
#include "capture/agent/machinefacts.h"

#include "capture/agent/readfile.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <vector>

namespace tuneline::agent {

namespace {

// mountinfo writes blanks and the like as \ooo.
std::string unescaped(std::string_view text)
{
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto octal = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '7'; };
        if (text[i] == '\\' && octal(i + 1) && octal(i + 2) && octal(i + 3)) {
            const int code = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
            plain.push_back(static_cast<char>(code));
            i += 3;
        } else {
            plain.push_back(text[i]);
        }
    }
    return plain;
}

std::vector<std::string_view> words(std::string_view line)
{
    std::vector<std::string_view> found;
    while (!line.empty()) {
        const std::size_t end = std::min(line.find(' '), line.size());
        if (end > 0)
            found.push_back(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return found;
}

std::vector<Mount> mounts()
{
    std::vector<Mount> found;
    const std::string text = readFile("/proc/self/mountinfo");
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        Mount mount;
        if (parseMount(std::string_view(text).substr(at, end - at), mount))
            found.push_back(std::move(mount));
        at = end + 1;
    }
    return found;
}

bool liesBelow(const std::string &path, const std::string &point)
{
    return point == "/"
        || (path.compare(0, point.size(), point) == 0 && (path.size() == point.size() || path[point.size()] == '/'));
}

// The latest of the deepest: a later mount hides an earlier one. Btrfs gives files another device number than the mount
// has, so the number alone doesn't do.
const Mount *mountOf(const std::vector<Mount> &all, const std::string &path)
{
    const Mount *best = nullptr;
    for (const Mount &mount : all) {
        if (liesBelow(path, mount.point) && (!best || mount.point.size() >= best->point.size()))
            best = &mount;
    }
    return best;
}

// 1 rotating, 0 not, −1 not known. A partition has no queue of its own, its disk has.
int rotational(const Mount &mount)
{
    // A virtual machine's disk always says 1, whatever the host has.
    if (mount.device.compare(0, 7, "/dev/vd") == 0 || mount.device.compare(0, 8, "/dev/xvd") == 0)
        return -1;
    for (const char *queue : {"queue", "../queue"}) {
        char path[96];
        std::snprintf(path, sizeof path, "/sys/dev/block/%u:%u/%s/rotational", mount.major, mount.minor, queue);
        const std::string text = readFile(path);
        if (!text.empty())
            return text[0] == '1' ? 1 : 0;
    }
    return -1;
}

struct Place
{
    const char *use;
    std::string path;
};

// The capture, the folder the program runs in, and what its arguments name: one of them is the data.
std::vector<Place> places(const std::string &output)
{
    std::vector<Place> found;
    const std::size_t slash = output.rfind('/');
    found.push_back({"output", slash == std::string::npos ? "." : output.substr(0, slash + 1)});
    found.push_back({"folder", "."});
    const std::string line = readFile("/proc/self/cmdline");
    for (std::size_t at = 0; at < line.size() && found.size() < 32;) {
        const std::size_t end = std::min(line.find('\0', at), line.size());
        std::string argument = line.substr(at, end - at);
        at = end + 1;
        const std::size_t equals = argument.compare(0, 2, "--") == 0 ? argument.find('=') : std::string::npos;
        if (equals != std::string::npos)
            argument.erase(0, equals + 1);
        if (argument.find('/') != std::string::npos && access(argument.c_str(), F_OK) == 0)
            found.push_back({"argument", argument});
    }
    return found;
}

void writeDisk(JsonWriter &json, const Place &place, const std::string &path, const Mount &mount)
{
    json.beginObject();
    json.text("use", place.use);
    json.text("path", path);
    json.text("mount", mount.point);
    json.text("device", mount.device);
    json.text("fs", mount.type);
    if (const int turns = rotational(mount); turns >= 0)
        json.boolean("rotational", turns == 1);
    struct statvfs space
    { };
    if (statvfs(path.c_str(), &space) == 0) {
        json.number("total_bytes", static_cast<std::int64_t>(space.f_blocks * space.f_frsize));
        json.number("free_bytes", static_cast<std::int64_t>(space.f_bavail * space.f_frsize));
    }
    json.endObject();
}

void writeDisks(JsonWriter &json, const std::string &output)
{
    const std::vector<Mount> all = mounts();
    std::set<std::string> told; // mount points of one use
    json.beginArray("disks");
    for (const Place &place : places(output)) {
        char path[4096];
        if (!realpath(place.path.c_str(), path))
            continue;
        const Mount *mount = mountOf(all, path);
        // The program's own file and the like say nothing new about a disk that is listed already.
        if (mount && (told.insert(mount->point).second || std::strcmp(place.use, "argument") != 0))
            writeDisk(json, place, path, *mount);
    }
    json.endArray();
}

// "max" means none.
void writeLimits(JsonWriter &json)
{
    long long quota = 0;
    long long period = 0;
    if (std::sscanf(readFile("/sys/fs/cgroup/cpu.max").c_str(), "%lld %lld", &quota, &period) == 2 && period > 0)
        json.real("cpu_quota_cores", static_cast<double>(quota) / static_cast<double>(period));
    if (long long bytes = 0; std::sscanf(readFile("/sys/fs/cgroup/memory.max").c_str(), "%lld", &bytes) == 1)
        json.number("memory_limit_bytes", bytes);
}

} // namespace

bool parseMount(std::string_view line, Mount &mount)
{
    const auto all = words(line);
    std::size_t dash = 6; // optional fields stand before it
    while (dash < all.size() && all[dash] != "-")
        ++dash;
    if (dash + 2 >= all.size() || std::sscanf(std::string(all[2]).c_str(), "%u:%u", &mount.major, &mount.minor) != 2)
        return false;
    mount.point = unescaped(all[4]);
    mount.type = all[dash + 1];
    mount.device = unescaped(all[dash + 2]);
    return true;
}

void writeMachineFacts(JsonWriter &json, const std::string &output)
{
    double load[3] = {};
    if (getloadavg(load, 3) == 3) {
        json.beginArray("load_average");
        for (const double value : load)
            json.real({}, value);
        json.endArray();
    }
    const std::string memory = readFile("/proc/meminfo");
    const std::size_t at = memory.find("MemAvailable:");
    if (long long kib = 0; at != std::string::npos && std::sscanf(memory.c_str() + at, "MemAvailable: %lld", &kib) == 1)
        json.number("memory_available_bytes", kib * 1024);
    std::string governor = readFile("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    while (!governor.empty() && governor.back() == '\n')
        governor.pop_back();
    if (!governor.empty())
        json.text("cpu_governor", governor);
    writeLimits(json);
    writeDisks(json, output);
}

} // namespace tuneline::agent

// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/procfs.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

namespace tuneline::capture {

namespace fs = std::filesystem;

namespace {

std::optional<std::string> readAll(const fs::path &file)
{
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return std::nullopt;
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (in.bad())
        return std::nullopt;
    return text;
}

template <typename T> bool parseNumber(std::string_view text, T &value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

std::vector<std::string> splitAtZeros(const std::string &text)
{
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, '\0');)
        parts.push_back(part);
    return parts;
}

// "12 (a name) with ) in it) S 1 …": the name ends at the last bracket, whatever is in it.
bool parseStat(const std::string &stat, ProcessFacts &facts)
{
    const auto open = stat.find('(');
    const auto close = stat.rfind(')');
    if (open == std::string::npos || close == std::string::npos || close < open)
        return false;
    facts.name = stat.substr(open + 1, close - open - 1);
    std::istringstream rest(stat.substr(close + 1));
    std::vector<std::string> fields{std::istream_iterator<std::string>(rest), {}};
    constexpr std::size_t kState = 0, kParent = 1, kStart = 19; // fields 3, 4 and 22 of proc(5)
    if (fields.size() <= kStart)
        return false;
    facts.state = fields[kState].front();
    return parseNumber(fields[kParent], facts.parent) && parseNumber(fields[kStart], facts.start);
}

// Lines "Uid:\treal\teffective\t…" and "NSpid:\touter\t…\tinner".
void parseStatus(const std::string &status, ProcessFacts &facts)
{
    std::istringstream in(status);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string key;
        words >> key;
        if (key == "Uid:") {
            uid_t real = 0;
            words >> real >> facts.uid;
        } else if (key == "NSpid:") {
            for (pid_t pid = 0; words >> pid;)
                facts.innerPid = pid;
        }
    }
}

} // namespace

ProcFs::ProcFs(fs::path root)
    : m_root(std::move(root))
{ }

fs::path ProcFs::path(pid_t pid, const std::string &name) const
{
    return m_root / std::to_string(pid) / name;
}

std::vector<pid_t> ProcFs::processes() const
{
    std::vector<pid_t> pids;
    std::error_code error;
    for (auto it = fs::directory_iterator(m_root, error); !error && it != fs::directory_iterator();
         it.increment(error)) {
        pid_t pid = 0;
        if (parseNumber(it->path().filename().string(), pid) && pid > 0)
            pids.push_back(pid);
    }
    std::sort(pids.begin(), pids.end());
    return pids;
}

std::optional<ProcessFacts> ProcFs::facts(pid_t pid) const
{
    ProcessFacts facts;
    facts.pid = facts.innerPid = pid;
    const auto stat = readAll(path(pid, "stat"));
    const auto status = readAll(path(pid, "status"));
    if (!stat || !status || !parseStat(*stat, facts))
        return std::nullopt;
    parseStatus(*status, facts);
    return facts;
}

std::vector<std::string> ProcFs::commandLine(pid_t pid) const
{
    return splitAtZeros(readAll(path(pid, "cmdline")).value_or(""));
}

std::map<std::string, std::string> ProcFs::environment(pid_t pid) const
{
    std::map<std::string, std::string> variables;
    for (const auto &entry : splitAtZeros(readAll(path(pid, "environ")).value_or(""))) {
        const auto equals = entry.find('=');
        if (equals != std::string::npos)
            variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
    return variables;
}

std::optional<std::string> ProcFs::maps(pid_t pid) const
{
    return readAll(path(pid, "maps"));
}

fs::path ProcFs::link(pid_t pid, const std::string &name) const
{
    std::error_code error;
    const auto target = fs::read_symlink(path(pid, name), error);
    return error ? fs::path() : target;
}

bool ProcFs::alive(pid_t pid) const
{
    const auto known = facts(pid);
    return known && known->state != 'Z' && known->state != 'X';
}

bool ProcFs::descends(pid_t pid, pid_t ancestor) const
{
    // A pid may be reused between two readings, so the chain is cut at a length that no real tree has.
    for (int level = 0; level < 64 && pid > 1; ++level) {
        if (pid == ancestor)
            return true;
        const auto known = facts(pid);
        if (!known)
            return false;
        pid = known->parent;
    }
    return pid == ancestor;
}

int ProcFs::ptraceScope() const
{
    std::ifstream in(m_root / "sys/kernel/yama/ptrace_scope");
    int scope = 0;
    return in >> scope ? scope : 0;
}

} // namespace tuneline::capture

// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/elfneeds.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace tuneline::capture {

namespace fs = std::filesystem;

namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#endif

constexpr std::size_t kMostEntries = 4096; // of a table; more is no real file
constexpr std::size_t kLongestName = 512;

template <typename T> std::vector<T> readTable(std::ifstream &in, std::uint64_t offset, std::size_t count)
{
    std::vector<T> table(std::min(count, kMostEntries));
    in.clear();
    in.seekg(static_cast<std::streamoff>(offset));
    in.read(reinterpret_cast<char *>(table.data()), static_cast<std::streamsize>(table.size() * sizeof(T)));
    table.resize(static_cast<std::size_t>(in.gcount()) / sizeof(T));
    return table;
}

std::uint64_t fileOffset(const std::vector<Elf64_Phdr> &segments, std::uint64_t address)
{
    for (const auto &segment : segments) {
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
            return address - segment.p_vaddr + segment.p_offset;
    }
    return 0;
}

std::string readName(std::ifstream &in, std::uint64_t offset)
{
    const auto bytes = readTable<char>(in, offset, kLongestName);
    return {bytes.begin(), std::find(bytes.begin(), bytes.end(), '\0')};
}

void readNeeded(std::ifstream &in, const std::vector<Elf64_Phdr> &segments, const Elf64_Phdr &dynamic, ElfFacts &facts)
{
    const auto entries = readTable<Elf64_Dyn>(in, dynamic.p_offset, dynamic.p_filesz / sizeof(Elf64_Dyn));
    const auto strings =
        std::find_if(entries.begin(), entries.end(), [](const auto &e) { return e.d_tag == DT_STRTAB; });
    if (strings == entries.end())
        return;
    const auto base = fileOffset(segments, strings->d_un.d_ptr);
    for (const auto &entry : entries) {
        if (entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_NEEDED && base != 0)
            facts.needed.push_back(readName(in, base + entry.d_un.d_val));
    }
}

bool isExecutable(const fs::path &path)
{
    std::error_code error;
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

} // namespace

std::optional<ElfFacts> readElf(const fs::path &file)
{
    std::ifstream in(file, std::ios::binary);
    const auto headers = readTable<Elf64_Ehdr>(in, 0, 1);
    if (headers.empty() || std::memcmp(headers[0].e_ident, ELFMAG, SELFMAG) != 0)
        return std::nullopt;
    ElfFacts facts;
    facts.native = headers[0].e_ident[EI_CLASS] == ELFCLASS64 && headers[0].e_machine == kMachine;
    if (!facts.native || headers[0].e_phentsize != sizeof(Elf64_Phdr))
        return facts;
    const auto segments = readTable<Elf64_Phdr>(in, headers[0].e_phoff, headers[0].e_phnum);
    for (const auto &segment : segments) {
        facts.dynamic = facts.dynamic || segment.p_type == PT_INTERP;
        if (segment.p_type == PT_DYNAMIC)
            readNeeded(in, segments, segment, facts);
    }
    return facts;
}

std::string sanitizerOf(const ElfFacts &elf)
{
    for (const auto &name : elf.needed) {
        if (name.compare(0, 10, "libasan.so") == 0 || name.find("clang_rt.asan") != std::string::npos)
            return name;
    }
    return {};
}

std::optional<fs::path> findProgram(const std::string &name, const std::string &searchPath, const fs::path &folder)
{
    if (name.find('/') != std::string::npos) {
        const fs::path path = folder / name; // an absolute name stands alone
        return isExecutable(path) ? std::optional(path) : std::nullopt;
    }
    std::istringstream in(searchPath);
    for (std::string part; std::getline(in, part, ':');) {
        const fs::path path = folder / part / name;
        if (!name.empty() && isExecutable(path))
            return path;
    }
    return std::nullopt;
}

} // namespace tuneline::capture

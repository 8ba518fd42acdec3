// SPDX-License-Identifier: GPL-3.0-or-later
// What an executable says about itself before it runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tuneline::capture {

struct ElfFacts
{
    bool native = false; // 64-bit, of this machine's kind: our agent can be loaded
    bool dynamic = false; // has an interpreter: LD_PRELOAD has an effect
    std::vector<std::string> needed; // sonames
};

// nullopt: no ELF file (a script), or not readable.
[[nodiscard]] std::optional<ElfFacts> readElf(const std::filesystem::path &file);
// Soname of the AddressSanitizer runtime among `needed`, "" = none.
[[nodiscard]] std::string sanitizerOf(const ElfFacts &elf);
// Looks a program up as execvp does. nullopt: not found.
[[nodiscard]] std::optional<std::filesystem::path> findProgram(const std::string &name, const std::string &searchPath,
                                                               const std::filesystem::path &folder);

} // namespace tuneline::capture

// SPDX-License-Identifier: MIT
#include "capture/agent/readfile.h"

#include <cstdio>

namespace tuneline::agent {

std::string readFile(const char *path)
{
    std::string text;
    std::FILE *file = std::fopen(path, "re");
    if (!file)
        return text;
    char part[4096];
    for (std::size_t got = 0; (got = std::fread(part, 1, sizeof part, file)) > 0 && text.size() < (1U << 20);)
        text.append(part, got);
    std::fclose(file);
    return text;
}

} // namespace tuneline::agent

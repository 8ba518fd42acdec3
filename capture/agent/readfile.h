// SPDX-License-Identifier: MIT
// A small file of /proc or /sys as text. Our own threads.
#pragma once

#include <string>

namespace tuneline::agent {

// "" where it can't be read. At most a megabyte.
std::string readFile(const char *path);

} // namespace tuneline::agent

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/importers/opened.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    tuneline::test::openBytes(data, size, std::string("TUNELINE\x01\0\0\0\x10\0\0\0", 16));
    return 0;
}

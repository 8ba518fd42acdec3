// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/importers/opened.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    tuneline::test::openBytes(data, size);
    return 0;
}

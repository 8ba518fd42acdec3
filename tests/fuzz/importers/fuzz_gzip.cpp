// SPDX-License-Identifier: GPL-3.0-or-later
// A gzip stream is given as it is (its check sums stop most mutations early), or the input is packed into members of
// sizes that it chooses itself, so that what is inside and where members end are both explored.
#include "tests/fuzz/importers/opened.h"

#include <zlib.h>

namespace {

std::string member(std::string_view text)
{
    std::string out(compressBound(text.size()) + 64, '\0');
    z_stream stream{};
    deflateInit2(&stream, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data())); // zlib does not write there
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef *>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(out.size() - stream.avail_out);
    deflateEnd(&stream);
    return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char *>(data), size);
    if (bytes.starts_with("\x1F\x8B") || size < 2) {
        tuneline::test::openBytes(data, size);
        return 0;
    }
    const std::size_t first = data[0] * (size - 1) / 256;
    std::string packed = member(bytes.substr(1, first)) + member(bytes.substr(1 + first));
    packed.resize(packed.size() - (data[1] < 32 ? data[1] % packed.size() : 0)); // cut short now and then
    tuneline::test::openBytes(reinterpret_cast<const std::uint8_t *>(packed.data()), packed.size());
    return 0;
}

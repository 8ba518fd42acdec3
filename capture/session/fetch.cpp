// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/fetch.h"

#include "capture/format/frames.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <openssl/evp.h>
#include <system_error>

namespace tuneline::capture {

Result<FilePiece> fetchPiece(const std::string &path, std::uint64_t offset, std::uint64_t bytes)
{
    const auto failed = [&](const std::string &why) {
        return fail(Error::Code::ReadFailed, "Can't read " + path + ": " + why);
    };
    std::error_code error;
    FilePiece piece;
    if (!std::filesystem::is_regular_file(path, error))
        return failed("it is no file.");
    piece.size = std::filesystem::file_size(path, error);
    std::ifstream in(path, std::ios::binary);
    std::array<char, format::kMagic.size()> magic{};
    if (error || !in)
        return failed("not permitted.");
    if (!in.read(magic.data(), magic.size()) || magic != format::kMagic)
        return failed("it is no capture.");
    piece.offset = std::min(offset, piece.size);
    piece.bytes.resize(static_cast<std::size_t>(std::min({bytes, kLargestPiece, piece.size - piece.offset})));
    in.seekg(static_cast<std::streamoff>(piece.offset));
    in.read(piece.bytes.data(), static_cast<std::streamsize>(piece.bytes.size()));
    piece.bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
    return piece;
}

std::string toBase64(std::string_view bytes)
{
    std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0'); // OpenSSL adds a zero
    const int length =
        EVP_EncodeBlock(reinterpret_cast<unsigned char *>(text.data()),
                        reinterpret_cast<const unsigned char *>(bytes.data()), static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(std::max(0, length)));
    return text;
}

} // namespace tuneline::capture

// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/trainer/image.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <turbojpeg.h>

namespace tuneline::trainer {
namespace {

struct DestroyHandle
{
    void operator()(void *handle) const { tjDestroy(handle); }
};
using Handle = std::unique_ptr<void, DestroyHandle>;

struct FreeBuffer
{
    void operator()(unsigned char *buffer) const { tjFree(buffer); }
};

[[noreturn]] void throwError(tjhandle handle)
{
    throw std::runtime_error(std::string("JPEG: ") + tjGetErrorStr2(handle));
}

} // namespace

std::vector<uint8_t> encodeJpeg(const Image &image, int quality)
{
    const Handle handle(tjInitCompress());
    unsigned char *buffer = nullptr;
    unsigned long size = 0;
    const int failed = tjCompress2(handle.get(), image.rgb.data(), image.width, 0, image.height, TJPF_RGB, &buffer,
                                   &size, TJSAMP_420, quality, TJFLAG_ACCURATEDCT);
    const std::unique_ptr<unsigned char, FreeBuffer> owner(buffer);
    if (failed)
        throwError(handle.get());
    return {buffer, buffer + size};
}

Image decodeJpeg(const std::vector<uint8_t> &bytes)
{
    // A handle holds tables and buffers that are worth keeping; libturbojpeg wants one per thread.
    thread_local Handle kept;
    // Not kept after an error: 2.1.5 then reads the next header as empty (width 0) and reports success.
    Handle handle = kept ? std::move(kept) : Handle(tjInitDecompress());
    Image image;
    int subsampling = 0;
    int colourSpace = 0;
    if (tjDecompressHeader3(handle.get(), bytes.data(), bytes.size(), &image.width, &image.height, &subsampling,
                            &colourSpace)
        != 0)
        throwError(handle.get());
    image.rgb.resize(3 * static_cast<size_t>(image.width) * static_cast<size_t>(image.height));
    // The accurate transform, as torchvision and Pillow decode: the fast one differs visibly at high quality.
    // A warning (truncated data) counts as an error: half a grey picture is not a sample.
    if (tjDecompress2(handle.get(), bytes.data(), bytes.size(), image.rgb.data(), image.width, 0, image.height,
                      TJPF_RGB, TJFLAG_ACCURATEDCT)
        != 0)
        throwError(handle.get());
    kept = std::move(handle);
    return image;
}

} // namespace tuneline::trainer

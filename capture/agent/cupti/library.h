// SPDX-License-Identifier: MIT
// libcupti, found at run time: the copy that the process has mapped already, else the one beside its LibTorch, else the
// system's. A second copy would collide with the first as a second subscriber, so the order matters. Never unloaded.
#pragma once

#include "capture/agent/cupti/layout.h"

#include <cstdint>
#include <string>

namespace tuneline::agent::cupti {

using RequestFunction = void (*)(std::uint8_t **buffer, std::size_t *size, std::size_t *maxRecords);
using CompleteFunction = void (*)(void *context, std::uint32_t stream, std::uint8_t *buffer, std::size_t size,
                                  std::size_t validSize);
using CallbackFunction = void (*)(void *user, std::uint32_t domain, std::uint32_t callback, const void *data);

// Function pointers under their CUPTI names. Those behind the gap may be null: they came later than 11.0.
struct Library
{
    void *handle = nullptr;
    std::string path;
    std::uint32_t version = 0;

    int (*getVersion)(std::uint32_t *) = nullptr;
    int (*getResultString)(int, const char **) = nullptr;
    int (*getTimestamp)(std::uint64_t *) = nullptr;
    int (*subscribe)(void **, CallbackFunction, void *) = nullptr;
    int (*unsubscribe)(void *) = nullptr;
    int (*getCallbackName)(std::uint32_t, std::uint32_t, const char **) = nullptr;
    int (*registerCallbacks)(RequestFunction, CompleteFunction) = nullptr;
    int (*enable)(std::uint32_t) = nullptr;
    int (*disable)(std::uint32_t) = nullptr;
    int (*flushAll)(std::uint32_t) = nullptr;
    int (*getNextRecord)(std::uint8_t *, std::size_t, void **) = nullptr;
    int (*getNumDroppedRecords)(void *, std::uint32_t, std::size_t *) = nullptr;
    int (*setAttribute)(std::uint32_t, std::size_t *, void *) = nullptr;

    int (*setThreadIdType)(std::uint32_t) = nullptr;
    int (*subscribeV2)(void **, CallbackFunction, void *, SubscriberParams *) = nullptr;
    int (*enableRuntimeApi)(std::uint32_t, std::uint8_t) = nullptr;
    int (*enableDriverApi)(std::uint32_t, std::uint8_t) = nullptr;

    // The text of a CUPTI result.
    [[nodiscard]] std::string describe(int result) const;
};

// This process uses CUDA (libcuda is mapped, or TUNELINE_CUPTI_LIBRARY stands in for it).
bool cudaIsHere() noexcept;

// The process's library, loaded once; nullptr and a message if there is none that is fit for use. Control thread only.
// torchPath: path of libtorch_cpu, "" = none.
const Library *load(const std::string &torchPath, std::string &message) noexcept;

} // namespace tuneline::agent::cupti

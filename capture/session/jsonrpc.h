// SPDX-License-Identifier: GPL-3.0-or-later
// JSON-RPC 2.0 messages, one a line (PROTOCOL.md). Texts in, texts out; no I/O.
#pragma once

#include "capture/session/result.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace tuneline::capture {

namespace RpcError {
inline constexpr int kParse = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601, kInvalidParams = -32602,
                     kInternal = -32603;
}

struct RpcRequest
{
    nlohmann::json id; // null in a notification: no answer is wanted
    bool notification = false;
    std::string method;
    nlohmann::json params = nlohmann::json::object();
};

// The error is the whole response line for the client.
[[nodiscard]] tl::expected<RpcRequest, std::string> parseRequest(std::string_view line);

// Lines without their end.
[[nodiscard]] std::string makeResult(const nlohmann::json &id, const nlohmann::json &result);
[[nodiscard]] std::string makeError(const nlohmann::json &id, int code, std::string_view name, std::string_view message,
                                    std::string_view advice = {});
[[nodiscard]] std::string makeError(const nlohmann::json &id, const Error &error);
[[nodiscard]] std::string makeNotification(std::string_view method, const nlohmann::json &params);

} // namespace tuneline::capture

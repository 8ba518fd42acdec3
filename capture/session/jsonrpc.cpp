// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture/session/jsonrpc.h"

#include "capture/session/sessionjson.h"

namespace tuneline::capture {

using nlohmann::json;

namespace {

constexpr std::size_t kDeepest = 64;

// Nesting beyond any message of ours would only be there to exhaust the stack of a recursive parser or destructor.
json parseShallow(std::string_view text)
{
    bool tooDeep = false;
    const auto check = [&tooDeep](int depth, json::parse_event_t, json &) {
        tooDeep = tooDeep || depth > static_cast<int>(kDeepest);
        return !tooDeep;
    };
    auto document = json::parse(text, check, false);
    return tooDeep ? json(json::value_t::discarded) : document;
}

bool validId(const json &id)
{
    return id.is_string() || id.is_number() || id.is_null();
}

} // namespace

tl::expected<RpcRequest, std::string> parseRequest(std::string_view line)
{
    const auto invalid = [](const json &id, std::string_view what) {
        return tl::make_unexpected(makeError(id, RpcError::kInvalidRequest, "invalid-request", what));
    };
    const json document = parseShallow(line);
    if (document.is_discarded())
        return tl::make_unexpected(makeError(nullptr, RpcError::kParse, "parse-error", "The line is no JSON."));
    if (document.is_array())
        return invalid(nullptr, "Batches are not supported: send one request a line.");
    if (!document.is_object())
        return invalid(nullptr, "A request is a JSON object.");
    RpcRequest request;
    const auto id = document.find("id");
    request.notification = id == document.end();
    if (!request.notification && !validId(*id))
        return invalid(nullptr, "The id of a request is a number or a text.");
    if (!request.notification)
        request.id = *id;
    const auto version = document.find("jsonrpc");
    if (version == document.end() || *version != "2.0")
        return invalid(request.id, "This is no JSON-RPC 2.0 request: \"jsonrpc\" must be \"2.0\".");
    const auto method = document.find("method");
    if (method == document.end() || !method->is_string())
        return invalid(request.id, "A request names its method.");
    request.method = method->get<std::string>();
    if (const auto params = document.find("params"); params != document.end()) {
        if (!params->is_object())
            return tl::make_unexpected(makeError(request.id, RpcError::kInvalidParams, "invalid-params",
                                                 "Parameters go by name, in an object."));
        request.params = *params;
    }
    return request;
}

std::string makeResult(const json &id, const json &result)
{
    return dumpJson({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}

std::string makeError(const json &id, int code, std::string_view name, std::string_view message,
                      std::string_view advice)
{
    return dumpJson(
        {{"jsonrpc", "2.0"},
         {"id", id},
         {"error", {{"code", code}, {"message", message}, {"data", {{"name", name}, {"advice", advice}}}}}});
}

std::string makeError(const json &id, const Error &error)
{
    return makeError(id, static_cast<int>(error.code), errorName(error.code), error.message, error.advice);
}

std::string makeNotification(std::string_view method, const json &params)
{
    return dumpJson({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

} // namespace tuneline::capture

// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the parameters of a request and says in words what is wrong with them.
#pragma once

#include "capture/session/captureplan.h"
#include "capture/session/launchenvironment.h"
#include "capture/session/result.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tuneline::capture {

class RpcParams
{
public:
    explicit RpcParams(const nlohmann::json &params)
        : m_params(params)
    { }
    // Each takes what is there, or the default where the key is missing or null. The first wrong one is kept in
    // error().
    [[nodiscard]] bool flag(const char *key, bool otherwise);
    [[nodiscard]] std::int64_t number(const char *key, std::int64_t otherwise, std::int64_t least, std::int64_t most);
    [[nodiscard]] std::string text(const char *key, const std::string &otherwise = {});
    [[nodiscard]] std::vector<std::string> texts(const char *key);
    // `base` with the changes of the object "env".
    [[nodiscard]] Environment environment(const char *key, Environment base);
    // warmup, steps, seconds, detail, out, force. `name` names the file where "out" doesn't.
    [[nodiscard]] CapturePlan plan(const std::string &name);

    [[nodiscard]] const std::string &error() const noexcept { return m_error; } // "" = all was right

private:
    [[nodiscard]] const nlohmann::json *find(const char *key) const;
    void wrong(const char *key, const std::string &expected);

    const nlohmann::json &m_params;
    std::string m_error;
};

} // namespace tuneline::capture

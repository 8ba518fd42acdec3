// SPDX-License-Identifier: GPL-3.0-or-later
// What the session knows, as JSON in the form of PROTOCOL.md.
#pragma once

#include "capture/session/captureevents.h"
#include "capture/session/processlist.h"

#include <nlohmann/json.hpp>

namespace tuneline::capture {

[[nodiscard]] nlohmann::json toJson(const std::vector<ListedProcess> &processes);
[[nodiscard]] nlohmann::json toJson(const SessionProgress &progress);
[[nodiscard]] nlohmann::json toJson(const Captured &captured);
// On one line. Names and arguments are bytes: what is no UTF-8 becomes U+FFFD.
[[nodiscard]] std::string dumpJson(const nlohmann::json &document);
[[nodiscard]] std::string_view errorName(Error::Code code) noexcept; // of PROTOCOL.md

} // namespace tuneline::capture

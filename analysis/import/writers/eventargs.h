// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments of an event under Kineto's names: what the trace keeps in its detail tables.
#pragma once

#include "analysis/trace/trace.h"

#include <nlohmann/json_fwd.hpp>

namespace tuneline::analysis {

[[nodiscard]] nlohmann::json eventArgs(const Trace &trace, EventId e); // an object, empty if nothing is known

} // namespace tuneline::analysis

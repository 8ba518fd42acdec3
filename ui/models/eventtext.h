// SPDX-License-Identifier: GPL-3.0-or-later
// How events, times and sizes are written for people. Pure functions, any thread.
#pragma once

#include "analysis/trace/trace.h"

#include <QString>
#include <utility>
#include <vector>

namespace tuneline::ui {

[[nodiscard]] QString durationText(std::int64_t ns); // "812 ns", "12.4 µs", "3.05 ms", "1.27 s"
[[nodiscard]] QString timeText(std::int64_t ns, std::int64_t resolution = 1); // trace time, digits for that resolution
[[nodiscard]] QString bytesText(double bytes); // "1.5 GiB"
[[nodiscard]] QString countText(std::uint64_t n); // "12,345"

// Demangled name, as a programmer wrote it.
[[nodiscard]] QString fullName(std::string_view name);
// Demangled, without namespaces' noise, template and function arguments: "vectorized_elementwise_kernel".
[[nodiscard]] QString shortName(std::string_view name);

[[nodiscard]] QString kindText(analysis::EventKind kind); // "kernel", "runtime call", …
[[nodiscard]] QString laneText(const analysis::Trace &trace,
                               const analysis::Lane &lane); // "GPU 0 · stream 7", "python3 · thread 748"

using EventField = std::pair<QString, QString>; // what, value
// Everything that the trace knows about an event, for a details panel. Reads no file: for raw arguments see
// Trace::argsText.
[[nodiscard]] std::vector<EventField> eventFields(const analysis::Trace &trace, analysis::EventId event);

} // namespace tuneline::ui

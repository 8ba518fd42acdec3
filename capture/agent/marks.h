// SPDX-License-Identifier: MIT
// Marks as they come from the program (tuneline/marks.h), and the facts that it told.
#pragma once

#include "capture/agent/json.h"
#include "capture/agent/steptracker.h"

#include <cstdint>

namespace tuneline::agent {

// Any thread. Facts (Config) are kept always, everything else counts only while armed.
void onMark(StepTracker &tracker, std::uint32_t kind, const char *name, const char *text, double value) noexcept;

// The program has marked a step since it started: its steps are worth waiting for.
bool programMarksSteps() noexcept;

// It has told a fact: it includes our header, so it will mark steps.
bool programTellsFacts() noexcept;

// The facts told so far, as the metadata object `config`.
void writeConfig(JsonWriter &json);

} // namespace tuneline::agent

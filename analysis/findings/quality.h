// SPDX-License-Identifier: GPL-3.0-or-later
// How far a capture can be trusted.
#pragma once

#include "analysis/findings/advice.h"

namespace tuneline::analysis {

[[nodiscard]] CaptureQuality captureQuality(const Analysis &analysis, const WhatIf &whatIf);

} // namespace tuneline::analysis

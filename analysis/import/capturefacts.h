// SPDX-License-Identifier: GPL-3.0-or-later
// A capture's metadata: the baseline record and what it says about its own quality.
#pragma once

#include "analysis/import/captureframes.h"
#include "analysis/trace/trace.h"

namespace tuneline::analysis {

void readCaptureFacts(const CaptureFrames &frames, Source &source);

} // namespace tuneline::analysis

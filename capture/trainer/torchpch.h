// SPDX-License-Identifier: GPL-3.0-or-later
// Precompiled: a minute of every translation unit that includes LibTorch.
#pragma once

#include <torch/torch.h>
#include <torch/version.h>

// Names that moved between LibTorch 1.13 and 2.x.
#define TUNELINE_TORCH_AT_LEAST(major, minor)                                                                          \
    (TORCH_VERSION_MAJOR > (major) || (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))

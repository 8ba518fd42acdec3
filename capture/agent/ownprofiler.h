// SPDX-License-Identifier: MIT
// Is the program's own torch.profiler recording right now? Once it has been used, Kineto keeps CUPTI's only
// subscription until the process ends, so "CUPTI is taken" alone can't tell a profiler at work from one that is long
// done.
#pragma once

#include "capture/agent/torchlibrary.h"

namespace tuneline::agent {

// Asks LibTorch on the threads that run operators, because the answer is a property of the thread: watches a few
// hundred operators for up to a second. true: none of their threads is being profiled. false: one is, or no operator
// came by, or this LibTorch can't be asked. Control thread; waits.
bool ownProfilerIsIdle(const TorchLibrary &torch) noexcept;

// Another tool that uses CUPTI is loaded in this process (Nsight Systems or Compute, compute-sanitizer, or whatever
// CUDA_INJECTION64_PATH names beside us), or a daemon may start Kineto at any moment.
bool anotherToolIsLoaded() noexcept;

// A debugger or another tracer holds this process right now.
bool isTraced() noexcept;

} // namespace tuneline::agent

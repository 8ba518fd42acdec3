// SPDX-License-Identifier: MIT
// A stand-in for libtorch_cpu: runs "operators" through the observers that were registered the way the real one does,
// and reports allocations through the c10 functions that the agent's shim interposes. Environment: with
// FAKE_TORCH_PROFILING the program's own profiler is at work.
#pragma once

#include <cstdint>

namespace faketorch {

// One operator of this scope (at::RecordScope); body may run further ones. nullptr = empty.
void runOp(const char *name, int scope, void (*body)(void *), void *context);
void *allocate(std::int64_t bytes);
void release(void *pointer, std::int64_t bytes);
// Observers registered now.
int observers();

} // namespace faketorch

// SPDX-License-Identifier: MIT
// As much of NVTX 3 as a program compiles in: it loads what NVTX_INJECTION64_PATH names and hands over its tables.
#pragma once

namespace fakenvtx {

bool start(); // false: no injection, or it refused
void push(const char *name);
void pop();

} // namespace fakenvtx

// SPDX-License-Identifier: MIT
// The C++ half of markprogram.c: shares the state of the marks with it.
#include "tuneline/marks.h"

extern "C" void secondUnit(int step);

void secondUnit(int step)
{
    const tuneline::Scope scope("from C++");
    tuneline_skipped_step();
    tuneline_corrupted_samples(2);
    tuneline_metric("accuracy", step);
    if (step == 1)
        tuneline_config("precision", "bf16");
}

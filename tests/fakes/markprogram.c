/* SPDX-License-Identifier: MIT */
/* Every mark, from plain C: markprogram STEPS MICROSECONDS. In two translation units, as programs are. */
#include "tuneline/marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void secondUnit(int step);

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 100;
    const int pause = argc > 2 ? atoi(argv[2]) : 1000;
    int i;
    tuneline_config("batch_size", "8");
    for (i = 0; i < steps; ++i) {
        tuneline_step();
        tuneline_scope_begin("data");
        tuneline_scope_end();
        tuneline_units(8, "samples");
        tuneline_valid_units(7, "samples");
        tuneline_loss(0.5);
        tuneline_gradient_norm(1.5);
        secondUnit(i);
        usleep((useconds_t)pause);
    }
    tuneline_step_end();
    printf("agent: %s\n", tuneline_marks_state_.mark ? "yes" : "no");
    return 0;
}

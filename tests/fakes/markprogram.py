# SPDX-License-Identifier: MIT
# Every mark, from Python: markprogram.py STEPS SECONDS.
import sys
import time

import tuneline_marks as tm

tm.config("batch_size", 8)
for i in range(int(sys.argv[1])):
    tm.step()
    with tm.scope("data"):
        pass
    tm.units(8, "samples")
    tm.valid_units(7, "samples")
    tm.loss(0.5)
    tm.gradient_norm(1.5)
    tm.scope_begin("from C++")
    tm.skipped_step()
    tm.corrupted_samples(2)
    tm.metric("accuracy", i)
    tm.loss("no number")
    tm.scope_end()
    if i == 1:
        tm.config("precision", "bf16")
    time.sleep(float(sys.argv[2]))
tm.step_end()
print("agent:", "yes" if tm._mark is not None else "no")

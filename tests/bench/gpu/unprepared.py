# SPDX-License-Identifier: GPL-3.0-or-later
"""Attaches through a debugger to runs that nobody prepared: what does the capture hold, and did the run notice?

    unprepared.py --cli … --train build/bin/tuneline-train [--device cuda]

Each program runs twice, once left alone and once attached to: output and exit code must be the same.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

from parts import HERE


def losses(text):
    """What must not change: of tuneline-train's lines the loss, without the times."""
    return [line.split("loss")[-1] for line in text.splitlines() if "steps, median" not in line]


def attached(cli, command, environment, folder, name):
    env = dict(os.environ, CUBLAS_WORKSPACE_CONFIG=":4096:8", **environment)
    alone = subprocess.run(command, env=env, capture_output=True, text=True)
    path = os.path.join(folder, name + ".tlc")
    with open(os.path.join(folder, name + ".out"), "w+") as out, open(os.path.join(folder, name + ".err"), "w+") as err:
        run = subprocess.Popen(command, env=env, stdout=out, stderr=err)
        lines = 0
        while lines < 20 and run.poll() is None:  # it trains
            time.sleep(0.1)
            lines = open(out.name).read().count("\n")
        begin = time.time()
        capture = subprocess.run([cli, "attach", str(run.pid), "--warmup", "3", "--steps", "8", "--force", "-o", path],
                                 capture_output=True, text=True)
        took = time.time() - begin
        code = run.wait(300)
        out.seek(0), err.seek(0)
        text, errors = out.read(), err.read()
    print(f"{name}: attach rc {capture.returncode} in {took:.1f} s: {capture.stderr.strip()[-300:]}")
    if capture.returncode == 0:
        facts = json.loads(subprocess.run([cli, "inspect", path, "--json"], capture_output=True, text=True).stdout)
        counts = facts["counts"]
        print("  ", {k: counts[k] for k in ("kernels", "copies", "ops", "api_calls")}, "steps", facts["steps"]["count"],
              facts["steps"]["source"])
    mine, theirs = losses(text), losses(alone.stdout)
    print("   same losses:", mine == theirs, "of", len(mine), "lines; same stderr:", errors == alone.stderr, "; exit code", code,
          "and", alone.returncode, flush=True)
    for a, b in zip(mine, theirs):
        if a != b:
            print("   first difference:", a[:100], "|", b[:100])
            break


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--train", required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--only", choices=("cpp", "python"))
    options = parser.parse_args()
    folder = tempfile.mkdtemp()
    if options.only != "python":
        attached(options.cli, [options.train, "--model", "mlp", "--device", options.device, "--steps", "600", "--loss-every", "1",
                           "--report-every", "1", "--workers", "4", "--batch-size", "16",
                           "--deterministic"], {}, folder, "cpp")
    if options.only != "cpp":
        attached(options.cli, [sys.executable, os.path.join(HERE, "lossloop.py"), options.device, "400", "0.02"], {}, folder,
             "python")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""What CUPTI leaves behind in a launch-bound training process once everything is switched off again.

    residue.py [--rounds 6] [--steps 30]

Per stage two fresh processes: one that is touched, one that never is; blocks alternate. Printed: the slow-down of the
touched one while the stage is on, after it is undone, and after cuptiFinalize at the exit of a call. An eager step on an
H200 was 21 % slower after a capture than before any, and 25 % after torch.profiler (slowdown.py).
"""

import argparse
import ctypes
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS, RUNTIME, DRIVER, COPIES, SYNCS = 10, 5, 4, 1, 38
STAGES = {"subscribe": [], "kernels": [KERNELS], "runtime": [RUNTIME], "driver": [DRIVER],
          "kernels, copies": [KERNELS, COPIES], "as normal": [RUNTIME, DRIVER, KERNELS, COPIES, SYNCS]}


def worker():
    sys.argv = sys.argv[:1]
    sys.path.insert(0, HERE)
    import torch
    from workload import Training
    options = argparse.Namespace(device="cuda", graph=False, layers=12, width=768, heads=12, batch=4, context=512)
    training = Training(options)
    training.run(20)
    library = None
    print("ready", flush=True)
    for line in sys.stdin:
        words = line.split()
        if words[0] == "run":
            answer = statistics.median(training.run(int(words[1]))["host_ms"])
        elif words[0] == "open":
            library = ctypes.CDLL(words[1])
            site = os.path.dirname(os.path.dirname(torch.__file__))
            places = glob.glob(site + "/nvidia/**/libcupti.so.*", recursive=True) + ["libcupti.so.13", "libcupti.so.12"]
            answer = library.stages_open(places[0].encode())
        else:
            answer = getattr(library, "stages_" + words[0])(*[ctypes.c_uint32(int(word)) for word in words[1:]])
        print(json.dumps(answer), flush=True)


class Process:
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--worker"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def wait_ready(self):
        while self.process.stdout.readline().strip() != "ready":
            if self.process.poll() is not None:
                raise RuntimeError("a worker has ended")

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)


def compare(touched, plain, options):
    ratios = []
    for _ in range(options.rounds):
        before, value = plain.ask(f"run {options.steps}"), touched.ask(f"run {options.steps}")
        ratios.append(2 * value / (before + plain.ask(f"run {options.steps}")))
    return f"{100 * (statistics.median(ratios) - 1):+6.1f} % ({100 * (min(ratios) - 1):+.0f} to {100 * (max(ratios) - 1):+.0f})"


def measure(name, library, options):
    touched, plain = Process(), Process()
    for process in (touched, plain):
        process.wait_ready()
    results = [f"before {compare(touched, plain, options)}"]
    touched.ask("open " + library)
    codes = [touched.ask("subscribe")] + [touched.ask(f"enable {kind}") for kind in STAGES[name]]
    results.append(f"on {compare(touched, plain, options)}")
    codes += [touched.ask(f"disable {kind}") for kind in STAGES[name]]
    results.append(f"off {compare(touched, plain, options)}")
    codes.append(touched.ask("finalize"))
    touched.ask("run 3")
    codes.append(touched.ask("finalized"))
    results.append(f"finalized {compare(touched, plain, options)}")
    print(f"{name:16} " + "   ".join(results) + f"   results {codes}", flush=True)
    for process in (touched, plain):
        process.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=300, help="no new stage after these")
    options = parser.parse_args()
    started = time.monotonic()
    library = os.path.join(tempfile.mkdtemp(), "stages.so")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, os.path.join(HERE, "cuptistages.c"), "-ldl"], check=True)
    for name in STAGES:
        if time.monotonic() - started < options.seconds:
            measure(name, library, options)


if __name__ == "__main__":
    worker() if "--worker" in sys.argv else main()

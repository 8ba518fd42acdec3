# SPDX-License-Identifier: GPL-3.0-or-later
"""How much a capture slows a training step down, beside torch.profiler, in one run: blocks of steps, interleaved, medians.

    slowdown.py --cli build/bin/tuneline-cli --agent build/lib/libtuneline_agent.so [--graph] [--rounds 7] [--steps 40]

Two processes train the same model on one GPU, one at a time: one without any agent, one with ours dormant in it. A round
runs a block of each kind; ratios are to the mean of the plain blocks before and after (clocks and neighbours drift). A
launch-bound step is timed on the host, median of the block: the machine's stalls hit single steps.
"""

import argparse
import json
import os
import statistics
import tempfile

from parts import Serve, Worker, milliseconds


def captured_block(serve, worker, detail, steps, folder, by_host):
    worker.tell("spin")
    serve.open_window(worker, warmup=3, detail=detail, out=os.path.join(folder, detail + ".tlc"))
    took = worker.run(steps, by_host)
    worker.tell("spin")
    done = serve.close_window()
    worker.run(3)
    return took, done


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--agent", required=True)
    parser.add_argument("--graph", action="store_true")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--details", default="light,normal,full")
    parser.add_argument("--worker", nargs="*", default=[], help="further options of workload.py, without --")
    options = parser.parse_args()
    arguments = ["--device", options.device] + (["--graph"] if options.graph else [])
    for pair in options.worker:
        name, value = pair.split("=")
        arguments += ["--" + name, value]
    plain, ours = Worker(arguments), Worker(arguments, options.agent)
    folder = tempfile.mkdtemp()
    by_host = not options.graph
    ratios = {}

    def measure(name, block):
        before = plain.run(options.steps, by_host)
        value = block()
        after = plain.run(options.steps, by_host)
        ratios.setdefault(name, []).append(2 * value / (before + after))
        base.extend([before, after])

    base = []
    for worker in (plain, ours):
        worker.run(options.steps)
    for _ in range(options.rounds):  # before the first capture
        measure("plain again", lambda: plain.run(options.steps, by_host))
        measure("dormant", lambda: ours.run(options.steps, by_host))
    serve = Serve(options.cli)
    dropped = {}
    for _ in range(options.rounds):
        for detail in options.details.split(","):
            def block():
                took, done = captured_block(serve, ours, detail, options.steps, folder, by_host)
                dropped[detail] = [sum(f[k] or 0 for f in done["files"]) for k in ("records", "dropped", "bytes")]
                return took
            measure(detail, block)
            measure("after detach", lambda: ours.run(options.steps, by_host))
        def profiled():
            return milliseconds(plain.ask(f"profile {options.steps}"), by_host)
        measure("torch.profiler", profiled)
    print(f"plain step: {statistics.median(base):.2f} ms ({'graph' if options.graph else 'eager'}), "
          f"{options.rounds} rounds of {options.steps} steps")
    for name, values in ratios.items():
        print(f"{name:15} {100 * (statistics.median(values) - 1):+6.1f} %   from {100 * (min(values) - 1):+.1f} to "
              f"{100 * (max(values) - 1):+.1f}   {json.dumps(dropped.get(name, ''))}", flush=True)
    ours.close(), plain.close(), serve.close()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""How much a capture slows a training step down, beside torch.profiler, in one run: blocks of steps, interleaved, medians.

    slowdown.py --cli build/bin/tuneline-cli --agent build/lib/libtuneline_agent.so [--graph] [--rounds 7] [--steps 40] [--seconds 300]

Three processes train the same model on one GPU, one at a time: one that nothing ever touches, one with our agent dormant
in it, one for torch.profiler, which leaves Kineto's hold on CUPTI behind itself. A round runs a block of each kind in an
order of its own; ratios are to the mean of the untouched blocks right before and after (clocks and neighbours drift). A
launch-bound step is timed on the host, median of the block: the machine's stalls hit single steps.
"""

import argparse
import json
import os
import random
import statistics
import tempfile
import time

from parts import Serve, Worker, milliseconds


def captured_block(serve, worker, detail, steps, folder, by_host):
    worker.tell("spin")
    serve.open_window(worker, warmup=3, detail=detail, out=os.path.join(folder, detail + ".tlc"))
    took = worker.run(steps, by_host)
    worker.tell("spin")
    done = serve.close_window()
    worker.run(3)
    return took, done


class Blocks:
    """Ratios of blocks to the untouched blocks around them, by kind."""

    def __init__(self, plain, steps, by_host):
        self.plain, self.steps, self.by_host = plain, steps, by_host
        self.ratios, self.base = {}, []

    def measure(self, kind, block):
        before = self.plain.run(self.steps, self.by_host)
        value = block()
        after = self.plain.run(self.steps, self.by_host)
        self.ratios.setdefault(kind, []).append(2 * value / (before + after))
        self.base.extend([before, after])

    def report(self, notes):
        for kind, values in self.ratios.items():
            percent = sorted(100 * (value - 1) for value in values)
            low, high = percent[len(percent) // 4], percent[3 * len(percent) // 4]
            print(f"{kind:15} {statistics.median(percent):+6.1f} %   quartiles {low:+.1f} to {high:+.1f}, "
                  f"{len(percent)} blocks   {json.dumps(notes.get(kind, ''))}", flush=True)


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--agent", required=True)
    parser.add_argument("--graph", action="store_true")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--details", default="light,normal,full")
    parser.add_argument("--seconds", type=float, default=3600, help="no new round after these")
    parser.add_argument("--raw", help="all ratios as JSON")
    parser.add_argument("--worker", nargs="*", default=[], help="further options of workload.py, without --")
    return parser.parse_args()


def main():
    options = parsed()
    arguments = ["--device", options.device] + (["--graph"] if options.graph else [])
    for pair in options.worker:
        name, value = pair.split("=")
        arguments += ["--" + name, value]
    started = time.monotonic()
    plain, ours, theirs = Worker(arguments), Worker(arguments, options.agent), Worker(arguments)
    folder = tempfile.mkdtemp()
    by_host = not options.graph
    blocks = Blocks(plain, options.steps, by_host)
    for worker in (plain, ours, theirs):
        worker.run(options.steps)
    for _ in range(min(options.rounds, 7)):  # before the first capture
        blocks.measure("plain again", lambda: plain.run(options.steps, by_host))
        blocks.measure("dormant", lambda: ours.run(options.steps, by_host))
    serve = Serve(options.cli)
    notes = {}

    def captured(detail):
        took, done = captured_block(serve, ours, detail, options.steps, folder, by_host)
        notes[detail] = [sum(f[k] or 0 for f in done["files"]) for k in ("records", "dropped", "bytes")]
        return took

    kinds = {detail: lambda detail=detail: captured(detail) for detail in options.details.split(",")}
    kinds["after detach"] = lambda: ours.run(options.steps, by_host)
    kinds["torch.profiler"] = lambda: milliseconds(theirs.ask(f"profile {options.steps}"), by_host)
    kinds["after theirs"] = lambda: theirs.run(options.steps, by_host)
    for number in range(options.rounds):
        order = list(kinds)
        random.Random(number).shuffle(order)
        for kind in order:
            if time.monotonic() - started < options.seconds:
                blocks.measure(kind, kinds[kind])
    print(f"plain step: {statistics.median(blocks.base):.2f} ms, {min(blocks.base):.2f} to {max(blocks.base):.2f} "
          f"({'graph' if options.graph else 'eager'}), blocks of {options.steps} steps")
    blocks.report(notes)
    if options.raw:
        with open(options.raw, "w") as file:
            json.dump({"base_ms": blocks.base, "ratios": blocks.ratios}, file)
    for worker in (ours, theirs, plain):
        worker.close()
    serve.close()


if __name__ == "__main__":
    main()

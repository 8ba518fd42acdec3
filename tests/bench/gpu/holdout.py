# SPDX-License-Identifier: GPL-3.0-or-later
"""Training loops with one planted fault each, and measured before/after pairs, none of which the rules were written against.

    holdout.py --out DIR [--seconds 330] [--only NAME,…] [--device cpu --tiny]

Writes DIR/NAME.json.gz (torch.profiler, 4 steps after warm-up), planted.json and truth.json in the form of the given ones, so that
check_planted.py and check_truth.py judge them, and log.json. With --tar all of it goes into DIR/holdout-N.tar (< 15 MB each) instead.
A loop that fails or takes too long ends alone; no new one starts after --seconds.
"""

import argparse
import contextlib
import gc
import json
import os
import signal
import statistics
import tarfile
import threading
import time
import traceback
import warnings

import torch
from holdoutcases import CASES
from holdoutloops import Env

START = time.perf_counter()
LOOP_SECONDS, TAR_BYTES = 55, 15_000_000


def elapsed():
    return time.perf_counter() - START


class Results:
    def __init__(self, out):
        self.out = out
        self.planted, self.traces, self.pairs, self.log = {}, {}, [], []

    def save(self):
        about = f"holdout.py, torch {torch.__version__}"
        for name, value in (("planted", {"about": about, "runs": self.planted}), ("log", self.log),
                            ("truth", {"about": about, "traces": self.traces, "pairs": self.pairs})):
            with open(os.path.join(self.out, name + ".json"), "w") as file:
                json.dump(value, file, indent=1)

    def pack(self):
        """Tar files, since only a few files come back from a device machine."""
        names = sorted(f for f in os.listdir(self.out) if f.endswith((".json", ".json.gz")))
        number, size, tar = 0, 0, None
        for name in names:
            path = os.path.join(self.out, name)
            if tar is None or size + os.path.getsize(path) > TAR_BYTES:
                if tar:
                    tar.close()
                tar, size, number = tarfile.open(os.path.join(self.out, f"holdout-{number}.tar"), "w"), 0, number + 1
            size += os.path.getsize(path) + 1024
            tar.add(path, name)
            os.remove(path)
        if tar:
            tar.close()


def trace(env, side, path, memory):
    activities = [torch.profiler.ProfilerActivity.CPU] + ([torch.profiler.ProfilerActivity.CUDA] if env.cuda else [])
    side.enter()
    with torch.profiler.profile(activities=activities, record_shapes=True, profile_memory=memory,
                                schedule=torch.profiler.schedule(wait=1, warmup=1, active=4),
                                on_trace_ready=lambda p: p.export_chrome_trace(path)) as profiler:
        for _ in range(6):
            side.step()
            profiler.step()
    env.sync()


def block(env, side, steps):
    """Mean milliseconds of a step, without a profiler."""
    side.enter()
    for _ in range(side.lead):  # also uses up what a loader has ready from the time the other side ran
        side.step()
    env.sync()
    start = time.perf_counter()
    for _ in range(steps):
        side.step()
    env.sync()
    return (time.perf_counter() - start) * 1e3 / steps


def fitting(env, side):
    """Steps of a block of about a quarter of a second, after warming up."""
    block(env, side, 3)
    each = block(env, side, 2)
    return 1 if env.tiny else int(min(60, max(2 if each > 200 else 6, 250 / each)))


def measure(env, before, after, rounds):
    counts = fitting(env, before), fitting(env, after)
    times = [(block(env, before, counts[0]), block(env, after, counts[1])) for _ in range(rounds)]
    per_unit = before.config["batch"] / after.config["batch"]
    spread = lambda values: [round(min(values), 3), round(statistics.median(values), 3), round(max(values), 3)]  # noqa: E731
    return {"before_ms": spread([b for b, _ in times]), "after_ms": spread([a for _, a in times]),
            "time_ratio_per_unit": spread([a / b * per_unit for b, a in times])}


def built(env, make):
    with torch.device(env.device) if env.cuda else contextlib.nullcontext():  # weights made there at once
        return make(env)


def run(env, results, item, rounds):
    name, path = item["name"], os.path.join(results.out, item["name"] + ".json.gz")
    before = built(env, item["before"])
    if env.cuda:
        torch.cuda.reset_peak_memory_stats()
    untraced = block(env, before, fitting(env, before))
    peak = torch.cuda.max_memory_allocated() >> 20 if env.cuda else None
    trace(env, before, path, item["memory"])
    summary = {"step_ms_untraced": round(untraced, 2), "peak_mib": peak}
    results.traces[name] = {"file": name + ".json.gz", "config": before.config, **summary}
    if item["verdict"]:
        results.planted[name] = {"files": [name + ".json.gz"], "planted": item["planted"], **summary, **item["verdict"]}
    if item["after"]:
        after = built(env, item["after"])
        pair = measure(env, before, after, rounds)
        results.traces[name + "_after"] = {"config": after.config}
        results.pairs.append({"before": name, "after": name + "_after", "change": item["change"], **pair, "what_if": item["what_if"]})
        summary["ratio"] = pair["time_ratio_per_unit"]
    return {**summary, "kb": os.path.getsize(path) >> 10}


def guarded(env, results, item, rounds):
    def expire(*_):
        raise TimeoutError(f"over {LOOP_SECONDS} s")

    start, entry = elapsed(), {"name": item["name"]}
    signal.signal(signal.SIGALRM, expire)
    signal.alarm(LOOP_SECONDS)
    try:
        entry.update(run(env, results, item, rounds))
    except Exception as error:  # whatever it is, the other loops go on
        entry.update(error=f"{type(error).__name__}: {str(error)[:300]}", where=traceback.format_exc()[-600:])
    finally:
        signal.alarm(0)
    entry["seconds"] = round(elapsed() - start, 1)
    results.log.append(entry)
    print(f"{elapsed():6.1f} s", json.dumps(entry), flush=True)


def clean(env):
    if hasattr(torch, "_dynamo"):
        torch._dynamo.reset()
    gc.collect()
    if env.cuda:
        torch.cuda.empty_cache()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=330)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--tar", action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    os.makedirs(options.out, exist_ok=True)
    results = Results(options.out)

    def finish():
        results.save()
        if options.tar:
            results.pack()

    def abandon():
        print("a loop hangs: giving up", flush=True)
        finish()
        os._exit(1)

    watchdog = threading.Timer(options.seconds + LOOP_SECONDS + 15, abandon)
    watchdog.daemon = True
    watchdog.start()
    env = Env(options.device, options.tiny)
    wanted = options.only.split(",") if options.only else [c["name"] for c in CASES]
    for item in CASES:
        if item["name"] not in wanted:
            continue
        if elapsed() > options.seconds:
            print(f"no time for {item['name']}", flush=True)
            continue
        guarded(env, results, item, options.rounds)
        clean(env)
        results.save()
    watchdog.cancel()
    finish()
    print(f"{len(results.traces)} traces, {len(results.pairs)} pairs, {elapsed():.0f} s", flush=True)
    os._exit(0)  # loader workers and compile pools must not keep the process


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Before/after pairs of tuneline-train: one change each, a capture of both sides, step times measured in alternating rounds.

    pairs.py --cli … --train … --out DIR [--rounds 3] [--only NAME,…]

Writes DIR/NAME.tlc for each side and DIR/truth.json: which change makes which side from which, and the ratio of the step
times without any capture (low, median, high over the rounds). Predictions are judged against these.
"""

import argparse
import json
import os
import re
import statistics
import subprocess

CNN = "--model cnn --workers 12 --pin-memory --non-blocking"
CNN_FIXED = "--model cnn --synthetic-batch"
GPT = "--model gpt --workers 4"
GPT_SMALL = "--model gpt --workers 4 --batch-size 4 --width 256 --sequence 128"
MLP = "--model mlp --synthetic-batch"

# before, after, the change as `advise --what-if` spells it
RUNS = {
    "cnn_starved": "--model cnn --workers 2 --pin-memory --non-blocking",
    "cnn_workers": "--model cnn --workers 8 --pin-memory --non-blocking",
    "cnn_synthetic": CNN_FIXED,
    "cnn_synthetic_tf32": CNN_FIXED + " --precision tf32",
    "cnn_synthetic_bf16": CNN_FIXED + " --precision bf16",
    "cnn_synthetic_nhwc_bf16": CNN_FIXED + " --precision bf16 --channels-last",
    "gpt_fp32": GPT,
    "gpt_tf32": GPT + " --precision tf32",
    "gpt_bf16": GPT + " --precision bf16",
    "gpt_bf16_sdpa": GPT + " --precision bf16 --attention sdpa",
    "gpt_small": GPT_SMALL,
    "gpt_small_multi": GPT_SMALL + " --optimizer adamw-multi",
    "gpt_small_graph": GPT_SMALL + " --cuda-graph",
    "mlp": MLP + " --optimizer adamw",
    "mlp_multi": MLP + " --optimizer adamw-multi",
    "mlp_graph": MLP + " --optimizer adamw --cuda-graph",
    "mlp_item": MLP + " --optimizer adamw --loss-every 1",
    "mlp_no_item": MLP + " --optimizer adamw --loss-every 1000",
}
PAIRS = [
    ("cnn_starved", "cnn_workers", "input-wait:workers=8"),
    ("cnn_starved", "cnn_synthetic", "input-wait:synthetic"),
    ("cnn_synthetic", "cnn_synthetic_tf32", "tf32-off"),
    ("cnn_synthetic", "cnn_synthetic_bf16", "precision:bf16"),
    ("cnn_synthetic_bf16", "cnn_synthetic_nhwc_bf16", "channels-last"),
    ("gpt_fp32", "gpt_tf32", "tf32-off"),
    ("gpt_fp32", "gpt_bf16", "precision:bf16"),
    ("gpt_bf16", "gpt_bf16_sdpa", "attention-unfused"),
    ("gpt_small", "gpt_small_multi", "optimizer-unfused:foreach"),
    ("gpt_small", "gpt_small_graph", "launch-bound:cuda-graphs"),
    ("mlp", "mlp_multi", "optimizer-unfused:foreach"),
    ("mlp", "mlp_graph", "launch-bound:cuda-graphs"),
    ("mlp_item", "mlp_no_item", "sync-item"),
]


def command(options, name):
    words = RUNS[name].split()
    if "--loss-every" not in words:
        words += ["--loss-every", "10"]
    return [options.train, "--device", options.device, *words]


def step_ms(options, name):
    run = subprocess.run(command(options, name) + ["--steps", str(options.steps), "--seconds", str(options.seconds)],
                         capture_output=True, text=True, timeout=120)
    # The mean with the last steps' device work in it: the median of host steps is only how fast a host that runs ahead of
    # its device can launch.
    found = re.search(r"mean ([0-9.]+) ms", run.stdout)
    return float(found.group(1)) if found else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--train", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--window", default="8")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    pairs = [p for p in PAIRS if not options.only or p[0] in options.only or p[1] in options.only]
    names = [n for n in RUNS if any(n in p[:2] for p in pairs)]
    for name in names:
        subprocess.run([options.cli, "record", "--force", "--stop-after", "--warmup", "15", "--steps", options.window, "-o",
                        os.path.join(options.out, name + ".tlc"), "--", *command(options, name), "--seconds", "60"],
                       capture_output=True, timeout=120)
    times = {name: [] for name in names}
    for _ in range(options.rounds):
        for name in names:
            times[name].append(step_ms(options, name))
        print(json.dumps({n: t[-1] for n, t in times.items()}), flush=True)
    result = {"runs": {n: {"arguments": RUNS[n], "step_ms": times[n]} for n in names}, "pairs": []}
    for before, after, change in pairs:
        ratios = sorted(a / b for a, b in zip(times[after], times[before]) if a and b)
        if ratios:
            result["pairs"].append({"before": before, "after": after, "what_if": change,
                                    "time_ratio_per_unit": [ratios[0], statistics.median(ratios), ratios[-1]]})
        with open(os.path.join(options.out, "truth.json"), "w") as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()

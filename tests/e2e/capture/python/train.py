# SPDX-License-Identifier: GPL-3.0-or-later
"""A small training run whose losses are printed bit by bit. Options: steps, ms, workers, start=fork|spawn, exit=CODE,
until=FILE (goes on until it is there, then prints the first losses), hard=1 (os._exit in the loop), forks=1 (a child
process per step), profile=1 (torch.profiler after the loop), cuda=LIBRARY (loads it two seconds before torch, as the
wheels for CUDA load the driver first)."""
import ctypes
import os
import sys
import time

options = dict(argument.split("=", 1) for argument in sys.argv[1:])
if "cuda" in options:
    ctypes.CDLL(options["cuda"])
    time.sleep(2)

import torch  # noqa: E402

steps, delay = int(options.get("steps", 30)), float(options.get("ms", 5)) / 1000
workers, until = int(options.get("workers", 0)), options.get("until")


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return 1 << 30

    def __getitem__(self, index):
        return torch.full((32,), float(index % 11)) / 7, index % 10


def fork_one():
    child = os.fork()
    if child == 0:
        torch.linspace(0, 1, 8)  # an operator in a child of a process that is recorded
        os._exit(0)
    os.waitpid(child, 0)


def sample(index):
    return Samples()[index][1]


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    context = options.get("start", "fork") if workers else None
    loader = torch.utils.data.DataLoader(Samples(), batch_size=8, num_workers=workers, multiprocessing_context=context)
    losses = []
    for step, (x, y) in enumerate(loader):
        if step >= steps and (not until or os.path.exists(until)):
            break
        with torch.profiler.record_function(f"pass {step}"):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        losses.append(loss.item())
        if options.get("forks"):
            fork_one()
        if options.get("hard") and step == steps - 1:
            os._exit(int(options.get("exit", 0)))
        time.sleep(delay)
    if options.get("pool"):
        with torch.multiprocessing.get_context("spawn").Pool(2) as pool:
            print(pool.map(sample, range(6)))
    if options.get("profile"):
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
            for _ in range(5):
                model(x).sum().backward()
        print(sum(event.count for event in profiler.key_averages() if event.key == "aten::addmm"))
    for loss in losses[: min(steps, 30)]:
        print(loss.hex())
    print("done", flush=True)
    sys.exit(int(options.get("exit", 0)))


if __name__ == "__main__":
    main()

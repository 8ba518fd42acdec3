# SPDX-License-Identifier: GPL-3.0-or-later
"""Data-parallel training on the CPU (gloo). slow=data|work: rank 1 is the straggler. die=FILE: rank 1 ends once that file is there.
until=FILE: goes on until that file is there."""
import os
import sys
import time

import torch
import torch.distributed as dist

options = dict(argument.split("=", 1) for argument in sys.argv[1:])
slow, die, until = options.get("slow", ""), options.get("die"), options.get("until")
steps, delay = int(options.get("steps", 40)), float(options.get("ms", 30)) / 1000
torch.set_num_threads(1)
dist.init_process_group("gloo")
late = dist.get_rank() == 1


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return 1 << 30

    def __getitem__(self, index):
        if slow == "data" and late and index % 16 == 0:
            time.sleep(delay)
        return torch.full((64,), float(index % 7)), index % 10


torch.manual_seed(1)
layers = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
model = torch.nn.parallel.DistributedDataParallel(layers)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
ones = torch.ones(256, 256)
for step, (x, y) in enumerate(torch.utils.data.DataLoader(Samples(), batch_size=16)):
    # All ranks must agree on the end: rank 0 looks, the others hear of it.
    go_on = torch.tensor([0 if (os.path.exists(until) if until else step >= steps) else 1])
    if until:
        dist.broadcast(go_on, 0)
    if not go_on.item():
        break
    if late and die and os.path.exists(die):
        os._exit(3)
    with torch.profiler.record_function(f"pass {step}"):
        if slow == "work" and late:
            begin = time.monotonic()
            while time.monotonic() - begin < delay:
                for _ in range(4):
                    torch.mm(ones, ones)
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    if until:
        time.sleep(0.005)
print(f"rank {dist.get_rank()} loss {loss.item():.9f}", flush=True)

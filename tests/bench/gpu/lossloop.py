# SPDX-License-Identifier: GPL-3.0-or-later
"""A training run that computes the same losses every time, printed one a line: whoever disturbs it changes its output."""

import sys
import time

import torch

device, steps, pause = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
torch.manual_seed(7)
torch.use_deterministic_algorithms(True)
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.GELU(), torch.nn.Linear(512, 10)).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
images, labels = torch.randn(4096, 256), torch.randint(0, 10, (4096,))
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(images, labels), batch_size=128)
step = 0
while step < steps:
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x.to(device)), y.to(device))
        loss.backward()
        optimizer.step()
        print(step, repr(loss.item()), flush=True)
        time.sleep(pause)  # the work of a bigger model: the run must last long enough to attach to it
        step += 1
        if step == steps:
            break
sys.exit(5)  # an exit code of its own

# SPDX-License-Identifier: GPL-3.0-or-later
"""DDP training under torchrun: a small GPT on each rank, gradients reduced by NCCL (or gloo without GPUs).

    torchrun --nproc-per-node 2 ddp.py [--straggler RANK --sleep-ms 15] [--steps 60]
"""

import argparse
import os
import time

import torch
import torch.distributed as dist

from workload import Gpt


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--straggler", type=int, default=-1, help="this rank sleeps in its data loading")
    parser.add_argument("--sleep-ms", type=float, default=15)
    parser.add_argument("--steps", type=int, default=60)
    options = parser.parse_args()
    cuda = torch.cuda.is_available()
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, local = dist.get_rank(), int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    torch.manual_seed(1)
    model = torch.nn.parallel.DistributedDataParallel(Gpt(8, 768, 12, 8192, 512).to(device) if cuda
                                                      else Gpt(2, 64, 4, 512, 32))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=cuda or None)
    vocabulary, shape = (8192, (16, 512)) if cuda else (512, (4, 32))

    class Tokens(torch.utils.data.Dataset):
        def __len__(self):
            return options.steps

        def __getitem__(self, i):
            if rank == options.straggler:
                time.sleep(options.sleep_ms / 1e3)
            generator = torch.Generator().manual_seed(1000 * rank + i)
            return torch.randint(0, vocabulary, (2, *shape), generator=generator)

    for tokens in torch.utils.data.DataLoader(Tokens(), batch_size=None, pin_memory=cuda):
        tokens = tokens.to(device, non_blocking=True)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device.type, dtype=torch.bfloat16):
            loss = model(tokens[0], tokens[1])
        loss.backward()
        optimizer.step()
    print("rank", rank, "loss", round(loss.item(), 6), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Arms and disarms N times in one training process on the GPU: does it grow, does any cycle fail?

    cycles.py --cli … --agent … [--cycles 100]
"""

import argparse
import os
import tempfile

from parts import Serve, Worker


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--agent", required=True)
    parser.add_argument("--cycles", type=int, default=100)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    worker = Worker(["--device", options.device, "--layers", "2", "--width", "64", "--heads", "4", "--context", "32"],
                    options.agent)
    serve = Serve(options.cli)
    out = os.path.join(tempfile.mkdtemp(), "cycle.tlc")
    sizes = []
    for cycle in range(options.cycles):
        worker.tell("spin")
        serve.arm(worker, warmup=1, steps=3, detail=("light", "normal", "full")[cycle % 3], out=out)
        done = serve.wait_captured()
        assert done["complete"] and done["files"][0]["records"] > 0 and not done["files"][0]["dropped"], done
        sizes.append(done["files"][0]["records"])
        if cycle % 10 == 9:
            print(cycle + 1, worker.ask("stats"), serve_stats(serve.process.pid), flush=True)
    print(f"{options.cycles} cycles, none failed; records a cycle {min(sizes)} to {max(sizes)}; "
          f"worker's exit {worker.close()}")
    serve.close()


def serve_stats(pid):
    status = dict(line.split(":", 1) for line in open(f"/proc/{pid}/status") if ":" in line)
    return {"serve_rss_kb": int(status["VmRSS"].split()[0]), "fds": len(os.listdir(f"/proc/{pid}/fd"))}


if __name__ == "__main__":
    main()

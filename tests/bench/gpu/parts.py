# SPDX-License-Identifier: GPL-3.0-or-later
"""What the GPU measurements share: a worker process (workload.py) and the capture of it through `tuneline-cli serve`."""

import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def milliseconds(answer, by_host):
    return statistics.median(answer["host_ms"]) if by_host else 1e3 * answer["seconds"] / answer["steps"]


class Worker:
    """A workload.py process; agent: path of libtuneline_agent.so to be put in dormant, or None."""

    def __init__(self, arguments, agent=None, environment=None):
        env = dict(os.environ, **(environment or {}))
        if agent:  # the two exported variables that prepare a run
            env["LD_PRELOAD"] = env["CUDA_INJECTION64_PATH"] = agent
        self.process = subprocess.Popen([sys.executable, os.path.join(HERE, "workload.py"), *arguments], env=env, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = json.loads(self.process.stdout.readline())["ready"]

    def tell(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def ask(self, command):
        self.tell(command)
        return json.loads(self.process.stdout.readline())

    def run(self, steps, by_host=False):
        """Milliseconds a step: the mean over the block, or the median of the steps on the host."""
        return milliseconds(self.ask(f"run {steps}"), by_host)

    def close(self):
        self.tell("quit")
        return self.process.wait(60)


class Serve:
    """tuneline-cli serve, one session at a time."""

    def __init__(self, cli):
        self.process = subprocess.Popen([cli, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.number = 0
        self.session = None
        self.call("hello", protocol=1, client="bench")

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("serve has ended")
        return json.loads(line)

    def call(self, method, **params):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(answer["error"])
                return answer["result"]
            self.note(answer)

    def note(self, message):
        if message.get("method") == "failed":
            raise RuntimeError(message["params"])
        if message.get("method") == "progress":
            self.state = message["params"]["state"]

    def arm(self, worker, **window):
        """Arms the worker, which must be spinning."""
        self.state = ""
        if self.session is None:
            self.session = self.call("attach", pid=worker.pid, arm=False)["session"]
        self.call("arm", session=self.session, force=True, **window)

    def open_window(self, worker, **window):
        """The same, and returns once the window is open. For windows without an end: a short one may be over unseen."""
        self.arm(worker, **window)
        while self.state != "recording":
            self.note(self.read())

    def wait_captured(self):
        while True:
            message = self.read()
            self.note(message)
            if message.get("method") == "captured":
                return message["params"]

    def close_window(self):
        self.call("stop", session=self.session)
        return self.wait_captured()

    def close(self):
        self.process.stdin.close()
        return self.process.wait(30)

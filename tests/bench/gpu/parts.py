# SPDX-License-Identifier: GPL-3.0-or-later
"""What the GPU measurements share: a worker process (workload.py) and the capture of it through `tuneline-cli serve`."""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


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

    def run(self, steps):
        """Milliseconds a step."""
        answer = self.ask(f"run {steps}")
        return 1e3 * answer["seconds"] / answer["steps"]

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

    def open_window(self, worker, until="recording", **window):
        """Arms the worker, which must be spinning, and returns once the window is open."""
        self.state = ""
        if self.session is None:
            self.session = self.call("attach", pid=worker.pid, arm=False)["session"]
        self.call("arm", session=self.session, force=True, **window)
        while self.state != until:
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

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the Python snippets of resources/advice: each must be Python, and each name of torch that it uses must exist.

usage: checkpython.py FOLDER      exit 1 and a line for each fault. Names are looked up only where torch is installed.
"""
import ast
import json
import os
import re
import sys

# Newer than the oldest torch that the names are looked up in, 1.13: the version that has each.
NEWER = {
    "torch.nn.attention": "2.3",
    "torch.amp.GradScaler": "2.3",
    "torch.compiler": "2.1",
    "torch.set_float32_matmul_precision": "1.12",
    "torch.compile": "2.0",
    "torch.nn.functional.scaled_dot_product_attention": "2.0",
    "torch.distributed.fsdp.fully_shard": "2.4",
    "torch.distributed.checkpoint": "2.0",
    "torch._dynamo": "2.0",
}


def without_placeholders(code):
    return re.sub(r"\{[a-z_]+\}", "64", code)


def names(tree):
    """Dotted names that begin with torch or with what was imported from it."""
    alias = {"torch": "torch", "F": "torch.nn.functional", "nn": "torch.nn"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "torch":
            for a in node.names:
                alias[a.asname or a.name] = node.module + "." + a.name
                yield node.module + "." + a.name
        if isinstance(node, ast.Import):
            for a in node.names:
                if a.name.split(".")[0] == "torch" and a.asname:
                    alias[a.asname] = a.name
    for node in ast.walk(tree):
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if parts and isinstance(node, ast.Name) and node.id in alias:
            yield ".".join([alias[node.id]] + parts[::-1])


def exists(torch, name):
    if any(name == new or name.startswith(new + ".") for new in NEWER):
        return True
    import importlib

    at = torch
    path = "torch"
    for part in name.split(".")[1:]:
        path += "." + part
        if not hasattr(at, part):
            try:
                importlib.import_module(path)
            except ImportError:
                return False
        at = getattr(at, part)
        if isinstance(at, (bool, int, str)) or at is None:
            return True
    return True


def main(folder):
    try:
        import torch
    except ImportError:
        torch = None
    faults = snippets = 0
    for file in sorted(os.listdir(folder)):
        if not file.endswith(".json"):
            continue
        with open(os.path.join(folder, file), encoding="utf-8") as stream:
            code = without_placeholders(json.load(stream)["fix"]["python"])
        snippets += 1
        try:
            tree = ast.parse(code)
        except SyntaxError as error:
            print(f"{file}: line {error.lineno}: {error.msg}: {error.text}")
            faults += 1
            continue
        for name in sorted(set(names(tree))):
            if torch and not exists(torch, name):
                print(f"{file}: {name} does not exist in torch {torch.__version__}")
                faults += 1
    print(f"{snippets} snippets, {faults} faults" + ("" if torch else " (torch is not installed: names not looked up)"))
    return 1 if faults or snippets == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

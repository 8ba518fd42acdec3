#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts the events of traces with Python's own json and sqlite3: an answer that shares no code with the readers.

usage: count_events.py FILE…        prints one JSON object: file → counts, or null where Python can't read it
"""
import gzip
import json
import sqlite3
import sys

KINDS = {'kernel': 'kernels', 'gpu_memcpy': 'copies', 'gpu_memset': 'memsets', 'cuda_runtime': 'api_calls', 'cuda_driver': 'api_calls',
         'python_function': 'python', 'user_annotation': 'annotations', 'gpu_user_annotation': 'annotations', 'cpu_op': 'ops'}
TABLES = {'KERNEL': 'kernels', 'MEMCPY': 'copies', 'MEMSET': 'memsets', 'RUNTIME': 'api_calls', 'DRIVER': 'api_calls'}


def kind_of(event):
    kind = KINDS.get(event.get('cat'))
    marker = kind == 'ops' and str(event.get('name', '')).startswith('ProfilerStep')
    return 'annotations' if marker else kind


def count_json(data):
    document = json.loads(data.decode('utf-8-sig', 'replace'), strict=False)
    events = document if isinstance(document, list) else document['traceEvents']
    names = ('slices', 'instants', 'counter_points', 'async_slices', *KINDS.values())
    counts = dict.fromkeys(names, 0)
    for event in events:
        phase = event.get('ph')
        if phase in ('X', 'B', 'b'):
            counts['slices'] += 1
            counts['async_slices'] += phase == 'b'
            if phase != 'b' and kind_of(event):
                counts[kind_of(event)] += 1
        elif phase == 'C':
            counts['counter_points'] += len(event.get('args', {}))
        elif phase in ('i', 'I') and event.get('name') != '[memory]' and event.get('cat') != 'tuneline_mark':
            counts['instants'] += 1
    return counts


def count_sqlite(path):
    counts = dict.fromkeys(TABLES.values(), 0)
    database = sqlite3.connect(f'file:{path}?mode=ro', uri=True)
    for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        kind = name.removeprefix('CUPTI_ACTIVITY_KIND_').split('_')[0]
        if name.startswith('CUPTI_ACTIVITY_KIND_') and kind in TABLES:
            counts[TABLES[kind]] += database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
    return counts


def count(path):
    with open(path, 'rb') as file:
        data = file.read()
    if data.startswith(b'SQLite format 3'):
        return count_sqlite(path)
    try:
        return count_json(gzip.decompress(data) if data.startswith(b'\x1f\x8b') else data)
    except ValueError:
        return None


if __name__ == '__main__':
    json.dump({path: count(path) for path in sys.argv[1:]}, sys.stdout)

# SPDX-License-Identifier: MIT
"""Tuneline marks for Python: what a training program can tell the profiler about itself.

    import tuneline_marks as tm

    tm.config("batch_size", 64)
    for batch in loader:
        tm.step()                        # a step begins, the last one ends
        with tm.scope("forward"):
            ...
        tm.units(len(batch), "samples")
    tm.step_end()

One file without dependencies: copy it beside your program, or put its folder on PYTHONPATH. Without Tuneline's agent in the
process each call returns at once; the agent is looked for at the first call and at every 32nd step. Nothing here raises.
Give loss() and metric() numbers that are on the host already: reading a GPU tensor for them would stall the training.
"""

import ctypes as _ctypes

__all__ = ["step", "step_end", "scope", "scope_begin", "scope_end", "units", "valid_units", "loss", "gradient_norm",
           "skipped_step", "corrupted_samples", "metric", "config"]

_STEP, _STEP_END, _SCOPE_BEGIN, _SCOPE_END, _UNITS, _VALID_UNITS = 1, 2, 3, 4, 5, 6
_LOSS, _GRADIENT_NORM, _SKIPPED_STEP, _CORRUPTED_SAMPLES, _METRIC, _CONFIG = 7, 8, 9, 10, 11, 12
_LOOK_EVERY = 32  # steps
_KEPT_CONFIGS = 64

_mark = None
_looked = False
_steps = 0
_configs = {}


def _find():
    """Looks for the agent among the libraries of this process; None if it isn't there."""
    global _mark, _looked
    _looked = True
    try:
        function = _ctypes.CDLL(None).tuneline_agent_mark
    except (AttributeError, OSError):
        return None
    function.argtypes = [_ctypes.c_uint32, _ctypes.c_char_p, _ctypes.c_char_p, _ctypes.c_double]
    function.restype = None
    _mark = function
    for name, text in list(_configs.items()):
        function(_CONFIG, name, text, 0.0)
    return function


def _text(value):
    return None if value is None else str(value).encode("utf-8", "replace").replace(b"\0", b"")


def _emit(kind, name=None, text=None, value=0.0):
    mark = _mark
    if mark is None and not _looked:
        mark = _find()
    if mark is not None:
        try:
            mark(kind, _text(name), _text(text), float(value))
        except (TypeError, ValueError):
            pass


def step():
    """A step begins; the step before it, if any, ends."""
    global _steps
    if _mark is None:
        if _steps % _LOOK_EVERY == 0:
            _find()
        _steps += 1
    _emit(_STEP)


def step_end():
    """The last step ends and no new one begins: before validation, before the program's end."""
    _emit(_STEP_END)


def scope_begin(name):
    """A named stretch of this thread's time begins: "data", "forward", "checkpoint". Properly nested."""
    _emit(_SCOPE_BEGIN, name)


def scope_end():
    _emit(_SCOPE_END)


class scope:
    """with scope("data"): ..."""

    def __init__(self, name):
        self._name = name

    def __enter__(self):
        scope_begin(self._name)
        return self

    def __exit__(self, *_):
        scope_end()
        return False


def units(count, unit=None):
    """How much this step trains on: units(64, "samples")."""
    _emit(_UNITS, unit, None, count)


def valid_units(count, unit=None):
    """Of units(), what is not padding."""
    _emit(_VALID_UNITS, unit, None, count)


def loss(value):
    _emit(_LOSS, None, None, value)


def gradient_norm(value):
    _emit(_GRADIENT_NORM, None, None, value)


def skipped_step():
    """The loss scaler skipped this update."""
    _emit(_SKIPPED_STEP, None, None, 1.0)


def corrupted_samples(count):
    _emit(_CORRUPTED_SAMPLES, None, None, count)


def metric(name, value):
    """An evaluation metric: metric("accuracy", 0.93)."""
    _emit(_METRIC, name, None, value)


def config(name, value):
    """A knob or fact of the run: config("batch_size", 64). May be told at any time, best at the start."""
    if _mark is None and _find() is None:
        if len(_configs) < _KEPT_CONFIGS:
            _configs[_text(name)] = _text(value)
        return
    _emit(_CONFIG, name, value)

"""What the processes of the stress run derive: functions in two variants, told apart by what they reach by name."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import adxform


def rise(x):
    """One meaning of `bend`."""
    return np.sin(x) * x


def fall(x):
    """The other one."""
    return np.cos(x) - 0.5 * x * x


BENDS = (rise, fall)
bend = rise


def walk(x):
    """A loop with a branch that writes, over a helper found by its name."""
    y = x.copy()
    for i in range(1, y.shape[0]):
        if y[i] > 0.5:
            y[i] += bend(y[i - 1])
        else:
            y[i] *= y[i - 1]
    return np.sum(bend(y))


def settle(x):
    """A loop of unknown length, with an inner derivative."""
    step = x
    while np.sum(step * step) > 1e-3:
        step = 0.5 * step + 0.01 * adxform.grad(bend_sum)(step)
    return np.sum(step * x)


def bend_sum(x):
    """A sum over the helper."""
    return np.sum(bend(x))


def scaled(kind: str) -> Callable[..., Any]:
    """A closure made anew at each call, with a value that has to be known."""

    def f(x):
        return np.sum(x**3) if kind == "cube" else np.sum(np.exp(x))

    return f


def derived(variant: int) -> list[list[float]]:
    """Derivatives of all of them, flat, where `bend` is the one of that number."""
    globals()["bend"] = BENDS[variant]
    x, v = np.linspace(0.2, 1.4, 5), np.linspace(1.0, -1.0, 5)
    closure = scaled(("cube", "exp")[variant])
    out, pullback = adxform.vjp(walk, x)
    found = (
        adxform.grad(walk)(x),
        out,
        *pullback(1.0),
        adxform.grad(settle)(x),
        adxform.prepare_hvp(closure, x)(x, v),
    )
    return [np.ravel(each).tolist() for each in found]


def work(variant: int, cache: str, report: Path) -> None:
    """Derive with the cache in a folder; leave values, counters and what was said on the standard error in the file `report`."""
    os.environ["ADXFORM_CACHE_DIR"] = cache
    said = report.with_suffix(".err")
    with said.open("w") as stream:
        os.dup2(stream.fileno(), sys.stderr.fileno())
        warnings.simplefilter("always")
        values = derived(variant)
        sys.stderr.flush()
    told = json.dumps({"values": values, "stats": adxform.stats(), "said": said.read_text()})
    unfinished = report.with_suffix(".part")
    unfinished.write_text(told)
    unfinished.replace(report)

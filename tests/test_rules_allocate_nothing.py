"""What allocates nothing has a derivative that allocates nothing: an audit of functions that write into memory they are given.

Calls are warm ones of prepared gradients with `out=`. Of arrays of a hundred thousand numbers none is made.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.primitives.record import Constant, Primitive
from adxform.primitives.table import TABLE, lookup
from benchmarks.memory import BUFFERS, peak_and_kept
from tests.writing_rules import multiply_into

COUNT = 100_000
TEXT = "def f(w, {names}):\n    fn({names}, out=w)\n    return np.sum(w * w)\n"


def is_elementwise(record: Primitive) -> bool:
    """Whether its function takes an `out` for one result, element by element, and has a derivative that is not zero."""
    one = isinstance(record.fn, np.ufunc) and record.fn.nout == 1 and record.fn.signature is None
    return one and bool(record.samples) and record.derivative is not None and not isinstance(record.derivative, Constant)


ELEMENTWISE = [record.fn for record in TABLE.values() if is_elementwise(record)]


def audited(f: Callable[..., Any], args: tuple[Any, ...], argnums: tuple[int, ...]) -> None:
    """Assert that a warm gradient of `f` makes no array of the length of an argument."""
    gradient = adxform.prepare_gradient(f, *args, argnums=argnums, engine="python")
    out = tuple(np.empty_like(args[place]) for place in argnums)
    with np.errstate(all="ignore"):
        peak, kept = peak_and_kept(lambda: gradient(*args, out=out))
    assert kept == 0
    assert peak < BUFFERS < 8 * COUNT


def is_float(sample: Any) -> bool:
    return isinstance(sample, float | np.floating | np.ndarray) and np.asarray(sample).dtype.kind == "f"


@pytest.mark.parametrize("fn", ELEMENTWISE, ids=lambda fn: fn.__name__)
def test_elementwise(fn: Any) -> None:
    record = lookup(fn)
    assert record is not None
    (sample, *_), names = record.samples, {"np": np, "fn": fn}
    text, file = TEXT.format(names=", ".join(f"x{k}" for k in range(len(sample)))), f"<audit of {record.name}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec"), names)
    args = tuple(np.resize(arg, COUNT) if is_float(arg) else arg for arg in sample)
    audited(names["f"], (np.zeros(COUNT), *args), tuple(place + 1 for place, arg in enumerate(sample) if is_float(arg)))


def stored(w: Any, x: Any) -> Any:
    w[1:-1] = x[2:] * 2.0
    w[::2] = x[0]
    return np.sum(w * x)


def augmented(w: Any, x: Any) -> Any:
    w += x
    w *= x
    w[1:] -= x[:-1]
    w /= 2.0 + x * x
    return np.sum(w * w)


def copied(w: Any, x: Any) -> Any:
    np.copyto(w, x)
    w.fill(x[0])
    np.copyto(w[1:], x[1:], where=True)
    return np.sum(w * x)


def clipped(w: Any, x: Any) -> Any:
    np.clip(x, -0.5, 0.5, out=w)
    return np.sum(w * w)


def reduced(w: Any, x: Any) -> Any:
    np.sum(np.reshape(x, (100, 1000)), axis=0, out=w[:1000])
    np.mean(np.reshape(x, (100, 1000)), axis=0, out=w[1000:2000])
    np.max(np.reshape(x, (1000, 100)), axis=1, out=w[2000:3000])
    return np.sum(w * w)


def accumulated(w: Any, x: Any) -> Any:
    np.cumsum(x, out=w)
    return np.sum(w * x)


def multiplied(w: Any, x: Any) -> Any:
    C, A, B = [np.reshape(part, (100, 100)) for part in (w[:10_000], x[:10_000], x[10_000:20_000])]
    np.matmul(A, B, out=C)
    np.dot(B, C, out=np.reshape(w[10_000:20_000], (100, 100)))
    multiply_into(C, B, A)
    return np.sum(w * w)


def swapped(w: Any, x: Any) -> Any:
    for _ in range(3):
        np.multiply(w, x, out=w)
        np.sin(w, out=w)
    return np.sum(w * w)


IN_PLACE = (stored, augmented, copied, clipped, reduced, accumulated, multiplied, swapped)


@pytest.mark.parametrize("f", IN_PLACE, ids=lambda f: f.__name__)
def test_programs_in_place(f: Callable[..., Any]) -> None:
    audited(f, (np.ones(COUNT), np.linspace(-1.0, 1.0, COUNT)), (0, 1))

"""What a warm call with `out=` allocates: the bytes of arrays that it leaves behind, and how much more it has in use at most."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

import adxform
from benchmarks.record import Claim, Result

SIZES = (1_000, 10_000, 100_000, 1_000_000)
MATRICES = (16, 64, 256)
DERIVATIVES = ("gradient", "value_and_gradient", "hvp", "value_gradient_and_hvp", "hvp_same_point", "cotangents")
BUFFERS = 8192 * 8 * 8
"""NumPy itself takes buffers of 8192 numbers at a time, whatever the length of the arrays."""


def elementwise(x: Any, w: Any) -> Any:
    """One expression, with a condition and a maximum in it."""
    y = np.sin(x) * w + x**2
    return np.sum(np.where(y > 0.5, y, 0.1 * y)) + np.log(np.sum(np.exp(x - np.max(x))))


def stepped(x: Any, w: Any) -> Any:
    """A loop that writes to slices and rebinds: a tape."""
    y = x.copy()
    for _ in range(4):
        y[1:-1] = y[1:-1] + 0.1 * (y[2:] - 2.0 * y[1:-1] + y[:-2]) * w[1:-1]
        y = np.tanh(y) + 0.1 * y
    return np.sum(y**2)


def searching(x: Any, w: Any) -> Any:
    """A loop of unknown length."""
    y, k = x * w, 0
    while np.sum(y * y) > 1e-3 * x.shape[0] and k < 20:
        y = 0.5 * y + 0.01 * np.sin(y) * y
        k += 1
    return np.sum(y**2) + np.sum(x * w)


def products(x: Any, w: Any) -> Any:
    """Matrix products in place."""
    n = round(x.shape[0] ** 0.5)
    a, b = np.reshape(w, (n, n)) / n, np.reshape(x, (n, n)).copy()
    c = np.zeros((n, n))
    total = 0.0
    for _ in range(3):
        np.matmul(a, b, out=c)
        b[:] = 0.1 * (c @ b)
        total += np.sum(c * b)
    return total / n


def scaled(y: Any, w: Any) -> None:
    """Writes to its argument."""
    y *= w
    y[0] = 1.0
    y += np.cos(y)


def helped(x: Any, w: Any) -> Any:
    """A helper that writes to what it is given, a view among others."""
    y = x.copy()
    scaled(y, w)
    scaled(y[1:], w[1:])
    return np.sum(y * x)


def guarded(x: Any, w: Any) -> Any:
    """Powers, roots and quotients, whose derivatives are masked at poles."""
    return np.sum(np.sqrt(1.0 + x**2) * np.abs(w) ** 1.5) + np.linalg.norm(x * w) + np.sum(np.log1p(w**2) / (1.0 + x**2))


PROGRAMS: tuple[Callable[[Any, Any], Any], ...] = (elementwise, stepped, searching, products, helped, guarded)


def peak_and_kept(call: Callable[[], Any]) -> tuple[int, int]:
    """The bytes that a warm call has in use at most beside what it found, and those of arrays that it leaves behind."""
    for _ in range(3):
        call()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        call()
        peak = tracemalloc.get_traced_memory()[1] - before
        arrays = tracemalloc.DomainFilter(inclusive=True, domain=np.lib.tracemalloc_domain)
        return peak, sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces([arrays]).traces)
    finally:
        tracemalloc.stop()


def warm(kind: str, f: Callable[[Any, Any], Any], n: int) -> Callable[[], Any]:
    """A call with `out=` of a derivative of `f` at vectors of length `n`, a square of it for `products`."""
    size = round(n**0.5) ** 2 if f is products else n
    x, w, v = np.random.default_rng(3).normal(size=(3, size))
    out, other = np.empty((2, size))
    match kind:
        case "gradient":
            gradient = adxform.prepare_gradient(f, x, w)
            return lambda: gradient(x, w, out=out)
        case "value_and_gradient":
            value = adxform.prepare_value_and_gradient(f, x, w, argnums=(0, 1))
            return lambda: value(x, w, out=(None, (out, other)))
        case "hvp":
            product = adxform.prepare_hvp(f, x, w)
            return lambda: product(x, w, v, out=out)
        case "value_gradient_and_hvp":
            whole = adxform.prepare_hvp(f, x, w)
            return lambda: whole.value_gradient_and_hvp(x, w, v, out=(None, other, out))
        case "hvp_same_point":
            here = adxform.prepare_hvp_same_point(f, x, w)
            return lambda: here(v, out=out)
        case "cotangents":
            pulled = adxform.prepare_vjp(f, x, w)
            return lambda: pulled.cotangents((x, w), 2.0, out=(out, other))
        case _:
            matrix = np.empty((size, size))
            hessian = adxform.prepare_hessian(f, x, w)
            return lambda: hessian(x, w, out=matrix)


def memory(quick: bool) -> Result:
    """Measure every program and derivative at every size."""
    rows: list[tuple[str | int | float, ...]] = []
    for kind in (*DERIVATIVES, "hessian"):
        sizes = MATRICES if kind == "hessian" else SIZES
        for f in PROGRAMS:
            for n in sizes[:2] if quick else sizes:
                peak, kept = peak_and_kept(warm(kind, f, n))
                rows.append((kind, f.__name__, n, kept, peak))
    claims = (
        Claim("no call leaves an array behind", all(row[3] == 0 for row in rows)),
        Claim(
            f"at any length, a call has at most {BUFFERS // 1024} KiB more in use than before",
            all(isinstance(row[4], int) and row[4] < BUFFERS for row in rows),
        ),
    )
    columns = ("derivative", "function", "n", "bytes kept", "peak bytes")
    return Result("Warm calls with out=: what they allocate", columns, tuple(rows), claims)

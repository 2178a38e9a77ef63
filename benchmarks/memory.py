"""What a warm call with `out=` allocates: the bytes of arrays that it leaves behind and has in use at most; and its time."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

import adxform
from benchmarks.record import Claim, Result
from benchmarks.timing import effort, interleaved

SIZES = (1_000, 10_000, 100_000, 1_000_000)
MATRICES = (16, 64, 256)
DERIVATIVES = (
    *("gradient", "value_and_gradient", "hvp", "value_gradient_and_hvp", "hvp_same_point", "cotangents"),
    *("tangents of a batch", "products of a batch"),
)
BY_COLUMNS = ("hessian", "hvp, forward over forward")
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


def differences(x: Any, w: Any) -> Any:
    """Rosenbrock's function by slices."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2) + np.sum(w)


def guarded(x: Any, w: Any) -> Any:
    """Powers, roots and quotients, whose derivatives are masked at poles."""
    return np.sum(np.sqrt(1.0 + x**2) * np.abs(w) ** 1.5) + np.linalg.norm(x * w) + np.sum(np.log1p(w**2) / (1.0 + x**2))


PROGRAMS: tuple[Callable[[Any, Any], Any], ...] = (elementwise, stepped, searching, products, helped, guarded, differences)


def peak_and_kept(call: Callable[[], Any]) -> tuple[int, int]:
    """The bytes that a warm call has in use at most beside what it found, and those of arrays that it leaves behind.

    The peak is the least of three calls: what other threads of the process take meanwhile counts as well.
    """
    for _ in range(3):
        call()
    peaks: list[int] = []
    tracemalloc.start()
    try:
        for _ in range(3):
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            call()
            peaks.append(tracemalloc.get_traced_memory()[1] - before)
        arrays = tracemalloc.DomainFilter(inclusive=True, domain=np.lib.tracemalloc_domain)
        return min(peaks), sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces([arrays]).traces)
    finally:
        tracemalloc.stop()


def calls(kind: str, f: Callable[[Any, Any], Any], n: int) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """A derivative of `f` at vectors of length `n`, a square of it for `products`: a plain call of it, and one with `out=`."""
    size = round(n**0.5) ** 2 if f is products else n
    x, w, v = np.random.default_rng(3).normal(size=(3, size))
    out, other = np.empty((2, size))
    match kind:
        case "gradient":
            p: Any = adxform.prepare_gradient(f, x, w)
            args, target = (x, w), out
        case "value_and_gradient":
            p = adxform.prepare_value_and_gradient(f, x, w, argnums=(0, 1))
            args, target = (x, w), (None, (out, other))
        case "hvp":
            p = adxform.prepare_hvp(f, x, w)
            args, target = (x, w, v), out
        case "value_gradient_and_hvp":
            p = adxform.prepare_hvp(f, x, w).value_gradient_and_hvp
            args, target = (x, w, v), (None, other, out)
        case "hvp_same_point":
            p = adxform.prepare_hvp_same_point(f, x, w)
            args, target = (v,), out
        case "cotangents":
            p = adxform.prepare_vjp(f, x, w).cotangents
            args, target = ((x, w), 2.0), (out, other)
        case "tangents of a batch":
            p = adxform.prepare_jvp(f, x, w, directions=2).batch
            vectors = np.stack((v, w, x))
            args, target = ((x, w), (vectors, vectors)), (None, np.empty(3))
        case "products of a batch":
            p = adxform.prepare_hvp(f, x, w, directions=2).batch
            args, target = (x, w, np.stack((v, w, x))), np.empty((3, size))
        case "hvp, forward over forward":
            p = adxform.prepare_hvp(f, x, w, mode="forward-over-forward")
            args, target = (x, w, v), out
        case _:
            p = adxform.prepare_hessian(f, x, w)
            args, target = (x, w), np.empty((size, size))
    return lambda: p(*args), lambda: p(*args, out=target)


def warm(kind: str, f: Callable[[Any, Any], Any], n: int) -> Callable[[], Any]:
    """A call with `out=` of a derivative: see `calls`."""
    return calls(kind, f, n)[1]


def memory(quick: bool) -> Result:
    """Measure every program and derivative at every size, and time calls with `out=` against plain ones."""
    rows: list[tuple[str | int | float, ...]] = []
    for kind in (*DERIVATIVES, *BY_COLUMNS):
        sizes = MATRICES if kind in BY_COLUMNS else SIZES
        for f in PROGRAMS[:2] if quick else PROGRAMS:
            for n in sizes[:1] if quick else sizes:
                plain, into = calls(kind, f, n)
                peak, kept = peak_and_kept(into)
                times = interleaved({"plain": plain, "out": into}, **effort(quick))
                spent = [round(1e3 * times[name], 3) for name in ("plain", "out")]
                rows.append((kind, f.__name__, n, kept, peak, *spent, round(times["out"] / times["plain"], 2)))
    claims = (
        Claim("no call leaves an array behind", all(row[3] == 0 for row in rows)),
        Claim(
            f"at any length, a call has at most {BUFFERS // 1024} KiB more in use than before",
            all(isinstance(row[4], int) and row[4] < BUFFERS for row in rows),
        ),
    )
    columns = ("derivative", "function", "n", "bytes kept", "peak bytes", "plain ms", "out= ms", "out=/plain")
    return Result("Warm calls with out=: what they allocate, and the time they take", columns, tuple(rows), claims)

"""Forms of elementary functions, their exact values, and where they are tried.

`VECTOR_POINTS=20000 python -m tests.vector_cases` prints the greatest error found of each, and what an element takes in a loop.
"""

from __future__ import annotations

import functools
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numba
import numpy as np

from adxform.backends.numba.vector_math.catalogue import FORMS

COUNT = int(os.environ.get("VECTOR_POINTS", "400"))
RANDOM = np.random.default_rng(7)


def uniform(low: float, high: float, count: int = COUNT) -> np.ndarray:
    return RANDOM.uniform(low, high, count)


def spread(low: float, high: float, count: int = COUNT) -> np.ndarray:
    """Return numbers of both signs, their exponents uniform."""
    return np.exp(RANDOM.uniform(math.log(low), math.log(high), count)) * RANDOM.choice([-1.0, 1.0], count)


def around(*points: float) -> np.ndarray:
    """Return the floats next to each point, and some a little farther off, on both sides."""
    steps = np.concatenate([np.arange(-3, 4), spread(1.0, 1e12, 20)])
    return np.concatenate([p + steps * np.spacing(p) for p in points])


def domain(*pieces: np.ndarray, low: float = -math.inf, high: float = math.inf) -> np.ndarray:
    x = np.concatenate(pieces)
    return x[(x >= low) & (x <= high)]


@dataclass(frozen=True)
class Case:
    """A form, its exact value by mpmath, and where it is tried."""

    name: str
    exact: Callable[..., Any]
    points: tuple[np.ndarray, ...]


EVERYWHERE = domain(spread(1e-320, 1e308), spread(1e-3, 1e3))
NEAR_ZERO = spread(1e-320, 1.0)
MULTIPLES = np.round(uniform(-6e5, 6e5)) * (math.pi / 2)
# Numerators of the continued fraction of π: floats this near to its multiples leave the least in the reduction.
CONVERGENTS = around(math.pi / 4, math.pi / 2, math.pi, 22.0, 355.0, 103993.0, 104348.0, 208341.0, 312689.0, 833719.0)
TURNS = domain(uniform(-10, 10), uniform(-1e6, 1e6), MULTIPLES, CONVERGENTS, NEAR_ZERO)
POSITIVE = domain(abs(spread(1e-320, 1e308)), 1.0 + spread(1e-16, 0.5), around(1.0, 0.5**0.5, 2.0**0.5, 2.0), uniform(0.3, 3.0))
UNIT = domain(uniform(-1, 1), NEAR_ZERO, 1.0 - abs(spread(1e-16, 1.0)), around(0.5, 1.0), low=-1.0, high=1.0)
GROWING = domain(uniform(-2, 2), uniform(-711, 711), NEAR_ZERO, around(1.0, 709.78, 710.47), high=710.4)
BASES = uniform(1.01, 3.0)
CASES = (
    Case("exp", mp.exp, (domain(uniform(-745, 709.7), uniform(-1, 1), NEAR_ZERO, around(-708.4, -745.1)),)),
    Case("exp2", lambda x: mp.mpf(2) ** x, (domain(uniform(-1074, 1023.9), uniform(-1, 1), NEAR_ZERO),)),
    Case("expm1", mp.expm1, (domain(uniform(-60, 709.7), uniform(-1, 1), NEAR_ZERO, around(0.3466, -0.3466)),)),
    Case("expit", lambda x: 1 / (1 + mp.exp(-x)), (domain(uniform(-745, 60), uniform(-4, 4), NEAR_ZERO),)),
    Case("log", mp.log, (POSITIVE,)),
    Case("log2", lambda x: mp.log(x) / mp.log(2), (POSITIVE,)),
    Case("log10", mp.log10, (POSITIVE,)),
    Case("log1p", mp.log1p, (domain(EVERYWHERE, NEAR_ZERO, uniform(-1, 2), around(-0.29, 0.41, 1.0), low=-0.9999999),)),
    Case("sin", mp.sin, (TURNS,)),
    Case("cos", mp.cos, (TURNS,)),
    Case("tan", mp.tan, (TURNS,)),
    Case("arcsin", mp.asin, (UNIT,)),
    Case("arccos", mp.acos, (UNIT,)),
    Case("arctan", mp.atan, (domain(EVERYWHERE, NEAR_ZERO, uniform(-3, 3), around(0.6, 1.67)),)),
    Case("arctan2", mp.atan2, (domain(EVERYWHERE, uniform(-1, 1)), domain(spread(1e-320, 1e308), uniform(-1, 1, 2 * COUNT)))),
    Case("sinh", mp.sinh, (GROWING,)),
    Case("cosh", mp.cosh, (GROWING,)),
    Case("tanh", mp.tanh, (domain(uniform(-2, 2), uniform(-25, 25), NEAR_ZERO, around(0.625)),)),
    Case("arcsinh", mp.asinh, (domain(EVERYWHERE, NEAR_ZERO, uniform(-3, 3), around(0.5)),)),
    Case("arccosh", mp.acosh, (domain(1.0 + abs(spread(1e-16, 1e300)), uniform(1, 3), around(2.0, 2.0**28)),)),
    Case("arctanh", mp.atanh, (domain(UNIT, low=-0.9999999999999999, high=0.9999999999999999),)),
    Case(
        "power",
        lambda x, y: x**y,
        (
            domain(abs(spread(1e-3, 1e3)), abs(spread(1e-320, 1e308)), 1.0 + spread(1e-12, 1e-3), BASES),
            domain(uniform(-100, 100), uniform(-1, 1), spread(1.0, 1e5), uniform(-745, -700) / np.log(BASES)),
        ),
    ),
    Case("hypot", mp.hypot, (domain(EVERYWHERE, uniform(-1, 1)), domain(EVERYWHERE, uniform(-1, 1)))),
    Case("cbrt", lambda x: mp.sign(x) * mp.cbrt(abs(x)), (domain(EVERYWHERE, uniform(-8, 8)),)),
    Case("erf", mp.erf, (domain(uniform(-6, 6), uniform(-1.2, 1.2), NEAR_ZERO, around(1.0)),)),
    Case("erfc", mp.erfc, (domain(uniform(-6, 27.2), uniform(0, 2), NEAR_ZERO, around(0.3)),)),
    Case("ndtr", mp.ncdf, (domain(uniform(-38.5, 9), uniform(-2, 2), NEAR_ZERO),)),
    Case(
        "logaddexp",
        lambda x, y: mp.log(mp.exp(x) + mp.exp(y)),
        (domain(uniform(1, 700), np.zeros(2 * COUNT)), domain(uniform(1, 700), uniform(-40, 40), uniform(-1, 1))),
    ),
    Case("logaddexp2", lambda x, y: mp.log(mp.mpf(2) ** x + mp.mpf(2) ** y) / mp.log(2), (uniform(1, 700), uniform(1, 700))),
)
BINARY = {"arctan2", "hypot", "logaddexp", "logaddexp2", "power"}


@functools.cache
def looped(name: str, **options: Any) -> Any:
    """Return a compiled loop that calls a form for each element."""
    form = FORMS[name].load()

    @numba.njit(error_model="numpy", **options)
    def unary(x: Any, out: Any) -> None:
        for i in range(x.shape[0]):
            out[i] = form(x[i])

    @numba.njit(error_model="numpy", **options)
    def binary(x: Any, y: Any, out: Any) -> None:
        for i in range(x.shape[0]):
            out[i] = form(x[i], y[i])

    return binary if name in BINARY else unary


def applied(loop: Any, points: tuple[np.ndarray, ...]) -> np.ndarray:
    out = np.empty_like(points[0])
    loop(*points, out)
    return out


def ulps(got: np.ndarray, exact: Callable[..., Any], points: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return the errors in units in the last place of the exact values; infinite where one of the two is not finite alone."""
    one = np.finfo(got.dtype)
    errors = []
    with mp.workdps(60):
        for found, *args in zip(got, *points, strict=True):
            value = exact(*(mp.mpf(float(a)) for a in args))
            if abs(value) > float(one.max):
                errors.append(0.0 if math.isinf(found) else math.inf)
                continue
            unit = mp.mpf(
                max(math.ldexp(1.0, mp.frexp(value)[1] - one.nmant - 1) if value else 0.0, float(one.smallest_subnormal))
            )
            errors.append(float(abs(mp.mpf(float(found)) - value) / unit))
    return np.array(errors)


def narrow(case: Case) -> tuple[np.ndarray, ...]:
    """Return the points of a case that have a float32, and whose results have one, as float32."""
    small = np.all([(abs(p) > 1e-37) & (abs(p) < 1e38) for p in case.points], axis=0)
    points = tuple(p[small][::3].astype(np.float32) for p in case.points)
    finite = np.isfinite(applied(looped(case.name), points))
    return tuple(p[finite] for p in points)


def nanoseconds(call: Callable[[], Any], elements: int) -> float:
    """Return the time of a call for each element, the least of many."""
    times = []
    for _ in range(200):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e9 * min(times) / elements


def measured(case: Case) -> str:
    """Return a row of the table of docs/engine.md."""
    loop, points = looped(case.name), case.points
    single = narrow(case)
    errors = [np.max(ulps(applied(loop, p), case.exact, p)) for p in (points, single)]
    some = tuple(np.resize(p, 4096) for p in points)
    out, own = np.empty(4096), getattr(np, case.name, None)
    ours = nanoseconds(lambda: loop(*some, out), 4096)
    numpys = f"{nanoseconds(lambda: own(*some, out), 4096):.1f}" if own else ""
    return f"| `{case.name}` | {errors[0]:.2f} | {errors[1]:.2f} | {ours:.1f} | {numpys} |"


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        for each in CASES:
            print(measured(each))

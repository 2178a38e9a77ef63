"""Elementwise functions near the ends of the range of each floating dtype: no derivative leaves it on the way to a number within.

The first two derivatives, in each mode and order, against those of mpmath, which has no range. Where the true derivative is
itself beyond the range of the dtype, or its parts are, an infinity or NaN is right too. Operands and values without all their
digits are left out: their reciprocals are none.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import mpmath as mp
import numpy as np

import adxform
from tests.oracle import float_leaves, pack
from tests.tables.agreement import ORDERS
from tests.tables.cell import Cell, Raised, outcome, program, refusal

Exact = Callable[..., Any]
"""A function of numbers of mpmath."""
Truth = tuple[list[Any], list[list[Any]]]
"""A gradient and a Hessian."""

ONE: Mapping[str, Exact] = {
    "sqrt": mp.sqrt,
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1 / x,
    "exp": mp.exp,
    "exp2": lambda x: mp.power(2, x),
    "expm1": mp.expm1,
    "log": mp.log,
    "log2": lambda x: mp.log(x, 2),
    "log10": mp.log10,
    "log1p": mp.log1p,
    "tan": mp.tan,
    "arcsin": mp.asin,
    "arccos": mp.acos,
    "arctan": mp.atan,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "arcsinh": mp.asinh,
    "arccosh": mp.acosh,
    "arctanh": mp.atanh,
}
OF_MATH = {
    **{name.replace("arc", "a"): exact for name, exact in ONE.items() if name not in ("square", "reciprocal")},
    "erf": mp.erf,
    "erfc": mp.erfc,
}
TWO: Mapping[str, Exact] = {
    "np.arctan2(a, b)": mp.atan2,
    "np.hypot(a, b)": mp.hypot,
    "a ** b": mp.power,
    "np.power(a, b)": mp.power,
    "a / b": lambda a, b: a / b,
    "np.logaddexp(a, b)": lambda a, b: mp.log(mp.exp(a) + mp.exp(b)) if abs(a - b) < 1e4 else max(a, b),
}
POWERS = ("3", "0.5", "-0.5", "1.5", "2.5", "-2", "1 / 3")
ENDS: Mapping[str, tuple[float, ...]] = {
    "float64": (3e-308, 1e-200, 1e-160, 1e-8, 0.5, 1.5, 30.0, 700.0, 1e8, 1e160, 1e200, 1e308),
    "float32": (1.5e-38, 1e-25, 1e-4, 0.5, 1.5, 30.0, 80.0, 1e5, 1e20, 1e25, 3e38),
    "float16": (6.2e-5, 1e-3, 0.5, 1.5, 8.0, 30.0, 300.0, 6e4),
}
TOLERANCE = {8: 1e-7, 4: 1e-3, 2: 3e-2}
NEAR, FAR = (60, 900), (340, 1400)
"""The sizes of steps, in digits, and with how many digits they are taken: the tangent's period is 1e-308 of the largest."""


def cells() -> Iterator[Cell]:
    """All cells, those of one program one after another."""
    for name, exact in ONE.items():
        yield from _of(f"np.{name}(x)", "x", exact)
    for name, exact in OF_MATH.items():
        if hasattr(math, name):
            yield from _of(f"math.{name}(x)", "x", exact)
    for power in POWERS:
        yield from _of(f"x ** ({power})", "x", lambda x, p=power: mp.power(x, mp.mpf(eval(p))))
    for form, exact in TWO.items():
        yield from _of(form, "a, b", exact)


def _of(form: str, params: str, exact: Exact) -> Iterator[Cell]:
    function = program(f"def f({params}):\n    return {form}\n", math=math)
    total = program(f"def f({params}):\n    return np.sum({form})\n", math=math) if "math" not in form else function
    count = len(params.split(", "))
    for dtype, sizes in ENDS.items():
        kind = np.dtype(dtype).type
        if "math" in form and dtype != "float64":
            continue
        numbers = [kind(sign * size) for size in sizes for sign in (1, -1)]
        for point in itertools.product(numbers, repeat=count):
            if count == 2 and (point[1] < 0 or (point[0] < 0 and "arctan2" not in form)):
                continue
            if exact is mp.power and count == 2 and point[1] < 1e-3:  # as slopes of slopes, smaller ones leave the range
                continue
            as_array = "math" not in form
            args = tuple(np.array([v]) if as_array else float(v) for v in point)
            with np.errstate(all="ignore"):
                value = outcome(lambda args=args: np.sum(function(*args)))
            if isinstance(value, Raised) or not np.isfinite(value) or abs(value) < np.finfo(dtype).tiny:
                continue
            where = ", ".join(repr(float(v)) for v in point)
            yield Cell(f"{form}: {dtype} at {where}", function, args, judged_by=_judging(total, value, exact, point))


def _truth(exact: Exact, point: tuple[Any, ...]) -> Truth | None:
    """The gradient and the Hessian at `point`, or none where the function has no value that its dtype holds."""
    places = [mp.mpf(float(v)) for v in point]
    top = float(np.finfo(point[0].dtype).max)
    with mp.workdps(FAR[1]):
        try:
            value = exact(*places)
            if isinstance(value, mp.mpc) or not mp.isfinite(value) or abs(value) > top:
                return None
            slopes = [_derivative(exact, places, orders) for orders in _first(len(places))]
            curves = [[_derivative(exact, places, orders) for orders in row] for row in _second(len(places))]
        except (ValueError, ZeroDivisionError, OverflowError, NotImplementedError):
            return None
    every = [*slopes, *itertools.chain(*curves)]
    return None if any((isinstance(v, mp.mpc) and v.imag != 0) or not mp.isfinite(v) for v in every) else (slopes, curves)


def _first(count: int) -> list[tuple[int, ...]]:
    return [tuple(int(i == k) for i in range(count)) for k in range(count)]


def _second(count: int) -> list[list[tuple[int, ...]]]:
    return [[tuple(int(i == k) + int(i == m) for i in range(count)) for k in range(count)] for m in range(count)]


def _derivative(exact: Exact, places: list[Any], orders: tuple[int, ...]) -> Any:
    """A partial derivative, by differences in units of each place: so small, and of so many digits, that they tell it exactly."""
    step, digits = FAR if max(map(abs, places)) > 1e20 else NEAR
    with mp.workdps(digits):
        slope = _differences(lambda *units: exact(*map(mp.fmul, places, units)), len(places), orders, mp.mpf(10) ** -step)
        return slope / mp.fprod(place**order for place, order in zip(places, orders, strict=True))


def _differences(of_units: Exact, count: int, orders: tuple[int, ...], h: Any) -> Any:
    steps: list[tuple[Any, list[Any]]] = [(mp.mpf(1), [mp.mpf(1)] * count)]
    for place, order in enumerate(orders):
        for _ in range(order):
            moved = []
            for weight, units in steps:
                for sign in (1, -1):
                    shifted = list(units)
                    shifted[place] = shifted[place] + sign * h
                    moved.append((weight * sign / (2 * h), shifted))
            steps = moved
    return mp.fsum(weight * mp.re(of_units(*units)) for weight, units in steps)


def _judging(total: Callable[..., Any], value: Any, exact: Exact, point: tuple[Any, ...]) -> Callable[[Cell], tuple[str, str]]:
    """A judge of the cell of a function that has this `value` at `point`."""

    def judged(cell: Cell) -> tuple[str, str]:
        truth = _truth(exact, point)
        if truth is None:
            return "right", ""
        slopes, curves = truth
        wrt = tuple(range(len(cell.args)))
        direction = [1.0, 0.5][: len(wrt)]
        vectors = _vectors(cell.args, direction)
        places = [abs(mp.mpf(float(np.sum(arg)))) for arg in cell.args]
        rounding = _rounding((*cell.args, value)) * abs(mp.mpf(float(value)))
        bent = [
            ([entry * weight for entry, weight in zip(row, direction, strict=True)], rounding / place / min(place, 1))
            for row, place in zip(curves, places, strict=True)
        ]
        flat = [([slope], rounding / place) for slope, place in zip(slopes, places, strict=True)]
        along = [([slope * w for slope, w in zip(slopes, direction, strict=True)], max(noise for _, noise in flat))]
        asked: dict[str, tuple[Callable[[], Any], list[tuple[list[Any], Any]]]] = {
            "reverse": (lambda: adxform.grad(total, wrt)(*cell.args), flat),
            "forward": (lambda: adxform.jvp(total, cell.args, vectors)[1], along),
            **{order: (partial(_product, total, wrt, order, cell.args, vectors), bent) for order in ORDERS},
        }
        for name, (ask, true) in asked.items():
            got = outcome(ask)
            if (said := refusal(got)) is not None:
                return said
            if isinstance(got, Raised):
                return "wrong", f"{name} raises {got.error!r}"
            for number, (parts, noise) in zip(pack(float_leaves(got)), true, strict=True):
                if not _is_right(number, parts, noise, np.asarray(cell.args[0]).dtype):
                    return "wrong", f"{name}: {number!r}, truly the sum of {[mp.nstr(part, 8) for part in parts]}"
        return "right", ""

    return judged


def _vectors(args: tuple[Any, ...], direction: list[float]) -> tuple[Any, ...]:
    return tuple(w if isinstance(arg, float) else np.full_like(arg, w) for arg, w in zip(args, direction, strict=True))


def _product(total: Callable[..., Any], wrt: tuple[int, ...], order: str, args: tuple[Any, ...], vectors: tuple[Any, ...]) -> Any:
    return adxform.hvp(total, wrt, mode=order)(*args, vectors)


def _rounding(numbers: tuple[Any, ...]) -> float:
    """Some units in the last place, as a share: of numbers without all their digits the last place is a large one."""
    found = [float(np.max(np.spacing(np.abs(number)) / np.abs(number))) for number in numbers if np.all(number)]
    return 16 * max(found, default=1.0)


def _is_right(number: float, parts: list[Any], noise: Any, dtype: Any) -> bool:
    """Whether `number` is the sum of `parts`, which are rounded; that of `noise` is what rounding the value does to it."""
    limits, tolerance = np.finfo(dtype), TOLERANCE[dtype.itemsize]
    top, size = float(limits.max), max(map(abs, parts))
    least = float(limits.tiny if size < limits.tiny else limits.smallest_subnormal)  # such a number may as well be zero
    if size > top * 0.9:
        return True
    return bool(np.isfinite(number)) and abs(mp.mpf(number) - mp.fsum(parts)) <= tolerance * size + noise + 4 * least

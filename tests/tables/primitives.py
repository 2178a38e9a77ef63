"""Every rule of NumPy's, Python's and SciPy's functions, by parameter, dtype, mode and order.

One argument moves at a time. What its derivative gives along random directions is judged by extrapolated differences of the plain
function in double precision: in forward and reverse mode, and in the three orders of modes of the second derivative. The rules
come with the samples of their records, those of SciPy's functions of arrays with `tests/scipy_calls.py`, the functions of
distributions with their families. A parameter, or complex numbers, that a rule does not cover must be refused.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import fft, linalg, ndimage, signal, special, stats
from scipy.spatial import distance

import adxform
from adxform.primitives.declare import name_of
from adxform.primitives.record import General, Linear, Partials
from adxform.primitives.table import TABLE, lookup
from tests import scipy_calls, scipy_families
from tests.tables.agreement import ORDERS
from tests.tables.cell import Cell, Raised, outcome, program, refusal

Fn = Callable[..., Any]
Call = tuple[str, Fn, tuple[Any, ...], tuple[str, ...]]
"""A name, a function, its arguments and the dtypes that these take in turn."""
WEIGHTS = np.cos(np.arange(512.0)) + 0.25
REAL = ("float64", "float32")
DTYPES = (*REAL, "complex128")
TOLERANCE = {"float64": 1e-6, "complex128": 1e-6, "float32": 3e-3}
TURNING = ("eig", "eigh", "svd")
"""Of complex vectors of these only the sizes of the elements are determined: LAPACK chooses how each is turned."""
COARSE = {"float64": 1e-4, "complex128": 1e-4, "float32": 2e-2}
"""What second differences tell, of functions that are themselves computed to few digits."""


def cells() -> Iterator[Cell]:
    """All cells, those of one call one after another."""
    for call in itertools.chain(_records(), _calls(), _distributions()):
        yield from cells_of(*call)


def cells_of(name: str, fn: Fn, args: tuple[Any, ...], dtypes: tuple[str, ...]) -> Iterator[Cell]:
    """The cells of one call: each argument that moves, by dtype, by mode and order."""
    for place, dtype in itertools.product(range(len(args)), dtypes):
        if (moved := _as(args[place], dtype)) is not None:
            # A function that is complex with one complex argument may ask others for real numbers.
            given = [_as(arg, dtype) if dtype == "float32" and _is_real(arg) else arg for arg in args]
            given[place] = moved
            for mode in ("forward", "reverse", *ORDERS):
                judge = partial(_judged, place, mode)
                yield Cell(f"{name}: argument {place}: {dtype}: {mode}", fn, tuple(given), judged_by=judge)


def _records() -> Iterator[Call]:
    """The functions that have a rule, at the samples of their records; with complex numbers where the rule holds for those."""
    for fn in (linalg.det, fft.fft, signal.lfilter, ndimage.shift, distance.cdist, special.erf, stats.norm.pdf):
        lookup(fn)  # the rules of its package join the table
    for record in TABLE.values():
        if isinstance(record.derivative, Partials | Linear | General) and not name_of(record.fn).startswith("adxform."):
            for number, sample in enumerate(record.samples):
                yield f"{name_of(record.fn)} at {number}", record.fn, sample, DTYPES if record.takes_complex else REAL


def _calls() -> Iterator[Call]:
    for group in ("LINALG", "FFT", "SIGNAL", "NDIMAGE", "SPATIAL", "PRODUCTS"):
        for name, (fn, *args) in getattr(scipy_calls, group).items():
            yield f"scipy {group.lower()} {name}", fn, tuple(args), REAL


def _distributions() -> Iterator[Call]:
    at = {"dist": stats}
    for family, shapes in scipy_families.CONTINUOUS.items():
        where = getattr(stats, family).ppf([0.15, 0.45, 0.8], *shapes, 0.3, 1.4)
        params = ", ".join(["x", *(f"a{k}" for k in range(len(shapes))), "loc", "scale"])
        for method in (*scipy_families.AT_PLACES, *scipy_families.AT_SHARES):
            if method in scipy_families.WITHOUT_FORMULA.get(family, ()):
                continue
            fn = program(f"def f({params}):\n    return dist.{family}.{method}({params})\n", **at)
            x = np.array([0.15, 0.45, 0.8]) if method in scipy_families.AT_SHARES else where
            yield f"scipy.stats.{family}.{method}", fn, (x, *shapes, 0.3, 1.4), REAL
    for family, (fixed, p) in scipy_families.DISCRETE.items():
        for method in ("pmf", "logpmf", "cdf", "sf", "logcdf", "logsf"):
            if method in scipy_families.WITHOUT_FORMULA.get(family, ()):
                continue
            text = f"def f(p):\n    y = dist.{family}.{method}(k, *fixed, p)\n    return np.where(np.isfinite(y), y, 0.0)\n"
            made = program(text, k=np.array([0, 1, 2, 5]), fixed=fixed, **at)
            yield f"scipy.stats.{family}.{method}", made, (p,), REAL


def _is_real(arg: Any) -> bool:
    return isinstance(arg, np.ndarray) and arg.dtype.kind == "f"


def _as(arg: Any, dtype: str) -> Any:
    """`arg` as an active argument of `dtype`, where it is one that can move; arrays alone have another dtype than they have."""
    if isinstance(arg, np.ndarray) and arg.dtype.kind == "f" and arg.size:
        return arg * (1.0 + 0.2j) if dtype == "complex128" else arg.astype(dtype)
    if isinstance(arg, np.ndarray) and arg.dtype.kind == "c" and arg.size:
        return arg if dtype == "complex128" else None
    return arg if isinstance(arg, float) and dtype == "float64" else None


def _total(fn: Fn, args: tuple[Any, ...]) -> Fn:
    """A number that tells the results of `fn` at `args` apart, as a program; a plain sum where NumPy takes no such arguments."""
    params = ", ".join(f"x{k}" for k in range(len(args)))
    found = outcome(lambda: fn(*copy.deepcopy(args)))
    parts = ["np.sum(y)"]
    if not isinstance(found, Raised):
        turns = name_of(fn).rpartition(".")[2] in TURNING
        many = isinstance(found, tuple | list)
        parts = [_part(one, f"y[{k}]" if many else "y", turns) for k, one in enumerate(found if many else [found])]
    text = f"def f({params}):\n    y = fn({params})\n    return {' + '.join(filter(None, parts)) or '0.0'}\n"
    return program(text, fn=fn, w=WEIGHTS.astype(np.float32) if _is_single(found) else WEIGHTS)


def _is_single(found: Any) -> bool:
    parts = found if isinstance(found, tuple | list) else [found]
    return all(np.asarray(part).dtype == np.float32 for part in parts)


def _part(found: Any, name: str, turns: bool) -> str:
    kind, shape = np.asarray(found).dtype.kind, np.shape(found)
    if kind not in "fc" or np.size(found) > len(WEIGHTS):
        return ""
    w = f"w[: {np.size(found)}].reshape({shape!r})" if shape else "0.75"
    if kind == "c" and turns:
        return f"np.sum({w} * np.abs({name}) ** 2)"
    if kind == "c":
        return f"np.sum({w} * {name}.real * (1.0 + {name}.imag)) + np.sum({name}.imag * {w}[::-1])".replace("0.75[::-1]", "0.5")
    return f"np.sum({w} * {name} * (1.0 + 0.5 * {name}))"


def _judged(place: int, mode: str, cell: Cell) -> tuple[str, str]:
    """Compare what a mode, or an order of modes, gives along two directions with differences along these."""
    total = _total(cell.function, cell.args)
    plain = outcome(lambda: total(*copy.deepcopy(cell.args)))
    x = cell.args[place]
    rng = np.random.default_rng(5)
    u, v = _direction(x, rng), _direction(x, rng)
    got = outcome(lambda: _given(total, copy.deepcopy(cell.args), place, mode, u, v))
    if (said := refusal(got)) is not None:
        return said
    if isinstance(got, Raised) or isinstance(plain, Raised):
        alike = isinstance(got, Raised) and isinstance(plain, Raised) and got.kind is plain.kind
        return ("right", "") if alike else ("wrong", f"{got!r}, plainly {plain!r}")
    slope, like = got
    if not np.isfinite(plain):
        return ("wrong", f"{slope!r} of a value {plain!r}") if np.isfinite(slope) else ("right", "")
    if like is not None and (np.shape(like) != np.shape(x) or np.result_type(like) != np.result_type(x)):
        return "wrong", f"a cotangent is {like!r}, of {x!r}"
    flat = partial(_at, total, cell.args, place)
    expected, error, size = _second(flat, u, v) if mode in ORDERS else _first(flat, u)
    dtype = np.asarray(x).dtype.name
    near = max((COARSE if mode in ORDERS else TOLERANCE)[dtype], 30.0 * error / size)
    if not error < 1e-2 * size:
        return "wrong", f"differences do not tell: {expected!r}, up to {error:.1e}"
    if not abs(slope - expected) <= near * size:
        return "wrong", f"{slope!r}, by differences {expected!r}"
    return "right", ""


def _given(total: Any, args: tuple[Any, ...], place: int, mode: str, u: Any, v: Any) -> tuple[float, Any]:
    """The slope along `u`, or of the slope along `v` that along `u`; and the gradient or product, if there is one."""
    before, x, after = args[:place], args[place], args[place + 1 :]

    def alone(x: Any) -> Any:
        return total(*before, x, *after)

    if mode == "forward":
        return float(adxform.jvp(alone, (x,), (u,))[1]), None
    made = adxform.grad(alone)(x) if mode == "reverse" else adxform.hvp(alone, mode=mode)(x, v)
    return float(np.sum(np.real(np.asarray(made) * u))), made


def _direction(x: Any, rng: np.random.Generator) -> Any:
    drawn = rng.uniform(0.4, 1.0, np.shape(x)) * rng.choice([-1.0, 1.0], np.shape(x))
    if np.iscomplexobj(x):
        drawn = drawn * (1.0 + 0.7j)
    return drawn.astype(x.dtype) if isinstance(x, np.ndarray) else float(drawn)


def _at(total: Any, args: tuple[Any, ...], place: int, moved: Any) -> float:
    """The value in double precision with the argument at `place` shifted by `moved`."""
    wide = [
        arg.astype(np.float64) if isinstance(arg, np.ndarray) and arg.dtype == np.float32 else copy.deepcopy(arg) for arg in args
    ]
    wide[place] = wide[place] + moved
    return float(total(*wide))


def _extrapolated(difference: Callable[[float], float], steps: tuple[float, ...]) -> tuple[float, float, float]:
    """What differences of falling steps, each half of the one before, come to; their error; and the size to measure it by."""
    rows = [difference(h) for h in steps]
    once = [(4.0 * fine - wide) / 3.0 for wide, fine in itertools.pairwise(rows)]
    twice = [(16.0 * fine - wide) / 15.0 for wide, fine in itertools.pairwise(once)]
    best = min(range(1, len(twice)), key=lambda k: abs(twice[k] - twice[k - 1]))
    return twice[best], abs(twice[best] - twice[best - 1]), max(1.0, abs(twice[best]))


def _first(flat: Callable[[Any], float], u: Any) -> tuple[float, float, float]:
    u = np.asarray(u, complex if np.iscomplexobj(u) else float)
    return _extrapolated(lambda h: (flat(h * u) - flat(-h * u)) / (2.0 * h), tuple(8e-3 / 2.0**k for k in range(10)))


def _second(flat: Callable[[Any], float], u: Any, v: Any) -> tuple[float, float, float]:
    u, v = (np.asarray(one, complex if np.iscomplexobj(one) else float) for one in (u, v))

    def difference(h: float) -> float:
        return (flat(h * (u + v)) - flat(h * (u - v)) - flat(h * (v - u)) + flat(-h * (u + v))) / (4.0 * h * h)

    return _extrapolated(difference, tuple(1.6e-2 / 2.0**k for k in range(9)))

"""What the module `statistics` means of floats: it adds up exactly and rounds once, and its values are those of its own calls."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import FLOAT, Object, Scalar, Several, Type
from adxform.primitives.declare import Result
from adxform.primitives.definitions.definition import Definition, Value


def _mean(data: Any) -> Any:
    return np.mean(np.asarray(data))


def _fmean(data: Any, weights: Any = None) -> Any:
    x = np.asarray(data)
    if weights is None:
        return np.mean(x)
    w = np.asarray(weights)
    return np.sum(w * x) / np.sum(w)


def _geometric_mean(data: Any) -> Any:
    return np.exp(np.mean(np.log(np.asarray(data))))


def _harmonic_mean(data: Any, weights: Any = None) -> Any:
    x = np.asarray(data)
    if np.min(x) <= 0.0:
        raise ValueError("the harmonic mean has no derivative where a number is zero")
    w = np.ones_like(x) if weights is None else np.asarray(weights) * np.ones_like(x)
    return np.sum(w) / np.sum(w / x)


def _median(data: Any) -> Any:
    return np.median(np.asarray(data))


def _median_low(data: Any) -> Any:
    x = np.sort(np.asarray(data))
    return x[(x.shape[0] - 1) // 2]


def _median_high(data: Any) -> Any:
    x = np.sort(np.asarray(data))
    return x[x.shape[0] // 2]


def _squares(data: Any, centre: Any) -> Any:
    """The sum of the squares of what the data lie away from a centre, which is exactly their own where they are equal."""
    return np.sum((np.asarray(data) - (statistics.mean(data) if centre is None else centre)) ** 2)


def _pvariance(data: Any, mu: Any = None) -> Any:
    return _squares(data, mu) / len(data)


def _variance(data: Any, xbar: Any = None) -> Any:
    return _squares(data, xbar) / (len(data) - 1)


def _pstdev(data: Any, mu: Any = None) -> Any:
    return np.sqrt(_squares(data, mu) / len(data))


def _stdev(data: Any, xbar: Any = None) -> Any:
    return np.sqrt(_squares(data, xbar) / (len(data) - 1))


def _covariance(x: Any, y: Any) -> Any:
    x, y = np.asarray(x), np.asarray(y)
    return np.sum((x - np.mean(x)) * (y - np.mean(y))) / (x.shape[0] - 1)


def _correlation(x: Any, y: Any) -> Any:
    x, y = np.asarray(x), np.asarray(y)
    x, y = x - np.mean(x), y - np.mean(y)
    return np.sum(x * y) / np.sqrt(np.sum(x * x) * np.sum(y * y))


def _linear_regression(x: Any, y: Any, *, proportional: Any = False) -> Any:
    x, y = np.asarray(x), np.asarray(y)
    if proportional:
        return statistics.LinearRegression(np.sum(x * y) / np.sum(x * x), 0.0)
    apart = x - np.mean(x)
    slope = np.sum(apart * (y - np.mean(y))) / np.sum(apart * apart)
    return statistics.LinearRegression(slope, np.mean(y) - slope * np.mean(x))


def _quantiles(data: Any, *, n: Any = 4, method: Any = "exclusive") -> Any:
    x = np.sort(np.asarray(data))
    count = x.shape[0]
    first = 0 if method == "inclusive" else 1
    whole = count - 1 + 2 * first
    found = []
    for k in range(1, n):
        place = min(max(k * whole // n, first), count - 2 + first)
        share = (k * whole - place * n) / n
        found.append(x[place - first] * (1.0 - share) + x[place - first + 1] * share)
    return found


def _python_float(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """The type of the result for numbers of Python's, which are made a list when it is run; samples tell that for others."""
    return FLOAT if _is_made(args) else None


def _python_floats(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Several | None:
    match kwargs.get("n", Lit(4)):
        case Lit(int() as n) if _is_made(args):
            return Several((FLOAT,) * (n - 1), tuple)
        case _:
            return None


def _of_pairs(fn: Callable[..., Any]) -> Result:
    """The type of what `fn` gives for two lists of one length, by one of numbers of each one's kind."""

    def result(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | Several:
        kinds = [float if _is_made((arg,)) or not isinstance(arg, Var) else np.float64 for arg in args[:2]]
        found = fn(*([kind(one) for one in (1.0, 2.0, 4.0)] for kind in kinds))
        types = tuple(
            FLOAT if type(one) is float else Scalar("float64") for one in (found if isinstance(found, tuple) else (found,))
        )
        return Several(types, type(found)) if isinstance(found, tuple) else types[0]

    return result


def _is_made(args: tuple[Operand, ...]) -> bool:
    return isinstance(args[0], Var) and isinstance(args[0].type, Object)


_RESULTS: dict[Any, Result] = {
    statistics.quantiles: _python_floats,
    statistics.correlation: _of_pairs(statistics.correlation),
    statistics.linear_regression: _of_pairs(statistics.linear_regression),
}

DEFINITIONS: tuple[Definition, ...] = tuple(
    Definition(fn, body, Value.OWN, sequences=True, result=_RESULTS.get(fn, _python_float))
    for fn, body in (
        (statistics.mean, _mean),
        (statistics.fmean, _fmean),
        (statistics.geometric_mean, _geometric_mean),
        (statistics.harmonic_mean, _harmonic_mean),
        (statistics.median, _median),
        (statistics.median_low, _median_low),
        (statistics.median_high, _median_high),
        (statistics.pvariance, _pvariance),
        (statistics.variance, _variance),
        (statistics.pstdev, _pstdev),
        (statistics.stdev, _stdev),
        (statistics.covariance, _covariance),
        (statistics.correlation, _correlation),
        (statistics.linear_regression, _linear_regression),
        (statistics.quantiles, _quantiles),
    )
)

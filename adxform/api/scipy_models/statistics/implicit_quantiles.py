"""Quantiles of families without a formula for them: implicit functions of the distribution function.

A quantile `z` of ``cdf(z) = q`` moves as chord steps do, ``z - (cdf(z) - q) / density``, the density held: see
`implicit_solutions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adxform.api.scipy_models.orders import to_third_order
from adxform.api.scipy_models.solving import solve, still
from adxform.primitives.definitions.definition import Definition, Value
from adxform.primitives.scipy_rules.stats import FAMILIES
from adxform.primitives.scipy_rules.stats.family import Family, given, placed

Formula = Callable[..., Any]
_STEPS = 3


def _moving_quantile(one: Family, method: Any, cdf: Formula, sign: float) -> Formula:
    """The quantile that SciPy's `method` finds in standard form; `sign`: whether `cdf` grows with the place."""
    logpdf = one.logpdf

    def value(q: Any, *shapes: Any) -> Any:
        return method(q, *shapes)

    def quantile(q: Any, *shapes: Any) -> Any:
        like = q + 0.0
        for shape in shapes:
            like = like + 0.0 * shape
        found = solve(value, (), (), (like,), q, *shapes)
        density = still(np.exp(logpdf(found, *shapes)))
        for _ in range(_STEPS):
            found = found - sign * (cdf(found, *shapes) - q) / density
        return to_third_order(found)

    return quantile


def _at_shares(names: Any, quantile: Formula) -> Formula:
    def body(q: Any, *args: Any, **kwds: Any) -> Any:
        shapes, loc, scale = given(names, args, kwds)
        return placed(quantile(q, *shapes), loc, scale)

    return body


def _in_the_middle(names: Any, quantile: Formula) -> Formula:
    def body(*args: Any, **kwds: Any) -> Any:
        shapes, loc, scale = given(names, args, kwds)
        return placed(quantile(0.5, *shapes), loc, scale)

    return body


def _definitions(one: Family) -> Iterator[Definition]:
    if one.cdf is None or one.sf is None:
        return
    if one.ppf is None:
        quantile = _moving_quantile(one, one.of.ppf, one.cdf, 1.0)
        yield Definition(one.of.ppf, _at_shares(one.shapes, quantile), Value.OWN)
        yield Definition(one.of.median, _in_the_middle(one.shapes, quantile), Value.OWN)
    if one.isf is None:
        quantile = _moving_quantile(one, one.of.isf, one.sf, -1.0)
        yield Definition(one.of.isf, _at_shares(one.shapes, quantile), Value.OWN)


DEFINITIONS: tuple[Definition, ...] = tuple(definition for one in FAMILIES for definition in _definitions(one))

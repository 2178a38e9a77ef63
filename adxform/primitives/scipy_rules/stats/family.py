"""What a family of distributions is: formulas in standard form, of which the methods of SciPy's object are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform.primitives.definitions.definition import Definition, Value
from adxform.primitives.scipy_rules.stats.simple import nowhere

Formula = Callable[..., Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A family `of` SciPy's with the names of its `shapes`; each formula takes what it is of (`z`, `q`), and then the shapes.

    `lower` and `upper` are the ends of the support as functions of the shapes (``None``: there is no end), `inner` is a place
    in it for what lies outside. A formula that is ``None`` follows from others, or is not covered.
    """

    of: Any
    shapes: tuple[str, ...] = ()
    lower: Formula | None = None
    upper: Formula | None = None
    inner: Formula | None = None
    logpdf: Formula
    cdf: Formula | None = None
    sf: Formula | None = None
    logcdf: Formula | None = None
    logsf: Formula | None = None
    ppf: Formula | None = None
    isf: Formula | None = None
    mean: Formula | None = None
    var: Formula | None = None
    entropy: Formula | None = None


def given(names: Any, args: Any, kwds: Any) -> Any:
    """The shapes, the location and the scale that a call gives, by position or by keyword; ``None`` where it gives none."""
    named = {"loc": None, "scale": None, **dict(zip((*names, "loc", "scale"), args, strict=False)), **kwds}
    scale = named["scale"]
    allowed = None if scale is None else scale + np.where(np.asarray(scale) > 0, 0.0, np.nan)
    return [named[name] for name in names], named["loc"], allowed


def _standard(x: Any, loc: Any, scale: Any) -> Any:
    centred = x if loc is None else x - loc
    return centred if scale is None else centred / scale


def placed(z: Any, loc: Any, scale: Any) -> Any:
    """The place that `z` of the standard form has with a location and a scale."""
    spread = z if scale is None else scale * z
    return spread if loc is None else loc + spread


def _within(lower: Any, upper: Any) -> Formula:
    """A test whether a place is not outside of the support, as one that is missing is not."""

    def within(z: Any, *shapes: Any) -> Any:
        if upper is None:
            return np.logical_not(z < lower(*shapes))
        return np.logical_not(np.logical_or(z < lower(*shapes), z > upper(*shapes)))

    return within


def _density(one: Family, log: bool) -> Formula:
    names, logpdf, inner, bounded = one.shapes, one.logpdf, one.inner or nowhere, one.lower is not None
    within = _within(one.lower, one.upper)

    def body(x: Any, *args: Any, **kwds: Any) -> Any:
        shapes, loc, scale = given(names, args, kwds)
        z = _standard(x, loc, scale)
        inside = within(z, *shapes) if bounded else True
        if bounded:
            z = np.where(inside, z, inner(*shapes))
        y = logpdf(z, *shapes)
        if scale is not None:
            y = y - np.log(scale)
        if not log:
            y = np.exp(np.where(y == -np.inf, -np.inf, y))
        return np.where(inside, y, -np.inf if log else 0.0) if bounded else y

    return body


def _distribution(one: Family, formula: Formula, below: float, above: float) -> Formula:
    """A function of the place that is `below` under the support and `above` over it."""
    names, lower, inner, bounded = one.shapes, one.lower or nowhere, one.inner or nowhere, one.lower is not None
    within = _within(one.lower, one.upper)

    def body(x: Any, *args: Any, **kwds: Any) -> Any:
        shapes, loc, scale = given(names, args, kwds)
        z = _standard(x, loc, scale)
        if not bounded:
            return formula(z, *shapes)
        inside = within(z, *shapes)
        y = formula(np.where(inside, z, inner(*shapes)), *shapes)
        return np.where(inside, y, np.where(z < lower(*shapes), below, above))

    return body


def _complement(method: Any) -> Formula:
    def body(x: Any, *args: Any, **kwds: Any) -> Any:
        return 1.0 - method(x, *args, **kwds)

    return body


def _logarithm(method: Any) -> Formula:
    """Of a function of which SciPy's own value is the one to divide by; where that is zero nothing moves."""

    def body(x: Any, *args: Any, **kwds: Any) -> Any:
        y = method(x, *args, **kwds)
        return np.where(y > 0.0, np.log(np.where(y > 0.0, y, 1.0)), -np.inf)

    return body


def _quantile(one: Family, formula: Formula) -> Formula:
    names = one.shapes

    def body(q: Any, *args: Any, **kwds: Any) -> Any:
        shapes, loc, scale = given(names, args, kwds)
        return placed(formula(q, *shapes), loc, scale)

    return body


def _median(one: Family, formula: Formula) -> Formula:
    names = one.shapes

    def body(*args: Any, **kwds: Any) -> Any:
        shapes, loc, scale = given(names, args, kwds)
        return placed(formula(0.5, *shapes), loc, scale)

    return body


def _mean(names: Any, formula: Formula) -> Formula:
    def body(*args: Any, **kwds: Any) -> Any:
        shapes, loc, scale = given(names, args, kwds)
        return placed(formula(*shapes), loc, scale)

    return body


def _variance(names: Any, formula: Formula) -> Formula:
    def body(*args: Any, **kwds: Any) -> Any:
        shapes, _loc, scale = given(names, args, kwds)
        return formula(*shapes) if scale is None else scale * scale * formula(*shapes)

    return body


def _spread(names: Any, formula: Formula) -> Formula:
    def body(*args: Any, **kwds: Any) -> Any:
        shapes, _loc, scale = given(names, args, kwds)
        return np.sqrt(formula(*shapes)) if scale is None else scale * np.sqrt(formula(*shapes))

    return body


def _entropy(names: Any, formula: Formula) -> Formula:
    def body(*args: Any, **kwds: Any) -> Any:
        shapes, _loc, scale = given(names, args, kwds)
        return formula(*shapes) if scale is None else formula(*shapes) + np.log(scale)

    return body


def _bodies(one: Family) -> Iterator[tuple[str, Formula]]:
    yield "logpdf", _density(one, True)
    yield "pdf", _density(one, False)
    if one.cdf is not None:
        yield "cdf", _distribution(one, one.cdf, 0.0, 1.0)
        yield "sf", _complement(one.of.cdf) if one.sf is None else _distribution(one, one.sf, 1.0, 0.0)
        yield "logcdf", _logarithm(one.of.cdf) if one.logcdf is None else _distribution(one, one.logcdf, -np.inf, 0.0)
        yield "logsf", _logarithm(one.of.sf) if one.logsf is None else _distribution(one, one.logsf, 0.0, -np.inf)
    if one.ppf is not None:
        yield "ppf", _quantile(one, one.ppf)
        yield "median", _median(one, one.ppf)
    if one.isf is not None:
        yield "isf", _quantile(one, one.isf)
    yield from moments(one.shapes, one.mean, one.var, one.entropy)


def moments(names: Any, mean: Formula | None, var: Formula | None, entropy: Formula | None) -> Iterator[tuple[str, Formula]]:
    """The methods of a distribution that take parameters only."""
    if mean is not None:
        yield "mean", _mean(names, mean)
    if var is not None:
        yield "var", _variance(names, var)
        yield "std", _spread(names, var)
    if entropy is not None:
        yield "entropy", _entropy(names, entropy)


def definitions_of(one: Family) -> tuple[Definition, ...]:
    """What the methods of SciPy's object mean."""
    return tuple(Definition(getattr(one.of, name), body, Value.OWN) for name, body in _bodies(one))

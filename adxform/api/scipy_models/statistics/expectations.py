"""Expected values of functions of the program under continuous distributions: integrals, in three parts as SciPy takes them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import integrate, stats

from adxform.api.scipy_models.solving import still
from adxform.primitives.definitions.definition import Definition


def _expecting(dist: Any) -> Any:
    low, high = float(dist.a), float(dist.b)

    def body(
        func: Any = None,
        args: Any = (),
        loc: Any = 0,
        scale: Any = 1,
        lb: Any = None,
        ub: Any = None,
        conditional: Any = False,
        **kwds: Any,
    ) -> Any:
        def weighed(x: Any) -> Any:
            return (x if func is None else func(x)) * dist.pdf(x, *args, loc=loc, scale=scale)

        first = lb if lb is not None else low if math.isinf(low) else loc + low * scale
        last = ub if ub is not None else high if math.isinf(high) else loc + high * scale
        below = 0.0 if lb is None else dist.cdf(1.0 * first, *args, loc=loc, scale=scale)
        above = 1.0 if ub is None else dist.cdf(1.0 * last, *args, loc=loc, scale=scale)
        mass = above - below
        inner = still(loc + dist.ppf(below + mass * np.array([0.05, 0.95]), *args) * scale)
        found = (
            integrate.quad(weighed, first, inner[0], **kwds)[0]
            + integrate.quad(weighed, inner[0], inner[1], **kwds)[0]
            + integrate.quad(weighed, inner[1], last, **kwds)[0]
        )
        return np.float64(found / mass if conditional else found)

    return body


def _distributions() -> tuple[Any, ...]:
    """Those whose support does not follow from their shapes."""
    found = {id(one): one for one in vars(stats).values() if isinstance(one, stats.rv_continuous) and _stays(one)}
    return tuple(found.values())


def _stays(dist: Any) -> bool:
    return type(dist)._get_support is stats.rv_continuous._get_support


DEFINITIONS: tuple[Definition, ...] = tuple(
    Definition(one.expect, _expecting(one), sequences=True, calls_back=True) for one in _distributions()
)

"""Distributions with parameters that were given when they were made: each method is that of the distribution itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import stats

from adxform import runtime
from adxform.ir.ops import Operand, Var
from adxform.ir.types import Array, Scalar, Type
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.scipy_rules.stats.multivariate import several_places

_OF_PLACES = ("pdf", "logpdf", "pmf", "logpmf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf")
_OF_NOTHING = ("mean", "var", "std", "entropy", "median")
_VECTORS = (
    stats.multivariate_normal,
    stats.multivariate_t,
    stats.multinomial,
    stats.dirichlet,
    stats.wishart,
    stats.invwishart,
    stats.matrix_normal,
)
_DECOMPOSED_NAMES = ("cov", "scale", "shape", "p", "rowcov", "colcov")
_NORMAL = type(stats.multivariate_normal())
_DECOMPOSED = type(stats.multivariate_normal(np.zeros(2)).cov_object)


class Frozen:
    """What a distribution of SciPy's makes of parameters, which may move: an object that a derivative is followed through."""

    def __init__(self, dist: Any, args: Any, kwds: Any) -> None:
        self.dist, self.args, self.kwds = dist, args, kwds

    def pdf(self, x: Any) -> Any:
        """The density."""
        return self.dist.pdf(x, *self.args, **self.kwds)

    def logpdf(self, x: Any) -> Any:
        """The logarithm of the density."""
        return self.dist.logpdf(x, *self.args, **self.kwds)

    def pmf(self, k: Any) -> Any:
        """The probability of a whole number."""
        return self.dist.pmf(k, *self.args, **self.kwds)

    def logpmf(self, k: Any) -> Any:
        """The logarithm of the probability of a whole number."""
        return self.dist.logpmf(k, *self.args, **self.kwds)

    def cdf(self, x: Any) -> Any:
        """The distribution function."""
        return self.dist.cdf(x, *self.args, **self.kwds)

    def logcdf(self, x: Any) -> Any:
        """The logarithm of the distribution function."""
        return self.dist.logcdf(x, *self.args, **self.kwds)

    def sf(self, x: Any) -> Any:
        """One less the distribution function."""
        return self.dist.sf(x, *self.args, **self.kwds)

    def logsf(self, x: Any) -> Any:
        """The logarithm of one less the distribution function."""
        return self.dist.logsf(x, *self.args, **self.kwds)

    def ppf(self, q: Any) -> Any:
        """The quantile."""
        return self.dist.ppf(q, *self.args, **self.kwds)

    def isf(self, q: Any) -> Any:
        """The quantile from above."""
        return self.dist.isf(q, *self.args, **self.kwds)

    def mean(self) -> Any:
        """The mean."""
        return self.dist.mean(*self.args, **self.kwds)

    def var(self) -> Any:
        """The variance."""
        return self.dist.var(*self.args, **self.kwds)

    def std(self) -> Any:
        """The standard deviation."""
        return self.dist.std(*self.args, **self.kwds)

    def median(self) -> Any:
        """The median."""
        return self.dist.median(*self.args, **self.kwds)

    def entropy(self) -> Any:
        """The entropy."""
        return self.dist.entropy(*self.args, **self.kwds)

    def expect(self, func: Any = None, lb: Any = None, ub: Any = None, conditional: Any = False, **kwds: Any) -> Any:
        """The expected value of a function."""
        names = () if self.dist.shapes is None else tuple(self.dist.shapes.split(", "))
        given = {**dict(zip((*names, "loc", "scale"), self.args, strict=False)), **self.kwds}
        shapes = tuple([given[name] for name in names])
        loc, scale = given.get("loc", 0), given.get("scale", 1)
        return self.dist.expect(func, shapes, loc, scale, lb, ub, conditional, **kwds)

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Random numbers, which SciPy draws."""
        return self.dist.rvs(*self.args, **self.kwds, size=size, random_state=random_state)

    def interval(self, confidence: Any) -> Any:
        """Places with equal shares beyond each."""
        return self.ppf(0.5 * (1.0 - confidence)), self.ppf(0.5 * (1.0 + confidence))

    def stats(self, moments: Any = None) -> Any:
        """The moments."""
        return self.dist.stats(*self.args, **self.kwds, moments="mv" if moments is None else moments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.dist.freeze(*self.args, **self.kwds), name)  # what SciPy's own object has beside these


def as_made(given: Any) -> Any:
    """An array as it is now."""
    return given.copy() if isinstance(given, np.ndarray) else given


class FrozenVector:
    """The same of a distribution of vectors or matrices; a matrix is decomposed when the distribution is made."""

    def __init__(self, dist: Any, args: Any, kwds: Any) -> None:
        self.dist = dist
        self.args = (
            args if dist is stats.dirichlet else tuple([as_made(args[k]) if k == 1 else args[k] for k in range(len(args))])
        )
        self.kwds = {name: as_made(kwds[name]) if name in _DECOMPOSED_NAMES else kwds[name] for name in kwds}

    def pdf(self, x: Any) -> Any:
        """The density."""
        return self.dist.pdf(x, *self.args, **self.kwds)

    def logpdf(self, x: Any) -> Any:
        """The logarithm of the density."""
        return self.dist.logpdf(x, *self.args, **self.kwds)

    def cdf(self, x: Any) -> Any:
        """The distribution function."""
        return self.dist.cdf(x, *self.args, **self.kwds)

    def logcdf(self, x: Any) -> Any:
        """The logarithm of the distribution function."""
        return self.dist.logcdf(x, *self.args, **self.kwds)

    def pmf(self, x: Any) -> Any:
        """The probability of whole numbers."""
        return self.dist.pmf(x, *self.args, **self.kwds)

    def logpmf(self, x: Any) -> Any:
        """The logarithm of the probability of whole numbers."""
        return self.dist.logpmf(x, *self.args, **self.kwds)

    def mean(self) -> Any:
        """The mean."""
        return self.dist.mean(*self.args, **self.kwds)

    def var(self) -> Any:
        """The variance."""
        return self.dist.var(*self.args, **self.kwds)

    def entropy(self) -> Any:
        """The entropy."""
        return self.dist.entropy(*self.args, **self.kwds)

    def rvs(self, size: Any = 1, random_state: Any = None) -> Any:
        """Random vectors, which SciPy draws."""
        return self.dist.rvs(*self.args, **self.kwds, size=size, random_state=random_state)


def _freezing(dist: Any, made: type) -> Callable[..., Any]:
    def body(*args: Any, **kwds: Any) -> Any:
        return made(dist, args, kwds)

    return body


def _at_places(name: str) -> Callable[..., Any]:
    """The method `name` of a frozen distribution from outside, which holds a copy of the distribution that it was made of."""

    def body(frozen: Any, x: Any) -> Any:
        return getattr(getattr(stats, frozen.dist.name), name)(x, *frozen.args, **frozen.kwds)

    return body


def _of_parameters(name: str) -> Callable[..., Any]:
    def body(frozen: Any) -> Any:
        return getattr(getattr(stats, frozen.dist.name), name)(*frozen.args, **frozen.kwds)

    return body


def _normal_logpdf(frozen: Any, x: Any) -> Any:
    made = frozen.cov_object
    if type(made) is not _DECOMPOSED or (frozen.dim == 1 and np.ndim(x) == 1 and x.shape[0] != 1):
        raise runtime.without_derivative(
            "multivariate_normal from outside has a derivative for a matrix as its covariance, and places that are rows"
        )
    several_places(x, 1, "multivariate_normal")
    apart = (np.asarray(x) - frozen.mean) @ made._LP
    return -0.5 * (made._rank * math.log(2.0 * math.pi) + made._log_pdet + np.sum(apart * apart, axis=-1))


def _normal_pdf(frozen: Any, x: Any) -> Any:
    return np.exp(_normal_logpdf(frozen, x))


def _of_rows(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """Of places that are rows SciPy returns a vector, of one place a number."""
    match kwargs.get("x", args[-1]):
        case Var(_, Array(_, tuple() as shape)) if len(shape) > 1:
            return Array("float64", shape[:-1])
        case Var(_, Array()):
            return Scalar("float64", False)
        case _:
            return None


def _interval(dist: Any) -> Callable[..., Any]:
    def body(confidence: Any, *args: Any, **kwds: Any) -> Any:
        return dist.ppf((1.0 - confidence) / 2, *args, **kwds), dist.ppf((1.0 + confidence) / 2, *args, **kwds)

    return body


def _moments(dist: Any) -> Callable[..., Any]:
    def body(*args: Any, moments: Any = "mv", **kwds: Any) -> Any:
        if any(one not in ("m", "v") for one in moments):
            unsupported("the moments of a distribution have a derivative where they are its mean and its variance")
        found = [dist.mean(*args, **kwds) if one == "m" else dist.var(*args, **kwds) for one in ("m", "v") if one in moments]
        return found[0] if len(found) == 1 else tuple(found)

    return body


def _distributions() -> tuple[Any, ...]:
    """The univariate distributions that SciPy has a name for."""
    found = {id(one): one for one in vars(stats).values() if isinstance(one, stats.rv_continuous | stats.rv_discrete)}
    return tuple(found.values())


def _methods() -> dict[Callable[..., Any], Callable[..., Any]]:
    """What the methods of SciPy's frozen objects mean."""
    classes = {cls for one in (stats.norm(), stats.poisson(1.0)) for cls in type(one).__mro__ if cls is not object}
    bodies = {name: _at_places(name) for name in _OF_PLACES} | {name: _of_parameters(name) for name in _OF_NOTHING}
    return {**{vars(cls)[name]: body for cls in classes for name, body in bodies.items() if name in vars(cls)}}


DEFINITIONS: tuple[Definition, ...] = (
    *(Definition(dist, _freezing(dist, Frozen), Value.FOLLOWED) for dist in _distributions()),
    *(Definition(dist, _freezing(dist, FrozenVector), Value.FOLLOWED) for dist in _VECTORS),
    *(Definition(dist.interval, _interval(dist)) for dist in _distributions()),
    *(Definition(dist.stats, _moments(dist)) for dist in _distributions()),
    *(Definition(fn, body) for fn, body in _methods().items()),
    Definition(_NORMAL.logpdf, _normal_logpdf, Value.OWN, result=_of_rows),
    Definition(_NORMAL.pdf, _normal_pdf, Value.OWN, result=_of_rows),
)

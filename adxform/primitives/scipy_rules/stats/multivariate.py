"""Distributions of vectors and matrices. Of a symmetric matrix SciPy reads the lower triangle, and for `cdf` the upper one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import special, stats

from adxform import runtime
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Array, Scalar, Type
from adxform.primitives.definitions.definition import Definition, Value, unsupported

_LOG_TAU = math.log(2.0 * math.pi)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(128)
"""With so many, correlations of up to 0.9999 come out to eleven digits."""


def _symmetric(a: Any) -> Any:
    return np.tril(a) + np.tril(a, -1).T


def _one_place(x: Any, n: Any, name: Any) -> Any:
    """Refuse a vector of several places, of one component each: only lengths tell these from one place."""
    if n == 1 and np.ndim(x) == 1 and x.shape[0] != 1:
        raise runtime.without_derivative(
            f"of several places of one component {name} has a derivative where each is a row: `x[:, None]`"
        )


def several_places(x: Any, parts: Any, name: Any) -> None:
    """Refuse an axis of one place, which SciPy leaves out, so that only lengths tell what it returns.

    `parts`: how many axes at the end are not of places.
    """
    if 1 in np.shape(x)[: np.ndim(x) - parts]:
        raise runtime.without_derivative(f"of one row {name} returns a number, and has a derivative of the row itself: `x[0]`")


def _one_column(x: Any, name: Any) -> Any:
    if np.ndim(x) > 1:
        unsupported(f"{name} of numbers has a derivative for a number x, or a vector of numbers")


_SINGULAR = 1e6 * np.finfo(np.float64).eps
"""Below which part of the largest eigenvalue SciPy takes one for zero."""


def _refuse_singular(cov: Any) -> None:
    """Refuse a matrix that is singular, as SciPy tells it: the density is one of a plane, which moves as the matrix does."""
    sizes = np.abs(np.linalg.eigvalsh(cov))
    if np.min(sizes) <= _SINGULAR * np.max(sizes):
        raise runtime.without_derivative("the density of multivariate_normal has no derivative by a matrix that is singular")


def _normal_logpdf(x: Any, mean: Any = None, cov: Any = 1.0, allow_singular: Any = False) -> Any:
    centred = x if mean is None else x - mean
    if np.ndim(cov) == 0 and (mean is None or np.ndim(mean) == 0):
        _one_column(x, "multivariate_normal")
        several_places(x, 0, "multivariate_normal")
        return -0.5 * (_LOG_TAU + np.log(cov) + centred * centred / cov)
    n = cov.shape[0] if np.ndim(cov) > 0 else np.size(mean)
    _one_place(x, n, "multivariate_normal")
    several_places(x, 1, "multivariate_normal")
    if np.ndim(cov) == 0:
        logdet, squares = n * np.log(cov), centred * centred / cov
    elif np.ndim(cov) == 1:
        logdet, squares = np.sum(np.log(cov)), centred * centred / cov
    else:
        full = _symmetric(cov)
        if allow_singular:
            _refuse_singular(full)
        logdet, squares = np.linalg.slogdet(full)[1], centred * np.linalg.solve(full, np.expand_dims(centred, -1))[..., 0]
    return -0.5 * (n * _LOG_TAU + logdet + np.sum(squares, axis=-1))


def _normal_pdf(x: Any, mean: Any = None, cov: Any = 1.0, allow_singular: Any = False) -> Any:
    return np.exp(_normal_logpdf(x, mean, cov, allow_singular))


def _normal_cdf(
    x: Any,
    mean: Any = None,
    cov: Any = 1.0,
    *,
    maxpts: Any = None,
    abseps: Any = 1e-5,
    releps: Any = 1e-5,
    rng: Any = None,
) -> Any:
    """The share below a place, of up to three components; how well SciPy integrates says nothing of how the share moves."""
    centred = x if mean is None else x - mean
    if np.ndim(cov) == 0 and (mean is None or np.ndim(mean) == 0):
        _one_column(x, "multivariate_normal")
        several_places(x, 0, "multivariate_normal")
        return special.ndtr(centred / np.sqrt(cov))
    n = cov.shape[0] if np.ndim(cov) > 0 else np.size(mean)
    _one_place(x, n, "multivariate_normal")
    several_places(x, 1, "multivariate_normal")
    if n > 3:
        raise runtime.without_derivative(
            "multivariate_normal.cdf has a derivative of up to three components: of more no integral over one number is known"
        )
    z = centred / np.sqrt(np.diagonal(cov) if np.ndim(cov) == 2 else cov)
    if np.ndim(cov) < 2 or n == 1:
        return np.prod(special.ndtr(z), axis=-1)
    if n == 2:
        return _both_below(z[..., 0], z[..., 1], cov[0, 1] / np.sqrt(cov[0, 0] * cov[1, 1]))
    sizes = np.sqrt(np.diagonal(cov))
    return _three_below(z, np.triu(cov, 1) / (sizes * sizes[:, None]))


def _both_below(h: Any, k: Any, correlation: Any) -> Any:
    """The share in which two normal numbers of variance one lie below `h` and `k`.

    Source: Genz, Statistics and Computing 14 (2004), equation 3.
    """
    angle = np.arcsin(correlation)
    turned = 0.5 * angle * (1.0 + _NODES)
    first, second = np.expand_dims(h, -1), np.expand_dims(k, -1)
    energy = (first * first + second * second - 2.0 * first * second * np.sin(turned)) / (2.0 * np.cos(turned) ** 2)
    return special.ndtr(h) * special.ndtr(k) + angle / (4.0 * math.pi) * np.sum(_WEIGHTS * np.exp(-energy), axis=-1)


def _three_below(z: Any, correlations: Any) -> Any:
    """The share in which three normal numbers of variance one lie below `z`, of which the upper correlations are given.

    It is that of a first number which the others do not tell of, and what it grows by as its correlations do.

    Source: Plackett, Biometrika 41 (1954); Genz, Statistics and Computing 14 (2004), equation 14.
    """
    first, second, third = z[..., 0], z[..., 1], z[..., 2]
    apart = special.ndtr(first) * _both_below(second, third, correlations[1, 2])
    grown = _grown(first, second, third, correlations[0, 1], correlations[0, 2], correlations[1, 2])
    return apart + grown + _grown(first, third, second, correlations[0, 2], correlations[0, 1], correlations[1, 2])


def _grown(a: Any, b: Any, c: Any, ab: Any, ac: Any, bc: Any) -> Any:
    """What the share below `a`, `b` and `c` grows by as the first correlation does, and the second in step with it."""
    a, b, c = np.expand_dims(a, -1), np.expand_dims(b, -1), np.expand_dims(c, -1)
    part = 0.5 * (1.0 + _NODES)
    one, other = ab * part, ac * part
    left = 1.0 - one * one
    rest = left - other * other - bc * bc + 2.0 * one * other * bc
    place = (c * left - a * (other - bc * one) - b * (bc - other * one)) / np.sqrt(left * rest)
    density = np.exp(-0.5 * (a * a + b * b - 2.0 * one * a * b) / left) / np.sqrt(left)
    return ab / (4.0 * math.pi) * np.sum(_WEIGHTS * density * special.ndtr(place), axis=-1)


def _normal_logcdf(
    x: Any,
    mean: Any = None,
    cov: Any = 1.0,
    *,
    maxpts: Any = None,
    abseps: Any = 1e-5,
    releps: Any = 1e-5,
    rng: Any = None,
) -> Any:
    return np.log(_normal_cdf(x, mean, cov))


def _normal_entropy(mean: Any = None, cov: Any = 1) -> Any:
    if np.ndim(cov) == 2:
        n, logdet = cov.shape[0], np.linalg.slogdet(_symmetric(cov))[1]
    else:
        n = cov.shape[0] if np.ndim(cov) == 1 else 1 if mean is None else np.size(mean)
        logdet = np.sum(np.log(np.zeros(n) + cov))
    return 0.5 * (n * (_LOG_TAU + 1.0) + logdet)


def _several_shares(alpha: Any) -> Any:
    """Refuse a vector of one share, of which SciPy returns a number, so that only lengths tell what it returns."""
    if np.size(alpha) == 1:
        raise runtime.without_derivative("dirichlet has a derivative of two shares or more: that of one is 1")


def _dirichlet_mean(alpha: Any) -> Any:
    _several_shares(alpha)
    return alpha / np.sum(alpha)


def _dirichlet_var(alpha: Any) -> Any:
    _several_shares(alpha)
    total = np.sum(alpha)
    return alpha * (total - alpha) / (total * total * (total + 1.0))


def _dirichlet_entropy(alpha: Any) -> Any:
    total = np.sum(alpha)
    mass = np.sum(special.gammaln(alpha)) - special.gammaln(total)
    return mass + (total - alpha.shape[0]) * special.digamma(total) - np.sum((alpha - 1.0) * special.digamma(alpha))


def _t_logpdf(x: Any, loc: Any = None, shape: Any = 1, df: Any = 1) -> Any:
    centred = x if loc is None else x - loc
    if np.ndim(shape) == 0 and (loc is None or np.ndim(loc) == 0):
        _one_column(x, "multivariate_t")
        several_places(x, 0, "multivariate_t")
        return _heavy_tail(centred * centred / shape, np.log(shape), 1, df)
    n = np.size(loc) if loc is not None else shape.shape[0] if np.ndim(shape) == 2 else 1
    _one_place(x, n, "multivariate_t")
    several_places(x, 1, "multivariate_t")
    if np.ndim(shape) == 2:
        full = _symmetric(shape)
        logdet, squares = np.linalg.slogdet(full)[1], centred * np.linalg.solve(full, np.expand_dims(centred, -1))[..., 0]
    else:
        logdet, squares = np.sum(np.log(np.zeros(n) + shape)), centred * centred / shape
    return _heavy_tail(np.sum(squares, axis=-1), logdet, n, df)


def _heavy_tail(squares: Any, logdet: Any, n: Any, df: Any) -> Any:
    mass = special.gammaln(0.5 * (df + n)) - special.gammaln(0.5 * df) - 0.5 * n * np.log(math.pi * df)
    return mass - 0.5 * logdet - 0.5 * (df + n) * np.log1p(squares / df)


def _t_pdf(x: Any, loc: Any = None, shape: Any = 1, df: Any = 1) -> Any:
    return np.exp(_t_logpdf(x, loc, shape, df))


def _shares(p: Any) -> Any:
    """The shares of which SciPy takes the last one to be what the others leave."""
    return np.concatenate((p[..., :-1], 1.0 - np.sum(p[..., :-1], axis=-1, keepdims=True)), axis=-1)


def _multinomial_logpmf(x: Any, n: Any, p: Any) -> Any:
    mass = special.gammaln(n + 1.0) + np.sum(special.xlogy(x, _shares(p)) - special.gammaln(x + 1.0), axis=-1)
    return np.where(np.logical_and(np.sum(x, axis=-1) == n, np.all(x >= 0, axis=-1)), mass, -np.inf)


def _multinomial_pmf(x: Any, n: Any, p: Any) -> Any:
    return np.exp(_multinomial_logpmf(x, n, p))


def _multinomial_mean(n: Any, p: Any) -> Any:
    return np.expand_dims(n, -1) * _shares(p)


def _dirichlet_logpdf(x: Any, alpha: Any) -> Any:
    if np.ndim(x) > 1 and x.shape[1] == 1:
        raise runtime.without_derivative("of one column dirichlet returns a number, and has a derivative of it itself: `x[:, 0]`")
    if x.shape[0] != alpha.shape[0]:
        x = np.concatenate((x, 1.0 - np.sum(x, axis=0, keepdims=True)), 0)
    powers = alpha - 1.0 if np.ndim(x) == 1 else np.expand_dims(alpha - 1.0, 1)
    mass = special.gammaln(np.sum(alpha)) - np.sum(special.gammaln(alpha))
    return mass + np.sum(special.xlogy(powers, x), axis=0)


def _dirichlet_pdf(x: Any, alpha: Any) -> Any:
    return np.exp(_dirichlet_logpdf(x, alpha))


def _log_multigamma(a: Any, n: Any) -> Any:
    return 0.25 * n * (n - 1) * math.log(math.pi) + np.sum(special.gammaln(a - 0.5 * np.arange(n)))


def _wishart_logpdf(x: Any, df: Any, scale: Any) -> Any:
    if np.ndim(x) != 2 or np.ndim(scale) != 2:
        unsupported("wishart has a derivative for one matrix x, and a matrix as its scale")
    n, full = scale.shape[0], _symmetric(scale)
    density = 0.5 * (df - n - 1.0) * np.linalg.slogdet(_symmetric(x))[1] - 0.5 * np.trace(np.linalg.solve(full, x))
    mass = 0.5 * df * (n * math.log(2.0) + np.linalg.slogdet(full)[1]) + _log_multigamma(0.5 * df, n)
    return density - mass


def _wishart_pdf(x: Any, df: Any, scale: Any) -> Any:
    return np.exp(_wishart_logpdf(x, df, scale))


def _inverse_wishart_logpdf(x: Any, df: Any, scale: Any) -> Any:
    if np.ndim(x) != 2 or np.ndim(scale) != 2:
        unsupported("invwishart has a derivative for one matrix x, and a matrix as its scale")
    n, full, place = scale.shape[0], _symmetric(scale), _symmetric(x)
    mass = 0.5 * df * (n * math.log(2.0) - np.linalg.slogdet(full)[1]) + _log_multigamma(0.5 * df, n)
    return -0.5 * (df + n + 1.0) * np.linalg.slogdet(place)[1] - 0.5 * np.trace(np.linalg.solve(place, full)) - mass


def _inverse_wishart_pdf(x: Any, df: Any, scale: Any) -> Any:
    return np.exp(_inverse_wishart_logpdf(x, df, scale))


def _matrix_normal_logpdf(X: Any, mean: Any = None, rowcov: Any = 1, colcov: Any = 1) -> Any:
    """Source: Gupta and Nagar, Matrix Variate Distributions (2000), chapter 2."""
    if np.ndim(X) != 2 or np.ndim(rowcov) != 2 or np.ndim(colcov) != 2:
        unsupported("matrix_normal has a derivative for one matrix X, and matrices as covariances of its rows and columns")
    apart, rows, columns = X if mean is None else X - mean, _symmetric(rowcov), _symmetric(colcov)
    energy = np.sum(np.linalg.solve(rows, apart) * np.linalg.solve(columns, apart.T).T)
    m, n = rows.shape[0], columns.shape[0]
    return -0.5 * (m * n * _LOG_TAU + n * np.linalg.slogdet(rows)[1] + m * np.linalg.slogdet(columns)[1] + energy)


def _matrix_normal_pdf(X: Any, mean: Any = None, rowcov: Any = 1, colcov: Any = 1) -> Any:
    return np.exp(_matrix_normal_logpdf(X, mean, rowcov, colcov))


def _of_rows(center: str, spread: str) -> Callable[..., Type | None]:
    """The type for a place, or places that are rows, by the names of the location and the matrix.

    Samples do not tell it: of one row SciPy returns a number.
    """

    def result(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
        given = dict(zip(("x", center, spread), args, strict=False)) | dict(kwargs)
        x, numbers = given["x"], all(_is_number(given.get(name)) for name in (center, spread))
        match x:
            case Var(_, Array(_, tuple() as shape)) if len(shape) > 1 or numbers:
                return Array("float64", shape if numbers else shape[:-1])
            case Var(_, Array() | Scalar()) | Lit():
                return Scalar("float64", False)
            case _:
                return None

    return result


def _is_number(operand: Operand | None) -> bool:
    match operand:
        case None | Lit() | Var(_, Scalar() | Array(_, ())):
            return True
        case _:
            return False


def _of_columns(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """A number for a vector, a vector for a matrix whose columns are the places."""
    match args[0]:
        case Var(_, Array(_, shape)) if shape is not None:
            return Scalar("float64", False) if len(shape) == 1 else Array("float64", shape[1:])
        case _:
            return None


def _number(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return Scalar("float64", False)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(stats.multivariate_normal.logpdf, _normal_logpdf, Value.OWN, result=_of_rows("mean", "cov")),
    Definition(stats.multivariate_normal.pdf, _normal_pdf, Value.OWN, result=_of_rows("mean", "cov")),
    Definition(stats.multivariate_normal.cdf, _normal_cdf, Value.OWN, result=_of_rows("mean", "cov")),
    Definition(stats.multivariate_normal.logcdf, _normal_logcdf, Value.OWN, result=_of_rows("mean", "cov")),
    Definition(stats.multivariate_normal.entropy, _normal_entropy, Value.OWN, result=_number),
    Definition(stats.dirichlet.mean, _dirichlet_mean, Value.OWN),
    Definition(stats.dirichlet.var, _dirichlet_var, Value.OWN),
    Definition(stats.dirichlet.entropy, _dirichlet_entropy, Value.OWN, result=_number),
    Definition(stats.multivariate_t.logpdf, _t_logpdf, Value.OWN, result=_of_rows("loc", "shape")),
    Definition(stats.multivariate_t.pdf, _t_pdf, Value.OWN, only={"allow_singular": (False,)}, result=_of_rows("loc", "shape")),
    Definition(stats.multinomial.logpmf, _multinomial_logpmf, Value.OWN),
    Definition(stats.multinomial.pmf, _multinomial_pmf, Value.OWN),
    Definition(stats.multinomial.mean, _multinomial_mean, Value.OWN),
    Definition(stats.dirichlet.logpdf, _dirichlet_logpdf, Value.OWN, result=_of_columns),
    Definition(stats.dirichlet.pdf, _dirichlet_pdf, Value.OWN, result=_of_columns),
    Definition(stats.wishart.logpdf, _wishart_logpdf, Value.OWN, result=_number),
    Definition(stats.wishart.pdf, _wishart_pdf, Value.OWN, result=_number),
    Definition(stats.invwishart.logpdf, _inverse_wishart_logpdf, Value.OWN, result=_number),
    Definition(stats.invwishart.pdf, _inverse_wishart_pdf, Value.OWN, result=_number),
    Definition(stats.matrix_normal.logpdf, _matrix_normal_logpdf, Value.OWN, result=_number),
    Definition(stats.matrix_normal.pdf, _matrix_normal_pdf, Value.OWN, result=_number),
)

"""Distributions of vectors and matrices. Of a matrix that stands for a symmetric one SciPy reads the lower triangle."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import special, stats

from adxform import runtime
from adxform.ir.ops import Operand, Var
from adxform.ir.types import Array, Scalar, Type
from adxform.primitives.definitions.definition import Definition, Value, unsupported

_LOG_TAU = math.log(2.0 * math.pi)


def _symmetric(a: Any) -> Any:
    return np.tril(a) + np.tril(a, -1).T


def _normal_logpdf(x: Any, mean: Any = None, cov: Any = 1.0) -> Any:
    centred = x if mean is None else x - mean
    if np.ndim(cov) == 0 and (mean is None or np.ndim(mean) == 0):
        return -0.5 * (_LOG_TAU + np.log(cov) + centred * centred / cov)
    n = cov.shape[0] if np.ndim(cov) > 0 else np.size(mean)
    if n == 1:
        message = "multivariate_normal has a derivative for numbers, and for vectors of two or more components"
        raise runtime.without_derivative(message)
    if np.ndim(cov) == 0:
        logdet, squares = n * np.log(cov), centred * centred / cov
    elif np.ndim(cov) == 1:
        logdet, squares = np.sum(np.log(cov)), centred * centred / cov
    else:
        full = _symmetric(cov)
        logdet, squares = np.linalg.slogdet(full)[1], centred * np.linalg.solve(full, np.expand_dims(centred, -1))[..., 0]
    return -0.5 * (n * _LOG_TAU + logdet + np.sum(squares, axis=-1))


def _normal_pdf(x: Any, mean: Any = None, cov: Any = 1.0) -> Any:
    return np.exp(_normal_logpdf(x, mean, cov))


def _dirichlet_logpdf(x: Any, alpha: Any) -> Any:
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
    Definition(stats.multivariate_normal.logpdf, _normal_logpdf, Value.OWN),
    Definition(stats.multivariate_normal.pdf, _normal_pdf, Value.OWN),
    Definition(stats.dirichlet.logpdf, _dirichlet_logpdf, Value.OWN, result=_of_columns),
    Definition(stats.dirichlet.pdf, _dirichlet_pdf, Value.OWN, result=_of_columns),
    Definition(stats.wishart.logpdf, _wishart_logpdf, Value.OWN, result=_number),
    Definition(stats.wishart.pdf, _wishart_pdf, Value.OWN, result=_number),
)

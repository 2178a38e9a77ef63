"""Promise: integrals of vectors and of waves, entropies, intervals, moments and eigenvalues of SciPy move right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform

pytest.importorskip("scipy")
from scipy import integrate, linalg, stats

from tests.scipy_judge import Model
from tests.tables.cell import Cell, judge

P = np.array([0.7, 1.5])
PLAIN = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, 0.4], [0.5, 0.1, 1.0]])
TURNING = np.array([[0.3, -1.0, 0.1], [1.2, 0.1, 0.4], [0.5, 0.1, 1.0]])


def of_vectors(p: Any) -> Any:
    v, _ = integrate.quad_vec(lambda x: np.array([np.exp(-p[0] * x**2), np.cos(p[1] * x)]), p[0], 2.0 * p[1])
    w, error = integrate.quad_vec(lambda x: np.exp(-p[0] * x), 0, p[1])
    m, _ = integrate.quad_vec(lambda x, k: np.outer(p * x, p) ** k, 1.0, -p[1], points=[0.5], args=(2,), epsrel=1e-10)
    return v[0] * v[1] + w + np.sum(m) + 0.0 * error


def of_waves(p: Any) -> Any:
    one, _ = integrate.quad(lambda x: np.exp(-p[0] * x), 0, p[1], weight="cos", wvar=9.0 * p[0])
    other, _ = integrate.quad(lambda x, k: x**k, p[0], 3.0, args=(2,), weight="sin", wvar=3.0)
    return one * other


def entropies(p: Any) -> Any:
    cov = np.array([[p[1], 0.3], [0.3, p[0]]])
    shares = np.append(p, 2.0)
    frozen, shared = stats.multivariate_normal(p, cov), stats.dirichlet(shares)
    normal = frozen.entropy() + stats.multivariate_normal.entropy(cov=cov * 2.0) + stats.multivariate_normal.entropy(p, p[0])
    return normal + np.sum(shared.mean() ** 2) + shared.entropy() + np.sum(stats.dirichlet.var(shares))


def moments(p: Any) -> Any:
    low, high = stats.norm.interval(0.9, loc=p[0], scale=p[1])
    left, right = stats.gamma(p[0]).interval(0.5)
    mean, var = stats.gamma.stats(p[0], scale=p[1])
    other, spread = stats.beta(*p).stats()
    alone = stats.poisson.stats(p[1], moments="m") + stats.beta(*p).stats(moments="v")
    return low * high + left * right + mean * var + other + spread + alone


def eigenvalues(plain: Any, turning: Any) -> Any:
    told = np.max(linalg.eigvals(plain).real) + np.sum(np.abs(linalg.eigvals(turning)) * np.arange(3.0))
    return told + np.sum(linalg.eigvals(plain, turning).real ** 3)


PROGRAMS: dict[str, tuple[Any, ...]] = {
    "of vectors": (of_vectors, P),
    "of waves": (of_waves, P),
    "entropies": (entropies, P),
    "moments": (moments, P),
    "eigenvalues": (eigenvalues, PLAIN, TURNING),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    function, *args = PROGRAMS[name]
    verdict = judge(Cell(name, function, tuple(args)))
    assert verdict.kind == "right", verdict.reason


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (lambda p: integrate.quad_vec(lambda x: np.exp(-p * x), 0, np.inf)[0][0], RuntimeError, "limits that are numbers"),
        (lambda p: integrate.quad(lambda x: p[0] * x, 0, 1, weight="cauchy", wvar=0.3)[0], adxform.AdxError, "cos and sin"),
        (
            lambda p: integrate.quad(lambda x: np.exp(-p[0] * x), 0, np.inf, weight="cos", wvar=3.0)[0],
            RuntimeError,
            "limits that are numbers",
        ),
        (lambda p: stats.gamma.stats(p[0], moments="mvs")[2], adxform.AdxError, "its mean and its variance"),
    ],
)
def test_what_is_refused(model: Model, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        adxform.grad(model)(P)

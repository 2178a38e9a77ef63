"""Promise: what SciPy finds by products with a matrix, sparse, dense or a `LinearOperator`, moves as the solution itself does.

The oracle is differences of SciPy itself, at tolerances finer than those of the differences.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform

pytest.importorskip("scipy")
from scipy import sparse
from scipy.sparse import linalg

from tests.scipy_judge import Model, judge

N = 8
P = np.array([1.0, 0.5])
K = sparse.diags([-np.ones(N - 1), 2.1 * np.ones(N), -np.ones(N - 1)], [-1, 0, 1], format="csr")
OUTSIDE = linalg.LinearOperator((N, N), matvec=lambda v: K @ v, dtype=float)
START = np.ones(N)
FINE = {"rtol": 1e-13}
METHODS = (
    *(linalg.cg, linalg.bicg, linalg.bicgstab, linalg.cgs, linalg.gmres, linalg.lgmres),
    *(linalg.minres, linalg.tfqmr, linalg.gcrotmk),
)


def weighed(x: Any) -> Any:
    return np.sum(np.ravel(x) ** 2 * np.cos(np.arange(np.size(x))))


def solved(p: Any, method: Any) -> Any:
    x, told = method((p[0] * K + p[1] * sparse.eye(N)).tocsr(), np.linspace(1.0, 2.0, N) * p[1], **FINE)
    return weighed(x) + told


def of_constants(p: Any) -> Any:
    x, _ = linalg.cg(K, np.ones(N) * p[0] * p[1], x0=START, **FINE)
    dense = K.toarray() * p[0] + np.diag(K.diagonal())
    y, _ = linalg.gmres(dense, START, restart=5, maxiter=100, M=sparse.diags(0.5 * np.ones(N)), **FINE)
    return np.sum(x * y)


def of_operators(p: Any) -> Any:
    def by(v: Any) -> Any:
        out = 2.5 * v * p[0]
        out[1:] -= v[:-1] * p[1]
        out[:-1] -= v[1:]
        return out

    a = linalg.LinearOperator((N, N), matvec=by)
    m = linalg.LinearOperator((N, N), matvec=lambda v: v / (2.5 * p[0]))
    x, _ = linalg.cg(OUTSIDE, np.ones(N) * p[0] * p[1], **FINE)
    y, told = linalg.bicgstab(a, np.arange(1.0, N + 1), M=m, **FINE)
    if told != 0:
        raise ValueError("no solution")
    return np.sum(x * y) + np.sum(a @ x) + a.matvec(x)[2] * a.shape[0]


def of_a_triangle(p: Any) -> Any:
    low = sparse.csr_matrix(np.tril(np.ones((4, 4))) * p[0] + np.eye(4))
    up = sparse.csr_matrix(np.triu(np.ones((4, 4))) * p[0] + np.eye(4))
    b = np.ones(4) * p[1]
    return weighed(linalg.spsolve_triangular(low, b)) + weighed(linalg.spsolve_triangular(up, b, lower=False))


def exponentials(p: Any) -> Any:
    a = sparse.diags([np.ones(N - 1) * p[0], -2.0 * np.ones(N), p[1] * np.ones(N - 1)], [-1, 0, 1], format="csc")
    return weighed(linalg.expm_multiply(a, np.arange(1.0 * N) * p[0])) + weighed(linalg.expm_multiply(a * 0.3, np.ones((N, 2))))


def modes(p: Any) -> Any:
    """A few of the smallest eigenvalues, and their vectors."""
    bands = [-np.ones(N - 1), 2.0 * np.ones(N) * p[0] + p[1] * np.arange(N), -np.ones(N - 1)]
    a = sparse.diags(bands, [-1, 0, 1], format="csc")
    values, vectors = linalg.eigsh(a, k=3, sigma=0, v0=START)
    others = linalg.eigsh(a.toarray(), k=2, which="SA", v0=START, return_eigenvectors=False)
    return weighed(values) + weighed(vectors) + vectors[2, 0] + others[0]


MODELS: dict[str, Model] = {
    **{method.__name__: lambda p, method=method: solved(p, method) for method in METHODS},
    "constants": of_constants,
    "operators": of_operators,
    "triangles": of_a_triangle,
    "exponentials": exponentials,
    "modes": modes,
}


@pytest.mark.parametrize("name", MODELS)
def test_solutions(name: str) -> None:
    judge(MODELS[name], P, second=name in ("cg", "operators", "exponentials", "modes"), step=1e-3)


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (lambda p: np.sum(linalg.cg(K, np.ones(N) * p[0], rtol=1e-13, maxiter=2)[0]), RuntimeError, "no solution"),
        (lambda p: np.sum(linalg.bicg(linalg.LinearOperator((2, 2), lambda v: v * p), p)[0]), adxform.AdxError, "the transpose"),
        (lambda p: np.sum(linalg.cg(K, np.ones(N) * p[0], callback=print)[0]), adxform.AdxError, "`callback`"),
        (lambda p: np.sum(linalg.eigsh(K * p[0], 2, M=K)[0]), adxform.AdxError, "`M`"),
        (lambda p: np.sum(linalg.spsolve_triangular(K * p[0], START, unit_diagonal=True)), adxform.AdxError, "the diagonal"),
    ],
)
def test_what_is_refused(model: Model, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        adxform.grad(model)(P)

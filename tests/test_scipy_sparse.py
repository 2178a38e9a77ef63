"""Promise: sparse matrices that a function makes of what moves have the right derivative and SciPy's value, or are refused.

The oracle is differences of SciPy itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError

pytest.importorskip("scipy")
from scipy import optimize, sparse, stats
from scipy.sparse.linalg import factorized, lsmr, lsqr, splu, spsolve

Model = Callable[..., Any]

ROWS, COLUMNS = np.array([0, 1, 2, 0, 1, 0]), np.array([0, 1, 2, 1, 2, 0])
D = np.array([4.0, 5.0, 6.0, 1.0, 2.0, 0.5])
X, X6 = np.array([1.0, 2.0, 3.0]), np.arange(1.0, 7.0)
K = sparse.csr_matrix(np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]]))
KA = sparse.csr_array(K)
M = sparse.eye(3, format="csc")
LU = splu(K.tocsc())
FREE = np.array([0, 2])


def csr(d: Any) -> Any:
    """A matrix with two entries at one place."""
    return sparse.csr_matrix((d, (ROWS, COLUMNS)), shape=(3, 3))


def filled(d: Any, make: Any = sparse.lil_matrix) -> Any:
    """A matrix that is filled entry by entry, as of finite elements."""
    a = make((4, 4))
    for e in range(3):
        a[e, e] += d[e] ** 2
        a[e + 1, e + 1] += d[e] ** 2
        a[e, e + 1] -= d[e + 3]
        a[e + 1, e] = a[e, e + 1] * d[e]
    return a


def of_blocks(d: Any) -> Any:
    """One of which blocks are added to, and a row is replaced; a later store does not reach what was made of it."""
    a = sparse.lil_matrix((4, 4))
    for e in range(3):
        places = np.array([e, e + 1])
        a[np.ix_(places, places)] += d[e] * np.array([[1.0, -1.0], [-1.0, 1.0]])
    a[0, :] = 0.0
    a[0, 0] = d[5]
    made, other = a.tocsr(), a.copy()
    a[1, 1], other[-1, :2] = d[4], d[:2]
    return squares(made @ d[:4]) + squares(a @ d[:4]) + squares(other.T @ d[:4]) + made[1, 1] * a[1, 1]


def csa(d: Any) -> Any:
    """The same as one of SciPy's arrays."""
    return sparse.csr_array((d, (ROWS, COLUMNS)), shape=(3, 3))


def differences(f: Model, p: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """Central differences of a function of a vector."""
    return np.array([(f(p + step * unit) - f(p - step * unit)) / (2.0 * step) for unit in np.eye(len(p))])


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
def judge(f: Model, p: np.ndarray, step: float = 1e-5) -> None:
    """Check the value, both modes and a product of second order of `f` at `p`."""
    v, given = np.cos(np.arange(len(p))), p.copy()
    gradient = adxform.grad(f)
    g = gradient(p)
    expected = differences(f, given)
    scale = 1.0 + np.max(np.abs(expected))
    np.testing.assert_allclose(g / scale, expected / scale, rtol=0, atol=1e-7)
    value, moved = adxform.jvp(f, (p,), (v,))
    assert value == f(given)
    np.testing.assert_allclose(moved, g @ v, rtol=1e-9, atol=1e-12)
    bent = (gradient(given + step * v) - gradient(given - step * v)) / (2.0 * step)
    scale = 1.0 + np.max(np.abs(bent))
    np.testing.assert_allclose(adxform.hvp(f)(p, v) / scale, bent / scale, rtol=0, atol=1e-7)
    both = [adxform.hvp(f, mode=mode)(p, v) for mode in ("forward-over-reverse", "reverse-over-forward")]
    np.testing.assert_allclose(both[0], both[1], rtol=1e-9, atol=1e-9 * scale)


def squares(y: Any) -> Any:
    """A number of what a case gives."""
    return np.sum(np.arange(1.0, np.size(y) + 1.0) * np.ravel(y) ** 2)


def loop(d: Any) -> Any:
    """A matrix that grows in a loop, and a vector that goes through it."""
    a, y = csr(d), X
    for k in range(3):
        a = a + 0.1 * d[k] * K
    for _ in range(4):
        y = a @ y / 10.0
    return squares(y)


def assembled(d: Any) -> Any:
    """Entries from lists whose length only the run knows, as of finite elements."""
    rows, columns, values, n = [], [], [], len(d)
    for k in range(n):
        rows.append(k)
        columns.append(k)
        values.append(d[k] ** 2)
        if k > 0:
            rows.append(k)
            columns.append(k - 1)
            values.append(d[k] * d[0])
    return squares(spsolve(sparse.csc_matrix((values, (rows, columns)), shape=(n, n)), d))


def filled_before(d: Any) -> Any:
    """Entries that are stored one by one into an array, of which the matrix is made then, and which SciPy's would hold."""
    entries = np.zeros(6)
    for k in range(6):
        entries[k] = d[k] ** 2
    return squares(sparse.coo_matrix((entries, (ROWS, COLUMNS)), shape=(3, 3)) @ X)


def changed_after(d: Any) -> Any:
    """An array of entries that SciPy's matrix has a copy of."""
    entries = 2.0 * d
    a = sparse.csr_matrix((entries, (ROWS, COLUMNS)), shape=(3, 3))
    entries[0] = d[1] ** 2
    return squares(a @ (X * entries[0]))


def poisson(d: Any) -> Any:
    """A stencil with coefficients."""
    n = d.shape[0] - 1
    a = sparse.diags([-d[1:-1], d[:-1] + d[1:], -d[1:-1]], [-1, 0, 1], shape=(n, n), format="csc")
    return squares(spsolve(a, np.ones(n)))


def heat(d: Any) -> Any:
    """Implicit steps with one factorisation."""
    n = d.shape[0]
    slopes = sparse.diags_array([-np.ones(n - 1), np.ones(n - 1)], offsets=[0, 1], shape=(n - 1, n))
    lu = splu((sparse.eye_array(n) + 0.1 * (slopes.T @ sparse.diags_array(d[:-1]) @ slopes)).tocsc())
    u = np.arange(float(n))
    for _ in range(6):
        u = lu.solve(u)
    return np.sum(u**3)


def plane(d: Any) -> Any:
    """The operator of a plane by Kronecker products."""
    line = sparse.diags([d[0], 2.0 * d[1], d[0]], [-1, 0, 1], shape=(2, 2))
    unit = sparse.identity(2)
    a = (sparse.kron(unit, line) + sparse.kron(line, unit)).tocsc()
    return squares(spsolve(a, np.arange(4.0))) + a.diagonal().sum()


def dense_system(d: Any) -> Any:
    """SciPy makes a sparse matrix of an array."""
    return squares(spsolve(np.outer(d[:3], d[3:]) + 3.0 * np.eye(3), d[:3]))


def dense_system_with_zeros(d: Any) -> Any:
    """Entries that are zero move as well."""
    return squares(spsolve(np.triu(np.outer(d[:3], d[3:])) + np.outer(d[:3] - d[0], d[:3]), d[:3]))


def dense_system_of_columns(d: Any) -> Any:
    """A column, and several."""
    a = np.reshape(d[:4], (2, 2)) + np.eye(2)
    return squares(spsolve(a, d[4:, None])) + squares(spsolve(a, np.outer(d[4:], d[2:])))


def of_a_table(d: Any) -> Any:
    """Places and entries are columns of one table of floats, as of the branches of a network."""
    table = np.column_stack([ROWS, COLUMNS, np.ones(6)]).astype(float)
    table[:, 2] = d
    return squares(sparse.csr_matrix((1.0 / table[:, 2], (table[:, 0], table[:, 1])), (3, 3)) @ (d[:3] * X))


def branches(d: Any) -> Any:
    """A matrix of either path."""
    a = csr(d) if d[0] > 1.0 else csr(2.0 * d)
    return squares(a @ X)


def added_in_place(d: Any) -> Any:
    """Another matrix under the old name: SciPy's has no sum in place."""
    a = csr(d)
    b = a
    a += 2.0 * K
    return squares(b @ X) + squares(a @ X)


class Operator:
    """A matrix held by an object of the program."""

    def __init__(self, d: Any) -> None:
        self.matrix = csr(d)

    def __call__(self, x: Any) -> Any:
        """The product."""
        return self.matrix @ x


BANDS = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

MADE: dict[str, Model] = {
    "A @ x": lambda d: squares(csr(d) @ (d[:3] * X)),
    "A @ columns": lambda d: squares(csa(d) @ np.outer(d[:3] * X, d[3:])),
    "A.T @ x": lambda d: squares(csr(d).T @ (d[:3] * X)),
    "x @ A": lambda d: squares((d[:3] * X) @ csa(d)),
    "rows @ A": lambda d: squares(np.outer(d[3:], X) @ csr(d)),
    "list @ A": lambda d: squares([1.0, 2.0, 3.0] @ csr(d)),
    "A.dot": lambda d: squares(csr(d).dot(d[:3]) + csr(d).dot(2.0).dot(X)),
    "filled": lambda d: (
        squares(spsolve(filled(d).tocsr()[1:, 1:], d[:3])) + squares(filled(d, sparse.dok_matrix).tocsc() @ d[:4])
    ),
    "filled arrays": lambda d: (
        squares(filled(d, sparse.lil_array) @ d[:4]) + squares((filled(d, sparse.dok_array) * 2).toarray())
    ),
    "blocks": of_blocks,
    "filled from another": lambda d: (
        squares(sparse.lil_matrix(csr(d)) @ X) + squares((2.0 * sparse.lil_matrix(np.outer(d, d))).toarray())
    ),
    "sums with arrays": lambda d: squares(csa(d) + np.outer(d[:3], X)) + squares(csa(d) - np.outer(d[:3], X)),
    "free ones": lambda d: squares(spsolve(csr(d)[FREE][:, FREE], d[:2])),
    "slices": lambda d: squares(csr(d)[1:, :2] @ d[:2]) + squares(csa(d)[::-1][:, [2, 0, 2]] @ X),
    "np.ix_": lambda d: squares(csr(d)[np.ix_([2, 0, 0], [1, 2])].toarray()),
    "masks": lambda d: squares(csr(d)[X > 1.5][:, d[:3] > 4.5] @ d[3:5]),
    "entries": lambda d: csr(d)[0, 0] ** 2 * csa(d)[-2, -1] + csr(d)[2, 0] + csr(d)[int(np.argmin(d[:3])), 1],
    "a row and a column": lambda d: squares(csr(d)[0] @ d[:3]) + squares(csr(d)[:, 1].T @ d[:3]) + csr(d)[-1, :].sum(),
    "constant columns": lambda d: squares(csr(d)[FREE, :][:, [0]] @ d[:1]) + squares((d[0] * K)[1:][:, FREE] @ d[:2]),
    "A * x": lambda d: squares(csr(d) * (d[:3] * X)) + squares((d[:3] * X) * csr(d)),
    "A * A": lambda d: squares((csr(d) * csr(d)) @ X) + squares((csa(d) * csa(d)) @ X),
    "coo": lambda d: squares(sparse.coo_array((d, (ROWS, COLUMNS))) @ X),
    "csc": lambda d: squares(sparse.csc_matrix((d, (ROWS, COLUMNS))) @ X),
    "a table of floats": of_a_table,
    "lines": lambda d: squares(sparse.csr_matrix((d, np.array([0, 1, 1, 2, 0, 2]), np.array([0, 2, 4, 6]))) @ (d[:3] * X)),
    "unsorted": lambda d: squares(
        spsolve(sparse.csc_matrix((1.0 * d, np.array([1, 0, 2, 1, 2, 0]), np.array([0, 2, 4, 6]))), d[:3])
    ),
    "of a dense one": lambda d: squares(sparse.csr_matrix(np.outer(d[:3], d[3:] - 1.0)) @ X),
    "of another": lambda d: squares(sparse.csc_matrix(csr(d)) @ X) + squares(sparse.csr_array(K) @ d[:3]),
    "dtype and copy": lambda d: squares(sparse.csr_matrix((d, (ROWS, COLUMNS)), shape=(3, 3), dtype=float, copy=True) @ X),
    "diags": lambda d: squares(sparse.diags([d[:2], d[:3], d[4:]], [-1, 0, 1]) @ (X * d[3:])),
    "diags of numbers": lambda d: squares(sparse.diags([d[0], d[:3], d[5]], [-1, 0, 1], shape=(3, 3)) @ X),
    "one diagonal": lambda d: squares(sparse.diags(d[:3]) @ X) + squares(sparse.diags(d[:2], 1) @ X),
    "wide": lambda d: squares(sparse.diags_array([d[:3], d[:3]], offsets=[0, 2], shape=(3, 5)) @ X6[:5]),
    "spdiags": lambda d: squares(sparse.spdiags(np.stack([d[:3], d[3:]]), [0, 1], 3, 3) @ X),
    "spdiags in a form": lambda d: squares(spsolve(sparse.spdiags(np.stack([d[:3], d[3:]]), [0, 1], 3, 3, "csc"), d[:3])),
    "dia": lambda d: squares(sparse.dia_array((BANDS * d[0], [-1, 1]), shape=(3, 4)) @ (X6[:4] * d[:4])),
    "eye": lambda d: squares((csr(d) + d[1] * sparse.eye(3) - sparse.identity(3) / d[2]) @ X),
    "K + A": lambda d: squares((K + csr(d)) @ (d[:3] * X)) + squares((csr(d) + K) @ X),
    "K - A": lambda d: squares((2.0 * KA - d[0] * csa(d)) @ (d[:3] * X)),
    "-A": lambda d: squares((-csr(d) - -K) @ X),
    "p * K": lambda d: squares(spsolve((d[0] * K + M * d[1]).tocsc(), d[:3])),
    "K + M": lambda d: squares((K + M) @ d[:3]),
    "A.T @ A": lambda d: squares((csr(d).T @ csr(d) + K.T @ K) @ (d[:3] * X)),
    "multiply": lambda d: squares(csr(d).multiply(d[:3]) @ X) + squares(csr(d).multiply(d[:3, None]).multiply(d[0]) @ X),
    "multiply by A": lambda d: squares(csa(d).multiply(csa(d[::-1])) @ X) + squares(csa(d) * KA @ X),
    "array * A": lambda d: (
        squares((d[:3] * csa(d)) @ X) + squares((d[:3] * KA * d[:3, None]) @ X) + squares(csa(d).multiply(X) @ X)
    ),
    "another kind": lambda d: (
        squares((sparse.csr_array(csr(d)) * sparse.csc_array(K)) @ X) + squares(sparse.csr_matrix(KA) * d[:3])
    ),
    "both kinds": lambda d: squares((csr(d) + sparse.eye_array(3)) @ X),
    "K.multiply": lambda d: squares(K.multiply(d[:3]) @ X) + squares(K.multiply(csr(d)) @ X),
    "toarray": lambda d: np.sum(csr(d).toarray() ** 3) + np.sum(csa(d).todense() ** 3),
    "sums": lambda d: csr(d).sum() ** 2 + csr(d).trace() * csa(d).diagonal(1).sum() + csr(d).diagonal(-1).sum(),
    "forms of K": lambda d: squares(splu(K.tocoo().copy().tocsr().transpose().tocsc()).solve(d[:3])),
    "forms": lambda d: squares(csr(d).tocoo().asformat("csc").tocsr().todia().copy().transpose() @ X),
    "kron": lambda d: squares(sparse.kron(csr(d), d[0] * sparse.eye(2)) @ X6) + squares(sparse.kron(sparse.eye(2), csr(d)) @ X6),
    "kron of arrays": lambda d: squares(sparse.kron(np.outer(d[:2], d[:2]), KA) @ X6),
    "vstack": lambda d: squares(sparse.vstack([csr(d), K * d[0]]) @ X),
    "hstack": lambda d: squares(sparse.hstack((csr(d), K), format="csr") @ X6),
    "bmat": lambda d: squares(spsolve(sparse.bmat([[csr(d), K], [K.multiply(d[0]), None]], format="csc"), X6)),
    "block_diag": lambda d: squares(sparse.block_diag([2.0 * csr(d), np.outer(d[:2], d[:2])]) @ X6[:5]),
    "sum of a list": lambda d: squares(sum([csr(d), csr(2.0 * d)], start=sparse.eye(3)) @ X),
    "spsolve": lambda d: squares(spsolve(csr(d).tocsc(), d[:3] * X)),
    "spsolve by rows": lambda d: squares(spsolve(csr(d), d[:3] * X)),
    "spsolve columns": lambda d: squares(spsolve(csr(d).tocsc(), np.outer(d[:3] * X, d[3:]))),
    "spsolve one column": lambda d: squares(spsolve(csr(d).tocsc(), (d[:3] * X)[:, None])),
    "splu": lambda d: squares(splu(csr(d).tocsc()).solve(d[:3] * X)),
    "splu transposed": lambda d: squares(splu(csr(d).tocsc(), permc_spec="NATURAL").solve(d[:3] * X, "T")),
    "splu of K": lambda d: squares(splu(K.tocsc()).solve(d[:3])),
    "splu from outside": lambda d: squares(LU.solve(d[:3] * X)) + squares(LU.solve(np.outer(d[3:], X), trans="T")),
    "factorized": lambda d: squares(factorized(csr(d).tocsc())(d[:3] * X)),
    "an entry that is zero": lambda d: squares((csr(d) - csr(D)) @ X) + np.sum((csr(d) - csr(D)) @ X),
    "issparse": lambda d: d[0] if sparse.issparse(csr(d)) and not isinstance(csr(d), np.ndarray) else d[1],
    "issparse of arrays": lambda d: (csr(d) if sparse.issparse(d) else d[:3]) @ X * (2.0 if sparse.issparse(K) else d[0]),
    "shape": lambda d: d[0] * csr(d).shape[0] + d[1] * csr(d).ndim,
    "held": lambda d: squares(Operator(d)(X)),
    "loop": loop,
    "assembled": assembled,
    "filled_before": filled_before,
    "changed_after": changed_after,
    "poisson": poisson,
    "heat": heat,
    "plane": plane,
    "branches": branches,
    "added_in_place": added_in_place,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", MADE)
def test_matrices_that_a_function_makes(case: str) -> None:
    judge(MADE[case], D)


def test_jacobians_and_hessians() -> None:
    def solution(d: Any) -> Any:
        return spsolve(csr(d).tocsc(), d[:3] * X)

    np.testing.assert_allclose(adxform.jacobian(solution)(D), differences(solution, D).T, rtol=1e-7, atol=1e-9)
    expected = differences(adxform.grad(lambda d: squares(solution(d))), D)
    np.testing.assert_allclose(adxform.hessian(lambda d: squares(solution(d)))(D), expected, rtol=1e-6, atol=1e-8)


def test_single_precision_stays_where_entries_are_in_it() -> None:
    d, x = D.astype(np.float32), X.astype(np.float32)
    assert adxform.jvp(lambda d: csr(d) @ x, (d,), (d,))[1].dtype == np.float32
    assert adxform.grad(lambda d: np.sum(spsolve(csr(d).tocsc(), X)))(d).dtype == np.float32


def written_and_held(d: Any) -> Any:
    """SciPy's matrix sees what is stored later."""
    entries = 2.0 * d
    a = sparse.coo_matrix((entries, (ROWS, COLUMNS)), shape=(3, 3))
    entries[0] = d[1] ** 2
    return squares(a @ X)


def scaled_in_place(d: Any) -> Any:
    """SciPy's matrix is changed, under both names."""
    a = csr(d)
    b = a
    a *= 2.0
    return squares(b @ X)


REFUSED: dict[str, tuple[Model, str]] = {
    "power": (lambda d: np.sum(csr(d) ** 2 @ X), "toarray"),
    "filled with whole numbers": (lambda d: sparse.lil_matrix(np.eye(3, dtype=int)).sum() * d[0], "of floats"),
    "filled in single precision": (lambda d: sparse.lil_matrix((3, 3), dtype=np.float32).sum() * d[0], "of floats"),
    "memory that is shared": (lambda d: sparse.lil_matrix(filled(d)).sum(), "share its memory"),
    "a matrix of NumPy's": (lambda d: squares((csr(d) + np.outer(d[:3], X)) @ X), "one of NumPy's matrices"),
    "lists of places": (lambda d: len(filled(d).rows) * d[0], "toarray"),
    "an ellipsis": (lambda d: csr(d)[..., 0].sum(), "write `:`"),
    "a new axis": (lambda d: csr(d)[None].sum(), "write `:`"),
    "a mask": (lambda d: csr(d)[np.eye(3) > 0.5].sum(), "a mask"),
    "pairs of places": (lambda d: csr(d)[[0, 1], [1, 2]].sum(), "np.ix_"),
    "a row of an array": (lambda d: csa(d)[0].sum(), "one axis"),
    "data": (lambda d: np.sum(csr(d).data), "toarray"),
    "comparison": (lambda d: d[0] if (csr(d) != 0).sum() else d[1], "toarray"),
    "a store": (lambda d: csr(d).__setitem__((0, 0), d[0]), "toarray"),
    "truth": (lambda d: d[0] if csr(d) else d[1], "toarray"),
    "in place": (scaled_in_place, "toarray"),
    "written": (written_and_held, "hold itself"),
    "of either kind": (lambda d: np.sum((csr(d) + sparse.eye_array(3)) * X), "either kind"),
    "dense sum": (lambda d: np.sum(csr(d) + np.ones((3, 3))), "toarray"),
    "axis": (lambda d: np.sum(csr(d).sum(axis=0)), "np.ones"),
    "todense": (lambda d: np.sum(csr(d).todense()), "toarray"),
    "np.sum": (lambda d: np.sum(csr(d)), "np.sum"),
    "np.dot": (lambda d: np.sum(np.dot(csr(d), X)), "np.dot"),
    "lsqr with variances": (lambda d: np.sum(lsqr(csr(d), d[:3], calc_var=True)[0]), "calc_var"),
    "an estimate of lsqr": (lambda d: lsqr(csr(d), d[:3])[6], "of_an_estimate"),
    "norm of an array": (lambda d: sparse.linalg.norm(csr(d).toarray()), "np.linalg.norm"),
    "an estimate of a norm": (lambda d: sparse.linalg.onenormest(csr(d)), "entries of a sparse matrix"),
    "tril": (lambda d: np.sum(sparse.tril(csr(d)) @ X), "form that is not followed"),
    "returned": (csr, "cannot be returned"),
    "class": (lambda d: d[0] if isinstance(csr(d), sparse.csr_matrix) else d[1], "stands for SciPy's"),
    "type": (lambda d: d[0] if type(csr(d)) is sparse.csr_matrix else d[1], "stands for SciPy's"),
    "class of a distribution": (
        lambda d: d[0] if isinstance(stats.norm(d[0]), stats.distributions.rv_frozen) else d[1],
        "stands for SciPy's",
    ),
    "class of a result": (
        lambda d: d[0] if isinstance(optimize.root_scalar(lambda x: x - d[0], bracket=(0, 9)), dict) else d[1],
        "stands for SciPy's",
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_followed_is_refused_by_name(case: str) -> None:
    f, said = REFUSED[case]
    with pytest.raises(AdxError, match=said) as caught:
        adxform.jvp(f, (D,), (D,))
    assert caught.value.span.line


LEAST: dict[str, Model] = {
    "lsqr": lambda d: np.sum(lsqr(csr(d), d[:3])[0] ** 2),
    "lsqr of eye": lambda d: np.sum(lsqr(sparse.eye(3), X)[0]) * d[0],
    "lsqr from a start": lambda d: np.sum(lsqr(csr(d), d[:3], x0=d[:3])[0] ** 2),
    "lsqr, damped": lambda d: np.sum(lsqr(csr(d)[:2], d[:2], damp=d[2])[0] ** 2) + lsqr(csr(d), X, 0.3)[3],
    "lsmr": lambda d: np.sum(lsmr(csr(d), d[:3])[0] ** 2),
    "norm": lambda d: sparse.linalg.norm(csr(d)),
    "norm of columns": lambda d: sparse.linalg.norm(csr(d), 1) * sparse.linalg.norm(csr(d), np.inf),
    "norms along an axis": lambda d: np.sum(sparse.linalg.norm(csr(d), axis=0) ** 3),
}


@pytest.mark.parametrize("case", LEAST)
def test_least_squares_and_norms_move(case: str) -> None:
    checks = adxform.check_derivatives(LEAST[case], D)
    assert all(check.ok for check in checks), checks


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("program", [dense_system, dense_system_with_zeros, dense_system_of_columns])
def test_a_dense_matrix_moves_with_all_its_entries(program: Model) -> None:
    judge(program, X6 + 0.5)


@pytest.mark.parametrize("method", [lsqr, lsmr])
def test_least_squares_that_are_not_found_raise(method: Any) -> None:
    """Neither few steps nor columns that depend on each other give a solution that moves as that of the whole matrix."""
    with pytest.raises(adxform.AdxError, match="did not converge"):
        adxform.jvp(lambda d: np.sum(method(csr(d), d[:3], 0.0, 1e-6, 1e-6, 1e8, 1)[0]), (D,), (D,))
    for rows in ([0, 1], [0, 1, 0]):
        with pytest.raises((adxform.AdxError, np.linalg.LinAlgError), match=r"depend|[Ss]ingular"):
            adxform.jvp(lambda d, at: np.sum(method(csr(d)[at, :], d[: len(at)])[0]), (D, np.array(rows)), (D, None))


# -- complex entries ----------------------------------------------------------------------------------------------------

PHASES = np.exp(1j * np.arange(5.0))
SHIFTED = sparse.diags([np.ones(4), 3.0 * np.ones(5), -np.ones(4)], [-1, 0, 1]).tocsc()
TURNED = splu((SHIFTED + 1j * sparse.eye(5)).tocsc())


def waves(p: Any) -> Any:
    return sparse.diags([np.ones(4) * 1j * p[0], 2.0 * np.ones(5) + 1j * p[1], -np.ones(4) * p[0]], [-1, 0, 1]).tocsc()


def springs(p: Any) -> Any:
    return sparse.diags([np.ones(4) * p[0], 2.0 * np.ones(5) + p[1], -np.ones(4) * p[0]], [-1, 0, 1]).tocsc()


def entries(p: Any) -> Any:
    return sparse.csr_matrix((np.exp(1j * p[0] * np.arange(4.0)), ([0, 1, 2, 0], [1, 2, 0, 0])), shape=(3, 3))


COMPLEX: dict[str, Callable[[Any], Any]] = {
    "solution": lambda p: spsolve(waves(p), np.ones(5) + 0j),
    "solution of a real right side": lambda p: spsolve(waves(p), np.ones(5) * p[0]),
    "solution of a real matrix": lambda p: spsolve(springs(p), PHASES * p[0]),
    "factors": lambda p: splu((SHIFTED - p[0] ** 2 * sparse.eye(5) + 1j * p[1] * SHIFTED).tocsc()).solve(PHASES * p[1]),
    "factors turned": lambda p: splu(waves(p)).solve(PHASES * p[0], "T") + splu(waves(p)).solve(PHASES * p[1], "H"),
    "factors from outside": lambda p: TURNED.solve(PHASES * p[0]) + TURNED.solve(PHASES * p[1], "H"),
    "products": lambda p: waves(p) @ (PHASES * p[1]) + waves(p) @ np.arange(5.0) * p[0] + springs(p) @ (PHASES * p[1]),
    "products from the left": lambda p: PHASES @ waves(p) + (waves(p) @ waves(p)).toarray()[1],
    "sums": lambda p: (waves(p) + 1j * p[0] * springs(p)).toarray()[2],
    "diagonal": lambda p: (waves(p) * p[0]).diagonal() + waves(p).trace() + waves(p).sum(),
    "conjugate": lambda p: waves(p).conj() @ PHASES + waves(p).conjugate().T @ PHASES,
    "entries": lambda p: (entries(p) @ (PHASES[:3] * p[1])) + entries(p).diagonal(),
    "parts": lambda p: waves(p).multiply(waves(p)) @ PHASES + waves(p)[0, 0] * PHASES + waves(p)[1:, :].toarray()[0],
    "blocks": lambda p: spsolve(sparse.bmat([[waves(p), springs(p)], [None, waves(p)]]).tocsc(), np.ones(10) + 0j)[:5],
}


@pytest.mark.parametrize("case", COMPLEX)
def test_complex_entries(case: str) -> None:
    def total(p: Any) -> Any:
        z = COMPLEX[case](p)
        return np.sum(np.abs(z) ** 2) + np.sum(z * PHASES[: z.shape[0]]).real

    judge(total, np.array([0.9, 1.2]))


def test_factors_of_a_complex_matrix_from_outside_take_complex_numbers() -> None:
    with pytest.raises((TypeError, AdxError), match="complex right side"):
        adxform.grad(lambda p: np.sum(np.abs(TURNED.solve(p)) ** 2))(np.ones(5))

"""Norms, singular values and least squares of sparse matrices, which move as those of the full matrix do."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import linalg as iterative

from adxform.api.scipy_models.solving import moving, solve, still
from adxform.api.scipy_models.sparse_matrices.iterative_solutions import ProductOfAMatrix, own_of, whole
from adxform.api.scipy_models.sparse_matrices.made_matrices import followed, is_sparse
from adxform.ir.types import Scalar
from adxform.primitives.declare import primitive
from adxform.primitives.definitions.definition import Definition, unsupported
from adxform.primitives.record import Primitive
from adxform.runtime.run_time_checks import without_derivative


def of_an_estimate(x: Any) -> Any:
    """A number that a solver estimates on its way: no derivative is followed through it."""
    return 0.0


def _norm_value(a: Any, order: Any, axis: Any) -> Any:
    return iterative.norm(a, order, axis)


def _norm(x: Any, ord: Any = None, axis: Any = None) -> Any:
    if not is_sparse(x):
        unsupported("scipy.sparse.linalg.norm is of a sparse matrix: use np.linalg.norm")
    if axis is None and (ord is None or ord == "fro" or ord == "f"):
        entries = followed(x).gathered().entries
        found = np.sqrt(np.sum(np.real(entries * np.conj(entries))))
    else:
        found = np.linalg.norm(whole(x), ord, axis)
    return moving(solve(_norm_value, (), (), (found,), own_of(x), ord, axis), found)


def _singular_value(a: Any, every: Any, options: Any, wanted: Any) -> Any:
    """Singular values and vectors by SciPy, and which of `every` singular value they are."""
    kept = {name: value for name, value in options.items() if value is not None}
    found = iterative.svds(a, return_singular_vectors=wanted, **kept)
    values = found[1] if wanted else found
    left, places = list(range(len(every))), []
    for value in values:
        k = min(left, key=lambda one: abs(every[one] - value))
        left.remove(k)
        places.append(k)
    vectors = (found[0], found[2]) if wanted else (np.zeros((1, 1)), np.zeros((1, 1)))
    return vectors[0], values, vectors[1], 1.0 * np.array(places)


def _signs(vectors: Any, others: Any) -> Any:
    return np.where(np.sum(vectors * others, axis=0) < 0.0, -1.0, 1.0)


def _svds(
    A: Any,
    k: Any = 6,
    ncv: Any = None,
    tol: Any = 0,
    which: Any = "LM",
    v0: Any = None,
    maxiter: Any = None,
    return_singular_vectors: Any = True,
    solver: Any = "arpack",
    rng: Any = None,
    *,
    random_state: Any = None,
) -> Any:
    if isinstance(A, (ProductOfAMatrix, iterative.LinearOperator)):
        unsupported("svds has a derivative for a sparse matrix or an array")
    if not isinstance(return_singular_vectors, bool):
        unsupported("svds has a derivative with return_singular_vectors=True or False")
    full = whole(A)
    every = np.linalg.svd(full, compute_uv=False)
    options = {"k": k, "ncv": ncv, "tol": tol, "which": which, "v0": v0, "maxiter": maxiter, "solver": solver}
    options = {**options, "rng": rng, "random_state": random_state}
    given = own_of(A), still(every), options, return_singular_vectors
    u, values, vt, places = solve(_singular_value, (), (), (2, 1, 2, 1), *given)
    at = places.astype(int)
    found = moving(values, every[at])
    if not return_singular_vectors:
        return found
    left, _, right = np.linalg.svd(full, full_matrices=False)
    first = left[:, at]
    signs = solve(_signs, (), (), (1,), u, still(first))
    return moving(u, first * signs), found, moving(vt, right[at] * signs[:, None])


_GIVEN_UP = (3, 6, 7)
"""Why `lsqr` and `lsmr` stop before they know a solution: a matrix near to a singular one, or the last of their steps, which may
have found it."""


def _least(method: Any, count: Any) -> Any:
    """A method that finds the least sum of squares, of which four results are followed."""

    def value(a: Any, b: Any, damp: Any, x0: Any, options: Any, squares: Any, direct: Any) -> Any:
        found = method(a, b, damp, x0=x0, **options)
        far = found[1] in _GIVEN_UP and not np.allclose(found[0], direct, rtol=1e-6, atol=1e-6)
        if far or np.linalg.matrix_rank(squares, hermitian=True) < len(squares):
            raise without_derivative(
                f"{method.__name__} has found no solution that has a derivative: it did not converge, or columns of the "
                "matrix depend on each other"
            )
        return tuple(np.float64(one) if k > 2 and np.ndim(one) == 0 else one for k, one in enumerate(found))

    def body(A: Any, b: Any, damp: Any = 0.0, *, x0: Any = None, **options: Any) -> Any:
        if "calc_var" in options:
            unsupported(f"{method.__name__} has a derivative without `calc_var`")
        full, right = whole(A), np.ravel(np.asarray(b) * 1.0)
        turned = np.swapaxes(full, 0, 1)
        squares = turned @ full + damp * damp * np.eye(full.shape[1])
        shape = np.linalg.solve(squares, turned @ right)
        kinds = (1, "any", "any", *("number",) * (count - 3))
        if method is iterative.lsqr:
            kinds = (*kinds[:-1], 1)
        found = solve(value, (), (), kinds, own_of(A), right, damp, x0, options, still(squares), still(shape))
        x = moving(found[0], shape)
        apart = np.linalg.norm(full @ x - right)
        others = [moving(one, one + of_an_estimate(np.sum(x))) for one in found[4:]]
        return (x, found[1], found[2], moving(found[3], apart), *others)

    return body


RECORDS: tuple[Primitive, ...] = (primitive(of_an_estimate, None, result=lambda args, kwargs: Scalar("float64", False)),)

DEFINITIONS: tuple[Definition, ...] = (
    Definition(iterative.norm, _norm, sequences=True),
    Definition(iterative.svds, _svds, sequences=True),
    Definition(iterative.lsqr, _least(iterative.lsqr, 10), sequences=True),
    Definition(iterative.lsmr, _least(iterative.lsmr, 8), sequences=True),
)

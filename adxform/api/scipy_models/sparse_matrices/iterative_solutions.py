"""Solutions of linear equations, and eigenvalues, that SciPy finds by products with a sparse matrix, or with what stands for one.

They are implicit functions: SciPy's own search gives the value, which moves as the solution does that a direct one would find.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse import linalg as iterative

from adxform.api.scipy_models.solving import moving, solve, still
from adxform.api.scipy_models.sparse_matrices.made_matrices import followed, is_sparse
from adxform.api.scipy_models.sparse_matrices.sparse_makers import direct
from adxform.api.second_order import jacobian
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.runtime.run_time_checks import without_derivative

_FUNCTION = "a function"


class ProductOfAMatrix:
    """A matrix by its products with vectors, where the function makes the object of SciPy's that stands for it."""

    def __init__(self, shape: Any, matvec: Any, rmatvec: Any = None, matmat: Any = None, dtype: Any = None) -> None:
        self.shape, self.by, self.ndim = shape, matvec, 2

    def matvec(self, x: Any) -> Any:
        """The product with a vector."""
        return np.ravel(np.asarray(self.by(np.asarray(x))))

    def dot(self, x: Any) -> Any:
        """The product with a vector."""
        if np.ndim(x) != 1:
            unsupported("a LinearOperator that the function makes has a derivative of products with vectors")
        return self.matvec(x)

    __matmul__ = __mul__ = __call__ = dot


def _product(a: Any) -> Callable[..., Any]:
    """What SciPy calls to multiply with `a`, where that is an operation that the function makes; else what it does not call."""
    return a.matvec if isinstance(a, ProductOfAMatrix) else lambda x: x


def own_of(a: Any) -> Any:
    """What SciPy is given for a matrix."""
    if isinstance(a, ProductOfAMatrix):
        return _FUNCTION
    return followed(a).own if is_sparse(a) else a


def _for_scipy(given: Any, product: Any, n: int) -> Any:
    return iterative.LinearOperator((n, n), product, dtype=float) if isinstance(given, str) else given


def _columns(a: Any) -> Any:
    return np.asarray(a @ np.eye(a.shape[1]))


def _direct(a: Any, b: Any, found: Any) -> Any:
    """The solution as a direct method finds it."""
    if isinstance(a, ProductOfAMatrix):
        return np.linalg.solve(jacobian(a.matvec)(found), b)
    if is_sparse(a):
        return direct(a, b)
    if isinstance(a, iterative.LinearOperator):
        return np.linalg.solve(solve(_columns, (), (), (2,), a), b)
    return np.linalg.solve(np.asarray(a), b)


def _value(product: Any, prepared: Any, a: Any, m: Any, b: Any, x0: Any, method: Any, options: Any) -> Any:
    n = len(b)
    kept = {name: value for name, value in options.items() if value is not None}
    x, told = method(_for_scipy(a, product, n), b, x0, M=None if m is None else _for_scipy(m, prepared, n), **kept)
    if told != 0:
        raise without_derivative(
            f"{method.__name__} has found no solution, so that there is none which has a derivative: it told {told}"
        )
    return x, told


def _found(method: Any, A: Any, b: Any, x0: Any, M: Any, options: Any) -> Any:
    b = np.asarray(b) * 1.0
    if np.ndim(b) != 1 or np.iscomplexobj(b):
        unsupported("solutions that SciPy finds by steps have a derivative for a real vector on the right")
    if (isinstance(A, ProductOfAMatrix) or isinstance(M, ProductOfAMatrix)) and method is iterative.bicg:
        unsupported("this method multiplies with the transpose too: use `gmres`, or a sparse matrix")
    functions = _product(A), _product(M)
    given = own_of(A), None if M is None else own_of(M), b, x0, method, options
    x, told = solve(_value, functions, ((b,), (b,)), (b, "any"), *given)
    return moving(x, _direct(A, b, still(x))), told


def _by(method: Any) -> Any:
    def body(
        A: Any,
        b: Any,
        x0: Any = None,
        *,
        rtol: Any = 1e-5,
        atol: Any = 0.0,
        maxiter: Any = None,
        M: Any = None,
    ) -> Any:
        return _found(method, A, b, x0, M, {"rtol": rtol, "atol": atol, "maxiter": maxiter})

    return body


def _gmres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: Any = 1e-5,
    atol: Any = 0.0,
    restart: Any = None,
    maxiter: Any = None,
    M: Any = None,
) -> Any:
    options = {"rtol": rtol, "atol": atol, "restart": restart, "maxiter": maxiter}
    return _found(iterative.gmres, A, b, x0, M, options)


def _minres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: Any = 1e-5,
    maxiter: Any = None,
    M: Any = None,
) -> Any:
    return _found(iterative.minres, A, b, x0, M, {"rtol": rtol, "maxiter": maxiter})


def _triangular_value(a: Any, b: Any, lower: Any, unit: Any) -> Any:
    return iterative.spsolve_triangular(a, b, lower, unit_diagonal=unit)


def _triangular(A: Any, b: Any, lower: Any = True, *, unit_diagonal: Any = False) -> Any:
    if unit_diagonal:
        unsupported("spsolve_triangular has a derivative where the diagonal is that of the matrix")
    b = np.asarray(b) * 1.0
    return moving(solve(_triangular_value, (), (), (b,), own_of(A), b, lower, unit_diagonal), _direct(A, b, b))


def whole(a: Any) -> Any:
    """A sparse matrix as an array."""
    return followed(a).toarray() if is_sparse(a) else np.asarray(a) * 1.0


def _multiply_value(a: Any, b: Any) -> Any:
    return iterative.expm_multiply(a, b)


def _expm_multiply(A: Any, B: Any) -> Any:
    b = np.asarray(B) * 1.0
    return moving(solve(_multiply_value, (), (), (b,), own_of(A), b), linalg.expm(whole(A)) @ b)


def _symmetric_value(a: Any, every: Any, options: Any, wanted: Any) -> Any:
    """Eigenvalues and vectors by SciPy, which of `every` eigenvalue they are, and the vectors' signs against those of NumPy."""
    kept = {name: value for name, value in options.items() if value is not None}
    found = iterative.eigsh(a, return_eigenvectors=wanted, **kept)
    values = found[0] if wanted else found
    left, places = list(range(len(every))), []
    for value in values:
        k = min(left, key=lambda one: abs(every[one] - value))
        left.remove(k)
        places.append(k)
    vectors = found[1] if wanted else np.zeros((len(every), len(values)))
    return values, vectors, 1.0 * np.array(places)


def _signs(vectors: Any, others: Any) -> Any:
    return np.where(np.sum(vectors * others, axis=0) < 0.0, -1.0, 1.0)


def _eigsh(
    A: Any,
    k: Any = 6,
    *,
    sigma: Any = None,
    which: Any = "LM",
    v0: Any = None,
    ncv: Any = None,
    maxiter: Any = None,
    tol: Any = 0,
    return_eigenvectors: Any = True,
) -> Any:
    if isinstance(A, (ProductOfAMatrix, iterative.LinearOperator)):
        unsupported("eigsh has a derivative for a sparse matrix or an array")
    every, columns = np.linalg.eigh(whole(A))
    options = {"k": k, "sigma": sigma, "which": which, "v0": v0, "ncv": ncv, "maxiter": maxiter, "tol": tol}
    given = own_of(A), still(every), options, return_eigenvectors
    values, vectors, places = solve(_symmetric_value, (), (), (1, 2, 1), *given)
    at = places.astype(int)
    found = moving(values, every[at])
    if not return_eigenvectors:
        return found
    chosen = columns[:, at]
    return found, moving(vectors, chosen * solve(_signs, (), (), (1,), vectors, still(chosen)))


DEFINITIONS: tuple[Definition, ...] = (
    *(
        Definition(method, _by(method), sequences=True)
        for method in (
            iterative.cg,
            iterative.bicg,
            iterative.bicgstab,
            iterative.cgs,
            iterative.lgmres,
            iterative.tfqmr,
            iterative.gcrotmk,
        )
    ),
    Definition(iterative.gmres, _gmres, sequences=True),
    Definition(iterative.minres, _minres, sequences=True),
    Definition(iterative.LinearOperator, ProductOfAMatrix, Value.FOLLOWED, sequences=True),
    Definition(iterative.spsolve_triangular, _triangular, sequences=True),
    Definition(iterative.expm_multiply, _expm_multiply, sequences=True),
    Definition(iterative.eigsh, _eigsh, sequences=True),
)

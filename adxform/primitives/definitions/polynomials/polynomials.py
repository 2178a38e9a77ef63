"""What the functions of coefficients and series mean: sums, derivatives and integrals of polynomials, fits, values of series."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from adxform import runtime
from adxform.primitives.complex_numbers import adjoint
from adxform.primitives.definitions.definition import Definition, Value, unsupported


def _polyder(p: Any, m: Any = 1) -> Any:
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    p = np.asarray(p)
    for _ in range(m):
        p = p[:-1] * np.arange(p.shape[0] - 1, 0, -1)
    return p


def _polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    p = np.asarray(p)
    if k is None:
        constants = np.zeros(m)
    else:
        constants = np.atleast_1d(k)
        if constants.shape[0] == 1 and m > 1:
            constants = constants[0] * np.ones(m)
        if constants.shape[0] < m:
            raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for step in range(m):
        p = np.concatenate((p / np.arange(p.shape[0], 0, -1), constants[step : step + 1]))
    return p


def _polyadd(a1: Any, a2: Any) -> Any:
    a1, a2 = np.atleast_1d(a1), np.atleast_1d(a2)
    n, m = a1.shape[0], a2.shape[0]
    total = np.zeros(max(n, m), dtype=np.result_type(a1.dtype, a2.dtype))
    total[total.shape[0] - n :] += a1
    total[total.shape[0] - m :] += a2
    return total


def _polysub(a1: Any, a2: Any) -> Any:
    return _polyadd(a1, -np.atleast_1d(a2))


def _poly(seq_of_zeros: Any) -> Any:
    zeros = np.atleast_1d(seq_of_zeros)
    if np.ndim(zeros) != 1:
        unsupported("np.poly has a derivative for roots only, not for matrices")
    if np.iscomplexobj(zeros):
        unsupported("np.poly has a derivative for real roots only: of complex ones its result is real or complex")
    n = zeros.shape[0]
    if n == 0:
        raise runtime.without_derivative("`np.poly` of no roots is a number, of others an array")
    p = np.zeros(n + 1, dtype=zeros.dtype)
    p[0] = 1.0
    for k in range(n):
        p[1:] -= zeros[k] * p[:-1].copy()
    return p


def _vander(x: Any, N: Any = None, increasing: Any = False) -> Any:
    x = np.asarray(x)
    if np.ndim(x) != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = x.shape[0] if N is None else N
    powers = np.zeros((x.shape[0], count), dtype=np.result_type(x.dtype, np.int64))
    if count > 0:
        powers[:, 0] = 1
    if count > 1:
        powers[:, 1] = x
    for k in range(2, count):
        powers[:, k] = powers[:, k - 1] * x
    return powers if increasing else powers[:, ::-1]


def _polyfit(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None) -> Any:
    """The least squares solution by the columns' orthogonal basis; a fit without a single solution has no derivative."""
    if full:
        unsupported("np.polyfit has no derivative for full=True")
    x, y = np.asarray(x) + 0.0, np.asarray(y) + 0.0
    powers = _vander(x, int(deg) + 1)
    if w is not None:
        weights = np.asarray(w) + 0.0
        powers = powers * weights[:, None]
        y = y * weights if np.ndim(y) == 1 else y * weights[:, None]
    scale = np.sqrt(np.sum(np.abs(powers) ** 2, axis=0))
    sizes = np.linalg.svdvals(powers / scale)
    least = x.shape[0] * np.finfo(x.dtype).eps if rcond is None else rcond
    if powers.shape[0] < powers.shape[1] or sizes[-1] <= least * sizes[0]:
        raise runtime.without_derivative("many polynomials fit these points: `np.polyfit` has no derivative here")
    q, r = np.linalg.qr(powers / scale)
    solution = np.linalg.solve(r, adjoint(q) @ y)
    return solution / scale if np.ndim(y) == 1 else solution / scale[:, None]


def _prepared(c: Any, x: Any, tensor: Any) -> Any:
    """Coefficients as floats, with an axis for each axis of the points behind their own."""
    c = np.atleast_1d(c) + 0.0
    return np.reshape(c, np.shape(c) + (1,) * np.ndim(x)) if tensor and np.ndim(x) > 0 else c


def _power_series(x: Any, c: Any, tensor: Any = True) -> Any:
    c = _prepared(c, x, tensor)
    y = c[-1] + x * 0.0
    for i in range(2, c.shape[0] + 1):
        y = c[-i] + y * x
    return y


def _series(step: Callable[..., Any], last: Callable[..., Any]) -> Callable[..., Any]:
    """The sum of coefficients times polynomials that follow from two before each, by Clenshaw's recurrence.

    ``step(c, c0, c1, x, k)`` gives the pair after `c0` and `c1`, for the polynomial of degree `k` and its coefficient `c`, and
    ``last(c1, x)`` is `c1` times the polynomial of degree one.
    """

    def body(x: Any, c: Any, tensor: Any = True) -> Any:
        c = _prepared(c, x, tensor)
        n = c.shape[0]
        if n == 1:
            return c[0] + 0.0 * x
        c0, c1 = c[-2] + 0.0 * x, c[-1] + 0.0 * x
        for i in range(3, n + 1):
            c0, c1 = step(c[-i], c0, c1, x, n - i + 2)
        return c0 + last(c1, x)

    return body


_chebyshev_series = _series(lambda c, c0, c1, x, k: (c - c1, c0 + c1 * (2 * x)), lambda c1, x: c1 * x)
_legendre_series = _series(
    lambda c, c0, c1, x, k: (c - c1 * ((k - 1) / k), c0 + c1 * x * ((2 * k - 1) / k)), lambda c1, x: c1 * x
)
_laguerre_series = _series(
    lambda c, c0, c1, x, k: (c - (c1 * (k - 1)) / k, c0 + (c1 * ((2 * k - 1) - x)) / k), lambda c1, x: c1 * (1 - x)
)
_hermite_series = _series(lambda c, c0, c1, x, k: (c - c1 * (2 * (k - 1)), c0 + c1 * (x * 2)), lambda c1, x: c1 * (x * 2))
_probabilists_hermite_series = _series(lambda c, c0, c1, x, k: (c - c1 * (k - 1), c0 + c1 * x), lambda c1, x: c1 * x)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(np.polyder, _polyder),
    Definition(np.polyint, _polyint),
    Definition(np.polyadd, _polyadd, Value.OWN, makes=True),
    Definition(np.polysub, _polysub, Value.OWN, makes=True),
    Definition(np.poly, _poly, Value.OWN),
    Definition(np.vander, _vander, Value.OWN, makes=True),
    Definition(np.polyfit, _polyfit, Value.OWN, makes=True),
    Definition(polynomial.polyval, _power_series, Value.OWN),
    Definition(chebyshev.chebval, _chebyshev_series, Value.OWN),
    Definition(legendre.legval, _legendre_series, Value.OWN),
    Definition(laguerre.lagval, _laguerre_series, Value.OWN),
    Definition(hermite.hermval, _hermite_series, Value.OWN),
    Definition(hermite_e.hermeval, _probabilists_hermite_series, Value.OWN),
)

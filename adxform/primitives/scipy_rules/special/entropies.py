"""Logistic functions, entropies, losses, powers and logarithms that keep their precision, and sums of exponentials."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from adxform import runtime
from adxform.primitives.declare import constant, general, scalar
from adxform.primitives.definitions.definition import Definition, Value
from adxform.primitives.record import Primitive

_REAL = np.array([0.5, -1.5, 2.0])
_POSITIVE = np.array([0.5, 1.5, 2.25])
_PART = np.array([0.2, 0.55, 0.9])
_COLUMN = np.array([[1.25], [0.7]])
_Z = np.array([0.7 - 0.4j, 1.6 + 0.8j])
_DEGREE = math.radians(1.0)


def _log(x: Any) -> Any:
    """The logarithm, without a warning at zero."""
    return special.xlogy(1.0, x)


def _xlogy_partials(y: Any, x: Any, z: Any) -> Any:
    return _log(z), runtime.masked_product(x, runtime.quotient(1.0, z))


def _xlog1py_partials(y: Any, x: Any, z: Any) -> Any:
    return special.xlog1py(1.0, z), runtime.masked_product(x, runtime.quotient(1.0, 1.0 + z))


def _log_ratio(x: Any, z: Any) -> Any:
    """``log(x / z)``, near one too; minus infinity where `x` is zero, without a warning."""
    near = np.abs(x - z) < 0.5 * z
    divisor = np.where(near, z, 1.0)
    apart = _log(np.where(near, 1.0, x)) - _log(np.where(near, 1.0, z))
    return np.where(near, special.log1p((x - z) / divisor), apart)


def _kl_div_partials(y: Any, x: Any, z: Any) -> Any:
    return _log_ratio(x, z), (z - x) * runtime.quotient(1.0, z)


def _rel_entr_partials(y: Any, x: Any, z: Any) -> Any:
    return _log_ratio(x, z) + 1.0, -runtime.masked_product(x, runtime.quotient(1.0, z))


def _huber_partials(y: Any, delta: Any, r: Any) -> Any:
    size = np.abs(r)
    return np.where(size <= delta, 0.0, size - delta), np.where(size <= delta, r, delta * np.sign(r))


def _pseudo_huber_partials(y: Any, delta: Any, r: Any) -> Any:
    """By the hypotenuse, so that nothing is subtracted where `r` is small beside `delta`."""
    length = np.hypot(delta, r)
    sine = runtime.ratio(r, length)
    part = runtime.ratio(r, length + delta)
    return sine * part * part * r, sine * delta


def _powm1_partials(y: Any, x: Any, p: Any) -> Any:
    return p * runtime.power(x, p - 1.0), (y + 1.0) * runtime.log_or_zero(x)


def _boxcox_slope(lmbda: Any, log: Any) -> Any:
    """In `lmbda`; also where that is zero, and where the argument is."""
    at_zero = np.isneginf(log)
    finite = np.where(at_zero, 0.0, log)
    slope = 0.5 * finite * finite * special.hyp1f1(2.0, 3.0, lmbda * finite)
    return np.where(at_zero, runtime.quotient(1.0, lmbda * lmbda), slope)


def _boxcox_partials(y: Any, x: Any, lmbda: Any) -> Any:
    log = _log(x)
    return np.exp((lmbda - 1.0) * log), _boxcox_slope(lmbda, log)


def _boxcox1p_partials(y: Any, x: Any, lmbda: Any) -> Any:
    log = special.log1p(x)
    return np.exp((lmbda - 1.0) * log), _boxcox_slope(lmbda, log)


def _inv_boxcox_partials(y: Any, x: Any, lmbda: Any) -> Any:
    log = _log(y)
    slope = np.exp((1.0 - lmbda) * log)
    return slope, -slope * _boxcox_slope(lmbda, log)


def _inv_boxcox1p_partials(y: Any, x: Any, lmbda: Any) -> Any:
    log = special.log1p(y)
    slope = np.exp((1.0 - lmbda) * log)
    return slope, -slope * _boxcox_slope(lmbda, log)


def _radian_partials(y: Any, d: Any, m: Any, s: Any) -> Any:
    return _DEGREE, _DEGREE / 60.0, _DEGREE / 3600.0


def _diric(x: Any, n: Any) -> Any:
    """A Chebyshev polynomial, which divides by no zero."""
    return special.eval_chebyu(n - 1, np.cos(0.5 * x)) / n


def _along(y: Any, axis: Any, keepdims: Any) -> Any:
    """`y`, a reduction along `axis`, with axes of length one in the place of those that are gone."""
    return y if axis is None or keepdims else np.expand_dims(y, axis)


def _shares(ct: Any, y: Any, a: Any, b: Any, axis: Any, keepdims: Any) -> Any:
    """The cotangents of the arguments of `logsumexp`, whose value is `y`."""
    share = _along(ct, axis, keepdims) * np.exp(a - _along(y, axis, keepdims))
    if b is None:
        return share, None, None, None, None
    b_ct = runtime.unbroadcast(runtime.broadcast_like(share, a + b), b)
    return runtime.unbroadcast(runtime.masked_product(b, share), a), None, b_ct, None, None


def _logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, return_sign: Any = False) -> Any:
    if return_sign:
        size, sign = special.logsumexp(a, axis, b, keepdims, True)

        def signed_pullback(size_ct: Any, sign_ct: Any) -> Any:
            return _shares(size_ct * sign, size, a, b, axis, keepdims)

        return (size, sign), signed_pullback
    y = special.logsumexp(a, axis, b, keepdims)

    def pullback(ct: Any) -> Any:
        return _shares(ct, y, a, b, axis, keepdims)

    return y, pullback


def _softmax(x: Any, axis: Any = None) -> Any:
    y = special.softmax(x, axis)

    def pullback(ct: Any) -> Any:
        share = ct * y
        return share - y * np.sum(share, axis=axis, keepdims=True), None

    return y, pullback


def _log_softmax(x: Any, axis: Any = None) -> Any:
    y = special.log_softmax(x, axis)

    def pullback(ct: Any) -> Any:
        return ct - np.exp(y) * np.sum(ct, axis=axis, keepdims=True), None

    return y, pullback


_LOGISTIC = (
    scalar(special.expit, lambda y, x: y * special.expit(-x), (_REAL,)),
    scalar(special.logit, lambda y, x: runtime.quotient(1.0, x * (1.0 - x)), (_PART,), singular=True),
    scalar(special.log_expit, lambda y, x: special.expit(-x), (_REAL,)),
    *((scalar(special.softplus, lambda y, x: special.expit(x), (_REAL,)),) if hasattr(special, "softplus") else ()),
)

_ENTROPIES = (
    scalar(special.xlogy, _xlogy_partials, (_REAL, _COLUMN), (_REAL, _Z[:, None]), singular=True, of_complex=True),
    scalar(special.xlog1py, _xlog1py_partials, (_REAL, _COLUMN), singular=True, of_complex=True),
    scalar(special.entr, lambda y, x: -1.0 - _log(x), (_POSITIVE,), singular=True),
    scalar(special.rel_entr, _rel_entr_partials, (_POSITIVE, _COLUMN), singular=True),
    scalar(special.kl_div, _kl_div_partials, (_POSITIVE, _COLUMN), singular=True),
    scalar(special.huber, _huber_partials, (_COLUMN, _REAL)),
    scalar(special.pseudo_huber, _pseudo_huber_partials, (_COLUMN, _REAL)),
)

_POWERS = (
    scalar(special.exprel, lambda y, x: 0.5 * special.hyp1f1(2.0, 3.0, x), (_REAL,), (0.0,)),
    scalar(special.expm1, lambda y, x: np.exp(x), (_REAL,), (_Z,), of_complex=True),
    scalar(special.log1p, lambda y, x: runtime.quotient(1.0, 1.0 + x), (_POSITIVE,), (_Z,), singular=True, of_complex=True),
    scalar(special.exp10, lambda y, x: y * math.log(10.0), (_REAL,)),
    scalar(special.exp2, lambda y, x: y * math.log(2.0), (_REAL,)),
    scalar(special.cbrt, lambda y, x: runtime.quotient(1.0, 3.0 * y * y), (_REAL,), singular=True),
    scalar(special.cosm1, lambda y, x: -np.sin(x), (_REAL,)),
    scalar(special.powm1, _powm1_partials, (_POSITIVE, _COLUMN), singular=True),
    scalar(special.boxcox, _boxcox_partials, (_POSITIVE, _COLUMN), (_POSITIVE, 0.0), singular=True),
    scalar(special.boxcox1p, _boxcox1p_partials, (_POSITIVE, _COLUMN), (_POSITIVE, 0.0), singular=True),
    scalar(special.inv_boxcox, _inv_boxcox_partials, (_POSITIVE, _COLUMN), (_POSITIVE, 0.0), singular=True),
    scalar(special.inv_boxcox1p, _inv_boxcox1p_partials, (_POSITIVE, _COLUMN), (_POSITIVE, 0.0), singular=True),
)

_DEGREES = (
    scalar(special.radian, _radian_partials, (_POSITIVE, _COLUMN, 2.5)),
    scalar(special.sindg, lambda y, x: special.cosdg(x) * _DEGREE, (_REAL,)),
    scalar(special.cosdg, lambda y, x: special.sindg(x) * -_DEGREE, (_REAL,)),
    scalar(special.tandg, lambda y, x: (1.0 + y * y) * _DEGREE, (_REAL,)),
    scalar(special.cotdg, lambda y, x: (1.0 + y * y) * -_DEGREE, (_REAL,)),
    constant(special.round),
)

RECORDS: tuple[Primitive, ...] = (
    *_LOGISTIC,
    *_ENTROPIES,
    *_POWERS,
    *_DEGREES,
    general(special.logsumexp, _logsumexp, (_REAL,), constant=(1,)),
    general(special.softmax, _softmax, (_REAL,)),
    general(special.log_softmax, _log_softmax, (_REAL,)),
)

DEFINITIONS: tuple[Definition, ...] = (Definition(special.diric, _diric, Value.OWN),)

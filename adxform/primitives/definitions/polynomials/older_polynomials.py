"""NumPy's older polynomials, with the highest power first: `np.poly1d`, and products and quotients of coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.primitives.definitions.definition import Definition, StandIn, Value, unsupported


def _leading(c: Any) -> Any:
    """Coefficients from the first that is not zero on; of none one zero."""
    c = np.atleast_1d(c)
    if np.ndim(c) != 1:
        unsupported("polynomials have a derivative for vectors of coefficients")
    there = np.flatnonzero(c)
    return c[there[0] :] if there.shape[0] > 0 else np.zeros(1, dtype=c.dtype)


def _polymul(a1: Any, a2: Any) -> Any:
    return np.convolve(_leading(a1), _leading(a2))


def _polydiv(u: Any, v: Any) -> Any:
    u, v = np.atleast_1d(u) + 0.0, np.atleast_1d(v) + 0.0
    m, n = u.shape[0] - 1, v.shape[0] - 1
    if m < 0:
        raise IndexError("index 0 is out of bounds for axis 0 with size 0")
    scale = 1.0 / v[0]
    quotient, rest = np.zeros(max(m - n + 1, 1), dtype=np.result_type(u, v)), u * np.ones(1, dtype=v.dtype)
    for k in range(m - n + 1):
        d = scale * rest[k]
        quotient[k] = d
        rest[k : k + n + 1] -= d * v
    there = np.flatnonzero(np.logical_not(np.isclose(rest, 0.0, rtol=1e-14)))
    return quotient, rest[there[0] :] if there.shape[0] > 0 else rest[-1:]


class PowersOfOne(StandIn):
    """What `np.poly1d` makes of coefficients."""

    def __init__(self, coeffs: Any) -> None:
        self.coeffs = coeffs

    def __getattr__(self, name: str) -> Any:
        if name in ("c", "coef", "coefficients"):
            return self.coeffs
        if name in ("o", "order"):
            return len(self.coeffs) - 1
        if name.startswith("__") and not hasattr(np.poly1d, name):
            raise AttributeError(name)
        return unsupported(f"`{name}` of `np.poly1d` is not followed: use its `coeffs`")

    def __call__(self, val: Any) -> Any:
        """The values at the places."""
        return np.polyval(self.coeffs, val)

    def __len__(self) -> int:
        return len(self.coeffs) - 1

    def __iter__(self) -> Any:
        return iter(self.coeffs)

    def __setitem__(self, power: Any, coefficient: Any) -> None:
        unsupported("an assignment to a coefficient of `np.poly1d` is not followed: change its `coeffs`")

    def __getitem__(self, power: Any) -> Any:
        n = len(self.coeffs) - 1
        return self.coeffs[n - power] if 0 <= power <= n else 0.0

    def deriv(self, m: Any = 1) -> Any:
        """The derivative of an order."""
        return _poly1d(np.polyder(self.coeffs, m))

    def integ(self, m: Any = 1, k: Any = 0) -> Any:
        """The integral."""
        return _poly1d(np.polyint(self.coeffs, m, k))

    def __neg__(self) -> Any:
        return _poly1d(-self.coeffs)

    def __add__(self, other: Any) -> Any:
        return _poly1d(np.polyadd(self.coeffs, _of(other)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _poly1d(np.polysub(self.coeffs, _of(other)))

    def __rsub__(self, other: Any) -> Any:
        return _poly1d(np.polysub(_of(other), self.coeffs))

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, PowersOfOne) and np.ndim(other) == 0:
            return _poly1d(self.coeffs * other)
        return _poly1d(_polymul(self.coeffs, _of(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, PowersOfOne) or np.ndim(other) > 0:
            unsupported("`np.poly1d` has a derivative of quotients with numbers: use `np.polydiv`")
        return _poly1d(self.coeffs / other)

    def __pow__(self, power: Any) -> Any:
        found = np.ones(1)
        for _ in range(power):
            found = _polymul(found, self.coeffs)
        return _poly1d(found)

    def __eq__(self, other: object) -> bool:
        unsupported("a comparison of `np.poly1d` is not followed: compare the `coeffs`")


def _of(other: Any) -> Any:
    return other.coeffs if isinstance(other, PowersOfOne) else other


def _poly1d(c_or_r: Any, r: Any = False, variable: Any = None) -> Any:
    if isinstance(c_or_r, PowersOfOne):
        return c_or_r
    return PowersOfOne(_leading(np.poly(c_or_r) if r else c_or_r))


DEFINITIONS: tuple[Definition, ...] = (
    Definition(np.polymul, _polymul, makes=True),
    Definition(np.polydiv, _polydiv, makes=True),
    Definition(np.poly1d, _poly1d, Value.FOLLOWED),
)

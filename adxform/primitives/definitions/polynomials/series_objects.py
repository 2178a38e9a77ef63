"""The classes of `numpy.polynomial`: series of six bases, with the domain that is mapped to the window of the basis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev, Hermite, HermiteE, Laguerre, Legendre, Polynomial, chebyshev

from adxform import runtime
from adxform.ir import intrinsics
from adxform.primitives.definitions.definition import Definition, StandIn, Value, unsupported

_CLASSES = (Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre)


def _mapping(old: Any, new: Any) -> Any:
    """The offset and the scale that map one interval to another."""
    length = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / length, (new[1] - new[0]) / length


def _mapped(x: Any, old: Any, new: Any) -> Any:
    offset, scale = _mapping(old, new)
    return offset + scale * np.asarray(x)


class Series(StandIn):
    """A series in the basis of one of NumPy's classes."""

    def __init__(self, basis: Any, coef: Any, domain: Any, window: Any, symbol: Any = "x") -> None:
        self.basis, self.coef = basis, np.atleast_1d(np.array(coef, dtype=float))
        self.domain = np.array(basis.domain if domain is None else domain, dtype=float)
        self.window = np.array(basis.window if window is None else window, dtype=float)
        self.symbol = symbol
        if len(self.domain) != 2:
            raise ValueError("Domain has wrong number of elements.")
        if len(self.window) != 2:
            raise ValueError("Window has wrong number of elements.")
        if not isinstance(symbol, str):
            raise TypeError("Symbol must be a non-empty string")
        if not symbol.isidentifier():
            raise ValueError("Symbol string must be a valid Python identifier")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and not hasattr(np.polynomial.Polynomial, name):
            raise AttributeError(name)
        unsupported(f"`{name}` of a series of `numpy.polynomial` is not followed: use its `coef`")

    def _with(self, coef: Any) -> Any:
        return Series(self.basis, coef, self.domain, self.window, self.symbol)

    def __call__(self, arg: Any) -> Any:
        """The values at the places."""
        offset, scale = self.mapparms()
        return self.basis._val(offset + scale * (np.asarray(arg) if isinstance(arg, (list, tuple)) else arg), self.coef)

    def mapparms(self) -> Any:
        """The offset and the scale that map the domain to the window."""
        return _mapping(self.domain, self.window)

    def degree(self) -> Any:
        """How many coefficients there are after the first."""
        return len(self.coef) - 1

    def copy(self) -> Any:
        """Another series with the same coefficients."""
        return self._with(self.coef)

    def deriv(self, m: Any = 1) -> Any:
        """The derivative of an order."""
        return self._with(self.basis._der(self.coef, m, self.mapparms()[1]))

    def integ(self, m: Any = 1, k: Any = (), lbnd: Any = None) -> Any:
        """The integral."""
        offset, scale = self.mapparms()
        start = 0 if lbnd is None else offset + scale * lbnd
        return self._with(self.basis._int(self.coef, m, k, start, 1.0 / scale))

    def linspace(self, n: Any = 100, domain: Any = None) -> Any:
        """Places at equal distances, and the values there."""
        ends = self.domain if domain is None else domain
        x = np.linspace(ends[0], ends[1], n)
        return x, self(x)

    def convert(self, domain: Any = None, kind: Any = None, window: Any = None) -> Any:
        """The same polynomial as a series of another basis or domain."""
        basis = self.basis if kind is None else kind
        new = Series(basis, self.coef, domain, window, self.symbol)
        offset, scale = new.mapparms()
        own = runtime.converted_series(self.basis, self.coef, self.domain, self.window, basis, new.domain, new.window)
        count = own.shape[0]
        places = np.cos(np.pi * (np.arange(count) + 0.5) / count)
        middle, half = 0.5 * (new.window[0] + new.window[1]), 0.5 * (new.window[1] - new.window[0])
        inner = middle + half * places
        found = np.linalg.solve(_vander_of(basis)(inner, count - 1), self((inner - offset) / scale))
        return Series(basis, intrinsics.valued(own, found), new.domain, new.window, self.symbol)

    def _other(self, other: Any) -> Any:
        if isinstance(other, Series):
            if other.basis is not self.basis:
                raise TypeError("Polynomial types differ")
            if not np.all(self.domain == other.domain):
                raise TypeError("Domains differ")
            if not np.all(self.window == other.window):
                raise TypeError("Windows differ")
            if other.symbol != self.symbol:
                raise ValueError("Polynomial symbols differ")
            return other.coef
        if isinstance(other, (list, tuple)) or np.ndim(other) > 0:
            unsupported("a series of `numpy.polynomial` has a derivative of sums and products with series and numbers")
        return np.array([other], dtype=float)

    def __neg__(self) -> Any:
        return self._with(-self.coef)

    def __add__(self, other: Any) -> Any:
        return self._with(self.basis._add(self.coef, self._other(other)))

    def __radd__(self, other: Any) -> Any:
        return self._with(self.basis._add(self._other(other), self.coef))

    def __sub__(self, other: Any) -> Any:
        return self._with(self.basis._sub(self.coef, self._other(other)))

    def __rsub__(self, other: Any) -> Any:
        return self._with(self.basis._sub(self._other(other), self.coef))

    def __mul__(self, other: Any) -> Any:
        return self._with(self.basis._mul(self.coef, self._other(other)))

    def __rmul__(self, other: Any) -> Any:
        return self._with(self.basis._mul(self._other(other), self.coef))

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Series):
            unsupported("a series of `numpy.polynomial` has a derivative of quotients with numbers")
        return self._with(self.coef / other)

    def __pow__(self, power: Any) -> Any:
        if self.basis is not Polynomial:
            unsupported("powers of series have a derivative where they are polynomials of powers: use products")
        found = self.coef if power > 0 else np.ones(1)
        for _ in range(1, power):
            found = np.convolve(found, self.coef)
        return self._with(found)

    def __eq__(self, other: object) -> bool:
        unsupported("a comparison of series of `numpy.polynomial` is not followed: compare their `coef`")


def _vander_of(basis: Any) -> Any:
    return _VANDERS[basis]


_VANDERS = {
    Polynomial: np.polynomial.polynomial.polyvander,
    Chebyshev: np.polynomial.chebyshev.chebvander,
    Legendre: np.polynomial.legendre.legvander,
    Hermite: np.polynomial.hermite.hermvander,
    HermiteE: np.polynomial.hermite_e.hermevander,
    Laguerre: np.polynomial.laguerre.lagvander,
}


def _made(basis: Any) -> Callable[..., Any]:
    def body(coef: Any, domain: Any = None, window: Any = None, symbol: Any = "x") -> Any:
        return Series(basis, coef, domain, window, symbol)

    return body


def _fit(basis: Any) -> Callable[..., Any]:
    def body(
        x: Any,
        y: Any,
        deg: Any,
        domain: Any = None,
        rcond: Any = None,
        full: Any = False,
        w: Any = None,
        window: Any = None,
        symbol: Any = "x",
    ) -> Any:
        places = np.asarray(x) * 1.0
        if domain is None:
            ends = np.array([np.min(places), np.max(places)])
        elif isinstance(domain, list) and len(domain) == 0:
            ends = np.array(basis.domain, dtype=float)
        else:
            ends = np.array(domain, dtype=float)
        range_ = np.array(basis.window if window is None else window, dtype=float)
        coef = basis._fit(_mapped(places, ends, range_), y, deg, rcond=rcond, full=full, w=w)
        return Series(basis, coef, ends, range_, symbol)

    return body


def _interpolate(func: Any, deg: Any, domain: Any = None, args: Any = ()) -> Any:
    ends = np.array(Chebyshev.domain if domain is None else domain, dtype=float)
    order = deg + 1
    places = chebyshev.chebpts1(order)
    values = func(_mapped(places, np.array([-1.0, 1.0]), ends), *args)
    c = np.dot(chebyshev.chebvander(places, deg).T, values)
    return Series(Chebyshev, np.concatenate((c[:1] / order, c[1:] / (0.5 * order))), ends, None)


def _definitions() -> Iterator[Definition]:
    for basis in _CLASSES:
        yield Definition(basis, _made(basis), Value.FOLLOWED, sequences=True)
        yield Definition(basis.fit, _fit(basis), Value.FOLLOWED, sequences=True)
    yield Definition(Chebyshev.interpolate, _interpolate, Value.FOLLOWED, sequences=True, calls_back=True)


DEFINITIONS: tuple[Definition, ...] = tuple(_definitions())

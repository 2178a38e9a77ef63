"""Functions of `numpy.polynomial`, for coefficients in six bases: matrices of values, fits, sums, products, derivatives.

What is linear in coefficients is a matrix of what unit rows become, and a product is the sum of those of each two such rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial, polyutils

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.ops import Operand
from adxform.ir.types import Array, Dim, Type
from adxform.primitives.declare import constant
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.record import Primitive

NAMES = {polynomial: "poly", chebyshev: "cheb", legendre: "leg", hermite: "herm", hermite_e: "herme", laguerre: "lag"}


def _trimmed(c: Any) -> Any:
    """Coefficients without zeros at the end, of which one stays."""
    there = np.flatnonzero(c)
    return c[: there[-1] + 1] if there.shape[0] > 0 else c[:1]


def _coefficients(c: Any) -> Any:
    c = _row(c)
    if c.shape[0] == 0:
        raise ValueError("Coefficient array is empty")
    return c


def _row(c: Any) -> Any:
    c = np.atleast_1d(np.asarray(c) * 1.0)
    if np.ndim(c) != 1:
        unsupported("functions of `numpy.polynomial` have a derivative for vectors of coefficients")
    return c


def _sum(c1: Any, c2: Any) -> Any:
    c1, c2 = _trimmed(_coefficients(c1)), _trimmed(_coefficients(c2))
    n, m = c1.shape[0], c2.shape[0]
    total = np.zeros(max(n, m), dtype=np.result_type(c1.dtype, c2.dtype))
    total[:n] += c1
    total[:m] += c2
    return _trimmed(total)


def _difference(c1: Any, c2: Any) -> Any:
    return _sum(c1, -_coefficients(c2))


def _product(c1: Any, c2: Any) -> Any:
    return _trimmed(np.convolve(_trimmed(_coefficients(c1)), _trimmed(_coefficients(c2))))


def _product_in(product: Any) -> Callable[..., Any]:
    """Coefficients of a product in a basis, of which NumPy leaves zeros at the end out."""

    def body(c1: Any, c2: Any) -> Any:
        c1, c2 = _coefficients(c1), _coefficients(c2)
        own = runtime.series_of(product, c1, c2)
        table = runtime.series_products(product, c1.shape[0], c2.shape[0])
        return intrinsics.valued(own, np.einsum("kij,i,j->k", table, c1, c2)[: own.shape[0]])

    return body


def _derived(der: Any) -> Callable[..., Any]:
    def body(c: Any, m: Any = 1, scl: Any = 1) -> Any:
        c = _row(c)
        return runtime.of_unit_rows(der, c.shape[0], m) @ c * (1.0 * scl) ** m

    return body


def _integrated(integral: Any, value: Any) -> Callable[..., Any]:
    def body(c: Any, m: Any = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1) -> Any:
        c = _row(c)
        constants = k if isinstance(k, (list, tuple)) else [k]
        if c.shape[0] == 1 and c[0] == 0:
            raise runtime.without_derivative("the integral of a polynomial that is zero has another length")
        for n in range(m):
            c = runtime.of_unit_rows(integral, c.shape[0], 1) @ (c * scl)
            start = (constants[n] if n < len(constants) else 0.0) - value(lbnd, c)
            c = np.concatenate((c[:1] + start, c[1:]))
        return c

    return body


def _changed_basis(change: Any) -> Callable[..., Any]:
    def body(c: Any) -> Any:
        c = _coefficients(c)
        own = runtime.series_of(change, c)
        return intrinsics.valued(own, (runtime.of_unit_rows(change, c.shape[0], None) @ c)[: own.shape[0]])

    return body


def _next_power(x: Any, one: Any, two: Any, n: int) -> Any:
    return one * x


def _next_chebyshev(x: Any, one: Any, two: Any, n: int) -> Any:
    return one * (2.0 * x) - two


def _next_legendre(x: Any, one: Any, two: Any, n: int) -> Any:
    return (one * x * (2 * n - 1) - two * (n - 1)) / n


def _next_hermite(x: Any, one: Any, two: Any, n: int) -> Any:
    return one * (2.0 * x) - two * (2 * (n - 1))


def _next_hermite_e(x: Any, one: Any, two: Any, n: int) -> Any:
    return one * x - two * (n - 1)


def _next_laguerre(x: Any, one: Any, two: Any, n: int) -> Any:
    return (one * (2 * n - 1 - x) - two * (n - 1)) / n


_NEXT: dict[Any, tuple[Callable[..., Any], Callable[..., Any]]] = {
    polynomial: (lambda x: x, _next_power),
    chebyshev: (lambda x: x, _next_chebyshev),
    legendre: (lambda x: x, _next_legendre),
    hermite: (lambda x: 2.0 * x, _next_hermite),
    hermite_e: (lambda x: x, _next_hermite_e),
    laguerre: (lambda x: 1.0 - x, _next_laguerre),
}


def _columns(first: Any, following: Any) -> Callable[..., Any]:
    """The values of each function of a basis, along the last axis."""

    def body(x: Any, deg: Any) -> Any:
        x = np.atleast_1d(np.asarray(x) * 1.0)
        values = [x * 0.0 + 1.0, first(x)]
        for n in range(2, deg + 1):
            values.append(following(x, values[n - 1], values[n - 2], n))
        return np.stack(values[: deg + 1], axis=-1)

    return body


def _fitted(vander: Any) -> Callable[..., Any]:
    """As NumPy fits, so that the bits are its own."""

    def body(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None) -> Any:
        if full or np.ndim(deg) != 0:
            unsupported("fits of `numpy.polynomial` have a derivative for a degree that is a number, without full=True")
        x, y = np.asarray(x) + 0.0, np.asarray(y) + 0.0
        if np.ndim(y) != 1:
            unsupported("fits of `numpy.polynomial` have a derivative for one set of values")
        if x.shape[0] == 0:
            raise TypeError("expected non-empty vector for x")
        if x.shape[0] != y.shape[0]:
            raise TypeError("expected x and y to have same length")
        lhs, rhs = vander(x, deg).T, y
        if w is not None:
            weights = np.asarray(w) + 0.0
            lhs, rhs = lhs * weights, rhs * weights
        least = x.shape[0] * np.finfo(x.dtype).eps if rcond is None else rcond
        scale = np.sqrt(np.square(lhs).sum(1))
        scale = np.where(scale == 0.0, 1.0, scale)
        return np.linalg.lstsq(lhs.T / scale, rhs, least)[0] / scale

    return body


def _of_roots(roots: Any) -> Any:
    return np.poly(roots)[::-1]


def _at_pairs(value: Any) -> Callable[..., Any]:
    def body(x: Any, y: Any, c: Any) -> Any:
        return value(y, value(x, c), tensor=False)

    return body


def _on_grid(value: Any) -> Callable[..., Any]:
    def body(x: Any, y: Any, c: Any) -> Any:
        return value(y, value(x, c))

    return body


def _domain(x: Any) -> Any:
    given = np.asarray(x) * 1.0
    if np.iscomplexobj(given):
        unsupported("domains of complex numbers have no derivative")
    if np.ndim(given) > 1:
        raise ValueError("Coefficient array is not 1-d")
    return np.array([np.min(given), np.max(given)])


def _map_parameters(old: Any, new: Any) -> Any:
    length = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / length, (new[1] - new[0]) / length


def _mapped(x: Any, old: Any, new: Any) -> Any:
    shift, scale = _map_parameters(old, new)
    return shift + scale * (np.asarray(x) if isinstance(x, (list, tuple)) else x)


def _definitions() -> Iterator[Definition]:
    for module, name in NAMES.items():
        own = {what: getattr(module, name + what) for what in ("add", "sub", "mul", "der", "int", "vander", "fit", "val")}
        value, vander = own["val"], own["vander"]
        yield Definition(own["add"], _sum)
        yield Definition(own["sub"], _difference)
        yield Definition(own["mul"], _product if module is polynomial else _product_in(own["mul"]))
        yield Definition(own["der"], _derived(own["der"]), Value.OWN)
        yield Definition(own["int"], _integrated(own["int"], value), Value.OWN, sequences=True)
        yield Definition(vander, _columns(*_NEXT[module]), Value.OWN)
        yield Definition(own["fit"], _fitted(vander))
        yield Definition(getattr(module, name + "val2d"), _at_pairs(value))
        yield Definition(getattr(module, name + "grid2d"), _on_grid(value))
        if module is not polynomial:
            for change in (getattr(module, f"{name}2poly"), getattr(module, f"poly2{name}")):
                yield Definition(change, _changed_basis(change))
    yield Definition(polynomial.polyfromroots, _of_roots, Value.OWN)
    yield Definition(polyutils.getdomain, _domain)
    yield Definition(polyutils.mapparms, _map_parameters, sequences=True)
    yield Definition(polyutils.mapdomain, _mapped, sequences=True)


def _table(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return Array("float64", (Dim("?*"), Dim("?**")))


def _cube(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return Array("float64", (Dim("?*"), Dim("?**"), Dim("?***")))


def _vector(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return Array("float64", (Dim("?*"),))


RECORDS: tuple[Primitive, ...] = (
    constant(runtime.of_unit_rows, result=_table, objects=True),
    constant(runtime.converted_series, result=_vector, objects=True),
    constant(runtime.series_of, result=_vector, objects=True),
    constant(runtime.series_products, result=_cube, objects=True),
)

DEFINITIONS: tuple[Definition, ...] = tuple(_definitions())

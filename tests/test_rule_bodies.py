"""The bodies of the rules as plain Python: partials, transposes and pullbacks against central differences of the primitive."""

from __future__ import annotations

import cmath
import copy
import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Chebyshev, Hermite, HermiteE, Laguerre, Legendre, Polynomial, polynomial

from adxform import runtime
from adxform.ir import intrinsics
from adxform.primitives.declare import name_of
from adxform.primitives.definitions import DEFINITIONS
from adxform.primitives.record import General, Linear, Partials, Primitive
from adxform.primitives.signatures import arranged, stated
from adxform.primitives.table import TABLE, definition
from tests.tables.further_forms import MODULES
from tests.test_decided import CALLS

TURNING = {np.linalg.eigh, np.linalg.svd}  # of complex vectors that have any phase: tests/test_complex_linear_algebra.py
OF_REAL_NUMBERS = {cmath.rect}  # what it gives is complex
OF_POLYNOMIALS = {  # what they give is an object: tests/test_polynomial_objects.py
    *(np.poly1d, Chebyshev.interpolate),
    *(made for found in (Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre) for made in (found, found.fit)),
}
UNSAMPLED = {intrinsics.valued, np.float16, np.float32, np.complex64}  # their results are too coarse for differences
BELONGING = {  # their arguments, a matrix and its factors, move together: judged by what is made of them in other tests
    *(runtime.eigenvalues_cotangent, runtime.eigenvalues_tangent),
    *(runtime.eigenvectors_cotangent, runtime.eigenvectors_tangent),
    *(runtime.left_vectors_cotangent, runtime.left_vectors_tangent),
    *(runtime.singular_values_cotangent, runtime.singular_values_tangent),
}


def is_active(value: Any) -> bool:
    """Whether `value` is a number that may move, an array or a sequence of those (not an axis, a shape, a flag)."""
    if isinstance(value, list | tuple):
        return bool(value) and all(is_active(item) for item in value)
    return isinstance(value, float | complex) or (isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fc")


def direction(value: Any, rng: np.random.Generator) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(direction(item, rng) for item in value)
    along = rng.standard_normal(np.shape(value))
    along = along + 1j * rng.standard_normal(np.shape(value)) if np.iscomplexobj(value) else along
    return along if np.ndim(value) else along.item()


def moved(value: Any, along: Any, step: float) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(moved(item, one, step) for item, one in zip(value, along, strict=True))
    return value + step * along


def dot(one: Any, other: Any) -> float:
    if isinstance(one, list | tuple):
        return sum(dot(a, b) for a, b in zip(one, other, strict=True))
    assert np.shape(one) == np.shape(other), "a cotangent has the shape of its argument"
    return float(np.sum(np.real(np.asarray(one) * np.asarray(other))))


def slope(fn: Callable[..., Any], args: tuple[Any, ...], position: int, along: Any) -> Any:
    """The directional derivative of `fn` in one argument, by central differences with Richardson's step."""

    def at(step: float) -> Any:
        value = moved(args[position], along, step)
        found = np.asarray(fn(*args[:position], value, *args[position + 1 :]))
        return found.astype(np.result_type(found, float))

    coarse, fine = ((at(h) - at(-h)) / (2 * h) for h in (2e-3, 1e-3))
    return (4 * fine - coarse) / 3


CASES = [
    pytest.param(record, sample, id=f"{record.name}-{number}")
    for record in TABLE.values()
    if isinstance(record.derivative, Partials | Linear | General)
    for number, sample in enumerate(record.samples)
]


def close(one: Any, other: Any) -> None:
    np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-8)


def as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.parametrize(("record", "args"), CASES)
def test_the_body_agrees_with_differences(record: Primitive, args: tuple[Any, ...]) -> None:
    judge(record, args)


@pytest.mark.parametrize(
    ("record", "args"), [case for case in CASES if case.values[0].takes_complex and case.values[0].fn not in TURNING]
)
def test_the_body_agrees_with_differences_of_complex_numbers(record: Primitive, args: tuple[Any, ...]) -> None:
    rng = np.random.default_rng(1)
    arrays = any(isinstance(arg, np.ndarray) for arg in args)  # beside them numbers are orders, say
    given = tuple(arg if arrays and isinstance(arg, float) else turned(arg, rng) for arg in args)
    try:
        record.fn(*given)
    except (TypeError, np.exceptions.ComplexWarning):
        assert not record.of_complex or record.fn in OF_REAL_NUMBERS, "it is said to take complex numbers"
        return
    judge(record, given)


def turned(value: Any, rng: np.random.Generator) -> Any:
    """`value` with imaginary parts for its floats."""
    if isinstance(value, list | tuple):
        return type(value)(turned(item, rng) for item in value)
    return value * (1.0 + 0.3j * direction(value, rng)) if is_active(value) and not np.iscomplexobj(value) else value


def judge(record: Primitive, args: tuple[Any, ...]) -> None:
    """Compare what the rule says of the slopes at `args` with differences."""
    rng = np.random.default_rng(0)
    y = record.fn(*args)
    y_ct = [np.asarray(direction(part, rng))[()] for part in as_tuple(y)]
    for position, cotangent, tangent in derivatives(record, args, y, y_ct):
        along = direction(args[position], rng)
        slopes = [slope(lambda *x, k=k: as_tuple(record.fn(*x))[k], args, position, along) for k in range(len(y_ct))]
        if tangent is not None:
            for part, moved, expected in zip(as_tuple(y), as_tuple(tangent(along)), slopes, strict=True):
                moved = moved if np.iscomplexobj(part) else np.real(moved)  # what is real moves along the real axis alone
                close(np.broadcast_to(moved, np.shape(part)), expected)
        if cotangent is not None:
            close(dot(cotangent, along), sum(np.sum(np.real(ct * expected)) for ct, expected in zip(y_ct, slopes, strict=True)))


def derivatives(record: Primitive, args: tuple[Any, ...], y: Any, y_ct: list[Any]) -> Iterator[tuple[int, Any, Any]]:
    """For each active argument: its position, its cotangent, and the function from its tangent to that of the result."""
    given, options = arranged(record.fn, args, {}, stated(record), lambda parameter, value: value is parameter.default)
    match record.derivative:
        case Partials(body):
            partials = as_tuple(body(y, *args))
            for position, partial in enumerate(partials[: len(args)]):
                if is_active(args[position]):
                    assert partial is not None
                    yield position, None, lambda along, partial=partial: partial * along
        case Linear(transposes):
            for position, transpose in transposes.items():
                if position < len(args) and is_active(args[position]):
                    tangent = _with(record.fn, args, position)
                    yield position, transpose(*y_ct, *given, **options), tangent
        case General(body, tangent):
            value, pullback = body(*given, **options)
            for part, expected in zip(as_tuple(value), as_tuple(y), strict=True):
                np.testing.assert_array_equal(part, expected)
            for position, cotangent in enumerate(as_tuple(pullback(*y_ct))[: len(args)]):
                if is_active(args[position]):
                    assert cotangent is not None
                    yield position, cotangent, None if tangent is None else _tangent(tangent, y, given, options, position)


def _with(fn: Callable[..., Any], args: tuple[Any, ...], position: int) -> Callable[[Any], Any]:
    return lambda along: fn(*args[:position], along, *args[position + 1 :])


def _tangent(
    tangent: Callable[..., Any], y: Any, args: tuple[Any, ...], options: dict[str, Any], position: int
) -> Callable[[Any], Any]:
    return lambda along: tangent(y, args, tuple(along if place == position else 0.0 for place in range(len(args))), **options)


@pytest.mark.parametrize(
    "record", [record for record in TABLE.values() if record.fn not in UNSAMPLED | BELONGING], ids=lambda r: r.name
)
def test_every_derivative_has_samples_with_an_active_argument(record: Primitive) -> None:
    if isinstance(record.derivative, Partials | Linear | General):
        assert any(any(is_active(arg) for arg in sample) for sample in record.samples)


_V = np.array([1.0, 2.5, 2.0, -7.0, 0.5])
_M = np.array([[2.0, 0.5, 1.5], [-0.25, 1.5, 4.0], [3.0, 1.0, -2.0]])
_X = np.array([0.0, 1.0, 3.0, 4.0, 7.0])
_B = np.array([[2.0, 0.5, 1.5], [-0.25, 1.5, 4.0]])
_Z = _V + 1j * _X
_C = _B - 1j * _M[1:]
_GRID: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((_C,), {}),
    ((_B,), {}),
    ((_C, (3, 4), (0, 1)), {}),
    ((_C, None, (1,)), {"norm": "ortho"}),
    ((_B, (2, -1), (1, 0), "forward"), {}),
]
_REAL_GRID = [(args, options) for args, options in _GRID if not np.iscomplexobj(args[0])]
DEFINED: dict[Callable[..., Any], list[tuple[tuple[Any, ...], dict[str, Any]]]] = {
    np.ptp: [((_V,), {}), ((_M, 1), {}), ((_M, 0), {"keepdims": True})],
    np.diff: [((_V,), {}), ((_V, 2), {}), ((_M,), {}), ((_M, 1, 0), {})],
    np.trapezoid: [((_V,), {}), ((_V, _X), {}), ((_M,), {"dx": 0.5}), ((_B, _X[:3]), {}), ((_B.T, _X[:3]), {"axis": 0})],
    np.average: [((_V,), {}), ((_V,), {"weights": _X}), ((_M, 0), {"weights": _X[:3]}), ((_M, 1, _M), {})],
    np.median: [((_V,), {}), ((_V[:4],), {}), ((_B, 0), {}), ((_M, 1), {"keepdims": True})],
    np.split: [((_V[:4], 2), {}), ((_V, [1, 3]), {}), ((_M, 3, 1), {})],
    np.array_split: [((_V, 2), {}), ((_V, [1, 3]), {}), ((_M, 2, 1), {})],
    np.hsplit: [((_M, 3), {}), ((_V, [2]), {})],
    np.vsplit: [((_M, 3), {})],
    np.hstack: [(([_V, _X],), {}), (((_M, _M),), {}), (([1.0, _V],), {})],
    np.vstack: [(([_V, _X],), {}), (((_M, _B),), {})],
    np.dstack: [(([_V, _X],), {}), (((_M, _M),), {})],
    np.block: [(([_V, _X],), {}), (([[_M, _M], [_M, _M]],), {}), (([[_M], [_M[0]]],), {})],
    np.column_stack: [(([_V, _X],), {}), (((_M, _V[:3]),), {})],
    np.append: [((_V, 1.0), {}), ((_M, _B, 0), {}), ((_M, _V), {})],
    np.meshgrid: [((_V, _X), {}), ((_V, _X[:2]), {"indexing": "ij"})],
    np.linalg.matrix_power: [((_M, 3), {}), ((_M, 0), {}), ((_M, -2), {})],
    np.interp: [((1.5, _X, _V), {}), ((np.array([-1.0, 0.5, 3.0, 9.0]), _X, _V), {})],
    np.polyval: [((_V, 2.0), {}), ((_V, _X), {})],
    np.select: [(([_V > 1, _V > 0], [_V, 2 * _X]), {}), (([_V > 1], [_V], 7.0), {})],
    np.quantile: [((_V, 0.3), {}), ((_V, 1.0), {}), ((_M, 0.3, 1), {}), ((_M, 0.3, 0), {})],
    np.percentile: [((_V, 30.0), {}), ((_M, 30.0, 1), {})],
    np.cov: [((_V,), {}), ((_M,), {}), ((_V, _X), {}), ((_B,), {"rowvar": False}), ((_M,), {"ddof": 0}), ((_C,), {})],
    **dict.fromkeys((np.fft.fftn, np.fft.ifftn, np.fft.irfftn, np.fft.fft2, np.fft.ifft2, np.fft.irfft2), _GRID),
    **dict.fromkeys((np.fft.rfftn, np.fft.rfft2), _REAL_GRID),
    np.fft.hfft: [((_Z,), {}), ((_Z, 7), {}), ((_C, None, 0, "ortho"), {}), ((_V,), {"norm": "forward"})],
    np.fft.ihfft: [((_V,), {}), ((_V, 4), {}), ((_B, None, 0, "ortho"), {}), ((_V,), {"norm": "forward"})],
    np.angle: [((_Z,), {}), ((_Z, True), {}), ((_V,), {}), ((2.0 - 1.0j,), {})],
    np.vecdot: [((_V, _X), {}), ((_M, _M), {}), ((_Z, _X + 2j), {})],
    np.linalg.vecdot: [((_V, _X), {})],
    np.add.outer: [((_V, _X), {}), ((_M, _X), {})],
    np.subtract.outer: [((_V, _X), {})],
    np.multiply.outer: [((_V, _X), {})],
    np.divide.outer: [((_X, _V), {})],
    np.add.reduce: [((_M,), {}), ((_M, 1), {})],
    np.multiply.reduce: [((_M,), {}), ((_M, 1), {})],
    np.maximum.reduce: [((_M,), {}), ((_M,), {"axis": None})],
    np.minimum.reduce: [((_M,), {}), ((_M, 1), {})],
    np.add.accumulate: [((_M,), {}), ((_M, 1), {})],
    np.maximum.accumulate: [((_M,), {}), ((_M, 1), {})],
    np.fmax.accumulate: [((_M,), {}), ((_M, 1), {})],
    np.fmin.accumulate: [((_M,), {}), ((_M, 1), {})],
    np.minimum.accumulate: [((_M,), {}), ((_M, 1), {})],
    np.multiply.accumulate: [((_M,), {}), ((_M, 1), {})],
    np.maximum.outer: [((_V, _X), {})],
    np.minimum.outer: [((_M, _X), {})],
    np.gradient: [
        ((_V,), {}),
        ((_V, 0.5), {}),
        ((_V, np.array([0.0, 0.3, 1.0, 1.4, 2.0])), {}),
        ((_M,), {}),
        ((_M, 0.5, 2.0), {"axis": (1, 0)}),
    ],
    np.linalg.svdvals: [((_M,), {})],
    np.linalg.cond: [((_M,), {}), ((_M, -2), {}), ((_M, "fro"), {}), ((_M, 1), {})],
    np.linalg.matrix_norm: [((_B,), {}), ((_B,), {"ord": "nuc", "keepdims": True})],
    np.linalg.vector_norm: [((_B,), {}), ((_B,), {"axis": (1, 0), "ord": 3, "keepdims": True}), ((_B,), {"axis": 1, "ord": 1})],
    np.linalg.tensorinv: [((_M,), {"ind": 1})],
    np.linalg.tensorsolve: [((_M, _V[:3]), {}), ((_M, _V[:3]), {"axes": (0,)})],
    np.linalg.matmul: [((_B, _M), {})],
    np.linalg.outer: [((_V, _X), {})],
    np.linalg.tensordot: [((_B, _M), {"axes": 1}), ((_M, _M), {})],
    np.linalg.cross: [((_M, _M[::-1]), {}), ((_M, _M[::-1]), {"axis": 0})],
    np.linalg.trace: [((_M,), {}), ((_B,), {"offset": 1})],
    np.linalg.diagonal: [((_M,), {}), ((_B,), {"offset": 1})],
    np.matrix_transpose: [((_B,), {})],
    np.linalg.matrix_transpose: [((_B,), {})],
    np.cumulative_sum: [((_V,), {}), ((_M,), {"axis": 1})],
    np.convolve: [((_V, _X[:3]), {}), ((_V, _X[:2], "same"), {}), ((_V, _X[:3], "valid"), {}), ((_X[:3], _V, "same"), {})],
    np.nanmax: [((np.array([1.0, np.nan, 3.0]),), {}), ((_M, 1), {})],
    np.nanmin: [((np.array([1.0, np.nan, 3.0]),), {}), ((_M, 1), {})],
    np.nonzero: [((_V > 0,), {}), ((_M > 0,), {})],
    np.ndarray.nonzero: [((_M > 0,), {})],
    np.ndarray.view: [((_V,), {}), ((_B,), {})],
    np.logaddexp.reduce: [((_M,), {}), ((_M, 1), {}), ((_V,), {})],
    math.fsum: [(([0.5, 1.5, 2.0],), {})],
    math.prod: [(([0.5, 1.5, 2.0],), {}), (([0.5],), {"start": 3.0})],
    math.dist: [(((0.5, 1.5), (2.0, -1.0)), {})],
    np.ndarray.fill: [((_V, 3.0), {})],
    np.copyto: [((_V, _X), {}), ((_B, 2.0), {})],
    np.putmask: [((_V, _V > 1, 7.0), {}), ((_V, _V > 1, _X), {})],
    np.put: [((_V, [0, 2], [7.0, 8.0]), {}), ((_M, 4, 7.0), {})],
    np.fill_diagonal: [((_M, 7.0), {}), ((_B, _V[:2]), {})],
    np.ndarray.sort: [((_V,), {}), ((_M, 0), {})],
    np.subtract.at: [((_V, [0, 0, 1], 2.0), {})],
    divmod: [((7.5, 2.0), {}), ((-7.5, 2.0), {})],
    np.histogram2d: [((_V, _X), {"bins": 3}), ((_V, _X, [2, 3]), {"density": True, "weights": _X})],
    np.polymul: [((_V, _X[:3]), {})],
    np.polydiv: [((_V, _X[1:3]), {}), ((_X[1:3], _V), {})],
    polynomial.polyfromroots: [((_X,), {})],
    **{getattr(module, name + what): [((_V, _X[:3]), {})] for module, name in MODULES.values() for what in ("add", "sub", "mul")},
    **{
        getattr(module, name + what): [((_V,), {}), ((_V, 2), {"scl": 0.5})]
        for module, name in MODULES.values()
        for what in ("der", "int")
    },
    **{getattr(module, f"{name}vander"): [((_X, 3), {}), ((0.5, 0), {})] for module, name in MODULES.values()},
    **{getattr(module, f"{name}fit"): [((_X, _V, 2), {}), ((_X, _V, 1), {"w": _X + 1.0})] for module, name in MODULES.values()},
    **{getattr(module, name + what): [((_V, _X, _B), {})] for module, name in MODULES.values() for what in ("val2d", "grid2d")},
    **{
        getattr(module, change): [((_V,), {})]
        for module, name in MODULES.values()
        if name != "poly"
        for change in (f"{name}2poly", f"poly2{name}")
    },
}
GIVEN = [pytest.param(fn, *given, id=f"{name_of(fn)}-{n}") for fn, cases in DEFINED.items() for n, given in enumerate(cases)]


@pytest.mark.parametrize(("fn", "args", "kwargs"), GIVEN)
def test_a_definition_means_the_same(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    meaning = definition(fn)
    assert meaning is not None
    given, same = copy.deepcopy(args), copy.deepcopy(args)
    expected, got = fn(*given, **kwargs), meaning(*same, **kwargs)
    np.testing.assert_equal(same, given)
    if expected is None:
        return
    if not isinstance(expected, tuple | list):
        expected, got = [expected], [got]
    for one, other in zip(expected, got, strict=True):
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(other, one, rtol=1e-13)


def test_every_definition_is_tried() -> None:
    untried = {
        fn
        for fn in set(DEFINITIONS) - set(DEFINED)
        if not name_of(fn).startswith(("scipy.", "statistics.", "cmath.", "adxform."))
        and "vectorize" not in name_of(fn)
        and fn not in (np.frompyfunc, np.nditer, functools.cmp_to_key)
        and fn not in OF_POLYNOMIALS
    }  # these have tests of their own
    elsewhere = {fn for fn in untried if f"{name_of(fn).replace('np.ndarray.', '.')}(" in CALLS}
    shown = {name_of(fn) for fn in untried - elsewhere if not name_of(fn).startswith("np.polynomial.polyutils.")}
    assert shown <= {
        "np.divmod",
        "np.row_stack",
    }  # the latter is np.vstack; those of polynomials are in tests/tables/further_forms.py

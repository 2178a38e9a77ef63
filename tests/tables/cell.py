"""The judge of a cell: a small function at one point, its value and derivatives against the plain call and differences.

A cell is *right* when the plain call and every mode say the same: the value has the same type, dtype, shape and bits, or the
same class of exception is raised; both modes agree with one another (the transpose identity), with the argument's shape and
dtype, and, where the function is smooth, with central differences; so does the second order. It is *refused* when adxform
says no by an error of its own that names a place in the program. Everything else is *wrong*.
"""

from __future__ import annotations

import copy
import itertools
import linecache
import os
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import adxform
from adxform.errors import AdxError, InternalError, VerificationError
from tests.oracle import Vector, central_jacobian, flat_function, float_leaves, is_float, leaves, pack

NUMBER = itertools.count()
# Relative to the largest entry, or to one: what differences of double, single and half precision programs tell.
TOLERANCE = {8: 1e-7, 4: 1e-4, 2: 2e-2}


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of a table: `function` at `args`.

    `smooth`: differences tell the derivative (``False`` at kinks and poles: then the two modes must still agree with each
    other, NaN for NaN). `orders`: 2 also checks the Hessian along a direction, for functions that return one number. `bits`:
    the value must be that of the plain call to the bit. `expected`: the gradient of the sum of
    the results, one entry for each floating leaf, where a reason and not a difference says what it must be. `judged_by`: what
    judges the cell in the place of the judge of this module. `noise`: how far the program's own value may be from what it
    stands for, where it stops a search: so far differences tell nothing.
    """

    name: str
    function: Callable[..., Any] | Written
    args: tuple[Any, ...]
    smooth: bool = True
    orders: int = 2
    bits: bool = True
    expected: tuple[Any, ...] | None = None
    judged_by: Callable[[Cell], tuple[str, str]] | None = None
    noise: float = 0.0


@dataclass(frozen=True, slots=True)
class Written:
    """A program that is made when its cell is judged, as `program` makes it: a sample leaves most cells of a table alone."""

    text: str
    names: Mapping[str, Any] = field(default_factory=dict)

    def made(self, args: tuple[Any, ...]) -> Callable[..., Any]:
        """The program, to be judged at `args`."""
        return program(self.text, **self.names)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a cell: `kind` is ``"right"``, ``"refused"`` or ``"wrong"``; `reason` says why it is not right."""

    cell: Cell
    kind: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception in the place of a value: two are alike if their classes are."""

    error: BaseException

    @property
    def kind(self) -> type[BaseException]:
        """The class that a caller would catch: adxform's own classes are refusals, and never the program's."""
        return type(self.error)


def program(text: str, called: str = "f", /, **names: Any) -> Callable[..., Any]:
    """The function `called` that the source `text` defines, with ``np`` and `names` as its globals; its source can be read.

    With a ``__name__`` among `names` its module can be found by that name, as that of a program which sets globals must be.
    """
    file = f"<cell {next(NUMBER)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = types.ModuleType("cell")
    module.__dict__.update({"np": np, **names})
    if "__name__" in names:
        sys.modules[names["__name__"]] = module
    exec(compile(text, file, "exec", dont_inherit=True), module.__dict__)
    made: Callable[..., Any] = module.__dict__[called]
    return made


def judge(cell: Cell) -> Verdict:
    """What becomes of `cell`, with the warnings of NumPy and of Python silent."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = cell
        if isinstance(cell.function, Written):
            whole = replace(cell, function=cell.function.made(cell.args))
        return Verdict(cell, *(cell.judged_by or _judged)(whole))


def _judged(cell: Cell) -> tuple[str, str]:
    plain = outcome(lambda: cell.function(*laid_out(cell.args)))
    args = laid_out(cell.args)
    pulled = outcome(lambda: adxform.vjp(cell.function, *args))
    if (said := refusal(pulled)) is not None:
        return said
    tangents, directions = tangents_of(cell.args)
    pushed = outcome(lambda: adxform.jvp(cell.function, args, tangents))
    if (said := refusal(pushed)) is not None:
        return said
    bits = cell.bits and os.environ.get("ADXFORM_ENGINE") != "numba"  # kernels take sums in another order
    for mode, got in (("reverse", pulled), ("forward", pushed)):
        if said := differs(plain, got if isinstance(got, Raised) else got[0], bits):
            return "wrong", f"{mode}: value: {said}"
    if isinstance(plain, Raised):
        return "right", ""
    cts = cotangents_of(plain) if cell.expected is None else [leaf * 0 + 1 for leaf in float_leaves(plain)]
    back = outcome(lambda: pulled[1](_with_none(plain, iter(cts), _zero)))
    if (said := refusal(back)) is not None:
        return said
    if isinstance(back, Raised):
        return "wrong", f"pullback raises {back.error!r}"
    if not _same_leaves(cell.args, args):
        return "wrong", "an argument was changed"
    gradient = [ct for leaf, ct in zip(leaves(cell.args), _aligned(cell.args, back), strict=True) if is_float(leaf)]
    slopes = _floats_beside(plain, pushed[1])
    if said := _shapes(float_leaves(cell.args), gradient, "gradient") or _shapes(float_leaves(plain), slopes, "tangent"):
        return "wrong", said
    return _derivatives(cell, plain, directions, cts, gradient, slopes)


def _overflows(plain: Any, there: float, back: float) -> bool:
    """Whether the value is infinite and both modes say so: what adds infinities of both signs is NaN or not, by the order."""
    infinite = any(np.isinf(leaf).any() for leaf in float_leaves(plain))
    return infinite and not np.isfinite(there) and not np.isfinite(back)


def _derivatives(
    cell: Cell, plain: Any, directions: list[Any], cts: list[Any], gradient: list[Any], slopes: list[Any]
) -> tuple[str, str]:
    """Compare the two modes with one another and with differences, and the second order with second differences."""
    single = min([np.asarray(leaf).dtype.itemsize for leaf in float_leaves((cell.args, plain))], default=8)
    tolerance = TOLERANCE.get(single, TOLERANCE[8])
    there, back = _dot(cts, slopes), _dot(gradient, directions)
    moves = any(np.size(leaf) for leaf in float_leaves(cell.args))  # of nothing the mean is NaN, and so is its tangent
    rounding = tolerance * min(_magnitude(cts, slopes), _magnitude(gradient, directions))
    if moves and not _near(there, back, tolerance, rounding) and not _overflows(plain, there, back):
        return "wrong", f"the modes differ: forward {there!r}, reverse {back!r}: tangent {slopes!r}, gradient {gradient!r}"
    if cell.expected is not None and not all(
        _near(one, other, tolerance) for one, other in zip(pack(gradient), pack(list(cell.expected)), strict=True)
    ):
        return "wrong", f"the gradient is {gradient!r}, not {cell.expected!r}"
    if not cell.smooth or not float_leaves(plain):
        return "right", ""
    wrt = tuple(i for i, arg in enumerate(cell.args) if float_leaves(arg))
    inner, x = flat_function(cell.function, cell.args, wrt)
    flat = _missing_where_it_raises(inner, pack(float_leaves(plain)).size)
    step = 1e-3
    jacobian, error = central_jacobian(flat, x, step=step)
    scale = max(1.0, float(np.max(np.abs(jacobian), initial=0.0)))
    unknown = cell.noise / step
    if not np.all(np.isfinite(jacobian)) or error > 1e-6 * scale + unknown:
        return "right", ""  # differences cannot tell: a kink or a pole; the modes agree
    found, outer = pack(gradient), pack(cts)
    room = (tolerance * scale + unknown) * max(1.0, float(np.max(np.abs(outer), initial=0.0)))

    def agrees(slope: Vector) -> bool:
        return np.allclose(found, outer @ slope, rtol=tolerance, atol=room)

    # From afar many steps of a staircase (``divmod(steep, 0.7)``) look like a slope.
    if not agrees(jacobian) and not agrees(central_jacobian(flat, x, step=1e-6)[0]):
        return "wrong", f"the gradient is {found!r}, by differences {outer @ jacobian!r}"
    if cell.orders > 1 and is_float(plain) and np.ndim(plain) == 0:
        return _second(cell, flat, x, directions, wrt, max(1e-4, tolerance))
    return "right", ""


def _missing_where_it_raises(flat: Callable[[Vector], Vector], size: int) -> Callable[[Vector], Vector]:
    """`flat`, and NaN where it raises: nearby a program may be on a path that its author has not thought of."""

    def found(x: Vector) -> Vector:
        try:
            return flat(x)
        except Exception:
            return np.full(size, np.nan)

    return found


def _second(
    cell: Cell, flat: Callable[[Vector], Vector], x: Vector, directions: list[Any], wrt: tuple[int, ...], tolerance: float
) -> tuple[str, str]:
    """Compare ``v · H v`` of a function of one number with second differences of the function itself."""
    v = pack(directions)
    expected, error = second_slope(flat, x, v)
    scale = max(1.0, abs(expected))
    if not np.isfinite(expected) or error > 1e-5 * scale:
        return "right", ""
    parts = iter(directions)
    vectors = tuple(_with_none(cell.args[i], parts) for i in wrt)
    got = outcome(lambda: adxform.hvp(cell.function, wrt)(*copy.deepcopy(cell.args), vectors))
    if (said := refusal(got)) is not None:
        return said
    if isinstance(got, Raised):
        return "wrong", f"hvp raises {got.error!r}"
    products = [g for i, part in zip(wrt, got, strict=True) for g in _floats_beside(cell.args[i], part)]
    if _near(_dot(products, directions), expected, tolerance):
        return "right", ""
    if _near(second_slope(flat, x, v, 5e-4)[0], expected, tolerance):  # else two kinks nearby have looked like a slope
        return "wrong", f"v·Hv is {_dot(products, directions)!r}, by differences {expected!r}"
    return "right", ""


def outcome(call: Callable[[], Any]) -> Any:
    """What `call` returns, or the exception that it raises."""
    try:
        return call()
    except Exception as error:
        return Raised(error)


def refusal(got: Any) -> tuple[str, str] | None:
    """Whether an outcome is adxform's own error, and of which kind: a refusal must name a place, a defect is wrong."""
    if not isinstance(got, Raised) or not isinstance(got.error, AdxError):
        return None
    error = got.error
    if isinstance(error, VerificationError | InternalError):
        return "wrong", f"internal: {error.message}"
    if not error.span.line:
        return "wrong", f"a refusal without a place: {error.code} {error.message}"
    return "refused", f"{error.code} {error.message}"


def differs(plain: Any, got: Any, bits: bool = True) -> str:
    """How a value differs from that of the plain call in class, type, dtype, shape or bits; empty where it does not."""
    if isinstance(plain, Raised) or isinstance(got, Raised):
        if isinstance(plain, Raised) and isinstance(got, Raised):
            alike = plain.kind is got.kind
            return "" if alike else f"raises {got.error!r}, plainly {plain.error!r}"
        return f"{_said(got)}, plainly {_said(plain)}"
    one, other = list(leaves(plain)), list(leaves(got))
    if _structure(plain) != _structure(got) or len(one) != len(other):
        return f"{got!r}, plainly {plain!r}"
    for a, b in zip(one, other, strict=True):
        if type(a) is not type(b) or np.shape(a) != np.shape(b) or getattr(a, "dtype", None) != getattr(b, "dtype", None):
            return f"{b!r} ({type(b).__name__}), plainly {a!r} ({type(a).__name__})"
        if not _alike(a, b, bits):
            return f"{b!r}, plainly {a!r}"
    return ""


def _structure(tree: Any) -> Any:
    """The classes of the containers in `tree`, the keys of its dicts in order, and where it has ``None``."""
    match tree:
        case tuple() | list():
            return type(tree), [_structure(item) for item in tree]
        case dict():
            return type(tree), [(type(key), key, _structure(item)) for key, item in tree.items()]
        case _:
            return type(tree)


def _said(got: Any) -> str:
    return f"raises {got.error!r}" if isinstance(got, Raised) else f"returns {got!r}"


def _alike(a: Any, b: Any, bits: bool) -> bool:
    x, y = np.asarray(a), np.asarray(b)
    if x.dtype.kind not in "fc":
        return bool(np.all(x == y)) if x.dtype != object else a == b or a is b
    if not bits:
        rounding = max(1e-12, 64 * np.finfo(x.dtype).eps)
        return bool(np.allclose(x, y, rtol=rounding, atol=1e-300, equal_nan=True))
    # Any NaN is like any other; zeros have signs.
    return bool(np.all(((x == y) & (np.signbit(x.real) == np.signbit(y.real))) | ((x != x) & (y != y))))


def laid_out(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """A deep copy of `args` in which arrays have the strides that they have there, and are as writable."""
    return tuple(_same_memory(arg) if isinstance(arg, np.ndarray) and arg.size else copy.deepcopy(arg) for arg in args)


def _same_memory(x: Any) -> Any:
    """A copy of all memory between the first and the last element of `x`, seen through the strides of `x`."""
    low, high = np.lib.array_utils.byte_bounds(x)
    memory = np.empty(high - low, np.uint8)
    start = x.__array_interface__["data"][0] - low
    made = np.ndarray(x.shape, x.dtype, memory, start, x.strides)
    made[...] = x
    made.flags.writeable = x.flags.writeable
    return made


def tangents_of(args: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[Any]]:
    """A tangent for each argument (``None`` where nothing moves), and its floating leaves."""
    rng = np.random.default_rng(7)
    parts = [_random(leaf, rng) for leaf in float_leaves(args)]
    moving = iter(parts)
    return tuple(_with_none(arg, moving) for arg in args), parts


def cotangents_of(plain: Any) -> list[Any]:
    """A cotangent for each floating leaf of a result."""
    rng = np.random.default_rng(11)
    return [_random(leaf, rng) for leaf in float_leaves(plain)]


def second_slope(flat: Callable[[Vector], Vector], x: Vector, v: Vector, longest: float = 8e-3) -> tuple[float, float]:
    """The second derivative of a function of one number along `v`, and how far the extrapolations are apart."""

    def height(step: float) -> float:
        found = flat(x + step * v)
        return float(found[0]) if found.size else np.nan  # no float on that path: differences tell nothing

    middle = height(0.0)

    def difference(step: float) -> float:
        return (height(step) - 2.0 * middle + height(-step)) / step**2

    rows = [difference(longest / part) for part in (1.0, 2.0, 4.0)]
    fine = [(4.0 * rows[1] - rows[0]) / 3.0, (4.0 * rows[2] - rows[1]) / 3.0]
    best = (16.0 * fine[1] - fine[0]) / 15.0
    return best, abs(best - fine[1])


def _zero(leaf: Any) -> Any:
    """The cotangent of what does not move here, though it may on another path."""
    if isinstance(leaf, np.ndarray | np.generic):
        return np.zeros_like(leaf)[()] if isinstance(leaf, np.generic) else np.zeros_like(leaf)
    return 0.0 if isinstance(leaf, int | complex) else None


def _with_none(tree: Any, parts: Iterator[Any], other: Callable[[Any], Any] = lambda leaf: None) -> Any:
    """`tree` with `parts` for its floating leaves and ``None``, or what `other` says, for the others."""
    match tree:
        case tuple() if hasattr(tree, "_fields"):
            return type(tree)(*(_with_none(item, parts, other) for item in tree))
        case tuple() | list():
            return type(tree)(_with_none(item, parts, other) for item in tree)
        case dict():
            return {key: _with_none(tree[key], parts, other) for key in sorted(tree)}
        case _:
            return next(parts) if is_float(tree) else other(tree)


def _random(leaf: Any, rng: np.random.Generator) -> Any:
    if isinstance(leaf, np.ndarray):
        return np.asarray(rng.uniform(0.5, 1.5, leaf.shape) * rng.choice([-1.0, 1.0], leaf.shape), leaf.dtype)
    return type(leaf)(rng.uniform(0.5, 1.5) * rng.choice([-1.0, 1.0]))


def _floats_beside(tree: Any, other: Any) -> list[Any]:
    """What `other` has in the places of the floating leaves of `tree`."""
    return [item for leaf, item in zip(leaves(tree), _aligned(tree, other), strict=True) if is_float(leaf)]


def _aligned(tree: Any, other: Any) -> Iterator[Any]:
    """What `other` has in the place of each leaf of `tree`, ``None`` included."""
    match tree:
        case tuple() | list():
            for n, item in enumerate(tree):
                yield from _aligned(item, None if other is None else other[n])
        case dict():
            for key in sorted(tree):
                yield from _aligned(tree[key], None if other is None else other[key])
        case None:
            pass
        case _:
            yield other


def _shapes(of: list[Any], got: list[Any], what: str) -> str:
    """How the derivatives of some leaves differ from these in shape or dtype."""
    for leaf, ct in zip(of, got, strict=True):
        if np.shape(ct) != np.shape(leaf) or np.result_type(ct) != np.result_type(leaf):
            return f"a {what} is {ct!r}, of {leaf!r}"
    return ""


def _same_leaves(one: Any, other: Any) -> bool:
    return all(_alike(a, b, True) for a, b in zip(leaves(one), leaves(other), strict=True))


def _dot(one: list[Any], other: list[Any]) -> float:
    return sum(float(np.sum(np.asarray(a, np.float64) * np.asarray(b, np.float64))) for a, b in zip(one, other, strict=True))


def _magnitude(one: list[Any], other: list[Any]) -> float:
    """The sum of the sizes of the terms of a scalar product: what rounding each of them may do to it."""
    found = _dot([np.abs(a) for a in one], [np.abs(b) for b in other])
    return found if np.isfinite(found) else 0.0


def _near(a: float, b: float, rtol: float, atol: float = 1e-9) -> bool:
    return bool(np.isclose(a, b, rtol=rtol, atol=max(atol, rtol), equal_nan=True))

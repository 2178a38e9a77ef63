"""Checks of derivatives by oracles that share no code with adxform: central differences and the transpose identity.

`check_derivatives` is for a user's function, `check_rule` for the rule of a primitive; `trace` shows what ops give.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform.api import grad, jvp, vjp
from adxform.api.second_order import hvp
from adxform.backends.interpret.tracing import trace
from adxform.primitives.record import Effect, General, Linear, Partials, Primitive
from adxform.primitives.signatures import PLAIN, arranged, stated
from adxform.primitives.table import lookup
from adxform.primitives.unruled import said
from adxform.runtime import ContentsAfter, built, told
from adxform.runtime.dispatch.tracebacks import for_users
from adxform.testing.float_leaves import (
    copied,
    doubled,
    floats_in,
    have_same_bits,
    inner_product,
    is_flat,
    largest_error,
    moved_by,
    pairs_in,
    picked,
    random_like,
    wide,
    with_floats,
    zero_like,
)

__all__ = ["Check", "check_derivatives", "check_rule", "trace"]
Argnums = int | tuple[int, ...]
MANY = 48


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison: the largest error found, relative to the size of what is compared (at least one).

    `note` says what differences cannot tell, where that is so: that the point is at a kink, or a jump.
    """

    name: str
    error: float
    tolerance: float
    note: str = ""

    @property
    def ok(self) -> bool:
        """Whether the error is within the tolerance."""
        return self.error <= self.tolerance


@for_users
def check_derivatives(
    f: Callable[..., Any], *args: Any, argnums: Argnums | None = None, rtol: float = 1e-7, second_order: bool = True
) -> list[Check]:
    """Compare the value of `f` at `args` and its derivatives with respect to `argnums` (all floats) with central differences.

    The checks are ``value``, ``forward``, ``reverse``, ``transpose`` (that the two modes are each other's transpose),
    ``hvp`` and ``inputs`` (that the arguments are as before, and a second call gives the same). Where an argument or result
    has single precision, or the function rounds inside, give a larger `rtol`.

    >>> [check.ok for check in check_derivatives(lambda x: x ** 3, 2.0)]
    [True, True, True, True, True, True]
    """
    numbers = _numbers(args, argnums)
    if numbers != _numbers(args, None):
        f, args = _restricted(f, args, numbers), tuple(args[n] for n in numbers)
    point = _Point(f, args, _numbers(args, None))
    coarse = any(np.finfo(np.asarray(leaf).dtype).bits < 64 for leaf in floats_in((*args, point.value)))
    rtol = max(rtol, 2e-3) if coarse else rtol
    exact = 1e-5 if coarse else 1e-10
    before = copy.deepcopy(args)
    rng = np.random.default_rng(0)
    cts = [random_like(leaf, rng) for leaf in floats_in(point.value)]
    out, pullback = vjp(f, *args)
    pulled = pullback(with_floats(point.value, iter(cts), other=None))
    given = picked([args[n] for n in point.numbers], [pulled[n] for n in point.numbers])
    forward, reverse, transpose = 0.0, 0.0, 0.0
    kink = ""
    for direction in point.directions(rng):
        expected = point.slope(direction)
        got = picked(point.value, jvp(f, args, point.tangents(direction))[1])
        forward = max(forward, largest_error(got, expected))
        slope = inner_product(cts, expected)
        dotted = inner_product(given, direction)
        reverse = max(reverse, largest_error([dotted], [slope]))
        transpose = max(transpose, largest_error([dotted], [inner_product(cts, got)]))
        if not kink and max(largest_error(got, expected), largest_error([dotted], [slope])) > rtol:
            kink = point.kink(direction, got)
    again, _ = vjp(f, *args)
    touched = not have_same_bits(before, args) or not have_same_bits(out, again)
    checks = [
        Check("value", largest_error(list(floats_in(out)), list(floats_in(point.value))), exact),
        Check("forward", forward, rtol, kink if forward > rtol else ""),
        Check("reverse", reverse, rtol, kink if reverse > rtol else ""),
        Check("transpose", transpose, exact),
    ]
    if second_order and is_flat(point.value):
        checks.append(_second_order(point, cts, rng, rtol))
    return [*checks, Check("inputs", float(touched), 0.0)]


@for_users
def check_rule(
    fn: Callable[..., Any],
    samples: Sequence[tuple[Any, ...]] | None = None,
    *,
    argnums: Argnums | None = None,
    rtol: float = 1e-7,
    second_order: bool = True,
) -> None:
    """Check the rule of the primitive `fn` at each of `samples` (argument tuples; its record's own when there are none).

    Each sample is checked as by `check_derivatives`. Samples of an elementwise function are also checked as arrays without axes
    and without elements, of length one, and in single precision, whose derivatives must have single precision. Of a function that
    writes to its arguments the value is what it leaves in them.

    >>> check_rule(np.tanh, [(0.5,)])

    Raises:
        AssertionError: a check fails; the message names the sample, the check, the error and the tolerance.
    """
    record = lookup(fn)
    samples = record.samples if samples is None and record is not None else samples
    if not samples:
        raise AssertionError(f"{getattr(fn, '__name__', fn)} has no samples to check")
    fn = ContentsAfter(fn, written) if record is not None and (written := _written(record)) else fn
    for sample in samples:
        numbers = argnums if argnums is not None or record is None else _differentiable(record, sample)
        _check_sample(fn, sample, numbers, rtol, second_order)
        if record is not None and record.elementwise:
            for variant in _variants(sample):
                _check_sample(fn, variant, numbers, rtol, second_order=False)


def _differentiable(record: Primitive, sample: tuple[Any, ...]) -> tuple[int, ...]:
    """The positions of the floats for which the rule gives a derivative."""
    floats = _numbers(sample, None)
    match record.derivative:
        case Partials(body):
            given = body(record.fn(*sample), *sample)
        case General(body, staged=staged) if said(body) is body:
            args, options = arranged(record.fn, copy.deepcopy(sample), {}, stated(record), _is_default)
            if staged:
                body = built(body, *map(told, args), **{key: told(option) for key, option in options.items()})
            value, pullback = body(*args, **options)
            given = pullback(*value) if isinstance(value, tuple) else pullback(value)
        case Linear(transposes):
            return tuple(n for n in transposes if n in floats)
        case _:
            return floats
    parts = given if isinstance(given, tuple) else (given,)
    return tuple(n for n in floats if n in _written(record) or (n < len(parts) and parts[n] is not None))


def _written(record: Primitive) -> tuple[int, ...]:
    """The places of the arguments that a function with a rule writes to."""
    match record:
        case Primitive(derivative=General(), effect=Effect(writes=written)):
            return written
        case _:
            return ()


def _is_default(parameter: inspect.Parameter, value: Any) -> bool:
    return isinstance(value, PLAIN) and value == parameter.default


def applied(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A Python function that calls `fn`, for a primitive that has no source to differentiate."""

    def call(*args: Any) -> Any:
        return fn(*args)

    return call


def _restricted(f: Callable[..., Any], args: tuple[Any, ...], numbers: tuple[int, ...]) -> Callable[..., Any]:
    """`f` as a function of its arguments `numbers` alone."""

    def call(*moving: Any) -> Any:
        point = list(args)
        for n, value in zip(numbers, moving, strict=True):
            point[n] = value
        return f(*point)

    return call


def _check_sample(
    fn: Callable[..., Any], sample: tuple[Any, ...], argnums: Argnums | None, rtol: float, second_order: bool
) -> None:
    call = applied(fn)
    checks = check_derivatives(call, *sample, argnums=argnums, rtol=rtol, second_order=second_order)
    for check in checks:
        if not check.ok:
            name = getattr(fn, "__name__", repr(fn))
            message = f"{name}{sample!r}: {check.name} differs by {check.error:.2e}, more than {check.tolerance:.0e}"
            raise AssertionError("; ".join(filter(None, (message, check.note))))
    numbers = _numbers(sample, argnums)
    if numbers != _numbers(sample, None):
        return
    _, pullback = vjp(call, *sample)
    value = fn(*copy.deepcopy(sample))
    ones = iter([leaf * 0 + 1 for leaf in floats_in(value)])
    for leaf, ct in pairs_in(sample, pullback(with_floats(value, ones, other=None))):
        if np.shape(ct) != np.shape(leaf) or (isinstance(leaf, np.ndarray | np.generic) and np.result_type(ct) != leaf.dtype):
            raise AssertionError(f"{fn}{sample!r}: a gradient is {np.result_type(ct)}{np.shape(ct)}, not as {leaf!r}")


def _variants(sample: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """A sample of arrays in other shapes and in single precision."""
    changes: tuple[Callable[[Any], Any], ...] = (
        lambda x: x.reshape(-1)[:1].reshape(()),
        lambda x: x.reshape(-1)[:1],
        lambda x: x.reshape(-1)[:0],
        lambda x: x.astype(np.complex64 if np.iscomplexobj(x) else np.float32),
    )
    if any(isinstance(arg, np.ndarray) for arg in sample):
        for change in changes:
            yield tuple(change(arg) if isinstance(arg, np.ndarray) and arg.dtype.kind in "fc" else arg for arg in sample)


class _Point:
    """A function at a point, in double precision, moving in its arguments `numbers`."""

    def __init__(self, f: Callable[..., Any], args: tuple[Any, ...], numbers: tuple[int, ...]) -> None:
        self.f = f
        self.args = args
        self.numbers = numbers
        self.moving = [leaf for n in numbers for leaf in floats_in(args[n])]
        self.value = f(*(copied(arg) for arg in args))

    def directions(self, rng: np.random.Generator) -> Iterator[list[Any]]:
        """The unit vectors, or for many arguments some random ones, as one part for each float leaf; complex numbers have two."""
        sizes = [int(np.size(leaf)) for leaf in self.moving]
        if sum(sizes) > MANY:
            for _ in range(8):
                yield [random_like(leaf, rng) for leaf in self.moving]
            return
        for place, size in enumerate(sizes):
            for element in range(size):
                for unit in (1, 1j) if np.iscomplexobj(self.moving[place]) else (1,):
                    direction = [zero_like(leaf) for leaf in self.moving]
                    if isinstance(direction[place], np.ndarray):
                        direction[place].reshape(-1)[element] = unit
                    else:
                        direction[place] = type(direction[place])(direction[place] + unit)
                    yield direction

    def at(self, direction: list[Any], step: float) -> tuple[Any, ...]:
        """The arguments moved by `step` along `direction`."""
        moved = iter([moved_by(leaf, part, step) for leaf, part in zip(self.moving, direction, strict=True)])
        args = [with_floats(copy.deepcopy(arg), iter([doubled(leaf) for leaf in floats_in(arg)])) for arg in self.args]
        for n in self.numbers:
            args[n] = with_floats(args[n], moved)
        return tuple(args)

    def slope(self, direction: list[Any], of: Callable[..., Any] | None = None, step: float = 2e-4) -> list[Any]:
        """The derivative along `direction` of each float result, by central differences extrapolated once."""
        f = self.f if of is None else of

        def difference(h: float) -> list[Any]:
            above, below = floats_in(f(*self.at(direction, h))), floats_in(f(*self.at(direction, -h)))
            return [(wide(a) - wide(b)) / (2 * h) for a, b in zip(above, below, strict=True)]

        return [(4 * fine - wide) / 3 for fine, wide in zip(difference(step / 2), difference(step), strict=True)]

    def kink(self, direction: list[Any], got: list[Any], step: float = 1e-5) -> str:
        """What the slopes on the two sides are along `direction`, where these differ; `got` are the derivatives in question."""
        middle, *sides = self._beside(self.f, direction, step)
        for place, value in enumerate(got):
            left, nearer_left, right, nearer_right = ((side[place] - middle[place]) / h for side, h in sides)
            scale = 1.0 + np.abs(left) + np.abs(right)
            steady = (np.abs(left - nearer_left) < 1e-3 * scale) & (np.abs(right - nearer_right) < 1e-3 * scale)
            for at in np.argwhere(steady & (np.abs(left - right) > 1e-2 * scale)):
                one, other, mine = (np.asarray(part)[tuple(at)].item() for part in (nearer_left, nearer_right, value))
                return f"a kink: the slope is {one:.4g} on one side and {other:.4g} on the other, the derivative {mine:.4g}"
        return self.jump(self.f, direction, "the function", step)

    def jump(self, of: Callable[..., Any], direction: list[Any], what: str, step: float = 1e-5) -> str:
        """That the value of `of`, which is called `what`, jumps along `direction` on a side of the point, where it does."""
        middle, *sides = self._beside(of, direction, step)
        for far, near in (sides[:2], sides[2:]):
            for place, value in enumerate(middle):
                change, nearer = far[0][place] - value, near[0][place] - value
                if np.any(np.abs(nearer) > np.maximum(0.9 * np.abs(change), 1e-3 * (1.0 + np.abs(value)))):
                    return f"{'a kink' if what == 'the gradient' else 'a jump'}: {what} is another on one side of the point"
        return ""

    def _beside(self, of: Callable[..., Any], direction: list[Any], step: float) -> Iterator[Any]:
        """The floats of `of` at the point, and with their distances those at two places on the left and two on the right."""
        yield [wide(x) for x in floats_in(of(*self.at(direction, 0.0)))]
        for h in (-step, -step / 2, step, step / 2):
            yield [wide(x) for x in floats_in(of(*self.at(direction, h)))], h

    def tangents(self, direction: list[Any]) -> tuple[Any, ...]:
        """A tangent for every argument, zero for those that do not move."""
        parts = iter(direction)
        return tuple(
            with_floats(arg, parts if n in self.numbers else iter([zero_like(leaf) for leaf in floats_in(arg)]), other=None)
            for n, arg in enumerate(self.args)
        )


def _second_order(point: _Point, weights: list[Any], rng: np.random.Generator, rtol: float) -> Check:
    """The check of the Hessian of the weighted sum of the results, along a random direction.

    Its gradient is what the pullback of the function makes of the weights: the rule is there, and was compared with differences.
    """
    f, numbers = point.f, point.numbers

    def weighted(*args: Any) -> Any:
        out = f(*args)
        if isinstance(out, tuple | list):
            total = 0.0
            for part, weight in zip(out, weights, strict=True):
                total = total + np.sum(part * weight)
            return total
        return np.sum(out * weights[0])

    def real(*args: Any) -> Any:
        return weighted(*args).real

    def pulled(*args: Any) -> Any:
        out, pullback = vjp(f, *args)
        cts = [np.asarray(weight, np.asarray(leaf).dtype)[()] for leaf, weight in zip(floats_in(out), weights, strict=True)]
        cotangents = pullback(with_floats(out, iter(cts), other=None))
        return [cotangents[n] for n in numbers]

    if any(map(np.iscomplexobj, floats_in(point.value))):
        return _bending(point, real, grad(real, numbers, engine="python"), rng, rtol)
    return _bending(point, weighted, pulled, rng, rtol)


def _bending(
    point: _Point, weighted: Callable[..., Any], gradient: Callable[..., Any], rng: np.random.Generator, rtol: float
) -> Check:
    """The check of the Hessian of the number that `weighted` returns against its `gradient`, along a random direction."""
    numbers = point.numbers
    direction = [random_like(leaf, rng) for leaf in point.moving]
    tangents = point.tangents(direction)
    got = hvp(weighted, numbers, engine="python")(*point.args, tuple(tangents[n] for n in numbers))
    error = largest_error(picked([point.args[n] for n in numbers], list(got)), point.slope(direction, of=gradient))
    return Check("hvp", error, rtol, point.jump(gradient, direction, "the gradient") if error > rtol else "")


def _numbers(args: tuple[Any, ...], argnums: Argnums | None) -> tuple[int, ...]:
    if argnums is None:
        return tuple(n for n, arg in enumerate(args) if next(floats_in(arg), None) is not None)
    return argnums if isinstance(argnums, tuple) else (argnums,)

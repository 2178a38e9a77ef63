"""Derivatives of programs over complex numbers, judged by differences along the real and the imaginary directions.

The oracle shares no code with adxform: `docs/complex.md` says what a cotangent and a gradient are.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import adxform as ad
from tests.complex_programs import PROGRAMS

STEP = 2e-4
NAMES = [fn.__name__ for fn, _ in PROGRAMS]
ORDERS = ("forward-over-reverse", "reverse-over-forward", "reverse-over-reverse")


# -- the oracle -----------------------------------------------------------------------------------------------------------


def moves(leaf: Any) -> bool:
    return isinstance(leaf, float | complex | np.inexact) or (isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc")


def numbers(tree: Any) -> Iterator[Any]:
    """The leaves that move, in order."""
    match tree:
        case tuple() | list():
            for item in tree:
                yield from numbers(item)
        case dict():
            for item in tree.values():
                yield from numbers(item)
        case _ if dataclasses.is_dataclass(tree):
            for field in dataclasses.fields(tree):
                yield from numbers(getattr(tree, field.name))
        case _ if moves(tree):
            yield tree


def filled(tree: Any, values: Iterator[Any], other: Any = ...) -> Any:
    """`tree` with `values` for the leaves that move; `other` for all else, or what is there."""
    match tree:
        case tuple() | list():
            return type(tree)(filled(item, values, other) for item in tree)
        case dict():
            return {key: filled(item, values, other) for key, item in tree.items()}
        case _ if dataclasses.is_dataclass(tree):
            fields = {f.name: filled(getattr(tree, f.name), values, other) for f in dataclasses.fields(tree)}
            return dataclasses.replace(tree, **fields)
        case _ if moves(tree):
            return next(values)
        case _:
            return tree if other is ... else other


def directions(tree: Any) -> Iterator[list[Any]]:
    """A tangent along each axis of each number: complex numbers have two."""
    leaves = list(numbers(tree))
    for place, leaf in enumerate(leaves):
        for element in range(np.size(leaf)):
            for unit in (1, 1j) if np.iscomplexobj(leaf) else (1,):
                made = [np.zeros_like(x) if isinstance(x, np.ndarray) else type(x)(0) for x in leaves]
                if isinstance(leaf, np.ndarray):
                    made[place].reshape(-1)[element] = unit
                else:
                    made[place] = type(leaf)(unit)
                yield made


def drawn(tree: Any, seed: int = 0) -> list[Any]:
    """A random vector with the leaves of `tree`."""
    rng = np.random.default_rng(seed)
    made = []
    for leaf in numbers(tree):
        x = rng.standard_normal(np.shape(leaf))
        y = rng.standard_normal(np.shape(leaf))
        x = x + 1j * y if np.iscomplexobj(leaf) else x
        made.append(np.asarray(x, leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(x))
    return made


def moved(args: Any, along: list[Any], step: float) -> Any:
    leaves = [
        leaf + step * part if not isinstance(leaf, np.ndarray) else np.asarray(leaf + step * part)
        for leaf, part in zip(numbers(args), along, strict=True)
    ]
    return filled(copy.deepcopy(args), iter(leaves))


def differences(f: Callable[..., Any], args: Any, along: list[Any]) -> list[Any]:
    """The change of each result of `f` along a direction."""

    def central(h: float) -> list[Any]:
        pair = zip(numbers(f(*moved(args, along, h))), numbers(f(*moved(args, along, -h))), strict=True)
        return [(np.asarray(a) - np.asarray(b)) / (2 * h) for a, b in pair]

    return [(4 * fine - wide) / 3 for fine, wide in zip(central(STEP / 2), central(STEP), strict=True)]


def paired(cts: Any, tangents: Any) -> float:
    """How cotangents pair with tangents: by the real part of the product, without a conjugate."""
    return float(sum(np.sum(np.asarray(ct) * np.asarray(t)).real for ct, t in zip(cts, tangents, strict=True)))


def same_kind(found: Any, like: Any) -> bool:
    if isinstance(like, np.ndarray):
        return isinstance(found, np.ndarray) and found.dtype == like.dtype and found.shape == like.shape
    return type(found) is type(like) or (type(like) in (float, complex) and isinstance(found, type(like)))


def close(found: Any, expected: Any, rtol: float = 2e-7) -> None:
    scale = max([1.0, *(float(np.max(np.abs(part), initial=0.0)) for part in expected)])
    for one, other in zip(found, expected, strict=True):
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=0, atol=rtol * scale)


def weighted(f: Callable[..., Any], args: Any) -> Callable[..., Any]:
    """A real function that all results of `f` flow into."""
    out = f(*copy.deepcopy(args))
    weights = drawn(out, 5)
    if isinstance(out, tuple | list):

        def total(*point: Any) -> Any:
            result = f(*point)
            found = 0.0
            for part, weight in zip(result, weights, strict=True):
                found = found + np.real(np.sum(part * weight))
            return found

        return total

    def one(*point: Any) -> Any:
        return np.real(np.sum(f(*point) * weights[0]))

    return one


def is_flat(out: Any) -> bool:
    return moves(out) or (isinstance(out, tuple | list) and all(map(moves, out)))


# -- programs -------------------------------------------------------------------------------------------------------------


def test_there_are_programs_enough() -> None:
    assert len(PROGRAMS) >= 60


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=NAMES)
def test_first_order(f: Callable[..., Any], args: Any) -> None:
    """Both modes agree with differences and with each other; values are those of the program, to the bit."""
    expected = f(*copy.deepcopy(args))
    before = copy.deepcopy(args)
    out, pullback = ad.vjp(f, *args)
    cts = drawn(expected)
    pulled = pullback(filled(expected, iter(cts), None))
    gradient = list(numbers(pulled))
    assert all(same_kind(*pair) for pair in zip(gradient, numbers(args), strict=True))
    for along in directions(args):
        value, tangent = ad.jvp(f, args, filled(args, iter(along), None))
        for one in (out, value):
            pairs = zip(numbers(one), numbers(expected), strict=True)
            assert all(np.array_equal(a, b) and same_kind(a, b) for a, b in pairs)
        slopes = differences(f, args, along)
        found = list(numbers(tangent))
        assert all(same_kind(*pair) for pair in zip(found, numbers(expected), strict=True))
        close(found, slopes)
        assert paired(gradient, along) == pytest.approx(paired(cts, found), rel=1e-9, abs=1e-9)
    assert all(np.array_equal(a, b) for a, b in zip(numbers(args), numbers(before), strict=True))


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=NAMES)
@pytest.mark.parametrize("order", ORDERS)
def test_second_order(f: Callable[..., Any], args: Any, order: Any) -> None:
    """The product with the Hessian is the change of the gradient."""
    if not is_flat(f(*copy.deepcopy(args))):
        pytest.skip("the results are in a structure")
    phi = weighted(f, args)
    places = tuple(n for n, arg in enumerate(args) if next(numbers(arg), None) is not None)
    of = [args[n] for n in places]
    vector = drawn(args, 3)
    v = filled(of, iter(vector), None)
    gradient = ad.grad(phi, places)
    expected = differences(gradient, args, vector)
    found = list(numbers(ad.hvp(phi, places, mode=order)(*args, tuple(v))))
    assert all(same_kind(*pair) for pair in zip(found, numbers(of), strict=True))
    close(found, expected, 1e-6)

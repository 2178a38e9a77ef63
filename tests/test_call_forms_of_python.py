"""How functions of Python are called: by position, by keyword, with options at their defaults, and in calls that do not fit."""

from __future__ import annotations

import copy
import functools
import itertools
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from tests.oracle import central_jacobian

X = np.array([1.5, -0.5, 2.0])
NAMES = ["aa", "b", "cc"]
TABLE = {"bb": 1, "aa": 2, "c": 3}


class Weights:
    """A class with an array of its own, which its instances share."""

    values = np.array([1.0, 2.0, 3.0])
    nothing = np.zeros(0)

    @property
    def shared(self):
        return self.values


WEIGHTS = Weights()

RIGHT: list[Callable[..., Any]] = [
    # Equal items keep their order, backwards as well.
    lambda x: x[NAMES.index(sorted(NAMES, key=len, reverse=True)[0])],
    lambda x: x[sorted([1, -1, 0], key=abs, reverse=True)[0]],
    lambda x: x[0] * (sorted([1, True, 1.0], reverse=True)[0] is True),
    lambda x: x[TABLE[sorted(TABLE, key=len, reverse=True)[0]]],
    lambda x: x[sorted([(0, 1), (0, 2), (1, 0)], key=lambda pair: pair[0], reverse=True)[1][1]],
    lambda x: sum(k * v for k, v in enumerate(sorted([x[0], x[1], x[2]], key=lambda v: 0.0, reverse=True))),
    # An option at its default.
    lambda x: x[sorted([2, 1, 0], key=None)[0]],
    lambda x: max(x, key=None) * 2.0,
    lambda x: min(x[0], x[1], key=None) * 2.0,
    lambda x: sum([x[0], x[1]], start=0),
    lambda x: round(2.0, None) * x[0],
    lambda x: functools.reduce(lambda a, b: a * b, [x[0], x[1]]),
    # By keyword.
    lambda x: sum(p[0] * p[1] for p in itertools.combinations([x[0], x[1], x[2]], r=2)),
    lambda x: sum(p[0] * p[1] ** 2 for p in itertools.permutations([x[0], x[1], x[2]], r=2)),
    lambda x: sum(p[0] * p[1] for p in itertools.combinations_with_replacement([x[0], x[1]], r=2)),
    lambda x: x[0] * len(list(itertools.permutations([1, 2, 3], r=2))),
    lambda x: x[0] * len(list(itertools.permutations([1, 2, 3], None))),
    lambda x: x[0] * len(list(itertools.combinations(iterable=range(4), r=2))),
    lambda x: sum(k * v for k, v in enumerate(iterable=[x[0], x[1]], start=2)),
    lambda x: sum(itertools.accumulate(iterable=[x[0], x[1], x[2]])),
    lambda x: sum(itertools.accumulate([x[0], x[1], x[2]], func=lambda a, b: a * b, initial=2.0)),
    lambda x: copy.copy(x=[x[0], 2.0])[0] * copy.deepcopy(x=[x[1]])[0],
    lambda x: x[0] * len(list(zip([1, 2], [3, 4], strict=True))),
    # The base of a text of which nothing is known.
    lambda x: x[0] * int(json.loads('"11"'), 2),
    lambda x: x[0] * int(json.loads('"ff"'), base=16),
    lambda x: x[int(f"{len(x):03b}"[::-1], 2) % 3],
    lambda x: x[0] * int("11", 2) * int("0x1f", 0),
    # An array of the class, read through an object.
    lambda x: WEIGHTS.values @ x,
    lambda x: WEIGHTS.shared @ x + np.sum(WEIGHTS.nothing),
]


@pytest.mark.parametrize("case", range(len(RIGHT)))
def test_a_call_means_what_it_does_in_python(case: int) -> None:
    f = RIGHT[case]
    value, gradient = adxform.value_and_grad(f)(X)
    assert value == f(X)
    expected = central_jacobian(lambda x: np.array([f(x)]), X)[0][0]
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(adxform.jvp(f, (X,), (np.ones(3),))[1], np.sum(expected), rtol=1e-6, atol=1e-8)


def test_digits_in_a_base_of_numbers_that_only_a_run_can_tell() -> None:
    def f(x, n):
        total = 0.0
        for i in range(n):
            total += x[0] * int(bin(i)[2:], 2)
        return total

    np.testing.assert_array_equal(adxform.grad(f)(X, 5), [10.0, 0.0, 0.0])


@pytest.mark.parametrize("form", [list, np.array], ids=["list", "array"])
def test_of_equal_numbers_the_first_comes_first_backwards_too(form: Callable[..., Any]) -> None:
    def f(v):
        s = sorted(v, reverse=True)
        return s[0] * 2.0 + s[1] * 3.0

    np.testing.assert_array_equal(np.asarray(adxform.grad(f)(form([1.0, 1.0]))), [2.0, 3.0])
    numbers = form([1.0, 0.0, -0.0])
    assert adxform.value_and_grad(lambda v: v[0] * math.copysign(1.0, sorted(v[1:], reverse=True)[0]))(numbers)[0] == 1.0


FAILING: list[Callable[..., Any]] = [
    lambda x: x[0] * len(list([1], [2])),  # type: ignore[call-overload]
    lambda x: x[0] * len(tuple([1], [2])),  # type: ignore[call-overload]
    lambda x: x[0] * len(set([1], [2])),  # type: ignore[call-overload]
    lambda x: x[0] * any([1], [2]),  # type: ignore[call-arg]
    lambda x: x[0] * all([1], [2]),  # type: ignore[call-arg]
    lambda x: x[0] * bool(1, 2),  # type: ignore[call-arg]
    lambda x: x[sorted([1, 0], abs)[0]],  # type: ignore[call-overload]
    lambda x: x[0] * len(sorted([1, "a"])),  # type: ignore[type-var]
    lambda x: x[0] * len(sorted([(1, "a"), (1, 2)])),
    lambda x: x[0] * len(sorted([1, 2], key=lambda v: "a" if v == 1 else v)),
    lambda x: sum([x[0]], 2.0, 3.0),  # type: ignore[call-overload]
    lambda x: sum(reversed([x[0]], 1)),  # type: ignore[call-overload]
    lambda x: x[0] * len(sum(["a", "b"], "")),  # type: ignore[list-item]
    lambda x: x[0] * len(sum([b"a", b"b"], start=b"")),  # type: ignore[list-item]
    lambda x: x[0] * len(list(map(abs))),  # type: ignore[call-overload]
    lambda x: x[0] * int(2, 2),  # type: ignore[call-overload]
    lambda x: sum(itertools.islice(x, -1)),
    lambda x: sum(itertools.islice(x, 0, 6, -1)),
    lambda x: sum(itertools.islice(x, int(-x[0]))),
    lambda x: functools.reduce(lambda a, b: a * b, []) * x[0],
    lambda x: functools.reduce(lambda a, b: a * b, x[:0]) * x[0],
    lambda x: functools.reduce(lambda a, b: a * b, range(int(x[0]) - 1)) * x[0],
]


@pytest.mark.parametrize("case", range(len(FAILING)))
def test_a_call_that_fails_fails_as_it_does_in_python(case: int) -> None:
    f = FAILING[case]
    try:
        f(X)
    except (TypeError, ValueError) as error:
        kind = type(error)
    with pytest.raises(kind) as found:
        adxform.grad(f)(X)
    assert type(found.value) is kind


def test_whole_numbers_to_a_power_that_may_be_below_zero() -> None:
    """Where the power is below zero they are floats: `int` of one is another number, and so is what is made of it."""

    def scaled(x: float, k: int) -> float:
        return x * int(2 ** (k - 3)) + x * 2 ** (k - 3)

    assert adxform.value_and_grad(scaled)(1.5, 5) == (12.0, 8.0)
    with pytest.raises(
        adxform.errors.UnsupportedOperationError, match="a whole number to a power below zero is a float"
    ) as caught:
        adxform.grad(scaled)(1.5, 2)
    assert caught.value.span.line == scaled.__code__.co_firstlineno + 1

"""A name that a path has not defined: what Python raises, the derivative raises, on either engine and in every mode."""

# ruff: noqa: F821, F841, SIM102 -- it is names without a value that are read here

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import adxform
from adxform import runtime
from tests.test_engine import agree, compiled, derived, results

X = np.arange(1.0, 4.0)


def local(x, i):  # type: ignore[no-untyped-def]
    if i == 0:
        y = x * 2.0
    return np.sum(y) * x[0]


def of_the_call_before(x, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(n):
        total += local(x, i)
    return total


def of_another_call(x, n):  # type: ignore[no-untyped-def]
    return local(x, 0) + local(x, n - 1)


def deleted(x, n):  # type: ignore[no-untyped-def]
    y = x * 2.0
    total = np.sum(y * y)
    if n > 1:
        del y
    return total + np.sum(y * y)


def deleted_number(x, n):  # type: ignore[no-untyped-def]
    y = x[0] * 2.0
    total = y * y
    if n > 1:
        del y
    return total + y * y + x[1]


def summed(x, n):  # type: ignore[no-untyped-def]
    total = np.sum(x * x)
    for i in range(3):
        if i >= 3 - n:
            total = total + np.sum(y) * total
        z = x[i] * x
        if i > 0:
            y = z * x
    return total


def stored(x, n):  # type: ignore[no-untyped-def]
    out = np.zeros(5)
    for i in range(3):
        if i >= 3 - n:
            out[i] = y
        if i > 0:
            y = x[i] * x[0]
        out[i] = out[i] * out[i] + x[i]
    return np.sum(out)


def chosen(x, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(3):
        if i >= 3 - n:
            total = total + np.sum(np.where(x > 0, y, x) ** 2)
        if i == 1:
            y = x * x[i]
    return total


def joined(x, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(3):
        if i >= 3 - n:
            total = total + np.sum(np.concatenate([y, x]) ** 2)
        if i == 1:
            y = x * x[2]
    return total


def asked(x, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(3):
        if i >= 3 - n:
            if y:
                total = total + x[i] ** 2
        if i == 1:
            y = x[i] > 1.0
    return total + np.sum(x)


def compared(x, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(3):
        if i >= 3 - n:
            if y == 1:
                total = total + np.sum(x[1:]) * x[0]
        if i == 1:
            y = i
    return total + np.sum(x)


PROGRAMS = (of_the_call_before, of_another_call, deleted, deleted_number, summed, stored, chosen, joined, asked, compared)
MODES: dict[str, Callable[..., Any]] = {
    "reverse": lambda f, n, engine: adxform.value_and_grad(f, engine=engine)(X, n),
    "forward": lambda f, n, engine: adxform.jvp(partial(f, n=n), (X,), (X,), engine=engine),
    "second": lambda f, n, engine: adxform.hvp(f, mode="reverse-over-reverse", engine=engine)(X, n, X),
}


UNREAD = (of_the_call_before, of_another_call, deleted_number)
"""Whose second derivatives have no use for what is not defined."""


@pytest.mark.parametrize("engine", ["python", "numba"])
@pytest.mark.parametrize(("f", "mode"), [(f, mode) for f in PROGRAMS for mode in MODES if mode != "second" or f not in UNREAD])
def test_a_name_that_is_not_defined_is_an_error(f: Callable[..., Any], mode: str, engine: str) -> None:
    with pytest.raises(UnboundLocalError):
        f(X, 3)
    with pytest.raises(UnboundLocalError):
        MODES[mode](f, 3, engine)


@pytest.mark.parametrize("engine", ["python", "numba"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_a_name_that_is_defined_is_none(f: Callable[..., Any], engine: str) -> None:
    value, gradient = adxform.value_and_grad(f, engine=engine)(X, 1)
    np.testing.assert_allclose(value, f(X, 1))
    step = 1e-6 * np.eye(3)
    expected = [(f(X + e, 1) - f(X - e, 1)) / 2e-6 for e in step]
    np.testing.assert_allclose(gradient, expected, rtol=1e-6)
    np.testing.assert_allclose(MODES["forward"](f, 1, engine)[1], np.dot(expected, X), rtol=1e-6)


def squared_while(x, n):  # type: ignore[no-untyped-def]
    i, total = 0, 0.0
    while i < 3:
        if i >= n:
            y = x[i] * x[0]
        if i >= 1:
            total += y * y * x[i]
        i += 1
    return total


def place_of_the_pass_before(x, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(3):
        if i >= 3 - n:
            total = total + x[k] ** 2 * x[i]
        k = i
        if n > 1:
            del k
    return total


def asked_in_nested_loops(x, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(2):
        for i in range(3):
            if i >= 3 - n:
                if y > 1.0:
                    total = total + x[i] ** 3 * x[k]
            if i >= 1:
                y = x[i] * 1.5
    return total


def asked_after_passes_of_another_loop(x, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(3):
        for j in range(i):
            if j >= n:
                y = x[j] * x[i]
        if i > 1:
            total += y * y
    return total


def masked(x, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(3):
        if i >= 3 - n:
            total = total + np.sum(np.where(mask, x * x, x))
        if i >= 1:
            mask = x > 1.5
    return total


def counted(x, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(3):
        if i >= 3 - n:
            for k in range(last):
                total = total + x[k] ** 3
        if i >= 1:
            last = i
    return total


TAPED = (
    asked,
    compared,
    squared_while,
    place_of_the_pass_before,
    asked_in_nested_loops,
    asked_after_passes_of_another_loop,
    masked,
    counted,
)
"""Whose second derivatives read from a tape alone what is not defined."""


@pytest.mark.parametrize("engine", ["python", "numba"])
@pytest.mark.parametrize("mode", ["forward-over-reverse", "reverse-over-reverse", "reverse-over-forward"])
@pytest.mark.parametrize("f", TAPED)
def test_what_is_not_defined_is_an_error_where_a_tape_alone_is_read(f: Callable[..., Any], mode: str, engine: str) -> None:
    with pytest.raises(UnboundLocalError):
        f(X, 3)
    with pytest.raises(UnboundLocalError):
        adxform.hvp(f, mode=mode, engine=engine)(X, 3, X)  # type: ignore[arg-type]


@pytest.mark.parametrize("f", TAPED)
def test_what_is_defined_is_read_from_a_tape_by_a_kernel(f: Callable[..., Any]) -> None:
    call, rule = derived(f, (X, 1), "hvp", (0,))
    run = compiled(rule)
    assert run is not None
    agree(results(rule, run.compiled, call), results(rule, rule.run, derived(f, (X, 1), "hvp", (0,))[0]))
    found = adxform.hvp(f, engine="numba")(X, 1, X)
    gradient = adxform.grad(f, engine="python")
    np.testing.assert_allclose(found, (gradient(X * 1.0001, 1) - gradient(X * 0.9999, 1)) / 2e-4, rtol=1e-5, atol=1e-6)


def deleted_in_a_pass(x, n):  # type: ignore[no-untyped-def]
    y = x * x
    total = 0.0
    for i in range(3):
        if i == n:
            del y
        if i < 2:
            total = total + np.sum(y * y * x[i])
    return total


def deleted_between_passes(x, n):  # type: ignore[no-untyped-def]
    y = x * x
    total = np.sum(x**3)
    for i in range(n):
        if i == 1:
            del y
        if i == 2:
            y = x**3 * x[0]
        if i != 1:
            total = total + np.sum(y * y * x[i % 3])
    return total


def deleted_while(x, n):  # type: ignore[no-untyped-def]
    y = x * x
    i, total = 0, np.sum(x**3)
    while i < n:
        if i == 1:
            del y
        if i == 2:
            y = x**3 * x[0]
        if i != 1:
            total = total + np.sum(y * y * x[i % 3])
        i += 1
    return total


@pytest.mark.parametrize("engine", ["python", "numba"])
@pytest.mark.parametrize("mode", ["forward-over-reverse", "reverse-over-reverse", "reverse-over-forward"])
@pytest.mark.parametrize("f", [deleted_in_a_pass, deleted_between_passes, deleted_while])
def test_arrays_that_a_pass_deletes_have_second_derivatives(f: Callable[..., Any], mode: str, engine: str) -> None:
    """Reverse over reverse took the number zero, the cotangent of what is not there, for an array."""
    product = adxform.hvp(f, mode=mode, engine=engine)  # type: ignore[arg-type]
    gradient = adxform.grad(f, engine="python")
    for n in (-1, 2, 4) if f is deleted_in_a_pass else (0, 1, 3, 5):
        expected = (gradient(X * 1.0001, n) - gradient(X * 0.9999, n)) / 2e-4
        np.testing.assert_allclose(product(X, n, X), expected, rtol=1e-6)


undefined = runtime.undefined


def unpacked() -> None:
    _a, _b = undefined


def stored_in(x: Any, index: Any, value: Any) -> None:
    x[index] = value


USES: tuple[Callable[[], Any], ...] = (
    lambda: X + undefined,
    lambda: 2.0 * undefined,
    lambda: np.float64(2.0) < undefined,
    lambda: -undefined,
    lambda: undefined == X,
    lambda: np.equal(X, undefined),
    lambda: not undefined,
    lambda: X[undefined],
    lambda: X[:undefined],
    lambda: X[0, undefined],
    lambda: undefined[0],
    lambda: undefined.shape,
    lambda: undefined.copy(),
    lambda: stored_in(np.ones(2), 0, undefined),
    lambda: stored_in(np.ones(2), slice(None), undefined),
    lambda: stored_in(np.ones(2), undefined, 1.0),
    lambda: np.sum(undefined),
    lambda: np.exp(undefined),
    lambda: np.array([undefined, 1.0]),
    lambda: np.asarray(undefined),
    lambda: np.where(undefined, X, X),
    lambda: np.concatenate([X, undefined]),
    lambda: np.zeros((2, undefined)),
    lambda: X @ undefined,
    lambda: X.reshape(undefined),
    lambda: np.linalg.norm(undefined),
    lambda: math.sin(undefined),
    lambda: max(1.0, undefined),
    lambda: float(undefined),
    lambda: range(undefined),
    lambda: len(undefined),
    lambda: undefined in (1.0,),
    lambda: f"{undefined}",
    unpacked,
)


@pytest.mark.parametrize("place", range(len(USES)))
def test_every_use_of_what_is_undefined_raises(place: int) -> None:
    with pytest.raises(UnboundLocalError):
        USES[place]()

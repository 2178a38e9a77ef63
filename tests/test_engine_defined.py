"""What a path does not define, in kernels: errors are those of Python, and arrays that are not there are handed on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.backends.numba.definedness_checks import check_definitions
from adxform.ir.parse import read
from tests.corpus.case import Program
from tests.corpus.catalogue import CORPUS
from tests.derived import once
from tests.test_engine import agree, compiled, derived, results

X = np.linspace(0.5, 1.5, 4)


def last_of_a_loop(x, n):  # type: ignore[no-untyped-def]
    for i in range(n):
        t = x[i] * 2.0
    total = 0.0
    for i in range(len(x)):
        total += t * x[i]
    return total


def given_by_a_branch(x, n):  # type: ignore[no-untyped-def]
    if n > 0:
        t = x[0] * 2.0
    total = 0.0
    for i in range(len(x)):
        total += t * x[i]
    return total


def given_by_the_other_branch(x, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(x)):
        if n == 0:
            total -= x[i]
        else:
            t = x[i] * x[0]
        if n != 0:
            total += t * t
        if i == 3 and n < 0:
            total += t
    return total


def given_while(x, n):  # type: ignore[no-untyped-def]
    i = 0
    while i < n:
        t = x[i] * 2.0
        i += 1
    total = 0.0
    for i in range(len(x)):
        total += t * x[i]
    return total


def given_in_some_pass(x, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(x)):
        if i >= n:
            t = x[i]
        total += t * x[i]
    return total


def array_of_a_loop(x, n):  # type: ignore[no-untyped-def]
    for i in range(n):
        w = x * x[i]
    total = 0.0
    for i in range(len(x)):
        total += w[i] * x[i]
    return total


def array_in_some_pass(x, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(x)):
        if i >= n:
            w = x * x[i]
        if i > 1:
            total += w[i] + w[0] * w[0]
    return total


def read_between_kernels(x, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(x)):
        if i >= n:
            w = np.empty(len(x))
            for k in range(len(x)):
                w[k] = x[k] * x[i]
            last = w[0]
        if i > 1:
            total += np.linalg.norm(w) * last
    return total


def stored_in_what_is_called_a_tape(x, n):  # type: ignore[no-untyped-def]
    my_tape = np.zeros(4)
    for i in range(n):
        t = x[i] * 2.0
    my_tape[0] = t
    my_tape[1] = x[1] ** 2
    return np.sum(my_tape)


UNSURE = (
    last_of_a_loop,
    given_by_a_branch,
    given_by_the_other_branch,
    given_while,
    given_in_some_pass,
    array_of_a_loop,
    array_in_some_pass,
    read_between_kernels,
    stored_in_what_is_called_a_tape,
)


@pytest.mark.parametrize("n", [-1, 0, 1, 3, 4])
@pytest.mark.parametrize("f", UNSURE)
def test_what_is_not_defined_is_an_error_on_both_engines(f: Callable[..., Any], n: int) -> None:
    """An undefined number is zero in machine code."""
    try:
        f(X, n)
    except UnboundLocalError:
        for engine in ("python", "numba"):
            with pytest.raises(UnboundLocalError):
                adxform.value_and_grad(f, engine=engine)(X, n)
        return
    value, gradient = adxform.value_and_grad(f, engine="numba")(X, n)
    np.testing.assert_allclose(value, f(X, n))
    step = 1e-6 * np.eye(4)
    np.testing.assert_allclose(gradient, [(f(X + e, n) - f(X - e, n)) / 2e-6 for e in step], rtol=1e-6, atol=1e-8)


HANDED_ON = (
    *(("control_flow.written_array_defined_in_some_passes", mode) for mode in ("reverse", "hvp")),
    *(("control_flow.arrays_defined_in_other_branches", mode) for mode in ("reverse", "hvp")),
    *(("views.column_views_in_loop", mode) for mode in ("reverse", "hvp")),
    *(("writes.matrix_columns", mode) for mode in ("reverse", "hvp")),
    ("optional.best_row_changed", "hvp"),
)


@pytest.mark.parametrize(("name", "mode"), HANDED_ON)
def test_kernels_are_given_arrays_that_are_not_there(name: str, mode: str) -> None:
    program: Program = next(program for program in CORPUS if program.name == name)
    kernels = once(compiled)
    for point in program.points:
        call, rule = derived(program.function, point.fresh(), mode, program.wrt)
        run = kernels(rule)
        assert run is not None
        expected = results(rule, rule.run, derived(program.function, point.fresh(), mode, program.wrt)[0])
        agree(results(rule, run.compiled, call), expected)


def test_what_follows_from_a_condition_is_not_checked() -> None:
    kernel = read("""
def f(x: float, c: bool):
    t: float = if c:
        t.1: float = math.exp(x)
        yield t.1
    else:
        yield <undefined>
    y: float = if c:
        z: float = operator.mul(t, x)
        yield z
    else:
        yield x
    return y""")
    assert check_definitions(kernel) is kernel

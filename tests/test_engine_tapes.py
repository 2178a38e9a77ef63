"""Stacks that become arrays, against the same function with its stacks, and those that must not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adxform.api.source import rule_of
from adxform.backends.numba.compiled_rule import Guarded, lowered
from adxform.backends.numba.kernel_extraction import outline
from adxform.backends.numba.machine import kernels
from adxform.backends.python.emit import emit
from adxform.backends.python.loading import load
from adxform.ir.ops import For, Function, While
from adxform.ir.text import read
from adxform.ir.types import Array
from adxform.ir.verify import verify
from adxform.ir.walk import TAPE, all_ops
from adxform.passes.loops.tape_arrays import tapes_as_arrays
from adxform.runtime.dispatch.split import as_tuple
from tests.test_engine import NUMBA, agree, compiled, results


def decayed(x: Any, n: int) -> Any:
    """A state that is made anew in each pass: it is taped."""
    for i in range(n):
        x = x * np.exp(-x) + 0.1 * i
    return np.sum(x**3)


def nested(x: Any, n: int) -> Any:
    """Two loops, neither from zero, one downwards; the inner one asks for its length inside the outer one."""
    total = 0.0
    for i in range(1, n):
        y = np.sin(x * i)
        for j in range(len(x), 0, -1):
            y = y * np.cos(y) + j
            total += np.sum(y * x)
    return total


def stepped(x: Any, n: int) -> Any:
    """Loops in steps of two, and backwards."""
    for i in range(0, n, 2):
        x = np.sin(x) * (1 + i)
    for i in range(n, 0, -1):
        x = np.tanh(x) * i
    return np.sum(x)


def triangular(x: Any, n: int) -> Any:
    """The inner loop makes more passes each time."""
    total = 0.0
    for i in range(n):
        y = x
        for j in range(i):
            y = np.sin(y) * (1 + j)
        total += np.sum(y * y)
    return total


def slanted(x: Any, n: int) -> Any:
    """Inner loops that start, or end, where the outer one is; upwards and downwards."""
    total = 0.0
    for i in range(n, 0, -1):
        y = x
        for j in range(2 - i, n - i):
            y = np.sin(y) * (2 + j)
            for k in range(i, j - n, -1):
                y = y * np.cos(y) + 0.1 * k
        total += np.sum(y * y)
    return total


def banded(x: Any, n: int) -> Any:
    """A window that moves along."""
    total = 0.0
    for i in range(n):
        y = x
        for j in range(2 * i - 1, 2 * i + 2):
            y = np.sin(y) * (2 + j)
        total += np.sum(y * y)
    return total


def branching(x: Any, n: int) -> Any:
    """Some passes tape, some do not."""
    for i in range(n):
        if x[0] > 0.2 or i == 1:
            x = np.sin(x) * np.exp(x)
    return np.sum(x)


def breaking(x: Any, n: int) -> Any:
    """Nobody knows ahead how many passes there are."""
    for _ in range(n):
        x = np.sin(x) * np.exp(x)
        if np.sum(x) > 2.0:
            break
    return np.sum(x)


def written(x: Any, n: int) -> Any:
    """What is taped is written to later."""
    total = 0.0
    for i in range(n):
        y = np.zeros(3)
        y[0] = x[0] * x[1]
        y[1:] = x[1:] * i
        y[2] *= y[0]
        total += np.sum(y @ np.outer(y, x))
    return total


def swapped(x: Any, n: int) -> Any:
    """Two buffers change places, and one is written to."""
    u, v = x.copy(), np.zeros_like(x)
    for _ in range(n):
        v[1:] = u[1:] * np.sin(u[:-1])
        v[0] = u[0]
        u, v = v, u
    return np.sum(u**2)


def counted(x: Any, n: int) -> Any:
    """Integers and truths on tapes."""
    at = 0
    total = 0.0
    for i in range(n):
        at = (at * 2 + i) % 3
        total = total * x[at] + x[at] ** 2
    return total


def returned(x: Any, n: int) -> Any:
    """All states are seen by the caller."""
    states = np.zeros((n + 1, len(x)))
    for i in range(n):
        x = np.sin(x) * (1 + i)
        states[i] = x
    return x, states


PROGRAMS = (decayed, nested, stepped, triangular, slanted, banded, branching, breaking, written, swapped, counted, returned)
WHOLE = (decayed, nested, triangular, slanted, banded, counted, returned)
POINT = np.array([0.3, -0.4, 0.5])


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave kernels to CPython."""
    for make in (kernels.kernel, kernels.kernel_from_either_end):
        monkeypatch.setattr(make, "__code__", (lambda fn: fn).__code__)


@pytest.mark.parametrize("passes", [0, 1, 4])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_arrays_say_what_stacks_said(function: Callable[..., Any], passes: int) -> None:
    for mode in ("reverse", "hvp") if function is not returned else ("reverse",):
        call, rule = rule_of(function, (POINT, passes), mode, (0,))
        taped, made = tapes_as_arrays(rule.optimised)
        verify(taped)
        assert len(made) == len(set(made.values()))
        agree(results(rule, load(emit(taped)), call), results(rule, rule.run, rule_of(function, (POINT, passes), mode, (0,))[0]))
        run = compiled(rule)
        if isinstance(run, Guarded):
            agree(results(rule, run.compiled, call), results(rule, rule.run, call))


@pytest.mark.parametrize("function", WHOLE, ids=lambda function: function.__name__)
def test_loops_with_tapes_of_arrays_are_compiled_whole(function: Callable[..., Any]) -> None:
    _, rule = rule_of(function, (POINT, 4), "reverse", (0,))
    found = outline(lowered(rule.optimised, NUMBA)).function
    assert not any(isinstance(op, For | While) for op in all_ops(found.body))


def test_windows_have_room_for_their_passes_alone() -> None:
    _, rule = rule_of(banded, (POINT, 4), "reverse", (0,))
    fn = lowered(rule.optimised, NUMBA)
    assert all(out.type.shape[1] == 3 for out in taped(fn) if len(out.type.shape) == 3)
    assert any(len(out.type.shape) == 3 for out in taped(fn))


def test_loops_that_stay_in_python_keep_their_stacks() -> None:
    def solved(x: Any, n: int) -> Any:
        for _ in range(n):
            x = np.linalg.inv(np.eye(3)[None] * np.cosh(x))[0] @ np.sin(x) * np.exp(x)
        return np.sum(x)

    _, rule = rule_of(solved, (POINT, 4), "reverse", (0,))
    assert tapes_as_arrays(rule.optimised)[1]
    before, after = (
        sum(isinstance(var.type, Array) for var in taped(fn)) for fn in (rule.optimised, lowered(rule.optimised, NUMBA))
    )
    assert before == after == 0


def taped(fn: Function) -> list[Any]:
    """What is called a tape in `fn`."""
    return [out for op in all_ops(fn.body) for out in getattr(op, "outs", ()) if out.base.endswith(TAPE)]


TWO_LOOPS = """
def f(x: f64[x.0], n: int, m: int):
    tape: stack = intrinsics.new_stack()
    for i: int in range(0, n, 1):
        y: f64[x.0] = {made}
        {between}
        intrinsics.push(tape, y)
    last: int = operator.sub({passes}, 1)
    s: f64[x.0] = for j: int in range(last, {end}, -1) with t: f64[x.0] = x:
        z: f64[x.0] = intrinsics.pop(tape)
        {after}
        t.1: f64[x.0] = operator.add(t, z)
        yield t.1
    return s
"""


def two_loops(
    passes: str = "n",
    end: str = "-1",
    made: str = "operator.mul(x, i)",
    between: str = "x_0: f64 = operator.getitem(x, 0)",
    after: str = "",
) -> Function:
    """One loop that pushes and one that pops."""
    after = after or between.replace("x_0", "x_1")
    return read(TWO_LOOPS.format(passes=passes, end=end, made=made, between=between, after=after))


STORE = "operator.setitem(z, 0, 1.0)"


@pytest.mark.parametrize("after", ["", STORE])
@pytest.mark.parametrize("between", ["x_0: f64 = operator.getitem(x, 0)", "operator.setitem(y, 0, 1.0)"])
@pytest.mark.parametrize("made", ["operator.mul(x, i)", "np.zeros_like(x)", "np.full_like(x, 2.0)"])
def test_what_is_written_is_made_on_the_tape(made: str, between: str, after: str) -> None:
    fn = two_loops(made=made, between=between, after=after or "x_2: f64 = operator.getitem(x, 0)")
    arrays, found = tapes_as_arrays(fn)
    verify(arrays)
    assert len(found) == 1
    for passes in (0, 3):
        assert np.array_equal(*(as_tuple(load(emit(one))(POINT.copy(), passes, 5), 1)[0] for one in (fn, arrays)))


def test_only_loops_that_mirror_each_other_have_arrays() -> None:
    for fn in (
        two_loops(passes="m"),
        two_loops(end="0"),
        two_loops(made="np.transpose(x)", after=STORE),
        two_loops(made="np.transpose(x)", between="operator.setitem(y, 0, 1.0)", after=STORE),
        two_loops(after="again: f64[x.0] = intrinsics.pop(tape)"),
        two_loops(between="intrinsics.push(tape, x)", after=STORE),
    ):
        assert not tapes_as_arrays(fn)[1]

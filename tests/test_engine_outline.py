"""What becomes a kernel and what stays around it: stacks that cross, reductions of nothing, integers that are counted up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adxform.backends.numba.compiled_rule import Guarded, lowered
from adxform.backends.numba.kernel_extraction import Outlined, outline
from adxform.backends.numba.machine import kernels
from adxform.frontend.derivative_operators import Engine
from adxform.ir.ops import Call, For, Function, Invoke
from adxform.ir.walk import all_ops
from adxform.runtime.dispatch.derivation import DerivedRule
from tests.test_engine import agree, compiled, derived, results


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave kernels to CPython."""
    for make in (kernels.kernel, kernels.kernel_from_either_end):
        monkeypatch.setattr(make, "__code__", (lambda fn: fn).__code__)


def outlined(rule: DerivedRule) -> Outlined:
    """The optimised rule with its kernels."""
    return outline(lowered(rule.optimised, Engine("numba")))


def loops(fn: Function) -> int:
    """How many loops `fn` has outside of its kernels."""
    return sum(isinstance(op, For) for op in all_ops(fn.body))


def same(function: Callable[..., Any], *args: Any, mode: str = "reverse") -> DerivedRule:
    """The rule of `function`, which gives the same whether its kernels, run by Python, do or not."""
    call, rule = derived(function, args, mode, (0,))
    run = compiled(rule)
    assert isinstance(run, Guarded)
    agree(results(rule, run.compiled, call), results(rule, rule.run, derived(function, args, mode, (0,))[0]))
    return rule


def solved_between(x: Any, n: int) -> Any:
    """An inverse of several matrices between the loop that counts and what goes back through it: its stacks cross."""
    at = 0
    total = 0.0
    for i in range(n):
        for j in range(i):
            if x[j] > 0.1:
                total += x[at % 3] * x[j]
                at += 1
    return np.sum(np.linalg.inv(np.eye(3)[None] * (2.0 + total))[0] @ x) + np.sum(np.sin(x.copy()) * x)


def packed_triangle(x: Any, n: int) -> Any:
    """An index that is counted up through three loops."""
    total = 0.0
    at = 0
    for i in range(n):
        for j in range(i):
            for k in range(j):
                total += x[at] ** 2 * x[k]
                at += 1
    return total


def maximum(x: Any, n: int) -> Any:
    """A maximum, and a loop."""
    total = np.max(x)
    for _ in range(n):
        total = total * np.sum(np.sin(x))
    return total


def test_stacks_that_cross_cut_kernels_and_leave_the_rest() -> None:
    rule = same(solved_between, np.array([0.3, -0.4, 0.5]), 4)
    found = outlined(rule)
    assert found.kernels
    invoked = [op for op in found.function.body.ops if isinstance(op, Invoke)]
    assert invoked, "what does not touch the stack is a kernel of the function, not of its loops"


def test_indices_that_are_counted_through_loops_are_compiled() -> None:
    rule = same(packed_triangle, np.linspace(0.1, 0.9, 11), 5)
    found = outlined(rule)
    assert loops(found.function) == 0
    assert len(found.kernels) == 1


def test_a_reduction_of_nothing_is_checked_in_the_kernel() -> None:
    rule = same(maximum, np.array([0.3, -0.4, 0.5]), 3)
    found = outlined(rule)
    assert loops(found.function) == 0
    assert len(found.kernels) == 1
    call, rule = derived(maximum, (np.zeros(0), 3), "reverse", (0,))
    run = compiled(rule)
    assert isinstance(run, Guarded)
    for fails in (run.compiled, run):
        with pytest.raises(ValueError, match="zero-size"):
            results(rule, fails, call)


def test_integers_that_outgrow_a_kernel_stay_in_python() -> None:
    def doubled(x: Any, n: int) -> Any:
        at = 1
        total = 0.0
        for _ in range(n):
            for _ in range(n):
                at += at
            total += x[at % 3]
        return total

    _, rule = derived(doubled, (np.array([0.3, -0.4, 0.5]), 9), "reverse", (0,))
    assert not any(isinstance(op, Call) and op.outs and op.outs[0].base == "at" for op in kernel_ops(outlined(rule)))


def kernel_ops(found: Outlined) -> list[Any]:
    """The ops of all kernels."""
    return [op for part in found.function.helpers if part.name in found.kernels for op in all_ops(part.body)]

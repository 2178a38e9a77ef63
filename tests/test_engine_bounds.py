"""Checks of indices in kernels: none where loops and lengths tell, else as far outside as may be, in branches in place."""

from __future__ import annotations

import numpy as np
import pytest

from adxform.analysis.stepping import interpret
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, If, While
from adxform.ir.text import read
from adxform.ir.verify import verify
from adxform.ir.walk import all_ops, blocks
from adxform.passes.loops.bounds import check_bounds
from adxform.runtime import kernel_scalars

BRANCH = """
def f(x: f64[x.0], n: int, c: bool):
    m: int = intrinsics.dim(x, 0)
    k: int = operator.sub(m, 1)
    for i: int in range({source}):
        if c:
            j: int = operator.sub(i, 1)
            v: f64 = operator.getitem(x, j)
            l: int = operator.add(i, 1)
            operator.setitem(x, l, v)
    return x"""


def checks(block: Block) -> int:
    """How many checks there are, each with those inside of branches and loops without a known end."""
    return sum(callee(op) in kernel_scalars.CHECKS for op in all_ops(block))


@pytest.mark.parametrize(
    ("source", "count", "sizes"),
    [
        ("1, k, 1", 0, (0, 1, 2, 5)),
        ("0, k, 1", 1, ()),
        ("1, m, 1", 1, (0, 1)),
        ("1, n, 1", 2, (5,)),
    ],
)
def test_loops_tell_where_indices_in_a_branch_are(source: str, count: int, sizes: tuple[int, ...]) -> None:
    fn = read(BRANCH.format(source=source))
    checked, from_the_front = check_bounds(fn)
    verify(checked)
    assert from_the_front
    assert checks(checked.body) == count
    inside = [inner for op in all_ops(checked.body) if isinstance(op, If | While) for inner in blocks(op)]
    assert sum(map(checks, inside)) == count
    for size in sizes:
        x = np.arange(float(size))
        np.testing.assert_array_equal(interpret(checked, x.copy(), 3, True), interpret(fn, x.copy(), 3, True))


def test_a_place_outside_is_found_where_a_branch_is_taken() -> None:
    checked, _ = check_bounds(read(BRANCH.format(source="1, n, 1")))
    x = np.arange(4.0)
    np.testing.assert_array_equal(interpret(checked, x.copy(), 9, False), x)
    with pytest.raises(IndexError):
        interpret(checked, x.copy(), 9, True)


@pytest.mark.parametrize(("n", "m"), [(0, 1), (2, 1), (3, 1), (3, 0), (5, 3)])
def test_the_end_of_what_a_slice_left_is_found_ahead_of_loops(n: int, m: int) -> None:
    fn = read("""
def f(x: f64[x.0], v: f64[x.0-2], m: int):
    for i: int in range(0, m, 1):
        for j: int in range(0, 3, 1):
            intrinsics.accumulate(v, -1, 1.0)
    return v""")
    checked, from_the_front = check_bounds(fn)
    verify(checked)
    assert from_the_front
    assert not any(checks(inner) for op in checked.body.ops for inner in blocks(op))
    x, v = np.arange(float(n)), np.arange(float(max(n - 2, 0)))
    if n > 2:
        np.testing.assert_array_equal(interpret(checked, x, v.copy(), m), interpret(fn, x, v.copy(), m))
    else:
        with pytest.raises(IndexError):
            interpret(checked, x, v, m)


def test_a_negated_item_counts_from_the_end() -> None:
    fn = read("""
def f(x: f64[x.0], n: int):
    for i: int in range(0, 2, 1):
        k: int = operator.neg(i)
        l: int = operator.sub(k, 1)
        intrinsics.accumulate(x, l, 1.0)
    return x""")
    checked, from_the_front = check_bounds(fn)
    verify(checked)
    assert not from_the_front
    np.testing.assert_array_equal(interpret(checked, np.arange(3.0), 0), [0.0, 2.0, 3.0])
    with pytest.raises(IndexError):
        interpret(checked, np.arange(1.0), 0)

"""Loops in the order that suits memory: the same sums for every extent, and only where the passes may change places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adxform.analysis.stepping import interpret
from adxform.api.source import rule_of
from adxform.backends.python.emit import emit
from adxform.backends.python.loading import load
from adxform.ir.operand_facts import callee
from adxform.ir.ops import For
from adxform.ir.text import read
from adxform.ir.verify import verify
from adxform.ir.walk import all_ops
from adxform.passes.loops.gather import gather_contributions
from adxform.passes.loops.interchange import interchange_loops
from adxform.runtime.dispatch.split import as_tuple
from tests.oracle import central_jacobian, flat_function
from tests.test_engine_gather import random_nest


def product(a, b):
    """a: (m, k), b: (k, n)"""
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(c * c)


def turned(a, b):
    """The columns first, downwards, through views. a: (m, k), b: (k, n)"""
    c = np.zeros((b.shape[1], a.shape[0]))
    for j in range(b.shape[1] - 1, -1, -1):
        for k in range(a.shape[1] - 1, -1, -1):
            for i in range(a.shape[0]):
                row = c[j]
                row[i] -= np.sin(a[i, k]) * b[k, j]
    return np.sum(c * c)


def triangle(a, b):
    """Only below the diagonal, the last of each row by an index from the end. a: (m, k), b: (k, n)"""
    total = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        for k in range(min(i, a.shape[1])):
            for j in range(b.shape[1]):
                total[i] += a[i, -1 - k] * b[k, j]
    return np.sum(total * total)


def onto_itself(a, b):
    """What is added to is read. a: (m, k), b: (k, n)"""
    c = a.copy()
    for k in range(1, a.shape[1]):
        for i in range(a.shape[0]):
            c[i, k] += 0.5 * c[i, k - 1]
    return np.sum(c * c) + np.sum(b)


SHAPES = [((0, 2), (2, 3)), ((2, 0), (0, 3)), ((2, 3), (3, 0)), ((1, 1), (1, 1)), ((2, 3), (3, 4)), ((5, 2), (2, 3))]


@pytest.mark.parametrize("function", [product, turned, triangle, onto_itself], ids=lambda function: function.__name__)
def test_the_same_gradient_at_every_extent(function: Callable[..., Any]) -> None:
    for shapes in SHAPES:
        chance = np.random.default_rng(1)
        args = tuple(chance.normal(size=shape) for shape in shapes)
        call, rule = rule_of(function, args, "reverse", (0, 1))
        ordered = interchange_loops(rule.optimised)
        verify(ordered)
        run = load(emit(ordered, surroundings=rule.request.surroundings))
        expected, found = (as_tuple(each(*call.inputs(), 1.0), 3) for each in (rule.run, run))
        for a, b in zip(expected, found, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-12)
        if all(arg.size for arg in args):
            flat, point = flat_function(function, args, (0, 1))
            gradient = np.concatenate([np.ravel(part) for part in found[1:]])
            np.testing.assert_allclose(gradient, np.ravel(central_jacobian(flat, point)[0]), rtol=1e-6, atol=1e-6)


def loops(text: str) -> list[str]:
    """The items of the loops of a function after the pass, outermost first."""
    ordered = interchange_loops(read(text))
    verify(ordered)
    return [op.body.params[0].name for op in all_ops(ordered.body) if isinstance(op, For)]


NEST = """
def f(a: f64[a.0, a.1], u: f64[u.0, u.1], n: int, m: int):
    for j: int in range(0, {m}, 1):
        for i: int in range(0, n, 1):
            v: f64 = operator.getitem({read}, (i, j))
            {write}
    return u"""


@pytest.mark.parametrize(
    ("read", "write", "m", "order"),
    [
        ("a", "intrinsics.accumulate(u, (i, j), v)", "m", ["i", "j"]),
        ("a", "intrinsics.accumulate(u, (0, 0), v)", "m", ["i", "j"]),
        ("u", "intrinsics.accumulate(u, (i, j), v)", "m", ["j", "i"]),
        ("a", "operator.setitem(u, (0, i), v)", "m", ["j", "i"]),
        ("a", "intrinsics.accumulate(u, (i, j), v)", "3", ["i", "j"]),
    ],
)
def test_rows_are_innermost_where_passes_may_change_places(read: str, write: str, m: str, order: list[str]) -> None:
    assert loops(NEST.format(read=read, write=write, m=m)) == order


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_random_nests_compute_the_same(start: int) -> None:
    for seed in range(start, start + 50):
        text = random_nest(seed)
        fn = read(text)
        ordered = interchange_loops(gather_contributions(fn))
        verify(ordered)
        head = text.partition("\n")[0]
        rank = head.count("n0") + head.count("n1")
        for extent in ((0, 2), (2, 3), (5, 8)):
            chance = np.random.default_rng(seed)
            arrays = [chance.normal(size=tuple(size + 3 for size in extent[:rank])) for _ in range(3)]
            expected, found = (interpret(each, *(a.copy() for a in arrays), *extent[:rank], 0.7) for each in (fn, ordered))
            for a, b in zip(expected, found, strict=True):
                np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-9, err_msg=f"{seed}\n{text}")


FILL = """
def f(x: f64[x.0], m: int):
    n: int = intrinsics.dim(x, 0)
    u: f64[x.0] = np.zeros_like(x)
    {before}
    for i: int in range({source}):
        v: f64 = operator.getitem(x, i)
        {adds}
    return u"""


@pytest.mark.parametrize(
    ("source", "adds", "before", "maker"),
    [
        ("0, n, 1", "intrinsics.accumulate(u, i, v)", "k: int = operator.add(n, 0)", np.empty_like),
        ("0, n, 1", "intrinsics.deduct(u, i, 2.0)", "", np.empty_like),
        ("1, n, 1", "intrinsics.accumulate(u, i, v)", "", np.zeros_like),
        ("0, m, 1", "intrinsics.accumulate(u, i, v)", "", np.zeros_like),
        ("0, n, 1", "intrinsics.accumulate(u, 0, v)", "", np.zeros_like),
        ("0, n, 1", "intrinsics.accumulate(u, i, v)\n        intrinsics.accumulate(u, i, v)", "", np.zeros_like),
        ("0, n, 1", "intrinsics.accumulate(u, i, v)", "operator.setitem(u, 0, 1.0)", np.zeros_like),
        ("0, n, 1", "intrinsics.accumulate(u, i, v)", "w: f64[x.0-1] = operator.getitem(u, slice(1, None, None))", np.zeros_like),
    ],
)
def test_zeros_that_are_all_added_to_once_are_left_out(source: str, adds: str, before: str, maker: object) -> None:
    fn = read(FILL.format(source=source, adds=adds, before=before).replace("    \n", ""))
    ordered = interchange_loops(fn)
    verify(ordered)
    assert [callee(op) for op in all_ops(ordered.body) if callee(op) in (np.zeros_like, np.empty_like)] == [maker]
    for n in range(1 if "(u, 0" in adds + before else 0, 5):
        x = np.random.default_rng(n).normal(size=n)
        np.testing.assert_array_equal(as_tuple(interpret(ordered, x, n), 1)[0], as_tuple(interpret(fn, x, n), 1)[0])

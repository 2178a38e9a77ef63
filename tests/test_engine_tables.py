"""Tables of costly functions ahead of the loops that evaluate them: which there are, and that nothing else changes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.analysis.stepping import interpret
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, For
from adxform.ir.text import read
from adxform.ir.verify import verify
from adxform.ir.walk import blocks
from adxform.passes.loops.loop_invariant_tables import tabulate
from adxform.passes.loops.vector_forms import has_vector_form
from tests.oracle import central_jacobian, flat_function

pytest.importorskip("numba")

CHANCE = np.random.default_rng(0)
X, Q, W = CHANCE.uniform(0.5, 1.5, 5), CHANCE.uniform(0.2, 0.9, (3, 4)), CHANCE.uniform(0.5, 1.5, (4, 3))


def shared(q, x):
    """What all points share, in two loops. q: (k, r), x: (n,)"""
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(q.shape[0]):
            for r in range(q.shape[1]):
                total += np.exp(q[k, r]) * x[i] ** 2
    return total


def of_functions(q, x):
    """A function of a function, and what lies between the two. q: (k, r), x: (n,)"""
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(q.shape[0]):
            between = 1.0 + np.exp(q[k, 1])
            total += np.log(between) * x[i] + between
    return total


def a_number(s, x):
    """The same in all passes. s: (), x: (n,)"""
    total = 0.0
    for i in range(x.shape[0]):
        total += math.exp(s) * np.sin(x[i] * s)
    return total


def rows(q, x):
    """Through a view, upwards from one; a length of the loop's own. q: (k, r), x: (n,)"""
    y = np.zeros(len(x))
    for i in range(len(x) - 1, -1, -1):
        for k in range(q.shape[0]):
            row = q[k]
            for r in range(1, len(row)):
                y[i] += np.sin(row[r]) * x[i]
    return y


def triangle(q, x):
    """For a row at a time: the passes of the loop between differ. q: (k, r), x: (n,)"""
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            for k in range(q.shape[0]):
                total += np.exp(q[k, 0] * x[i]) * x[j]
    return total


def steps(q, x):
    """What is shared by all points changes in time. q: (k, r), x: (n,)"""
    p = q.copy()
    total = 0.0
    for t in range(3):
        for i in range(x.shape[0]):
            for k in range(p.shape[0]):
                total += np.exp(p[k, t]) * x[i]
        p = p * 1.5
        p[0, 0] = total * 0.01
    return total


def sometimes(q, x):
    """In a branch. q: (k, r), x: (n,)"""
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(q.shape[0]):
            if x[i] > 1.0:
                total += np.exp(q[k, 0]) * x[i]
    return total


def until(q, x):
    """Until it is enough. q: (k, r), x: (n,)"""
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(q.shape[0]):
            total += np.exp(q[k, 0]) * x[i]
            if total > 7.0:
                break
    return total


def changing(q, x):
    """Of what the loop changes. q: (k, r), x: (n,)"""
    q = q.copy()
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(q.shape[0]):
            total += np.exp(q[k, 0]) * x[i]
        q[1, 0] = 0.5 * q[1, 0] + 0.1 * x[i]
    return total


FUNCTIONS = {
    shared: (Q, X),
    of_functions: (Q, X),
    a_number: (0.7, X),
    rows: (Q, X),
    triangle: (Q, X),
    steps: (Q, X),
    sometimes: (Q, X),
    until: (Q, X),
    changing: (Q, X),
}
TABLED = {shared, of_functions, rows, triangle, steps}


def costly(block: Block, depth: int = 0) -> list[int]:
    """How deep in loops each costly function is."""
    found = [depth] * sum(has_vector_form(callee(op)) for op in block.ops)
    return found + [one for op in block.ops for inner in blocks(op) for one in costly(inner, depth + isinstance(op, For))]


def scalar(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn` with one number for its result."""
    if fn is rows:
        return lambda q, x: np.sum(rows(q, x) ** 2)
    return fn


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_gradients_are_right(fn: Callable[..., Any]) -> None:
    args, one = FUNCTIONS[fn], scalar(fn)
    value, gradient = adxform.value_and_grad(one, argnums=(0, 1), engine="numba")(*args)
    plain = adxform.value_and_grad(one, argnums=(0, 1), engine="python")(*args)
    assert type(value) is type(plain[0])
    np.testing.assert_allclose(value, plain[0], rtol=1e-14)
    flat, start = flat_function(one, args, (0, 1))
    numerical, _ = central_jacobian(flat, start)
    np.testing.assert_allclose(np.concatenate([np.ravel(part) for part in gradient]), numerical.ravel(), rtol=1e-7, atol=1e-9)
    tables = "_table = " in adxform.source(one, *args, argnums=(0, 1), engine="numba")
    assert tables == (fn in TABLED)


@pytest.mark.parametrize("fn", [shared, of_functions, a_number], ids=lambda fn: fn.__name__)
def test_other_derivatives_are_right(fn: Callable[..., Any]) -> None:
    args = FUNCTIONS[fn]
    tangent = tuple(np.cos(np.asarray(arg)) if isinstance(arg, np.ndarray) else 0.3 for arg in args)
    for derive in (
        lambda engine: adxform.jvp(fn, args, tangent, engine=engine),
        lambda engine: (adxform.hvp(fn, engine=engine)(*args, tangent[0]),),
    ):
        numba, python = (derive(engine) for engine in ("numba", "python"))
        for a, b in zip(numba, python, strict=True):
            np.testing.assert_allclose(np.ravel(a), np.ravel(b), rtol=1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("lengths", [(0, 0), (0, 3), (3, 0), (1, 1), (3, 1)], ids=str)
def test_what_no_pass_evaluates_counts_for_nothing(lengths: tuple[int, int]) -> None:
    k, n = lengths
    q, x = np.full((k, 4), 1000.0), np.ones(n)
    found, expected = (adxform.grad(shared, argnums=(0, 1), engine=engine)(q, x) for engine in ("numba", "python"))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)
    for value in (1000.0, math.nan, -math.inf):
        found, expected = (adxform.grad(shared, engine=engine)(np.full((k, 4), value), x) for engine in ("numba", "python"))
        np.testing.assert_array_equal(found, expected)


def overlong(q, x, m):
    """q: (k,), x: (n,)"""
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(m):
            total += np.exp(q[k]) * x[i]
    return total


def test_a_length_of_the_callers_own() -> None:
    gradient = adxform.prepare_gradient(overlong, Q[0], X, 2, argnums=(0, 1), engine="numba")
    plain = adxform.grad(overlong, argnums=(0, 1), engine="python")
    for m in (-1, 0, 1, 4):
        for x in (X, X[:0], X[::-1]):
            for a, b in zip(gradient(Q[0], x, m), plain(Q[0], x, m), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-13)
    with pytest.raises(IndexError):
        gradient(Q[0], X, 5)
    np.testing.assert_array_equal(gradient(Q[0], X[:0], 5)[0], np.zeros(4))


def test_layouts_and_one_array_twice() -> None:
    gradient = adxform.grad(shared, argnums=(0, 1), engine="numba")
    for q in (np.asfortranarray(Q), Q.T, Q[::2, ::-1]):
        np.testing.assert_allclose(gradient(q, X)[0], adxform.grad(shared, engine="python")(q, X), rtol=1e-13)
    both = adxform.grad(lambda x: shared(x.reshape(-1, 1), x), engine="numba")
    np.testing.assert_allclose(both(X), adxform.grad(lambda x: shared(x.reshape(-1, 1), x), engine="python")(X), rtol=1e-13)


def written_through(q, x):
    """A view of what is written. q: (k, r), x: (n,)"""
    p = q.copy()
    row = p[0]
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(p.shape[1]):
            total += np.exp(row[k]) * x[i]
        p[0, 1] = x[i]
    return total


def test_a_view_of_what_the_loop_writes_has_no_table() -> None:
    found, expected = (adxform.grad(written_through, argnums=(0, 1), engine=engine)(Q, X) for engine in ("numba", "python"))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)
    assert "_table = " not in adxform.source(written_through, Q, X, engine="numba")


def test_sums_that_keep_their_order_have_no_table() -> None:
    assert "_table = " not in adxform.source(shared, Q, X, engine="numba", fastmath=False)
    assert "_table = " not in adxform.source(shared, Q, X, engine="python")
    strict = adxform.grad(shared, engine="numba", fastmath=False)(Q, X)
    np.testing.assert_array_equal(strict, adxform.grad(shared, engine="python")(Q, X))


def test_a_number_is_evaluated_ahead_of_the_loop() -> None:
    fn = read("""
def f(s: f64, x: f64[x.0]):
    n: int = intrinsics.dim(x, 0)
    total: f64 = for i: int in range(0, n, 1) with t: f64 = 0.0:
        e: f64 = np.exp(s)
        l: f64 = np.log(e)
        v: f64 = operator.getitem(x, i)
        p: f64 = operator.mul(v, l)
        u: f64 = operator.add(t, p)
        yield u
    return total""")
    tabled = tabulate(fn)
    verify(tabled)
    assert costly(tabled.body)[:2] == [0, 0]
    for x in (np.ones(0), np.arange(3.0)):
        assert interpret(tabled, np.float64(0.5), x) == interpret(fn, np.float64(0.5), x)


def test_a_table_is_made_as_far_outside_as_it_is_the_same() -> None:
    fn = read("""
def f(q: f64[q.0], y: f64[y.0], n: int):
    m: int = intrinsics.dim(q, 0)
    for t: int in range(0, n, 1):
        for i: int in range(0, n, 1):
            for k: int in range(0, m, 1):
                v: f64 = operator.getitem(q, k)
                e: f64 = np.exp(v)
                intrinsics.accumulate(y, i, e)
                w: f64 = operator.getitem(y, k)
                s: f64 = np.sin(w)
                operator.setitem(y, k, s)
        operator.setitem(q, 0, 1.0)
    return y""")
    tabled = tabulate(fn)
    verify(tabled)
    assert sorted(costly(tabled.body)) == [2, 3]
    for n in (0, 1, 3):
        one, other = (interpret(each, np.array([0.1, 0.2, 0.3]), np.ones(3), n) for each in (fn, tabled))
        np.testing.assert_array_equal(one, other)

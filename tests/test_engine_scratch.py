"""Memory of loops: arrays made once for all passes, and those that others tell; nothing of one pass is seen in the next."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.analysis.stepping import interpret
from adxform.ir.ops import Block, For
from adxform.ir.text import read
from adxform.ir.verify import verify
from adxform.ir.walk import all_ops, blocks
from adxform.passes.loops.array_elimination import eliminate_arrays
from adxform.passes.loops.scratch import allocates, reuse_memory

X, A = np.linspace(0.3, 1.1, 5), np.random.default_rng(2).uniform(0.2, 0.8, (3, 3))


def products(x, a):
    """Small products, one after the other. x: (n,), a: (3, 3)"""
    turned, total = np.eye(3), 0.0
    for v in x:
        turned = turned @ (a * v + np.eye(3))
        total += turned[0, 1] * turned[2, 2]
    return total + np.sum(turned)


def both(x, a):
    """The states before and after. x: (n,), a: (3, 3)"""
    state, before, total = x * 1.0, x * 0.5, 0.0
    for t in range(4):
        after = np.sin(state) * a[0, 1] + before * a[t % 3, 0]
        before = state
        state = after
        total += np.sum(before * state)
    return total


def kept(x, a):
    """What it starts from is taken again. x: (n,), a: (3, 3)"""
    start = np.cos(x)
    state = start
    for t in range(3):
        state = state * start + a[0, t]
    return np.sum(state * start)


def rows(x, a):
    """A nest, lengths of its own. x: (n,), a: (3, 3)"""
    total = 0.0
    for t in range(3):
        n = max(len(x) - t, 0)
        row = x[:n] * a[t, 0]
        for _ in range(2):
            row = np.exp(row) * a[0, t]
        total += np.sum(row * x[t:])
    return total


def returned(x, a):
    """The state itself is the result. x: (n,), a: (3, 3)"""
    state = np.zeros(len(x))
    for t in range(3):
        state = np.tanh(x * a[0, t] + state)
    return state


def gates(x, a):
    """What is a function of what is kept as well. x: (n,), a: (3, 3)"""
    state, total = np.ones(len(x)), 0.0
    for t in range(3):
        gate = 1.0 / (1.0 + np.exp(-x * a[t, 0] * state))
        state = gate * state + (1.0 - gate) * np.tanh(x)
        total += np.sum(np.cos(state) * np.sin(state))
    return total


FUNCTIONS = [products, both, kept, rows, returned, gates]


def scalar(fn: Callable[..., Any]) -> Callable[..., Any]:
    return (lambda x, a: np.sum(fn(x, a) ** 2)) if fn is returned else fn


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_derivatives_are_those_of_python(fn: Callable[..., Any]) -> None:
    pytest.importorskip("numba")
    one = scalar(fn)
    fast = adxform.prepare_gradient(one, X, A, argnums=(0, 1), engine="numba")
    slow = adxform.grad(one, argnums=(0, 1), engine="python")
    for x in (X, X[:3], X[:0], X[::-1], np.where(X > 1.0, np.nan, X)):
        if fn is rows and len(x) < 3:
            continue
        for _ in range(2):
            for found, expected in zip(fast(x, A), slow(x, A), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
    first = fast(X, A)
    copies = [part.copy() for part in first]
    fast(2.0 * X, A.T)
    for one_part, copy in zip(first, copies, strict=True):
        np.testing.assert_array_equal(one_part, copy)


@pytest.mark.parametrize("fn", [products, gates], ids=lambda fn: fn.__name__)
def test_hessian_products_are_those_of_python(fn: Callable[..., Any]) -> None:
    pytest.importorskip("numba")
    for x in (X, X[:1]):
        found, expected = (adxform.hvp(fn, engine=engine)(x, A, np.cos(x)) for engine in ("numba", "python"))
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)


def test_values_are_arrays_of_their_own() -> None:
    pytest.importorskip("numba")
    state, _ = adxform.jvp(returned, (X, A), (X, A), engine="numba")
    again, _ = adxform.jvp(returned, (X, A), (X, A), engine="numba")
    assert not np.shares_memory(state, again)
    np.testing.assert_allclose(state, returned(X, A), rtol=1e-14)


def made_in_loops(block: Block, inside: bool = False) -> int:
    """How many arrays loops make."""
    own = sum(allocates(op) for op in block.ops) if inside else 0
    return own + sum(made_in_loops(inner, inside or isinstance(op, For)) for op in block.ops for inner in blocks(op))


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("operator.setitem(d, 0, 1.0)\n        yield d", 0),
        ("v: f64 = operator.getitem(c, 0)\n        operator.setitem(d, 0, v)\n        yield d", 0),
        # what is read again: the array that the loop starts from, the one before the last
        ("v: f64 = operator.getitem(a, 0)\n        operator.setitem(d, 0, v)\n        yield d", 1),
        ("intrinsics.push(s, d)\n        yield d", 1),
        ("e: f64[x.0] = operator.getitem(d, slice(1, None, None))\n        intrinsics.push(s, e)\n        yield c", 1),
        ("operator.setitem(d, 0, 1.0)\n        e: f64[x.0] = operator.add(c, d)\n        yield e", 0),
    ],
)
def test_what_lasts_keeps_memory_of_its_own(body: str, count: int) -> None:
    fn = read(f"""
def f(x: f64[x.0], n: int):
    m: int = intrinsics.dim(x, 0)
    s: stack = intrinsics.new_stack()
    a: f64[x.0] = np.zeros(m)
    b: f64[x.0] = for i: int in range(0, n, 1) with c: f64[x.0] = a:
        d: f64[x.0] = np.empty(m)
        {body}
    return b""")
    fewer = reuse_memory(fn)
    verify(fewer)
    assert made_in_loops(fewer.body) == count


@pytest.mark.parametrize("after", ["u: f64 = operator.getitem(a, 0)", "u: f64 = operator.add(0.0, 1.0)"])
def test_what_is_read_after_the_loop_takes_no_turns(after: str) -> None:
    fn = read(f"""
def f(x: f64[x.0], n: int):
    m: int = intrinsics.dim(x, 0)
    a: f64[x.0] = np.copy(x)
    b: f64[x.0] = for i: int in range(0, n, 1) with c: f64[x.0] = a:
        d: f64[x.0] = np.empty(m)
        for k: int in range(0, m, 1):
            v: f64 = operator.getitem(c, k)
            w: f64 = operator.mul(v, 2.0)
            operator.setitem(d, k, w)
        yield d
    {after}
    t: f64 = operator.getitem(b, 0)
    return t, u""")
    fewer = reuse_memory(fn)
    verify(fewer)
    assert made_in_loops(fewer.body) == after.count("getitem")
    for n in range(4):
        assert interpret(fewer, np.ones(2), n) == interpret(fn, np.ones(2), n)


def random_tapes(seed: int) -> str:
    """A loop that stores what it computes, and one that loads it, at the same places or others, there or between the stores."""
    rng = random.Random(seed)
    lines = ["def f(x: f64[x.0], n: int):"]
    lines += [f"    t.{k}: f64[?{k}] = np.{rng.choice(['empty', 'empty', 'empty', 'zeros'])}(n)" for k in range(5)]
    lines += ["    for i: int in range(0, n, 1):", "        v.0: f64 = operator.getitem(x, i)"]
    values = ["v.0"]
    fresh = iter(range(1, 100))
    for k in range(5):
        name = f"v.{next(fresh)}"
        one, fn = rng.choice(values), rng.choice(["add", "mul", "sub", "truediv"])
        lines.append(f"        {name}: f64 = operator.{fn}({rng.choice(['2.0', one, rng.choice(values)])}, {one})")
        values.append(name)
        lines.append(f"        operator.setitem(t.{k}, i, {rng.choice(values)})")
        if rng.random() < 0.3:
            name = f"v.{next(fresh)}"
            lines.append(f"        {name}: f64 = operator.getitem(t.{rng.randrange(k + 1)}, i)")
            values.append(name)
    if rng.random() < 0.3:
        lines.append(f"        operator.setitem(t.{rng.randrange(5)}, 0, 1.0)")
    lines += ["    m: int = operator.sub(n, 1)", "    for j: int in range(m, -1, -1):"]
    for k in range(5):
        lines.append(f"        w.{k}: f64 = operator.getitem(t.{k}, j)")
        lines.append(f"        intrinsics.accumulate(x, j, w.{k})")
    return "\n".join([*lines, "    return x"])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_arrays_that_others_tell_go() -> None:
    fewer = 0
    for seed in range(200):
        fn = read(random_tapes(seed))
        thin = eliminate_arrays(fn)
        verify(thin)
        fewer += sum(map(allocates, all_ops(thin.body))) < sum(map(allocates, all_ops(fn.body)))
        for n in (1, 2, 3):
            expected, found = (interpret(each, np.linspace(0.5, 1.5, 3), n) for each in (fn, thin))
            np.testing.assert_array_equal(found, expected)
    assert fewer > 40

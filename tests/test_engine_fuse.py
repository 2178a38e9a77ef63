"""Loops over the same items become one: the same results on random rows of loops, and tapes that go."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.analysis.stepping import interpret
from adxform.api.source import rule_of
from adxform.backends.python.emit import emit
from adxform.backends.python.loading import load
from adxform.ir.ops import For
from adxform.ir.text import read
from adxform.ir.verify import verify
from adxform.ir.walk import all_ops
from adxform.passes.loops.fuse import fuse_loops
from adxform.passes.loops.interchange import interchange_loops
from adxform.runtime.dispatch.split import as_tuple


def reduction(x, w):
    """A temporary, a function of it, a sum. x: (n,), w: (n,)"""
    total = 0.0
    for i in range(x.shape[0]):
        square = x[i] * x[i]
        total += w[i] * np.log1p(square)
    return total


def table(x, w):
    """Rows into a table, then out of it. x: (n,), w: (n,)"""
    y = np.zeros((x.shape[0], 3))
    for i in range(x.shape[0]):
        for k in range(3):
            y[i, k] = np.sin(x[i]) * w[i] ** k
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(3):
            total += np.exp(y[i, k])
    return total


def running(x, w):
    """What a pass leaves goes into the next. x: (n,), w: (n,)"""
    state, y = 1.0, np.zeros_like(x)
    for i in range(x.shape[0]):
        state = state * np.cos(x[i])
        y[i] = state
    total = 0.0
    for i in range(x.shape[0]):
        total += y[i] * w[i]
    return total


def count(fn: Any) -> int:
    """How many loops there are."""
    return sum(isinstance(op, For) for op in all_ops(fn.body))


@pytest.mark.parametrize(
    ("function", "before", "after"), [(reduction, 2, 1), (table, 8, 2), (running, 4, 4)], ids=["reduction", "table", "running"]
)
def test_gradients_by_joined_loops(function: Callable[..., Any], before: int, after: int) -> None:
    for n in (0, 1, 2, 5):
        args = tuple(np.random.default_rng(n).uniform(0.5, 1.5, size=(2, n)))
        call, rule = rule_of(function, args, "reverse", (0, 1))
        joined = fuse_loops(interchange_loops(rule.optimised))
        verify(joined)
        assert n < 5 or (count(rule.optimised), count(joined)) == (before, after)
        run = load(emit(joined, surroundings=rule.request.surroundings))
        expected, found = (as_tuple(each(*call.inputs(), 1.0), 3) for each in (rule.run, run))
        for a, b in zip(expected, found, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-12)


def random_loops(seed: int) -> str:
    """Loops, one after the other, that load, store, add and sum up, mostly at their own item."""
    rng = random.Random(seed)
    lines = ["def f(u: f64[x.0], v: f64[x.0], w: f64[x.0], n: int):", "    m: int = operator.sub(n, 1)"]
    sums: list[str] = []
    fresh = iter(range(1000))
    for loop in range(rng.randrange(2, 5)):
        item = f"i.{loop}"
        source = rng.choice(["1, n, 1", "1, n, 1", "1, n, 1", "m, 0, -1", "1, m, 1"])
        carried = rng.random() < 0.4
        out = f"s.{loop}.out".replace(".out", "5")
        head = f"{out}: f64 = for" if carried else "for"
        start = rng.choice(["0.0", *sums]) if rng.random() < 0.3 else "0.0"
        lines.append(f"    {head} {item}: int in range({source}){f' with p.{loop}: f64 = {start}' if carried else ''}:")
        values = ["0.5"]

        def place(item: str = item) -> str:
            offset = rng.choice([0, 0, 0, 0, 0, 1, -1])
            if not offset:
                return item
            own = f"k.{next(fresh)}"
            lines.append(f"        {own}: int = operator.{'add' if offset > 0 else 'sub'}({item}, 1)")
            return own

        for _ in range(rng.randrange(2, 7)):
            array = rng.choice("uvw")
            match rng.choice(["load", "load", "op", "set", "add"]):
                case "load":
                    at, own = place(), f"a.{next(fresh)}"
                    lines.append(f"        {own}: f64 = operator.getitem({array}, {at})")
                    values.append(own)
                case "op":
                    own = f"b.{next(fresh)}"
                    left, right = rng.choice(values), rng.choice([*values, *sums] if rng.random() < 0.2 else values)
                    lines.append(f"        {own}: f64 = operator.{rng.choice(['add', 'mul', 'sub'])}({left}, {right})")
                    values.append(own)
                case "set":
                    lines.append(f"        operator.setitem({array}, {place()}, {rng.choice(values)})")
                case "add":
                    lines.append(f"        intrinsics.accumulate({array}, {place()}, {rng.choice(values)})")
        if carried:
            fn = rng.choice(["add", "add", "sub", "mul"])
            lines += [f"        q.{loop}: f64 = operator.{fn}(p.{loop}, {rng.choice(values)})", f"        yield q.{loop}"]
            sums.append(out)
        if rng.random() < 0.3:
            own = f"c.{next(fresh)}"
            lines.append(f"    {own}: f64 = operator.getitem({rng.choice('uvw')}, 1)")
            sums.append(own)
    lines.append(f"    return {', '.join(['u', 'v', 'w', *sums])}")
    return "\n".join(lines)


def test_random_loops_compute_the_same() -> None:
    fewer = 0
    for seed in range(300):
        text = random_loops(seed)
        fn = read(text)
        joined = fuse_loops(fn)
        verify(joined)
        fewer += count(joined) < count(fn)
        for n in (0, 1, 2, 6):
            arrays = np.random.default_rng(seed).normal(size=(3, n + 3))
            expected, found = (interpret(each, *arrays.copy(), n) for each in (fn, joined))
            for a, b in zip(expected, found, strict=True):
                np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-9, err_msg=f"{seed}\n{text}")
    assert fewer > 10


def beyond(x, n):
    """An array of the function's own, and as many stores as are asked for."""
    y = np.zeros(3)
    for i in range(n):
        y[i] = x[i] * 2.0
    total = 0.0
    for i in range(n):
        total += y[i] * y[i]
    return total


def test_a_store_out_of_bounds_raises_though_nothing_needs_the_array() -> None:
    pytest.importorskip("numba")
    x = np.arange(6.0)
    for operator in (adxform.grad, adxform.value_and_grad):
        compiled, plain = operator(beyond, engine="numba"), operator(beyond, engine="python")
        for found, expected in zip(as_tuple(compiled(x, 3), 2), as_tuple(plain(x, 3), 2), strict=True):
            np.testing.assert_allclose(found, expected)
        with pytest.raises(IndexError):
            compiled(x, 5)

"""Sums that loops carry: which may be taken in any order, and that they come out right; extremes that run in lanes."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

import adxform
from adxform import runtime
from adxform.ir.operand_facts import callee
from adxform.ir.text import read
from adxform.ir.verify import verify
from adxform.ir.walk import all_ops
from adxform.passes.loops.reassociation import reassociate_sums

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def loosened(text: str) -> list[object]:
    """What the additions of a function become."""
    fn = reassociate_sums(read(text))
    verify(fn)
    return [callee(op) for op in all_ops(fn.body) if callee(op) in (operator.add, operator.sub, operator.neg, runtime.add_up)]


def test_a_sum_through_an_inner_loop_is_loosened_in_both() -> None:
    assert loosened("""
def f(x: f64[x.0], n: int):
    s: f64 = for i: int in range(0, n, 1) with t: f64 = 0.0:
        v: f64 = operator.getitem(x, i)
        t.1: f64 = operator.sub(t, v)
        t.2: f64 = for j: int in range(0, n, 1) with u: f64 = t.1:
            w: f64 = operator.getitem(x, j)
            u.1: f64 = operator.add(w, u)
            yield u.1
        yield t.2
    return s""") == [operator.neg, runtime.add_up, runtime.add_up]


@pytest.mark.parametrize(
    "body",
    [
        # what is read again, as a compensated sum reads it
        "t.1: f64 = operator.add(t, v)\n        operator.setitem(x, i, t.1)\n        yield t.1",
        "t.1: f64 = operator.add(t, v)\n        operator.setitem(x, i, t)\n        yield t.1",
        # what is subtracted from something, what is multiplied on the way, what is doubled
        "t.1: f64 = operator.sub(v, t)\n        yield t.1",
        "w: f64 = operator.mul(t, v)\n        t.1: f64 = operator.add(w, v)\n        yield t.1",
        "t.1: f64 = operator.add(t, t)\n        yield t.1",
        # what a pass makes anew
        "t.1: f64 = operator.add(v, 1.0)\n        yield t.1",
    ],
)
def test_what_is_more_than_a_sum_keeps_its_order(body: str) -> None:
    text = f"""
def f(x: f64[x.0], n: int):
    s: f64 = for i: int in range(0, n, 1) with t: f64 = 0.0:
        v: f64 = operator.getitem(x, i)
        {body}
    return s"""
    assert runtime.add_up not in loosened(text)


def test_whole_numbers_keep_theirs() -> None:
    assert loosened("""
def f(n: int):
    s: int = for i: int in range(0, n, 1) with t: int = 0:
        t.1: int = operator.add(t, i)
        yield t.1
    return s""") == [operator.add]


def weighted(x, w):
    """x: (n,), w: (n,)"""
    total, other = 0.0, 1.0
    for i in range(x.shape[0]):
        total += w[i] * x[i] ** 2
        other -= x[i]
    return total * other


def test_compiled_sums_agree_with_those_in_order() -> None:
    pytest.importorskip("numba")
    compiled = adxform.value_and_grad(weighted, engine="numba")
    chance = np.random.default_rng(1)
    for n in (0, 1, 2, 3, 7, 8, 33, 1000):
        x, w = chance.normal(size=(2, n))
        value, gradient = compiled(x, w)
        total, other = math.fsum(w * x**2), 1.0 - math.fsum(x)
        bound = 4 * (n + 2) * np.finfo(float).eps
        assert abs(value - total * other) <= bound * (np.sum(abs(w) * x**2) + 1.0) * (np.sum(abs(x)) + 1.0)
        assert np.allclose(gradient, 2.0 * w * x * other - total, rtol=1e-12, atol=1e-12)
    x, w = np.ones((2, 20))
    for bad in (np.nan, np.inf):
        x[7] = bad
        expected, found = weighted(x, w), compiled(x, w)[0]
        assert np.array_equal(found, expected, equal_nan=True)


def spread(x):
    """The range of x: (n,), and what is above the half."""
    return np.max(x) - np.min(x) + np.sum(np.maximum(x, 0.5) * np.minimum(x, 2.0))


def test_extremes_hold_nan_and_ties_as_numpy_does() -> None:
    pytest.importorskip("numba")
    compiled, plain = (adxform.value_and_grad(spread, engine=engine) for engine in ("numba", "python"))
    chance = np.random.default_rng(1)
    for n in (1, 2, 7, 8, 33, 100):
        x = chance.normal(size=n)
        ties, spoilt, zeros = np.round(x), x.copy(), np.zeros(n)
        spoilt[n // 2], zeros[::2] = np.nan, -0.0
        for given in (x, ties, spoilt, zeros, np.full(n, -np.inf)):
            for found, expected in zip(compiled(given), plain(given), strict=True):
                assert np.allclose(found, expected, rtol=1e-13, atol=1e-13, equal_nan=True)

"""Arrays made in the passes that fill them, and tapes without axes along which nothing changes: the same derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.ir.ops import Function
from adxform.ir.text import read, show
from adxform.ir.verify import verify
from adxform.passes.loops.contract_tapes import contract_invariant_axes
from adxform.passes.loops.privatise import privatise_arrays
from tests.oracle import central_jacobian, flat_function

pytest.importorskip("numba")

CHANCE = np.random.default_rng(0)
X, P = CHANCE.uniform(0.5, 1.5, (5, 3)), CHANCE.uniform(0.5, 1.5, (4, 6))


def filled(x, p):
    """Each pass fills the terms. x: (n, d), p: (k, e)"""
    terms = np.zeros(p.shape[0])
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(p.shape[0]):
            terms[k] = p[k, 0] * x[i, 0] + np.sin(p[k, 1])
        top = np.max(terms)
        for k in range(p.shape[0]):
            total += np.exp(terms[k] - top) * terms[k] ** 2
        total += top
    return total


def counted(x, p):
    """A counter that goes up in a triangle, the same for all points. x: (n, d), p: (k, e)"""
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(p.shape[0]):
            at = x.shape[1]
            for r in range(x.shape[1]):
                z = p[k, r] * x[i, r]
                for c in range(r):
                    z += p[k, at] * x[i, c] ** 2
                    at += 1
                total += z * z
    return total


def counted_on(x, p):
    """A counter that goes on from one point to the next. x: (n, d), p: (k, e)"""
    total, at = 0.0, 0
    for i in range(x.shape[0]):
        for r in range(x.shape[1]):
            for c in range(r):
                total += p[0, at % 6] * x[i, c] ** 3
                at += c + 1
    return total


def partly(x, p):
    """Each pass fills all but the last, which remembers. x: (n, d), p: (k, e)"""
    terms = np.zeros(p.shape[0])
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(p.shape[0] - 1):
            terms[k] = p[k, 0] * x[i, 0] * (1.0 + terms[-1])
        terms[-1] = 0.1 * np.sum(terms * terms)
        total += terms[-1]
    return total


def afterwards(x, p):
    """What the last pass left is read after the loop. x: (n, d), p: (k, e)"""
    terms = np.zeros(p.shape[0])
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(p.shape[0]):
            terms[k] = p[k, 0] * x[i, 0]
        total += np.sum(terms**3)
    return total + np.sum(terms**2)


def earlier(x, p):
    """What the pass before left is read first. x: (n, d), p: (k, e)"""
    terms = np.zeros(p.shape[0])
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sum(terms**2)
        for k in range(p.shape[0]):
            terms[k] = p[k, 0] * x[i, 0]
        total += np.sum(terms**3)
    return total


def itself(x, p):
    """An element follows from the one of the pass before. x: (n, d), p: (k, e)"""
    terms = np.zeros(p.shape[0])
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(p.shape[0]):
            terms[k] = 0.5 * terms[k] + p[k, 0] * x[i, 0] ** 2
        total += np.sum(terms**3)
    return total


def in_rows(x, p):
    """Two axes, in the passes of the inner one of two loops. x: (n, d), p: (k, e)"""
    table = np.zeros(p.shape)
    total = 0.0
    for _ in range(2):
        for i in range(x.shape[0]):
            for k in range(p.shape[0]):
                for e in range(p.shape[1]):
                    table[k, e] = p[k, e] * x[i, 1] + total * 0.01
            total += np.sum(np.sin(table) * table)
    return total


FUNCTIONS = (filled, counted, counted_on, partly, afterwards, earlier, itself, in_rows)
OWN = {filled: "terms = ", in_rows: "table = "}


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("lengths", [(5, 4), (1, 4), (0, 4), (4, 1), (1, 1)], ids=str)
def test_gradients_are_right(fn: Callable[..., Any], lengths: tuple[int, int]) -> None:
    x, p = X[: lengths[0]], P[: lengths[1]]
    value, gradient = adxform.value_and_grad(fn, argnums=(0, 1), engine="numba")(x, p)
    expected, plain = adxform.value_and_grad(fn, argnums=(0, 1), engine="python")(x, p)
    np.testing.assert_allclose(value, expected, rtol=1e-13)
    for one, other in zip(gradient, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)
    flat, start = flat_function(fn, (x, p), (0, 1))
    numerical, _ = central_jacobian(flat, start)
    np.testing.assert_allclose(np.concatenate([np.ravel(part) for part in gradient]), numerical.ravel(), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_arrays_are_made_where_each_pass_fills_them(fn: Callable[..., Any]) -> None:
    text = adxform.source(fn, X, P, argnums=(0, 1), engine="numba")
    assert ("terms_old_tape" not in text and "table_old_tape" not in text) == (fn in OWN or "counted" in fn.__name__)


def test_a_counter_is_kept_once() -> None:
    assert "at_tape[r]" in adxform.source(counted, X, P, argnums=(0, 1), engine="numba")
    assert "at_tape[r]" not in adxform.source(counted_on, X, P, argnums=(0, 1), engine="numba")


def test_without_points_or_terms() -> None:
    for engine in ("numba", "python"):
        with pytest.raises(ValueError, match="zero-size"):
            adxform.grad(filled, engine=engine)(X, P[:0])
        np.testing.assert_array_equal(adxform.grad(filled, engine=engine)(X[:0], P[:0]), X[:0])


def test_nan_stays_where_it_is() -> None:
    x = X.copy()
    x[1, 0] = np.nan
    for fn in (filled, counted, in_rows):
        found, plain = (adxform.grad(fn, argnums=(0, 1), engine=engine)(x, P) for engine in ("numba", "python"))
        for one, other in zip(found, plain, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)


def tabled(x, n, m):
    """Places in a table that the caller says the lengths of. x: (4,)"""
    places = np.empty((n, m), dtype=np.int64)
    total = np.sum(x)
    for i in range(n):
        at = 0
        for j in range(m):
            places[i, j] = at
            at = (at + j) % 4
    for i in range(n):
        for j in range(m):
            total += np.sin(x[places[i, j]] * (i + 1))
    return total


def test_negative_lengths_are_errors() -> None:
    x = np.arange(4.0)
    numba, python = (adxform.grad(tabled, engine=engine)(x, 3, 2) for engine in ("numba", "python"))
    np.testing.assert_allclose(numba, python, rtol=1e-13)
    for lengths in ((-1, 2), (2, -1), (-1, -1)):
        for engine in ("numba", "python"):
            with pytest.raises(ValueError, match="negative dimensions"):
                adxform.grad(tabled, engine=engine)(x, *lengths)


TAPE = """
def f(x: f64[x.0], n: int, m: int):
    some: int = builtins.max(n, 0)
    tape: i64[?0, ?1] = np.empty((ROWS, m))
    HEAD:
        for j: int in range(0, m, 1):
            STORE
            HERE
    for k: int in range(0, END, 1):
        p: int = operator.getitem(tape, (k, 1))
        operator.setitem(x, p, 0.0)
    return x
"""
USUAL = {
    "ROWS": "some",
    "HEAD": "for i: int in range(0, n, 1)",
    "STORE": "operator.setitem(tape, (i, j), j)",
    "HERE": "",
    "END": "n",
}
OTHERS = {
    "a place outside": {"END": "m"},
    "a second store": {"HERE": "operator.setitem(tape, (i, 0), 1)"},
    "a whole row": {"HERE": "row: i64[?1] = operator.getitem(tape, i)"},
    "another value in each pass": {"STORE": "operator.setitem(tape, (i, j), i)"},
    "another loop around": {"STORE": "for t: int in range(0, n, 1):\n                operator.setitem(tape, (i, j), j)"},
    "a length that may be negative": {"ROWS": "n"},
    "not from the first": {"HEAD": "for i: int in range(1, n, 1)"},
}


def tape(changes: dict[str, str]) -> Function:
    text = TAPE
    for word, instead in {**USUAL, **changes}.items():
        text = text.replace(word, instead)
    return read("\n".join(line for line in text.splitlines() if line.strip()))


def test_axes_are_dropped() -> None:
    found = contract_invariant_axes(tape({}))
    verify(found)
    assert "tape: i64[?1] = np.empty(m)" in show(found)


@pytest.mark.parametrize("changes", OTHERS.values(), ids=OTHERS)
def test_axes_stay(changes: dict[str, str]) -> None:
    fn = tape(changes)
    assert contract_invariant_axes(fn) is fn


def test_arrays_stay() -> None:
    fn = read("""
def f(x: f64[x.0], y: f64[y.0]):
    n: int = intrinsics.dim(x, 0)
    m: int = intrinsics.dim(y, 0)
    a: f64[x.0] = np.zeros(n)
    for i: int in range(0, m, 1):
        for j: int in range(1, n, 1):
            operator.setitem(a, j, 1.0)
        s: f64 = np.sum(a)
        operator.setitem(y, i, s)
    return y""")
    assert privatise_arrays(fn) is fn

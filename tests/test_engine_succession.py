"""Arrays that take the memory of others: only what nobody reads any more is written over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.engine.succession import take_over_memory
from adxform.ir.text import read, show
from adxform.ir.verify import verify

pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

FILLED = """
def f(x: f64[x.0, x.0], n: int):
    a: f64[x.0, x.0] = np.empty((n, n))
    b: f64[x.0, x.0] = np.empty((n, n))
    for i: int in range(0, n, 1):
        for j: int in range(0, n, 1):
            operator.setitem(a, (i, j), 1.0)
    for i.1: int in range(0, n, 1):
        for j.1: int in range(0, n, 1):
{}
    return {}"""
LOADED = "            v: f64 = operator.getitem(a, (i.1, j.1))\n"
STORED = "            operator.setitem(b, (i.1, j.1), v)\n"
CASES = {
    "the same place": (LOADED + STORED, "b", True),
    "after it was stored": (STORED.replace("v)", "2.0)") + LOADED + STORED, "b", False),
    "another place": (LOADED + STORED.replace("(i.1, j.1)", "(j.1, i.1)"), "b", False),
    "one place for all passes": (LOADED.replace("j.1)", "i.1)") + STORED.replace("j.1)", "i.1)"), "b", False),
    "a place of no loop": (LOADED.replace("j.1)", "0)") + STORED.replace("j.1)", "0)"), "b", False),
    "the first is a result": (LOADED + STORED, "a, b", False),
    "within a branch": (
        LOADED
        + "            c: bool = operator.lt(v, 0.0)\n            if c:\n                operator.setitem(b, (i.1, j.1), v)\n",
        "b",
        False,
    ),
    "both a sum": (LOADED + "            intrinsics.accumulate(b, (i.1, j.1), v)\n", "b", True),
}


@pytest.mark.parametrize("name", CASES)
def test_what_takes_the_memory_of_another_array(name: str) -> None:
    body, results, taken = CASES[name]
    fn = read(FILLED.format(body.rstrip("\n"), results))
    verify(fn)
    found = take_over_memory(fn)
    verify(found)
    assert show(found).count("np.empty") == (1 if taken else 2)
    assert taken or found is fn


def test_arrays_of_other_lengths_stay_apart() -> None:
    fn = read("""
def f(n: int, m: int):
    a: f64[n] = np.empty(n)
    for i: int in range(0, n, 1):
        operator.setitem(a, i, 1.0)
    b: f64[m] = np.empty(m)
    for j: int in range(0, m, 1):
        operator.setitem(b, j, 1.0)
    return b""")
    assert take_over_memory(fn) is fn


def shares(x: Any, w: Any) -> Any:
    e = np.exp(x - np.max(x))
    return np.sum(e / np.sum(e) * w)


def crosses(x: Any, w: Any) -> Any:
    e = np.exp(x)
    p = e / np.sum(e)
    return np.sum(p * p[::-1] * w) / np.sum(np.cos(e))


def twice(x: Any, w: Any) -> Any:
    e = np.sin(x) / np.sum(w * x)
    u = np.cumsum(e)
    return np.sum(u * np.flip(e) / np.max(u)) + np.sum(e) ** 2


def centred(x: Any, w: Any) -> Any:
    a = np.outer(x, w)
    a = a - np.mean(a, axis=0)
    b = a / np.sqrt(np.sum(a * a))
    return np.sum(np.tanh(b @ x) * w)


VALUES = np.random.default_rng(5).normal(size=9)


@pytest.mark.parametrize("f", [shares, crosses, twice, centred])
@pytest.mark.parametrize("x", [VALUES, VALUES[:1], VALUES[:0], np.where(VALUES > 1.0, np.nan, VALUES), VALUES[::2], VALUES[::-1]])
def test_derivatives_are_those_of_python(f: Callable[..., Any], x: Any) -> None:
    w = np.linspace(1.0, 2.0, len(x))
    for arguments in ((x, w), (x, x)):  # one array twice
        outcomes: list[Any] = []
        for engine in ("python", "numba"):
            try:
                prepared = adxform.prepare_gradient(f, *arguments, argnums=(0, 1), engine=engine)
                outcomes.append([prepared(*arguments) for _ in range(2)])
            except Exception as error:
                outcomes.append(type(error))
        expected, got = outcomes
        if isinstance(expected, type):
            assert got == expected
            continue
        for one, other in zip(got, expected, strict=True):
            np.testing.assert_allclose(one[0], other[0], rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(one[1], other[1], rtol=1e-9, atol=1e-12)
        assert not np.shares_memory(got[0][0], got[0][1])
        assert not np.shares_memory(got[0][0], got[1][0])

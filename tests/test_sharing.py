"""Arrays use one place where their lives do not overlap, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from adxform.backends.python.emit import emit
from adxform.backends.python.loading import load
from adxform.ir.text import read
from adxform.passes.memory.buffer_sharing import share_buffers
from adxform.passes.memory.out_forms import is_elementwise

# What the places a, b, c, d (of n numbers) become, in order; the function takes x and returns a number.
CASES = {
    "a chain": (
        """
        np.sin(x, out=a)
        np.multiply(a, x, out=b)
        np.cos(b, out=c)
        y: f64 = np.sum(c)
        return y""",
        "a",
    ),
    "one is read later": (
        """
        np.sin(x, out=a)
        np.cos(a, out=b)
        np.multiply(b, a, out=c)
        y: f64 = np.sum(c)
        return y""",
        "ab",
    ),
    "dead before": (
        """
        np.sin(x, out=a)
        s: f64 = np.sum(a)
        np.cos(x, out=b)
        y: f64 = np.dot(b, b)
        z: f64 = operator.add(y, s)
        return z""",
        "a",
    ),
    "a view is read later": (
        """
        np.sin(x, out=a)
        v: f64[x.0-1] = operator.getitem(a, slice(1, None, None))
        np.cos(x, out=b)
        y: f64 = np.sum(v)
        z: f64 = np.sum(b)
        r: f64 = operator.add(y, z)
        return r""",
        "ab",
    ),
    "read backwards where it is written": (
        """
        np.sin(x, out=a)
        v: f64[x.0] = operator.getitem(a, slice(None, None, -1))
        np.multiply(a, v, out=b)
        y: f64 = np.dot(b, x)
        return y""",
        "ab",
    ),
    "not element by element": (
        """
        np.sin(x, out=a)
        np.cumsum(a, out=b)
        y: f64 = np.dot(b, x)
        return y""",
        "ab",
    ),
    "made before a loop that reads it": (
        """
        np.sin(x, out=a)
        r: f64 = for i: int in range(0, 3, 1) with s: f64 = 0.0:
            t: f64 = np.dot(a, x)
            np.cos(x, out=b)
            u: f64 = np.sum(b)
            s.1: f64 = operator.add(s, t)
            s.2: f64 = operator.mul(s.1, u)
            yield s.2
        return r""",
        "ab",
    ),
    "made and dead in one pass": (
        """
        r: f64 = for i: int in range(0, 3, 1) with s: f64 = 0.0:
            np.sin(x, out=a)
            t: f64 = np.dot(a, x)
            np.cos(x, out=b)
            u: f64 = np.sum(b)
            s.1: f64 = operator.add(s, t)
            s.2: f64 = operator.mul(s.1, u)
            yield s.2
        np.tanh(x, out=c)
        w: f64 = np.dot(c, x)
        z: f64 = operator.mul(w, r)
        return z""",
        "a",
    ),
    "made in a loop, read in the next pass": (
        """
        operator.setitem(a, Lit(...), 0.5)
        r: f64 = for i: int in range(0, 3, 1) with s: f64 = 0.0:
            t: f64 = np.dot(a, x)
            np.cos(x, out=b)
            u: f64 = np.sum(b)
            np.multiply(x, u, out=a)
            s.1: f64 = operator.add(s, t)
            yield s.1
        return r""",
        "ab",
    ),
    "made in a loop, read after it": (
        """
        r: f64 = for i: int in range(0, 3, 1) with s: f64 = 0.0:
            np.sin(x, out=a)
            t: f64 = np.dot(a, x)
            k: b8 = operator.eq(i, 1)
            if k:
                np.multiply(x, s, out=b)
            s.1: f64 = operator.add(s, t)
            yield s.1
        z: f64 = np.dot(b, x)
        w: f64 = operator.add(z, r)
        return w""",
        "ab",
    ),
    "one in each branch": (
        """
        f: f64 = operator.getitem(x, 0)
        k: b8 = operator.gt(f, 0.0)
        r: f64 = if k:
            np.sin(x, out=a)
            s: f64 = np.dot(a, x)
            yield s
        else:
            np.cos(x, out=b)
            t: f64 = np.dot(b, x)
            yield t
        return r""",
        "a",
    ),
    "one of two, known by the branch": (
        """
        f: f64 = operator.getitem(x, 0)
        k: b8 = operator.gt(f, 0.0)
        np.sin(x, out=a)
        np.tanh(x, out=b)
        v: f64[x.0] = if k:
            yield a
        else:
            yield b
        np.cos(x, out=c)
        s: f64 = np.dot(v, c)
        return s""",
        "abc",
    ),
    "on a stack": (
        """
        tape: stack = intrinsics.new_stack()
        np.sin(x, out=a)
        intrinsics.push(tape, a)
        np.cos(x, out=b)
        s: f64 = np.dot(b, x)
        v: f64[x.0] = intrinsics.pop(tape)
        np.tanh(x, out=c)
        t: f64 = np.dot(v, c)
        u: f64 = operator.mul(s, t)
        return u""",
        "ab",
    ),
    "carried by a loop under another name": (
        """
        np.sin(x, out=a)
        v: f64[x.0] = for i: int in range(0, 3, 1) with u: f64[x.0] = a:
            np.cos(x, out=b)
            s: f64 = np.sum(b)
            operator.setitem(u, i, s)
            yield u
        np.tanh(x, out=c)
        t: f64 = np.dot(v, c)
        return t""",
        "ab",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_places_are_shared_where_they_can_be(name: str) -> None:
    text, left = CASES[name]
    places = [place for place in "abcd" if f"{place})" in text or f"out={place}" in text or f"({place}, " in text]
    fn = read(f"def f(x: f64[x.0], {', '.join(f'{place}: f64[x.0]' for place in places)}):{text.replace('Lit(...)', '...')}")
    shared, buffers = share_buffers(fn, fn.params[1:], (), is_elementwise)
    x = np.random.default_rng(3).normal(size=7)
    for sign in (1.0, -1.0):
        expected = load(emit(fn))(sign * x, *(np.full(7, np.nan) for _ in places))
        found = load(emit(shared))(sign * x, *(np.full(7, np.nan) for _ in buffers))
        assert found == expected
        assert np.isfinite(found)
    assert "".join(space.name for space in buffers) == left


def test_only_places_of_one_shape_are_shared() -> None:
    fn = read("""
        def f(x: f64[x.0], a: f64[x.0], b: f64[x.0-1], c: f32[x.0]):
            np.sin(x, out=a)
            s: f64 = np.sum(a)
            v: f64[x.0-1] = operator.getitem(x, slice(1, None, None))
            np.multiply(v, s, out=b)
            t: f64 = np.sum(b)
            np.multiply(x, t, out=c)
            r: f32 = np.sum(c)
            return r""")
    assert share_buffers(fn, fn.params[1:], (), is_elementwise) == (fn, fn.params[1:])


def test_the_caller_says_what_is_no_place() -> None:
    fn = read("""
        def f(x: f64[x.0], a: f64[x.0], b: f64[x.0]):
            np.sin(x, out=a)
            np.multiply(a, x, out=b)
            s: f64 = np.sum(b)
            return s""")
    assert share_buffers(fn, fn.params[1:], fn.params[2:], is_elementwise) == (fn, fn.params[1:])

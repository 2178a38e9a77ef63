"""Nests that multiply matrices, as products: the same gradients for every extent and layout, and only where it is a product."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.api.source import rule_of
from adxform.backends.python.emit import emit
from adxform.backends.python.loading import load
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Function
from adxform.ir.verify import verify
from adxform.ir.walk import all_ops
from adxform.passes.linalg.product_nests import multiply
from adxform.passes.loops.gather import gather_contributions
from adxform.passes.scalar.hoist import hoist_invariants
from adxform.runtime.dispatch.split import as_tuple
from tests.oracle import central_jacobian, flat_function
from tests.test_engine_products import LAYOUTS


def product(a, b):
    """a: (m, k), b: (k, n)"""
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(c * c)


def added(a, b):
    """To what is not zero, and taken from it, downwards and through views. a: (m, k), b: (k, n)"""
    c = np.ones((b.shape[1], a.shape[0]))
    for j in range(b.shape[1] - 1, -1, -1):
        for k in range(a.shape[1] - 1, -1, -1):
            for i in range(a.shape[0]):
                row = c[j]
                row[i] -= a[i, k] * b[k, j]
    return np.sum(c * c)


def repeated(a, b):
    """A product in each pass of a loop, and another sum in its nest. a: (m, k), b: (k, n)"""
    rows = np.zeros(a.shape[0])
    c = np.ones((a.shape[0], b.shape[1]))
    for t in range(3):
        d = np.ones((a.shape[0], b.shape[1]))
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                for k in range(a.shape[1]):
                    d[i, j] += a[i, k] * b[k, j]
                    rows[i] += a[i, k] * t
        c = c + np.sin(d) * (t + 1)
    return np.sum(c * c) + np.sum(rows * rows)


def squared(a, b):
    """A matrix with itself. a: (m, k), b: (k, n)"""
    c = np.zeros((a.shape[0], a.shape[0]))
    for i in range(a.shape[0]):
        for j in range(a.shape[0]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * a[j, k]
    return np.sum(c * c) + np.sum(b)


def onward(a, b):
    """A product in each branch, of which the next nest takes one from the matrix that is a factor here. a: (m, k), b: (k, n)"""
    c = np.zeros((a.shape[0], b.shape[1]))
    if np.sum(a) > 0.0:
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                for k in range(a.shape[1]):
                    c[i, j] += a[i, k] * b[k, j]
    else:
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                for k in range(a.shape[1]):
                    c[i, j] -= b[k, j] * a[i, k]
    d = b.copy()
    for k in range(a.shape[1]):
        for j in range(b.shape[1]):
            for i in range(a.shape[0]):
                d[k, j] -= c[i, j] * a[i, k]
    return np.sum(c * c) + np.sum(d * d * d)


def onto_itself(a, b):
    """What is added to is a factor. a: (m, k), b: (k, n)"""
    c = a[:, : a.shape[0]].copy()
    n = c.shape[0]
    for i in range(n):
        for j in range(c.shape[1]):
            for k in range(c.shape[1]):
                c[i, j] += c[i, k] * 0.125
    return np.sum(c * c) + np.sum(b)


def part(a, b):
    """Not all of the rows. a: (m, k), b: (k, n)"""
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(1, a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1] - 1):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(c * c)


def diagonal(a, b):
    """One factor by its diagonal, whose rows are as many as the columns. a: (m, k), b: (k, n)"""
    c = np.zeros((a.shape[0], a.shape[0]))
    d = np.outer(b[0], b[0]) if b.shape[0] else np.zeros((0, 0))
    for i in range(a.shape[0]):
        for j in range(a.shape[0]):
            for k in range(d.shape[0]):
                c[i, j] += d[k, k] * a[i, 0]
    return np.sum(c * c)


def products(fn: Function) -> int:
    """How many products there are in `fn`."""
    return sum(callee(op) in (operator.matmul, np.matmul) for op in all_ops(fn.body))


SHAPES = [
    ((0, 5), (5, 6)),
    ((5, 0), (0, 6)),
    ((6, 5), (5, 0)),
    ((1, 1), (1, 1)),
    ((5, 6), (6, 7)),
    ((9, 5), (5, 5)),
    ((67, 65), (65, 66)),
]
CASES = {product: 3, added: 1, repeated: 2, squared: 3, onward: 5, onto_itself: 0, part: 0, diagonal: 0}


@pytest.mark.parametrize("function", CASES, ids=lambda function: function.__name__)
def test_the_same_gradient_at_every_extent(function: Callable[..., Any]) -> None:
    for shapes in SHAPES:
        chance = np.random.default_rng(1)
        args = tuple(chance.normal(size=shape) / max(shape[0], 1) for shape in shapes)
        if function is diagonal and not all(arg.size for arg in args):
            continue
        call, rule = rule_of(function, args, "reverse", (0, 1))
        before = hoist_invariants(rule.optimised, lengths=True)
        changed = multiply(gather_contributions(before))
        verify(changed)
        if min(*shapes[0], *shapes[1]) > 4:
            assert products(changed) - products(before) == CASES[function]
        run = load(emit(changed, surroundings=rule.request.surroundings))
        expected, found = (as_tuple(each(*call.inputs(), 1.0), 3) for each in (rule.run, run))
        for a, b in zip(expected, found, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-10, atol=1e-12)
        if all(0 < arg.size < 60 for arg in args):
            flat, point = flat_function(function, args, (0, 1))
            gradient = np.concatenate([np.ravel(part) for part in found[1:]])
            np.testing.assert_allclose(gradient, np.ravel(central_jacobian(flat, point)[0]), rtol=1e-5, atol=1e-6)


def closed(a: Any, b: Any) -> tuple[Any, Any]:
    """The gradient of `product`."""
    c_ct = 2.0 * (a @ b)
    return c_ct @ b.T, a.T @ c_ct


def test_kernels_for_every_layout_and_what_is_no_number() -> None:
    gradient = adxform.grad(product, argnums=(0, 1), engine="numba")
    for layout in LAYOUTS.values():
        for m, k, n in ((6, 5, 7), (0, 5, 7), (6, 0, 7), (6, 5, 0), (40, 30, 35)):
            chance = np.random.default_rng(m)
            a, b = layout(chance.normal(size=(m, k))), layout(chance.normal(size=(k, n)))
            for odd in (1.0, np.nan, np.inf):
                if a.size and odd != 1.0:
                    a = a.copy()
                    a[1, 2] = odd
                with np.errstate(all="ignore"):
                    for found, expected in zip(gradient(a, b), closed(a, b), strict=True):
                        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-11)
    text = adxform.source(product, np.ones((6, 5)), np.ones((5, 7)), argnums=(0, 1), engine="numba")
    assert text.count("product(") == 3
    one = np.random.default_rng(0).normal(size=(6, 6))
    for found, expected in zip(gradient(one, one), closed(one, one), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("function", [repeated, onward], ids=lambda function: function.__name__)
def test_kernels_with_several_nests(function: Callable[..., Any]) -> None:
    for sign in (-1.0, 1.0):
        chance = np.random.default_rng(2)
        a, b, v = (chance.normal(size=shape) / 3 for shape in ((7, 6), (6, 8), (7, 6)))
        a = np.asfortranarray(sign * np.abs(a))
        expected = adxform.grad(function, argnums=(0, 1), engine="python")(a, b)
        gradient = adxform.prepare_gradient(function, a, b, argnums=(0, 1), engine="numba")
        out = np.full_like(a, np.nan, order="C"), np.full_like(b, np.nan)
        for found in (gradient(a, b), gradient(a, b, out=out), gradient(a, b, out=out)):
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)
        one, other = (adxform.hvp(function, engine=engine)(a, b, v) for engine in ("numba", "python"))
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


def test_an_index_beyond_the_end_raises() -> None:
    with pytest.raises(IndexError):
        adxform.grad(product, engine="numba")(np.ones((5, 8)), np.ones((7, 6)))

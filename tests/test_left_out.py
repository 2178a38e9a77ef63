"""Zero times what is infinite or missing, where a whole program of the corpus does not ask: one lane, one order, one infinity."""

from __future__ import annotations

import math

import numpy as np
import pytest

import adxform
from adxform.analysis.choices import left_out
from adxform.ir.text import read
from adxform.rules.alias import alias_classes

ORDERS = ["forward-over-reverse", "reverse-over-forward", "reverse-over-reverse", "forward-over-forward"]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_lane_that_the_caller_leaves_out_may_hold_a_constant_that_is_nan() -> None:
    def weighted(w: float, d: np.ndarray) -> np.ndarray:
        return w * np.sqrt(d)

    _, pullback = adxform.vjp(weighted, 1.5, np.array([-4, 4, 9]))
    assert pullback(np.array([0.0, 1.0, 10.0]))[0] == 32.0


@pytest.mark.parametrize("order", ["forward-over-reverse", "reverse-over-forward", "reverse-over-reverse"])
def test_loops_of_a_rule_mask_their_products(order: str) -> None:
    def root(x: np.ndarray) -> np.floating:
        return np.sqrt(np.prod(x))

    product = adxform.hvp(root, mode=order)(np.zeros(3), np.array([1.0, 0.0, 2.0]))
    assert np.array_equal(product, np.zeros(3))


def test_what_starts_a_product_does_not_move() -> None:
    x = np.array([-math.inf, 0.5, 2.0])
    assert adxform.jvp(math.prod, (x,), (np.array([1.0, -1.0, -1.0]),))[1] == math.inf


def test_a_pass_that_reads_what_it_replaces_leaves_nothing_out() -> None:
    fn = read("""
def f(n: int, x: f64):
    s: f64, u: f64 = for i: int in range(0, n, 1) with s_in: f64 = 0.0, u_in: f64 = x:
        a: f64 = numpy.exp(u_in)
        b: f64 = numpy.exp(x)
        s_out: f64 = operator.add(s_in, a)
        yield s_out, b
    return s""")
    assert {var.name for var in left_out(fn, alias_classes(fn))} == {"u"}


def test_what_both_sides_of_a_choice_use_is_not_left_out() -> None:
    fn = read("""
def f(small: bool, x: f64[3]):
    a: f64[3] = numpy.exp(x)
    b: f64[3] = operator.mul(a, a)
    c: f64[3] = operator.add(a, 1.0)
    y: f64[3] = numpy.where(small, b, c)
    return y""")
    assert {var.name for var in left_out(fn, alias_classes(fn))} == {"b", "c"}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: np.sum(np.minimum(np.exp(x), 5.0) ** 2), 4.0),
        (lambda x: np.sum(np.clip(np.exp(x), 0.0, 5.0) ** 2), 4.0),
        (lambda x: np.sum(np.interp(np.exp(x), np.array([0.0, 3.0]), np.array([0.0, 6.0])) ** 2), 16.0),
        (lambda x: sum(min(np.exp(t) * t, 5.0) * t for t in x), 2.0),
    ],
    ids=["minimum", "clip", "interp", "min"],
)
def test_what_overflows_beyond_a_bound_has_no_second_derivative(f, expected, order: str) -> None:
    """The slope of an exponential is its own value, which a masked product alone does not use."""
    with np.errstate(all="ignore"):
        product = adxform.hvp(f, mode=order)(np.array([0.0, 1000.0]), np.array([0.3, 0.7]))
    np.testing.assert_allclose(product, [0.3 * expected, 0.0], rtol=1e-14)

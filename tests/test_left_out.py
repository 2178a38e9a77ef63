"""Zero times what is infinite or missing, where a whole program of the corpus does not ask: one lane, one order, one infinity."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform import runtime
from adxform.analysis import choices
from adxform.analysis.choices import left_out
from adxform.ir.ops import Call
from adxform.ir.text import read
from adxform.primitives.alias import alias_classes
from tests.tables.cell import program

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


def test_compiled_products_are_masked_by_python_where_something_is_infinite() -> None:
    def recurrent(w: np.ndarray, x: np.ndarray) -> float:
        h, total = np.ones(w.shape[0]), 0.0
        for i in range(x.shape[0]):
            h = np.maximum(w @ h + x[i], -1.0)
            total += np.sum(h)
        return total

    x = np.array([[1.0, 2.0], [-3.0, 0.5], [0.25, -0.5]])
    w, capped = (np.array([[0.5, least], [0.125, 0.75]]) for least in (-np.inf, -99.0))
    gradient = adxform.grad(recurrent, argnums=(0, 1), engine="numba")
    for one, other in zip(gradient(w, x), gradient(capped, x), strict=True):
        assert np.all(np.isfinite(one))
        np.testing.assert_allclose(one, other, rtol=1e-14)


SUMS = {
    "ij,jk->ik": (runtime.masked_matmul, (3, 4), (4, 2)),
    "i,j->ij": (runtime.masked_outer, (3,), (4,)),
    "ij,kj->ik": (lambda a, b: runtime.masked_tensordot(a, b, ((1,), (1,))), (3, 4), (2, 4)),
    "ij,j,jk->ik": (lambda *operands: runtime.masked_einsum("ij,j,jk->ik", *operands), (3, 4), (4,), (4, 2)),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("subscripts", SUMS)
def test_sums_of_products_leave_out_products_with_zero(subscripts: str) -> None:
    """Each product by itself, in loops: what is finite is the same, and what is not is not."""
    masked, *shapes = SUMS[subscripts]
    terms, output = subscripts.partition("->")[0].split(","), subscripts.partition("->")[2]
    rng = np.random.default_rng(3)
    for _ in range(20):
        operands = [rng.choice([0.0, 0.0, 1.5, -2.0, 0.5, np.nan, np.inf, -np.inf], shape) for shape in shapes]
        sizes = dict(pair for term, shape in zip(terms, shapes, strict=True) for pair in zip(term, shape, strict=True))
        expected = np.zeros([sizes[letter] for letter in output])
        for places in np.ndindex(*sizes.values()):
            at = dict(zip(sizes, places, strict=True))
            factors = [operand[tuple(at[letter] for letter in term)] for term, operand in zip(terms, operands, strict=True)]
            expected[tuple(at[letter] for letter in output)] += 0.0 if 0.0 in factors else np.prod(factors)
        finite, found = np.isfinite(expected), masked(*operands)
        np.testing.assert_array_equal(np.isfinite(found), finite)
        np.testing.assert_allclose(found[finite], expected[finite], rtol=1e-14)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_products_of_vectors_of_three_leave_out_products_with_zero() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.choice([0.0, 0.0, 1.5, -2.0, np.nan, np.inf], (2, 50, 3))
    first, second = [runtime.masked_product(np.roll(a, -k, 1), np.roll(b, -m, 1)) for k, m in ((1, 2), (2, 1))]
    finite, found = np.isfinite(first - second), runtime.masked_cross(a, b)
    np.testing.assert_array_equal(np.isfinite(found), finite)
    np.testing.assert_allclose(found[finite], (first - second)[finite], rtol=1e-14)


@pytest.mark.parametrize("product", [operator.mul, np.multiply], ids=["*", "np.multiply"])
def test_a_rule_of_the_users_may_spell_its_products_as_it_likes(product: Callable[..., Any]) -> None:
    """The slope of a root is infinite at the element that is left out."""

    def root(x: Any) -> Any:
        return np.sqrt(x)

    @adxform.rule(root)
    def root_rule(x: Any) -> Any:
        y = np.sqrt(x)

        def pullback(ct: Any) -> Any:
            return product(ct, 0.5 / y)

        return y, pullback

    with np.errstate(divide="ignore"):
        found = adxform.grad(lambda x: np.sum(np.where(x > 0, root(x), 0.0)), engine="python")(np.array([0.0, 4.0]))
    np.testing.assert_array_equal(found, [0.0, 0.25])


def nested(depth: int) -> Callable[[float], float]:
    """A function of `depth` loops inside one another."""
    lines = ["def f(x):", "    a = x"]
    for k in range(depth):
        lines += ["    " * (k + 1) + f"for i{k} in range(2):", "    " * (k + 2) + f"a = a * x + {k}.0"]
    return program("\n".join([*lines, "    return a"]))


def test_time_does_not_double_with_each_loop_inside_another(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Call] = []
    call, counts = choices._Uses.call, []
    monkeypatch.setattr(choices._Uses, "call", lambda uses, op: looked.append(op) or call(uses, op))
    for depth in (3, 6):
        adxform.source(nested(depth), 0.5, mode="hvp", engine="python")
        counts.append(len(looked))
        looked.clear()
    assert counts[1] <= 5 * counts[0], counts

"""Every rule through the whole pipeline, on both engines, by `check_rule` on its samples; and the edges that samples miss."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np
import pytest

import adxform
from adxform import runtime
from adxform.api import grad
from adxform.api.rules import register, rule
from adxform.ir import intrinsics
from adxform.primitives.record import Derivative, General, Linear, Partials, Primitive
from adxform.primitives.table import TABLE, lookup, table_version
from adxform.testing import check_derivatives, check_rule
from tests.test_rule_bodies import BELONGING

DERIVATIVES = (Partials, Linear, General)
COARSE = {np.float16, np.float32, np.complex64, intrinsics.valued}  # the last: one value moves as another does


def has_derivative(derivative: Derivative | None) -> bool:
    return isinstance(derivative, DERIVATIVES)


every_rule = pytest.mark.parametrize(
    "record",
    [record for record in TABLE.values() if has_derivative(record.derivative) and record.fn not in COARSE | BELONGING],
    ids=lambda record: record.name,
)


@every_rule
def test_rule(record: Primitive) -> None:
    check_rule(record.fn)


@every_rule
def test_rule_in_machine_code(record: Primitive, monkeypatch: pytest.MonkeyPatch) -> None:
    """First derivatives: the second is checked in Python on either engine."""
    monkeypatch.setenv("ADXFORM_ENGINE", "numba")
    check_rule(record.fn, second_order=False)


def grad_of(f: Any, x: Any) -> Any:
    return grad(f)(x)


class TestMaskedLanes:
    """Lanes that a `where` leaves out give zero, not NaN."""

    x = np.array([-1.0, 0.0, 4.0])

    def test_where_over_sqrt(self) -> None:
        with np.errstate(invalid="ignore"):
            got = grad_of(lambda x: np.where(x > 0, np.sqrt(x), 0.0).sum(), self.x)
        np.testing.assert_allclose(got, [0.0, 0.0, 0.25])

    def test_where_over_log(self) -> None:
        with np.errstate(all="ignore"):
            got = grad_of(lambda x: np.where(x > 0, np.log(x), 0.0).sum(), self.x)
        np.testing.assert_allclose(got, [0.0, 0.0, 0.25])

    def test_where_over_division(self) -> None:
        with np.errstate(all="ignore"):
            got = grad_of(lambda x: np.where(x != 0, 1.0 / x, 0.0).sum(), self.x)
        np.testing.assert_allclose(got, [-1.0, 0.0, -1 / 16])

    def test_where_over_a_root_as_a_power(self) -> None:
        with np.errstate(invalid="ignore"):
            got = grad_of(lambda x: np.where(x > 0, x**0.5, 0.0).sum(), self.x)
        np.testing.assert_allclose(got, [0.0, 0.0, 0.25])

    def test_an_element_that_is_not_used(self) -> None:
        np.testing.assert_allclose(grad_of(lambda x: np.sqrt(x)[1:].sum(), np.array([0.0, 4.0])), [0.0, 0.25])

    def test_a_number_that_is_not_taken(self) -> None:
        with np.errstate(all="ignore"):
            assert grad_of(lambda x: np.where(x > 0, np.sqrt(x), 0.0), np.float64(0.0)) == 0.0
            assert grad_of(lambda x: np.where(x > 0, np.log(x), x), np.float64(0.0)) == 1.0

    def test_straight_code_needs_no_mask(self) -> None:
        text = adxform.source(lambda x, y: np.sum(np.log(x) / y), np.array([1.0, 2.0]), np.array([1.0, 2.0]), argnums=(0, 1))
        assert "masked" not in text


class TestKinks:
    """At a kink the derivative is a subgradient."""

    def test_norm_of_zero(self) -> None:
        np.testing.assert_array_equal(grad_of(lambda x: np.linalg.norm(x), np.zeros(3)), np.zeros(3))

    def test_hypot_at_the_origin(self) -> None:
        assert grad(lambda x, y: np.hypot(x, y), (0, 1))(0.0, 0.0) == (0.0, 0.0)

    def test_standard_deviation_of_equal_numbers(self) -> None:
        np.testing.assert_array_equal(grad_of(lambda x: np.std(x), np.ones(3)), np.zeros(3))

    def test_power_of_zero(self) -> None:
        np.testing.assert_array_equal(grad_of(lambda x: (x**2).sum(), np.zeros(2)), np.zeros(2))
        assert grad(lambda x, p: x**p, 1)(0.0, 2.0) == 0.0

    def test_maximum_shares_between_equal_numbers(self) -> None:
        np.testing.assert_array_equal(grad_of(lambda x: np.max(x), np.array([1.0, 2.0, 2.0])), [0.0, 0.5, 0.5])

    def test_prod_with_zeros(self) -> None:
        np.testing.assert_array_equal(grad_of(lambda x: np.prod(x), np.array([2.0, 0.0, 3.0])), [0.0, 6.0, 0.0])


class TestTable:
    """One record per callable; the user's rules come first."""

    def test_lookup_of_what_has_no_hash(self) -> None:
        assert lookup([]) is None

    def test_a_user_rule_is_seen_and_changes_the_version(self) -> None:
        def cube(x: float) -> float:
            return x**3

        before = table_version()

        @rule(cube, samples=((1.5,), (-2.0,)))
        def _(x: Any) -> Any:
            def pullback(ct: Any) -> Any:
                return 3.0 * x**2 * ct

            return x**3, pullback

        assert table_version() == before + 1
        check_rule(cube)

    def test_a_rule_replaces_another(self) -> None:
        def identity(x: float) -> float:
            return x

        register(Primitive(identity, "identity", Partials(lambda y, x: 2.0), samples=((1.0,),)))
        assert grad(lambda x: identity(x))(1.0) == 2.0
        register(Primitive(identity, "identity", Partials(lambda y, x: 1.0), samples=((1.0,),)))
        assert grad(lambda x: identity(x))(1.0) == 1.0

    def test_a_wrong_rule_is_found(self) -> None:
        def halved(x: float) -> float:
            return x / 2

        register(Primitive(halved, "halved", Partials(lambda y, x: 2.0), samples=((1.0,),)))
        with pytest.raises(AssertionError, match=r"halved.*differs"):
            check_rule(halved)


STATIC_AXES = [
    (lambda x: np.take(x, [0, 2, 0], axis=1).prod(), np.array([[1.0, 2.5, 2.0], [0.5, -1.0, 3.0]])),
    (lambda x: np.take(x, 1, axis=0).prod(), np.array([[1.0, 2.5, 2.0], [0.5, -1.0, 3.0]])),
    (lambda x: x.take([0, 1], 0).prod(), np.array([[1.0, 2.5, 2.0], [0.5, -1.0, 3.0]])),
]


@pytest.mark.parametrize("case", range(len(STATIC_AXES)))
def test_functions_that_need_a_known_axis(case: int) -> None:
    f, x = STATIC_AXES[case]
    for check in check_derivatives(f, x, rtol=1e-6):
        assert check.ok, check


DEFINED = [
    (lambda x: np.diff(x).prod(), np.array([1.0, 2.5, 2.0])),
    (lambda x: np.diff(x, 2).sum(), np.array([1.0, 2.5, 2.0, 7.0])),
    (lambda x: np.trapezoid(x**2), np.array([1.0, 2.5, 2.0])),
    (lambda x: np.trapezoid(x**2, np.array([0.0, 1.0, 3.0])), np.array([1.0, 2.5, 2.0])),
    (lambda x: np.average(x, weights=np.array([1.0, 2.0, 3.0])) ** 2, np.array([1.0, 2.5, 2.0])),
    (lambda x: np.median(x) ** 2, np.array([1.0, 2.5, 2.0])),
    (lambda x: np.median(x) ** 2, np.array([1.0, 2.5, 2.0, 7.0])),
    (lambda x: np.ptp(x) ** 2, np.array([1.0, 2.5, 2.0])),
    (lambda x: (np.hstack([x, 2.0 * x]) ** 2).sum(), np.array([1.0, 2.5])),
    (lambda x: (np.vstack([x, x * x]) @ x).prod(), np.array([1.0, 2.5])),
    (lambda x: (np.column_stack([x, x * x]) @ x).prod(), np.array([1.0, 2.5])),
    (lambda x: np.split(x, 2)[0] @ np.split(x, 2)[1], np.array([1.0, 2.5, 2.0, 7.0])),
    (lambda x: np.linalg.slogdet(x)[1], np.array([[2.0, 0.5], [-0.25, 1.5]])),
    (lambda x: np.linalg.matrix_power(x, 3).sum(), np.array([[2.0, 0.5], [-0.25, 1.5]])),
    (lambda x: np.linalg.eigh(x @ x.T)[0][0] + (np.linalg.eigh(x @ x.T)[1][0] ** 2)[1], np.array([[2.0, 0.5], [-0.25, 1.5]])),
    (lambda x: (np.convolve(x, x * x) ** 2).sum(), np.array([1.0, 2.5, 0.5])),
    (lambda x: (np.convolve(x, x[:2], "same") ** 2).sum(), np.array([1.0, 2.5, 0.5])),
    (lambda x: np.nanmax(np.where(np.array([True, False, True]), x * x, np.nan)) ** 2, np.array([1.0, 2.5, 0.5])),
    (lambda x: np.sum(np.diff(x, prepend=0.0, append=x[:1]) ** 2), np.array([1.0, 2.5, 0.5])),
    (lambda x: np.sum(np.diff(x, axis=0, prepend=1.0) ** 2), np.array([[2.0, 0.5], [-0.25, 1.5]])),
    (lambda x: np.sum(np.interp(x, x[1:2] * 0.5, x[:1]) ** 2), np.array([1.0, 2.5, 0.5])),
    (lambda x: np.sum(np.interp(x, np.array([0.7, 2.0]), x[:2], left=x[0] * 2, right=0.5) ** 2), np.array([1.0, 2.5, 0.5])),
    (lambda x: np.linalg.slogdet(x).logabsdet ** 2, np.array([[2.0, 0.5], [-0.25, 1.5]])),
    (lambda x: np.linalg.eigh(x @ x.T).eigenvalues[0], np.array([[2.0, 0.5], [-0.25, 1.5]])),
    (lambda x: np.sum(np.pad(x, (1, 2), constant_values=(3.0, 4.0)) ** 2), np.array([1.0, 2.5])),
    (lambda x: np.sum(np.pad(x, 2, constant_values=x[0]) ** 3 * np.arange(6.0)), np.array([1.0, 2.5])),
    (lambda x: np.sum(np.pad(x, (0, 2), "constant", constant_values=x) ** 3 * np.arange(4.0)), np.array([1.0, 2.5])),
    (
        lambda x: np.sum(np.pad(x * x, ((1, 2), (0, 1)), constant_values=((x[0, 0], 2.0), (x[1, 1], x[0, 1]))) ** 3),
        np.array([[2.0, 0.5], [-0.25, 1.5]]),
    ),
    (lambda x: np.einsum("i...,i...->...", x, x)[0], np.array([[2.0, 0.5], [-0.25, 1.5]])),
    (lambda x: np.sum(np.einsum("ij,i->j", x[:1], x[0]) ** 2), np.array([[2.0, 0.5], [-0.25, 1.5]])),
    (lambda x: np.einsum("ii", np.einsum("ij,jk->ik", x, x, optimize=True)), np.array([[2.0, 0.5], [-0.25, 1.5]])),
    (lambda x: (np.append(x, x[0]) ** 2).sum(), np.array([1.0, 2.5])),
    (lambda x: np.sum(np.arange(x[0], 4.0) ** 2), np.array([1.3, 2.5])),
    (lambda x: np.sum(np.arange(x[0], 4.0 * x[1], x[2]) ** 2 * x[1]), np.array([1.3, 2.5, 2.0])),
]


@pytest.mark.parametrize("case", range(len(DEFINED)))
def test_functions_known_by_definition(case: int) -> None:
    f, x = DEFINED[case]
    for check in check_derivatives(f, x, rtol=1e-6):
        assert check.ok, check


def scaled_in_place(x: Any) -> Any:
    y = x * 1.0
    np.multiply.at(y, [0], 2.0)
    return np.sum(y)


REFUSED = [
    (lambda x: np.sum(np.linalg.svd(np.outer(x[:2], x[:3]))[0]), "full_matrices"),
    (lambda x: np.interp(0.5, x, x, period=3.0), "period"),
    (lambda x: np.sum(np.linspace(x[0], 4.0, 5, retstep=True)[0]), "retstep"),
    (lambda x: np.quantile(x, 0.3, method="nearest"), "quantile"),
    (lambda x: np.sum(np.pad(x, 1, "mean")), "edge"),
    (lambda x: np.sum(np.linalg.qr(np.outer(x, x), "complete")[0]), "mode"),
    (lambda x: np.sum(np.arange(x[0], 4.0, like=x)), "parameter `like`"),
    (lambda x: np.sum(np.arange(x[0] * 1j, 4.0).real), "real numbers"),
    (scaled_in_place, "may write"),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_a_call_that_a_rule_does_not_cover_is_refused_where_it_stands(case: int) -> None:
    f, words = REFUSED[case]
    with pytest.raises(adxform.errors.AdxError, match=words) as caught:
        grad(f)(np.array([1.0, 2.5, 2.0]))
    assert caught.value.span.file == __file__


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(np.einsum(x, [0], x, [1], [0, 1])),
        lambda x: np.kron(x, np.outer(x, x))[0, 0],
        lambda x: np.sum(np.full(3, fill_value=x[0]) * np.clip(x, min=x[1], max=2.7)),
    ],
)
def test_calls_by_other_forms_are_covered(f: Any) -> None:
    checks = adxform.check_derivatives(f, np.array([1.0, 2.5, 2.2]))
    assert all(check.ok for check in checks), checks


def test_exact_products_stay_exact() -> None:
    ct = np.array([0.0, 2.0, np.nan])
    np.testing.assert_array_equal(runtime.masked_product(ct, np.array([np.inf, 3.0, 1.0])), [0.0, 6.0, np.nan])


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64"])
def test_a_number_beyond_the_kind_of_an_array_is_as_infinite_ones_are(dtype: str) -> None:
    array = np.array([0.0, 2.0], dtype)
    with np.errstate(over="ignore"):
        for found in (runtime.masked_product(1e300, array), runtime.masked_product(array, 1e300)):
            assert (found.dtype, found[0], np.isinf(found[1])) == (array.dtype, 0.0, True)


def test_operators_have_rules() -> None:
    assert all(lookup(fn) is not None for fn in (operator.add, operator.matmul, operator.getitem, operator.setitem))


def test_powers_at_zero_have_the_slope_of_each_power() -> None:
    def polynomial(x: float, c: Any) -> Any:
        total = 0.0
        for k in range(len(c)):
            total += c[k] * x**k
        return total

    c = np.array([1.0, 2.0, 3.0])
    assert grad(polynomial)(0.0, c) == 2.0
    assert grad(lambda x: np.sum(c * x ** np.arange(3)))(0.0) == 2.0


def test_a_length_has_no_second_derivative_at_the_origin() -> None:
    with np.errstate(invalid="ignore"):
        found = adxform.hessian(lambda x: np.linalg.norm(x) ** 2)(np.zeros(2))
    assert not np.isfinite(found).all()


@pytest.mark.parametrize(
    "length",
    [lambda x: np.linalg.norm(x), lambda x: np.hypot(x[0], x[1]), lambda x: np.std(x)],
    ids=["norm", "hypot", "std"],
)
def test_a_length_of_zero_has_a_first_derivative_of_zero_and_no_second(length) -> None:
    """The Hessian of the square is not zero there, which a second derivative of zero would make it."""
    np.testing.assert_array_equal(adxform.grad(length)(np.zeros(2)), np.zeros(2))
    assert np.isnan(adxform.hessian(length)(np.zeros(2))).any()
    assert np.isnan(adxform.hvp(lambda x: length(x) ** 2)(np.zeros(2), np.array([1.0, -2.0]))).any()


@pytest.mark.parametrize("spread", [np.var, np.std], ids=["var", "std"])
def test_the_variance_of_too_few_is_no_number_and_does_not_raise(spread) -> None:
    gradient = grad(lambda x: spread(x, ddof=1))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert np.isnan(gradient(np.ones(1))).all()
        assert gradient(np.zeros(0)).shape == (0,)


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors:DeprecationWarning")
def test_a_cross_product_of_three_and_two_is_that_in_space() -> None:
    a, b = np.array([0.25, 2.0, -0.75]), np.array([0.5, -1.5])
    weights = np.array([1.0, -2.0, 3.0])
    gradient = adxform.grad(lambda x, y: np.sum(weights * np.cross(x, y)), argnums=(0, 1))
    if np.lib.NumpyVersion(np.__version__) >= "2.5.0":
        with pytest.raises(ValueError, match="3-dimensional"):
            gradient(a, b)
        return
    found = gradient(a, b)
    np.testing.assert_allclose(found[0], np.cross(np.append(b, 0.0), weights))
    np.testing.assert_allclose(found[1], np.cross(weights, a)[:2])

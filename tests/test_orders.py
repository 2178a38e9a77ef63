"""Second derivatives, whichever sweep goes over which: one Hessian, four ways to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import (
    AdxError,
    NonScalarOutputError,
    PreparationMismatchError,
    TangentMismatchError,
    UnsupportedOperationError,
)
from adxform.frontend.derivative_operators import ORDERS, USUAL
from tests import prepared_programs
from tests.oracle import central_jacobian, float_leaves, pack
from tests.prepared_programs import PROGRAMS, Program, X, building, points
from tests.test_corpus import SCALAR_PROGRAMS, SINGLE, close, like, quiet, tolerance, weights
from tests.test_same_point import HARD

V = np.array([1.0, -0.5, 0.25])
OTHERS = [order for order in ORDERS if order != USUAL]
REFUSED = frozenset({"grouped.the_best_run_so_far", "kinds.array_of_a_number_of_two_kinds_made_one_of_floats"})
"""Refused in some order: of what may be whole numbers the second sweep has no array of floats for the cotangent, and which of
two lists a name holds cannot be followed where one operator is written out in another."""
orders = pytest.mark.parametrize("order", ORDERS)


@pytest.mark.parametrize("program", SCALAR_PROGRAMS, ids=lambda program: program.name)
@quiet
def test_every_scalar_program(program: Any) -> None:
    prepared = SCALAR_PROGRAMS.index(program) % 6 == 0
    for point in program.points:
        if point.gradient is not None:
            continue
        chosen = tuple(point.args[i] for i in program.wrt)
        v = like(chosen, weights(pack(float_leaves(chosen)).size, 3))
        usual = adxform.prepare_hvp(program.function, *point.fresh(), argnums=program.wrt)
        value, gradient, product = usual.value_gradient_and_hvp(*point.fresh(), v)
        expected, tol = pack(float_leaves(product)), SINGLE if tolerance(point) == SINGLE else 1e-9
        for order in OTHERS:
            try:
                found = adxform.hvp(program.function, argnums=program.wrt, mode=order)(*point.fresh(), v)
            except UnsupportedOperationError:
                assert program.name in REFUSED
                continue
            close(pack(float_leaves(found)), expected, tol, f"{order} at {point.args}")
            if prepared:
                p = adxform.prepare_hvp(program.function, *point.fresh(), argnums=program.wrt, mode=order)
                close(pack(float_leaves(p(*point.fresh(), v))), expected, tol, f"prepared {order} at {point.args}")
                one, slopes, found = p.value_gradient_and_hvp(*point.fresh(), v)
                assert one == value
                close(pack(float_leaves(found)), expected, tol, f"prepared {order} at {point.args}")
                close(pack(float_leaves(slopes)), pack(float_leaves(gradient)), tol, f"gradient of {order} at {point.args}")


@orders
@pytest.mark.parametrize("f", HARD)
def test_hard_programs_against_differences(f: Any, order: Any) -> None:
    x, v = np.linspace(0.3, 1.2, 5), np.linspace(-1.0, 1.0, 5)
    hessian = central_jacobian(lambda x: adxform.grad(f)(x.copy()), x)[0]
    np.testing.assert_allclose(adxform.hvp(f, mode=order)(x, v), hessian @ v, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(adxform.hessian(f, mode=order)(x), hessian, rtol=1e-6, atol=1e-7)


@orders
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_prepared_programs(program: Program, order: Any) -> None:
    product, hessian = (make(program.function, X, mode=order) for make in (adxform.prepare_hvp, adxform.prepare_hessian))
    before, marks = building(), (product.fingerprint(), hessian.fingerprint())
    for x in points(3):
        matrix = central_jacobian(adxform.grad(program.function), x)[0]
        value, gradient = adxform.value_and_grad(program.function)(x)
        for found in (product(x, V), product.gradient_and_hvp(x, V)[1], product.value_gradient_and_hvp(x, V)[2]):
            np.testing.assert_allclose(found, matrix @ V, rtol=1e-5, atol=1e-5)
        for found in (hessian(x), hessian.gradient_and_hessian(x)[1], hessian.value_gradient_and_hessian(x)[2]):
            np.testing.assert_allclose(found, matrix, rtol=1e-5, atol=1e-5)
        for whole in (product.value_gradient_and_hvp(x, V), hessian.value_gradient_and_hessian(x)):
            assert whole[0] == pytest.approx(value, rel=1e-14)
            np.testing.assert_allclose(whole[1], gradient, rtol=1e-10, atol=1e-12)
    adxform.prepare_gradient(program.function, X)  # what the oracle built is built
    assert (product.fingerprint(), hessian.fingerprint()) == marks
    before = building()
    product(V, X)
    hessian(V)
    assert building() == before


@orders
def test_structures_and_argnums(order: Any) -> None:
    def model(weights: Any, x: Any, power: int) -> Any:
        return np.sum((weights["w"] @ x + weights["b"]) ** power)

    rng = np.random.default_rng(0)
    weights = {"w": rng.normal(size=(2, 3)), "b": 0.5}
    vector = {"w": rng.normal(size=(2, 3)), "b": -1.0}
    for argnums, v in ((0, vector), (1, V), ((0, 1), (vector, V)), ((-2, 0), (V, vector))):
        for power in (1, 3):
            expected = adxform.hvp(model, argnums)(weights, X, power, v)
            found = adxform.hvp(model, argnums, mode=order)(weights, X, power, v)
            assert type(found) is type(expected)
            np.testing.assert_allclose(pack(float_leaves(found)), pack(float_leaves(expected)), rtol=1e-9, atol=1e-12)
            p = adxform.prepare_hvp(model, weights, X, power, argnums=argnums, mode=order)
            np.testing.assert_allclose(pack(float_leaves(p(weights, X, power, v))), pack(float_leaves(expected)), rtol=1e-9)
            whole, wanted = (adxform.hessian(model, argnums, mode=mode)(weights, X, power) for mode in (order, USUAL))
            np.testing.assert_allclose(pack(float_leaves(whole)), pack(float_leaves(wanted)), rtol=1e-9, atol=1e-12)
            made = adxform.prepare_hessian(model, weights, X, power, argnums=argnums, mode=order)(weights, X, power)
            np.testing.assert_allclose(pack(float_leaves(made)), pack(float_leaves(wanted)), rtol=1e-9, atol=1e-12)


@orders
def test_small_and_plain_arguments(order: Any) -> None:
    assert adxform.hvp(lambda x: x**3, mode=order)(2.0, 1.0) == 12.0
    assert adxform.hvp(lambda x: 2.0 * x, mode=order)(2.0, 1.0) == 0.0
    assert adxform.hessian(lambda x: 3.0, mode=order)(2.0) == 0.0
    assert adxform.hvp(lambda x, y: y * 2.0, mode=order)(None, 1.0, None) is None
    empty = np.empty(0)
    assert adxform.hvp(lambda x: np.sum(x**3), mode=order)(empty, empty).shape == (0,)
    p = adxform.prepare_hvp(lambda x: 1.0 + np.sum(x**3), empty, mode=order)
    assert p(empty, empty).shape == (0,)
    assert p.value_gradient_and_hvp(empty, empty)[0] == 1.0
    assert adxform.prepare_hessian(lambda x: np.sum(x**3), empty, mode=order)(empty).shape == (0, 0)
    constant = adxform.prepare_hvp(lambda x: 3.0, X, mode=order).value_gradient_and_hvp(X, V)
    np.testing.assert_array_equal(constant[1:], np.zeros((2, 3)))
    narrow = np.float32([1.0, 2.0])
    for found in (
        adxform.hvp(lambda x: np.sum(x**3), mode=order)(narrow, narrow),
        adxform.prepare_hvp(lambda x: np.sum(x**3), narrow, mode=order)(narrow, narrow),
    ):
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, [6.0, 24.0])
    assert adxform.hessian(lambda x: np.sum(x**3), mode=order)(narrow).dtype == np.float32


@orders
def test_inside_differentiated_functions(order: Any) -> None:
    f = prepared_programs.looped
    product, whole = adxform.prepare_hvp(f, X, mode=order), adxform.prepare_hessian(f, X, mode=order)

    @adxform.differentiable
    def energy(x):
        return np.sum(x**4)

    outers = [
        lambda x: np.sum(adxform.hvp(f, mode=order)(x, V) ** 2),
        lambda x: np.sum(adxform.hessian(f, 0, order)(x) ** 2),
        lambda x: np.sum(product(x, x) ** 2) + product.gradient_and_hvp(x, x)[0] @ x,
        lambda x: np.sum(whole(x) ** 2) + whole.value_gradient_and_hessian(x)[0],
        lambda x: np.sum(energy.hvp(x, V, mode=order) ** 2) + np.sum(energy.hessian(x, mode=order)),
    ]
    for outer in outers:
        expected = central_jacobian(lambda x, outer=outer: np.array([outer(x)]), X)[0][0]
        np.testing.assert_allclose(adxform.grad(outer)(X), expected, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(adxform.jvp(outer, (X,), (V,))[1], expected @ V, rtol=1e-6, atol=1e-6)
    once = adxform.grad(outers[0])
    expected = central_jacobian(once, X)[0] @ V
    for mode in ORDERS:
        np.testing.assert_allclose(adxform.hvp(outers[0], mode=mode)(X, V), expected, rtol=1e-6, atol=1e-6)


def test_orders_have_their_names_in_errors() -> None:
    f = prepared_programs.looped
    makers = (
        lambda mode: adxform.hvp(f, mode=mode),
        lambda mode: adxform.hessian(f, mode=mode),
        lambda mode: adxform.prepare_hvp(f, X, mode=mode),
        lambda mode: adxform.prepare_hessian(f, X, mode=mode),
        lambda mode: adxform.differentiable(f).hvp(X, V, mode=mode),
    )
    for make in makers:
        with pytest.raises(ValueError, match=", ".join(ORDERS)):
            make("backwards")
    for inner in (lambda x: adxform.hvp(f, mode="backwards")(x, x), lambda x: adxform.hessian(f, mode="backwards")(x)):
        with pytest.raises(AdxError, match="reverse-over-forward") as caught:
            adxform.grad(lambda x, inner=inner: np.sum(inner(x)))(X)
        assert caught.value.span.line


@orders
def test_what_does_not_fit(order: Any) -> None:
    with pytest.raises(NonScalarOutputError):
        adxform.hvp(lambda x: x, mode=order)(X, V)
    with pytest.raises(NonScalarOutputError):
        adxform.hessian(lambda x: x, mode=order)(X)
    with pytest.raises(NonScalarOutputError) as caught:
        adxform.grad(lambda x: np.sum(adxform.hvp(lambda y: x * y, mode=order)(x, x)))(X)
    assert caught.value.span.line
    with pytest.raises(TangentMismatchError):
        adxform.hvp(prepared_programs.looped, mode=order)(X, V[:2])
    with pytest.raises(ValueError, match="differs in shape"):
        adxform.grad(lambda x: np.sum(adxform.hvp(prepared_programs.looped, mode=order)(x, V[:2])))(X)
    with pytest.raises(PreparationMismatchError):
        adxform.prepare_hvp(prepared_programs.looped, X, mode=order)(X, V[:2])


def test_a_product_is_a_function_of_its_vector_too() -> None:
    f = prepared_programs.looped
    hessian = adxform.hessian(f)(X)
    for product in (adxform.hvp(f), adxform.hvp(f, mode="reverse-over-forward"), adxform.prepare_hvp(f, X)):
        np.testing.assert_allclose(adxform.jacobian(product, argnums=1)(X, V), hessian, rtol=1e-12, atol=1e-14)
        slopes = central_jacobian(lambda x, product=product: product(x, V), X)[0]
        np.testing.assert_allclose(adxform.jacobian(product)(X, V), slopes, rtol=1e-6, atol=1e-7)

"""Operators inside operators, and inside functions that are differentiated."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import adxform


def wave(x):
    return np.sin(x) * x


def energy(x, k):
    total = 0.0
    for i in range(x.shape[0]):
        total += k * x[i] ** 3 + x[i] * x[i - 1]
    return total


def test_three_orders() -> None:
    first = adxform.grad(wave)
    second = adxform.grad(first)
    third = adxform.grad(second)
    x = 0.7
    assert first(x) == pytest.approx(np.cos(x) * x + np.sin(x), rel=1e-14)
    assert second(x) == pytest.approx(2 * np.cos(x) - x * np.sin(x), rel=1e-14)
    assert third(x) == pytest.approx(-3 * np.sin(x) - x * np.cos(x), rel=1e-14)


@pytest.mark.parametrize("outer", ["forward", "reverse"])
@pytest.mark.parametrize("inner", ["forward", "reverse"])
def test_every_mode_over_every_mode(inner: str, outer: str) -> None:
    def slope(x):
        if inner == "reverse":
            return adxform.grad(wave)(x)
        return adxform.jvp(wave, (x,), (1.0,))[1]

    x = 0.7
    found = adxform.grad(slope)(x) if outer == "reverse" else adxform.jvp(slope, (x,), (1.0,))[1]
    assert found == pytest.approx(2 * np.cos(x) - x * np.sin(x), rel=1e-14)


def test_grad_in_a_function() -> None:
    def penalty(x, k):
        slope = adxform.grad(energy)(x, k)
        return np.sum(slope**2)

    x = np.array([1.0, 2.0, 0.5])
    h = adxform.hessian(energy)(x, 2.0)
    g = adxform.grad(energy)(x, 2.0)
    np.testing.assert_allclose(adxform.grad(penalty)(x, 2.0), 2.0 * h @ g, rtol=1e-12)


def test_jvp_of_a_function_that_calls_grad() -> None:
    def slope(x):
        return adxform.grad(energy)(x, 2.0)

    x, v = np.array([1.0, 2.0, 0.5]), np.array([1.0, 0.0, -1.0])
    adxform.clear_cache()
    out, tangent = adxform.jvp(slope, (x,), (v,))
    np.testing.assert_allclose(out, adxform.grad(energy)(x, 2.0), rtol=1e-14)
    np.testing.assert_allclose(tangent, adxform.hvp(energy)(x, 2.0, v), rtol=1e-12)
    built = adxform.stats()["rule_builds"]
    adxform.jvp(slope, (2.0 * x,), (v,))
    assert adxform.stats()["rule_builds"] == built


def test_perturbations_are_not_confused() -> None:
    def f(x):
        return x * adxform.jvp(lambda y: x * y, (1.0,), (1.0,))[1]

    assert adxform.jvp(f, (3.0,), (1.0,))[1] == 6.0
    assert adxform.grad(f)(3.0) == 6.0

    def g(x):
        return x * adxform.grad(lambda y: x + y)(1.0)

    assert adxform.grad(g)(3.0) == 1.0
    assert adxform.jvp(g, (3.0,), (1.0,))[1] == 1.0


def test_the_inner_function_closes_over_the_outer_argument() -> None:
    def f(x):
        def inner(y):
            return x * x * y * y

        return adxform.grad(inner)(3.0)

    assert f(2.0) == 24.0
    assert adxform.grad(f)(2.0) == 24.0


def test_value_and_grad_in_a_function() -> None:
    def f(x):
        value, slope = adxform.value_and_grad(wave)(x)
        return value * slope

    x = 0.7
    s, c = np.sin(x), np.cos(x)
    assert adxform.grad(f)(x) == pytest.approx((c * x + s) ** 2 + s * x * (2 * c - x * s), rel=1e-13)


def test_vjp_in_a_function() -> None:
    def f(x):
        out, pullback = adxform.vjp(lambda y: y * y * x, x)
        (once,) = pullback(1.0)
        (twice,) = pullback(2.0)
        return out + once + twice

    assert adxform.grad(f)(2.0) == pytest.approx(3 * 4.0 + 6 * 2 * 2.0)


def test_second_order_operators_in_a_function() -> None:
    x, v = np.array([1.0, 2.0, 0.5]), np.array([1.0, 0.0, -1.0])

    def by_product(k):
        return v @ adxform.hvp(energy)(x, k, v)

    def by_matrix(k):
        return v @ adxform.hessian(energy)(x, k) @ v

    def by_jacobian(k):
        return v @ adxform.jacobian(lambda y: adxform.grad(energy)(y, k))(x) @ v

    expected = 6.0 * np.sum(x * v * v)
    for f in (by_product, by_matrix, by_jacobian):
        assert adxform.grad(f)(2.0) == pytest.approx(expected, rel=1e-12)


def test_hvp_in_a_loop() -> None:
    def power_iteration(x):
        v = np.ones(3)
        for _ in range(4):
            v = adxform.hvp(energy)(x, 2.0, v)
            v = v / np.sqrt(v @ v)
        return v @ adxform.hvp(energy)(x, 2.0, v)

    x = np.array([1.0, 2.0, 0.5])
    adxform.clear_cache()
    found = adxform.grad(power_iteration)(x)
    h = 1e-6
    for i in range(3):
        step = h * np.eye(3)[i]
        slope = (power_iteration(x + step) - power_iteration(x - step)) / (2 * h)
        assert found[i] == pytest.approx(slope, rel=1e-6, abs=1e-6)


def test_stop_gradient_in_a_nested_function() -> None:
    def f(x):
        return adxform.grad(lambda y: y * y * adxform.stop_gradient(x))(x)

    assert adxform.grad(f)(3.0) == 6.0


def test_differentiable_in_a_function() -> None:
    @adxform.differentiable
    def cube(x):
        return x**3

    def f(x):
        return cube.grad(x) * cube(x)

    assert adxform.grad(f)(2.0) == pytest.approx(5 * 3 * 2.0**4)


def test_structures_through_nested_operators() -> None:
    def loss(p):
        return p["w"] ** 2 * np.sum(p["b"] ** 2)

    def size(p: Any):
        g = adxform.grad(loss)(p)
        return g["w"] ** 2 + np.sum(g["b"] ** 2)

    p = {"w": 2.0, "b": np.array([1.0, 3.0])}
    found = adxform.grad(size)(p)
    s = 10.0
    assert found["w"] == pytest.approx(2 * 4 * s * 2 * s + 4 * 4 * p["w"] ** 3 * s)
    np.testing.assert_allclose(found["b"], 2 * 4 * p["w"] ** 2 * s * 2 * p["b"] + 2 * 4 * p["w"] ** 4 * p["b"])


def test_a_derivative_that_is_a_number_has_derivatives() -> None:
    curvature = adxform.grad(adxform.grad(lambda x: x**2))
    value, pullback = adxform.vjp(curvature, 0.5)
    assert value == 2.0
    assert pullback(1.0) == (0.0,)
    assert adxform.jvp(curvature, (0.5,), (1.0,)) == (2.0, 0.0)
    assert adxform.grad(lambda x: x * adxform.vjp(curvature, x)[1](3.0)[0] + x)(2.0) == 1.0


def test_a_written_auxiliary_result_is_followed_from_outside() -> None:
    def doubled(x):
        y = x * 2.0
        y[0] = y[1] ** 2
        return np.sum(y), y

    def outer(x):
        gradient, y = adxform.grad(doubled, has_aux=True)(x)
        return np.sum(gradient * y)

    assert adxform.grad(outer)(np.array([1.0, 2.0])).tolist() == [0.0, 68.0]
    assert adxform.jacobian(outer, mode="forward")(np.array([1.0, 2.0])).tolist() == [0.0, 68.0]


def test_a_stopped_copy_of_a_written_array_is_constant() -> None:
    def held(x):
        y = x * 2.0
        s = adxform.stop_gradient(y.copy())
        y[0] = y[1] * 3.0
        return np.sum(s * y)

    assert adxform.grad(held)(np.array([1.0, 2.0])).tolist() == [0.0, 20.0]
    assert adxform.jacobian(held, mode="forward")(np.array([1.0, 2.0])).tolist() == [0.0, 20.0]


def test_an_inner_function_that_always_raises_raises() -> None:
    def absent(x):
        return {"a": x}["b"]

    for operator in (lambda x: adxform.jvp(absent, (x,), (1.0,))[1], lambda x: adxform.vjp(absent, x)[0]):
        with pytest.raises(KeyError, match="b"):
            adxform.jvp(operator, (1.0,), (1.0,))


def test_a_product_with_respect_to_nothing() -> None:
    def f(x, y):
        return y * 2.0

    assert adxform.hvp(f)(None, 1.0, None) is None


POLES = [
    (lambda x: math.sqrt(x), 0.0, math.inf),
    (lambda x: x**0.5, 0.0, math.inf),
    (lambda x: math.pow(x, 0.25), 0.0, math.inf),
    (lambda x: math.cbrt(x), 0.0, math.inf),
    (lambda x: math.asin(x), 1.0, math.inf),
    (lambda x: math.acos(x), -1.0, -math.inf),
    (lambda x: math.acosh(x), 1.0, math.inf),
    (lambda x: np.sqrt(x), 0.0, math.inf),
    (lambda x: adxform.grad(lambda y: y**1.5)(x), 0.0, math.inf),
    (lambda x: adxform.grad(adxform.grad(lambda y: y**2.0))(x), 0.0, 0.0),
]


@pytest.mark.parametrize("case", range(len(POLES)))
def test_slopes_of_python_floats_at_poles_are_infinite_as_those_of_arrays(case: int) -> None:
    f, x, slope = POLES[case]
    assert adxform.grad(f)(x) == slope
    assert adxform.jvp(f, (x,), (1.0,))[1] == slope


def test_a_number_that_is_not_chosen_leaks_no_nan() -> None:
    assert adxform.grad(lambda x: max(math.sqrt(x), 1.0))(0.0) == 0.0
    assert adxform.grad(lambda x: np.maximum(np.sqrt(x), 1.0))(0.0) == 0.0


def ripple(x, a):
    return np.sum(np.sin(a * x) * x[::-1] ** 2)


POINT, ALONG = np.array([0.4, -0.6, 1.1]), np.array([1.0, 0.5, -0.3])
INNER = {
    "grad": lambda f, x: np.sum(adxform.grad(f)(x) ** 2),
    "jvp": lambda f, x: adxform.jvp(f, (x,), (x * x,))[1],
    "vjp": lambda f, x: np.sum(adxform.vjp(f, x)[1](2.0)[0] ** 2),
    "hvp": lambda f, x: np.sum(adxform.hvp(f)(x, x) ** 2),
    "hessian": lambda f, x: np.sum(adxform.hessian(f)(x) ** 2),
}
PREPARED_GRADIENT = adxform.prepare_gradient(ripple, POINT, 1.0)
PREPARED_PRODUCT = adxform.prepare_hvp(ripple, POINT, 1.0)
PREPARED_HESSIAN = adxform.prepare_hessian(ripple, POINT, 1.0)
PREPARED_INNER = {
    "grad": lambda x: np.sum(PREPARED_GRADIENT(x, x[0]) ** 2),
    "hvp": lambda x: np.sum(PREPARED_PRODUCT(x, x[0], x) ** 2),
    "hessian": lambda x: np.sum(PREPARED_HESSIAN(x, x[0]) ** 2),
}


def nested_in(place: str, inner: Any) -> Any:
    """A function of an array that calls `inner` in a loop, with closures made anew, or with captured active values."""

    def looped(x):
        total = 0.0
        for k in range(2):
            total += inner(lambda y: ripple(y, 1.0), x * (k + 1.0))
        return total

    def anew(x):
        def closure(scale):
            return lambda y: ripple(y * scale, scale)

        total = 0.0
        for k in range(2):
            total += inner(closure(k + 0.5), x)
        return total

    def captured(x):
        return inner(lambda y: ripple(y, x[0]) * x[1], x) * x[2]

    return {"loop": looped, "closure anew": anew, "captured": captured}[place]


def check_outer(f: Any) -> None:
    """Every outer operator over `f`, against differences of `f` and of its gradient."""
    steps = 1e-5 * np.eye(3)
    slopes = np.array([(f(POINT + step) - f(POINT - step)) / 2e-5 for step in steps])
    gradient = adxform.grad(f)
    near = {"rtol": 1e-5, "atol": 1e-5}
    np.testing.assert_allclose(gradient(POINT), slopes, **near)
    np.testing.assert_allclose(adxform.jvp(f, (POINT,), (ALONG,))[1], slopes @ ALONG, **near)
    np.testing.assert_allclose(adxform.vjp(f, POINT)[1](2.0)[0], 2 * slopes, **near)
    np.testing.assert_allclose(adxform.prepare_gradient(f, POINT)(POINT), slopes, **near)
    bent = (gradient(POINT + 1e-5 * ALONG) - gradient(POINT - 1e-5 * ALONG)) / 2e-5
    near = {"rtol": 1e-5, "atol": 1e-5 * max(1.0, float(np.max(np.abs(bent))))}
    np.testing.assert_allclose(adxform.hvp(f)(POINT, ALONG), bent, **near)
    np.testing.assert_allclose(adxform.prepare_hvp_same_point(f, POINT)(ALONG), bent, **near)


@pytest.mark.parametrize("place", ["loop", "closure anew", "captured"])
@pytest.mark.parametrize("inner", INNER)
def test_every_operator_inside_every_other(inner: str, place: str) -> None:
    check_outer(nested_in(place, INNER[inner]))


@pytest.mark.parametrize("inner", PREPARED_INNER)
def test_every_operator_over_prepared_ones(inner: str) -> None:
    check_outer(PREPARED_INNER[inner])

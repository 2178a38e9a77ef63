"""Arguments that a function writes: derivatives are those at what the caller gave, in every mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AliasError
from adxform.frontend.derivative_operators import ORDERS


def element(z: Any) -> Any:
    z[0] = 2.0
    return np.sum(z * z)


def loop(z: Any) -> Any:
    for i in range(len(z)):
        z[i] = z[i] * 2.0
    return np.sum(z * z)


def view(z: Any) -> Any:
    y = z[1:]
    y += 1.0
    return np.sum(z * z)


def result_in_place(z: Any) -> Any:
    np.multiply(z, 2.0, out=z)
    return np.sum(z * z)


def branch(z: Any) -> Any:
    if z[0] < 5.0:
        z[0] = z[1]
    return np.sum(z * z)


@pytest.mark.parametrize("mode", ["forward", "reverse", "auto"])
@pytest.mark.parametrize("function", [element, loop, view, result_in_place, branch])
def test_a_jacobian_is_that_at_the_argument(function: Callable[[Any], Any], mode: Any) -> None:
    x = np.array([1.0, 2.0, 3.0])
    expected = adxform.grad(function)(x)
    np.testing.assert_allclose(adxform.jacobian(function, mode=mode)(x), expected)
    np.testing.assert_allclose(adxform.jacobian(lambda y: adxform.jacobian(function, mode=mode)(y) @ y)(x).shape, (3,))
    assert np.array_equal(x, [1.0, 2.0, 3.0])


def test_a_pullback_of_one_array_for_two_is_refused_where_one_is_written() -> None:
    def both(x: Any, y: Any) -> Any:
        x[0] = 2.0 * y[1]
        return np.sum(x * y)

    x = np.array([1.0, 2.0, 3.0])
    with pytest.raises(AliasError, match="shares memory"):
        adxform.vjp(both, x, x)
    with pytest.raises(AliasError, match="shares memory"):
        adxform.prepare_vjp(both, x, x.copy())(x, x)


def through_a_copy(x: Any) -> Any:
    y = x.reshape(-1)
    y[0] = 3.0
    return np.sum(x**2)


@pytest.mark.parametrize("engine", ["python", "numba"])
def test_elements_that_share_a_place_are_copied_where_numpy_copies_them(engine: Any) -> None:
    x = np.broadcast_to([0.5, -1.5, 2.0], (2, 3))
    value, gradient = adxform.value_and_grad(through_a_copy, engine=engine)(x)
    assert value == through_a_copy(x)
    np.testing.assert_allclose(gradient, 2.0 * x)
    np.testing.assert_allclose(adxform.jacobian(through_a_copy, engine=engine)(x), 2.0 * x)


def other(x: Any, y: Any, *, scale: float = 1.0) -> Any:
    """Writes to the argument that is not differentiated by default."""
    y[0] = x[0] ** 2
    return scale * x * y


def total(x: Any, y: Any, *, scale: float = 1.0) -> Any:
    return np.sum(other(x, y, scale=scale))


def gradient_inside(x: Any, y: Any) -> Any:
    return adxform.grad(total)(x, y)


HESSIAN_MODES: tuple[Any, ...] = ("forward-over-reverse", "reverse-over-reverse", "reverse-over-forward", "forward-over-forward")


@pytest.mark.parametrize("mode", ["forward", "reverse", "auto"])
def test_a_jacobian_leaves_another_argument_as_it_is(mode: Any) -> None:
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    by_x, by_y = adxform.jacobian(other, argnums=(0, 1), mode=mode)(x, y, scale=2.0)
    np.testing.assert_allclose(by_x, [[6.0, 0.0], [0.0, 8.0]])
    np.testing.assert_allclose(by_y, [[0.0, 0.0], [0.0, 4.0]])
    assert np.array_equal(x, [1.0, 2.0])
    assert np.array_equal(y, [3.0, 4.0])


@pytest.mark.parametrize("mode", HESSIAN_MODES)
def test_second_orders_leave_another_argument_as_it_is(mode: Any) -> None:
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    np.testing.assert_allclose(adxform.hvp(total, mode=mode)(x, y, np.ones(2), scale=2.0), [12.0, 0.0])
    (xx, xy), (yx, yy) = adxform.hessian(total, argnums=(0, 1), mode=mode)(x, y)
    np.testing.assert_allclose(xx, [[6.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(xy, [[0.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(yx, [[0.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(yy, np.zeros((2, 2)))
    assert np.array_equal(y, [3.0, 4.0])


@pytest.mark.parametrize(
    "derivative",
    [
        lambda x: adxform.jacobian(other)(x, x),
        lambda x: adxform.jacobian(other, mode="forward")(x, x[::-1]),
        lambda x: adxform.hvp(total)(x, x, x),
        lambda x: adxform.hessian(total)(x, x),
        lambda x: adxform.hessian(total, mode="forward-over-forward")(x, x),
        lambda x: gradient_inside(x, x),
        lambda x: adxform.jacobian(gradient_inside)(x, x),
        lambda x: adxform.jvp(gradient_inside, (x, x), (x, x)),
        lambda x: adxform.vjp(gradient_inside, x, x),
    ],
)
def test_one_array_for_two_is_refused_where_a_derivative_inside_writes_to_one(derivative: Callable[[Any], Any]) -> None:
    with pytest.raises(AliasError, match="shares memory") as caught:
        derivative(np.array([1.0, 2.0]))
    assert caught.value.span.file == __file__


def squares_in_place(x, y):
    x *= x
    return np.sum(x * y)


def doubles_in_place(x, y):
    x *= 2.0
    return np.sum(x * y)


@pytest.mark.parametrize("f", [squares_in_place, doubles_in_place])
@pytest.mark.parametrize("mode", ORDERS)
def test_one_array_for_two_arguments_is_refused_at_every_order_though_the_write_leaves_no_trace(f: Any, mode: Any) -> None:
    a = np.array([0.7, 1.3, 0.4])
    for call in (lambda: adxform.hessian(f, 0, mode)(a, a), lambda: adxform.hvp(f, 0, mode)(a, a, np.ones(3))):
        with pytest.raises(AliasError):
            call()
    np.testing.assert_allclose(adxform.hessian(f, 0, mode)(a, a.copy()), np.diag(2.0 * a if f is squares_in_place else 0.0 * a))

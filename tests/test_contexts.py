"""Arguments in a context: constants and work space."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform
from adxform import constant, scratch
from adxform.errors import AliasError, ArgnumsError, TangentMismatchError
from tests.oracle import central_jacobian

X = np.array([1.0, 2.0])
DATA = np.array([0.5, 5.0])


def distance(x: Any, data: Any) -> Any:
    return ((x - data) ** 3).sum()


def with_buffer(x: Any, buffer: Any) -> Any:
    for _ in range(3):
        buffer[:] = x * x
        x = x + np.sin(buffer) * 0.1
    buffer[0] *= 2.0
    return (x * buffer).sum()


def fills(x: Any, buffer: Any) -> Any:
    buffer[:] = x * x
    return buffer


def nested(x: Any, data: Any) -> Any:
    _, pullback = adxform.vjp(distance, x, constant(data))
    cotangent, _nothing = pullback(1.0)
    pushed = adxform.jvp(distance, (x, constant(data)), (data, None))[1]
    return (adxform.grad(distance)(x, constant(data)) * x).sum() + pushed + cotangent.sum()


def plain(x: Any, data: Any) -> Any:
    slope = 3 * (x - data) ** 2
    return (slope * x).sum() + (slope * data).sum() + slope.sum()


def test_a_constant_is_passed_on() -> None:
    slope = 3 * (X - DATA) ** 2
    np.testing.assert_allclose(adxform.grad(distance)(X, constant(DATA)), slope)
    np.testing.assert_allclose(adxform.grad(distance)(X, data=constant(DATA)), slope)
    np.testing.assert_allclose(adxform.hvp(distance)(X, constant(DATA), X), 6 * (X - DATA) * X)
    assert adxform.jvp(distance, (X, constant(DATA)), (X, None))[1] == pytest.approx((slope * X).sum())
    _, pullback = adxform.vjp(distance, X, constant(DATA))
    cotangent, nothing = pullback(2.0)
    np.testing.assert_allclose(cotangent, 2 * slope)
    assert nothing is None


@pytest.mark.parametrize("operator", [adxform.grad, adxform.value_and_grad, adxform.hessian, adxform.jacobian])
def test_a_constant_is_not_named_by_argnums(operator: Any) -> None:
    for number in (1, -1, (0, 1)):
        with pytest.raises(ArgnumsError, match="is in a context"):
            operator(distance, number)(X, constant(DATA))


def test_a_constant_has_no_tangent() -> None:
    with pytest.raises(TangentMismatchError, match="expected None"):
        adxform.jvp(distance, (X, constant(DATA)), (X, DATA))


def test_work_space_is_written_to_and_not_copied() -> None:
    buffer = np.full(2, 7.0)
    expected = adxform.grad(with_buffer)(X, buffer)
    np.testing.assert_allclose(expected, central_jacobian(lambda x: np.array([with_buffer(x, np.zeros(2))]), X)[0][0], rtol=1e-6)
    np.testing.assert_array_equal(buffer, 7.0)
    assert "private(buffer)" in adxform.source(with_buffer, X, buffer)
    assert "private(buffer)" not in adxform.source(with_buffer, X, scratch(buffer))
    np.testing.assert_allclose(adxform.grad(with_buffer)(X, scratch(buffer)), expected)
    np.testing.assert_allclose(adxform.hvp(with_buffer)(X, scratch(buffer), X), adxform.hvp(with_buffer)(X, buffer, X))
    np.testing.assert_allclose(adxform.hessian(with_buffer)(X, scratch(buffer)), adxform.hessian(with_buffer)(X, buffer))


def test_a_value_is_no_work_space() -> None:
    buffer = np.empty(2)
    value, tangent = adxform.jvp(fills, (X, scratch(buffer)), (X, None))
    assert value is not buffer
    np.testing.assert_allclose(value, X * X)
    np.testing.assert_allclose(tangent, 2 * X * X)


def test_work_space_is_an_array_of_its_own() -> None:
    with pytest.raises(TypeError, match="can be written"):
        scratch(2.0)
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    with pytest.raises(TypeError, match="can be written"):
        scratch(frozen)
    with pytest.raises(AliasError):
        adxform.grad(with_buffer)(X, scratch(X))


def test_contexts_inside_a_differentiated_function() -> None:
    for number in (0, 1):
        np.testing.assert_allclose(adxform.grad(nested, number)(X, DATA), adxform.grad(plain, number)(X, DATA))
    with pytest.raises(ArgnumsError, match="in a context"):
        adxform.grad(lambda x: adxform.grad(distance, 1)(x, constant(x)).sum())(X)
    with pytest.raises(TangentMismatchError, match="in a context"):
        adxform.grad(lambda x: adxform.jvp(distance, (x, constant(x)), (x, x))[1])(X)


def test_work_space_inside_a_differentiated_function() -> None:
    found = adxform.grad(lambda x, b: adxform.grad(with_buffer)(x, scratch(b)).sum())(X, np.empty(2))
    np.testing.assert_allclose(found, adxform.hvp(with_buffer)(X, np.empty(2), np.ones(2)))


def test_work_space_is_no_vector() -> None:
    work, out = np.array([1.0, -1.0]), np.empty(2)
    expected = adxform.hvp(with_buffer)(X, scratch(np.empty(2)), work)
    product = adxform.prepare_hvp(with_buffer, X, scratch(work), directions=2)
    tangent, pull = adxform.prepare_jvp(fills, X, scratch(work)), adxform.prepare_vjp(fills, X, scratch(work))
    calls = (
        lambda: adxform.hvp(with_buffer)(X, scratch(work), work),
        lambda: adxform.jvp(fills, (X, scratch(work)), (work, None)),
        lambda: product(X, work, work),
        lambda: product(X, work, work[::-1], out=out),
        lambda: product.value_gradient_and_hvp(X, work, work, out=(None, None, out)),
        lambda: product.batch(X, work, np.broadcast_to(work, (2, 2))),
        lambda: tangent((X, work), (work, None)),
        lambda: pull.cotangents((X, work), work),
    )
    for call in calls:
        work[:] = 1.0, -1.0
        with pytest.raises(AliasError, match="shares memory with a tangent or cotangent"):
            call()
    np.testing.assert_allclose(product(X, work, np.array([1.0, -1.0])), expected)

"""What `functools.wraps` copies from a function to another says nothing of the other: neither marks of adxform nor a module."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import MissingRuleError
from tests.oracle import central_jacobian


@adxform.differentiable
def cube(x):
    return x**3


@adxform.differentiable(boundary=True)
def kept(x):
    return x**3


@adxform.checkpoint
def again(x):
    return x**3


class Pendulum:
    @adxform.differentiable
    def energy(self, x):
        return 3.0 * x**2


def doubled(fn):
    @functools.wraps(fn)
    def call(x):
        return 2.0 * fn(x)

    return call


class Traced:
    """An object that stands before a function, as decorators written as classes make."""

    def __init__(self, fn):
        functools.update_wrapper(self, fn)
        self.fn = fn

    def __call__(self, x):
        return 2.0 * self.fn(x)


WRAPPED: list[Callable[..., Any]] = [
    cube,
    kept,
    again,
    Pendulum().energy,
    adxform.grad(cube),
    adxform.prepare_gradient(lambda x: x**3, 2.0),
    math.sin,
    np.sin,
    np.linalg.norm,
    np.median,
    np.polyval,
]


@pytest.mark.parametrize("wrapped", WRAPPED, ids=lambda fn: getattr(fn, "__name__", "prepared"))
@pytest.mark.parametrize("decorator", [doubled, Traced])
def test_a_decorated_function_is_the_decorators(decorator: Callable[..., Any], wrapped: Callable[..., Any]) -> None:
    if wrapped is np.polyval:
        f, x = decorator(functools.wraps(np.polyval)(lambda x: np.polyval(np.array([1.0, 2.0, 0.5]), x))), 1.3
    else:
        f, x = decorator(wrapped), 1.3
    value, slope = f(x), central_jacobian(lambda v: np.array([f(float(v[0]))]), np.array([x]))[0][0, 0]
    for g in (f, lambda x: f(x)):
        assert adxform.value_and_grad(g)(x)[0] == value
        np.testing.assert_allclose(adxform.grad(g)(x), slope, rtol=1e-6)
        np.testing.assert_allclose(adxform.jvp(g, (x,), (1.0,))[1], slope, rtol=1e-6)
        np.testing.assert_allclose(adxform.prepare_gradient(g, x)(x), slope, rtol=1e-6)


@pytest.mark.parametrize("operator", [adxform.grad, adxform.jvp, adxform.stop_gradient, adxform.checkpoint, adxform.prepare_hvp])
def test_a_function_named_as_an_operator_is_none(operator: Callable[..., Any]) -> None:
    @functools.wraps(operator)
    def five(x):
        return 5.0 * x

    assert adxform.value_and_grad(five)(2.0) == (10.0, 5.0)
    assert adxform.value_and_grad(lambda x: five(x) ** 2)(2.0) == (100.0, 100.0)


def test_a_cache_over_a_function_with_derivatives_is_refused() -> None:
    cached = functools.lru_cache(cube)
    with pytest.raises(MissingRuleError, match="cache"):
        adxform.grad(lambda x: 2.0 * cached(x))(2.0)


def test_what_a_decorated_function_reads_is_watched() -> None:
    scale = {"by": 2.0}

    @functools.wraps(np.sin)
    def scaled(x):
        return scale["by"] * np.sin(x)

    assert adxform.grad(scaled)(0.0) == 2.0
    scale["by"] = 3.0
    assert adxform.grad(scaled)(0.0) == 3.0


def scaled_sum(x, k, scale):
    return np.sum(k * x**2) * scale


@functools.wraps(scaled_sum)
def with_default(x, k=3.0):
    return scaled_sum(x, k, 2.0)


@functools.wraps(scaled_sum)
def with_rest(*args):
    return scaled_sum(*args, 2.0)


@functools.wraps(scaled_sum)
def with_one(x):
    return scaled_sum(x, 3.0, 2.0)


@functools.wraps(scaled_sum)
def in_another_order(k, x):
    return scaled_sum(x, k, 2.0)


X = np.array([0.5, -1.0, 2.0])
OTHERS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (with_default, (X,)),
    (with_rest, (X, 3.0)),
    (with_one, (X,)),
    (in_another_order, (3.0, X)),
]


@pytest.mark.parametrize(("f", "args"), OTHERS, ids=lambda value: "")
def test_a_call_fits_the_function_that_is_called(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    at = next(i for i, arg in enumerate(args) if arg is X)
    np.testing.assert_allclose(adxform.grad(f, at)(*args), 12.0 * X)
    np.testing.assert_allclose(adxform.prepare_gradient(f, *args, argnums=at)(*args), 12.0 * X)
    np.testing.assert_allclose(adxform.jacobian(f, at)(*args), 12.0 * X)
    np.testing.assert_allclose(adxform.hessian(f, at)(*args), 12.0 * np.eye(3))
    np.testing.assert_allclose(adxform.hvp(f, at)(*args, X), 12.0 * X)
    np.testing.assert_allclose(adxform.grad(lambda *args: f(*args) ** 2, at)(*args), 24.0 * f(*args) * X)
    np.testing.assert_allclose(adxform.grad(adxform.differentiable(f), at)(*args), 12.0 * X)
    np.testing.assert_allclose(adxform.grad(adxform.checkpoint(f), at)(*args), 12.0 * X)
    np.testing.assert_allclose(adxform.jacobian(adxform.grad(f, at), at)(*args), 12.0 * np.eye(3))
    assert adxform.check_derivatives(f, *args, argnums=at)


def test_a_call_by_name_fits_a_rule_of_the_function_that_is_called() -> None:
    def plain(x, k):
        return k * x**2

    @functools.wraps(plain)
    def turned(k, x):
        return plain(x, k)

    @adxform.rule(turned)
    def _(k, x):
        return k * x**2, lambda ct: (ct * x**2, ct * 2.0 * k * x)

    assert adxform.grad(lambda x: turned(x=x, k=3.0))(2.0) == 12.0
    assert adxform.grad(lambda x: turned(3.0, x))(2.0) == 12.0
    assert adxform.grad(lambda k: turned(x=2.0, k=k))(3.0) == 4.0

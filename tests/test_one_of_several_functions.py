"""Functions of which only the run knows which one it is: chosen by a branch, under a key, at a place, carried by a loop."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize

import adxform
from adxform.errors import UnsupportedOperationError
from adxform.testing import check_derivatives

POINTS = np.array([0.3, 1.2, -0.6, 0.8]), np.array([3.3, -1.2, 0.6, -0.2])
FOLLOWED: list[Callable[..., Any]] = []
"""Programs that choose functions, at points that take different paths."""


@FOLLOWED.append
def carried_through_a_loop(x):
    f = np.sin
    y = x[0]
    for _i in range(6):
        y = f(y) + x[1] * 0.1
        if y > 0.5:
            f = np.cos
        elif y < -0.3:
            f = lambda t: t * t
    return y + f(x[2])


@FOLLOWED.append
def functions_with_captured_numbers(x):
    a = x[0] * 2
    if x[1] > 0:
        b = np.sin(x[1])

        def force(t):
            return a * t + b
    else:

        def force(t, k=x[3]):
            return a * t**2 - k

    return sum(force(v) for v in x)


@FOLLOWED.append
def what_factories_make(x):
    def linear(k):
        return lambda t: k * t

    def power(n):
        def g(t):
            return t**n

        return g

    def choose(v):
        if v > 0.7:
            return linear(v)
        if v > 0:
            return power(2)
        return np.tanh

    total = 0.0
    for v in x:
        total += choose(v)(v + 1.0)
    return total


@FOLLOWED.append
def methods_of_an_object(x):
    class Model:
        def __init__(self, k):
            self.k = k

        def soft(self, t):
            return self.k * np.tanh(t)

        def hard(self, t):
            return self.k * t**3

    m = Model(x[0])
    step = m.soft if x[1] > 0 else m.hard
    y = x[2]
    for _ in range(3):
        y = step(y) + x[3]
    return y


@FOLLOWED.append
def exchanged_in_a_while_loop(x):
    def accelerate(v):
        return v * 1.5 + x[0] * 0.1

    def brake(v):
        return v * 0.5

    v, n = x[1], 0
    act = accelerate
    while n < 8:
        v = act(v)
        act = brake if abs(v) > 1 else accelerate
        n += 1
    return v * v


@FOLLOWED.append
def given_to_another_function(x):
    def apply(f, t, n):
        for _ in range(n):
            t = f(t)
        return t

    f = math.sin if x[0] > 1 else math.exp
    return apply(f, x[1] * 0.3, 3) + apply(np.cos, x[2], 2)


@FOLLOWED.append
def partial_applications(x):
    def act(k, t):
        return np.tanh(k * t)

    f = functools.partial(act, x[0]) if x[1] > 0 else functools.partial(act, 2.0)
    g = functools.partial(act, x[0]) if x[1] > 0 else np.square
    return f(x[2]) * g(x[3])


@FOLLOWED.append
def a_place_in_a_list(x):
    fs = [np.sin, np.cos, np.tanh, lambda t: t * x[0]]
    y = x[1]
    for _i in range(4):
        y = fs[int(abs(y) * 3 + 0.013) % 4](y) + 0.3
    return y


@FOLLOWED.append
def a_text_of_a_table(x):
    def relu(t):
        return np.maximum(t, 0.0)

    def leaky(t):
        return np.where(t > 0, t, 0.1 * t)

    table = {"relu": relu, "leaky": leaky, "id": lambda t: t}
    kind = "relu"
    y = x
    for _i in range(3):
        y = table[kind](y) * 1.1 + 0.05 * x
        kind = "leaky" if np.sum(y) > 1 else "id"
    return np.sum(y**2)


@FOLLOWED.append
def a_function_or_none(x):
    callback = None
    if x[0] > 1:
        callback = np.sin
    y = np.sum(x**2)
    if callback is not None:
        y = y + callback(x[1])
    return y


@FOLLOWED.append
def one_of_two_functions_or_none(x):
    callback = None
    if x[0] > 1:
        callback = np.sin
    elif x[1] > 1:
        callback = np.cos
    y = np.sum(x**2)
    if callback is not None:
        y = y + callback(x[1])
    return y


@FOLLOWED.append
def chosen_in_a_try(x):
    y = 0.0
    for v in x:
        try:
            f = math.sqrt if v > 0.5 or v < -1 else math.exp
            y += f(v)
        except ValueError:
            y += v * v
    return y


@FOLLOWED.append
def classes_that_convert(x):
    conv = float if x[0] > 1 else abs
    return conv(x[1]) * x[2] + conv(x[3])


@FOLLOWED.append
def pairs_of_functions(x):
    f, df = (np.sin, np.cos) if x[0] > 1 else (np.exp, np.exp)
    y = x[1]
    for _ in range(3):
        y = y - 0.1 * f(y) * df(y)
    return y


@FOLLOWED.append
def an_attribute_that_is_exchanged(x):
    class Layer:
        def __init__(self):
            self.act = np.tanh

        def __call__(self, t):
            return self.act(t)

    layer = Layer()
    y = x
    for _i in range(3):
        y = layer(y) * 1.2
        if np.max(y) > 0.8:
            layer.act = np.sin
    return np.sum(y)


@FOLLOWED.append
def given_to_a_recursion(x):
    def tree(f, v, depth):
        if depth == 0:
            return f(v)
        g = np.sin if v > 0.2 else np.cos
        return tree(g, v * 0.7, depth - 1) + f(v) * 0.1

    return tree(np.exp, x[0], 3) + tree(np.exp, x[1], 2)


@FOLLOWED.append
def an_array_that_one_path_makes(x):
    if x[0] > 1:
        w = np.outer(x, x)
        f = lambda t: w @ t
    else:
        f = lambda t: t * 2
    return np.sum(f(x) ** 2)


@FOLLOWED.append
def a_list_of_ufuncs(x):
    ops = [np.add if v > 0 else np.multiply for v in x]
    y = x[0]
    for op, v in zip(ops, x, strict=False):
        y = op(y, v)
    return y


@FOLLOWED.append
def made_anew_in_a_loop(x):
    parts = []
    f = np.sin
    for v in x:
        if v > 0.5:
            f = lambda t, v=v: t * v
        parts.append(f(v))
    return sum(parts)


@FOLLOWED.append
def exchanged_in_a_long_loop(x):
    def grow(v):
        return v * 1.1 + abs(x[1]) * 0.1

    def shrink(v):
        return v * 0.5

    f, v, n = grow, abs(x[0]), 0
    while n < 300:
        v = f(v)
        f = shrink if v > 3 else grow if v < 1 else f
        n += 1
    return v


@FOLLOWED.append
def given_to_a_solver(x):
    a, b = x[0] * 2, np.sin(x)
    f = (lambda u: u**3 + a * u - 3 * x[3]) if x[1] > 0 else (lambda u: u**3 + u - b[0])
    return scipy.optimize.brentq(f, -9.0, 9.0)


@FOLLOWED.append
def called_by_what_is_integrated(x):
    f = (lambda u: u * x[0]) if x[1] > 0 else (lambda u: u**2 * x[1])
    g = (lambda u: u + x[2]) if x[0] > 1 else (lambda u: u * x[3])
    return scipy.integrate.quad(lambda u: f(u) * g(u), 0.0, 1.0)[0]


@FOLLOWED.append
def held_by_what_is_integrated(x):
    class Model:
        pass

    model, table = Model(), {"rate": lambda u: u * x[2]}
    model.force = (lambda u: u * x[0]) if x[1] > 0 else (lambda u: u**2 * x[1])
    if x[0] > 1:
        q = x * 2
        table["rate"] = lambda u: u * q[1]
    return scipy.integrate.quad(lambda u: model.force(u) + table["rate"](u), 0.0, 1.0)[0]


@FOLLOWED.append
def bound_anew_for_a_root(x):
    f = lambda u: u - x[:2]

    def choose():
        nonlocal f
        if x[1] > 0:
            q = x * 2
            f = lambda u: u * 2.0 - q[2:] ** 2

    choose()
    return np.sum(scipy.optimize.fsolve(lambda u: f(u), np.ones(2), xtol=1e-13) ** 2)


@FOLLOWED.append
def inner_derivatives_of_it(x):
    f = (lambda u: u**3 * x[0]) if x[1] > 0 else (lambda u: u**2 * np.sum(x))
    slope = adxform.grad(f)(x[2])
    return slope + adxform.jvp(f, (x[3],), (x[0],))[1] + adxform.grad(adxform.grad(f))(x[1])


@FOLLOWED.append
def asked_whether_it_is_called(x):
    f = (lambda u: u * x[0]) if x[1] > 0 else (lambda u: u**2)
    return np.sum(np.vectorize(f)(x)) * (1.0 + callable(f))


@pytest.mark.parametrize("x", POINTS, ids=["first", "second"])
@pytest.mark.parametrize("program", FOLLOWED, ids=lambda program: program.__name__)
def test_the_function_is_called_that_the_run_has(program: Callable[..., Any], x: Any) -> None:
    records = check_derivatives(program, x.copy())
    assert all(record.ok for record in records), [record for record in records if not record.ok]


def test_results_of_different_kinds_are_refused_where_they_are_used() -> None:
    def mixed(x):
        f = np.sin if x[0] > 0 else np.argsort
        return np.sum(f(x))

    def texts(x):
        f = np.sum if x[0] > 0 else str
        return f(x) * 2.0

    records = check_derivatives(mixed, POINTS[0])
    assert all(record.ok for record in records)
    with pytest.raises(UnsupportedOperationError) as caught:
        adxform.grad(texts)(POINTS[0])
    assert caught.value.span.line > 0


def given_to_unknown_code(x):
    f = math.sin if x[0] > 0 else math.cos
    return x[0] * sys.getsizeof(f)


def asked_which_one_it_is(x):
    a, b = (lambda u: u * x[0]), (lambda u: u * x[1])
    f = a if x[0] > 0 else b
    return x[0] * (1.0 + (f is a) + 2 * (f is b))


def pulled_back_through(x):
    f = (lambda u: u * u * x[0]) if x[0] > 0 else (lambda u: u * x[1])
    value, pullback = adxform.vjp(f, x[1])
    return value + pullback(1.0)[0]


@pytest.mark.parametrize("program", [given_to_unknown_code, asked_which_one_it_is, pulled_back_through])
def test_what_cannot_be_told_of_a_function_that_is_chosen_is_refused(program: Callable[..., Any]) -> None:
    with pytest.raises(UnsupportedOperationError) as caught:
        adxform.grad(program)(POINTS[0])
    assert caught.value.span.line > 0


class Law:
    def __init__(self, v):
        self.v = v


class Square(Law):
    pass


def test_an_object_that_is_chosen_is_not_given_to_a_function_that_calls_itself() -> None:
    def halved(law, v):
        return law.v * v if v < 0.1 else halved(law, v * 0.5) + law.v

    def f(x):
        first, second = Law(x[0]), Square(x[1])
        return halved(first if x[0] > 0.5 else second, x[2])

    with pytest.raises(UnsupportedOperationError, match="several objects of different kinds") as caught:
        adxform.grad(f)(POINTS[0])
    assert caught.value.span.line > 0


def test_whether_two_are_one_object_is_not_told_of_what_paths_have_made() -> None:
    def f(x):
        if x[0] > 0.5:
            first = second = Square(x[1])
        else:
            first, second = Law(x[0]), Law(x[0])
        return (2.0 if first is second else 3.0) * first.v

    with pytest.raises(UnsupportedOperationError, match="one object"):
        adxform.grad(f)(POINTS[0])

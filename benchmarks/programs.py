"""Functions of the kinds that a derivative has to follow, each of an array of six numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import adxform

SIZE = 6


def loop(x):
    """A loop over elements."""
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def branch(x):
    """A branch in a loop, and an early end."""
    total = 0.0
    for value in x:
        if value > 0.3:
            total += np.exp(value) * value
        elif value < -2.5:
            break
        else:
            total -= np.sin(value) * value
    return total


def unknown_length(x):
    """A loop whose length only the run tells."""
    step = x
    total = 0.0
    while np.sum(step * step) > 1e-2:
        total += np.sum(np.sin(step) * step)
        step = 0.5 * step
    return total


def mutation(x):
    """Writes to elements, slices and a view."""
    y = x.copy()
    middle = y[1:-1]
    for i in range(1, y.shape[0]):
        y[i] *= 1.0 + 0.1 * y[i - 1]
    middle += np.sin(middle) * y[2:]
    y[0] = y[-1] ** 2
    return np.sum(y * y)


def smooth(u, rate):
    """Relax `u` in place."""
    for i in range(1, u.shape[0] - 1):
        u[i] += rate * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i]


def helper_calls(x):
    """Helpers, one of which writes to what it is given."""
    u = x.copy()
    for _ in range(3):
        smooth(u, 0.2)
    return loop(u)


def power(x, n):
    """A power by recursion."""
    return 1.0 if n == 0 else x * power(x, n - 1)


def recursion(x):
    """A recursive helper on numbers."""
    return power(np.sum(x * x), 3) + power(x[0], 2)


def soft(x):
    """A function whose derivative the user gives."""
    return np.log1p(np.exp(x))


@adxform.rule(soft)
def _(x):
    def pullback(y_ct):
        return y_ct / (1.0 + np.exp(-x))

    return soft(x), pullback


def user_rule(x):
    """Calls of a function with a rule of the user's, in a loop."""
    total = 0.0
    for i in range(x.shape[0]):
        total += soft(x[i] * x[0]) ** 2
    return total


def gate(x):
    """A function whose derivative the user gives, and which stays one call in every derivative."""
    return x / (1.0 + np.abs(x))


@adxform.rule(gate, boundary=True)
def _(x):
    scale = 1.0 / (1.0 + np.abs(x))

    def pullback(y_ct):
        return y_ct * scale * scale

    return x * scale, pullback


def user_boundary(x):
    """Calls of a function behind the boundary of the user's rule: in a loop, and of an array."""
    total = np.sum(gate(x) * x)
    for i in range(1, x.shape[0]):
        total += gate(x[i] * x[i - 1]) ** 2
    return total


@adxform.differentiable(boundary=True)
def spread(u):
    """A function that is called, and whose derivatives are called: it writes, in a loop."""
    v = u.copy()
    for i in range(1, v.shape[0]):
        v[i] += np.tanh(v[i - 1]) * u[i]
    return v


def derived_boundary(x):
    """Calls of a function behind a boundary whose derivatives adxform derives."""
    y = spread(x)
    return np.sum(spread(y) * x) + y[-1] ** 2


def closures(x):
    """Closures over what is differentiated, made anew at each pass."""
    total = 0.0
    for i in range(x.shape[0]):
        scale = x[i]

        def scaled(y):
            return scale * np.sin(y)

        total += scaled(x[i - 1]) ** 2
    return total


def nested(x):
    """A step of gradient descent inside, with a closure made for it."""
    y = x
    for _ in range(2):
        y = y - 0.01 * adxform.grad(lambda z: np.sum(np.cos(z) * x))(y)
    return np.sum(y**3)


def matrices(x):
    """Matrix products, views and a linear solve."""
    a = x.reshape(2, 3)
    gram = a @ a.T + 2.0 * np.eye(2)
    return np.sum(np.tanh(np.linalg.solve(gram, a)) ** 2) + np.log(np.linalg.det(gram))


def family(k: float) -> Callable[..., Any]:
    """A closure made anew at each call: all have the code that was prepared, and a number of their own."""

    def member(x):
        return np.sum(np.sin(k * x) * x**2)

    return member


@dataclass(frozen=True, slots=True)
class Program:
    """A name, and the function to be called as a call of that number finds it."""

    name: str
    at: Callable[[int], Callable[..., Any]]


def _always(fn: Callable[..., Any]) -> Program:
    return Program(fn.__name__, lambda _: fn)


PROGRAMS = (
    *map(
        _always,
        (loop, branch, unknown_length, mutation, helper_calls, recursion, user_rule, user_boundary, derived_boundary, closures),
    ),
    *map(_always, (nested, matrices)),
    Program("made anew", lambda number: family(1.0 + number % 7)),
)

"""A function of one number: what a call costs."""

from __future__ import annotations

from math import cos, exp, log, sin, tanh

import numpy as np

from benchmarks.race.problem import Problem, under


def scalar(x):
    """x: a number"""
    a = np.sin(x) * x
    b = np.exp(-0.1 * a * a)
    c = np.tanh(b + x)
    return c * np.log(1.0 + x * x) + a * b


def make(x):
    """One number."""
    return (x,)


def by_hand(x):
    """Python's own functions of numbers."""
    s = sin(x)
    a = s * x
    b = exp(-0.1 * a * a)
    c = tanh(b + x)
    y = 1.0 + x * x
    pre_ct = log(y) * (1.0 - c * c)
    b_ct = pre_ct + a
    a_ct = b - 0.2 * a * b * b_ct
    return pre_ct + c * 2.0 * x / y + a_ct * (s + x * cos(x))


def limit(x):
    """The same."""
    s = sin(x)
    a = s * x
    b = exp(-0.1 * a * a)
    c = tanh(b + x)
    y = 1.0 + x * x
    pre_ct = log(y) * (1.0 - c * c)
    b_ct = pre_ct + a
    a_ct = b - 0.2 * a * b * b_ct
    return pre_ct + c * 2.0 * x / y + a_ct * (s + x * cos(x))


RACE = Problem(
    "scalar",
    "A function of one number",
    scalar,
    make,
    0.7,
    (0.7,),
    by_hand,
    limit,
    {name: under(scalar, module) for name, module in (("jax", "jax.numpy"), ("torch", "torch"), ("casadi", "casadi"))},
)

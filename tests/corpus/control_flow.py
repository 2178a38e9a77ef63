"""Branches: which one ran decides the derivative."""

import math

import numpy as np

from tests.corpus.case import at, vec


@at((1.5,), (-1.5,))
def one_branch(x):
    y = x * 2.0
    if x > 0:
        y = y * x
    return y


@at((1.5, 0.5), (-1.5, 0.5), (-1.5, -0.5))
def elif_chain(x, y):
    if x > 0:
        z = x * y
    elif y > 0:
        z = x - y**2
    else:
        z = math.exp(x) * y
    return z * z


@at((0.5,), (1.5,), (2.5,), (3.5,))
def early_returns(x):
    if x < 1.0:
        return x
    if x < 2.0:
        return x * x
    y = math.sin(x)
    if x < 3.0:
        return y
    return y * x


@at((0.5, 2.0), (2.0, 0.5))
def nested_branches(x, y):
    if x > y:
        a = x * y
        if a > 0.9:
            a = a * a
            b = x
        else:
            b = y
    else:
        b = x * x
        a = b * y
        if b < 1.0:
            return a * b + 1.0
    return a - b


@at((0.5,), (1.5,), (-0.5,))
def chained_comparison(x):
    if 0.0 < x < 1.0:
        return x**3
    return x**2 if -1.0 < x <= 2.0 and x != 0.7 else x


@at((0.5, 2.0), (2.0, 0.5), (-1.0, -1.0))
def boolean_operators(x, y):
    if x > 0 and y > 1 or x < 0 and not y > 0:
        return x * y
    return x / y


@at((0.5, 2.0), (0.0, 2.0), wrt=(1,))
def or_gives_a_value(x, y):
    z = x or y
    return z * y


@at((0.5, 2.0), (3.0, 2.0))
def and_gives_a_value(x, y):
    flag = x > 1.0
    z = y if flag else x * y
    return z * (1.0 if flag else x)


@at((1.5,), (-1.5,))
def conditional_expression(x):
    return (x * x if x > 0 else -x) * (2.0 if x < 1 else 3.0)


@at((1.5, "square"), (1.5, "cube"))
def string_decides(x, kind):
    if kind == "square":
        return x**2
    elif kind in ("cube", "third"):
        return x**3
    return x


@at((1.5, None), (1.5, 2.0), wrt=(0,))
def none_decides(x, scale):
    if scale is None:
        scale = 1.0
    return x * x * scale


@at((1.5, True), (1.5, False))
def flag_decides(x, squared):
    return x * x if squared else x


@at((vec(1.0, -2.0, 3.0),), (vec(-1.0, -2.0, 3.5),))
def branch_on_element(x):
    if x[0] > 0:
        return x[0] * x[1]
    return x[2] * np.sum(x)


@at((vec(1.0, 2.0),), (vec(1.0, -2.0),))
def branch_on_reduction(x):
    if np.all(x > 0):
        return np.sum(np.log(x))
    return np.sum(x * x)


@at((1.5,), (-1.5,))
def variable_defined_in_one_branch(x):
    if x > 0:
        extra = x * x
    y = 2.0 * x
    if x > 0:
        y = y + extra
    return y


@at((0.5, vec(1.0, 2.0)), (-0.5, vec(1.0, 2.0)))
def array_or_other_array(c, y):
    if c > 0:
        z = y * c
    else:
        z = np.zeros(2)
    return np.sum(z * y) + c


@at((vec(0.5, -1.5, 2.5),))
def where_selects(x):
    return np.sum(np.where(x > 0, x**2, -x) * x)

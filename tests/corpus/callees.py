"""User functions that call user functions: pure ones, and ones that write into what they are given."""

import functools
import math
import operator

import numpy as np

import adxform
from tests.corpus import physics
from tests.corpus.case import at, smooth, vec
from tests.corpus.physics import relax_once, scale_in_place


def square(x):
    return x * x


def weighted(x, y, weight=2.0, *, power=1):
    return weight * x * y**power


def first_and_rest(x):
    return x[0], x[1:]


def set_first(values, value):
    values[0] = value


def set_first_and_double(values, value):
    set_first(values, value)
    values *= 2.0


def rotate(values):
    first = values[0]
    values[:-1] = values[1:]
    values[-1] = first * 0.5


def fill_row(table, i, value):
    row = table[i]
    row[:] = value
    row[0] *= value


def same(values):
    return values


def tail_of(values):
    return values[1:]


def accumulate(total, values):
    for i in range(len(values)):
        total[i] += values[i] * values[i]
    return total


@at((1.3, 0.4))
def pure_callee(x, y):
    return square(x) * square(square(y)) + square(x + y)


@at((1.3, 0.4))
def keyword_and_default_arguments(x, y):
    return weighted(x, y) + weighted(y=x, x=y, weight=x) + weighted(x, y, power=2) + weighted(x, y, y, power=3)


@at((vec(1.0, 2.0, 3.0),))
def tuple_from_callee(x):
    head, rest = first_and_rest(x * x)
    return head * np.sum(rest)


@at((1.3, 0.4))
def helper_in_another_module(x, y):
    return physics.drag(x) + physics.drag(y, coefficient=x) - physics.GRAVITY * x


@at((vec(1.0, 2.0), vec(0.3, 0.1)))
def helpers_with_arrays(p, v):
    return physics.energy(p * p, v) * physics.drag(v[0])


@at((vec(1.0, 2.0, 3.0), 0.4))
def callee_writes_argument(x, a):
    y = x * 2.0
    set_first(y, a * x[1])
    return np.sum(y * y)


@at((vec(1.0, 2.0, 3.0), 0.4))
def callee_writes_input(x, a):
    set_first(x, a * x[1])
    return np.sum(x * x)


@at((vec(1.0, 2.0, 3.0), 0.4))
def callee_writes_two_deep(x, a):
    y = x * x
    set_first_and_double(y, a)
    set_first_and_double(y[1:], y[0])
    return np.sum(y * x)


@at((vec(1.0, 2.0, 3.0), 0.4))
def callee_scales_in_place(x, a):
    y = x.copy()
    scale_in_place(y, a)
    scale_in_place(y[1:], y[0])
    return np.sum(y * x)


@at((vec(1.0, 2.0, 3.0, 4.0), 0.2, 3), (vec(1.0, 2.0, 3.0, 4.0), 0.2, 0))
def callee_writes_in_loop(u, k, n):
    for _ in range(n):
        relax_once(u, k)
        rotate(u)
    return np.sum(u * u)


@at((vec(1.0, 2.0, 3.0), 1.5), (vec(1.0, 2.0, 3.0), -1.5))
def callee_writes_in_branch(x, a):
    y = x * 1.0
    if a > 0:
        set_first(y, a)
    else:
        rotate(y)
        scale_in_place(y, a)
    return np.sum(y * y * x)


@at((smooth(3, 2), 0.3))
def callee_writes_rows_in_loop(a, s):
    table = a * 1.0
    for i in range(3):
        fill_row(table, i, s * table[i - 1, 1])
    return np.sum(table * a)


@at((vec(1.0, 2.0, 3.0),))
def callee_returns_its_argument(x):
    y = x * 2.0
    z = same(y)
    z[0] = x[1] * x[2]
    return np.sum(y * y)


@at((vec(1.0, 2.0, 3.0),))
def callee_returns_a_view(x):
    y = x * 2.0
    z = tail_of(tail_of(y))
    z[0] = x[0] * x[1]
    tail_of(y)[0] *= 3.0
    return np.sum(y * y)


@at((vec(1.0, 2.0, 3.0),))
def callee_given_the_same_array_twice(x):
    y = x * 1.0
    z = accumulate(y, y)
    accumulate(z, x)
    return np.sum(y * z)


@at((vec(1.0, 2.0, 3.0), 2))
def callee_result_carried(x, n):
    total = np.zeros(3)
    for i in range(n):
        total = accumulate(total, x * (i + 1))
    return np.sum(total * x)


def factorial_like(x, n):
    if n == 0:
        return 1.0
    return (x + n) * factorial_like(x, n - 1)


@at((0.5, 4), (0.5, 0))
def recursion(x, n):
    return factorial_like(x, n)


@at((0.5, 3), (0.5, 0))
def recursive_entry(x, n):
    if n <= 0:
        return math.sin(x)
    return x * recursive_entry(x * x, n - 1) + x


def tree_sum(values, low, high):
    if high - low == 1:
        return values[low] ** 2
    middle = (low + high) // 2
    left = tree_sum(values, low, middle)
    right = tree_sum(values, middle, high)
    return left * 0.5 + right * left


@at((vec(0.5, 1.0, 1.5, 0.7, 0.9),), (vec(0.5),))
def recursive_tree_sum(x):
    return tree_sum(x, 0, len(x))


def is_even_power(x, n):
    return x if n == 0 else is_odd_power(x * 1.1, n - 1)


def is_odd_power(x, n):
    return x * x if n == 0 else is_even_power(x + 0.5, n - 1)


@at((0.5, 3), (0.5, 4))
def mutual_recursion(x, n):
    return is_even_power(x, n)


def halve_tail(values, i):
    if i < len(values):
        values[i] *= values[i - 1] * 0.5
        halve_tail(values, i + 1)


@at((vec(1.0, 2.0, 3.0),))
def recursion_that_writes(x):
    y = x * x
    halve_tail(y, 1)
    return np.sum(y * x)


def multiplied(*factors, **options):
    result = options.get("start", 1.0)
    for factor in factors:
        result = result * factor
    return result


@at((0.5, 3.0, 2.0))
def variadic_callee(x, y, z):
    parts = (x, y)
    return multiplied(*parts, z) + multiplied(x, start=y)


@at((0.6,))
def early_return_in_callee_in_loop(x):
    total = x
    for i in range(4):
        total = total + clipped(total * i)
    return total


def clipped(x):
    if x > 2.0:
        return 2.0 + 0.1 * x
    if x < 0.5:
        return x * x
    return x


@at((vec(0.4, 0.7, 1.1, 0.9), 1.3))
def read_before_recursion_that_writes(x, k):
    before = np.sum(x * x)
    scale_from(x, 2, k)
    return before + x[3]


def scale_from(values, i, k):
    if i >= len(values):
        return
    values[i] = values[i] * k
    scale_from(values, i + 1, k)


@at((vec(0.4, 0.7, 1.1), 0.5))
def recursion_in_a_loop(x, k):
    return sum_of_paths(x, 3, k)


def sum_of_paths(x, n, k):
    total = 0.0
    for j in range(n):
        total += sum_of_paths(x, j, k) * x[j]
    return total + k


@at((vec(0.4, 0.7, 1.1), 0.5))
def recursion_out_of_a_loop(x, k):
    return restarted(x, k, 3)


def restarted(x, k, n):
    while n > 0:
        n -= 1
        if n == 1:
            return restarted(x, k * k, n)
        k = k * x[n]
    return k


@at((vec(0.4, 0.7, 1.1, 0.9), 1.3))
def weights_changed_by_a_library(x, k):
    weights = np.arange(4.0)
    y = x * weights * k
    np.place(weights, weights > 1.0, 0.5)
    return np.sum(y * y)


@at((vec(0.4, 0.7, 1.1, 0.9), 1.3))
def index_changed_by_a_library(x, k):
    index = np.arange(4)
    y = x[index] * np.arange(4.0) * k
    np.place(index, index > 1, 0)
    return np.sum(y)


@adxform.differentiable
def cubed(x):
    return x**3


@functools.wraps(cubed)
def twice_cubed(x):
    return 2.0 * cubed(x)


@at((1.3,))
def a_decorator_copies_the_marks_of_what_it_wraps(x):
    return twice_cubed(x)


@functools.wraps(weighted)
def weighted_the_other_way(y, x):
    return weighted(x, y) + y


@at((1.3, 0.4))
def a_decorator_takes_other_arguments(x, y):
    return weighted_the_other_way(x=x, y=y)


_BY_PLACE, _LENGTH = operator.itemgetter(1), operator.attrgetter("T.shape")


@at((vec(0.4, 1.7, 0.9),))
def getters_of_operator(x):
    rows = sorted([(x[0], 2), (x[1] ** 2, 0), (x[2], 1)], key=_BY_PLACE)
    best = max({"a": x[0], "b": x[2]}.items(), key=operator.itemgetter(1))
    first, last = operator.itemgetter(0, -1)(x)
    near = operator.methodcaller("clip", 0.5, max=1.5)(x)
    return (
        rows[0][0] * rows[1][0] + best[1] ** 3 + first * last + near @ x + _LENGTH(x)[0] * sum(map(operator.itemgetter(0), rows))
    )

"""Values that are of one kind on one path and of another on another: clamps, running extremes, integers that become floats."""

import math

import numpy as np

from tests.corpus.case import at, vec

_X = np.array([0.4, 1.7, 0.9])


@at((0, _X), (1, _X), (3, _X))
def clamped_from_below(lo, x):
    return max(lo, x[0]) * x[1] + min(lo, x[2])


@at((1, 2, _X))
def clamped_between(lo, hi, x):
    total = 0.0
    for i in range(len(x)):
        total += min(max(x[i] * 1.3, lo), hi) * x[i]
    return total


@at((1, _X))
def larger_of_each_in_a_comprehension(k, x):
    return sum([max(k, v) * v for v in x])


@at((_X, 1, 0.25), (_X, 1, 2.5))
def arithmetic_that_makes_a_float_of_a_whole_number(x, n, a):
    m = max(a, n)
    return float(m) * x[0], m * 1.0, m + 0.0, m - 0.0, m / 1, m**1.0, -(-m) * 1.0


@at((_X, 2, 0.25), (_X, 2, 2.5))
def array_of_a_number_of_two_kinds_made_one_of_floats(x, n, a):
    weights = np.array([max(a, n), 1]).astype(float)
    weights[1] = x[0]
    halves = np.array([max(a, n), 3]) / 2
    halves[0] += x[1]
    return weights @ halves


@at((_X,), (-_X,))
def running_maximum_from_an_integer(x):
    m = 0
    for v in x:
        m = max(m, v)
    return m * x[0]


@at((_X,))
def drawdown(x):
    peak, worst = 0, 0
    for v in x:
        peak = max(peak, v)
        worst = max(worst, peak - v)
    return worst + x[0] * peak


@at((_X, 0.3), (_X, 2.9))
def best_local_alignment(x, gap):
    best = 0
    row = [0] * 4
    for i in range(3):
        above = list(row)
        for j in range(3):
            row[j + 1] = max(0, above[j] + x[i] * x[j] - 0.5, above[j + 1] - gap, row[j] - gap)
            best = max(best, row[j + 1])
    return best + x[0]


@at((np.array(1.4), 0.3), (np.array(1.4), 2.3))
def maximum_of_a_zero_dimensional_array(x, y):
    return max(x, y) * y


@at((np.array([1.4]), 0.3), (np.array([1.4]), 2.3))
def maximum_of_an_array_of_one(x, y):
    return np.sum(max(x, y) * y)


@at((0.3, 1.1, 2.2, 0.7, 1.9), (0.3, 1.1, 2.2, 0.7, 2.9), (3.3, 1.1, 2.2, 0.7, 2.9))
def largest_and_smallest_of_five(a, b, c, d, e):
    return max(a, b, c, d, e) * a + min(a, b, c, d, e) * e


@at((np.longdouble("0.7"), 1.3, 1), (np.longdouble("0.7"), 1.3, 0))
def long_double_on_one_path(x, y, n):
    m = x if int(np.asarray([n])[0]) else y
    return m * m * y


@at((_X, 1.3))
def long_double_accumulator(x, y):
    total = np.longdouble(0)
    for v in x:
        total = total + v * y
    return total * y


@at((np.int8(1), _X), (np.uint8(2), _X))
def clamped_by_a_small_integer(lo, x):
    return sum([max(lo, v) * 1.5 for v in x]) * x[0]


@at((np.float32(0.7), 1.3, 1), (np.float32(0.7), 1.3, 0))
def single_precision_on_one_path(x, y, n):
    m = x if n > math.sin(1.0) else y
    return m * y * y


@at((_X,))
def zero_dimensional_accumulator(x):
    s = np.asarray(np.sum(x))
    s += 2
    s *= x[0]
    return s * s


@at((_X, 1.3), (_X[:1], 1.3))
def a_number_added_to_a_sum_in_an_array(x, y):
    s = np.array(np.sum(x))
    s = s + y
    return s


@at((np.array([1]), 0.7, 1.9), (np.array([0]), 0.7, 1.9))
def item_of_several_kinds(n, x, y):
    return [x, y * 2, 3][int(n[0])] * x


@at((_X, 1.5))
def extreme_with_a_default(x, y):
    return max([v for v in (x[0], x[1]) if True], default=y) * max((), default=y)


@at((0.7, 3), (0.7, 0))
def the_first_of_many_numbers_of_two_kinds_moves(x, n):
    a = x if n > 0 else True
    b = 2 if n > 1 else True
    c = 3 if n > 2 else True
    d = 4 if n > 3 else True
    e = 5 if n > 4 else True
    g = 6 if n > 5 else True
    h = 7 if n > 6 else True
    return np.sum(np.array([a, b, c, d, e, g, h])) * 1.5


@at((vec(0.3, 0.7, 1.2), 2), (vec(0.3, 0.7, 1.2), 1))
def a_sum_of_matrices_that_begins_with_a_number(x, n):
    total = sum(np.outer(x[i : i + 2], x[i : i + 2]) for i in range(n))
    return np.sum(total @ x[:2]) + np.linalg.eigvalsh(total + np.eye(2))[-1]


@at((vec(0.3, 0.7, 1.2), 2), (vec(0.3, 0.7, 1.2), 3))
def sums_of_matrices_in_a_loop_that_begins_anew(x, n):
    whole, weight = 0, 1.0
    for j in range(1, n):
        part = 0
        for i in range(n, 0, -1):
            if i == 1 and x[0] > 0.2:
                continue
            part = part + i * j * np.outer(x[i - 1 : i], x[:2]).repeat(2, axis=0)
        whole = whole + part * weight
        weight = weight * x[0]
    return np.linalg.norm(whole @ whole) * weight


@at((vec(0.3, 0.7, 1.2), 2), (vec(0.3, 0.1, 0.2), 2))
def numbers_beside_whole_ones_in_an_array(x, n):
    found = sum(t for t in x if t > 0.5)
    table = np.array([[0.5, found], [1, n]])
    table[1, 0] = x[0] * 1.5
    return np.interp(x[0], [-1.0, 0.0, 1.0], [0.3, found, 0.5]) * np.sum(table**2)


@at((vec(0.3, 0.7, 1.2), 2), (vec(0.3, 0.7, 1.2), 1))
def parts_kept_of_a_sum_that_begins_with_a_number(x, n):
    total, apart, kept = 0, 0, []
    for i in range(n):
        total += np.outer(x[i : i + 2], x[i : i + 2])
        apart = apart + np.outer(x[i : i + 2], x[i : i + 2])
        kept += [total, apart]
    apart[0, 0] = x[2]
    return np.linalg.norm(total @ apart) + sum(k[0, 0] * len(kept) for k in kept)

"""Recursive functions: trees, divide and conquer, ones that write, return or rebind what they are given; their derivatives."""

import numpy as np

import adxform
from tests.corpus.case import at, vec

POINT = vec(0.9, 1.1, 0.7, 1.3)


def product_tree(x):
    n = len(x)
    if n == 1:
        return np.sin(x[0]) * x[0]
    return product_tree(x[: n // 2]) * product_tree(x[n // 2 :]) + x[0]


@at((POINT,), (vec(0.4, 0.8, 0.6, 1.2, 0.5),))
def tree_over_slices(x):
    return product_tree(x)


def loop_at_the_leaves(x):
    n = len(x)
    if n <= 2:
        total, k = 0.0, 0
        while k < n:
            total = total + x[k] ** 3 * (1.0 + total)
            k += 1
        return total
    return loop_at_the_leaves(x[: n // 2]) * loop_at_the_leaves(x[n // 2 :]) + x[0]


@at((POINT,))
def tapes_of_loops(x):
    return loop_at_the_leaves(x)


def combined(x):
    n = len(x)
    if n == 1:
        return x * x
    left, right = combined(x[: n // 2]), combined(x[n // 2 :])
    out = np.zeros(n)
    out[: len(left)] = left * right[0]
    out[len(left) :] = right + left[-1]
    return out


@at((POINT,))
def halves_put_together(x):
    return np.sum(combined(x) ** 2)


def butterflies(x):
    n = len(x)
    if n == 1:
        return x.copy()
    even, odd = butterflies(x[::2]), butterflies(x[1::2])
    y = np.empty(n)
    for k in range(n // 2):
        y[k] = even[k] + np.cos(k) * odd[k] * even[k]
        y[k + n // 2] = even[k] - odd[k] * odd[k]
    return y


@at((POINT,))
def like_a_fourier_transform(x):
    return np.sum(butterflies(x) ** 2 * x[1])


def damped(values, i):
    if i < len(values):
        values[i] *= values[i - 1] * 0.5
        damped(values, i + 1)


@at((POINT,))
def writes_its_argument(x):
    damped(x, 1)
    return np.sum(x * x * x)


@at((POINT,))
def writes_in_a_loop(x):
    y = x.copy()
    for j in range(1, 3):
        damped(y, j)
        y[0] = y[0] + y[-1] * x[j]
    return np.sum(y * y)


def scanned(x, out, low, high):
    if high - low == 1:
        out[low] = x[low] * x[low]
        return out[low]
    middle = (low + high) // 2
    left = scanned(x, out, low, middle)
    right = scanned(x, out, middle, high)
    for i in range(middle, high):
        out[i] = out[i] + left * right
    return out[high - 1]


@at((POINT,))
def fills_a_buffer(x):
    out = np.zeros_like(x)
    total = scanned(x, out, 0, len(x))
    return np.sum(out * x) + total * total


def bubbled(x, n):
    if n <= 1:
        return
    for i in range(n - 1):
        if x[i] > x[i + 1]:
            held = x[i]
            x[i] = x[i + 1]
            x[i + 1] = held
    x[n - 1] = x[n - 1] * x[0]
    bubbled(x, n - 1)


@at((POINT,))
def sorts_in_place(x):
    y = x.copy()
    bubbled(y, len(y))
    return np.sum(y * np.arange(1.0, len(x) + 1) * y)


def even_places(x, i):
    if i >= len(x):
        return 1.0
    x[i] = x[i] * x[0]
    return odd_places(x, i + 1) + x[i]


def odd_places(x, i):
    if i >= len(x):
        return 2.0
    total = even_places(x, i + 1)
    x[i] = x[i] + total * x[i - 1]
    return total * x[i]


@at((POINT,))
def mutual_recursion_that_writes(x):
    y = x * x
    return even_places(y, 0) + np.sum(y * y)


def running_product(values, i):
    if i >= len(values):
        return values
    values[i] = values[i] * values[i - 1]
    return running_product(values, i + 1)


@at((POINT,))
def returns_what_it_writes(x):
    y = x * 1.5
    z = running_product(y, 1)
    z[0] = z[1] * z[0]
    return np.sum(y * y * x)


@at((POINT,))
def results_keep_what_was_written(x):
    y = x * x
    return y, running_product(y, 1)


def tail(v, n):
    return v if n == 0 else tail(v[1:], n - 1)


@at((POINT,))
def view_out_of_a_recursion_is_written(x):
    y = x * x
    z = tail(y, 2)
    z[0] = z[0] * y[0] * x[1]
    y[3] = y[3] * z[0]
    return np.sum(y * z[1] * x)


def exchanged(u, v, n):
    if n == 0:
        return u, v
    u[0] = u[0] * v[1]
    return exchanged(v, u, n - 1)


@at((POINT,))
def rebinds_what_it_writes(x):
    a, b = x + 0.1, x * x
    p, q = exchanged(a, b, 3)
    p[1] = p[1] * q[0]
    return np.sum(a * b * x) + p[0]


def itself_or_new(x, n):
    if n == 0:
        return x
    z = itself_or_new(x, n - 1)
    if n % 2:
        z = z * 1.1
    z[0] = z[0] * z[1]
    return z


@at((POINT,))
def returns_itself_or_something_new(x):
    y = x * 1.0
    z = itself_or_new(y, 3)
    z[1] = z[1] * y[0]
    return np.sum(z * y)


def added(a, b, i):
    if i < len(a):
        a[i] = a[i] * 1.5 + b[0] * b[0]
        added(a, b, i + 1)


@at((POINT,))
def arguments_overlap(x):
    y = x * 1.2
    added(y[1:], y, 0)
    return np.sum(y * y * x)


def squared_rows(m, i):
    if i < m.shape[0]:
        m[i, :] = m[i - 1, :] * m[i, 0]
        row = m[i]
        row *= row
        squared_rows(m, i + 1)


@at((POINT,))
def rows_of_a_matrix(x):
    m = np.outer(x[:3], x[:2])
    squared_rows(m, 1)
    return np.sum(m * m)


def counted(x, counts, i):
    if i < len(x):
        counts[0] += 1
        counted(x, counts, i + 1)


@at((POINT,))
def counters_put_back(x):
    counts, places = np.zeros(2), np.zeros(1, dtype=int)
    counted(x, counts, 0)
    y = x * counts[0]
    counted(x, counts, 1)
    counted(x, places, 1)
    return np.sum(y * y * counts[0]) * x[places[0]]


def mixed_kinds(x, n):
    if n == 0:
        index = np.array([0, 2])
        w = x[index] * x[1]
        return np.sum(w * w)
    if n % 2:
        first = np.arange(2)
        y = x[first] * mixed_kinds(x * 0.9, n - 1)
    else:
        y = x * mixed_kinds(x * x, n - 1)
    return np.sum(y)


@at((POINT,))
def branches_keep_different_kinds(x):
    return mixed_kinds(x, 3)


def paths(x, n):
    total = 1.0
    for j in range(n):
        total += paths(x, j) * x[j] * total
    return total


@at((vec(0.5, 1.1, 0.7),))
def calls_itself_in_a_loop(x):
    return paths(x, 3)


def until_large(x, n):
    total = x
    while total < 5.0 and n > 0:
        total = total * until_large(x, n - 2) + 1.0
        n -= 1
    return total * x


@at((0.7,))
def calls_itself_in_a_while(x):
    return until_large(x, 3)


def pair(x, n):
    if n == 0:
        return x, x * x
    a, b = pair(x * 1.1, n - 1)
    return a * b, a + b * b


@at((vec(0.5, 1.1),))
def returns_a_tuple(x):
    a, b = pair(x, 2)
    return np.sum(a * b)


def power(matrix, n):
    if n < 2:
        return matrix if n else np.eye(2)
    return power(matrix, n // 2) @ power(matrix, n - n // 2) * 0.3


@at((POINT,))
def matrix_powers(x):
    return np.sum(power(np.outer(x[:2], x[1:3]) + np.eye(2), 3))


@at((POINT,))
def recursive_closure_that_writes(x):
    y = x.copy()

    def go(i):
        if i < len(y):
            y[i] = y[i] * y[i - 1]
            go(i + 1)

    go(1)
    return np.sum(y * y)


def scaled_sum(x, k):
    def go(i):
        if i >= len(x):
            return 0.0
        return k * x[i] + go(i + 1)

    return go(0)


@at((POINT,))
def recursive_closures_with_captures_of_their_own(x):
    return recursive_closure_that_writes(x) + recursive_closure_that_writes(2.0 * x) * scaled_sum(x, x[0]) + scaled_sum(x, x[1])


@at((POINT,))
def gradient_of_a_recursion(x):
    return np.sum(adxform.grad(product_tree)(x) ** 2)


@at((POINT,))
def gradient_of_a_writing_recursion_in_a_loop(x):
    y = x.copy()
    for _ in range(2):
        y = y + 0.1 * adxform.grad(writes_its_argument)(y)
    return np.sum(y * y)


@at((POINT,))
def pullback_of_a_recursion(x):
    out, pullback = adxform.vjp(combined, x)
    (found,) = pullback(out * x)
    return np.sum(found * found)


@at((POINT,))
def hessian_of_a_writing_recursion(x):
    return np.sum(adxform.hessian(writes_its_argument)(x) ** 2)


@at((POINT,))
def tangent_of_a_recursion(x):
    return adxform.jvp(returns_what_it_writes, (x,), (x * x,))[1]


def steps_down_the_slope(x, n):
    if n == 0:
        return x
    return steps_down_the_slope(adxform.grad(lambda z: np.sin(z) * z)(x), n - 1) * x


@at((0.7,))
def gradient_in_each_call(x):
    return steps_down_the_slope(x, 3)


def shifted(a, b, i):
    if i < len(b):
        b[i] = b[i] * a[0] + a[i]
        shifted(a, b, i + 1)
    return a[1:]


@at((POINT,))
def one_recursion_on_shared_and_on_separate_memory(x):
    def shared(v):
        y = v * v
        rest = shifted(y, y, 0)
        rest[0] = rest[0] * v[1]
        return np.sum(y * y)

    def separate(v):
        y, z = v * 1.0, v * v
        rest = shifted(y, z, 0)
        return np.sum(rest) * np.sum(z * y)

    return np.sum(adxform.grad(shared)(x) * adxform.grad(separate)(x)) + shared(x) * separate(x)


def climb(x, n):
    return x if n == 0 else climb(x * x * 0.9, n - 1) + x


def climb_fwd(x, n):
    return x * 2 if n == 0 else climb_fwd(np.sin(x), n - 1) * x


@at((0.8,))
def named_like_a_derived_function(x):
    slope = adxform.grad(lambda v: climb(v, 3))(x)
    return slope * climb_fwd(x, 2) + adxform.grad(lambda v: climb_fwd(v, 2) * climb(v, 2))(x)


@at((0.7,))
def polynomials_that_are_remembered(x):
    """Legendre's, each from the two before it, in a dict that the function and its caller share."""
    known = {0: 1.0, 1: x}

    def legendre(k):
        if k not in known:
            known[k] = ((2 * k - 1) * x * legendre(k - 1) - (k - 1) * legendre(k - 2)) / k
        return known[k]

    return sum(legendre(k) / (k + 1) for k in range(6))

"""Loops of every kind Python has, on scalars and on arrays that are only read."""

import math

import numpy as np

from tests.corpus.case import at, smooth, vec


@at((1.1, 4), (1.1, 0), (0.9, 1))
def carried_product(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


@at((1.1, 4), (1.1, 0))
def index_used(x, n):
    y = 0.0
    for i in range(n):
        y = y + math.sin(x * i) * (i + 1)
    return y


@at((0.7, 5), (0.7, 2))
def two_carried_values(x, n):
    a, b = x, 1.0
    for _ in range(n):
        a, b = a * b, a + b * x
    return a + b


@at((1.3, 6), (1.3, 1))
def range_with_step(x, n):
    y = x
    for i in range(1, n, 2):
        y = y * x + i
    for i in range(n, 0, -2):
        y = y / (1.0 + x * i)
    return y


@at((1.3, 3, 4), (1.3, 0, 4), (1.3, 2, 0))
def nested_loops(x, n, m):
    total = 0.0
    for i in range(n):
        row = x
        for j in range(m):
            row = row * x + j
        total = total + row / (i + 1)
    return total


@at((np.linspace(0.2, 1.4, 12), 3, 2), (np.linspace(0.2, 1.4, 12), 0, 1), (np.linspace(0.2, 1.4, 12), 1, -1), wrt=(0,))
def counted_places(x, n, step):
    total = 0.0
    at, down, late, far = 1, len(x) - 1, 0, 0
    for i in range(2, n + 2):
        for j in range(n, 0, -1):
            total = total * x[at] + x[down] ** j
            at += 1
            down = down - 1
            for _ in range(i):
                if x[far % 12] > 1.0:
                    late += 1
                    continue
                total = total * x[far % 12] + x[late]
                far = step + far
            if total > 50.0:
                break
        at = i
    return total * x[at]


@at((0.4, 4))
def triangular_loops(x, n):
    y = x
    for i in range(n):
        for j in range(i):
            y = math.sin(y) + x * j
        for j in range(i, n):
            y = y * (1.0 - 0.1 * x)
    return y


@at((1.5, 40.0), (1.5, 1.0), (3.0, 100.0), wrt=(0,))
def while_loop(x, limit):
    y = x
    while y < limit:
        y = y * x
    return y


@at((2.0, 1e-10), (9.0, 1e-10), wrt=(0,))
def newton_square_root(a, tolerance):
    x = a
    while abs(x * x - a) > tolerance:
        x = 0.5 * (x + a / x)
    return x


@at((0.3, 10), (0.05, 3))
def while_with_two_conditions(x, n):
    y, i = 1.0, 0
    while i < n and y < 3.0:
        y += x * y
        i += 1
    return y * i


@at((1.3, 10, 5.0), (1.3, 2, 5.0), wrt=(0,))
def break_on_value(x, n, limit):
    y = x
    for _ in range(n):
        if y > limit:
            break
        y = y * x
    return y


@at((1.3, 6))
def break_in_the_middle(x, n):
    y = x
    last = 0
    for i in range(n):
        y = y * x
        if y > 3.0:
            y = y + 10.0 * x
            break
        y = y + x
        last = i
    return y * (last + 1)


@at((0.8, 6))
def continue_skips(x, n):
    y = x
    for i in range(n):
        if i % 2 == 0:
            continue
        y = y * x + math.cos(y)
    return y


@at((0.8, 6))
def continue_and_break(x, n):
    y = 0.0
    i = 0
    while True:
        i += 1
        if i > n:
            break
        if i % 3 == 0:
            continue
        y += x**i
    return y


@at((1.2, 3, 100.0), (1.2, 30, 5.0), wrt=(0,))
def for_else(x, n, limit):
    y = x
    for _ in range(n):
        y = y * x
        if y > limit:
            break
    else:
        y = y * y
    return y


@at((1.3, 3.2, 100), (1.3, 3.2, 2), wrt=(0,))
def while_else(x, limit, n):
    y, i = x, 0
    while y < limit:
        y = y * x
        i += 1
        if i == n:
            break
    else:
        y = -y * x
    return y


@at((1.2, 10, 2.0), (1.2, 2, 50.0), wrt=(0,))
def return_from_loop(x, n, limit):
    y = 1.0
    for i in range(n):
        y = y * x
        if y > limit:
            return y * (i + 1)
    return -y


@at((1.2, 4, 1.9), (1.2, 4, 1e9), wrt=(0,))
def return_from_nested_loop(x, n, limit):
    y = x
    for _ in range(n):
        for j in range(n):
            y = y * x + 0.01 * j
            if y > limit:
                return y * y
        y = y * 0.5
    return y


@at((vec(1.0, 2.0, 3.0),), (vec(1.0),), (vec(),))
def for_over_array(x):
    total = 0.0
    for value in x:
        total = total * 0.5 + value**2
    return total


@at((smooth(3, 2),), (smooth(1, 2),))
def for_over_rows(a):
    total = 0.0
    for row in a:
        total = total + row[0] * row[1] ** 2
    return total


@at((0.5, 1.5, 2.5))
def for_over_tuple(a, b, c):
    total = 1.0
    for value in (a, b, c, a):
        total = total * value + 1.0
    return total


@at((vec(1.0, 2.0, 3.0), vec(0.5, -1.0, 2.0)), (vec(1.0, 2.0, 3.0), vec(0.5)))
def zipped_arrays(x, y):
    total = 0.0
    for a, b in zip(x, y, strict=False):
        total += a * b * total + a
    return total


@at((vec(1.0, 2.0, 3.0),))
def enumerated_array(x):
    total = 0.0
    for i, value in enumerate(x):
        total += (i + 1) * value**i
    return total


@at((vec(1.1, 2.0, 3.0),))
def enumerated_from_one(x):
    total = 0.0
    for i, value in enumerate(x, start=1):
        total = total + value**i / i
    return total


@at((vec(1.1, 0.6, 3.0),))
def reversed_array(x):
    value = 0.0
    for c in reversed(x):
        value = value * 0.7 + c * c
    return value


@at((vec(1.0, -2.0, 0.5), 0.7), (vec(), 0.7))
def horner(coefficients, x):
    value = 0.0
    for i in reversed(range(len(coefficients))):
        value = value * x + coefficients[i]
    return value


@at((vec(1.0, -2.0, 0.5, 3.0),))
def pairs_of_neighbours(x):
    total = 0.0
    for left, right in zip(x[:-1], x[1:], strict=True):
        total += (right - left) ** 2 * left
    return total


@at((vec(1.0, -2.0, 0.5, 3.0), vec(0.3, 0.4, 0.5, 0.6)))
def zip_in_enumerate(x, w):
    total = 0.0
    for i, (a, b) in enumerate(zip(x, w, strict=True)):
        total += i * a * b
    return total


@at((1.1, 3))
def loop_variable_after_loop(x, n):
    y = x
    i = 0
    for i in range(n):
        y = y * x
    return y * i


@at((1.1, 3), (1.1, 0))
def name_first_bound_in_loop(x, n):
    y = x
    for _ in range(n):
        t = y * x
        y = t * t
    return y


@at((0.5, vec(1.0, 2.0)), (0.5, vec()))
def list_comprehension_sum(x, a):
    return x + sum([x * v * v for v in a])


@at((vec(1.0, 2.0, 3.0),))
def generator_sum(x):
    return sum(v**2 for v in x)


@at((smooth(3, 3), vec(1.0, 0.5, 0.2), 4), (smooth(3, 3), vec(1.0, 0.5, 0.2), 0))
def power_iteration(a, x, n):
    for _ in range(n):
        x = a @ x
        x = x / np.sqrt(np.sum(x * x))
    return np.sum(x * vec(1.0, 2.0, 3.0))


@at((1.1, 6), (1.1, 5), (0.7, 0))
def continued_fraction_while_a_number(x, n):
    r = 0.0
    while n:
        r = n / (x + r)
        n -= 1
    return r * x


@at((1.1, 6), (1.1, 4))
def while_numbers_inside_one_another(x, n):
    s = 1.0
    while n:
        m = n
        while m // 2:
            s = 1.0 / (x + s)
            m -= 1
        n -= 1
    return s


@at((1.1, 7), (1.1, 2))
def while_a_test_and_a_number(x, n):
    s = x
    while s > 0.01 and n % 4:
        s = s / (1.0 + x)
        n -= 1
    return s

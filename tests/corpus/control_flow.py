"""Branches: which one ran decides the derivative."""

import math

import numpy as np

from tests.corpus.case import at, smooth, vec


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


@at((smooth(3), False), (smooth(3), True))
def array_defined_in_one_branch(x, flag):
    if flag:
        w = x * x
    y = 1.0
    if flag:
        y = np.sum(w * w)
    return y * x[0]


@at((smooth(3), False), (smooth(3), True))
def elements_of_an_array_defined_in_one_branch(x, flag):
    if flag:
        w = x * x
    y = 1.0
    for i in range(3):
        if flag:
            y += w[i] * w[0]
            v = w[1:]
            y += np.sum(v * v)
    return y * x[0]


@at((smooth(3), 0, False), (smooth(3), 2, True))
def array_defined_in_a_loop(x, n, flag):
    for i in range(n):
        w = x * i
    s = np.sum(x * x)
    if flag:
        s = np.sum(w * x)
    return s


@at((smooth(3), 2, False), (smooth(3), 2, True))
def array_defined_in_some_passes(x, n, flag):
    s = np.sum(x * x)
    for i in range(n):
        if flag or i > 0:
            w = x * i
        if i > 0:
            s += np.sum(w * w)
        elif flag:
            s += np.sum(w)
    return s


@at((smooth(3, 3), 0), (smooth(3, 3), 4))
def arrays_of_the_pass_before(x, n):
    t = 0
    s = x[0, 0]
    while t < n:
        if t == 0:
            before = x @ x[0]
        else:
            now = x @ before + before
            if t % 2:
                s += now @ before
            before = now
        t += 1
    if t > 1:
        s += np.sum(now**2)
    return s


@at((smooth(3), 0), (smooth(3), 1), (smooth(3), 2), (smooth(3), 6))
def arrays_defined_in_other_branches(x, k):
    if k == 0:
        a = x * x
    elif k == 1:
        b = x * 3.0
    elif k > 5:
        a = x
        b = np.exp(x)
    else:
        b = np.sin(x)
    s = 0.0
    if k == 0:
        s = np.sum(a**3)
    if k == 1 or k > 1:
        s += np.sum(b**3)
    if k > 5:
        s += np.sum(a * b)
    return s


@at((smooth(3), 0), (smooth(3), 3))
def written_array_defined_in_some_passes(x, n):
    for i in range(n):
        if i == 1:
            w = x * x
            w[0] = x[1] * w[1]
        if i > 1:
            w[1] += w[0]
            v = w
    s = np.sum(x)
    if n > 2:
        s += np.sum(v * w)
    return s


FIVE = vec(0.31, 1.23, -0.74, 0.92, 2.17)


@at((FIVE,))
def array_name_taken_by_its_items(x):
    total = 0.0
    for x in x:
        total += x**2
    return total * x


@at((FIVE,))
def open_rank_read_on_some_passes(x):
    y = x
    total = 0.0
    for i in range(len(x)):
        z = y * 2.0
        w = np.cumsum(z)
        if i < 2:
            total += np.sum(z) * x[i] + w[-1]
        y = x[i] if i % 2 else x[: i + 1]
    return total


@at((FIVE,))
def open_rank_in_a_while(x):
    y = x[0]
    k = 0
    while k < 4:
        if k == 1:
            y = x * y
        elif k == 2:
            y = np.sum(y)
        k += 1
        y = y * x[k]
    return y**2


@at((FIVE, 3), (FIVE, 0))
def open_rank_after_a_loop(x, n):
    z = x
    for i in range(n):
        z = x[i] * np.sum(z)
    return np.sum(z * x)


@at((FIVE,))
def loop_that_could_only_raise(x):
    for _ in x[len(x) :]:
        raise ValueError("too many")
    for _ in range(int(x[0])):
        if x[0] > 0.0:
            raise ValueError("positive")
        raise KeyError("not positive")
    return x[0] ** 2 * x[1]


@at((vec(0.3, 0.5, -0.7), vec(1.0, 2.0, 3.0)), (vec(0.4), vec(1.5)))
def number_of_the_pass_before(q, y):
    total = 0.0
    for i in range(len(q)):
        if i > 0:
            total += previous * q[i]  # noqa: F821 - of the pass before
        previous = q[i] * y[i]
    return total + previous


@at((smooth(3, 2),), (smooth(1, 2),))
def number_of_an_earlier_row(a):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if i + j > 0:
                total += last * last * a[i, j]  # noqa: F821 - of the pass before
            last = a[i, j] * 1.5
            count = i
        total += last * count
    return total


@at((smooth(3, 2), smooth(2, 3)), (smooth(1, 2), smooth(2, 1)))
def product_of_the_last_pass(a, b):
    for i in range(3):
        m = a @ b
        n = np.outer(a[0], b[:, 0]) * i
    return np.sum(m * m) + np.sum(n)


@at((smooth(2, 2), smooth(2, 2), 3), (smooth(2, 2), smooth(2, 2), 1))
def product_of_the_last_of_some_passes(a, b, count):
    total = 0.0
    for i in range(count):
        if i > 0:
            total += np.sum(m * a)  # noqa: F821 - of the pass before
        m = np.linalg.inv(a + 3.0 * np.eye(2)) @ b
    return total + np.sum(m * m)


@at((smooth(2, 2), smooth(2, 2), 2.0), (smooth(2, 2), smooth(2, 2), 0.5), (smooth(2, 2), smooth(2, 2), -1.0), wrt=(0, 1))
def product_that_a_branch_reads(a, b, c):
    if c > 0:
        m = a @ b
    total = np.sum(a)
    if c > 1:
        total += np.sum(m * m)
    return total


@at((smooth(2, 2), smooth(2, 2), 3), wrt=(0, 1))
def products_of_nested_loops(a, b, count):
    total = 0.0
    for i in range(count):
        for j in range(i):
            m = a @ b * j
        if i > 1:
            total += np.sum(m * m)
            for _ in range(2):
                k = m @ a
    return total + np.sum(k) + np.sum(m)


@at((0.7, 3), (1.3, 1), wrt=(0,))
def names_without_a_value_that_nobody_reads(x, n):
    total = 0.0
    for k in range(n):
        if k > 0:
            total += previous * x  # noqa: F821
        previous = x * (k + 1)
        if k > 5:
            unread = total * x

    def later(t):
        return unread * t

    return later(total) if n > 7 else total * previous

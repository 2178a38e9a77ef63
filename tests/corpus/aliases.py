"""Several names for one array: what is written through one is read through the others."""

import numpy as np

from tests.corpus.case import at, smooth, vec


@at((vec(1.0, 2.0, 3.0), 0.7))
def alias_then_store(x, a):
    y = x * a
    z = y
    z[0] = a * a
    return np.sum(y * y)


@at((vec(1.0, 2.0, 3.0),))
def alias_then_scale(x):
    y = x.copy()
    z = y
    y *= 2.0
    return np.sum(z * z * x)


@at((vec(1.0, 2.0, 3.0),))
def alias_of_argument_scaled(x):
    y = x
    y *= 2.0
    return np.sum(x * x)


@at((vec(1.0, 2.0),))
def rebinding_is_not_writing(x):
    y = x
    y = y * 2.0
    z = y
    y = y + 1.0
    return np.sum(x * y * z)


@at((vec(1.0, 2.0, 3.0), 0.5))
def list_of_aliases(x, a):
    y = x * 2.0
    rows = [y, y]
    rows[0][1] = a
    rows[1][2] *= a
    return np.sum(rows[0] * rows[1]) + y[1]


@at((vec(1.0, 2.0), vec(0.3, 0.4)))
def tuple_of_aliases(x, y):
    u, v = x * y, x + y
    pair = (u, v)
    pair[0][0] = v[1]
    pair[1][1] = u[0] * 3.0
    return np.sum(u * v)


@at((vec(1.0, 2.0), vec(3.0, 4.0), 1.0), (vec(1.0, 2.0), vec(3.0, 4.0), -1.0), wrt=(0, 1))
def alias_chosen_by_condition(x, y, c):
    u, v = x * 2.0, y * 3.0
    z = u if c > 0 else v
    z[0] = u[1] * v[1]
    return np.sum(u * u) + np.sum(u * v)


@at((vec(1.0, 2.0), vec(3.0, 4.0), 1.0), (vec(1.0, 2.0), vec(3.0, 4.0), -1.0), wrt=(0, 1))
def alias_chosen_then_scaled(x, y, c):
    u, v = x * 2.0, y * 3.0
    if c > 0:
        z = u
    else:
        z = v
    z *= x[0]
    return np.sum(u * v * z)


@at((vec(1.0, 2.0, 3.0), 3), (vec(1.0, 2.0, 3.0), 0), (vec(1.0, 2.0, 3.0), 4))
def double_buffer(x, n):
    u, v = x.copy(), np.zeros(3)
    for _ in range(n):
        v[0] = u[1] * u[2]
        v[1] = u[0] + v[0]
        v[2] = 0.5 * u[2]
        u, v = v, u
    return np.sum(u) + 2.0 * v[1]


@at((vec(1.0, 2.0, 3.0), 0.3, 3), (vec(1.0, 2.0, 3.0), 0.3, 2))
def double_buffer_slices(x, k, n):
    u = x * 1.0
    v = u.copy()
    for _ in range(n):
        v[1:-1] = u[1:-1] + k * (u[2:] - u[:-2]) * u[1:-1]
        u, v = v, u
    return np.sum(u * u)


@at((vec(1.0, 2.0, 3.0), 4))
def three_buffers_rotate(x, n):
    a, b, c = x.copy(), x * 2.0, x * 3.0
    for i in range(n):
        a[i % 3] = b[0] * c[1]
        a, b, c = b, c, a
    return np.sum(a * b) + np.sum(c)


@at((vec(1.0, 2.0, 3.0), 3))
def alias_made_inside_loop(x, n):
    y = x.copy()
    for i in range(n):
        z = y
        z[i] = z[i - 1] * z[i] + x[0]
    return np.sum(y * y)


@at((vec(1.0, 2.0, 3.0), 3), (vec(1.0, 2.0, 3.0), 0))
def loop_leaves_alias_behind(x, n):
    y = x * 2.0
    last = y
    for i in range(n):
        last = y
        y = y * x
        y[0] = i * x[1]
    return np.sum(last * y)


@at((smooth(3, 3), vec(1.0, 2.0, 3.0), 3))
def rebound_then_written(a, x, n):
    for _ in range(n):
        x = a @ x
        x[0] = 0.0
    return np.sum(x)


@at((smooth(3, 3), vec(1.0, 2.0, 3.0), 3))
def rebound_written_and_kept(a, x, n):
    total = 0.0
    for i in range(n):
        y = x
        x = a @ x
        x[i] = y[i] * x[0]
        total += np.sum(x * y)
    return total


@at((vec(1.0, 2.0),))
def copy_breaks_the_alias(x):
    y = x * 2.0
    z = y.copy()
    w = np.array(y)
    y[0] = 5.0
    z[1] = x[0] * x[1]
    return np.sum(y * z * w)


@at((vec(1.0, 2.0),))
def asarray_keeps_the_alias(x):
    y = x * 2.0
    z = np.asarray(y)
    z[0] = x[1] ** 2
    return np.sum(y * x)


@at((vec(1.0, 2.0),))
def dictionary_of_aliases(x):
    y = x * x
    store = {"a": y, "b": y}
    store["a"][0] = x[1]
    return np.sum(store["b"] * x)


@at((vec(1.0, 2.0), 2), (vec(1.0, 2.0), 0))
def alias_of_loop_result(x, n):
    y = x.copy()
    first = y
    for _ in range(n):
        y[0] = y[0] * y[1]
        y[1] += x[0]
    return np.sum(first * y)


@at((vec(1.0, 2.0, 3.0),))
def argument_and_result_share_memory(x):
    y = x[1:]
    y[0] = x[0] * x[1]
    return x, y


@at((vec(1.0, 2.0, 3.0),))
def view_and_base_returned(x):
    y = x * x
    return y, y[1:], y[0]


@at((vec(0.1, 0.2, 0.3),))
def array_written_for_a_condition_that_begins_with_a_number(x):
    y = 0.0
    n = 0
    total = 0.0
    while n < 6 and np.sum(y) < 3.0:
        y = x * (n + 1.0)
        y[0] = 100.0 if n > 1 else 0.0
        n += 1
        total += n * x[1]
    return total


@at((vec(0.1, 0.2, 0.3),))
def array_written_for_a_condition_that_begins_without_one(x):
    y = None
    n = 0
    total = 0.0
    while n < 6 and (n == 0 or np.sum(y) < 3.0):
        y = x * (n + 1.0)
        y[0] = 100.0 if n > 1 else 0.0
        n += 1
        total += n * x[1]
    return total

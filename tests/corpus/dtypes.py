"""Single precision stays single, NumPy scalars stay NumPy scalars, integers ride along."""

import numpy as np

from tests.corpus.case import at, smooth, vec


@at((np.float32([0.5, 1.5, 2.5]),))
def single_elementwise(x):
    return np.sum(np.sin(x) * x + 2.0 * x**2)


@at((np.float32(0.5), np.float32([1.0, 2.0])))
def single_scalar_with_array(s, x):
    return np.sum(s * x * x) + s


@at((np.float32([0.5, 1.5]), vec(1.0, 2.0)))
def single_with_double(x, y):
    return np.sum(x * y + x / y)


@at((smooth(2, 2).astype(np.float32), np.float32([1.0, 2.0])))
def single_matmul(a, x):
    return np.sum(np.tanh(a @ x))


@at((np.float32([0.5, 1.5, 2.0]), 3))
def single_loop(x, n):
    y = x.copy()
    for i in range(n):
        y[i] = y[i - 1] * x[i] * 0.5
    return np.sum(y)


@at((vec(0.5, 1.5),))
def cast_down_and_up(x):
    return np.sum(x.astype(np.float64) * x) + np.sum(np.float64(2.0) * x)


@at((vec(0.5, 1.5, 2.5), np.array([2, 0, 1])))
def integer_array_argument(x, index):
    return np.sum(x[index] * x * index)


@at((vec(0.5, 1.5, 2.5), np.array([True, False, True])))
def boolean_array_argument(x, mask):
    return np.sum(x[mask] ** 2) + np.sum(x * mask)


@at((vec(0.5, 1.5), np.arange(6).reshape(3, 2)))
def integer_matrix(x, counts):
    return np.sum((counts @ x) ** 2)


@at((vec(0.5, 1.5, 2.5),))
def integer_buffer_inside(x):
    count = np.zeros(3, dtype=int)
    for i in range(3):
        count[i] = i * i
        count[0] += count[i]
    return np.sum(count * x * x)


@at((1.5, vec(1.0, 2.0)))
def python_float_with_array(s, x):
    return s * np.sum(x) + np.float64(s) * 2 + float(s) * x[0]


@at((np.float32([0.3, 1.2, -0.7]), vec(1.5, -0.4, 0.8)))
def single_times_double(x, w):
    z = x * w
    return np.sum(z)


@at((np.float32([0.3, 1.2, -0.7]), 1.5))
def number_beside_singles(x, s):
    e = x * s
    e /= s + 1.0
    return np.sum(e * x)


@at((vec(0.5, 1.5, 2.5), np.arange(3)), wrt=(0,))
def integers_beyond_the_precision_of_floats(x, like):
    """Products of up to 61 bits, in an array of integers made like another one."""
    k = np.empty_like(like)
    for i in range(len(x)):
        k[i] = 12345 + i
    for _ in range(3):
        for i in range(len(x)):
            k[i] = (k[i] * 1103515245 + 12345) % 2147483648
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i] * (k[i] % 7)
    return total


@at((vec(0.5, 1.5, 2.5), np.arange(3)), wrt=(0,))
def dtypes_and_orders_by_position(x, like):
    k = np.empty_like(like, int)
    k[:] = 2
    ones, zeros = np.ones_like(x, int), np.zeros_like(np.ones_like(x), int)
    return (
        np.sum((ones + zeros * k) * x * np.copy(x, "C"))
        + np.sum(x.copy("C") ** 3)
        + np.sum(np.copy(np.ones_like(x) * 3.0, "C") * x)
    )


@at((smooth(2, 2), np.float32([0.5, 1.5]), 3))
def single_state_times_a_double_matrix(m, x, n):
    for _ in range(n):
        x = m @ x
    return np.sum((x * x).astype(np.float64))


@at((smooth(2, 2), np.float32([0.5, 1.5])))
def single_or_double_by_a_branch(m, x):
    y = np.einsum("ij,j->i", m, x) if m[0, 0] > 0.1 else x
    return np.sum(np.stack([y, y * 2.0]).astype(np.float64) ** 2)


@at((smooth(2, 2), 3))
def single_state_made_inside(m, n):
    v = np.ones(2, dtype=np.float32)
    for _ in range(n):
        w = m @ v
        v = w / np.linalg.norm(w)
    return np.sum((v * (m @ v)).astype(np.float64))


@at((vec(0.3),))
def whole_state_that_becomes_floats(k):
    u = np.array([0, 1, 0, 2])
    for _ in range(3):
        u = u + k[0] * (np.roll(u, 1) - u[::-1]) * u[1:].sum()
    return np.sum(u[:3] * u[0] + u.T[1])


@at((smooth(4).astype(np.float32),))
def single_numbers_selected_beside_pythons(x):
    y = np.select([x > 0.8, x > 0.3], [x * x, 1], -0.5)
    z = np.select([x > 0.8, x > 0.3], [1, 2.5], x)
    return y.astype(np.float64) @ z


@at((smooth(2, 3), smooth(2, 3, seed=1)))
def joins_in_another_precision(x, y):
    rows = np.concatenate([x * y, y], axis=1, dtype=np.longdouble)
    return rows.astype(np.float64), np.stack([x, x * y], dtype=np.longdouble).astype(np.float64)


@at((smooth(3),))
def arrays_compared_with_a_dtype(x):
    return np.sum(x**2 * (x != np.dtype(float))) + np.sum(x == np.dtype(np.float32)) * x[0] + x[1] * (x.dtype == np.dtype(float))

"""Functions called in each way that Python allows: options by position and by keyword, arrays for results, lists of axes."""

import numpy as np

from tests.corpus.case import at, smooth, vec


@at((smooth(3), smooth(3, seed=1), smooth(3, seed=2), smooth(3, seed=3), smooth(3, seed=4)))
def einsum_of_five(a, b, c, d, e):
    return np.einsum("i,i,i,i,i->", a, b, c, d, e)


@at((smooth(2, 3),))
def results_of_definitions_into_arrays(x):
    y = np.zeros(3)
    z = np.zeros(2)
    np.median(x, 0, y)
    np.ptp(x, 1, out=z)
    return np.sum(y**2) + np.sum(z**3)


@at((smooth(4),))
def put_more_and_fewer_values_than_places(x):
    y = x * 2.0
    np.put(y, [0, 1], [1.0, 2.0, 3.0])
    z = x * 3.0
    np.put(z, [0, -1, 1], x[:2])
    return np.sum(y**2) + np.sum(z**2)


@at((smooth(2, 3),))
def take_along_axis_of_broadcast_indices(x):
    return np.sum(np.take_along_axis(x, np.array([[0, 2]]), 1) ** 2) + np.sum(np.take_along_axis(x, np.array([[1]]), 0) ** 3)


@at((smooth(2, 3), smooth(3)))
def multi_dot_of_different_shapes(a, v):
    return np.sum(np.linalg.multi_dot([a, a.T, a, v]) ** 2)


@at((smooth(3),), (smooth(2, 3),))
def repeats_of_each_element(x):
    return np.sum(np.repeat(x, [2, 0, 1], axis=-1) ** 2)


@at((smooth(2, 3, 2),))
def diagonals_along_other_axes(x):
    return np.sum(np.diagonal(x, 0, 1, 2) ** 2) + np.sum(np.trace(x, 1, axis1=2, axis2=0) ** 3)


@at((smooth(3, 2), smooth(3, 2, seed=1)))
def vectors_along_the_first_axis(a, b):
    return np.sum(np.cross(a, b, axisa=0, axisb=0, axisc=0)[0] ** 2) + np.sum(np.cross(a, b, axis=0)[2] ** 3)


@at((smooth(3),))
def options_by_position(x):
    return np.sum((x * x).sum(0, None, None, True) ** 2) + np.sum(a=x) ** 2 + np.take(x, [0, 5], mode="wrap") @ x[:2]


@at((vec(0.3, 1.2, -0.7),))
def axes_in_front(x):
    return np.sum(np.array(x * x, ndmin=2) ** 2)


@at((smooth(2, 3), smooth(3, 2, seed=1)))
def einsum_of_lists_of_axes(x, y):
    return np.sum(np.einsum(x, [0, 1], y, [1, 2], [2, 0]) ** 2) + np.einsum(x, [..., 30], y, [30, 0])[0, 1] ** 3


@at(
    (smooth(3), 0.9),
)
def clipped_by_name(x, y):
    return np.sum(np.clip(x, min=y) ** 2) + np.sum(np.clip(x, max=y, min=0.3) ** 3)


@at((smooth(3),))
def squares_of_a_negative_in_single_precision(x):
    y = np.negative(np.arange(3) / 7.0, dtype=np.float32)
    return np.sum(x * (y * y))


@at((smooth(3, 3, 3),), (smooth(4, 2, 3),))
def trapezoid_along_the_first_of_three_axes(x):
    r = np.trapezoid(x, axis=0)
    return np.sum(r[0] ** 2) + np.sum(r[:, 1] ** 3)


@at((smooth(2), smooth(2, 3, seed=1), 0.7))
def kron_of_different_ranks(a, b, c):
    return np.sum(np.kron(a, b)[1] ** 2) + np.sum(np.kron(b, a)[:, 0] ** 3) + np.sum(np.kron(c, a) ** 2)


@at((smooth(4, 2, 3),))
def axes_in_a_list(x):
    return np.sum(x.transpose([2, 0, 1])[0] ** 2)


@at((smooth(2, 3), smooth(3, 2), smooth(2, 3, seed=1)))
def einsum_of_three_matrices(a, b, c):
    r = np.einsum("ij,jk,kl->il", a, b, c) + np.einsum("ij,jk,kl", a, b, c, optimize="greedy")
    return np.sum(r[0] ** 2)


@at((smooth(4, 2, 3), smooth(4, 3, 2), smooth(3)))
def multi_dot_of_two_of_any_rank(a, b, v):
    r = np.linalg.multi_dot([a, b])[0, 1] ** 2 + np.linalg.multi_dot((a, v)) + np.linalg.multi_dot([b[0].T, b[0, :, 1]])[0]
    return np.sum(r**2) + np.linalg.multi_dot([2.0, v]) @ v


@at((smooth(2, 3), smooth(3)))
def products_of_vectors_along_other_axes(a, b):
    r = np.cross(a, b[:, None], axisb=0) + np.cross(b, a, axisb=1, axisc=0).T * 2.0
    return np.sum(r[0] ** 2) + np.sum(r[1, 2] ** 3)


@at((smooth(2, 3),))
def values_put_where_a_mask_says(x):
    y = x * 2.0
    np.putmask(y, x > 0.5, x[0])
    z = x * 3.0
    np.putmask(z, np.array([1, 0, 2, 0, 0, 1]).reshape(3, 2) > 0, [x[0, 0], 0.5])
    return np.sum(y**2) + np.sum(z**3)


@at((smooth(3), smooth(2, 3, seed=1), 0.7))
def several_at_least(v, m, a):
    r = np.sum(np.atleast_1d([0.5, 1.5, 2.5], v)[1] ** 2) + np.atleast_2d(2, v, m)[2][1, 0] ** 3
    return r + np.sum(np.atleast_3d(1.5, a)[1] ** 2) * a


@at((smooth(3), smooth(2, seed=1)))
def open_mesh_of_floats(v, w):
    a, b = np.ix_(v, w)
    return np.sum(a**2 * b) + np.sum(np.ix_([1.0, 2.0], v)[1] ** 3)


@at((smooth(3), smooth(2, 3, seed=1), smooth(3, 2, 3, seed=2)))
def trapezoid_over_places_of_other_ranks(y, x, z):
    r = np.sum(np.trapezoid(y, x) ** 2) + np.sum(np.trapezoid(x[:, 0], x[:, :1], axis=0) ** 3)
    return r + np.sum(np.trapezoid(x, z) ** 2) + np.trapezoid(y, [False, True, True])


@at((smooth(3), smooth(2, seed=1)))
def convolve_by_the_number_of_a_mode(a, v):
    r = np.sum(np.convolve(a, v, 2) ** 2) + np.sum(np.convolve(a, v, mode=1) ** 3) + np.sum(np.convolve(a, v, 0) ** 2)
    return r + np.sum(np.convolve(a, 2) * a)


@at((smooth(2, 2),))
def places_that_are_truths_and_floats(x):
    return np.take(x, True) ** 2 + np.take(x, 2.7) ** 3 + np.sum(np.take(x[0], [True, True, False]) ** 2)


@at((smooth(2, 3),))
def arrays_as_sequences(x):
    r = np.sum(np.concatenate(x) ** 2) + np.sum(np.stack(x, 1)[0] ** 3) + np.sum(np.hstack(x)[1:] ** 2)
    return (
        r
        + np.sum(np.vstack(x)[1] ** 3)
        + np.sum(np.column_stack(x)[0] ** 2)
        + np.sum(np.dstack(x)[0, 1] ** 3)
        + np.sum(np.block(x)[0])
    )


@at((smooth(3), smooth(2, seed=1), smooth(2, 2, seed=2)))
def meshes_of_more_and_fewer(a, b, c):
    x, y, z = np.meshgrid(a, b, c)
    u, v = np.meshgrid(a, 0.5, indexing="ij")
    return np.sum(x * y**2 * z) + np.sum(x[0] ** 2) + np.sum(u**2 * v) + np.sum(np.meshgrid(a)[0] ** 3)


@at((smooth(4, 3), smooth(4, 3, seed=1)))
def covariances_of_columns_of_two(x, y):
    return np.sum(np.cov(x, y, False)[0, 3:] ** 2)


@at((smooth(2, 2),))
def lists_of_lists_of_lists(x):
    rows = [[x[0, 0], x[0, 1]], [x[1, 0], 2.0]]
    return np.sum(np.array([rows, rows])[1] ** 2)


@at((smooth(2, 3),))
def axes_of_numpy_and_in_lists(x):
    r = np.median(x, [1, 0]) + np.size(x, [1, 0]) * np.sum(np.median(x, np.int64(1)) ** 2)
    return r + np.max(np.asarray(x[0, 0]), axis=0) ** 2 + np.ndarray.conj(x, x * 2.0)[0, 0]


@at((smooth(3) - 0.5,))
def copysign_of_truths(x):
    return np.sum(np.copysign(x > 0.3, x) * x)


@at((smooth(2, 4), smooth(3, seed=1)))
def trapezoid_with_steps_of_their_own(y, steps):
    a = np.trapezoid(y, dx=steps) + np.trapezoid(y, dx=[1.0, 2.0, 0.5])
    return np.sum(a**2) + np.trapezoid(y[0], dx=np.arange(1.0, 4.0)) ** 2 + np.trapezoid(y.T, dx=y.T[1:] ** 2, axis=0) @ a


@at((smooth(4), smooth(4, 3, seed=1)))
def places_in_tuples(x, m):
    a = np.take(x, (1, 1, -1)) @ np.take(m, (0, 2, 2), axis=1)[0]
    return a * np.sum(np.take(m, ((0, 1), (3, 3)), 0) ** 2) + np.take(m, (5,))[0] + m.take((1, 0))[0] + np.take(x[0], [0, 0])[1]


@at((smooth(3, 3, 3), smooth(2, seed=1)))
def diagonals_filled_in_turn(x, v):
    np.fill_diagonal(x, v[0])
    np.fill_diagonal(x[0], v)
    tall = x.reshape(9, 3).copy()
    np.fill_diagonal(tall, [1.0, 2.0])
    return np.sum(x**2 * (1 + x[0])) + np.sum(tall**3)


@at((smooth(2, 3), smooth(2, seed=1)))
def put_in_places_from_the_end(x, v):
    y = x * x
    np.put(y, [-1, 0, 4], v)
    np.put(y, [True, False], 2.0 * v)
    np.put(y, [2.0], v[0])
    np.put(y, [0, 1], [])
    return np.sum(y**2 * np.arange(6.0).reshape(2, 3))


@at((smooth(2, 3), smooth(3, seed=1)))
def differences_of_ends_and_truths(x, v):
    a = np.diff(v[:0], prepend=v[0], append=v[1] ** 2)
    return np.sum(np.diff(x, 0, prepend=v[0]) ** 2) + a[0] * np.sum(np.diff(x > 0.5)) + np.sum(np.diff(x, append=v[0]) ** 2)


@at((smooth(2, 3), smooth(3, 2, seed=1), smooth(2, 3, 4, seed=2)))
def averages_along_axes_in_any_order(x, w, z):
    a = np.average(x, axis=(1, 0), weights=w**2) + np.average(z, axis=(2, 0), weights=(z[:, 0] ** 2).T).sum()
    return a + np.average(z, axis=(0, 1), weights=z[..., 0] ** 2) @ z[0, 0] + np.average(x, axis=1, weights=[1, 2, 3])[0] ** 2


@at((smooth(3),))
def small_numbers_without_a_sign_taken_off(x):
    np.subtract.at(x, [0, 0, 2], np.array([1, 2, 3], dtype=np.uint8))
    np.subtract.at(x, [1, 1], np.array([True, False]))
    np.subtract.at(x, [0], [0.5])
    return np.sum(x**3)


@at((smooth(5),))
def quantiles_in_rows(x):
    q = np.quantile(x, [[0.1, 0.2], [0.6, 0.7]])
    return q[0, 1] ** 2 * q[1, 0] + np.percentile(x, [[30.0], [35.0]])[1, 0]


@at((smooth(4), np.array(3), np.array([3, 4])), (smooth(4), np.array(2), np.array([2, 4])))
def shapes_that_arrays_give(x, n, shape):
    """How long an array is, only the run knows: a sample of whole numbers that are all one says nothing."""
    y = np.zeros(n) + x[0]
    z = np.full([n, 4], x[1]) * np.ones(np.array([1, 4])) + np.zeros(shape)
    w = np.full_like(x, x[2], shape=n) + np.full((n,), x[3])
    u = np.tile(x, n) + np.sum(np.broadcast_to(x, shape) ** 2) * np.ndim(np.broadcast_to(x, shape))
    return np.sum(y**2) * y.size + np.sum(z**2 * x) + np.sum(w**3) * len(w) + np.sum(u**2) * u.size + np.empty(n).size * x[0]


@at((vec(0.4, 1.7, -0.3, 0.9, 1.1, 0.2),))
def whole_numbers_of_numpy_where_python_has_its_own(x):
    k = np.argmax(x)
    more = np.insert(x, k + 1, x[k] * 2.0)
    parts = np.split(np.delete(more, k), k + 1)
    slope = np.gradient(np.outer(x[:2], x), axis=np.int64(1))
    return np.sum(more * np.arange(7.0)) + parts[0] @ parts[1] + np.sum(slope[0] * np.array_split(x**2, k)[0])


def _bell(t, height=1.0, place=0.0, width=2.0, *, power=2):
    return height * np.exp(-((t - place) ** power) / width)


def _series(t, *coefficients):
    found = np.zeros_like(t)
    for k, c in enumerate(coefficients):
        found = found + c * t**k
    return found


@at((smooth(5), vec(1.3, 0.2, 0.8)), (smooth(2), vec(1.3, 0.2)))
def numbers_of_an_array_after_an_array(t, p):
    """How fits call what they fit: the places, then as many numbers as there are parameters."""
    return np.sum(_bell(t, *p)) + np.sum(_bell(t, *(2.0 * p), power=4)) + np.sum(_series(t, *p, p[0]) * t)


@at((smooth(4), smooth(12, seed=1)))
def more_numbers_after_an_array_than_are_written_out(t, p):
    *most, last = p
    parts = sum(np.sum(_bell(t, *p[k : k + 3])) for k in range(0, 12, 3))
    return np.sum(_series(t, *most)) * last + parts


@at((smooth(5), vec(1.3, 0.2, 0.8)))
def lists_of_an_array_and_numbers(t, p):
    items = [t, *p]
    longer = [t] + list(p)
    longer.extend(p)
    both = (*p, np.outer(t, t))
    return np.sum(items[0] * items[1]) + items[-1] * np.sum(longer[0]) * longer[4] + np.sum(both[-1]) * both[0]


@at((smooth(2, 3),))
def steps_in_memory(x):
    """What says how an array lies in memory does not move with it."""
    y = x.copy()
    rows = y.strides[0] // y.itemsize
    return np.sum(y**2) * rows + (x[0, 0] if y.T.strides == y.strides else x[1, 1]) * len(y.strides)

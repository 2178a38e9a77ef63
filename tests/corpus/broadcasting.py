"""NumPy broadcasting: every operand takes back a cotangent of its own shape."""

import numpy as np

from tests.corpus.case import at, smooth, vec


@at((smooth(2, 3), smooth(3, seed=1)))
def row_with_matrix(a, r):
    return np.sum((a + r) * (a * r) - a / r)


@at((smooth(2, 3), smooth(2, 1, seed=1)))
def column_with_matrix(a, c):
    return np.sum((a - c) * (a * c) / c)


@at((smooth(2, 1), smooth(1, 3, seed=1)))
def outer_by_broadcast(c, r):
    return np.sum(c * r + c / r + np.maximum(c, r)) + np.sum((c**r) ** 2)


@at((smooth(2, 3), 0.7))
def scalar_with_matrix(a, s):
    return np.sum(s * a + s / a + a**s + s**a)


@at((smooth(2, 3), vec(0.7)))
def length_one_vector(a, s):
    return np.sum(s * a - a / s) * np.sum(s)


@at((smooth(3), smooth(2, 3, seed=1)))
def vector_on_the_left(r, a):
    return np.sum(r / a) + np.sum(r**a) + np.sum(np.arctan2(r, a))


@at((np.array(1.3), smooth(3)))
def zero_dimensional_array(s, x):
    return np.sum(s * x) + s * s


@at((smooth(5, 3),), (smooth(1, 3),))
def sums_in_two_short_axes(x):
    c = np.array([[1.0, 2.0], [3.0, 4.0]])
    w = np.sum(x[:, None, None, :] * c[None, :, :, None], axis=3)
    return np.sum(w * w * w)


@at((smooth(2, 3), smooth(3, seed=1)), (smooth(1, 3), smooth(3, seed=1)), (smooth(2, 1), smooth(3, seed=1)))
def shapes_known_at_run_time(a, r):
    d = a - r
    return np.sum(d * d * a)


@at((smooth(2, 1, 3), smooth(4, 1, seed=1)))
def three_axes(a, b):
    return np.sum(a * b) + np.sum((a + b) ** 2)


@at((smooth(4, 2), smooth(3, 2, seed=1)))
def pairwise_distances(a, b):
    d = a[:, None, :] - b[None, :, :]
    return np.sum(np.exp(-0.5 * np.sum(d**2, axis=-1)))


@at((smooth(2, 3), smooth(3, seed=1)))
def where_broadcasts(a, r):
    return np.sum(np.where(a > r, a * r, r) * a) + np.sum(np.where(r > 0.5, 1.0, a))


@at((smooth(3, 2),))
def centred_columns(a):
    c = a - a.mean(axis=0)
    s = a.std(axis=0, keepdims=True)
    return np.sum((c / s) ** 3)


@at((smooth(0, 3), smooth(3)))
def empty_batch(a, r):
    return np.sum(a * r) + np.sum(r * r)


@at((smooth(2, 3), smooth(3, seed=1)))
def array_valued_result(a, r):
    return a * r + np.sin(r)


@at((smooth(3), smooth(2, 3, seed=1)))
def broadcast_to_and_tile(r, a):
    b = np.broadcast_to(r, (2, 3))
    t = np.tile(r, 2)
    return np.sum(b * a) + np.sum(t[1:4] ** 2)


@at((smooth(2, 3), smooth(6, 3, seed=1), smooth(3, seed=2)), (smooth(1, 3), smooth(6, 3, seed=1), smooth(3, seed=2)))
def projected_on_a_vector(means, x, v):
    z = (x[None] - means[:, None]) @ v
    return np.sum(np.log(1.0 + z**2) * z)


@at((smooth(3, 4), smooth(1, 2, seed=1), smooth(2, 3, seed=2)), (smooth(3, 4), smooth(4, 2, seed=1), smooth(2, 3, seed=2)))
def einsum_along_an_axis_of_one(a, b, c):
    return np.einsum("ij,jk,ki->", a, b, c) ** 2


@at((smooth(3, 4), smooth(4, 2, seed=1), smooth(2, 3, seed=2), 1), (smooth(3, 4), smooth(4, 2, seed=1), smooth(2, 3, seed=2), 4))
def einsum_along_an_axis_that_may_be_one(a, b, c, n):
    return np.einsum("ij,jk,ki->", a, b[:n], c) + np.sum(a**2)

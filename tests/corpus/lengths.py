"""Arrays of lengths that follow from numbers: from where to where, in which steps, how far from the diagonal."""

import numpy as np

from tests.corpus.case import at, smooth, vec

LONG = smooth(30)


@at((LONG, 1, 5), (LONG, 0, 3), (LONG, 4, 4), (LONG, 7, 2), (LONG, -4, 3), wrt=(0,))
def places_from_to(x, low, high):
    places = np.arange(low, high)
    y = np.zeros(30)
    y[places] = x[places] ** 2
    return np.sum(y * y) + np.sum(places * x[0])


@at((LONG, 1), (LONG, 0), (LONG, 25), wrt=(0,))
def every_fourth_place(x, high):
    return np.sum(x[np.arange(0, high, 4)] ** 2) + np.sum(x[np.arange(high, -1, -10)] ** 3)


@at((1.2, 3), (1.2, 0), (1.2, -1), (1.2, 12))
def lattice(u, n):
    v = u ** np.arange(n, -n - 1, -2.0)
    for m in range(n - 1, -1, -1):
        v = 0.5 * (v[:-1] + v[1:]) * u ** np.arange(m, -m - 1, -2.0)
    return np.sum(v)


@at((vec(0.4, 1.3), 2), (vec(0.4, 1.3), 0), (vec(0.4, 1.3), 9))
def sampled_in_time(x, n):
    t = np.arange(0.0, 0.25 * n, 0.1)
    return np.sum(x[0] * np.sin(x[1] * t))


@at((LONG,), (smooth(21),), (smooth(20),), (smooth(19),), (smooth(3),))
def beyond_twenty(x):
    return np.sum(np.arange(20, len(x)) * x[0]) + np.sum(x[np.arange(0, len(x), 20)] ** 2)


@at((LONG,), (smooth(21),), (smooth(20),), (smooth(3),))
def far_from_the_diagonal(x):
    a = np.outer(x, np.sin(x))
    return np.sum(np.diagonal(a, 20) ** 2) + np.sum(np.diag(a, -20) * x[0])


@at((LONG,), (smooth(25),), (smooth(24),), (smooth(3),))
def diagonal_of_many_columns(x):
    a = x[:, None] * np.linspace(0.5, 1.5, 25)
    return np.sum(np.diagonal(a) ** 2 * np.cos(np.diagonal(a)))


@at((LONG,), (smooth(26),))
def one_far_away(x):
    return np.take(x, 25) ** 2 * x[0]


@at((smooth(5, 5), 3, 0), (smooth(5, 5), 5, 2), (smooth(5, 5), 4, 4), (smooth(5, 5), 4, -1), (smooth(5, 5), 0, 0), wrt=(0,))
def above_a_diagonal(a, n, k):
    i, j = np.triu_indices(n, k)
    return np.sum(a[i, j] ** 2 * (1 + i))


@at((smooth(3, 4),))
def open_mesh_of_a_short_mask(x):
    y = x[np.ix_(np.array([True, False, True]), [0, 1])]
    i, j = np.ix_(np.array([False, True]), [True, False, True])
    return np.sum(y**2) / len(y) + y.size * np.sum(np.ones((len(i), j.size)) * x[i, j]) + np.sum(x[np.ix_([], [1])])


@at((vec(1.0, 0.3, 4.1),), (vec(1.0, -0.3, -2.15),), (vec(1.0, 0.3, 0.5),))
def grid_that_begins_and_steps_as_it_is_told(p):
    x = np.arange(p[0], p[2], p[1])
    y = np.zeros(len(x))
    for i in range(1, len(x)):
        y[i] = y[i - 1] + (x[i] - x[i - 1]) * x[i] ** 2
    return np.sum(y) * p[1] + np.sum(np.arange(p[2]) ** 2)


@at(
    (0.21, 1.3),
)
def steps_of_a_time_grid(h, k):
    y = 1.0
    for t in np.arange(0.05, 1.0, step=h):
        y = y + h * (t - k * y)
    return y

"""Copies that are the array itself where nobody has it any more, and those that somebody can still tell from it."""

import numpy as np

from tests.corpus.case import at, vec

POINT = vec(1.3, 0.7, -0.4, 0.9, 0.55)


@at((POINT,))
def two_copies_of_one(x):
    a = np.zeros(5)
    a[0] = x[0] * x[1]
    b = a.copy()
    w = a.copy()
    w[0] = 5.0 * x[2]
    return np.sum(b * x) + np.sum(w * x)


@at((POINT,))
def two_copies_in_a_loop(x):
    total = 0.0
    for _ in range(3):
        a = x * x
        b = a.copy()
        w = a.copy()
        w[0] = 5.0 * x[2]
        total += np.sum(b * x) + np.sum(w * x)
    return total


@at((POINT,))
def copy_of_a_part_and_of_the_whole(x):
    a = x * x
    part = a[1:]
    b = part.copy()
    w = a.copy()
    w[1] = x[0]
    return np.sum(b * b) + np.sum(w * x)


@at((POINT,))
def copy_of_a_part_of_a_copy(x):
    a = x * x
    b = a.copy()
    c = b[1:].copy()
    a[2] = 5.0 * x[0]
    return np.sum(np.exp(c) * c) + a[2] * a[1]


@at((POINT,))
def one_of_two_that_is_written_then(x):
    if x[0] > 0:
        a = np.zeros(5)
        c = a
    else:
        a = np.ones(5)
        c = x
    a[1] = x[2] ** 2
    return np.sum(c)


@at((POINT,))
def imaginary_part_of_what_is_real(x):
    a = np.imag(x)
    b = a.copy()
    b[0] = 5.0 * x[1]
    return np.sum(x * x) + np.sum(b * b)


@at((POINT,))
def one_state_by_two_names(x):
    u = x.copy()
    for _ in range(3):
        v = np.zeros(5)
        v[1:] = u[:-1] * x[0]
        w = v
        u = v
    return np.sum(u) * (2.0 if u is w else 3.0) * (2.0 if u is v else 3.0)

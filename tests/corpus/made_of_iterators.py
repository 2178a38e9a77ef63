"""Arrays of iterators, and named tuples of classes that a function makes."""

from collections import namedtuple

import numpy as np

from tests.corpus.case import at, vec


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def arrays_of_a_generator_with_a_condition(x):
    w = np.fromiter((v * v for v in x if v > -1.0), dtype=float)
    return np.sum(w * np.arange(len(w))) + x[1]


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def arrays_of_as_many_items_as_said(x):
    w = np.fromiter((np.exp(-v) for v in x), float, count=len(x))
    return w @ x


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def arrays_of_maps_and_ranges(x):
    w = np.fromiter(map(np.sin, x), dtype=np.float64)
    k = np.fromiter(range(4), dtype=int)
    return w @ k


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def arrays_of_an_endless_generator(x):
    def gen():
        a = x[0]
        while True:
            yield a
            a = a * 0.5 + x[1]

    return np.sum(np.fromiter(gen(), float, 5))


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def arrays_of_the_values_of_a_dict(x):
    d = {"a": x[0], "b": x[1] * x[2]}
    return np.prod(np.fromiter(d.values(), dtype=float))


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def arrays_of_nothing_perhaps(x):
    return np.fromiter((v for v in x if v > 5), float).sum() + x[0]


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def results_of_a_solver_by_name(x):
    Result = namedtuple("Result", "x fun nit message")

    def solve(z):
        for it in range(20):
            step = (z**3 + z - x) / (3 * z**2 + 1)
            z = z - step
            if np.max(np.abs(step)) < 1e-10:
                return Result(z, np.sum(z**2), it, "converged")
        return Result(z, np.sum(z**2), 20, "maxiter")

    r = solve(np.ones_like(x))
    if r.message != "converged":
        return np.inf
    return r.fun * 2 + r.x[0]


@at((vec(0.31, 1.22, -0.63, 0.84),), (vec(-3.31, -1.22, -0.63, -0.24),))
def points_with_names(x):
    Point = namedtuple("Point", ["x", "y"], defaults=(0.0,))
    pts = [Point(v, v * v) for v in x] + [Point(x[0])]
    a = pts[0]._replace(y=3.0 * x[1])
    px, py = pts[1]
    return sum(p.x * p.y for p in pts) + a.y * px

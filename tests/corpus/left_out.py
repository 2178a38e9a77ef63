"""Programs that leave out what overflowed, or what is missing: by a mask, by a bound, by the path that they take."""

import math

import numpy as np

from tests.corpus.case import at, vec

LARGE = vec(1000.0, 0.5, -2.0)
LOGISTIC = 1.0 / (1.0 + np.exp(vec(-0.5, 2.0)))


@at((LARGE,), gradient=(vec(1.0, *LOGISTIC),))
def softplus(x):
    """The exponential overflows where the straight line is taken."""
    return np.sum(np.where(x > 30.0, x, np.log1p(np.exp(x))))


@at((vec(2.0, 0.5), vec(1.0, np.nan, 4.0), vec(0.5, 1.5, 2.5)), gradient=(vec(2 * 0.5 * 0.5 + 2 * 1.5 * 2.5, 4.0),), wrt=(0,))
def missing_measurements(p, y, t):
    r = p[0] * t + p[1] - y
    return np.sum(np.where(np.isnan(y), 0.0, r**2))


@at((LARGE,), gradient=(vec(0.0, np.exp(0.5), np.exp(-2.0)),))
def bounded_growth(x):
    return np.sum(np.clip(np.exp(x), 0.0, 1e6))


@at((LARGE,), gradient=(vec(0.0, np.exp(0.5) * 1.5, np.exp(-2.0) * -1.0),))
def overwritten_where_too_large(x):
    y = x * np.exp(x)
    y[y > 1e100] = 0.0
    return y.sum()


@at((vec(0.0, 4.0, -1.0),), gradient=(vec(2.0, 0.25, 2.0),))
def roots_where_there_are_any(x):
    """The slope of a root at zero is infinite, and so is that of an element that is left as it was, if it is computed."""
    y = 2.0 * x
    np.sqrt(x, where=x > 0.0, out=y)
    return np.sum(y)


@at((vec(3.0, 2.0, -1.0), vec(2.0, 0.0, 0.5)), gradient=(vec(0.5, 0.0, 2.0), vec(-0.75, 0.0, 4.0)))
def quotients_where_defined(a, b):
    return np.sum(np.divide(a, b, out=np.zeros_like(a), where=b != 0.0))


@at((LARGE,), gradient=(vec(0.0, np.exp(0.5), np.exp(-2.0)),))
def finite_elements(x):
    total = 0.0
    for t in x:
        y = np.exp(t)
        if math.isfinite(y):
            total += y
    return total


@at((vec(1000.0, 0.5),), (vec(1.0, 0.5),))
def penalty_for_what_overflows(x):
    y = np.sum(np.exp(x) * x)
    if not np.isfinite(y):
        return 3.0 * x[1]
    return y


@at((vec(1.0, 2.0), 3.0, 2), (vec(1.0, 2.0), 0.1, 1), wrt=(0, 1))
def returned_early_beside_a_product(x, a, n):
    y = x
    for _ in range(10):
        for _ in range(len(y)):
            a *= a + a
    if n == 2:
        return x.max()
    return a + 0.0 * x[0]


@at((vec(1e80, 2.0),), (vec(0.5, 1.0),))
def last_of_those_computed(x):
    y = 0.0
    for t in x:
        u = t * t
        y = u * u * u
    return y + x[1]


@at((vec(400.0, 0.5),), (vec(0.25, 0.5),))
def smaller_of_two_models(x):
    y = np.exp(x)
    return min(np.sum(y * y), 3.0 * x[1] + 40.0)


DESIGN = np.array([[1.0, 2.0, 0.5], [np.nan, 1.5, 1.0], [0.75, np.inf, 2.0], [2.0, 0.5, 1.25]])
SEEN = vec(1.0, 2.0, -0.5, 0.25)
KNOWN = np.isfinite(DESIGN).all(axis=1)
WEIGHTS = vec(0.5, -0.3, 0.7)
RESIDUALS = SEEN[KNOWN] - DESIGN[KNOWN] @ WEIGHTS


@at((WEIGHTS, DESIGN, SEEN), gradient=(-2.0 * DESIGN[KNOWN].T @ RESIDUALS,), wrt=(0,))
def regression_with_missing_rows(p, table, y):
    r = y - table @ p
    return np.sum(np.where(np.isfinite(r), r, 0.0) ** 2)


@at(
    (WEIGHTS, np.where(np.isfinite(DESIGN), DESIGN, 1000.0)),
    gradient=(
        np.exp(DESIGN[KNOWN]).sum(axis=0),
        np.where(KNOWN[:, None], np.exp(np.where(KNOWN[:, None], DESIGN, 0.0)) * WEIGHTS, 0.0),
    ),
)
def product_of_what_overflowed(p, table):
    """The matrix moves as well, and its first row and others are what is left."""
    y = np.exp(table) @ p
    return np.sum(y[np.array([0, 3])])


@at((WEIGHTS, np.where(np.isnan(DESIGN), 1.0, DESIGN)), gradient=(DESIGN[0] + DESIGN[3] + np.array([1.0, 1.5, 1.0]),), wrt=(0,))
def bounded_products(p, table):
    return np.sum(np.clip(np.einsum("ij,j->i", table, p), -9.0, 9.0))


@at((WEIGHTS, DESIGN), gradient=(2.0 * DESIGN[KNOWN].T @ (DESIGN[KNOWN] @ WEIGHTS),), wrt=(0,))
def scores_of_known_rows(p, table):
    total = 0.0
    scores = np.outer(p, np.ones(2)).T @ table.T
    for i in range(len(table)):
        if math.isfinite(scores[0, i]):
            total += scores[0, i] * scores[1, i]
    return total


@at((vec(0.5, -1.0, 1000.0),), gradient=(np.exp(vec(0.5, -1.0, -np.inf)),))
def element_replaced(x):
    y = np.exp(x)
    y[2] = 7.0
    return np.sum(y)


@at((vec(0.5, -1.0, 1000.0),), gradient=(np.exp(vec(0.5, -1.0, -np.inf)),))
def bounded_in_place(x):
    y = np.exp(x)
    np.clip(y, None, 5.0, out=y)
    return np.sum(y)


@at((vec(0.5, 1000.0, -1.0),), gradient=(vec(1.0 * np.exp(0.5), 0.0, 2.0 * np.exp(-1.0)),))
def order_of_what_overflowed(x):
    y = np.exp(x)
    return np.median(y) + 2.0 * np.sort(y)[0]


@at((vec(0.7, 1.3, -0.4, 2.1), 2), gradient=(2.0 * vec(0.7, 1.3, -0.4, 2.1) + vec(1.0, 0.0, 0.0, 0.0),), wrt=(0,))
def grows_and_is_replaced(x, n):
    y = x * 1.0
    for _ in range(60):
        y[1:-1] = y[2:] * np.linalg.norm(y + 2.0) ** 3
    for _ in range(n):
        rest = y[1:]
        rest[...] = len(x)
    return np.sum(y) + np.sum(x * x)


@at((vec(3.0, 0.1, 0.4, 1.2), 6), gradient=(np.ones(4),), wrt=(0,))
def squared_and_perhaps_swapped(x, n):
    """What overflows would be returned if the branch were taken that swaps the two arrays."""
    y = np.array(x)
    for i in range(n):
        if 2 < x.max() < 2:
            y, x = x, y
        for _ in range(i):
            x **= 2
    return np.sum(abs(y))

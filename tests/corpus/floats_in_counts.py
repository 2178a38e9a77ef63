"""Lists that are made of whole numbers, as long as only a run can tell, into which a program then puts floats."""

import numpy as np

from tests.corpus.case import at

_X = np.array([0.7, 1.3, -0.4, 2.1])


@at((_X, _X[:3] + 0.2), (_X[:1], _X))
def polynomial_product(u, v):
    q = [0] * (len(u) + len(v) - 1)
    for i in range(len(u)):
        for j in range(len(v)):
            q[i + j] += u[i] * v[j]
    return sum(c * c for c in q)


@at((_X, 0.3), (_X[:1], 0.3))
def best_local_score(x, gap):
    n = len(x)
    h = [[0 for _ in range(n + 1)] for _ in range(n + 1)]
    best = 0.0
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            h[i][j] = max(0, h[i - 1][j - 1] + x[i - 1] * x[j - 1], h[i - 1][j] - gap)
            best = max(best, h[i][j])
    return best


@at((_X,))
def rows_with_names(x):
    n = len(x)
    h = [[0] * n for _ in range(n)]
    for i in range(1, n):
        before = h[i - 1]
        now = h[i]
        for j in range(n):
            now[j] = before[j] * 0.5 + x[j] * x[i]
    return sum(h[n - 1])


@at((_X,))
def two_rows_in_turn(x):
    n = len(x)
    before = [0] * n
    for _ in range(3):
        now = [0] * n
        for j in range(1, n):
            now[j] = max(before[j - 1] + x[j] ** 2, now[j - 1])
        before = now
    return before[n - 1] * x[1]


@at((_X,))
def only_where_it_is_large(x):
    n = len(x)
    q = list(range(n))
    for i in range(n):
        if x[i] > 0.5:
            q[i] = x[i] * q[i]
    return sum(q) * x[0]


@at((_X,))
def until_a_float_says_so(x):
    q, k = [0] * len(x), 0
    while k < len(x):
        q[k] += x[k] ** 2
        if x[k] > 2.0:
            break
        k += 1
    return sum(q)


@at((_X,))
def under_two_names(x):
    n = len(x)
    q = [0] * n
    p = q
    held = {"q": q}
    for i in range(n):
        q[i] = x[i] * 2
    return sum(p) * x[0] + sum(held["q"])

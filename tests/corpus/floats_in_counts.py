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


@at((_X, _X[::-1] * 0.9), (_X[:2], _X))
def edit_distance_row_by_row(a, b):
    before = list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        now = [before[0] + a[i - 1] ** 2]
        for j in range(1, len(b) + 1):
            now.append(min(before[j] + a[i - 1] ** 2, now[j - 1] + b[j - 1] ** 2, before[j - 1] + (a[i - 1] - b[j - 1]) ** 2))
        before = now
    return before[-1]


@at((_X, 2), (_X, 0))
def weights_made_anew(x, passes):
    weights = [1] * len(x)
    first = weights
    while passes > 0:
        total = sum(weights)
        weights = [w * np.exp(-v) / total for w, v in zip(weights, x)]
        passes -= 1
    return sum(w * v for w, v in zip(weights, x)) + first[1] * x[0]


@at((_X,))
def made_anew_on_some_passes(x):
    q = [1] * len(x)
    for i in range(len(x)):
        row = [0] * len(x)
        if x[i] > 0.5:
            row = [v * q[i] for v in x]
        q = [a + b for a, b in zip(q, row)]
    return q[0] * x[1] + q[2]


@at((_X, 1.0), (_X, -1.0))
def floats_on_one_path(x, s):
    counts = [2] * len(x)
    held = [counts]
    if s > 0:
        counts = [v * v for v in x]
    scores = [0] * len(x) if s > 0 else [v * 3.0 for v in x]
    return counts[0] * x[1] + held[0][2] * x[0] + sum(scores)

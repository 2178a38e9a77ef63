"""Programs as people write them who have not heard of differentiation: builtins, lists, index arrays, diagonals."""

import numpy as np

from tests.corpus.case import at, smooth

MATRIX = smooth(4, 4) + np.diag([2.0, 3.0, 1.0, 4.0])


@at((MATRIX,))
def logarithms_of_pivots(a):
    n = a.shape[0]
    u = a.copy()
    for k in range(n):
        for i in range(k + 1, n):
            u[i, k:] -= u[i, k] / u[k, k] * u[k, k:]
    return np.sum(np.log(np.abs(np.diag(u))))


@at((MATRIX,))
def diagonal_is_a_view(a):
    a = a.copy()
    d = np.diag(a)
    a[0, 0] = 5.0 * a[1, 1]
    for i in range(2):
        a[i, i] = d[i + 1] * a[i + 1, 0]
    return np.sum(d**2)


@at((MATRIX,))
def diagonals_of_a_written_matrix(a):
    a = a * 1.0
    a[1, 1] = a[0, 0] * a[0, 1]
    return np.sum(a.diagonal() ** 2) + np.sum(np.diagonal(a, offset=1) ** 3) + np.trace(a) * np.sum(np.diag(a, k=-1))

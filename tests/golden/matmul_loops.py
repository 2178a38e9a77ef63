"""Three nested loops: the adjoint is loops again, with no tape."""

import numpy as np

EXAMPLE = (np.array([[1.0, 2.0], [0.3, 0.7]]), np.array([[0.2, 0.4], [1.5, 0.1]]))


def matmul_loops(a, b):
    n, m, p = a.shape[0], a.shape[1], b.shape[1]
    c = np.zeros((n, p))
    for i in range(n):
        for j in range(p):
            for k in range(m):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(c * c)

# --- vjp

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
import numpy as np


def matmul_loops_vjp(a, b, result_ct):
    n = a.shape[0]  # matmul_loops.py:9
    n_1 = a.shape[1]
    n_2 = b.shape[1]
    c = np.zeros((n, n_2))  # matmul_loops.py:10
    for i in range(n):  # matmul_loops.py:11
        for j in range(n_2):  # matmul_loops.py:12
            for k in range(n_1):  # matmul_loops.py:13
                c[i, j] += a[i, k] * b[k, j]  # matmul_loops.py:14
    result = np.sum(c * c)  # matmul_loops.py:15
    # reverse sweep
    a_ct = np.zeros_like(a)
    b_ct = np.zeros_like(b)
    tmp = result_ct * c
    c_ct = tmp + tmp
    for i in range(n - 1, -1, -1):  # matmul_loops.py:11
        for j in range(n_2 - 1, -1, -1):  # matmul_loops.py:12
            for k in range(n_1 - 1, -1, -1):  # matmul_loops.py:13
                tmp_ct = c_ct[i, j]  # matmul_loops.py:14
                b_ct[k, j] += tmp_ct * a[i, k]
                a_ct[i, k] += tmp_ct * b[k, j]
    return result, a_ct, b_ct

"""Two matrix products in the reverse sweep, no closure."""

import numpy as np

EXAMPLE = (np.array([[1.0, 2.0, 0.5], [0.3, 0.7, 1.1]]), np.array([[0.2, 0.4], [1.5, 0.1], [0.6, 0.9]]))


def matmul_sum(A, B):
    return (A @ B).sum()

# --- vjp
from adxform import runtime


def matmul_sum_vjp(A, B, result_ct):
    tmp = A @ B  # matmul_sum.py:9
    result = tmp.sum()
    # reverse sweep
    tmp_ct = runtime.broadcast_like(result_ct, tmp)
    return result, tmp_ct @ B.T, A.T @ tmp_ct

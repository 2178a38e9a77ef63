"""A row against a matrix: the row takes back a cotangent of its own shape."""

import numpy as np

EXAMPLE = (np.array([[1.0, 2.0, 0.5], [0.3, 0.7, 1.1]]), np.array([0.2, 0.4, 1.5]))


def broadcast_divide(a, b):
    return np.sum(a / b)

# --- vjp
import numpy as np
from adxform import runtime


def broadcast_divide_vjp(a, b, result_ct):
    tmp = a / b  # broadcast_divide.py:9
    result = np.sum(tmp)
    # reverse sweep
    b_ct = np.copy(np.sum(result_ct * (-tmp / b), axis=0))  # broadcast_divide.py:8
    return result, runtime.broadcast_like(result_ct, a) * (1.0 / b), b_ct

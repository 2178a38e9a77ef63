"""A helper that writes into what it is given becomes part of its caller."""

import numpy as np

EXAMPLE = (np.array([1.0, 2.0, 3.0]), 0.4)


def set_first(values, value):
    values[0] = value


def callee_writes(x, a):
    y = x * x
    set_first(y, a * x[1])
    return np.sum(y * y)

# --- vjp
import numpy as np
from adxform import runtime


def callee_writes_vjp(x, a, result_ct):
    y = x * x  # callee_writes.py:13
    x_1 = x[1]  # callee_writes.py:14
    value = a * x_1
    y[0] = value  # callee_writes.py:9
    result = np.sum(y * y)  # callee_writes.py:15
    # reverse sweep
    x_ct = np.zeros_like(x)
    tmp = result_ct * y
    y_ct = tmp + tmp
    ct = y_ct[0]  # callee_writes.py:9
    y_ct[0] = 0.0
    x_ct[1] += ct * a  # callee_writes.py:14
    tmp = runtime.masked_product(y_ct, x)  # callee_writes.py:13
    x_ct += tmp
    x_ct += tmp
    return result, x_ct, ct * x_1

"""Slices that overlap, in a loop."""

import numpy as np

EXAMPLE = (np.array([1.0, 2.0, 3.0, 4.0]), 3)


def overlapping(x, n):
    y = x.copy()
    for _ in range(n):
        y[0:2] = y[0:2] * y[1:3]
    return np.sum(y)

# --- vjp
import numpy as np
from adxform import runtime


def overlapping_vjp(x, n, result_ct):
    y = x.copy()  # overlapping.py:9
    tmp_tape = []  # overlapping.py:11
    y_old_tape = []
    for _ in range(n):  # overlapping.py:10
        tmp = y[0:2]  # overlapping.py:11
        tmp_1 = tmp * y[1:3]
        tmp_tape.append(tmp_1)
        y_old = tmp.copy()
        y[0:2] = tmp_1
        y_old_tape.append(y_old)
    result = np.sum(y)  # overlapping.py:12
    # reverse sweep
    y_ct = np.full_like(x, result_ct)
    for _ in range(n - 1, -1, -1):  # overlapping.py:10
        y[0:2] = y_old_tape.pop()  # overlapping.py:11
        tmp_ct = runtime.unbroadcast(y_ct[0:2].copy(), tmp_tape.pop())
        tmp = y[0:2]
        tmp_1 = y[1:3]
        y_ct[0:2] = runtime.unbroadcast(tmp_ct * tmp_1, tmp)
        y_ct[1:3] += runtime.unbroadcast(tmp_ct * tmp, tmp_1)
    return result, y_ct

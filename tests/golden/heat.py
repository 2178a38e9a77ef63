"""A stencil by slices that writes into its argument."""

import numpy as np

EXAMPLE = (np.array([0.0, 1.0, 2.0, 1.0, 0.5]), 0.2, 3)


def heat(u, k, steps):
    for _ in range(steps):
        u[1:-1] += k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)

# --- vjp
import numpy as np
from adxform import runtime


def heat_vjp(u, k, steps, result_ct):
    u = runtime.private(u)  # heat.py:8
    tmp_tape = []  # heat.py:10
    for _ in range(steps):  # heat.py:9
        tmp = u[2:] - 2.0 * u[1:-1] + u[:-2]  # heat.py:10
        tmp_tape.append(tmp)
        u[1:-1] += k * tmp
    result = np.sum(u * u)  # heat.py:11
    # reverse sweep
    tmp = result_ct * u
    u_ct = tmp + tmp
    k_ct = 0.0
    for _ in range(steps - 1, -1, -1):  # heat.py:9
        ct = u_ct[1:-1]  # heat.py:10
        k_ct += np.sum(ct * tmp_tape.pop())
        tmp_ct = ct * k
        u_ct[:-2] += tmp_ct
        u_ct[2:] += tmp_ct
        u_ct[1:-1] -= tmp_ct * 2.0
    return result, u_ct, k_ct

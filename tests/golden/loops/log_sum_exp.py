import numpy as np

EXAMPLE = (np.array([0.3, -1.2, 0.9, 2.1]),)


def log_sum_exp(x):
    largest = np.max(x)
    return largest + np.log(np.sum(np.exp(x - largest)))

# --- vjp
import numpy as np
from adxform import runtime


def log_sum_exp_vjp(x, result_ct):
    n = x.shape[0]
    runtime.some(n)  # log_sum_exp.py:7
    largest = -np.inf
    for i in range(n):
        largest = runtime.larger(largest, x[i])
    tmp = np.empty(n)  # log_sum_exp.py:8
    tmp_1 = 0.0
    for i in range(n):
        tmp_2 = np.exp(x[i] - largest)
        tmp[i] = tmp_2
        tmp_1 = runtime.add_up(tmp_1, tmp_2)
    result = largest + np.log(tmp_1)
    # reverse sweep
    tmp_ct = result_ct / tmp_1
    tmp_1 = 0.0
    tmp_2 = 0
    for i in range(n):
        tmp_1 = runtime.add_up(tmp_1, tmp_ct * tmp[i])
        tmp_2 = runtime.add_up(tmp_2, 1 if x[i] == largest else 0)  # log_sum_exp.py:7
    tmp_1 = runtime.ratio(result_ct - tmp_1, tmp_2 * 1.0)
    x_ct = np.empty(n)
    for i in range(n):
        x_ct[i] = tmp_ct * tmp[i] + tmp_1 * (1.0 if x[i] == largest else 0.0)
    return result, x_ct

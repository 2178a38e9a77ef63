"""Branches that return."""

import math

EXAMPLE = (1.5, 0.5)


def early_return(x, y):
    if x < 1.0:
        return x * y
    z = math.sin(x)
    if z < y:
        return z
    return z * y

# --- vjp
import math


def early_return_vjp(x, y, result_ct):
    tmp = x < 1.0  # early_return.py:9
    if tmp:
        result = x * y  # early_return.py:10
    else:
        z = math.sin(x)  # early_return.py:11
        tmp_1 = z < y  # early_return.py:12
        result = z if tmp_1 else z * y
    # reverse sweep
    if tmp:  # early_return.py:9
        x_ct = result_ct * y  # early_return.py:10
        y_ct = result_ct * x
    else:
        if tmp_1:  # early_return.py:12
            z_ct = result_ct
            y_ct = 0.0
        else:
            z_ct = result_ct * y  # early_return.py:14
            y_ct = result_ct * z
        x_ct = z_ct * math.cos(x)  # early_return.py:11
    return result, x_ct, y_ct

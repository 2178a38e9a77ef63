"""Straight-line arithmetic: plain assignments, no zeros, nothing kept that is not read."""

import math

EXAMPLE = (1.3, 0.7)


def scalar_chain(x, y):
    a = math.sin(x) * y
    b = a * a + x / y
    return math.exp(-b) * a

# --- vjp
import math


def scalar_chain_vjp(x, y, result_ct):
    tmp = math.sin(x)  # scalar_chain.py:9
    a = tmp * y
    tmp_1 = x / y  # scalar_chain.py:10
    b = a * a + tmp_1
    tmp_2 = math.exp(-b)  # scalar_chain.py:11
    result = tmp_2 * a
    # reverse sweep
    b_ct = -(result_ct * a * tmp_2)
    tmp_3 = b_ct * a  # scalar_chain.py:10
    a_ct = result_ct * tmp_2 + tmp_3
    a_ct += tmp_3
    y_ct = b_ct * (-tmp_1 / y) + a_ct * tmp  # scalar_chain.py:9
    x_ct = b_ct / y + a_ct * y * math.cos(x)
    return result, x_ct, y_ct

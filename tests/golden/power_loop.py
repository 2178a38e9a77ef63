"""A carried product with a trip count known at run time."""

EXAMPLE = (1.1, 5)


def power_loop(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y

# --- vjp
import numpy as np


def power_loop_vjp(x, n, y_ct):
    y_tape = np.empty(max(n, 0))
    y = 1.0
    for item in range(n):  # power_loop.py:8
        y_tape[item] = y
        y *= x  # power_loop.py:9
    # reverse sweep
    x_ct = 0.0
    for item in range(n - 1, -1, -1):  # power_loop.py:8
        y_1 = y_tape[item]
        x_ct += y_ct * y_1  # power_loop.py:9
        y_ct *= x
    return y, x_ct

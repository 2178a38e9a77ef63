"""Slices that overlap, in a loop."""

import numpy as np

EXAMPLE = (np.array([1.0, 2.0, 3.0, 4.0]), 3)


def overlapping(x, n):
    y = x.copy()
    for _ in range(n):
        y[0:2] = y[0:2] * y[1:3]
    return np.sum(y)

# --- vjp

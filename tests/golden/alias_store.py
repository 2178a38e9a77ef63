"""Two names, one array, one cotangent buffer."""

import numpy as np

EXAMPLE = (np.array([1.0, 2.0, 3.0]), 0.7)


def alias_store(x, a):
    y = x * a
    z = y
    z[0] = a * a
    return np.sum(y * y)

# --- vjp

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

"""Straight-line arithmetic: plain assignments, no zeros, nothing kept that is not read."""

import math

EXAMPLE = (1.3, 0.7)


def scalar_chain(x, y):
    a = math.sin(x) * y
    b = a * a + x / y
    return math.exp(-b) * a

# --- vjp

"""A stencil by slices that writes into its argument."""

import numpy as np

EXAMPLE = (np.array([0.0, 1.0, 2.0, 1.0, 0.5]), 0.2, 3)


def heat(u, k, steps):
    for _ in range(steps):
        u[1:-1] += k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)

# --- vjp

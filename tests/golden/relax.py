"""The worked example: a loop that writes into an array, with a branch."""

import numpy as np

EXAMPLE = (0.3, np.array([0.5, -0.4, 0.8, 0.3, -0.6]), 3)


def relax(k, u0, steps):
    u = u0.copy()
    loss = 0.0
    for t in range(steps):
        for i in range(1, u.shape[0] - 1):
            if u[i] > 0.0:
                u[i] = u[i] + k * (u[i - 1] - u[i]) * u[i + 1]
            else:
                u[i] = u[i] * k
        loss += u[t] ** 2
    return loss

# --- vjp

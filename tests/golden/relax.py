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
import numpy as np


def relax_vjp(k, u0, steps, loss_ct):
    u = u0.copy()  # relax.py:9
    tmp = u.shape[0] - 1  # relax.py:14
    u_old_tape = np.empty((max(steps, 0), max(tmp, 0)))
    loss = 0.0
    for t in range(steps):  # relax.py:11
        for i in range(1, tmp):  # relax.py:12
            u_i = u[i]  # relax.py:13
            if u_i > 0.0:
                tmp_1 = u_i + k * (u[i - 1] - u_i) * u[i + 1]  # relax.py:14
            else:
                tmp_1 = u_i * k  # relax.py:16
            u[i] = tmp_1  # relax.py:14
            u_old_tape[t, i] = u_i
        loss += u[t] ** 2  # relax.py:17
    # reverse sweep
    u_ct = np.zeros_like(u0)
    k_ct = 0.0
    for t in range(steps - 1, -1, -1):  # relax.py:11
        u_ct[t] += loss_ct * (2 * u[t])  # relax.py:17
        for i in range(tmp - 1, 0, -1):  # relax.py:12
            u_old = u_old_tape[t, i]  # relax.py:14
            u[i] = u_old
            ct = u_ct[i]
            if u_old > 0.0:  # relax.py:13
                tmp_1 = u[i - 1] - u_old  # relax.py:14
                tmp_ct = ct * u[i + 1]
                u_ct[i + 1] += ct * (k * tmp_1)
                k_ct += tmp_ct * tmp_1
                tmp_ct *= k
                tmp_ct_1 = ct - tmp_ct
                u_ct[i - 1] += tmp_ct
            else:
                tmp_ct_1 = ct * k  # relax.py:16
                k_ct += ct * u_old
            u_ct[i] = tmp_ct_1  # relax.py:13
    return loss, k_ct, u_ct

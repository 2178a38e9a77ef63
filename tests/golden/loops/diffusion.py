import numpy as np

EXAMPLE = (np.array([[0.3, 0.1, 0.7, 0.2], [0.5, 0.9, 0.4, 0.8], [0.2, 0.6, 0.1, 0.3]]), 2)


def diffusion(field, steps):
    u = field.copy()
    for _ in range(steps):
        flux = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u[1:-1, 1:-1] += 0.1 * (flux - 4.0 * u[1:-1, 1:-1])
    return np.sum(u * u)

# --- vjp
import numpy as np
from adxform import runtime


def diffusion_vjp(field, steps, result_ct):
    n = field.shape[0]  # diffusion.py:7
    n_1 = field.shape[1]
    u = np.empty((n, n_1))
    for i in range(n):
        for j in range(n_1):
            u[i, j] = field[i, j]
    for _ in range(steps):  # diffusion.py:8
        n_2 = n - 2  # diffusion.py:10
        n_3 = n_1 - 2
        tmp = np.empty((max(n_2, 0), max(n_3, 0)))
        for i in range(n_2):  # diffusion.py:9
            for j in range(n_3):
                tmp_1 = u[i, j + 1] + u[i + 2, j + 1] + u[i + 1, j]
                flux = tmp_1 + u[i + 1, j + 2]
                tmp[i, j] = 0.1 * (flux - 4.0 * u[i + 1, j + 1])  # diffusion.py:10
        for i in range(n_2):
            for j in range(n_3):
                u[i + 1, j + 1] += tmp[i, j]
    u_ct = np.empty((n, n_1))  # diffusion.py:11
    result = 0.0
    for i in range(n):
        for j in range(n_1):
            result = runtime.add_up(result, u[i, j] * u[i, j])
            tmp_1 = result_ct * u[i, j]
            u_ct[i, j] = tmp_1 + tmp_1
    for _ in range(steps - 1, -1, -1):  # diffusion.py:8
        n_2 = n - 2  # diffusion.py:10
        n_3 = n_1 - 2
        tmp_ct = np.empty((max(n_2, 0), max(n_3, 0)))
        for i in range(n_2):
            for j in range(n_3):
                tmp_ct_1 = u_ct[i + 1, j + 1] * 0.1
                tmp_ct[i, j] = tmp_ct_1
                u_ct[i + 1, j + 1] -= tmp_ct_1 * 4.0
        for i in range(n_2):  # diffusion.py:9
            for j in range(n_3):
                u_ct[i + 1, j + 2] += tmp_ct[i, j]
                u_ct[i + 1, j] += tmp_ct[i, j]
                u_ct[i, j + 1] += tmp_ct[i, j]
                u_ct[i + 2, j + 1] += tmp_ct[i, j]
    return result, u_ct

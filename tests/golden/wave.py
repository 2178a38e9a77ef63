import numpy as np

import adxform

EXAMPLE = (np.array([0.1, 0.4, 0.8, 0.3, 0.2]), 6)


@adxform.checkpoint(checkpoint_steps=3)
def wave(u, steps):
    u, v = u.copy(), np.zeros_like(u)
    for _ in range(steps):
        v[1:-1] = u[1:-1] * u[2:] + 0.5 * u[:-2]
        u, v = v, u
    return np.sum(u * u)

# --- vjp
import numpy as np
from adxform.runtime import revolve


def wave_vjp(u, steps, result_ct):
    u_1 = u.copy()  # wave.py:10
    v = np.zeros_like(u)
    at_kept = []  # wave.py:11
    u_kept = []
    v_kept = []
    at = 0
    free = 3
    while at < steps:
        u = u_1.copy()
        v_1 = v.copy()
        at_kept.append(at)
        u_kept.append(u)
        v_kept.append(v_1)
        free -= 1
        to = revolve.next_snapshot(at, steps, free)
        for _ in range(at, to):
            tmp = u_1[1:-1] * u_1[2:] + 0.5 * u_1[:-2]  # wave.py:12
            v[1:-1] = tmp
            u_1, v = v, u_1
        at = to
    v_ct = np.zeros_like(v)
    result = np.sum(u_1 * u_1)  # wave.py:14
    # reverse sweep
    tmp = result_ct * u_1
    u_ct = tmp + tmp
    for item in range(steps - 1, -1, -1):  # wave.py:11
        at = at_kept.pop()
        u = u_kept.pop()
        v = v_kept.pop()
        free += 1
        while at < item:
            u_1 = u.copy()
            v_1 = v.copy()
            at_kept.append(at)
            u_kept.append(u_1)
            v_kept.append(v_1)
            free -= 1
            to = revolve.next_snapshot(at, item, free)
            for _ in range(at, to):
                tmp = u[1:-1] * u[2:] + 0.5 * u[:-2]  # wave.py:12
                v[1:-1] = tmp
                u, v = v, u
            at = to
        u_ct_1 = np.zeros_like(u)
        tmp = u[1:-1]
        tmp_1 = u[2:]
        v_old = v[1:-1].copy()
        v[1:-1] = tmp * tmp_1 + 0.5 * u[:-2]
        v_ct_1 = np.copy(u_ct)  # wave.py:11
        u_ct_1 += v_ct
        v[1:-1] = v_old  # wave.py:12
        ct = v_ct_1[1:-1]
        u_ct_1[:-2] += ct * 0.5
        u_ct_1[1:-1] += ct * tmp_1
        tmp = ct * tmp
        v_ct_1[1:-1] = 0.0
        u_ct_1[2:] += tmp
        u_ct = u_ct_1
        v_ct = v_ct_1
    return result, np.copy(u_ct)

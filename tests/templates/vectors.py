"""Templates over vectors of length four: `u`, `v`, `w`; numbers `s`, `t`; `i` is the index of the innermost loop."""

# The templates are pieces of programs, not code of this module.
# ruff: noqa: B007, F821, F841, PIE790, RET503

import numpy as np


def simple(u, v, w, s, t, i):
    """Statements."""
    u[0] = s * v[1]
    u[i] = np.sin(v[i - 1]) * s
    u[i] += v[3 - i] * t
    u[i] *= v[i]
    u[1:] += v[:-1] * 0.5
    u[1:] = u[:-1]
    u[0:2] = u[0:2] * v[1:3]
    u *= 0.5
    u += v
    u -= np.tanh(u) * s
    u /= 2.0 + np.cos(v)
    u[:] = v
    u[...] = v[::-1] * w
    u[::2] *= t
    u[i], u[3 - i] = u[3 - i], u[i]
    u[[0, 0, 2]] += v[1:]
    u[u > 0.7] = s
    u[v > 0.4] *= 0.5
    u = v
    u = v.copy()
    u = v[::-1]
    u = np.sin(v * w)
    u = v * s
    u, v = v, u
    u = v if s > t else w
    u = np.zeros(4)
    u = v.reshape(2, 2).T.reshape(4)
    u.reshape(2, 2)[1] *= s
    v.reshape(2, 2).T[0] = u[2:] * t
    s = u[i] * v[0]
    s += u[1]
    s = np.sum(u * v) * 0.25
    s = np.sin(s) + t
    s, t = t, s
    s = t if u[0] > v[1] else u[2]
    u = helper(v, w, s)
    helper(u, u, t)
    helper(u[:], v, s)
    np.add.at(u, [0, 1, 0], v[1:] * s)
    np.multiply(u, v, out=w)
    np.tanh(u, out=u)
    u = np.concatenate([v[2:], w[:2]])
    u = np.stack([v, w])[1]
    u = np.where(u > v, w, s)
    u = np.cumsum(v) * 0.5
    u = np.maximum(v, w * 0.9)
    u, s = v * t, u[3] * 0.5
    rows = [u, v, u]
    rows[0][1] = s
    rows[2][2] *= t
    pair = u[1:3]
    pair *= v[0]
    pair[0] += s
    row = u.reshape(2, 2)[i // 2]
    row[1] = row[0] * s
    v[i] = s = t * u[i]
    u[1:3][0] = s
    u[:2], v[2:] = v[:2] * s, u[2:].copy()
    u[[3, 1]] = v[[0, 2]] * s
    u[u < 0] = 0.0
    u.fill(s)
    u[:, None][1] *= s
    s = max(s, u[0] * 0.5)
    s = float(u[2]) * 0.5
    s = u.sum() * 0.1 + v.min()


def blocks(u, v, w, s, t, i):
    """Statements with room for others."""
    if s > t:
        ...
    else:
        ...
    if u[i] > 0.5:
        ...
    for i in range(4):
        ...
    for i in range(3, 0, -1):
        ...
        if s > 1.5:
            break
    for i in range(n):
        if u[i] > 1.0:
            continue
        ...
    for row in u.reshape(2, 2):
        row[0] = np.cos(row[1]) * s
    while s > 0.3 and fuel > 0:
        fuel -= 1
        s = s * 0.5 - 0.1
        ...
    for k in range(2):
        u = v * s
        ...
        v = np.tanh(u)
    if s < -0.9:
        return s * np.sum(u * v)


def helper(u, v, s):
    """A function that programs call: it writes, and it returns a view."""
    u[1] = np.sin(v[2]) * s
    if s > 0.4:
        u[2:] *= v[:2]
    return u[::-1]


def frame(x, a, n):
    """The beginning and the end of every program."""
    p = x.copy()
    q = x * a
    r = p
    b = a * a
    i = 1
    fuel = 6
    rows, pair, row = [p, q, x], r[1:3], q[:2]
    ...
    return np.sum(x * p) + np.sum(q * r) * b + a

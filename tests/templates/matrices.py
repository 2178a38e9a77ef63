"""Templates over matrices, three by three: `u`, `v`, `w`; numbers `s`, `t`; `i` is the index of the innermost loop."""

# The templates are pieces of programs, not code of this module.
# ruff: noqa: B007, B905, F821, F841, PIE790, RET503

import numpy as np


def simple(u, v, w, s, t, i):
    """Statements."""
    u[0] = v[1] * s
    u[:, 1] *= v[2]
    u[i % 3, 0] = v[0, i % 3] * t
    u[1, 2] += s
    row = u[i % 3]
    row[1] = row[0] * s
    row *= t
    row = v[:, 2]
    row += u[0] * 0.5
    u.T[0] = v[1]
    u.T[:, 1] += v[0] * s
    u[1:, 1:] -= v[:2, :2] * s
    u[1:, 1:] -= u[1:, 0:1] * u[0:1, 1:] * 0.3
    u[:2] = u[1:] * s
    u[:, ::-1] += v * 0.5
    u = np.tanh(u @ v)
    u = v @ w * 0.3
    u = v.T
    u = v[::-1]
    u = v.T.copy()
    u += v.T
    u[...] = u.T
    u += u.T
    u *= v[0]
    u /= 2.0 + np.cos(v[:, :1])
    u[[0, 2]] = v[[1, 1]] * s
    u[[0, 0, 1]] += v
    u[[0, 1, 1], [2, 0, 0]] = v[1]
    u[np.arange(3), [1, 0, 2]] *= v[0]
    u[i % 3] = v[:, i % 3]
    u[:, 0], u[:, 1] = v[:, 1].copy(), u[:, 0] * s
    u[u > 0.6] = s
    u[u < -0.4] *= t
    u[:, u[0] > 0.1] *= 0.5
    u = np.diag(v[0]) + w * 0.5
    u = v.reshape(9)[::-1].reshape(3, 3)
    u = v.T.reshape(3, 3)
    u.reshape(-1)[::4] *= s
    u.ravel()[1] = t
    u.T.ravel()[1] = t
    u = np.outer(v[0], w[1])
    u = np.outer(v[0], w[1]).T
    u = np.linalg.solve(v * 0.1 + np.eye(3), w)
    u = np.where(v > w, v, s)
    u = np.concatenate([v[:1], w[1:]])
    u = np.vstack([v[2], w[0], v[2] * s])
    u = np.stack([v[0], w[:, 1], u[2]], axis=1)
    u = np.cumsum(v, axis=0) * 0.4
    u = v - v.mean(axis=0)
    u = v / (1.0 + np.sum(v * v, axis=1, keepdims=True))
    u = v + w[1]
    u = v * w[:, 2][:, None]
    u = np.swapaxes(v, 0, 1)
    u, v = v, u
    u, v = v.T, u * s
    u = v if s > t else w.T
    u = helper(v, w, s)
    helper(u.T, v, t)
    helper(u, u, s)
    s = np.trace(u) * 0.2
    s = u[i % 3, 0] * t
    s = np.sum(u * v.T) * 0.1
    s = u[0] @ v[1] * 0.3
    s = np.max(u) * 0.5
    s = np.linalg.norm(u) * 0.2
    s += np.prod(u[0]) * 0.1
    s, t = t, s
    np.multiply(u, v.T, out=w)
    np.matmul(v, w, out=u)
    np.add.at(u, [0, 2, 0], v[:, 0])
    np.add.at(u, ([0, 2, 0], [1, 1, 1]), v[0])
    block = u[1:, :2]
    block[0] = s
    block *= block
    block = v[:2, 1:]
    block[:] = w[:2, :2] * 0.5
    block.T[0] += s


def blocks(u, v, w, s, t, i):
    """Statements with room for others."""
    if s > t:
        ...
    else:
        ...
    if u[i % 3, 0] > 0.2:
        ...
    for i in range(3):
        ...
    for i in range(n):
        for k in range(i):
            u[i % 3, k % 3] = v[k % 3, i % 3] * s
        ...
    for i in range(2, -1, -1):
        ...
        if s > 1.2:
            break
    for row in u:
        row[0] *= s
    for row in v.T:
        row[1] = row[0] * row[2]
        ...
    for row, other in zip(u, v):
        row[1] = other[0] * row[2]
        ...
    for k, row in enumerate(u.T):
        row[k] *= s
    for value in u[1]:
        s = s * 0.5 + value * t
    for i in range(3):
        if u[i, i] > 0.8:
            continue
        block = u[i:]
        block *= 0.9
        ...
    while s > 0.3 and fuel > 0:
        fuel -= 1
        s = s * 0.5 - 0.1
        ...
    if s < -0.9:
        return s * np.sum(u * v)


def helper(u, v, s):
    """A function that programs call: it writes, and it returns a view."""
    u[1] = np.sin(v[:, 2]) * s
    if s > 0.4:
        u[2:] *= v[0]
    return u[:, ::-1]


def frame(x, a, n):
    """The beginning and the end of every program."""
    p = x.copy()
    q = x * a
    r = p
    b = a * a
    i = 1
    fuel = 6
    row, block = r[1], q[:2, 1:]
    ...
    return np.sum(x * p) + np.sum(q * r) * b + a

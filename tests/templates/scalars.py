"""Templates over numbers: `u`, `v`, `w`, `s`, `t`; `i` is the index of the innermost loop."""

# The templates are pieces of programs, not code of this module.
# ruff: noqa: B007, F821, F841, PIE790, RET503

import math

import numpy as np


def simple(u, v, w, s, t, i):
    """Statements."""
    u = v * s
    u = v + w * i
    u = np.sin(v) * t
    u = math.exp(-v * v)
    u = math.tanh(v) / (1.0 + w * w)
    u = v**2 - w
    u = abs(v) + 0.1
    u = max(v, w)
    u = min(v, s, 0.9)
    u = -v
    u += v
    u *= s
    u -= v * w
    u /= 1.5 + t * t
    u **= 2
    u, v = v, u
    u, v, w = v * 0.5, w, u + s
    u = v if s > t else w
    u = v if 0.0 < s < 1.0 and w > t else -v
    u = (v or w) * 0.5
    u = helper(v, s)
    u = helper(v, y=w)
    u = helper(helper(v, w), t)
    u = (lambda k: k * v + s)(w)
    u = sum([v, w * s, 0.5])
    u = sum(k * v for k in (0.1, s, t))
    duo = (v, w)
    u = duo[0] * duo[1]
    pair = [v, s]
    pair[0] = w * pair[1]
    u = pair[0] + 0.3
    state = {"k": v, "m": w}
    state["k"] *= s
    u = state["k"] - state["m"]
    s = u * 0.5
    s += v * t
    s = math.sqrt(1.0 + u * u)
    s, t = t, s * 0.9
    s = u
    u = s
    u = float(v) * np.float64(w)
    u = 0.3
    u = v * 2 // 1 * 0.1 + w
    assert u == u, "not a number"
    label = f"{u:.3f}"


def blocks(u, v, w, s, t, i):
    """Statements with room for others."""
    if s > t:
        ...
    else:
        ...
    if u > v:
        u = v * w
    elif v > w:
        ...
    elif s > 0.5:
        u = s
    else:
        v = t
        ...
    if u > 0.2:
        ...
        if v > 0.3:
            ...
            w = u * v
        else:
            s = w
    for i in range(4):
        ...
    for i in range(n):
        ...
        u = u * 0.7 + i * v
    for i in range(n, 0, -1):
        if u > 0.8:
            continue
        ...
        if s > 1.2:
            break
    else:
        ...
        w = w * 0.5
    for i in range(3):
        for j in range(i):
            u = math.sin(u + j * v)
            ...
    for k in (u, v * 2.0, 0.5):
        w = w * 0.5 + k * s
        ...
    for i, k in enumerate((u, w)):
        v = v * 0.5 + k * i
    while s > 0.3 and fuel > 0:
        fuel -= 1
        s = s * 0.5 - 0.1
        ...
    while fuel > 0:
        fuel -= 1
        if u > 0.9:
            u = u * 0.5
            break
        u = u + 0.3
        ...
    else:
        v = v * u
    for i in range(3):
        if u * (i + 1) > 1.1:
            return u * w + s
        ...
    if s < -0.9:
        ...
        return s * u + v
    if v > 1.9:
        return v * v

    def inner(k):
        if k > s:
            return k * v
        return k + w

    u = inner(u) * 0.5 + inner(0.1)


def helper(x, y=0.5):
    """A function that programs call, with branches and a loop of its own."""
    if x > y:
        return x * y
    total = y
    for i in range(3):
        total = total * 0.5 + x * i
        if total > 1.0:
            return total
    return total - x


def frame(x, a, n):
    """The beginning and the end of every program."""
    p = x * a
    q = math.cos(x)
    r = p
    b = a * a
    i = 1
    fuel = 6
    pair, duo, state = [p, q], (p, q), {"k": p, "m": q}
    ...
    return x * p + q * r * b + a

"""A relaxation that writes into its state element by element, with a branch on what it finds there."""

from __future__ import annotations

import numpy as np

from benchmarks.race.problem import Problem


def relax(k, u0, steps):
    """k: a number, u0: (n,)"""
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


def make(size):
    """Elements and steps; half of the elements are below zero."""
    n, steps = size
    return 0.1, np.linspace(-1.0, 1.0, n), steps


def by_hand(k, u0, steps):
    """Each write is saved on a tape and undone in reverse."""
    n = u0.shape[0]
    u = u0.copy()
    saved = np.empty((steps, n))
    for t in range(steps):
        for i in range(1, n - 1):
            saved[t, i] = u[i]
            u[i] = u[i] + k * (u[i - 1] - u[i]) * u[i + 1] if u[i] > 0.0 else u[i] * k
    return _backwards(k, u, saved)


def _backwards(k, u, saved):
    """The reverse sweep, which leaves `u` as it was at first."""
    k_ct = 0.0
    u_ct = np.zeros_like(u)
    for t in range(saved.shape[0] - 1, -1, -1):
        u_ct[t] += 2.0 * u[t]
        for i in range(u.shape[0] - 2, 0, -1):
            u[i] = saved[t, i]
            ct = u_ct[i]
            if u[i] > 0.0:
                k_ct += (u[i - 1] - u[i]) * u[i + 1] * ct
                u_ct[i - 1] += k * u[i + 1] * ct
                u_ct[i + 1] += k * (u[i - 1] - u[i]) * ct
                u_ct[i] = ct - k * u[i + 1] * ct
            else:
                k_ct += u[i] * ct
                u_ct[i] = k * ct
    return k_ct, u_ct


def limit(k, u0, steps):
    """The states are kept whole, so that nothing is undone; neighbours' cotangents stay in registers."""
    n = u0.shape[0]
    kept = np.empty((steps + 1, n))
    for i in range(n):
        kept[0, i] = u0[i]
    for t in range(steps):
        left = kept[t, 0]
        kept[t + 1, 0] = left
        for i in range(1, n - 1):
            here = kept[t, i]
            left = here + k * (left - here) * kept[t, i + 1] if here > 0.0 else here * k
            kept[t + 1, i] = left
        kept[t + 1, n - 1] = kept[t, n - 1]
    k_ct = 0.0
    u_ct = np.zeros(n)
    for t in range(steps - 1, -1, -1):
        u_ct[t] += 2.0 * kept[t + 1, t]
        ct, right = u_ct[n - 2], u_ct[n - 1]
        for i in range(n - 2, 0, -1):
            here, left, before = kept[t, i], kept[t + 1, i - 1], u_ct[i - 1]
            if here > 0.0:
                move, beside = left - here, k * kept[t, i + 1] * ct
                k_ct += move * kept[t, i + 1] * ct
                right += k * move * ct
                ct -= beside
                before += beside
            else:
                k_ct += here * ct
                ct *= k
            u_ct[i + 1] = right
            right, ct = ct, before
        u_ct[1] = right
        u_ct[0] = ct
    return k_ct, u_ct


def with_jax():
    """`fori_loop` in `fori_loop`, `at[].set`, and `where` for the branch."""
    from jax import lax
    from jax import numpy as jnp

    def f(k, u0, steps):
        def element(i, u):
            return u.at[i].set(jnp.where(u[i] > 0.0, u[i] + k * (u[i - 1] - u[i]) * u[i + 1], u[i] * k))

        def step(t, carried):
            u, loss = carried
            u = lax.fori_loop(1, u.shape[0] - 1, element, u)
            return u, loss + u[t] ** 2

        return lax.fori_loop(0, steps, step, (u0, 0.0))[1]

    return f


def with_jax_in_scans():
    """The sweep over the elements as a scan that carries the left neighbour."""
    from jax import lax
    from jax import numpy as jnp

    def f(k, u0, steps):
        def element(left, two):
            here, right = two
            new = jnp.where(here > 0.0, here + k * (left - here) * right, here * k)
            return new, new

        def step(u, t):
            _, inner = lax.scan(element, u[0], (u[1:-1], u[2:]))
            u = jnp.concatenate([u[:1], inner, u[-1:]])
            return u, u[t] ** 2

        return jnp.sum(lax.scan(step, u0, jnp.arange(steps))[1])

    return f


def with_torch():
    """A list of elements: assignments would change what the reverse sweep needs."""
    import torch

    def f(k, u0, steps):
        u = list(u0)
        loss = 0.0
        for t in range(steps):
            for i in range(1, len(u) - 1):
                u[i] = torch.where(u[i] > 0.0, u[i] + k * (u[i - 1] - u[i]) * u[i + 1], u[i] * k)
            loss = loss + u[t] ** 2
        return loss

    return f


def with_autograd():
    """A list of elements, for arrays take no assignments."""

    def f(k, u0, steps):
        u = [u0[i] for i in range(u0.shape[0])]
        loss = 0.0
        for t in range(steps):
            for i in range(1, len(u) - 1):
                u[i] = u[i] + k * (u[i - 1] - u[i]) * u[i + 1] if u[i] > 0.0 else u[i] * k
            loss = loss + u[t] ** 2
        return loss

    return f


def with_casadi():
    """Unrolled, with `if_else` for the branch."""
    import casadi

    def f(k, u0, steps):
        u = [u0[i] for i in range(u0.shape[0])]
        loss = 0.0
        for t in range(steps):
            for i in range(1, len(u) - 1):
                u[i] = casadi.if_else(u[i] > 0.0, u[i] + k * (u[i - 1] - u[i]) * u[i + 1], u[i] * k)
            loss += u[t] ** 2
        return loss

    return f


RACE = Problem(
    "relax",
    "Relaxation, writes and a branch (elements, steps)",
    relax,
    make,
    (7, 4),
    ((100, 10), (1_000, 100)),
    by_hand,
    limit,
    {
        "jax": with_jax,
        "jax, by an expert": with_jax_in_scans,
        "torch": with_torch,
        "autograd": with_autograd,
        "casadi": with_casadi,
    },
    wrt=(0, 1),
)

"""A long time loop over two numbers: a damped pendulum, its mean squared angle by its initial state and its constants."""

from __future__ import annotations

from math import cos, sin

import numpy as np

from benchmarks.race.problem import Problem


def pendulum(state, constants, steps):
    """state: (2,) angle and speed, constants: (2,) gravity and friction"""
    angle = state[0]
    speed = state[1]
    dt = 1e-3
    total = 0.0
    for _ in range(steps):
        speed = speed - dt * (constants[0] * np.sin(angle) + constants[1] * speed)
        angle = angle + dt * speed
        total = total + angle * angle
    return total / steps


def make(steps):
    """A pendulum well away from its rest."""
    return np.array([1.0, 0.2]), np.array([2.0, 0.05]), steps


def by_hand(state, constants, steps):
    """Both numbers of every step are kept."""
    gravity, friction = float(constants[0]), float(constants[1])
    angle, speed = float(state[0]), float(state[1])
    dt = 1e-3
    angles, speeds = np.empty(steps), np.empty(steps)
    for t in range(steps):
        angles[t], speeds[t] = angle, speed
        speed -= dt * (gravity * sin(angle) + friction * speed)
        angle += dt * speed
    angle_ct = speed_ct = gravity_ct = friction_ct = 0.0
    last = angle
    for t in range(steps - 1, -1, -1):
        angle_ct += 2.0 * last / steps
        speed_ct += dt * angle_ct
        last = float(angles[t])
        gravity_ct -= dt * sin(last) * speed_ct
        friction_ct -= dt * float(speeds[t]) * speed_ct
        angle_ct -= dt * gravity * cos(last) * speed_ct
        speed_ct *= 1.0 - dt * friction
    return np.array([angle_ct, speed_ct]), np.array([gravity_ct, friction_ct])


def limit(state, constants, steps):
    """The same: a sine and a cosine are computed again sooner than loaded."""
    gravity, friction = constants[0], constants[1]
    angle, speed = state[0], state[1]
    dt = 1e-3
    kept = np.empty((2, steps))
    for t in range(steps):
        kept[0, t] = angle
        kept[1, t] = speed
        speed -= dt * (gravity * sin(angle) + friction * speed)
        angle += dt * speed
    angle_ct, speed_ct, gravity_ct, friction_ct = 0.0, 0.0, 0.0, 0.0
    last = angle
    for t in range(steps - 1, -1, -1):
        angle_ct += 2.0 * last / steps
        speed_ct += dt * angle_ct
        last = kept[0, t]
        gravity_ct -= dt * sin(last) * speed_ct
        friction_ct -= dt * kept[1, t] * speed_ct
        angle_ct -= dt * gravity * cos(last) * speed_ct
        speed_ct *= 1.0 - dt * friction
    return np.array([angle_ct, speed_ct]), np.array([gravity_ct, friction_ct])


def with_jax():
    """`fori_loop`."""
    from jax import lax
    from jax import numpy as jnp

    def f(state, constants, steps):
        def step(_, carried):
            angle, speed, total = carried
            speed = speed - 1e-3 * (constants[0] * jnp.sin(angle) + constants[1] * speed)
            angle = angle + 1e-3 * speed
            return angle, speed, total + angle * angle

        return lax.fori_loop(0, steps, step, (state[0], state[1], 0.0))[2] / steps

    return f


def with_jax_in_checkpoints():
    """Two scans, the inner one checkpointed: the states of √steps steps are kept at a time."""
    import jax
    from jax import lax
    from jax import numpy as jnp

    def f(state, constants, steps):
        outer = int(steps**0.5)
        assert steps % outer == 0, "a number of steps with a whole divisor next to its root"

        def step(carried, _):
            angle, speed, total = carried
            speed = speed - 1e-3 * (constants[0] * jnp.sin(angle) + constants[1] * speed)
            angle = angle + 1e-3 * speed
            return (angle, speed, total + angle * angle), None

        @jax.checkpoint
        def block(carried, _):
            return lax.scan(step, carried, length=steps // outer)[0], None

        return lax.scan(block, (state[0], state[1], 0.0), length=outer)[0][2] / steps

    return f


def with_torch():
    """The loop as it stands."""
    import torch

    def f(state, constants, steps):
        angle, speed = state[0], state[1]
        total = torch.zeros((), dtype=state.dtype)
        for _ in range(steps):
            speed = speed - 1e-3 * (constants[0] * torch.sin(angle) + constants[1] * speed)
            angle = angle + 1e-3 * speed
            total = total + angle * angle
        return total / steps

    return f


def with_casadi():
    """The loop unrolled."""
    import casadi

    def f(state, constants, steps):
        angle, speed, total = state[0], state[1], 0.0
        for _ in range(steps):
            speed = speed - 1e-3 * (constants[0] * casadi.sin(angle) + constants[1] * speed)
            angle = angle + 1e-3 * speed
            total = total + angle * angle
        return total / steps

    return f


RACE = Problem(
    "time-loop",
    "A time loop over two numbers (steps)",
    pendulum,
    make,
    20,
    (10_000, 1_000_000),
    by_hand,
    limit,
    {"jax": with_jax, "jax, by an expert": with_jax_in_checkpoints, "torch": with_torch, "casadi": with_casadi},
    wrt=(0, 1),
)

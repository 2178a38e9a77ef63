"""A kinematic chain like a finger's: the squared distance of its joints from where they are seen, by the joints' angles.

Source: after the hand-tracking objective of Šrajer, Kukelova and Fitzgibbon (2018), section 4.3; here one chain of any length.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np

from benchmarks.race.problem import Problem

ASSIGNS = "its arrays take no assignments"


def chain(angles, bones, seen):
    """angles: (k, 3) about the three axes, bones: (k, 3), seen: (k, 3)"""
    turned = np.eye(3)
    joint = np.zeros(3)
    total = 0.0
    for k in range(angles.shape[0]):
        cx, cy, cz = np.cos(angles[k, 0]), np.cos(angles[k, 1]), np.cos(angles[k, 2])
        sx, sy, sz = np.sin(angles[k, 0]), np.sin(angles[k, 1]), np.sin(angles[k, 2])
        turn = np.zeros((3, 3))
        turn[0, 0] = cz * cy
        turn[0, 1] = cz * sy * sx - sz * cx
        turn[0, 2] = cz * sy * cx + sz * sx
        turn[1, 0] = sz * cy
        turn[1, 1] = sz * sy * sx + cz * cx
        turn[1, 2] = sz * sy * cx - cz * sx
        turn[2, 0] = -sy
        turn[2, 1] = cy * sx
        turn[2, 2] = cy * cx
        turned = turned @ turn
        joint = joint + turned @ bones[k]
        error = joint - seen[k]
        total += error @ error
    return total


def make(k):
    """Small angles, short bones."""
    chance = np.random.default_rng(1)
    return 0.3 * chance.normal(size=(k, 3)), chance.normal(size=(k, 3)) / k, chance.normal(size=(k, 3))


def _turns(angles):
    """The rotations of all joints: (k, 3, 3)"""
    (cx, cy, cz), (sx, sy, sz) = np.cos(angles).T, np.sin(angles).T
    rows = [
        [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
        [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
        [-sy, cy * sx, cy * cx],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def by_hand(angles, bones, seen):
    """What is not in the recurrence is done for all joints at once."""
    k = len(angles)
    turns = _turns(angles)
    turned = np.empty((k + 1, 3, 3))
    turned[0] = np.eye(3)
    for i in range(k):
        turned[i + 1] = turned[i] @ turns[i]
    joints = np.cumsum(np.einsum("kij,kj->ki", turned[1:], bones), axis=0)
    joints_ct = np.cumsum(2.0 * (joints - seen)[::-1], axis=0)[::-1]
    outer = joints_ct[:, :, None] * bones[:, None, :]
    turned_cts = np.empty((k, 3, 3))
    turned_ct = np.zeros((3, 3))
    for i in range(k - 1, -1, -1):
        turned_ct += outer[i]
        turned_cts[i] = turned_ct
        turned_ct = turned_ct @ turns[i].T
    G = np.einsum("kji,kjl->kil", turned[:-1], turned_cts)
    cy, sy, cz, sz = np.cos(angles[:, 1]), np.sin(angles[:, 1]), np.cos(angles[:, 2]), np.sin(angles[:, 2])
    cx, sx = np.cos(angles[:, 0]), np.sin(angles[:, 0])
    low = turns[:, 2]
    x_ct = np.sum(G[:, :, 1] * turns[:, :, 2] - G[:, :, 2] * turns[:, :, 1], axis=1)
    y_ct = np.sum((cz[:, None] * G[:, 0] + sz[:, None] * G[:, 1]) * low, axis=1)
    y_ct -= cy * G[:, 2, 0] + sy * (sx * G[:, 2, 1] + cx * G[:, 2, 2])
    z_ct = np.sum(G[:, 1] * turns[:, 0] - G[:, 0] * turns[:, 1], axis=1)
    return np.stack([x_ct, y_ct, z_ct], axis=1)


def limit(angles, bones, seen):
    """Joint by joint; sines and cosines are kept with the rotations."""
    n = angles.shape[0]
    turns, turned = np.empty((n, 3, 3)), np.empty((n + 1, 3, 3))
    errors, halves = np.empty((n, 3)), np.empty((n, 6))
    for i in range(3):
        for j in range(3):
            turned[0, i, j] = 1.0 if i == j else 0.0
    j0, j1, j2 = 0.0, 0.0, 0.0
    for k in range(n):
        for i in range(3):
            halves[k, i] = cos(angles[k, i])
            halves[k, 3 + i] = sin(angles[k, i])
        cx, cy, cz, sx, sy, sz = halves[k, 0], halves[k, 1], halves[k, 2], halves[k, 3], halves[k, 4], halves[k, 5]
        turns[k, 0, 0] = cz * cy
        turns[k, 0, 1] = cz * sy * sx - sz * cx
        turns[k, 0, 2] = cz * sy * cx + sz * sx
        turns[k, 1, 0] = sz * cy
        turns[k, 1, 1] = sz * sy * sx + cz * cx
        turns[k, 1, 2] = sz * sy * cx - cz * sx
        turns[k, 2, 0] = -sy
        turns[k, 2, 1] = cy * sx
        turns[k, 2, 2] = cy * cx
        for i in range(3):
            for j in range(3):
                turned[k + 1, i, j] = (
                    turned[k, i, 0] * turns[k, 0, j] + turned[k, i, 1] * turns[k, 1, j] + turned[k, i, 2] * turns[k, 2, j]
                )
        b0, b1, b2 = bones[k, 0], bones[k, 1], bones[k, 2]
        j0 += turned[k + 1, 0, 0] * b0 + turned[k + 1, 0, 1] * b1 + turned[k + 1, 0, 2] * b2
        j1 += turned[k + 1, 1, 0] * b0 + turned[k + 1, 1, 1] * b1 + turned[k + 1, 1, 2] * b2
        j2 += turned[k + 1, 2, 0] * b0 + turned[k + 1, 2, 1] * b1 + turned[k + 1, 2, 2] * b2
        errors[k, 0] = j0 - seen[k, 0]
        errors[k, 1] = j1 - seen[k, 1]
        errors[k, 2] = j2 - seen[k, 2]
    angles_ct = np.empty((n, 3))
    joint, all_ct, one_ct, row = np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(3)
    for k in range(n - 1, -1, -1):
        for i in range(3):
            joint[i] += 2.0 * errors[k, i]
            for j in range(3):
                all_ct[i, j] += joint[i] * bones[k, j]
        for i in range(3):
            for j in range(3):
                one_ct[i, j] = turned[k, 0, i] * all_ct[0, j] + turned[k, 1, i] * all_ct[1, j] + turned[k, 2, i] * all_ct[2, j]
        for i in range(3):
            for j in range(3):
                row[j] = all_ct[i, 0] * turns[k, j, 0] + all_ct[i, 1] * turns[k, j, 1] + all_ct[i, 2] * turns[k, j, 2]
            for j in range(3):
                all_ct[i, j] = row[j]
        cx, cy, cz, sx, sy, sz = halves[k, 0], halves[k, 1], halves[k, 2], halves[k, 3], halves[k, 4], halves[k, 5]
        x_ct, y_ct, z_ct = 0.0, 0.0, 0.0
        for i in range(3):
            x_ct += one_ct[i, 1] * turns[k, i, 2] - one_ct[i, 2] * turns[k, i, 1]
            y_ct += (cz * one_ct[0, i] + sz * one_ct[1, i]) * turns[k, 2, i]
            z_ct += one_ct[1, i] * turns[k, 0, i] - one_ct[0, i] * turns[k, 1, i]
        angles_ct[k, 0] = x_ct
        angles_ct[k, 1] = y_ct - cy * one_ct[2, 0] - sy * (sx * one_ct[2, 1] + cx * one_ct[2, 2])
        angles_ct[k, 2] = z_ct
    return angles_ct


def with_jax():
    """Rotations of all joints at once, then a `scan`."""
    from jax import lax
    from jax import numpy as jnp

    def f(angles, bones, seen):
        (cx, cy, cz), (sx, sy, sz) = jnp.cos(angles).T, jnp.sin(angles).T
        turns = jnp.moveaxis(
            jnp.array(
                [
                    [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
                    [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
                    [-sy, cy * sx, cy * cx],
                ]
            ),
            2,
            0,
        )

        def step(carried, one):
            turned, joint = carried
            turn, bone, place = one
            turned = turned @ turn
            joint = joint + turned @ bone
            return (turned, joint), jnp.sum((joint - place) ** 2)

        return jnp.sum(lax.scan(step, (jnp.eye(3), jnp.zeros(3)), (turns, bones, seen))[1])

    return f


def with_torch():
    """Rotations of all joints at once, then a loop."""
    import torch

    def f(angles, bones, seen):
        (cx, cy, cz), (sx, sy, sz) = torch.cos(angles).T, torch.sin(angles).T
        first = torch.stack([cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx], 1)
        second = torch.stack([sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx], 1)
        turns = torch.stack([first, second, torch.stack([-sy, cy * sx, cy * cx], 1)], 1)
        turned, joint = torch.eye(3, dtype=angles.dtype), torch.zeros(3, dtype=angles.dtype)
        total = 0.0
        for k in range(len(angles)):
            turned = turned @ turns[k]
            joint = joint + turned @ bones[k]
            total = total + torch.sum((joint - seen[k]) ** 2)
        return total

    return f


def with_autograd():
    """The same in a loop."""
    from autograd import numpy as anp

    def f(angles, bones, seen):
        turned, joint = np.eye(3), np.zeros(3)
        total = 0.0
        for k in range(len(angles)):
            cx, cy, cz = anp.cos(angles[k])
            sx, sy, sz = anp.sin(angles[k])
            turn = anp.array(
                [
                    [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
                    [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
                    [-sy, cy * sx, cy * cx],
                ]
            )
            turned = anp.dot(turned, turn)
            joint = joint + anp.dot(turned, bones[k])
            total = total + anp.sum((joint - seen[k]) ** 2)
        return total

    return f


def with_casadi():
    """The loop unrolled."""
    import casadi

    def f(angles, bones, seen):
        turned, joint, total = casadi.SX.eye(3), casadi.SX.zeros(3), 0.0
        for k in range(angles.shape[0]):
            cx, cy, cz = (casadi.cos(angles[k, i]) for i in range(3))
            sx, sy, sz = (casadi.sin(angles[k, i]) for i in range(3))
            turn = casadi.vertcat(
                casadi.horzcat(cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx),
                casadi.horzcat(sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx),
                casadi.horzcat(-sy, cy * sx, cy * cx),
            )
            turned = turned @ turn
            joint = joint + turned @ bones[k, :].T
            total += casadi.sumsqr(joint - seen[k, :].T)
        return total

    return f


RACE = Problem(
    "chain",
    "Kinematic chain (joints)",
    chain,
    make,
    3,
    (26, 1_000),
    by_hand,
    limit,
    {"jax": with_jax, "torch": with_torch, "autograd": with_autograd, "casadi": with_casadi},
)

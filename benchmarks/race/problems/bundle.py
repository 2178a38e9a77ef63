"""Bundle adjustment: the Jacobian of every observation's reprojection error by its camera, its point and its weight.

Source: Šrajer, Kukelova and Fitzgibbon (2018), section 4.2; the cameras are those of Triggs et al., Bundle adjustment: a modern
synthesis (2000). A camera has a rotation vector, a centre, a focal length, a principal point and two radial distortions: 11
numbers.
"""

from __future__ import annotations

from math import cos, sin, sqrt

import numpy as np

from benchmarks.race.problem import Problem

prange = range


def reprojection(cameras, points, weights, features):
    """cameras: (n, 11), points: (n, 3), weights: (n,), features: (n, 2) -> (n, 2)"""
    r = cameras[:, :3]
    d = points - cameras[:, 3:6]
    theta = np.sqrt(np.sum(r * r, axis=1))[:, None]
    a = r / theta
    cross = np.stack(
        [a[:, 1] * d[:, 2] - a[:, 2] * d[:, 1], a[:, 2] * d[:, 0] - a[:, 0] * d[:, 2], a[:, 0] * d[:, 1] - a[:, 1] * d[:, 0]],
        axis=1,
    )
    along = np.sum(a * d, axis=1)[:, None]
    y = d * np.cos(theta) + cross * np.sin(theta) + a * along * (1.0 - np.cos(theta))
    u = y[:, :2] / y[:, 2:3]
    q = np.sum(u * u, axis=1)
    radial = 1.0 + q * (cameras[:, 9] + cameras[:, 10] * q)
    projected = u * (radial * cameras[:, 6])[:, None] + cameras[:, 7:9]
    return weights[:, None] * (projected - features)


def make(n):
    """Observations in front of their cameras."""
    chance = np.random.default_rng(1)
    cameras = np.empty((n, 11))
    cameras[:, :3] = 0.3 * chance.normal(size=(n, 3))
    cameras[:, 3:6] = chance.normal(size=(n, 3))
    cameras[:, 6] = chance.uniform(0.5, 1.5, n)
    cameras[:, 7:9] = 0.1 * chance.normal(size=(n, 2))
    cameras[:, 9:] = 0.1 * chance.normal(size=(n, 2))
    points = chance.normal(size=(n, 3)) + np.array([0.0, 0.0, 10.0])
    return cameras, points, chance.uniform(0.5, 1.5, n), chance.normal(size=(n, 2))


def by_hand(cameras, points, weights, features):
    """All observations at once; the residuals share everything up to the image."""
    n = len(cameras)
    r, d = cameras[:, :3], points - cameras[:, 3:6]
    theta = np.sqrt(np.einsum("ni,ni->n", r, r))[:, None]
    a, c, s = r / theta, np.cos(theta), np.sin(theta)
    cross, along = np.cross(a, d), np.einsum("ni,ni->n", a, d)[:, None]
    y = d * c + cross * s + a * along * (1.0 - c)
    depth = y[:, 2]
    u = y[:, :2] / depth[:, None]
    q = np.einsum("ni,ni->n", u, u)
    f, k1, k2 = cameras[:, 6], cameras[:, 9], cameras[:, 10]
    radial = 1.0 + q * (k1 + k2 * q)
    slope = k1 + 2.0 * k2 * q
    cameras_ct, points_ct, weights_ct = np.zeros((n, 2, 11)), np.empty((n, 2, 3)), np.empty((n, 2))
    for e in range(2):
        v = u[:, e]
        u_ct = (weights * f * v * slope * 2.0)[:, None] * u
        u_ct[:, e] += weights * f * radial
        g = np.empty((n, 3))
        g[:, :2] = u_ct / depth[:, None]
        g[:, 2] = -np.einsum("ni,ni->n", g[:, :2], u)
        turned = np.einsum("ni,ni->n", g, a)[:, None]
        d_ct = c * g + s * np.cross(g, a) + (1.0 - c) * turned * a
        a_ct = s * np.cross(d, g) + (1.0 - c) * (turned * d + along * g)
        theta_ct = np.einsum("ni,ni->n", g, c * cross + s * (a * along - d))[:, None]
        cameras_ct[:, e, :3] = theta_ct * a + (a_ct - a * np.einsum("ni,ni->n", a, a_ct)[:, None]) / theta
        cameras_ct[:, e, 3:6] = -d_ct
        cameras_ct[:, e, 6] = weights * v * radial
        cameras_ct[:, e, 7 + e] = weights
        cameras_ct[:, e, 9] = weights * f * v * q
        cameras_ct[:, e, 10] = cameras_ct[:, e, 9] * q
        points_ct[:, e] = d_ct
        weights_ct[:, e] = v * radial * f + cameras[:, 7 + e] - features[:, e]
    return cameras_ct, points_ct, weights_ct


def limit(cameras, points, weights, features):
    """Observations in blocks, side by side in memory, so that they are computed several at a time."""
    block = 32
    n = cameras.shape[0]
    cameras_ct, points_ct, weights_ct = np.empty((n, 2, 11)), np.empty((n, 2, 3)), np.empty((n, 2))
    for number in prange((n + block - 1) // block):
        start = number * block
        here = min(block, n - start)
        given, made = np.empty((17, block)), np.empty((2, 15, block))
        for b in range(block):
            at = start + min(b, here - 1)
            for j in range(11):
                given[j, b] = cameras[at, j]
            for j in range(3):
                given[11 + j, b] = points[at, j]
            given[14, b] = weights[at]
            given[15, b] = features[at, 0]
            given[16, b] = features[at, 1]
        for b in range(block):
            r0, r1, r2 = given[0, b], given[1, b], given[2, b]
            d0, d1, d2 = given[11, b] - given[3, b], given[12, b] - given[4, b], given[13, b] - given[5, b]
            theta = sqrt(r0 * r0 + r1 * r1 + r2 * r2)
            over = 1.0 / theta
            a0, a1, a2 = r0 * over, r1 * over, r2 * over
            c, s = cos(theta), sin(theta)
            x0, x1, x2 = a1 * d2 - a2 * d1, a2 * d0 - a0 * d2, a0 * d1 - a1 * d0
            along, rest = a0 * d0 + a1 * d1 + a2 * d2, 1.0 - c
            part = along * rest
            depth = 1.0 / (d2 * c + x2 * s + a2 * part)
            u0, u1 = (d0 * c + x0 * s + a0 * part) * depth, (d1 * c + x1 * s + a1 * part) * depth
            q = u0 * u0 + u1 * u1
            f, w, k1, k2 = given[6, b], given[14, b], given[9, b], given[10, b]
            radial = 1.0 + q * (k1 + k2 * q)
            slope = 2.0 * w * f * (k1 + 2.0 * k2 * q)
            t0 = c * x0 + s * (a0 * along - d0)
            t1 = c * x1 + s * (a1 * along - d1)
            t2 = c * x2 + s * (a2 * along - d2)
            for e in range(2):
                v = u0 if e == 0 else u1
                own = w * f * radial
                g0 = (v * slope * u0 + (own if e == 0 else 0.0)) * depth
                g1 = (v * slope * u1 + (0.0 if e == 0 else own)) * depth
                g2 = -(g0 * u0 + g1 * u1)
                turned = (g0 * a0 + g1 * a1 + g2 * a2) * rest
                p0 = c * g0 + s * (g1 * a2 - g2 * a1) + turned * a0
                p1 = c * g1 + s * (g2 * a0 - g0 * a2) + turned * a1
                p2 = c * g2 + s * (g0 * a1 - g1 * a0) + turned * a2
                h0 = s * (d1 * g2 - d2 * g1) + turned * d0 + part * g0
                h1 = s * (d2 * g0 - d0 * g2) + turned * d1 + part * g1
                h2 = s * (d0 * g1 - d1 * g0) + turned * d2 + part * g2
                straight = g0 * t0 + g1 * t1 + g2 * t2 - (a0 * h0 + a1 * h1 + a2 * h2) * over
                made[e, 0, b] = straight * a0 + h0 * over
                made[e, 1, b] = straight * a1 + h1 * over
                made[e, 2, b] = straight * a2 + h2 * over
                made[e, 3, b] = -p0
                made[e, 4, b] = -p1
                made[e, 5, b] = -p2
                made[e, 6, b] = w * v * radial
                made[e, 7, b] = w if e == 0 else 0.0
                made[e, 8, b] = 0.0 if e == 0 else w
                made[e, 9, b] = w * f * v * q
                made[e, 10, b] = w * f * v * q * q
                made[e, 11, b] = p0
                made[e, 12, b] = p1
                made[e, 13, b] = p2
                made[e, 14, b] = v * radial * f + given[7 + e, b] - given[15 + e, b]
        for b in range(here):
            for e in range(2):
                for j in range(11):
                    cameras_ct[start + b, e, j] = made[e, j, b]
                for j in range(3):
                    points_ct[start + b, e, j] = made[e, 11 + j, b]
                weights_ct[start + b, e] = made[e, 14, b]
    return cameras_ct, points_ct, weights_ct


def _one(np, cross):
    """The error of one observation, with a module that has NumPy's names."""

    def f(camera, point, weight, feature):
        r = camera[:3]
        d = point - camera[3:6]
        theta = np.sqrt(np.sum(r * r))
        a = r / theta
        y = d * np.cos(theta) + cross(a, d) * np.sin(theta) + a * np.sum(a * d) * (1.0 - np.cos(theta))
        u = y[:2] / y[2]
        q = np.sum(u * u)
        radial = 1.0 + q * (camera[9] + camera[10] * q)
        return weight * (u * radial * camera[6] + camera[7:9] - feature)

    return f


def with_jax():
    """`vmap(jacrev)` of one observation."""
    from jax import numpy as jnp

    return _one(jnp, jnp.cross)


def with_torch():
    """`vmap(jacrev)` of one observation."""
    import torch

    return _one(torch, torch.linalg.cross)


def with_casadi():
    """The Jacobian of one observation, mapped over all."""
    import casadi

    casadi.sum = casadi.sum1
    return _one(casadi, casadi.cross)


RACE = Problem(
    "bundle",
    "Bundle adjustment, Jacobian blocks (observations)",
    reprojection,
    make,
    4,
    (1_000, 31_843),
    by_hand,
    limit,
    {"jax": with_jax, "torch": with_torch, "casadi": with_casadi},
    wrt=(0, 1, 2),
    kind="blocks",
)

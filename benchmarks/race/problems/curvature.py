"""Products of Hessians with vectors: logistic regression, Rosenbrock's function, a mixture of Gaussians."""

from __future__ import annotations

from math import exp

import numpy as np

from benchmarks.race.problem import Problem, under
from benchmarks.race.problems import gmm, rosenbrock

SCALARS = "its graph of scalars would have a node for each number of the data"
GAMMA = 1.0
prange = range


# --- logistic regression


def logistic(w, x, y):
    """w: (d,), x: (n, d), y: (n,) in {0, 1}"""
    z = x @ w
    return np.sum(np.logaddexp(0.0, z) - y * z)


def make_logistic(size):
    """Observations and dimensions."""
    n, d = size
    chance = np.random.default_rng(1)
    return 0.3 * chance.normal(size=d), chance.normal(size=(n, d)), 1.0 * (chance.uniform(size=n) > 0.5), chance.normal(size=d)


def logistic_by_hand(w, x, y, v):
    """Xᵀ (s (1 - s) (X v))"""
    s = 1.0 / (1.0 + np.exp(-(x @ w)))
    return (s * (1.0 - s) * (x @ v)) @ x


def logistic_limit(w, x, y, v):
    """The products from BLAS, what is between them in one sweep."""
    z, along = np.dot(x, w), np.dot(x, v)
    for i in range(x.shape[0]):
        s = 1.0 / (1.0 + exp(-z[i]))
        along[i] *= s * (1.0 - s)
    return np.dot(along, x)


def logistic_in_torch():
    """The library's `logaddexp`."""
    import torch

    return lambda w, x, y: torch.sum(torch.logaddexp(torch.zeros(1, dtype=w.dtype), x @ w) - y * (x @ w))


# --- Rosenbrock


def make_rosenbrock(n):
    """A point and a vector."""
    return *rosenbrock.make(n), np.random.default_rng(2).normal(size=n)


def rosenbrock_by_hand(x, v):
    """Three diagonals."""
    product = np.zeros_like(x)
    head = x[:-1]
    cross = -400.0 * head
    product[:-1] = (1200.0 * head * head - 400.0 * x[1:] + 2.0) * v[:-1] + cross * v[1:]
    product[1:] += cross * v[:-1] + 200.0 * v[1:]
    return product


def rosenbrock_limit(x, v):
    """Gather."""
    n = x.shape[0]
    product = np.empty(n)
    product[0] = (1200.0 * x[0] * x[0] - 400.0 * x[1] + 2.0) * v[0] - 400.0 * x[0] * v[1]
    for i in range(1, n - 1):
        a = x[i]
        product[i] = (1200.0 * a * a - 400.0 * x[i + 1] + 202.0) * v[i] - 400.0 * (a * v[i + 1] + x[i - 1] * v[i - 1])
    product[n - 1] = 200.0 * v[n - 1] - 400.0 * x[n - 2] * v[n - 2]
    return product


# --- a mixture of Gaussians, its parameters in one vector


def mixture(theta, x, K):
    """theta: (K + K d + K d (d + 1) / 2,), x: (n, d)"""
    d = x.shape[1]
    alphas = theta[:K]
    means = theta[K : K + K * d].reshape(K, d)
    icf = theta[K + K * d :].reshape(K, d * (d + 1) // 2)
    return gmm.gmm(alphas, means, icf, x, GAMMA, 0)


def make_mixture(size):
    """Points, dimensions and components."""
    alphas, means, icf, x, _, _ = gmm.make(size)
    theta = np.concatenate([alphas, means.ravel(), icf.ravel()])
    return theta, x, size[2], np.random.default_rng(2).normal(size=theta.shape)


def mixture_by_hand(theta, x, K, v):
    """The gradient by hand of `gmm`, with the tangent of everything in it; what follows a softmax is `p (t - p t)`."""
    n, d = x.shape
    rows, columns = np.tril_indices(d, -1)
    at = np.arange(d)
    size = d * (d + 1) // 2
    ends = K, K + K * d
    alphas, means, icf = theta[: ends[0]], theta[ends[0] : ends[1]].reshape(K, d), theta[ends[1] :].reshape(K, size)
    alphas_t, means_t, icf_t = v[: ends[0]], v[ends[0] : ends[1]].reshape(K, d), v[ends[1] :].reshape(K, size)
    L, L_t = np.zeros((K, d, d)), np.zeros((K, d, d))
    L[:, at, at] = np.exp(icf[:, :d])
    L[:, rows, columns] = icf[:, d:]
    L_t[:, at, at] = L[:, at, at] * icf_t[:, :d]
    L_t[:, rows, columns] = icf_t[:, d:]
    centred = x[None, :, :] - means[:, None, :]
    z = centred @ L.transpose(0, 2, 1)
    z_t = centred @ L_t.transpose(0, 2, 1) - (L @ means_t[:, :, None]).transpose(0, 2, 1)
    p = (alphas + np.sum(icf[:, :d], axis=1))[:, None] - 0.5 * np.einsum("kni,kni->kn", z, z)
    p = np.exp(p - np.max(p, axis=0))
    p /= np.sum(p, axis=0)
    inner_t = (alphas_t + np.sum(icf_t[:, :d], axis=1))[:, None] - np.einsum("kni,kni->kn", z, z_t)
    p_t = p * (inner_t - np.sum(p * inner_t, axis=0))
    share_t = np.sum(p_t, axis=1)
    s = np.exp(alphas - np.max(alphas))
    s /= np.sum(s)
    w = p[:, :, None] * z
    w_t = p_t[:, :, None] * z + p[:, :, None] * z_t
    sums, sums_t = np.sum(w, axis=1), np.sum(w_t, axis=1)
    L_ct = GAMMA**2 * L - w.transpose(0, 2, 1) @ centred
    L_ct_t = GAMMA**2 * L_t - w_t.transpose(0, 2, 1) @ centred + sums[:, :, None] * means_t[:, None, :]
    means_ct_t = (sums_t[:, None, :] @ L + sums[:, None, :] @ L_t)[:, 0, :]
    diagonal = L_ct_t[:, at, at] * L[:, at, at] + L_ct[:, at, at] * L_t[:, at, at] + share_t[:, None]
    icf_ct_t = np.concatenate([diagonal, L_ct_t[:, rows, columns]], axis=1)
    return np.concatenate([share_t - n * s * (alphas_t - s @ alphas_t), means_ct_t.ravel(), icf_ct_t.ravel()])


def mixture_limit(theta, x, K, v):
    """Points innermost, in blocks, values and tangents side by side."""
    block = 64
    n, d = x.shape
    size = d * (d + 1) // 2
    first, second = K, K + K * d
    blocks = (n + block - 1) // block
    lanes = min(blocks, 64)
    over = np.zeros((lanes, 2, K, d))
    outer = np.zeros((lanes, 2, K, size))
    shares = np.zeros((lanes, 2, K))
    factor, factor_t = np.empty((K, size)), np.empty((K, size))
    offset, offset_t = np.empty(K), np.empty(K)
    shift = np.zeros((K, d))
    for k in range(K):
        offset[k], offset_t[k] = theta[k], v[k]
        base = second + k * size
        for r in range(d):
            offset[k] += theta[base + r]
            offset_t[k] += v[base + r]
            factor[k, r] = exp(theta[base + r])
            factor_t[k, r] = factor[k, r] * v[base + r]
        for a in range(d, size):
            factor[k, a] = theta[base + a]
            factor_t[k, a] = v[base + a]
        at = d
        for r in range(d):
            shift[k, r] = factor[k, r] * v[first + k * d + r]
            for c in range(r):
                shift[k, r] += factor[k, at + c] * v[first + k * d + c]
            at += r
    for lane in prange(lanes):
        points, centred = np.zeros((d, block)), np.zeros((d, block))
        zs, zs_t = np.empty((K, d, block)), np.empty((K, d, block))
        p, p_t = np.empty((K, block)), np.empty((K, block))
        top, total, mean = np.empty(block), np.empty(block), np.empty(block)
        for number in range(lane, blocks, lanes):
            start = number * block
            here = min(block, n - start)
            for b in range(here):
                for r in range(d):
                    points[r, b] = x[start + b, r]
            for k in range(K):
                for r in range(d):
                    middle = theta[first + k * d + r]
                    for b in range(block):
                        centred[r, b] = points[r, b] - middle
                for b in range(block):
                    p[k, b] = 0.0
                    p_t[k, b] = 0.0
                at = d
                for r in range(d):
                    for b in range(block):
                        zs[k, r, b] = factor[k, r] * centred[r, b]
                        zs_t[k, r, b] = factor_t[k, r] * centred[r, b] - shift[k, r]
                    for c in range(r):
                        own, own_t = factor[k, at + c], factor_t[k, at + c]
                        for b in range(block):
                            zs[k, r, b] += own * centred[c, b]
                            zs_t[k, r, b] += own_t * centred[c, b]
                    at += r
                    for b in range(block):
                        p[k, b] += zs[k, r, b] * zs[k, r, b]
                        p_t[k, b] += zs[k, r, b] * zs_t[k, r, b]
                for b in range(block):
                    p[k, b] = offset[k] - 0.5 * p[k, b]
                    p_t[k, b] = offset_t[k] - p_t[k, b]
            for b in range(block):
                top[b] = p[0, b]
                total[b] = 0.0
                mean[b] = 0.0
            for k in range(1, K):
                for b in range(block):
                    top[b] = max(top[b], p[k, b])
            for k in range(K):
                for b in range(block):
                    y = exp(p[k, b] - top[b])
                    p[k, b] = y
                    total[b] += y
                    mean[b] += y * p_t[k, b]
            for b in range(block):
                total[b] = 1.0 / total[b] if b < here else 0.0
                mean[b] *= total[b]
            for k in range(K):
                share, share_t = 0.0, 0.0
                for b in range(block):
                    p[k, b] *= total[b]
                    p_t[k, b] = p[k, b] * (p_t[k, b] - mean[b])
                    share += p[k, b]
                    share_t += p_t[k, b]
                shares[lane, 0, k] += share
                shares[lane, 1, k] += share_t
                for r in range(d):
                    middle = theta[first + k * d + r]
                    for b in range(block):
                        centred[r, b] = points[r, b] - middle
                at = d
                for r in range(d):
                    one, one_t, own, own_t = 0.0, 0.0, 0.0, 0.0
                    for b in range(block):
                        w_t = p_t[k, b] * zs[k, r, b] + p[k, b] * zs_t[k, r, b]
                        w = p[k, b] * zs[k, r, b]
                        zs[k, r, b] = w
                        zs_t[k, r, b] = w_t
                        one += w
                        one_t += w_t
                        own += w * centred[r, b]
                        own_t += w_t * centred[r, b]
                    over[lane, 0, k, r] += one
                    over[lane, 1, k, r] += one_t
                    outer[lane, 0, k, r] += own
                    outer[lane, 1, k, r] += own_t
                    for c in range(r):
                        cross = 0.0
                        for b in range(block):
                            cross += zs_t[k, r, b] * centred[c, b]
                        outer[lane, 1, k, at + c] += cross
                    at += r
    for lane in range(1, lanes):
        for e in range(2):
            for k in range(K):
                shares[0, e, k] += shares[lane, e, k]
                for r in range(d):
                    over[0, e, k, r] += over[lane, e, k, r]
                for a in range(size):
                    outer[0, e, k, a] += outer[lane, e, k, a]
    product = np.zeros(theta.shape[0])
    top = theta[0]
    for k in range(K):
        top = max(top, theta[k])
    prior, prior_t = 0.0, 0.0
    for k in range(K):
        prior += exp(theta[k] - top)
        prior_t += exp(theta[k] - top) * v[k]
    for k in range(K):
        weight = exp(theta[k] - top) / prior
        product[k] = shares[0, 1, k] - n * weight * (v[k] - prior_t / prior)
        base = second + k * size
        at = d
        for r in range(d):
            s, s_t, mine = over[0, 0, k, r], over[0, 1, k, r], first + k * d
            product[mine + r] += factor[k, r] * s_t + factor_t[k, r] * s
            straight = factor[k, r] - outer[0, 0, k, r]
            bent = factor_t[k, r] - outer[0, 1, k, r] + s * v[mine + r]
            product[base + r] = bent * factor[k, r] + straight * factor_t[k, r] + shares[0, 1, k]
            for c in range(r):
                product[mine + c] += factor[k, at + c] * s_t + factor_t[k, at + c] * s
                product[base + at + c] = factor_t[k, at + c] - outer[0, 1, k, at + c] + s * v[mine + c]
            at += r
    return product


def _packed(form):
    """A form of the mixture that takes its parameters in one vector."""

    def build():
        f = form()

        def packed(theta, x, K):
            d = x.shape[1]
            icf = theta[K + K * d :].reshape((K, d * (d + 1) // 2))
            return f(theta[:K], theta[K : K + K * d].reshape((K, d)), icf, x, GAMMA, 0)

        return packed

    return build


RACES = (
    Problem(
        "hvp-logistic",
        "Hessian product, logistic regression (observations, dimensions)",
        logistic,
        make_logistic,
        (5, 3),
        ((1_000, 20), (10_000, 20)),
        logistic_by_hand,
        logistic_limit,
        {"jax": under(logistic, "jax.numpy"), "torch": logistic_in_torch},
        {"casadi": SCALARS},
        kind="product",
    ),
    Problem(
        "hvp-rosenbrock",
        "Hessian product, Rosenbrock as a loop",
        rosenbrock.rosenbrock,
        make_rosenbrock,
        6,
        (1_000, 10_000),
        rosenbrock_by_hand,
        rosenbrock_limit,
        rosenbrock.RACE.forms,
        kind="product",
    ),
    Problem(
        "hvp-gmm",
        "Hessian product, mixture of Gaussians (points, dimensions, components)",
        mixture,
        make_mixture,
        (6, 3, 2),
        ((1_000, 2, 5), (1_000, 10, 25)),
        mixture_by_hand,
        mixture_limit,
        {name: _packed(gmm.FORMS[name]) for name in ("jax", "torch", "autograd")},
        {"casadi": SCALARS},
        kind="product",
    ),
)

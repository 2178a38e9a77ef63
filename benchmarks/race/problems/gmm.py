"""The log-likelihood of a mixture of Gaussians, as ADBench defines it, vectorised and as loops.

Source: Šrajer, Kukelova and Fitzgibbon, A benchmark of selected algorithmic differentiation tools on some problems in computer
vision and machine learning (2018), section 4.1. Each inverse covariance factor has the logarithms of its diagonal, then its
lower triangle row by row; constants are left out.
"""

from __future__ import annotations

from math import exp

import numpy as np

from benchmarks.race.problem import Problem

ASSIGNS = "its arrays take no assignments to elements"
prange = range
GAMMA, M = 1.0, 0


def gmm(alphas, means, icf, x, gamma, m):
    """alphas: (K,), means: (K, d), icf: (K, d (d + 1) / 2), x: (n, d)"""
    n, d = x.shape
    K = alphas.shape[0]
    logs = icf[:, :d]
    rows, columns = np.tril_indices(d, -1)
    factors = np.zeros((K, d, d))
    factors[:, np.arange(d), np.arange(d)] = np.exp(logs)
    factors[:, rows, columns] = icf[:, d:]
    centred = x[None, :, :] - means[:, None, :]
    z = centred @ factors.transpose(0, 2, 1)
    inner = (alphas + np.sum(logs, axis=1))[:, None] - 0.5 * np.sum(z**2, axis=2)
    top = np.max(inner, axis=0)
    likelihood = np.sum(top + np.log(np.sum(np.exp(inner - top), axis=0)))
    top = np.max(alphas)
    likelihood -= n * (top + np.log(np.sum(np.exp(alphas - top))))
    return likelihood + 0.5 * gamma**2 * np.sum(factors**2) - m * np.sum(logs)


def gmm_loops(alphas, means, icf, x, gamma, m):
    """The same, element by element."""
    n, d = x.shape
    K = alphas.shape[0]
    terms = np.zeros(K)
    likelihood = 0.0
    for i in range(n):
        for k in range(K):
            square = 0.0
            logs = 0.0
            at = d
            for r in range(d):
                z = np.exp(icf[k, r]) * (x[i, r] - means[k, r])
                for c in range(r):
                    z += icf[k, at] * (x[i, c] - means[k, c])
                    at += 1
                square += z * z
                logs += icf[k, r]
            terms[k] = alphas[k] + logs - 0.5 * square
        top = np.max(terms)
        total = 0.0
        for k in range(K):
            total += np.exp(terms[k] - top)
        likelihood += top + np.log(total)
    top = np.max(alphas)
    total = 0.0
    for k in range(K):
        total += np.exp(alphas[k] - top)
    likelihood -= n * (top + np.log(total))
    for k in range(K):
        for r in range(d):
            likelihood += 0.5 * gamma**2 * np.exp(icf[k, r]) ** 2 - m * icf[k, r]
        for at in range(d, icf.shape[1]):
            likelihood += 0.5 * gamma**2 * icf[k, at] ** 2
    return likelihood


def make(size):
    """Points, dimensions and components."""
    n, d, K = size
    chance = np.random.default_rng(1)
    icf = 0.3 * chance.normal(size=(K, d * (d + 1) // 2))
    return chance.normal(size=K), chance.uniform(size=(K, d)), icf, chance.normal(size=(n, d)), GAMMA, M


def by_hand(alphas, means, icf, x, gamma, m):
    """Batched matrix products; what the means get is summed over the points before it is multiplied."""
    n, d = x.shape
    K = alphas.shape[0]
    logs = icf[:, :d]
    rows, columns = np.tril_indices(d, -1)
    at = np.arange(d)
    factors = np.zeros((K, d, d))
    factors[:, at, at] = np.exp(logs)
    factors[:, rows, columns] = icf[:, d:]
    centred = x[None, :, :] - means[:, None, :]
    z = centred @ factors.transpose(0, 2, 1)
    weights = (alphas + np.sum(logs, axis=1))[:, None] - 0.5 * np.einsum("kni,kni->kn", z, z)
    weights -= np.max(weights, axis=0)
    np.exp(weights, out=weights)
    weights /= np.sum(weights, axis=0)
    share = np.sum(weights, axis=1)
    prior = np.exp(alphas - np.max(alphas))
    z *= weights[:, :, None]
    factors_ct = gamma**2 * factors - z.transpose(0, 2, 1) @ centred
    means_ct = (np.sum(z, axis=1)[:, None, :] @ factors)[:, 0, :]
    icf_ct = np.empty_like(icf)
    icf_ct[:, :d] = factors_ct[:, at, at] * factors[:, at, at] + share[:, None] - m
    icf_ct[:, d:] = factors_ct[:, rows, columns]
    return share - n * prior / np.sum(prior), means_ct, icf_ct


def limit(alphas, means, icf, x, gamma, m):
    """Points innermost, in blocks: every loop over a block is one vector operation after another."""
    block = 64
    n, d = x.shape
    K, size = icf.shape
    diagonal = np.empty((K, d))
    offset = np.empty(K)
    for k in range(K):
        offset[k] = alphas[k]
        for r in range(d):
            offset[k] += icf[k, r]
            diagonal[k, r] = exp(icf[k, r])
    blocks = (n + block - 1) // block
    lanes = min(blocks, 64)
    alphas_part, means_part, icf_part = np.zeros((lanes, K)), np.zeros((lanes, K, d)), np.zeros((lanes, K, size))
    for lane in prange(lanes):
        points, centred = np.zeros((d, block)), np.zeros((d, block))
        zs, terms = np.empty((K, d, block)), np.empty((K, block))
        top, total = np.empty(block), np.empty(block)
        for number in range(lane, blocks, lanes):
            start = number * block
            here = min(block, n - start)
            for b in range(here):
                for r in range(d):
                    points[r, b] = x[start + b, r]
            for k in range(K):
                for r in range(d):
                    for b in range(block):
                        centred[r, b] = points[r, b] - means[k, r]
                for b in range(block):
                    terms[k, b] = 0.0
                at = d
                for r in range(d):
                    scale = diagonal[k, r]
                    for b in range(block):
                        zs[k, r, b] = scale * centred[r, b]
                    for c in range(r):
                        factor = icf[k, at + c]
                        for b in range(block):
                            zs[k, r, b] += factor * centred[c, b]
                    at += r
                    for b in range(block):
                        terms[k, b] += zs[k, r, b] * zs[k, r, b]
                for b in range(block):
                    terms[k, b] = offset[k] - 0.5 * terms[k, b]
            for b in range(block):
                top[b] = terms[0, b]
                total[b] = 0.0
            for k in range(1, K):
                for b in range(block):
                    top[b] = max(top[b], terms[k, b])
            for k in range(K):
                for b in range(block):
                    y = exp(terms[k, b] - top[b])
                    terms[k, b] = y
                    total[b] += y
            for b in range(block):
                total[b] = 1.0 / total[b] if b < here else 0.0
            for k in range(K):
                share = 0.0
                for b in range(block):
                    terms[k, b] *= total[b]
                    share += terms[k, b]
                alphas_part[lane, k] += share
                for r in range(d):
                    for b in range(block):
                        centred[r, b] = points[r, b] - means[k, r]
                at = d
                for r in range(d):
                    over, own = 0.0, 0.0
                    for b in range(block):
                        w = zs[k, r, b] * terms[k, b]
                        zs[k, r, b] = w
                        over += w
                        own += w * centred[r, b]
                    means_part[lane, k, r] += over
                    icf_part[lane, k, r] -= own
                    for c in range(r):
                        product = 0.0
                        for b in range(block):
                            product += zs[k, r, b] * centred[c, b]
                        icf_part[lane, k, at + c] -= product
                    at += r
    alphas_ct, means_ct, icf_ct = np.zeros(K), np.zeros((K, d)), np.zeros((K, size))
    top = alphas[0]
    for k in range(K):
        top = max(top, alphas[k])
    prior = 0.0
    for k in range(K):
        prior += exp(alphas[k] - top)
    for k in range(K):
        share = 0.0
        for lane in range(lanes):
            share += alphas_part[lane, k]
            for a in range(size):
                icf_ct[k, a] += icf_part[lane, k, a]
        alphas_ct[k] = share - n * exp(alphas[k] - top) / prior
        for r in range(d):
            scale = diagonal[k, r]
            icf_ct[k, r] = icf_ct[k, r] * scale + gamma**2 * scale * scale + share - m
        for a in range(d, size):
            icf_ct[k, a] += gamma**2 * icf[k, a]
        at = d
        for r in range(d):
            over = 0.0
            for lane in range(lanes):
                over += means_part[lane, k, r]
            means_ct[k, r] += diagonal[k, r] * over
            for c in range(r):
                means_ct[k, c] += icf[k, at + c] * over
            at += r
    return alphas_ct, means_ct, icf_ct


def with_jax():
    """`at[].set`, `einsum` and the library's `logsumexp`."""
    from jax import numpy as jnp
    from jax.scipy.special import logsumexp

    def f(alphas, means, icf, x, gamma, m):
        n, d = x.shape
        logs = icf[:, :d]
        rows, columns = jnp.tril_indices(d, -1)
        at = jnp.arange(d)
        factors = jnp.zeros((alphas.shape[0], d, d))
        factors = factors.at[:, at, at].set(jnp.exp(logs)).at[:, rows, columns].set(icf[:, d:])
        z = jnp.einsum("kij,knj->kni", factors, x[None] - means[:, None])
        inner = (alphas + jnp.sum(logs, axis=1))[:, None] - 0.5 * jnp.sum(z**2, axis=2)
        likelihood = jnp.sum(logsumexp(inner, axis=0)) - n * logsumexp(alphas)
        return likelihood + 0.5 * gamma**2 * jnp.sum(factors**2) - m * jnp.sum(logs)

    return f


def with_torch():
    """Assignments, `bmm` and the library's `logsumexp`."""
    import torch

    def f(alphas, means, icf, x, gamma, m):
        n, d = x.shape
        logs = icf[:, :d]
        rows, columns = torch.tril_indices(d, d, -1)
        at = torch.arange(d)
        factors = torch.zeros((alphas.shape[0], d, d), dtype=x.dtype)
        factors[:, at, at] = torch.exp(logs)
        factors[:, rows, columns] = icf[:, d:]
        z = torch.bmm(x[None] - means[:, None], factors.transpose(1, 2))
        inner = (alphas + torch.sum(logs, dim=1))[:, None] - 0.5 * torch.sum(z**2, dim=2)
        likelihood = torch.sum(torch.logsumexp(inner, 0)) - n * torch.logsumexp(alphas, 0)
        return likelihood + 0.5 * gamma**2 * torch.sum(factors**2) - m * torch.sum(logs)

    return f


def with_autograd():
    """The factors gathered from a row of zeros, diagonals and triangles: `autograd` has no assignments."""
    from autograd import numpy as anp
    from autograd.scipy.special import logsumexp

    def f(alphas, means, icf, x, gamma, m):
        n, d = x.shape
        logs = icf[:, :d]
        place = np.zeros((d, d), dtype=int)
        place[np.arange(d), np.arange(d)] = 1 + np.arange(d)
        place[np.tril_indices(d, -1)] = 1 + d + np.arange(d * (d - 1) // 2)
        row = anp.concatenate([np.zeros((alphas.shape[0], 1)), anp.exp(logs), icf[:, d:]], axis=1)
        factors = row[:, place]
        z = anp.matmul(x[None] - means[:, None], anp.transpose(factors, (0, 2, 1)))
        inner = (alphas + anp.sum(logs, axis=1))[:, None] - 0.5 * anp.sum(z**2, axis=2)
        likelihood = anp.sum(logsumexp(inner, axis=0)) - n * logsumexp(alphas)
        return likelihood + 0.5 * gamma**2 * anp.sum(factors**2) - m * anp.sum(logs)

    return f


def with_casadi():
    """Loops over points and components, unrolled into a graph of scalars."""
    import casadi

    def f(alphas, means, icf, x, gamma, m):
        n, d = x.shape
        K = alphas.shape[0]
        factors = []
        for k in range(K):
            L = casadi.diag(casadi.exp(icf[k, :d]))
            at = d
            for r in range(d):
                for c in range(r):
                    L[r, c] = icf[k, at]
                    at += 1
            factors.append(L)
        logs = [casadi.sum2(icf[k, :d]) for k in range(K)]
        likelihood = 0.0
        for i in range(n):
            terms = [alphas[k] + logs[k] - 0.5 * casadi.sumsqr(factors[k] @ (x[i, :] - means[k, :]).T) for k in range(K)]
            likelihood += casadi.logsumexp(casadi.vertcat(*terms))
        likelihood -= n * casadi.logsumexp(alphas)
        penalty = sum(casadi.sumsqr(L) for L in factors)
        return likelihood + 0.5 * gamma**2 * penalty - m * sum(logs)

    return f


FORMS = {"jax": with_jax, "torch": with_torch, "autograd": with_autograd, "casadi": with_casadi}
SMALL = (1_000, 2, 5), (1_000, 10, 25)
RACES = (
    Problem(
        "gmm",
        "Mixture of Gaussians, vectorised (points, dimensions, components)",
        gmm,
        make,
        (6, 3, 2),
        (*SMALL, (1_000, 64, 25), (10_000, 10, 25)),
        by_hand,
        limit,
        FORMS,
        wrt=(0, 1, 2),
    ),
    Problem(
        "gmm-loops",
        "Mixture of Gaussians, loops (points, dimensions, components)",
        gmm_loops,
        make,
        (6, 3, 2),
        SMALL,
        by_hand,
        limit,
        FORMS,
        wrt=(0, 1, 2),
    ),
)

"""Sparse matrices as dict of keys and as adjacency lists: heat on a graph, conjugate gradients with Jacobi, Lanczos."""

import math
from collections import defaultdict

import numpy as np

from tests.corpus.case import at

MESH = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (3, 4), (4, 5), (5, 3), (4, 6), (6, 7), (7, 4)]


class DOK:
    def __init__(self, n):
        self.n = n
        self.data = defaultdict(float)

    def __setitem__(self, key, value):
        self.data[key] = value

    def __getitem__(self, key):
        return self.data.get(key, 0.0)

    def __matmul__(self, x):
        y = [0.0] * self.n
        for (i, j), v in self.data.items():
            y[i] += v * x[j]
        return y

    def diagonal(self):
        return [self[i, i] for i in range(self.n)]

    def transpose(self):
        out = DOK(self.n)
        for (i, j), v in self.data.items():
            out[j, i] = v
        return out


def laplacian(conductances, n, shift):
    L = DOK(n)
    for (a, b), c in zip(MESH, conductances):
        L[a, b] -= c
        L[b, a] -= c
        L[a, a] += c
        L[b, b] += c
    for i in range(n):
        L[i, i] += shift
    return L


def axpy(a, x, y):
    return [a * u + v for u, v in zip(x, y)]


def dot(x, y):
    return math.sumprod(x, y) if hasattr(math, "sumprod") else sum(u * v for u, v in zip(x, y))


def pcg(A, b, tol=1e-10, maxiter=50):
    x = [0.0] * len(b)
    r = list(b)
    inv = [1.0 / d for d in A.diagonal()]
    z = [m * v for m, v in zip(inv, r)]
    p = z[:]
    rz = dot(r, z)
    for k in range(maxiter):
        Ap = A @ p
        alpha = rz / dot(p, Ap)
        x = axpy(alpha, p, x)
        r = axpy(-alpha, Ap, r)
        if math.sqrt(dot(r, r)) < tol:
            break
        z = [m * v for m, v in zip(inv, r)]
        rz, old = dot(r, z), rz
        p = axpy(rz / old, p, z)
    return x, k


def lanczos(A, n, m=4):
    v = [1.0 / math.sqrt(n) * (1 + 0.1 * i) for i in range(n)]
    norm = math.sqrt(dot(v, v))
    v = [a / norm for a in v]
    prev, beta = [0.0] * n, 0.0
    alphas, betas = [], []
    for _ in range(m):
        w = A @ v
        alpha = dot(w, v)
        w = [wi - alpha * vi - beta * pi for wi, vi, pi in zip(w, v, prev)]
        beta = math.sqrt(dot(w, w))
        alphas.append(alpha)
        betas.append(beta)
        prev, v = v, [wi / beta for wi in w]
    T = np.diag(alphas) + np.diag(betas[:-1], 1) + np.diag(betas[:-1], -1)
    return np.linalg.eigvalsh(T)


def breadth_first(edges, root):
    adj = defaultdict(list)
    for a, b in edges:
        adj[a].append(b)
        adj[b].append(a)
    level, queue = {root: 0}, [root]
    while queue:
        node = queue.pop(0)
        for nxt in adj[node]:
            if nxt not in level:
                level[nxt] = level[node] + 1
                queue.append(nxt)
    return level


LEVEL = breadth_first(MESH, 0)


@at((np.array([1.0, 1.4, 0.7, 1.1, 0.9, 1.3, 0.8, 1.2, 0.6, 1.5, 1.05]), 0.3, 2.0))
def heat_on_a_graph(conductances, shift, source):
    n = 8
    A = laplacian(conductances, n, shift)
    b = [source * math.exp(-0.5 * LEVEL[i]) for i in range(n)]
    x, k = pcg(A, b)
    ritz = lanczos(A, n)
    flux = {e: c * (x[e[0]] - x[e[1]]) for e, c in zip(MESH, conductances)}
    strongest = max(flux, key=lambda e: abs(flux[e]))
    sym = sum(abs(v - A.transpose()[k2]) for k2, v in A.data.items())
    return dot(x, x) + ritz[-1] + flux[strongest] ** 2 + 0.01 * k + sym

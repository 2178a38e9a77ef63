"""Iterations: whole programs as people write them."""

import math

import numpy as np

from tests.corpus.case import at, smooth, vec

SPD = np.array([[4.0, 1.0, 0.5, 0.2], [1.0, 3.0, 0.3, 0.1], [0.5, 0.3, 2.5, 0.7], [0.2, 0.1, 0.7, 2.0]])


class CSR:
    def __init__(self, data, indices, indptr):
        self.data, self.indices, self.indptr = data, indices, indptr

    @classmethod
    def from_triplets(cls, rows, cols, vals, n):
        order = np.lexsort((cols, rows))
        indptr = np.zeros(n + 1, dtype=int)
        for r in rows:
            indptr[r + 1] += 1
        return cls(vals[order], cols[order], np.cumsum(indptr))

    def __matmul__(self, x):
        y = np.zeros(len(self.indptr) - 1)
        for i in range(len(y)):
            lo, hi = self.indptr[i], self.indptr[i + 1]
            y[i] = np.dot(self.data[lo:hi], x[self.indices[lo:hi]])
        return y


@at((vec(2.0, -1.0, 0.5, 3.0, 1.5), vec(1.0, 2.0, -0.5)))
def sparse_power(vals, x):
    rows = np.array([2, 0, 1, 0, 2])
    cols = np.array([0, 1, 1, 2, 2])
    A = CSR.from_triplets(rows, cols, vals, 3)
    for _ in range(3):
        x = A @ x
        x = x / np.linalg.norm(x)
    return np.sum(x**3)


def strassen(A, B):
    n = A.shape[0]
    if n <= 1:
        return A * B
    h = n // 2
    a, b, c, d = A[:h, :h], A[:h, h:], A[h:, :h], A[h:, h:]
    e, f, g, i = B[:h, :h], B[:h, h:], B[h:, :h], B[h:, h:]
    p1, p2, p3 = strassen(a, f - i), strassen(a + b, i), strassen(c + d, e)
    p4, p5 = strassen(d, g - e), strassen(a + d, e + i)
    p6, p7 = strassen(b - d, g + i), strassen(a - c, e + f)
    C = np.empty((n, n))
    C[:h, :h] = p5 + p4 - p2 + p6
    C[:h, h:] = p1 + p2
    C[h:, :h] = p3 + p4
    C[h:, h:] = p1 + p5 - p3 - p7
    return C


@at((smooth(4, 4), smooth(4, 4, seed=5)))
def strassen_product(A, B):
    C = strassen(A, B)
    return np.sum(np.sin(C)) + np.trace(C)


@at((SPD, vec(1.0, 2.0, -1.0, 0.5), 1.1))
def successive_over_relaxation(A, b, omega):
    n = A.shape[0]
    x = [0.0] * n
    for iteration in range(100):
        change = 0.0
        for i in range(n):
            sigma = 0.0
            for j in range(n):
                if j != i:
                    sigma += A[i, j] * x[j]
            new = (1 - omega) * x[i] + omega / A[i, i] * (b[i] - sigma)
            change = max(change, abs(new - x[i]))
            x[i] = new
        if change < 1e-13:
            break
    return sum(v * v for v in x) + x[0]


@at((smooth(3, 3, low=-0.6, high=0.6), 0.7))
def expm_pade(A, t):
    A = A * t
    norm = np.abs(A).sum(axis=0).max()
    s = max(0, int(math.ceil(math.log2(norm))) + 1)
    A = A / 2**s
    X = A
    c = 0.5
    eye = np.eye(A.shape[0])
    N, D = eye + c * A, eye - c * A
    q = 6
    positive = True
    for k in range(2, q + 1):
        c = c * (q - k + 1) / (k * (2 * q - k + 1))
        X = A @ X
        N = N + c * X
        D = D + c * X if positive else D - c * X
        positive = not positive
    F = np.linalg.solve(D, N)
    for _ in range(s):
        F = F @ F
    return np.trace(F) + F[0, 2]


def minor(M, i, j):
    return [row[:j] + row[j + 1 :] for k, row in enumerate(M) if k != i]


def det(M):
    if len(M) == 1:
        return M[0][0]
    return sum((-1) ** j * M[0][j] * det(minor(M, 0, j)) for j in range(len(M)))


@at((vec(1.0, 2.0, 0.5, -1.0, 0.3, 2.2, 1.5, -0.4, 0.9),))
def laplace_determinant(entries):
    M = [[entries[3 * i + j] for j in range(3)] for i in range(3)]
    return det(M) ** 2


@at((vec(2.0, 0.8, 0.3, 0.1, 0.05),))
def levinson_durbin(r):
    order = len(r) - 1
    a = np.zeros(order + 1)
    a[0] = 1.0
    err = r[0]
    for m in range(1, order + 1):
        acc = r[m]
        for i in range(1, m):
            acc += a[i] * r[m - i]
        k = -acc / err
        prev = a.copy()
        for i in range(1, m):
            a[i] = prev[i] + k * prev[m - i]
        a[m] = k
        err *= 1 - k * k
    return np.log(err) + np.sum(a**2)


@at(
    (smooth(4, 3), smooth(4, 2, seed=1), smooth(2, 3, seed=2)),
)
def nmf(V, W, H):
    eps = 1e-9
    for _ in range(3):
        H *= (W.T @ V) / (W.T @ W @ H + eps)
        W *= (V @ H.T) / (W @ H @ H.T + eps)
    D = V - W @ H
    return np.linalg.norm(D, "fro")


@at((smooth(3, 4), vec(0.2, 0.3, 0.5), 0.3))
def sinkhorn(cost, a, reg):
    b = np.full(cost.shape[1], 1 / cost.shape[1])
    K = np.exp(-cost / reg)
    u = np.ones_like(a)
    for i in range(200):
        v = b / (K.T @ u)
        u_prev = u
        u = a / (K @ v)
        if np.abs(u - u_prev).max() < 1e-12:
            break
    P = u[:, None] * K * v[None, :]
    return (P * cost).sum() + (P * np.log(P)).sum()

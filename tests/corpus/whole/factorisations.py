"""Factorisations: whole programs as people write them."""

import math

import numpy as np

from tests.corpus.case import at, smooth, vec

SPD = np.array([[4.0, 1.0, 0.5, 0.2], [1.0, 3.0, 0.3, 0.1], [0.5, 0.3, 2.5, 0.7], [0.2, 0.1, 0.7, 2.0]])


def lu_factor(A):
    A = A.copy()
    n = A.shape[0]
    piv = list(range(n))
    sign = 1
    for k in range(n):
        p = k + int(np.argmax(np.abs(A[k:, k])))
        if p != k:
            A[[k, p]] = A[[p, k]]
            piv[k], piv[p] = piv[p], piv[k]
            sign = -sign
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return A, piv, sign


def lu_solve(LU, piv, b):
    n = len(b)
    x = b[piv].copy()
    for i in range(n):
        x[i] -= LU[i, :i] @ x[:i]
    for i in reversed(range(n)):
        x[i] = (x[i] - LU[i, i + 1 :] @ x[i + 1 :]) / LU[i, i]
    return x


@at((np.array([[0.1, 2.0, 1.0], [3.0, 0.5, -1.0], [1.0, 1.5, 2.0]]), vec(1.0, -2.0, 0.5)))
def pivoted_lu(A, b):
    LU, piv, sign = lu_factor(A)
    x = lu_solve(LU, piv, b)
    det = sign * np.prod(np.diag(LU))
    return x @ x + 0.1 * det


def householder(A, b):
    R = A.astype(float)
    y = b.astype(float)
    m, n = R.shape
    for j in range(n):
        x = R[j:, j]
        alpha = -np.sign(x[0]) * np.linalg.norm(x)
        v = x.copy()
        v[0] -= alpha
        v /= np.linalg.norm(v)
        R[j:, j:] -= 2 * np.outer(v, v @ R[j:, j:])
        y[j:] -= 2 * v * (v @ y[j:])
    return R, y


@at((smooth(5, 3), smooth(5, seed=3)))
def householder_least_squares(A, b):
    R, y = householder(A, b)
    n = A.shape[1]
    coef = np.zeros(n)
    for i in range(n - 1, -1, -1):
        s = y[i]
        for k in range(i + 1, n):
            s = s - R[i, k] * coef[k]
        coef[i] = s / R[i, i]
    return np.sum(coef**2) + np.sum(y[n:] ** 2)


@at((smooth(4, 3),))
def gram_schmidt(A):
    Q = []
    R = np.zeros((A.shape[1], A.shape[1]))
    for j, v in enumerate(A.T):
        w = v.copy()
        for i, q in enumerate(Q):
            R[i, j] = q @ w
            w -= R[i, j] * q
        R[j, j] = np.sqrt(w @ w)
        Q.append(w / R[j, j])
    Q = np.stack(Q, axis=1)
    return np.sum(np.log(np.diag(R))) + Q[0, 0] * R[0, 2]


@at((SPD,))
def cholesky_lists(A):
    n = len(A)
    L = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            s = sum(L[i][k] * L[j][k] for k in range(j))
            if i == j:
                L[i][j] = math.sqrt(A[i][i] - s)
            else:
                L[i][j] = (A[i][j] - s) / L[j][j]
    return 2 * sum(math.log(L[i][i]) for i in range(n)) + L[3][1]


@at((smooth(5, low=0.5, high=1.5), smooth(5, seed=2)))
def matrix_free_cg(k, b):
    def apply(x):
        y = k * x * 2.0
        y[1:] -= 0.3 * x[:-1]
        y[:-1] -= 0.3 * x[1:]
        return y

    x = np.zeros_like(b)
    r = b - apply(x)
    p = r.copy()
    rs = r @ r
    for it in range(len(b)):
        Ap = apply(p)
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        rs_new = r @ r
        if np.sqrt(rs_new) < 1e-12:
            break
        p = r + (rs_new / rs) * p
        rs = rs_new
    return x @ b + x.max()


def fft(x):
    n = len(x)
    if n == 1:
        return x
    even, odd = fft(x[::2]), fft(x[1::2])
    w = np.exp(-2j * np.pi * np.arange(n // 2) / n)
    return np.concatenate([even + w * odd, even - w * odd])


@at((smooth(8, low=-1.0, high=1.0), vec(1.0, 0.5, 0.25, 0.1)))
def recursive_fft_power(x, window):
    X = fft(x.astype(complex))
    power = np.abs(X[:4]) ** 2
    return np.sum(power * window) + np.angle(X[1])


@at((smooth(8, low=-1.0, high=1.0),))
def bit_reversed_fft(signal):
    n = len(signal)
    a = np.array(signal, dtype=np.complex128)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            a[i], a[j] = a[j], a[i]
    length = 2
    while length <= n:
        ang = -2 * math.pi / length
        wl = complex(math.cos(ang), math.sin(ang))
        for i in range(0, n, length):
            w = 1 + 0j
            for k in range(length // 2):
                u = a[i + k]
                v = a[i + k + length // 2] * w
                a[i + k] = u + v
                a[i + k + length // 2] = u - v
                w *= wl
        length <<= 1
    return float(np.abs(a[1])) ** 2 + a[2].real - a[3].imag


@at((SPD + np.triu(np.ones((4, 4)), 1) * 0.3, vec(1.0, -0.5, 0.2, 0.7)))
def gmres_givens(A, b):
    n = len(b)
    m = 3
    V = np.zeros((m + 1, n))
    H = np.zeros((m + 1, m))
    cs, sn = np.zeros(m), np.zeros(m)
    beta = np.linalg.norm(b)
    V[0] = b / beta
    g = np.zeros(m + 1)
    g[0] = beta
    for j in range(m):
        w = A @ V[j]
        for i in range(j + 1):
            H[i, j] = w @ V[i]
            w = w - H[i, j] * V[i]
        H[j + 1, j] = np.linalg.norm(w)
        V[j + 1] = w / H[j + 1, j]
        for i in range(j):
            tmp = cs[i] * H[i, j] + sn[i] * H[i + 1, j]
            H[i + 1, j] = -sn[i] * H[i, j] + cs[i] * H[i + 1, j]
            H[i, j] = tmp
        d = math.hypot(H[j, j], H[j + 1, j])
        cs[j], sn[j] = H[j, j] / d, H[j + 1, j] / d
        H[j, j] = d
        H[j + 1, j] = 0.0
        g[j + 1] = -sn[j] * g[j]
        g[j] *= cs[j]
    y = np.linalg.solve(H[:m, :m], g[:m])
    x = V[:m].T @ y
    return x @ x + abs(g[m])

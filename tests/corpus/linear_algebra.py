"""Matrix programs: products, factorisations, solves, and the same things by loops."""

import numpy as np

from tests.corpus.case import at, smooth, vec


@at((smooth(2, 3), smooth(3, 2, seed=1)))
def sum_of_matmul(a, b):
    return (a @ b).sum()


@at((smooth(2, 3), smooth(3, 2, seed=1)), wrt=(0,))
def sum_of_matmul_by_first(a, b):
    return (a @ b).sum()


@at((smooth(2, 3), smooth(3, seed=1), smooth(2, seed=2)))
def matrix_vector_both_sides(a, x, y):
    return y @ a @ x + np.dot(y, a @ x) ** 2


@at((smooth(2, 2, 3), smooth(3, 2, seed=1)))
def batched_matmul(a, b):
    return np.sum((a @ b) ** 2)


@at((smooth(2, 3), smooth(3, 2, seed=1)))
def matmul_by_three_loops(a, b):
    n, m, p = a.shape[0], a.shape[1], b.shape[1]
    c = np.zeros((n, p))
    for i in range(n):
        for j in range(p):
            for k in range(m):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(c * c)


@at((smooth(3, 3) + 2.0 * np.eye(3), smooth(3)))
def linear_solve(a, b):
    x = np.linalg.solve(a, b)
    return np.sum(x * x)


@at((smooth(3, 3) + 2.0 * np.eye(3), smooth(3, 2)))
def linear_solve_matrix(a, b):
    return np.sum(np.linalg.solve(a, b) ** 2)


@at((smooth(3, 3) + 2.0 * np.eye(3),))
def inverse_and_determinant(a):
    return np.sum(np.linalg.inv(a) ** 2) + np.linalg.det(a)


@at((np.ones((3, 3)),), (np.outer([1.0, -2.0, 0.5], [0.0, 1.5, 3.0]),), (np.zeros((3, 3)),), (np.zeros((1, 1)),))
def determinant_of_low_rank(a):
    """Its gradient is made of minors, and exists for every matrix."""
    return np.linalg.det(a) * 3.0 + np.linalg.det(a[1:, 1:]) ** 2


@at((np.array([[1.0, 2.0], [2.0, 4.0]]),), (np.arange(9.0).reshape(3, 3),), (np.diag([0.0, 2.0, -1.0]),))
def determinant_of_a_singular_matrix(a):
    return np.linalg.det(a) + np.sin(np.linalg.det(2.0 * a))


@at((np.stack([np.ones((3, 3)), smooth(3, 3), np.diag([1.0, -2.0, 0.0])]),))
def determinants_of_some_singular_matrices(a):
    return np.sum(np.linalg.det(a) * np.array([1.0, 2.0, -3.0]))


@at((smooth(3, 3) + 2.0 * np.eye(3),))
def log_determinant(a):
    sign, value = np.linalg.slogdet(a)
    return sign * value


@at((smooth(3, 3), smooth(3)))
def gaussian_log_density(a, x):
    covariance = a @ a.T + np.eye(3)
    factor = np.linalg.cholesky(covariance)
    z = np.linalg.solve(factor, x)
    return -0.5 * np.sum(z**2) - np.sum(np.log(np.diag(factor))) - 1.5 * np.log(2.0 * np.pi)


@at((smooth(3, 3),))
def cholesky_by_loops(a):
    c = a @ a.T + np.eye(3)
    n = c.shape[0]
    for j in range(n):
        for k in range(j):
            c[j:, j] -= c[j:, k] * c[j, k]
        c[j:, j] /= np.sqrt(c[j, j])
    total = 0.0
    for j in range(n):
        total += np.log(c[j, j])
    return total + c[2, 0]


@at((smooth(2, 3), smooth(3, seed=1)))
def einsum_and_outer(a, x):
    return np.einsum("ij,j->", a, x) + np.sum(np.outer(x, x) * np.einsum("ij,ik->jk", a, a))


@at((smooth(2, 3),))
def norms(a):
    return np.linalg.norm(a) + np.sum(np.linalg.norm(a, axis=1)) + np.linalg.norm(a[0]) ** 3


@at((smooth(2, 3), smooth(2, 3, seed=1)))
def stacked_and_concatenated(a, b):
    c = np.concatenate([a, b * 2.0], axis=0)
    s = np.stack([a[0], b[1], a[0]])
    return np.sum(c**2) + np.sum(s * s * s) + np.sum(np.vstack([a, b]) * np.concatenate((b, a)))


@at((smooth(2, 3),))
def reductions(a):
    return a.sum() * a.mean() + np.prod(a, axis=1).sum() + a.max() - a.min() + np.var(a) + np.sum(a.cumsum(axis=1) ** 2)


@at((smooth(4),))
def cumulative(x):
    return np.sum(np.cumsum(x) ** 2) + np.sum(np.cumprod(x)) + np.sum(np.diff(x) ** 2)


@at((smooth(3, 3),))
def trace_and_diagonal(a):
    return np.trace(a @ a) + np.sum(np.diag(a) ** 2) + np.sum(np.triu(a) * np.tril(a.T)) + np.sum(np.diagonal(a))


@at((smooth(2, 3, low=-1.0, high=1.0), smooth(3, seed=1), smooth(2, seed=2)))
def small_network(w, x, y):
    hidden = np.tanh(w @ x)
    shifted = hidden - np.max(hidden)
    p = np.exp(shifted) / np.sum(np.exp(shifted))
    return -np.sum(y * np.log(p))


@at((vec(0.3, -0.2, 0.4),))
def matrix_built_from_scalars(t):
    r = np.array([[np.cos(t[0]), -np.sin(t[0])], [np.sin(t[0]), np.cos(t[0])]])
    v = np.array([t[1], t[2] * t[1]])
    return np.sum((r @ v) ** 2 * np.array([1.0, 3.0]))


@at((smooth(3, 3) + np.eye(3), smooth(3), 4))
def conjugate_gradient_steps(a, b, n):
    m = a @ a.T
    x = np.zeros(3)
    r = b - m @ x
    p = r.copy()
    rs = r @ r
    for _ in range(min(n, 2)):
        ap = m @ p
        alpha = rs / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        p = r + (new / rs) * p
        rs = new
    return np.sum(x * b)


@at((smooth(5),), (smooth(5, seed=2),))
def eigenvalues_of_a_matrix_of_known_size(x):
    return np.sum(np.linalg.eigvalsh(np.outer(x[:2], x[:2]) + np.diag(x[2:4])) ** 3) * x[4]


@at((smooth(2, 3), smooth(4, seed=1)))
def lengths_along_all_axes_there_are(m, v):
    return np.linalg.norm(m, axis=(0, 1)) * np.linalg.norm(v, axis=0) + np.std(m, axis=(1, 0), ddof=1) * np.std(v, axis=0)

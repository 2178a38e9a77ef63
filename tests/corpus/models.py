"""Whole models as people write them."""

import math

import numpy as np

from tests.corpus.case import at, smooth, vec


@at((0.3, vec(0.5, -0.4, 0.8, 0.3, -0.6), 3), (0.3, vec(0.5, -0.4, 0.8, 0.3, -0.6), 0))
def relax(k, u0, steps):
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


@at((vec(1.2, 1.2),), (vec(-0.5, 0.7, 0.3),))
def rosenbrock_loop(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


@at((vec(-0.5, 0.7, 0.3),))
def rosenbrock_vectorised(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


@at((vec(0.2, -0.3), smooth(2, 2), vec(0.1, -0.2), smooth(4, 2, seed=3)), wrt=(0, 1, 2))
def gaussian_mixture(logits, means, log_scales, data):
    weights = logits - np.log(np.sum(np.exp(logits)))
    total = 0.0
    for n in range(data.shape[0]):
        parts = np.zeros(len(logits))
        for k in range(len(logits)):
            z = (data[n] - means[k]) / np.exp(log_scales[k])
            parts[k] = weights[k] - 0.5 * np.sum(z * z) - 2 * log_scales[k]
        top = np.max(parts)
        total += top + np.log(np.sum(np.exp(parts - top)))
    return total


@at((vec(0.2, -0.3, 0.1), smooth(4, 3, low=-1.0, high=1.0), np.array([1, 0, 1, 1])), wrt=(0,))
def logistic_regression(w, x, y):
    margin = x @ w
    return np.sum(np.log1p(np.exp(-(2 * y - 1) * margin))) + 0.1 * np.dot(w, w)


@at((smooth(2, 2, low=-0.5, high=0.5), smooth(2, 3, seed=1), vec(0.1, 0.2), smooth(4, 3, seed=2)), wrt=(0, 1, 2))
def recurrent_network(w, v, b, inputs):
    h = np.zeros(2)
    loss = 0.0
    for x in inputs:
        h = np.tanh(w @ h + v @ x + b)
        loss += np.sum((h - 0.5) ** 2)
    return loss


@at((vec(0.0, 1.0, 2.0, 1.0, 0.0), 0.2, 3))
def heat_by_slices(u, k, steps):
    for _ in range(steps):
        u[1:-1] += k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


@at((vec(0.0, 1.0, 2.0, 1.0, 0.5), 0.2, 3))
def heat_by_loops(u, k, steps):
    new = u.copy()
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            new[i] = u[i] + k * (u[i + 1] - 2.0 * u[i] + u[i - 1])
        u[:] = new
    return np.sum(u**2)


@at((smooth(4, 4), 0.1, 2))
def heat_in_two_dimensions_by_slices(u, k, steps):
    for _ in range(steps):
        inner = u[1:-1, 1:-1]
        u[1:-1, 1:-1] = inner + k * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * inner) * inner
    return np.sum(u * u)


@at((smooth(3, 4), 0.1, 2))
def heat_in_two_dimensions_by_loops(u, k, steps):
    n, m = u.shape
    for _ in range(steps):
        old = u.copy()
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] += k * (old[i + 1, j] + old[i - 1, j] + old[i, j + 1] + old[i, j - 1] - 4.0 * old[i, j])
    return np.sum(u * u)


@at((2.0, 0.5), (0.7, 1.5))
def newton_iteration(a, b):
    x = 1.0
    for _ in range(50):
        step = (x**3 + b * x - a) / (3.0 * x**2 + b)
        x = x - step
        if abs(step) < 1e-12:
            break
    return x * x


@at((1.0, 0.5, 0.3, 5))
def euler_pendulum(angle, speed, damping, steps):
    h = 0.1
    for _ in range(steps):
        angle, speed = angle + h * speed, speed - h * (math.sin(angle) + damping * speed)
    return angle**2 + speed


def lotka_volterra(y, p):
    return np.array([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])


@at((vec(1.0, 0.5), vec(1.1, 0.4, 0.2, 0.5), 3))
def runge_kutta_four(y, p, steps):
    h = 0.1
    for _ in range(steps):
        k1 = lotka_volterra(y, p)
        k2 = lotka_volterra(y + 0.5 * h * k1, p)
        k3 = lotka_volterra(y + 0.5 * h * k2, p)
        k4 = lotka_volterra(y + h * k3, p)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return np.sum(y * y)


@at((vec(0.1, -0.3), 0.5, vec(1.0, 1.3, 0.7, 1.1)))
def kalman_filter_local_level(log_variances, start, observations):
    q, r = np.exp(log_variances[0]), np.exp(log_variances[1])
    mean, variance = start, 1.0
    loglik = 0.0
    for y in observations:
        variance = variance + q
        s = variance + r
        error = y - mean
        gain = variance / s
        mean = mean + gain * error
        variance = (1.0 - gain) * variance
        loglik -= 0.5 * (np.log(2.0 * np.pi * s) + error**2 / s)
    return loglik


@at((smooth(2, 2) * 0.5, smooth(1, 2, seed=1), 0.4, smooth(3, 1, seed=2)), wrt=(0, 1, 2))
def kalman_filter_matrices(f, h, q, observations):
    x = np.zeros(2)
    p = np.eye(2)
    total = 0.0
    for t in range(observations.shape[0]):
        x = f @ x
        p = f @ p @ f.T + q * np.eye(2)
        s = h @ p @ h.T + 0.3 * np.eye(1)
        e = observations[t] - h @ x
        gain = p @ h.T @ np.linalg.inv(s)
        x = x + gain @ e
        p = p - gain @ h @ p
        total += np.log(np.linalg.det(s)) + e @ np.linalg.solve(s, e)
    return 0.5 * total


@at((vec(0.1, 0.2, 0.6), smooth(5, low=-1.0, high=1.0, seed=2)), wrt=(0,))
def garch(params, returns):
    omega, alpha, beta = params
    variance = np.empty(len(returns))
    variance[0] = omega / (1.0 - alpha - beta)
    for t in range(1, len(returns)):
        variance[t] = omega + alpha * returns[t - 1] ** 2 + beta * variance[t - 1]
    return 0.5 * np.sum(np.log(variance) + returns**2 / variance)


@at((smooth(4), 2))
def smoothing_with_boundary(x, rounds):
    y = x.copy()
    n = len(y)
    for _ in range(rounds):
        left = y[0]
        for i in range(n):
            here = y[i]
            right = y[i + 1] if i + 1 < n else here
            y[i] = (left * here + right) / 3.0
            left = here
    return np.sum(y * y)


@at((vec(0.5, 1.0, 0.2), 4))
def gradient_descent_by_hand(x, steps):
    velocity = np.zeros_like(x)
    for _ in range(steps):
        slope = 2.0 * x + np.cos(x)
        velocity *= 0.9
        velocity -= 0.05 * slope
        x = x + velocity
    return np.sum(x**2 + np.sin(x))


@at((smooth(3), smooth(2, seed=1)))
def convolution_by_loops(x, w):
    y = np.zeros(len(x) - len(w) + 1)
    for i in range(len(y)):
        for j in range(len(w)):
            y[i] += x[i + j] * w[j]
    return np.sum(y**2)


@at((smooth(4, 3), vec(1.0, 0.5, 0.3)))
def shortest_path(costs, ends):
    best = ends.copy()
    for i in range(costs.shape[0] - 1, -1, -1):
        new = np.empty(3)
        for j in range(3):
            stay = costs[i, j] + best[j]
            move = costs[i, j] * 1.5 + best[(j + 1) % 3]
            new[j] = stay if stay < move else move
        best = new
    return np.sum(best * best)


@at((vec(1.2, 0.4, 0.3), vec(0.8, -0.5, 0.2), 2))
def n_body_steps(position, velocity, steps):
    n = len(position)
    for _ in range(steps):
        force = np.zeros(n)
        for i in range(n):
            for j in range(n):
                if i != j:
                    d = position[j] - position[i]
                    force[i] += d / (d * d + 0.1) ** 1.5
        velocity += 0.01 * force
        position += 0.01 * velocity
    return 0.5 * np.sum(velocity * velocity) + position[0]


@at((vec(0.2, 0.5, 0.9), 1.4))
def linear_interpolation(x, q):
    grid = np.array([0.0, 1.0, 2.0])
    k = np.searchsorted(grid, q) - 1
    t = (q - grid[k]) / (grid[k + 1] - grid[k])
    return (1.0 - t) * x[k] + t * x[k + 1] ** 2

"""A small network trained by Adam with batches from a generator, layers as closures over a parameter dict, schedules."""

import itertools
import math
from types import SimpleNamespace

import numpy as np

from tests.corpus.case import at

ACTIVATIONS = {
    "relu": (lambda z: np.maximum(z, 0.0), lambda z: (z > 0).astype(float)),
    "tanh": (np.tanh, lambda z: 1.0 - np.tanh(z) ** 2),
    "softplus": (lambda z: np.log1p(np.exp(z)), lambda z: 1.0 / (1.0 + np.exp(-z))),
}


def batches(X, y, size, seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    for start in itertools.count(0, size):
        if start >= len(order):
            return
        pick = order[start : start + size]
        yield X[pick], y[pick]


def forward(params, x, acts):
    cache = []
    a = x
    for k, act in enumerate(acts):
        z = a @ params[f"W{k}"] + params[f"b{k}"]
        cache.append((a, z))
        a = ACTIVATIONS[act][0](z) if act else z
    return a, cache


def backward(params, cache, acts, grad):
    grads = {}
    for k in reversed(range(len(acts))):
        a, z = cache[k]
        if acts[k]:
            grad = grad * ACTIVATIONS[acts[k]][1](z)
        grads[f"W{k}"] = a.T @ grad
        grads[f"b{k}"] = grad.sum(axis=0)
        grad = grad @ params[f"W{k}"].T
    return grads


class Adam:
    def __init__(self, lr, b1=0.9, b2=0.99, eps=1e-8):
        self.hp = SimpleNamespace(lr=lr, b1=b1, b2=b2, eps=eps)
        self.state = {}
        self.t = 0

    def step(self, params, grads, scale=1.0):
        self.t += 1
        hp = self.hp
        for name, g in grads.items():
            m, v = self.state.get(name, (np.zeros_like(g), np.zeros_like(g)))
            m = hp.b1 * m + (1 - hp.b1) * g
            v = hp.b2 * v + (1 - hp.b2) * g**2
            self.state[name] = m, v
            mhat = m / (1 - hp.b1**self.t)
            vhat = v / (1 - hp.b2**self.t)
            params[name] -= scale * hp.lr * mhat / (np.sqrt(vhat + 1e-6) + hp.eps)


def cosine(step, total):
    return 0.5 * (1.0 + math.cos(math.pi * step / total))


def clip(grads, limit):
    norm = math.sqrt(sum(float(np.sum(g * g)) for g in grads.values()))
    if norm > limit:
        return {k: g * (limit / norm) for k, g in grads.items()}
    return grads


rng = np.random.default_rng(2)
X = rng.normal(size=(10, 2))
Y = np.sin(X[:, :1]) * X[:, 1:]


def train(W0, W1, lr, decay, epochs=2):
    acts = ["tanh", None]
    params = {"W0": W0.copy(), "b0": np.zeros(W0.shape[1]), "W1": W1.copy(), "b1": np.zeros(1)}
    opt = Adam(lr)
    losses = []
    step = 0
    for epoch in range(epochs):
        for xb, yb in batches(X, Y, 4, seed=epoch):
            out, cache = forward(params, xb, acts)
            diff = out - yb
            losses.append(np.mean(diff**2))
            grads = backward(params, cache, acts, 2.0 * diff / len(xb))
            for name in grads:
                if name.startswith("W"):
                    grads[name] = grads[name] + decay * params[name]
            opt.step(params, clip(grads, 1.0), scale=cosine(step, 6))
            step += 1
    return params, losses


@at((0.5 * rng.normal(size=(2, 3)), 0.5 * rng.normal(size=(3, 1)), 0.05, 0.01))
def network_trained_in_batches(W0, W1, lr, decay):
    params, losses = train(W0, W1, lr, decay)
    out, _ = forward(params, X, ["tanh", None])
    return np.mean((out - Y) ** 2) + 0.1 * losses[0] + 0.01 * sum(np.sum(np.abs(p)) for p in params.values())

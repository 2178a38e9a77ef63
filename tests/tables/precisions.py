"""Arrays of several precisions that meet: in which step, and on which path of the program one has become the other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from tests.tables.cell import Cell, program

WAYS = {
    "straight": "u = {step}",
    "loop": "for t in range(2):\n    u = {step}",
    "loop of unknown length": "for t in range(n):\n    u = {step}",
    "while": "t = 0\nwhile t < n:\n    u = {step}\n    t += 1",
    "branch": "if m[0, 0] > 0.5:\n    u = {step}",
    "branch not taken": "if m[0, 0] < 0.5:\n    u = {step}",
    "conditional": "u = {step} if m[0, 0] > 0.5 else u",
    "left early": "for t in range(5):\n    if t == n:\n        break\n    u = {step}",
    "helper": "u = run(lambda u: {step}, u, n)",
}
STEPS = {
    "sum": "u + w",
    "scaled": "u * w[0]",
    "matrix": "m @ u",
    "row": "u @ m",
    "dot": "np.dot(m, u)",
    "method dot": "m.dot(u)",
    "outer": "np.outer(u, w)[0]",
    "einsum": "np.einsum('ij,j->i', m, u)",
    "tensordot": "np.tensordot(m, u, axes=1)",
    "inner": "np.inner(m, u)",
    "cross": "np.cross(np.append(u, 1.0), np.append(w, 1.0))[:2]",
    "solve": "np.linalg.solve(m, u)",
    "inverse": "np.linalg.inv(m + np.outer(u, u)) @ w",
    "determinant": "w * np.linalg.det(m + np.outer(u, u))",
    "length": "(u + w) / np.linalg.norm(u + w)",
    "concatenate": "np.concatenate([u[:1], w[1:]])",
    "stack": "np.stack([u, w])[1] + u",
    "stacked numbers": "np.stack([u[0] * 1.0, w[0]])",
    "array of numbers": "np.array([u[0] * w[0], u[1]])",
    "comprehension": "np.array([v * w[0] for v in u])",
    "filled": "filled(u, w)",
    "where": "np.where(w > 0.3, u, w)",
    "maximum": "np.maximum(u, w)",
    "reversed": "(u * w)[::-1]",
    "columns": "np.column_stack([u, w]).sum(axis=1)",
    "cumulative": "np.cumsum(u) * w",
    "triangle": "np.triu(np.outer(u, w))[0]",
    "root": "np.sqrt(u * u + w)",
    "power": "np.abs(u) ** w",
    "mean": "np.mean([u, w], axis=0)",
    "reshaped": "(u.reshape(1, 2) @ m).ravel()",
    "transposed": "(m.T @ u[:, None])[:, 0]",
    "converted": "u.astype(float) * w",
    "differences": "np.append(np.diff(u), w[0])",
    "clip": "np.clip(u + w, 0.0, 9.0)",
    "kron": "np.kron(u, w)[:2]",
    "elements": "np.array([u[1], w[0] * u[0]])",
    "augmented": "grown(u, w)",
}
DTYPES = {"half": np.float16, "single": np.float32, "double": np.float64, "long": np.longdouble, "whole": np.int64}


def run(step, u, n):
    for _ in range(n):
        u = step(u)
    return u


def filled(u, w):
    y = np.zeros(2)
    y[0] = u[0] * w[0]
    y[1] = u[1]
    return y


def grown(u, w):
    u = u * 1
    u = u + w
    u *= 2
    return u


def cells() -> Iterator[Cell]:
    """Every step in every way, from a state of every dtype that meets factors of every other."""
    given = {"run": run, "filled": filled, "grown": grown}
    for (way, text), (step, made) in itertools.product(WAYS.items(), STEPS.items()):
        body = text.format(step=made).replace("\n", "\n    ")
        function = program(f"def f(u, w, m, n):\n    {body}\n    return np.sum(u * 1.5)\n", **given)
        for (own, dtype), (other, wide) in itertools.permutations(DTYPES.items(), 2):
            if other == "whole":
                continue
            args = (np.array([1, 2], dtype), np.array([0.7, 0.2], wide), np.array([[0.9, 0.2], [0.3, 0.8]], wide), 2)
            yield Cell(f"{step}, {way}: {own} beside {other}", function, args, orders=1)

"""Sparse Hessians: the number of products is the number of colours, whatever the size of a band or an arrow-head."""

from __future__ import annotations

import numpy as np

import adxform
from benchmarks.record import Claim, Result
from benchmarks.timing import seconds_of

DENSE = 1_000


def band(x):
    """Return Rosenbrock's function: its Hessian is tridiagonal."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def band_by_a_loop(x):
    """Return the same, element by element."""
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def arrow(x):
    """Return a function of one variable with all others: its Hessian is an arrow-head."""
    return x[0] * np.sum(x[1:] ** 2) + np.sum(np.sin(x))


COLOURS = {band: 3, band_by_a_loop: 3, arrow: 2}


def sparse(quick: bool) -> Result:
    """Count products and time sparse Hessians for up to 1e5 variables, against a dense one where that fits."""
    sizes = (100, 1_000) if quick else (100, 1_000, 10_000, 100_000)
    rows: list[tuple[str | int | float, ...]] = []
    errors = []
    for f, expected in COLOURS.items():
        for size in sizes:
            x, v = np.linspace(0.5, 1.5, size), np.cos(np.arange(float(size)))
            made = []
            preparing = seconds_of(lambda: made.append(adxform.prepare_hessian(f, x, sparse=True)))
            hessian, product = made[0], adxform.prepare_hvp(f, x)
            before = adxform.stats()["primal_calls"]
            found = hessian(x)
            sweeps = adxform.stats()["primal_calls"] - before
            errors.append(float(np.max(np.abs(found @ v - product(x, v)) / (1.0 + np.abs(product(x, v))))))
            seconds = min(seconds_of(lambda: hessian(x)) for _ in range(3))
            once = min(seconds_of(lambda: product(x, v)) for _ in range(3))
            dense: str | float = "too large"
            ratio: str | float = ""
            if size <= DENSE:
                whole = adxform.prepare_hessian(f, x)
                dense = seconds_of(lambda: whole(x))
                ratio = dense / seconds
            made_in_all = sweeps * hessian.product.request.directions
            cells = (f.__name__, size, found.nnz, hessian.products, expected, made_in_all, sweeps, preparing, seconds)
            rows.append((*cells, seconds / once, dense, ratio))
    claims = (
        Claim("a call makes one product for each colour", all(row[3] == row[5] for row in rows)),
        Claim("a band takes 3 products and an arrow-head 2, at any size", all(row[3] == row[4] for row in rows)),
        Claim(f"the matrix agrees with Hessian products (relative error {max(errors):.1e}, below 1e-12)", max(errors) < 1e-12),
    )
    columns = (
        "Hessian",
        "n",
        "elements",
        "colours",
        "expected",
        "products",
        "sweeps",
        "preparation s",
        "sparse s",
        "sparse / one product",
        "dense s",
        "dense / sparse",
    )
    return Result("Sparse Hessians", columns, tuple(rows), claims)

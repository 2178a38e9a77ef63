"""Growth: the gradient of a loop that reads and writes its input element by element is linear in time and memory."""

from __future__ import annotations

import numpy as np

import adxform
from benchmarks.record import Claim, Result
from benchmarks.timing import exponent, peak_bytes, seconds_of


def overwrite(x):
    """Return the sum of `x` after each element has been overwritten by one that depends on its neighbour."""
    total = 0.0
    for i in range(1, x.shape[0]):
        x[i] = 0.9 * x[i] + 0.1 * x[i] * x[i - 1]
        total += x[i]
    return total


def elements(quick: bool) -> Result:
    """Time and weigh primal and gradient for 1e3 to 1e6 elements."""
    sizes = (1_000, 10_000) if quick else (1_000, 10_000, 100_000, 1_000_000)
    gradient = adxform.grad(overwrite)
    gradient(np.full(10, 0.5))
    rows = []
    for size in sizes:
        x = np.linspace(0.1, 0.9, size)
        primal_seconds = min(seconds_of(lambda: overwrite(x.copy())) for _ in range(3))
        seconds = min(seconds_of(lambda: gradient(x)) for _ in range(3))
        held = peak_bytes(lambda: gradient(x))
        rows.append((size, primal_seconds, seconds, seconds / primal_seconds, seconds / size, held, held / size))
    time_growth = exponent([row[0] for row in rows], [row[2] for row in rows])
    memory_growth = exponent([row[0] for row in rows], [float(row[5]) for row in rows])
    claims = (
        Claim(f"gradient time grows as n ** {time_growth:.2f}, linear (below 1.15)", time_growth < 1.15),
        Claim(f"gradient memory grows as n ** {memory_growth:.2f}, linear (below 1.15)", memory_growth < 1.15),
    )
    columns = ("n", "primal s", "gradient s", "gradient / primal", "gradient s per n", "peak bytes", "peak bytes per n")
    return Result("Growth: a loop that reads and writes x[i]", columns, tuple(rows), claims)

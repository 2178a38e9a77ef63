"""Minimise Rosenbrock's function, written as a loop, by SciPy's trust-region Newton method.

The gradient and the Hessian-vector product are each built once and then called for every iteration. At (1.2, 1.2) the
Hessian of the two-dimensional function is [[1250, -480], [-480, 200]].

    python examples/rosenbrock.py
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

import adxform


def rosenbrock(x):
    """Return the sum of Rosenbrock's banana over neighbouring coordinates."""
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def main() -> None:
    """Print the Hessian at a known point, minimise in ten dimensions, and print what was built."""
    hessian = adxform.hessian(rosenbrock)(np.array([1.2, 1.2]))
    print("Hessian at (1.2, 1.2):", hessian.tolist())
    np.testing.assert_allclose(hessian, [[1250.0, -480.0], [-480.0, 200.0]], rtol=1e-12)

    product = adxform.hvp(rosenbrock)
    start = np.full(10, -1.2)
    function = adxform.value_and_grad(rosenbrock)
    result = minimize(function, start, jac=True, hessp=product, method="trust-ncg", options={"gtol": 1e-8})
    print(f"{result.nit} iterations to {result.fun:.2e} at {result.x.round(6).tolist()}")
    np.testing.assert_allclose(result.x, np.ones(10), atol=1e-6)
    print("counters:", dict(adxform.stats()))


if __name__ == "__main__":
    main()

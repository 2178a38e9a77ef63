"""Differentiate through a root finder: a `while` loop that stops when it has converged.

Kepler's equation ``M = E - e sin E`` gives the eccentric anomaly `E` of an orbit only by iteration. The derivatives of
`E` with respect to the mean anomaly `M` and the eccentricity `e` are known in closed form, so they can be checked.

    python examples/newton.py
"""

from __future__ import annotations

import math

import adxform


def eccentric_anomaly(mean_anomaly, eccentricity, tolerance=1e-14):
    """Return the solution of Kepler's equation by Newton's method."""
    x = mean_anomaly
    step = 1.0
    while abs(step) > tolerance:
        step = (x - eccentricity * math.sin(x) - mean_anomaly) / (1.0 - eccentricity * math.cos(x))
        x = x - step
    return x


def main() -> None:
    """Print the derivatives of the root beside those of the implicit function theorem."""
    mean_anomaly, eccentricity = 0.8, 0.3
    gradient = adxform.grad(eccentric_anomaly, argnums=(0, 1))
    x = eccentric_anomaly(mean_anomaly, eccentricity)
    slope = 1.0 - eccentricity * math.cos(x)
    exact = 1.0 / slope, math.sin(x) / slope
    for name, got, want in zip(("dE/dM", "dE/de"), gradient(mean_anomaly, eccentricity), exact, strict=True):
        print(f"{name}   adxform {got:.15f}   closed form {want:.15f}")
        assert math.isclose(got, want, rel_tol=1e-12)
    curvature = adxform.grad(adxform.grad(eccentric_anomaly))(mean_anomaly, eccentricity)
    want = -eccentricity * math.sin(x) / slope**3
    print(f"d2E/dM2 adxform {curvature:.15f}   closed form {want:.15f}")
    assert math.isclose(curvature, want, rel_tol=1e-10)


if __name__ == "__main__":
    main()

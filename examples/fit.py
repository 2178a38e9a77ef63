"""Fit a volatility model to real data by Newton's method, with derivatives that adxform wrote as Python.

The data: US inflation, quarterly from 1959 to 2009, as `statsmodels` ships it. The model: an autoregression whose
shocks have a variance that remembers the last one, differently after a rise and after a fall (an AR(2) mean with
asymmetric GARCH(1, 1) variance). The likelihood below is plain NumPy: helper functions, a Python loop over time, an
in-place accumulation, writes to single elements and a branch. Nothing in it knows about derivatives.

    python examples/fit.py
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from scipy.optimize import OptimizeResult, minimize
from statsmodels.datasets import macrodata

import adxform

mpl.use("Agg")
import matplotlib.pyplot as plt

OUT = Path(__file__).parent / "out"
LAGS = 2
NAMES = ["mean", *(f"pull of lag {k}" for k in range(1, LAGS + 1)), "log base", "log after rise", "log after fall", "memory"]
STEP = 3e-3


# --- the model, as people write it


def expected(y, mean, pull):
    """Return what the last quarters make one expect: `mean`, and a pull towards each lagged value."""
    level = np.full(y.shape[0], mean)
    for lag in range(1, pull.shape[0] + 1):
        level[lag:] += pull[lag - 1] * (y[:-lag] - mean)
    return level


def variances(shock, base, rise, fall, memory):
    """Return the variance of each shock, from the shock and the variance a quarter before."""
    h = np.empty(shock.shape[0])
    h[0] = np.mean(shock**2)
    for t in range(1, shock.shape[0]):
        if shock[t - 1] > 0.0:
            h[t] = rise * shock[t - 1] ** 2
        else:
            h[t] = fall * shock[t - 1] ** 2
        h[t] += base + memory * h[t - 1]
    return h


def negative_log_likelihood(theta, y):
    """Return minus the Gaussian log-likelihood; the variance parameters are unconstrained (logarithms, a logit)."""
    shock = y - expected(y, theta[0], theta[1 : 1 + LAGS])
    base, rise, fall = np.exp(theta[-4]), np.exp(theta[-3]), np.exp(theta[-2])
    h = variances(shock, base, rise, fall, 1.0 / (1.0 + np.exp(-theta[-1])))
    return 0.5 * np.sum(np.log(2.0 * np.pi * h) + shock**2 / h)


# --- what adxform adds: three lines


value_and_gradient = adxform.value_and_grad(negative_log_likelihood)
hessian_product = adxform.hvp(negative_log_likelihood)
hessian = adxform.hessian(negative_log_likelihood)


def load() -> tuple[np.ndarray, np.ndarray]:
    """Return the dates (in years) and the inflation rate of each quarter (per cent a year)."""
    frame = macrodata.load_pandas().data
    dates = frame["year"].to_numpy() + (frame["quarter"].to_numpy() - 1.0) / 4.0
    return dates[1:], frame["infl"].to_numpy(dtype=float)[1:]


def first_guess(y: np.ndarray) -> np.ndarray:
    """Return a start for the optimiser that knows only the mean of the data."""
    return np.array([y.mean(), *np.full(LAGS, 0.3), np.log(0.2), np.log(0.1), np.log(0.1), 1.0])


def fit(y: np.ndarray) -> tuple[OptimizeResult, list[tuple[float, dict[str, int]]]]:
    """Return SciPy's result, and after each iteration the value reached and adxform's counters."""
    history: list[tuple[float, dict[str, int]]] = []

    def record(intermediate_result: OptimizeResult) -> None:
        history.append((float(intermediate_result.fun), dict(adxform.stats())))

    result = minimize(
        value_and_gradient,
        first_guess(y),
        args=(y,),
        jac=True,
        hessp=lambda theta, v, y: hessian_product(theta, y, v),
        method="trust-ncg",
        callback=record,
        options={"gtol": 1e-5},
    )
    return result, history


def central_differences(theta: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the gradient by fourth-order central differences of the plain function."""

    def at(k: int, steps: float) -> Any:
        moved = theta.copy()
        moved[k] += steps * STEP
        return negative_log_likelihood(moved, y)

    differences = [8.0 * (at(k, 1.0) - at(k, -1.0)) - (at(k, 2.0) - at(k, -2.0)) for k in range(theta.size)]
    return np.array(differences) / (12.0 * STEP)


# --- what is printed and drawn


def check(console: Console, theta: np.ndarray, y: np.ndarray) -> None:
    """Print the gradient beside central differences; raise if they differ."""
    value, gradient = value_and_gradient(theta, y)
    reference = central_differences(theta, y)
    table = Table("parameter", "adxform", "central differences", "difference", title="Gradient at the first guess")
    for name, got, want in zip(NAMES, gradient, reference, strict=True):
        table.add_row(name, f"{got:.9f}", f"{want:.9f}", f"{abs(got - want):.1e}")
    console.print(table)
    assert value == negative_log_likelihood(theta, y), "the derivative changed the value"
    np.testing.assert_allclose(gradient, reference, rtol=1e-6, atol=1e-6)


def report(console: Console, result: OptimizeResult, history: list[tuple[float, dict[str, int]]], y: np.ndarray) -> None:
    """Print the iterations with the rules built in each, and the estimates with their standard errors."""
    steps = Table("iteration", "-log likelihood", "rules built", "sources parsed", title="trust-ncg; counters of adxform.stats()")
    before = None
    for k, (value, counters) in enumerate(history, 1):
        new = [counters[key] - (before[key] if before else 0) for key in ("rule_builds", "source_parses")]
        steps.add_row(str(k), f"{value:.6f}", *(str(n) if before else f"{n} so far" for n in new))
        before = counters
    console.print(steps)

    errors = np.sqrt(np.diag(np.linalg.inv(hessian(result.x, y))))
    estimates = Table("parameter", "estimate", "standard error", title=result.message)
    for name, estimate, error in zip(NAMES, result.x, errors, strict=True):
        estimates.add_row(name, f"{estimate:.4f}", f"{error:.4f}")
    console.print(estimates)
    rise, fall = np.exp(result.x[-3:-1])
    console.print(f"A surprise rise of inflation adds {rise:.2f} of its square to the next variance, a fall {fall:.2f}.")


def draw(dates: np.ndarray, y: np.ndarray, theta: np.ndarray) -> Path:
    """Save inflation with a band of two standard deviations around what was expected; return the file."""
    level = expected(y, theta[0], theta[1 : 1 + LAGS])
    h = variances(y - level, *np.exp(theta[-4:-1]), 1.0 / (1.0 + np.exp(-theta[-1])))
    figure, axes = plt.subplots(figsize=(9, 4), layout="constrained")
    axes.fill_between(dates, level - 2 * np.sqrt(h), level + 2 * np.sqrt(h), alpha=0.25, label="expected, two deviations")
    axes.plot(dates, y, linewidth=1.0, color="black", label="US inflation, per cent a year")
    axes.legend(loc="lower left")
    OUT.mkdir(exist_ok=True)
    path = OUT / "fit.png"
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return path


def main() -> None:
    """Show the generated adjoint, check it, fit, report and draw."""
    console = Console()
    dates, y = load()
    theta = first_guess(y)
    adjoint = adxform.source(negative_log_likelihood, theta, y)
    console.rule("The adjoint that adxform wrote")
    shown = Syntax(adjoint, "python", background_color="default") if console.is_terminal else adjoint
    console.print(shown, markup=False, highlight=False, soft_wrap=True)
    check(console, theta, y)

    start = time.perf_counter()
    result, history = fit(y)
    seconds = time.perf_counter() - start
    report(console, result, history, y)
    if not result.success:
        raise SystemExit("the optimiser did not converge")
    late = {key: history[-1][1][key] - history[0][1][key] for key in ("rule_builds", "source_parses", "py_compiles")}
    console.print(f"{len(history)} iterations in {seconds:.2f} s; after the first: {late}")
    if any(late.values()):
        raise SystemExit("a rule was built twice")
    console.print("Figure:", os.path.relpath(draw(dates, y, result.x)))


if __name__ == "__main__":
    main()

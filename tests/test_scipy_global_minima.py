"""Promise: what SciPy's searches of boxes, from many starts and by products find moves as the equation there says.

The oracle is differences of SciPy itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform

pytest.importorskip("scipy")
from scipy import optimize

from tests.scipy_judge import Model, judge

TIGHT = {"rng": 1, "tol": 1e-12, "atol": 1e-14}


def bowl(x: Any, p: Any) -> Any:
    return (x[0] - p[0]) ** 2 + p[1] * x[0] ** 4 + (x[1] - p[2] * x[0]) ** 2


def within(method: Any, p: Any, bounds: Any, **options: Any) -> Any:
    found = method(bowl, bounds, args=(p,), **options)
    return found.x[0] + found.x[1] ** 2 + found.fun


BOX = [(-2.0, 2.0), (-1.0, 1.0)]
MODELS: dict[str, Model] = {
    "evolution": lambda p: within(optimize.differential_evolution, p, BOX, **TIGHT),
    "evolution at a bound": lambda p: within(
        optimize.differential_evolution, p, optimize.Bounds([-2.0, -1.0], [0.4, 1.0]), **TIGHT
    ),
    "annealing": lambda p: within(optimize.dual_annealing, p, BOX, rng=1, maxiter=30),
    "simplicial homology": lambda p: within(optimize.shgo, p, BOX),
    "basins": lambda p: optimize.basinhopping(lambda x: bowl(x, p), [0.1, 0.0], niter=3, rng=1).fun,
    "slsqp": lambda p: np.sum(optimize.fmin_slsqp(bowl, [0.0, 0.0], args=(p,), iprint=0, acc=1e-14) ** 2),
    "slsqp at a bound": lambda p: np.sum(
        optimize.fmin_slsqp(bowl, [0.0, 0.0], args=(p,), bounds=[(0, 0.3), (-1, 1)], iprint=0) ** 2
    ),
    "newton": lambda p: optimize.fmin_ncg(
        lambda x: (x[0] - p[0]) ** 2 + p[1] * x[0] ** 4,
        [0.0],
        lambda x: np.array([2.0 * (x[0] - p[0]) + 4.0 * p[1] * x[0] ** 3]),
        disp=0,
        avextol=1e-12,
    )[0],
    "krylov": lambda p: np.sum(optimize.newton_krylov(lambda x: x**3 + p[0] * x - p[1], np.array([0.3, 0.2]), f_tol=1e-12)),
    "broyden": lambda p: np.sum(
        optimize.broyden1(lambda x: [x[0] ** 3 + p[0] * x[1] - p[1], x[1] + p[2] * x[0]], [0.3, 0.2], f_tol=1e-12)
    ),
    "second of broyden": lambda p: np.sum(optimize.broyden2(lambda x: x + 0.1 * x**3 - p, p * 0.9, f_tol=1e-12) ** 2),
}


@pytest.mark.parametrize("name", MODELS)
def test_what_is_found_moves(name: str) -> None:
    judge(MODELS[name], np.array([1.3, 0.7, 0.4]), rtol=1e-3, second=False, step=1e-2)


@pytest.mark.parametrize("name", ["broyden", "krylov"])
def test_second_order(name: str) -> None:
    judge(MODELS[name], np.array([1.3, 0.7, 0.4]), rtol=1e-4)


def test_conditions_are_refused() -> None:
    def f(p: Any) -> Any:
        return optimize.fmin_slsqp(bowl, [0.0, 0.0], args=(p,), eqcons=[], iprint=0)[0]

    with pytest.raises(adxform.AdxError, match="eqcons"):
        adxform.grad(f)(np.array([1.3, 0.7, 0.4]))

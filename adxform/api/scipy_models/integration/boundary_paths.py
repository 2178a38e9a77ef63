"""Solutions of two-point boundary value problems, by the equations of collocation on the mesh that SciPy has come to.

The nodes keep their places between those of the mesh that is given, and the values at them are implicit functions of what the
equations and the conditions hold: see `implicit_solutions`. Between nodes the solution is a cubic.

Source: Kierzenka & Shampine, *A BVP solver based on residual control and the Matlab PSE* (2001).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate

from adxform.api.scipy_models.implicit_solutions import vector_moving
from adxform.api.scipy_models.interpolation.made_interpolants import hermite
from adxform.api.scipy_models.solving import Search, moving, solve
from adxform.primitives.definitions.definition import Definition, unsupported
from adxform.runtime.run_time_checks import without_derivative


class BoundaryPath(Search):
    """What `solve_bvp` found."""

    def __init__(self, found: Any, x: Any, y: Any, yp: Any, p: Any) -> None:
        self.found, self.x, self.y, self.yp, self.p = found, x, y, yp, p
        self.sol = BetweenNodes(found, x, y, yp)

    @property
    def niter(self) -> Any:
        """How often the mesh was made anew."""
        return self.found.niter

    def __getitem__(self, name: Any) -> Any:
        return getattr(self, name)


class BetweenNodes:
    """The solution as a function of the place."""

    def __init__(self, found: Any, x: Any, y: Any, yp: Any) -> None:
        self.found, self.x, self.y, self.yp = found, x, y, yp

    def __call__(self, x: Any, nu: Any = 0) -> Any:
        """The values at the places, or a derivative of the order `nu`, along the last axes."""
        at = np.asarray(x) * 1.0
        rows = hermite(self.x, np.swapaxes(self.y, 0, 1), np.swapaxes(self.yp, 0, 1), at, nu)
        return moving(solve(_between, (), (), (np.ndim(at) + 1,), self.found, at, nu), np.moveaxis(rows, -1, 0))


def _between(found: Any, at: Any, nu: Any) -> Any:
    return np.array(found.sol(at, nu))


def _any_length(x: Any) -> Any:
    return x


def _value(fun: Any, bc: Any, x: Any, y: Any, p: Any, tol: Any, max_nodes: Any, bc_tol: Any) -> Any:
    """SciPy's solution, and in which interval of the mesh that is given, and where in it, each node lies.

    Raises:
        UnsupportedOperationError: it has not converged.
    """
    found = integrate.solve_bvp(fun, bc, x, y, p, tol=tol, max_nodes=max_nodes, bc_tol=bc_tol)
    if found.status != 0:
        raise without_derivative(f"solve_bvp has found no solution that has a derivative: {found.message}")
    which = np.clip(np.searchsorted(x, found.x, side="right") - 1, 0, len(x) - 2)
    share = (found.x - x[which]) / (x[which + 1] - x[which])
    parameters = np.zeros(0) if p is None else found.p
    return found, found.x, found.y, found.yp, parameters, which * 1.0, share


def _solve_bvp(
    fun: Any, bc: Any, x: Any, y: Any, p: Any = None, *, tol: Any = 1e-3, max_nodes: Any = 1000, bc_tol: Any = None
) -> Any:
    mesh, guess = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if np.iscomplexobj(guess):
        unsupported("solve_bvp has a derivative for real y")
    known = p is None
    unknown = np.zeros(0) if known else np.atleast_1d(np.asarray(p)) * 1.0

    def slope(at: Any, values: Any, q: Any) -> Any:
        return np.asarray(fun(at, values) if known else fun(at, values, q))

    def ends(first: Any, last: Any, q: Any) -> Any:
        return np.asarray(bc(first, last) if known else bc(first, last, q))

    n = guess.shape[0]
    nodes = solve(_any_length, (), (), (1,), mesh)
    row = guess[:, 0]
    functions: Any = (lambda at, values: slope(at, values, unknown), lambda first, last: ends(first, last, unknown))
    examples: Any = ((nodes, row[:, None] * nodes), (row, row))
    if not known:
        functions, examples = (slope, ends), ((nodes, row[:, None] * nodes, unknown), (row, row, unknown))
    given = mesh, guess, None if known else unknown, tol, max_nodes, bc_tol
    found, at, values, slopes, q, which, share = solve(_value, functions, examples, ("any", 1, 2, 2, 1, 1, 1), *given)
    places = which.astype(int)
    nodes = mesh[places] + share * (mesh[places + 1] - mesh[places])
    h, count = np.diff(nodes), nodes.shape[0]

    def residual(z: Any) -> Any:
        heights, others = np.reshape(z[: n * count], (n, count)), z[n * count :]
        rates = slope(nodes, heights, others)
        first, last = heights[:, :-1], heights[:, 1:]
        middle = 0.5 * (first + last) - 0.125 * h * (rates[:, 1:] - rates[:, :-1])
        halfway = slope(nodes[:-1] + 0.5 * h, middle, others)
        steps = last - first - h / 6.0 * (rates[:, :-1] + rates[:, 1:] + 4.0 * halfway)
        return np.concatenate((np.ravel(steps), ends(heights[:, 0], heights[:, -1], others)))

    z = vector_moving(residual, np.concatenate((np.ravel(values), q)))
    heights, others = np.reshape(z[: n * count], (n, count)), z[n * count :]
    rates = moving(slopes, slope(nodes, heights, others))
    return BoundaryPath(found, moving(at, nodes), moving(values, heights), rates, None if known else moving(q, others))


DEFINITIONS: tuple[Definition, ...] = (Definition(integrate.solve_bvp, _solve_bvp, sequences=True, calls_back=True),)

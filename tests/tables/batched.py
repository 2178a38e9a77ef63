"""SciPy's functions of matrices, which take batches of them: one matrix or several, by one right side or several, by their ranks.

A gradient belongs to what was given, of which each matrix may have gone into several results. Calls that SciPy does not take are
left out.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator

import numpy as np
from scipy import linalg

from tests.tables.cell import Cell, program

_RNG = np.random.default_rng(0)
_ONE = _RNG.normal(size=(3, 3)) + 3.0 * np.eye(3)
_TWO = np.stack((_ONE, _ONE * 1.1 + 0.05))
MATRICES = {"one": _ONE, "two": _TWO, "two, of a longer batch": _TWO[:, None]}
RIGHT_SIDES = {
    name: _RNG.normal(size=shape)
    for name, shape in {
        "a vector": (3,),
        "columns": (3, 2),
        "a square": (3, 3),
        "columns of two": (2, 3, 2),
        "squares of two": (2, 3, 3),
        "columns of eight": (4, 2, 3, 2),
        "a batch of one": (1, 3, 1),
        "no columns": (3, 0),
        "no batch": (0, 3, 2),
    }.items()
}
_SQUARE = "a @ np.swapaxes(a, -1, -2)"
_STEEP = "a[..., 0] + np.array([9.0, 0.0, 0.0])"
CALLS = {
    "solve": "linalg.solve(a, b)",
    "solve transposed": "linalg.solve(a, b, transposed=True)",
    "solve pos": f"linalg.solve({_SQUARE}, b, assume_a='pos')",
    "solve_triangular": "linalg.solve_triangular(a, b)",
    "solve_triangular transposed": "linalg.solve_triangular(a, b, trans=1, lower=True)",
    "cho_solve": "linalg.cho_solve((a, True), b)",
    "cho_solve of a factor": f"linalg.cho_solve(linalg.cho_factor({_SQUARE}), b)",
    "lu_solve": "linalg.lu_solve(linalg.lu_factor(a), b)",
    "lu_solve transposed": "linalg.lu_solve(linalg.lu_factor(a), b, trans=1)",
    "solve_banded": "linalg.solve_banded((1, 1), a, b)",
    "solveh_banded": "linalg.solveh_banded(a[..., :2, :] + np.array([[0.0], [9.0]]), b)",
    "solve_toeplitz": f"linalg.solve_toeplitz({_STEEP}, b)",
    "solve_toeplitz of a row": f"linalg.solve_toeplitz(({_STEEP}, a[..., 1]), b)",
    "matmul_toeplitz": "linalg.matmul_toeplitz(a[..., 0], b)",
    "solve_circulant": f"linalg.solve_circulant({_STEEP}, b)",
    "lstsq": "linalg.lstsq(a, b)[0]",
    "pinv": "linalg.pinv(a) @ b",
    "inv": "linalg.inv(a) @ b",
    "det": "linalg.det(a)[..., None, None] * b",
    "solve_sylvester": "linalg.solve_sylvester(a, a, b)",
    "solve_continuous_lyapunov": "linalg.solve_continuous_lyapunov(a, b)",
    "solve_discrete_lyapunov": "linalg.solve_discrete_lyapunov(a * 0.1, b)",
    "khatri_rao": "linalg.khatri_rao(a, b)",
    "expm": "linalg.expm(a) @ b",
    "logm": f"linalg.logm({_SQUARE}) @ b",
    "cholesky": f"linalg.cholesky({_SQUARE}, lower=True) @ b",
    "svdvals": "linalg.svdvals(a)[..., :1] * b",
}


def cells() -> Iterator[Cell]:
    """Each call that SciPy takes."""
    for (call, text), (kind, a), (right, b) in itertools.product(CALLS.items(), MATRICES.items(), RIGHT_SIDES.items()):
        function = program(f"def f(a, b):\n    return {text}\n", linalg=linalg)
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(a.copy(), b.copy())
        except Exception:
            continue
        yield Cell(f"{call} of {kind} matrices by {right}", function, (a, b), orders=1, bits=False)

"""Singular vectors in full, which are determined where the matrix is square: then they are those of the reduced form."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from adxform import runtime
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.control_flow.branches import truth
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Tuple
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, is_inexact
from adxform.primitives.table import TABLE as TABLE_OF_RULES
from adxform.primitives.table import lookup


def svd_handler(fn: Any) -> Handler:
    """The handler of `fn`; LAPACK takes the same steps for both forms of a square matrix, so that values are the same bits."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        if lookup(fn) is not TABLE_OF_RULES.get(fn):  # a rule of the user's, for whatever it is given
            return None
        given = {**dict(zip(("a", "full_matrices", "compute_uv"), args, strict=False)), **kwargs}
        matrix, whole = given.get("a", NONE), (Lit(True), Lit(1))
        if given.get("full_matrices", Lit(True)) not in whole or given.get("compute_uv", Lit(True)) not in whole:
            return None
        if given.get("hermitian", Lit(False)) not in (Lit(False), NONE) or len(args) > 3:
            return None
        if not isinstance(matrix, Var) or not isinstance(matrix.type, Array) or not is_inexact(matrix.type):
            return None
        shape = interp.call(Lit(np.shape), (matrix,))
        if not isinstance(shape, Tuple) or len(shape.items) < 2:
            return None
        square = truth(interp, interp.call(Lit(operator.eq), shape.items[-2:]))
        if square is False:
            return None
        if square is not True:
            interp.require(square, runtime.rectangular)
        return interp.call(Lit(fn), (matrix,), {**kwargs, "full_matrices": Lit(False)}, hint=hint)

    return handler


def of_scipy(fn: Any) -> Handler | None:
    """The handler of `scipy.linalg.svd`; ``None`` of anything else. SciPy is looked at where the program has it."""
    found = getattr(fn, "__name__", "") == "svd" and str(getattr(fn, "__module__", "")).startswith("scipy.linalg")
    return svd_handler(fn) if found else None


TABLE: dict[Any, Handler] = {np.linalg.svd: svd_handler(np.linalg.svd)}

"""Products whose meaning depends on how many operands there are, or on their lengths: chains, and products of vectors."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from adxform import runtime
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.control_flow.branches import truth
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Ref, Tuple, Value
from adxform.ir.kinds import scalar_type
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Array, Scalar, is_inexact, rank


def _multi_dot(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """As NumPy: of two arrays ``np.dot``, which takes all ranks; of more a chain of matrices with a vector at either end."""
    chain, *rest = args or (kwargs.get("arrays", NONE),)
    if rest or not isinstance(chain, Tuple | Ref) or interp.filled(chain) is not None:
        message = "only a run can tell how many arrays `np.linalg.multi_dot` is given here"
        raise interp.error(message, "give it a list or a tuple such as `[a[0], a[1], b]`, or multiply in a loop, with `@`")
    items, out = interp.items(chain), {key: value for key, value in kwargs.items() if key == "out"}
    if len(items) < 2:
        return interp.fail(ValueError, "Expecting at least two arrays.")
    if len(items) == 2:
        return interp.call(Lit(np.dot), tuple(items), out, hint=hint)
    arrays = [interp.call(Lit(np.array), (item,)) if isinstance(item, Tuple | Ref) else item for item in items]
    for place, item in enumerate(arrays):
        found = _rank(item)
        if found is not None and not (1 if place in (0, len(arrays) - 1) else 2) <= found <= 2:
            return interp.fail(np.linalg.LinAlgError, f"{found}-dimensional array given. Array must be two-dimensional")
    return None if arrays == items else interp.call(Lit(np.linalg.multi_dot), (Tuple(tuple(arrays)),), out, hint=hint)


def _rank(value: Value) -> int | None:
    """How many axes a number or an array has, as far as types tell."""
    match value:
        case Var(type=Array() | Scalar() as type_):
            return rank(type_)
        case Lit(found):
            return np.ndim(found) if isinstance(found, np.ndarray) or scalar_type(found) is not None else None
        case _:
            return None


def _cross(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """Of two vectors of two components the product is a number, of others a vector: refused by the run where lengths say so."""
    given = {**dict(zip(("a", "b", "axisa", "axisb", "axisc", "axis"), args, strict=False)), **kwargs}
    axes: dict[str, Any] = {name: interp.static(given[name], "an axis") for name in ("axisa", "axisb", "axis") if name in given}
    conditions: list[Operand | bool] = []
    for name in ("a", "b"):
        axis = axes.get("axis")
        axis = axes.get(f"axis{name}", -1) if axis is None else axis
        shape = interp.call(Lit(np.shape), (given.get(name, NONE),))
        if not isinstance(shape, Tuple) or not -len(shape.items) <= axis < len(shape.items):
            return None
        length = interp.call(Lit(operator.getitem), (shape, Lit(axis)))
        conditions.append(truth(interp, interp.call(Lit(operator.ne), (length, Lit(2)))))
    if True not in conditions:
        three = interp.call(Lit(operator.or_), tuple(cond if isinstance(cond, Var) else Lit(False) for cond in conditions))
        interp.require(interp.operand(three), runtime.planar)
    return None


def _tensordot(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """The axes that are summed must be known: they say how many are left."""
    axes = args[2] if len(args) > 2 else kwargs.get("axes", Lit(2))
    if any(isinstance(arg, Var) and is_inexact(arg.type) for arg in args[:2]):
        interp.static(axes, "the axes of `np.tensordot`")
    return None


TABLE: dict[Any, Handler] = {np.linalg.multi_dot: _multi_dot, np.cross: _cross, np.tensordot: _tensordot}

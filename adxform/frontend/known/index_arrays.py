"""Arrays and tuples that a program makes to index others by: meshes of places, places of truths."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Tuple, Value, is_unknown
from adxform.frontend.known.arrays import kinds_of
from adxform.frontend.types.samples import FRESH
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, hides, is_inexact


def _open_mesh(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``np.ix_(x, y)`` of floats is ``(x.reshape(-1, 1), y.reshape(1, -1))``; of places there is nothing that moves."""
    arrays = tuple(_mesh_array(interp, arg) if isinstance(arg, Tuple | Ref) else arg for arg in args)
    if kwargs or not any(isinstance(arg, Var) and (is_inexact(arg.type) or hides(arg.type)) for arg in arrays):
        return None
    meshes = []
    for place, arg in enumerate(arrays):
        if is_unknown(arg):
            raise interp.error("what `np.ix_` is given is known to the run alone", "convert it: `np.asarray(places, int)`")
        if np.dtype(kinds_of(interp, arg)[0] if kinds_of(interp, arg) else bool).kind == "b":
            raise interp.error("`np.ix_` is given floats beside truth values", "give each array another shape: `x[:, None]`")
        if interp.static(interp.call(Lit(np.ndim), (arg,)), "how many axes an array has") != 1:
            return interp.fail(ValueError, "Cross index must be 1 dimensional")
        shape = Tuple(tuple(Lit(-1 if k == place else 1) for k in range(len(arrays))))
        meshes.append(interp.call(Lit(np.reshape), (arg, shape), hint=hint))
    return Tuple(tuple(meshes))


def _places_of_truths(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``np.argwhere(x)``: a row for each place, with a number for each axis."""
    x = interp.force(args[0])
    if len(args) > 1 or kwargs or not isinstance(x, Var) or not isinstance(x.type, Array) or not x.type.shape:
        return None
    return interp.emit(np.argwhere, (x,), Array("int64", (FRESH, len(x.type.shape))), hint)


def _mesh_array(interp: Interpreter, items: Tuple | Ref) -> Value:
    """A list or tuple as `np.ix_` takes it: what is empty has places, not floats."""
    empty = not (isinstance(items, Ref) and interp.is_long(items)) and not interp.items(items)
    return interp.call(Lit(np.array), (items, Lit(np.intp)) if empty else (items,))


TABLE: dict[Any, Handler] = {np.ix_: _open_mesh, np.argwhere: _places_of_truths}

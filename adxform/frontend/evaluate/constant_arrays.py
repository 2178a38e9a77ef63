"""What is in an array that was just made of constants: whole numbers that choose items of lists, characters of texts and keys.

    to = tuple(np.add((0, 1), (1, 0)))      to = (np.int64(1), np.int64(1))
    row[to[1]]

The array itself is made by each call, as all that a program may change. That nothing has changed it since follows from the ops
behind it: all of them only compute.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.frontend.evaluate.pure_functions import is_pure
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.types.samples import run
from adxform.ir.ops import Call, Lit, Op, Operand, Pack, Var
from adxform.ir.types import Array
from adxform.ir.walk import reads

_FAR = 32
"""How many ops back is looked for what an array is made of."""
_PLAIN = (bool, int, float, str, type(None), type(...), np.bool_, np.integer, np.dtype, type, slice)


def item(interp: Interpreter, x: Var, k: int) -> Lit | None:
    """Item `k` of an array with one axis that was just made of constants, if it is a whole number or a truth value."""
    if (
        not isinstance(x.type, Array)
        or np.dtype(x.type.dtype).kind not in "iub"
        or x.type.shape is None
        or len(x.type.shape) != 1
    ):
        return None
    made = _chain(interp, x)
    if made is None:
        return None
    values: dict[Operand, Any] = {}
    try:
        for op in made:
            values[op.outs[0]] = _value(op, values)
    except RecursionError:  # the stack is ours: there may be room on another
        raise
    except Exception:  # the run raises it where it stands
        return None
    found = values[x]
    fits = isinstance(found, np.ndarray) and found.ndim == 1 and found.dtype == x.type.dtype and -len(found) <= k < len(found)
    return Lit(found[k]) if fits else None


def _chain(interp: Interpreter, x: Var) -> list[Call] | None:
    """The ops that make `x` of constants, in order; ``None`` where not all are there, or one between them does more."""
    needed, found = {x}, list[Call]()
    for op in reversed(interp.builder.ops[-_FAR:]):
        if not isinstance(op, Call) or not isinstance(op.fn, Lit) or len(op.outs) != 1 or not is_pure(op.fn.value):
            return None
        if op.outs[0] in needed:
            if not _is_of_constants(op):
                return None
            needed.discard(op.outs[0])
            needed.update(reads(op))
            found.append(op)
        if not needed:
            return found[::-1]
    return None


def _is_of_constants(op: Op) -> bool:
    """Whether all operands of `op` are plain constants, or variables."""
    return isinstance(op, Call) and all(map(_is_plain, (*op.args, *(value for _, value in op.kwargs))))


def _is_plain(operand: Operand) -> bool:
    match operand:
        case Pack(_, items):
            return all(map(_is_plain, items))
        case Lit(tuple() | list() as literal):
            return all(_is_plain(Lit(part)) for part in literal)
        case Lit(literal):
            return isinstance(literal, _PLAIN)
        case _:
            return True


def _value(op: Call, values: dict[Operand, Any]) -> Any:
    assert isinstance(op.fn, Lit)
    return run(op.fn.value, [_of(arg, values) for arg in op.args], {key: _of(value, values) for key, value in op.kwargs})


def _of(operand: Operand, values: dict[Operand, Any]) -> Any:
    match operand:
        case Lit(literal):
            return literal
        case Pack("slice", parts):
            return slice(*(_of(part, values) for part in parts))
        case Pack(kind, parts) if kind in ("tuple", "list"):
            return (tuple if kind == "tuple" else list)(_of(part, values) for part in parts)
        case _:
            return values[operand]

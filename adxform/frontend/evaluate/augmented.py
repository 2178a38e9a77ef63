"""``x[i] op= v`` on an array: a load, an in-place operator and a store, written as an update or as ``x[i] = x[i] op v``."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform import runtime
from adxform.frontend.evaluate.above import Env
from adxform.frontend.evaluate.parts import array_subscripts, indexing, stored_items
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.lowering.operator_functions import BINARY, INPLACE
from adxform.ir import intrinsics
from adxform.ir.kinds import alternatives, scalar_type
from adxform.ir.operand_facts import with_inner
from adxform.ir.ops import Attribute, Block, Call, Free, Lit, Operand, Var
from adxform.ir.types import Array, Scalar, Type
from adxform.ir.walk import operands, variables
from adxform.primitives.effects import effect_of
from adxform.primitives.memory import index_kind

UPDATES: dict[Any, Any] = {operator.iadd: intrinsics.accumulate, operator.isub: intrinsics.deduct}
LOAD = Lit(operator.getitem)
PLAIN: dict[Any, Any] = {INPLACE[node]: BINARY[node] for node in INPLACE}
"""The plain operator of each that works in place."""


@dataclass(slots=True)
class Augmented:
    """One augmented assignment being run. `at` is where its load belongs among the ops of the block."""

    load: Call
    change: int
    x: Var
    index: Operand
    at: int
    deferred: bool
    kind: Any
    value: Operand | None = None


def augmented_assignment(interp: Interpreter, block: Block, position: int, env: Env, pending: dict[int, Augmented]) -> bool:
    """Whether the op at `position` is part of an ``x[i] op= v`` on an array, and has been dealt with here."""
    op = block.ops[position]
    assert isinstance(op, Call)
    if position in pending:
        return _go_on(interp, op, pending[position], position, env)
    if op.fn != LOAD or not op.outs:
        return False
    places = _places(block, position)
    if places is None:
        return False
    x = interp.use(interp.value(op.args[0], env))
    if not isinstance(x, Var) or not isinstance(x.type, Array) or x.type.shape is None:
        return False
    change, store = places
    x, asked = array_subscripts.by_truth(interp, x, interp.use(interp.value(op.args[1], env)))
    index = array_subscripts.told(interp, asked)
    array_subscripts.refuse_beyond(interp, x, index)
    change_op = block.ops[change]
    assert isinstance(change_op, Call)
    assert isinstance(change_op.fn, Lit)
    deferred = change_op.fn.value in UPDATES and index_kind(index) == "basic"
    found = Augmented(op, change, x, index, len(interp.builder.ops), deferred, change_op.fn.value)
    if not deferred:
        env[op.outs[0]] = indexing.load(interp, x, asked, op.outs[0].base)
    pending[change] = pending[store] = found
    return True


def _go_on(interp: Interpreter, op: Call, found: Augmented, position: int, env: Env) -> bool:
    if position == found.change:
        assert isinstance(op.fn, Lit)
        if found.deferred:
            found.value = stored_items.stored(interp, interp.use(interp.value(op.args[1], env)))
            held = array_subscripts.element_type(interp, found.x, found.index)
            if isinstance(held, Array):
                refuse_cast(interp, PLAIN[found.kind], held, dtypes_added(held, found.value))
            if _undisturbed(interp, found):
                return True
            found.deferred = False
            env[op.args[0]] = _load_late(interp, found)  # type: ignore[index]
        args = [interp.use(interp.value(arg, env)) for arg in op.args]
        made = interp.call(Lit(PLAIN[op.fn.value]), args, hint=op.outs[0].base)
        if isinstance(args[0], Var) and isinstance(made, Var):
            refuse_cast(interp, PLAIN[op.fn.value], args[0].type, dtypes_of(made))
        env[op.outs[0]] = made
        return True
    if found.deferred:
        assert found.value is not None
        interp.builder.effect(UPDATES[found.kind], found.x, found.index, found.value, span=op.span)
    else:
        value = interp.use(interp.value(op.args[2], env))
        interp.builder.effect(operator.setitem, found.x, found.index, interp.operand(value), span=op.span)
    return True


def refuse_cast(interp: Interpreter, fn: Any, held: Type, made: list[Any]) -> None:
    """Let an operator in place raise, as NumPy does, whose result an array, or a part of one, cannot hold.

    `made`: the dtypes that the result may have. Where it may be one or another, which only a run can tell, it is refused.
    """
    if not isinstance(held, Array):
        return
    unfit = [dtype for dtype in made if not np.can_cast(dtype, np.dtype(held.dtype), "same_kind")]
    if not unfit:
        return
    if len(unfit) < len(made):
        message = f"whether an array of {held.dtype} can hold what this operator makes of it depends on the run"
        raise interp.error(message, "make the array one of floats first: `x.astype(float)`")
    names = (Lit(one) for one in (fn.__name__, unfit[0].name, held.dtype))
    interp.throw(interp.builder.call(runtime.not_cast, *names, span=interp.span), (runtime.cast_error(),))


def dtypes_of(value: Operand) -> list[Any]:
    """The dtypes that a number or an array may have; none where nothing is known of it."""
    return [np.dtype(kind.dtype) for kind in _kinds(value)]


def dtypes_added(held: Array, value: Operand) -> list[Any]:
    """The dtypes that an array has once `value` is added to it, which a number of Python's does not make a larger one."""
    return [np.result_type(np.dtype(held.dtype), _PYTHON[np.dtype(kind.dtype).kind] if isinstance(kind, Scalar) and kind.weak
                           else np.dtype(kind.dtype)) for kind in _kinds(value)]  # fmt: skip


def _kinds(value: Operand) -> tuple[Array | Scalar, ...]:
    kind = value.type if isinstance(value, Var) else scalar_type(value.value) if isinstance(value, Lit) else None
    if isinstance(kind, Scalar):
        return alternatives(kind)
    return (kind,) if isinstance(kind, Array) else ()


_PYTHON: dict[str, Any] = {"b": False, "i": 0, "f": 0.0, "c": 0j}
"""A number of Python's of each kind, whose size takes no part in the dtype of a result."""


def _undisturbed(interp: Interpreter, found: Augmented) -> bool:
    """Whether nothing written since the load may change what it would have read."""
    for op in interp.builder.ops[found.at :]:
        ops = [op] if isinstance(op, Call) else list(with_inner(op))
        for inner in ops:
            if isinstance(inner, Call) and (effect_of(inner).writes or effect_of(inner).opaque):
                return False
    return True


def _load_late(interp: Interpreter, found: Augmented) -> Var:
    """Insert the load where Python does it."""
    type_: Type = array_subscripts.element_type(interp, found.x, found.index)
    out = interp.builder.var(found.load.outs[0].base, type_)
    interp.builder.ops.insert(found.at, Call((out,), Lit(operator.getitem), (found.x, found.index), (), found.load.span))
    return out


def load_what_waits(interp: Interpreter, pending: Iterable[Augmented]) -> None:
    """Write the loads of assignments whose right side never comes to an end: they may raise first."""
    for found in pending:
        if found.deferred and found.value is None:
            found.deferred = False
            _load_late(interp, found)


def _places(block: Block, position: int) -> tuple[int, int] | None:
    """Where the in-place operator and the store of the load at `position` are, if it is an augmented assignment's."""
    load = block.ops[position]
    assert isinstance(load, Call)
    loaded = load.outs[0]
    for change in range(position + 1, len(block.ops) - 1):
        op = block.ops[change]
        if any(var == loaded for operand in operands(op) for var in variables(operand)):
            if not isinstance(op, Call) or not isinstance(op.fn, Lit) or op.fn.value not in PLAIN or op.args[0] != loaded:
                return None
            store = block.ops[change + 1]
            matches = (
                isinstance(store, Call)
                and store.fn == Lit(operator.setitem)
                and store.args[:2] == load.args
                and store.args[2:] == op.outs
                and op.args[1] != loaded
            )
            return (change, change + 1) if matches else None
        if not isinstance(op, Call | Free | Attribute):
            return None
    return None

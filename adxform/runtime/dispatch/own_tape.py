"""What a pullback reads is its own: of an array that the function keeps outside of itself, the tape has a copy.

So it has of a sparse matrix that the function finds outside. Whoever has the array or the matrix may write to it before the
pullback is called. A gradient, which runs at once, needs no copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from adxform import runtime
from adxform.analysis.unseen_code import KEEPING
from adxform.ir import intrinsics
from adxform.ir.ops import Block, Call, Function, Lit, Operand, Var
from adxform.ir.types import Object
from adxform.ir.walk import all_ops, free_variables, map_op, rename_block
from adxform.primitives.alias import Aliases, alias_classes
from adxform.primitives.effects import has_memory

_TURN = Call((), Lit(intrinsics.turning_point), ())


def kept_classes(fn: Function, classes: Aliases) -> set[int]:
    """The classes of what `fn` keeps outside of itself."""
    found: set[int] = set()
    for op in all_ops(fn.body):
        if isinstance(op, Call) and isinstance(op.fn, Lit) and op.fn.value in KEEPING:
            found.update(classes.reached((*op.args, *(value for _, value in op.kwargs))))
    return found


def own_tape(joint: Function, at: int, inputs: int, results: int) -> Function:
    """`joint`, whose last sweep begins at the place `at`, with a copy ahead of it of what that reads and is kept outside as well.

    Its first `inputs` parameters and `results` results belong to what is ahead.
    """
    return _of_matrices(_of_arrays(joint, at, inputs, results), at, inputs, results)


def _of_arrays(joint: Function, at: int, inputs: int, results: int) -> Function:
    classes = alias_classes(joint)
    kept = kept_classes(joint, classes)
    if not kept:
        return joint
    ops, ends = joint.body.ops, joint.results
    shared = free_variables(Block(joint.params[inputs:], ops[at:], ends[results:]))
    own: dict[Var, Operand] = {
        var: Var(f"{var.name}~own", var.type)
        for var in shared
        if has_memory(var) and not kept.isdisjoint(classes.reached((var,)))
    }
    copies = (Call((copy,), Lit(runtime.own_copy), (var,), (), joint.span) for var, copy in own.items() if isinstance(copy, Var))
    later = rename_block(Block((), ops[at:], ends[results:]), own)
    ahead = tuple(op for op in ops[:at] if not (isinstance(op, Call) and op.fn == _TURN.fn))
    body = replace(joint.body, ops=(*ahead, *copies, _TURN, *later.ops), results=(*ends[:results], *later.results))
    return replace(joint, body=body)


def _of_matrices(joint: Function, at: int, inputs: int, results: int) -> Function:
    """`joint` with copies of the sparse matrices from outside that its last sweep reads."""
    own: dict[int, Var] = {}
    copies: list[Call] = []

    def operand(value: Operand) -> Operand:
        if not isinstance(value, Lit) or not _is_sparse(value.value):
            return value
        if id(value.value) not in own:
            own[id(value.value)] = copy = Var(f"matrix~{len(own)}", Object())
            copies.append(Call((copy,), Lit(runtime.own_copy), (value,), (), joint.span))
        return own[id(value.value)]

    def block(given: Block) -> Block:
        return replace(given, ops=tuple(map_op(op, operand, block) for op in given.ops))

    later = block(Block((), joint.body.ops[at:], ()))
    if not copies:
        return joint
    ahead = tuple(op for op in joint.body.ops[:at] if not (isinstance(op, Call) and op.fn == _TURN.fn))
    return replace(joint, body=replace(joint.body, ops=(*ahead, *copies, _TURN, *later.ops)))


def _is_sparse(value: object) -> bool:
    return type(value).__module__.startswith("scipy.sparse.") and hasattr(type(value), "tocoo")


def inputs_kept(fn: Function, inputs: Sequence[Var]) -> frozenset[int]:
    """The places of those of `inputs` that `fn` keeps outside of itself as they are."""
    classes = alias_classes(fn)
    kept = kept_classes(fn, classes)
    return frozenset(place for place, var in enumerate(inputs) if kept and has_memory(var) and classes.of(var) in kept)

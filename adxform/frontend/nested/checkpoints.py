"""Calls of functions that a reverse sweep runs again: their loops are marked, or they become a loop of one iteration."""

from __future__ import annotations

from dataclasses import replace

from adxform.frontend.evaluate import structures
from adxform.frontend.evaluate.objects.heap import Heap
from adxform.frontend.evaluate.signals import Thrown, Unreachable
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Value
from adxform.ir.ops import UNDEFINED, Block, For, If, Lit, Op, Operand, Snapshots, Var, While
from adxform.ir.types import INT
from adxform.ir.walk import outs


def call_checkpointed(
    interp: Interpreter, f: Value, snapshots: Snapshots | None, args: tuple[Value, ...], kwargs: dict[str, Value]
) -> Value:
    """Call ``checkpoint(f, …)``."""
    if snapshots is None:
        return call_again(interp, f, args, kwargs)
    return call_with_snapshots(interp, f, snapshots, args, kwargs)


def call_with_snapshots(
    interp: Interpreter, f: Value, snapshots: Snapshots, args: tuple[Value, ...], kwargs: dict[str, Value]
) -> Value:
    """Call `f`; its loops that are in no other keep `snapshots`."""
    start = len(interp.builder.ops)
    out = interp.call(f, args, kwargs)
    interp.builder.ops[start:] = [_keeping(op, snapshots) for op in interp.builder.ops[start:]]
    return out


def call_again(interp: Interpreter, f: Value, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """Call `f` in a loop of one iteration that keeps the state that it begins with: its arguments."""
    outer, heap = interp.builder, interp.heap
    forks = 0 if interp.level is None else len(interp.level.forks)
    interp.builder, interp.heap = outer.nested(), heap.copy()
    try:
        try:
            out = interp.call(f, args, kwargs)
        except (Thrown, Unreachable):  # it never returns: there is no reverse sweep of it
            _refuse_what_leaves(interp, heap, forks)
            outer.ops += interp.builder.ops
            raise
        _refuse_what_leaves(interp, heap, forks)
        _, results = structures.result(interp, out)
        made = {ref: contents for ref, contents in interp.heap.contents.items() if ref not in heap.contents}
        ops = tuple(interp.builder.ops)
    finally:
        interp.builder, interp.heap = outer, heap
    interp.heap.contents.update(made)
    inside = {var for op in ops for var in outs(op)}
    names: dict[Var, Var] = {
        var: interp.builder.var(var.base, var.type) for var in results if isinstance(var, Var) and var in inside
    }
    body = Block((interp.builder.var("k", INT), *(interp.builder.var(var.base, var.type) for var in names)), ops, tuple(names))
    inits: tuple[Operand, ...] = (UNDEFINED,) * len(names)
    once = (Lit(0), Lit(1), Lit(1))
    interp.builder.emit(For(tuple(names.values()), once, inits, body, False, interp.span, Snapshots(1)))
    leaves: list[Value] = [names.get(result, result) if isinstance(result, Var) else result for result in results]  # type: ignore[misc]
    return structures.rebuilt(interp, out, iter(leaves))


def _refuse_what_leaves(interp: Interpreter, before: Heap, forks: int) -> None:
    """Raise where a function with checkpoints does more than return: changes what is outside, or raises what is handled there."""
    changed = [ref for ref, contents in before.contents.items() if interp.heap.contents[ref] is not contents]
    if changed:
        message = f"a {changed[0].cls.__name__} from outside of a function with checkpoints is changed in it"
        raise interp.error(message, "return the new value instead")
    if interp.level is not None and len(interp.level.forks) > forks:
        message = "what a function with checkpoints may raise is handled outside of it"
        raise interp.error(message, "put the `try` inside of the function")


def _keeping(op: Op, snapshots: Snapshots) -> Op:
    match op:
        case For() | While():
            return replace(op, snapshots=op.snapshots or snapshots)
        case If(then=then, orelse=orelse):
            blocks = (replace(block, ops=tuple(_keeping(inner, snapshots) for inner in block.ops)) for block in (then, orelse))
            return replace(op, then=next(blocks), orelse=next(blocks))
        case _:
            return op

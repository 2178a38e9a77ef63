"""What some path through a program leaves without a value."""

from __future__ import annotations

from adxform.ir import intrinsics
from adxform.ir.ops import UNDEFINED, Block, Call, For, If, Lit, Operand, Raise, Var, While
from adxform.ir.walk import all_ops


def maybe_undefined(body: Block) -> set[Var]:
    """The variables of `body` that a branch not taken, or a loop without iterations, leaves undefined, and stacks of such."""
    found: set[Var] = set()
    size = -1
    while size != len(found):
        size = len(found)
        for op in all_ops(body):
            match op:
                case If(outs=after, then=then, orelse=orelse):
                    for block in (then, orelse):
                        if not any(isinstance(inner, Raise) for inner in block.ops):
                            found.update(out for out, end in zip(after, block.results, strict=True) if _missing(end, found))
                case For() | While():
                    _spread_in_loop(op, found)
                case Call(fn=Lit(intrinsics.push), args=(Var() as stack, value)) if _missing(value, found):
                    found.add(stack)
                case Call(fn=Lit(intrinsics.pop), args=(stack,), outs=(out,)) if _missing(stack, found):
                    found.add(out)
                case _:
                    pass
    return found


def _spread_in_loop(op: For | While, found: set[Var]) -> None:
    """Add to `found` what `op` carries from what is in it: an iteration may be the first one, and there may be no iteration."""
    params = op.body.params[1:] if isinstance(op, For) else op.body.params
    tested = params if isinstance(op, For) else op.test.params
    ends = op.body.results[len(op.body.results) - len(op.inits) :]
    runs = _runs(op)
    for param, seen, out, init, end in zip(params, tested, op.outs, op.inits, ends, strict=True):
        before = _missing(init, found)
        if before or _missing(end, found):
            found.update((param, seen))
        if (before and not runs) or _missing(end, found):
            found.add(out)


def _runs(op: For | While) -> bool:
    match op:
        case For(source=(Lit(int() as start), Lit(int() as stop), Lit(int() as step))):
            return bool(step) and len(range(start, stop, step)) > 0
        case _:
            return False


def _missing(operand: Operand, found: set[Var]) -> bool:
    return operand == UNDEFINED or operand in found

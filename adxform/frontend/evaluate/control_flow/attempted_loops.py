"""Loops inside of a ``try``, in untyped SSA: an iteration in which an exception ends hands it on, and is the last one.

for item, y in items carrying y:          for item, raised, error, y in items carrying False, undefined, y:
    …                                         raised, error, going, y = … if hands_on else …
    yield y                                   yield going and not raised, raised, error, y
"""

from __future__ import annotations

import itertools
import operator
from dataclasses import replace

from adxform.frontend.evaluate.control_flow.attempts import FALSE, TRUE, frame_of, handed_on
from adxform.frontend.evaluate.state import Interpreter
from adxform.ir import intrinsics
from adxform.ir.ops import UNDEFINED, Block, Call, For, If, Lit, Operand, Pack, Var, While
from adxform.ir.walk import all_ops, rename_block


def for_handing_on(interp: Interpreter, op: For) -> tuple[For, tuple[str, ...]]:
    """`op` with an exception in an iteration handed on, which ends it; and the variables that it may have assigned then."""
    names = _marked(interp, op.body)
    new = _Names(names)
    raised, going, left = new.first[0], _untyped("going"), _untyped("going")
    results = tuple(_untyped(out.base) for out in op.outs)
    inside = replace(op.body, params=()) if op.breaks else Block((), op.body.ops, (TRUE, *op.body.results))
    cond = Pack("tuple", (Lit(intrinsics.hands_on), Lit(names)))
    whole = If((*new.first, going, *results), cond, inside, Block((), (), ()), op.span)
    ends = If((left,), raised, Block((), (), (FALSE,)), Block((), (), (going,)), op.span)
    item, *carried = op.body.params
    body = Block((item, *new.params, *carried), (whole, ends), (left, *new.first, *results))
    return replace(op, outs=(*new.outs, *op.outs), inits=(*new.inits, *op.inits), body=body, breaks=True), names


def while_handing_on(interp: Interpreter, op: While) -> tuple[While, tuple[str, ...]]:
    """As `for_handing_on`; the condition is asked inside of the loop."""
    names = _marked(interp, op.body)
    new = _Names(names)
    raised, (going, holds, left, out, again) = new.first[0], map(_untyped, ["going"] * 5)
    after, results = (tuple(_untyped(out.base) for out in op.outs) for _ in range(2))
    params = op.body.params
    test = rename_block(op.test, dict(zip(op.test.params, params, strict=True)))
    turn = If(after, holds, replace(op.body, params=()), Block((), (), params), op.span)
    asked = Call((holds,), Lit(operator.truth), test.results, (), op.span)
    inside = Block((), (*test.ops, asked, turn), (holds, *after))
    cond = Pack("tuple", (Lit(intrinsics.hands_on), Lit(names)))
    whole = If((*new.first, going, *results), cond, inside, Block((), (), ()), op.span)
    ends = If((left,), raised, Block((), (), (FALSE,)), Block((), (), (going,)), op.span)
    body = Block((again, *new.params, *params), (whole, ends), (left, *new.first, *results))
    asking = tuple(_untyped(one.base) for one in body.params)
    question = Block(asking, (), (asking[0],))
    return While((out, *new.outs, *op.outs), (TRUE, *new.inits, *op.inits), question, body, op.span, op.snapshots), names


def hands_on(body: Block) -> bool:
    """Whether `body` is that of a loop that hands exceptions on."""
    return any(isinstance(op, If) and _is_handed_on(op) for op in body.ops)


def only_raises(body: Block) -> bool:
    """Whether an exception, which it hands on, is all that ends a loop before its last iteration."""
    return any(isinstance(op, If) and _is_handed_on(op) and op.then.results[:1] == (TRUE,) for op in body.ops)


def _is_handed_on(op: If) -> bool:
    return isinstance(op.cond, Pack) and op.cond.items[0] == Lit(intrinsics.hands_on)


_COUNT = itertools.count()


def _untyped(hint: str) -> Var:
    """A variable of untyped SSA that no lowered function has."""
    return Var(f"{hint}.{next(_COUNT)}'")


class _Names:
    """The variables by which a loop hands an exception on: out of an iteration, between iterations, and out of the loop."""

    def __init__(self, names: tuple[str, ...]) -> None:
        def made() -> tuple[Var, ...]:
            return tuple(map(_untyped, handed_on(names, ())))

        self.first, self.params, self.outs = made(), made(), made()
        self.inits: tuple[Operand, ...] = (FALSE, *[UNDEFINED] * (1 + len(names)))


def _marked(interp: Interpreter, body: Block) -> tuple[str, ...]:
    """The variables of the ``try`` that `body` assigns."""
    level = interp.level
    assert level is not None
    if level.frame is not frame_of(interp):
        return ()
    marks = (op.args[0] for op in all_ops(body) if isinstance(op, Call) and op.fn == Lit(intrinsics.bound))
    found = {name.value for name in marks if isinstance(name, Lit)}
    return tuple(name for name in level.marks if name in found)

"""Views that Python makes ahead of a kernel, which they would cut in two: only the memory has to be there, not what is in it."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from adxform.backends.numba.caller_allocation import made_ahead
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Op
from adxform.ir.types import INT
from adxform.ir.walk import Names, outs, reads
from adxform.passes.loops.array_elimination import LENGTHS
from adxform.passes.scalar.rewriting import is_certain_view
from adxform.primitives.effects import effect_of
from adxform.primitives.table import record_of

INTEGERS = LENGTHS | {operator.mul}


def view_ahead(op: Op, pending: Sequence[Op], names: Names, *, as_laid_out: bool) -> tuple[list[Op], list[Op]] | None:
    """What makes the view that `op` is ahead of `pending`, and what is left of that; ``None``: it is none, or waits for more.

    With a view come the views, the lengths and the new arrays among `pending` that it needs.
    """
    if not isinstance(op, Call) or not is_certain_view(op, effect_of(op)):
        return None
    wanted = set(reads(op))
    needed: list[Op] = []
    left: list[Op] = []
    for earlier in reversed(pending):
        if wanted.isdisjoint(outs(earlier)):
            left.append(earlier)
        elif _is_early(earlier):
            needed.append(earlier)
            wanted.update(reads(earlier))
        else:
            return None
    arrays, rest = made_ahead(needed[::-1], {var for some in needed for var in outs(some)}, names, as_laid_out=as_laid_out)
    return [*arrays, *rest, op], left[::-1]


def _is_early(op: Op) -> bool:
    """Whether `op` takes nothing from the contents of an array, and changes none."""
    if not isinstance(op, Call):
        return False
    fn = callee(op)
    return record_of(fn).blank or (fn in INTEGERS and op.outs[0].type == INT) or is_certain_view(op, effect_of(op))

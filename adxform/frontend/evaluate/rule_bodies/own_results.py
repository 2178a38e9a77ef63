"""What a rule of the user's hands on, in memory of its own: later calls of the rule leave it as it is.

The value of a rule may be an array that the rule was built with, which the program may write to. And code that nobody can look
into, the plan of a transform, say, may return the same memory at each call: by the time of its pullback, a call in a loop would
find there what the last iteration left.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from adxform import runtime
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, Function, Operand, Var
from adxform.ir.types import Array
from adxform.ir.walk import Names, all_ops
from adxform.primitives.alias import Aliases, alias_classes
from adxform.primitives.effects import has_memory, is_opaque


def with_own_results(part: Function, count: int, held: Iterable[Var] = ()) -> Function:
    """`part`, one of the two of a rule, with copies where its results may share memory with what unseen code returned.

    The first `count` results share none with the arrays `held` either, which the rule was built with.
    """
    classes = alias_classes(part)
    unseen, kept = _unseen(part, classes), {classes.of(var) for var in held}
    builder = Builder(Names.of(part), part.span)

    def own(place: int, result: Operand) -> Operand:
        if not isinstance(result, Var) or not has_memory(result) or result in part.params:
            return result
        if not classes.knows(result) or classes.of(result) not in (unseen | kept if place < count else unseen):
            return result
        copy = np.copy if isinstance(result.type, Array) else runtime.own
        return builder.call(copy, result, type=result.type, hint=result.base)

    results = tuple(own(place, result) for place, result in enumerate(part.body.results))
    if not builder.ops:
        return part
    return replace(part, body=Block(part.params, (*part.body.ops, *builder.ops), results))


def _unseen(part: Function, classes: Aliases) -> set[int]:
    """The alias classes of what functions returned that nobody can look into."""
    calls = (op for op in all_ops(part.body) if isinstance(op, Call) and is_opaque(op))
    return {classes.of(out) for op in calls for out in op.outs if has_memory(out)}

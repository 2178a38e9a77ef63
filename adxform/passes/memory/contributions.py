"""First contributions: a buffer that starts as zeros and is then added to starts as what is added."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.types import Array, Scalar
from adxform.ir.walk import all_ops, names_read, operands
from adxform.passes.scalar.rewriting import Rewriter, Sharing, classes_touched, each_function, is_certain_view
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import effect_of
from adxform.primitives.facets import Moves
from adxform.primitives.memory import ADDING
from adxform.primitives.table import having

COPIES = having(lambda record: record.moves is Moves.COPY)
STARTS = COPIES | {np.zeros_like}
BY_SHAPE = frozenset({runtime.unbroadcast, runtime.broadcast_like})
"""Views or copies by the shapes of their operands, whatever the strides."""
WHOLE = (Lit(...), Pack("slice", (Lit(None), Lit(None), Lit(None))))


def assign_first_contributions(fn: Function) -> Function:
    """Replace ``z = zeros_like(x)``, ``z += v`` by ``z = v`` where `v` is a fresh array that nobody else reads, else by a copy.

    ``z = copy(v)``, ``z += w`` is ``z = v + w``.

    >>> from adxform.ir.text import read, show
    >>> print(show(assign_first_contributions(read('''
    ... def f(x: f64[x.0], y_ct: f64[x.0], s: f64):
    ...     z: f64[x.0] = np.zeros_like(x)
    ...     a: f64[x.0] = operator.mul(y_ct, s)
    ...     intrinsics.accumulate(z, ..., a)
    ...     w: f64[x.0] = np.zeros_like(x)
    ...     intrinsics.accumulate(w, ..., s)
    ...     return z, w'''))))
    def f(x: f64[x.0], y_ct: f64[x.0], s: f64):
        z: f64[x.0] = operator.mul(y_ct, s)
        w: f64[x.0] = np.full_like(x, s)
        return z, w
    """

    def assigned(part: Function, aliases: Aliases) -> Block:
        clears = aliases.written and any(callee(op) in STARTS for op in all_ops(part.body))
        return _Contributions(part, aliases).block(part.body) if clears else part.body

    return each_function(fn, assigned)


class _Contributions(Rewriter):
    def __init__(self, fn: Function, aliases: Aliases) -> None:
        super().__init__()
        self.fn = fn
        self.aliases = aliases
        self.sharing = Sharing(fn, aliases)

    @cached_property
    def uses(self) -> Counter[str]:
        """How often each variable is read."""
        return Counter(names_read(self.fn.body))

    @cached_property
    def loose(self) -> set[int]:
        """The classes of which the layout of a buffer matters."""
        return set(_classes_of_possible_copies(self.fn.body, self.aliases))

    def block(self, block: Block) -> Block:
        """Meets each op in order; `fresh` holds the zeros that nothing has touched yet, by alias class."""
        ops: list[Op | None] = []
        made: dict[str, int] = {}
        fresh: dict[int, tuple[int, Call]] = {}
        for given in block.ops:
            op = self.renew(given)
            if not isinstance(op, Call):
                op = self.descend(op)
            found = self.untouched(op, fresh) if fresh else None
            for class_ in classes_touched(given, self.aliases) if fresh else ():
                fresh.pop(class_, None)
            if found is not None and (merged := self.first(found[1], op)) is not None:
                ops[found[0]] = None
                (value,) = merged.args[:1]
                at = made.get(value.name) if callee(merged) is np.copy and isinstance(value, Var) else None
                if at is not None and isinstance(maker := ops[at], Call) and self.uses[maker.outs[0].name] == 1:
                    ops[at] = replace(maker, outs=merged.outs)
                else:
                    ops.append(merged)
                continue
            if isinstance(op, Call) and op.outs:
                if is_fresh(op):
                    made[op.outs[0].name] = len(ops)
                if self.may_start(op):
                    fresh[self.aliases.of(op.outs[0])] = len(ops), op
            ops.append(op)
        kept = [op for op in ops if op is not None]
        results = self.operands(block.results)
        same = results is block.results and len(kept) == len(block.ops) and all(map(operator.is_, kept, block.ops))
        return block if same else Block(block.params, tuple(kept), results)

    def may_start(self, op: Call) -> bool:
        """Whether `op` makes a buffer of zeros, or a copy of what stays as it is."""
        if len(op.args) != 1 or op.kwargs:
            return False
        original = op.args[0]
        copies = callee(op) in COPIES and isinstance(original, Var) and original.type == op.outs[0].type
        return callee(op) is np.zeros_like or (copies and self.sharing.is_constant(original))

    def untouched(self, op: Op, fresh: dict[int, tuple[int, Call]]) -> tuple[int, Call] | None:
        """The zeros that `op` is the first to add to, and where they are."""
        if not isinstance(op, Call) or callee(op) not in ADDING or op.args[1] not in WHOLE:
            return None
        z, _, value = op.args
        if not isinstance(z, Var):
            return None
        class_ = self.aliases.of(z)
        found = fresh.get(class_)
        own = isinstance(value, Var) and self.aliases.of(value) == class_
        return found if found is not None and found[1].outs == (z,) and not own else None

    def first(self, zeros: Call, op: Op) -> Call | None:
        """What takes the place of `zeros` and `op`; ``None`` when both stay."""
        (z,) = zeros.outs
        value = operands(op)[-1]
        adds = callee(op) is intrinsics.accumulate
        if not isinstance(z.type, Array) or z.type.shape is None:
            return None
        filled = _is_scalar(value) or z.type.shape == ()
        if z.type.shape == () and callee(zeros) is not np.zeros_like:  # a sum would be a number, which is not written to
            return None
        if callee(zeros) is np.zeros_like and filled:
            return Call((z,), Lit(np.full_like), (*zeros.args, value), (), op.span) if adds else None
        if not isinstance(value, Var) or value.type != z.type or self.aliases.of(z) in self.loose:
            return None
        if callee(zeros) in COPIES:
            return Call((z,), Lit(operator.add if adds else operator.sub), (zeros.args[0], value), (), op.span)
        return Call((z,), Lit(np.copy if adds else operator.neg), (value,), (), op.span)


def is_fresh(op: Call) -> bool:
    """Whether the result of `op`, if it has one, is a new array, in memory of its own."""
    effect = effect_of(op)
    return len(op.outs) == 1 and isinstance(op.outs[0].type, Array) and not (effect.opaque or effect.views or effect.writes)


def _is_scalar(value: Operand) -> bool:
    match value:
        case Var(type=type_):
            return isinstance(type_, Scalar)
        case Lit(number):
            return isinstance(number, int | float | np.number)
        case _:
            return False


def _classes_of_possible_copies(block: Block, aliases: Aliases) -> Iterator[int]:
    """The classes with a view that is a copy for some strides (`reshape`): there the layout of a buffer matters."""
    for op in all_ops(block):
        if isinstance(op, Call) and op.outs and callee(op) not in BY_SHAPE and not isinstance(op.outs[0].type, Scalar):
            effect = effect_of(op)
            if effect.views and not is_certain_view(op, effect):
                yield aliases.of(op.outs[0])

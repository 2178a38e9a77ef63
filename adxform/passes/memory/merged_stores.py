"""Stores that belong together become one: an element is cleared and then added to."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field, replace
from functools import cached_property

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, Function, Lit, Op, Operand, Var
from adxform.ir.types import Array
from adxform.passes.memory.elements import IntegerFacts
from adxform.passes.scalar.rewriting import Rewriter, classes_touched, each_function
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import memory
from adxform.primitives.memory import ADDING

CLEARS = frozenset({operator.setitem})


def merge_stores(fn: Function) -> Function:
    """Replace ``x[i] = 0.0`` and a later ``x[i] += v`` by ``x[i] = v``; what is added to `x` in between is added after it.

    Nothing may read or store in `x` in between, but in what are surely other elements.

    >>> from adxform.ir.text import read, show
    >>> print(show(merge_stores(read('''
    ... def f(x: f64[x.0], i: int, v: f64):
    ...     operator.setitem(x, i, 0.0)
    ...     intrinsics.accumulate(x, 0, v)
    ...     w: f64 = operator.mul(v, v)
    ...     intrinsics.accumulate(x, i, w)
    ...     return x'''))))
    def f(x: f64[x.0], i: int, v: f64):
        w: f64 = operator.mul(v, v)
        operator.setitem(x, i, w)
        intrinsics.accumulate(x, 0, v)
        return x
    """
    return each_function(fn, lambda part, aliases: _Merging(part, aliases).block(part.body) if aliases.written else part.body)


@dataclass(slots=True)
class _Cleared:
    """The store that cleared an element, and the additions to its array since, by place."""

    store: Call
    at: int
    additions: list[int] = field(default_factory=list)


class _Merging(Rewriter):
    def __init__(self, fn: Function, aliases: Aliases) -> None:
        super().__init__()
        self.fn = fn
        self.aliases = aliases

    @cached_property
    def elements(self) -> IntegerFacts:
        """What is known of the indices."""
        return IntegerFacts(self.fn)

    def block(self, block: Block) -> Block:
        block = super().block(block)
        cleared: dict[int, _Cleared] = {}
        merged: dict[int, tuple[Op, ...]] = {}
        for at, op in enumerate(block.ops):
            if cleared and isinstance(op, Call) and callee(op) in ADDING:
                self.add(op, at, cleared, merged, block.ops)
                continue
            if cleared:
                for class_ in list(classes_touched(op, self.aliases)):
                    found = cleared.get(class_)
                    if found is not None and (found.additions or not self.leaves_alone(op, found.store)):
                        del cleared[class_]
            if isinstance(op, Call) and callee(op) is operator.setitem and _is_zero(op.args[2]) and isinstance(op.args[0], Var):
                cleared[self.aliases.of(op.args[0])] = _Cleared(op, at)
        if not merged:
            return block
        ops = (new for at, op in enumerate(block.ops) for new in merged.get(at, (op,)))
        return replace(block, ops=tuple(ops))

    def leaves_alone(self, op: Op, store: Call) -> bool:
        x, index = store.args[:2]
        return isinstance(x, Var) and self.elements.leaves_alone(op, x, index, self.aliases)

    def add(
        self, op: Call, at: int, cleared: dict[int, _Cleared], merged: dict[int, tuple[Op, ...]], ops: tuple[Op, ...]
    ) -> None:
        """Meet an addition: it completes a cleared element, or can wait until after that, or must not."""
        x, index, value = op.args
        for class_ in self.aliases.classes((index, value)):
            cleared.pop(class_, None)
        class_ = self.aliases.of(x) if isinstance(x, Var) else -1
        found = cleared.get(class_)
        if found is None:
            return
        completes = found.store.args[:2] == (x, index) and callee(op) is intrinsics.accumulate
        if completes and isinstance(x, Var) and isinstance(x.type, Array):
            del cleared[class_]
            merged[found.at] = ()
            merged.update(dict.fromkeys(found.additions, ()))
            merged[at] = (replace(op, fn=found.store.fn), *(ops[place] for place in found.additions))
        elif self.leaves_alone(op, found.store):
            return
        elif any(True for given in (index, value) for _ in memory(given)):
            del cleared[class_]
        else:
            found.additions.append(at)


def _is_zero(value: Operand) -> bool:
    return isinstance(value, Lit) and isinstance(value.value, int | float) and value.value == 0

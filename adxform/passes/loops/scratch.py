"""Arrays that iterations of a loop make anew get their memory once: ahead of the loop, or two by turns where one is handed on."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

import numpy as np

from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, Op, Var
from adxform.ir.types import INT, Array
from adxform.ir.undefined import maybe_undefined
from adxform.ir.walk import Names, all_ops, defined_variables, free_variables, outs, reads
from adxform.passes.scalar.hoist import cannot_raise
from adxform.passes.scalar.rewriting import Rewriter, each_function
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import effect_of


def reuse_memory(fn: Function) -> Function:
    """`fn` in which arrays of known lengths are made ahead of the loops that fill them in each iteration.

    An array that goes from one iteration to the next takes turns with another one.

    >>> from adxform.ir.text import read, show
    >>> print(show(reuse_memory(read('''
    ... def f(x: f64[x.0], n: int, m: int):
    ...     a: f64[x.0] = np.zeros(m)
    ...     b: f64[x.0] = for i: int in range(0, n, 1) with c: f64[x.0] = a:
    ...         d: f64[x.0] = np.empty(m)
    ...         e: f64[2] = np.empty(2)
    ...         for j: int in range(0, m, 1):
    ...             operator.setitem(e, 0, 1.0)
    ...             operator.setitem(d, j, 0.0)
    ...         yield d
    ...     return b'''))))
    def f(x: f64[x.0], n: int, m: int):
        a: f64[x.0] = np.zeros(m)
        e: f64[2] = np.empty(2)
        d.1: f64[x.0] = np.empty(m)
        b: f64[x.0], c.1: f64[x.0] = for i: int in range(0, n, 1) with c: f64[x.0] = a, d: f64[x.0] = d.1:
            for j: int in range(0, m, 1):
                operator.setitem(e, 0, 1.0)
                operator.setitem(d, j, 0.0)
            yield d, c
        return b
    """
    if not any(allocates(op) for loop in all_ops(fn.body) if isinstance(loop, For) for op in all_ops(loop.body)):
        return fn
    lifted = each_function(fn, lambda part, aliases: _Lifting(part, aliases).block(part.body))
    turns = each_function(lifted, lambda part, aliases: _Turns(part, aliases).block(part.body))
    return turns if turns is lifted else each_function(turns, lambda part, aliases: _Lifting(part, aliases).block(part.body))


class _Turns(Rewriter):
    """Gives loops that hand on what they make a second array to take turns with the first."""

    def __init__(self, fn: Function, aliases: Aliases) -> None:
        super().__init__()
        self.aliases = aliases
        self.names = Names.of(fn)
        self.outside = set(aliases.reached(fn.params)) | aliases.exposed | set(aliases.elements.values())

    def block(self, block: Block) -> Block:
        """`block` with its own loops looked at last, when it is known what comes after them."""
        inner = super().block(block)
        ops: list[Op] = []
        for place, op in enumerate(inner.ops):
            if isinstance(op, For) and not op.breaks:
                rest = Block((), inner.ops[place + 1 :], inner.results)
                op = self.by_turns(op, inner.ops[:place], rest, ops)
            ops.append(op)
        return inner if all(a is b for a, b in zip(ops, inner.ops, strict=False)) else replace(inner, ops=tuple(ops))

    def by_turns(self, op: For, before: tuple[Op, ...], rest: Block, ops: list[Op]) -> For:
        """`op` with a second array for each that may take turns; that is made by `ops`."""
        made = {out.name: call for call in before if is_fresh(call) for out in outs(call)}
        later = set(free_variables(rest)) | set(free_variables(op.body))
        for place, (init, param, result) in enumerate(zip(op.inits, op.body.params[1:], op.body.results, strict=True)):
            maker = next((call for call in op.body.ops if isinstance(call, Call) and result in call.outs), None)
            if maker is None or not isinstance(init, Var) or not isinstance(result, Var):
                continue
            ended = init.name in made and init not in later and op.inits.count(init) == 1
            alike = isinstance(init.type, Array) and init.type == result.type == param.type
            if not ended or not alike or not self.is_alone((init, param, result, op.outs[place])):
                continue
            if not allocates(maker) or not set(reads(maker)).isdisjoint(defined_variables(op.body)):
                continue
            second, left = (Var(self.names.fresh(var.base), result.type) for var in (result, param))
            ops.append(replace(maker, outs=(second,)))
            body = replace(op.body, ops=tuple([one for one in op.body.ops if one is not maker]))
            body = Block((*body.params, result), body.ops, (*body.results, param))
            op = replace(op, outs=(*op.outs, left), inits=(*op.inits, second), body=body)
        return op

    def is_alone(self, names: tuple[Var, ...]) -> bool:
        """Whether `names` are all the names of the memory that they stand for, and it is the function's own."""
        class_ = self.aliases.of(names[0])
        members = {var.name for var in self.aliases.members(class_)}
        return class_ not in self.outside and members == {var.name for var in names}


def lengths_wanted(body: Block) -> set[str]:
    """The names of what the arrays that `body` makes have their lengths from."""
    wanted: set[str] = set()
    for inner in reversed(body.ops):
        if allocates(inner) or (is_length(inner) and inner.outs[0].name in wanted):
            wanted.update(var.name for var in reads(inner))
    return wanted


class _Lifting(Rewriter):
    """Moves what makes an array ahead of the loops through whose iterations the array does not last."""

    def __init__(self, fn: Function, aliases: Aliases) -> None:
        super().__init__()
        self.aliases = aliases
        self.undefined = {var.name for var in maybe_undefined(fn.body)}
        self.lasting = aliases.exposed | set(aliases.elements.values()) | set(aliases.reached((*fn.params, *fn.results)))

    def visit(self, op: Op, ops: list[Op]) -> None:
        op = self.descend(op)
        if isinstance(op, For):
            op = self.lifted(op, ops)
        ops.append(op)

    def lifted(self, op: For, ops: list[Op]) -> For:
        """`op` without what can be made ahead of it, which goes to `ops`, and the lengths that this takes."""
        inside = {var.name for var in defined_variables(op.body)} - {param.name for param in op.body.params}
        ending = {inner.outs[0].name for inner in op.body.ops if allocates(inner) and self.ends(inner.outs[0], inside)}
        wanted = lengths_wanted(op.body)
        if not ending and not wanted:
            return op
        varying = inside | {param.name for param in op.body.params} | self.undefined
        kept: list[Op] = []
        for inner in op.body.ops:
            movable = inner.outs[0].name in ending if allocates(inner) else is_length(inner) and inner.outs[0].name in wanted
            if movable and varying.isdisjoint(var.name for var in reads(inner)):
                ops.append(inner)
                varying.difference_update(out.name for out in outs(inner))
            else:
                kept.append(inner)
        return op if len(kept) == len(op.body.ops) else replace(op, body=replace(op.body, ops=tuple(kept)))

    def ends(self, array: Var, inside: set[str]) -> bool:
        """Whether the memory of `array` has only names that are defined anew `inside` of each iteration."""
        class_ = self.aliases.of(array)
        return class_ not in self.lasting and all(var.name in inside for var in self.aliases.members(class_))


def is_fresh(op: Op) -> bool:
    """Whether `op` makes an array, and no other, in memory of its own."""
    if not isinstance(op, Call) or len(op.outs) != 1 or not isinstance(op.outs[0].type, Array):
        return False
    effect = effect_of(op)
    return not (effect.views or effect.writes or effect.opaque)


def allocates(op: Op) -> TypeGuard[Call]:
    """Whether `op` makes an array of whatever is there."""
    return isinstance(op, Call) and callee(op) is np.empty and bool(op.outs)


def is_length(op: Op) -> TypeGuard[Call]:
    """Whether `op` computes an integer and cannot raise."""
    plain = isinstance(op, Call) and len(op.outs) == 1 and op.outs[0].type == INT and not op.kwargs
    return plain and isinstance(op, Call) and (cannot_raise(op) or callee(op) in (max, min))

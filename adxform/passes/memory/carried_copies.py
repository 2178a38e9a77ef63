"""Arrays that an iteration makes, fills and hands to the next are handed on as copies, so that what is carried is never written.

The cotangent of memory that is written lives in a buffer beside it, and where a loop carries such memory the forward sweep has to
make the buffers, one for each iteration, for the reverse sweep to find. The cotangent of an array that nothing writes is a value
like any other. So with a branch that makes an array and fills it. The copy goes again in the derivative: what it was taken of is
not used any more (`copies`).
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Set
from dataclasses import replace

import numpy as np

from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, If, Invoke, Lit, Op, Operand, Var, While
from adxform.ir.types import Array, is_inexact
from adxform.ir.walk import Names, all_ops, blocks, contents, outs
from adxform.passes.memory.storage_facts import is_new, outliving, own_classes
from adxform.passes.scalar.rewriting import classes_written, each_body
from adxform.primitives.alias import Aliases, alias_classes

CONTROL = frozenset({If, For, While})
IDENTITY = frozenset({operator.is_, operator.is_not})
Merge = If | For | While
Place = tuple[Var, int]
"""Where an array is handed on: the variable behind a loop or branch, and which of the two that it stands for (see `_given`)."""


def carry_copies(fn: Function) -> Function:
    """`fn` with copies of arrays that a block makes, where loops and branches hand them on and nothing writes them afterwards.

    >>> from adxform.ir.text import read, show
    >>> print(show(carry_copies(read('''
    ... def f(x: f64[x.0]):
    ...     w: f64[x.0] = for _: int in range(0, 9, 1) with u: f64[x.0] = x:
    ...         v: f64[x.0] = np.zeros_like(u)
    ...         y: f64 = operator.getitem(u, 1)
    ...         operator.setitem(v, 0, y)
    ...         yield v
    ...     return w'''))))
    def f(x: f64[x.0]):
        w: f64[x.0] = for _: int in range(0, 9, 1) with u: f64[x.0] = x:
            v: f64[x.0] = np.zeros_like(u)
            y: f64 = operator.getitem(u, 1)
            operator.setitem(v, 0, y)
            w.1: f64[x.0] = np.copy(v)
            yield w.1
        return w
    """
    if contents(fn).isdisjoint(CONTROL):
        return fn
    places = {name: set(_handed_on(part, aliases)) for name, part, aliases in _parts(fn)}
    while any(places.values()):
        copying = {name: _Copying(part, places[name]) for name, part, _ in _parts(fn)}
        copied = _with_copies(fn, copying)
        given_up = {name: set(copying[name].to_give_up(part, aliases)) for name, part, aliases in _parts(copied)}
        if not any(given_up.values()):
            return copied
        places = {name: found - given_up[name] for name, found in places.items()}
    return fn


def _with_copies(fn: Function, copying: Mapping[str, _Copying]) -> Function:
    return each_body(fn, lambda part: copying["" if part is fn else part.name].block(part.body))


def _parts(fn: Function) -> Iterator[tuple[str, Function, Aliases]]:
    """`fn`, without a name, and its helpers, with the alias classes of each."""
    aliases = alias_classes(fn)
    yield "", fn, aliases
    for helper in fn.helpers:
        yield helper.name, helper, aliases.helpers.get(helper.name, aliases)


def _handed_on(fn: Function, aliases: Aliases) -> Iterator[Place]:
    """Where `fn` hands on an array that a block has made, of memory that is written and goes by several names."""
    wanted = (aliases.phis & aliases.written) - aliases.exposed
    for block in _all_blocks(fn.body) if wanted else ():
        for op in block.ops:
            if isinstance(op, Merge):
                givers = _givers(op, block)
                for out, given in zip(op.outs, _given(op), strict=True):
                    type_ = out.type
                    if isinstance(type_, Array) and type_.shape and is_inexact(type_) and aliases.of(out) in wanted:
                        pairs = enumerate(zip(givers, given, strict=True))
                        yield from ((out, at) for at, (giver, operand) in pairs if _is_new(operand, giver))


def _given(op: Merge) -> list[tuple[Operand, Operand]]:
    """What each variable behind `op` stands for: what a loop begins with or its body's result; the results of two branches."""
    match op:
        case If(then=then, orelse=orelse):
            pairs = zip(then.results, orelse.results, strict=True)
        case For(inits=inits, body=body, breaks=breaks):
            pairs = zip(inits, body.results[breaks:], strict=True)
        case While(inits=inits, body=body):
            pairs = zip(inits, body.results, strict=True)
    return list(pairs)


def _givers(op: Merge, around: Block) -> tuple[Block, Block]:
    """The blocks which have the variables of `_given`."""
    return (op.then, op.orelse) if isinstance(op, If) else (around, op.body)


def _all_blocks(block: Block) -> Iterator[Block]:
    """`block` and the blocks inside it."""
    yield block
    for op in block.ops:
        for inner in blocks(op):
            yield from _all_blocks(inner)


def _is_new(operand: Operand, *inside: Block) -> bool:
    """Whether blocks, each `inside` the one before, have made `operand`, which lies without gaps then, as a copy of it does."""
    op = next((op for block in inside for op in block.ops if operand in outs(op)), None)
    match op:
        case Call():
            return is_new(op)
        case If() | For() | While():
            given = zip(_given(op)[op.outs.index(operand)], _givers(op, inside[-1]), strict=True)
            return all(_is_new(one, *inside, giver) for one, giver in given)
        case _:
            return False


class _Copying:
    """Puts copies in `fn` at `places`."""

    def __init__(self, fn: Function, places: Set[Place]) -> None:
        self.places = places
        self.names = Names.of(fn)
        self.copies: dict[Var, Place] = {}

    def block(self, block: Block) -> Block:
        """`block` with the copies in it."""
        if not self.places:
            return block
        ops: list[Op] = []
        for op in block.ops:
            if isinstance(op, Merge):
                before, op = self.merge(op)
                ops += before
            ops.append(op)
        return replace(block, ops=tuple(ops))

    def merge(self, op: Merge) -> tuple[list[Op], Merge]:
        """`op` with copies at the ends of its blocks, and the copies of what it begins with."""
        copies: tuple[list[Op], list[Op]] = [], []
        given: tuple[list[Operand], list[Operand]] = [], []
        for out, operands in zip(op.outs, _given(op), strict=True):
            for at, operand in enumerate(operands):
                if (out, at) in self.places and isinstance(operand, Var):
                    copy = Var(self.names.fresh(out.base), operand.type)
                    copies[at].append(Call((copy,), Lit(np.copy), (operand,), span=op.span))
                    self.copies[copy] = out, at
                    operand = copy
                given[at].append(operand)
        match op:
            case If(then=then, orelse=orelse):
                return [], replace(
                    op, then=self.ending(then, copies[0], given[0]), orelse=self.ending(orelse, copies[1], given[1])
                )
            case For(body=body):
                return copies[0], replace(op, inits=tuple(given[0]), body=self.ending(body, copies[1], given[1]))
            case While(test=test, body=body):
                body = self.ending(body, copies[1], given[1])
                return copies[0], replace(op, inits=tuple(given[0]), test=self.block(test), body=body)

    def ending(self, block: Block, copies: list[Op], results: list[Operand]) -> Block:
        """`block` with `copies` at its end, and other `results` behind a condition that it may have ahead of them."""
        inner = self.block(block)
        ahead = len(block.results) - len(results)
        return replace(inner, ops=(*inner.ops, *copies), results=(*inner.results[:ahead], *results))

    def to_give_up(self, fn: Function, aliases: Aliases) -> Iterator[Place]:
        """The places of copies in `fn` which a run of it may tell from what they are copies of, or which are written anyway."""
        asked = _asked_whether_one(fn, aliases)
        changing, lasting = aliases.written | aliases.exposed | asked, outliving(fn, aliases) | asked
        for block in _all_blocks(fn.body) if self.copies else ():
            found = [(at, op) for at, op in enumerate(block.ops) if isinstance(op, Call) and self.copies.keys() & set(op.outs)]
            own = own_classes(block, aliases) - lasting if found else set()
            for at, op in found:
                place, class_ = self.copies[op.outs[0]], aliases.classes(op.args)[0]
                behind = block.ops[at + 1 :]
                written = any(class_ in classes_written(later, aliases) for later in behind)
                if class_ not in own or written or aliases.of(place[0]) in changing:
                    yield place


def _asked_whether_one(fn: Function, aliases: Aliases) -> set[int]:
    """The classes of arrays of which `fn`, or what it calls, asks whether they are one object."""
    found: set[int] = set()
    for op in all_ops(fn.body):
        if isinstance(op, Call) and callee(op) in IDENTITY:
            found |= set(aliases.classes(op.args))
        elif isinstance(op, Invoke):
            found |= set(aliases.classes((*op.args, *op.outs)))
    return found

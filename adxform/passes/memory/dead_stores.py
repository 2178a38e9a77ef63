"""Stores into memory of the function's own that nothing reads afterwards."""

from __future__ import annotations

import operator
from dataclasses import replace
from functools import cached_property

from adxform.ir import intrinsics
from adxform.ir.ops import Block, Call, For, Function, If, Invoke, Op, Var, While
from adxform.ir.walk import all_ops, blocks, defined_variables, operands, outs
from adxform.passes.memory.contributions import BY_SHAPE
from adxform.passes.memory.elements import IntegerFacts
from adxform.passes.scalar.rewriting import callee, classes_named, classes_read, each_function
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import effect_of
from adxform.primitives.memory import STORES


def drop_dead_stores(fn: Function) -> Function:
    """Drop the last stores into arrays that are neither read any more nor the caller's.

    In a loop, what an iteration stores in an element of its own (``x[i]`` or ``x[i + 1]``) no other iteration reads, if all read
    their own.

    >>> from adxform.ir.text import read, show
    >>> print(show(drop_dead_stores(read('''
    ... def f(x: f64[x.0], n: int):
    ...     y: f64[x.0] = np.copy(x)
    ...     s: f64 = for i: int in range(0, n, 1) with s.1: f64 = 0.0:
    ...         a: f64 = operator.getitem(y, i)
    ...         operator.setitem(y, i, 0.0)
    ...         s.2: f64 = operator.add(s.1, a)
    ...         yield s.2
    ...     return s'''))))
    def f(x: f64[x.0], n: int):
        y: f64[x.0] = np.copy(x)
        s: f64 = for i: int in range(0, n, 1) with s.1: f64 = 0.0:
            a: f64 = operator.getitem(y, i)
            s.2: f64 = operator.add(s.1, a)
            yield s.2
        return s

    What is asked for its shape alone is not read.

    >>> print(show(drop_dead_stores(read('''
    ... def f(x: f64[x.0], y_ct: f64[y_ct.0]):
    ...     y: f64[x.0] = np.zeros_like(x)
    ...     operator.setitem(y, 0, 1.0)
    ...     ct: f64[x.0] = runtime.unbroadcast(y_ct, y)
    ...     return ct'''))))
    def f(x: f64[x.0], y_ct: f64[y_ct.0]):
        y: f64[x.0] = np.zeros_like(x)
        ct: f64[x.0] = runtime.unbroadcast(y_ct, y)
        return ct
    """
    return each_function(fn, lambda part, aliases: _Dropping(part, aliases).body() if aliases.written else part.body)


def _contents_read(op: Call, aliases: Aliases) -> list[int]:
    """The alias classes whose elements the call reads: not that of an array which it asks for its shape alone."""
    asked = replace(op, args=op.args[:1]) if callee(op) in BY_SHAPE else op
    return classes_read(asked, effect_of(op), aliases)


class _Dropping:
    """Walks backwards with the classes that are read later."""

    def __init__(self, fn: Function, aliases: Aliases) -> None:
        self.fn = fn
        self.aliases = aliases
        self.outside = set(aliases.reached((*fn.params, *fn.results))) | aliases.exposed

    @cached_property
    def elements(self) -> IntegerFacts:
        """What is known of the indices."""
        return IntegerFacts(self.fn)

    @cached_property
    def kept(self) -> set[str]:
        """The variables whose memory may come from an earlier iteration."""
        ops = (op for op in all_ops(self.fn.body) if callee(op) is intrinsics.pop or isinstance(op, Invoke))
        return {out.name for op in ops for out in outs(op)}

    def body(self) -> Block:
        return self.block(self.fn.body, set(self.outside))

    def block(self, block: Block, later: set[int]) -> Block:
        """`block` without dead stores; `later` grows by what it reads."""
        later.update(self.aliases.classes(block.results))
        kept: list[Op] = []
        for op in reversed(block.ops):
            if self.is_dead(op, later):
                continue
            kept.append(self.op(op, later))
        same = len(kept) == len(block.ops) and all(map(operator.is_, reversed(kept), block.ops))
        return block if same else replace(block, ops=tuple(reversed(kept)))

    def is_dead(self, op: Op, later: set[int]) -> bool:
        if not isinstance(op, Call) or callee(op) not in STORES or not isinstance(op.args[0], Var):
            return False
        return self.aliases.of(op.args[0]) not in later

    def op(self, op: Op, later: set[int]) -> Op:
        match op:
            case Call():
                later.update(_contents_read(op, self.aliases))
                return op
            case If(then=then, orelse=orelse):
                before = set(later)
                then = self.block(then, later)
                orelse = self.block(orelse, before)
                later |= before
                return op if then is op.then and orelse is op.orelse else replace(op, then=then, orelse=orelse)
            case For() | While():
                return self.loop(op, later)
            case _:
                later.update(self.aliases.reached((*operands(op), *outs(op))))
                return op

    def loop(self, op: For | While, later: set[int]) -> Op:
        """Iterations read what those before them stored, but for elements that each has to itself."""
        reads: set[int] = set()
        for block in blocks(op):
            self.read_in(block, reads)
        if isinstance(op, While):
            later |= reads
            test, body = self.block(op.test, later), self.block(op.body, later)
            return op if test is op.test and body is op.body else replace(op, test=test, body=body)
        inside = {var.name for var in defined_variables(op.body)} - {param.name for param in op.body.params} - self.kept
        accesses = _accesses(op.body, self.aliases)
        private = {
            class_ for class_ in reads - later if self.is_made_in(class_, inside) or self.is_private(accesses.get(class_, []), op)
        }
        later |= reads - private
        body = self.block(op.body, later)
        later |= reads
        return op if body is op.body else replace(op, body=body)

    def read_in(self, block: Block, found: set[int]) -> None:
        found.update(self.aliases.classes((*block.params, *block.results)))
        for op in block.ops:
            if isinstance(op, Call):
                found.update(_contents_read(op, self.aliases))
            else:
                found.update(self.aliases.reached((*operands(op), *outs(op))))
                for inner in blocks(op):
                    self.read_in(inner, found)

    def is_made_in(self, class_: int, inside: set[str]) -> bool:
        """Whether the memory of `class_` is made anew in each iteration, in which the variables `inside` are defined."""
        taped = class_ in self.aliases.elements.values()
        return not taped and all(var.name in inside for var in self.aliases.members(class_))

    def is_private(self, accesses: list[Call | None], loop: For) -> bool:
        """Whether every access to a class in `loop` is to one variable at one index that differs in each iteration."""
        item = loop.body.params[0].name
        if not accesses or (first := accesses[0]) is None:
            return False
        index = first.args[1]
        low = self.elements.lower(index)
        own = isinstance(index, Var) and self.elements.sum(index, 0)[0] == item and low is not None and low >= 0
        return own and all(op is not None and op.args[:2] == first.args[:2] for op in accesses)


def _accesses(block: Block, aliases: Aliases) -> dict[int, list[Call | None]]:
    """By class, the loads and stores by index in it, and ``None`` for each other mention of it."""
    found: dict[int, list[Call | None]] = {}

    def visit(block: Block) -> None:
        for class_ in aliases.classes((*block.params, *block.results)):
            found.setdefault(class_, []).append(None)
        for op in block.ops:
            plain = op if isinstance(op, Call) and (callee(op) in STORES or callee(op) is operator.getitem) else None
            rest = set(aliases.classes((*plain.args[1:], *plain.outs))) if plain is not None else set()
            for class_ in dict.fromkeys(classes_named(op, aliases)):
                found.setdefault(class_, []).append(None if class_ in rest else plain)
            for inner in blocks(op):
                visit(inner)

    visit(block)
    return found

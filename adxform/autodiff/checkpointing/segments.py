"""Long loops over numbers, cut into strips: a state for each strip is kept, and a strip is reversed as a loop that tapes.

    for t in range(n):            for k in range((n + 63) // 64):
        x = step(x, t)     ->         for t in range(k * 64, min(k * 64 + 64, n)):
                                          x = step(x, t)

A state of a few numbers takes as much to keep as an iteration takes to run, and a strip of tape is no larger than a few states.
Loops with arrays stay as they are: there what an iteration tapes may be much larger than the state.
"""

from __future__ import annotations

import operator
from collections.abc import Container
from dataclasses import replace

from adxform import runtime
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, For, Function, If, Invoke, Lit, Op, Operand, While
from adxform.ir.types import INT, Scalar
from adxform.ir.walk import Names, all_ops, blocks, defined_variables, free_variables
from adxform.primitives.effects import effect_of

Path = tuple[int, ...]
PASSES = 64


def in_segments(fn: Function, taping: Container[Path]) -> tuple[Function, frozenset[Path]]:
    """`fn` with the loops at the paths `taping` in strips, where they are over numbers; and the paths of all of these in it."""
    strips = _Strips(Names.of(fn), taping)
    body = strips.block(fn.body, (), ())
    return replace(fn, body=body), frozenset(strips.paths)


class _Strips:
    def __init__(self, names: Names, taping: Container[Path]) -> None:
        self.names = names
        self.taping = taping
        self.paths: set[Path] = set()

    def block(self, block: Block, old: Path, new: Path) -> Block:
        """`block`, at the path `old` in the function as it was and `new` in what becomes of it."""
        ops: list[Op] = []
        for position, op in enumerate(block.ops):
            before = (*old, position)
            cut = isinstance(op, For) and before in self.taping and is_over_numbers(op)
            if cut and isinstance(op, For):
                b = Builder(self.names, op.span)
                loop = self.cut(op, b)
                ops += b.ops
                self.paths.add((*new, len(ops)))
                ops.append(loop)
                continue
            after = (*new, len(ops))
            if before in self.taping:
                self.paths.add(after)
            match op:
                case If():
                    then, orelse = (self.block(b, (*before, k), (*after, k)) for k, b in enumerate(blocks(op)))
                    ops.append(replace(op, then=then, orelse=orelse))
                case For() | While():
                    ops.append(replace(op, body=self.block(op.body, (*before, 0), (*after, 0))))
                case _:
                    ops.append(op)
        return replace(block, ops=tuple(ops))

    def cut(self, op: For, b: Builder) -> For:
        """The loop over the strips of `op`; what it takes to know their number goes to `b`."""
        start, stop, step = op.source
        index, *carried = op.body.params
        plain = start == Lit(0) and step == Lit(1)
        count: Operand = stop if plain else b.call(runtime.trip_count, *op.source, type=INT, hint="iterations")
        more = b.call(operator.add, count, Lit(PASSES - 1), type=INT)
        strips = b.call(operator.floordiv, more, Lit(PASSES), type=INT, hint="strips")
        outer = b.nested()
        strip = outer.var("strip", INT)
        params = tuple(outer.var(var.name, var.type) for var in carried)
        first = outer.call(operator.mul, strip, Lit(PASSES), type=INT, hint="first")
        beyond = outer.call(operator.add, first, Lit(PASSES), type=INT)
        last = outer.call(min, beyond, count, type=INT, hint="end")
        ends = tuple(outer.var(var.name, var.type) for var in op.outs)
        inner = outer.nested()
        k = index if plain else inner.var("k", INT)
        if not plain:
            offset = inner.call(operator.mul, k, step, type=INT)
            inner.emit(Call((index,), Lit(operator.add), (start, offset), (), op.span))
        body = Block((k, *carried), (*inner.ops, *op.body.ops), op.body.results)
        read = free_variables(Block((), op.body.ops, op.body.results))
        begun = zip(carried, params, op.inits, strict=True)
        inits = tuple(param if var in read else init for var, param, init in begun)
        outer.emit(For(ends, (first, last, Lit(1)), inits, body, False, op.span))
        return replace(op, source=(Lit(0), strips, Lit(1)), body=outer.block((strip, *params), ends))


def is_over_numbers(op: For) -> bool:
    """Whether the iterations of `op` make and carry nothing but numbers, and their number is known before."""
    quiet = all(
        not isinstance(inner, Invoke) and not (isinstance(inner, Call) and (effect_of(inner).writes or effect_of(inner).opaque))
        for inner in all_ops(op.body)
    )
    return not op.breaks and quiet and all(isinstance(var.type, Scalar) for var in defined_variables(op.body))

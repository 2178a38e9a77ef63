"""Integers of the caller's that are lengths, as in ``theta[:k]`` and ``np.zeros(k)``, taken not to be one.

An array of one element would be spread over others. A form of a function that assumes that there are more, or none, checks it,
and that what it is taken to be as long as is so; another form, which assumes nothing, is then right.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace

from adxform.frontend.signature.shared_lengths import Equalities
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import axis_lengths
from adxform.ir.ops import Block, Function, If, Lit, Operand, Raise, Var
from adxform.ir.types import BOOL, INT, Dim, Size
from adxform.ir.walk import Names, all_ops, outs


def with_counts(fn: Function, equal: Equalities) -> Function:
    """`fn`, which raises where an integer that is a length in its types is not what these say."""
    builder = Builder(Names.of(fn), fn.span)
    used = {size.base for var in _variables(fn) for size in map(equal.size, axis_lengths(var)) if isinstance(size, Dim)}
    known: dict[Size, Operand] = {}
    for param in fn.params:
        for axis, size in enumerate(map(equal.size, axis_lengths(param))):
            if size in {equal.size(Dim(base)) for base in equal.counts} and size not in known:
                known[size] = builder.call(intrinsics.dim, param, Lit(axis), type=INT, hint="n")
    for base, count in equal.counts.items():
        size = equal.size(Dim(base))
        assert isinstance(size, Dim)
        if size.base in used:
            _check(builder, builder.call(operator.ne, count, Lit(1), type=BOOL))
            _check(builder, builder.call(operator.ge, count, Lit(0), type=BOOL))
            if known.setdefault(size, count) != count:
                _check(builder, builder.call(operator.eq, count, known[size], type=BOOL))
    return replace(fn, body=replace(fn.body, ops=(*builder.ops, *fn.body.ops)))


def _check(builder: Builder, fine: Operand) -> None:
    failure = builder.nested()
    failure.emit(Raise(failure.call(AssertionError, Lit("a length is not what was assumed")), builder.span))
    builder.emit(If((), fine, Block((), (), ()), failure.block((), ()), builder.span))


def _variables(fn: Function) -> Iterator[Var]:
    yield from fn.params
    for op in all_ops(fn.body):
        yield from outs(op)

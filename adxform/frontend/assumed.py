"""Slices that may be cut off, taken for as long as the arrays that they are combined with.

The length of ``w[b:2 * b]`` depends on how long `w` is. In ``x * w[b:2 * b]`` it is that of `x`, unless it is one. A form of a
function that assumes so checks it where the slice is taken, and raises where it is not so; another form, which assumes nothing,
is then right.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace

from adxform.frontend.lengths import Equalities
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, Function, If, Lit, Op, Operand, Pack, Raise, Var
from adxform.ir.types import BOOL, INT, Array, Dim, Scalar, Size
from adxform.ir.walk import Names, all_ops, map_op

Bounds = tuple[Operand, Operand]
"""Where a slice starts and stops: integers, or ``None`` literals for the ends of the axis."""


def variable_slices(x: Var, index: Operand) -> Iterator[tuple[int, int, Bounds]]:
    """The slices of ``x[index]`` by steps of one that may be cut off: the axis of `x`, that of the result, the bounds."""
    parts = index.items if isinstance(index, Pack) and index.kind == "tuple" else (index,)
    if (
        not isinstance(x.type, Array)
        or x.type.shape is None
        or any(isinstance(part, Var) and isinstance(part.type, Array) for part in parts)
    ):
        return
    axis = place = 0
    for part in parts:
        match part:
            case Lit(None):
                place += 1
            case Lit(value) if value is Ellipsis:
                rest = len(x.type.shape) - sum(other != Lit(None) and other != Lit(...) for other in parts)
                axis, place = axis + rest, place + rest
            case Pack("slice", (start, stop, step)) if may_be_cut(start, stop, step):
                yield axis, place, (start, stop)
                axis, place = axis + 1, place + 1
            case Lit(slice() as piece) if may_be_cut(Lit(piece.start), Lit(piece.stop), Lit(piece.step)):
                yield axis, place, (Lit(piece.start), Lit(piece.stop))
                axis, place = axis + 1, place + 1
            case Pack("slice") | Lit(slice()):
                axis, place = axis + 1, place + 1
            case _:
                axis += 1


def may_be_cut(start: Operand, stop: Operand, step: Operand) -> bool:
    """Whether a slice by steps of one has bounds that can be followed, and is as long as the axis lets it be."""
    if step not in (Lit(None), Lit(1)) or not is_bound(start) or not is_bound(stop):
        return False
    ahead = isinstance(start, Lit) and start.value is not None and start.value < 0
    within = isinstance(stop, Lit) and stop.value is not None and stop.value >= 0
    return ahead or within or isinstance(start, Var) or isinstance(stop, Var)


def selected(x: Var, index: Operand) -> int:
    """How many axes ``x[index]`` has, a basic index."""
    assert isinstance(x.type, Array)
    parts = index.items if isinstance(index, Pack) and index.kind == "tuple" else (index,)
    taken = sum(isinstance(part, Var) or (isinstance(part, Lit) and type(part.value) is int) for part in parts)
    return len(x.type.shape or ()) - taken + sum(part == Lit(None) for part in parts)


def unknown_slices(x: Var, index: Operand, out: Var) -> Iterator[str]:
    """The names of lengths of `out`, which is ``x[index]``, that are those of slices with a variable bound, and not known."""
    if isinstance(out.type, Array) and out.type.shape is not None:
        sizes = (out.type.shape[place] for _, place, _ in variable_slices(x, index))
        yield from (size.base for size in sizes if isinstance(size, Dim) and size.base.startswith("?"))


def has_unknown_slices(fn: Function) -> bool:
    """Whether `fn`, all of which is in it, takes a slice of which it is not known how long it is."""
    loads = [op for op in all_ops(fn.body) if isinstance(op, Call) and op.fn == Lit(operator.getitem) and op.outs]
    pairs = [(x, op) for op in loads if isinstance(x := op.args[0], Var) and isinstance(x.type, Array)]
    return not fn.helpers and any(True for x, op in pairs for _ in unknown_slices(x, op.args[1], op.outs[0]))


def is_bound(bound: Operand) -> bool:
    """Whether `bound` is an integer of Python's or ``None``."""
    match bound:
        case Lit(None):
            return True
        case Lit(value):
            return type(value) is int
        case Var(type=Scalar() as type_):
            return type_ == INT
        case _:
            return False


def holds(builder: Builder, bounds: Bounds, size: Operand, n: Operand) -> Operand:
    """Whether the slice with these `bounds` of an axis of length `size` counts from its front and is of length `n`."""

    def counted(bound: Operand) -> Operand:
        return builder.call(operator.add, size, bound, type=INT) if isinstance(bound, Lit) and bound.value < 0 else bound

    first = Lit(0) if bounds[0] == Lit(None) else counted(bounds[0])
    last = size if bounds[1] == Lit(None) else counted(bounds[1])
    if isinstance(bounds[1], Var) or (bounds[1] != Lit(None) and last == bounds[1]):
        last = builder.call(min, last, size, type=INT)
    length = last if first == Lit(0) else builder.call(operator.sub, last, first, type=INT)
    found = builder.call(operator.eq, length, n, type=BOOL)
    if isinstance(first, Lit):
        return found
    return builder.call(operator.and_, found, builder.call(operator.ge, first, Lit(0), type=BOOL), type=BOOL)


def with_checks(fn: Function, equal: Equalities) -> Function:
    """`fn`, which raises where it takes a slice whose length is not the one that was assumed, that of an argument."""
    ahead = Builder(Names.of(fn), fn.span)
    assumed = {base: equal.size(size) for base, size in equal.assumed.items()}
    known: dict[Size, Var] = {}
    for param in fn.params:
        for axis, size in enumerate((param.type.shape or ()) if isinstance(param.type, Array) else ()):
            if (size := equal.size(size)) in assumed.values() and size not in known:
                known[size] = ahead.call(intrinsics.dim, param, Lit(axis), type=INT, hint="n")

    def block(inner: Block) -> Block:
        return replace(inner, ops=tuple([new for op in inner.ops for new in checked(op)]))

    def checked(op: Op) -> list[Op]:
        match op:
            case Call((Var(type=Array(_, shape)),), Lit(operator.getitem), (Var() as x, index)) if shape is not None:
                builder = Builder(ahead.names, op.span)
                for axis, place, bounds in variable_slices(x, index):
                    size = shape[place]
                    if isinstance(size, Dim) and size.base in assumed:
                        whole = builder.call(intrinsics.dim, x, Lit(axis), type=INT, hint="n")
                        fine = holds(builder, bounds, whole, known[assumed[size.base]])
                        failure = builder.nested()
                        error = failure.call(AssertionError, Lit("a slice is not as long as was assumed"))
                        failure.emit(Raise(error, op.span))
                        builder.emit(If((), fine, Block((), (), ()), failure.block((), ()), op.span))
                return [*builder.ops, op]
            case _:
                return [map_op(op, lambda operand: operand, block)]

    body = block(fn.body)
    return replace(fn, body=replace(body, ops=(*ahead.ops, *body.ops)))

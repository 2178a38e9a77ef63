"""Slices that may be cut off, taken for as long as the arrays that they are combined with, or for as long as they say.

The length of ``w[b:2 * b]`` depends on how long `w` is. In ``x * w[b:2 * b]`` it is that of `x`, unless it is one. That of
``cameras[:, 3:6]`` is three, unless there are fewer columns. A form of a function that assumes so checks it where the slice is
taken, and raises where it is not so; another form, which assumes nothing, is then right.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace

from adxform.analysis.slices import Bounds, Form, literal_length, selected, slice_forms, variable_slices
from adxform.frontend.signature import SHORT
from adxform.frontend.signature.shared_lengths import Equalities, aligned, is_plain
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.linear_forms import LinearForm
from adxform.ir.ops import Block, Call, Function, If, Lit, Op, Operand, Raise, Var
from adxform.ir.types import BOOL, INT, Array, Dim, Size, Type
from adxform.ir.walk import Names, all_ops, blocks, map_op
from adxform.primitives.memory import STORES
from adxform.primitives.table import record_of

LOAD = Lit(operator.getitem)


def uncut(x: Var, index: Operand, type_: Type) -> Type:
    """`type_`, that of ``x[index]``, with the length that a short slice of the last axis has if it is not cut off."""
    if not isinstance(type_, Array) or type_.shape is None:
        return type_
    assert isinstance(x.type, Array)
    assert x.type.shape is not None
    shape = list(type_.shape)
    for axis, place, bounds in variable_slices(x, index):
        found = literal_length(bounds)
        if found is not None and found[0] <= SHORT and axis == len(x.type.shape) - 1 and isinstance(x.type.shape[axis], Dim):
            shape[place] = found[0]
    return Array(type_.dtype, tuple(shape))


def lengths_stored(x: Var, index: Operand, value: Operand) -> Iterator[tuple[int, int, Bounds, Size]]:
    """As `variable_slices`, with the length that each has to have, to be checked, where `value` is stored in ``x[index]``.

    It is that of `value`, and of what is spread the one that the slice says, if that is short.
    """
    own = value.type.shape if isinstance(value, Var) and isinstance(value.type, Array) else ()
    whole = (x.type.shape or ()) if isinstance(x.type, Array) else ()
    for axis, place, bounds in variable_slices(x, index):
        if isinstance(whole[axis], int) and all(isinstance(bound, Lit) for bound in bounds):
            continue
        at = place - selected(x, index) + len(own or ())
        size = (own[at] if at >= 0 else 1) if own is not None else None
        if (isinstance(size, Dim) and not size.may_be_one) or (isinstance(size, int) and size > 1):
            yield axis, place, bounds, size
        elif size == 1 and (found := literal_length(bounds)) is not None and found[0] <= SHORT:
            yield axis, place, bounds, found[0]


def unknown_slices(x: Var, index: Operand, out: Var, form: Form) -> Iterator[tuple[str, LinearForm]]:
    """The names of lengths of `out`, which is ``x[index]``, that are those of slices with a variable bound, and not known.

    Each with how long the slice is if it is not cut off.
    """
    for _, place, length in slice_forms(x, index, form):
        size = (out.type.shape or ())[place] if isinstance(out.type, Array) and out.type.shape else None
        if isinstance(size, Dim) and size.base.startswith("?"):
            yield size.base, length


def has_unknown_lengths(fn: Function) -> bool:
    """Whether `fn`, all of which is in it, takes a slice, or makes an array in a loop, whose length is not known."""
    calls = [op for op in all_ops(fn.body) if isinstance(op, Call) and op.outs]
    looped = [op for outer in fn.body.ops for block in blocks(outer) for op in all_ops(block) if isinstance(op, Call) and op.outs]
    loads = [(op.outs[0], op.args[0], op.args[1]) for op in calls if op.fn == LOAD]
    slices = [(out, place) for out, x, index in loads if isinstance(x, Var) for _, place, _ in variable_slices(x, index)]
    made = [(op.outs[0], 0) for op in looped if isinstance(op.fn, Lit) and record_of(op.fn.value).fresh is not None]
    return not fn.helpers and any(_is_open(out, place) for out, place in (*slices, *made))


def meets_literals(fn: Function) -> bool:
    """Whether lengths of arguments meet literal ones in loops of `fn`: they are these then."""
    looped = (op for outer in fn.body.ops for block in blocks(outer) for op in all_ops(block) if isinstance(op, Call))
    met = (sizes for op in looped if op.outs and len(op.args) > 1 for sizes in aligned(op.args))
    return not fn.helpers and any(
        any(map(is_plain, sizes)) and any(size not in (0, 1) for size in sizes if isinstance(size, int)) for sizes in met
    )


def _is_open(out: Var, axis: int) -> bool:
    """Whether the length of `out` along `axis` has no other name than its own."""
    size = (out.type.shape or ())[axis] if isinstance(out.type, Array) and out.type.shape else None
    return isinstance(size, Dim) and size.base.startswith("?")


def holds(builder: Builder, bounds: Bounds, size: Operand, n: Operand) -> Operand:
    """Whether the slice with these `bounds`, literal or from the front, of an axis of length `size` is of length `n`."""
    own = literal_length(bounds)
    if own is not None and n == Lit(own[0]):
        return builder.call(operator.ge, size, Lit(own[1]), type=BOOL)

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


def is_whole(builder: Builder, bounds: Bounds, size: Operand) -> Operand:
    """Whether the slice with these `bounds` of an axis of length `size` is not cut off, and goes upwards."""

    def counted(bound: Operand, missing: Operand) -> Operand:
        if bound == Lit(None):
            return missing
        below = isinstance(bound, Lit) and bound.value < 0
        return builder.call(operator.add, size, bound, type=INT) if below else bound

    first, last = counted(bounds[0], Lit(0)), counted(bounds[1], size)
    pairs: list[tuple[Operand, Operand]] = [(Lit(0), first)] if first != Lit(0) else []
    pairs += [(first, last), *([(last, size)] if last != size else [])]
    found, *others = (builder.call(operator.le, low, high, type=BOOL) for low, high in pairs)
    for other in others:
        found = builder.call(operator.and_, found, other, type=BOOL)
    return found


def _check_whole(builder: Builder, x: Var, axis: int, bounds: Bounds) -> None:
    whole = builder.call(intrinsics.dim, x, Lit(axis), type=INT, hint="n")
    _raise_unless(is_whole(builder, bounds, whole), builder)


def _raise_unless(fine: Operand, builder: Builder) -> None:
    failure = builder.nested()
    error = failure.call(AssertionError, Lit("a slice is not as long as was assumed"))
    failure.emit(Raise(error, builder.span))
    builder.emit(If((), fine, Block((), (), ()), failure.block((), ()), builder.span))


def with_checks(fn: Function, equal: Equalities) -> Function:
    """`fn`, which raises where it takes a slice whose length is not the one that was assumed: that of an argument, or its own."""
    ahead = Builder(Names.of(fn), fn.span)
    assumed = {base: equal.size(size) for base, size in equal.assumed.items()}
    known: dict[Size, Var] = {}
    for param in fn.params:
        for axis, size in enumerate((param.type.shape or ()) if isinstance(param.type, Array) else ()):
            if (size := equal.size(size)) in assumed.values() and size not in known:
                known[size] = ahead.call(intrinsics.dim, param, Lit(axis), type=INT, hint="n")
    known |= {size: count for base, count in equal.counts.items() if (size := equal.size(Dim(base))) not in known}

    def block(inner: Block) -> Block:
        return replace(inner, ops=tuple([new for op in inner.ops for new in checked(op)]))

    def checked(op: Op) -> list[Op]:
        match op:
            case Call((Var(type=Array(_, tuple(shape))),), Lit(operator.getitem), (Var(type=Array(_, tuple(own))) as x, index)):
                builder = Builder(ahead.names, op.span)
                for axis, place, bounds in variable_slices(x, index):
                    size = shape[place]
                    taken = equal.size(size)
                    if isinstance(size, Dim) and taken in known and size.base in (assumed | equal.sliced):
                        length: Operand = known[taken]
                    elif isinstance(size, Dim) and isinstance(taken, int):
                        length = Lit(taken)
                    elif isinstance(size, Dim) and size.base in equal.met:
                        _check_whole(builder, x, axis, bounds)
                        continue
                    elif isinstance(size, int) and isinstance(own[axis], Dim):
                        length = Lit(size)
                    else:
                        continue
                    whole = builder.call(intrinsics.dim, x, Lit(axis), type=INT, hint="n")
                    _raise_unless(holds(builder, bounds, whole, length), builder)
                return [*builder.ops, op]
            case Call((), Lit(fn), (Var(type=Array(_, tuple())) as x, index, Var(type=Array(_, tuple(own))))) if fn in STORES:
                builder = Builder(ahead.names, op.span)
                for axis, place, bounds in variable_slices(x, index):
                    at = place - selected(x, index) + len(own)
                    size = own[at] if at >= 0 else 1
                    if isinstance(size, Dim) and size.base in equal.met:
                        _check_whole(builder, x, axis, bounds)
                return [*builder.ops, op]
            case _:
                return [map_op(op, lambda operand: operand, block)]

    body = block(fn.body)
    return replace(fn, body=replace(body, ops=(*ahead.ops, *body.ops)))

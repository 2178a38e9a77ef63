"""Builds a block op by op."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from adxform.errors import UnsupportedOperationError
from adxform.ir.ops import Block, Call, Function, Lit, Op, Operand, Var
from adxform.ir.spans import NOWHERE, Span
from adxform.ir.types import UNTYPED, Array, Dim, Scalar, Size, Type, is_inexact, rank
from adxform.ir.walk import Names, defined_variables, rename_block


def seed(type_: Scalar, number: float, fn: Function) -> Lit:
    """The literal `number` as a tangent or cotangent of a number of `type_` in a derivative of `fn`.

    Python's own where that does not change what it is multiplied with: it would give way to the precision of a smaller float.
    """
    small = any(is_inexact(var.type) and getattr(var.type, "dtype", "") != "float64" for var in defined_variables(fn.body))
    return Lit(number if type_.weak or not small else np.dtype(type_.dtype).type(number))


Watch = Callable[["Builder", Op], Op | None]
"""What is asked before an op is appended: it may append others first, and gives what is to be appended, if anything."""


class Builder:
    """Collects the ops of one block; builders of nested blocks share `names`."""

    def __init__(self, names: Names, span: Span = NOWHERE, watch: Watch | None = None) -> None:
        self.names = names
        self.span = span
        self.ops: list[Op] = []
        self.watch = watch
        self.rest: Builder | None = None
        """Of a block inside this one that holds whatever comes now, if there is one."""

    def var(self, hint: str, type_: Type | None = None) -> Var:
        """A fresh variable."""
        return Var(self.names.fresh(hint), UNTYPED if type_ is None else type_)

    def emit(self, op: Op) -> None:
        """Append `op`, or what `watch` has in its place."""
        kept = op if self.watch is None else self.watch(self, op)
        if kept is not None:
            self.last().ops.append(kept)

    def last(self) -> Builder:
        """The builder of the block that holds whatever comes now."""
        return self if self.rest is None else self.rest.last()

    def call(
        self,
        fn: Callable[..., Any],
        *args: Operand,
        type: Type | None = None,  # noqa: A002 - the IR's own word
        hint: str = "tmp",
        kwargs: Mapping[str, Operand] | None = None,
        span: Span | None = None,
    ) -> Var:
        """Append a call of a literal callable and return its out."""
        out = self.var(hint, type)
        self.emit(Call((out,), Lit(fn), args, tuple((kwargs or {}).items()), span or self.span))
        return out

    def effect(self, fn: Callable[..., Any], *args: Operand, span: Span | None = None) -> None:
        """Append a call that has no result."""
        self.emit(Call((), Lit(fn), args, (), span or self.span))

    def nested(self) -> Builder:
        """A builder for a block inside this one."""
        return Builder(self.names, self.span, self.watch)

    def block(self, params: tuple[Var, ...], results: tuple[Operand, ...]) -> Block:
        """The finished block."""
        if self.rest is not None:
            message = "an exception is raised here, in the middle of what adxform does itself, that a handler may be for"
            raise UnsupportedOperationError(
                message, span=self.ops[-1].span, help="write it out, as a loop or a function of your own"
            )
        return Block(params, tuple(self.ops), results)

    def splice(self, fn: Function, args: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """Append the body of `fn` with `args` for its parameters; return its results."""
        mapping: dict[Var, Operand] = dict(zip(fn.params, args, strict=True))
        body = Block((), fn.body.ops, fn.body.results)
        own = self.own_lengths(fn, args)
        renamed = rename_block(body, mapping, lambda var: Var(self.names.fresh(var.name), own(var.type)))
        for op in renamed.ops:
            self.emit(op)
        return renamed.results

    def own_lengths(self, fn: Function, args: tuple[Operand, ...]) -> Callable[[Type], Type]:
        """Renames the unknown lengths that the body of `fn` makes, for one splice of it: another splice makes others.

        Those of parameters are the lengths of `args`, whatever these are called there.
        """
        lengths: dict[Size, Size] = {}
        for param, arg in zip(fn.params, args, strict=True):
            if isinstance(arg, Var) and isinstance(param.type, Array) and isinstance(arg.type, Array):
                pairs = zip(param.type.shape or (), arg.type.shape or (), strict=False)
                for size, given in pairs if rank(param.type) == rank(arg.type) else ():
                    lengths.setdefault(size, given)

        def renamed(size: Size) -> Size:
            if not isinstance(size, Dim) or not size.base.startswith("?"):
                return size
            if size not in lengths:
                lengths[size] = moved(renamed(Dim(size.base)), size) if size.offset else Dim(self.names.fresh(size.base))
            return lengths[size]

        def moved(whole: Size, size: Dim) -> Size:
            match whole:
                case int():
                    return max(whole + size.offset, 0)
                case Dim(base, 0):
                    return Dim(base, size.offset)
                case _:
                    return Dim(self.names.fresh(size.base))

        def own(type_: Type) -> Type:
            if not isinstance(type_, Array) or type_.shape is None:
                return type_
            shape = tuple(map(renamed, type_.shape))
            return type_ if shape == type_.shape else Array(type_.dtype, shape)

        return own

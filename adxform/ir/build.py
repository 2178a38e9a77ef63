"""Builds a block op by op."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from adxform.ir.ops import Block, Call, Function, Lit, Op, Operand, Var
from adxform.ir.types import Object, Type
from adxform.ir.walk import Names, rename_block
from adxform.source import NOWHERE, Span


class Builder:
    """Collects the ops of one block; builders of nested blocks share `names`."""

    def __init__(self, names: Names, span: Span = NOWHERE) -> None:
        self.names = names
        self.span = span
        self.ops: list[Op] = []

    def var(self, hint: str, type_: Type | None = None) -> Var:
        """A fresh variable."""
        return Var(self.names.fresh(hint), Object() if type_ is None else type_)

    def emit(self, op: Op) -> None:
        """Append `op`."""
        self.ops.append(op)

    def call(
        self,
        fn: Callable[..., Any],
        *args: Operand,
        type: Type | None = None,  # noqa: A002 - the IR's own word
        hint: str = "t",
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
        return Builder(self.names, self.span)

    def block(self, params: tuple[Var, ...], results: tuple[Operand, ...]) -> Block:
        """The finished block."""
        return Block(params, tuple(self.ops), results)

    def splice(self, fn: Function, args: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """Append the body of `fn` with `args` for its parameters; return its results."""
        mapping: dict[Var, Operand] = dict(zip(fn.params, args, strict=True))
        body = Block((), fn.body.ops, fn.body.results)
        renamed = rename_block(body, mapping, lambda var: Var(self.names.fresh(var.name), var.type))
        self.ops.extend(renamed.ops)
        return renamed.results

"""The shared walks over the IR: what an op reads and defines, how to rename, how to give fresh names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from adxform.ir.ops import (
    Attribute,
    Block,
    Call,
    Closure,
    For,
    Free,
    Function,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
    Pack,
    Raise,
    Var,
    While,
)
from adxform.ir.types import Array, Dim, Type


def outs(op: Op) -> tuple[Var, ...]:
    """The variables that `op` defines in its block."""
    match op:
        case Call(outs=outs) | If(outs=outs) | For(outs=outs) | While(outs=outs) | Invoke(outs=outs):
            return outs
        case Free(out=out) | Attribute(out=out) | Closure(out=out):
            return (out,)
        case Raise():
            return ()
        case _:
            assert_never(op)


def operands(op: Op) -> tuple[Operand, ...]:
    """The operands that `op` itself takes, in order, without those inside its blocks."""
    match op:
        case Call(fn=fn, args=args, kwargs=kwargs):
            return (fn, *args, *(value for _, value in kwargs))
        case Free():
            return ()
        case Attribute(value=value) | Raise(value=value):
            return (value,)
        case Closure(captures=captures, defaults=defaults):
            return (*(value for _, value in captures), *(value for _, value in defaults))
        case If(cond=cond):
            return (cond,)
        case For(source=source, inits=inits):
            return (*source, *inits)
        case While(inits=inits):
            return inits
        case Invoke(args=args):
            return args
        case _:
            assert_never(op)


def blocks(op: Op) -> tuple[Block, ...]:
    """The blocks nested in `op`."""
    match op:
        case If(then=then, orelse=orelse):
            return then, orelse
        case For(body=body):
            return (body,)
        case While(test=test, body=body):
            return test, body
        case _:
            return ()


def variables(operand: Operand) -> Iterator[Var]:
    """The variables in `operand`."""
    match operand:
        case Var():
            yield operand
        case Pack(items=items):
            for item in items:
                yield from variables(item)
        case Lit():
            return
        case _:
            assert_never(operand)


def reads(op: Op) -> Iterator[Var]:
    """The variables that `op` itself takes."""
    for operand in operands(op):
        yield from variables(operand)


def all_ops(block: Block) -> Iterator[Op]:
    """Every op of `block` and of the blocks inside it, in order, an op before its blocks."""
    for op in block.ops:
        yield op
        for inner in blocks(op):
            yield from all_ops(inner)


def free_variables(block: Block) -> dict[Var, None]:
    """The variables that `block` reads from the blocks around it, in order of first use."""
    found: dict[Var, None] = {}
    defined = set(block.params)
    for op in block.ops:
        for var in reads(op):
            if var not in defined:
                found.setdefault(var)
        for inner in blocks(op):
            for var in free_variables(inner):
                if var not in defined:
                    found.setdefault(var)
        defined.update(outs(op))
    for result in block.results:
        for var in variables(result):
            if var not in defined:
                found.setdefault(var)
    return found


def defined_variables(block: Block) -> Iterator[Var]:
    """Every variable defined in `block` or inside it, in order."""
    yield from block.params
    for op in block.ops:
        for inner in blocks(op):
            yield from defined_variables(inner)
        yield from outs(op)


def substitute(operand: Operand, mapping: Mapping[Var, Operand]) -> Operand:
    """`operand` with variables replaced."""
    match operand:
        case Var():
            return mapping.get(operand, operand)
        case Pack(kind, items):
            return Pack(kind, tuple(substitute(item, mapping) for item in items))
        case Lit():
            return operand
        case _:
            assert_never(operand)


def map_op(
    op: Op,
    operand: Callable[[Operand], Operand],
    block: Callable[[Block], Block],
    define: Callable[[Var], Var] = lambda var: var,
) -> Op:
    """`op` rebuilt: `operand` applied to what it takes, `block` to its blocks, `define` to what it defines.

    The parts are visited in that order, so `define` may extend a mapping that `operand` reads.
    """
    match op:
        case Call():
            fn = operand(op.fn)
            args = tuple(map(operand, op.args))
            kwargs = tuple((key, operand(value)) for key, value in op.kwargs)
            return replace(op, fn=fn, args=args, kwargs=kwargs, outs=tuple(map(define, op.outs)))
        case Free():
            return replace(op, out=define(op.out))
        case Attribute():
            return replace(op, value=operand(op.value), out=define(op.out))
        case Closure():
            own = define(op.out)
            captures = tuple((key, operand(value)) for key, value in op.captures)
            defaults = tuple((key, operand(value)) for key, value in op.defaults)
            return replace(op, captures=captures, defaults=defaults, out=own)
        case If():
            cond = operand(op.cond)
            then, orelse = block(op.then), block(op.orelse)
            return replace(op, cond=cond, then=then, orelse=orelse, outs=tuple(map(define, op.outs)))
        case For():
            source, inits = tuple(map(operand, op.source)), tuple(map(operand, op.inits))
            body = block(op.body)
            return replace(op, source=source, inits=inits, body=body, outs=tuple(map(define, op.outs)))
        case While():
            inits = tuple(map(operand, op.inits))
            test, body = block(op.test), block(op.body)
            return replace(op, inits=inits, test=test, body=body, outs=tuple(map(define, op.outs)))
        case Invoke():
            return replace(op, args=tuple(map(operand, op.args)), outs=tuple(map(define, op.outs)))
        case Raise():
            return replace(op, value=operand(op.value))
        case _:
            assert_never(op)


def rename_block(block: Block, mapping: dict[Var, Operand], fresh: Callable[[Var], Var] | None = None) -> Block:
    """`block` with the variables of `mapping` replaced, and every variable it defines made anew by `fresh`."""

    def define(var: Var) -> Var:
        if fresh is None:
            return var
        new = fresh(var)
        mapping[var] = new
        return new

    def operand(value: Operand) -> Operand:
        return substitute(value, mapping)

    def inner(block: Block) -> Block:
        params = tuple(map(define, block.params))
        ops = tuple(map_op(op, operand, inner, define) for op in block.ops)
        return Block(params, ops, tuple(map(operand, block.results)))

    return inner(block)


class Names:
    """Gives variable names that are unique in one function: ``x``, ``x.1``, ``x.2``, …"""

    def __init__(self, taken: Iterable[Var] = ()) -> None:
        self._next: dict[str, int] = {}
        for var in taken:
            self._take(var.name)
            self.reserve_lengths(var.type)

    def reserve_lengths(self, type_: Type) -> None:
        """Take the names of the unknown lengths in `type_`: they are unique in a function too."""
        if isinstance(type_, Array) and type_.shape is not None:
            for size in type_.shape:
                if isinstance(size, Dim) and size.base.startswith("?"):
                    self._take(size.base)

    def _take(self, name: str) -> None:
        base, _, number = name.partition(".")
        self._next[base] = max(self._next.get(base, 0), int(number) + 1 if number.isdigit() else 1)

    @classmethod
    def of(cls, fn: Function) -> Names:
        """The names that are still free in `fn`."""
        return cls(defined_variables(fn.body))

    def fresh(self, hint: str) -> str:
        """A new name on the base of `hint`."""
        base = hint.partition(".")[0]
        number = self._next.get(base, 0)
        self._next[base] = number + 1
        return base if number == 0 else f"{base}.{number}"

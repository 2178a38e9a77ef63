"""The shared walks over the IR: what an op reads and defines, how to rename, how to give fresh names."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar, assert_never

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
from adxform.ir.spans import Span
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
            return (fn, *args, *(value for _, value in kwargs)) if kwargs else (fn, *args)
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
        case Call():
            return ()
        case If(then=then, orelse=orelse):
            return then, orelse
        case For(body=body):
            return (body,)
        case While(test=test, body=body):
            return test, body
        case _:
            return ()


def variables(operand: Operand) -> tuple[Var, ...]:
    """The variables in `operand`."""
    if isinstance(operand, Var):
        return (operand,)
    if isinstance(operand, Lit):
        return ()
    return variables_of(operand.items)


def variables_of(given: Iterable[Operand]) -> tuple[Var, ...]:
    """The variables in all of `given`, in order."""
    found: list[Var] = []
    for operand in given:
        if isinstance(operand, Var):
            found.append(operand)
        elif isinstance(operand, Pack):
            found += variables_of(operand.items)
    return tuple(found)


def reads(op: Op) -> tuple[Var, ...]:
    """The variables that `op` itself takes."""
    if not isinstance(op, Call):
        return variables_of(operands(op))
    try:
        return op.reads
    except AttributeError:
        object.__setattr__(op, "reads", found := variables_of(operands(op)))
    return found


def all_ops(block: Block) -> tuple[Op, ...]:
    """Every op of `block` and of the blocks inside it, in order, an op before its blocks."""
    try:
        return block.inside
    except AttributeError:
        object.__setattr__(block, "inside", found := _all_ops(block))
    return found


def _all_ops(block: Block) -> tuple[Op, ...]:
    found: list[Op] = []
    for op in block.ops:
        found.append(op)
        if not isinstance(op, Call):
            for inner in blocks(op):
                found += all_ops(inner)
    return block.ops if len(found) == len(block.ops) else tuple(found)


def names_read(block: Block, of: Callable[[Op], Iterable[Var]] = reads) -> Iterator[str]:
    """The name of each variable that an op or a result in `block` takes, as often as it is taken; `of` says what an op takes."""
    for op in all_ops(block):
        for var in of(op):
            yield var.name
        for inner in () if isinstance(op, Call) else blocks(op):
            for var in variables_of(inner.results):
                yield var.name
    for var in variables_of(block.results):
        yield var.name


def joins(op: Op) -> Iterator[tuple[Var, Operand]]:
    """The variables that stand for what is given on several paths, and what that is."""
    match op:
        case If(outs=outs, then=then, orelse=orelse):
            return chain(zip(outs, then.results, strict=False), zip(outs, orelse.results, strict=False))
        case For(inits=inits, body=body, breaks=breaks):
            carried = body.params[1:]
            return chain(zip(carried, inits, strict=True), zip(carried, body.results[breaks:], strict=True))
        case While(inits=inits, body=body):
            return chain(zip(body.params, inits, strict=True), zip(body.params, body.results, strict=True))
        case _:
            return iter(())


def contents(fn: Function) -> frozenset[Any]:
    """The classes of the ops of `fn` and of its helpers, and the literal callables that they call."""
    found: set[Any] = set()
    for op in all_ops(fn.body):
        try:
            found.add(op.fn.value if isinstance(op, Call) and isinstance(op.fn, Lit) else type(op))
        except TypeError:  # an object of the user's that has no hash: no pass is about that
            continue
    return frozenset(found.union(*map(contents, fn.helpers)))


def never_ends(block: Block) -> bool:
    """Whether `block` always raises, as far as its last op tells."""
    match block.ops[-1:]:
        case (Raise(),):
            return True
        case (If(then=then, orelse=orelse),):
            return never_ends(then) and never_ends(orelse)
        case _:
            return False


def free_variables(block: Block) -> dict[Var, None]:
    """The variables that `block` reads from the blocks around it, in order of first use."""
    found: dict[Var, None] = {}
    defined = {param.name for param in block.params}
    for op in block.ops:
        for var in reads(op):
            if var.name not in defined:
                found[var] = None
        for inner in () if isinstance(op, Call) else blocks(op):
            for var in free_variables(inner):
                if var.name not in defined:
                    found[var] = None
        for var in outs(op):
            defined.add(var.name)
    for var in variables_of(block.results):
        if var.name not in defined:
            found[var] = None
    return found


def reads_with_blocks(op: Op) -> dict[Var, None]:
    """The variables that `op` takes, and those that its blocks read from around them, in order."""
    if isinstance(op, Call):
        return dict.fromkeys(reads(op))
    return dict.fromkeys((*reads(op), *(var for block in blocks(op) for var in free_variables(block))))


def defined_variables(block: Block) -> Iterator[Var]:
    """Every variable defined in `block` or inside it, in order."""
    found: list[Var] = []
    _define(block, found)
    yield from found


def _define(block: Block, found: list[Var]) -> None:
    found += block.params
    for op in block.ops:
        if isinstance(op, Call):
            found += op.outs
        else:
            for inner in blocks(op):
                _define(inner, found)
            found += outs(op)


def substitute(operand: Operand, mapping: Mapping[Var, Operand]) -> Operand:
    """`operand` with variables replaced; itself where there are none."""
    if isinstance(operand, Var):
        return mapping.get(operand, operand)
    if isinstance(operand, Lit):
        return operand
    items = mapped(operand.items, lambda item: substitute(item, mapping))
    return operand if items is operand.items else Pack(operand.kind, items)


_T = TypeVar("_T")
_O = TypeVar("_O", If, For, While, Invoke)


def mapped(given: tuple[_T, ...], change: Callable[[_T], _T]) -> tuple[_T, ...]:
    """`change` of each item, in order; `given` itself where nothing changed."""
    new = tuple(map(change, given))
    return given if all(map(operator.is_, new, given)) else new


def _same(var: Var) -> Var:
    return var


def changed(op: _O, **parts: Any) -> _O:
    """`op` with other `parts`; itself where they are those that it has."""
    return replace(op, **parts) if any(getattr(op, name) is not part for name, part in parts.items()) else op


def moved_to(op: Op, span: Span) -> Op:
    """`op` at another place."""
    return Call(op.outs, op.fn, op.args, op.kwargs, span) if isinstance(op, Call) else replace(op, span=span)


def map_op(
    op: Op,
    operand: Callable[[Operand], Operand],
    block: Callable[[Block], Block],
    define: Callable[[Var], Var] = _same,
) -> Op:
    """`op` rebuilt: `operand` applied to what it takes, `block` to its blocks, `define` to what it defines.

    The parts are visited in that order, so `define` may extend a mapping that `operand` reads. A call, a branch or a loop that
    stays as it was is the same object.
    """

    def defined(own: tuple[Var, ...]) -> tuple[Var, ...]:
        return own if define is _same else mapped(own, define)

    match op:
        case Call():
            fn, args = operand(op.fn), mapped(op.args, operand)
            kwargs = tuple((key, operand(value)) for key, value in op.kwargs) if op.kwargs else ()
            own = defined(op.outs)
            same = fn is op.fn and args is op.args and own is op.outs and not kwargs
            return op if same else Call(own, fn, args, kwargs, op.span)
        case Free():
            return replace(op, out=define(op.out))
        case Attribute():
            return replace(op, value=operand(op.value), out=define(op.out))
        case Closure():
            out = define(op.out)
            captures = tuple((key, operand(value)) for key, value in op.captures)
            defaults = tuple((key, operand(value)) for key, value in op.defaults)
            return replace(op, captures=captures, defaults=defaults, out=out)
        case If():
            cond = operand(op.cond)
            then, orelse = block(op.then), block(op.orelse)
            return changed(op, cond=cond, then=then, orelse=orelse, outs=defined(op.outs))
        case For():
            source, inits = mapped(op.source, operand), mapped(op.inits, operand)
            body = block(op.body)
            return changed(op, source=source, inits=inits, body=body, outs=defined(op.outs))
        case While():
            inits = mapped(op.inits, operand)
            test, body = block(op.test), block(op.body)
            return changed(op, inits=inits, test=test, body=body, outs=defined(op.outs))
        case Invoke():
            return changed(op, args=mapped(op.args, operand), outs=defined(op.outs))
        case Raise():
            return replace(op, value=operand(op.value))
        case _:
            assert_never(op)


def rename_block(block: Block, mapping: dict[Var, Operand], fresh: Callable[[Var], Var] | None = None) -> Block:
    """`block` with the variables of `mapping` replaced, and every variable it defines made anew by `fresh`."""

    def renew(var: Var) -> Var:
        assert fresh is not None
        mapping[var] = new = fresh(var)
        return new

    define = _same if fresh is None else renew

    def operand(value: Operand) -> Operand:
        return substitute(value, mapping)

    def inner(block: Block) -> Block:
        params = block.params if fresh is None else mapped(block.params, define)
        ops, results = mapped(block.ops, renamed), mapped(block.results, operand)
        same = params is block.params and ops is block.ops and results is block.results
        return block if same else Block(params, ops, results)

    def renamed(op: Op) -> Op:
        is_kept = fresh is None and isinstance(op, Call) and mapping.keys().isdisjoint(reads(op))
        return op if is_kept else map_op(op, operand, inner, define)

    return inner(block)


def rename_callees(fn: Function, names: Mapping[str, str]) -> Function:
    """`fn` and its helpers with the helpers in `names` called otherwise."""

    def inner(block: Block) -> Block:
        return replace(block, ops=tuple(map(renamed, block.ops)))

    def renamed(op: Op) -> Op:
        op = map_op(op, lambda operand: operand, inner)
        return replace(op, callee=names.get(op.callee, op.callee)) if isinstance(op, Invoke) else op

    helpers = tuple(replace(rename_callees(helper, names), name=names.get(helper.name, helper.name)) for helper in fn.helpers)
    return replace(fn, body=inner(fn.body), helpers=helpers)


TAPE = "~tape"
"""What tapes are called after what they hold: no name of a user's has that mark."""
TAPE_SIZE = "?tape_size"
"""What lengths of tapes are called."""


class Names:
    """Gives variable names that are unique in one function: ``x``, ``x.1``, ``x.2``, …"""

    def __init__(self, taken: Iterable[Var] = ()) -> None:
        self._next: dict[str, int] = {}
        self._taken: Iterable[Var] | None = taken

    @classmethod
    def of(cls, fn: Function) -> Names:
        """The names that are still free in `fn`."""
        return cls(defined_variables(fn.body))

    def fresh(self, hint: str) -> str:
        """A new name on the base of `hint`."""
        self._settle()
        base = hint.partition(".")[0]
        number = self._next.get(base, 0)
        self._next[base] = number + 1
        return base if number == 0 else f"{base}.{number}"

    def reserve_lengths(self, type_: Type) -> None:
        """Take the names of the unknown lengths in `type_`: they are unique in a function too."""
        self._settle()
        if isinstance(type_, Array) and type_.shape is not None:
            for size in type_.shape:
                if isinstance(size, Dim) and size.base.startswith("?"):
                    self._take(size.base)

    def _settle(self) -> None:
        """Take the names that are taken from the start, before the first use: many builders never need one."""
        if self._taken is not None:
            taken, self._taken = self._taken, None
            types: dict[Type, None] = {}
            for var in taken:
                self._take(var.name)
                types[var.type] = None
            for type_ in types:
                self.reserve_lengths(type_)

    def _take(self, name: str) -> None:
        base, _, number = name.partition(".")
        following = int(number) + 1 if number.isdigit() else 1
        if following > self._next.get(base, 0):
            self._next[base] = following


def canonical(fn: Function) -> Function:
    """`fn` with its variables named in order, so that functions equal but for names are equal."""
    names = Names()
    return replace(fn, body=rename_block(fn.body, {}, lambda var: Var(names.fresh(var.name), var.type)))


def without_results(fn: Function, count: int) -> Function:
    """`fn` without its first `count` results; it does all that it did."""
    return replace(fn, body=replace(fn.body, results=fn.body.results[count:])) if count else fn

"""Checks, among the ops of a function, of what was believed of its variables: the last pass, under ``ADXFORM_DEBUG=1``.

def f(x: f64[n]):                             def f(x: f64[n]):
    y: f64[n] = np.ndarray.copy(x)                known: object = runtime.Beliefs()
    return y                                      runtime.check_array(known, x, 0, 'float64', ('n',), (), 'x: f64[n]')
                                                  y: f64[n] = np.ndarray.copy(x)
                                                  runtime.check_array(known, y, 1, 'float64', ('n',), (), 'y: …')
                                                  return y
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.kinds import alternatives
from adxform.ir.ops import Block, Call, Function, Lit, Op, Raise, Var
from adxform.ir.spans import Span
from adxform.ir.text import show_op, show_type
from adxform.ir.types import Array, Dim, Scalar
from adxform.ir.undefined import maybe_undefined
from adxform.ir.walk import Names, map_op, outs
from adxform.primitives.alias import Aliases

SAID = 160
"""How many characters of an op a check says."""


def check_beliefs(fn: Function, aliases: Aliases) -> Function:
    """`fn`, of the alias classes `aliases`, and its helpers, with a check of each number and array where it is defined.

    An array is of the dtype and the lengths that its type states, and shares no memory with those of another class; what is
    given to `fn` and not written by it is in the end what it was.
    """
    helpers = tuple(_checked_helper(helper, aliases.helpers) for helper in fn.helpers)
    return replace(_Checker(fn, aliases).function(), helpers=helpers)


def _checked_helper(fn: Function, known: Mapping[str, Aliases]) -> Function:
    helpers = tuple(_checked_helper(helper, known) for helper in fn.helpers)
    return replace(_Checker(fn, known[fn.name]).function(), helpers=helpers)


class _Checker:
    def __init__(self, fn: Function, aliases: Aliases) -> None:
        self.fn = fn
        self.aliases = aliases
        self.names = Names.of(fn)
        self.undefined = maybe_undefined(fn.body)
        self.known = Var(self.names.fresh("known"))

    def function(self) -> Function:
        """The function with checks."""
        fn, aliases = self.fn, self.aliases
        first, last = Builder(self.names, fn.span), Builder(self.names, fn.span)
        first.emit(Call((self.known,), Lit(runtime.Beliefs), (), (), fn.span))
        arrays = [param for param in fn.params if isinstance(param.type, Array) and param not in self.undefined]
        changed = aliases.written | aliases.exposed
        classes = tuple(map(aliases.of, arrays))
        written = tuple(sorted(changed.intersection(classes)))
        first.effect(runtime.check_entry, self.known, Lit(classes), Lit(written), Lit(fn.name), *arrays)
        lengths: set[str] = set()
        first.ops += self.checks(fn.params, lengths, fn.span)
        for param in arrays:
            if aliases.of(param) not in changed:
                before = first.call(runtime.seen, param, type=param.type, hint=f"{param.base}_before")
                last.effect(runtime.check_seen, param, before, Lit(f"{_text(param)}, which `{fn.name}` does not write to"))
        body = self.block(Block((), fn.body.ops, fn.body.results), lengths)
        body = Block(fn.params, (*first.ops, *body.ops, *last.ops), body.results)
        return replace(fn, body=body)

    def block(self, block: Block, lengths: set[str]) -> Block:
        """`block` with checks, where the names `lengths` have a meaning before it."""
        lengths = set(lengths)
        ops: list[Op] = []
        span = block.ops[0].span if block.ops else self.fn.span
        ops += self.checks(block.params, lengths, span)
        for op in block.ops:
            ops.append(map_op(op, lambda operand: operand, lambda inner: self.block(inner, lengths)))
            if not isinstance(op, Raise):
                ops += self.checks(outs(op), lengths, op.span, op)
        return replace(block, ops=tuple(ops))

    def checks(self, found: Iterable[Var], lengths: set[str], span: Span, op: Op | None = None) -> list[Op]:
        """The checks of the variables `found`, which `op` defines; what is a length by then is among `lengths`."""
        b = Builder(self.names, span)
        for var in found:
            said = Lit(_text(var, op))
            match var.type:
                case _ if var in self.undefined:
                    continue
                case Array(dtype, shape):
                    known = shape is not None and (shape or self.aliases.of(var) in self.aliases.written)
                    sizes = tuple(map(_size, shape or ())) if known else None  # NumPy has numbers for arrays without axes
                    named = [size.base for size in shape or () if isinstance(size, Dim)]
                    fresh = tuple(dict.fromkeys(name for name in named if name not in lengths))
                    lengths.update(fresh)
                    where = Lit(self.aliases.of(var)), Lit(dtype), Lit(sizes), Lit(fresh)
                    b.effect(runtime.check_array, self.known, var, *where, said)
                case Scalar() as type_ if not _is_placeholder(op):
                    b.effect(runtime.check_number, var, Lit(_dtypes(type_)), said)
                case _:
                    continue
        return b.ops


def _is_placeholder(op: Op | None) -> bool:
    """Whether `op` may give what stands on a tape for a number of a path that was not taken."""
    return isinstance(op, Call) and op.fn == Lit(intrinsics.pop)


def _dtypes(type_: Scalar) -> tuple[str, ...]:
    """What a number of `type_` may be."""
    return tuple(dict.fromkeys(kind.dtype for kind in (type_.merged or alternatives(type_))))


def _size(size: int | Dim) -> int | str | tuple[str, int]:
    return size if isinstance(size, int) else (size.base, size.offset) if size.offset else size.base


def _text(var: Var, op: Op | None = None) -> str:
    """What a check says of `var`, which `op` defines."""
    text = show_op(op).partition("\n")[0] if isinstance(op, Call) else f"{var.name}: {show_type(var.type)}"
    return text if len(text) <= SAID else f"{text[: SAID - 1]}…"

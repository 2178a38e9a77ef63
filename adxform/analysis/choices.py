"""Which values a program may leave out: by `np.where`, a mask, a maximum, a branch not taken, a pass that replaces them.

The cotangent of such a value is exactly zero where it is left out, and the value itself may have overflowed there, or be NaN:
that is often why it is left out. Reverse mode then multiplies by a slope that is not finite, and has to see to it that the
product is zero (`adxform.analysis.slopes`). What the results depend on along a way without a choice is never left out: where
it is not finite, neither are they.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterable

import numpy as np

from adxform import runtime
from adxform.analysis.activity import followed
from adxform.ir.ops import Block, Call, For, Function, If, Invoke, Lit, Op, Operand, Var, While
from adxform.ir.types import Array
from adxform.ir.walk import all_ops, never_ends, outs, variables
from adxform.rules.alias import Aliases
from adxform.rules.effects import effect_of
from adxform.rules.memory import index_kind

Functions = frozenset[Callable[..., object]]
COMPARING: Functions = frozenset(
    {
        *(builtins.max, builtins.min, np.maximum, np.minimum, np.fmax, np.fmin, np.clip, np.ndarray.clip),
        *(np.nan_to_num, np.heaviside),
    }
)
"""Elementwise functions whose slopes are one where an argument is taken, and zero where it is left out."""
EXTREMES: Functions = frozenset({np.max, np.min, np.amax, np.amin, np.ndarray.max, np.ndarray.min, np.nansum, np.nanmean})
PICKING: Functions = frozenset(
    {
        *(np.where, np.take, np.ndarray.take, np.take_along_axis, np.triu, np.tril, runtime.gather_last),
        *(np.diagonal, np.ndarray.diagonal, runtime.diagonal, np.trace, np.ndarray.trace),
    }
)
CHOOSING = COMPARING | EXTREMES | PICKING


def left_out(fn: Function, aliases: Aliases) -> frozenset[Var]:
    """The variables of `fn`, with alias classes `aliases`, on which its results depend along no way without a choice.

    >>> from adxform.ir.text import read
    >>> from adxform.rules.alias import alias_classes
    >>> fn = read('''
    ... def f(c: bool, x: f64):
    ...     a: f64 = numpy.exp(x)
    ...     b: f64 = numpy.sin(a)
    ...     d: f64 = builtins.max(x, b)
    ...     return d''')
    >>> sorted(var.name for var in left_out(fn, alias_classes(fn)))
    ['a', 'b']
    """
    if not any(map(_may_choose, all_ops(fn.body))):
        return frozenset()
    uses = _Uses(aliases)
    uses.block(fn.body, fn.results)
    return frozenset(uses.left)


def chooses(call: Call) -> bool:
    """Whether `call` leaves out elements of its first argument, or of all that it picks from."""
    return isinstance(call.fn, Lit) and call.fn.value in CHOOSING


def _may_choose(op: Op) -> bool:
    return not isinstance(op, Call) or chooses(op) or _takes_by_array(op) or _is_masked_store(op)


def _takes_by_array(call: Call) -> bool:
    return call.fn == LOAD and index_kind(call.args[1]) == "fancy"


def _is_masked_store(call: Call) -> bool:
    """Whether `call` replaces the elements of an array that a mask chooses."""
    if call.fn != STORE:
        return False
    index = call.args[1]
    return isinstance(index, Var) and isinstance(index.type, Array) and index.type.dtype == "bool"


class _Uses:
    """What is used, without a choice, by the ops after the current one; of memory that is written, as a whole."""

    def __init__(self, aliases: Aliases) -> None:
        self.aliases = aliases
        self.used: set[Var | int] = set()
        self.left: set[Var] = set()

    def name(self, var: Var) -> Var | int:
        """What stands for `var` among those that are used."""
        number = self.aliases.of(var)
        return number if number in self.aliases.written else var

    def add(self, operands: Iterable[Operand]) -> None:
        """Note that `operands` are used."""
        self.used.update(self.name(var) for operand in operands for var in variables(operand))

    def wants(self, operand: Operand) -> bool:
        """Whether a variable of `operand` is used."""
        return any(self.name(var) in self.used for var in variables(operand))

    def block(self, block: Block, results: Iterable[Operand]) -> None:
        """Go through `block` from its end, of which `results` are used."""
        self.add(results)
        for op in reversed(block.ops):
            self.left.update(out for out in outs(op) if not self.wants(out))
            match op:
                case Call():
                    self.call(op)
                case If():
                    self.branch(op)
                case For(outs=outs_, inits=inits, body=body, breaks=breaks):
                    self.loop(outs_, inits, body, body.params[1:], body.results[breaks:])
                case While(outs=outs_, inits=inits, body=body):
                    self.loop(outs_, inits, body, body.params, body.results)
                case Invoke(args=args) if any(map(self.wants, (*op.outs, *args))):
                    self.add(args)
                case _:
                    pass

    def call(self, call: Call) -> None:
        """What `call` uses, but for what it chooses from."""
        written = [call.args[place] for place in effect_of(call).writes]
        if not any(map(self.wants, (*call.outs, *written))):
            return
        if _is_masked_store(call):
            self.used.difference_update(self.name(var) for var in variables(call.args[0]))
            self.add(call.args[2:])
        elif not chooses(call) and not _takes_by_array(call):
            self.add(followed(call))

    def branch(self, op: If) -> None:
        """What both sides of `op` use, or the one that does not raise."""
        wanted = [place for place, out in enumerate(op.outs) if self.wants(out)]
        after = self.used
        found: list[set[Var | int]] = []
        for side in (op.then, op.orelse):
            self.used = set(after)
            self.block(side, [side.results[place] for place in wanted] if side.results else ())
            if not never_ends(side):
                found.append(self.used)
        self.used = set.intersection(*found) if found else after

    def loop(
        self,
        outs_: tuple[Var, ...],
        inits: tuple[Operand, ...],
        body: Block,
        params: tuple[Var, ...],
        results: tuple[Operand, ...],
    ) -> None:
        """What the passes of a loop use; they use what they hand on where something does, and no pass replaces it unread."""
        after, left, carried = self.used, self.left, [self.wants(out) for out in outs_]
        between: set[Var | int] = set()
        grows = True
        while True:
            self.used, self.left = after | between, set(left)
            self.block(body, [result for result, used in zip(results, carried, strict=True) if used])
            read = list(map(self.wants, params))
            more = {name for name in self.used if isinstance(name, int)}
            grows = grows and (more > between or any(now and not was for was, now in zip(carried, read, strict=True)))
            if not grows and not any(was and not now for was, now in zip(carried, read, strict=True)):
                break
            between |= more
            join = operator.or_ if grows else operator.and_
            carried = [join(was, now) for was, now in zip(carried, read, strict=True)]
        self.used |= after
        self.add(init for init, used in zip(inits, carried, strict=True) if used)


LOAD, STORE = Lit(operator.getitem), Lit(operator.setitem)

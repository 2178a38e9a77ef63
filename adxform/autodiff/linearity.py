"""Whether a pullback is linear in its cotangent, as far as its operations tell: forward mode is its transpose, and needs that.

A pullback may fail to be linear in two ways. It may multiply its cotangent by itself, put it through a function or ask how large
it is: reverse mode takes that as it is (it clips gradients, say), and no tangent follows from it. Or it may add to what it makes
of its cotangent something else, so that zero has a derivative: that is no derivative of anything in either mode. Whether it does
may be for the run to tell: an array that held something else may be filled by then (`adxform.autodiff.trial`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import reduce
from typing import Any, assert_never

import numpy as np

from adxform.analysis.dependence import Dependence, find_dependence
from adxform.errors import MissingRuleError
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
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
from adxform.ir.walk import all_ops, blocks, outs, variables_of
from adxform.primitives.alias import Aliases, alias_classes
from adxform.primitives.effects import effect_of, has_memory, positions, writes
from adxform.primitives.facets import ADDITIVE, Algebra
from adxform.primitives.memory import STORES
from adxform.primitives.record import Constant, General, Linear, Memory, Partials, Primitive
from adxform.primitives.table import meaning_of, record_called, record_of
from adxform.primitives.unruled import is_users, title


class Part(Enum):
    """What a value is as a function of the cotangent: whether it moves with it, and whether there is something more in it.

    Of what is `OPEN` or `DOUBTFUL` only the run tells whether there is.
    """

    ZERO = (False, 0)
    LINEAR = (True, 0)
    OPEN = (False, 1)
    DOUBTFUL = (True, 1)
    FIXED = (False, 2)
    SHIFTED = (True, 2)

    @property
    def moves(self) -> bool:
        """Whether it depends on the cotangent."""
        return self.value[0]

    @property
    def more(self) -> int:
        """Whether there is in it what does not: no (0), perhaps (1), yes (2)."""
        return self.value[1]

    def __add__(self, other: Part) -> Part:
        return Part((self.moves or other.moves, max(self.more, other.more)))

    def __or__(self, other: Part) -> Part:
        """What is one or the other, in all places or in some."""
        return Part((self.moves or other.moves, self.more if self.more == other.more else 1))


MOVING = tuple(part for part in Part if part.moves)
STORING: frozenset[Any] = STORES | {np.add.at, intrinsics.push}
FILLING = ("constant_values", "end_values")


@dataclass(frozen=True, slots=True)
class Linearity:
    """What each result of a pullback is, and whether all of them are at most linear and something more."""

    results: tuple[Part, ...]
    linear: bool

    @property
    def doubtful(self) -> tuple[int, ...]:
        """The places of the results of which only the run tells whether they are zero where the cotangent is."""
        return tuple(place for place, part in enumerate(self.results) if part.more == 1)


def read_pullback(pullback: Function, count: int, is_linear: Callable[[Call], bool]) -> Linearity:
    """How the results of `pullback` depend on its cotangents, which are its last `count` parameters.

    `is_linear` says it of calls of functions with users' rules.
    """
    return read_linear(pullback, pullback.params[-count:], is_linear)


def read_linear(fn: Function, given: Sequence[Var], is_linear: Callable[[Call], bool]) -> Linearity:
    """As `read_pullback`, of any function and its parameters `given`."""
    found = _read(fn, given, Part.LINEAR, is_linear)
    return Linearity(tuple(map(found.of, fn.results)), found.linear)


def zeros_of(pullback: Function, unused: Sequence[Var], is_linear: Callable[[Call], bool]) -> frozenset[Var]:
    """The variables of `pullback` that are zero where its parameters `unused` are, whatever the others are."""
    found = _read(pullback, unused, Part.ZERO, is_linear)
    return frozenset(var for var, part in found.parts.items() if isinstance(var, Var) and part is Part.ZERO)


def _read(pullback: Function, given: Sequence[Var], part: Part, is_linear: Callable[[Call], bool]) -> _Reader:
    """What `pullback` makes of its parameters `given`, which are `part`."""
    places = [place for place, param in enumerate(pullback.params) if param in given]
    found = _Reader(alias_classes(pullback), find_dependence(pullback, places), is_linear)
    found.valued = _valued(pullback)
    found.parts.update(dict.fromkeys(pullback.params, Part.FIXED))
    for param in given:
        found.define(param, part)
    found.block(pullback.body)
    return found


def refuse_shifted(body: Callable[..., Any], pullback: Function, reading: Linearity, span: Span, *, doubt: bool = False) -> None:
    """Raise where a pullback returns for a cotangent of zero something else than zero, or where there is `doubt` of it as well.

    Raises:
        MissingRuleError: it does so.
    """
    for place, part in enumerate(reading.results):
        if pullback.results[place] == Lit(None) or part.more + doubt < 2:
            continue
        verb = ("add", "return")[not part.moves]
        verb = f"may {verb}" if part.more == 1 else f"{verb}s"
        what = "to its cotangent what does not depend on it" if part.moves else "what does not depend on its cotangent"
        message = f"the pullback of {title(body)} {verb} {what}, so that zero would have a derivative"
        raise MissingRuleError(message, span=span, help="return what is linear in the cotangent, zeros where it is zero")


def refuse_nonlinear(op: Call, reading: Linearity) -> None:
    """Raise where the pullback of a user's rule multiplies its cotangent by itself, puts it through a function or compares it.

    Raises:
        MissingRuleError: it does so.
    """
    if reading.linear:
        return
    assert isinstance(op.fn, Lit)
    name = getattr(op.fn.value, "__name__", "the function")
    message = f"the pullback of the rule of `{name}` is not linear in its cotangent, so that no tangent follows from it"
    raise MissingRuleError(message, span=op.span, help="state the tangent too: `adxform.rule(f, tangent=…)`")


@dataclass(slots=True)
class _Reader:
    """Reads ops in order. What is written counts by its memory, all else by its variable."""

    aliases: Aliases
    dependence: Dependence
    is_linear: Callable[[Call], bool]
    parts: dict[Var | int, Part] = field(default_factory=dict)
    linear: bool = True
    valued: frozenset[Var] = frozenset()

    def key(self, var: Var) -> Var | int:
        """Under what `parts` has `var`."""
        if not has_memory(var) or not self.aliases.knows(var):
            return var
        class_ = self.aliases.of(var)
        return class_ if class_ in self.aliases.written else var

    def define(self, var: Var, part: Part) -> None:
        """Note what `var` is, whose memory may be that of others."""
        key = self.key(var)
        self.parts[key] = part if isinstance(key, Var) else self.parts.get(key, Part.ZERO) + part

    def of(self, operand: Operand) -> Part:
        """What `operand` is; of a tuple or a list, all of its items together."""
        match operand:
            case Var():
                return self.parts.get(self.key(operand), Part.FIXED)
            case Lit(value):
                return Part.ZERO if isinstance(value, int | float | np.generic) and value == 0 else Part.FIXED
            case Pack(items=items):
                return self.sum(items)

    def sum(self, operands: Iterable[Operand]) -> Part:
        """What the sum of `operands` is."""
        return reduce(operator.add, map(self.of, operands), Part.ZERO)

    def block(self, block: Block) -> None:
        """Read the ops of `block`."""
        for op in block.ops:
            self.op(op)

    def op(self, op: Op) -> None:
        """Read one op."""
        if self.dependence.is_forked(op):
            self.linear = False
            self.parts.update(dict.fromkeys(self.chosen(op), Part.LINEAR))
            return
        match op:
            case Call():
                self.call(op)
            case If(results, _, then, orelse):
                before = dict(self.parts)
                self.block(then)
                after, self.parts = self.parts, before
                self.block(orelse)
                self.merge(after)
                for out, one, other in zip(results, then.results, orelse.results, strict=True):
                    self.define(out, self.of(one) | self.of(other))
            case For(results, _, inits, body, breaks):
                self.define(body.params[0], Part.FIXED)
                self.loop(results, inits, (body,), body.params[1:], body.results[breaks:])
            case While(results, inits, test, body):
                for param, init in zip(test.params, inits, strict=True):
                    self.define(param, self.of(init))
                self.loop(results, inits, (test, body), body.params, body.results)
            case Invoke():
                moves = any(self.of(arg) in MOVING for arg in op.args)
                for out in op.outs:
                    self.define(out, Part.LINEAR if moves else Part.FIXED)
            case Raise():
                pass
            case Free() | Attribute() | Closure():
                raise AssertionError("untyped IR has no cotangents")
            case _:
                assert_never(op)

    def chosen(self, op: Op) -> Iterator[Var | int]:
        """What is one thing or another by the control flow of `op`: nothing more is said of it than that it depends."""
        for var in (*outs(op), *writes(op), *(out for block in blocks(op) for inner in all_ops(block) for out in outs(inner))):
            yield self.key(var)

    def merge(self, other: dict[Var | int, Part]) -> None:
        """Take what another path says of memory as well."""
        for key, part in other.items():
            self.parts[key] = self.parts[key] | part if key in self.parts else part

    def loop(
        self,
        results: tuple[Var, ...],
        inits: tuple[Operand, ...],
        blocks: tuple[Block, ...],
        params: tuple[Var, ...],
        carried: tuple[Operand, ...],
    ) -> None:
        """Read a loop until its iterations say no more."""
        now = [self.of(init) for init in inits]
        settled = False
        while not settled:
            before = dict(self.parts), list(now)
            for param, part in zip(params, now, strict=True):
                self.define(param, part)
            for block in blocks:
                self.block(block)
            self.merge(before[0])
            now = [part | self.of(operand) for part, operand in zip(now, carried, strict=True)]
            settled = (self.parts, now) == before
        for out, part in zip(results, now, strict=True):
            self.define(out, part)

    def call(self, op: Call) -> None:
        """Read a call: what it returns, and what it leaves in what it writes."""
        record = record_called(op)
        written = positions(op, effect_of(op).writes)
        if written:
            self.store(op, written)
            return
        part = self.value(op, record)
        if record is not None and record.fn is intrinsics.own and self.valued.issuperset(op.outs):
            part = Part.LINEAR  # how it moves is said where it gets its movement
        elif record is not None and isinstance(record.derivative, Constant) and effect_of(op).reads and self.asks(op):
            self.linear, part = False, Part.LINEAR
        for out in op.outs:
            self.define(out, part)

    def asks(self, op: Call) -> bool:
        """Whether what a call is given depends on the cotangent."""
        return bool(self.dependence.level(*op.args, *(value for _, value in op.kwargs)))

    def store(self, op: Call, written: tuple[Var, ...]) -> None:
        """What is written may be written over as a whole, or in part, or be added to."""
        match op:
            case Call(fn=Lit(operator.setitem), args=(Var() as target, index, value)) if self.replaces(target, index):
                self.parts[self.key(target)] = self.of(value)
                return
            case Call(fn=Lit(fn), args=(_, *index, _)) if fn in STORING and any(self.of(where) in MOVING for where in index):
                self.linear = False
                part = Part.LINEAR
            case Call(fn=Lit(fn), args=(_, *index, value)) if fn in STORING:
                part = self.of(value)
                if fn is not operator.setitem:
                    added = part if fn is intrinsics.push or all(map(_is_whole, index)) else part | Part.ZERO
                    for var in (*written, *op.outs):
                        self.define(var, added)
                    return
            case Call(fn=Lit(intrinsics.pop), args=(Var() as stack, *_)):
                taken = self.of(stack)
                for out in op.outs:
                    self.define(out, Part.DOUBTFUL if taken is Part.SHIFTED else taken)
                return
            case _:
                given = variables_of((*op.args, *(value for _, value in op.kwargs)))
                part = Part.LINEAR if any(self.of(var) in MOVING for var in given) else Part.FIXED
        for var in (*written, *op.outs):  # what was there may be there still
            self.parts[self.key(var)] = self.of(var) | part if var in written else part

    def replaces(self, target: Var, index: Operand) -> bool:
        """Whether a store at `index` leaves nothing of what `target` held: it is all of an array, and no other has its name."""
        class_ = self.aliases.of(target)
        return _is_whole(index) and self.aliases.members(class_)[0] == target and not self.aliases.has_phi(class_)

    def value(self, op: Call, record: Primitive | None) -> Part:
        """What a call returns."""
        args = tuple(map(self.of, op.args))
        moving = [place for place, part in enumerate(args) if part in MOVING]
        named = [value for _, value in op.kwargs if self.of(value) in MOVING]
        if record is None or record.derivative is None:
            return Part.LINEAR if moving or named else Part.FIXED
        match record.derivative:
            case Memory():
                taken = args[0] if args else Part.ZERO
                return Part.DOUBTFUL if taken is Part.SHIFTED else taken  # some elements are not all of them
            case Constant() if record.blank:
                return Part.ZERO
            case Constant():
                return Part.FIXED
            case Partials():
                return self.elementwise(op, record.fn, args, moving)
            case Linear(transposes):
                return self.multilinear([args[place] for place in transposes if place < len(args)])
            case General() as rule:
                return self.general(op, rule, moving, named)
            case _:
                assert_never(record.derivative)

    def elementwise(self, op: Call, fn: Any, args: tuple[Part, ...], moving: list[int]) -> Part:
        """What an elementwise function of `args` returns."""
        if fn is intrinsics.valued:
            return args[1]
        algebra = meaning_of(fn).algebra
        if algebra is Algebra.DIFFERENCE and op.args[0] == op.args[1]:
            return Part.ZERO
        if algebra in ADDITIVE:
            cancels = sum(part.more == 2 for part in args) > 1  # perhaps: `x - 1.0 * x`
            return Part((bool(moving), 1)) if cancels else reduce(operator.add, args)
        if algebra is Algebra.PRODUCT or (algebra is Algebra.QUOTIENT and moving in ([], [0])):
            return self.multilinear(list(args[:1] if algebra is Algebra.QUOTIENT else args))
        self.linear &= not moving
        return Part.LINEAR if moving else Part.FIXED if Part.FIXED in args else Part.OPEN

    def multilinear(self, parts: list[Part]) -> Part:
        """What is linear in each of several operands, of which one may depend on the cotangent."""
        if Part.ZERO in parts:
            return Part.ZERO
        moving = [part for part in parts if part in MOVING]
        self.linear &= len(moving) < 2
        if len(moving) > 1:
            return Part.LINEAR if all(part is Part.LINEAR for part in moving) else Part.DOUBTFUL
        return (moving or [Part.OPEN if Part.OPEN in parts else Part.FIXED])[0]

    def general(self, op: Call, rule: General, moving: list[int], named: list[Operand]) -> Part:
        """What a function with a value and a pullback returns."""
        fn = callee(op)
        if fn is np.where and len(op.args) == 3:
            return self.chosen_from(*op.args)
        places = record_of(fn).linear_in
        if places and not named and all(self.of(op.args[place]) is Part.ZERO for place in places if place < len(op.args)):
            return Part.ZERO
        if named or not moving:
            self.linear &= not named
            return Part.LINEAR if named else Part.FIXED
        if is_users(rule.body):
            self.linear &= self.is_linear(op)
            return self.of(op.args[moving[0]])
        if fn is np.linalg.multi_dot:
            return self.multilinear([self.of(leaf) for leaf in variables_of(op.args)])
        if not set(moving) <= set(places):  # nothing more is said of it than that it depends
            self.linear = False
            return Part.LINEAR
        filling = (value for key, value in op.kwargs if key in FILLING)
        return self.sum((*(op.args[place] for place in places), *filling))

    def chosen_from(self, condition: Operand, one: Operand, other: Operand) -> Part:
        """What `np.where` returns: what is chosen by the cotangent depends on it, whatever it is."""
        if self.dependence.level(condition):
            self.linear = False
            return Part.LINEAR
        return self.of(one) | self.of(other)


def _valued(pullback: Function) -> frozenset[Var]:
    """The own values of functions, whole or in items, whose movement is told apart from them."""
    calls = [op for op in all_ops(pullback.body) if isinstance(op, Call)]
    found = {op.args[0] for op in calls if op.fn == Lit(intrinsics.valued)}
    taken = {op.args[0] for op in calls if op.fn == Lit(operator.getitem) and found.issuperset(op.outs)}
    return frozenset(var for var in found | taken if isinstance(var, Var))


def _is_whole(index: Operand) -> bool:
    """Whether `index` stands for all elements."""
    every = Pack("slice", (Lit(None), Lit(None), Lit(None)))
    items = index.items if isinstance(index, Pack) and index.kind == "tuple" else (index,)
    return all(item in (Lit(...), Lit(()), every) for item in items)

"""Which values are written where they are used, instead of being given a name.

A value that is used once, in its own block, moves into the expression that uses it if nothing between may change what it
reads, the line stays short, and the user gave it no name. A call that raises where its derivatives do not, such as `math.log`,
moves past nothing that may raise another error, as ``1.0 / t`` does. A conditional with nothing but expressions in its branches
becomes ``a if c else b``, ``a and b`` or ``a or b``, with what its branches compute still computed only there.

    t = operator.mul(u, 2.0)
    t.1 = operator.getitem(x, i)        x[j] = u * 2.0 + x[i]
    t.2 = operator.add(t, t.1)
    operator.setitem(x, j, t.2)
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, assert_never

from adxform import runtime
from adxform.backends.python.syntax import CARRIED_ENDINGS, NEW_NAMES, is_machinery, is_temporary, label_width
from adxform.errors import VerificationError
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
from adxform.ir.types import INT, Scalar
from adxform.ir.walk import all_ops, blocks, operands, reads, variables, variables_of
from adxform.primitives.alias import Aliases
from adxform.primitives.definitions import OWN_VALUES
from adxform.primitives.effects import effect_of, has_memory, positions
from adxform.primitives.memory import ACCESSES
from adxform.primitives.table import record_of

_BORDERS = (intrinsics.turning_point, runtime.entered, runtime.left)
"""What nothing is written across: what is computed in a ``with`` stays there."""
WIDTH = 92
DEPTH = 9
SMALL = 8


@dataclass(frozen=True, slots=True)
class Folding:
    """`values`: folded variables and the ops that compute them. `conditionals`: outs of each `If` that is an expression."""

    values: Mapping[Var, Op]
    conditionals: frozenset[Var]

    def is_expression(self, op: Op) -> bool:
        """Whether `op` is an `If` that is written as an expression."""
        return isinstance(op, If) and len(op.outs) == 1 and op.outs[0] in self.conditionals

    def leaves(self, operand: Operand) -> Iterator[Var]:
        """The variables that `operand` reads by name once folded values are written out."""
        for var in variables(operand):
            op = self.values.get(var)
            if op is None:
                yield var
            else:
                yield from self.reads(op)

    def reads(self, op: Op) -> Iterator[Var]:
        """The variables that `op`, an expression or the head of a statement, reads by name."""
        for operand in operands(op):
            yield from self.leaves(operand)
        if self.is_expression(op):
            for block in blocks(op):
                for result in block.results:
                    yield from self.leaves(result)


class _Reach(NamedTuple):
    """What some code may touch: alias classes read and written; `opaque`: it may do anything.

    `fails`: it may raise where numbers leave its domain; `guards`: so it does ahead of what comes after it.
    """

    reads: frozenset[int] = frozenset()
    writes: frozenset[int] = frozenset()
    opaque: bool = False
    fails: bool = False
    guards: bool = False

    def __or__(self, other: _Reach) -> _Reach:
        return _Reach(
            self.reads | other.reads,
            self.writes | other.writes,
            self.opaque or other.opaque,
            self.fails or other.fails,
            self.guards or other.guards,
        )


NOTHING = _Reach()
ANYTHING = _Reach(opaque=True)
FAILING = _Reach(fails=True)
GUARDING = _Reach(fails=True, guards=True)


class _Waiting(NamedTuple):
    """A value that may still move: its op, what it touches, how wide and deep it is written, where it stood."""

    op: Op
    reach: _Reach
    width: int
    depth: int
    at: int


@dataclass(slots=True)
class _Scratch:
    values: dict[Var, Op] = field(default_factory=dict)
    conditionals: set[Var] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Walked:
    """A block after folding: what it touches, how many statements stay, how wide and deep its foldable results are."""

    reach: _Reach
    statements: int
    width: int
    depth: int


def fold(fn: Function, aliases: Aliases) -> Folding:
    """What is written in place in the body of `fn`."""
    walk = _Fold(fn, aliases)
    scratch = _Scratch(dict(_offsets(fn.body)))
    walk.block(fn.body, scratch, range(len(fn.results)), 1)
    return Folding(scratch.values, frozenset(scratch.conditionals))


class _Fold:
    def __init__(self, fn: Function, aliases: Aliases) -> None:
        self.aliases = aliases
        self.uses: Counter[Var] = Counter()
        self.uses.update(variables_of(fn.results))
        self.uses.update(var for op in all_ops(fn.body) for var in reads(op))
        for op in all_ops(fn.body):
            for block in blocks(op):
                for operand in block.results:
                    if not (isinstance(op, If) and operand == op.cond):
                        self.uses.update(variables(operand))

    def block(self, block: Block, scratch: _Scratch, results: Iterable[int], depth: int) -> _Walked:
        """Fold inside `block`; results at the positions `results` may be folded values. `depth` is its indentation."""
        walk = _BlockFold(self, scratch, depth)
        for at, op in enumerate(block.ops):
            walk.visit(op, at)
        taken = walk.take(tuple(block.results[k] for k in results), WIDTH - 4 * depth)
        return _Walked(walk.reach, len(block.ops) - walk.moved, taken.width, taken.depth)

    def loop_body(self, op: For | While, scratch: _Scratch, depth: int) -> _Reach:
        """Fold inside the body of a loop, also into what it carries to the next iteration where a name would be in the way."""
        body = op.body
        walk = _BlockFold(self, scratch, depth)
        for at, inner in enumerate(body.ops):
            walk.visit(inner, at)
        breaks = isinstance(op, For) and op.breaks
        carried = body.params[isinstance(op, For) :]
        width_left = WIDTH - 4 * depth
        for k, (param, result) in enumerate(zip(carried, body.results[breaks:], strict=True)):
            others = (*body.results[:breaks], *(r for n, r in enumerate(body.results[breaks:]) if n != k))
            if isinstance(result, Var) and result in walk.waiting:
                late = walk.last_read.get(param, -1) > walk.waiting[result].at
                if late or any(param in variables(other) for other in others):
                    walk.take((result,), width_left)
        if breaks and isinstance(body.results[0], Var) and body.results[0] in walk.waiting:
            keep = walk.waiting[body.results[0]].op
            if not set(body.params) & set(Folding(scratch.values, frozenset(scratch.conditionals)).reads(keep)):
                walk.take(body.results[:1], width_left)
        return walk.reach


class _Taken(NamedTuple):
    reach: _Reach
    width: int
    depth: int


class _BlockFold:
    """One pass over the ops of a block, with the values that may still move, also by the classes they touch and write."""

    def __init__(self, fold: _Fold, scratch: _Scratch, depth: int) -> None:
        self.fold = fold
        self.scratch = scratch
        self.depth = depth
        self.waiting: dict[Var, _Waiting] = {}
        self.touching: dict[int, list[Var]] = {}
        self.storing: dict[int, list[Var]] = {}
        self.guarding: list[Var] = []
        self.last_read: dict[Var, int] = {}
        self.reads: set[int] = set()
        self.writes: set[int] = set()
        self.opaque = False
        self.fails = False
        self.guards = False
        self.moved = 0

    @property
    def reach(self) -> _Reach:
        """What the block so far may touch."""
        return _Reach(frozenset(self.reads), frozenset(self.writes), self.opaque, self.fails, self.guards)

    def take(self, wanted: tuple[Operand, ...], width_left: int) -> _Taken:
        """Write waiting values into an expression with these operands, the narrow ones first, as far as `width_left` goes."""
        plain = sum(map(_width, wanted))
        found = [var for var in variables_of(wanted) if var in self.waiting]
        reach, depth = NOTHING, 0
        if len(found) > 1:
            self.keep_ahead(found)
            found.sort(key=lambda var: (self.waiting[var].reach.guards, self.waiting[var].width))
        for var in found:
            value = self.waiting.get(var)
            if value is None:
                continue
            grown = plain - _width(var) + value.width
            if (grown > width_left and value.width > _width(var)) or value.depth >= DEPTH:
                self.stays(value.reach, value.at)
                continue
            plain = grown
            depth = max(depth, value.depth)
            reach = value.reach if reach is NOTHING else reach | value.reach
            self.scratch.values[var] = value.op
            self.moved += 1
            del self.waiting[var]
        return _Taken(reach, plain, depth + 1)

    def keep_ahead(self, found: list[Var]) -> None:
        """Fix what raises first where an expression would compute after it what is computed before it: take it out of `found`."""
        ahead = [self.waiting[var] for var in found]
        for k, (var, value) in enumerate(zip(tuple(found), ahead, strict=True)):
            if value.reach.guards and any(other.reach.fails and other.at > value.at for other in ahead[:k]):
                self.waiting.pop(var, None)
                self.stays(value.reach, value.at)
        found[:] = [var for var in found if var in self.waiting]

    def stays(self, reach: _Reach, at: int) -> None:
        """Fix in place what raises first, if code that touches `reach` stays at the place `at`, where it may raise."""
        if self.guarding and (reach.fails or reach.opaque):
            for var in [var for var in self.guarding if var in self.waiting and self.waiting[var].at < at]:
                del self.waiting[var]
            self.guarding = [var for var in self.guarding if var in self.waiting]

    def visit(self, op: Op, at: int) -> None:
        """Fold into `op`, drop what it disturbs, and let it wait if it may move itself."""
        self.read(reads(op), at)
        if isinstance(op, Call):
            self.call(op, at)
            return
        for block in blocks(op):
            for inner in all_ops(block):
                self.read(reads(inner), at)
                for nested in blocks(inner):
                    self.read(variables_of(nested.results), at)
            self.read(variables_of(block.results), at)
        match op:
            case If():
                self.conditional(op, at)
            case For() | While():
                taken = self.take(op.source, self.width_left(op)) if isinstance(op, For) else _Taken(NOTHING, 0, 0)
                reach = taken.reach
                if isinstance(op, While):
                    reach |= self.fold.block(op.test, self.scratch, (0,), self.depth).reach
                reach |= self.fold.loop_body(op, self.scratch, self.depth + 1)
                self.stays(reach, at)
                self.disturb(reach)
            case Invoke(args=args):
                self.take(args, self.width_left(op))
                self.stays(ANYTHING, at)
                self.disturb(ANYTHING)
            case Raise(value=value):
                self.take((value,), self.width_left(op))
                self.stays(ANYTHING, at)
                self.disturb(ANYTHING)
            case Free() | Attribute() | Closure():
                raise VerificationError("untyped IR cannot be emitted", span=op.span)
            case _:
                assert_never(op)

    def call(self, op: Call, at: int) -> None:
        """A call: its value waits if it may be written where it is used."""
        if op.outs and op.outs[0] in self.scratch.values:
            self.moved += 1
            return
        if callee(op) in _BORDERS:
            self.waiting.clear()
        if callee(op) is intrinsics.turning_point:
            return
        taken = self.take((*op.args, *(value for _, value in op.kwargs)) if op.kwargs else op.args, self.width_left(op))
        own = self.reach_of(op)
        reach = own if taken.reach is NOTHING else taken.reach | own
        self.disturb(reach)
        if self.wanted_once(op) and _may_move(op, reach):
            self.wait(op, _Taken(reach, taken.width + label_width(op), taken.depth), at)
        else:
            self.stays(reach, at)

    def conditional(self, op: If, at: int) -> None:
        """An `If`: an expression if its branches are, else a statement."""
        echoed = op.cond in (*op.then.results, *op.orelse.results)
        if len(op.outs) == 1 and is_small(op):
            scratch = _Scratch()
            then, orelse = (self.fold.block(block, scratch, (0,), self.depth) for block in (op.then, op.orelse))
            width = _width(op.cond) + then.width + orelse.width + 10
            reach = then.reach | orelse.reach
            is_short = width <= self.width_left(op) - 10 and (is_temporary(op.outs[0]) or is_flat(op))
            if is_short and not (then.statements or orelse.statements or reach.writes or reach.opaque):
                self.scratch.values |= scratch.values
                self.scratch.conditionals |= scratch.conditionals
                self.scratch.conditionals.add(op.outs[0])
                taken = self.take((op.cond,), self.width_left(op) - then.width - orelse.width)
                reach |= taken.reach
                self.disturb(reach)
                if self.wanted_once(op):
                    depth = max(taken.depth, then.depth, orelse.depth)
                    self.wait(op, _Taken(reach, taken.width + then.width + orelse.width + 12, depth), at)
                else:
                    self.stays(reach, at)
                return
        taken = _Taken(NOTHING, 0, 0) if echoed else self.take((op.cond,), self.width_left(op))
        then, orelse = (self.fold.block(block, self.scratch, (), self.depth + 1) for block in (op.then, op.orelse))
        reach = taken.reach | then.reach | orelse.reach
        self.stays(reach, at)
        self.disturb(reach)

    def width_left(self, op: Op) -> int:
        """How wide the operands of `op` may get together."""
        target = max([len(out.base) + 5 for out in getattr(op, "outs", ())], default=0)
        return WIDTH - 4 * self.depth - target - (label_width(op) if isinstance(op, Call) else 0)

    def read(self, read: Iterable[Var], at: int) -> None:
        for var in read:
            self.last_read[var] = at

    def disturb(self, reach: _Reach) -> None:
        """Fix in place whatever code that touches `reach` may change."""
        if reach is NOTHING:
            return
        self.reads |= reach.reads
        self.writes |= reach.writes
        self.opaque |= reach.opaque
        self.fails |= reach.fails
        self.guards |= reach.guards
        if reach.opaque:
            gone = [var for var, value in self.waiting.items() if value.reach.reads or value.reach.writes]
        else:
            gone = [var for class_ in reach.writes for var in self.touching.pop(class_, ())]
            gone += [var for class_ in reach.reads for var in self.storing.pop(class_, ())]
        for var in gone:
            if (value := self.waiting.pop(var, None)) is not None:
                self.stays(value.reach, value.at)

    def wait(self, op: Call | If, taken: _Taken, at: int) -> None:
        out, reach = op.outs[0], taken.reach
        self.waiting[out] = _Waiting(op, reach, taken.width, taken.depth, at)
        if reach.guards:
            self.guarding.append(out)
        for class_ in reach.reads | reach.writes:
            self.touching.setdefault(class_, []).append(out)
        for class_ in reach.writes:
            self.storing.setdefault(class_, []).append(out)

    def wanted_once(self, op: Call | If) -> bool:
        """Whether the value of `op` has one use, no name of the user's, and is no step of a sum: those are ``x_ct += …``."""
        if len(op.outs) != 1 or self.fold.uses[op.outs[0]] != 1 or _is_sum(op):
            return False
        return is_temporary(op.outs[0]) or op.span.is_own or (isinstance(op, Call) and is_machinery(op))

    def reach_of(self, op: Call) -> _Reach:
        """What the call itself touches."""
        effect = effect_of(op)
        if effect.opaque:
            return ANYTHING
        of = self.fold.aliases.of
        read = frozenset([of(var) for var in reads(op) if has_memory(var)]) if effect.reads else frozenset()
        own = GUARDING if effect.raises else FAILING if _may_fail(op) else NOTHING
        if not read and not effect.writes:
            return own
        reach = _Reach(read, frozenset([of(var) for var in positions(op, effect.writes)]))
        return reach if own is NOTHING else reach | own


def _may_fail(op: Call) -> bool:
    """Whether `op` is one of Python's own that may raise where numbers leave its domain."""
    fn = callee(op)
    return record_of(fn).divides or fn is operator.pow or getattr(fn, "__module__", None) == "math"


def _is_sum(op: Call | If) -> bool:
    match op:
        case Call(outs=(out,), args=(Var() as left, _)) if callee(op) in (operator.add, operator.sub):
            return left.base == out.base and out.base.endswith(CARRIED_ENDINGS)
        case _:
            return False


def _may_move(op: Call, reach: _Reach) -> bool:
    fn = callee(op)
    if fn in OWN_VALUES:  # what it raises comes ahead of what its definition would
        return False
    return not reach.opaque and (not effect_of(op).writes or fn is intrinsics.pop) and fn not in NEW_NAMES


def _offsets(body: Block) -> Iterator[tuple[Var, Op]]:
    """Sums such as ``i + 1`` that serve as indices alone, outside of further loops: written out at each of up to three uses."""
    sums: dict[Var, tuple[Op, int]] = {}
    spoiled: set[Var] = set()
    uses: Counter[Var] = Counter()

    def note(operand: Operand, level: int, is_index: bool) -> None:
        for var in variables(operand):
            if var in sums:
                uses[var] += 1
                if not is_index or sums[var][1] != level:
                    spoiled.add(var)

    def visit(block: Block, level: int) -> None:
        for op in block.ops:
            if sums:
                indexed = isinstance(op, Call) and callee(op) in ACCESSES
                for k, operand in enumerate(operands(op)):
                    note(operand, level, indexed and k == 2)
            for inner in blocks(op):
                visit(inner, level + (not isinstance(op, If)))
            if isinstance(op, Call) and _is_offset(op):
                sums[op.outs[0]] = (op, level)
        for result in block.results:
            note(result, level, False)

    visit(body, 0)
    for var, (op, _) in sums.items():
        if var not in spoiled and 1 < uses[var] <= 3:
            yield var, op


def _is_offset(op: Call) -> bool:
    """Whether `op` adds a literal to an ``int``."""
    match op:
        case Call(outs=(Var() as out,), args=(Var(type=Scalar("int64", True)), Lit(int())), kwargs=()):
            return callee(op) in (operator.add, operator.sub) and out.type == INT and is_temporary(out)
        case _:
            return False


def is_small(op: If) -> bool:
    """Whether the branches hold few enough ops to try them as an expression."""
    return sum(1 for block in blocks(op) for _ in zip(range(SMALL), all_ops(block), strict=False)) < SMALL


def is_flat(op: If) -> bool:
    """Whether the branches only choose between values that are there."""
    return not op.then.ops and not op.orelse.ops


def _text_width(value: Any) -> int:
    try:
        return min(len(repr(value)), _WIDEST)
    except Exception:  # it has a text of its own, and that may raise: it is written by a name
        return _WIDEST


_WIDEST = 20


def _width(operand: Operand) -> int:
    match operand:
        case Var():
            return len(operand.base)
        case Lit(value):
            return _text_width(value) if not callable(value) else 12
        case Pack(_, items):
            return sum(_width(item) + 2 for item in items)
        case _:
            assert_never(operand)

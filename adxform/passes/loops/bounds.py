"""Sees to it that a kernel never indexes outside of an array, at next to no cost: checks stand ahead of loops.

    check_bounds(0, n - 1, x.shape[0])
    for i in range(n):
        f += x[i]

An index that is linear in the items of loops is least and greatest at their ends. What the lengths themselves show needs no
check; any other is checked as far outside of the loops as what it depends on allows, and in its place where a branch decides
whether it is used. A check ahead of a loop may fail though no iteration would have gone wrong: the kernel's caller then asks
Python, which is slow and right.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import chain

from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.linear_forms import LinearForm
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, If, Lit, Op, Operand, Pack, Var, While
from adxform.ir.types import BOOL, INT, Array, Dim, Size
from adxform.ir.walk import Names, defined_variables
from adxform.primitives.memory import ACCESSES
from adxform.runtime import kernel_scalars

LENGTHS = frozenset({intrinsics.dim, len})


@dataclass(frozen=True, slots=True)
class IndexBounds:
    """The least and the greatest that an index can be, over some loops."""

    low: LinearForm
    high: LinearForm

    def over(self, var: Var, items: IndexBounds) -> IndexBounds:
        """The range over `items` of `var` too."""
        low = self.low.at(var, items.low if self.low.factor(var) > 0 else items.high)
        high = self.high.at(var, items.high if self.high.factor(var) > 0 else items.low)
        return IndexBounds(low, high)


@dataclass(slots=True)
class SurroundingLoop:
    """A loop around an access: its item, what that goes through if the loop has iterations, the same in terms that can be
    computed ahead of it, what is defined inside, and the checks to put ahead of it."""

    item: Var
    items: IndexBounds
    ends: IndexBounds
    inside: frozenset[Var]
    ahead: list[tuple[IndexBounds, Var, int]]


def check_bounds(fn: Function) -> tuple[Function, bool]:
    """`fn`, a kernel, with checks of the indices that are not known to be in bounds; and whether none counts from the end.

    Literals that do are counted from the front. In a kernel where another does, as ``x[i - 1]`` does for the first `i`, all may.
    """
    checking = _Checking(fn, kernel_scalars.check_places)
    body = checking.block(fn.body, [])
    if checking.from_the_front:
        return replace(fn, body=body), True
    return replace(fn, body=_Checking(fn, kernel_scalars.check_bounds).block(fn.body, [])), False


class _Checking:
    def __init__(self, fn: Function, usual: Callable[[int, int, int], None]) -> None:
        self.usual = usual
        self.from_the_front = True
        self.builder = Builder(Names.of(fn), fn.span)
        self.forms: dict[Var, LinearForm] = {}
        self.origins: dict[Dim, tuple[Var, int]] = {}
        self.lengths: dict[Var, LinearForm] = {}
        self.least: dict[Dim, int] = {}
        self.conditions: dict[Var, Call] = {}
        self.seen: list[list[tuple[Size, IndexBounds]]] = [[]]
        self.around: list[SurroundingLoop] = []
        """The loops around the branch that is being walked."""
        for param in fn.params:
            if isinstance(param.type, Array):
                for axis, size in enumerate(param.type.shape or ()):
                    if isinstance(size, Dim) and not size.offset:
                        self.origins.setdefault(size, (param, axis))

    def block(self, block: Block, loops: list[SurroundingLoop]) -> Block:
        """`block` inside of `loops`, which are surely run through when it is."""
        ops: list[Op] = []
        self.seen.append([])
        for op in block.ops:
            self.op(op, loops, ops)
        self.seen.pop()
        return replace(block, ops=tuple(ops))

    def op(self, op: Op, loops: list[SurroundingLoop], ops: list[Op]) -> None:
        match op:
            case Call():
                self.learn(op)
                if callee(op) in ACCESSES and op.args[1] != Lit(...):
                    op = self.counted(op, ops) if self.usual is kernel_scalars.check_places else op
                    self.access(op, loops, ops)
                ops.append(op)
            case If():
                then, orelse = self.branch(op.then, self.facts(op.cond), loops), self.branch(op.orelse, {}, loops)
                ops.append(replace(op, then=then, orelse=orelse))
            case While():
                ops.append(replace(op, test=self.perhaps(op.test, loops), body=self.perhaps(op.body, loops)))
            case For(source=(_, _, Var())):
                ops.append(replace(op, body=self.perhaps(op.body, loops)))
            case For():
                inside = frozenset((*op.body.params, *defined_variables(op.body)))
                loop = SurroundingLoop(op.body.params[0], items(op, self.bound), items(op, self.form), inside, [])
                body = self.block(op.body, [*loops, loop])
                for range_, array, axis in loop.ahead:
                    self.check(range_, array, axis, ops)
                ops.append(replace(op, body=body))
            case _:
                ops.append(op)

    def bound(self, operand: Operand) -> LinearForm:
        """`operand` as the end of a loop: a length that is cut off at zero gives a loop without an iteration."""
        return self.lengths.get(operand, self.form(operand)) if isinstance(operand, Var) else self.form(operand)

    def form(self, operand: Operand) -> LinearForm:
        """`operand`, an integer."""
        match operand:
            case Lit(int() as value):
                return LinearForm(value)
            case Var():
                return self.forms.get(operand, LinearForm(0, ((operand, 1),)))
            case _:
                raise AssertionError(operand)

    def learn(self, op: Call) -> None:
        """Note what the integer that `op` makes is in terms of others, or that it is a condition.

        A length that is cut off at zero is a length by itself.
        """
        if len(op.outs) == 1 and op.outs[0].type == BOOL:
            self.conditions[op.outs[0]] = op
        if len(op.outs) != 1 or op.outs[0].type != INT:
            return
        out, fn = op.outs[0], callee(op)
        match op.args:
            case (Var(type=Array(shape=tuple(shape))) as array, *rest) if fn in LENGTHS:
                axis = rest[0].value if rest and isinstance(rest[0], Lit) else 0
                self.learn_length(out, array, axis, shape[axis])
            case (a, b) if fn is operator.add:
                self.sum(out, a, b, 1)
            case (a, b) if fn is operator.sub:
                self.sum(out, a, b, -1)
            case (a,) if fn is operator.neg:
                self.forms[out] = LinearForm().plus(self.form(a), -1)
            case (Lit(int() as factor), other) | (other, Lit(int() as factor)) if fn is operator.mul:
                self.forms[out] = LinearForm().plus(self.form(other), factor)
            case _:
                pass

    def learn_length(self, out: Var, array: Var, axis: int, size: Size) -> None:
        """Note that `out` is the length of `array` along `axis`, which has that `size`."""
        if isinstance(size, Dim) and size.offset:
            self.lengths[out] = length_of(size)
            size = Dim(f"?{array.name}[{axis}]")
        self.forms[out] = length_of(size)
        if isinstance(size, Dim):
            self.origins.setdefault(size, (array, axis))

    def sum(self, out: Var, a: Operand, b: Operand, sign: int) -> None:
        self.forms[out] = self.form(a).plus(self.form(b), sign)
        if isinstance(a, Var) and a in self.lengths and sign < 0 and isinstance(b, Lit) and b.value >= 0:
            self.lengths[out] = self.lengths[a].plus(LinearForm(-b.value))

    def counted(self, op: Call, ops: list[Op]) -> Call:
        """`op` with literal indices that count from the end counted from the front."""
        array, index, *value = op.args
        items = index.items if isinstance(index, Pack) and index.kind == "tuple" else (index,)
        found = tuple(self.ahead(item, array, axis, ops) for axis, item in enumerate(items))
        return (
            op if found == items else replace(op, args=(array, found[0] if items == (index,) else Pack("tuple", found), *value))
        )

    def ahead(self, item: Operand, array: Operand, axis: int, ops: list[Op]) -> Operand:
        if not isinstance(item, Lit) or item.value >= 0:
            return item
        builder = Builder(self.builder.names, self.builder.span)
        length = builder.call(intrinsics.dim, array, Lit(axis), type=INT, hint="n")
        place = builder.call(operator.sub, length, Lit(-item.value), type=INT, hint="last")
        for op in builder.ops:
            assert isinstance(op, Call)
            self.learn(op)
        ops += builder.ops
        return place

    def access(self, op: Call, loops: list[SurroundingLoop], ops: list[Op]) -> None:
        """See to each index of `op`, which stands in `ops`."""
        array, index = op.args[:2]
        assert isinstance(array, Var)
        assert isinstance(array.type, Array)
        items = index.items if isinstance(index, Pack) and index.kind == "tuple" else (index,)
        for axis, item in enumerate(items):
            if not isinstance(item, Pack) and not self.within(item, array, axis, loops):
                self.place(item, array, axis, loops, ops)
                self.from_the_front &= not self.is_negative(item, loops)

    def within(self, item: Operand, array: Var, axis: int, loops: list[SurroundingLoop]) -> bool:
        """Whether `item` is surely an index of `axis`."""
        assert isinstance(array.type, Array)
        size = (array.type.shape or ())[axis]
        length = length_of(size)
        range_ = IndexBounds(self.form(item), self.form(item))
        for loop in reversed([*self.around, *loops]):
            range_ = range_.over(loop.item, loop.items)
        left = self.least_of(length.plus(range_.high, -1))
        low = self.least_of(range_.low)
        return left is not None and left > 0 and low is not None and low >= 0

    def least_of(self, form: LinearForm) -> int | None:
        """What `form` is never less than; ``None`` if that is not known."""
        least = form.number
        for key, factor in form.terms:
            if not isinstance(key, Dim) or factor < 0:
                return None
            least += factor * self.least.get(key, 0)
        return least

    def perhaps(self, block: Block, loops: list[SurroundingLoop]) -> Block:
        """`block`, which iterations of `loops` may not come to: what they are tells where indices are, and checks stay inside."""
        before = self.around
        self.around = [*before, *loops]
        new = self.block(block, [])
        self.around = before
        return new

    def branch(self, block: Block, facts: Mapping[Dim, int], loops: list[SurroundingLoop]) -> Block:
        """`block`, run where lengths are at least `facts`."""
        before = self.least
        self.least = {**before, **{size: max(least, before.get(size, 0)) for size, least in facts.items()}}
        new = self.perhaps(block, loops)
        self.least = before
        return new

    def facts(self, cond: Operand) -> dict[Dim, int]:
        """What lengths are at least where `cond` holds."""
        op = self.conditions.get(cond) if isinstance(cond, Var) else None
        match op:
            case Call(args=(a, b)) if callee(op) is operator.and_:
                return {**self.facts(a), **self.facts(b)}
            case Call(args=(a, b)) if callee(op) in (operator.ge, operator.gt, operator.le, operator.lt):
                more, less = (a, b) if callee(op) in (operator.ge, operator.gt) else (b, a)
                if not (_is_integer(more) and _is_integer(less)):
                    return {}
                strict = callee(op) in (operator.gt, operator.lt)
                match self.form(more).plus(self.form(less), -1):
                    case LinearForm(number, ((Dim() as size, 1),)):
                        return {size: -number + strict}
                return {}
            case _:
                return {}

    def is_negative(self, item: Operand, loops: list[SurroundingLoop]) -> bool:
        """Whether `item` counts from the end in some iteration of `loops`, if what is taken from its least is above zero."""
        low = self.form(item)
        for loop in reversed(loops):
            low = IndexBounds(low, low).over(loop.item, loop.items).low
        return (low.number < 0 or (bool(low.terms) and low.number == 0)) and all(factor < 0 for _, factor in low.terms)

    def place(self, item: Operand, array: Var, axis: int, loops: list[SurroundingLoop], ops: list[Op]) -> None:
        """Check `item` as far outside of `loops` as it can be."""
        range_ = IndexBounds(self.form(item), self.form(item))
        outer: SurroundingLoop | None = None
        for loop in reversed(loops):
            wider = range_.over(loop.item, loop.ends)
            keys = [key for form in (wider.low, wider.high) for key, _ in form.terms]
            needed = {self.origins[key][0] if isinstance(key, Dim) else key for key in keys}
            if array in loop.inside or not loop.inside.isdisjoint(needed):
                break
            range_, outer = wider, loop
        if outer is None:
            self.check(range_, array, axis, ops)
        elif (range_, array, axis) not in outer.ahead:
            outer.ahead.append((range_, array, axis))

    def check(self, range_: IndexBounds, array: Var, axis: int, ops: list[Op]) -> None:
        """Append a check to `ops`, unless the block has it already."""
        assert isinstance(array.type, Array)
        size = (array.type.shape or ())[axis]
        known = [seen for seen_size, seen in chain.from_iterable(self.seen) if seen_size == size]
        below = any(self.is_at_most(seen.low, range_.low) for seen in known)
        if below and any(self.is_at_most(range_.high, seen.high) for seen in known):
            return
        self.seen[-1].append((size, range_))
        builder = Builder(self.builder.names, self.builder.span)
        low, high = (self.value(form, builder) for form in (range_.low, range_.high))
        length = builder.call(intrinsics.dim, array, Lit(axis), type=INT, hint="n")
        builder.effect(self.usual, low, high, length)
        ops += builder.ops

    def is_at_most(self, one: LinearForm, other: LinearForm) -> bool:
        """Whether `one` is surely no more than `other`."""
        gap = self.least_of(other.plus(one, -1))
        return gap is not None and gap >= 0

    def value(self, form: LinearForm, builder: Builder) -> Operand:
        """`form` computed."""
        total: Operand = Lit(form.number)
        for key, factor in form.terms:
            if isinstance(key, Dim):
                array, axis = self.origins[key]
                key = builder.call(intrinsics.dim, array, Lit(axis), type=INT, hint="n")
            term: Operand = key if abs(factor) == 1 else builder.call(operator.mul, key, Lit(abs(factor)), type=INT)
            if total == Lit(0) and factor > 0:
                total = term
            else:
                total = builder.call(operator.add if factor > 0 else operator.sub, total, term, type=INT)
        return total


def _is_integer(operand: Operand) -> bool:
    return operand.type == INT if isinstance(operand, Var) else isinstance(operand, Lit) and type(operand.value) is int


def items(op: For, form: Callable[[Operand], LinearForm]) -> IndexBounds:
    """What the item of `op` goes through, in terms of `form`, in a loop that has iterations.

    A loop the ends of which are surely whole steps apart, as those of one run backwards are, stops a step ahead of its end;
    of any other no more is known than that its end is left out.
    """
    start, stop, step = op.source
    assert isinstance(step, Lit)
    first, end = form(start), form(stop)
    gap = end.plus(first, -1)
    is_whole = all(number % step.value == 0 for number in (gap.number, *(factor for _, factor in gap.terms)))
    unit = 1 if step.value > 0 else -1
    last = end.plus(LinearForm(-(step.value if is_whole else unit)))
    return IndexBounds(first, last) if step.value > 0 else IndexBounds(last, first)


def length_of(size: int | Dim) -> LinearForm:
    """`size`, of an array that a loop goes through: one that is cut off at zero lets no loop have an iteration."""
    return LinearForm(size) if isinstance(size, int) else LinearForm(size.offset, ((Dim(size.base), 1),))

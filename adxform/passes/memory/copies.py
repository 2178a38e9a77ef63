"""Copies that nobody could tell from what they copy, arithmetic that changes nothing (``x * 1.0``) among them.

What is copied and put back where it came from need not be put back. A copy that may be laid out otherwise (``x.copy()`` of a
matrix in Fortran order, any copy of a vector that is read backwards) goes in the reverse sweep, or where elements are read one by
one: sums take their terms in the order of memory, and a value has all bits of the user's.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.types import Array, rank
from adxform.ir.walk import all_ops, outs
from adxform.passes.memory.out_forms import is_elementwise
from adxform.passes.memory.storage_facts import is_new, made_in, outliving, own_classes
from adxform.passes.scalar.rewriting import Rewriter, classes_touched, classes_written, each_function
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import memory
from adxform.primitives.facets import Algebra, Moves
from adxform.primitives.memory import STORES
from adxform.primitives.record import Memory
from adxform.primitives.table import having, lookup, record_of

COPIES = having(lambda record: record.moves is Moves.COPY)
# The right operand that changes nothing; none for a sum: -0.0 + 0 is 0.0.
NEUTRAL = {Algebra.PRODUCT: 1, Algebra.QUOTIENT: 1, Algebra.POWER: 1, Algebra.DIFFERENCE: 0}
UNCHANGING = having(lambda record: record.ufunc is not None and record.algebra in NEUTRAL)
WHOLE = (Lit(...), Pack("slice", (Lit(None), Lit(None), Lit(None))))


def elide_copies(fn: Function) -> Function:
    """Read the original where a copy is only read, and only before the original changes: clearing it may wait for that.

    Where the original is not used any more, it is what the copy was, whatever becomes of that.

    >>> from adxform.ir.text import read, show
    >>> print(show(elide_copies(read('''
    ... def f(x: f64[x.0], y: f64[x.0]):
    ...     a: f64[x.0] = np.copy(x)
    ...     b: f64[x.0] = operator.mul(a, y)
    ...     operator.setitem(x, ..., b)
    ...     c: f64[x.0] = np.copy(x)
    ...     operator.setitem(x, 0, 1.0)
    ...     d: f64[x.0] = np.cos(c)
    ...     e: f64[x.0] = np.copy(d)
    ...     operator.setitem(e, 0, 2.0)
    ...     return e'''))))
    def f(x: f64[x.0], y: f64[x.0]):
        b: f64[x.0] = operator.mul(x, y)
        operator.setitem(x, ..., b)
        d: f64[x.0] = np.cos(x)
        operator.setitem(x, 0, 1.0)
        operator.setitem(d, 0, 2.0)
        return d
    """

    def elided(part: Function, aliases: Aliases) -> Block:
        copies = any(original_of(op) is not None for op in all_ops(part.body))
        return _Eliding(part, aliases).block(part.body) if copies else part.body

    return each_function(fn, elided)


def told_apart(body: Block) -> Iterator[Var]:
    """The arrays of which `body` asks whether they are one object: copies of them are not."""
    for op in all_ops(body):
        if isinstance(op, Call) and callee(op) in (operator.is_, operator.is_not):
            yield from (arg for arg in op.args if isinstance(arg, Var) and isinstance(arg.type, Array))


def original_of(op: Op) -> Var | None:
    """The array that the result of `op` is equal to, in values, shape and dtype."""
    if not isinstance(op, Call) or len(op.outs) != 1 or op.kwargs:
        return None
    fn = callee(op)
    if fn not in COPIES and not (fn in UNCHANGING and any(isinstance(arg, Lit) for arg in op.args)):
        return None
    type_ = op.outs[0].type
    if not isinstance(type_, Array) or type_.shape is None:
        return None
    found: Operand | None = None
    if fn in COPIES and len(op.args) == 1:
        found = op.args[0]
    elif (algebra := record_of(fn).algebra) is not None and len(op.args) == 2:
        left, right = op.args
        number = NEUTRAL[algebra]
        found = left if _is(right, number) else right if algebra is Algebra.PRODUCT and _is(left, number) else None
    return found if isinstance(found, Var) and found.type == type_ else None


def _is_in_c_order(op: Op) -> bool:
    """Whether `op` is a copy in C order of an array that may have another one, though it were made here."""
    type_ = outs(op)[0].type
    return callee(op) is np.ndarray.copy and isinstance(type_, Array) and type_.shape is not None and len(type_.shape) > 1


def _in_any_order(op: Op) -> bool:
    """Whether what `op` gives has the same bits however its arguments lie."""
    if not isinstance(op, Call) or not isinstance(op.fn, Lit):
        return False
    record = lookup(op.fn.value)
    return record is not None and (record.elementwise or is_elementwise(op.fn.value) or isinstance(record.derivative, Memory))


def _is(operand: Operand, number: int) -> bool:
    if not isinstance(operand, Lit) or type(operand.value) not in (int, float):
        return False
    return operand.value == number and math.copysign(1.0, operand.value) > 0


class _Eliding(Rewriter):
    def __init__(self, fn: Function, aliases: Aliases) -> None:
        super().__init__()
        self.aliases = aliases
        self.in_sweep = False
        self.changing = aliases.written | aliases.exposed
        self.lasting = outliving(fn, aliases) | set(map(aliases.of, told_apart(fn.body)))
        self.fixed = self.changing | aliases.phis | self.lasting
        self.made = made_in(fn)
        self.gone: set[int] = set()
        self.lent: set[int] = set()
        """The classes of copies that have gone, and of what is read in their place; another round looks at them as one."""

    def block(self, block: Block) -> Block:
        sweep = next((at for at, op in enumerate(block.ops) if callee(op) is intrinsics.turning_point), len(block.ops))
        copies = [(at, op, original) for at, op in enumerate(block.ops) if (original := original_of(op)) is not None]
        back = list(_put_back(block))
        if copies or back:
            timeline = _Timeline(block, self.aliases)
            for at, op, original in copies:
                if (source := self.aliases.of(original)) in self.gone:
                    continue
                if self.is_used_up(op, original, at, sweep, timeline) or self.may_go(
                    op, original, at, 0 if self.in_sweep else sweep, timeline
                ):
                    self.known[outs(op)[0].name] = original
                    self.gone.add(self.aliases.of(outs(op)[0]))
                    self.lent.add(source)
            timeline.idle.update(at for since, at in back if self.is_idle(since, at, timeline))
            block = timeline.block()
        return super().block(block)

    def visit(self, op: Op, ops: list[Op]) -> None:
        self.in_sweep |= callee(op) is intrinsics.turning_point
        if not (isinstance(op, Call) and op.outs and op.outs[0].name in self.known):
            ops.append(self.descend(op))

    def is_idle(self, since: int, at: int, timeline: _Timeline) -> bool:
        """Whether the store at `at` puts back what was read at `since`, when neither has changed."""
        (value,), store = outs(timeline.ops[since]), timeline.ops[at]
        assert isinstance(store, Call)
        assert isinstance(store.args[0], Var)
        class_ = self.aliases.of(store.args[0])
        if any(self.aliases.of(var) == class_ or self.aliases.of(var) in self.changing for var in memory(value)):
            return False
        return not any(since <= place < at for place in timeline.writes.get(class_, ()))

    def has_same_bits(self, op: Op, original: Var, readers: Iterable[Op]) -> bool:
        """Whether what `readers` make of the copy has the same bits if they read `original`, which may lie otherwise."""
        if original.name in self.made:
            return not _is_in_c_order(op)
        # A matrix that is repeated along an axis is copied in another order than an elementwise function has it in.
        return rank(original.type) == 1 and all(map(_in_any_order, readers))

    def is_used_up(self, op: Op, original: Var, at: int, sweep: int, timeline: _Timeline) -> bool:
        """Whether the block has made `original` itself, which lies as the copy does, and nobody has it after that.

        What the forward sweep has made stays its own: a pullback finds it as it was.
        """
        source, made = self.aliases.of(original), timeline.made.get(original)
        if made is None or source in self.lasting | self.lent or source in timeline.leaving or source not in timeline.own:
            return False
        first, last = timeline.mentions[source][0], timeline.mentions[source][-1]
        return last == at and not first < sweep < at and is_new(made) and not _is_in_c_order(op)

    def may_go(self, op: Op, original: Var, at: int, sweep: int, timeline: _Timeline) -> bool:
        """Whether the copy is read in this block only, and by nothing that runs after a write to `original`.

        Before the `sweep` what is computed of it is the user's value, to the bit.
        """
        copy, source = self.aliases.of(outs(op)[0]), self.aliases.of(original)
        if copy in self.fixed or copy == source or copy in timeline.leaving:
            return False
        if at < sweep and not self.has_same_bits(op, original, timeline.between(copy, at, sweep)):
            return False
        last = timeline.mentions.get(copy, [at])[-1]
        written = next((place for place in timeline.writes.get(source, ()) if place > at), last + 1)
        if written > last or (written == last and _takes_value(timeline.ops[last], outs(op)[0])):
            return True
        return timeline.delay(written, source, last)


class _Timeline:
    """Where in a block the alias classes are mentioned and written, in order."""

    def __init__(self, block: Block, aliases: Aliases) -> None:
        self.whole = block
        self.ops = block.ops
        self.made = {out: op for op in block.ops if isinstance(op, Call) for out in op.outs}
        self.own = own_classes(block, aliases)
        self.delayed: dict[int, int] = {}
        self.idle: set[int] = set()
        self.leaving = set(aliases.classes(block.results))
        self.mentions: dict[int, list[int]] = {}
        self.writes: dict[int, list[int]] = {}
        for at, op in enumerate(block.ops):
            for class_ in set(classes_touched(op, aliases)):
                self.mentions.setdefault(class_, []).append(at)
            for class_ in set(classes_written(op, aliases)):
                self.writes.setdefault(class_, []).append(at)

    def between(self, class_: int, place: int, last: int) -> Iterator[Op]:
        """The ops after `place` and before `last` that mention `class_`."""
        return (self.ops[other] for other in self.mentions.get(class_, ()) if place < other < last)

    def delay(self, place: int, class_: int, past: int) -> bool:
        """Let the op at `place`, if it clears memory of `class_`, wait until after the one at `past`, if nothing there minds."""
        if place in self.delayed:
            return self.delayed[place] >= past
        between = self.ops[place + 1 : past + 1]
        if not _clears(self.ops[place]) or any(callee(op) is intrinsics.turning_point for op in between):
            return False
        if any(place < other <= past for other in self.mentions.get(class_, ())):
            return False
        self.delayed[place] = past
        return True

    def block(self) -> Block:
        """The block with the delayed ops where they go, and without the idle ones."""
        if not self.delayed and not self.idle:
            return self.whole
        order = sorted(set(range(len(self.ops))) - self.idle, key=lambda at: (self.delayed.get(at, at), at in self.delayed))
        return replace(self.whole, ops=tuple(self.ops[at] for at in order))


def _put_back(block: Block) -> Iterator[tuple[int, int]]:
    """Where ``x[i]`` is read or copied, and where that is stored in ``x[i]``: the places of such pairs in `block`."""
    made: dict[str, int] = {}
    for at, op in enumerate(block.ops):
        if not isinstance(op, Call):
            continue
        if op.outs:
            made[op.outs[0].name] = at
        elif callee(op) is operator.setitem and isinstance(value := op.args[2], Var) and value.name in made:
            array, index, _ = op.args
            original = original_of(load := block.ops[made[value.name]])
            if original is not None and original != array and original.name in made:
                load = block.ops[made[original.name]]
            loads = isinstance(load, Call) and callee(load) is operator.getitem and load.args == (array, index)
            if isinstance(array, Var) and not any(memory(index)) and (loads or (original == array and index in WHOLE)):
                yield made[value.name], at


def _clears(op: Op) -> bool:
    """Whether `op` stores a number at an index that holds no memory."""
    stores = isinstance(op, Call) and callee(op) is operator.setitem and isinstance(op.args[2], Lit)
    return stores and isinstance(op, Call) and not any(memory(op.args[1]))


def _takes_value(op: Op, value: Var) -> bool:
    """Whether `op` stores `value`: NumPy reads all of it before it writes."""
    return isinstance(op, Call) and callee(op) in STORES and op.args[2] == value and value not in op.args[:2]

"""The integers of a function in terms of others: how often its loops go, where they start, and how long are what tapes keep."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

import numpy as np

from adxform import runtime
from adxform.analysis.slices import slice_forms
from adxform.ir.linear_forms import LinearForm
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, Lit, Operand, Var
from adxform.ir.types import INT, UNSPREAD, Array, Dim, Size
from adxform.ir.walk import TAPE_SIZE, blocks
from adxform.passes.arrays.doubts import Doubts
from adxform.passes.loops.bounds import LENGTHS


class Forms:
    """What the integers of a function are in terms of others, and which arrays have the lengths that their types say."""

    def __init__(self, fn: Function, doubts: Doubts) -> None:
        self.doubts = doubts
        self.known: dict[Var, LinearForm] = {}
        # By name over the whole function: a length has a name of its own, or one of those that are checked where they are taken.
        self.slices: dict[Size, list[LinearForm]] = {}
        self.counts: dict[Operand, LinearForm] = {}
        self._learn(fn.body)

    def of(self, operand: Operand) -> LinearForm:
        """`operand`, an integer."""
        match operand:
            case Lit(int() as value):
                return LinearForm(value)
            case Var():
                return self.known.get(operand, LinearForm(0, ((operand, 1),)))
            case _:
                raise AssertionError(operand)

    def _learn(self, block: Block) -> None:
        for op in block.ops:
            for inner in blocks(op):
                self._learn(inner)
            match op:
                case Call(outs=(out,), args=(a, b)) if out.type == INT and callee(op) in (operator.add, operator.sub):
                    self.known[out] = self.of(a).plus(self.of(b), 1 if callee(op) is operator.add else -1)
                case Call(outs=(out,), args=(Lit(int() as factor), Var() as x) | (Var() as x, Lit(int() as factor))) if (
                    out.type == INT and callee(op) is operator.mul
                ):
                    self.known[out] = LinearForm().plus(self.of(x), factor)
                case Call(outs=(out,), args=(Var(type=Array(_, tuple(shape))) as array, *rest)) if callee(op) in LENGTHS:
                    axis = rest[0] if rest else Lit(0)
                    if isinstance(axis, Lit) and not self.doubts.about(array):
                        self.known[out] = length_form(shape[axis.value])
                case Call(outs=(Var(type=Array(_, tuple(shape))),), args=(Var() as x, index)) if callee(op) is operator.getitem:
                    for _, place, length in slice_forms(x, index, self.of):
                        self.slices.setdefault(shape[place], []).append(length)
                case Call(outs=(Var(type=Array(_, (size,))),), args=(Lit() | Var() as n,)) if callee(op) is np.empty:
                    self.slices.setdefault(size, []).append(self.counts.get(n, self.of(n)))
                case Call(outs=(out,), args=args) if out.type == INT:
                    self._count(callee(op), out, args)
                case _:
                    pass

    def _count(self, fn: object, out: Var, args: tuple[Operand, ...]) -> None:
        """Note the number of iterations `out`, zero where what is noted is below."""
        match args:
            case (x, Lit(0)) if fn is max:
                self.counts[out] = self.of(x)
            case (start, stop, Lit(1)) if fn is runtime.trip_count:
                self.counts[out] = self.of(stop).plus(self.of(start), -1)
            case (start, stop, Lit(-1)) if fn is runtime.trip_count:
                self.counts[out] = self.of(start).plus(self.of(stop), -1)
            case _:
                return

    def rows(self, size: Size, loops: Sequence[For], ahead: Mapping[Var, None]) -> LinearForm | None:
        """`size` in the iterations of `loops`, in terms of their items and of what is there `ahead`; ``None`` where it is not."""
        if not isinstance(size, Dim) or size.offset or not (size.base.startswith(UNSPREAD) or is_tapes(size)):
            return length_form(size)
        items = {loop.body.params[0] for loop in loops}

        def is_told(form: LinearForm) -> bool:
            return all(key in items or key in ahead for key, _ in form.terms if isinstance(key, Var))

        return next(filter(is_told, self.slices.get(size, ())), None)

    def unsure(self, var: Var) -> bool:
        """Whether `var` is not surely the array that its type says, as long as it was where it was made."""
        sizes = var.type.shape or () if isinstance(var.type, Array) else ()
        told = (size for size in sizes if isinstance(size, Dim) and not size.base.startswith(UNSPREAD))
        changing = (size.base for size in told if not (is_tapes(size) and size in self.slices))
        return var.name in self.doubts.numbers or not self.doubts.lengths.isdisjoint(changing)

    def most(self, form: LinearForm, loops: Sequence[For], sign: int = 1) -> LinearForm:
        """The greatest that `form` is over the iterations of `loops`, outermost first; the least where `sign` is negative."""
        for loop in reversed(loops):
            start, stop, step = map(self.of, loop.source)
            last = stop.plus(step, -1)
            upwards = form.factor(loop.body.params[0]) * step.number * sign > 0
            form = form.at(loop.body.params[0], last if upwards else start)
        return form

    def extent(self, loop: For, around: Sequence[For]) -> LinearForm:
        """How many iterations `loop` makes at most, in the iterations of those `around`."""
        start, stop, step = map(self.of, loop.source)
        return self.most(LinearForm().plus(stop.plus(start, -1), step.number), around)

    def start(self, loop: For, around: Sequence[For]) -> tuple[LinearForm, tuple[tuple[int, int], ...]]:
        """Where `loop` starts, but for the items of those `around`; and the factors of these, by depth."""
        form = self.of(loop.source[0])
        factors = [form.factor(outer.body.params[0]) for outer in around]
        for outer in around:
            form = form.at(outer.body.params[0], LinearForm())
        return form, tuple((depth, factor) for depth, factor in enumerate(factors) if factor)

    def are_reverse(self, loops: Sequence[For], others: Sequence[For]) -> bool:
        """Whether `others`, a nest, goes through the iterations of `loops` from the last to the first, one by one."""
        same: list[tuple[Var, LinearForm]] = []
        for loop, other in zip(loops, others, strict=True):
            if loop.breaks or other.breaks or loop.source[2] not in (Lit(1), Lit(-1)):
                return False
            start, stop, step = map(self.of, loop.source)
            sources = [self.of(operand) for operand in other.source]
            for item, counterpart in same:
                sources = [form.at(item, counterpart) for form in sources]
            first, end, down = sources
            zero = down.plus(step), first.plus(step).plus(stop, -1), end.plus(step).plus(start, -1)
            if zero != (LinearForm(), LinearForm(), LinearForm()):
                return False
            same.append((other.body.params[0], LinearForm(0, ((loop.body.params[0], 1),))))
        return True


def is_tapes(size: Dim) -> bool:
    """Whether `size` is that of a tape, which has a name of its own."""
    return size.base.startswith(TAPE_SIZE)


def length_form(size: Size) -> LinearForm:
    """`size` in terms of itself."""
    return LinearForm(size) if isinstance(size, int) else LinearForm(0, ((size, 1),))

"""Lengths that a function makes equal: ``x - y`` runs only if `x` and `y` have one length, so one name serves for both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeGuard

from adxform.frontend.signature import Fixed, Leaf, Node, Tree
from adxform.ir.linear_forms import LinearForm
from adxform.ir.ops import Function, Operand, Var
from adxform.ir.types import UNSPREAD, Array, Dim, Size, Type
from adxform.ir.walk import Names, rename_block


class Equalities:
    """Which names of lengths mean the same length.

    Where that may be assumed, `sliced` are those of slices with variable bounds, each with how long the slice is if it is not
    cut off; `assumed` says of which length some are, `numbers` of which literal; `met` are others, that are as long as what they
    are combined with, but for those that something may have `spread` over more elements. `of_integers` are lengths that integers
    are, and `counted` those that stand for some of these; `counts` are integers of the caller's that stand for lengths, which
    are not one.
    """

    def __init__(self, of_integers: Mapping[str, LinearForm] = MappingProxyType({})) -> None:
        self._same: dict[str, str] = {}
        self.sliced: dict[str, LinearForm] = {}
        self.met: set[str] = set()
        self.spread: set[str] = set()
        self.numbers: dict[str, int] = {}
        self.of_integers = of_integers
        self.counted: set[str] = set()
        self.assumed: dict[str, Dim] = {}
        self.counts: dict[str, Var] = {}

    def name(self, base: str) -> str:
        """The name that stands for all that are equal to `base`."""
        while base in self._same:
            base = self._same[base]
        return base

    def unify(self, a: Size, b: Size) -> None:
        """Take `a` and `b` to be equal, if neither can be one."""
        if isinstance(a, Dim) and isinstance(b, Dim) and not a.may_be_one and not b.may_be_one:
            self.unify_names(a.base, b.base)

    def broadcast(self, operands: Sequence[Operand]) -> None:
        """Take the lengths of arrays that are broadcast with one another to be equal."""
        for sizes in aligned(operands):
            known = [size for size in sizes if isinstance(size, Dim) and not size.may_be_one]
            for size in known[1:]:
                self.unify(known[0], size)

    def assume(self, operands: Sequence[Operand]) -> None:
        """Take lengths `sliced`, of which nothing is known, to be those of the arrays that they are broadcast with."""
        for sizes in aligned(operands):
            self._assume_equal(sizes)

    def assume_products(self, operands: Sequence[Operand]) -> None:
        """Take lengths `sliced` to be those of the axes over which a matrix product sums them."""
        match operands:
            case [Var(_, Array(_, a)), Var(_, Array(_, b))] if a and b:
                self._assume_equal([a[-1], b[-2] if len(b) > 1 else b[0]])
            case _:
                return

    def _assume_equal(self, sizes: Sequence[Size]) -> None:
        """Take those of `sizes` that are of slices to be equal to a known one; or to one another, if they say so."""
        named = [size for size in dict.fromkeys(map(self.size, sizes)) if size != 1]
        told = [size for size in named if isinstance(size, Dim) and not size.offset and self.form(size.base) is not None]
        others = [size for size in named if size not in told]
        known = next((size for size in others if isinstance(size, int) or not size.may_be_one), None)
        sliced = [size.base for size in told if size.base in self.sliced and size.base not in self.counted]
        match known:
            case None if others:
                self._assume_literal(sliced, others, self._literal(sliced))
            case int():
                self._assume_literal(sliced, others, known)
            case Dim():
                self._same |= dict.fromkeys(sliced, known.base)
                self.assumed |= dict.fromkeys(sliced, known)
            case None if len(told) > 1:
                self._meet([size.base for size in told])

    def _literal(self, sliced: Sequence[str]) -> int:
        """The length that one of `sliced` says, if it is not cut off; none where none says more than one."""
        forms = [form for form in map(self.form, sliced) if form is not None and not form.terms and form.number > 1]
        return forms[0].number if forms else 0

    def _assume_literal(self, sliced: Sequence[str], others: Sequence[Size], length: int) -> None:
        """Take the lengths `sliced`, and those of arguments among `others`, to be this one: compiled code asks first if they are.

        It asks so of lengths above one, no others, and of arrays, not of integers that are lengths.
        """
        if length > 1:
            plain = (size for size in others if is_plain(size) and size.base not in self.counts and self.form(size.base) is None)
            found = {size.base: length - size.offset for size in plain}
            self.numbers |= dict.fromkeys(sliced, length)
            self.numbers |= {base: number for base, number in found.items() if number > 1}

    def form(self, base: str) -> LinearForm | None:
        """How long a slice is if it is not cut off, or what an integer is that is a length."""
        return self.sliced.get(base, self.of_integers.get(base))

    def _meet(self, bases: Sequence[str]) -> None:
        """Take the lengths `bases` to be equal, if they are by what they say."""
        first, *rest = bases
        forms = [form for form in map(self.form, bases) if form is not None]
        if all(forms[0].plus(form, -1) == LinearForm() for form in forms):
            self.met |= {first, *rest}
            for other in rest:
                self.unify_names(first, other)
            if not all(base in self.sliced and base not in self.counted for base in bases):
                self.counted.add(self.name(first))

    def unify_names(self, one: str, other: str) -> None:
        """Let `one` stand for `other` too."""
        first, second = self.name(one), self.name(other)
        if first != second:
            self._same[second] = first
            if second in self.numbers:
                self.numbers.setdefault(first, self.numbers[second])

    def multiply(self, operands: Sequence[Operand]) -> None:
        """Take the lengths that a matrix product sums over to be equal."""
        match operands:
            case [Var(_, Array(_, a)), Var(_, Array(_, b))] if a and b:
                self.unify(a[-1], b[-2] if len(b) > 1 else b[0])
            case _:
                return

    def mark(self) -> None:
        """Give those that have `met` others, and are never spread, names that say so."""
        for base in {found for base in self.met if (found := self.name(base)).startswith("?")} - self.spread - set(self.numbers):
            self._same[base] = UNSPREAD + base.removeprefix("?")

    def type(self, type_: Type) -> Type:
        """`type_` with one name for equal lengths."""
        if not (self._same or self.numbers) or not isinstance(type_, Array) or type_.shape is None:
            return type_
        return Array(type_.dtype, tuple(self.size(size) for size in type_.shape))

    def operand(self, operand: Operand) -> Operand:
        """`operand`, of a type with one name for equal lengths."""
        return Var(operand.name, self.type(operand.type)) if isinstance(operand, Var) else operand

    def size(self, size: Size) -> Size:
        """`size` with one name for equal lengths."""
        if isinstance(size, int):
            return size
        base = self.name(size.base)
        return Dim(base, size.offset) if base not in self.numbers else max(self.numbers[base] + size.offset, 0)

    def tree(self, tree: Tree) -> Tree:
        """`tree` with one name for equal lengths."""
        match tree:
            case Leaf(type_):
                return Leaf(self.type(type_))
            case Node():
                return replace(tree, children=tuple(map(self.tree, tree.children)))
            case Fixed():
                return tree

    def function(self, fn: Function) -> Function:
        """`fn` with one name for equal lengths, and its variables numbered in order."""
        names = Names()
        mapping: dict[Var, Operand] = {}
        body = rename_block(fn.body, mapping, lambda var: Var(names.fresh(var.base), self.type(var.type)))
        return replace(fn, body=body)


def is_plain(size: Size) -> TypeGuard[Dim]:
    """Whether `size` is one of an argument, or that less a literal: compiled code can ask first whether it is a literal."""
    return isinstance(size, Dim) and not size.base.startswith("?")


def aligned(operands: Sequence[Operand]) -> Iterator[list[Size]]:
    """For each axis along which several arrays are broadcast the lengths that they have there."""
    types = (op.type for op in operands if isinstance(op, Var))
    shapes = [type_.shape for type_ in types if isinstance(type_, Array) and type_.shape is not None]
    if len(shapes) < 2:  # nothing meets
        return
    for axis in range(-max(map(len, shapes)), 0):
        yield [shape[axis] for shape in shapes if len(shape) >= -axis]

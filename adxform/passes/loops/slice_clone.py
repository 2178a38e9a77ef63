"""Computes what a nest of loops computes in one iteration, in loops of its own, at any item: the same ops, and no stores."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any, assert_never

from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, If, Lit, Op, Operand, Pack, Var
from adxform.ir.spans import Span
from adxform.ir.types import BOOL, FLOAT, INT, Type
from adxform.ir.walk import Names, outs, reads_with_blocks, rename_block
from adxform.passes.loops.accesses import Accesses, Loop, Nest, Subscript

Pass = tuple[Subscript, ...]
"""By loop of the nest, the outermost first, what its item is."""
Given = tuple[Call, Operand]
"""An addition of the nest and what it adds here."""


class Replay:
    """Builds nested loops. What was computed once at a depth is there for all that follows inside."""

    def __init__(self, nest: Nest, accesses: Accesses, names: Names, span: Span) -> None:
        self.nest = nest
        self.accesses = accesses
        self.items = {loop.item.name: level for level, loop in enumerate(nest.loops)}
        self.builders = [Builder(names, span)]
        self.known: list[dict[Any, Var]] = [{}]
        self.levels = [0]
        self.depths: dict[str, int] = {}
        self.inner: set[str] = set()
        self.products: dict[str, tuple[Operand, ...]] = {}

    def block(self) -> list[Op]:
        """What was built outside of all loops."""
        return self.builders[0].ops

    def enter(self, item: Var) -> Var:
        """Open a loop like that over `item`, the next of the nest; return its own item."""
        self._open()
        own = self.builders[-1].var(item.name, INT)
        self.depths[own.name] = len(self.builders) - 1
        self.levels.append(len(self.builders) - 1)
        return own

    def leave(self, item: Var, low: Subscript, high: Subscript) -> None:
        """Close the innermost loop, over `item` from `low` to `high`."""
        self.levels.pop()
        body = self._close((item,))
        source = self._place(low), self._place(high), Lit(1)
        self.builders[-1].emit(For((), source, (), body, span=self.builders[0].span))

    def stay(self) -> None:
        """The next loop of the nest has one item only, here."""
        self.levels.append(self.levels[-1])

    def go_on(self) -> None:
        """Undo `stay`."""
        self.levels.pop()

    def branch(self, cond: Operand, then: Callable[[], None], orelse: Callable[[], None]) -> None:
        """Build a branch, outside of all loops."""
        blocks = []
        for build in (then, orelse):
            self._open()
            self.levels = [len(self.builders) - 1]
            build()
            blocks.append(self._close(()))
        self.builders[-1].emit(If((), cond, blocks[0], blocks[1], span=self.builders[0].span))

    def _open(self) -> None:
        self.builders.append(self.builders[-1].nested())
        self.known.append({})

    def _close(self, params: tuple[Var, ...]) -> Block:
        self.known.pop()
        return self.builders.pop().block(params, ())

    def effect(self, fn: Callable[..., Any], base: Var, index: Operand, value: Operand, span: Span) -> None:
        """Write to memory in the innermost open loop."""
        self.builders[-1].effect(fn, base, index, value, span=span)

    def reaches(self, given: list[tuple[Loop, int]]) -> Operand:
        """Whether each of the loops has as many items as stated, or more."""
        found: dict[Operand, None] = {}
        for loop, count in given:
            low, high = loop.low, loop.high + -count
            root = high.root
            if high.root is not None and low.root is not None and high.root != low.root:
                root = self._call(operator.sub, (high.root, low.root), INT, "tmp", 0)
            elif high.root == low.root:
                found[Lit(high.offset >= low.offset)] = None
                continue
            elif root is None:
                assert low.root is not None
                found[self._call(operator.le, (low.root, Lit(high.offset - low.offset)), BOOL, "tmp", 0)] = None
                continue
            found[self._call(operator.ge, (root, Lit(low.offset - high.offset)), BOOL, "tmp", 0)] = None
        first, *rest = found
        for cond in rest:
            first = self._call(operator.and_, (first, cond), BOOL, "tmp", 0)
        return first

    def shifted(self, place: Subscript, pass_: Pass) -> Subscript:
        """`place` of the nest as it is in `pass_`."""
        level = None if place.root is None else self.items.get(place.root.name)
        return place if level is None else pass_[level] + place.offset

    def index(self, element: tuple[Subscript, ...]) -> Operand:
        """The index of an element whose places are those of the loops that are open."""
        items = tuple(self._place(place) for place in element)
        return items[0] if len(items) == 1 else Pack("tuple", items)

    def _place(self, place: Subscript) -> Operand:
        return self._plus(place.root, place.offset, 0 if place.root is None else self.depths.get(place.root.name, 0))

    def _plus(self, root: Var | None, offset: int, depth: int) -> Operand:
        if root is None:
            return Lit(offset)
        if offset == 0:
            return root
        return self._call(operator.add if offset > 0 else operator.sub, (root, Lit(abs(offset))), root.type, "tmp", depth)

    def value(self, operand: Operand, pass_: Pass) -> Operand:
        """What `operand` of the nest is in `pass_`, computed in the open loops."""
        match operand:
            case Lit():
                return operand
            case Pack(kind, items):
                return Pack(kind, tuple(self.value(item, pass_) for item in items))
            case Var(name):
                place = self.accesses.place(operand)
                if place is not None and (name in self.nest.homes or name in self.items):
                    return self._integer(place, pass_)
                return self._computed(operand, pass_) if name in self.nest.homes else operand
            case _:
                assert_never(operand)

    def _integer(self, place: Subscript, pass_: Pass) -> Operand:
        root = place.root
        if root is None or root.name not in self.nest.definitions:
            return self._place(self.shifted(place, pass_))
        found = self._computed(root, pass_)
        assert isinstance(found, Var)
        return self._plus(found, place.offset, self.levels[self.nest.homes[root.name]])

    def _computed(self, var: Var, pass_: Pass) -> Operand:
        """What the op of the nest that defines `var` computes in `pass_`."""
        op, depth = self.nest.definitions[var.name], self.levels[self.nest.homes[var.name]]
        access = self.accesses.of(op)
        if isinstance(op, Call) and access is not None:
            places = tuple(self._integer(place, pass_) for place in access.axes)
            index = places[0] if len(places) == 1 else Pack("tuple", places)
            return self._call(operator.getitem, (access.base, index), var.type, var.name, depth, span=op.span)
        if isinstance(op, Call):
            args = tuple(self.value(arg, pass_) for arg in op.args)
            kwargs = tuple((key, self.value(value, pass_)) for key, value in op.kwargs)
            assert isinstance(op.fn, Lit)
            return self._call(op.fn.value, args, var.type, var.name, depth, kwargs, op.span)
        return self._branch(op, var, pass_, depth)

    def _branch(self, op: Op, var: Var, pass_: Pass, depth: int) -> Var:
        """`var`, that the op with blocks `op` defines."""
        mapping: dict[Var, Operand] = {free: self.value(free, pass_) for free in reads_with_blocks(op)}
        given = tuple(mapping.values())
        if (seen := self._seen((var.name, given), depth)) is None:
            names = self.builders[0].names
            copy = rename_block(Block((), (op,), ()), mapping, lambda var: Var(names.fresh(var.name), var.type))
            self.builders[depth].ops.extend(copy.ops)
            for out, new in zip(outs(op), outs(copy.ops[0]), strict=True):
                self.known[depth][out.name, given] = new
            seen = self.known[depth][var.name, given]
        return seen

    def _call(
        self,
        fn: Callable[..., Any],
        args: tuple[Operand, ...],
        type_: Type,
        hint: str,
        depth: int,
        kwargs: tuple[tuple[str, Operand], ...] = (),
        span: Span | None = None,
    ) -> Var:
        key = fn, args, kwargs, type_
        if (seen := self._seen(key, depth)) is None:
            builder = self.builders[depth]
            seen = self.known[depth][key] = builder.call(fn, *args, type=type_, hint=hint, kwargs=dict(kwargs), span=span)
            if depth:
                self.inner.add(seen.name)
            if fn is operator.mul:
                self.products[seen.name] = args
        return seen

    def _seen(self, key: Any, depth: int) -> Var | None:
        return next((known[key] for known in self.known[: depth + 1] if key in known), None)

    def sums(self, given: list[Given]) -> Iterator[tuple[Callable[..., Any], Operand, Span]]:
        """How to add all of `given` to one element: at once where they are of one type."""
        types = dict.fromkeys(value.type for _, value in given if isinstance(value, Var))
        plain = all(type(value.value) is float for _, value in given if isinstance(value, Lit))
        if len(types) > 1 or not plain:
            for op, value in given:
                yield op.fn.value, value, op.span  # type: ignore[union-attr]
            return
        shares: dict[Operand | None, list[tuple[Operand, bool]]] = {}
        for op, value in given:
            share, factor = self._factored(value)
            shares.setdefault(factor, []).append((share, callee(op) is intrinsics.accumulate))
        type_ = next(iter(types), FLOAT)
        terms = []
        for factor, found in shares.items():
            total, added = self._total(found, type_)
            terms.append((total if factor is None else self._product(total, factor, type_), added))
        total, added = self._total(terms, type_)
        yield intrinsics.accumulate if added else intrinsics.deduct, total, given[0][0].span

    def _product(self, total: Operand, factor: Operand, type_: Type) -> Var:
        return self._call(operator.mul, (total, factor), type_, "tmp", len(self.builders) - 1)

    def _total(self, terms: list[tuple[Operand, bool]], type_: Type) -> tuple[Operand, bool]:
        """The sum of `terms`, of which each is added or taken away; and whether it is to be added."""
        added = any(sign for _, sign in terms)
        total, *rest = [*(term for term in terms if term[1] == added), *(term for term in terms if term[1] != added)]
        result = total[0]
        for value, sign in rest:
            fn = operator.add if sign == added else operator.sub
            result = self._call(fn, (result, value), type_, "tmp", len(self.builders) - 1)
        return result, added

    def _factored(self, value: Operand) -> tuple[Operand, Operand | None]:
        """`value` as a product with what is the same in all iterations; ``None`` where it is none."""
        if isinstance(value, Var) and value.name in self.products:
            for share, factor in itertools.permutations(self.products[value.name]):
                same = isinstance(share, Var) and share.type == value.type
                if same and (isinstance(factor, Lit) or (isinstance(factor, Var) and factor.name not in self.inner)):
                    return share, factor
        return value, None

"""Axes of tapes along which all elements are alike are dropped: a counter is kept once, and not for each iteration around it."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.types import Array, Size
from adxform.ir.walk import all_ops, blocks, reads, variables_of
from adxform.passes.loops.accesses import Accesses, Subscript
from adxform.passes.loops.contract_rows import ElementUse, InvariantRows, element_of, once, with_those_around
from adxform.passes.scalar.rewriting import Rewriter, each_body


def contract_invariant_axes(fn: Function) -> Function:
    """`fn` with arrays that lack the axes along which what is stored is the same.

    >>> from adxform.ir.text import read, show
    >>> print(show(contract_invariant_axes(read('''
    ... def f(x: f64[x.0], n: int, m: int):
    ...     some: int = builtins.max(n, 0)
    ...     tape: i64[?0, ?1] = np.empty((some, m))
    ...     for i: int in range(0, n, 1):
    ...         a: int = for j: int in range(0, m, 1) with at: int = m:
    ...             operator.setitem(tape, (i, j), at)
    ...             next: int = operator.add(at, j)
    ...             yield next
    ...     last: int = operator.sub(n, 1)
    ...     for k: int in range(last, -1, -1):
    ...         p: int = operator.getitem(tape, (k, 1))
    ...         operator.setitem(x, p, 0.0)
    ...     return x'''))))
    def f(x: f64[x.0], n: int, m: int):
        some: int = builtins.max(n, 0)
        tape: i64[?1] = np.empty(m)
        for i: int in range(0, n, 1):
            a: int = for j: int in range(0, m, 1) with at: int = m:
                operator.setitem(tape, j, at)
                next: int = operator.add(at, j)
                yield next
        last: int = operator.sub(n, 1)
        for k: int in range(last, -1, -1):
            p: int = operator.getitem(tape, 1)
            operator.setitem(x, p, 0.0)
        return x
    """
    return each_body(fn, _dropped)


def _dropped(fn: Function) -> Block:
    kept = _Tapes(fn).kept()
    return _Dropping(kept).block(fn.body) if kept else fn.body


class _Tapes:
    """Arrays that are made empty, and of which each element is stored at most once, in one place, and else only loaded.

    `uses` has all arrays that are only stored to and loaded from, element by element; those in `whole` keep their axes.
    """

    def __init__(self, fn: Function) -> None:
        self.accesses = Accesses(fn)
        self.definitions = {op.outs[0]: op for op in all_ops(fn.body) if isinstance(op, Call) and op.outs}
        self.loops = {op.body.params[0]: op for op in all_ops(fn.body) if isinstance(op, For)}
        made = [op for op in self.definitions.values() if callee(op) in (np.empty, np.zeros) and isinstance(op.args[0], Pack)]
        self.uses: dict[str, list[ElementUse]] = {op.outs[0].name: [] for op in made}
        self.whole = {op.outs[0].name for op in made if callee(op) is not np.empty}
        for op, around in with_those_around(fn.body):
            element = element_of(op)
            if callee(op) is intrinsics.dim:
                self.whole.update(var.name for var in reads(op))
            elif element is None:
                self.forget((*reads(op), *(var for block in blocks(op) for var in variables_of(block.results))))
            else:
                assert isinstance(op, Call)
                self.uses.get(element.name, []).append(ElementUse(op, around))
                self.forget(variables_of(op.args[1:]))
        self.forget(variables_of(fn.body.results))

    def forget(self, used: Iterable[Var]) -> None:
        """Leave out the arrays among `used`, which something takes as a whole."""
        for var in used:
            self.uses.pop(var.name, None)

    def kept(self) -> dict[str, tuple[int, ...]]:
        """By the name of each array that can do with fewer axes: those that stay. One always stays."""
        found: dict[str, tuple[int, ...]] = {}
        for name, uses in self.uses.items():
            stores = [use for use in uses if callee(use.op) is operator.setitem]
            array = uses[0].op.args[0] if uses else None
            if name in self.whole or len(stores) != 1 or not isinstance(array, Var) or not once(stores[0], self.accesses):
                continue
            axes = range(len(stores[0].places))
            if any(len(use.places) != len(axes) for use in uses):
                continue
            alike = [axis for axis in axes if self.is_inside(axis, uses, array) and self.is_alike(axis, stores[0])]
            left = tuple([axis for axis in axes if axis not in alike]) or (axes[-1],)
            if len(left) < len(axes):
                found[name] = left
        return found

    def is_alike(self, axis: int, store: ElementUse) -> bool:
        """Whether all elements along `axis` are the same."""
        place, value = store.places[axis], store.op.args[2]
        loop = self.rows.loops.get(place) if isinstance(place, Var) else None
        return loop is not None and not (isinstance(value, Var) and value.name in self.rows.varying_in(loop))

    @cached_property
    def rows(self) -> InvariantRows:
        """What else is alike: arrays that tapes keep the elements of."""
        return InvariantRows(self.uses, self.accesses, self.definitions, self.loops.values())

    def is_inside(self, axis: int, uses: list[ElementUse], array: Var) -> bool:
        """Whether no place on `axis` is outside of the array, which can be made: nobody looks after there is no such axis.

        A length is not negative that is an array's, or the larger of zero and a number.
        """
        shape = self.definitions[array].args[0]
        assert isinstance(shape, Pack)
        size = shape.items[axis]
        by = self.definitions.get(size) if isinstance(size, Var) else None
        if by is not None and callee(by) is max and Lit(0) in by.args:
            size = next((arg for arg in by.args if arg != Lit(0)), size)
        elif isinstance(size, Var) and (by is None or callee(by) is not intrinsics.dim):
            return False
        whole = Subscript(None, 0), self.length(self.accesses.place(size))
        for use in uses:
            place = use.places[axis]
            loop = self.accesses.loop(self.loops[place]) if isinstance(place, Var) and place in self.loops else None
            if loop is None or (loop.low, self.length(loop.high)) != whole:
                return False
        return True

    def length(self, place: Subscript | None) -> Subscript | Size | None:
        """`place`, or if it is the length of an axis that has a name, that."""
        by = self.definitions.get(place.root) if place is not None and place.root is not None and not place.offset else None
        match by:
            case Call(args=(Var(type=Array(_, tuple() as shape)), Lit(axis))) if callee(by) is intrinsics.dim:
                size: Size = shape[axis]
                return size
            case _:
                return place


class _Dropping(Rewriter):
    """Leaves out axes, of arrays by their names; those in `kept` stay."""

    def __init__(self, kept: dict[str, tuple[int, ...]]) -> None:
        super().__init__()
        self.kept = kept

    def visit(self, op: Op, ops: list[Op]) -> None:
        """Append `op`, with fewer places if it is about such an array."""
        if isinstance(op, Call) and callee(op) is np.empty and (axes := self.kept.get(op.outs[0].name)):
            (out,) = op.outs
            assert isinstance(out.type, Array)
            assert out.type.shape is not None
            assert isinstance(op.args[0], Pack)
            shape = tuple([out.type.shape[axis] for axis in axes])
            self.known[out.name] = less = Var(out.name, Array(out.type.dtype, shape))
            ops.append(replace(op, outs=(less,), args=(_chosen(op.args[0].items, axes), *op.args[1:])))
        elif isinstance(op, Call) and op.args and isinstance(array := op.args[0], Var) and (axes := self.kept.get(array.name)):
            ops.append(replace(op, args=(array, _chosen(ElementUse(op, ()).places, axes), *op.args[2:])))
        else:
            super().visit(op, ops)


def _chosen(items: tuple[Operand, ...], axes: tuple[int, ...]) -> Operand:
    left = tuple([items[axis] for axis in axes])
    return left[0] if len(left) == 1 else Pack("tuple", left)

"""Arrays of which each element follows from that of another, stored in the same iteration, are not kept: tapes above all."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, replace

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.types import Array, Scalar
from adxform.ir.walk import Names, all_ops, blocks, operands, variables_of
from adxform.passes.loops.scratch import allocates
from adxform.passes.scalar.dce import eliminate_dead_code
from adxform.passes.scalar.rewriting import Rewriter, each_body
from adxform.primitives.facets import ADDITIVE, Algebra, Chooses
from adxform.primitives.table import having, record_of

LENGTHS = frozenset({intrinsics.dim, len}) | having(
    lambda record: record.whole and (record.algebra in (Algebra.SUM, Algebra.DIFFERENCE) or record.chooses is Chooses.EITHER)
)
"""What lengths are computed with."""


def eliminate_arrays(fn: Function) -> Function:
    """`fn` without arrays that hold what another one holds as well, or a sum or product of that and a number.

    >>> from adxform.ir.text import read, show
    >>> print(show(eliminate_arrays(read('''
    ... def f(x: f64[x.0], n: int):
    ...     s: f64[?0] = np.empty(n)
    ...     t: f64[?1] = np.empty(n)
    ...     for i: int in range(0, n, 1):
    ...         a: f64 = operator.getitem(x, i)
    ...         b: f64 = np.exp(a)
    ...         c: f64 = operator.add(1.0, b)
    ...         operator.setitem(s, i, b)
    ...         operator.setitem(t, i, c)
    ...     for j: int in range(0, n, 1):
    ...         d: f64 = operator.getitem(t, j)
    ...         operator.setitem(x, j, d)
    ...     return x'''))))
    def f(x: f64[x.0], n: int):
        s: f64[?0] = np.empty(n)
        for i: int in range(0, n, 1):
            a: f64 = operator.getitem(x, i)
            b: f64 = np.exp(a)
            operator.setitem(s, i, b)
        for j: int in range(0, n, 1):
            b.1: f64 = operator.getitem(s, j)
            d: f64 = operator.add(1.0, b.1)
            operator.setitem(x, j, d)
        return x
    """
    while (fewer := each_body(fn, _dropped)) is not fn:
        fn = eliminate_dead_code(fewer)
    return fn


def _dropped(fn: Function) -> Block:
    found = _Stores(fn).told()
    return _Dropping(Names.of(fn), found).block(fn.body) if found else fn.body


@dataclass(frozen=True, slots=True)
class _Store:
    """The only store into an array, the `place`-th op of `block`; `value` goes there."""

    op: Call
    block: Block
    place: int

    @property
    def array(self) -> Var:
        array = self.op.args[0]
        assert isinstance(array, Var)
        return array

    @property
    def value(self) -> Operand:
        return self.op.args[2]


@dataclass(frozen=True, slots=True)
class _Told:
    """Elements of one array that follow from those of `source`, of values like `value`: themselves, or by the call `by`."""

    source: Var
    value: Var
    by: Call | None


class _Stores:
    """The arrays of a function that are stored to in one place, and loaded from, element by element, and nothing else."""

    def __init__(self, fn: Function) -> None:
        self.definitions = {op.outs[0].name: op for op in all_ops(fn.body) if isinstance(op, Call) and op.outs}
        places = [(op, block) for block in _all_blocks(fn.body) for op in block.ops]
        self.home = {op.outs[0].name: id(block) for op, block in places if allocates(op)}
        made = set(self.home)
        self.stores: dict[str, _Store] = {}
        for store in _stores(fn.body):
            name = store.array.name
            if name in self.stores:
                made.discard(name)
            self.stores[name] = store
        made -= {var.name for block in _all_blocks(fn.body) for var in variables_of(block.results)}
        made -= {var.name for op in all_ops(fn.body) for var in variables_of(_other(op))}
        self.made = made & self.stores.keys()

    def told(self) -> dict[str, _Told]:
        """By the name of each array that may go: what tells its elements. None of those that tell it may go as well."""
        found: dict[str, _Told] = {}
        kept: set[str] = set()
        groups: dict[tuple[int, Operand], list[_Store]] = {}
        for name, store in self.stores.items():
            if name in self.made:
                groups.setdefault((id(store.block), store.op.args[1]), []).append(store)
        for group in groups.values():
            for store in group:
                for other in group:
                    name, source = store.array.name, other.array.name
                    if name in kept or source in found or name in found or not self.apart(store, other):
                        continue
                    if not self.alike(name, source):
                        continue
                    if (told := self.follows(store, other)) is not None:
                        found[name] = told
                        kept.add(source)
        return found

    def follows(self, store: _Store, other: _Store) -> _Told | None:
        """How what is stored by `store` follows from what `other` stores."""
        value = other.value
        if store is other or not isinstance(value, Var) or not isinstance(store.value, Var):
            return None
        if not _holds_exactly(store.array, store.value) or not _holds_exactly(other.array, value):
            return None
        if store.value == value:
            return _Told(other.array, value, None)
        by = self.definitions.get(store.value.name)
        cheap = by is not None and _is_sum_or_product(callee(by)) and not by.kwargs and value in by.args and _is_float(value)
        if (
            by is None
            or not cheap
            or not all(arg == value or isinstance(arg, Lit) for arg in by.args)
            or not _is_float(by.outs[0])
        ):
            return None
        return _Told(other.array, value, by)

    def alike(self, name: str, other: str) -> bool:
        """Whether two arrays are there at the same time and equally long: what is at one place of both, one iteration stored."""
        one, two = self.definitions[name], self.definitions[other]
        return self.home[name] == self.home[other] and self.equal(one.args[0], two.args[0])

    def equal(self, a: Operand, b: Operand) -> bool:
        """Whether two lengths, or tuples of them, are computed alike."""
        if a == b:
            return True
        match a, b:
            case Pack(items=these), Pack(items=those):
                return len(these) == len(those) and all(map(self.equal, these, those))
            case Var(), Var():
                one, two = self.definitions.get(a.name), self.definitions.get(b.name)
                if one is None or two is None or callee(one) not in LENGTHS or callee(one) is not callee(two):
                    return False
                return len(one.args) == len(two.args) and all(map(self.equal, one.args, two.args))
            case _:
                return False

    def apart(self, store: _Store, other: _Store) -> bool:
        """Whether nothing between the two stores loads from the one that may go, when only one of them is done."""
        first, last = sorted((store.place, other.place))
        between = Block((), store.block.ops[first + 1 : last], ())
        return not any(store.array in variables_of(operands(op)) for op in all_ops(between))


def _stores(block: Block) -> Iterator[_Store]:
    for place, op in enumerate(block.ops):
        if isinstance(op, Call) and callee(op) is operator.setitem and isinstance(op.args[0], Var):
            yield _Store(op, block, place)
        for inner in blocks(op):
            yield from _stores(inner)


def _other(op: Op) -> tuple[Operand, ...]:
    """What `op` takes, but for the arrays that it loads elements from, stores elements to, or asks for a length."""
    fn = callee(op)
    if not isinstance(op, Call):
        return operands(op)
    element = fn is operator.getitem and isinstance(op.outs[0].type, Scalar)
    return op.args[1:] if element or fn is operator.setitem or fn is intrinsics.dim else operands(op)


def _all_blocks(block: Block) -> Iterator[Block]:
    yield block
    for op in block.ops:
        for inner in blocks(op):
            yield from _all_blocks(inner)


def _holds_exactly(array: Var, value: Var) -> bool:
    """Whether `array` holds numbers like `value` as they are."""
    return isinstance(array.type, Array) and isinstance(value.type, Scalar) and array.type.dtype == value.type.dtype


def _is_float(var: Var) -> bool:
    return isinstance(var.type, Scalar) and var.type.dtype == "float64"


class _Dropping(Rewriter):
    def __init__(self, names: Names, told: dict[str, _Told]) -> None:
        super().__init__()
        self.names = names
        self.told = told

    def visit(self, op: Op, ops: list[Op]) -> None:
        """Append `op`, or what takes its place if it is about an array that goes."""
        array = op.args[0] if isinstance(op, Call) and op.args else None
        told = self.told.get(array.name) if isinstance(array, Var) and isinstance(array.type, Array) else None
        if told is None or not isinstance(op, Call) or callee(op) is intrinsics.dim:
            super().visit(op, ops)
        elif callee(op) is operator.getitem:
            out = op.outs[0]
            if told.by is None:
                ops.append(replace(op, args=(told.source, op.args[1])))
                return
            value = Var(self.names.fresh(told.value.base), Scalar("float64"))
            ops.append(replace(op, outs=(value,), args=(told.source, op.args[1])))
            given = tuple(value if arg == told.value else arg for arg in told.by.args)
            ops.append(Call((out,), told.by.fn, given, (), op.span))


def _is_sum_or_product(fn: object) -> bool:
    """Whether `fn` is an operator that adds, subtracts, multiplies or negates."""
    record = record_of(fn)
    return record.ufunc is not None and (record.algebra in ADDITIVE or record.algebra is Algebra.PRODUCT)

"""Common subexpressions, loads among them: what is known to be in a variable already is not computed again."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, If, Lit, Op, Operand, Pack, Var, While
from adxform.ir.types import Array, Object, Scalar, Type
from adxform.ir.walk import rename_block
from adxform.passes.scalar.rewriting import Rewriter, Sharing, classes_read, classes_written, each_function, is_certain_view
from adxform.primitives.alias import Aliases
from adxform.primitives.comparisons import asks_which_object
from adxform.primitives.effects import effect_of
from adxform.primitives.record import Effect
from adxform.primitives.table import having, spelled

UNNAMED = "tmp"
COMMUTING = having(lambda record: spelled(record.fn) in (operator.add, operator.mul))


def share_common_subexpressions(fn: Function) -> Function:
    """Replace each value by an earlier one that is surely the same: same operation, same operands, memory not written since.

    An element that was just stored is not loaded again. Two allocations become one only when neither is written,
    and when they are not both returned.

    >>> from adxform.ir.text import read, show
    >>> print(show(share_common_subexpressions(read('''
    ... def f(x: f64[x.0], i: int, y: f64[y.0]):
    ...     a: f64 = operator.getitem(x, i)
    ...     operator.setitem(y, i, a)
    ...     b: f64 = operator.getitem(x, i)
    ...     c: f64 = operator.getitem(y, i)
    ...     d: f64 = operator.mul(b, c)
    ...     return d'''))))
    def f(x: f64[x.0], i: int, y: f64[y.0]):
        a: f64 = operator.getitem(x, i)
        operator.setitem(y, i, a)
        d: f64 = operator.mul(a, a)
        return d
    """
    return each_function(fn, _shared)


def _shared(fn: Function, aliases: Aliases) -> Block:
    if asks_which_object(fn.body):  # equal values that are computed once would be one
        return fn.body
    sharing = _Sharing(fn, aliases)
    body = sharing.block(fn.body)
    better = sharing.better
    return rename_block(body, {}, lambda var: better.get(var, var)) if better else body


class _Sharing(Rewriter):
    """`versions` counts the writes to a class; a load is known by its operands and the versions of what it reads.

    `better` are variables without a name of the user's, and the ones with a name whose value they were found to be.
    """

    def __init__(self, fn: Function, aliases: Aliases) -> None:
        super().__init__()
        self.body = fn.body
        self.aliases = aliases
        self.sharing = Sharing(fn, aliases)
        self.versions: dict[int, int] = {}
        self.writes = 0
        self.available: dict[Any, tuple[Var, ...]] = {}
        self.added: list[Any] = []
        self.better: dict[Var, Var] = {}

    def block(self, block: Block) -> Block:
        if block is self.body:
            return super().block(block)
        outer, self.added = self.added, []
        renewed = super().block(block)
        for key in self.added:
            del self.available[key]
        self.added = outer
        return renewed

    def noted(self, key: Any, values: tuple[Var, ...]) -> tuple[Var, ...]:
        """What is known to be `key`: `values` from now on, where nothing was."""
        found = self.available.setdefault(key, values)
        if found is values:
            self.added.append(key)
        return found

    def visit(self, op: Op, ops: list[Op]) -> None:
        match op:
            case Call():
                self.call(op, ops)
            case For() | While():
                self.write(op)
                ops.append(self.descend(op))
                self.write(op)
            case If():
                ops.append(self.branch(op))
            case _:
                self.write(op)
                ops.append(op)

    def branch(self, op: If) -> Op:
        before = dict(self.versions)
        then = self.block(op.then)
        self.versions = before
        orelse = self.block(op.orelse)
        self.write(op)
        return op if then is op.then and orelse is op.orelse else replace(op, then=then, orelse=orelse)

    def write(self, op: Op) -> None:
        for class_ in classes_written(op, self.aliases):
            self.writes += 1
            self.versions[class_] = self.writes

    def call(self, op: Call, ops: list[Op]) -> None:
        effect = effect_of(op)
        if effect.opaque or effect.writes or not op.outs:
            self.write(op)
            ops.append(op)
            if callee(op) is operator.setitem:
                self.forward_store(op)
            return
        view = is_certain_view(op, effect)
        certain = [isinstance(out.type, Scalar) or view for out in op.outs]
        if not all(
            sure or (isinstance(out.type, Array) and self.sharing.is_constant(out))
            for sure, out in zip(certain, op.outs, strict=True)
        ):
            ops.append(op)
            return
        found = self.noted(self.key(op, effect), op.outs)
        if found is op.outs:
            ops.append(op)
            return
        pairs = list(zip(certain, op.outs, found, strict=True))
        united = [sure or self.sharing.unite(out, earlier) for sure, out, earlier in pairs]
        if not all(united):
            ops.append(op)
            return
        for _, out, earlier in pairs:
            self.known[out.name] = earlier
            if earlier.base == UNNAMED != out.base and earlier.type == out.type and callee(op) is not operator.getitem:
                self.better.setdefault(earlier, out)

    def key(self, op: Call, effect: Effect) -> Any:
        args = tuple([arg.name if isinstance(arg, Var) else _name(arg) for arg in op.args])
        fn = callee(op)
        if len(args) == 2 and fn in COMMUTING and not any(map(_may_be_sequence, op.args)) and _order(args[1]) < _order(args[0]):
            args = args[::-1]
        kwargs = tuple([(key, _name(value)) for key, value in op.kwargs]) if op.kwargs else ()
        fixed, known = self.sharing.fixed, self.versions
        read = classes_read(op, effect, self.aliases) if fixed else ()
        made = op.outs[0].type if len(op.outs) == 1 else tuple([out.type for out in op.outs])
        return fn, args, kwargs, made, tuple([known.get(class_, 0) for class_ in read if class_ in fixed])

    def forward_store(self, op: Call) -> None:
        """Note that ``x[i]`` is `v` after ``x[i] = v``, where reading would give the very type of `v`."""
        x, index, value = op.args
        if isinstance(x, Var) and isinstance(value, Var) and _selects_element(x, index) and _is_stored_as_is(x.type, value.type):
            version = self.versions.get(self.aliases.of(x), 0)
            self.noted((operator.getitem, (_name(x), _name(index)), (), value.type, (version,)), (value,))


def _is_stored_as_is(x: Type, value: Type) -> bool:
    """Whether reading an element gives back a `value` that was stored: the same dtype, and a NumPy scalar."""
    return isinstance(x, Array) and isinstance(value, Scalar) and x.dtype == value.dtype and not value.weak


def _selects_element(x: Var, index: Operand) -> bool:
    """Whether ``x[index]`` is one element: an integer for each axis."""
    items = index.items if isinstance(index, Pack) and index.kind == "tuple" else (index,)
    shape = x.type.shape if isinstance(x.type, Array) else None
    return shape is not None and len(items) == len(shape) and all(map(_is_integer, items))


def _is_integer(item: Operand) -> bool:
    match item:
        case Var(type=Scalar(dtype)):
            return dtype.startswith(("int", "uint"))
        case Lit(value):
            return isinstance(value, int) and not isinstance(value, bool)
        case _:
            return False


def _may_be_sequence(operand: Operand) -> bool:
    """Whether ``+`` may concatenate, so that its operands must not be swapped."""
    if isinstance(operand, Var):
        return isinstance(operand.type, Object)
    return not (isinstance(operand, Lit) and isinstance(operand.value, int | float | complex | np.generic))


def _name(operand: Operand) -> Any:
    """A key for `operand` that is cheap to hash."""
    if isinstance(operand, Var):
        return operand.name
    return (operand.kind, *map(_name, operand.items)) if isinstance(operand, Pack) else operand


def _order(key: Any) -> tuple[bool, str]:
    return (False, key) if isinstance(key, str) else (True, repr(key.value))

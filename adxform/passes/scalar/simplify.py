"""Algebra that a person would not write down: ``1.0 * x``, ``x + -y``, sums that know their axes."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.kinds import is_merged
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Function, Lit, Op, Operand, Var
from adxform.ir.types import FLOAT, INT, Array, Dim, Scalar, Size, Type, is_float
from adxform.ir.walk import Names
from adxform.passes.memory.storage_facts import made_in
from adxform.passes.scalar.rewriting import Rewriter, Sharing, each_function
from adxform.primitives.facets import Algebra, Moves
from adxform.primitives.record import Primitive
from adxform.primitives.table import having, meaning_of, record_of, registered, spelled

Replacement = Var | Call | None


def simplify_algebra(fn: Function) -> Function:
    """Rewrite arithmetic to simpler arithmetic of the same bits, dtype and shape (-0.0 + 0.0 is 0.0: it stays).

    >>> from adxform.ir.text import read, show
    >>> print(show(simplify_algebra(read('''
    ... def f(x: f64[x.0, 3], b: f64[3], ct: f64):
    ...     a: f64 = operator.mul(1.0, ct)
    ...     n: f64 = operator.neg(a)
    ...     d: f64 = operator.add(ct, n)
    ...     p: f64[x.0, 3] = operator.mul(x, d)
    ...     b_ct: f64[3] = runtime.unbroadcast(p, b)
    ...     intrinsics.accumulate(b, ..., b_ct)
    ...     return d'''))))
    def f(x: f64[x.0, 3], b: f64[3], ct: f64):
        n: f64 = operator.neg(ct)
        d: f64 = operator.sub(ct, ct)
        p: f64[x.0, 3] = operator.mul(x, d)
        b_ct: f64[3] = np.sum(p, axis=0)
        intrinsics.accumulate(b, ..., b_ct)
        return d
    """
    return each_function(fn, lambda part, aliases: _Simplifying(part, Sharing(part, aliases)).block(part.body))


class _Simplifying(Rewriter):
    def __init__(self, fn: Function, sharing: Sharing) -> None:
        super().__init__()
        self.fn = fn
        self.names: Names | None = None
        self.sharing = sharing
        self.in_sweep = False
        self.negated: dict[str, Operand] = {}
        self.spread: dict[str, tuple[Operand, Operand]] = {}
        self.mirrored: dict[str, Operand] = {}
        self.shaped = {
            (p.type.dtype, p.type.shape): p for p in reversed(fn.params) if isinstance(p.type, Array) and _names_own(p)
        }

    @cached_property
    def made(self) -> set[str]:
        """The arrays that lie without gaps, and so as what arithmetic makes of them."""
        return made_in(self.fn)

    def visit(self, op: Op, ops: list[Op]) -> None:
        if not isinstance(op, Call):
            ops.append(self.descend(op))
            return
        if not op.outs:
            self.in_sweep |= op.fn == Lit(intrinsics.turning_point)
            ops.append(self.store(op))
            return
        if callee(op) not in SIMPLER:
            ops.append(op)
            return
        op = self.leaner(self.outlined(op), ops)
        fn = callee(op)
        if fn is np.sum and (written := self.sign_last(op) or self.counted(op)) is not None:
            ops += written
            return
        found = self.simpler(op)
        if isinstance(found, Var) and (fn in ITSELF or self.may_stand_for(found, op)):
            self.known[op.outs[0].name] = found
            return
        op = found if isinstance(found, Call) else op
        if callee(op) in NOTED and not op.kwargs:
            self.note(op)
        ops.append(op)

    def may_stand_for(self, found: Var, op: Call) -> bool:
        """Whether nobody can tell `found` from the result of `op`: a view may lie otherwise, and sums take terms as they lie.

        In a value all bits are the user's. Where readers do not mind, copies go that are left here (`passes/memory/copies`).
        """
        lies_alike = self.in_sweep or not isinstance(found.type, Array) or found.name in self.made
        return lies_alike and self.sharing.unite(op.outs[0], found)

    def note(self, op: Call) -> None:
        """Remember what later ops may use instead of the result of `op`."""
        match op:
            case Call((out,), Lit(fn), (given,)) if fn in NEGATIONS:
                if self.sharing.is_constant(given) and self.sharing.is_constant(out):
                    self.negated[out.name] = given
            case Call((out,), Lit(runtime.broadcast_like), (part, like)) if isinstance(part, Lit) or self.sharing.is_constant(
                part
            ):
                self.spread[out.name] = part, like
            case Call((out,), Lit(fn), (Var() as given,)) if fn in MIRRORS and given.type == out.type and not _may_vary(out.type):
                self.mirrored[out.name] = given

    def outlined(self, op: Call) -> Call:
        """`op` with the first parameter of a shape for what it takes that shape from: that need not be computed, or kept."""
        if callee(op) not in ITSELF or not isinstance(like := op.args[1], Var) or not isinstance(like.type, Array):
            return op
        param = self.shaped.get((like.type.dtype, like.type.shape))
        return op if param is None or param == like else replace(op, args=(op.args[0], param))

    def leaner(self, op: Call, ops: list[Op]) -> Call:
        """`op` on what an array repeats in place of that array, where another operand gives the result its shape."""
        if not self.spread or callee(op) not in SPREADING or op.kwargs:
            return op
        out = op.outs[0].type
        for place, arg in enumerate(op.args):
            part, like = self.spread.get(arg.name, (None, None)) if isinstance(arg, Var) else (None, None)
            if part is None or like is None:
                continue
            others = (*op.args[:place], *op.args[place + 1 :])
            if all(isinstance(_type(other), Scalar) or isinstance(other, Lit) for other in others):
                return self.before(op, part, like, place, ops)
            arrays = [other for other in others if isinstance(other, Var) and other.name not in self.spread]
            if any(_gives(other, part, out, callee(op) is np.where) for other in arrays):
                return replace(op, args=(*op.args[:place], part, *op.args[place + 1 :]))
        return op

    def before(self, op: Call, part: Operand, like: Operand, place: int, ops: list[Op]) -> Call:
        """``op(spread(number))`` as ``spread(op(number))``."""
        out, type_ = op.outs[0].type, _type(part)
        if not isinstance(type_, Scalar) or not isinstance(out, Array) or not _scales(record_of(callee(op))):
            return op
        if not self.sharing.is_constant(op.outs[0]):  # it is written to: what repeats a number cannot be
            return op
        others = [_type(arg) for arg in op.args if isinstance(arg, Var) and isinstance(arg.type, Scalar) and arg.type != INT]
        if isinstance(part, Lit) and others:
            type_ = others[0]
        if not isinstance(type_, Scalar) or type_.dtype != out.dtype or any(other != type_ for other in others):
            return op
        number = replace(self.fresh(op.outs[0]), type=type_)
        ops.append(replace(op, outs=(number,), args=(*op.args[:place], part, *op.args[place + 1 :])))
        return Call(op.outs, Lit(runtime.broadcast_like), (number, like), (), op.span)

    def sign_last(self, op: Call) -> tuple[Call, Call] | None:
        """``-sum(x)`` for ``sum(-x)`` in a reverse sweep: one array less. A zero has another sign, which a value has to keep."""
        if not self.in_sweep or len(op.args) != 1 or not {key for key, _ in op.kwargs} <= {"axis", "keepdims"}:
            return None
        positive = self.opposite(op.args[0])
        if not isinstance(positive, Var) or not is_float(positive.type):
            return None
        total = self.fresh(op.outs[0])
        outer = Call(op.outs, Lit(operator.neg), (total,), (), op.span)
        return replace(op, outs=(total,), args=(positive,)), outer

    def counted(self, op: Call) -> tuple[Call, Call] | None:
        """``number * x.size`` for the sum of a number that was spread over the shape of `x`."""
        if len(op.args) != 1 or op.kwargs or not isinstance(op.args[0], Var):
            return None
        part, like = self.spread.get(op.args[0].name, (None, None))
        number, out = _type(part) if part is not None else None, op.outs[0].type
        if part is None or not isinstance(like, Var) or not isinstance(like.type, Array):
            return None
        if not isinstance(number, Scalar) or not isinstance(out, Scalar) or number.dtype != out.dtype:
            return None
        size = Var(self.fresh(op.outs[0]).name, INT)
        total = Call(op.outs, Lit(operator.mul), (part, size), (), op.span)
        return Call((size,), Lit(np.size), (like,), (), op.span), total

    def fresh(self, like: Var) -> Var:
        """A new variable of the name and type of `like`."""
        self.names = self.names or Names.of(self.fn)
        return Var(self.names.fresh(like.name), like.type)

    def simpler(self, op: Call) -> Replacement:
        fn = callee(op)
        rule = REWRITTEN.get(fn) if not op.kwargs and fn not in registered() else None
        return rule(self, op) if rule is not None and len(op.args) in (1, 2) else None

    def store(self, op: Call) -> Op:
        """``x[i] += -v`` is ``x[i] -= v``, and the other way round."""
        fn = callee(op)
        if fn in OPPOSITE and len(op.args) == 3 and (positive := self.opposite(op.args[2])) is not None:
            return Call((), Lit(OPPOSITE[fn]), (*op.args[:2], positive), (), op.span)
        return op

    def opposite(self, operand: Operand) -> Operand | None:
        """`y` when `operand` is ``-y``."""
        return self.negated.get(operand.name) if isinstance(operand, Var) else None


def _gives(operand: Var, part: Operand, out: Type, is_choice: bool) -> bool:
    """Whether `operand` and `part` give the result `out` its shape, which is that of `operand`, and its dtype."""
    type_, given = operand.type, _type(part)
    if not isinstance(type_, Array) or not isinstance(out, Array) or type_.shape is None or type_.shape != out.shape:
        return False
    if isinstance(given, Array) and given.dtype != out.dtype:
        return False
    weak = isinstance(given, Scalar) and given.weak  # a Python float takes the dtype of the array that it meets
    same = isinstance(given, Scalar | Array) and given.dtype == out.dtype == "float64" and not weak
    return same or (type_.dtype == out.dtype and not is_choice)


def _type(operand: Operand) -> Type | None:
    """The type of a variable, or of a literal float."""
    if isinstance(operand, Lit):
        return FLOAT if type(operand.value) is float else None
    return operand.type if isinstance(operand, Var) else None


def _names_own(param: Var) -> bool:
    """Whether the lengths of the array `param` that are not known are named after it, so that nothing else gives them."""
    shape = param.type.shape if isinstance(param.type, Array) else None
    named = (f"{param.name}.{axis}" for axis in range(len(shape or ())))
    return bool(shape) and all(size == Dim(name) or size == 1 for size, name in zip(shape or (), named, strict=True))


def _is(operand: Operand, number: float) -> bool:
    """Whether `operand` is that number as a literal."""
    return isinstance(operand, Lit) and type(operand.value) in (int, float) and operand.value == number


def _is_minus_zero(operand: Operand) -> bool:
    return isinstance(operand, Lit) and math.copysign(1.0, operand.value) < 0


def _is_none_added(op: Call, operand: Operand) -> bool:
    """Whether `operand` is a zero that a sum of its own type may leave out: ``x + 0.0`` is 0.0 where `x` is -0.0."""
    return _is(operand, 0.0) and (_is_minus_zero(operand) or not is_float(op.outs[0].type))


def _same(op: Call, operand: Operand) -> Var | None:
    """`operand` where it has the very type of the result of `op`."""
    out = op.outs[0].type
    same = isinstance(operand, Var) and operand.type == out and not (_may_vary(out) or is_merged(operand.type))
    return operand if isinstance(operand, Var) and same else None


def _may_vary(type_: Type) -> bool:
    """Whether two values of `type_` can differ in shape."""
    return isinstance(type_, Array) and type_.shape is None


def _becomes(op: Call, fn: Callable[..., object], *args: Operand, **kwargs: object) -> Call:
    return Call(op.outs, Lit(fn), args, tuple((key, Lit(value)) for key, value in kwargs.items()), op.span)


def _is_number(type_: Type | None) -> bool:
    return isinstance(type_, Scalar | Array) and type_.dtype not in ("bool", "object")


def _add(pass_: _Simplifying, op: Call) -> Replacement:
    a, b = op.args
    if _is_none_added(op, b):
        return _same(op, a)
    if _is_none_added(op, a):
        return _same(op, b)
    if not _is_number(op.outs[0].type):
        return None
    if (y := pass_.opposite(b)) is not None:
        return _becomes(op, operator.sub, a, y)
    if (y := pass_.opposite(a)) is not None:
        return _becomes(op, operator.sub, b, y)
    return None


def _sub(pass_: _Simplifying, op: Call) -> Replacement:
    a, b = op.args
    if _is(b, 0.0) and not _is_minus_zero(b):
        return _same(op, a)
    if _is_none_added(op, a) and _same(op, b) is not None:
        return _becomes(op, operator.neg, b)
    if (y := pass_.opposite(b)) is not None:
        return _becomes(op, operator.add, a, y)
    return None


def _mul(pass_: _Simplifying, op: Call) -> Replacement:
    for a, b in (op.args, op.args[::-1]):
        if _is(a, 1.0):
            return _same(op, b)
        if _is(a, -1.0) and _same(op, b) is not None:
            return _becomes(op, operator.neg, b)
    x, y = (pass_.opposite(arg) for arg in op.args)
    return _becomes(op, operator.mul, x, y) if x is not None and y is not None else None


def _truediv(pass_: _Simplifying, op: Call) -> Replacement:
    return _same(op, op.args[0]) if _is(op.args[1], 1.0) else None


def _neg(pass_: _Simplifying, op: Call) -> Replacement:
    positive = pass_.opposite(op.args[0])
    return None if positive is None else _same(op, positive)


def _unbroadcast(pass_: _Simplifying, op: Call) -> Replacement:
    """A sum over the axes that the types say were broadcast; nothing when they leave it open."""
    ct, like = op.args
    out, given, target = op.outs[0].type, _type(ct), _type(like)
    if isinstance(like, Lit) and type(like.value) in (int, float, bool):
        target = Scalar("float64")
    if given is None or target is None:
        return None
    if isinstance(given, Scalar) and isinstance(target, Scalar):
        return _same(op, ct)
    if not isinstance(given, Array) or given.shape is None or not isinstance(target, Scalar | Array):
        return None
    if isinstance(target, Scalar):
        return _becomes(op, np.sum, ct) if isinstance(out, Scalar) and given.shape else None
    if target.shape is None:
        return None
    if given.shape == target.shape:
        return _same(op, ct)
    summed = _summed(given.shape, target.shape)
    if summed is None:
        return None
    extra, ones = summed
    if extra:
        return _becomes(op, np.sum, ct, axis=0 if extra == 1 else tuple(range(extra)))
    if not ones:
        return _same(op, ct)
    return _becomes(op, np.sum, ct, axis=ones[0] if len(ones) == 1 else ones, keepdims=True)


def _summed(given: tuple[Size, ...], target: tuple[Size, ...]) -> tuple[int, tuple[int, ...]] | None:
    """How many axes in front `given` has more than `target`, or else those of which `target` has one element.

    ``None`` where that is left open, or there are both.
    """
    extra = len(given) - len(target)
    if extra < 0:
        return None
    pairs = list(zip(given[extra:], target, strict=True))
    ones = tuple(axis for axis, (size, wanted) in enumerate(pairs) if wanted == 1 and size != 1)
    known = all(size == wanted or wanted == 1 or _is_not_one(wanted) for size, wanted in pairs)
    return (extra, ones) if known and not (extra and ones) else None


def _is_not_one(size: int | Dim) -> bool:
    return not size.may_be_one if isinstance(size, Dim) else size != 1


def _broadcast_like(pass_: _Simplifying, op: Call) -> Replacement:
    value, like = op.args
    given, target = _type(value), _type(like)
    if isinstance(given, Scalar) and isinstance(target, Scalar):
        return _same(op, value)
    equal = isinstance(given, Array) and isinstance(target, Array) and given.shape == target.shape
    return _same(op, value) if equal else None


def _copy(pass_: _Simplifying, op: Call) -> Replacement:
    """An array made of one number, where a number that was spread over a shape is copied."""
    (spread, *order), out = op.args, op.outs[0].type
    part, like = pass_.spread.get(spread.name, (None, None)) if isinstance(spread, Var) and not order else (None, None)
    type_ = None if part is None else _type(part)
    if part is None or not isinstance(type_, Scalar) or not isinstance(like, Var):
        return None
    same = isinstance(out, Array) and isinstance(like.type, Array) and out.dtype == like.type.dtype == type_.dtype
    return _becomes(op, np.full_like, like, part) if same else None


def _mirror(pass_: _Simplifying, op: Call) -> Replacement:
    """``zeros_like(x)`` for ``zeros_like(ones_like(x))``"""
    (like, *dtype), fn = op.args, callee(op)
    original = pass_.mirrored.get(like.name) if isinstance(like, Var) else None
    return None if original is None or fn is None else _becomes(op, fn, original, *dtype)


def _power(pass_: _Simplifying, op: Call) -> Replacement:
    return _same(op, op.args[0]) if _is(op.args[1], 1) else None


def _conversion(pass_: _Simplifying, op: Call) -> Replacement:
    type_ = _type(op.args[0])
    return _same(op, op.args[0]) if isinstance(type_, Scalar) and type_.weak else None


Rule = Callable[[_Simplifying, Call], Replacement]

RULES: Mapping[Algebra, Rule] = {
    Algebra.SUM: _add,
    Algebra.DIFFERENCE: _sub,
    Algebra.PRODUCT: _mul,
    Algebra.QUOTIENT: _truediv,
    Algebra.POWER: _power,
    Algebra.NEGATION: _neg,
}


def _rule_of(fn: Callable[..., object] | None) -> Rule | None:
    """How a call of `fn` may be written otherwise, for what operators mean, what copies, and what makes arrays alike."""
    record = record_of(fn)
    operation = meaning_of(fn)
    if operation.ufunc is not None and operation.algebra is not None:
        return RULES.get(operation.algebra)
    if fn is runtime.unbroadcast:
        return _unbroadcast
    if fn is runtime.broadcast_like:
        return _broadcast_like
    if record.moves is Moves.COPY:
        return _copy
    if _mirrors(record):
        return _mirror
    return _conversion if fn in (float, int, bool) else None


def _mirrors(record: Primitive) -> bool:
    """Whether it makes an array of the shape, dtype and layout of another one."""
    return record.fresh is not None and record.fresh.like and not record.fresh.given


def _spreads_its_operands(fn: Callable[..., object] | None) -> bool:
    """Whether `fn` takes a number, or a smaller array, in the place of an array that repeats it."""
    operation = meaning_of(fn)
    arithmetic = operation.ufunc is not None and operation.algebra not in (None, Algebra.POWER)
    return arithmetic or fn is np.where or fn is runtime.masked_product


def _scales(record: Primitive) -> bool:
    """Whether it is an operator that multiplies, divides or negates."""
    return record.ufunc is not None and record.algebra in (Algebra.NEGATION, Algebra.PRODUCT, Algebra.QUOTIENT)


ITSELF = frozenset({runtime.unbroadcast, runtime.broadcast_like})
"""What returns its very operand when the shapes are equal: no array of its own is lost."""
NEGATIONS = having(lambda record: spelled(record.fn) is operator.neg)
MIRRORS = having(_mirrors)
NOTED = NEGATIONS | MIRRORS | {runtime.broadcast_like}
REWRITTEN: Mapping[Callable[..., object] | None, Rule] = {
    fn: rule for fn in having(lambda record: True) if (rule := _rule_of(fn)) is not None
}
SPREADING = having(lambda record: _spreads_its_operands(record.fn))
SIMPLER = SPREADING | NOTED | {np.sum, *REWRITTEN}
"""What may be written otherwise, or tell how later ops may be."""
OPPOSITE: Mapping[Callable[..., object] | None, Callable[..., object]] = {
    intrinsics.accumulate: intrinsics.deduct,
    intrinsics.deduct: intrinsics.accumulate,
}

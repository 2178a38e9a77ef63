"""Operands and calls as Python expressions."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Mapping
from typing import Any, assert_never

import numpy as np

from adxform import runtime
from adxform.backends.python.free_names import References
from adxform.backends.python.inlined_expressions import Folding
from adxform.backends.python.syntax import BINARY, COMPARE, IN_PLACE, UNARY, is_method
from adxform.errors import VerificationError
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee, type_of
from adxform.ir.ops import UNDEFINED, Call, If, Lit, Op, Operand, Pack, Var
from adxform.ir.types import Array, Scalar
from adxform.primitives.table import lookup

INVERSE: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
LOAD = ast.Load()
RUNTIME = "adxform.runtime"


class Expressions:
    """Writes the operands of one function, `checked` to read nothing undefined. Lists of equal code come out as equal trees."""

    def __init__(self, folding: Folding, names: Mapping[Var, str], references: References, checked: bool = False) -> None:
        self.folding = folding
        self.names = names
        self.references = references
        self.checked = checked

    def operand(self, operand: Operand) -> ast.expr:
        """`operand` as an expression."""
        match operand:
            case Var():
                op = self.folding.values.get(operand)
                return name(self.names[operand]) if op is None else self.op(op)
            case Lit(value):
                return self.literal(value)
            case Pack("tuple", items):
                return ast.Tuple([self.operand(item) for item in items], LOAD)
            case Pack("list", items):
                return ast.List([self.operand(item) for item in items], LOAD)
            case Pack("dict", items):
                return ast.Dict([self.operand(item) for item in items[::2]], [self.operand(item) for item in items[1::2]])
            case Pack("slice", items):
                return ast.Call(self.references.to(slice), [self.operand(item) for item in items], [])
            case Pack("instance", (Lit(cls), *_)):
                return self.instance(cls, operand)
            case Pack():
                raise VerificationError(f"unknown aggregate {operand.kind!r}")
            case _:
                assert_never(operand)

    def instance(self, cls: type, operand: Pack) -> ast.expr:
        """An instance of `cls`: a named tuple by its constructor, any other without it."""
        parts = [(operand.items[place - 1], self.operand(operand.items[place])) for place in operand.places]
        if issubclass(cls, tuple):
            return ast.Call(self.references.to(cls), [part for _, part in parts], [])
        fields = [ast.keyword(key.value, part) for key, part in parts if isinstance(key, Lit)]
        return ast.Call(self.references.to(runtime.record), [self.references.to(cls)], fields)

    def op(self, op: Op) -> ast.expr:
        """The value of a call, or of an `If` that is an expression."""
        if isinstance(op, Call):
            return self.call(op)
        assert isinstance(op, If)
        return self.conditional(op)

    def conditional(self, op: If) -> ast.expr:
        """``a if c else b``, or ``and`` and ``or`` where the condition itself is a result."""
        cond, then, orelse = op.cond, op.then.results[0], op.orelse.results[0]
        test = self.operand(cond)
        if orelse == cond:
            return test if then == cond else _boolean(ast.And(), test, self.operand(then))
        if then == cond:
            return _boolean(ast.Or(), test, self.operand(orelse))
        if is_bool(cond):
            if then == Lit(True) and orelse == Lit(False):
                return test
            if then == Lit(False) and orelse == Lit(True):
                return negated(test)
            if orelse == Lit(False):
                return _boolean(ast.And(), test, self.operand(then))
            if then == Lit(True):
                return _boolean(ast.Or(), test, self.operand(orelse))
        return ast.IfExp(test, self.operand(then), self.operand(orelse))

    def call(self, op: Call) -> ast.expr:
        """The value of `op`, with the operator or method syntax that a programmer would use."""
        fn = callee(op)
        args = op.args
        if op.kwargs:
            return self.plain_call(op)
        operation = self.operation(fn, args)
        if operation is not None:
            return operation
        if fn is operator.getitem:
            return self.item(args[0], args[1])
        if fn is intrinsics.dim:
            return ast.Subscript(ast.Attribute(self.operand(args[0]), "shape", LOAD), self.operand(args[1]), LOAD)
        if fn is intrinsics.new_stack:
            return ast.List([], LOAD)
        if fn is intrinsics.pop:
            return ast.Call(ast.Attribute(self.operand(args[0]), "pop", LOAD), [], [])
        if fn is intrinsics.stop_gradient:
            return self.operand(args[0])
        if fn is np.transpose and len(args) == 1 and isinstance(type_of(args[0]), Array):
            return ast.Attribute(self.operand(args[0]), "T", LOAD)
        if fn is getattr and len(args) == 2 and isinstance(args[1], Lit) and str(args[1].value).isidentifier():
            return ast.Attribute(self.operand(args[0]), args[1].value, LOAD)
        return self.plain_call(op)

    def operation(self, fn: Any, args: tuple[Operand, ...]) -> ast.expr | None:
        """``fn(*args)`` by an operator of Python's, or as a truth value, if `fn` is one."""
        match args:
            case (a, b) if fn in BINARY:
                return self.binary(BINARY[fn], a, b)
            case (a, b) if fn in IN_PLACE and isinstance(type_of(a), Scalar):
                return self.binary(IN_PLACE[fn], a, b)
            case (a, b) if fn in COMPARE:
                return ast.Compare(self.operand(a), [COMPARE[fn]()], [self.operand(b)])
            case (box, item) if fn is operator.contains:
                return ast.Compare(self.operand(item), [ast.In()], [self.operand(box)])
            case (x,) if fn is operator.not_:
                return negated(self.operand(x))
            case (x,) if fn in UNARY:
                return ast.UnaryOp(UNARY[fn](), self.operand(x))
            case (x,) if fn is operator.truth:
                return ast.Call(self.references.to(bool), [self.operand(x)], [])
            case _:
                return None

    def plain_call(self, op: Call) -> ast.expr:
        """``fn(*args, **kwargs)``, or ``x.method(...)``."""
        fn = callee(op)
        keywords = [ast.keyword(key, self.argument(fn, value)) for key, value in op.kwargs]
        match op.args:
            case (Lit(receiver), *rest) if _is_found_on(receiver, fn):
                return ast.Call(self.references.method(receiver, fn.__name__), [self.argument(fn, arg) for arg in rest], keywords)
        args = [self.argument(fn, arg) for arg in op.args]
        if fn is operator.call and args:
            return ast.Call(args[0], args[1:], keywords)
        if is_method(fn) and args and not isinstance(op.args[0], Lit):
            return ast.Call(ast.Attribute(args[0], fn.__name__, LOAD), args[1:], keywords)
        return ast.Call(self.operand(op.fn), args, keywords)

    def argument(self, fn: Any, operand: Operand) -> ast.expr:
        """An argument of `fn`: for a function of the rule table a dtype is its class, as a programmer writes it."""
        match operand:
            case Lit(np.dtype() as dtype) if _has_own_class(dtype) and lookup(fn) is not None:
                return self.references.to(dtype.type)
            case _:
                return self.operand(operand)

    def binary(self, op: type[ast.operator], left: Operand, right: Operand) -> ast.expr:
        """``left op right``; ``a + -b`` becomes ``a - b``, which is the same to the last bit."""
        a, b = self.operand(left), self.operand(right)
        if op in (ast.Add, ast.Sub) and _is_signed(left) and (positive := self.without_sign(right)) is not None:
            return ast.BinOp(a, ast.Sub() if op is ast.Add else ast.Add(), positive)
        return ast.BinOp(a, op(), b)

    def without_sign(self, operand: Operand) -> ast.expr | None:
        """``b`` for ``-b``, ``b * c`` for ``-b * c``, 2 for -2: the same to the last bit. ``None`` where no sign is in front."""
        match operand:
            case Lit(int() | float() as value) if value < 0:
                return self.literal(-value)
            case Var():
                op = self.folding.values.get(operand)
                if not isinstance(op, Call) or op.kwargs or not _is_float(operand):
                    return None
                fn = callee(op)
                if fn is operator.neg and _is_float(op.args[0]):
                    return self.operand(op.args[0])
                if fn in (operator.mul, operator.truediv) and (positive := self.without_sign(op.args[0])) is not None:
                    return ast.BinOp(positive, BINARY[fn](), self.operand(op.args[1]))
                return None
            case _:
                return None

    def item(self, value: Operand, index: Operand) -> ast.expr:
        """``value[index]``"""
        return ast.Subscript(self.operand(value), self.index(index), LOAD)

    def index(self, index: Operand) -> ast.expr:
        """What stands between the brackets."""
        match index:
            case Pack("slice", items):
                lower, upper, step = (None if item == Lit(None) else self.operand(item) for item in items)
                return ast.Slice(lower, upper, step)
            case Pack("tuple", items):
                return ast.Tuple([self.index(item) for item in items], LOAD)
            case Lit(value) if isinstance(value, slice):
                return self.index(Pack("slice", (Lit(value.start), Lit(value.stop), Lit(value.step))))
            case Lit(value) if type(value) is tuple:
                return ast.Tuple([self.index(Lit(item)) for item in value], LOAD)
            case _:
                return self.operand(index)

    def literal(self, value: Any) -> ast.expr:
        """`value` spelled out, or a reference to it."""
        if value is UNDEFINED.value:
            return ast.Constant(None) if self.checked else ast.Attribute(self.references.module(RUNTIME), "undefined", LOAD)
        if value is None or value is Ellipsis or type(value) in (bool, str, bytes):
            return ast.Constant(value)
        if type(value) is int:
            return _signed(value < 0, ast.Constant(abs(value)))
        if type(value) is float:
            return self.real(value)
        if type(value) is complex:
            if str(value.real) == "0.0" and math.copysign(1.0, value.imag) > 0 and math.isfinite(value.imag):
                return ast.Constant(value)
            return ast.Call(self.references.to(complex), [self.real(value.real), self.real(value.imag)], [])
        if type(value) in (tuple, list, dict, slice):
            return self.display(value)
        if isinstance(value, np.longdouble):  # more digits than a float has
            return ast.Call(self.references.to(np.longdouble), [ast.Constant(str(value))], [])
        if isinstance(value, np.bool | np.integer | np.floating):
            return ast.Call(self.references.to(type(value)), [self.literal(value.item())], [])
        if isinstance(value, np.dtype) and _has_own_class(value):
            return ast.Call(self.references.to(np.dtype), [self.references.to(value.type)], [])
        return self.references.to(value)

    def display(self, value: tuple[Any, ...] | list[Any] | dict[Any, Any] | slice) -> ast.expr:
        """A tuple, list, dict or slice with its items spelled out."""
        match value:
            case tuple():
                return ast.Tuple([self.literal(item) for item in value], LOAD)
            case list():
                return ast.List([self.literal(item) for item in value], LOAD)
            case dict():
                return ast.Dict([self.literal(key) for key in value], [self.literal(item) for item in value.values()])
            case slice():
                return ast.Call(self.references.to(slice), [self.literal(x) for x in (value.start, value.stop, value.step)], [])

    def real(self, value: float) -> ast.expr:
        """A float literal; infinities and NaN by their names in NumPy."""
        if math.isfinite(value):
            return _signed(math.copysign(1.0, value) < 0, ast.Constant(abs(value)))
        special = ast.Attribute(self.references.module("numpy"), "nan" if math.isnan(value) else "inf", LOAD)
        return _signed(value < 0, special)


def name(text: str) -> ast.Name:
    """The variable `text`, read."""
    return ast.Name(text, LOAD)


def negated(test: ast.expr) -> ast.expr:
    """``not test``, as short as it goes without changing what NaN does."""
    match test:
        case ast.UnaryOp(ast.Not(), inner):
            return ast.UnaryOp(ast.Not(), test) if not _is_test(inner) else inner
        case ast.Compare(left, [op], [right]) if type(op) in (ast.Is, ast.IsNot, ast.In, ast.NotIn):
            return ast.Compare(left, [INVERSE[type(op)]()], [right])
        case ast.Constant(bool() as value):
            return ast.Constant(not value)
        case _:
            return ast.UnaryOp(ast.Not(), test)


def is_bool(operand: Operand) -> bool:
    """Whether `operand` is a Python ``bool``."""
    return type_of(operand) == Scalar("bool", weak=True)


def _is_test(expr: ast.expr) -> bool:
    """Whether the value of `expr` is a ``bool``."""
    match expr:
        case ast.Compare(_, [ast.Is() | ast.IsNot() | ast.In() | ast.NotIn()], _) | ast.UnaryOp(ast.Not(), _):
            return True
        case _:
            return False


def _boolean(op: ast.boolop, left: ast.expr, right: ast.expr) -> ast.expr:
    """``left and right``, flat where `left` is one already."""
    if isinstance(left, ast.BoolOp) and type(left.op) is type(op):
        return ast.BoolOp(op, [*left.values, right])
    return ast.BoolOp(op, [left, right])


def _signed(negative: bool, value: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.USub(), value) if negative else value


def _has_own_class(dtype: np.dtype[Any]) -> bool:
    """Whether a class of numbers says all that `dtype` does."""
    return dtype.isnative and dtype.kind in "biufc"


def _is_signed(operand: Operand) -> bool:
    """Whether `operand` is a number or an array of numbers that may be negative."""
    type_ = type_of(operand)
    return isinstance(type_, Scalar | Array) and type_.dtype != "bool" and not type_.dtype.startswith("uint")


def _is_found_on(receiver: object, fn: Any) -> bool:
    """Whether `fn` is a method of `receiver`, an object that code cannot spell out."""
    cls, name = type(receiver), getattr(fn, "__name__", None)
    return cls.__module__ != "builtins" and isinstance(name, str) and getattr(cls, name, None) is fn


def _is_float(operand: Operand) -> bool:
    type_ = type_of(operand)
    return isinstance(type_, Scalar | Array) and type_.dtype.startswith(("float", "longdouble"))

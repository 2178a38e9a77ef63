"""The rules that every well-formed function keeps; run between stages in tests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NoReturn

from adxform.errors import VerificationError
from adxform.ir.ops import (
    Attribute,
    Block,
    Call,
    Closure,
    For,
    Free,
    Function,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
    Pack,
    Raise,
    Var,
    While,
)
from adxform.ir.text import show_op, show_operand, show_type
from adxform.ir.types import FLOATS, Array, Scalar
from adxform.ir.walk import operands, outs, reads

_NAME = re.compile(r"[^\W\d][\w~]*(\.\d+)?")


@lru_cache(4096)
def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def verify(fn: Function, *, typed: bool = True) -> None:
    """Check `fn` and its helpers: names unique and defined before use, arities, and (`typed`) no op of untyped IR.

    Raises:
        VerificationError: naming the op that breaks a rule, at its place in the user's source.

    >>> from adxform.ir.text import read
    >>> verify(read("def f(x: f64):\\n    y: f64 = np.sin(x)\\n    return y"))
    >>> x = Var("x", Scalar("float64"))
    >>> verify(Function("f", Block((x, x), (), (x,))))
    Traceback (most recent call last):
    ...
    adxform.errors.VerificationError: error[ADX901]: f: x is defined twice, in the parameters
    help: see docs/errors.md#adx901
    """
    callees: dict[str, Function] = {}
    waiting = [fn]
    while waiting:
        function = waiting.pop(0)
        if callees.setdefault(function.name, function) is function:
            waiting += function.helpers
    for helper in fn.helpers:
        callees[helper.name] = helper
    for function in {id(function): function for function in (fn, *callees.values())}.values():
        _Verifier(function, callees, typed).function()


class _Verifier:
    def __init__(self, fn: Function, callees: Mapping[str, Function], typed: bool) -> None:
        self.fn = fn
        self.callees = callees
        self.typed = typed
        self.scope: dict[str, Var] = {}
        self.defined: set[str] = set()
        self.where: Op | str = "the parameters"
        self.part = ""

    def fail(self, message: str) -> NoReturn:
        at = self.where
        where, span = (at, self.fn.span) if isinstance(at, str) else (f"`{show_op(at).splitlines()[0]}`", at.span)
        raise VerificationError(f"{self.fn.name}: {message}, in {self.part}{where}", span=span)

    def require(self, held: bool, message: str) -> None:
        if not held:
            self.fail(message)

    def function(self) -> None:
        self.block(self.fn.body, "its return")

    def at(self, op: Op) -> None:
        self.where, self.part = op, ""

    def define(self, var: Var) -> None:
        name, type_ = var.name, var.type
        if not _is_name(name):
            self.fail(f"{name!r} is no variable name")
        if isinstance(type_, (Array, Scalar)) and type_.dtype not in FLOATS and type_.dtype.startswith("float"):
            self.fail(f"{name} has a dtype of no type: {type_.dtype}")
        self.introduce(var)

    def introduce(self, var: Var) -> None:
        """Take `var`, which is known to be a variable that can be, into scope."""
        name = var.name
        if name in self.defined:
            self.fail(f"{name} is defined twice")
        self.defined.add(name)
        self.scope[name] = var

    def use(self, operand: Operand) -> None:
        match operand:
            case Lit():
                return
            case Var(name, type_):
                seen = self.scope.get(name)
                if seen is not operand and seen != operand:
                    if seen is None:
                        self.fail(f"{name} is {'out of scope' if name in self.defined else 'not defined before use'}")
                    self.fail(f"{name} is {show_type(seen.type)}, here {show_type(type_)}")
            case Pack(kind, items):
                if kind == "slice" and len(items) != 3:
                    self.fail(f"{show_operand(operand)} is no slice")
                self.require(
                    kind not in ("dict", "instance") or len(items) % 2 == (kind == "instance"), f"{kind} without a value"
                )
                for item in items:
                    self.use(item)

    def block(self, block: Block, end: Op | str) -> None:
        """Check `block`; what it defines is out of scope afterwards."""
        before = len(self.scope)
        for param in block.params:
            self.define(param)
        for op in block.ops:
            self.op(op)
        self.where, self.part = end, "" if isinstance(end, str) else "the yield of "
        for result in block.results:
            self.use(result)
        while len(self.scope) > before:
            self.scope.popitem()

    def nested(self, op: Op, block: Block, params: int, results: int) -> None:
        self.at(op)
        if len(block.params) != params:
            self.fail(f"a block has {len(block.params)} parameters, not {params}")
        if len(block.results) != results:
            self.fail(f"a block yields {len(block.results)} values, not {results}")
        self.block(block, op)
        self.at(op)

    def op(self, op: Op) -> None:
        self.at(op)
        if isinstance(op, Call):
            self.call(op)
            return
        for operand in operands(op):
            if not (isinstance(op, Closure) and operand == op.out):  # that calls itself
                self.use(operand)
        match op:
            case Free() | Attribute() | Closure():
                self.require(not self.typed, "an op of untyped IR")
                if isinstance(op, Closure):
                    _Verifier(op.fn, {}, False).function()
            case If():
                for block in (op.then, op.orelse):
                    self.nested(op, block, 0 if self.typed or block is op.then else len(block.params), len(op.outs))
                    self.joins(op.outs, block.results)
            case For():
                self.require(len(op.source) == (3 if self.typed else 1), f"{len(op.source)} operands to walk")
                self.require(len(op.outs) == len(op.inits), "one out for each carried value")
                self.nested(op, op.body, 1 + len(op.inits), len(op.inits) + op.breaks)
                self.joins(op.body.params[1:], op.inits)
                self.joins(op.outs, op.body.results[op.breaks :])
            case While():
                self.require(len(op.outs) == len(op.inits), "one out for each carried value")
                self.nested(op, op.test, len(op.inits), 1)
                self.nested(op, op.body, len(op.inits), len(op.inits))
                self.joins(op.body.params, op.inits)
                self.joins(op.outs, op.body.results)
            case Invoke():
                self.invoke(op)
            case Raise():
                pass
        for out in outs(op):
            self.define(out)

    def call(self, op: Call) -> None:
        """Most ops are calls, verified before, and most of their variables the very ones that are in scope."""
        scope = self.scope
        for var in reads(op):
            if scope.get(var.name) is not var:
                self.use(var)
        if hasattr(op, "verified"):
            for out in op.outs:
                self.introduce(out)
            return
        self.alone(op)
        if self.typed:
            object.__setattr__(op, "verified", True)
        for out in op.outs:
            self.define(out)

    def alone(self, op: Call) -> None:
        """Check what does not depend on where `op` stands."""
        fn = op.fn
        for operand in operands(op):
            self.use(operand)
        if len(op.outs) > 1 and not self.typed:
            self.fail("a call with several outs")
        if self.typed and not (isinstance(fn, Lit) and callable(fn.value)):
            self.fail("a call of no literal callable")
        if op.kwargs and len(dict(op.kwargs)) != len(op.kwargs):
            self.fail("a keyword is given twice")

    def invoke(self, op: Invoke) -> None:
        callee = self.callees.get(op.callee)
        if callee is None:
            self.fail("no such helper")
        if len(callee.params) != len(op.args):
            self.fail(f"{op.callee} takes {len(callee.params)} arguments")
        if len(callee.results) != len(op.outs):
            self.fail(f"{op.callee} returns {len(callee.results)} values")

    def joins(self, targets: tuple[Var, ...], sources: tuple[Operand, ...]) -> None:
        """A number never stands for an array: aliases would be lost."""
        for target, source in zip(targets, sources, strict=True):
            array = isinstance(source, Var) and isinstance(source.type, Array) and bool(source.type.shape)
            if array and isinstance(target.type, Scalar):
                self.fail(f"{target.name} is a number, {show_operand(source)} an array")

"""The textual IR, in: `read`, a recursive descent over the lines that `adxform.ir.text.show` prints."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import numpy as np

from adxform.ir.ops import (
    UNDEFINED,
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
    Snapshots,
    Var,
    While,
)
from adxform.ir.paths import resolve
from adxform.ir.types import BOOL, FLOAT, INT, Array, Dim, Object, Scalar, Size, Stack, Type

DTYPES: Mapping[str, str] = {
    **{f"f{8 * size}": f"float{8 * size}" for size in (2, 4, 8)},
    **{f"{kind[0]}{8 * size}": f"{kind}{8 * size}" for kind in ("int", "uint") for size in (1, 2, 4, 8)},
    "c64": "complex64",
    "c128": "complex128",
    "b8": "bool",
}
WEAK: Mapping[str, str] = {"float": FLOAT.dtype, "int": INT.dtype, "bool": BOOL.dtype, "complex": "complex128"}

T = TypeVar("T")
_NAME = r"[^\W\d][\w~]*(?:\.\d+)?(?![\w.])"
_IDENTIFIER = r"[^\W\d]\w*"
_PATH = r"[^\W\d]\w*(?:\.[^\W\d]\w*)+"
_NUMBER = r"-?(?:\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+|\d+)"
_STRING = r"b?'(?:[^'\\]|\\.)*'|b?\"(?:[^\"\\]|\\.)*\""
_SIGNED_PATH = rf"-?{_PATH}"
_WORDS: Mapping[str, Any] = {"None": None, "True": True, "False": False, "...": ...}


def read(text: str) -> Function:
    """The function that `text` shows; its first line is its ``def``, and later ones at the same depth are helpers.

    Spans are not part of the text.

    Raises:
        SyntaxError: with the line, where the text is not IR or names something that cannot be found (a closure, a lambda).

    >>> from adxform.ir.text import show
    >>> print(show(read('''
    ...     def f(x: f64):
    ...         a: f64 = np.sin(x)
    ...         return a
    ... ''')))
    def f(x: f64):
        a: f64 = np.sin(x)
        return a
    """
    lines = [
        _Line(len(line) - len(line.lstrip()), line.strip(), number)
        for number, line in enumerate(textwrap.dedent(text).splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    reader = _Reader(lines)
    first = reader.function({})
    helpers = []
    while reader.next < len(lines):
        helpers.append(reader.function({}))
    return Function(first.name, first.body, first.kinds, (*first.helpers, *helpers))


@dataclass(frozen=True, slots=True)
class _Line:
    depth: int
    text: str
    number: int


class _Reader:
    """Reads blocks line by line, and each line left to right."""

    def __init__(self, lines: list[_Line]) -> None:
        self.lines = lines
        self.next = 0
        self.column = 0
        self.scope: dict[str, Var] = {}

    # Lines

    def depth(self) -> int:
        return self.lines[self.next].depth if self.next < len(self.lines) else -1

    @property
    def line(self) -> _Line:
        return self.lines[self.next] if self.next < len(self.lines) else _Line(0, "", self.lines[-1].number if self.lines else 0)

    def fail(self, message: str) -> NoReturn:
        raise SyntaxError(f"IR text: {message}", ("<ir>", self.line.number, self.column + 1, self.line.text))

    def end_line(self) -> None:
        if self.column < len(self.line.text):
            self.fail("unexpected text")
        self.next += 1
        self.column = 0

    # Pieces of a line

    def found(self, pattern: str) -> str | None:
        match = re.compile(rf"\s*({pattern})").match(self.line.text, self.column)
        if match is None:
            return None
        self.column = match.end()
        return match[1]

    def need(self, pattern: str, what: str = "") -> str:
        return self.found(pattern) or self.fail(f"expected {what or pattern}")

    def many(self, item: Callable[[], T], end: str) -> tuple[T, ...]:
        """Items separated by commas up to `end`; a comma may come before it."""
        items: list[T] = []
        while self.found(end) is None:
            if items:
                self.need(",")
                if self.found(end) is not None:
                    break
            items.append(item())
        return tuple(items)

    def rest(self, item: Callable[[], T]) -> tuple[T, ...]:
        """Items separated by commas to the end of the line."""
        items = [item()] if self.column < len(self.line.text) else []
        while self.found(","):
            items.append(item())
        return tuple(items)

    # Functions and blocks

    def function(self, scope: dict[str, Var]) -> Function:
        outer, self.scope = self.scope, scope
        depth = self.depth()
        self.need("def ", "def")
        name = self.quotable()
        self.need(r"\(")
        params = self.many(self.definition, r"\)")
        kinds = self.many(lambda: self.need(_IDENTIFIER), r"\)") if self.found(r"by \(") else ()
        ops = self.ops_after_colon(depth)
        self.need("return")
        results = self.rest(self.operand)
        self.end_line()
        helpers = []
        while self.depth() > depth:
            helpers.append(self.function({}))
        self.scope = outer
        return Function(name, Block(params, ops, results), kinds, tuple(helpers))

    def quotable(self) -> str:
        name = self.need(rf"{_IDENTIFIER}|{_STRING}", "a name")
        return str(ast.literal_eval(name)) if name[0] in "'\"" else name

    def ops_after_colon(self, depth: int) -> tuple[Op, ...]:
        self.need(":")
        self.end_line()
        ops: list[Op] = []
        inner = self.depth()
        if inner <= depth:
            self.fail("expected an indented block")
        while self.depth() == inner:
            if self.found(r"(?:return|yield)\b"):
                self.column = 0
                break
            if self.found("pass$"):
                self.end_line()
                continue
            ops.append(self.op(inner))
        return tuple(ops)

    def block(self, depth: int, params: tuple[Var, ...]) -> Block:
        ops = self.ops_after_colon(depth)
        results: tuple[Operand, ...] = ()
        if self.depth() > depth:
            self.need(r"yield\b")
            results = self.rest(self.operand)
            self.end_line()
        return Block(params, ops, results)

    # Definitions and types

    def definition(self) -> Var:
        name = self.need(_NAME, "a variable")
        var = Var(name, self.type() if self.found(":(?=\\s*\\S)") else Object())
        self.scope[name] = var
        return var

    def type(self) -> Type:
        if self.found(r"stack\b"):
            return Stack()
        if self.found(r"object\b"):
            return Object()
        if self.found(r"weak\b"):
            return Scalar(self.dtype(), weak=True)
        if weak := self.found(rf"(?:{'|'.join(WEAK)})\b"):
            return Scalar(WEAK[weak], weak=True)
        dtype = self.dtype()
        if not self.found(r"\["):
            return Scalar(dtype)
        if self.found(r"\.\.\.\s*\]"):
            return Array(dtype, None)
        return Array(dtype, self.many(self.size, r"\]"))

    def dtype(self) -> str:
        name = self.need(rf"{_IDENTIFIER}|{_STRING}", "a type")
        if name[0] in "'\"":
            return str(ast.literal_eval(name))
        return DTYPES.get(name) or self.fail(f"unknown type {name}")

    def size(self) -> Size:
        if number := self.found(r"\d+"):
            return int(number)
        base = self.need(rf"\??\w+(?:\.\w+)*|{_STRING}", "a length")
        base = str(ast.literal_eval(base)) if base[0] in "'\"" else base
        return Dim(base, int(self.found(r"[-+]\d+") or 0))

    # Operands

    def operand(self) -> Operand:
        if self.found("<undefined>"):
            return UNDEFINED
        if unprintable := self.found("<.*?>"):
            self.fail(f"{unprintable} stands for a value that text cannot hold")
        if self.found(r"lit\("):
            value = self.operand()
            self.need(r"\)")
            return Lit(_value(value))
        if self.found(r"slice\("):
            return Pack("slice", self.many(self.operand, r"\)"))
        if self.found(r"instance\("):
            return Pack("instance", self.many(self.operand, r"\)"))
        if self.found(r"complex\("):
            real, imag = (_value(part) for part in self.many(self.operand, r"\)"))
            return Lit(complex(real, imag))
        if self.found(r"\("):
            return Pack("tuple", self.many(self.operand, r"\)"))
        if self.found(r"\["):
            return Pack("list", self.many(self.operand, r"\]"))
        if self.found(r"\{"):
            return Pack("dict", tuple(part for pair in self.many(self.pair, r"\}") for part in pair))
        if literal := self.found(_STRING) or self.found(_NUMBER):
            return Lit(ast.literal_eval(literal))
        if word := self.found(r"(?:None|True|False)\b|\.\.\."):
            return Lit(_WORDS[word])
        if path := self.found(_SIGNED_PATH):
            return self.named(path)
        name = self.need(_NAME, "an operand")
        return self.scope.get(name) or self.fail(f"{name} is not defined here")

    def pair(self) -> tuple[Operand, Operand]:
        key = self.operand()
        self.need(":")
        return key, self.operand()

    def named(self, path: str) -> Operand:
        try:
            value = resolve(path.removeprefix("-"))
        except LookupError as error:
            self.fail(str(error))
        if isinstance(value, type) and issubclass(value, np.generic | np.dtype) and self.found(r"\("):
            (argument,) = self.many(self.operand, r"\)")
            return Lit(value(_value(argument)))
        return Lit(-value if path[0] == "-" else value)

    def keyword(self) -> tuple[str, Operand]:
        name = self.need(rf"{_IDENTIFIER}(?==)", "a keyword")
        self.need("=")
        return name, self.operand()

    def argument(self) -> tuple[str, Operand]:
        return self.keyword() if re.compile(rf"\s*{_IDENTIFIER}=").match(self.line.text, self.column) else ("", self.operand())

    def init(self) -> tuple[Var, Operand]:
        """A carried variable with its first value; the variable is in scope only after the header."""
        name = self.need(_NAME, "a variable")
        type_ = self.type() if self.found(":") else Object()
        self.need("=")
        return Var(name, type_), self.operand()

    def carried(self) -> tuple[tuple[Var, ...], tuple[Operand, ...]]:
        pairs = [self.init()] if self.found(r"with\b") else []
        while pairs and self.found(","):
            pairs.append(self.init())
        self.scope.update((var.name, var) for var, _ in pairs)
        return tuple(var for var, _ in pairs), tuple(init for _, init in pairs)

    # Ops

    def op(self, depth: int) -> Op:
        targets = self.targets()
        if self.found(r"if\b"):
            return self.branch(targets, depth)
        if self.found(r"for\b"):
            return self.loop(targets, depth)
        if self.found(r"while\b"):
            snapshots = self.kept()
            params, inits = self.carried()
            test = self.block(depth, params)
            self.need(r"do\b")
            params = self.params_up_to_colon() if self.found(r"with\b") else ()
            return While(self.define(targets), inits, test, self.block(depth, params), snapshots=snapshots)
        if self.found(r"closure of \("):
            return self.closure(targets, depth)
        op = self.simple(targets)
        self.end_line()
        return op

    def simple(self, targets: tuple[Var, ...]) -> Op:
        if name := self.found(r"free (?=[^\W\d])") and self.need(_IDENTIFIER):
            return Free(self.define(targets)[0], name)
        if self.found(r"attribute (?=[^\W\d])"):
            name = self.need(_IDENTIFIER)
            self.need(r"of\b")
            value = self.operand()
            return Attribute(self.define(targets)[0], value, name)
        if self.found(r"invoke (?=[^\W\d]|['\"])"):
            callee = self.quotable()
            self.need(r"\(")
            operands = self.many(self.operand, r"\)")
            return Invoke(self.define(targets), callee, operands)
        if not targets and self.found(r"raise (?=\S)"):
            return Raise(self.operand())
        called = self.found(rf"{_NAME}(?=\()")
        fn = self.scope[called] if called in self.scope else self.again(called)
        self.need(r"\(")
        given = self.many(self.argument, r"\)")
        args = tuple(value for key, value in given if not key)
        return Call(self.define(targets), fn, args, tuple((key, value) for key, value in given if key))

    def again(self, piece: str | None) -> Operand:
        """The operand that starts with `piece`, which was already taken."""
        self.column -= len(piece or "")
        return self.operand()

    def targets(self) -> tuple[Var, ...]:
        """The outs before ``=``, if the line defines any; in scope only after the op."""
        start, scope = self.column, dict(self.scope)
        found: tuple[Var, ...] = ()
        if re.match(rf"{_NAME}\s*(=|:\s*\S|,)", self.line.text):
            found = (self.definition(),)
            while self.found(","):
                found += (self.definition(),)
            self.need("=")
        else:
            self.column = start
        self.scope = scope
        return found

    def define(self, targets: tuple[Var, ...]) -> tuple[Var, ...]:
        self.scope.update((var.name, var) for var in targets)
        return targets

    def branch(self, targets: tuple[Var, ...], depth: int) -> If:
        cond = self.operand()
        then = self.block(depth, ())
        orelse = Block((), (), ())
        if self.depth() == depth and self.found("else(?=:)"):
            orelse = self.block(depth, ())
        return If(self.define(targets), cond, then, orelse)

    def loop(self, targets: tuple[Var, ...], depth: int) -> For:
        name = self.need(_NAME, "a variable")
        item = Var(name, self.type() if self.found(":") else Object())
        self.need(r"in\b")
        source = self.many(self.operand, r"\)") if self.found(r"range\(") else (self.operand(),)
        breaks = self.found(r"breaks\b") is not None
        snapshots = self.kept()
        params, inits = self.carried()
        self.scope[name] = item
        body = self.block(depth, (item, *params))
        return For(self.define(targets), source, inits, body, breaks, snapshots=snapshots)

    def kept(self) -> Snapshots | None:
        """How many states of a loop are kept: ``keeps 3`` of them, or ``keeps 1000 bytes``."""
        if self.found(r"keeps\b") is None:
            return None
        number = int(self.need(r"\d+", "a number"))
        return Snapshots(memory=number) if self.found(r"bytes\b") is not None else Snapshots(number)

    def params_up_to_colon(self) -> tuple[Var, ...]:
        found: tuple[Var, ...] = ()
        while not found or self.found(","):
            found += (self.definition(),)
        return found

    def closure(self, targets: tuple[Var, ...], depth: int) -> Closure:
        (out,) = self.define(targets)
        captures = self.many(self.keyword, r"\)")
        self.need(r"defaults \(")
        defaults = self.many(self.keyword, r"\)")
        self.need(":")
        self.end_line()
        if self.depth() <= depth:
            self.fail("expected an indented function")
        return Closure(out, self.function({}), captures, defaults)


def _value(operand: Operand) -> Any:
    """The Python value of an operand of literals."""
    match operand:
        case Lit(value):
            return value
        case Pack("tuple", items):
            return tuple(map(_value, items))
        case Pack("list", items):
            return list(map(_value, items))
        case Pack("slice", items):
            return slice(*map(_value, items))
        case Pack(items=items):
            return {_value(key): _value(value) for key, value in zip(items[::2], items[1::2], strict=True)}
        case Var(name):
            raise SyntaxError(f"IR text: variable {name} in a literal")

"""Python AST to source text: generated code is a part of Python's syntax, which is printed here; what is beyond it, by `ast`.

Comments are marker statements in the tree: an `Origin` says which of the user's lines the next statement stems from and prints
as ``# file.py:3`` after it, where that changes; a `Remark` prints as a line of its own.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from adxform.ir.spans import Span


class Marker(ast.Expr):
    """A statement that prints as a comment."""


class Origin(Marker):
    """The next statement stems from `span` of the user's code."""

    def __init__(self, span: Span) -> None:
        super().__init__(ast.Constant(None))
        self.span = span


class Remark(Marker):
    """A comment line."""

    def __init__(self, text: str) -> None:
        super().__init__(ast.Constant(None))
        self.text = text


@dataclass(frozen=True, slots=True)
class Printed:
    """Source text, and the user's span for each of its lines that has one."""

    text: str
    origins: dict[int, Span]


def to_source(tree: ast.Module) -> str:
    """The source of `tree`, with its markers as comments.

    >>> span = Span("/home/you/model.py", 3, 4, 3, 9)
    >>> print(to_source(ast.Module([Remark("sum"), Origin(span), *ast.parse("x = (a + b)").body], [])), end="")
    # sum
    x = a + b  # model.py:3
    """
    return print_module(tree).text


def print_module(tree: ast.Module) -> Printed:
    """The source of `tree`, and where its lines stem from.

    Raises:
        SyntaxError: it nests too deeply for Python.
    """
    printer = _Printer()
    printer.module(tree.body)
    text = "\n".join(printer.lines) + "\n"
    if printer.deepest >= MANY or any(line.count("(") + line.count("[") >= MANY for line in printer.lines):
        ast.parse(text)
    return Printed(text, printer.origins)


MANY = 99
"""Levels of blocks, or brackets in a line, from which on Python is asked whether it takes them."""

# -- statements ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Printer:
    """The lines so far, two empty ones around functions; what the markers ahead of the next statement say of it."""

    lines: list[str] = field(default_factory=list)
    origins: dict[int, Span] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    span: Span | None = None
    shown: tuple[str, int] = ("", 0)
    deepest: int = 0

    def module(self, body: Iterable[ast.stmt]) -> None:
        previous: ast.stmt | None = None
        for stmt in body:
            if not self.noted(stmt):
                self.lines += _space_between(previous, stmt)
                self.statement(stmt, 0)
                previous = stmt

    def noted(self, stmt: ast.stmt) -> bool:
        """Whether `stmt` is a marker, which is kept for the statement that comes next."""
        match stmt:
            case Origin():
                self.span = stmt.span
            case Remark():
                self.remarks.append(stmt.text)
            case _:
                return False
        return True

    def block(self, body: Iterable[ast.stmt], depth: int) -> None:
        self.deepest = max(self.deepest, depth)
        for stmt in body:
            if not self.noted(stmt):
                self.statement(stmt, depth)

    def line(self, depth: int, text: str) -> None:
        """The line with which a statement begins, with its comments."""
        margin = "    " * depth
        self.lines += [f"{margin}# {remark}" for remark in self.remarks]
        span, self.remarks, self.span = self.span, [], None
        if span is None or not span.line:
            self.lines.append(margin + text)
            return
        place = span.file, span.line
        self.lines.append(margin + text if place == self.shown else f"{margin}{text}  # {_file(span)}:{span.line}")
        self.shown = place
        self.origins[len(self.lines)] = span

    def statement(self, stmt: ast.stmt, depth: int) -> None:
        match stmt:
            case ast.Assign(targets, value):
                self.line(depth, "".join([f"{_text(target)} = " for target in targets]) + _text(value))
            case ast.AugAssign(target, op, value):
                self.line(depth, f"{_text(target)} {BINARY[type(op)][0]}= {_text(value)}")
            case ast.Expr(value):
                self.line(depth, _text(value))
            case ast.Return(value):
                self.line(depth, "return" if value is None else f"return {_text(value)}")
            case ast.If(test, body):
                self.line(depth, f"if {_text(test)}:")
                self.block(body, depth + 1)
                self.otherwise(stmt.orelse, depth)
            case ast.For(target, source, body, orelse):
                self.line(depth, f"for {_text(target)} in {_text(source, ALONE)}:")
                self.block(body, depth + 1)
                self.alternative(orelse, depth)
            case ast.While(test, body, orelse):
                self.line(depth, f"while {_text(test)}:")
                self.block(body, depth + 1)
                self.alternative(orelse, depth)
            case ast.FunctionDef(name, args, body, decorators) if stmt.returns is None:
                self.lines += [f"{'    ' * depth}@{_text(decorator, ALONE)}" for decorator in decorators]
                self.line(depth, f"def {name}({_parameters(args)}):")
                self.block(self.documented(body, depth + 1), depth + 1)
            case ast.Try(body, handlers, orelse, []):
                self.line(depth, "try:")
                self.block(body, depth + 1)
                for handler in handlers:
                    named = "" if handler.name is None else f" as {handler.name}"
                    caught = "" if handler.type is None else f" {_text(handler.type, ALONE)}{named}"
                    self.lines.append(f"{'    ' * depth}except{caught}:")
                    self.block(handler.body, depth + 1)
                self.alternative(orelse, depth)
            case ast.Pass():
                self.line(depth, "pass")
            case ast.Break():
                self.line(depth, "break")
            case ast.Raise(exc, cause):
                since = "" if cause is None else f" from {_text(cause, ALONE)}"
                self.line(depth, "raise" if exc is None else f"raise {_text(exc, ALONE)}{since}")
            case ast.Delete(targets):
                self.line(depth, f"del {_list(targets)}")
            case _:
                first, *more = ast.unparse(ast.fix_missing_locations(stmt)).splitlines()
                self.line(depth, first)
                self.lines += ["    " * depth + line for line in more]

    def otherwise(self, orelse: list[ast.stmt], depth: int) -> None:
        """What an `if` does otherwise; another one is an ``elif``."""
        match [stmt for stmt in orelse if not isinstance(stmt, Marker)]:
            case [ast.If(test, body, further)]:
                for stmt in orelse:
                    self.noted(stmt)
                self.line(depth, f"elif {_text(test)}:")
                self.block(body, depth + 1)
                self.otherwise(further, depth)
            case _:
                self.alternative(orelse, depth)

    def alternative(self, orelse: list[ast.stmt], depth: int) -> None:
        if orelse:
            self.lines.append(f"{'    ' * depth}else:")
            self.block(orelse, depth + 1)

    def documented(self, body: list[ast.stmt], depth: int) -> list[ast.stmt]:
        """The rest of a function whose docstring, if it has one that can stand as it is, is printed."""
        match body:
            case [ast.Expr(ast.Constant(str() as doc)), *rest] if _is_plain(doc):
                first, *more = f'"""{doc}"""'.split("\n")
                self.line(depth, first)
                self.lines += more
                return rest
            case _:
                return body


def _space_between(previous: ast.stmt | None, stmt: ast.stmt) -> list[str]:
    """The empty lines between two statements of a module."""
    if previous is None:
        return []
    if isinstance(stmt, ast.FunctionDef) or isinstance(previous, ast.FunctionDef):
        return ["", ""]
    return [""] if isinstance(previous, ast.Expr) or (_is_import(previous) and not _is_import(stmt)) else []


def _is_import(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Import | ast.ImportFrom)


def _is_plain(doc: str) -> bool:
    return '"' not in doc and "\\" not in doc and doc.replace("\n", "").isprintable()


def _file(span: Span) -> str:
    """The name of the file of `span`, safe inside a comment."""
    return "".join(char if char.isprintable() else "?" for char in Path(span.file).name)


# -- expressions -----------------------------------------------------------------------------------------------------

# How tightly an expression holds together; one that does less than the place where it stands asks for is put in brackets.
LOOSE, TUPLE, ITEM, CHOICE, OR, AND, NOT, COMPARISON, BIT_OR, BIT_XOR = range(0, 20, 2)
BIT_AND, SHIFT, SUM, PRODUCT, EXPONENT, SIGN, POWER, NUMBER, ALONE = range(20, 38, 2)
BINARY: Mapping[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", SUM),
    ast.Sub: ("-", SUM),
    ast.Mult: ("*", PRODUCT),
    ast.Div: ("/", PRODUCT),
    ast.FloorDiv: ("//", PRODUCT),
    ast.Mod: ("%", PRODUCT),
    ast.MatMult: ("@", PRODUCT),
    ast.Pow: ("**", POWER),
    ast.BitOr: ("|", BIT_OR),
    ast.BitXor: ("^", BIT_XOR),
    ast.BitAnd: ("&", BIT_AND),
    ast.LShift: ("<<", SHIFT),
    ast.RShift: (">>", SHIFT),
}
UNARY: Mapping[type[ast.unaryop], tuple[str, int]] = {
    ast.Not: ("not ", NOT),
    ast.USub: ("-", SIGN),
    ast.UAdd: ("+", SIGN),
    ast.Invert: ("~", SIGN),
}
BOOLEAN: Mapping[type[ast.boolop], tuple[str, int]] = {ast.Or: (" or ", OR), ast.And: (" and ", AND)}
COMPARED: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


def _text(node: ast.expr, place: int = LOOSE) -> str:
    """`node`, in brackets where it holds together less than its `place` asks for."""
    match node:
        case ast.Name(id):
            return id
        case ast.Constant(value):
            text = _constant(value)
            return f"({text})" if place > NUMBER and isinstance(value, int | float | complex) else text
        case ast.Attribute(value, attr):
            return f"{_text(value, ALONE)}.{attr}"
        case ast.Subscript(value, index):
            return f"{_text(value, ALONE)}[{_text(index)}]"
        case ast.Call(fn, args, keywords):
            given = [_text(arg, ITEM) for arg in args]
            given += [f"{key.arg}={_text(key.value, ITEM)}" if key.arg else f"**{_text(key.value, ITEM)}" for key in keywords]
            return f"{_text(fn, ALONE)}({', '.join(given)})"
        case ast.BinOp(left, op, right):
            symbol, own = BINARY[type(op)]
            sides = (own + 1, EXPONENT) if own == POWER else (own, own + 1)
            text = f"{_text(left, sides[0])} {symbol} {_text(right, sides[1])}"
        case ast.UnaryOp(op, operand):
            symbol, own = UNARY[type(op)]
            text = symbol + _text(operand, own)
        case ast.Tuple(items):
            own = TUPLE if items else LOOSE - 1  # the empty one has its brackets everywhere
            text = f"{_text(items[0], ITEM)}," if len(items) == 1 else _list(items)
        case ast.Slice(lower, upper, step):
            first, last = ("" if part is None else _text(part) for part in (lower, upper))
            return f"{first}:{last}" if step is None else f"{first}:{last}:{_text(step)}"
        case ast.Compare(left, ops, others):
            own = COMPARISON
            further = [f" {COMPARED[type(op)]} {_text(other, own + 1)}" for op, other in zip(ops, others, strict=True)]
            text = _text(left, own + 1) + "".join(further)
        case ast.BoolOp(op, values):
            symbol, own = BOOLEAN[type(op)]
            text = symbol.join([_text(value, own + 1) for value in values])
        case ast.IfExp(test, then, orelse):
            own = CHOICE
            text = f"{_text(then, own + 1)} if {_text(test, own + 1)} else {_text(orelse, own)}"
        case ast.List(items):
            return f"[{_list(items)}]"
        case ast.Dict(keys, values):
            return f"{{{', '.join(map(_entry, keys, values))}}}"
        case ast.Lambda(args, body):
            own = CHOICE
            text = f"lambda {_parameters(args)}: {_text(body, own)}"
        case ast.Starred(value):
            return f"*{_text(value, ALONE)}"
        case _:
            return f"({ast.unparse(ast.fix_missing_locations(node))})"
    return f"({text})" if own < place else text


def _list(items: Iterable[ast.expr]) -> str:
    return ", ".join([_text(item, ITEM) for item in items])


def _entry(key: ast.expr | None, value: ast.expr) -> str:
    return f"**{_text(value, ALONE)}" if key is None else f"{_text(key, ALONE)}: {_text(value, ITEM)}"


def _constant(value: object) -> str:
    if value is Ellipsis:
        return "..."
    if isinstance(value, float) and math.isinf(value):
        return "1e1000"
    return f"{value.imag!r}j" if isinstance(value, complex) and value.real == 0.0 else repr(value)


def _parameters(args: ast.arguments) -> str:
    places = [*args.posonlyargs, *args.args]
    defaults = [*[None] * (len(places) - len(args.defaults)), *args.defaults]
    found = list(map(_parameter, places, defaults))
    if args.posonlyargs:
        found.insert(len(args.posonlyargs), "/")
    if args.vararg is not None or args.kwonlyargs:
        found.append("*" if args.vararg is None else f"*{_parameter(args.vararg)}")
    found += map(_parameter, args.kwonlyargs, args.kw_defaults)
    if args.kwarg is not None:
        found.append(f"**{_parameter(args.kwarg)}")
    return ", ".join(found)


def _parameter(arg: ast.arg, default: ast.expr | None = None) -> str:
    text = arg.arg if arg.annotation is None else f"{arg.arg}: {_text(arg.annotation, ITEM)}"
    return text if default is None else f"{text}={_text(default, ITEM)}"

"""Python AST to source text: the one place that knows which printer is used.

Comments are marker statements in the tree: an `Origin` says which of the user's lines the next statement stems from and prints
as ``# file.py:3`` after it, where that changes; a `Remark` prints as a line of its own.
"""

from __future__ import annotations

import ast
import functools
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adxform.ir.spans import Span

if sys.version_info < (3, 14):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            import astor
    except ImportError:  # pragma: no cover - the extra is not installed
        astor = None
else:  # pragma: no cover - astor does not run there
    astor = None


SILENT = frozenset({"ctx", "kind", "type_comment", "type_ignores", "type_params", "posonlyargs", "kw_defaults"})


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
    """The source of `tree`, and where its lines stem from."""
    notes = _Notes()
    plain = ast.Module(notes.strip(tree.body), [])
    text = _unparse(plain)
    parsed = ast.parse(text)
    if astor is not None and not _is_same(parsed, plain):
        text = ast.unparse(ast.fix_missing_locations(plain))
        parsed = ast.parse(text)
    return notes.merge(text, parsed)


def _unparse(tree: ast.Module) -> str:
    if astor is None:
        return ast.unparse(ast.fix_missing_locations(tree))
    docs = {doc for stmt in tree.body if isinstance(stmt, ast.FunctionDef) and (doc := ast.get_docstring(stmt, clean=False))}

    def string(value: str, *_: object, **__: object) -> str:
        is_plain = '"' not in value and "\\" not in value and value.replace("\n", "").isprintable()
        return f'"""{value}"""' if value in docs and is_plain else repr(value)

    text: str = astor.to_source(tree, pretty_source="".join, pretty_string=string)
    return text


@dataclass(slots=True)
class _Notes:
    """What the markers say, by the number of the statement they stand before (in preorder)."""

    count: int = 0
    spans: dict[int, Span] = field(default_factory=dict)
    remarks: dict[int, list[str]] = field(default_factory=dict)

    def strip(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """`body` without markers, which are noted."""
        kept: list[ast.stmt] = []
        for stmt in body:
            match stmt:
                case Origin():
                    self.spans[self.count] = stmt.span
                case Remark():
                    self.remarks.setdefault(self.count, []).append(stmt.text)
                case _:
                    self.count += 1
                    kept.append(self.inside(stmt))
        return kept

    def inside(self, stmt: ast.stmt) -> ast.stmt:
        match stmt:
            case ast.FunctionDef(name, args, body, decorators):
                return ast.FunctionDef(name, args, self.strip(body), decorators)
            case ast.If(test, body, orelse):
                return ast.If(test, self.strip(body), self.strip(orelse))
            case ast.For(target, source, body, orelse):
                return ast.For(target, source, self.strip(body), self.strip(orelse))
            case ast.While(test, body, orelse):
                return ast.While(test, self.strip(body), self.strip(orelse))
            case ast.With(items, body):
                return ast.With(items, self.strip(body))
            case _:
                return stmt

    def merge(self, text: str, parsed: ast.Module) -> Printed:
        """`text` with comments, two empty lines around functions and none elsewhere."""
        lines = text.splitlines()
        trailing: dict[int, str] = {}
        before: dict[int, list[str]] = {}
        origins: dict[int, Span] = {}
        last = ("", 0)
        for number, stmt in enumerate(_statements(parsed.body)):
            for remark in self.remarks.get(number, ()):
                before.setdefault(stmt.lineno, []).append(" " * stmt.col_offset + "# " + remark)
            span = self.spans.get(number)
            if span is not None and span.line:
                origins[stmt.lineno] = span
                if (span.file, span.line) != last:
                    last = (span.file, span.line)
                    trailing[stmt.lineno] = f"  # {_name_of(span.file)}:{span.line}"
        result: list[str] = []
        moved: dict[int, Span] = {}
        previous: ast.stmt | None = None
        for top in parsed.body:
            if previous is not None and (isinstance(top, ast.FunctionDef) or isinstance(previous, ast.FunctionDef)):
                result += ["", ""]
            elif isinstance(previous, ast.Expr) or (_is_import(previous) and not _is_import(top)):
                result.append("")
            previous = top
            inner = _docstring_lines(top)
            for number in range(_first_line(top), (top.end_lineno or top.lineno) + 1):
                line = lines[number - 1]
                if line or number in inner:
                    result += before.get(number, ())
                    result.append(line + trailing.get(number, ""))
                    if number in origins:
                        moved[len(result)] = origins[number]
        return Printed("\n".join(result) + "\n", moved)


def _first_line(top: ast.stmt) -> int:
    """The line on which `top` begins: its first decorator's, where it has one."""
    return top.decorator_list[0].lineno if isinstance(top, ast.FunctionDef) and top.decorator_list else top.lineno


def _docstring_lines(top: ast.stmt) -> range:
    """The lines of the docstring of `top`, the only string over several lines: empty lines count there."""
    match top:
        case ast.FunctionDef(body=[ast.Expr(ast.Constant(str()) as doc), *_]) | ast.Expr(ast.Constant(str()) as doc):
            return range(doc.lineno, (doc.end_lineno or doc.lineno) + 1)
        case _:
            return range(0)


def _is_same(a: ast.AST, b: ast.AST) -> bool:
    """Whether two trees are equal but for positions: whether the printer kept the meaning."""
    waiting: list[tuple[Any, Any]] = [(a, b)]
    while waiting:
        x, y = waiting.pop()
        if type(x) is not type(y):
            return False
        if isinstance(x, ast.AST):
            for part in _spoken(x._fields):
                one, other = getattr(x, part, None), getattr(y, part, None)
                if one is not other:  # most names are one string
                    waiting.append((one, other))
        elif isinstance(x, list):
            if len(x) != len(y):
                return False
            waiting += zip(x, y, strict=True)
        elif x != y:
            return False
    return True


@functools.cache
def _spoken(fields: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the `fields` of a node that say what it means."""
    return tuple(field for field in fields if field not in SILENT)


@functools.lru_cache
def _name_of(file: str) -> str:
    """The name of a file without its folders, safe inside a comment."""
    return "".join(char if char.isprintable() else "?" for char in Path(file).name)


def _is_import(stmt: ast.stmt | None) -> bool:
    return isinstance(stmt, ast.Import | ast.ImportFrom)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement, in the order in which `_Notes.strip` counts."""
    for stmt in body:
        yield stmt
        for part in ("body", "orelse"):
            yield from _statements(getattr(stmt, part, []))

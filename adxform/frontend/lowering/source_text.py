"""Finds the source text of a function and parses it, with the line and column numbers of the user's file."""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import inspect
import linecache
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType, MethodType
from typing import Any, TypeVar

import gast

from adxform.errors import SourceUnavailableError
from adxform.frontend.lowering.generator_functions import Walk
from adxform.ir.code_constants import frozen_sets
from adxform.ir.spans import Span
from adxform.runtime import counters
from adxform.runtime.memos import Memo

FUTURES = functools.reduce(lambda flags, name: flags | getattr(__future__, name).compiler_flag, __future__.all_feature_names, 0)
_HELP = "define it in a file or a notebook cell, or give it a rule with `adxform.rule`"

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Node = TypeVar("_Node", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """The definition of one function. `outer` are the names it closes over; `class_name` mangles its private names.

    Of its `outer` names, `cells` are those that it has as cells: others may assign to them, as it may itself.

    `sets` are the frozen sets among the constants of its code, in the order in which they came. `walk`: it is the body of a
    generator, see `generators.Walk`.
    """

    node: gast.FunctionDef | gast.AsyncFunctionDef | gast.Lambda
    file: str
    lines: tuple[str, ...]
    outer: frozenset[str]
    class_name: str = ""
    sets: tuple[frozenset[Any], ...] = ()
    cells: frozenset[str] = frozenset()
    walk: Walk = ""

    def span(self, node: Any) -> Span:
        """Where `node` is, in characters (the parser counts bytes)."""
        return span_of(node, self.file, self.lines)


def span_of(node: Any, file: str, lines: tuple[str, ...]) -> Span:
    """The span of an AST node of `file`."""
    start, stop = _characters(lines, node.lineno, node.col_offset), _characters(lines, node.end_lineno, node.end_col_offset)
    return Span(file, node.lineno, start, node.end_lineno, stop)


def _characters(lines: tuple[str, ...], number: int, column: int) -> int:
    line = lines[number - 1] if number <= len(lines) else ""
    return column if line.isascii() else len(line.encode()[:column].decode(errors="replace"))


def code_of(fn: Callable[..., Any] | CodeType) -> CodeType:
    """Return the code object of a function, a method or a lambda.

    Raises: `SourceUnavailableError` for any other callable.
    """
    match fn:
        case CodeType():
            return fn
        case FunctionType():
            return fn.__code__
        case MethodType():
            return code_of(fn.__func__)
        case _:
            name = getattr(fn, "__qualname__", None) or repr(type(fn).__qualname__)
            raise SourceUnavailableError(f"`{name}` is not a Python function, so it has no source", help=_HELP)


def find_source(fn: Callable[..., Any] | CodeType) -> FunctionSource:
    """Return the definition that `fn` was compiled from: never another one.

    Raises: `SourceUnavailableError` when the text cannot be found or is no longer what was compiled.
    """
    code = code_of(fn)
    counters.count("source_parses")
    found = _search(code, getattr(fn, "__globals__", None))
    if found is None:
        linecache.checkcache(code.co_filename)
        found = _search(code, None)
    if found is None:
        span = Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0)
        has_text = bool(linecache.getline(code.co_filename, code.co_firstlineno))
        why = "its file has changed since it was loaded" if has_text else "its text is not in a file"
        hint = "reload the module" if has_text else _HELP
        raise SourceUnavailableError(f"the source of `{code.co_qualname}` cannot be found: {why}", span=span, help=hint)
    return found


def _file_of(code: CodeType) -> str:
    """The file of a function: of a module whose compiled code Python has in itself, the one that it was compiled from."""
    frozen = _FROZEN.fullmatch(code.co_filename)
    module = sys.modules.get(frozen[1]) if frozen is not None else None
    return code.co_filename if module is None else getattr(module, "__file__", None) or code.co_filename


_FROZEN = re.compile("<frozen (.+)>")


def _search(code: CodeType, module: dict[str, Any] | None) -> FunctionSource | None:
    file = _file_of(code)
    lines = tuple(linecache.getlines(file, module))
    module_text = _parse("".join(lines)) if lines else None
    if module_text is None:
        return None
    candidates = [found for found in module_text.begun_on(code.co_firstlineno) if _name(found.node) == code.co_name]
    compiled = [_compile(found, module_text.imports, code) for found in candidates]
    for found, made in zip(candidates, compiled, strict=True):
        if made is not None and (made == code or (len(candidates) == 1 and _differs_by_assertions(found.node, made, code))):
            node = gast.ast_to_gast(found.node)
            if any("except" in line for line in lines[found.node.lineno - 1 : found.node.end_lineno]):
                gast.fix_missing_locations(node)  # the name of an error that is caught has none
            return FunctionSource(node, file, lines, frozenset(code.co_freevars), found.class_name, tuple(frozen_sets(code)))
    return None


@dataclass(frozen=True, slots=True)
class _Found:
    """A definition in a file, with the class whose private names it sees."""

    node: Definition
    class_name: str


@dataclass(frozen=True, slots=True)
class _Module:
    """A file, and the names it imports (how calls compile depends on them)."""

    tree: ast.Module
    imports: tuple[str, ...]

    def begun_on(self, line: int) -> list[_Found]:
        """The definitions whose code begins on `line`: what is around them reaches from before to after that."""
        found: list[_Found] = []
        stack: list[tuple[ast.AST, str]] = [(self.tree, "")]
        while stack:
            node, class_name = stack.pop()
            if isinstance(node, ast.stmt | ast.Call) and not _first_line(node) <= line <= (node.end_lineno or line):
                continue
            if isinstance(node, Definition) and _first_line(node) == line:
                found.append(_Found(node, class_name))
            inner = node.name if isinstance(node, ast.ClassDef) else class_name
            stack.extend((child, inner) for child in ast.iter_child_nodes(node))
        return found


_parsed: Memo[str, _Module | None] = Memo(16, kept=2)
"""The latest files: functions of one are often derived one after the other, with what is kept cleared in between."""


def _parse(text: str) -> _Module | None:
    """The definitions in `text`; ``None`` where it is no Python."""
    return _parsed.get(text, lambda: _read(text))


def _read(text: str) -> _Module | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    return _Module(tree, tuple(dict.fromkeys(imported_names(tree))))


def imported_names(tree: ast.Module) -> Iterator[str]:
    """The names that a file imports: calls of what they name compile in another way."""
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names if alias.name != "*")
        elif not isinstance(node, ast.ClassDef | Definition | ast.expr):
            stack.extend(ast.iter_child_nodes(node))


def _name(node: Definition) -> str:
    return "<lambda>" if isinstance(node, ast.Lambda) else node.name


def _first_line(node: ast.stmt | ast.expr) -> int:
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else []
    return min(node.lineno, *(decorator.lineno for decorator in decorators)) if decorators else node.lineno


def _compile(found: _Found, imports: tuple[str, ...], code: CodeType) -> CodeType | None:
    """What a definition compiles to where it stands: inside functions that define the free variables of `code`."""
    node = found.node

    def at_node(new: _Node) -> _Node:
        return ast.copy_location(new, node)

    bare = copy.copy(node)  # a default may hold a lambda of its own
    bare.args = copy.copy(node.args)
    bare.args.defaults = [at_node(ast.Constant(None)) for _ in node.args.defaults]
    bare.args.kw_defaults = [default and at_node(ast.Constant(None)) for default in node.args.kw_defaults]
    body: list[ast.stmt] = [at_node(ast.Expr(bare)) if isinstance(bare, ast.Lambda) else bare]
    if found.class_name:
        body = [at_node(ast.ClassDef(found.class_name, [], [], body, [], **_type_params()))]
    if code.co_flags & inspect.CO_NESTED:
        params = ast.arguments([], [at_node(ast.arg(name)) for name in code.co_freevars], None, [], [], None, [])
        body = [at_node(ast.FunctionDef("scope", params, body, [], **_type_params()))]
    names = [at_node(ast.alias(name, None)) for name in imports]
    module = ast.Module([at_node(ast.Import(names)), *body] if names else body, [])
    try:
        whole: CodeType = compile(module, code.co_filename, "exec", flags=code.co_flags & FUTURES, dont_inherit=True)
    except SyntaxError:
        return None
    level = [whole]
    while level:  # the outermost is the node's own; the same name may occur inside it
        level = [const for outer in level for const in outer.co_consts if isinstance(const, CodeType)]
        own = next((inner for inner in level if inner.co_name == code.co_name), None)
        if own is not None:
            return own
    return None


def _type_params() -> dict[str, Any]:
    return {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}


def _differs_by_assertions(node: Definition, compiled: CodeType, code: CodeType) -> bool:
    """Whether `code` is `node` with rewritten ``assert`` statements, as pytest loads test modules."""
    if not any(isinstance(inner, ast.Assert) for inner in ast.walk(node)):
        return False
    values = {repr(const) for const in code.co_consts if not isinstance(const, CodeType)}
    return (
        set(compiled.co_names) <= set(code.co_names)
        and set(compiled.co_varnames) <= set(code.co_varnames)
        and compiled.co_freevars == code.co_freevars
        and all(isinstance(const, CodeType) or repr(const) in values for const in compiled.co_consts)
    )

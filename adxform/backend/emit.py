"""Typed IR to a Python module that a careful programmer could have written."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from adxform.backend.expressions import Expressions
from adxform.backend.folding import Folding, fold
from adxform.backend.names import assign_names
from adxform.backend.printing import print_module
from adxform.backend.references import References
from adxform.backend.statements import Statements
from adxform.backend.syntax import has_syntax
from adxform.errors import UnsupportedSyntaxError
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.walk import Names, all_ops, blocks, map_op, operands
from adxform.rules.alias import Aliases, alias_classes
from adxform.rules.effects import functions
from adxform.source import Span

ALWAYS_RESERVED = ("range", "slice", "bool", "complex")


@dataclass(frozen=True, slots=True)
class Generated:
    """Source text, the name of its function, what no import reaches, and the user's span for each line that has one."""

    text: str
    entry: str
    externals: Mapping[str, object] = field(default_factory=dict)
    origins: Mapping[int, Span] = field(default_factory=dict)


def emit(fn: Function, *, doc: str = "", aliases: Aliases | None = None) -> Generated:
    """The source of `fn`, typed IR: imports, the functions that it calls, and itself with `doc` as its docstring.

    `aliases` are the alias classes of its variables, where its parameters may share memory; otherwise they are found.

    Raises:
        UnsupportedSyntaxError: blocks nest too deeply for Python's recursion limit.
    """
    try:
        return _emit(fn, doc, aliases)
    except RecursionError:
        message, help_ = f"the source of `{fn.name}` nests too deeply", "move inner branches and loops into functions"
        raise UnsupportedSyntaxError(message, span=fn.span, help=help_) from None


def _emit(fn: Function, doc: str, aliases: Aliases | None) -> Generated:
    references = References()
    aliases = aliases or alias_classes(fn)
    known = functions(fn)
    helpers = [helper for title, helper in known.items() if title != fn.name]
    for function in (*helpers, fn):
        _reserve(function, references)
    titles = _titles([*helpers, fn], references.names)
    reserved = {*references.names, *ALWAYS_RESERVED, *titles.values()}
    references.forget_uses()
    bodies: list[ast.stmt] = []
    for function in (*helpers, fn):
        own = aliases if function is fn else aliases.helpers[function.name]
        bodies.append(_define(function, own, reserved, titles, references, doc if function is fn else ""))
    printed = print_module(ast.Module([*references.imports(), *bodies], []))
    return Generated(printed.text, titles[fn.name], references.used_externals(), printed.origins)


def _define(
    fn: Function, aliases: Aliases, reserved: set[str], titles: Mapping[str, str], references: References, doc: str
) -> ast.FunctionDef:
    fn = _detach_conditions(fn)
    folding = fold(fn, aliases)
    naming = assign_names(fn, folding, reserved)
    expressions = Expressions(folding, naming.names, references)
    return Statements(expressions, naming, titles, references).function(fn, doc)


def _titles(found: list[Function], taken: Collection[str]) -> dict[str, str]:
    """A legal Python name for each function, none of them in `taken`."""
    titles: dict[str, str] = {}
    for fn in found:
        base = "".join(char if char.isidentifier() or char.isdecimal() else "_" for char in fn.name).strip("_") or "f"
        if base.startswith("lambda_"):
            base = "f" + base.removeprefix("lambda")
        title, count = base, 0
        while title in titles.values() or title in taken or keyword.iskeyword(title):
            count += 1
            title = f"{base}_{count}"
        titles[fn.name] = title
    return titles


def _reserve(fn: Function, references: References) -> None:
    """Make every name that `fn` refers to known, so that no variable takes it."""
    expressions = Expressions(Folding({}, frozenset()), {}, references)

    def visit(operand: Operand) -> None:
        match operand:
            case Lit(value):
                expressions.literal(value)
            case Pack(_, items):
                for item in items:
                    visit(item)
            case Var():
                pass

    for op in all_ops(fn.body):
        given = operands(op)
        if isinstance(op, Call) and isinstance(op.fn, Lit) and has_syntax(op.fn.value):
            given = given[1:]
        for operand in (*given, *(result for block in blocks(op) for result in block.results)):
            visit(operand)
    for result in fn.results:
        visit(result)


def _detach_conditions(fn: Function) -> Function:
    """`fn` with a copy of each loop condition that its loop carries: it is asked after the carried values have changed."""
    if not any(isinstance(op, For) and op.breaks and op.body.results[0] in op.body.params for op in all_ops(fn.body)):
        return fn
    names = Names.of(fn)

    def visit_block(block: Block) -> Block:
        return Block(block.params, tuple(visit(op) for op in block.ops), block.results)

    def visit(op: Op) -> Op:
        op = map_op(op, lambda operand: operand, visit_block)
        if isinstance(op, For) and op.breaks and (keep := op.body.results[0]) in op.body.params:
            assert isinstance(keep, Var)
            copy = Var(names.fresh("keep"), keep.type)
            ops = (*op.body.ops, Call((copy,), Lit(bool), (keep,), (), op.span))
            op = replace(op, body=Block(op.body.params, ops, (copy, *op.body.results[1:])))
        return op

    return replace(fn, body=visit_block(fn.body))

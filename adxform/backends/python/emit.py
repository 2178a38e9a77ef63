"""Typed IR to a Python module that a careful programmer could have written."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from adxform.backends.python.expression_nodes import Expressions
from adxform.backends.python.free_names import References, Surroundings
from adxform.backends.python.inlined_expressions import Folding, fold
from adxform.backends.python.out_of_ssa import assign_names
from adxform.backends.python.printing import Remark, print_module
from adxform.backends.python.statement_nodes import EXCEPTION, Statements
from adxform.backends.python.syntax import has_syntax
from adxform.backends.python.tried_calls import tried_once
from adxform.errors import UnsupportedSyntaxError
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.spans import Span, own_attribute
from adxform.ir.walk import Names, all_ops, blocks, map_op, operands
from adxform.primitives.alias import Aliases, alias_classes
from adxform.primitives.effects import functions

ALWAYS_RESERVED = ("range", "slice", "bool", "complex", "BaseException", EXCEPTION)


@dataclass(frozen=True, slots=True)
class Generated:
    """Source text, the name of its function, what that takes by keyword, and the user's span for each line that has one.

    `externals` are objects that no import reaches, by the names under which the function takes them.
    """

    text: str
    entry: str
    externals: Mapping[str, object] = field(default_factory=dict)
    origins: Mapping[int, Span] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Defined:
    """A definition, the externals that it refers to, and its calls of other functions of its module."""

    tree: ast.FunctionDef
    externals: frozenset[str]
    invoked: tuple[tuple[str, ast.Call], ...]


def emit(
    fn: Function,
    *,
    doc: str = "",
    aliases: Aliases | None = None,
    surroundings: Surroundings | None = None,
    decorators: Mapping[str, object] | None = None,
) -> Generated:
    """The source of `fn`, typed IR: imports, the functions that it calls, and itself with `doc` as its docstring.

    `aliases` are the alias classes of its variables, where its parameters may share memory; otherwise they are found.
    `decorators` are those of its helpers, by name.

    Raises:
        UnsupportedSyntaxError: blocks nest too deeply for Python: its recursion limit, or a hundred levels of indentation.
    """
    try:
        return _emit(fn, doc, aliases or alias_classes(fn), surroundings or Surroundings(), decorators or {})
    except (RecursionError, SyntaxError):
        message, help_ = f"the source of `{fn.name}` nests too deeply", "move inner branches and loops into functions"
        raise UnsupportedSyntaxError(message, span=fn.span, help=help_) from None


def _emit(fn: Function, doc: str, aliases: Aliases, surroundings: Surroundings, decorators: Mapping[str, object]) -> Generated:
    references = References(surroundings)
    known = functions(fn)
    parts = [*(helper for title, helper in known.items() if title != fn.name), fn]
    for part in parts:
        _reserve(part, references)
    for decorator in decorators.values():
        references.to(decorator)
    titles = _titles(parts, references.names)
    reserved = {*references.names, *ALWAYS_RESERVED, *titles.values()}
    used: set[str] = set()
    defined: dict[str, _Defined] = {}
    for part in parts:
        own = aliases if part is fn else aliases.helpers[part.name]
        references.forget_uses()
        defined[part.name] = _define(part, own, reserved, titles, references, doc if part is fn else "", part.name in decorators)
        if part.name in decorators:
            defined[part.name].tree.decorator_list = [references.to(decorators[part.name])]
        used |= references.used
    handed = _hand_on(defined)
    notes = _notes(fn, surroundings, [(name, references.externals[name]) for name in sorted(handed[fn.name])])
    body = [*references.imports(used), *(defined[part.name].tree for part in parts[:-1]), *notes, defined[fn.name].tree]
    printed = print_module(ast.Module(body, []))
    externals = {name: value for name, value in references.externals.items() if name in handed[fn.name]}
    return Generated(printed.text, titles[fn.name], externals, printed.origins)


def _define(
    fn: Function,
    aliases: Aliases,
    reserved: set[str],
    titles: Mapping[str, str],
    references: References,
    doc: str,
    compiled: bool,
) -> _Defined:
    fn = _detach_conditions(tried_once(fn))
    folding = fold(fn, aliases)
    naming = assign_names(fn, folding, reserved, checked=compiled)
    expressions = Expressions(folding, naming.names, references, checked=compiled)
    statements = Statements(expressions, naming, titles, references)
    tree = statements.function(fn, doc)
    return _Defined(tree, references.used & references.externals.keys(), tuple(statements.invoked))


def _hand_on(defined: Mapping[str, _Defined]) -> dict[str, set[str]]:
    """Make externals keyword parameters of the functions that need them, and hand them on in calls: the names each takes."""
    needs = {title: set(part.externals) for title, part in defined.items()}
    count = -1
    while count != (count := sum(map(len, needs.values()))):
        for title, part in defined.items():
            needs[title].update(*(needs[callee] for callee, _ in part.invoked))
    for title, part in defined.items():
        part.tree.args.kwonlyargs = [ast.arg(name) for name in sorted(needs[title])]
        part.tree.args.kw_defaults = [None] * len(needs[title])
        for callee, call in part.invoked:
            call.keywords = [ast.keyword(name, ast.Name(name, ast.Load())) for name in sorted(needs[callee])]
    return needs


def _notes(fn: Function, surroundings: Surroundings, externals: list[tuple[str, object]]) -> list[Remark]:
    """Comments on the parameters of `fn` that the user's function does not have."""
    params = {param.name: param.base for param in fn.params}
    read = [params[name] for name in surroundings.read if name in params]
    notes = [Remark(f"{', '.join(read)}: read outside of the function at every call")] if read else []
    return [
        *notes,
        *(Remark(f"{name}: {_described(value)}, which no import reaches; given by keyword") for name, value in externals),
    ]


def _described(value: object) -> str:
    """What `value` is, the same in every run."""
    own = isinstance(own_attribute(value, "__qualname__"), str)
    of: Any = value if own else type(value)
    path = ".".join(part for part in (getattr(of, "__module__", None), of.__qualname__) if isinstance(part, str))
    return path if own else f"an object of {path}"


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
    known: set[int] = set()

    def visit(operand: Operand) -> None:
        match operand:
            case Var():
                pass
            case Lit(value):
                if id(value) not in known:
                    known.add(id(value))
                    expressions.literal(value)
            case Pack(_, items):
                for item in items:
                    visit(item)

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

"""Classes defined inside a function: made when it is specialised, if they follow from what is known then."""

from __future__ import annotations

import ast
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gast

from adxform.frontend.lowering.names import bound_names, free_names
from adxform.frontend.lowering.scope import State
from adxform.frontend.lowering.source_text import FUTURES, imported_names
from adxform.ir import intrinsics
from adxform.ir.ops import Lit, Operand, Pack

_PLAIN = (gast.FunctionDef, gast.Assign, gast.AnnAssign, gast.Pass, gast.Expr)
_OWN_SCOPES = (gast.Lambda, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp, gast.NamedExpr)


@dataclass(frozen=True, slots=True)
class LocalClass:
    """Where the definition of a class stands."""

    file: str
    lines: tuple[str, ...]
    line: int
    name: str

    def make(self, within: types.FunctionType, names: Mapping[str, Any]) -> type:
        """The class, as a call of the function `within` makes it, where `names` are the values of what it is made of."""
        tree = ast.parse("".join(self.lines))
        node = next(
            one for one in ast.walk(tree) if isinstance(one, ast.ClassDef) and (one.lineno, one.name) == (self.line, self.name)
        )
        flags = within.__code__.co_flags & FUTURES
        aliases = [ast.alias(name) for name in dict.fromkeys(imported_names(tree))]
        never = [ast.If(ast.Constant(False), [ast.Import(aliases)], [])] if aliases else []
        module = ast.fix_missing_locations(ast.Module([*never, node], []))
        made = dict(names)
        exec(compile(module, self.file, "exec", flags=flags, dont_inherit=True), within.__globals__, made)
        cls: type = made[self.name]
        around = f"{within.__qualname__}.<locals>."  # no import reaches what is in a function
        for one in (cls, *vars(cls).values()):
            for named in (one, *(getattr(one, part, None) for part in ("__func__", "fget", "fset", "fdel"))):
                if isinstance(named, type | types.FunctionType) and named.__qualname__.partition(".")[0] == self.name:
                    named.__qualname__ = around + named.__qualname__
        return cls


def lower_class(state: State, node: gast.ClassDef) -> None:
    """Append the making of a class, whose methods and attributes may read nothing of the function around it."""
    head = [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)]
    names = {one.id: one for part in head for one in gast.walk(part) if isinstance(one, gast.Name)}
    own = bound_names(node.body)
    for statement in node.body:
        _check(state, statement)
        for one in _read_by_the_body(statement):
            if not isinstance(one, gast.Name):
                raise state.scope.error(one, "a function or a loop in a class inside a function is not supported", _WAY_OUT)
            if one.id not in own:
                _refuse_local(state, one, one.id)
                names.setdefault(one.id, one)
    operands: list[Operand] = []
    for name, one in names.items():
        operands += (Lit(name), state.read(name, one))
    source, given = state.scope.source, Pack("dict", tuple(operands))
    made = Lit(LocalClass(source.file, source.lines, node.lineno, node.name))
    cls = state.builder.call(intrinsics.local_class, made, given, hint=node.name, span=state.at(node))
    state.bind(state.scope.mangle(node.name), cls)


def _check(state: State, statement: Any) -> None:
    """Raise for a statement that says more than what a class has."""
    if not isinstance(statement, _PLAIN) or (isinstance(statement, gast.Expr) and not isinstance(statement.value, gast.Constant)):
        raise state.scope.error(statement, "this statement in a class inside a function is not supported", _WAY_OUT)
    if isinstance(statement, gast.FunctionDef):
        for name in free_names(statement):
            if name != "__class__":
                _refuse_local(state, statement, name)
        if statement.name in ("__new__", "__init_subclass__", "__set_name__"):
            raise state.scope.error(statement, f"`{statement.name}` of a class inside a function is not supported", _WAY_OUT)


_WAY_OUT = "define the class outside of the function, and give its methods and objects what they need"


def _read_by_the_body(statement: Any) -> list[Any]:
    """The names that a statement of a class reads when the class is made."""
    match statement:
        case gast.FunctionDef(args=args, decorator_list=decorators):
            parts = [*decorators, *args.defaults, *(default for default in args.kw_defaults if default is not None)]
        case gast.Assign(value=value) | gast.AnnAssign(value=value) if value is not None:
            parts = [value]
        case _:
            parts = []
    return [one for part in parts for one in gast.walk(part) if isinstance(one, (gast.Name, *_OWN_SCOPES))]


def _refuse_local(state: State, node: Any, name: str) -> None:
    scope = state.scope
    if name in state.env or name in scope.bound or name in scope.outer or state.cell(name) is not None:
        raise scope.error(node, f"a class inside a function uses the variable `{name}` of that function", _WAY_OUT)

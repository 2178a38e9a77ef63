"""Displays of sets, as Python compiles them: where all elements are constants, of a frozen set that it made beforehand."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import gast

from adxform.frontend.lowering.scope import State, attribute
from adxform.ir.ops import Call, Lit, Operand, Pack

Lower = Callable[[State, Any], Operand]
_CONSTANT = gast.Constant, gast.UnaryOp, gast.BinOp, gast.Tuple, gast.unaryop, gast.operator, gast.expr_context


def lower_set(state: State, node: gast.Set, hint: str, lower: Lower) -> Operand:
    """A set: of constants, of the elements one after the other, or with ``*`` parts, which it is updated by."""
    constant = constant_set(state, node, walked=False)
    if constant is not None:
        return state.builder.call(set, constant, hint=hint, span=state.at(node))
    stars = [place for place, item in enumerate(node.elts) if isinstance(item, gast.Starred)]
    first = stars[0] if stars else len(node.elts)
    items = Pack("tuple", tuple(lower(state, item) for item in node.elts[:first]))
    made = state.builder.call(set, items, hint=hint, span=state.at(node))
    for item in node.elts[first:]:
        starred = isinstance(item, gast.Starred)
        part = lower(state, item.value if starred else item)
        method = attribute(state, node, made, "update" if starred else "add")
        state.builder.emit(Call((), method, (part,), (), state.at(node)))
    return made


def lower_walked(state: State, node: Any, lower: Lower) -> Operand:
    """What a ``for`` walks over: of constants the frozen set itself."""
    constant = constant_set(state, node, walked=True) if isinstance(node, gast.Set) else None
    return lower(state, node) if constant is None else constant


def constant_set(state: State, node: gast.Set, *, walked: bool) -> Lit | None:
    """The frozen set that stands among the constants of the code for a display, if one does.

    Code that was read from a file has it in another order than code that was compiled in this process.
    """
    if not all(isinstance(part, _CONSTANT) for item in node.elts for part in gast.walk(item)):
        return None
    text = ast.unparse(gast.gast_to_ast(node))
    compiled = compile(f"for _ in {text}: pass" if walked else f"_ = {text}", "<a display>", "exec").co_consts
    made = next((found for found in compiled if isinstance(found, frozenset)), None)
    if made is None:
        return None
    wanted = frozenset(map(Lit, made))
    return Lit(next((own for own in state.scope.source.sets if frozenset(map(Lit, own)) == wanted), made))

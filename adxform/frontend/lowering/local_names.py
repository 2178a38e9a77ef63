"""``locals()``: the variables of a function that have a value where it is called, as a dict of its own."""

from __future__ import annotations

import gast

from adxform.frontend.lowering.names import parameters
from adxform.frontend.lowering.scope import State
from adxform.ir.ops import Lit, Pack


def names_here(state: State, node: gast.Call) -> Pack | None:
    """The dict that `node`, ``locals()``, returns; ``None`` of other calls, and where it is not certain which names have a value.

    Parameters come first, then other names as they are bound. Python before 3.13 keeps one dict for all calls in a function: so
    there is to be one call, outside of loops, and no name that a nested function may bind.
    """
    if not (isinstance(node.func, gast.Name) and node.func.id == "locals") or node.args or node.keywords:
        return None
    scope = state.scope
    calls = [one for one in gast.walk(scope.source.node) if isinstance(one, gast.Name) and one.id == "locals"]
    inside = state.comprehension or state.loop or state.attempted or state.depth
    if len(calls) > 1 or inside or scope.cells or scope.outer or "locals" in scope.bound:
        return None
    given = [param.id for param, *_ in sorted(parameters(scope.source.node.args), key=lambda one: one[1].startswith("VAR_"))]
    others = sorted((places, name) for name, places in scope.bound.items() if name not in given)
    names = [scope.mangle(name) for name in (*given, *(name for _, name in others)) if scope.mangle(name) in state.env]
    if any(state.env[name] in scope.doubtful for name in names):
        return None
    return Pack("dict", tuple(part for name in names for part in (Lit(name), state.env[name])))

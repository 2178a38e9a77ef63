"""``locals()``: the variables of a function that have a value where it is called, as a dict of its own."""

from __future__ import annotations

import gast

from adxform.frontend.lowering.names import parameters
from adxform.frontend.lowering.scope import State
from adxform.ir.ops import Lit, Pack


def names_here(state: State, node: gast.Call) -> Pack | None:
    """The dict that `node`, ``locals()``, returns; ``None`` of other calls, and where it is not certain which names have a value.

    Parameters come first, then other names as they are bound.
    """
    if not _is_of_all_names(node) or not _is_plain(state):
        return None
    scope = state.scope
    given = [param.id for param, *_ in sorted(parameters(scope.source.node.args), key=lambda one: one[1].startswith("VAR_"))]
    others = sorted((places, name) for name, places in scope.bound.items() if name not in given)
    names = [name for name in map(scope.mangle, (*given, *(name for _, name in others))) if name in state.env]
    if any(state.env[name] in scope.doubtful for name in names):
        return None
    return Pack("dict", tuple(part for name in names for part in (Lit(name), state.env[name])))


def _is_of_all_names(node: gast.Call) -> bool:
    return isinstance(node.func, gast.Name) and node.func.id == "locals" and not node.args and not node.keywords


def _is_plain(state: State) -> bool:
    """Whether the names here are those of the whole function, outside of loops, and no nested function has a part in them.

    Python before 3.13 keeps one dict for all calls of ``locals`` in a function: so there is to be one call.
    """
    scope = state.scope
    calls = [one for one in gast.walk(scope.source.node) if isinstance(one, gast.Name) and one.id == "locals"]
    inside = state.comprehension or state.loop or state.attempted or state.depth
    return len(calls) == 1 and not inside and not scope.cells and not scope.outer and "locals" not in scope.bound

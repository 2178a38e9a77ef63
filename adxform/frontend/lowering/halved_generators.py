"""Generators under `contextlib.contextmanager`, cut at their ``yield`` into what is done on entering and on leaving.

def scaled(gauge, k):                   def scaled(gauge, k):
    before = gauge.scale                    before = gauge.scale
    gauge.scale = before * k                gauge.scale = before * k
    try:                                    def leave(passing):
        yield gauge                             if passing:
    finally:                                        gauge.scale = before
        gauge.scale = before                    else:
                                                    gauge.scale = before
                                            return gauge, leave

`passing` says whether an exception leaves the body of the ``with``: then only what a ``finally`` around the ``yield`` has in it
is done. A generator is cut that has one ``yield``, in no loop, no branch and no handler, and first in each ``try`` around it.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import gast

from adxform.frontend.lowering.managers_in_place import OTHERS, STOPS
from adxform.frontend.lowering.names import bound_names, local_names, walk_scope

PASSING = "passing"


def halved(node: Any) -> Any:
    """`node`, a generator function, cut at its ``yield``; ``None`` where it cannot be."""
    inside = list(walk_scope(node.body)) if isinstance(node, gast.FunctionDef) else []
    if sum(isinstance(one, gast.Yield) for one in inside) != 1 or any(
        isinstance(one, (*OTHERS, gast.Nonlocal)) for one in inside
    ):
        return None
    if any(isinstance(one, gast.Name) and one.id in STOPS for one in inside):
        return None
    node = copy.deepcopy(node)
    before: list[Any] = []
    cut = _cut(node.body, before)
    if cut is None:
        return None
    value, ended, passed = cut
    leave = _leaving(node, before, ended, passed)
    given = gast.Tuple([value, gast.Name(leave.name, gast.Load(), None, None)], gast.Load())
    last = gast.copy_location(gast.Return(given), value)
    node.body, node.decorator_list = [*before, leave, gast.fix_missing_locations(last)], []
    return node


def _cut(body: Sequence[Any], before: list[Any]) -> tuple[Any, list[Any], list[Any]] | None:
    """The value that `body` yields, and what it does then: where the ``with`` ends, and where an exception passes.

    What comes before the ``yield`` is added to `before`.
    """
    place = next((k for k, one in enumerate(body) if any(isinstance(part, gast.Yield) for part in gast.walk(one))), None)
    if place is None:
        return None
    before += body[:place]
    one, after = body[place], list(body[place + 1 :])
    match one:
        case gast.Expr(value=gast.Yield(value=value)):
            value = gast.copy_location(gast.Constant(None, None), one) if value is None else value
            return value, after, []
        case gast.Try(body=inner, handlers=[], orelse=[], finalbody=last):
            known = len(before)
            cut = _cut(inner, before)
            if cut is None or len(before) > known:
                return None
            value, ended, passed = cut
            ended = [_then(ended, last, one)] if ended else copy.deepcopy(last)
            passed = [_then(passed, copy.deepcopy(last), one)] if passed else copy.deepcopy(last)
            return value, [*ended, *after], passed
        case _:
            return None


def _then(first: list[Any], last: list[Any], at: Any) -> Any:
    return gast.copy_location(gast.Try(first, [], [], last), at)


def _leaving(node: Any, before: Sequence[Any], ended: list[Any], passed: list[Any]) -> Any:
    """The function that does what is left after the ``yield`` of `node`."""
    name = f"leave_{node.name}"
    made = gast.parse(f"def {name}({PASSING}):\n    if {PASSING}:\n        pass\n    else:\n        pass").body[0]
    for one in gast.walk(made):
        if hasattr(one, "lineno"):
            gast.copy_location(one, node.body[-1])
    (choice,) = made.body
    choice.body, choice.orelse = passed or choice.body, ended or choice.orelse
    known = {*local_names(node)} - set(bound_names([*ended, *passed])) | set(bound_names(before)) | set(_parameters(node))
    shared = sorted(set(bound_names([*ended, *passed])) & known)
    if shared:
        made.body.insert(0, gast.copy_location(gast.Nonlocal(shared), choice))
    return made


def _parameters(node: Any) -> list[str]:
    arguments = node.args
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return [one.id for one in found if one is not None]

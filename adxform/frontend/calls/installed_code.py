"""Which calls of functions of installed packages are followed: those that are given what moves, and those within such a one."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any

from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.signals import AskedFor
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Static, Tuple, Value, is_unknown
from adxform.ir.ops import Lit, Var
from adxform.ir.packages import is_installed, is_read_for_nothing_that_moves
from adxform.ir.spans import is_followed
from adxform.ir.types import is_inexact


def is_asked_for(interp: Interpreter, fn: types.FunctionType, given: Iterable[Value]) -> bool:
    """Whether it matters what the code of `fn` says: it is the program's, or that of a package that is `given` what moves."""
    if not is_installed(fn.__code__.co_filename):
        return True
    inside = not interp.frames or is_installed(interp.frames[-1].fn.span.file)
    moves = inside or fn.__code__ in interp.knowledge.asked or any(may_hold_what_moves(interp, value) for value in given)
    return moves or is_read_for_nothing_that_moves()


def left(interp: Interpreter, fn: Any, made: Value) -> Value:
    """`made`, what the run has of a function that is called as it is: noted where that is one whose code could be read."""
    if isinstance(made, Var) and isinstance(fn, types.FunctionType) and is_installed(fn.__code__.co_filename) and is_followed(fn):
        interp.of_run.makers[made] = fn.__code__
    return made


def ask_for_maker(interp: Interpreter, called: Var, given: Iterable[Value]) -> None:
    """Have the code of a package read that has made an object of which something is called with what moves.

    Raises:
        AskedFor: the specialisation begins again.
    """
    code = interp.of_run.makers.get(called)
    if code is not None and code not in interp.knowledge.asked and any(may_hold_what_moves(interp, value) for value in given):
        raise AskedFor(code)


def may_hold_what_moves(interp: Interpreter, value: Value) -> bool:
    """Whether `value` may be, or hold, a number that moves."""
    match value:
        case Lit() | Static():
            return False
        case Var():
            return is_inexact(value.type) or is_unknown(value)
        case Tuple(items):
            return any(may_hold_what_moves(interp, item) for item in items)
        case Ref(kind="instance"):  # which nobody else can be given: an object that is followed
            return True
        case Ref():
            contents: Any = interp.heap.contents.get(value)
            return not isinstance(contents, Contents) or any(may_hold_what_moves(interp, item) for item in contents.items)
        case _:
            return True

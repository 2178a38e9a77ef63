"""Which calls of functions of installed packages are followed: those that are given what moves, and those within such a one."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any

from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Static, Tuple, Value, is_unknown
from adxform.ir.ops import Lit, Var
from adxform.ir.packages import is_installed, is_read_for_nothing_that_moves
from adxform.ir.types import is_inexact


def is_asked_for(interp: Interpreter, fn: types.FunctionType, given: Iterable[Value]) -> bool:
    """Whether it matters what the code of `fn` says: it is the program's, or that of a package that is `given` what moves."""
    if not is_installed(fn.__code__.co_filename):
        return True
    inside = not interp.frames or is_installed(interp.frames[-1].fn.span.file)
    return inside or any(_may_hold_what_moves(interp, value) for value in given) or is_read_for_nothing_that_moves()


def _may_hold_what_moves(interp: Interpreter, value: Value) -> bool:
    match value:
        case Lit() | Static():
            return False
        case Var():
            return is_inexact(value.type) or is_unknown(value)
        case Tuple(items):
            return any(_may_hold_what_moves(interp, item) for item in items)
        case Ref(kind="instance"):  # which nobody else can be given: an object that is followed
            return True
        case Ref():
            contents: Any = interp.heap.contents.get(value)
            return not isinstance(contents, Contents) or any(_may_hold_what_moves(interp, item) for item in contents.items)
        case _:
            return True

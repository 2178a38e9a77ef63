"""Objects in the order that their classes say: `sorted` asks them for ``<``, as Python does.

What is known of them is put in order now, with the very comparisons that Python makes. Where the run compares, the place of
an object is the number of those before it: all pairs are compared, the later one with the earlier, as a stable sort does.
"""

from __future__ import annotations

import operator
from types import FunctionType

from adxform import runtime
from adxform.frontend.evaluate.classes.class_contents import find
from adxform.frontend.evaluate.control_flow.branches import truth
from adxform.frontend.evaluate.control_flow.meanwhile import changing_nothing
from adxform.frontend.evaluate.outside.settled import may_change
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.structures import all_leaves
from adxform.frontend.evaluate.values import Ref, Static, Value
from adxform.ir.ops import Lit
from adxform.primitives.definitions.of_python import iterations


def are_objects(interp: Interpreter, keys: list[Value]) -> bool:
    """Whether there are objects among `keys`, or in them, whose class is asked for their order."""
    return any(_is_asked(part) for key in keys for part in all_leaves(interp, key))


def _is_asked(part: Value) -> bool:
    if isinstance(part, Static):
        return may_change(part.value) or isinstance(find(type(part.value), "__lt__"), FunctionType)
    return isinstance(part, Ref) and part.kind == "instance"


class _ToldByRun(Exception):
    """Only the run knows what a comparison says."""


class _Compared:
    """A key that is compared as the program compares it."""

    def __init__(self, interp: Interpreter, key: Value) -> None:
        self.interp = interp
        self.key = key

    def __lt__(self, other: _Compared) -> bool:
        found = truth(self.interp, self.interp.call(Lit(operator.lt), (self.interp.use(self.key), self.interp.use(other.key))))
        if isinstance(found, bool):
            return found
        if isinstance(found, Lit):
            return bool(found.value)
        raise _ToldByRun


def places_now(interp: Interpreter, keys: list[Value], *, reverse: bool) -> list[int] | None:
    """The places of `keys` in order; ``None`` where only the run knows them."""
    compared = [_Compared(interp, key) for key in keys]
    try:
        with changing_nothing(interp, "sorted"):
            return sorted(range(len(keys)), key=compared.__getitem__, reverse=reverse)
    except _ToldByRun:
        return None


def ranks(interp: Interpreter, keys: list[Value]) -> tuple[Value, ...]:
    """How many of `keys` come before each, as the run says: refused there where their ``<`` puts them in no order."""
    with changing_nothing(interp, "sorted"):
        found, is_order = interp.items(interp.call(Static(iterations.ranks_of), (interp.new_list(tuple(keys)),)))
    interp.require(interp.operand(is_order), runtime.no_order)
    return tuple(interp.items(found))

"""Variables that several functions share: each is an object, which control flow joins as it joins any other."""

from __future__ import annotations

from typing import Any

from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Poison, Ref
from adxform.ir import intrinsics
from adxform.ir.ops import UNDEFINED, Lit, Var

_KEYS = ("contents", "assigned")


def _cell(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return interp.heap.new("instance", intrinsics.Cell, _KEYS, (UNDEFINED, Lit(False)))


def _fill(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    cell, value = args
    assert isinstance(cell, Ref)
    interp.write(cell, Contents(_KEYS, (value, Lit(True))))
    return NONE


def _empty(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    (cell,) = args
    assert isinstance(cell, Ref)
    interp.write(cell, Contents(_KEYS, (UNDEFINED, Lit(False))))
    return NONE


def _held(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """The value of a variable; where only the run knows whether it has one, the run asks."""
    cell, name, free = args
    assert isinstance(cell, Ref)
    known: Any = interp.heap.contents[cell]
    if isinstance(known, Poison) and not (known.lost or known.params):
        message = f"only the run knows whether the variable `{interp.static(name, 'a name')}` has a value, or of which kind"
        raise interp.error(message, "give it a value of one kind on every path, ahead of the function that uses it")
    value, assigned = interp.contents(cell).items
    missing = intrinsics.missing_variable(interp.static(name, "a name"), interp.static(free, "a truth"))
    if assigned == Lit(False):
        return interp.fail(type(missing), str(missing))
    if isinstance(assigned, Var):
        interp.require(assigned, type(missing), str(missing))
    return value


TABLE: dict[Any, Handler] = {
    intrinsics.Cell: _cell,
    intrinsics.fill: _fill,
    intrinsics.empty: _empty,
    intrinsics.held: _held,
}

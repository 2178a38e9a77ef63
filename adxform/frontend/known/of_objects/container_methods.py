"""Methods of `list` and `dict` that an object of a subclass of the program's has all its items set by, or gives itself back."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.classes.own_containers import CHANGES, FILLS, ITEMS, held
from adxform.frontend.evaluate.objects import doubtful_keys
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Ref, Static
from adxform.ir.ops import Lit


def _filled(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``list.__init__(value, …)``, which has no other items afterwards, or ``dict.__init__(value, …)``, which adds to them."""
    value, items = args[0], held(interp, args[0])
    assert items is not None
    assert isinstance(value, Ref)
    if items.kind == "list" or _is_empty(interp, items):
        doubtful_keys.put(interp, value, ITEMS, interp.call(Static(items.cls), args[1:], kwargs, "items"))
    elif items.cls is defaultdict:
        raise interp.error(f"a {value.cls.__name__} that has items is initialised again", "make a new one")
    else:
        interp.call(interp.attribute(items, "update"), args[1:], kwargs)
    return NONE


def _is_empty(interp: Interpreter, items: Ref) -> bool:
    return interp.keyed(items) is None and interp.doubtful(items) is None and not interp.contents(items).keys


def _changed(fn: Any) -> Handler:
    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        value, other = args
        items = held(interp, value)
        assert items is not None
        interp.call(Lit(fn), (items, other))
        return value

    return handler


TABLE: dict[Any, Handler] = {FILLS: _filled, **{change: _changed(change.fn) for change in CHANGES.values()}}

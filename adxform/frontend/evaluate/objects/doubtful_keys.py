"""Keys of dicts, and attributes of instances, that an object has on some paths only: the run keeps whether it has them."""

from __future__ import annotations

import operator
from typing import Any

from adxform.frontend.evaluate.classes.class_contents import MISSING, find
from adxform.frontend.evaluate.objects.object_contents import Contents, in_doubt
from adxform.frontend.evaluate.outside.guards import constant
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Ref, Static, Tuple, Value, View
from adxform.ir.ops import Lit, Var
from adxform.primitives.definitions.of_python import item_places


def begun(interp: Interpreter, ref: Ref) -> bool:
    """Whether `ref` can be, and now is, an object to which paths may give keys that others do not."""
    held = interp.heap.contents[ref]
    own = ref in interp.heap.contents and ref not in interp.heap.contents.attributes and interp.identity(ref) is None
    if type(held) is not Contents or ref.outside or ref.shared or not own:
        return False
    interp.hold(ref, in_doubt(held))
    return True


def put(interp: Interpreter, ref: Ref, key: Any, value: Value) -> None:
    """Let `value` be what `ref` has under `key`."""
    interp.write(ref, interp.contents_or_doubt(ref).put(key, value))


def drop(interp: Interpreter, ref: Ref, key: Any) -> None:
    """Let `ref` have nothing under `key`."""
    interp.write(ref, interp.contents_or_doubt(ref).without(key))


def is_there(interp: Interpreter, ref: Ref, key: Any) -> Value:
    """Whether `ref` has `key`, of which only the run may know."""
    held = interp.doubtful(ref)
    if held is None:
        return Lit(interp.contents(ref).get(key) is not None)
    there, _ = held.get(key) or (Lit(False), NONE)
    return Lit(True) if there in interp.assumed else there


def found(interp: Interpreter, ref: Ref, key: Any, missing: type[Exception], said: Any) -> Value | None:
    """What `ref` has under `key`: the run raises `missing` where it has nothing, and so do the callers of this for ``None``."""
    there = is_there(interp, ref, key)
    if there == Lit(False):
        return None
    if isinstance(there, Var):
        interp.require(there, missing, said)
    return _under(interp, ref, key)


def item(interp: Interpreter, ref: Ref, key: Any) -> Value:
    """``d[key]``"""
    there = is_there(interp, ref, key)
    if ref.meta in (None, NONE) or there == Lit(True):
        held = found(interp, ref, key, KeyError, key)
        return interp.fail(KeyError, key) if held is None else held
    assert ref.meta is not None
    if isinstance(there, Var):
        made = interp.call(Static(item_places.item_or_made), (there, _under(interp, ref, key), ref.meta))
    else:
        made = interp.call(ref.meta, ())
    put(interp, ref, key, made)
    return made


def item_or(interp: Interpreter, ref: Ref, key: Any, default: Value, hint: str = "item") -> Value:
    """What `ref` has under `key`, or else `default`."""
    there = is_there(interp, ref, key)
    if isinstance(there, Lit):
        return _under(interp, ref, key) if there.value else default
    return interp.call(Static(item_places.item_or), (there, _under(interp, ref, key), default), hint=hint)


def attribute(interp: Interpreter, ref: Ref, name: str, beside: Any = MISSING) -> Value | None:
    """What an instance itself has under `name`, if anything; where only the run knows, nothing else may take its place.

    `beside` is what its class has.
    """
    if interp.doubtful(ref) is not None and isinstance(is_there(interp, ref, name), Var):
        refuse_beside(interp, ref, name, beside)
    return found(interp, ref, name, AttributeError, f"'{ref.cls.__name__}' object has no attribute '{name}'")


def refuse_beside(interp: Interpreter, ref: Ref, name: str, beside: Any) -> None:
    """Raise where the class has something for an attribute that only the run knows whether the instance has."""
    if beside is not MISSING or find(ref.cls, "__getattr__") is not MISSING:
        message = f"only the run knows whether `{name}` is an attribute of this {ref.cls.__name__} or of its class"
        raise interp.error(message, "give it to the instance on every path")


def length(interp: Interpreter, ref: Ref) -> Value:
    """How many keys `ref` has, some of which are in doubt."""
    held = interp.doubtful(ref)
    assert held is not None
    total: Value = Lit(0)
    for there in held.there:
        total = interp.call(Lit(operator.add), (total, interp.call(Lit(int), (there,))), hint="n")
    return total


def walked(interp: Interpreter, source: Value) -> Value:
    """What a walk over `source` goes through, if that is a dict, or a view of one, of which only the run knows the keys."""
    ref = source.of if isinstance(source, View) else source
    held = interp.doubtful(ref)
    if held is None or not isinstance(ref, Ref) or ref.kind != "dict":
        return source
    if not held.ordered:
        message = f"in which order the keys of this {ref.cls.__name__} came depends on a run-time condition"
        raise interp.error(message, "ask for what it holds by name, or give it all names before")
    part = source.part if isinstance(source, View) else "keys"
    keys = tuple(constant(interp, key) for key in held.keys)
    pairs = tuple(map(Tuple, zip(keys, held.items, strict=True)))
    shown = {"keys": keys, "values": held.items, "items": pairs}[part]
    found = interp.call(Static(item_places.those_there), (Tuple(shown), Tuple(held.there)), hint=part)
    assert isinstance(found, Ref)
    interp.loops.walked_as[found] = ref, part
    return found


def _under(interp: Interpreter, ref: Ref, key: Any) -> Value:
    """What is under a key that `ref` may have."""
    held = interp.doubtful(ref)
    kept = interp.contents(ref).get(key) if held is None else (held.get(key) or (NONE, NONE))[1]
    assert kept is not None
    return interp.use(kept)

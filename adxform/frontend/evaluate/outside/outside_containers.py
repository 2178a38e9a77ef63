"""Lists and dicts outside of the function that it changes: the run asks them and changes them, where the program does.

Nothing is assumed of what is in them, or each call would be derived anew. What is stored in them is stored as a primal value; so
one of which a number that moves is stored is not read in the same call, where it would come back without its derivative.
"""

from __future__ import annotations

import operator
from typing import Any

from adxform import runtime
from adxform.frontend.checks.kept_outside import CHANGE
from adxform.frontend.evaluate.outside import outside_arrays, places
from adxform.frontend.evaluate.outside.guards import guard, outside_write
from adxform.frontend.evaluate.signals import Changes
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, FoundOutside, Method, Value
from adxform.frontend.signature.access import Access, HasClass, Is, SameAs
from adxform.ir.ops import Call, Lit, Var
from adxform.ir.types import Object


def changed(interp: Interpreter, found: FoundOutside) -> Exception:
    """What says that the program changes the container `found`: a restart, which knows it."""
    if found.access.steps[-1:] == () or found.access.steps[-1][0] == "item":
        return outside_write(interp, f"a {type(found.value).__name__} that another one holds")
    return Changes(found)


def begin(interp: Interpreter, fn: Any) -> None:
    """Let the run find each list or dict outside that the function is known to change."""
    for found in interp.knowledge.containers.values():
        guard(interp, found.access, HasClass(type(found.value)))
        var = _found_by_the_run(interp, fn, found.access)
        interp.outer.objects[var] = type(found.value)
        interp.outer.containers[id(found.value)] = var


def _found_by_the_run(interp: Interpreter, fn: Any, access: Access) -> Var:
    kind, key = access.steps[-1]
    path = Access(access.steps[:-1], access.root)
    hint = access.hint
    if kind == "default":
        owner = path.read(fn)
        guard(interp, path, Is(owner))
        named = bool(owner.__kwdefaults__) and key in owner.__kwdefaults__
        defaults = interp.emit(getattr, (Lit(owner), Lit("__kwdefaults__" if named else "__defaults__")), Object(), "defaults")
        names = owner.__code__.co_varnames[: owner.__code__.co_argcount]
        place = Lit(key) if named else Lit(names.index(key) - len(names) + len(owner.__defaults__))
        return interp.emit(operator.getitem, (defaults, place), Object(), hint)
    holder = outside_arrays.holder(interp, fn, access)
    if holder is None:
        raise outside_write(interp, f"the container `{access}`")
    return interp.emit(runtime.found_outside, (Lit(holder[0]), Lit(holder[1])), Object(), hint)


def attribute(interp: Interpreter, value: Var, name: str) -> Value | None:
    """A method of a list or dict outside; ``None`` of any other object."""
    cls = interp.outer.objects.get(value)
    method = None if cls is None else getattr(cls, name, None)
    return Method(Lit(method), (value,)) if callable(method) else None


def call(
    interp: Interpreter, fn: Any, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str, wanted: bool
) -> Value | None:
    """The result of the method `fn` of a list or dict outside, which the run calls; ``None`` where it is none."""
    owner = args[0] if args else None
    cls = interp.outer.objects.get(owner) if isinstance(owner, Var) else None
    name = getattr(fn, "__name__", "")
    if cls is None or getattr(cls, name, None) is not fn or not isinstance(owner, Var):
        return None
    whole = name not in ("extend", "update", "__iadd__")
    given = tuple(places.given_away(interp, arg, whole=whole) for arg in args[1:])
    named = {key: places.given_away(interp, arg) for key, arg in kwargs.items()}
    operands = owner, Lit(name), *given
    if wanted:
        return interp.emit(runtime.change_outside, operands, Object(), hint, named)
    interp.builder.emit(Call((), CHANGE, operands, tuple(named.items()), interp.span))
    return NONE


def told_apart(interp: Interpreter) -> None:
    """Assume that no other list or dict that is found outside is one that is changed."""
    own = list(interp.knowledge.containers.values())
    others = [one for _, one in interp.identities.values() if isinstance(one, FoundOutside)]
    for number, found in enumerate(own):
        for other in (*own[:number], *others):
            if type(other.value) is type(found.value) and other.value is not found.value:
                guard(interp, other.access, SameAs(found.access, False))


def added(interp: Interpreter, x: Value, value: Value) -> Value | None:
    """``x += value`` of a list outside, which stays the same list; ``None`` of any other object."""
    method = attribute(interp, x, "__iadd__") if isinstance(x, Var) else None
    if method is None:
        return None
    interp.call(method, (value,), wanted=False)
    return x

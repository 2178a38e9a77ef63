"""Lists and dicts outside of the function that it changes: the run asks them and changes them, where the program does.

Nothing is assumed of what is in them, or each call would be derived anew. What is stored in them is stored as a primal value; so
one of which a number that moves is stored is not read in the same call, where it would come back without its derivative.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from adxform import runtime
from adxform.errors import GlobalMutationError
from adxform.frontend.evaluate import outside_arrays, places
from adxform.frontend.evaluate.outside import guard, outside_write
from adxform.frontend.evaluate.signals import Changes
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, FoundOutside, Method, Value
from adxform.frontend.signature.access import Access, HasClass, Is, SameAs
from adxform.ir.ops import Call, Function, Lit, Op, Var
from adxform.ir.types import Array, Object, is_inexact
from adxform.ir.walk import all_ops, blocks, reads, variables, variables_of
from adxform.primitives.alias import Aliases, alias_classes
from adxform.primitives.effects import functions

CHANGE = Lit(runtime.change_outside)
_KEEPING = (CHANGE, Lit(runtime.set_outside), Lit(runtime.kept_outside))
_STORING = frozenset({"append", "extend", "insert", "update", "__setitem__", "clear", "reverse", "__delitem__"})
"""Methods by which a program learns nothing of what is in a container."""
_ASKING = (bool, len, operator.contains, operator.not_)
"""What tells of a container how much is in it, and whether something is: no number that moves comes of it."""


def changed(interp: Interpreter, found: FoundOutside) -> Exception:
    """What says that the program changes the container `found`: a restart, which knows it."""
    steps = found.access.steps
    outer = next((k for k, (kind, _) in enumerate(steps) if kind == "item"), len(steps))
    if outer < len(steps):
        return outside_write(interp, f"a {type(found.value).__name__} that another one holds")
    return Changes(found)


def begin(interp: Interpreter, fn: Any) -> None:
    """Let the run find each list or dict outside that the function is known to change."""
    for found in interp.knowledge.containers.values():
        guard(interp, found.access, HasClass(type(found.value)))
        var = _found_by_the_run(interp, fn, found.access)
        interp.objects[var] = type(found.value)
        interp.containers[id(found.value)] = var


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
    return interp.emit(getattr, (Lit(holder[0]), Lit(holder[1])), Object(), hint)


def attribute(interp: Interpreter, value: Var, name: str) -> Value | None:
    """A method of a list or dict outside; ``None`` of any other object."""
    cls = interp.objects.get(value)
    method = None if cls is None else getattr(cls, name, None)
    return Method(Lit(method), (value,)) if callable(method) else None


def call(
    interp: Interpreter, fn: Any, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str, wanted: bool
) -> Value | None:
    """The result of the method `fn` of a list or dict outside, which the run calls; ``None`` where it is none."""
    owner = args[0] if args else None
    cls = interp.objects.get(owner) if isinstance(owner, Var) else None
    name = getattr(fn, "__name__", "")
    if cls is None or getattr(cls, name, None) is not fn or not isinstance(owner, Var):
        return None
    whole = name not in ("extend", "update")
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


def refuse_read_back(interp: Interpreter, function: Function) -> None:
    """Raise where a container is read in which a number that may move is stored, or an array that is changed is stored in one.

    Raises:
        GlobalMutationError: that is so.
    """
    stored = {var: op for var, op in _storing(function) if any(is_inexact(one.type) for one in _kept_by(op))}
    if not stored:
        return
    classes = alias_classes(function)
    for op in stored.values():
        if any(_is_written(classes, var) for var in _kept_by(op)):
            message = "an array that is kept outside the function is written to as well"
            raise interp.error(message, "keep a copy: `.copy()`", GlobalMutationError, span=op.span)
    for reading, var in _reading(function):
        if var in stored:
            message = f"`{var.base}` is read, where a number is stored that may move: it would come back without its derivative"
            way = "keep the number under a name of its own, and read that"
            raise interp.error(message, way, GlobalMutationError, span=reading.span)


def keeps_moving(interp: Interpreter, function: Function) -> Iterator[Any]:
    """The objects outside in which `function` keeps numbers that may move."""
    by_var = {var: interp.knowledge.containers[key].value for key, var in interp.containers.items()}
    for op in _ops(function):
        if isinstance(op, Call) and op.fn in _KEEPING and any(is_inexact(var.type) for var in _kept_by(op)):
            owner = op.args[0]
            yield owner.value if isinstance(owner, Lit) else by_var.get(owner)  # type: ignore[arg-type]


def refuse_other_ways(interp: Interpreter, function: Function) -> None:
    """Raise where an attribute is read of an object that only the run knows, and a number that may move is kept in one called so.

    Raises:
        GlobalMutationError: it may be that object.
    """
    ops = [op for op in _ops(function) if isinstance(op, Call)]
    moving = (op for op in ops if op.fn in _KEEPING and any(is_inexact(var.type) for var in _kept_by(op)))
    names = {op.args[1] for op in moving if op.fn != CHANGE}
    for op in ops:
        if op.fn == Lit(getattr) and isinstance(op.args[0], Var) and op.args[1] in names:
            message = "an attribute of an unknown object is read, and one of this name is set to a number that may move"
            raise interp.error(message, "read it of the object that has it", GlobalMutationError, span=op.span)


def _ops(function: Function) -> Iterator[Op]:
    """Every op of `function` and of its helpers, in which a variable of `function` has its name."""
    return (op for one in functions(function).values() for op in all_ops(one.body))


def _is_written(classes: Aliases, var: Var) -> bool:
    return isinstance(var.type, Array) and (not classes.knows(var) or classes.of(var) in classes.written)


def _storing(function: Function) -> Iterator[tuple[Var, Call]]:
    """Each op that stores something in a list or dict outside, with what stands for that; one that makes it comes last."""
    for op in _ops(function):
        if isinstance(op, Call) and op.fn == CHANGE and isinstance(op.args[0], Var):
            yield op.args[0], op
        elif isinstance(op, Call) and op.fn == Lit(runtime.kept_outside):
            yield op.outs[0], op


def _kept_by(op: Call) -> tuple[Var, ...]:
    return variables_of((*op.args[2:], *(value for _, value in op.kwargs)))


def _reading(function: Function) -> Iterator[tuple[Op, Var]]:
    """Each op by which a program may learn what is in a variable, with that variable."""
    for op in _ops(function):
        if isinstance(op, Call):
            storing = op.fn == CHANGE and op.args[1].value in _STORING  # type: ignore[union-attr]
            asking = isinstance(op.fn, Lit) and op.fn.value in _ASKING
            yield from ((op, var) for var in variables_of(op.args[1:] if storing or asking else op.args))
            yield from ((op, var) for _, value in op.kwargs for var in variables(value))
        else:
            yield from ((op, var) for var in reads(op))
            yield from ((op, var) for inner in blocks(op) for var in variables_of(inner.results))

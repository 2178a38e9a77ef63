"""Refuses what comes out of objects outside that the function changes, where it would come without its derivative.

A number that moves and that code keeps which adxform cannot look into (`queue.append(x)` of a deque) comes back as any number
(`queue.pop()`). A rule that reads an object (`A @ x` of a sparse matrix) reads it once more in the reverse sweep, when the
function may have changed it meanwhile (`A.data[0] = 2.0`, `A.setdiag(1.0)`); what it writes to arrays is then in copies of these.
"""

from __future__ import annotations

import array
import inspect
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adxform import runtime
from adxform.analysis.unseen_code import OUTSIDE, READING, may_write
from adxform.errors import GlobalMutationError
from adxform.frontend.calls.callbacks.objects_held import reached_from
from adxform.frontend.calls.callbacks.reached import reach_of
from adxform.frontend.checks.handed_over import Handed, Rebound, owners
from adxform.frontend.checks.kept_in_objects import numbers_out_of
from adxform.frontend.checks.kept_outside import CHANGE, Moving
from adxform.frontend.signature.access import Access
from adxform.ir.ops import Call, Lit, Operand, Pack, Var
from adxform.ir.spans import Span, own_attribute, written_in
from adxform.ir.types import Array, Scalar, is_inexact
from adxform.ir.walk import variables_of
from adxform.primitives.effects import effect_of

_OUTSIDE = tuple(map(Lit, OUTSIDE))
_FINDING = (*(fn for fn in _OUTSIDE if fn != CHANGE), Lit(runtime.found_outside))
"""What gives nothing of what an object holds: of the list or dict that is found it is known which one that is."""
_SHARED = types.FunctionType | types.BuiltinFunctionType | types.ModuleType | type
"""Classes of what objects have in common that keep nothing for one another."""


@dataclass(slots=True)
class _Objects:
    """Objects outside, and the memory of arrays among what they hold."""

    names: dict[int, Any] = field(default_factory=dict)
    arrays: list[np.ndarray] = field(default_factory=list)
    libraries: set[str] = field(default_factory=set)
    """Packages written in which is what keeps something."""

    def add(self, values: Iterable[Any]) -> None:
        """Add `values`."""
        for value in values:
            if not isinstance(value, _SHARED):
                self.names[id(value)] = value
            if isinstance(value, np.ndarray):
                self.arrays.append(value)

    def met(self, values: Iterable[Any]) -> bool:
        """Whether one of `values` is one of these objects, or shares memory with one."""
        return any(id(value) in self.names or self._overlaps(value) for value in values)

    def _overlaps(self, value: Any) -> bool:
        getter = inspect.getattr_static(type(value), "data", None)
        if isinstance(value, memoryview | array.array):
            value = np.asarray(value)
        elif isinstance(value, np.flatiter):
            value = value.base
        elif isinstance(getter, types.GetSetDescriptorType) and not isinstance(value, np.ndarray):
            value = getter.__get__(value)  # of a class written in C, as a tree of neighbours is
        return isinstance(value, np.ndarray) and any(np.may_share_memory(value, one) for one in self.arrays)


def refuse_objects_changed(
    fn: Callable[..., Any],
    moving: Moving,
    handed: Iterable[Handed | Rebound],
    hidden: Sequence[tuple[Access, Var]],
    told: Iterable[Access],
    held_by: Iterable[tuple[Any, bool]],
    containers: Mapping[Var, Any],
) -> None:
    """Raise where an op of a function asks an object for what that function changes of it.

    Code that cannot be looked into may change what it was `handed`, `hidden` arrays may be written to; `held_by` are what else it
    keeps something in, and whether that may move; `containers` are lists and dicts by what stands for them. What is `hidden`, and
    the values that are `told`, are read when the function begins.

    Raises:
        GlobalMutationError: a number would come back without its derivative, or from an object that has changed.
    """
    changed, keeping = _Objects(), _Objects()
    for access, var in hidden:
        if isinstance(var.type, Array) and moving.classes.of(var) in moving.classes.written:
            found = [access.read(fn)]
            changed.add(found)
            if moving(var):
                keeping.add(found)
    _refuse_elements(fn, moving.function.span, (*(access for access, _ in hidden), *told), changed.arrays)
    changed.add(one.value for one in handed if isinstance(one, Handed))
    for owner, moves in held_by:
        changed.add([owner])
        if moves:
            keeping.add([owner])
    for op in filter(_keeps, moving.calls()):
        if not op.outs:
            changed.add(_asked(op))
        if any(map(moving, _given_to(op))):
            keeping.add(reach_of(_objects_of(op)))
            keeping.libraries.update(_library(op))
    if changed.names:
        _refuse_rules(moving, changed)
    if keeping.names or keeping.libraries:
        _refuse_numbers(moving, keeping, containers)


def _refuse_elements(fn: Callable[..., Any], span: Span, read: Iterable[Access], arrays: Sequence[np.ndarray]) -> None:
    """Raise where an element is read ahead of an array that is written to, by another object that has its memory."""
    written = _Objects(arrays=list(arrays))
    for access in read if arrays else ():
        found = [owner for owner, step in owners(fn, access) if step[0] == "item"]
        value = access.read(fn)
        if isinstance(value, np.ndarray) and value.dtype.hasobject:
            found += reached_from(value.ravel().tolist())
        if written.met(found):
            message = f"`{access}` is read, which lies in an array from outside that the function writes to"
            raise GlobalMutationError(message, span=span, help="read it of that array")


def _refuse_rules(moving: Moving, changed: _Objects) -> None:
    """Raise where a rule reads an object that is changed."""
    for op in moving.calls():
        if effect_of(op).opaque or op.fn in _OUTSIDE or _only_tells(op):
            continue
        objects = _objects_of(op)
        if objects and changed.met(reached_from(objects)):
            message = f"a {type(objects[0]).__name__} from outside the function is read, and what it holds is changed"
            raise GlobalMutationError(message, span=op.span, help="change it outside of the function, or make it here")


def _refuse_numbers(moving: Moving, keeping: _Objects, containers: Mapping[Var, Any]) -> None:
    """Raise where a number comes of what an object gives that keeps one that may move."""
    recalled: dict[Var, Call] = {}
    for op in moving.calls():
        if _only_tells(op) or op.fn in _FINDING or any(map(moving, _given_to(op))):
            continue  # what is given a number that moves is refused where what it gives matters
        objects = [*_objects_of(op), *(containers[var] for var in _given_to(op) if var in containers)]
        if keeping.met(reach_of(objects)) or keeping.libraries.intersection(_library(op)):
            recalled.update((out, op) for out in op.outs)
    for _, op in numbers_out_of(moving.function, recalled, variables_of(moving.function.body.results)):
        message = "a number is read of what keeps one that may move: it would come back without its derivative"
        raise GlobalMutationError(message, span=op.span, help="keep the number under a name of its own, and read that")


def _keeps(op: Call) -> bool:
    """Whether `op` may keep what it is given: it has nothing to give, or changes what it is given."""
    if not effect_of(op).opaque or not isinstance(op.fn, Lit) or op.fn.value in OUTSIDE:
        return False
    if op.fn.value is print:
        return any(name == "file" for name, _ in op.kwargs)
    changes = not op.outs or (not isinstance(op.fn.value, type) and may_write(op.fn.value))
    return changes and written_in(op.fn.value).partition(".")[0] != "logging"


def _library(op: Call) -> Iterator[str]:
    """The package of what `op` calls, where it may keep things for itself."""
    if isinstance(op.fn, Lit) and effect_of(op).opaque and op.fn.value not in OUTSIDE:
        package = written_in(op.fn.value).partition(".")[0]
        if package and package not in READING:
            yield package


def _objects_of(op: Call) -> list[Any]:
    """The objects from outside that `op` is given, and the one that it calls a method of."""
    given = [one for operand in (*op.args, *(value for _, value in op.kwargs)) for one in _literals(operand)]
    called = [op.fn.value] if isinstance(op.fn, Lit) and effect_of(op).opaque else []
    return [one for one in (*given, *_asked(op), *called) if not _is_plain(one)]


def _asked(op: Call) -> list[Any]:
    """The object that `op` calls a method of."""
    match op:
        case Call(fn=Lit(types.FunctionType() as fn), args=(Lit(owner), *_)):
            found = any(method is fn for cls in type(owner).__mro__ for method in vars(cls).values())
            return [owner] if found else []
        case Call(fn=Lit(fn)):
            return [own] if (own := own_attribute(fn, "__self__")) is not None else []
        case _:
            return []


def _literals(operand: Operand) -> Iterator[Any]:
    match operand:
        case Lit(value):
            yield value
        case Pack(items=items):
            for item in items:
                yield from _literals(item)
        case _:
            pass


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | bytes | int | float | complex | None | np.dtype | types.ModuleType | type(...))


def _given_to(op: Call) -> tuple[Var, ...]:
    """The variables that `op` is given."""
    return variables_of((*op.args, *(value for _, value in op.kwargs)))


def _only_tells(op: Call) -> bool:
    """Whether `op` gives truth values and whole numbers alone, or nothing."""
    return all(isinstance(out.type, Scalar) and not is_inexact(out.type) for out in op.outs)

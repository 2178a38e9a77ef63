"""Arrays outside of the function that it writes to, left as a plain call leaves them.

A derivative writes to copies of such arrays: its reverse sweep undoes the stores. So what they hold is brought back where the
primal ends, where it raises, and before it calls what may look there. An array that the program keeps in a place outside and
writes to afterwards is kept as a copy, and brought there in the same way.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import CellType, MemberDescriptorType, ModuleType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.errors import GlobalMutationError
from adxform.frontend.evaluate.outside import places
from adxform.frontend.evaluate.outside.guards import guard
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, PlaceOutside
from adxform.frontend.signature.access import Access, Is
from adxform.ir.ops import Block, Call, Function, Invoke, Lit, Op, Operand, Raise, Var
from adxform.ir.spans import Span, own_dict
from adxform.ir.types import Array
from adxform.ir.walk import all_ops, map_op, variables
from adxform.primitives.alias import Aliases, alias_classes
from adxform.primitives.effects import is_opaque

SET = Lit(runtime.set_outside)
Held = tuple[Any, str]


def left_as_written(interp: Interpreter, function: Function, fn: Any) -> Function:
    """`function`, a specialisation of `fn`, which brings what it wrote back to arrays outside where it can.

    Raises:
        GlobalMutationError: only a run can tell which array is kept in a place outside when it is written to.
    """
    arrays = [(access, var) for access, var in interp.outer.hidden.items() if isinstance(var.type, Array)]
    sets = [op for op in all_ops(function.body) if isinstance(op, Call) and op.fn == SET]
    if not arrays and not any(_arrays_in(op) for op in sets):
        return function
    classes = alias_classes(function)
    found = [(holder(interp, fn, access), var) for access, var in arrays if classes.of(var) in classes.written]
    written = [(held, var) for held, var in found if held is not None]
    kept = [op for op in sets if any(classes.of(var) in classes.written for var in _arrays_in(op))]
    _refuse_other_holders(interp, function, classes, kept)
    _refuse_replaced(interp, sets, [held for held, _ in written])
    set_to = dict.fromkeys(_place_of(interp, op) for op in kept)
    ends = [((place.owner, place.name), _held_in(interp, place, kept)) for place in set_to]
    return _Bringing(interp, classes, written, ends).function(function) if written or kept else function


def _refuse_replaced(interp: Interpreter, sets: list[Call], written: list[Held]) -> None:
    """Raise where one of the `sets` replaces an array that is written to where it is."""
    replaced = {(id(place.owner), place.name): op for op in sets for place in (_place_of(interp, op),)}
    for owner, name in written:
        if (op := replaced.get((id(owner), name))) is not None:
            message = f"the array in the attribute `{name}` from outside the function is written to, and replaced by another one"
            raise interp.error(message, "write to it alone, `a[...] = …`, or keep a new one", GlobalMutationError, span=op.span)


def _refuse_other_holders(interp: Interpreter, function: Function, classes: Aliases, kept: list[Call]) -> None:
    """Raise where what is kept and written to is an array of the caller's, or is kept twice: copies would be several arrays."""
    callers = {classes.of(param) for param in function.params if isinstance(param.type, Array)}
    ends: dict[Any, PlaceOutside] = {}
    for op in kept:
        place = _place_of(interp, op)
        other = ends.setdefault(places.held(interp, place), place)
        if other is not place or any(classes.of(var) in callers for var in _arrays_in(op)):
            message = "an array that is written to is kept outside the function under two names, or is the caller's as well"
            raise interp.error(message, "keep a copy: `.copy()`", GlobalMutationError, span=op.span)


def brought_back(function: Function) -> frozenset[Var]:
    """The arrays of which `function` brings back what it wrote."""
    calls = (op for op in all_ops(function.body) if isinstance(op, Call) and op.fn == Lit(runtime.fill_outside))
    return frozenset(var for op in calls for var in variables(op.args[2]))


def _arrays_in(op: Call) -> list[Var]:
    return [var for var in variables(op.args[2]) if isinstance(var.type, Array)]


def _place_of(interp: Interpreter, op: Call) -> PlaceOutside:
    owner, name = op.args[0], op.args[1]
    assert isinstance(owner, Lit)
    assert isinstance(name, Lit)
    return interp.knowledge.places[PlaceOutside(owner.value, Access(), name.value).key]


def _held_in(interp: Interpreter, place: PlaceOutside, kept: list[Call]) -> Var:
    """The array that `place` holds when the function ends."""
    held = places.held(interp, place)
    if isinstance(held, Var) and isinstance(held.type, Array):
        return held
    op = next(op for op in kept if _place_of(interp, op) is place)
    message = f"an array that is kept in the attribute `{place.name}` from outside the function is written to as well"
    raise interp.error(message, "keep a copy: `.copy()`", GlobalMutationError, span=op.span)


def holder(interp: Interpreter, fn: Any, access: Access) -> tuple[Any, str] | None:
    """The object, found by each call as now, and its attribute that leads to what is at `access`; ``None`` without one."""
    kind, key = access.steps[-1]
    path = Access(access.steps[:-1], access.root)
    owner = path.read(fn)
    match kind:
        case "global":
            module = places.module_of(interp, owner, path)
            return module.value, key
        case "cell":
            place = owner.__code__.co_freevars.index(key)
            guard(interp, path.to("attribute", "__closure__").to("item", place), Is(owner.__closure__[place]))
            return owner.__closure__[place], "cell_contents"
        case "attribute" if _is_plain(owner, key):
            guard(interp, path, Is(owner))
            return owner, key
        case _:
            return None


def _is_plain(owner: Any, name: str) -> bool:
    """Whether `owner` holds the attribute `name` itself."""
    held = isinstance(inspect.getattr_static(type(owner), name, None), MemberDescriptorType)
    return held or isinstance(owner, ModuleType | CellType) or name in own_dict(owner)


def _told(fn: Callable[..., None], held: Held, value: Operand, span: Span) -> Call:
    return Call((), Lit(fn), (Lit(held[0]), Lit(held[1]), value), (), span)


@dataclass(frozen=True, slots=True)
class _Bringing:
    """Writes the calls that bring back what `written` arrays hold where somebody may look, and at the end what `ends` hold, too.

    Until then the run knows what is written to, should something raise.
    """

    interp: Interpreter
    classes: Aliases
    written: list[tuple[Held, Var]]
    ends: list[tuple[Held, Var]]

    def function(self, function: Function) -> Function:
        """`function` with them."""
        body, span = self.block(function.body), function.span
        first = [_told(runtime.written_outside, *one, span) for one in self.written]
        last = [_told(runtime.fill_outside, *one, span) for one in (*self.written, *self.ends)]
        last += [_told(runtime.written_outside, held, NONE, span) for held, _ in (*self.written, *self.ends)]
        return replace(function, body=replace(body, ops=(*first, *body.ops, *last)))

    def block(self, block: Block) -> Block:
        """`block` with them."""
        return replace(block, ops=tuple(new for op in block.ops for new in self.op(op)))

    def op(self, op: Op) -> Iterator[Op]:
        """What becomes of `op`."""
        if isinstance(op, Call) and op.fn == SET and any(self.classes.of(var) in self.classes.written for var in _arrays_in(op)):
            yield from self._kept(op)
            return
        looks = isinstance(op, Raise | Invoke) or (isinstance(op, Call) and is_opaque(op) and op.fn != SET)
        if looks:
            yield from (_told(runtime.fill_outside, *one, op.span) for one in self.written)
        yield op if isinstance(op, Call) else map_op(op, _itself, self.block)

    def _kept(self, op: Call) -> Iterator[Op]:
        """A place outside is set to a copy of an array that is written to."""
        value = op.args[2]
        if not isinstance(value, Var):
            message = "an array that is kept outside the function in a tuple is written to as well"
            raise self.interp.error(message, "keep a copy: `.copy()`", GlobalMutationError, span=op.span)
        copy = Var(self.interp.names.fresh(value.base), value.type)
        yield Call((copy,), Lit(np.copy), (value,), (), op.span)
        yield replace(op, args=(*op.args[:2], copy))
        yield replace(op, fn=Lit(runtime.written_outside))


def _itself(operand: Operand) -> Operand:
    return operand

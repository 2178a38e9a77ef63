"""``max`` and ``min``: by the rule table where that knows their numbers, else by functions that say what they mean."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from adxform import runtime
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.control_flow import iteration
from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.control_flow.branches import truth
from adxform.frontend.evaluate.control_flow.joined_types import number_type
from adxform.frontend.evaluate.control_flow.meanwhile import changing_nothing
from adxform.frontend.evaluate.set_orders import without_order
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Enumerate, Ref, Static, Tuple, Value, Zip, is_unknown
from adxform.frontend.known.items.iterables import of_python, rows, walking
from adxform.frontend.known.items.sorting import refuse_rows
from adxform.frontend.signature import python_class
from adxform.ir.kinds import alternatives
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Scalar, is_inexact
from adxform.primitives.definitions.of_python import iterations

_AT_ONCE = 4
"""Of how many numbers the rules of ``max`` and ``min`` know the derivative."""


@dataclass(frozen=True, slots=True)
class _Extreme:
    """``max`` or ``min``, and the functions that say what it is of items of each kind."""

    fn: Callable[..., Any]
    by_order: Callable[..., Any]
    """Of a first item and others: those that Python puts in order one by one, and all that have a key."""
    of_known: Callable[..., Any]
    place: Callable[..., int]
    """Where it stands in an array: one of NaN, and of equal numbers, is the one that Python finds."""

    def __call__(self, interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        """``max(*args, **kwargs)``"""
        if (said := self._misfit(args, kwargs)) is not None:
            return interp.fail(TypeError, said)
        source = Tuple(args) if len(args) > 1 else args[0]
        if len(args) == 1 and kwargs.get("key", NONE) == NONE:
            source = without_order(interp, source)
        if isinstance(source, Var) and source.type == Array(getattr(source.type, "dtype", ""), ()):
            return interp.fail(TypeError, "iteration over a 0-d array")
        unknown, key = is_unknown(source), kwargs.get("key")
        if unknown and key is None:
            return None
        known = iteration.known_items(interp, source)
        if "default" in kwargs:
            return _or_default(interp, self.fn, source, known, kwargs, hint)
        if known == []:
            return interp.fail(ValueError, self._nothing)
        if _goes_by_order(interp, source, known) or (key is not None and not unknown):
            with nullcontext() if key is None or known is not None else changing_nothing(interp, self.fn.__name__):
                return self._in_order(interp, source, known, Static(iterations.itself) if key is None else key, hint)
        return self._of_numbers(interp, source, known, hint, several=len(args) > 1)

    def _of_numbers(self, interp: Interpreter, source: Value, known: list[Value] | None, hint: str, *, several: bool) -> Answer:
        """The extreme number of `source`, where the `known` ones are `several` arguments or its items."""
        if known is not None and _are_unlike(known):
            return interp.call(Static(self.of_known), (known[0], Tuple(tuple(known[1:]))), hint=hint)
        if known is not None and len(known) > _AT_ONCE:
            first = interp.call(Lit(self.fn), known[:_AT_ONCE], hint=hint)
            return interp.call(Lit(self.fn), (first, *known[_AT_ONCE:]), hint=hint)
        if several:
            return None
        if isinstance(source, Var):
            return self._of_variable(interp, source, hint)
        if known is None:
            return self._of_long_list(interp, source, hint)
        items = interp.items(source)
        return items[0] if len(items) == 1 else interp.call(Lit(self.fn), items, hint=hint)

    def _misfit(self, args: Args, kwargs: Kwargs) -> str | None:
        """What Python says of a call that does not fit."""
        name = self.fn.__name__
        if not args:
            return f"{name} expected at least 1 argument, got 0"
        if len(args) > 1 and "default" in kwargs:
            return f"Cannot specify a default for {name}() with multiple positional arguments"
        other = next((key for key in kwargs if key not in ("key", "default")), None)
        return None if other is None else f"{name}() got an unexpected keyword argument '{other}'"

    @property
    def _nothing(self) -> str:
        return f"{self.fn.__name__}() arg is an empty sequence"

    def _in_order(self, interp: Interpreter, source: Value, known: list[Value] | None, key: Value, hint: str) -> Value:
        """The extreme item of `source` by `key`, one item after the other."""
        if not known:
            some = truth(interp, interp.call(Lit(operator.gt), (iteration.length(interp, source), Lit(0))))
            if isinstance(some, Var):
                interp.require(some, ValueError, self._nothing)
        first = known[0] if known else iteration.item_at(interp, source, Lit(0))
        rest = Tuple(tuple(known[1:])) if known else source
        return interp.call(Static(self.by_order), (rest, first, key), hint=hint)

    def _of_variable(self, interp: Interpreter, source: Var, hint: str) -> Answer:
        """The extreme element of an array."""
        match source.type:
            case Array(_, shape) if shape is None or len(shape) > 1:
                raise interp.error(f"`{self.fn.__name__}` of an array of rows", f"use `np.{self.fn.__name__}`")
            case Array():
                return self._at_its_place(interp, source, hint)
            case Scalar() as number if not number.kinds:
                name = python_class(number.dtype, number.weak).__name__
                return interp.fail(TypeError, f"'{name}' object is not iterable")
            case _:
                return None

    def _at_its_place(self, interp: Interpreter, numbers: Value, hint: str) -> Value:
        place = interp.call(Lit(self.place), (numbers,), hint="place")
        return interp.call(Lit(operator.getitem), (numbers, place), hint=hint)

    def _of_long_list(self, interp: Interpreter, source: Value, hint: str) -> Value:
        """The extreme number of a list whose length only a run can tell: Python's own, where its items are."""
        numbers = rows(interp, source)
        refuse_rows(interp, numbers)
        most = self._at_its_place(interp, numbers, hint)
        if of_python(interp, source) and isinstance(most, Var) and isinstance(most.type, Scalar):
            return interp.call(Lit(python_class(most.type.dtype, True)), (most,), hint=hint)
        return most


def _goes_by_order(interp: Interpreter, source: Value, known: list[Value] | None) -> bool:
    """Whether the items of `source` are compared one by one, as sequences and objects are, and not by the rule for numbers."""
    held = any(isinstance(item, Tuple | Ref) or protocols.is_object(item) for item in known or ())
    return held or interp.columns(source) is not None or isinstance(source, Zip | Enumerate)


def _are_unlike(items: Iterable[Value]) -> bool:
    """Whether there are arrays, or floats of several precisions: their derivatives, added up, would have that of one of them."""
    types = [*map(number_type, items)]
    floats = {kind.dtype for type_ in types if isinstance(type_, Scalar) for kind in alternatives(type_) if is_inexact(kind)}
    return len(floats) > 1 or any(isinstance(type_, Array) for type_ in types)


def _or_default(interp: Interpreter, fn: Any, source: Value, known: list[Value] | None, kwargs: Kwargs, hint: str) -> Answer:
    """``max(source, default=…)``"""
    rest = {key: value for key, value in kwargs.items() if key != "default"}
    if known is not None:
        return interp.call(Lit(fn), (source,), rest, hint) if known else kwargs["default"]
    count = truth(interp, interp.call(Lit(operator.gt), (iteration.length(interp, source), Lit(0))))
    if isinstance(count, bool):
        return interp.call(Lit(fn), (source,), rest, hint) if count else kwargs["default"]
    (found,) = branch(
        interp, count, lambda: [interp.call(Lit(fn), (source,), rest, hint)], lambda: [kwargs["default"]], [hint], interp.span
    )
    return found


def _of_one_or_several(extreme: _Extreme) -> Handler:
    """The handler of ``max`` or ``min``: of one argument the items are gone through, several are items themselves."""
    of_one = walking(extreme, calls="key")
    return lambda interp, args, kwargs, hint: (of_one if len(args) == 1 else extreme)(interp, args, kwargs, hint)


TABLE: dict[Any, Handler] = {
    max: _of_one_or_several(_Extreme(max, iterations.largest, iterations.largest_known, runtime.first_largest)),
    min: _of_one_or_several(_Extreme(min, iterations.smallest, iterations.smallest_known, runtime.first_smallest)),
}

"""What is known of a function that is called, and its arguments as that wants them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform.frontend.calls.bound_forms import (
    normal_form,
    of_python,
    refuse_iterators,
    with_flat_arrays,
    with_plain_axes,
    with_ranges_filled,
)
from adxform.frontend.containers.methods import Handler, Known
from adxform.frontend.evaluate.classes import own_containers
from adxform.frontend.evaluate.operands import are_static
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Value
from adxform.frontend.known import KNOWN
from adxform.frontend.lowering.operator_functions import BINARY, COMPARE
from adxform.primitives import definitions
from adxform.primitives.declare import name_of
from adxform.primitives.record import Primitive
from adxform.primitives.signatures import stated, taken
from adxform.primitives.table import definition, lookup

Arguments = tuple[tuple[Value, ...], dict[str, Value]]
_OPERATORS = frozenset({*BINARY.values(), *COMPARE.values()} - {operator.is_, operator.is_not})


@dataclass(frozen=True, slots=True)
class KnownFunction:
    """A function: its record, what it means in terms of others, and what the front end itself does for it."""

    fn: Any
    record: Primitive | None
    meaning: Callable[..., Any] | None
    handler: Handler | None

    @classmethod
    def of(cls, interp: Interpreter, fn: Any, kwargs: dict[str, Value]) -> KnownFunction:
        """What is known of `fn`, called with the keywords `kwargs`: with some it means what its record does not state."""
        if kwargs and (form := definitions.form(fn, kwargs, lambda name: are_static(interp, (kwargs[name],)))) is not None:
            return cls(fn, *form, None)
        return cls(fn, lookup(fn), definition(fn), _handler_of(fn))

    @property
    def numerical(self) -> bool:
        """Whether it has a rule, or a meaning in terms of others."""
        return self.record is not None or self.meaning is not None

    @property
    def ruled(self) -> bool:
        """Whether its derivative is that of its record, whatever it means."""
        return self.record is not None and (self.meaning is None or self.record.derivative is not None)

    @property
    def chooses(self) -> bool:
        """Whether it is an elementwise function, which with ``where=`` computes some elements alone."""
        return self.numerical and isinstance(self.fn, np.ufunc)

    def bound(self, interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Arguments:
        """The arguments of a call, bound to its signature; a call that does not fit raises as it does."""
        args, kwargs = self._bare(interp, args, kwargs)
        try:
            if self.numerical:
                states = (
                    stated(self.record) if self.record is not None and self.ruled else taken(self.fn, self.meaning or self.fn)
                )
                args, kwargs = with_plain_axes(interp, self.fn, *normal_form(self.fn, args, kwargs, states))
                refuse_iterators(interp, self.fn, (*args, *kwargs.values()))
            elif self.handler is not None:
                args, kwargs = of_python(self.fn, args, kwargs)
        except TypeError as error:
            interp.fail(TypeError, f"{name_of(self.fn)}() {error}")
        if self.chooses and len(args) > self.fn.nin:
            message = (
                f"`{name_of(self.fn)}` is given arrays for its results one by one"  # that of a single result has become `out=`
            )
            raise interp.error(message, "store the results: `x[...], y[...] = f(a)`")
        return args, kwargs

    def _bare(self, interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Arguments:
        """The arguments with what they stand for in their places: objects of containers' classes, ranges, and flat entries."""
        of_items = self.meaning is None or self.fn not in definitions.OF_SEQUENCES
        if (self.numerical and of_items) or (self.handler is not None and self.fn in _OPERATORS):
            asked = args[:1] if self.fn is operator.setitem else args
            args = (*(own_containers.bare(interp, arg) for arg in asked), *args[len(asked) :])
        return with_ranges_filled(interp, self.fn, *with_flat_arrays(interp, self.fn, args, kwargs))


def _handler_of(fn: Any) -> Handler | None:
    """What the front end itself does for a call of `fn`, if it runs that."""
    if isinstance(fn, Known):
        return fn.handler
    try:
        return KNOWN.get(fn)
    except Exception:  # of whatever class it is, it may not be hashed
        return None

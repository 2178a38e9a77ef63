"""What the patterns of ``match`` ask of a subject."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.classes.class_contents import find, is_generated, is_native
from adxform.frontend.evaluate.classes.own_containers import refuse_pattern
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Static, Tuple
from adxform.ir import intrinsics
from adxform.ir.ops import Lit


def _is_value(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """Whether the subject equals a value: containers and objects whose class does not say otherwise equal no number or text."""
    subject, value = args
    plain = isinstance(value, Lit) and isinstance(value.value, int | float | complex | str | bytes)
    if plain and (isinstance(subject, Tuple) or (isinstance(subject, Ref) and _compares_as_object(subject.cls))):
        return Lit(False)
    return interp.call(Lit(operator.eq), args, hint=hint)


def _compares_as_object(cls: type) -> bool:
    found = find(cls, "__eq__")
    return (is_generated(found) or is_native(found)) and not issubclass(cls, int | float | complex | str | bytes)


def _is_sequence(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    refuse_pattern(interp, args[0])
    texts = Tuple(tuple(map(Static, (str, bytes, bytearray))))
    found = interp.call(Lit(isinstance), (*args, Static(Sequence)))
    is_text = interp.call(Lit(isinstance), (*args, texts)) if found != Lit(False) else Lit(False)
    if isinstance(is_text, Lit):
        return Lit(False) if found == Lit(False) or is_text == Lit(True) else found
    other = interp.call(Lit(operator.not_), (is_text,), hint=hint)
    return other if isinstance(found, Lit) else interp.call(Lit(operator.and_), (found, other), hint=hint)


def _is_mapping(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    refuse_pattern(interp, args[0])
    return interp.call(Lit(isinstance), (*args, Static(Mapping)))


def _has_part(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    name = _name(interp, args)
    return Lit(True) if name is None else interp.call(Lit(hasattr), (args[0], Lit(name)))


def _part_of(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    name = _name(interp, args)
    return args[0] if name is None else interp.attribute(args[0], name, hint)


def _name(interp: Interpreter, args: Args) -> str | None:
    _, cls, which = args
    found, place = interp.static(cls, "a class"), interp.static(which, "a place")
    if isinstance(place, int) and hasattr(found, "__match_args__"):
        interp.static(interp.attribute(cls, "__match_args__"), "`__match_args__`")  # each call must find the same
    try:
        return intrinsics.part_name(found, place)
    except TypeError as error:
        interp.fail(TypeError, str(error))
        raise


TABLE: dict[Any, Handler] = {
    intrinsics.is_value: _is_value,
    intrinsics.is_sequence: _is_sequence,
    intrinsics.is_mapping: _is_mapping,
    intrinsics.has_part: _has_part,
    intrinsics.part_of: _part_of,
}

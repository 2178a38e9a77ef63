"""Texts of objects that the function makes: what their own ``__str__``, ``__repr__`` and ``__format__`` say.

What is printed, or written to a log, is such a text: the object itself is given to nobody.
"""

from __future__ import annotations

import logging
import re
import types
from typing import Any

from adxform import runtime
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.classes import own_containers, protocols
from adxform.frontend.evaluate.classes.class_contents import find, is_generated
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Tuple, Value
from adxform.ir.ops import Lit, Var
from adxform.ir.spans import is_user
from adxform.ir.types import Object

_METHODS = {str: ("__str__", "__repr__"), repr: ("__repr__",)}
"""The methods that Python asks for a text, the first one that a class defines."""


def _own_text(interp: Interpreter, value: Value, kind: Any) -> Value | None:
    """What a method of the program says that the text of `value` is; ``None`` where no such method is asked."""
    if not isinstance(value, Ref | Tuple) or not protocols.is_object(value):
        return None
    cls = value.cls
    for name in _METHODS[kind]:
        found = find(cls, name)
        if isinstance(found, types.FunctionType) and is_user(found) and not is_generated(found):
            method = protocols.special(interp, value, name)
            text = None if method is None else interp.call(method, (), hint="text")
            if isinstance(text, Lit) and not isinstance(text.value, str):
                interp.fail(TypeError, f"{name} returned non-string (type {type(text.value).__name__})")
            return text
        if not (isinstance(found, types.WrapperDescriptorType) and found.__objclass__ is object):
            return None
    return None


def _text(kind: Any) -> Handler:
    """``str(value)`` or ``repr(value)``"""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        if len(args) != 1 or kwargs:
            return None
        shown = own_containers.shown(interp, args[0])
        return _own_text(interp, shown, kind) if shown is args[0] else interp.call(Lit(kind), (shown,), hint=hint)

    return handler


def _format(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``format(value, spec)``, as a formatted text asks it."""
    value, spec = (*args, Lit(""))[:2]
    if (shown := own_containers.shown(interp, value)) is not value:
        return interp.call(Lit(format), (shown, spec), hint=hint)
    if not isinstance(value, Ref | Tuple) or not protocols.is_object(value):
        return None
    found = find(value.cls, "__format__")
    if isinstance(found, types.FunctionType) and is_user(found):
        method = protocols.special(interp, value, "__format__")
        return None if method is None else interp.call(method, (spec,), hint="text")
    return _own_text(interp, value, str) if found is object.__format__ and spec == Lit("") else None


def _print(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    shown = tuple(own_containers.shown(interp, arg) for arg in args)
    if shown != args:
        return interp.call(Lit(print), shown, kwargs, hint, False)
    texts = [_own_text(interp, arg, str) for arg in args]
    if not any(texts):
        return None
    given = tuple(arg if text is None else text for arg, text in zip(args, texts, strict=True))
    return interp.call(Lit(print), given, kwargs, hint, False)


_CONVERSION = re.compile(r"%[#0\- +]*\d*(?:\.\d+)?([a-zA-Z%])")


def _logged(fn: Any, first: int) -> Handler:
    """A method of a logger, or a function of `logging`, of which the argument `first` is the message: ``log.info("%s", obj)``."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        message = args[first] if len(args) > first else None
        if not isinstance(message, Lit) or not isinstance(message.value, str):
            return None
        kinds = [found for found in _CONVERSION.findall(message.value) if found != "%"]
        given = list(args)
        for k, (kind, arg) in enumerate(zip(kinds, args[first + 1 :], strict=False), first + 1):
            arg = own_containers.shown(interp, arg)
            given[k] = arg
            text = _own_text(interp, arg, {"s": str, "r": repr}[kind]) if kind in "sr" else None
            if text is not None:
                given[k] = text if kind == "s" else _as_it_is(interp, text)
        return None if given == list(args) else interp.call(Lit(fn), tuple(given), kwargs, hint, False)

    return handler


def _as_it_is(interp: Interpreter, text: Value) -> Var:
    """A `text` that a conversion by ``%r`` leaves as it is."""
    return interp.emit(runtime.TextAsItIs, (interp.operand(text),), Object(), "text")


_LEVELS = ("debug", "info", "warning", "error", "exception", "critical")

TABLE: dict[Any, Handler] = {
    str: _text(str),
    repr: _text(repr),
    format: _format,
    print: _print,
    **{fn: _logged(fn, 0) for fn in (getattr(logging, level) for level in _LEVELS)},
    **{fn: _logged(fn, 1) for fn in (getattr(logging.Logger, level) for level in _LEVELS)},
    logging.log: _logged(logging.log, 1),
    logging.Logger.log: _logged(logging.Logger.log, 2),
}

"""Functions of the program: from outside, or made by one of its own, run in place or as functions of their own."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

from adxform.errors import MissingRuleError, SourceUnavailableError, UnsupportedSyntaxError
from adxform.frontend.calls.bound_forms import is_moving
from adxform.frontend.calls.opaque import opaque
from adxform.frontend.calls.parameters import bind
from adxform.frontend.evaluate.levels import Frame
from adxform.frontend.evaluate.outside.guards import from_outside, guard
from adxform.frontend.evaluate.recursion import call_helper, depth_of, general_key, key_of
from adxform.frontend.evaluate.signals import Recursive
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import FunctionValue, Namespace, Ref, Value
from adxform.frontend.lowering.late_binding import OUTLIVES
from adxform.frontend.lowering.lower import lower
from adxform.frontend.signature.access import Raises, path_to
from adxform.ir.ops import Function

Kwargs = dict[str, Value]
DEPTH = 20
"""How many calls of one function may be inlined within one another before it becomes a function of its own."""


TOO_DEEP = "a function calls itself too deeply to be followed"


OUT_OF_DEPTH = "give the recursion arguments of one shape and an end that does not depend on growing structures"


DEEPEST = 100
"""How many calls may be inlined within one another: arguments that grow make each call one of another kind, without an end."""


MOST_WRITTEN_OUT = 200
"""How many calls are, of a function that calls itself for numbers that are known: two in each call are thousands soon."""

MOST_MADE = 32
"""How often a function may call itself for lists or objects that were made since it was called first, in branches that the run
takes: a number that doubles each time has its 31 bits by then."""


def call_function(
    interp: Interpreter,
    fn: types.FunctionType,
    access: Any,
    args: tuple[Value, ...],
    kwargs: Kwargs,
    hint: str,
    wanted: bool,
    lowering: Callable[[Any], Function] = lower,
) -> Value:
    """The result of a function from outside, whose code can be read, as `lowering` reads it."""
    try:
        lowered = lowering(fn)
    except SourceUnavailableError:
        if access is None or any(map(is_moving, (*args, *kwargs.values()))) or not interp.frames:
            raise
        return opaque(interp, fn, args, kwargs, hint, wanted)

    def default(name: str) -> Value | None:
        named = fn.__kwdefaults__ or {}
        positional = fn.__defaults__ or ()
        code = fn.__code__
        names = code.co_varnames[code.co_argcount - len(positional) : code.co_argcount]
        values = {**dict(zip(names, positional, strict=True)), **named}
        if name not in values:
            guard(interp, path_to(access, ("default", name)), Raises(LookupError, name))
            return None
        return from_outside(interp, values[name], path_to(access, ("default", name)))

    if (fn.__module__ or "").startswith("adxform."):
        _check_covered(interp, fn, args, kwargs)
    bound = bind(interp, fn.__name__, lowered, args, kwargs, default)
    return run_function(interp, lowered, bound, {}, Namespace(fn, access))


def _check_covered(interp: Interpreter, fn: types.FunctionType, args: tuple[Value, ...], kwargs: Kwargs) -> None:
    """Refuse a parameter that the method of SciPy's has and adxform's of that name, `fn`, does without."""
    code = fn.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    more = next(
        (f"`{key}`" for key in kwargs if key not in names), "so many parameters" if len(args) > code.co_argcount else None
    )
    if more is not None and not code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        message = f"of what this function of SciPy's returns, no derivative is followed through `{fn.__name__}` with {more}"
        raise interp.error(message, "docs/scipy.md says which attributes are followed", MissingRuleError)


def call_closure(interp: Interpreter, fn: FunctionValue, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    """The result of a function that one of the program's made."""
    if fn.turn is not None and fn.turn not in interp.loops.turns:
        raise interp.error(*OUTLIVES, UnsupportedSyntaxError)
    captured = dict(fn.captures)
    if fn.itself is not None:
        captured[fn.itself] = fn
    defaults = dict(fn.defaults)
    bound = bind(interp, fn.fn.name, fn.fn, args, kwargs, defaults.get)
    return run_function(interp, fn.fn, bound, captured, fn.scope)


def run_function(
    interp: Interpreter, fn: Function, bound: tuple[Value, ...], captured: dict[str, Value], scope: Namespace | None
) -> Value:
    """Run the body of `fn` in place, or as a function of its own where it calls itself."""
    exact = key_of(interp, fn, bound, captured, scope)
    general = general_key(exact)
    recursive = interp.knowledge.recursive
    kept, interp.kept = interp.kept, False
    for key in (exact, general):
        if key in recursive:
            return call_helper(interp, key, fn, bound, captured, scope, numbers=key is general)
    if kept:
        if depth_of(interp, general) >= DEPTH:
            raise Recursive(general)
        return call_helper(interp, exact, fn, bound, captured, scope, kept=True)
    if any(frame.key == exact for frame in interp.frames):
        raise Recursive(exact)
    depth = sum(general_key(frame.key) == general for frame in interp.frames)
    if depth >= (DEEPEST if interp.caching else DEPTH):
        raise Recursive(general)
    if depth > 0:
        interp.written_out[general] += 1
        if interp.written_out[general] > MOST_WRITTEN_OUT and not interp.knowledge.writes_calls:
            interp.knowledge.counted.add(general)
            raise Recursive(general)
    return run_frame(interp, Frame(fn, captured, scope, exact), bound)


def _refuse_growth(interp: Interpreter, frame: Frame, bound: tuple[Value, ...]) -> None:
    """Refuse a function that goes on calling itself for objects or lists of its own making, where only the run knows how long.

    So a tree that the run builds: where each call is written out, and any of them may make more objects, there is no end.
    """
    fn = frame.fn
    if not any(other.fn is fn for other in interp.frames):
        interp.grown.pop(id(fn), None)
    elif not interp.unconditional:
        before, count = interp.grown.get(id(fn)) or (interp.heap.copy(), 0)
        count += any(isinstance(value, Ref) and value not in before.contents for value in bound)
        interp.grown[id(fn)] = before, count
        if count > MOST_MADE:
            message = f"`{fn.name}` calls itself for what it makes meanwhile, and only the run knows how often"
            raise interp.error(message, "keep them in lists, and in place of each link its place there", UnsupportedSyntaxError)


def run_frame(interp: Interpreter, frame: Frame, bound: tuple[Value, ...]) -> Value:
    """Run the body of a frame's function on the values of its parameters."""
    if len(interp.frames) >= DEEPEST:
        raise interp.error(TOO_DEEP, OUT_OF_DEPTH)
    _refuse_growth(interp, frame, bound)
    span = interp.span
    interp.frames.append(frame)
    try:
        for param, value in zip(frame.fn.params, bound, strict=True):
            interp.name(param.base, value)
        (result,) = interp.run_block(frame.fn.body, dict(zip(frame.fn.params, bound, strict=True)))
    finally:
        interp.frames.pop()
    interp.span = span
    return result

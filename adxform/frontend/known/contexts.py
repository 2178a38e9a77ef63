"""Context managers: entered and left by what their classes say, or by the run.

An object that the function makes is followed, so that its ``__enter__`` may give what is differentiated. What its ``__exit__``
does when an exception passes is seen by nobody then, as the object is gone with the call: unless it does more than change
what the function made, or may swallow the exception. Such an object, and whatever comes from outside, is entered by the run.
"""

from __future__ import annotations

import contextlib
import types
from typing import Any

from adxform import runtime
from adxform.errors import AdxError
from adxform.frontend.calls.opaque import opaque
from adxform.frontend.calls.unseen import hand_over
from adxform.frontend.containers.methods import Answer, Handler
from adxform.frontend.evaluate import protocols
from adxform.frontend.evaluate.class_contents import MISSING, find
from adxform.frontend.evaluate.control_flow.branches import truth
from adxform.frontend.evaluate.operands import given_to_unknown
from adxform.frontend.evaluate.signals import Lost, Unreachable
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.survey import one_way
from adxform.frontend.evaluate.values import NONE, Poison, Ref, Static, Tuple, Value
from adxform.ir import intrinsics
from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.types import Object
from adxform.ir.walk import all_ops, variables
from adxform.primitives.effects import is_opaque
from adxform.runtime.contexts import special

Args = tuple[Value, ...]
Kwargs = dict[str, Value]


def _nullcontext(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return interp.heap.new("instance", contextlib.nullcontext, ("enter_result",), (*args, *kwargs.values(), NONE)[:1])


def _suppress(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    raise interp.error("`contextlib.suppress` swallows exceptions", "test for what raises before it does")


def _enter(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """What the manager gives for ``as``."""
    (manager,) = args
    match manager:
        case Ref(kind="instance", cls=contextlib.nullcontext):
            return interp.contents(manager).get("enter_result")
        case Ref(kind="instance") if _has_both(interp, manager, manager.cls):
            if _leaves_alone(interp, manager):
                enter = protocols.special(interp, manager, "__enter__")
                assert enter is not None
                return interp.call(enter, (), hint=hint)
            return _entered(interp, _handed(interp, manager), hint)
        case Static(found) if _has_both(interp, manager, type(found)):
            for method in (special(found, "__enter__"), special(found, "__exit__")):
                if isinstance(method, types.MethodType):  # one written in C changes nothing of the program's
                    hand_over(interp, method, (), {}, wanted=True)
            return _entered(interp, manager, hint)
        case Var(_, Object()):
            return _entered(interp, manager, hint)
        case _:
            raise interp.error("this value is entered by `with`, and is no context manager", "use the value itself")


def _has_both(interp: Interpreter, manager: Value, cls: type) -> bool:
    for name in ("__enter__", "__exit__"):
        if find(cls, name) is MISSING:
            interp.fail(TypeError, f"'{cls.__name__}' object does not support the context manager protocol")
    return True


def _entered(interp: Interpreter, manager: Value, hint: str) -> Value:
    return opaque(interp, runtime.entered, (manager,), {}, hint, True)


def _leaves_alone(interp: Interpreter, manager: Ref) -> bool:
    """Whether ``__exit__`` lets an exception pass, and does nothing then but to change what the function made."""
    builder, heap, span, frames = interp.builder, interp.heap, interp.span, len(interp.frames)
    interp.builder, interp.heap = builder.nested(), heap.copy()
    error = tuple(interp.builder.var(name, Object()) for name in ("kind", "error", "traceback"))
    try:
        with one_way(interp):
            leave = protocols.special(interp, manager, "__exit__")
            swallowed = truth(interp, NONE if leave is None else interp.call(leave, error, {}, "swallowed"))
            outside = any(map(is_opaque, all_ops(interp.builder.block((), ()))))
            return swallowed is False and leave is not None and not outside
    except (AdxError, Lost, Unreachable):
        return False
    finally:
        del interp.frames[frames:]
        interp.builder, interp.heap, interp.span = builder, heap, span


def _handed(interp: Interpreter, manager: Ref) -> Value:
    """`manager` as an object of the run, which alone knows it from here on."""
    contents = interp.contents(manager)
    name = manager.cls.__name__
    attributes: list[Operand] = []
    for key, item in zip(contents.keys, contents.items, strict=True):
        if not _is_plain(item):
            message = f"what `__exit__` of `{name}` does when an exception passes cannot be followed, and it holds `{key}`"
            raise interp.error(message, "let it hold numbers and texts alone, or do its work without `with`")
        attributes += (Lit(key), given_to_unknown(interp, item))
    interp.refuse_keeping(var for operand in attributes for var in variables(operand))
    for method in ("__enter__", "__exit__"):
        hand_over(interp, find(manager.cls, method), (), {}, wanted=True)
    why = f"only a run knows what a {name} holds once it was entered, as its `__exit__` may do something when an exception passes"
    interp.heap.contents[manager] = Poison(why, way="use what `as` names")  # type: ignore[assignment]
    return interp.emit(runtime.instance, (Lit(manager.cls), Pack("dict", tuple(attributes))), Object(), "manager")


def _is_plain(item: Value) -> bool:
    """Whether a copy of `item` is as good as `item`."""
    return isinstance(item, Lit | Static | Var) or (isinstance(item, Tuple) and all(map(_is_plain, item.items)))


def _leave(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    (manager,) = args
    contents: Any = interp.heap.contents[manager] if isinstance(manager, Ref) else None
    if not isinstance(manager, Ref) or isinstance(contents, Poison):
        interp.builder.effect(runtime.left, span=interp.span)
    elif manager.cls is not contextlib.nullcontext:
        leave = protocols.special(interp, manager, "__exit__")
        assert leave is not None
        interp.call(leave, (NONE, NONE, NONE), {}, "tmp", False)
    return NONE


TABLE: dict[Any, Handler] = {
    intrinsics.enter: _enter,
    intrinsics.leave: _leave,
    contextlib.nullcontext: _nullcontext,
    contextlib.suppress: _suppress,
}

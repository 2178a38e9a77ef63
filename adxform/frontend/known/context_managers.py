"""Context managers: entered and left by what their classes say, or by the run.

An object that the function makes is followed, so that its ``__enter__`` may give what is differentiated. What its ``__exit__``
does when an exception passes is seen by nobody then, as the object is gone with the call: unless it does more than change
what the function made, or may swallow the exception. Such an object, and whatever comes from outside, is entered by the run.
"""

from __future__ import annotations

import contextlib
import operator
import types
from typing import Any

import gast

from adxform import runtime
from adxform.errors import AdxError
from adxform.frontend.calls import generator_managers
from adxform.frontend.calls.callbacks.unseen import hand_over
from adxform.frontend.calls.opaque import opaque
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.classes.class_contents import MISSING, find
from adxform.frontend.evaluate.control_flow.attempts import branch, frame_of
from adxform.frontend.evaluate.control_flow.branches import truth
from adxform.frontend.evaluate.operands import given_to_unknown
from adxform.frontend.evaluate.pure_functions import only_looks
from adxform.frontend.evaluate.records.copied_records import copy_of
from adxform.frontend.evaluate.signals import Changes, Lost, Sets, Unreachable
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.survey import one_way
from adxform.frontend.evaluate.values import NONE, Poison, Ref, Static, Tuple, Value
from adxform.frontend.lowering.names import walk_scope
from adxform.frontend.lowering.source_text import find_source
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Lit, Operand, Pack, Var
from adxform.ir.types import BOOL, Object
from adxform.ir.walk import all_ops, variables
from adxform.primitives.definitions.of_python.halved_managers import HalvedManager
from adxform.primitives.effects import is_opaque
from adxform.runtime.language.contexts import special


def _nullcontext(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return interp.heap.new("instance", contextlib.nullcontext, ("enter_result",), (*args, *kwargs.values(), NONE)[:1])


def _suppress(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return interp.heap.new("instance", contextlib.suppress, ("_exceptions",), (Tuple(args),))


def _enter(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """What the manager gives for ``as``."""
    (manager,) = args
    if not _passes(interp, manager):
        interp.managers.append((frame_of(interp), manager))
    match manager:
        case Ref(kind="instance", cls=contextlib.nullcontext):
            return interp.contents(manager).get("enter_result")
        case Ref(kind="instance", cls=contextlib.suppress):
            return NONE
        case Ref(kind="instance") if _has_both(interp, manager.cls):
            swallows, outside = _leaving(interp, manager)
            may_swallow = swallows is not False or not _never_swallows(manager.cls)
            told = (interp.level is not None or interp.knowledge.attends) if outside else may_swallow
            if swallows is True or (swallows is not None and told):
                interp.attended.add(manager)
            if manager in interp.attended or (swallows is False and not outside):
                enter = protocols.special(interp, manager, "__enter__")
                assert enter is not None
                return interp.call(enter, (), hint=hint)
            interp.hands_managers = True
            made = _made_by_the_run if manager.cls is HalvedManager else _handed
            return _entered(interp, made(interp, manager), hint)
        case Static(found) if _has_both(interp, type(found)):
            for method in (special(found, "__enter__"), special(found, "__exit__")):
                if isinstance(method, types.MethodType):  # one written in C changes nothing of the program's
                    hand_over(interp, method, (), {}, wanted=True)
            return _entered(interp, manager, hint)
        case Var(_, Object()):
            return _entered(interp, manager, hint)
        case _:
            raise interp.error("this value is entered by `with`, and is no context manager", "use the value itself")


def _has_both(interp: Interpreter, cls: type) -> bool:
    for name in ("__enter__", "__exit__"):
        if find(cls, name) is MISSING:
            interp.fail(TypeError, f"'{cls.__name__}' object does not support the context manager protocol")
    return True


def _entered(interp: Interpreter, manager: Value, hint: str) -> Value:
    return opaque(interp, runtime.entered, (manager,), {}, hint, True)


def _leaving(interp: Interpreter, manager: Ref) -> tuple[bool | Operand | None, bool]:
    """What ``__exit__`` does where an exception passes: whether it swallows it, ``None`` where that cannot be followed, and
    whether it does more than to change what the function made.
    """
    builder, heap, span, frames, level = interp.builder, interp.heap, interp.span, len(interp.frames), interp.level
    outer, interp.outer = interp.outer, copy_of(interp.outer)
    interp.builder, interp.heap, interp.level = builder.nested(), heap.copy(), None
    error = tuple(interp.builder.var(name, Object()) for name in ("kind", "error", "traceback"))
    try:
        with one_way(interp):
            enter, leave = (protocols.special(interp, manager, name) for name in ("__enter__", "__exit__"))
            if enter is None or leave is None:
                return None, True
            try:
                interp.call(enter, (), {}, "entered")  # which may set what is read when it is left
            except Unreachable:
                return False, False  # it is never left
            entered = len(interp.builder.ops)
            swallowed = truth(interp, interp.call(leave, error, {}, "swallowed"))
            left = Block((), tuple(interp.builder.ops[entered:]), ())
            return swallowed, any(is_opaque(op) and not only_looks(callee(op)) for op in all_ops(left))
    except (AdxError, Lost, Unreachable):
        return None, True
    except (Sets, Changes):
        if level is None and manager.cls is HalvedManager and not interp.knowledge.attends:
            return None, True  # it swallows nothing: the run enters it, and changes that
        raise
    finally:
        del interp.frames[frames:]
        interp.builder, interp.heap, interp.span, interp.level, interp.outer = builder, heap, span, level, outer


def _never_swallows(cls: type) -> bool:
    """Whether ``__exit__`` of `cls` returns nothing that is true, whatever the body of a ``with`` makes of the manager."""
    leave = find(cls, "__exit__")
    try:
        node = find_source(leave).node
    except AdxError:
        return False
    returned = [one.value for one in walk_scope(node.body) if isinstance(one, gast.Return)]
    return all(value is None or (isinstance(value, gast.Constant) and not value.value) for value in returned)


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
        hand_over(interp, find(manager.cls, method), contents.items, {}, wanted=True)
    why = f"only a run knows what a {name} holds once it was entered, as its `__exit__` may do something when an exception passes"
    interp.heap.contents[manager] = Poison(why, way="use what `as` names")
    return interp.emit(runtime.instance, (Lit(manager.cls), Pack("dict", tuple(attributes))), Object(), "manager")


def _made_by_the_run(interp: Interpreter, manager: Ref) -> Value:
    """A manager of `contextlib`, which the run makes of its generator."""
    made = opaque(interp, *generator_managers.as_it_is(interp, manager), "manager", True)
    interp.heap.contents[manager] = Poison("only a run knows what this manager does when an exception passes")
    return made


def _is_plain(item: Value) -> bool:
    """Whether a copy of `item` is as good as `item`."""
    return isinstance(item, Lit | Static | Var) or (isinstance(item, Tuple) and all(map(_is_plain, item.items)))


def _leave(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """Whether an exception that is pending still is once the manager is left."""
    manager, pending, error = args
    interp.managers = [one for one in interp.managers if one[0] is not frame_of(interp) or one[1] is not manager]
    contents: Any = interp.heap.contents[manager] if isinstance(manager, Ref) else None
    if not isinstance(manager, Ref) or isinstance(contents, Poison):
        interp.builder.effect(runtime.left, span=interp.span)
        if pending != Lit(False) and not _passes(interp, manager):
            message = "an exception that is handled passes a context manager that the run enters"
            raise interp.error(message, "put the `try` inside of the `with`")
        return pending
    if manager.cls is contextlib.nullcontext:
        return pending

    def raised() -> list[Value]:
        swallowed = _left(interp, manager, error)
        return [Lit(not swallowed) if isinstance(swallowed, bool) else interp.emit(operator.not_, (swallowed,), BOOL, "pending")]

    def ended() -> list[Value]:
        _left(interp, manager, None)
        return [Lit(False)]

    if isinstance(pending, Lit):
        return (raised() if pending.value else ended())[0]
    return branch(interp, interp.operand(pending), raised, ended, ["pending"], interp.span)[0]


def _left(interp: Interpreter, manager: Ref, error: Value | None) -> bool | Operand:
    """Leave a manager, and return whether it swallows `error`."""
    if manager.cls is contextlib.suppress:
        if error is None:
            return False
        return truth(
            interp, interp.call(Lit(intrinsics.is_handled), (error, interp.contents(manager).get("_exceptions") or Tuple(())))
        )
    leave = protocols.special(interp, manager, "__exit__")
    assert leave is not None
    if error is None:
        interp.call(leave, (NONE, NONE, NONE), {}, "tmp", False)
        return False
    kind = interp.emit(type, (interp.operand(error),), Object(), "kind")
    return truth(interp, interp.call(leave, (kind, error, NONE), {}, "swallowed"))


_PASSING = ("numpy", "warnings", "_thread", "threading", "_io", "io", "tempfile", "decimal")
"""Modules of managers that do the same whether an exception passes them or not."""


def _passes(interp: Interpreter, manager: Value) -> bool:
    """Whether a manager does the same where an exception passes."""
    if isinstance(manager, Ref) and manager.cls in (contextlib.nullcontext, contextlib.suppress):
        return True
    cls = (
        type(manager.value)
        if isinstance(manager, Static)
        else interp.of_run.made.get(manager)
        if isinstance(manager, Var)
        else None
    )
    return cls is not None and cls.__module__.partition(".")[0] in _PASSING


def _is_context_manager(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """Nothing, where a manager that was written out is one of `contextlib`."""
    (decorator,) = args
    if not isinstance(decorator, Static | Lit) or decorator.value is not contextlib.contextmanager:
        raise interp.error("this is no `contextlib.contextmanager`, though it has its name", "give it another name")
    return NONE


TABLE: dict[Any, Handler] = {
    intrinsics.is_context_manager: _is_context_manager,
    intrinsics.enter: _enter,
    intrinsics.leave: _leave,
    contextlib.nullcontext: _nullcontext,
    contextlib.suppress: _suppress,
}

"""Calls: user functions are inlined, primitives become typed ops, what is static runs now, and the rest runs as it is."""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable
from typing import Any

from adxform.errors import AdxError, GlobalMutationError
from adxform.frontend.calls import (
    cached_outside,
    compiled_functions,
    dispatched_functions,
    generator_managers,
    none_given,
    overwritten_arguments,
)
from adxform.frontend.calls.construct import construct, initialise, initialises, made_of_items, makes_of_items
from adxform.frontend.calls.installed_code import ask_for_maker, is_asked_for, left
from adxform.frontend.calls.known_callee import KnownFunction
from adxform.frontend.calls.opaque import opaque
from adxform.frontend.calls.operator_getters import GETTERS, call_getter
from adxform.frontend.calls.own_values import with_own_value
from adxform.frontend.calls.primitive_calls import as_array, into, primitive
from adxform.frontend.calls.program_functions import call_closure, call_function
from adxform.frontend.calls.where_chosen import compute_where
from adxform.frontend.checks.shared_memory import read_meanwhile
from adxform.frontend.containers import object_lists, object_sets
from adxform.frontend.containers.methods import Known
from adxform.frontend.derivative_operators import Decorated, Operator, behind, marked
from adxform.frontend.evaluate.classes import own_containers, protocols
from adxform.frontend.evaluate.classes.class_contents import MISSING, find
from adxform.frontend.evaluate.classes.python_classes import stands_in
from adxform.frontend.evaluate.control_flow import walks
from adxform.frontend.evaluate.control_flow.one_of_several import call_chosen, call_with_chosen
from adxform.frontend.evaluate.folding import fold, run_now
from adxform.frontend.evaluate.operands import are_static
from adxform.frontend.evaluate.outside.guards import from_outside, guard, is_kept, looked_up, pin
from adxform.frontend.evaluate.pure_functions import is_pure
from adxform.frontend.evaluate.records.copied_records import copy_of
from adxform.frontend.evaluate.set_orders import as_constant
from adxform.frontend.evaluate.signals import Changes, Lost, Sets, Thrown, Unreachable
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.structures import leaves_of, literal_type
from adxform.frontend.evaluate.survey import one_way
from adxform.frontend.evaluate.values import (
    NONE,
    FunctionValue,
    InnerPullback,
    Maybe,
    Method,
    OneOf,
    Ref,
    Static,
    Tuple,
    Value,
    View,
)
from adxform.frontend.nested import inline, objects
from adxform.frontend.signature.access import Binds, Step, path_to
from adxform.ir.ops import Lit, Var
from adxform.ir.spans import is_followed, written_in
from adxform.ir.types import Object, is_complex
from adxform.primitives import definitions
from adxform.primitives.definitions.of_python import binary_heaps, item_places, keyed_items
from adxform.primitives.record import Primitive
from adxform.primitives.signatures import not_covered, taken, unstated
from adxform.primitives.table import definition, refusal
from adxform.primitives.unruled import missing_rule
from adxform.primitives.writing_options import has_writing_options, is_off, writing_options

Kwargs = dict[str, Value]
Made = Static | Lit


def call(interp: Interpreter, fn: Value, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool) -> Value:
    """The result of ``fn(*args, **kwargs)``."""
    args = tuple([interp.seen(interp.there(arg)) for arg in args])
    if isinstance(fn, Static | Lit):
        for of_run in (object_lists.call, object_sets.call):
            if (found := of_run(interp, fn.value, args, kwargs, hint)) is not None:
                return found
    if any(isinstance(arg, Maybe) for arg in (*args, *kwargs.values())) and not none_given.takes_none(fn, args):
        return _with_none_or_not(interp, fn, args, kwargs, hint, wanted)
    return _called(interp, interp.force(fn), args, kwargs, hint, wanted)


def _with_none_or_not(interp: Interpreter, fn: Value, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool) -> Value:
    """The result of ``fn(*args, **kwargs)``, of which the run knows whether an argument is ``None``."""
    if any(isinstance(arg, Maybe) for arg in kwargs.values()):
        raise interp.error("an argument may be None or not, which only a run can tell", "make it one kind of value")
    if (found := none_given.on_both_paths(interp, fn, args, kwargs, hint)) is not None:
        return found
    args = tuple(interp.force(arg) if none_given.refuses_it(fn, k) else interp.given(arg) for k, arg in enumerate(args))
    return _called(interp, interp.force(fn), args, kwargs, hint, wanted)


def _called(interp: Interpreter, fn: Value, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool) -> Value:
    """The result of ``fn(*args, **kwargs)``, by what `fn` is."""
    if (found := call_with_chosen(interp, fn, args, kwargs, hint, wanted)) is not None:
        return found
    match fn:
        case FunctionValue():
            return call_closure(interp, fn, args, kwargs)
        case Method(Lit(Known(name=name)), (Ref() as owner, *_)) if (held := interp.seen(owner)) is not owner:
            return call(interp, interp.attribute(held, name.partition(".")[2]), args, kwargs, hint, wanted)
        case Method(inner, bound, named):
            return call(interp, inner, (*bound, *args), {**dict(named), **kwargs}, hint, wanted)
        case OneOf():
            return call_chosen(interp, fn, args, kwargs, hint, wanted)
        case InnerPullback():
            return inline.pull_back(interp, fn, args, kwargs)
        case Lit(types.FunctionType() | types.MethodType() | functools.partial()):
            found = looked_up(interp, fn)
            assert isinstance(found, Static | Lit)
            return _call_object(interp, found, args, kwargs, hint, wanted)
        case Static() | Lit():
            return _call_object(interp, fn, args, kwargs, hint, wanted)
        case Ref(kind="instance", cls=cls) if issubclass(cls, Operator):
            return objects.call_form(interp, fn, "__call__", args, kwargs)
        case Ref(kind="instance", cls=cls) if issubclass(cls, Decorated) and interp.contents(fn).get("__adx_boundary__") == Lit(
            True
        ):
            return call_kept(interp, interp.attribute(fn, "__adx_function__"), args, kwargs, hint)
        case Ref(kind="instance") if (method := protocols.special(interp, fn, "__call__")) is not None:
            return call(interp, method, args, kwargs, hint, wanted)
        case Var(_, Object()):
            if wanted:
                ask_for_maker(interp, fn, (*args, *kwargs.values()))
            return opaque(interp, operator.call, (fn, *args), kwargs, hint, wanted)
        case _:
            kind = protocols.class_of(fn)
            if kind is not None and find(kind, "__call__") is MISSING:
                return interp.fail(TypeError, f"'{kind.__name__}' object is not callable")
            raise interp.error("this value cannot be called", "call a function")


def _call_object(interp: Interpreter, value: Made, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool) -> Value:
    fn = value.value
    if (unbound := own_containers.unbound(interp, fn, args)) is not None:
        return call(interp, *unbound, kwargs, hint, wanted)
    if isinstance(fn, type) and find(type(fn), "__getattr__") is not MISSING and protocols.has_own_metaclass(fn):
        raise interp.error(f"the metaclass of `{fn.__name__}` defines `__getattr__`", "make the object outside of the function")
    known = KnownFunction.of(interp, fn, kwargs)
    args, kwargs = known.bound(interp, args, kwargs)
    if known.chooses and "where" in kwargs:
        return compute_where(interp, value, args, kwargs, hint)
    found = None if known.handler is None else known.handler(interp, args, kwargs, hint)
    if found is not None:
        return found
    if marked(fn) is not None or isinstance(fn, Operator):
        return objects.call_operator(interp, value, args, kwargs)
    if isinstance(fn, Decorated):
        return _call_decorated(interp, value, args, kwargs, hint, wanted)
    return _call_function(interp, value, known, args, kwargs, hint, wanted)


def _call_function(
    interp: Interpreter,
    value: Made,
    known: KnownFunction,
    args: tuple[Value, ...],
    kwargs: Kwargs,
    hint: str,
    wanted: bool,
) -> Value:
    """The result of a function that the front end does nothing special for: run now, by its rule or meaning, or by its code."""
    found = None
    if _runs_now(known.fn) and are_static(interp, (*args, *kwargs.values())):
        found = run_now(interp, known.fn, args, kwargs)
    if found is None:
        if known.meaning is not None and not known.ruled:
            args = tuple(_gone_through(interp, arg) for arg in args)
        found = _call_known(interp, value, known, args, kwargs, hint, wanted)
    return _call_unruled(interp, value, args, kwargs, hint, wanted) if found is None else found


def _runs_now(fn: Any) -> bool:
    """Whether a function is adxform's own and says what others mean, of which all is done once it has returned."""
    return _is_definition(fn) and not inspect.isgeneratorfunction(fn) and fn not in _CHANGING


_CHANGING = binary_heaps.CHANGING | item_places.CHANGING | keyed_items.CHANGING


def _gone_through(interp: Interpreter, arg: Value) -> Value:
    """`arg`; what an iterator goes through, or a view of a dict, where it is one."""
    return Tuple(tuple(interp.items(arg))) if isinstance(arg, View) else walks.opened(interp, arg)


def _call_decorated(interp: Interpreter, value: Made, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool) -> Value:
    """The result of a function with derivatives of its own: that of what it was made of."""
    access = value.access if isinstance(value, Static) else None
    kept = is_kept(interp, value.value, access)
    inner = from_outside(interp, value.value.__adx_function__, path_to(access, ("attribute", "__adx_function__")))
    if kept:
        return call_kept(interp, inner, args, kwargs, hint)
    return call(interp, inner, args, kwargs, hint, wanted)


def _call_known(
    interp: Interpreter,
    value: Made,
    known: KnownFunction,
    args: tuple[Value, ...],
    kwargs: Kwargs,
    hint: str,
    wanted: bool,
) -> Value | None:
    """The result of a function by its rule, or else by what it means; ``None`` where it has neither, or they cover nothing."""
    fn, record = value.value, known.record
    if _writes(fn, args, kwargs) or not is_off(kwargs.get("overwrite_input", NONE)):
        followed = record is not None or known.meaning is not None
        given = overwritten_arguments.with_copies(interp, fn, args, kwargs) if followed else None
        return opaque(interp, fn, args, kwargs, hint, wanted) if given is None else call(interp, value, *given, hint, wanted)
    if record is not None and known.ruled:
        if isinstance(value, Static):
            pin(interp, value)
        return primitive(interp, record, fn, args, kwargs, hint, wanted)
    if known.meaning is not None:
        kwargs = {key: arg for key, arg in kwargs.items() if (key, arg) != ("out", NONE)}
        tried = fn in definitions.CALLING_BACK and not any(map(_is_local, (*args, *kwargs.values())))
        called = _tried if tried else _call_defined
        found = called(interp, value, record, known.meaning, args, kwargs, hint, wanted)
        if found is not None:
            return found
    if record is not None and not are_static(interp, (*args, *kwargs.values())):
        return primitive(interp, record, fn, args, kwargs, hint, wanted)
    return None


def _writes(fn: Any, args: tuple[Value, ...], kwargs: Kwargs) -> bool:
    """Whether a function of SciPy's is given an option by which it may write to what it is given (`overwrite_a=True`)."""
    if not has_writing_options(fn):
        return False
    options = writing_options(fn, len(args), tuple(kwargs))
    return any(not is_off(args[one] if isinstance(one, int) else kwargs[one]) for one in options)


def _is_local(arg: Value) -> bool:
    """Whether `arg` is a function that is made here, or a method of an object that is: it cannot be run as it is."""
    return isinstance(arg, FunctionValue) or (isinstance(arg, Method) and not all(isinstance(one, Static) for one in arg.args))


def _tried(interp: Interpreter, *call: Any) -> Value | None:
    """As `_call_defined`; ``None`` too where a function that is given cannot be followed: it runs as it is, if nothing moves."""
    builder, heap, frames = interp.builder, interp.heap.copy(), len(interp.frames)
    level, count, forks = interp.level, len(builder.last().ops), 0 if interp.level is None else len(interp.level.forks)
    span, parameters = interp.span, dict(interp.parameters)
    outer, to_check = copy_of(interp.outer), copy_of(interp.to_check)
    try:
        with one_way(interp):
            return _call_defined(interp, *call)
    except (AdxError, Lost, Thrown, Unreachable, Sets, Changes):
        if level is not None:
            level.rewind(forks)
        del builder.last().ops[count:], interp.frames[frames:]
        interp.level = level
        interp.builder, interp.heap, interp.span = builder, heap, span
        interp.parameters, interp.outer, interp.to_check = parameters, outer, to_check
        return None


def _call_defined(
    interp: Interpreter,
    value: Made,
    record: Primitive | None,
    meaning: Callable[..., Any],
    args: tuple[Value, ...],
    kwargs: Kwargs,
    hint: str,
    wanted: bool,
) -> Value | None:
    """The result of a function by what it means in terms of others; ``None`` where that covers nothing, or all is known."""
    fn = value.value
    given = {key: arg for key, arg in kwargs.items() if key != "out" or fn in definitions.WITHOUT_OUT}
    if not _is_covered(interp, fn, meaning, args, given):
        return None
    if isinstance(value, Static):
        pin(interp, value)
    if are_static(interp, (*args, *given.values())) and fn not in definitions.FOLLOWED:
        return None
    if fn in definitions.REAL and any(_has_complex(interp, one) for one in (*args, *given.values())):
        return None
    if fn not in definitions.OF_SEQUENCES:
        args, given = _as_arrays(interp, meaning, args, given)
    if fn in definitions.INTERLEAVED:
        touched = (kwargs["out"], *args) if "out" in kwargs else (*args, *given.values())
        interp.to_check.apart += read_meanwhile(touched[0], touched[1:], interp.span)
    if record is not None:
        result = with_own_value(interp, record, meaning, args, given, hint)
    else:
        result = call(interp, Static(meaning), args, given, hint, wanted)
    return into(interp, fn, kwargs["out"], result) if "out" in kwargs else result


def _has_complex(interp: Interpreter, arg: Value) -> bool:
    """Whether there are complex numbers in `arg`."""
    leaves = leaves_of(interp, arg)
    return any(is_complex(one.type if isinstance(one, Var) else literal_type(interp.operand(one))) for one in leaves)


def _is_covered(interp: Interpreter, fn: Any, meaning: Callable[..., Any], args: tuple[Value, ...], given: Kwargs) -> bool:
    """Whether the `meaning` of `fn` takes such arguments, and holds with them."""
    if accepts(meaning, args, given):
        return _holds(fn, meaning, args, given)
    name = unstated(fn, taken(fn, meaning), len(args), tuple(given))
    if name is not None and any(isinstance(arg, FunctionValue) for arg in args):
        raise not_covered(fn, name, interp.span)
    return False


def _as_arrays(
    interp: Interpreter, meaning: Callable[..., Any], args: tuple[Value, ...], given: Kwargs
) -> tuple[tuple[Value, ...], Kwargs]:
    """The arguments, with arrays in the places of lists and tuples of numbers, but for those that say how."""
    named = [key for key, one in inspect.signature(meaning).parameters.items() if one.kind is not one.KEYWORD_ONLY]
    args = tuple(arg if {*named[k : k + 1]} & OF_TUPLES else as_array(interp, arg) for k, arg in enumerate(args))
    return args, {name: arg if name in OF_TUPLES else as_array(interp, arg) for name, arg in given.items()}


def _holds(fn: Any, meaning: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs) -> bool:
    """Whether the parameters of a call of `fn` have values with which its `meaning` holds."""
    only = definitions.ONLY.get(fn)
    if only is None:
        return True
    given = {**dict(zip(inspect.signature(meaning).parameters, args, strict=False)), **kwargs}
    asked = [(given[name], held) for name, held in only.items() if name in given]
    return all(isinstance(value, Lit) and (not held or value.value in held) for value, held in asked)


def _call_unruled(interp: Interpreter, value: Made, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool) -> Value:
    """The result of what has neither a rule nor a meaning: followed where its code can be read, else run now or as it is."""
    fn = value.value
    access = value.access if isinstance(value, Static) else None
    if isinstance(fn, types.MethodType):
        inner = from_outside(interp, fn.__func__, path_to(access, ("attribute", "__func__")))
        bound = from_outside(interp, fn.__self__, path_to(access, ("attribute", "__self__")))
        return call(interp, inner, (bound, *args), kwargs, hint, wanted)
    if isinstance(fn, functools.partial):
        return _call_partial(interp, fn, access, args, kwargs, hint, wanted)
    if isinstance(fn, type) and (compiled := compiled_functions.called(interp, value, args, kwargs, hint, wanted)) is not None:
        return compiled
    if isinstance(fn, type):
        return construct(interp, fn, args, kwargs, hint, wanted)
    if isinstance(fn, GETTERS) and len(args) == 1 and not kwargs:
        if isinstance(value, Static):
            pin(interp, value)
        return call_getter(interp, fn, args[0])
    if (result := _called_code(interp, value, args, kwargs, hint, wanted)) is not None:
        return result
    if (kept := cached_outside.found(interp, value, args, kwargs)) is not None:
        return kept
    if not callable(fn):
        return interp.fail(TypeError, f"'{type(fn).__name__}' object is not callable")
    if refusal(fn) is not None and any(map(_stands_in, (*args, *kwargs.values()))):
        raise missing_rule(fn, interp.span)
    if is_pure(fn) and (found := _run_now(interp, value, args, kwargs)) is not None:
        return found
    return left(interp, fn, opaque(interp, pin(interp, value) if isinstance(value, Static) else fn, args, kwargs, hint, wanted))


def _called_code(
    interp: Interpreter, value: Made, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool
) -> Value | None:
    """The result of a function, or an object with a `__call__`, whose code can be read or has a meaning; ``None`` of others."""
    fn = value.value
    access = value.access if isinstance(value, Static) else None
    inner_function = behind(fn)
    if inner_function is not None and not inspect.isgeneratorfunction(inner_function):  # as of `contextlib.contextmanager`
        path = path_to(access, ("attribute", "__wrapped__"))
        return call(interp, from_outside(interp, inner_function, path), args, kwargs, hint, wanted)
    if (compiled := compiled_functions.called(interp, value, args, kwargs, hint, wanted)) is not None:
        return compiled
    if (manager := generator_managers.made(interp, value, access, args, kwargs)) is not None:
        return manager
    if (registered := dispatched_functions.chosen(interp, fn, access, args)) is not None:
        return call(interp, registered, args, kwargs, hint, wanted)
    if isinstance(fn, types.FunctionType) and (owner := initialises(fn, args)) is not None:
        return initialise(interp, owner, args, kwargs)
    if makes_of_items(fn) and accepts(fn, args, kwargs):
        return made_of_items(interp, args, kwargs)
    if isinstance(fn, types.FunctionType) and is_followed(fn) and is_asked_for(interp, fn, (*args, *kwargs.values())):
        return call_function(interp, fn, access, args, kwargs, hint, wanted)
    inner_call = inspect.getattr_static(type(fn), "__call__", None)
    followed = is_followed(inner_call) if isinstance(inner_call, types.FunctionType) else _is_decorated(inner_call)
    if followed and (method := protocols.special(interp, value, "__call__")) is not None:
        return call(interp, method, args, kwargs, hint, wanted)
    if isinstance(inner_call, types.FunctionType) and definition(inner_call) is not None:
        return call(interp, Static(inner_call), (value, *args), kwargs, hint, wanted)
    return None


def _run_now(interp: Interpreter, value: Made, args: tuple[Value, ...], kwargs: Kwargs) -> Value | None:
    """What a call gives that only computes, where all that it is given is known; ``None`` where it is not, or raises."""
    constants = tuple(as_constant(interp, arg) for arg in args)
    if not are_static(interp, (*constants, *kwargs.values())):
        return None
    found = fold(interp, value.value, constants, kwargs)
    if found is not None and isinstance(value, Static):
        pin(interp, value)  # a method of an object from outside: each call must find that of the same one
    return found


def _stands_in(arg: Value) -> bool:
    """Whether `arg` is an object of adxform's own, of which SciPy knows nothing."""
    cls = protocols.class_of(arg)
    return cls is not None and stands_in(cls)


OF_TUPLES = frozenset({"axis", "axes", "indices"})
"""Parameters of definitions for which a tuple is no array: several axes, one index for each axis."""


def _is_decorated(method: Any) -> bool:
    """Whether a method of a class is one of adxform's operators, or a function with derivatives."""
    return isinstance(method, (Operator, Decorated))


def call_kept(interp: Interpreter, fn: Value, args: tuple[Value, ...], kwargs: Kwargs, hint: str) -> Value:
    """Call `fn`, which is kept behind a boundary, as a function of its own."""
    interp.kept = True
    try:
        return call(interp, fn, args, kwargs, hint, True)
    finally:
        interp.kept = False


def accepts(meaning: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs) -> bool:
    """Whether a definition covers a call with these arguments; a call that it does not cover has no rule."""
    try:
        inspect.signature(meaning).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _is_definition(fn: Any) -> bool:
    """Whether `fn` is a function of adxform's own that says what others mean, and makes no object that has to be followed."""
    ours = isinstance(fn, types.FunctionType) and written_in(fn).startswith("adxform.primitives.")
    return ours and fn not in definitions.MAKERS


def _call_partial(
    interp: Interpreter, fn: functools.partial[Any], access: Any, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool
) -> Value:
    def part(value: Any, *steps: Step) -> Value:
        return from_outside(interp, value, path_to(access, *steps))

    if id(fn.keywords) in interp.outer.containers:
        message = "a `functools.partial` from outside the function is called, whose keywords the function changes"
        raise interp.error(message, "give the keyword in the call", GlobalMutationError)
    guard(interp, access, Binds(len(fn.args), tuple(fn.keywords)))
    inner = part(fn.func, ("attribute", "func"))
    first = tuple(part(arg, ("attribute", "args"), ("item", k)) for k, arg in enumerate(fn.args))
    named = {key: part(arg, ("attribute", "keywords"), ("item", key)) for key, arg in fn.keywords.items()}
    return call(interp, inner, (*first, *args), {**named, **kwargs}, hint, wanted)

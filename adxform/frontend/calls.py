"""Calls: user functions are inlined, primitives become typed ops, what is static runs now, and the rest runs as it is."""

from __future__ import annotations

import builtins
import dataclasses
import functools
import inspect
import operator
import sysconfig
import types
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from adxform.errors import MissingRuleError, SourceUnavailableError
from adxform.frontend import attributes, collecting, nested
from adxform.frontend.access import Access
from adxform.frontend.binding import bind
from adxform.frontend.infer import NoSample, elementwise_type, product_type, reshaped_type, run, sampled_type, with_fresh
from adxform.frontend.known import KNOWN
from adxform.frontend.lower import lower
from adxform.frontend.methods import Known
from adxform.frontend.outside import constant, from_outside, pin
from adxform.frontend.recursion import Frame, call_helper, general_key, key_of
from adxform.frontend.signals import Recursive
from adxform.frontend.sizes import learn
from adxform.frontend.values import (
    NONE,
    FunctionValue,
    Method,
    Pullback,
    Range,
    Ref,
    Scope,
    Slice,
    Static,
    Tuple,
    Value,
    is_undefined,
)
from adxform.ir.ops import Call, Function, Lit, Operand, Pack, Var
from adxform.ir.types import Array, Object, Scalar, Type, is_float
from adxform.ir.walk import variables
from adxform.operators import Operator, operator_kind
from adxform.rules.record import Constant, Memory, Partials, Primitive
from adxform.rules.table import definition, lookup

if TYPE_CHECKING:
    from adxform.frontend.interpreter import Interpreter

Kwargs = dict[str, Value]
DEPTH = 20
"""How many calls of one function may be inlined within one another before it becomes a function of its own."""

_LIBRARIES = tuple({sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")})


# -- names ------------------------------------------------------------------------------------------------------------


def free_name(interp: Interpreter, name: str) -> Value:
    """What the function being run finds under `name` outside of itself."""
    frame = interp.frames[-1]
    if name in frame.captured:
        return frame.captured[name]
    scope = frame.scope
    if scope is None:
        return interp.fail(NameError, f"name '{name}' is not defined")
    fn, access = scope.fn, scope.access
    if name in fn.__code__.co_freevars:
        cell = fn.__closure__[fn.__code__.co_freevars.index(name)]  # type: ignore[index]
        try:
            found = cell.cell_contents
        except ValueError:
            return interp.fail(NameError, f"cannot access free variable '{name}'")
        return from_outside(interp, found, None if access is None else access.to("cell", name))
    if name in fn.__globals__:
        found = fn.__globals__[name]
    elif hasattr(builtins, name):
        found = getattr(builtins, name)
    else:
        return interp.fail(NameError, f"name '{name}' is not defined")
    if access is not None:
        access = interp.modules.setdefault(id(fn.__globals__), access)
    return from_outside(interp, found, None if access is None else access.to("global", name))


# -- operands ---------------------------------------------------------------------------------------------------------


def operand(interp: Interpreter, value: Value) -> Operand:
    """`value` as an operand of a typed op."""
    match value:
        case Var() | Lit():
            return value
        case Tuple(items, cls):
            parts = tuple(operand(interp, item) for item in items)
            return Pack("tuple", parts) if cls is tuple else interp.emit(cls, parts, Object())
        case Slice(start, stop, step):
            return Pack("slice", tuple(operand(interp, part) for part in (start, stop, step)))
        case Range(start, stop, step):
            parts = tuple(operand(interp, part) for part in (start, stop, step))
            return interp.emit(range, parts, Object())
        case Ref(kind="list"):
            filled = interp.filled(value)
            if filled is not None:
                return collecting.so_far(interp, filled)
            return Pack("list", tuple(operand(interp, item) for item in interp.contents(value).items))
        case Ref(kind="dict"):
            contents = interp.contents(value)
            pairs = zip(contents.keys, contents.items, strict=True)
            return Pack("dict", tuple(part for key, item in pairs for part in (Lit(key), operand(interp, item))))
        case Ref(kind="set"):
            return interp.emit(set, (Pack("tuple", tuple(Lit(key) for key in interp.contents(value).keys)),), Object())
        case Ref(cls=cls) if dataclasses.is_dataclass(cls):
            contents = interp.contents(value)
            names = {field.name for field in dataclasses.fields(cls) if field.init}
            fields = {key: operand(interp, item) for key, item in zip(contents.keys, contents.items, strict=True) if key in names}
            return interp.emit(cls, (), Object(), kwargs=fields)
        case Static():
            return Lit(pin(interp, value))
        case Method(Static() | Lit() as fn, args) if all(isinstance(arg, Static | Lit) for arg in args) and not value.kwargs:
            return Lit(functools.partial(fn.value, *(interp.static(arg, "an argument") for arg in args)))
        case FunctionValue() | Method() | Pullback():
            raise interp.error("a local function is passed to a function that adxform cannot follow", "call it directly, or write the loop out")
        case _:
            interp.use(value)
            raise interp.error("this value is used where adxform cannot follow it", "use numbers, arrays, tuples, lists or dicts")


def is_static(interp: Interpreter, value: Value) -> bool:
    """Whether `value` is wholly known now."""
    match value:
        case Lit():
            return not is_undefined(value)
        case Static():
            return True
        case Tuple(items):
            return all(is_static(interp, item) for item in items)
        case Slice(start, stop, step) | Range(start, stop, step):
            return all(is_static(interp, part) for part in (start, stop, step))
        case Ref(kind="list" | "dict"):
            return interp.filled(value) is None and all(is_static(interp, item) for item in interp.contents(value).items)
        case _:
            return False


def known(interp: Interpreter, value: Value) -> Any:
    """The object that a static `value` is."""
    match value:
        case Range(start, stop, step):
            return range(*(known(interp, part) for part in (start, stop, step)))
        case Ref(kind="dict"):
            contents = interp.contents(value)
            return {key: known(interp, item) for key, item in zip(contents.keys, contents.items, strict=True)}
        case _:
            return interp.static(value, "an argument")


# -- calls ------------------------------------------------------------------------------------------------------------


def call(interp: Interpreter, fn: Value, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool) -> Value:
    """The result of ``fn(*args, **kwargs)``."""
    match fn:
        case FunctionValue():
            return _call_closure(interp, fn, args, kwargs)
        case Method(inner, bound, named):
            return call(interp, inner, (*bound, *args), {**dict(named), **kwargs}, hint, wanted)
        case Pullback():
            return nested.pull_back(interp, fn, args)
        case Static() | Lit():
            return _call_object(interp, fn, args, kwargs, hint, wanted)
        case Ref(kind="instance", cls=cls) if issubclass(cls, Operator):
            fields = interp.contents(fn)
            f, argnums, has_aux = (fields.get(name) for name in ("fn", "argnums", "has_aux"))
            kind, implementation = (interp.static(fields.get(name) or NONE, name) for name in ("kind", "implementation"))
            return nested.call_parts(interp, kind, f or NONE, argnums or NONE, has_aux or NONE, implementation, args, kwargs)
        case Ref(kind="instance"):
            return call(interp, interp.attribute(fn, "__call__"), args, kwargs, hint, wanted)
        case Var(_, Object()):
            return opaque(interp, operator.call, (fn, *args), kwargs, hint, wanted)
        case _:
            raise interp.error("this value cannot be called", "call a function")


def _call_object(
    interp: Interpreter, value: Static | Lit, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool
) -> Value:
    fn = value.value
    access = value.access if isinstance(value, Static) else None
    if isinstance(fn, Known):
        return fn.handler(interp, args, kwargs, hint)
    handler = _lookup_known(fn)
    if handler is not None:
        found = handler(interp, args, kwargs, hint)
        if found is not NotImplemented:
            return found  # type: ignore[no-any-return]
    if operator_kind(fn) is not None or isinstance(fn, Operator):
        return nested.call_operator(interp, value, args, kwargs)
    wrapped = getattr(fn, "__adx_function__", None)
    if wrapped is not None:
        path = None if access is None else access.to("attribute", "__adx_function__")
        return call(interp, from_outside(interp, wrapped, path), args, kwargs, hint, wanted)
    record = lookup(fn)
    if record is not None:
        if isinstance(value, Static):
            pin(interp, value)
        return primitive(interp, record, fn, args, kwargs, hint, wanted)
    meaning = definition(fn)
    if meaning is not None and isinstance(value, Static):
        pin(interp, value)
    if meaning is not None and not all(is_static(interp, arg) for arg in (*args, *kwargs.values())):
        return call(interp, Static(meaning), args, kwargs, hint, wanted)
    if isinstance(fn, types.MethodType):
        inner = from_outside(interp, fn.__func__, None if access is None else access.to("attribute", "__func__"))
        owner = from_outside(interp, fn.__self__, None if access is None else access.to("attribute", "__self__"))
        return call(interp, inner, (owner, *args), kwargs, hint, wanted)
    if isinstance(fn, functools.partial):
        return _call_partial(interp, fn, access, args, kwargs, hint, wanted)
    if isinstance(fn, type):
        return construct(interp, fn, args, kwargs, hint, wanted)
    if isinstance(fn, types.FunctionType) and is_user(fn):
        if (fn.__module__ or "").startswith("adxform.rules.") and all(is_static(interp, arg) for arg in (*args, *kwargs.values())):
            return _run_now(interp, fn, args, kwargs)
        return _call_function(interp, fn, access, args, kwargs, hint, wanted)
    inner_call = getattr(type(fn), "__call__", None)
    if isinstance(inner_call, types.FunctionType) and is_user(inner_call):
        return call(interp, interp.attribute(value, "__call__"), args, kwargs, hint, wanted)
    if is_pure(fn) and all(is_static(interp, arg) for arg in (*args, *kwargs.values())):
        found = fold(interp, fn, args, kwargs)
        if found is not None:
            return found
    return opaque(interp, pin(interp, value) if isinstance(value, Static) else fn, args, kwargs, hint, wanted)


def _lookup_known(fn: Any) -> Any:
    try:
        return KNOWN.get(fn)
    except TypeError:
        return None


def _run_now(interp: Interpreter, fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    """The value of a function of a rule module on known values: it is ours, so it is pure."""
    try:
        result = fn(*(known(interp, arg) for arg in args), **{key: known(interp, arg) for key, arg in kwargs.items()})
    except NotImplementedError as error:
        raise interp.error(str(error), "write it another way", MissingRuleError) from None
    except Exception as error:
        return interp.fail(type(error), str(error))
    return constant(interp, result)


def _call_partial(
    interp: Interpreter, fn: functools.partial[Any], access: Any, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool
) -> Value:
    def part(value: Any, *steps: Any) -> Value:
        path = access
        for kind, key in steps:
            path = None if path is None else path.to(kind, key)
        return from_outside(interp, value, path)

    inner = part(fn.func, ("attribute", "func"))
    first = tuple(part(arg, ("attribute", "args"), ("item", k)) for k, arg in enumerate(fn.args))
    named = {key: part(arg, ("attribute", "keywords"), ("item", key)) for key, arg in fn.keywords.items()}
    return call(interp, inner, (*first, *args), {**named, **kwargs}, hint, wanted)


def is_user(fn: types.FunctionType) -> bool:
    """Whether `fn` is code to look into: not of the standard library nor of an installed package, except adxform's own."""
    if (fn.__module__ or "").partition(".")[0] == "adxform":
        return True
    return not fn.__code__.co_filename.startswith(_LIBRARIES) and (fn.__module__ or "").partition(".")[0] not in ("numpy", "scipy")


def is_pure(fn: Any) -> bool:
    """Whether a call of `fn` on known values may be made now: it has no effect and always gives the same."""
    module = getattr(fn, "__module__", None) or ""
    if isinstance(fn, types.MethodDescriptorType | types.WrapperDescriptorType | types.MethodWrapperType | types.ClassMethodDescriptorType):
        owner = getattr(fn, "__objclass__", None)
        return owner in (str, bytes, int, float, bool, complex, tuple, frozenset, slice, range, type(np.dtype(float)), object)
    if isinstance(fn, types.BuiltinFunctionType) and isinstance(fn.__self__, str | bytes | int | float | tuple | np.dtype):
        return True
    if module in ("math", "operator", "_operator", "cmath"):
        return True
    if module == "builtins":
        return getattr(fn, "__name__", "") not in ("print", "open", "input", "exec", "eval", "compile", "id", "hash", "iter", "next", "vars", "dir")
    return module == "numpy" or (isinstance(fn, type) and issubclass(fn, np.dtype | np.finfo | np.iinfo))


def fold(interp: Interpreter, fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs) -> Value | None:
    """The value of a pure call on known values; ``None`` where it raises or makes an array."""
    try:
        result = run(fn, [known(interp, arg) for arg in args], {key: known(interp, arg) for key, arg in kwargs.items()})
    except Exception:
        return None
    return result_value(interp, result)


def result_value(interp: Interpreter, result: Any) -> Value | None:
    """A value computed now; ``None`` for what must be made anew by each call."""
    if isinstance(result, np.ndarray) or type(result) in (dict, set):
        return None
    if isinstance(result, list):
        items = [result_value(interp, item) for item in result]
        return None if any(item is None for item in items) else interp.new_list(tuple(item for item in items if item is not None))
    if isinstance(result, tuple):
        parts = [result_value(interp, item) for item in result]
        return None if any(part is None for part in parts) else Tuple(tuple(part for part in parts if part is not None), type(result))
    return constant(interp, result)


def opaque(interp: Interpreter, fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool) -> Value:
    """Run `fn` as it is, at run time."""
    module = (getattr(fn, "__module__", None) or "builtins").partition(".")[0]
    if module not in ("builtins", "numpy", "scipy", "math", "_operator", "operator", "statistics", "itertools"):
        for arg in (*args, *kwargs.values()):
            if isinstance(arg, Ref) and not arg.outside and arg.kind != "instance" and interp.contents(arg).items:
                name = getattr(fn, "__qualname__", repr(fn))
                message = f"a {arg.cls.__name__} is passed to `{name}`, which adxform cannot look into and which may change it"
                raise interp.error(message, "pass a tuple")
    operands = tuple(operand(interp, arg) for arg in args)
    named = {key: operand(interp, arg) for key, arg in kwargs.items()}
    given = [var for arg in (*operands, *named.values()) for var in variables(arg)]
    if not wanted and fn is not print and module != "logging" and any(isinstance(var.type, Object) for var in given):
        refuse_keeping(interp, given)
    if not wanted:
        interp.builder.emit(Call((), Lit(fn), operands, tuple(named.items()), interp.span))
        return NONE
    return interp.emit(fn, operands, Object(), hint, named)


def refuse_keeping(interp: Interpreter, kept: Iterable[Var]) -> None:
    """Raise where a float is given to an object that adxform cannot look into: it would come back without its derivative."""
    for var in kept:
        if is_float(var.type):
            message = f"`{var.base}` is kept in an object that adxform cannot follow"
            raise interp.error(message, "keep it in a list, a dict, an array or a dataclass")


# -- user functions ---------------------------------------------------------------------------------------------------


def _call_function(
    interp: Interpreter, fn: types.FunctionType, access: Any, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool
) -> Value:
    try:
        lowered = lower(fn)
    except SourceUnavailableError:
        if access is None or any(_is_active(interp, arg) for arg in (*args, *kwargs.values())) or not interp.frames:
            raise
        return opaque(interp, fn, args, kwargs, hint, wanted)

    def default(name: str) -> Value | None:
        named = fn.__kwdefaults__ or {}
        positional = fn.__defaults__ or ()
        code = fn.__code__
        names = code.co_varnames[code.co_argcount - len(positional) : code.co_argcount]
        values = {**dict(zip(names, positional, strict=True)), **named}
        if name not in values:
            return None
        return from_outside(interp, values[name], None if access is None else access.to("default", name))

    bound = bind(interp, fn.__name__, lowered, args, kwargs, default)
    return run_function(interp, lowered, bound, {}, Scope(fn, access))


def _is_active(interp: Interpreter, value: Value) -> bool:
    return isinstance(value, Var) and is_float(value.type)


def _call_closure(interp: Interpreter, fn: FunctionValue, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    captured = dict(fn.captures)
    if fn.itself is not None:
        captured[fn.itself] = fn
    defaults = dict(fn.defaults)
    bound = bind(interp, fn.fn.name, fn.fn, args, kwargs, defaults.get)
    return run_function(interp, fn.fn, bound, captured, fn.scope)


def run_function(
    interp: Interpreter, fn: Function, bound: tuple[Value, ...], captured: dict[str, Value], scope: Scope | None
) -> Value:
    """Run the body of `fn` in place, or as a function of its own where it calls itself."""
    exact = key_of(interp, fn, bound, captured, scope)
    general = general_key(exact)
    recursive = interp.knowledge.recursive
    for key in (exact, general):
        if key in recursive:
            return call_helper(interp, key, fn, bound, captured, scope, key is general)
    if any(frame.key == exact for frame in interp.frames):
        raise Recursive(exact)
    if sum(general_key(frame.key) == general for frame in interp.frames) >= DEPTH:
        raise Recursive(general)
    return run_frame(interp, Frame(fn, captured, scope, exact), bound)


def run_frame(interp: Interpreter, frame: Frame, bound: tuple[Value, ...]) -> Value:
    """Run the body of a frame's function on the values of its parameters."""
    span = interp.span
    interp.frames.append(frame)
    try:
        (result,) = interp.run_block(frame.fn.body, dict(zip(frame.fn.params, bound, strict=True)))
    finally:
        interp.frames.pop()
    interp.span = span
    return result


def construct(interp: Interpreter, cls: type, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool) -> Value:
    """``cls(*args, **kwargs)``"""
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        fields: tuple[str, ...] = cls._fields
        defaults = {key: constant(interp, value) for key, value in cls._field_defaults.items()}  # type: ignore[attr-defined]
        values = {**defaults, **dict(zip(fields, args, strict=False)), **kwargs}
        return Tuple(tuple(values[field] for field in fields), cls)
    if dataclasses.is_dataclass(cls) and "__init__" not in cls.__dict__.get("__annotations__", {}) and _generated_init(cls):
        return _construct_dataclass(interp, cls, args, kwargs)
    init = cls.__init__  # type: ignore[misc]
    if isinstance(init, types.FunctionType) and is_user(init) and not issubclass(cls, BaseException) and cls.__new__ is object.__new__:
        ref = interp.heap.new("instance", cls, (), ())
        call(interp, attributes.of_class(interp, cls, "__init__"), (ref, *args), kwargs, hint, False)
        return ref
    if not issubclass(cls, BaseException) and is_pure(cls) and all(is_static(interp, arg) for arg in (*args, *kwargs.values())):
        found = fold(interp, cls, args, kwargs)
        if found is not None:
            return found
    if init is object.__init__ and cls.__new__ is object.__new__ and not args and not kwargs and cls.__module__ != "builtins":
        return interp.heap.new("instance", cls, (), ())
    return opaque(interp, cls, args, kwargs, hint, wanted)


def _generated_init(cls: type) -> bool:
    return getattr(cls.__init__, "__code__", None) is None or cls.__init__.__code__.co_filename == "<string>"  # type: ignore[misc]


def _construct_dataclass(interp: Interpreter, cls: Any, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    fields = [field for field in dataclasses.fields(cls) if field.init]
    positional = [field.name for field in fields if not field.kw_only]
    values: Kwargs = {**dict(zip(positional, args, strict=False)), **kwargs}
    items: Kwargs = {}
    for field in dataclasses.fields(cls):
        if field.init and field.name in values:
            items[field.name] = values[field.name]
        elif field.default is not dataclasses.MISSING:
            items[field.name] = from_outside(interp, field.default, Access((), Lit(field)).to("attribute", "default"))
        elif field.default_factory is not dataclasses.MISSING:
            items[field.name] = interp.call(constant(interp, field.default_factory), ())
        elif field.init:
            return interp.fail(TypeError, f"{cls.__name__}.__init__() missing the argument '{field.name}'")
    ref = interp.heap.new("instance", cls, tuple(items), tuple(items.values()))
    if hasattr(cls, "__post_init__"):
        call(interp, attributes.of_class(interp, cls, "__post_init__"), (ref,), {}, "tmp", False)
    return ref


# -- primitives -------------------------------------------------------------------------------------------------------


def primitive(
    interp: Interpreter, record: Primitive, fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool
) -> Value:
    """Write the call of a primitive of the rule table."""
    args, kwargs = _with_named_out(fn, args, kwargs)
    out = kwargs.pop("out", NONE)
    if isinstance(fn, np.ufunc) and len(args) > fn.nin:
        args, out = args[: fn.nin], args[fn.nin]
    if isinstance(out, Tuple) and len(out.items) == 1:
        out = out.items[0]
    where = kwargs.get("where")
    if where is not None and isinstance(fn, np.ufunc):
        if where != Lit(True):
            raise interp.error("`where=` in an elementwise function is not supported", "use `np.where(condition, f(x), otherwise)`")
        del kwargs["where"]
    if out == NONE and all(is_static(interp, arg) for arg in (*args, *kwargs.values())) and _folds(record):
        found = fold(interp, fn, args, kwargs)
        if found is not None:
            return found
    if fn in JOINING and args and (filled := interp.filled(args[0])) is not None:
        return _join_filled(interp, fn, collecting.so_far(interp, filled), args[1:], kwargs, hint)
    args, kwargs = _static_where_needed(interp, record, fn, args, kwargs)
    args, kwargs = _by_position(fn, args, kwargs)
    operands = tuple(operand(interp, arg) for arg in args)
    named = {key: operand(interp, arg) for key, arg in kwargs.items()}
    effect = record.effect
    probe = effect if not callable(effect) else effect(Call((), Lit(fn), operands, tuple(named.items())))
    if probe.writes:
        interp.builder.emit(Call((), Lit(fn), operands, tuple(named.items()), interp.span))
        return NONE
    type_ = result_type(interp, record, fn, operands, named)
    if isinstance(out, Var) and isinstance(out.type, Array):
        value = interp.emit(fn, operands, type_, "tmp", named)
        interp.builder.effect(operator.setitem, out, Lit(...), value, span=interp.span)
        return out
    if out != NONE:
        raise interp.error("`out=` is not an array here", "pass an array of the result's shape")
    result = interp.emit(fn, operands, type_, hint, named)
    learn(interp, fn, result, operands)
    return result


def _with_named_out(fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs) -> tuple[tuple[Value, ...], Kwargs]:
    """The arguments with an ``out`` that was given by position given by name."""
    place = fn.nin if isinstance(fn, np.ufunc) else _place_of_out(fn)
    if place is None or len(args) <= place:
        return args, kwargs
    if isinstance(fn, np.ufunc):
        return args[:place], {**kwargs, "out": args[place]}
    before, out, after = args[:place], args[place], args[place + 1 :]
    names = list(inspect.signature(_described(fn)).parameters)[place + 1 :]
    return before, {**kwargs, "out": out, **dict(zip(names, after, strict=False))}


def _described(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn`, or the function of NumPy that has the parameters of the array method `fn`."""
    method = isinstance(fn, types.MethodDescriptorType) and fn.__objclass__ is np.ndarray
    found: Callable[..., Any] = getattr(np, fn.__name__, fn) if method else fn
    return found


@functools.lru_cache(maxsize=1024)
def _place_of_out(fn: Callable[..., Any]) -> int | None:
    """The position of the parameter ``out`` of `fn`, if it has one."""
    try:
        parameters = list(inspect.signature(_described(fn)).parameters.values())
    except (TypeError, ValueError):
        return None
    names = [parameter.name for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]
    return names.index("out") if "out" in names else None


def _join_filled(
    interp: Interpreter, fn: Callable[..., Any], items: Var, rest: tuple[Value, ...], kwargs: Kwargs, hint: str
) -> Value:
    """``np.stack`` and its kin on a list that a loop has filled, whose items are one array already."""
    axis = interp.static(rest[0] if rest else kwargs.get("axis", Lit(0)), "an axis")
    assert isinstance(items.type, Array)
    if fn is np.stack and len(rest) <= 1 and not set(kwargs) - {"axis"}:
        moved: Value = items if axis == 0 else interp.call(Lit(np.moveaxis), (items, Lit(0), Lit(axis)))
        return interp.call(Lit(np.ndarray.copy), (moved,), hint=hint)
    if fn is np.vstack and items.type.shape is not None and len(items.type.shape) == 2 and not rest and not kwargs:
        return interp.call(Lit(np.ndarray.copy), (items,), hint=hint)
    flat = fn in (np.concatenate, np.hstack) and items.type.shape is not None and len(items.type.shape) == 2
    if flat and axis == 0 and len(rest) <= 1 and not set(kwargs) - {"axis"}:
        return interp.call(Lit(np.ndarray.copy), (interp.call(Lit(np.reshape), (items, Lit(-1))),), hint=hint)
    message = f"`np.{fn.__name__}` of a list that a loop has filled is not supported here"
    raise interp.error(message, "use `np.array` or `np.stack`, and reshape the result")


def _by_position(fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs) -> tuple[tuple[Value, ...], Kwargs]:
    """Floats that are passed by keyword, moved to their positions where the signature of `fn` tells: rules differentiate those."""
    if not any(isinstance(value, Var) and is_float(value.type) or isinstance(value, Tuple | Ref) for value in kwargs.values()):
        return args, kwargs
    try:
        parameters = list(inspect.signature(fn).parameters.values())[len(args) :]
    except (TypeError, ValueError):
        return args, kwargs
    rest = dict(kwargs)
    for parameter in parameters:
        if parameter.name not in rest or parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
            break
        args = (*args, rest.pop(parameter.name))
    return args, rest


def _folds(record: Primitive) -> bool:
    effect = record.effect
    return callable(effect) or not (effect.writes or effect.opaque)


def _static_where_needed(
    interp: Interpreter, record: Primitive, fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs
) -> tuple[tuple[Value, ...], Kwargs]:
    """Ask that integers be known where they decide what kind of result there is, if they can be."""
    module = getattr(fn, "__module__", None)
    by_number = module in ("_operator", "operator", "math", "builtins") or isinstance(fn, np.ufunc)
    if by_number or isinstance(record.derivative, Partials | Memory) or getattr(fn, "__name__", "") in _SIZED:
        return args, kwargs
    return (
        tuple(_known_if_promotable(interp, arg) for arg in args),
        {key: _known_if_promotable(interp, arg) for key, arg in kwargs.items()},
    )


_SIZED = frozenset(
    {"zeros", "ones", "empty", "full", "arange", "linspace", "reshape", "broadcast_to", "eye", "identity", "take", "where", "tri",
     "zeros_like", "ones_like", "full_like", "empty_like", "array", "asarray", "float64", "float32", "repeat", "tile", "roll",
     "logspace", "geomspace", "clip", "unbroadcast", "broadcast_like", "item", "round", "around", "float_power", "fill"}
)  # fmt: skip


def _known_if_promotable(interp: Interpreter, value: Value) -> Value:
    match value:
        case Var(_, Scalar(dtype)) if dtype in ("int64", "bool") and interp.origins.get(value):
            return Lit(interp.static(value, "this argument"))
        case Tuple(items, cls):
            return Tuple(tuple(_known_if_promotable(interp, item) for item in items), cls)
        case _:
            return value


def result_type(
    interp: Interpreter, record: Primitive, fn: Callable[..., Any], operands: tuple[Operand, ...], named: dict[str, Operand]
) -> Type:
    """The type of a primitive's result."""
    if interp.unconditional and fn in PRODUCTS:
        interp.equal.multiply(operands)
    if record.result is not None:
        found = record.result(operands, named)
        if found is not None:
            return with_fresh(found, interp.fresh_dim)
    if fn in (np.reshape, np.ndarray.reshape) and (shaped := reshaped_type(operands, named, interp.sizes)) is not None:
        return with_fresh(shaped, interp.fresh_dim)
    if fn in PRODUCTS and len(operands) == 2 and not named and (product := product_type(fn, *operands)) is not None:
        return with_fresh(product, interp.fresh_dim)
    given = [var for arg in (*operands, *named.values()) for var in variables(arg)]
    objects = [var for var in given if isinstance(var.type, Object)]
    floats = [var for var in given if is_float(var.type)]
    if objects:
        if floats and not isinstance(record.derivative, Constant):
            return _type_with_objects(interp, record, fn, floats)
        return Object()
    elementwise = isinstance(record.derivative, Partials) or (isinstance(fn, np.ufunc) and fn.signature is None) or fn in ELEMENTWISE
    try:
        infer = elementwise_type if elementwise else sampled_type
        if elementwise and interp.unconditional:
            interp.equal.broadcast(operands)
        return with_fresh(infer(fn, operands, named, interp.sizes), interp.fresh_dim)
    except NoSample as error:
        if not floats:
            return Object()
        message = f"the result of `{record.name}` cannot be told: {error}"
        raise interp.error(message, "check the arguments; if they are right, compute it with other functions") from None


def _type_with_objects(interp: Interpreter, record: Primitive, fn: Callable[..., Any], floats: list[Var]) -> Type:
    """The type of a call on numbers and on values of which nothing is known: a number or an array of the floats' dtype."""
    if not isinstance(record.derivative, Partials):
        message = f"`{record.name}` is called on a value that adxform knows nothing of"
        raise interp.error(message, "convert the value first, with `float(…)` or `np.asarray(…)` outside of the function", MissingRuleError)
    dtypes = [var.type.dtype for var in floats if isinstance(var.type, Array | Scalar)]
    return Array(np.result_type(*map(np.dtype, dtypes)).name, None)


JOINING = frozenset({np.stack, np.concatenate, np.vstack, np.hstack, np.dstack, np.column_stack})
PRODUCTS = frozenset({operator.matmul, np.matmul, np.dot, np.ndarray.dot})
ELEMENTWISE = frozenset(
    {operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.neg,
     operator.pos, operator.abs, operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge, operator.and_,
     operator.or_, operator.xor, operator.invert, operator.lshift, operator.rshift, np.where, runtime.masked_product}
)  # fmt: skip

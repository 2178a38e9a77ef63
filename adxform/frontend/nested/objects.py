"""Derivatives as objects inside a differentiated function: those from outside, and those that the program itself makes."""

from __future__ import annotations

import inspect
import operator
from types import FunctionType

from adxform.errors import AdxError, PreparationMismatchError
from adxform.frontend.containers.methods import Known
from adxform.frontend.derivative_operators import ORDERS, Mark, Operator, marked
from adxform.frontend.evaluate import structures
from adxform.frontend.evaluate.outside.guards import constant, from_outside, guard
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Ref, Static, Tuple, Value
from adxform.frontend.nested import inline
from adxform.frontend.nested.checkpoints import call_checkpointed
from adxform.frontend.nested.mirrors import ask_shape, described, type_of
from adxform.frontend.signature import Tree
from adxform.frontend.signature.access import Equals, Is, path_to
from adxform.ir.ops import Lit, Snapshots, Var
from adxform.ir.types import Array, rank
from adxform.runtime.revolve import check_options

Args = tuple[Value, ...]
Kwargs = dict[str, Value]
Object = Static | Lit | Ref
FIELDS = ("kind", "fn", "argnums", "has_aux", "mode", "holomorphic", "definition", "example")
WAY_OUT = "prepare it for arguments like these, or with `strict=False`"
OUT = "give arrays like those of the result, and `None` for what is to be returned as it is"


def call_operator(interp: Interpreter, value: Static | Lit, args: Args, kwargs: Kwargs) -> Value:
    """Call a function of the API, or what one returned."""
    fn = value.value
    if isinstance(fn, Operator):
        return call_form(interp, value, "__call__", args, kwargs)
    mark = marked(fn)
    assert mark is not None
    try:
        signature = inspect.signature(fn)
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        return interp.fail(TypeError, f"{fn.__name__}() {error}")
    match mark.kind:
        case _ if mark.made is not None:
            return _made(interp, mark, mark.made, signature, bound)
        case "jvp":
            primals, tangents = (tuple(interp.items(bound[name])) for name in ("primals", "tangents"))
            return inline.push_forward(interp, bound["f"], primals, tangents)
        case "vjp":
            return inline.pulled(interp, bound["f"], bound.get("primals", ()))
        case "stop_gradient":
            return inline.stop(interp, bound["x"])
        case "checkpoint":
            return _checkpoint(interp, bound)
        case _:
            return interp.call(constant(interp, mark.definition), args, kwargs)


def _made(interp: Interpreter, mark: Mark, cls: type[Operator], signature: inspect.Signature, bound: dict[str, Value]) -> Value:
    """What a function of the API returns that makes an object."""
    usual = signature.parameters["mode"].default if "mode" in signature.parameters else "auto"
    complex_too = bool(interp.static(bound.get("holomorphic", Lit(False)), "`holomorphic`"))
    options = (bound.get("argnums", Lit(0)), bound.get("has_aux", Lit(False)), bound.get("mode", Lit(usual)), Lit(complex_too))
    if mark.kind in ("hvp", "hessian") and interp.static(options[2], "`mode`") not in ORDERS:
        raise interp.error(f"{mark.kind} is not taken in this mode", f"the modes are {', '.join(ORDERS)}")
    if interp.static(bound.get("sparse", Lit(False)), "`sparse`"):
        raise interp.error("a sparse derivative cannot be differentiated", "prepare it without `sparse=True` here")
    example = None
    if "example_args" in signature.parameters and interp.static(bound.get("strict", Lit(True)), "`strict`"):
        args, kwargs, _ = inline.bare(interp, bound.get("example_args", ()), bound.get("example_kwargs", {}))  # type: ignore[arg-type]
        named = tuple([(name, _description(interp, arg)) for name, arg in kwargs.items()])
        example = tuple([_description(interp, arg) for arg in args]), named
    definition = constant(interp, mark.holomorphic if complex_too and mark.holomorphic else mark.definition)
    fields = (Lit(mark.kind), _with_checkpoints(interp, bound), *options, definition, Lit(example))
    return interp.heap.new("instance", cls, FIELDS, fields)


def attribute(interp: Interpreter, value: Object, name: str) -> Value | None:
    """The attribute `name` of an operator object: a derivative, or what it was made of; ``None`` for data from outside."""
    cls = _class(value)
    if name in cls.forms:
        return form(value, name)
    if not isinstance(value, Ref) and not isinstance(
        inspect.getattr_static(cls, name, None), FunctionType | classmethod | property
    ):
        return None
    found = interp.contents(value).get(name) if isinstance(value, Ref) and name in FIELDS[1:-2] else None
    if found is None:
        raise interp.error(f"`{name}` of a derivative is not known inside of a differentiated function", "read it outside")
    return found


def _class(value: Object) -> type[Operator]:
    return value.cls if isinstance(value, Ref) else type(value.value)


def form(value: Object, name: str) -> Value:
    """The method `name` of an operator object, a derivative as the object itself is one."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
        return call_form(interp, value, name, args, kwargs)

    return Lit(Known(name, handler))


def call_form(interp: Interpreter, value: Object, name: str, args: Args, kwargs: Kwargs) -> Value:
    """Call the method `name` of an operator object."""
    cls = _class(value)
    out: Value = NONE
    if "out" in kwargs and "out" in inspect.signature(getattr(cls, name)).parameters:
        out = interp.force(kwargs["out"])
        kwargs = {key: arg for key, arg in kwargs.items() if key != "out"}
    _refuse_unprepared(interp, value, name, args, kwargs)
    if name in cls.forms:
        found = interp.call(constant(interp, cls.forms[name]), (value, *args), kwargs)
    elif not isinstance(value, Ref) and value.value.kind == "checkpoint":
        return call_checkpointed(interp, *_checkpoint_fields(interp, value, value.value), args, kwargs)
    else:
        fields = interp.contents(value).items if isinstance(value, Ref) else _fields(interp, value)
        found = inline.call_made(interp, fields, args, kwargs)
    if out == NONE:
        return found
    given = {leaf for arg in (*args, *kwargs.values()) for leaf in structures.leaves_of(interp, arg)}
    if any(leaf in given for leaf in structures.leaves_of(interp, out)):
        raise _unprepared(interp, ["`out`: expected memory of its own, got memory of an argument"], OUT)
    return _delivered(interp, found, out, "out")


def _delivered(interp: Interpreter, result: Value, out: Value, path: str) -> Value:
    """`result` in the arrays of `out`, as `adxform.api.prepared.calls.outputs` says it."""
    result, out = interp.force(result), interp.force(out)
    if out == NONE:
        return result
    match result, out:
        case (Tuple() | Ref(), Tuple() | Ref()) if type(result) is type(out) and result.cls is out.cls:
            parts, others = structures.items_of(interp, result), structures.items_of(interp, out)
            if len(parts) == len(others):
                pairs = enumerate(zip(parts, others, strict=True))
                items = [_delivered(interp, part, other, f"{path}[{i}]") for i, (part, other) in pairs]
                return structures.made_like(interp, result, items)
        case (Var() | Lit(), Var(_, Array(dtype, shape))) if (own := type_of(result)) is not None:
            ranks = rank(own), rank(out.type)
            if getattr(own, "dtype", None) == dtype and (ranks[0] == ranks[1] or None in ranks):
                if ranks != (0, 0) and not (isinstance(own, Array) and own.shape is not None and own.shape == shape):
                    interp.call(constant(interp, ask_shape), (out, result, Lit("array `out`")))
                interp.call(Lit(operator.setitem), (out, Lit(...), result))
                return out
    line = f"`{path}`: expected None or something like {described(result)}, got {described(out)}"
    raise _unprepared(interp, [line], OUT)


def _refuse_unprepared(interp: Interpreter, value: Object, name: str, args: Args, kwargs: Kwargs) -> None:
    """Raise where the method `name` of an operator object does not take arguments like these."""
    example = interp.contents(value).get("example") if isinstance(value, Ref) else None
    if isinstance(value, Ref) and example == Lit(None):
        return
    if not isinstance(value, Ref):
        if not value.value.prepared_for:
            return
        if isinstance(value, Static) and value.access is not None:
            guard(interp, value.access.to("attribute", "prepared_for"), Equals(Lit(value.value.prepared_for)))
    args, kwargs, _ = inline.bare(interp, args, kwargs)
    named = {key: _description(interp, arg) for key, arg in kwargs.items()}
    positional = [_description(interp, arg) for arg in args]
    if isinstance(value, Ref):
        assert isinstance(example, Lit)
        assert issubclass(value.cls, Operator)
        lines = value.cls.unlike(example.value, name, positional, named)
    else:
        lines = value.value.refusals(name, positional, named)
    if lines:
        raise _unprepared(interp, lines)


def _unprepared(interp: Interpreter, lines: list[str], way_out: str = WAY_OUT) -> AdxError:
    message = "\n".join(("a derivative was not prepared for this call", *(f"    {line}" for line in lines)))
    return interp.error(message, way_out, PreparationMismatchError)


def _description(interp: Interpreter, value: Value) -> Tree | None:
    try:
        return structures.result(interp, value)[0]
    except AdxError:
        return None


def _fields(interp: Interpreter, value: Static | Lit) -> tuple[Value, ...]:
    """The fields of an operator object from outside."""
    made = value.value
    access = value.access if isinstance(value, Static) else None
    if access is not None:
        for name in ("kind", "argnums", "has_aux", "mode", "holomorphic"):
            guard(interp, access.to("attribute", name), Equals(Lit(getattr(made, name))))
        guard(interp, access.to("attribute", "definition"), Is(made.definition))
    f = from_outside(interp, made.fn, path_to(access, ("attribute", "fn")))
    argnums = constant(interp, made.argnums)
    options = argnums, Lit(made.has_aux), Lit(made.mode), Lit(made.holomorphic)
    return Lit(made.kind), f, *options, constant(interp, made.definition)


def _checkpoint_fields(interp: Interpreter, value: Static | Lit, made: Operator) -> tuple[Value, Snapshots | None]:
    """The function and the options of a ``checkpoint(f, …)`` from outside."""
    access = value.access if isinstance(value, Static) else None
    options = {name: getattr(made, name) for name in ("checkpoint_steps", "max_memory")}
    if access is not None:
        for name, option in options.items():
            guard(interp, access.to("attribute", name), Equals(Lit(option)))
    f = from_outside(interp, made.fn, path_to(access, ("attribute", "fn")))
    return f, _snapshots(*options.values())


def _checkpoint(interp: Interpreter, bound: dict[str, Value]) -> Value:
    """``checkpoint(f, …)`` in a differentiated function."""
    options = [interp.static(bound.get(name, NONE), f"`{name}`") for name in ("checkpoint_steps", "max_memory")]
    interp.evaluate(check_options, options)

    def handler(interp: Interpreter, args: tuple[Value, ...], kwargs: Kwargs, hint: str) -> Value:
        if "f" not in bound:
            return _checkpoint(interp, {**bound, "f": args[0]})
        return call_checkpointed(interp, bound["f"], _snapshots(*options), args, kwargs)

    return Lit(Known("checkpoint", handler))


def _with_checkpoints(interp: Interpreter, bound: dict[str, Value]) -> Value:
    """The function that a derivative is taken of: with checkpoints where some are asked for."""
    asked = any(bound.get(name, NONE) != NONE for name in ("checkpoint_steps", "max_memory"))
    return _checkpoint(interp, bound) if asked else bound["f"]


def _snapshots(count: int | None, memory: int | None) -> Snapshots | None:
    return None if count is None and memory is None else Snapshots(count, memory)

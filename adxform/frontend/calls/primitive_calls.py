"""Calls of the primitives of the rule table, as typed ops."""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adxform import runtime
from adxform.errors import MissingRuleError, UnsupportedOperationError
from adxform.frontend.calls.bound_calls import bound_to_signature
from adxform.frontend.calls.bound_forms import by_position
from adxform.frontend.calls.objects_as_arrays import as_arrays
from adxform.frontend.calls.opaque import opaque
from adxform.frontend.calls.types_by_rule import type_by_rule
from adxform.frontend.checks.shared_memory import read_meanwhile
from adxform.frontend.containers import collecting
from adxform.frontend.evaluate.classes.protocols import as_number, converts_itself, is_object, refused
from adxform.frontend.evaluate.control_flow.joined_types import number_type
from adxform.frontend.evaluate.folding import fold
from adxform.frontend.evaluate.operands import are_static, operand, whole
from adxform.frontend.evaluate.parts import array_subscripts
from adxform.frontend.evaluate.sizes import learn
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Range, Ref, Static, Tuple, Value
from adxform.frontend.types import forgotten_kinds
from adxform.frontend.types.result_types import is_elementwise, is_product, result_type
from adxform.ir.kinds import one_of, scalar_type
from adxform.ir.ops import Call, Lit, Operand, Var
from adxform.ir.types import FLOAT, INT, Array, Dim, Object, Scalar, Several, Type, is_complex, is_inexact
from adxform.ir.walk import variables_of
from adxform.primitives.declare import name_of
from adxform.primitives.definitions.arrangements.stacking import OF_ROWS
from adxform.primitives.facets import Moves
from adxform.primitives.record import PURE, Effect, General, Memory, Primitive
from adxform.primitives.table import TABLE

Kwargs = dict[str, Value]


def primitive(
    interp: Interpreter,
    record: Primitive,
    fn: Callable[..., Any],
    args: tuple[Value, ...],
    kwargs: Kwargs,
    hint: str,
    wanted: bool,
) -> Value:
    """Write the call of a primitive of the rule table."""
    args = as_arrays(interp, fn, tuple(as_number(interp, arg) for arg in args))
    kwargs = {key: as_number(interp, arg) for key, arg in kwargs.items()}
    out = kwargs.pop("out", NONE) if isinstance(fn, np.ufunc) or not _is_own(record, fn) else NONE
    used = (wanted or out != NONE) and kwargs.get("out", NONE) == NONE
    if _runs_as_it_is(interp, record, fn, (*args, *kwargs.values()), used):
        return opaque(interp, fn, args, kwargs, hint, wanted)
    if isinstance(record.derivative, General) and _is_own(record, fn):
        args, kwargs = bound_to_signature(interp, record.derivative, fn, args, kwargs)
    if out == NONE and _folds(record) and are_static(interp, (*args, *kwargs.values())):
        found = fold(interp, fn, args, kwargs)
        if found is not None:
            return found
    long = {arg: collecting.as_array(interp, arg) for arg in args if isinstance(arg, Ref) and interp.is_long(arg)}
    args = tuple(long.get(arg, arg) if isinstance(arg, Ref) else arg for arg in args)
    return _written(interp, _bound(interp, record, fn, args, kwargs, hint), out, long, wanted)


def _runs_as_it_is(interp: Interpreter, record: Primitive, fn: Callable[..., Any], values: tuple[Value, ...], used: bool) -> bool:
    """Whether a call of `fn` with these `values`, whose result is `used` or not, runs as it is: nothing moves in it.

    Raises:
        MissingRuleError: its rule says nothing of what else it is called for than its result.
        UnsupportedOperationError: it is given an object of which nothing is known.
    """
    if _is_own(record, fn) and record.effect == PURE and not used:
        if not _has_float(interp, values):
            return True
        message = f"`{record.name}` is called for something else than its result, and its rule is one for what it returns"
        raise interp.error(message, "where it writes to an argument, say so: `adxform.rule(f, writes=(0,))`", MissingRuleError)
    if isinstance(record.derivative, Memory) or record.objects or _takes_anything(record, fn):
        return False
    strange = _strange(interp, values)
    if isinstance(strange, Ref) or (strange is not None and _has_float(interp, values)):
        raise refused(interp, strange, f"`{record.name}`")
    return strange is not None


def _bound(
    interp: Interpreter, record: Primitive, fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs, hint: str
) -> _Bound:
    """A call with operands for arguments: arrays for what stands for such, and known what the rule has to know."""
    args, kwargs = _with_arrays(interp, record, fn, args, kwargs)
    args, kwargs = _static_where_needed(interp, record, fn, args, kwargs)
    args, kwargs = by_position(fn, args, kwargs)
    if record.elementwise and _has_float(interp, (*args, *kwargs.values())):
        meets_complex = any(map(_is_complex, args))
        args = tuple(checked_number(interp, arg, meets_complex) for arg in args)
    as_operand = whole if _takes_anything(record, fn) else operand
    named = {key: as_operand(interp, arg) for key, arg in kwargs.items()}
    return _Bound(record, fn, tuple([as_operand(interp, arg) for arg in args]), named, hint)


def _is_own(record: Primitive, fn: Callable[..., Any]) -> bool:
    """Whether the rule is the user's own."""
    return TABLE.get(fn) is not record


def _takes_anything(record: Primitive, fn: Callable[..., Any]) -> bool:
    """Whether the rule is the user's own, of a function that takes objects as they are."""
    return _is_own(record, fn) and (fn not in TABLE or isinstance(record.derivative, General))


@dataclass(frozen=True, slots=True)
class _Bound:
    """A call of the primitive `record`, spelled `fn`, with operands for arguments, each where the signature has it."""

    record: Primitive
    fn: Callable[..., Any]
    operands: tuple[Operand, ...]
    named: dict[str, Operand]
    hint: str


def _written(interp: Interpreter, call: _Bound, out: Value, long: Mapping[Ref, Var], wanted: bool) -> Value:
    """The result of a call of a primitive, once it is written; `out` itself, if that is to hold it.

    Arrays stand among the operands for the lists `long`.
    """
    record, fn, operands, named = call.record, call.fn, call.operands, call.named
    effect = record.effect
    if callable(effect):
        effect = effect(Call((), Lit(fn), operands, tuple(named.items())))
    if effect.views and long:
        call = replace(call, operands=_with_own_memory(interp, operands, effect.views, set(long.values())))
    if effect.writes and isinstance(record.derivative, General):
        return _store_contents(interp, call, effect.writes, wanted)
    if effect.writes:
        interp.builder.emit(Call((), Lit(fn), call.operands, tuple(named.items()), interp.span))
        return NONE
    type_ = _result_type(interp, call)
    if isinstance(type_, Several):
        return _several(interp, call, type_, out)
    if isinstance(type_, Object) and isinstance(record.derivative, General) and _is_own(record, fn) and _move(operands, named):
        message = f"`{record.name}` returns no number or array, and its rule is one for what it returns"
        raise interp.error(message, "where it writes to an argument, say so: `adxform.rule(f, writes=(0,))`", MissingRuleError)
    if isinstance(type_, Array) and type_.shape != () and not record.elementwise:
        forgotten_kinds.require_fractions(interp, long)
    if out == NONE:
        return _one(interp, call, type_)
    if record.moves is Moves.JOIN:
        interp.to_check.apart += read_meanwhile(out, variables_of(call.operands), interp.span)
    return into(interp, fn, out, interp.emit(fn, call.operands, type_, "tmp", named))


def _several(interp: Interpreter, call: _Bound, types: Several, out: Value) -> Value:
    """The results of a call that has several."""
    if out != NONE:
        raise interp.error("`out=` is not an array here", "store the results: `x[...], y[...] = f(a)`")
    if isinstance(call.record.derivative, General):
        return several_results(interp, call.fn, call.operands, call.named, types, call.hint)
    return _results_apart(interp, interp.emit(call.fn, call.operands, Object(), "parts", call.named), types, call.hint)


def _one(interp: Interpreter, call: _Bound, type_: Type) -> Value:
    """The result of a call that has one; where a power of numbers may be of another kind, the run checks them."""
    fn, operands = call.fn, call.operands
    if fn is operator.pow and not interp.in_own_code:
        if type_ == FLOAT and _may_be_complex(*operands):
            interp.builder.effect(runtime.check_power, *operands, span=interp.span)
        elif type_ == INT:
            type_ = _whole_power(interp, operands[1])
        if interp.in_compiled and type_ != INT and all(map(_is_whole, operands)):
            message = "a whole number to a power below zero is whole, too, where Numba computes it"
            raise interp.error(message, "make the base a float: `float(n) ** -1`")
    result = interp.emit(fn, operands, type_, call.hint, call.named)
    learn(interp, fn, result, operands)
    return result


def _is_whole(value: Operand) -> bool:
    return value.type == INT if isinstance(value, Var) else isinstance(value, Lit) and type(value.value) is int


def _whole_power(interp: Interpreter, exponent: Operand) -> Type:
    """The type of a whole number of Python's to the power `exponent`, another one: a float where that is below zero.

    What is written as `-k` may well be; of all else it is checked that it is not.
    """
    if not isinstance(exponent, Var):
        return INT
    for op in reversed(interp.builder.ops):
        if isinstance(op, Call) and exponent in op.outs and op.fn == Lit(operator.neg):
            return one_of((INT, FLOAT))
    interp.builder.effect(runtime.check_whole_power, exponent, span=interp.span)
    return INT


def _result_type(interp: Interpreter, call: _Bound) -> Type | Several:
    """The type of the result of a call, by samples, or by the rule where it is the user's and there are none."""
    rule = call.record.derivative
    try:
        return result_type(interp, call.record, call.fn, call.operands, call.named)
    except UnsupportedOperationError:
        if not isinstance(rule, General) or TABLE.get(call.fn) is call.record:
            raise
        if (found := type_by_rule(interp, rule, call.operands, call.named)) is None:
            raise
        return found


def _move(operands: tuple[Operand, ...], named: Mapping[str, Operand]) -> bool:
    """Whether there is a floating number or array among these."""
    return any(is_inexact(var.type) for var in variables_of((*operands, *named.values())))


def _store_contents(interp: Interpreter, call: _Bound, places: tuple[int, ...], wanted: bool) -> Value:
    """Write what a function of the user's leaves in its arguments at `places` as values, which are then stored there.

    Raises:
        MissingRuleError: one of them is no array, or the program uses what the function returns.
    """
    if wanted:
        message = f"the result of `{call.record.name}` is used, and its rule is one for what it writes to its arguments"
        raise interp.error(message, "call it as a statement, and use the array that it writes to", MissingRuleError)
    outs: dict[Var, Var] = {}
    for place in places:
        array = call.operands[place] if place < len(call.operands) else None
        if not isinstance(array, Var) or not isinstance(array.type, Array) or array in outs:
            message = f"argument {place} of `{call.record.name}`, which its rule says it writes to, is no array of its own"
            raise interp.error(message, "pass an array, by position", MissingRuleError)
        others = variables_of((*call.operands[:place], *call.operands[place + 1 :], *call.named.values()))
        if arrays := [var for var in others if isinstance(var.type, Array)]:
            interp.builder.effect(runtime.check_apart, array, *arrays, span=interp.span)
        outs[array] = interp.builder.var(array.base, array.type)
    contents = Lit(runtime.ContentsAfter(call.fn, places))
    interp.builder.emit(Call(tuple(outs.values()), contents, call.operands, tuple(call.named.items()), interp.span))
    for array, out in outs.items():
        interp.builder.effect(operator.setitem, array, Lit(...), out, span=interp.span)
    return NONE


def _strange(interp: Interpreter, values: tuple[Value, ...]) -> Value | None:
    """The first object with operators of its own among `values`, unless all of them are known."""
    found = next(objects_in(interp, values), None)
    return None if found is None or are_static(interp, values) else found


def _with_arrays(
    interp: Interpreter, record: Primitive, fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs
) -> tuple[tuple[Value, ...], Kwargs]:
    """The arguments of a call of `fn`, arrays in place of the lists and tuples that it takes for such, and does not write to."""
    if fn in JOINING and args:
        return (_arrays(interp, args[0]), *args[1:]), kwargs
    if (
        record.sequences
        or (_takes_anything(record, fn) and fn not in TABLE and not record.elementwise)
        or (_is_operator(fn) and any(map(_is_unknown, args)))
    ):
        return args, kwargs
    kinds = "biufc" if is_elementwise(record, fn) or is_product(fn) else "fc"
    written = record.effect.writes if isinstance(record.effect, Effect) else ()
    arrays = tuple(arg if place in written else as_array(interp, arg, kinds) for place, arg in enumerate(args))
    return arrays, {key: as_array(interp, arg, kinds) for key, arg in kwargs.items()}


def _with_own_memory(
    interp: Interpreter, operands: tuple[Operand, ...], viewed: Container[int], from_lists: set[Value]
) -> tuple[Operand, ...]:
    """`operands`, with copies of those `viewed` that stand for lists: NumPy's result shares no memory with a list."""
    return tuple(
        interp.emit(np.ndarray.copy, (one,), one.type, one.base)
        if k in viewed and isinstance(one, Var) and one in from_lists
        else one
        for k, one in enumerate(operands)
    )


def _may_be_complex(base: Operand, exponent: Operand) -> bool:
    """Whether a number of Python's own to the power of another can be complex."""
    numbers = all(scalar_type(one.value) is not None for one in (base, exponent) if isinstance(one, Lit))
    if not numbers or (isinstance(base, Lit) and base.value >= 0):
        return False
    if isinstance(exponent, Lit):
        return not float(exponent.value).is_integer()
    return isinstance(exponent, Var) and is_inexact(exponent.type)


def into(interp: Interpreter, fn: Callable[..., Any], out: Value, value: Value) -> Value:
    """`out`, into which `value`, the result of a call of `fn`, has been stored; given that NumPy takes it for `out=`."""
    if not isinstance(out, Var) or not isinstance(out.type, Array) or isinstance(value, Tuple):
        raise interp.error("`out=` is not an array here", "pass an array of the result's shape")
    found = value.type if isinstance(value, Var) else None
    if isinstance(found, Array | Scalar) and not _takes(fn, out.type, found):
        message = "the array given as `out=` has another shape or dtype than the result, which NumPy raises for"
        raise interp.error(message, "pass an array of the result's shape and dtype")
    interp.builder.effect(operator.setitem, out, Lit(...), interp.operand(value), span=interp.span)
    return out


def _takes(fn: Callable[..., Any], out: Array, found: Array | Scalar) -> bool:
    """Whether an array of type `out` can be the one that `fn` writes a result of type `found` to, as far as types tell.

    An elementwise function fills an array with more axes; what is multiplied or reduced goes into one of exactly its shape.
    """
    wide = isinstance(fn, np.ufunc) and fn.signature is None
    exact = fn in (np.dot, np.ndarray.dot, np.linalg.multi_dot)
    if not np.can_cast(np.dtype(found.dtype), np.dtype(out.dtype), "no" if exact else "same_kind"):
        return False
    given, wanted = out.shape, () if isinstance(found, Scalar) else found.shape
    if given is None or wanted is None:
        return True
    if wide:
        return len(wanted) <= len(given)
    return len(wanted) == len(given) and not any(
        n == 1 and isinstance(m, Dim) and not m.may_be_one for m, n in zip(given, wanted, strict=True)
    )


def objects_in(interp: Interpreter, values: Iterable[Value]) -> Iterator[Value]:
    """The objects with operators of their own among `values`, and in their tuples and lists."""
    for value in values:
        if isinstance(value, Tuple) and converts_itself(value.cls):
            yield value
        elif isinstance(value, Tuple) and not is_object(value):
            yield from objects_in(interp, value.items)
        elif isinstance(value, Ref) and value.kind == "list" and not interp.is_long(value):
            yield from objects_in(interp, interp.contents(value).items)
        elif is_object(value) and not isinstance(value, Tuple):
            yield value


def _has_float(interp: Interpreter, values: Iterable[Value]) -> bool:
    """Whether there is a floating number or array among `values`, or in their tuples and lists."""
    for value in values:
        if isinstance(value, Var) and is_inexact(value.type):
            return True
        if isinstance(value, Tuple) and _has_float(interp, value.items):
            return True
        if isinstance(value, Ref) and value.kind == "list":
            filled, columns = interp.filled(value), interp.columns(value)
            held = (filled.buffer,) if filled else columns.lists if columns else interp.contents(value).items
            if _has_float(interp, held):
                return True
    return False


def checked_number(interp: Interpreter, value: Value, meets_complex: bool = False) -> Value:
    """`value`; where nothing is known of it, the run checks that it is a number or an array.

    It has to be a real one but where it `meets_complex`, since what comes of it was taken for real.
    """
    if not isinstance(value, Var) or not isinstance(value.type, Object):
        return value
    return interp.emit(runtime.number if meets_complex else runtime.real_number, (value,), Object(), value.base)


def _is_complex(value: Value) -> bool:
    """Whether `value` is known to be a complex number, or an array of such."""
    if isinstance(value, Lit):
        return isinstance(value.value, complex | np.complexfloating)
    return isinstance(value, Var) and is_complex(value.type)


def several_results(
    interp: Interpreter,
    fn: Callable[..., Any],
    operands: tuple[Operand, ...],
    named: dict[str, Operand],
    types_: Several,
    hint: str,
) -> Tuple:
    """Write one call with an out for each item of the tuple that it returns.

    Raises:
        MissingRuleError: it returns a tuple of one, which unpacks as no out says.
    """
    if len(types_.types) == 1:
        message = f"`{name_of(fn)}` returns a tuple of one, and a rule is for a number, an array or a tuple of several"
        raise interp.error(message, "return what is in it", MissingRuleError)
    outs = tuple(interp.builder.var(hint, interp.equal.type(type_)) for type_ in types_.types)
    interp.builder.emit(Call(outs, Lit(fn), operands, tuple(named.items()), interp.span))
    return Tuple(outs, types_.cls)


def _results_apart(interp: Interpreter, whole: Var, types_: Several, hint: str) -> Tuple:
    """The items of a tuple of arrays that a call returns."""
    items = tuple(interp.emit(operator.getitem, (whole, Lit(k)), type_, hint) for k, type_ in enumerate(types_.types))
    return Tuple(items, types_.cls)


def _arrays(interp: Interpreter, parts: Value) -> Value:
    """A sequence of arrays with the lists and ranges among them made arrays."""
    if not isinstance(parts, Tuple | Ref):
        return parts
    items = interp.items(parts)
    lists = Tuple | Ref | Range
    if not any(isinstance(item, lists) for item in items):
        return parts
    return Tuple(tuple(interp.call(Lit(np.array), (item,)) if isinstance(item, lists) else item for item in items))


def as_array(interp: Interpreter, value: Value, kinds: str = "biufc") -> Value:
    """The array that NumPy makes of `value`, if it is a range, or a list or tuple with a number of one of `kinds`."""
    if isinstance(value, Range):
        return array_subscripts.of_range(interp, value)
    if not isinstance(value, Tuple | Ref):
        return value
    return interp.call(Lit(np.array), (value,)) if _holds(interp, value, kinds) else value


def _holds(interp: Interpreter, value: Value, kinds: str) -> bool:
    if (filled := interp.filled(value)) is not None:
        return isinstance(filled.buffer.type, Array) and np.dtype(filled.buffer.type.dtype).kind in kinds
    if (columns := interp.columns(value)) is not None:
        return any(_holds(interp, part, kinds) for part in columns.lists)
    if isinstance(value, Tuple) or (isinstance(value, Ref) and value.kind == "list"):
        items = value.items if isinstance(value, Tuple) else interp.contents(value).items
        return any(_holds(interp, item, kinds) for item in items)
    type_ = number_type(value)
    return isinstance(type_, Scalar | Array) and np.dtype(type_.dtype).kind in kinds


def _is_operator(fn: Callable[..., Any]) -> bool:
    return getattr(fn, "__module__", None) == "_operator"


def _is_unknown(value: Value) -> bool:
    """Whether only a run can tell what `value` is: a list or a tuple beside it may stand for itself."""
    return isinstance(value, Static) or (isinstance(value, Var) and isinstance(value.type, Object))


def _folds(record: Primitive) -> bool:
    effect = record.effect
    return callable(effect) or not (effect.writes or effect.opaque)


def _static_where_needed(
    interp: Interpreter, record: Primitive, fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs
) -> tuple[tuple[Value, ...], Kwargs]:
    """Ask that integers be known where they decide what kind of result there is, if they can be."""
    module = getattr(fn, "__module__", None)
    by_number = module in ("_operator", "operator", "math", "builtins") or isinstance(fn, np.ufunc)
    if by_number or record.elementwise or isinstance(record.derivative, Memory) or record.open_integers:
        return args, kwargs
    return (
        tuple(_known_if_promotable(interp, arg) for arg in args),
        {key: _known_if_promotable(interp, arg) for key, arg in kwargs.items()},
    )


def _known_if_promotable(interp: Interpreter, value: Value) -> Value:
    match value:
        case Var(_, Scalar(dtype)) if dtype in ("int64", "bool") and interp.integers.origins.get(value):
            return Lit(interp.static(value, "this argument"))
        case Tuple(items, cls):
            return Tuple(tuple(_known_if_promotable(interp, item) for item in items), cls)
        case _:
            return value


JOINING = frozenset(OF_ROWS)

"""Operators on what is not a number: tuples, lists, instances; in-place operators; identity and membership."""

from __future__ import annotations

import operator
from typing import Any

from adxform.frontend.calls.primitive_calls import checked_number
from adxform.frontend.checks.held_copies import Taken
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.augmented import PLAIN, UPDATES, dtypes_added, dtypes_of, refuse_cast
from adxform.frontend.evaluate.classes import asked_by_name, protocols
from adxform.frontend.evaluate.classes.class_contents import find
from adxform.frontend.evaluate.classes.python_classes import class_of, is_container, name_of
from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.control_flow.branches import truth
from adxform.frontend.evaluate.control_flow.joins import same
from adxform.frontend.evaluate.identity import one_object
from adxform.frontend.evaluate.objects import chosen_objects
from adxform.frontend.evaluate.objects.heap import NO_OTHERS
from adxform.frontend.evaluate.outside import outside_containers
from adxform.frontend.evaluate.outside.settled import may_change
from adxform.frontend.evaluate.parts import indexing, stored_items
from adxform.frontend.evaluate.presence import note_opposite
from adxform.frontend.evaluate.signals import Promote
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, FunctionValue, Maybe, Once, Ref, Static, Tuple, Value, is_unknown
from adxform.frontend.known import (
    container_comparisons,
    container_membership,
    container_operators,
    sparse_products,
    unknown_operands,
)
from adxform.frontend.lowering.operator_functions import BINARY, COMPARE
from adxform.ir.kinds import alternatives, scalar_type, settled_type
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import BOOL, Array, Object, Scalar, rank
from adxform.primitives.definitions.arrangements.flat_entries import FlatEntries


def _array_changed(interp: Interpreter, fn: Any, x: Var, held: Array, value: Value) -> Value:
    """``x += value`` of an array, which takes what fits its shape and its dtype, and its like."""
    plain = PLAIN[fn]
    if held.shape is None:
        message = "this may be a number or an array, so it cannot be told whether the assignment changes it in place"
        help_ = "start from an array of the right shape, e.g. `np.zeros(n)`, or write `x = x + …`"
        raise interp.unknown(message, help_, x, value)
    if fn in UPDATES:
        added = stored_items.stored(interp, value)
        refuse_cast(interp, plain, held, dtypes_added(held, added))
        interp.builder.effect(UPDATES[fn], x, Lit(...), added, span=interp.span)
        return x
    given = container_operators.beside_array(interp, value)
    if fn is operator.imatmul:
        _fits(interp, x, given)
    result = interp.operand(interp.call(Lit(plain), (x, given)))
    if isinstance(result, Var):
        refuse_cast(interp, plain, held, dtypes_of(result))
    if isinstance(result, Var) and (rank(result.type) or 0) > (rank(x.type) or 0):
        return interp.fail(ValueError, "non-broadcastable output operand: it has fewer axes than the result")
    interp.builder.effect(operator.setitem, x, Lit(...), result, span=interp.span)
    return x


def _in_place(fn: Any) -> Handler:
    plain = PLAIN[fn]

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        x, value = args
        changed = protocols.in_place(interp, fn, x, value, hint)
        if changed is not None:
            return changed
        if isinstance(x, Var) and isinstance(x.type, Array):
            value = _operand_in_place(interp, plain, value)
            args = x, value
        elif protocols.is_object(x) or protocols.is_object(value):
            changed = _container_changed(interp, fn, x, value, hint)
            return interp.call(Lit(plain), args, hint=hint) if changed is None else changed
        match x:
            case Var(_, Array() as held):
                return _array_changed(interp, fn, x, held, value)
            case Var(_, Object()) if fn is operator.iadd and (same := outside_containers.added(interp, x, value)) is not None:
                return same
            case Var(_, Object()) if interp.of_run.is_text(x):
                return interp.call(Lit(plain), args, hint=hint)
            case Var(_, Object()):
                found = unknown_operands.asked_by_the_run(interp, fn, x, value, hint, moves=True)
                return interp.emit(fn, (x, interp.operand(value)), Object(), hint) if found is None else found
            case _:
                unknown_operands.refuse_change(interp, x, value)
                found = container_operators.in_place(interp, fn, plain, x, value)
                return interp.call(Lit(plain), args, hint=hint) if found is None else found

    return handler


def _container_changed(interp: Interpreter, fn: Any, x: Value, value: Value, hint: str) -> Answer:
    """A list, dict or set once an object has changed it in place; ``None`` where `x` is none, or something else is made.

    The operators of the object are asked first; where it has none, and is a number that repeats a list, the list itself changes.
    """
    if not isinstance(x, Ref) or x.kind not in ("list", "dict", "set"):
        return None
    answer = protocols.binary(interp, PLAIN[fn], x, value, hint)
    return container_operators.in_place(interp, fn, PLAIN[fn], x, value) if answer is None else answer


def _fits(interp: Interpreter, x: Var, value: Value) -> None:
    """Let ``x @= value`` raise where the product has another shape than `x`."""
    assert isinstance(x.type, Array)
    shape = x.type.shape or ()
    other = value.type.shape if isinstance(value, Var) and isinstance(value.type, Array) else ()
    other = other or ()
    if not shape or not other or not 2 <= len(other) <= max(len(shape), 2):
        interp.fail(ValueError, "the product does not fit into the array that it is to be put in")
    assert isinstance(value, Var)
    fits = interp.call(Lit(operator.eq), (indexing.dim(interp, value, len(other) - 1), indexing.dim(interp, x, len(shape) - 1)))
    if fits == Lit(False):
        interp.fail(ValueError, "the product does not fit into the array that it is to be put in")
    if isinstance(fits, Var):
        interp.require(fits, ValueError, "the product does not fit into the array that it is to be put in")


def _operand_in_place(interp: Interpreter, plain: Any, value: Value) -> Value:
    """`value` as an array is changed by it in place: what is no number or array would be asked what the operator means."""
    value = protocols.as_number(interp, value)
    if protocols.is_object(value):
        raise protocols.refused(
            interp, value, f"`{protocols.SIGNS.get(plain.__name__.rstrip('_'), plain.__name__).split()[0]}=` of an array"
        )
    return checked_number(interp, value)


def _binary(fn: Any) -> Handler:
    """Operators on tuples, lists and objects; on numbers they are primitives."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        a, b = args
        answer = sparse_products.product(interp, fn, a, b, hint)
        if answer is None:
            answer = unknown_operands.asked_by_the_run(interp, fn, a, b, hint, moves=True)
        if answer is None:
            answer = protocols.binary(interp, fn, a, b, hint)
        return container_operators.binary(interp, fn, a, b, hint) if answer is None else answer

    return handler


def _unary(fn: Any) -> Handler:
    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        answer = sparse_products.negative(interp, fn, args[0], hint)
        if answer is None:
            answer = protocols.unary(interp, fn, args[0], hint)
        return container_operators.unary(interp, fn, args[0]) if answer is None else answer

    return handler


def _compare(fn: Any) -> Handler:
    """Equality and order of containers and instances; on numbers they are primitives."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        a, b = args
        answer = unknown_operands.asked_by_the_run(interp, fn, a, b, hint, moves=False)
        if answer is None:
            answer = protocols.compared(interp, fn, a, b, hint)
        if answer is not None:
            return answer
        if fn not in (operator.eq, operator.ne):
            return container_comparisons.order(interp, fn, a, b, hint)
        asked = _is_none(interp, a, b, fn is operator.eq)
        if asked is not None:
            _refuse_each(interp, a, b)
            return asked
        found = container_comparisons.equality(interp, a, b, fn is operator.eq)
        if found is not None:
            return found
        structured = (Tuple, Ref, Static, FunctionValue)
        if isinstance(a, structured) and isinstance(b, structured) and not (_tells(a) or _tells(b)):
            return _equal(interp, a, b, fn is operator.eq)
        return None

    return handler


def _tells(value: Value) -> bool:
    """Whether `value` is an object that may be another one at the next call, and whose class says what it equals."""
    if not isinstance(value, Static):
        return False
    return may_change(value.value) and find(type(value.value), "__eq__") is not object.__eq__


def _equal(interp: Interpreter, a: Value, b: Value, positive: bool) -> Value:
    """Whether objects without a method for it are equal, or are not: an instance equals itself alone."""
    if isinstance(a, Static) and isinstance(b, Static):
        return Lit(bool(interp.pin(a) == interp.pin(b)) is positive)
    if isinstance(a, FunctionValue) and isinstance(b, FunctionValue):
        return Lit(_one_container(interp, a, b) is positive)
    told = chosen_objects.is_one(interp, a, b) if isinstance(a, Ref) or isinstance(b, Ref) else Lit(same(a, b))
    return _answer(interp, a, b, told, positive)


def _answer(interp: Interpreter, a: Value, b: Value, told: Value | None, positive: bool) -> Value:
    """What the run tells of `a` and `b`, which may be one object, or the opposite; refused where nobody can tell."""
    if told is None:
        known = (interp.heap.contents.originals.get(one, NO_OTHERS).params for one in (a, b) if isinstance(one, Ref))
        if params := frozenset().union(*known):
            raise Promote(params)
        raise interp.error("whether these are one object cannot be told", "compare what they hold")
    if isinstance(told, Lit):
        return Lit(bool(told.value) is positive)
    return told if positive else _opposite(interp, interp.operand(told), "other")


def _is(positive: bool) -> Handler:
    fn = operator.is_ if positive else operator.is_not

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        asked = _is_none(interp, args[0], args[1], positive)
        if asked is not None:
            return asked
        for value, other in (args, args[::-1]):
            if isinstance(value, Maybe):
                return _is_present_and(interp, value, other, positive)
        a, b = args
        if all(isinstance(arg, Ref) and arg.kind != "list" for arg in args):
            told = chosen_objects.is_one(interp, a, b)
            if told is not None or not interp.in_own_code:
                return _answer(interp, a, b, told, positive)
        found = False if _is_generator_beside(interp, a, b) or _is_generator_beside(interp, b, a) else _identical(interp, a, b)
        if found is None and interp.in_own_code and any(isinstance(arg, Lit) and type(arg.value) is str for arg in args):
            return Lit(not positive)  # asked beside whether they are equal, which says all of a text
        if found is None:
            return interp.emit(fn, tuple(interp.operand(arg) for arg in args), BOOL, hint)
        return Lit(found is positive)

    return handler


def _is_generator_beside(interp: Interpreter, value: Value, other: Value) -> bool:
    """Whether `value` is a generator of random numbers that the function makes, and `other` is of another class."""
    cls = interp.of_run.generators.get(value) if isinstance(value, Var) else None
    return cls is not None and isinstance(other, Lit | Static) and type(other.value) is not cls


def _is_none(interp: Interpreter, a: Value, b: Value, positive: bool) -> Answer:
    """Whether a value that may be ``None`` is, where one of `a` and `b` is such a value and the other ``None``."""
    for value, other in ((a, b), (b, a)):
        if isinstance(value, Maybe) and other == NONE:
            present = value.present
            if not isinstance(present, Var) or present in interp.assumed:
                return Lit((present == Lit(False)) is positive)
            if not positive:
                return present
            return _opposite(interp, present, "absent")
    return None


def _refuse_each(interp: Interpreter, a: Value, b: Value) -> None:
    """Refuse a comparison of what may be an array with ``None``, which NumPy makes element by element."""
    held = (one.value for one in (a, b) if isinstance(one, Maybe))
    if any(isinstance(one, Var) and isinstance(one.type, Array) for one in held):
        raise interp.error("what may be an array is compared with `None`, element by element if it is one", "ask `is None`")


def _is_present_and(interp: Interpreter, value: Maybe, other: Value, positive: bool) -> Answer:
    """Whether `value` is `other`, which both may be ``None``; or whether it is not so."""
    fn = Lit(operator.is_ if positive else operator.is_not)
    present = interp.operand(value.present)
    known = present != Lit(False) if not isinstance(present, Var) or present in interp.assumed else None

    def there() -> list[Value]:
        return [interp.call(fn, (value.value, other))]

    def absent() -> list[Value]:
        return [interp.call(fn, (other, NONE)) if isinstance(other, Maybe) else Lit(not positive)]

    if known is not None:
        return (there() if known else absent())[0]
    return branch(interp, present, there, absent, ["same"], interp.span)[0]


def _identical(interp: Interpreter, a: Value, b: Value) -> bool | None:
    """Whether `a` is `b`; ``None`` where the run must tell."""
    match a, b:
        case (Var(), Var()):
            if a != b:
                _refuse_identity(interp, a, b)
            return True if a == b else None
        case (Var() as variable, other) | (other, Var() as variable):
            return _is_one_object(interp, variable, other)
        case (Tuple((), cls), Tuple((), other)):
            return cls is other is tuple or _one_container(interp, a, b)
        case (Lit(one), Lit(other)):
            if isinstance(one, str | bytes) and one is not other and a == b:
                raise interp.error("whether equal texts are one object cannot be told", "compare them with `==`")
            return one is other or (a == b and scalar_type(one) is not None)
        case (Static(), Static()):
            return bool(interp.pin(a) is interp.pin(b))
        case (Static(one) | Lit(one), Static(other) | Lit(other)):
            return one is other
        case (Ref(cls=cls), Once()) | (Once(), Ref(cls=cls)) if cls is FlatEntries:  # NumPy's walks over itself
            raise interp.error(
                "whether an iterator is the `x.flat` that it walks over cannot be told", "ask something else of it"
            )
    if a is not b and interp.filled(a) and interp.filled(b) and not interp.in_own_code:
        raise interp.error("whether these lists are one object cannot be told", "compare them with `==`")
    return _one_container(interp, a, b)


def _one_container(interp: Interpreter, a: Value, b: Value) -> bool:
    """Whether two lists, dicts, tuples or instances are one object; refused where that cannot be told."""
    found = one_object(interp, a, b)
    if found is None and not interp.in_own_code:
        raise interp.error("whether these are one object cannot be told", "compare them with `==`")
    return bool(found)


def _is_one_object(interp: Interpreter, variable: Var, other: Value) -> bool | None:
    """Whether `variable` is `other`, which is no variable; ``None`` where the run must tell."""
    if isinstance(variable.type, Object):
        return None
    if isinstance(other, Lit) and isinstance(other.value, bool) and variable.type == BOOL:
        return None
    if not (isinstance(other, Lit) and isinstance(variable.type, Scalar)):
        return False
    kind, kinds = scalar_type(other.value), alternatives(variable.type)
    if kind == settled_type(variable.type) or kind in kinds:  # if it may be NumPy's, the run knows
        _refuse_identity(interp, variable, variable)
    return False


def _refuse_identity(interp: Interpreter, a: Var, b: Var) -> None:
    """Raise where a program asks whether two numbers, or items of a list held as an array, are one object."""
    if interp.in_own_code:
        return  # asks for equality too
    loaded = {one.item for one in interp.to_check.held if isinstance(one, Taken)}
    numbers = all(isinstance(var.type, Scalar) and settled_type(var.type) != BOOL for var in (a, b))
    if numbers or a in loaded or b in loaded:
        raise interp.error("whether these are one object cannot be told", "compare them with `==`")


def _id(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """Refuse the identity of what a derivative holds in its own way: only objects that it looks up have theirs."""
    if len(args) != 1 or kwargs or isinstance(args[0], Static) or is_unknown(args[0]):
        return None
    raise interp.error("the identity of this value cannot be told", "compare objects with `is`")


def _not(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    cond = truth(interp, args[0])
    if isinstance(cond, bool):
        return Lit(not cond)
    return _opposite(interp, cond, hint)


def _opposite(interp: Interpreter, cond: Operand, hint: str) -> Var:
    """Whether `cond` does not hold."""
    made = interp.emit(operator.not_, (cond,), BOOL, hint)
    note_opposite(interp.told, made, cond)
    return made


def _contains(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    box, item = args
    method = protocols.special(interp, box, "__contains__")
    if method is None:
        asked = unknown_operands.contains(interp, box, item)
        return container_membership.contains(interp, box, item) if asked is None else asked
    found = interp.call(method, (item,), hint=hint)
    inside = truth(interp, found)
    return Lit(inside) if isinstance(inside, bool) else interp.call(Lit(bool), (found,))


def _as(fn: Any) -> Handler:
    """Another name of `fn`."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        return interp.call(Lit(fn), args, kwargs, hint)

    return handler


def _divmod(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    answer = protocols.binary(interp, divmod, args[0], args[1], hint)
    if answer is None and (odd := next(filter(protocols.is_object, args), None)) is not None:
        raise protocols.refused(interp, odd, "`divmod`")
    return answer or Tuple((interp.call(Lit(operator.floordiv), args), interp.call(Lit(operator.mod), args)))


def _pow(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return None if len(args) != 2 or kwargs else interp.call(Lit(operator.pow), args, hint=hint)


def _abs(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if len(args) == 1 and isinstance(args[0], Var) and isinstance(found := interp.of_run.followed.get(args[0]), Var):
        return interp.call(Lit(abs), (found,), hint=hint)
    return _unary(operator.abs)(interp, args, kwargs, hint)


_COMPARISONS = tuple(fn for fn in COMPARE.values() if fn not in (operator.is_, operator.is_not))


def _round(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    cls = class_of(args[0]) if args else None
    method = protocols.special(interp, args[0], "__round__")
    if method is not None:
        return interp.call(method, args[1:], kwargs, hint)
    if cls is not None and is_container(cls):
        return interp.fail(TypeError, f"type {name_of(cls)} doesn't define __round__ method")
    number = protocols.decayed(interp, args[0])
    return None if number is args[0] else interp.call(Lit(round), (number, *args[1:]), kwargs, hint)


TABLE: dict[Any, Handler] = {
    round: _round,
    operator.inv: _as(operator.invert),
    operator.truth: _as(bool),
    **{fn: _in_place(fn) for fn in PLAIN},
    **{fn: _binary(fn) for fn in BINARY.values()},
    **{fn: _unary(fn) for fn in (operator.neg, operator.pos, operator.abs, operator.invert)},
    **{fn: _compare(fn) for fn in _COMPARISONS},
    operator.is_: _is(True),
    operator.is_not: _is(False),
    operator.not_: _not,
    id: _id,
    operator.contains: _contains,
    divmod: _divmod,
    pow: _pow,
    abs: _abs,
    **asked_by_name.TABLE,
}

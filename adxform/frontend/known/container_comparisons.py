"""What CPython says of containers that are compared, and of what is ``in`` them: item by item, and one object equals itself."""

from __future__ import annotations

import collections
import operator
import types
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from adxform import runtime
from adxform.frontend.containers import keyed_lists
from adxform.frontend.containers.methods import Answer
from adxform.frontend.evaluate import doubtful_keys
from adxform.frontend.evaluate.chosen_items import of_the_run
from adxform.frontend.evaluate.classes.class_contents import find, is_native
from adxform.frontend.evaluate.classes.python_classes import SETS, VIEWS, class_of, is_container, is_numpy, name_of
from adxform.frontend.evaluate.control_flow import walks
from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.control_flow.branches import truth
from adxform.frontend.evaluate.control_flow.joined_types import number_type
from adxform.frontend.evaluate.control_flow.joins import same
from adxform.frontend.evaluate.identity import one_object
from adxform.frontend.evaluate.keys import hashed
from adxform.frontend.evaluate.operands import is_static
from adxform.frontend.evaluate.outside.guards import constant, guard
from adxform.frontend.evaluate.outside.settled import is_listed
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Maybe, Method, Once, Range, Ref, Slice, Static, Tuple, Value, View
from adxform.frontend.known.container_operators import SIGNS, as_array, classes_of, is_of_keys, keys_of
from adxform.frontend.signature.access import Contains, SameAs
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, Array, Scalar, is_inexact
from adxform.primitives.definitions import iterations

Condition = Callable[[], Value]

# -- comparisons ------------------------------------------------------------------------------------------------------


def equality(interp: Interpreter, a: Value, b: Value, positive: bool) -> Answer:
    """``a == b`` (or ``!=``) where one is a container; ``None`` where neither is."""
    for maybe, other in ((a, b), (b, a)):
        if isinstance(maybe, Maybe) and other != NONE:
            return _equal_if_there(interp, maybe, other, positive)
    if any(isinstance(one, Method) and isinstance(other, Method | Static) for one, other in ((a, b), (b, a))):
        raise interp.error("whether methods are equal cannot be told", "compare the objects that they belong to")
    if isinstance(a, Slice) and isinstance(b, Slice):
        bounds = [Tuple((cut.start, cut.stop, cut.step)) for cut in (a, b)]
        return interp.call(Lit(operator.eq if positive else operator.ne), tuple(bounds))
    classes = classes_of(interp, a, b)
    if classes is None:
        spaces = _is_namespace(a) and _is_namespace(b) and (isinstance(a, Ref) or isinstance(b, Ref))
        return _equal_namespaces(interp, a, b, positive) if spaces else None
    left, right = classes
    if is_numpy(left) or is_numpy(right):
        return _equal_array(interp, a, left, b, right, positive)
    equal = _equal(interp, a, left, b, right)
    return equal if positive or equal is None else _not(interp, equal)


def _not(interp: Interpreter, equal: Value) -> Value:
    """``not equal``"""
    return Lit(not equal.value) if isinstance(equal, Lit) else interp.call(Lit(operator.not_), (equal,))


def _equal_if_there(interp: Interpreter, maybe: Maybe, other: Value, positive: bool) -> Value:
    """Equality of what may be ``None`` with what is not."""
    if isinstance(other, Maybe):
        raise interp.error("values that may be None are compared", "test them first: `if x is not None:`")
    fn = operator.eq if positive else operator.ne
    if not isinstance(maybe.present, Var) or maybe.present in interp.assumed:
        return Lit(not positive) if maybe.present == Lit(False) else interp.call(Lit(fn), (maybe.value, other))

    def there() -> list[Value]:
        return [interp.call(Lit(fn), (maybe.value, other))]

    (found,) = branch(interp, maybe.present, there, lambda: [Lit(not positive)], ["equal"], interp.span)
    return found


def _is_namespace(value: Value) -> bool:
    cls = value.cls if isinstance(value, Ref) else type(value.value) if isinstance(value, Static) else object
    return issubclass(cls, types.SimpleNamespace)


def _equal_namespaces(interp: Interpreter, a: Value, b: Value, positive: bool) -> Value:
    """Equality of objects that are equal where their attributes are."""
    if not (isinstance(a, Ref) and isinstance(b, Ref)):
        raise interp.error("an object from outside is compared with one that the function makes", "compare their attributes")
    equal = Lit(True) if _found_same(interp, a, b) else _equal_dicts(interp, a, b)
    return equal if positive else _not(interp, equal)


def _equal_array(interp: Interpreter, a: Value, left: type, b: Value, right: type, positive: bool) -> Value:
    """Equality with an array, item by item; with what is no sequence, nothing is equal."""
    fn = operator.eq if positive else operator.ne
    if all(issubclass(cls, list | tuple | range) or is_numpy(cls) for cls in (left, right)):
        return interp.call(Lit(fn), (as_array(interp, a, left), as_array(interp, b, right)))
    array = a if is_numpy(left) else b
    if isinstance(array, Var) and isinstance(array.type, Array) and array.type.shape:
        return interp.call(Lit(np.zeros_like if positive else np.ones_like), (array,), {"dtype": Lit(bool)})
    try:
        return interp.evaluate(fn, (left(), right()))
    except TypeError:
        raise interp.error(f"a {name_of(left)} and a {name_of(right)} are compared", "compare numbers with numbers") from None


def _equal(interp: Interpreter, a: Value, left: type, b: Value, right: type) -> Answer:
    if _found_same(interp, a, b):
        return Lit(True)
    if any(issubclass(left, cls) and issubclass(right, cls) for cls in (list, tuple, collections.deque)):
        return _equal_sequences(interp, a, b, issubclass(left, tuple))
    if issubclass(left, dict) and issubclass(right, dict):
        return _equal_dicts(interp, a, b)
    if is_of_keys(left, right) or is_of_keys(right, left):
        alike = all(issubclass(cls, (*SETS, VIEWS["keys"], VIEWS["items"])) for cls in (left, right))
        return Lit(alike and set(keys_of(interp, a)) == set(keys_of(interp, b)))
    if is_static(interp, a) and is_static(interp, b):
        return None if isinstance(a, Lit) and isinstance(b, Lit) else Lit(_static_equal(interp, a, b))
    if issubclass(left, range) and issubclass(right, range):
        raise interp.error("ranges whose bounds only a run can tell are compared", "compare their bounds")
    return Lit(False)


def _equal_sequences(interp: Interpreter, a: Value, b: Value, tuples: bool) -> Value:
    """Whether two lists, or two `tuples`, are equal, item by item."""
    if interp.filled(a) is not None or interp.filled(b) is not None:
        _refuse_both_missing(interp, *(interp.call(Static(iterations.has_missing), (one,)) for one in (a, b)))
        return interp.call(Static(iterations.equal), (a, b))
    items, others = interp.items(a), interp.items(b)
    if len(items) != len(others):
        return _unequal(interp, items, others) if tuples else Lit(False)
    if any(isinstance(item, Maybe) and isinstance(other, Maybe) for item, other in zip(items, others, strict=True)):
        raise interp.error("sequences with a value that may be None are compared", "compare the items one by one")
    return _all_equal(interp, items, others)


def _equal_dicts(interp: Interpreter, a: Value, b: Value) -> Value:
    """Whether two dicts have the same keys, and equal items."""
    assert isinstance(a, Ref)
    assert isinstance(b, Ref)
    one, other = interp.contents(a), interp.contents(b)
    if len(one.keys) != len(other.keys) or any(other.get(key) is None for key in one.keys):
        return Lit(False)
    return _all_equal(interp, list(one.items), [other.get(key) or NONE for key in one.keys])


def _unequal(interp: Interpreter, items: list[Value], others: list[Value]) -> Value:
    """``False``, for tuples of different lengths: Python looks at the items that they have in common first, which may raise."""
    if any(class_of(item) in (np.ndarray, None) for item in (*items, *others)):
        raise interp.error("tuples of different lengths that hold arrays are compared", "compare their lengths first")
    return Lit(False)


def _static_equal(interp: Interpreter, a: Value, b: Value) -> bool:
    return bool(interp.static(a, "an operand") == interp.static(b, "an operand")) if not _ranges(a, b) else a == b


def _ranges(a: Value, b: Value) -> bool:
    return isinstance(a, Range) or isinstance(b, Range)


def _all_equal(interp: Interpreter, items: list[Value], others: list[Value]) -> Value:
    """Whether all `items` equal those beside them: the same object is equal to itself."""
    left = [pair for pair in zip(items, others, strict=True) if not _found_same(interp, *pair)]
    return any_or_all(interp, [partial(_same_or_equal, interp, *pair) for pair in left], all)


def _same_or_equal(interp: Interpreter, a: Value, b: Value) -> Value:
    """Whether `a` and `b` are equal, or are one object that does not equal itself, as NaN and arrays, which the run can tell."""
    for maybe, other in ((a, b), (b, a)):
        if isinstance(maybe, Maybe):
            return _same_if_there(interp, maybe, other)
    outside = isinstance(a, Var) and isinstance(b, Var) and all(interp.parameters.get(one.name) == one for one in (a, b))
    equal = partial(interp.call, Lit(operator.eq), (a, b))
    if not outside or not all(isinstance(one, Var) and (is_inexact(one.type) or isinstance(one.type, Array)) for one in (a, b)):
        _refuse_one_object(interp, a, b)
        return equal()
    one = interp.emit(operator.is_, (interp.operand(a), interp.operand(b)), BOOL, "same")
    return any_or_all(interp, [partial(_constant, one), equal], any)


def _same_if_there(interp: Interpreter, maybe: Maybe, other: Value) -> Value:
    """As `_same_or_equal`, of what may be ``None`` and what is, or is not."""
    if other == NONE:
        return interp.call(Lit(operator.is_), (maybe, other))
    if not isinstance(maybe.present, Var) or maybe.present in interp.assumed:
        return Lit(False) if maybe.present == Lit(False) else _same_or_equal(interp, maybe.value, other)

    def there() -> list[Value]:
        return [_same_or_equal(interp, maybe.value, other)]

    (found,) = branch(interp, maybe.present, there, lambda: [Lit(False)], ["equal"], interp.span)
    return found


def _refuse_one_object(interp: Interpreter, a: Value, b: Value) -> None:
    """Let the run refuse two numbers that are NaN: Python asks first whether they are one object, which nobody knows here."""
    types_ = [number_type(one) for one in (a, b)]
    if any(isinstance(one, Var) for one in (a, b)) and all(isinstance(type_, Scalar) and is_inexact(type_) for type_ in types_):
        _refuse_both_missing(interp, *(interp.call(Lit(np.isnan), (one,)) for one in (a, b)))


def _refuse_both_missing(interp: Interpreter, a: Value, b: Value) -> None:
    """Let the run refuse that `a` and `b` hold, whether one and the other of two things that are compared has NaN."""
    both = interp.call(Lit(operator.and_), (a, b))
    if both != Lit(False):
        interp.require(interp.operand(interp.call(Lit(operator.not_), (both,))), runtime.missing_compared)


def _one_object(interp: Interpreter, a: Value, b: Value) -> bool:
    """Whether `a` and `b` are one object, which then is equal to itself; refused where that matters and cannot be told."""
    if isinstance(a, Lit) and isinstance(b, Lit) and a.value != a.value:
        return a.value is b.value
    found = same(a, b)
    told = one_object(interp, a, b) if isinstance(a, Tuple | Ref) and isinstance(b, Tuple | Ref) else found
    if told is None and _has_own_equality(a) and _has_own_equality(b):
        raise interp.error("whether equal named tuples are one object cannot be told", "compare their fields")
    if isinstance(a, Static) and isinstance(b, Static) and not found and a.access is not None and b.access is not None:
        guard(interp, a.access, SameAs(b.access, there=False))
    return found or told is True


def _has_own_equality(value: Value) -> bool:
    """Whether `value` is a named tuple whose class says what is equal to it, or holds one."""
    own = isinstance(value, Tuple) and not is_native(find(value.cls, "__eq__"))
    return own or (isinstance(value, Tuple) and any(map(_has_own_equality, value.items)))


def any_or_all(interp: Interpreter, conditions: Sequence[Condition], fn: Any) -> Value:
    """Whether any, or all, of `conditions` hold, as Python's own bool; a later one is asked where those before do not decide."""
    result: Value = Lit(fn is all)
    for place, condition in enumerate(conditions):
        cond = truth(interp, condition())
        if isinstance(cond, bool):
            if cond is (fn is any):
                return Lit(cond) if isinstance(result, Lit) else _decided(interp, result, Lit(cond), fn)
            continue
        if isinstance(cond, Var) and isinstance(cond.type, Array):  # its truth may be an error, where it is asked
            rest: list[Condition] = [partial(_constant, cond), *conditions[place + 1 :]]
            return _asked_one_by_one(interp, result, rest, fn)
        result = _decided(interp, result, interp.emit(bool, (cond,), BOOL), fn)
    return result


def _decided(interp: Interpreter, result: Value, cond: Value, fn: Any) -> Value:
    if isinstance(result, Lit):
        return cond
    return interp.call(Lit(operator.or_ if fn is any else operator.and_), (result, cond))


def _asked_one_by_one(interp: Interpreter, result: Value, rest: list[Condition], fn: Any) -> Value:
    """`result`, or what `rest` says where it does not decide."""
    if isinstance(result, Lit):
        cond = truth(interp, rest[0]())
        if isinstance(cond, bool):
            result = Lit(cond)
        else:
            result = interp.emit(bool, (cond,), BOOL)
        rest = rest[1:]
    if not rest or result == Lit(fn is any):
        return result
    if isinstance(result, Lit):
        return _asked_one_by_one(interp, result, rest, fn)

    def decided() -> list[Value]:
        return [Lit(fn is any)]

    def open_() -> list[Value]:
        return [_asked_one_by_one(interp, Lit(fn is all), rest, fn)]

    sides = (decided, open_) if fn is any else (open_, decided)
    (found,) = branch(interp, interp.operand(result), *sides, ["found"], interp.span)
    return found


def order(interp: Interpreter, fn: Any, a: Value, b: Value, hint: str) -> Answer:
    """``a < b`` and its kin where one is a container; ``None`` where neither is."""
    classes = classes_of(interp, a, b)
    if classes is None:
        return None
    left, right = classes
    if is_numpy(left) or is_numpy(right):
        return interp.call(Lit(fn), (as_array(interp, a, left), as_array(interp, b, right)), hint=hint)
    if any(issubclass(left, cls) and issubclass(right, cls) for cls in (list, tuple, collections.deque)):
        left_over = _without_the_same(interp, a, b)
        _refuse_missing_within(interp, *left_over)
        return interp.call(Static(iterations.compared), (Lit(fn), *left_over), hint=hint)
    if any(issubclass(left, cls) and issubclass(right, cls) for cls in (str, bytes)):
        return interp.evaluate(fn, (interp.static(a, "a text"), interp.static(b, "a text")))
    if all(issubclass(cls, (*SETS, VIEWS["keys"], VIEWS["items"])) for cls in (left, right)):
        return Lit(fn(set(keys_of(interp, a)), set(keys_of(interp, b))))
    what = f"'{SIGNS[fn]}' not supported between instances of '{name_of(left)}' and '{name_of(right)}'"
    return interp.fail(TypeError, what)


def _refuse_missing_within(interp: Interpreter, a: Value, b: Value) -> None:
    """Let the run refuse NaN in the same place of two sequences."""
    if isinstance(a, Tuple) and isinstance(b, Tuple):
        for pair in zip(a.items, b.items, strict=False):
            _refuse_one_object(interp, *pair)
    else:
        _refuse_both_missing(interp, *(interp.call(Static(iterations.has_missing), (one,)) for one in (a, b)))


def _without_the_same(interp: Interpreter, a: Value, b: Value) -> tuple[Value, Value]:
    """Two sequences less the items of one place that are one object, which decide nothing."""
    if interp.filled(a) is not None or interp.filled(b) is not None:
        return a, b
    items, others = interp.items(a), interp.items(b)
    shared = {k for k, pair in enumerate(zip(items, others, strict=False)) if _one_object(interp, *pair)}
    left, right = (Tuple(tuple(item for k, item in enumerate(some) if k not in shared)) for some in (items, others))
    return left, right


# -- membership -------------------------------------------------------------------------------------------------------


def contains(interp: Interpreter, box: Value, item: Value) -> Answer:
    """``item in box``; ``None`` for arrays and for what only a run can tell."""
    cls = class_of(box)
    match box:
        case Ref(kind="dict" | "set") | View(_, "keys"):
            return _in_keys(interp, box, item)
        case Ref(kind="list") if interp.is_long(box):
            _refuse_missing_item(interp, box, item)
            return interp.call(Static(iterations.contained), (box, item))
        case Once():
            looked_at = walks.searched(interp, box, partial(_equal_now, item), "`in` may have left it before its end")
            if not isinstance(looked_at, Tuple):
                _refuse_missing_sought(interp, item)
                return interp.call(Static(iterations.contained), (looked_at, item))
            return any_equal(interp, list(looked_at.items), item)
        case Tuple() | Ref(kind="list") | View():
            return any_equal(interp, interp.items(box), item)
        case Range(start, stop, step):
            return _in_range(interp, start, stop, step, item)
        case Static(found) if is_listed(found) and len(found) > _SHORT and is_static(interp, item):
            return _in_long(interp, box, interp.static(item, "an item"))
        case Lit(str() as text):
            if class_of(item) is not None and class_of(item) is not str:
                return interp.fail(TypeError, "'in <string>' requires string as left operand")
            return interp.evaluate(operator.contains, (text, interp.static(item, "a text")))
    if cls is not None and not hasattr(cls, "__contains__") and not hasattr(cls, "__iter__") and cls is not Once:
        return interp.fail(TypeError, f"argument of type '{name_of(cls)}' is not iterable")
    return None


def _refuse_missing_item(interp: Interpreter, box: Value, item: Value) -> None:
    """Let the run refuse to look for NaN in a list of numbers."""
    held = interp.filled(box)
    if held is not None and _is_inexact_number(item) and is_inexact(held.buffer.type):
        missing = interp.call(Lit(np.isnan), (item,))
        if missing != Lit(False):
            _refuse_both_missing(interp, missing, interp.call(Static(iterations.has_missing), (box,)))


def _refuse_missing_sought(interp: Interpreter, item: Value) -> None:
    """Let the run refuse to look for NaN in what is walked over once, so that nobody can look whether NaN is in it before."""
    if _is_inexact_number(item):
        _refuse_both_missing(interp, interp.call(Lit(np.isnan), (item,)), Lit(True))


def _is_inexact_number(value: Value) -> bool:
    """Whether `value` is a number that may be NaN."""
    found = number_type(value) if isinstance(value, Var | Lit) else None
    return isinstance(found, Scalar) and is_inexact(found)


def _in_keys(interp: Interpreter, box: Ref | View, item: Value) -> Value:
    if isinstance(item, Ref) and item.kind == "set" and isinstance(box, Ref) and box.kind == "set":  # sought as a frozen one
        return Lit(frozenset(interp.contents(item).keys) in interp.contents(box).keys)
    ref = box.of if isinstance(box, View) else box
    if (held := keyed_lists.asked(interp, ref, item)) is not None:
        return keyed_lists.contains(interp, held, item)
    if interp.doubtful(ref) is not None:
        return doubtful_keys.is_there(interp, ref, hashed(interp, item, "a key", box))
    if ref.kind == "dict" and keyed_lists.is_new(interp, ref, item):
        return Lit(False)
    keys = interp.contents(ref).keys
    if of_the_run(interp, item) is not None:
        return any_equal(interp, [constant(interp, key) for key in keys], item)
    return Lit(hashed(interp, item, "a key", box) in keys)


_SHORT = 64
"""How many items a set or the keys of a dict have at most that each call compares one by one."""


def _in_long(interp: Interpreter, box: Static, item: Any) -> Answer:
    """Whether `item` is in a set from outside, which each call asks again."""
    try:
        there = item in box.value
    except TypeError as error:
        return interp.fail(TypeError, str(error))
    guard(interp, box.access, Contains(Lit(item), there))
    return Lit(there)


def _equal_now(item: Value, other: Value) -> bool | None:
    """Whether two items are equal, where that is known."""
    if isinstance(item, Lit) and isinstance(other, Lit):
        return bool(item.value is other.value or item.value == other.value)
    return None


def _found_same(interp: Interpreter, a: Value, b: Value) -> bool:
    """Whether `a` and `b` are one object, or are made of the same ones; each call must find them so."""
    found = _one_object(interp, a, b)
    for value in (a, b) if found else ():
        _pin_all(interp, value)
    return found


def _pin_all(interp: Interpreter, value: Value) -> None:
    match value:
        case Static():
            interp.pin(value)
        case Tuple(items):
            for item in items:
                _pin_all(interp, item)
        case _:
            pass


def any_equal(interp: Interpreter, items: list[Value], item: Value) -> Value:
    """Whether one of `items` is `item` or equals it."""
    asked: list[Condition] = []
    for one in items:
        equal = partial(_same_or_equal, interp, one, item)
        asked.append(partial(_constant, Lit(True)) if _found_same(interp, one, item) else equal)
    return any_or_all(interp, asked, any)


def _constant(value: Value) -> Value:
    return value


def _in_range(interp: Interpreter, start: Value, stop: Value, step: Value, item: Value) -> Answer:
    cls = class_of(item)
    if cls is None:
        return None
    if is_container(cls) or issubclass(cls, np.ndarray):
        return any_equal(interp, interp.items(Range(start, stop, step)), item)
    rises = interp.static(step, "the step of this range") > 0
    low, high = (start, stop) if rises else (stop, start)
    inside = (operator.ge, operator.lt) if rises else (operator.gt, operator.le)
    met = [partial(interp.call, Lit(inside[0]), (item, low)), partial(interp.call, Lit(inside[1]), (item, high))]
    if step != Lit(1) or not issubclass(cls, int | np.integer):
        past = interp.call(Lit(operator.mod), (interp.call(Lit(operator.sub), (item, start)), step))
        met.append(partial(interp.call, Lit(operator.eq), (past, Lit(0))))
    return any_or_all(interp, met, all)

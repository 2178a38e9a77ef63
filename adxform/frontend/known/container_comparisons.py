"""What CPython says of containers that are compared: item by item, and one object equals itself."""

from __future__ import annotations

import collections
import operator
import types
from functools import partial
from typing import Any

import numpy as np

from adxform.frontend.containers.methods import Answer
from adxform.frontend.evaluate.classes.python_classes import SETS, VIEWS, class_of, is_numpy, name_of
from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.operands import is_static
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Maybe, Method, Range, Ref, Slice, Static, Tuple, Value
from adxform.frontend.known.container_operators import SIGNS, as_array, classes_of, is_of_keys, keys_of
from adxform.frontend.known.one_or_equal import (
    any_or_all,
    are_one_object,
    found_same,
    refuse_both_missing,
    refuse_one_object,
    same_or_equal,
)
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array
from adxform.primitives.definitions.of_python import iterations


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
    equal = Lit(True) if found_same(interp, a, b) else _equal_dicts(interp, a, b)
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
    if found_same(interp, a, b):
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
        refuse_both_missing(interp, *(interp.call(Static(iterations.has_missing), (one,)) for one in (a, b)))
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
    left = [pair for pair in zip(items, others, strict=True) if not found_same(interp, *pair)]
    return any_or_all(interp, [partial(same_or_equal, interp, *pair) for pair in left], all)


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
            refuse_one_object(interp, *pair)
    else:
        refuse_both_missing(interp, *(interp.call(Static(iterations.has_missing), (one,)) for one in (a, b)))


def _without_the_same(interp: Interpreter, a: Value, b: Value) -> tuple[Value, Value]:
    """Two sequences less the items of one place that are one object, which decide nothing."""
    if interp.filled(a) is not None or interp.filled(b) is not None:
        return a, b
    items, others = interp.items(a), interp.items(b)
    shared = {k for k, pair in enumerate(zip(items, others, strict=False)) if are_one_object(interp, *pair)}
    left, right = (Tuple(tuple(item for k, item in enumerate(some) if k not in shared)) for some in (items, others))
    return left, right

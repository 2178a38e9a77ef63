"""What CPython does with an operator of which an operand is a container (or ``None``): its own meaning, NumPy's, or an error.

CPython asks the left operand and then the right one for a method, and only then joins or repeats sequences. Arrays and NumPy's
numbers answer for everything, so that ``[1.0] + v`` adds and ``s += v`` gives an array; a NumPy integer repeats what it
multiplies, and no other NumPy number multiplies a sequence. Between Python's own objects there are joined sequences of one class,
repeated ones, sets and dicts; all else is a ``TypeError``.
"""

from __future__ import annotations

import collections
import operator
import sys
from typing import Any

import numpy as np

from adxform.frontend.containers import collecting, list_arrays, list_kinds, sets
from adxform.frontend.containers.methods import Answer
from adxform.frontend.evaluate.classes.protocols import as_number
from adxform.frontend.evaluate.classes.python_classes import SEQUENCES, SETS, VIEWS, class_of, is_container, is_numpy, name_of
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.operands import is_static
from adxform.frontend.evaluate.outside.settled import is_listed, may_change
from adxform.frontend.evaluate.parts import array_subscripts
from adxform.frontend.evaluate.pure_functions import is_pure
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Range, Ref, Static, Tuple, Value
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Scalar

SIGNS: dict[Any, str] = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.mod: "%",
    operator.pow: "** or pow()",
    operator.matmul: "@",
    operator.and_: "&",
    operator.or_: "|",
    operator.xor: "^",
    operator.lshift: "<<",
    operator.rshift: ">>",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.neg: "-",
    operator.pos: "+",
    operator.invert: "~",
    operator.inv: "~",
}


def binary(interp: Interpreter, fn: Any, a: Value, b: Value, hint: str, sign: str = "") -> Answer:
    """``a fn b`` where one is a container; ``None`` where neither is. `sign`: how the program writes the operator."""
    a, b = _plain(interp, a), _plain(interp, b)
    classes = classes_of(interp, a, b)
    if classes is None:
        return None
    left, right = classes
    if collections.deque in classes and fn in (operator.add, operator.mul):
        raise interp.error(f"`{SIGNS[fn]}` of a deque is not followed", "write `d.extend(…)`, or use a list")
    if issubclass(left, str | bytes) and fn is operator.mod:
        return _formatted(interp, str if issubclass(left, str) else bytes, a, b, hint)
    if fn is operator.mul and (found := _repetition(interp, a, left, b, right)) is not None:
        return found
    if any(issubclass(cls, np.ndarray) or (is_numpy(cls) and fn is not operator.matmul) for cls in (left, right)):
        return interp.call(Lit(fn), (as_array(interp, a, left), as_array(interp, b, right)), hint=hint)
    if (found := _together(interp, fn, a, left, b, right)) is not None:
        return found
    what = f"unsupported operand type(s) for {sign or SIGNS[fn]}: '{name_of(left)}' and '{name_of(right)}'"
    return interp.fail(TypeError, what)


def _together(interp: Interpreter, fn: Any, a: Value, left: type, b: Value, right: type) -> Answer:
    """``a fn b`` of two sequences, sets or dicts; ``None`` where Python has no such operator for them."""
    match fn:
        case operator.add:
            return _joined(interp, a, left, b, right)
        case operator.and_ | operator.or_ | operator.sub | operator.xor if is_of_keys(left, right):
            return sets.made(interp, fn, sets.given(interp, a), sets.given(interp, b))
        case operator.or_ if issubclass(left, dict) and issubclass(right, dict):
            assert isinstance(a, Ref)
            assert isinstance(b, Ref)
            return _merged(interp, a, b)
        case _:
            return None


def _formatted(interp: Interpreter, cls: type[str | bytes], text: Value, given: Value, hint: str) -> Value:
    """``text % given``, where that is known now; else what the run makes of it."""
    of_dict = isinstance(given, Ref) and given.kind == "dict"
    if of_dict or not (is_static(interp, text) and is_static(interp, given)):
        return interp.call(Lit(cls.__mod__), (text, given), hint=hint)
    values = interp.static(text, "a text"), interp.static(given, "what is put in a text")
    if not is_pure(operator.mod, values):
        return interp.call(Lit(cls.__mod__), (text, given), hint=hint)
    try:
        return Lit(operator.mod(*values))
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        return interp.fail(type(error), str(error))


def _plain(interp: Interpreter, value: Value) -> Value:
    """`value`, a number where its class only names it (a member of an ``IntEnum``): a container asks it nothing else."""
    return as_number(interp, value) if isinstance(value, Static | Lit) else value


def classes_of(interp: Interpreter, a: Value, b: Value) -> tuple[type, type] | None:
    """The classes of two operands, where one is a container and the other's class is known."""
    left, right = class_of(a), class_of(b)
    if any(isinstance(value, Static) and may_change(value.value) and not is_listed(value.value) for value in (a, b)):
        return None  # what is in it only a run can tell
    if left is not None and right is not None:
        return (left, right) if is_container(left) or is_container(right) else None
    for value, cls in ((a, right), (b, left)):
        if cls is not None and is_container(cls) and isinstance(value, Var) and isinstance(value.type, Scalar | Array):
            message = f"a {name_of(cls)} meets a number of which only a run can tell whether it is Python's or NumPy's"
            raise interp.error(message, "give the number one kind on every path, e.g. with `float(…)`")
    return None


def in_place(interp: Interpreter, fn: Any, plain: Any, x: Value, value: Value) -> Answer:
    """What the name has after ``x fn= value`` where one is a container; ``None`` where neither is."""
    value = _plain(interp, value)
    left, right = class_of(x), class_of(value)
    if left is None or not (is_container(left) or (right is not None and is_container(right))):
        return None
    classes_of(interp, x, value)
    foreign = right is not None and is_numpy(right)
    match x:
        case Ref(kind="list", cls=cls) if fn is operator.imul and issubclass(cls, list) and _counts(right):
            _hold(interp, x, repeated(interp, x, value))
            return x
        case Ref(kind="list", cls=cls) if issubclass(cls, list | collections.deque) and not foreign:
            if fn is operator.iadd:
                interp.call(interp.attribute(x, "extend"), (value,))
                return x
        case Ref(kind="dict") if fn is operator.ior and not foreign:
            interp.call(interp.attribute(x, "update"), (value,))
            return x
        case Ref(kind="set") if right is not None and issubclass(right, SETS) and fn in _SET_UPDATES:
            sets.change(interp, x, fn, sets.given(interp, value))
            return x
        case _:
            pass
    return binary(interp, plain, x, value, "tmp", SIGNS[plain].partition(" ")[0] + "=")


_SET_UPDATES = (operator.ior, operator.iand, operator.isub, operator.ixor)


def unary(interp: Interpreter, fn: Any, x: Value) -> Answer:
    """``-x``, ``+x``, ``~x`` or ``abs(x)`` of a container, which has none of them."""
    cls = class_of(x)
    if cls is None or not is_container(cls):
        return None
    what = f"unary {SIGNS[fn]}" if fn in SIGNS else f"{fn.__name__}()"
    return interp.fail(TypeError, f"bad operand type for {what}: '{name_of(cls)}'")


def as_array(interp: Interpreter, value: Value, cls: type) -> Value:
    """What NumPy makes of an operand beside an array: sequences are arrays."""
    if issubclass(cls, list | tuple | collections.deque):
        if isinstance(value, Ref) and interp.is_long(value):
            return collecting.as_array(interp, value)
        return interp.call(Lit(np.array), (value,))
    if issubclass(cls, range):
        return array_subscripts.of_range(interp, value if isinstance(value, Range) else Range(*_bounds(interp, value)))
    if is_container(cls):
        message = f"NumPy makes an array of objects of this {name_of(cls)}, which has no derivative"
        raise interp.error(message, "use numbers, arrays, lists or tuples")
    return value


def beside_array(interp: Interpreter, value: Value) -> Value:
    """The right operand of an operator on an array."""
    cls = class_of(value)
    return value if cls is None else as_array(interp, value, cls)


def _bounds(interp: Interpreter, value: Value) -> tuple[Value, ...]:
    found = interp.static(value, "a range")
    return Lit(found.start), Lit(found.stop), Lit(found.step)


# -- joined and repeated sequences ------------------------------------------------------------------------------------


def _joined(interp: Interpreter, a: Value, left: type, b: Value, right: type) -> Answer:
    for cls in SEQUENCES:
        if not (issubclass(left, cls) and issubclass(right, cls)):
            continue
        if cls in (str, bytes):
            return interp.evaluate(operator.add, (interp.static(a, "a text"), interp.static(b, "a text")))
        if any(interp.is_long(one) or interp.portions(one) is not None for one in (a, b)):
            joined = interp.call(Lit(list), (a,))
            interp.call(interp.attribute(joined, "extend"), (b,))
            return _of_class(interp, joined, cls)
        items = (*interp.items(a), *interp.items(b))
        return Tuple(items) if cls is tuple else interp.new_list(items)
    return None


def _of_class(interp: Interpreter, made: Value, cls: type) -> Value:
    """The fresh list `made`, as a tuple where `cls` is one."""
    if cls is list or not isinstance(made, Ref):
        return made
    contents: Any = interp.heap.contents[made]
    if isinstance(contents, Contents):
        return Tuple(contents.items)
    ref = interp.heap.new("list", cls, (), ())
    interp.heap.contents[ref] = contents
    return ref


def _repetition(interp: Interpreter, a: Value, left: type, b: Value, right: type) -> Answer:
    """``a * b`` where one is a sequence and the other a number; ``None`` for any other operands."""
    for items, cls, count, number in ((a, left, b, right), (b, right, a, left)):
        if not issubclass(cls, SEQUENCES) or is_container(number) or issubclass(number, np.ndarray):
            continue
        if not _counts(number):
            return interp.fail(TypeError, f"can't multiply sequence by non-int of type '{number.__name__}'")
        if issubclass(cls, str | bytes):
            return interp.evaluate(operator.mul, (interp.static(items, "a text"), interp.static(count, "a count")))
        return _of_class(interp, repeated(interp, items, count), tuple if issubclass(cls, tuple) else list)
    return None


def _counts(cls: type | None) -> bool:
    """Whether a number of this class says how often a sequence is repeated."""
    return cls is not None and issubclass(cls, int | np.integer)


def repeated(interp: Interpreter, items: Value, count: Value) -> Ref:
    """A fresh list of the items of a list or tuple, `count` times."""
    if isinstance(count, Lit) and abs(operator.index(count.value)) > sys.maxsize:
        interp.fail(OverflowError, "cannot fit 'int' into an index-sized integer")
    filled = interp.filled(items)
    if filled is None and not (isinstance(count, Var) and interp.of_numbers(tuple(interp.items(items)))):
        return interp.new_list(tuple(interp.items(items)) * operator.index(interp.static(count, "how often a list is repeated")))
    count = Lit(max(int(count.value), 0)) if isinstance(count, Lit) else count
    times = count if isinstance(count, Lit) or count in interp.integers.counted else interp.call(Lit(max), (count, Lit(0)))
    if filled is not None:
        rows = list_arrays.so_far(interp, filled)
        if not isinstance(rows.type, Array) or rows.type.shape is None or len(rows.type.shape) != 1 or filled.nested:
            raise interp.error("a list of arrays of a length that only a run can tell is repeated", "use `np.tile`")
        made = interp.call(Lit(np.tile), (rows, times), hint="items")
        return collecting.new_list(interp, made, weak=filled.weak, kinds=filled.kinds)
    parts = interp.items(items)
    if len(parts) == 1:
        made = interp.call(Lit(np.full), (times, parts[0]), hint="items")
    else:
        made = interp.call(Lit(np.tile), (interp.call(Lit(np.array), (Tuple(tuple(parts)),)), times), hint="items")
    params = interp.integers.origins.get(count, frozenset()) if isinstance(count, Var) else frozenset()
    kind = list_kinds.common_item(interp, tuple(parts))
    list_arrays.see_exact(interp, made, parts)
    return collecting.new_list(interp, made, weak=kind.weak, kinds=list_kinds.kinds_beside(kind.type), params=params)


def _hold(interp: Interpreter, ref: Ref, made: Ref) -> None:
    interp.write(ref, interp.heap.contents[made])


# -- sets and dicts ---------------------------------------------------------------------------------------------------


def is_of_keys(left: type, right: type) -> bool:
    """Whether operands are sets, or keys of dicts, which are like sets and take whatever can be gone through on either side."""
    views = (VIEWS["keys"], VIEWS["items"])
    if issubclass(left, SETS) and issubclass(right, SETS):
        return True
    return issubclass(left, views) or (issubclass(right, views) and issubclass(left, (*SEQUENCES, *SETS, dict, range)))


def keys_of(interp: Interpreter, value: Value) -> Any:
    """The elements of a set, or of what a view of a dict is joined with, which must be known."""
    if isinstance(value, Static):
        return interp.settle(value)
    if isinstance(value, Lit):
        return value.value
    if isinstance(value, Ref) and value.kind == "set":
        return set(interp.contents(value).keys)
    return {interp.static(item, "an element of a set") for item in interp.items(value)}


def _merged(interp: Interpreter, a: Ref, b: Ref) -> Ref:
    contents = interp.contents(a)
    for key, item in interp.pairs(b):
        contents = contents.put(key, item)
    owner = b if a.cls is dict else a
    return interp.heap.new("dict", owner.cls, contents.keys, contents.items, meta=owner.meta)

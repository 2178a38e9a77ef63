"""What the items of a sequence are together: `sum`, `any`, `all` and `functools.reduce`."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from adxform.frontend.containers import lists_of_lists
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.control_flow import iteration, walks
from adxform.frontend.evaluate.control_flow.branches import as_bool, truth
from adxform.frontend.evaluate.control_flow.generators import code_of
from adxform.frontend.evaluate.control_flow.joined_types import number_type
from adxform.frontend.evaluate.set_orders import without_order
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Static, Tuple, Value, is_unknown
from adxform.frontend.known.items.iterables import walking
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, Array, Object
from adxform.primitives.definitions.of_python import iterations, lazy_builtins


def _sum(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    start = args[1] if len(args) > 1 else kwargs.get("start", Lit(0))
    if isinstance(start, Lit | Static) and isinstance(start.value, str | bytes | bytearray):
        kind = "strings" if isinstance(start.value, str) else type(start.value).__name__
        joined = "''" if isinstance(start.value, str) else "b''"
        return interp.fail(TypeError, f"sum() can't sum {kind} [use {joined}.join(seq) instead]")
    if isinstance(start, Ref) and start.kind == "list" and isinstance(args[0], Ref) and interp.portions(args[0]) is not None:
        return interp.call(Lit(operator.add), (start, lists_of_lists.chained(interp, args[0])), hint=hint)
    source = without_order(interp, args[0])
    if isinstance(source, Tuple) and all(isinstance(item, Lit) and isinstance(item.value, int) for item in source.items):
        args = (source, *args[1:])
    return _reduced(interp, args[0], start, operator.add, hint)


def _reduced(interp: Interpreter, source: Value, start: Value, fn: Any, hint: str) -> Answer:
    """``functools.reduce(fn, source, start)``, unrolled or as a loop."""
    if is_unknown(source):
        return None
    known = iteration.known_items(interp, source)
    if known is not None:
        total = start
        for item in known:
            total = interp.call(Lit(fn), (total, item), hint=hint)
        return total
    return interp.reduce_loop(source, start, lambda total, item: interp.call(Lit(fn), (total, item), hint=hint), hint)


def _any_all(fn: Any) -> Handler:
    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        args = (without_order(interp, args[0]),)
        if isinstance(args[0], Var):
            if isinstance(args[0].type, Array) and args[0].type.shape is not None and len(args[0].type.shape) == 1:
                return interp.emit(bool, (interp.operand(interp.call(Lit(np.any if fn is any else np.all), args)),), BOOL, hint)
            return interp.emit(fn, (args[0],), BOOL, hint) if isinstance(args[0].type, Array) else None
        if code_of(args[0]) is not None or iteration.literal_trips(interp, args[0]) is None:
            return interp.call(Static(iterations.any_true if fn is any else iterations.all_true), args, hint=hint)
        result: Value = Lit(fn is all)
        if any(isinstance(number_type(item), Array | Object) for item in interp.items(args[0])):  # to ask one may raise
            meaning = iterations.any_true if fn is any else iterations.all_true
            return interp.call(Static(meaning), (Tuple(tuple(interp.items(args[0]))),), hint=hint)
        for item in interp.items(args[0]):
            cond = truth(interp, item)
            if isinstance(cond, bool):
                if cond is (fn is any):
                    return Lit(cond)
            elif isinstance(result, Lit):
                result = as_bool(interp, cond)
            else:
                either = operator.or_ if fn is any else operator.and_
                result = interp.call(Lit(either), (result, as_bool(interp, cond)), hint=hint)
        return result

    return handler


def _reduce(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if iteration.literal_trips(interp, args[1]) is None:
        if len(args) > 2:
            return interp.call(Static(iterations.reduced_from), args, hint=hint)
        held = isinstance(args[1], Var) or interp.filled(args[1]) is not None
        source = args[1] if held else interp.call(Lit(list), (args[1],))  # Python's numbers stay what they are
        return interp.call(Static(iterations.reduced), (args[0], source), hint=hint)
    items = interp.items(args[1])
    if not items and len(args) == 2:
        return interp.fail(TypeError, "reduce() of empty iterable with no initial value")
    total = args[2] if len(args) > 2 else items.pop(0)
    for item in items:
        total = interp.call(args[0], (total, item), hint=hint)
    return total


def _reduce_any(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``functools.reduce(fn, source, start)``, also of a generator."""
    source = walks.iterated(interp, args[1])
    if code_of(source) is not None:
        meaning = lazy_builtins.reduced if len(args) == 2 else iterations.reduced_from
        return interp.call(Static(meaning), (args[0], source, *args[2:]), hint=hint)
    return walking(_reduce, calls="")(interp, (args[0], source, *args[2:]), kwargs, hint)


def _searching(fn: Any) -> Handler:
    """The handler of ``any`` or ``all``, which walk until they know."""
    handler = _any_all(fn)

    def tell(item: Value) -> bool | None:
        return bool(item.value) is (fn is any) if isinstance(item, Lit) else None

    def of_what_is_left(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        left = f"`{fn.__name__}` may have left it before its end"
        return handler(interp, tuple(walks.searched(interp, arg, tell, left) for arg in args), kwargs, hint)

    return of_what_is_left


TABLE: dict[Any, Handler] = {sum: walking(_sum), any: _searching(any), all: _searching(all), functools.reduce: _reduce_any}

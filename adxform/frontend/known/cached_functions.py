"""`functools.lru_cache` and `functools.cache` of functions that the program makes, which only compute.

What was computed is computed again, unless it is still there: that changes nothing, for such a function gives the same again.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adxform import runtime
from adxform.errors import AdxError
from adxform.frontend.containers.methods import Answer, Args, Handler, Known, Kwargs
from adxform.frontend.evaluate.keys import hashed
from adxform.frontend.evaluate.objects.value_parts import parts_of
from adxform.frontend.evaluate.signals import Promote
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import (
    FunctionValue,
    Generator,
    Maybe,
    Method,
    Once,
    OneOf,
    Ref,
    Static,
    Stream,
    Tuple,
    Value,
)
from adxform.ir.build import Builder
from adxform.ir.ops import Call, Invoke, Lit, Op, Var
from adxform.ir.types import Array, Scalar, is_float, is_inexact
from adxform.ir.walk import blocks
from adxform.primitives.effects import effect_of


@dataclass(slots=True, eq=False)
class _Cache:
    """What is known of a function that was put under a cache: what it reads, the classes of its arguments, and what it gave.

    It was put there in the block that `made_in` fills, and keeps what it gives for `limit` keys, ``None`` for all.
    """

    made_in: Builder
    limit: int | None
    reads: dict[Ref, Any] | None = None
    classes: tuple[Any, ...] | None = None
    given: dict[Any, _Given] = field(default_factory=dict)
    keys: set[Any] = field(default_factory=set)
    loses: bool = False
    running: int = 0

    def note(self, builder: Builder, key: Any, known: bool) -> bool:
        """Note a call with `key`, made where `builder` is; whether it is the first of that key, which is `known`, for certain."""
        here = builder is self.made_in  # elsewhere, as in a loop, what is not known may be any number of keys
        first = here and known and key not in self.keys
        self.keys.add(key)
        if self.limit is not None and (len(self.keys) > self.limit or not (here or known)):
            self.loses = True
        return first


@dataclass(frozen=True, slots=True)
class _Given:
    """A result, as of the op `last`, the one before place `count` of the block that `builder` fills: later ops there have it."""

    builder: Builder
    count: int
    last: Op | None
    result: Value

    def is_there(self, builder: Builder) -> bool:
        """Whether what `builder` appends next has the result."""
        ops = builder.ops
        there = builder is self.builder and len(ops) >= self.count
        return there and (self.count == 0 or ops[self.count - 1] is self.last)


def _decorator(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``lru_cache(f)`` or ``lru_cache(maxsize)``; ``None`` for functions from outside, which the run calls as they are."""
    if args and isinstance(args[0], FunctionValue | Method):
        return _under_a_cache(interp, args[0], 128)
    whole = all(isinstance(arg, Lit) and not callable(arg.value) for arg in (*args, *kwargs.values()))
    size = args[0] if args else kwargs.get("maxsize", Lit(128))
    return Method(Lit(_DECORATING), (size,)) if whole else None


def _decorator_of_all(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``cache(f)``"""
    return _under_a_cache(interp, args[0], None) if args and isinstance(args[0], FunctionValue | Method) else None


def _decorated(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    size, fn, *others = args
    limit = size.value if isinstance(size, Lit) else 0
    if isinstance(fn, FunctionValue | Method) and (limit is None or isinstance(limit, int)):
        return _under_a_cache(interp, fn, limit)
    return interp.call(Lit(functools.lru_cache(maxsize=None)), (fn, *others), kwargs, hint)


def _under_a_cache(interp: Interpreter, fn: Value, limit: int | None) -> Method:
    """`fn` under a cache of its own, as each time that a decorator runs."""
    return Method(Lit(_CACHED), (Static(_Cache(interp.builder.last(), limit)), fn))


def _cached(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    cache, fn, *given = args
    if not isinstance(cache, Static):  # one of several, as the run says: another may have been called before
        if any(True for _ in _reached(interp, fn, {})):
            raise _refusal(interp, "is one of several, and reads what may have changed since it was called first")
        cache = Static(_Cache(Builder(interp.names), 0))
    return _called(interp, cache.value, fn, tuple(given), kwargs, hint)


def _called(interp: Interpreter, cache: _Cache, fn: Value, args: Args, kwargs: Kwargs, hint: str) -> Value:
    """The result of a function that is cached."""
    _refuse_other_classes(interp, cache, (*args, *kwargs.values()))
    key = tuple(map(_key, args)), tuple((name, _key(arg)) for name, arg in kwargs.items())
    builder = interp.builder.last()
    found = cache.given.get(key)
    first = cache.note(builder, key, all(map(_is_known, (*args, *kwargs.values()))))
    if found is not None and found.is_there(builder) and (not cache.loses or _is_data(found.result)):
        if cache.loses:  # the same again, where nothing that is read has changed since
            _look_at(interp, cache, fn)
        return found.result
    before, start = dict(interp.heap.contents), len(builder.ops)
    if cache.running:
        _know(interp, (*args, *kwargs.values()))
    asked = interp.outer.asked
    cache.running += 1
    interp.caching += 1
    try:
        result = interp.call(fn, args, kwargs, hint)
    finally:
        cache.running -= 1
        interp.caching -= 1
    changed = any(interp.heap.contents[ref] is not contents for ref, contents in before.items())
    if changed or any(map(_does_more, interp.builder.last().ops[start:] if interp.builder.last() is builder else ())):
        raise _refusal(interp, "does more than compute: it changes something, or calls what adxform cannot look into")
    unsure = bool(interp.helpers) and bool(interp.knowledge.places or interp.knowledge.containers)
    if unsure or interp.outer.asked != asked:
        raise _refusal(interp, "may read what the program changes outside of it")
    _look_at(interp, cache, fn)
    _note_kept(interp, (result,), first and not cache.loses)
    if interp.builder.last() is builder:
        last = builder.ops[-1] if builder.ops else None
        cache.given[key] = _Given(builder, len(builder.ops), last, result)
    return result


def _is_data(value: Value) -> bool:
    """Whether nobody can tell `value` from another one that is computed in the same way: numbers."""
    if isinstance(value, Tuple):
        return all(map(_is_data, value.items))
    return isinstance(value, Lit) or (isinstance(value, Var) and isinstance(value.type, Scalar))


def _refuse_other_classes(interp: Interpreter, cache: _Cache, args: Args) -> None:
    """Raise for arguments that are no keys, and for those of other classes than before: ``f(1)`` and ``f(1.0)`` are one key."""
    for arg in args:
        if not isinstance(arg, Var) or not isinstance(arg.type, Scalar):
            hashed(interp, arg, "an argument of a cached function")
    classes = tuple(map(_class, args))
    if cache.classes not in (None, classes):
        raise _refusal(interp, "is called with arguments of several classes, of which equal ones are one key")
    cache.classes = classes
    _refuse_negative_zeros(interp, args)


def _refuse_negative_zeros(interp: Interpreter, args: Args) -> None:
    """Raise for -0.0, or let the run: it is the same key as 0.0, of which a function may give something else."""
    for arg in args:
        match arg:
            case Tuple(items):
                _refuse_negative_zeros(interp, items)
            case Var(type=Scalar() as of) if is_float(of):
                positive = interp.call(Lit(np.logical_not), (interp.call(Lit(np.signbit), (arg,)),))
                other = interp.call(Lit(operator.ne), (arg, Lit(0.0)))
                interp.require(interp.operand(interp.call(Lit(operator.or_), (positive, other))), runtime.negative_zero_key)
            case Lit(float() as value) if value == 0 and math.copysign(1.0, value) < 0:
                raise _refusal(interp, "is called with -0.0, which is the same key as 0.0")
            case Var(type=Scalar() as of) if is_inexact(of):
                raise _refusal(interp, "is called with a complex number, whose zeros have signs that keys do not tell")
            case _:
                pass


def _know(interp: Interpreter, args: Args) -> None:
    """Raise where a function calls itself with a whole number that is not known, so that nobody knows how often.

    Raises:
        Promote: it is known, if parameters are.
    """
    for arg in args:
        if isinstance(arg, Var) and not is_inexact(arg.type):
            if params := interp.integers.followed(arg):
                raise Promote(params)
            raise _refusal(interp, "calls itself with a number that only the run knows")


def _class(arg: Value) -> Any:
    match arg:
        case Var(_, Scalar(dtype, weak)):
            return dtype if weak else (dtype, "of NumPy")
        case Lit(value) if type(value) in (bool, int, float):
            return {bool: "bool", int: "int64", float: "float64"}[type(value)]
        case Tuple(items):
            return tuple(map(_class, items))
        case _:
            return type(arg)


def _is_known(arg: Value) -> bool:
    """Whether `arg` is one key, each time that the run comes by."""
    return isinstance(arg, Lit | Static) or (isinstance(arg, Tuple) and all(map(_is_known, arg.items)))


def _key(arg: Value) -> Any:
    match arg:
        case Lit(value):
            return type(value), value
        case Tuple(items):
            return tuple(map(_key, items))
        case Static(value):
            return id(value)
        case _:
            return arg


def _does_more(op: Op) -> bool:
    """Whether `op` does anything but compute, or raise."""
    if isinstance(op, Call):
        effect = effect_of(op)
        return effect.opaque and not effect.marks and not effect.raises
    return not isinstance(op, Invoke) and any(_does_more(inner) for block in blocks(op) for inner in block.ops)


def _look_at(interp: Interpreter, cache: _Cache, fn: Value) -> None:
    """Raise where what a function reads has changed since it was called first: what was kept then would be given."""
    reads = dict(_reached(interp, fn, {}))
    known = cache.reads or {}
    if any(contents is not known.get(ref, contents) for ref, contents in reads.items()):
        raise _refusal(interp, "reads what has changed since it was called first")
    cache.reads = {**known, **reads}


def _reached(interp: Interpreter, value: Value, seen: dict[Ref, None]) -> Iterator[tuple[Ref, Any]]:
    match value:
        case FunctionValue() | Method() | OneOf() | Tuple() | Maybe():
            parts: Any = parts_of(value)
        case Ref() if value not in seen:
            seen[value] = None
            contents: Any = interp.heap.contents[value]
            yield value, contents
            parts = getattr(contents, "items", ())
            if not isinstance(parts, tuple):
                raise _refusal(interp, "reads a list or a dict of which only the run knows the items")
        case Var(_, Array()):
            interp.to_check.kept_arrays.append((value, interp.span))
            return
        case _:
            return
    for part in parts:
        yield from _reached(interp, part, seen)


def _note_kept(interp: Interpreter, values: Args, first: bool) -> None:
    """Note arrays that are to stay as they are, for the cache may have kept what was computed of them, or keeps them.

    Other objects are the same ones whenever the cache gives them, which only the `first` call of a key makes for certain.
    """
    for value in values:
        match value:
            case Var(_, Array()):
                interp.to_check.kept_arrays.append((value, interp.span))
            case Ref(kind="list" | "dict" | "set"):
                raise _refusal(interp, "gives a list, a dict or a set, which others may change")
            case Ref(outside=False) | Generator() | Once() | Stream() if not first:
                raise _refusal(interp, "gives an object, which may be the one that it has given before")
            case _:
                _note_kept(interp, parts_of(value), first)


def _refusal(interp: Interpreter, why: str) -> AdxError:
    return interp.error(f"a function under `lru_cache` {why}", "leave the cache away, or keep values in a dict of your own")


_CACHED, _DECORATING = Known("cached", _cached), Known("lru_cache", _decorated)
TABLE: dict[Any, Handler] = {functools.lru_cache: _decorator, functools.cache: _decorator_of_all}

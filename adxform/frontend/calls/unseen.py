"""What code that adxform cannot look into may change: of what it is given, and of what it reaches by itself."""

from __future__ import annotations

import copy
import dis
import functools
import operator
import types
from collections import ChainMap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, is_dataclass
from typing import Any

import numpy as np

from adxform.errors import GlobalMutationError
from adxform.frontend.checks.handed_over import Handed, Rebound
from adxform.frontend.evaluate.settled import may_change
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Method, Ref, Static, Tuple, Value
from adxform.ir.ops import Var
from adxform.ir.spans import Span, is_user, written_in

READING = frozenset(
    """
    builtins numpy scipy math cmath _operator operator statistics itertools bisect _bisect heapq _heapq random logging json pprint
    warnings time datetime re string textwrap hashlib pickle _pickle fractions decimal numbers inspect types typing sys os pathlib
    io _io csv struct traceback array collections
    """.split()  # noqa: SIM905 - a line for each would say no more
)
"""Modules whose functions leave what they are given as it is, but for those that are `CHANGING`."""

CHANGING = (
    frozenset(
        """
    setitem delitem setattr delattr shuffle insort insort_left insort_right heappush heappop heapify heapreplace heappushpop
    append appendleft extend extendleft insert remove pop popleft popitem clear sort reverse rotate update subtract setdefault add
    discard difference_update intersection_update symmetric_difference_update move_to_end fill itemset put setfield resize send
    """.split()  # noqa: SIM905
    )
    | {name for name in dir(operator) if name[0] == "i" and (hasattr(operator, name[1:]) or hasattr(operator, f"{name[1:]}_"))}
)
"""Names of functions and methods that change their first argument."""

_STORING = frozenset(
    "STORE_ATTR DELETE_ATTR STORE_SUBSCR DELETE_SUBSCR STORE_SLICE STORE_GLOBAL DELETE_GLOBAL STORE_DEREF".split()  # noqa: SIM905
)
"""Instructions that change what other code may read."""


def hand_over(interp: Interpreter, fn: Any, args: Iterable[Value]) -> None:
    """Note what `fn`, which cannot be looked into, may change when it is called with `args`.

    Raises:
        GlobalMutationError: it is given a list, a dict or a set from outside the function, of which it would have a copy.
        UnsupportedOperationError: it is given one that the function made, of which the changes would be lost.
    """
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or type(fn).__name__
    reach = _Reach(name, interp.span, interp.handed)
    for value in _flat(_changed(interp, fn, tuple(args))):
        match value:
            case Ref():
                _refuse(interp, value, name)
            case Static():
                reach.given(value.value)
    for value in _flat(args):
        match value:
            case Static(function) if callable(function):
                reach.called(function)
            case Method(Static(types.FunctionType() as function), (Static(owner), *_)) if reach.called(function):
                reach.given(owner)
    reach.called(fn)


def _changed(interp: Interpreter, fn: Any, args: tuple[Value, ...]) -> tuple[Value, ...]:
    """What `fn` may change, of `args` and of the object that it is a method of."""
    drawn = interp.draws.get(args[0]) if fn is operator.call and isinstance(args[0], Var) else None
    name = getattr(fn, "__name__", "") if drawn is None else drawn[1]
    owner = getattr(fn, "__objclass__", None)
    module = (owner.__module__ if owner is not None else written_in(fn) or "builtins").partition(".")[0]
    if module not in READING or name in CHANGING or isinstance(fn, operator.methodcaller) or fn in (copy.copy, ChainMap):
        own = getattr(fn, "__self__", None)
        return args if own is None else (*args, Static(own))
    return ()


def _flat(values: Iterable[Value]) -> Iterator[Value]:
    """`values`, and those in tuples."""
    for value in values:
        if isinstance(value, Tuple):
            yield from _flat(value.items)
        else:
            yield value


def _refuse(interp: Interpreter, ref: Ref, name: str) -> None:
    if ref.outside:
        message = f"a {ref.cls.__name__} from outside the function is passed to `{name}`, which may change it"
        raise interp.error(message, "do that outside of the function, or pass a tuple", GlobalMutationError)
    if ref.kind != "instance" or is_mutable_dataclass(ref.cls):
        message = f"a {ref.cls.__name__} is passed to `{name}`, which adxform cannot look into and which may change it"
        raise interp.error(message, "pass its fields, or make the class frozen" if ref.kind == "instance" else "pass a tuple")


def is_mutable_dataclass(cls: type) -> bool:
    """Whether `cls` is one of dataclasses whose fields may be set."""
    return is_dataclass(cls) and not cls.__dataclass_params__.frozen  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class _Reach:
    """What the function called `to` comes by, noted in `handed`."""

    to: str
    span: Span
    handed: list[Handed | Rebound]
    seen: set[types.CodeType] = field(default_factory=set)

    def given(self, value: Any) -> None:
        """Note an object that may be changed."""
        if may_change(value):
            self.handed.append(Handed(value, self.to, self.span))

    def called(self, fn: Any) -> bool:
        """Note what a call of `fn` may change by itself; whether it stores anything."""
        match fn:
            case types.MethodType():
                stores = self.called(fn.__func__)
                if stores:
                    self.given(fn.__self__)
                return stores
            case functools.partial():
                stores = self.called(fn.func)
                for one in (*fn.args, *fn.keywords.values()) if stores else ():
                    self.given(one)
                return stores
            case np.vectorize():
                return self.called(fn.pyfunc)
            case types.FunctionType() if is_user(fn) and fn.__code__ not in self.seen:
                self.seen.add(fn.__code__)
                return self._function(fn)
            case types.BuiltinMethodType() if fn.__name__ in CHANGING:
                self.given(fn.__self__)
                return True
            case type() | types.FunctionType() | types.BuiltinFunctionType():
                return False
            case _:
                stores = callable(fn) and isinstance(type(fn).__call__, types.FunctionType) and self.called(type(fn).__call__)
                if stores:
                    self.given(fn)
                return stores

    def _function(self, fn: types.FunctionType) -> bool:
        codes = [fn.__code__]
        for code in codes:
            codes += [const for const in code.co_consts if isinstance(const, types.CodeType)]
        steps = [step for code in codes for step in dis.get_instructions(code)]
        names = {name for code in codes for name in code.co_names}
        cells = [cell for cell in fn.__closure__ or () if _is_filled(cell)]
        found = [*(fn.__globals__[name] for name in names if name in fn.__globals__), *(cell.cell_contents for cell in cells)]
        stores = bool(names & CHANGING) or any(step.opname in _STORING for step in steps)
        if stores:
            for one in (*found, *cells):
                self.given(one)
            for step in steps:
                if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                    self.handed.append(Rebound(fn.__globals__, step.argval, self.to, self.span))
        inner = [self.called(one) for one in found if callable(one)]
        return stores or any(inner)


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False

"""What code that adxform cannot look into may change of what it is given: told by its module, its name and its options.

There is no more to go by. Functions of a module that nothing is known of may change whatever they are given.
"""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from adxform import runtime
from adxform.analysis.keeping_exceptions import only_keeps
from adxform.ir.ops import Call, Function, Lit, Operand, Pack, Var
from adxform.ir.spans import is_user, own_attribute, written_in
from adxform.ir.types import Array
from adxform.ir.walk import all_ops, variables
from adxform.primitives.effects import effect_of, functions
from adxform.primitives.record import Memory
from adxform.primitives.table import record_called
from adxform.primitives.writing_options import is_off, writing_options

READING = frozenset(
    """
    builtins numpy scipy math cmath _operator operator statistics itertools bisect _bisect heapq _heapq random json pprint
    warnings time datetime re string textwrap hashlib pickle _pickle fractions decimal numbers inspect types typing sys os pathlib
    io _io csv struct _struct traceback array collections dataclasses logging adxform
    """.split()  # noqa: SIM905 - a line for each would say no more
)
"""Modules whose functions leave what they are given as it is, but for those that are `CHANGING`."""

_IN_PLACE = frozenset(
    f"__{name}__"
    for name in (
        """
    iadd isub imul imatmul itruediv ifloordiv imod ipow ilshift irshift iand ixor ior setitem delitem setattr delattr setstate
    init
    """.split()  # noqa: SIM905
    )
)
CHANGING = (
    frozenset(
        """
    setitem delitem setattr delattr shuffle insort insort_left insort_right heappush heappop heapify heapreplace heappushpop
    append appendleft extend extendleft insert remove pop popleft popitem clear sort reverse rotate update subtract setdefault add
    discard difference_update intersection_update symmetric_difference_update move_to_end fill itemset put setfield resize send
    fromlist frombytes fromfile fromunicode byteswap readinto readinto1 pack_into setLevel
    """.split()  # noqa: SIM905
    )
    | {name for name in dir(operator) if name[0] == "i" and (hasattr(operator, name[1:]) or hasattr(operator, f"{name[1:]}_"))}
    | _IN_PLACE
)
"""Names of functions and methods that change their first argument, or the object that they are a method of."""

REACHING = frozenset("exec eval globals modules import_module __import__ __globals__ f_globals".split())  # noqa: SIM905
"""Names by which code comes by whatever its module has."""

OF_NUMPY = frozenset("put place put_along_axis copyto fill_diagonal putmask shuffle".split())  # noqa: SIM905
"""NumPy's functions that do."""
OF_ARRAYS = _IN_PLACE | frozenset("at partition put resize setfield byteswap shuffle itemset fill sort".split())  # noqa: SIM905
"""Methods of NumPy's objects that do."""


def may_write(fn: object, name: str = "") -> bool:
    """Whether a function without a record may change what it is given; `name`: of the method that it calls, if that is known."""
    if isinstance(fn, type) and issubclass(fn, BaseException):
        return not only_keeps(fn)
    if isinstance(fn, operator.methodcaller) or (fn is operator.call and not name):  # of an object that only the run knows
        return True
    own = own_attribute(fn, "__self__")
    owner = own_attribute(fn, "__objclass__") or (None if own is None or isinstance(own, types.ModuleType) else type(own))
    pythons = isinstance(fn, types.BuiltinFunctionType | types.MethodWrapperType | np.ufunc)  # and not what wraps Fortran
    module = (written_in(fn) or getattr(owner, "__module__", None) or ("builtins" if pythons else "")).partition(".")[0]
    name = name or own_attribute(fn, "__name__", "")
    if module == "numpy":
        return name in (OF_ARRAYS if isinstance(owner, type) else OF_NUMPY)
    return module not in READING or name in CHANGING


KEEPING = (runtime.set_outside, runtime.kept_outside, runtime.change_outside, runtime.try_outside)
"""What keeps what it is given outside of the function."""
OUTSIDE = (*KEEPING, runtime.fill_outside, runtime.written_outside)
"""What changes something outside of the function, and no array that it is given."""


def changes_outside(fn: Function) -> Iterator[Call]:
    """The calls by which `fn` and its helpers change something outside."""
    for one in functions(fn).values():
        for op in all_ops(one.body):
            if isinstance(op, Call) and isinstance(op.fn, Lit) and op.fn.value in OUTSIDE:
                yield op


def _has_callback(operand: Operand) -> bool:
    match operand:
        case Lit(value):
            return _is_callback(value)
        case Pack(items=items):
            return any(map(_has_callback, items))
        case _:
            return False


def _is_callback(value: object) -> bool:
    """Whether `value` is code of the user's that whoever has it may call with what else it is given."""
    match value:
        case functools.partial():
            return _is_callback(value.func)
        case types.MethodType():
            return _is_callback(value.__func__)
        case types.FunctionType():
            return is_user(value)
        case _:
            return callable(value) and isinstance(type(value).__call__, types.FunctionType)


def as_tried(call: Call) -> Call:
    """`call`; where it is made in a ``try``, what is tried there."""
    tried = call.fn == _TRIED and isinstance(call.args[0], Lit)
    return replace(call, fn=call.args[0], args=call.args[1:]) if tried else call


_TRIED = Lit(runtime.attempt)


def writes_unseen(call: Call) -> bool:
    """Whether `call`, of a function without a record, may write to an array that it gives: some do, others have an ``out``."""
    call = as_tried(call)
    if not isinstance(call.fn, Lit):
        return False
    if call.fn.value in (*OUTSIDE, runtime.found_outside):
        return False
    if may_write(call.fn.value) or any(map(_has_callback, (*call.args, *(value for _, value in call.kwargs)))):
        return True
    named = dict(call.kwargs)
    options = writing_options(call.fn.value, len(call.args), tuple(named))
    return any(not is_off(call.args[one] if isinstance(one, int) else named[one]) for one in options)


def at_risk(call: Call) -> tuple[Var, ...]:
    """The arrays that `call` may write although no rule says how: arguments of functions that adxform cannot look into."""
    record = record_called(call)
    if record is None or record.derivative is None:
        given = (*call.args, *(value for _, value in call.kwargs)) if writes_unseen(call) else ()
    else:
        writes = () if isinstance(record.derivative, Memory) else effect_of(call).writes
        given = tuple(call.args[place] for place in writes)
    return tuple(dict.fromkeys(var for operand in given for var in variables(operand) if isinstance(var.type, Array)))

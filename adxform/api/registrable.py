"""What a rule can be registered for: a rule that would never apply is refused at once, with what to register instead."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from adxform.errors import RegistrationError
from adxform.frontend.derivative_operators import Decorated, Operator, marked
from adxform.frontend.known import KNOWN
from adxform.primitives.table import TABLE
from adxform.primitives.unruled import callable_name

_VALUES = (np.ndarray, np.generic, int, float, complex, str, bytes, list, tuple, dict, set, frozenset)
"""Objects whose methods are those of their classes to adxform, whichever object it is."""


def refuse_useless(fn: Any) -> None:
    """See that a rule for `fn` can apply.

    Raises:
        RegistrationError: it never would.
    """
    for never, why, instead in _NEVER:
        if never(fn):
            name = callable_name(fn) if callable(fn) else repr(fn)
            raise RegistrationError(f"a rule for `{name}` would never apply: {why}", help=instead(fn))


def _is_raw(fn: Any) -> bool:
    return isinstance(fn, classmethod | staticmethod | property | types.GetSetDescriptorType | types.MemberDescriptorType)


def _hashes(fn: Any) -> bool:
    try:
        hash(fn)
    except TypeError:
        return False
    return True


def _is_of_value(fn: Any) -> bool:
    return isinstance(getattr(fn, "__self__", None), _VALUES) and not isinstance(fn, np.ufunc)


def _makes_objects(fn: Any) -> bool:
    return isinstance(fn, type) and not issubclass(fn, np.generic | int | float | complex) and fn not in TABLE


def _is_followed(fn: Any) -> bool:
    """Whether the front end itself does what `fn` does, with objects too: no call of it is left to the table."""
    return fn in KNOWN and (fn not in TABLE or TABLE[fn].derivative is None)


def _gives_other_than_numbers(fn: Any) -> bool:
    return inspect.isgeneratorfunction(fn) or inspect.iscoroutinefunction(fn) or inspect.isasyncgenfunction(fn)


def _class_of(fn: Any) -> str:
    kind = type(fn.__self__)
    return "np.ndarray" if issubclass(kind, np.ndarray) else callable_name(kind)


# Of what no rule would apply to: the test, the reason, and what to register instead.
_NEVER: tuple[tuple[Callable[[Any], bool], str, Callable[[Any], str]], ...] = (
    (
        _is_raw,
        "it stands in a class, and a program calls what it is read as there",
        lambda fn: "register one for what the class gives, `K.method`, or `K.name.fget` of a property",
    ),
    (lambda fn: not callable(fn), "it is no function", lambda fn: "give the function itself"),
    (
        lambda fn: not _hashes(fn),
        "it has no hash, by which a rule is found",
        lambda fn: f"register one for its method, `{type(fn).__name__}.__call__`, whose first argument is the object",
    ),
    (
        lambda fn: isinstance(fn, Operator) or marked(fn) is not None,
        "it is a derivative, which follows from its function",
        lambda fn: "register one for the function that is differentiated",
    ),
    (
        lambda fn: isinstance(fn, Decorated),
        "what `differentiable` decorates is followed",
        lambda fn: "register one for the function under the decorator, without it",
    ),
    (
        _is_of_value,
        "which array, number or container a method is called of does not tell it apart",
        lambda fn: f"register one for the method of the class, `{_class_of(fn)}.{fn.__name__}`",
    ),
    (
        lambda fn: isinstance(fn, np.ufunc) and fn.types == ["O" * fn.nin + "->" + "O" * fn.nout],
        "`np.frompyfunc` gives arrays of objects, not of numbers",
        lambda fn: "put its call into a function that makes numbers of them, `f(x).astype(float)`, and register one for that",
    ),
    (
        _makes_objects,
        "it is a class, which makes an object, not numbers",
        lambda fn: "register one for a function, or for a method of the class, whose first argument is the object",
    ),
    (
        _gives_other_than_numbers,
        "it gives an iterator, not numbers",
        lambda fn: "register one for a function that returns numbers and arrays, or a tuple of those",
    ),
    (
        _is_followed,
        "adxform follows what it does with all kinds of objects",
        lambda fn: "put its call into a function of your own, and register one for that",
    ),
)

"""What only a run can find out: values that a derivative was not prepared for, each refused with its reason."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from adxform.errors import LargeNumberError, MissingRuleError, UnsupportedOperationError
from adxform.runtime.strides import private


def not_cast(name: str, made: str, held: str) -> Exception:
    """Return what NumPy raises where an array of numbers `held` cannot hold the `made` ones of the operator `name` in place.

    >>> not_cast("truediv", "float64", "int64").args[0].__name__
    'divide'
    """
    try:
        getattr(operator, f"i{name.rstrip('_')}")(np.ones((1, 1), held), np.ones((1, 1), made))
    except TypeError as error:
        return error
    raise AssertionError(name)


def cast_error() -> type[Exception]:
    """Return the class of what NumPy raises for a result that an array cannot hold, which it keeps to itself."""
    try:
        np.add(0.5, 0.5, out=np.zeros((), dtype=int))
    except TypeError as error:
        return type(error)
    raise AssertionError


def absent() -> UnsupportedOperationError:
    """Return what is raised where a function returns ``None``, and on another path a number or a structure."""
    message = "the function returns None here, and a value on another path: the result has no one structure"
    return UnsupportedOperationError(message, help="return a value on every path, or raise an exception")


def another_path() -> UnsupportedOperationError:
    """Return what is raised where a branch in code of a package goes another way than it did when the derivative was made."""
    message = "code of a package is followed here on the path of the first call alone, and this call takes another one"
    return UnsupportedOperationError(message, help="call `adxform.clear_cache()` and derive it at these arguments")


def whole_items() -> UnsupportedOperationError:
    """Return what is raised where an array is made of a list that may hold whole numbers alone, kept as floats."""
    message = (
        "of which dtype the array of this list is cannot be told: whole numbers are kept beside floats in it, and all are whole"
    )
    return UnsupportedOperationError(
        message, help="put floats into the list, `0.0` for `0`, or say it: `np.array(…, dtype=float)`"
    )


def whole_number() -> UnsupportedOperationError:
    """Return what is raised where a number tells the dtype of an array, and only a whole one is known of it.

    >>> whole_number().code
    'ADX103'
    """
    message = "whether the first result is a whole number or a float cannot be told, and so of which dtype the array of all is"
    return UnsupportedOperationError(message, help="say it, `otypes=[float]`, or return floats on every path, `0.0` for `0`")


def empty_list() -> UnsupportedOperationError:
    """Return what is raised where an array is made of a list of other than float64 numbers that turns out to be empty.

    >>> np.array([]).ndim, np.array([(1.0, 2.0)]).ndim
    (1, 2)
    """
    message = "a list of which an array is made is empty: NumPy makes a float64 array of one axis of it, the derivative another"
    return UnsupportedOperationError(message, help="treat the empty list before: `if len(items) == 0: …`")


def of_kind(value: Any, dtype: str, rank: int, *given: Any) -> Any:
    """Return `value`, an array of this dtype and rank that is no view of what was `given`.

    Raises:
        UnsupportedOperationError: it is something else.
    """
    if type(value) is not np.ndarray or value.dtype != dtype or value.ndim != rank:
        found = f"{value.dtype} of rank {value.ndim}" if isinstance(value, np.ndarray) else type(value).__name__
        message = f"a function without a rule was taken to return an array of {dtype} of rank {rank}, and returned {found}"
        raise UnsupportedOperationError(message, help="compute it before, and pass the result as an argument")
    if any(isinstance(other, np.ndarray) and np.may_share_memory(value, other) for other in given):
        message = "a function without a rule returned a view of its argument"
        raise UnsupportedOperationError(message, help="compute it before, and pass the result as an argument")
    return value


def of_kinds(value: Any, kinds: tuple[tuple[str, int], ...], *given: Any) -> Any:
    """Return `value`, a tuple of arrays of these dtypes and ranks, each apart from the others and from what was `given`.

    Raises:
        UnsupportedOperationError: it is something else.
    """
    if type(value) is not tuple or len(value) != len(kinds):
        message = f"a function without a rule was taken to return a tuple of {len(kinds)} arrays, and returned something else"
        raise UnsupportedOperationError(message, help="compute it before, and pass the result as an argument")
    for k, (item, kind) in enumerate(zip(value, kinds, strict=True)):
        of_kind(item, *kind, *given, *value[:k])
    return value


def fewer_values() -> UnsupportedOperationError:
    """Return what is raised where a dict is made of keys and of fewer values, whose number only a run can tell."""
    message = "there are fewer values than keys for this dict, and which keys it has depends on the run"
    return UnsupportedOperationError(message, help="give as many values as keys")


def nothing_apart() -> UnsupportedOperationError:
    """Return what is raised where ``zip(*pairs)`` takes apart a list that turns out to be empty."""
    message = "`zip(*…)` of a list that is empty here, and is not in other runs: how many lists it gives cannot be told"
    return UnsupportedOperationError(message, help="test that the list has items first")


def planar() -> UnsupportedOperationError:
    """Return what is raised where both operands of ``np.cross`` are vectors of two components."""
    message = "`np.cross` of vectors of two components each is not supported: it gives numbers, of three it gives vectors"
    return UnsupportedOperationError(message, help="write `a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]`")


def rectangular() -> UnsupportedOperationError:
    """Return what is raised where the singular vectors of a matrix that is not square are asked for in full."""
    message = "of a matrix that is not square not all singular vectors of `full_matrices=True`, the default, are determined"
    return UnsupportedOperationError(message, help="write `svd(a, full_matrices=False)`")


def without_derivative(message: str) -> UnsupportedOperationError:
    """Return what is raised where a function has no derivative, or one of another shape than told before the run.

    >>> without_derivative("np.quantile of nothing").code
    'ADX103'
    """
    return UnsupportedOperationError(message, help="treat this case before, in a branch of its own")


def no_number(value: Any) -> Any:
    """Return `value`, which may hold what a function without a rule gave of what moves, unless it is a number that may move.

    >>> no_number(["0.5"])
    ['0.5']

    Raises:
        UnsupportedOperationError: it is a number, or an array of numbers, whose derivative nobody would miss.
    """
    moves = isinstance(value, float | complex | np.inexact) or (isinstance(value, np.ndarray) and value.dtype.kind in "fc")
    if not moves:
        return value
    message = "a number comes out of an object that may hold what a function without a rule returns, and has no derivative"
    raise UnsupportedOperationError(message, help="wrap it in `stop_gradient`, if its derivative is to be zero")


def some(count: int) -> None:
    """Raise what ``np.max`` raises of nothing, if `count` is zero."""
    if count == 0:
        raise ValueError("zero-size array to reduction operation which has no identity")


def number(value: Any) -> Any:
    """Return `value`, a number, or a copy of it, an array: the code that it came from may change what is in it.

    Another object would say itself what an operator means, and the derivative not.

    >>> number(2.0)
    2.0

    Raises:
        UnsupportedOperationError: it is something else.
    """
    cls = type(value)
    plain = cls in _NUMBERS or (isinstance(value, np.generic) and cls is value.dtype.type) or cls is np.ndarray
    if plain and (cls in _NUMBERS or value.dtype.kind in "biufc"):
        return private(value) if cls is np.ndarray else value
    message = f"an object of class `{cls.__name__}`, which is no plain number or array, meets a number in an operator"
    raise UnsupportedOperationError(message, help="convert it where it comes from, e.g. with `float(…)` or `np.asarray(…)`")


def answered(value: Any) -> Any:
    """Return `value`, which a special method returned: where it answers nothing Python asks the other operand.

    >>> answered(2.0)
    2.0

    Raises:
        UnsupportedOperationError: it is ``NotImplemented``.
    """
    if value is NotImplemented:
        message = "a special method returns NotImplemented here, which only the run knows: Python asks the other operand then"
        raise UnsupportedOperationError(message, help="return NotImplemented by a condition on the class of the other operand")
    return value


def real_number(value: Any) -> Any:
    """Return `value` as `number` does, where the derivative was made for a real one.

    >>> real_number(2.0)
    2.0

    Raises:
        UnsupportedOperationError: it is complex, or neither a number nor an array.
    """
    found = number(value)
    if isinstance(found, complex | np.complexfloating) or (isinstance(found, np.ndarray) and found.dtype.kind == "c"):
        message = "a complex number meets a real one in an operator, where the derivative was made for real numbers"
        raise UnsupportedOperationError(message, help="make the other one complex too, e.g. `x + 0j`")
    return found


def check_power(base: Any, exponent: Any) -> None:
    """See that the power of `base` by `exponent`, numbers of Python's own, is real.

    Raises:
        UnsupportedOperationError: it is complex.
    """
    if -math.inf < base < 0 and math.isfinite(exponent) and not float(exponent).is_integer():
        message = (
            "a negative number of Python's own to a power that is no integer is complex: no derivative is followed through it"
        )
        raise UnsupportedOperationError(message, help="keep the base above zero, or use `np.power`, of which it is NaN")


def check_whole_power(exponent: Any) -> None:
    """See that a whole number of Python's own to the power `exponent`, another one, is a whole number.

    Raises:
        UnsupportedOperationError: it is a float.
    """
    if exponent < 0:
        message = "a whole number to a power below zero is a float, where the derivative was made for a whole number"
        raise UnsupportedOperationError(message, help="make the base a float, `2.0 ** k`, or write the sign out, `2 ** -k`")


def check_exact(number: Any) -> None:
    """See that `number`, which a list has beside floats, is no whole number that is another one as a float; so with an array.

    Raises:
        LargeNumberError: it may be.
    """
    if isinstance(number, np.ndarray):
        number = 0 if number.dtype.kind not in "iu" or not number.size else max(int(number.max()), -int(number.min()))
    if isinstance(number, int) and abs(number) > 2**53:
        message = "a whole number of more than 53 bits is in a list beside floats, where derivatives have a float for each number"
        raise LargeNumberError(message, help="keep it in a list, or a variable, of its own")


def cotangent(ct: Any, like: Any, rule: str, place: int, pushed: bool = False) -> Any:
    """Return `ct`, which a pullback of `rule` gave for the argument `like` at `place`, given that it has the same shape.

    In forward mode, where the pullback is transposed, a tangent of the argument is `pushed` to where the cotangent came from.

    >>> cotangent(np.ones(2), np.zeros(2), "the rule of f", 0)
    array([1., 1.])

    Raises:
        MissingRuleError: it has another shape, or is no number or array of floats.
    """
    found = np.asarray(ct)
    if pushed and found.shape != np.shape(like):
        found, like = np.asarray(like), ct
    if found.shape == np.shape(like) and found.dtype.kind in ("fc" if np.asarray(like).dtype.kind == "c" else "f"):
        return ct
    what = f"shape {found.shape}" if found.dtype.kind in "biufc" else f"class {type(ct).__name__}"
    what = f"type {found.dtype}" if found.shape == np.shape(like) and found.dtype.kind in "biuc" else what
    message = f"the pullback of {rule} returns a cotangent of {what} for argument {place}, of shape {np.shape(like)}"
    raise MissingRuleError(message, help="return floats of exactly the argument's shape: see `adxform.runtime.unbroadcast`")


def tangent(moved: Any, like: Any, rule: str) -> Any:
    """Return `moved`, which `rule` gave for the tangent of the value `like`, given that it has the same shape.

    >>> tangent(np.ones(2), np.zeros(2), "the rule of f")
    array([1., 1.])

    Raises:
        MissingRuleError: it has another shape.
    """
    if np.shape(moved) == np.shape(like):
        return moved
    message = f"the tangent of {rule} has shape {np.shape(moved)}, and the value of its function {np.shape(like)}"
    raise MissingRuleError(message, help="return a tangent of exactly the value's shape")


def unshifted(ct: Any, at_zero: Any, rule: str) -> Any:
    """Return `ct`, which a pullback of `rule` gave, given that it gave nothing but zeros for a cotangent of zero.

    >>> unshifted(np.ones(2), np.zeros(2), "the rule of f")
    array([1., 1.])

    Raises:
        MissingRuleError: it gave something else. What is undefined there (NaN) says nothing.
    """
    found = np.asarray(at_zero)
    if not np.any((found != 0.0) & ~np.isnan(found)):
        return ct
    message = f"the pullback of {rule} adds to its cotangent what does not depend on it, so that zero would have a derivative"
    raise MissingRuleError(message, help="return what is linear in the cotangent, zeros where it is zero")


_NUMBERS = frozenset([float, int, bool, complex])


def _refuse(*_args: Any, **_kwargs: Any) -> Any:
    raise UnboundLocalError("cannot access a local variable where it is not associated with a value")


def _attribute(one: Any, name: str) -> Any:
    return object.__getattribute__(one, name) if name.startswith("__") else _refuse()


_USES = """getitem setitem delitem contains len iter call bool int float complex index hash str format
array array_ufunc array_function neg pos abs invert round lt le gt ge eq ne add radd sub rsub mul rmul truediv rtruediv
floordiv rfloordiv mod rmod divmod rdivmod pow rpow matmul rmatmul lshift rlshift rshift rrshift and rand or ror xor rxor
iadd isub imul itruediv ifloordiv imod ipow imatmul ilshift irshift iand ior ixor"""


# A dict is no sequence: NumPy would say of one that it cannot be stored in an array, whatever it raises.
_UNDEFINED = {"__module__": "adxform.runtime", "__slots__": (), "__getattribute__": _attribute}
undefined: Any = type("Undefined", (dict,), _UNDEFINED | {f"__{use}__": _refuse for use in _USES.split()})()
"""What a name holds that a path does not define, where it is handed on: every use raises what Python raises of such a name."""

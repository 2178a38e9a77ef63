"""What the body of a ``try`` may raise, as a value: generated code decides on it as on any other."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from adxform.errors import AdxError


class Outcome:
    """How a call ended: with a `value`, or with an `error`."""

    __slots__ = ("error", "value")

    def __init__(self, value: Any, error: BaseException | None) -> None:
        self.value = value
        self.error = error


def attempt(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Outcome:
    """Return how ``fn(*args, **kwargs)`` ended. What adxform itself refuses is raised: no handler of the program's is for it.

    A method of arrays that is given a number of NumPy's is that number's own.
    """
    if args and isinstance(args[0], np.generic) and getattr(fn, "__objclass__", None) is np.ndarray:
        fn = getattr(type(args[0]), fn.__name__)
    try:
        return Outcome(fn(*args, **kwargs), None)
    except AdxError:
        raise
    except BaseException as error:  # a handler of the program's, or the end of its `try`, decides on it
        return Outcome(None, error)


def error_of(outcome: Outcome) -> BaseException | None:
    """Return what the call raised."""
    return outcome.error


def value_of(outcome: Outcome) -> Any:
    """Return what the call returned."""
    return outcome.value


def raised_by(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> BaseException | None:
    """Return what ``fn(*args, **kwargs)`` raises, ``None`` if it does not; nothing is written."""
    return attempt(fn, *args, **kwargs).error


def tried(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, BaseException | None]:
    """Return ``fn(*args, **kwargs)``, and what it raises instead."""
    outcome = attempt(fn, *args, **kwargs)
    return outcome.value, outcome.error


def caught(error: BaseException) -> BaseException:
    """Return `error`, which generated code handles; what adxform refuses is raised again."""
    if isinstance(error, AdxError):
        raise error
    return error


def raised_by_writing(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> BaseException | None:
    """As `raised_by`, of a function that writes to what it is given: it is given copies."""
    copied = copy.deepcopy((args, kwargs))
    return attempt(fn, *copied[0], **copied[1]).error


def raised_by_storing(fn: Callable[..., Any] | None, x: Any, index: Any, value: Any) -> BaseException | None:
    """Return what ``x[index] = value`` raises, or ``x[index] = fn(x[index], value)``; ``None`` if nothing. Nothing is written."""
    outcome = attempt(operator.getitem, x, index)
    if outcome.error is not None or not isinstance(x, np.ndarray):
        return outcome.error
    if fn is not None:
        changed = attempt(fn, outcome.value, value)
        if changed.error is not None:
            return changed.error
    if not x.flags.writeable:
        return attempt(operator.setitem, x, index, value).error
    if np.ndim(outcome.value) == 0 and np.ndim(value) == 0:
        return None
    return attempt(operator.setitem, np.array(outcome.value), ..., value).error


def raised_under(kinds: tuple[str, ...], ask: Callable[..., Any], *args: Any, **kwargs: Any) -> BaseException | None:
    """Return what `ask` says, where floating point errors of `kinds` raise and others pass."""
    with np.errstate(**{"all": "ignore", **dict.fromkeys(kinds, "raise")}):  # type: ignore[arg-type]
        found: BaseException | None = ask(*args, **kwargs)
        return found


def is_caught(error: BaseException, classes: Any) -> bool:
    """Return whether ``except classes`` is for `error`."""
    kinds = classes if isinstance(classes, tuple) else (classes,)
    if not all(isinstance(kind, type) and issubclass(kind, BaseException) for kind in kinds):
        raise TypeError("catching classes that do not inherit from BaseException is not allowed")
    return any(kind in type(error).__mro__ for kind in kinds)


def raised_from(error: Any, cause: Any) -> BaseException:
    """Return what ``raise error from cause`` raises."""
    made: BaseException = error() if isinstance(error, type) else error
    made.__cause__ = cause() if isinstance(cause, type) else cause
    return made

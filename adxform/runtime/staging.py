"""Staged rules: what a builder makes of the kinds of the arguments of a call, once for each, and what its rule holds.

A rule that was built is a function with a closure. Generated code asks for the arrays in that closure by name, so that its text
can be saved, and a derivative from the disk or from another process, where the rule was not built yet, has it built there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from adxform.runtime.memos import Memo


class Argument(NamedTuple):
    """What is known of an argument before a run.

    `dtype` is the name of the dtype of a number or an array, and empty for anything else; `ndim` its number of axes, or ``None``
    where only the run tells; `value` the whole number, truth value, text or ``None`` that the program gives, where it gives one.
    """

    dtype: str
    ndim: int | None
    value: int | str | None = None


_built: Memo[Any, Callable[..., Any]] = Memo(1024, kept=1024)
"""What the rules hold is theirs for as long as derivatives may ask for it: it is not given back by `clear_cache`."""


def built(build: Callable[..., Any], *args: Any, **named: Any) -> Callable[..., Any]:
    """Return the rule that `build` returns for arguments of these kinds, each an `Argument` or a tuple of such."""
    return _built.get((build, args, tuple(named.items())), lambda: build(*map(_argument, args), **_arguments(named)))


def staged(build: Callable[..., Any], place: Any, *args: Any, **named: Any) -> Any:
    """Return the array that the rule `built` has in its closure, read-only: by the name `place`, or where a path of steps leads.

    >>> def build(x):
    ...     weights = np.ones(2)
    ...     return lambda x: (weights @ x, lambda ct: (ct * weights,))
    >>> staged(build, "weights", ("float64", 1, None))
    array([1., 1.])
    """
    value: Any = built(build, *args, **named)
    for kind, key in (("cell", place),) if isinstance(place, str) else place:
        match kind:
            case "cell":
                value = value.__closure__[value.__code__.co_freevars.index(key)].cell_contents
            case "attribute":
                value = getattr(value, key)
            case _:
                value = value[key]
    value = value.view()
    value.flags.writeable = False
    return value


def told(value: Any) -> tuple[Any, ...]:
    """Return what a builder is told of `value`, as generated code has it.

    >>> told(np.ones(2)), told(3), told((0.5, "fast"))
    (('float64', 1, None), ('int64', 0, 3), (('float64', 0, None), ('', None, 'fast')))

    Raises:
        TypeError: it is neither a number, an array, text nor a tuple of these.
    """
    if value is None or isinstance(value, str):
        return ("", None, value)
    if isinstance(value, tuple | list):
        return tuple(map(told, value))
    array = np.asarray(value)
    if array.dtype.kind not in "biufc":
        raise TypeError(f"a {type(value).__name__} is neither a number, an array, text nor a tuple of these")
    whole = value.item() if isinstance(value, np.generic) else value
    return (array.dtype.name, array.ndim, whole if isinstance(whole, int) else None)


def _argument(given: Any) -> Any:
    """`given`, as generated code has it, in the form that a builder takes."""
    is_one = len(given) == 3 and isinstance(given[0], str)
    return Argument(*given) if is_one else tuple(map(_argument, given))


def _arguments(named: dict[str, Any]) -> dict[str, Any]:
    return {key: _argument(given) for key, given in named.items()}

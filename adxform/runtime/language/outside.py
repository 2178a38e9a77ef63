"""What generated code does to the caller's program, once for each call, where the statement of the primal stands.

Compiled code that gives up begins anew in Python. What it did outside until then is not done again: `once` keeps what each change
gave, and gives that the next time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

from adxform.runtime.language.outcomes import Outcome, attempt

_T = TypeVar("_T")


class _Done:
    """The results of the changes that one call made; `place` counts those that the code, begun anew, has come to."""

    __slots__ = ("place", "results")

    def __init__(self) -> None:
        self.results: list[Any] = []
        self.place = 0


class _Here(threading.local):
    done: _Done | None = None
    arrays: dict[tuple[int, str], tuple[Any, Any]] | None = None
    """The arrays of a call that writes to copies of arrays outside, by the objects and attributes that hold those."""


_here = _Here()


def once(run: Callable[..., _T], *args: Any) -> _T:
    """``run(*args)``, of which each change outside is done once, though `run` may begin anew by `anew`."""
    return _with(_Done(), run, *args)


def anew(run: Callable[..., _T]) -> Callable[..., _T]:
    """`run`, in whatever thread, as the code that does again what was begun here."""
    done = _here.done
    assert done is not None

    def again(*args: Any) -> _T:
        done.place = 0
        return _with(done, run, *args)

    return again


def _with(done: _Done, run: Callable[..., _T], *args: Any) -> _T:
    before, _here.done = _here.done, done
    try:
        return run(*args)
    finally:
        _here.done = before


def _change(change: Callable[..., Any], *args: Any, **named: Any) -> Any:
    done = _here.done
    if done is None:
        return change(*args, **named)
    if done.place == len(done.results):
        done.results.append(change(*args, **named))
    done.place += 1
    return done.results[done.place - 1]


def found_outside(owner: Any, name: str) -> Any:
    """``owner.name``, a list or dict that is not the function's own."""
    return getattr(owner, name)


def set_outside(owner: Any, name: str, value: Any) -> None:
    """``owner.name = value`` of an object that is not the function's own, whose class has had its say."""
    _change(_set, owner, name, value)


def kept_outside(owner: Any, name: str, value: Any) -> Any:
    """``owner.name = value`` of an object that is not the function's own; returns `value`, a list or dict, as it is there."""
    return _change(_set, owner, name, value)


def _set(owner: Any, name: str, value: Any) -> Any:
    (setattr if isinstance(owner, ModuleType | type) else object.__setattr__)(owner, name, value)
    written_outside(owner, name, None)
    return value


def change_outside(owner: Any, method: str, *args: Any, **named: Any) -> Any:
    """``owner.method(*args, **named)`` of a list or dict that is not the function's own."""
    return _change(getattr(owner, method), *args, **named)


def try_outside(owner: Any, method: str, *args: Any, **named: Any) -> Outcome:
    """How ``owner.method(*args, **named)`` of a list or dict that is not the function's own ended."""
    outcome: Outcome = _change(attempt, getattr(owner, method), *args, **named)
    return outcome


def fill_outside(owner: Any, name: str, value: Any) -> None:
    """``owner.name[...] = value`` of an array that is not the function's own, which was written to in a copy."""
    getattr(owner, name)[...] = value


def written_outside(owner: Any, name: str, value: Any) -> None:
    """From here on `value` is what is written to in the place of ``owner.name``; ``None``: nothing is any more."""
    if _here.arrays is not None:
        _here.arrays.pop((id(owner), name), None)
        if value is not None:
            _here.arrays[id(owner), name] = owner, value


def leaving_arrays(run: Callable[..., _T]) -> Callable[..., _T]:
    """`run`, which leaves arrays outside as they were written to until it raised, if it does."""

    def leaving(*args: Any) -> _T:
        before, _here.arrays = _here.arrays, {}
        try:
            return run(*args)
        except BaseException:
            for (_, name), (owner, value) in _here.arrays.items():
                fill_outside(owner, name, value)
            raise
        finally:
            _here.arrays = before

    return leaving


def computed(*values: Any) -> None:
    """What `values` took is done by here, or has raised: something outside is changed after it."""

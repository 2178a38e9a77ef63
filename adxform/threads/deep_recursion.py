"""Room for deeply nested code: work whose stack runs out is done again in a thread that has a larger one.

The stages recurse where programs nest (an expression of a thousand terms, two hundred ``elif``), and a first call may come where
little of the stack is left. Python's limit is right for nearly all of them, and a thread for the rest costs nothing until then.
The thread does what this one began, in its turns (see `adxform.threads.locks`).
"""

from __future__ import annotations

import contextvars
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

from adxform.errors import AdxError, UnsupportedSyntaxError
from adxform.ir.spans import Span
from adxform.threads.locks import continue_for, imported, line, maker, new_lock, start_afresh, whole

LIMIT = 30_000
STACK = 512 << 20
FRAMES = 25
"""What starting a thread takes of the stack, and somewhat more."""
ENOUGH = 400
"""What nearly all work takes, compiling with Numba among it."""

_T = TypeVar("_T")
_here = threading.local()
_lock = new_lock()
_guests: list[int] = []
"""The threads that need the higher limit."""
_usual: list[int] = []
"""The limit as it was, while it is higher."""


def with_deep_stack(work: Callable[[], _T], name: str, span: Span) -> _T:
    """What `work`, on the function `name`, returns; it is done twice when the stack ran out at first.

    Raises:
        UnsupportedSyntaxError: the function nests too deeply even for the larger stack.
    """
    if has_stack_left():
        try:
            return work()
        except (RecursionError, AdxError) as error:
            if not ran_out(error) or is_deep():
                raise
    done, failed = apart(work)
    if failed and isinstance(failed[0], RecursionError):
        raise UnsupportedSyntaxError(
            f"`{name}` nests too deeply", span=span, help="split the nested expression or statement in two"
        ) from None
    if failed:
        raise failed[0]
    return done[0]


def on_deep_stack(work: Callable[[], _T]) -> _T:
    """What `work` returns or raises; it is done twice when the stack ran out at first."""
    if has_stack_left():
        try:
            return work()
        except Exception as error:
            if not ran_out(error) or is_deep():
                raise
    return in_thread(work)


def bring_in(name: str) -> Any:
    """The module `name`, imported in a thread of its own: neither a short stack nor a signal leaves half of it imported."""
    if is_deep() or whole(name) is not None:
        return imported(name)
    try:
        return in_thread(lambda: imported(name), daemon=False)
    except RuntimeError:  # the process is about to end, and starts no threads
        return imported(name)


def has_stack_left() -> bool:
    """Whether there is enough of the stack left to begin with: what runs out of it may leave things half done in libraries."""
    try:
        need_stack(ENOUGH)
    except RecursionError:
        return is_deep()
    return True


def is_deep() -> bool:
    """Whether this thread is one with the larger stack."""
    return getattr(_here, "deep", False)


def ran_out(error: BaseException | None) -> bool:
    """Whether `error` comes of a stack that was too small."""
    seen: list[BaseException] = []
    while error is not None and not any(error is other for other in seen):
        if isinstance(error, RecursionError):
            return True
        seen.append(error)
        error = error.__cause__ or error.__context__
    return False


def in_thread(work: Callable[[], _T], daemon: bool = True) -> _T:
    """What `work` returns or raises, run in a thread of its own with `STACK` bytes and `LIMIT` frames."""
    done, failed = apart(work, daemon)
    if failed:
        raise failed[0]
    return done[0]


def apart(work: Callable[[], _T], daemon: bool = True) -> tuple[list[_T], list[BaseException]]:
    """What `work` returned, or else raised, in a thread of its own. The end of the process waits for one that is no `daemon`.

    That has the turns of this one, which waits; where an interrupt ends the waiting, this one is a maker of its own from then on.

    Raises:
        RecursionError: there is not even room to start a thread.
        RuntimeError: the system starts none, or none any more.
    """
    need_stack(FRAMES)
    done: list[_T] = []
    failed: list[BaseException] = []
    beginner, waiting = maker(), line()

    def run() -> None:
        _here.deep = True
        continue_for(beginner, waiting)
        try:
            with higher_limit():
                done.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=daemon)
    try:
        with _lock:
            size = threading.stack_size(STACK)
            try:
                thread.start()
            finally:
                threading.stack_size(size)
        thread.join()
    except BaseException:
        start_afresh()
        raise
    return done, failed


def need_stack(frames: int) -> None:
    """Raise a `RecursionError` where fewer than `frames` calls are left."""
    if frames:
        need_stack(frames - 1)


@contextmanager
def higher_limit() -> Iterator[None]:
    """Let Python recurse to `LIMIT` frames until the last of those who asked for it is done."""
    with _lock:
        usual = sys.getrecursionlimit()
        if not _guests and usual < LIMIT:
            _usual[:] = [usual]
            sys.setrecursionlimit(LIMIT)
        _guests.append(threading.get_ident())
    try:
        yield
    finally:
        with _lock:
            _guests.remove(threading.get_ident())
            lower()


def lower() -> None:
    """Set the limit back when nobody needs the higher one any more, be it that of whose stack has grown beyond the usual one.

    Python ends a process in which a thread is far beyond a new limit.
    """
    if _guests or not _usual or sys.getrecursionlimit() != LIMIT:
        return
    if all(depth(frame) < _usual[0] - FRAMES for frame in sys._current_frames().values()):
        sys.setrecursionlimit(_usual.pop())


def depth(frame: FrameType | None) -> int:
    """How many calls are on the stack of which `frame` is the top."""
    count = 0
    while frame is not None:
        frame, count = frame.f_back, count + 1
    return count


def forget_others() -> None:
    """After a fork: there is no thread but this one."""
    _guests[:] = [guest for guest in _guests if guest == threading.get_ident()]
    lower()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_others)

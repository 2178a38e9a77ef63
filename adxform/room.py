"""Room for deeply nested code: work whose stack runs out is done again in a thread that has a larger one.

The stages recurse where programs nest (an expression of a thousand terms, two hundred ``elif``). Python's limit is right for
nearly all of them, and a thread for the rest costs nothing until then.
"""

from __future__ import annotations

import contextvars
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from adxform.errors import AdxError, UnsupportedSyntaxError
from adxform.source import Span

LIMIT = 30_000
STACK = 512 << 20

_T = TypeVar("_T")
_here = threading.local()
_lock = threading.Lock()
_guests: list[int] = []


def with_room(work: Callable[[], _T], name: str, span: Span) -> _T:
    """What `work`, on the function `name`, returns; it is done twice when the stack ran out at first.

    Raises:
        UnsupportedSyntaxError: the function nests too deeply even for the larger stack.
    """
    try:
        return work()
    except (RecursionError, AdxError) as error:
        if not ran_out(error) or getattr(_here, "roomy", False):
            raise
    try:
        return in_thread(work)
    except RecursionError:
        raise UnsupportedSyntaxError(
            f"`{name}` nests too deeply", span=span, help="split the nested expression or statement in two"
        ) from None


def ran_out(error: BaseException | None) -> bool:
    """Whether `error` comes of a stack that was too small."""
    seen: list[BaseException] = []
    while error is not None and not any(error is other for other in seen):
        if isinstance(error, RecursionError):
            return True
        seen.append(error)
        error = error.__cause__ or error.__context__
    return False


def in_thread(work: Callable[[], _T]) -> _T:
    """What `work` returns or raises, run in a thread of its own with `STACK` bytes and `LIMIT` frames."""
    done: list[_T] = []
    failed: list[BaseException] = []

    def run() -> None:
        _here.roomy = True
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True)
    with higher_limit():
        with _lock:
            size = threading.stack_size(STACK)
            try:
                thread.start()
            finally:
                threading.stack_size(size)
        thread.join()
    if failed:
        raise failed[0]
    return done[0]


@contextmanager
def higher_limit() -> Iterator[None]:
    """Let Python recurse to `LIMIT` frames until the last of those who asked for it is done."""
    with _lock:
        _guests.append(sys.getrecursionlimit())
        sys.setrecursionlimit(max(_guests[0], LIMIT))
    try:
        yield
    finally:
        with _lock:
            usual = _guests[0]
            _guests.pop()
            if not _guests:
                sys.setrecursionlimit(usual)

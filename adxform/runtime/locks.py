"""Locks that nobody waits for in vain: not after a fork, not after an interrupt, not for a thread that waits in turn.

A `Turn` is held for as long as a derivation lasts, which may run user code, need other derivations, go on in a thread with a
larger stack, or be interrupted anywhere. So it belongs to a *maker*, not to a thread; it is held while the frame that took it is
on the stack of its thread, whatever became of the statement that would give it back; and who would close a circle by waiting does
not wait: what two make is the same.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from operator import itemgetter
from types import FrameType
from typing import Any, TypeVar
from weakref import WeakSet

_T = TypeVar("_T")
GLANCE = 0.05
"""Seconds after which one who waits looks whether there is still something to wait for."""
PATIENCE = 60.0
"""Seconds that a fork, or the end of the process, waits for a kernel that is being compiled."""


@dataclass(slots=True, eq=False)
class Maker:
    """One who derives: a thread, and after it those that continue its work. `awaits` is what it waits for."""

    awaits: Turn | None = None


@dataclass(slots=True, eq=False)
class Claim:
    """That `maker` has the turn, until `frame`, of the thread of that number, is left; `gate` opens then."""

    maker: Maker
    thread: int
    frame: FrameType | None
    gate: Any = field(default_factory=threading.Lock)

    def stands(self) -> bool:
        """Whether the frame is on the stack of its thread: not after a fork in another one, nor where an interrupt struck."""
        frame = sys._current_frames().get(self.thread)
        while frame is not None and frame is not self.frame:
            frame = frame.f_back
        return frame is not None


_here = threading.local()
_guarded: WeakSet[Any] = WeakSet()


def new_lock() -> threading.Lock:
    """A lock for a few statements, which is open in the child after a fork."""
    lock = threading.Lock()
    _guarded.add(lock)
    return lock


_lock = new_lock()


class Turn:
    """Lets one maker at a time do something; the same one may do it again inside of that."""

    __slots__ = ("_claim",)

    def __init__(self) -> None:
        self._claim: Claim | None = None

    def alone(self, work: Callable[[], _T]) -> _T:
        """What `work` returns, which is run when no other maker is at it; unless that one waits for this one."""
        me = maker()
        claim = Claim(me, threading.get_ident(), sys._getframe())
        claim.gate.acquire()
        try:
            self._await(claim)
            return work()
        finally:
            if self._claim is claim:
                self._claim = None
            claim.frame, me.awaits = None, None
            claim.gate.release()

    def _await(self, claim: Claim) -> None:
        """Take the turn when it is free; return without it where it is the maker's already, or never would be free."""
        waited = False
        while True:
            with _lock:
                held = self._claim
                if held is None or (waited and not held.stands()):
                    self._claim = claim
                    return
                claim.maker.awaits = self
                if self.needs(claim.maker):
                    return
            waited = not held.gate.acquire(timeout=GLANCE)
            if not waited:
                held.gate.release()

    def needs(self, other: Maker) -> bool:
        """Whether who has the turn is `other`, or waits for it, maybe by way of others."""
        turn: Turn | None = self
        passed: list[Turn] = []
        while turn is not None and turn not in passed:
            passed.append(turn)
            held = turn._claim
            if held is None:
                return False
            if held.maker is other:
                return True
            turn = held.maker.awaits
        return False


def maker() -> Maker:
    """Who derives in this thread."""
    found: Maker | None = getattr(_here, "maker", None)
    if found is None:
        found = _here.maker = Maker()
    return found


def continue_for(other: Maker) -> None:
    """Let this thread, a new one, do what `other` began, in its turns."""
    _here.maker = other


def start_afresh() -> None:
    """Let this thread be a maker of its own from now on: another one still continues what it began."""
    _here.maker = Maker()


class Rank(IntEnum):
    """In which order a thread may take the locks that are kept at a fork."""

    COMPILER = 0
    MACHINE = 1
    DISK = 2


_kept: list[tuple[Rank, Any]] = []
_taken: list[Any] = []


def kept_at_fork(lock: Any, rank: Rank) -> Any:
    """`lock`, a reentrant one, around what a fork must not cut in two: who forks waits for it, and the child has it open."""
    _kept.append((rank, lock))
    _kept.sort(key=itemgetter(0))
    return lock


def before_fork() -> None:
    """Take the locks that are kept."""
    _taken[:] = [lock for _, lock in _kept if lock.acquire(timeout=PATIENCE)]


def after_fork() -> None:
    """Give them back, in the parent."""
    while _taken:
        _taken.pop().release()


def open_all() -> None:
    """Give them back in the child, and open the locks that other threads held, which are not there any more."""
    held = [lock for _, lock in _kept if not any(lock is taken for taken in _taken)]
    after_fork()
    for lock in (*held, *_guarded):
        lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=before_fork, after_in_parent=after_fork, after_in_child=open_all)

"""Locks that nobody waits for in vain: not after a fork, not after an interrupt, not for a thread that waits in turn.

A `Turn` is held for as long as a derivation lasts, which may run user code, need other derivations, go on in a thread with a
larger stack, or be interrupted anywhere. So it belongs to a *maker*, not to a thread; it is held while the frame that took it is
on the stack of its thread, whatever became of the statement that would give it back; and who would close a circle by waiting does
not wait: what two make is the same.

`logging` is imported for what it does at a fork: it takes a lock, which nearly every import needs. Who is told of forks first is
asked last, so it must have been told before this module is.
"""

from __future__ import annotations

import logging  # noqa: F401 - for the order of the hooks at a fork: see above
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from importlib import import_module
from operator import itemgetter
from time import monotonic
from types import FrameType, ModuleType
from typing import Any, TypeVar
from weakref import WeakSet

_T = TypeVar("_T")
GLANCE = 0.05
"""Seconds after which one who waits looks whether there is still something to wait for."""
PATIENCE = 60.0
"""Seconds that a fork, or the end of the process, waits for a kernel that is being compiled, or for an import."""


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


def line() -> tuple[int, ...]:
    """The threads that wait until this one is done, and this one."""
    return (*getattr(_here, "waiting", ()), threading.get_ident())


def continue_for(other: Maker, waiting: tuple[int, ...] = ()) -> None:
    """Let this thread, a new one, do what `other` began, in its turns; the threads `waiting` do nothing until that is done."""
    _here.maker, _here.waiting = other, waiting


def start_afresh() -> None:
    """Let this thread be a maker of its own from now on: another one still continues what it began."""
    _here.maker = Maker()


class Rank(IntEnum):
    """In which order a thread may take the locks that are kept at a fork."""

    COMPILER = 0
    MACHINE = 1
    DISK = 2
    IMPORTS = 3


_kept: list[tuple[Rank, Any]] = []


def kept_at_fork(lock: Any, rank: Rank) -> Any:
    """`lock`, a reentrant one, around what a fork must not cut in two: who forks waits for it, and the child has it open."""
    _kept.append((rank, lock))
    _kept.sort(key=itemgetter(0))
    return lock


_imports: list[Claim] = []
"""What is being imported. A lock would not do: an import may wait for what another thread imports."""
_gate = kept_at_fork(threading.RLock(), Rank.IMPORTS)


def importing(work: Callable[[], _T]) -> _T:
    """What `work` returns, which may import modules: who forks waits until it is done.

    Otherwise the child would have half of a module, and Python's lock of it, which is held by a thread that is not there.
    """
    claim = Claim(maker(), threading.get_ident(), sys._getframe())
    claim.gate.acquire()
    try:
        with _gate:
            _imports.append(claim)
        return work()
    finally:
        with _gate:
            _imports[:] = [each for each in _imports if each is not claim]
        claim.frame = None
        claim.gate.release()


def imported(name: str, package: str | None = None) -> ModuleType:
    """The module `name`, imported where no fork comes between; every import that adxform makes in a call is this one."""
    found = None if name.startswith(".") else whole(name)
    return importing(lambda: import_module(name, package)) if found is None else found


def whole(name: str) -> ModuleType | None:
    """The module `name` where it has been imported to the end."""
    found = sys.modules.get(name)
    return None if getattr(getattr(found, "__spec__", None), "_initializing", False) else found


def attribute(module: ModuleType, name: str) -> Any:
    """The attribute `name` of a module, which may import another one for it, as NumPy and SciPy do.

    Raises:
        AttributeError: there is no such attribute.
    """
    return getattr(module, name) if name in vars(module) else importing(lambda: getattr(module, name))


def before_fork() -> None:
    """Take the locks that are kept when no other thread imports; those that wait for this one may.

    It waits without any lock, which the import may need.
    """
    until = monotonic() + PATIENCE
    _here.taken = []
    while True:
        for _, lock in _kept:
            if lock.acquire(timeout=max(until - monotonic(), GLANCE)):
                _here.taken.append(lock)
        under_way = [claim for claim in _imports if claim.thread not in line() and claim.stands()]
        if not under_way or monotonic() > until:
            return
        after_fork()
        if under_way[0].gate.acquire(timeout=GLANCE):
            under_way[0].gate.release()


def after_fork() -> None:
    """Give them back, in the parent."""
    taken: list[Any] = getattr(_here, "taken", [])
    while taken:
        taken.pop().release()


def open_all() -> None:
    """Give them back in the child, and open the locks that other threads held, which are not there any more."""
    held = [lock for _, lock in _kept if not any(lock is taken for taken in getattr(_here, "taken", []))]
    after_fork()
    _imports[:] = [claim for claim in _imports if claim.thread == threading.get_ident()]
    for lock in (*held, *_guarded):
        lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=before_fork, after_in_parent=after_fork, after_in_child=open_all)

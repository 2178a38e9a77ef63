"""What callbacks may change is nothing that the function reads: asked when a derivative is made, and again at each call.

A callback finds functions and data by names, in lists and in objects, where others may have been put between two calls.
"""

from __future__ import annotations

import itertools
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from adxform.errors import GlobalMutationError
from adxform.frontend.calls.callbacks.callback_calls import is_librarys
from adxform.frontend.calls.callbacks.objects_held import reached_from
from adxform.frontend.calls.callbacks.reached import CallChanges, TooMuchCode, changes_of, reach_of, widest
from adxform.frontend.checks.handed_over import Handed, Rebound, Shown, UnseenCall, refuse_changed
from adxform.frontend.signature.access import Access, Guard
from adxform.frontend.signature.class_meaning import is_changeable, is_users
from adxform.ir.packages import Left, left_now, reading_as
from adxform.ir.spans import is_left_beside_users, own_attribute


@dataclass(frozen=True, slots=True)
class LeavesAlone:
    """A function of which the calls `unseen` change nothing that it reads: by `hidden`, or where something is assumed, `told`.

    Each call asks it of the code that was read for it: of packages that which was not `left` to the run.
    """

    unseen: tuple[UnseenCall, ...]
    hidden: tuple[Access, ...]
    told: tuple[tuple[Access, type], ...]
    left: Left | None
    last: dict[tuple[int, int], CallChanges] = field(default_factory=dict, compare=False, repr=False)
    """What each function of each call was found to change last."""

    def __reduce__(self) -> tuple[Any, ...]:
        return LeavesAlone, (self.unseen, self.hidden, self.told, self.left)

    def met(self, value: Callable[..., Any]) -> bool:
        """Whether `value` is one as things are now, and no call may change what it could not when the derivative was made."""
        try:
            with reading_as(self.left):
                return self.check(value)
        except Exception:  # one that refuses, or whatever a lookup raises of what is gone since
            return False

    @property
    def misfit(self) -> str:
        """What is said where it is not met."""
        names = dict.fromkeys(f"`{call.to}`" for call in self.unseen)
        return f"{' or '.join(names)} may now change what it reads"

    def check(self, fn: Callable[..., Any]) -> bool:
        """Whether calls may change, of what they are given, only what they could when the derivative was made.

        Raises:
            GlobalMutationError: `fn` reads what an unseen call may change.
        """
        handed: list[Handed | Rebound] = []
        for place, call in enumerate(self.unseen):
            changes = [changes_of(one, self.last.get((place, number))) for number, one in enumerate(call.called)]
            self.last.update(((place, number), one) for number, one in enumerate(changes))
            if widest(call.among, *(one.among for one in changes)) != call.among:
                return False
            handed += _handed(call, changes)
        refuse_changed(fn, handed, self.hidden, self.told)
        return True


def leaves_alone(
    fn: Callable[..., Any], unseen: Sequence[UnseenCall], hidden: Iterable[Access], guards: Iterable[Guard]
) -> tuple[Guard, ...]:
    """What each call is to ask of `fn`, which makes the calls `unseen`: nothing where these call no function of the program's.

    Raises:
        GlobalMutationError: that does not hold now.
    """
    asked = tuple((guard.access, type(guard.expectation)) for guard in guards)
    LeavesAlone(tuple(unseen), tuple(hidden), asked, left_now()).check(fn)
    others = (replace(call, called=tuple(itertools.filterfalse(_only_computes, call.called))) for call in unseen)
    calling = tuple(call for call in others if call.called)
    return (Guard(Access(), LeavesAlone(calling, tuple(hidden), asked, left_now())),) if calling else ()


@dataclass(frozen=True, slots=True)
class SeesNot:
    """A function of which the calls in `shown` come by none of the objects that it has `kept` numbers in that may move."""

    shown: tuple[Shown, ...]
    kept: tuple[Any, ...]
    left: Left | None

    def met(self, value: Callable[..., Any]) -> bool:
        """Whether that is so now, of whatever function."""
        with reading_as(self.left):
            return all(not self.seen(call) for call in self.shown)

    def seen(self, call: Shown) -> bool:
        """Whether `call` may come by one of the objects; a function of the program by any variable of a module."""
        if self.kept and any(map(_is_left_beside_users, call.objects)):
            return True
        calls_back = any(callable(one) and not _is_no_code_of_the_program(one) for one in call.objects)
        kept = {id(one) for one in self.kept}
        among_variables = calls_back and any(isinstance(one, types.ModuleType) for one in self.kept)
        try:
            return among_variables or any(id(one) in kept for one in reach_of(call.objects))
        except TooMuchCode:
            return True


def sees_not(shown: Sequence[Shown], kept: Iterable[Any]) -> tuple[Guard, ...]:
    """What each call is to ask of a function that has `kept` numbers that may move in objects outside.

    Raises:
        GlobalMutationError: code that cannot be looked into may read one, which would come back without its derivative.
    """
    looking = tuple(call for call in shown if not all(map(_only_computes, call.objects)))
    asked = SeesNot(looking, tuple(kept), left_now())
    for call in looking if asked.kept else ():
        if asked.seen(call):
            message = (
                f"`{call.to}`, a function that adxform cannot look into, may read a number that is kept outside and may move"
            )
            raise GlobalMutationError(message, span=call.span, help="keep it after that call, or give it a copy of what it reads")
    return (Guard(Access(), asked),) if looking and asked.kept else ()


def refuse_arrays_seen(shown: Sequence[Shown], written: Iterable[Any]) -> None:
    """Raise where arrays outside are `written` to, and a function may read them that is left to the run beside their package."""
    if any(True for _ in written):
        for call in shown:
            if any(map(_is_left_beside_users, call.objects)):
                message = f"`{call.to}`, a function that adxform cannot look into, may read an array outside that is written to"
                raise GlobalMutationError(message, span=call.span, help="give it a copy of what it reads")


def _is_no_code_of_the_program(value: Any) -> bool:
    """Whether the function or class `value` is a library's, which reads no variable of the program's modules by itself."""
    if isinstance(value, type):
        module = sys.modules.get(value.__module__)
        return module is not None and not is_users(module)
    return is_librarys(value)


def _is_left_beside_users(value: Any) -> bool:
    """Whether `value` is a function, or a class with a method, that is left to the run of a package that is read otherwise."""
    found = vars(value).values() if isinstance(value, type) else (own_attribute(value, "__func__", value),)
    return any(isinstance(one, types.FunctionType) and is_left_beside_users(one) for one in found)


def _only_computes(fn: Any) -> bool:
    """Whether `fn` is a library's, and changes nothing by itself, for good."""
    if not callable(fn) or _is_left_beside_users(fn):
        return False
    return (not is_changeable(fn) if isinstance(fn, type) else is_librarys(fn)) and not changes_of(fn).among


def all_handed(calls: Iterable[UnseenCall]) -> Iterator[Handed | Rebound]:
    """What `calls` may change, as things are now."""
    for call in calls:
        yield from _handed(call, [changes_of(one) for one in call.called])


def _handed(call: UnseenCall, changes: Iterable[CallChanges]) -> Iterator[Handed | Rebound]:
    """What `call` hands over, if its functions make these `changes`."""
    names = frozenset(name for one in changes for name in one.names)
    for among, values in ((call.among, call.given), *((one.among, one.found) for one in changes)):
        if among:
            yield from (Handed(one, call.to, call.span, names) for one in reached_from(values) if isinstance(one, among))
    yield from (Rebound(space, name, call.to, call.span) for one in changes for space, name in one.rebound)

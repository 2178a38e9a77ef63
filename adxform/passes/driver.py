"""Runs lists of passes: each pass is timed, may be watched, and what it made is verified where ``ADXFORM_STRICT`` asks for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from adxform.errors import VerificationError
from adxform.ir.ops import Function
from adxform.ir.verify import verify
from adxform.ir.walk import contents
from adxform.runtime import timing
from adxform.runtime.strict import is_strict

S = TypeVar("S")


def always(setting: Any) -> bool:
    """The condition of a pass that is always taken."""
    return True


@dataclass(frozen=True, slots=True)
class Pass(Generic[S]):
    """A step of a list: its name, what it makes of a function in a setting, and in which settings it is taken.

    `needs`: classes of ops, and callables; it changes no function that has none of one of these sets (see `contents`).
    """

    name: str
    run: Callable[[Function, S], Function]
    when: Callable[[S], bool] = always
    needs: tuple[frozenset[Any], ...] = ()

    def changes(self, found: frozenset[Any]) -> bool:
        """Whether it may change a function of which `found` are the `contents`."""
        return not any(map(found.isdisjoint, self.needs))


def plain(
    name: str,
    run: Callable[[Function], Function],
    when: Callable[[Any], bool] = always,
    needs: tuple[frozenset[Any], ...] = (),
) -> Pass[Any]:
    """A pass that asks nothing of its setting."""
    return Pass(name, lambda fn, setting: run(fn), when, needs)


@dataclass(frozen=True, slots=True)
class Stage:
    """What a function was after the pass ``list:pass`` of that `name`."""

    name: str
    function: Function
    changed: bool


@dataclass(slots=True)
class StageWatch:
    """The stages that were gone through while it was open."""

    stages: list[Stage] = field(default_factory=list)

    def after(self, name: str) -> list[Function]:
        """The functions as the last run of the pass ``list:pass`` of that `name` left them: kernels are several."""
        return list({stage.function.name: stage.function for stage in self.stages if stage.name == name}.values())


_watch: ContextVar[StageWatch | None] = ContextVar("watch", default=None)


@contextmanager
def watching() -> Iterator[StageWatch]:
    """Note every stage of what is derived in the block; what a cache has is not derived.

    >>> from adxform.ir.text import read
    >>> from adxform.passes.pipeline import optimise
    >>> with watching() as watch:
    ...     _ = optimise(read("def f(x: f64):\\n    y: f64 = operator.mul(1.0, x)\\n    return y"))
    >>> [stage.name for stage in watch.stages if stage.changed]
    ['optimise:algebra']
    """
    token = _watch.set(watch := StageWatch())
    try:
        yield watch
    finally:
        _watch.reset(token)


def note(name: str, fn: Function, *, changed: bool = True) -> Function:
    """`fn`, seen by who watches as what there is after `name`."""
    if (watch := _watch.get()) is not None:
        watch.stages.append(Stage(name, fn, changed))
    return fn


def through(title: str, passes: tuple[Pass[S], ...], fn: Function, setting: S) -> Function:
    """`fn` after those of `passes` that are taken in `setting`, one after the other."""
    for step in passes:
        if step.when(setting):
            fn = taken(title, step, fn, setting)
    return fn


def settled(title: str, passes: tuple[Pass[S], ...], fn: Function, setting: S, rounds: int) -> Function:
    """`fn` after `passes`, again and again until none changes it, at most so many `rounds`; the first one comes last as well."""
    unchanged: dict[str, Function] = {}
    found = contents(fn)
    for _ in range(rounds):
        before = fn
        for step in passes:
            if not step.when(setting) or unchanged.get(step.name) is fn:
                continue
            if not step.changes(found):
                note(f"{title}:{step.name}", fn, changed=False)
            elif (new := taken(title, step, fn, setting)) is not fn:
                fn, found = new, contents(new)
            unchanged[step.name] = fn
        if fn is before:
            break
    return fn if unchanged.get(passes[0].name) is fn else taken(title, passes[0], fn, setting)


def taken(title: str, step: Pass[S], fn: Function, setting: S) -> Function:
    """What a pass of the list `title` makes of `fn`: `fn` itself where that is the same."""
    name = f"{title}:{step.name}"
    begun = time.perf_counter()
    try:
        new = step.run(fn, setting)
        changed = new is not fn and new != fn
    finally:
        timing.add_step(name, time.perf_counter() - begun)
    if changed:
        try:
            checked(new)
        except VerificationError as error:
            error.add_note(f"after the pass {name}")
            raise
    return note(name, new if changed else fn, changed=changed)


def checked(fn: Function) -> Function:
    """`fn`, verified where the environment asks for it (the tests do), once for all that look at it one after the other."""
    global _verified
    if is_strict() and fn is not _verified:
        verify(fn, typed=True)
        _verified = fn
    return fn


_verified: Function | None = None
"""What was verified last."""

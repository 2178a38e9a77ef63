"""Lists and dicts that a ``try`` gives other items, or makes, held so that it may be left at any place."""

from __future__ import annotations

import operator
from collections.abc import Callable

from adxform.frontend.containers import list_arrays
from adxform.frontend.evaluate.control_flow.alike_lists import hold_anew
from adxform.frontend.evaluate.control_flow.retries import Standing
from adxform.frontend.evaluate.levels import TryLevel, unwatched
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.signals import HeldAnew
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Value


def with_lists_held_anew(interp: Interpreter, run: Callable[[dict[int, HeldAnew]], list[Value]]) -> list[Value]:
    """The values of `run`, a ``try``, once the lists that have other items where it is left are held so that they can.

    Those from before are held so ahead of it, those that it makes from the first place on where it may be left. `run` is given
    these, each by its place among the objects.
    """
    anew: dict[int, HeldAnew] = {}
    while True:
        saved = Standing.of(interp)
        try:
            return run(anew)
        except HeldAnew as again:
            heap = interp.heap
            saved.restore(interp)
            before = [(ref, contents) for ref, contents in interp.heap.contents.items() if ref in heap.contents]
            grown = [list_arrays.held_anew(ref, contents, heap.contents[ref]) for ref, contents in before]
            given = again.grows if again.grows is not None and again.grows.ref in interp.heap.contents else None
            held = [hold_anew(interp, grows) for grows in (*grown, given) if grows is not None]
            if not any(held) and not _is_made_here(again, anew):
                raise again.error from None


def _is_made_here(again: HeldAnew, anew: dict[int, HeldAnew]) -> bool:
    """Whether a list to be held another way is one that the ``try`` makes, and is among `anew` now."""
    if again.grows is None or again.grows.ref not in again.objects:
        return False
    place = again.objects.index(again.grows.ref)
    return anew.setdefault(place, again) is again


def hold_what_is_made_here(interp: Interpreter, level: TryLevel) -> None:
    """Hold lists another way that are made in a ``try`` and have to be where it may be left."""
    with unwatched(interp):
        for place, known in sorted(level.anew.items(), key=operator.itemgetter(0)):
            now = tuple(interp.heap.contents)
            grows = known.among(now)
            if grows is not None and place < len(now) and isinstance(interp.heap.contents[now[place]], Contents):
                hold_anew(interp, grows)

"""Programs that ask something of state outside of their arguments, which is another one at the second call.

Each cell derives a program, changes the state that it asks, and judges what is said then: the value and the slope of the program
as it is now, or an error of adxform's own. The state is reached by each of `WAYS`, and is asked each question of its kind.
"""

from __future__ import annotations

import contextlib
import itertools
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import adxform
from adxform.errors import PreparationMismatchError
from tests.tables.cell import Cell, Raised, outcome, program, refusal
from tests.tables.changed_classes import KINDS as CLASSES
from tests.tables.changed_programs import KINDS, PRELUDE, WAYS, Change, Kind, Way
from tests.tables.reach import disk

X = 0.7
MODES = ("gradient", "jvp", "disk", "prepared gradient", "prepared jvp")


def cells() -> Iterator[Cell]:
    """Every way to reach each kind of state, with each question and change, in one mode after the other."""
    for kind, (turn, way) in itertools.product((*KINDS.values(), *CLASSES.values()), enumerate(WAYS.values())):
        if kind.ways and way.name not in kind.ways:
            continue
        for place, (question, change) in enumerate(itertools.product(kind.questions, kind.changes)):
            mode = MODES[(place + turn) % len(MODES)]
            name = f"{kind.name}, {way.name}: {question}, then {change.text}, {mode}"
            yield Cell(name, checked, (X,), judged_by=partial(checked, kind, way, question, change, mode))
    for way, question, mode in itertools.product(WAYS.values(), ABSENT, MODES):
        if way.name not in LASTING:
            yield Cell(f"absent, {way.name}: {question}, {mode}", came, (X,), judged_by=partial(came, way, question, mode))


ABSENT = ("x * STATE", "x * 2.0 if STATE else x", "x if x > 5.0 else x * STATE")
"""What is asked of a state that is not there at first."""
LASTING = ("item of a tuple", "named tuple", "member of an enum", "partial", "partial, by its state")
"""Ways by which a state is always there."""
APPENDED = {"item of a list": "ROW.append(1.5)", "item of a deque": "TABLE.append(1.5)"}
"""How a state comes to be where nothing can be set."""


def came(way: Way, question: str, mode: str, cell: Cell) -> tuple[str, str]:
    """What becomes of a program whose state is absent at first, then there, and then absent again."""
    loss = program(source(KINDS["number"], way, question))
    absent = "f.__defaults__ = None" if way.name == "default" else f"del {way.held}"
    there = APPENDED.get(way.name) or way.rebound.replace("NEW", "1.5")
    with warnings.catch_warnings(), np.errstate(all="ignore"), disk() if mode == "disk" else contextlib.nullcontext():
        warnings.simplefilter("ignore")
        ask = asker(loss, mode)
        for step in (absent, there, absent):
            exec(step, loss.__globals__)
            if mode == "disk":
                adxform.clear_cache()
            found = outcome(ask)
            if isinstance(found, Raised) and isinstance(found.error, PreparationMismatchError):
                continue
            if (said := refusal(found)) is not None:
                return said
            if said := differs(loss, found):
                return "wrong", f"after {step}: {said}"
    return "right", ""


def checked(kind: Kind, way: Way, question: str, change: Change, mode: str, cell: Cell) -> tuple[str, str]:
    """What becomes of the program once the state that it asks is another one."""
    loss = program(source(kind, way, question))
    with warnings.catch_warnings(), np.errstate(all="ignore"), disk() if mode == "disk" else contextlib.nullcontext():
        warnings.simplefilter("ignore")
        ask = asker(loss, mode)
        before = outcome(ask)
        if (said := refusal(before)) is not None:
            return said
        if said := differs(loss, before):
            return "wrong", f"at first: {said}"
        exec(statement(way, change), loss.__globals__)
        if mode == "disk":
            adxform.clear_cache()
        after = outcome(ask)
    if isinstance(after, Raised) and isinstance(after.error, PreparationMismatchError):
        return "right", ""
    if (said := refusal(after)) is not None:
        return said
    said = differs(loss, after)
    return ("wrong", said) if said else ("right", "")


def source(kind: Kind, way: Way, question: str) -> str:
    """The program that asks `question` of the state that `way` leads to."""
    made = f"{PRELUDE}\n{kind.classes}\n{way.setup}\n".replace("MADE", f"({kind.made})")
    return made.replace("ANSWER", question.replace("STATE", way.read))


def statement(way: Way, change: Change) -> str:
    """What changes the state that `way` leads to."""
    if change.rebinds:
        return way.rebound.replace("NEW", f"({change.text})")
    return change.text.replace("STATE", way.held)


def asker(loss: Callable[..., Any], mode: str) -> Callable[[], Any]:
    """What asks for the value and the slope of `loss`."""
    match mode:
        case "gradient" | "disk":
            return lambda: adxform.value_and_grad(loss)(X)
        case "jvp":
            return lambda: adxform.jvp(loss, (X,), (1.0,))
        case "prepared gradient":
            return prepared(lambda: adxform.prepare_value_and_gradient(loss, X), lambda made: made(X))
        case _:
            return prepared(lambda: adxform.prepare_jvp(loss, X), lambda made: made((X,), (1.0,)))


def prepared(prepare: Callable[[], Any], ask: Callable[[Any], Any]) -> Callable[[], Any]:
    """Asks what is prepared at the first time."""
    made: list[Any] = []

    def asked() -> Any:
        if not made:
            made.append(prepare())
        return ask(made[0])

    return asked


def differs(loss: Callable[..., Any], got: Any) -> str:
    """How a value and a slope differ from those of the program as it is now; empty where they do not."""
    plain = outcome(lambda: loss(X))
    if isinstance(plain, Raised) or isinstance(got, Raised):
        alike = isinstance(plain, Raised) and isinstance(got, Raised) and plain.kind is got.kind
        return "" if alike else f"{getattr(got, 'error', got)!r}, plainly {getattr(plain, 'error', plain)!r}"
    step = 0.125
    slope = (loss(X + step) - loss(X - step)) / (2 * step)
    alike = np.isclose(got[0], plain, rtol=1e-12) and np.isclose(got[1] or 0.0, slope, rtol=1e-9, atol=1e-12)
    return "" if alike else f"{got!r}, plainly {(plain, slope)!r}"

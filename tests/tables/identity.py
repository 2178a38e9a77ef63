"""Programs that ask whether two things from outside are one object, at three calls, after a change and after another one.

Each thing is reached by each of `WAYS`, an argument among them, and is one of `KINDS`. At first the two are one object, or equal
ones; then the second is bound anew so that it is the other way round, and then back. Each call is judged by the program as it is.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import adxform
from adxform.errors import PreparationMismatchError
from tests.tables.cell import Cell, Raised, outcome, program, refusal

X = 0.7
MODES = ("gradient", "prepared gradient", "jvp")


@dataclass(frozen=True, slots=True)
class Way:
    """How a program reaches a thing: what is written ahead, how it is read, and how it is bound anew; `#` is its number."""

    name: str
    setup: str
    read: str
    rebound: str
    given: str = "None"


WAYS = (
    Way("global", "A# = V", "A#", "A# = V"),
    Way("item of a list", "L# = [None, V]", "L#[1]", "L#[1] = V"),
    Way("item of a dict", "D# = {'v': V}", "D#['v']", "D#['v'] = V"),
    Way("item of a tuple", "T# = (None, V)", "T#[1]", "T# = (None, V)"),
    Way("attribute of a class", "class C#:\n    v = V", "C#.v", "C#.v = V"),
    Way("attribute of an object", "O# = types.SimpleNamespace(v=V)", "O#.v", "O#.v = V"),
    Way("default", "", "a#", "f.__kwdefaults__['a#'] = V"),
    Way("argument", "P# = V", "p#", "P# = V", "P#"),
    Way("item of an argument", "P# = [None, V]", "p#[1]", "P# = [None, V]", "P#"),
    Way("item of a tuple argument", "P# = (None, V)", "p#[1]", "P# = (None, V)", "P#"),
)
KINDS = {
    "list": "[1.0]",
    "empty list": "[]",
    "nested list": "[[1.0], 2.0]",
    "dict": "{'k': 1.0}",
    "defaultdict": "collections.defaultdict(float, k=1.0)",
    "ordered dict": "collections.OrderedDict(k=1.0)",
    "set": "{1.0, 2.0}",
    "tuple": "(1.0, float('2'))",
    "tuple of a list": "(1.0, [2.0])",
    "named tuple": "Pair(1.0, float('2'))",
    "dataclass": "Field(1.0)",
    "object": "types.SimpleNamespace(k=1.0)",
    "never equal": "Never()",
    "deque": "collections.deque([1.0])",
    "array": "np.array([1.0])",
    "NaN": "float('nan')",
    "list of NaN": "[float('nan')]",
    "tuple of NaN": "(float('nan'),)",
}
QUESTIONS = (
    "A is B",
    "A is not B",
    "A == B",
    "A in [B]",
    "A in (None, B)",
    "[A] == [B]",
    "(A, 1) == (B, 1)",
    "{'a': A} == {'a': B}",
    "[B].count(A) == 1",
    "(lambda a, b: a is b)(A, B)",
    "any(q is B for q in [A])",
    "(A if X else None) is B",
    "[B].index(A) == 0",
)
WRITES = {
    "list": ("A.append(2.0)", "len(B)"),
    "nested list": ("A[0].append(2.0)", "len(B[0])"),
    "dict": ("A['w'] = 2.0", "len(B)"),
    "defaultdict": ("A['w'] += 2.0", "len(B)"),
    "ordered dict": ("A.update(w=2.0)", "len(B)"),
    "set": ("A.add(3.0)", "len(B)"),
    "tuple of a list": ("A[1].append(2.0)", "len(B[1])"),
    "dataclass": ("A.k = 2.0", "B.k"),
    "object": ("A.k = 2.0", "B.k"),
    "deque": ("A.append(2.0)", "len(B)"),
    "array": ("A[0] = 2.0", "float(B[0])"),
}
PRELUDE = """
import collections, dataclasses, types
import numpy as np
Pair = collections.namedtuple("Pair", "u v")
@dataclasses.dataclass
class Field:
    k: float
class Never:
    def __eq__(self, other): return False
    __hash__ = object.__hash__
X = True
def make(): return MADE
ONE = make()
"""


def cells() -> Iterator[Cell]:
    """Every pair of ways to reach each kind, with each question, one object or two at first, in one mode after the other."""
    turn = itertools.cycle(MODES)
    for kind, first, second, same in itertools.product(KINDS, WAYS, WAYS, (True, False)):
        asked = QUESTIONS if WAYS.index(first) <= WAYS.index(second) else ()
        bodies = {question: f"return x * x if {question} else x" for question in asked}
        if kind in WRITES:
            write, read = WRITES[kind]
            bodies[f"{write}, {read}"] = f"{write}\n    return x * x * {read}"
        for question, body in bodies.items():
            mode = next(turn)
            name = f"{kind}, {first.name}, {second.name}, {'one' if same else 'two'}: {question}, {mode}"
            yield Cell(name, checked, (X,), judged_by=partial(checked, kind, first, second, same, body, mode))


def checked(kind: str, first: Way, second: Way, same: bool, body: str, mode: str, cell: Cell) -> tuple[str, str]:
    """What becomes of the program at each of its calls."""
    one, other = ("ONE", "make()") if same else ("make()", "ONE")
    setup = f"{written(first.setup, 1, 'ONE')}\n{written(second.setup, 2, one)}"
    text = body.replace("A", "\0").replace("B", written(second.read, 2, "")).replace("\0", written(first.read, 1, ""))
    defaults = [f"a{k}={value}" for k, way, value in ((1, first, "ONE"), (2, second, one)) if way.name == "default"]
    head = f"def f({', '.join(['x', 'p1', 'p2', *(['*', *defaults] if defaults else [])])}):"
    source = f"{PRELUDE.replace('MADE', KINDS[kind])}\n{setup}\n{head}\n    {text}"
    loss = program(source)
    ask = Asker(loss, program(source), mode, f"({written(first.given, 1, '')}, {written(second.given, 2, '')})")
    for change in (None, None, None, other, other, one) if text.startswith("return") else (None,):
        if change is not None:
            exec(written(second.rebound, 2, change), loss.__globals__)
            exec(written(second.rebound, 2, change), ask.plain.__globals__)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            got = outcome(ask.got)
        if isinstance(got, Raised) and isinstance(got.error, PreparationMismatchError):
            continue
        if (said := refusal(got)) is not None:
            return said
        if said := differs(got, *ask.expected()):
            return "wrong", f"{'at first' if change is None else f'then {change}'}: {said}"
    return "right", ""


def written(text: str, number: int, value: str) -> str:
    """A part of a way, of the thing with this number, bound to what `value` says."""
    return text.replace("#", str(number)).replace("V", value)


@dataclass
class Asker:
    """Asks for the value and the slope of `loss`, and then for those of `plain`: multiples of `x * x`, or one of `x`."""

    loss: Callable[..., Any]
    plain: Callable[..., Any]
    mode: str
    given: str
    prepared: Any = None

    def got(self) -> Any:
        """What the derivative says now."""
        given = eval(self.given, self.loss.__globals__)
        match self.mode:
            case "gradient":
                return adxform.value_and_grad(self.loss)(X, *given)
            case "jvp":
                return adxform.jvp(lambda x: self.loss(x, *given), (X,), (1.0,))
            case _:
                if self.prepared is None:
                    self.prepared = adxform.prepare_value_and_gradient(self.loss, X, *given)
                return self.prepared(X, *given)

    def expected(self) -> tuple[Any, Any]:
        """What the program says now."""
        plain = outcome(lambda: self.plain(X, *eval(self.given, self.plain.__globals__)))
        return plain, 1.0 if plain == X else 2 * plain / X if isinstance(plain, float) else None


def differs(got: Any, plain: Any, slope: Any) -> str:
    """How a value and a slope differ from those of the program; empty where they do not."""
    if isinstance(plain, Raised) or isinstance(got, Raised):
        alike = isinstance(plain, Raised) and isinstance(got, Raised) and plain.kind is got.kind
        return "" if alike else f"{getattr(got, 'error', got)!r}, plainly {getattr(plain, 'error', plain)!r}"
    alike = np.isclose(got[0], plain, rtol=1e-12) and np.isclose(got[1] or 0.0, slope, rtol=1e-9, atol=1e-12)
    return "" if alike else f"{got!r}, plainly {(plain, slope)!r}"

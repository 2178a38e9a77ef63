"""A random program of a seed: helpers, classes, and a function ``f(x, a, n, p, m)`` of floats, integers and a matrix."""

from __future__ import annotations

import copy
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import numpy as np

from tests.domain import array_idioms, chosen_by_run, class_idioms, container_idioms, idioms, library_idioms, statement_idioms
from tests.domain.grammar import Lines, Scope, block, constant, indented, number, vector
from tests.oracle import flat_function
from tests.tables.cell import Cell, program

LENGTH = 4
MOST = 1e4
STEP_BESIDE = 1e-10
_KINDS = (idioms, statement_idioms, container_idioms, class_idioms, array_idioms, chosen_by_run, library_idioms)
IDIOMS = tuple(idiom for kind in _KINDS for idiom in kind.IDIOMS)
"""What statements of random programs are made of."""
MODULES = (
    "bisect", "cmath", "collections", "contextlib", "dataclasses", "decimal", "enum", "fractions", "functools", "heapq",
    "itertools", "math", "types", "typing",
)  # fmt: skip
"""What a program imports."""


def text_of(seed: int) -> str:
    """The source of the program of a seed."""
    chance = random.Random(seed)
    top = Scope(chance, idioms=IDIOMS)
    lines = [*_helpers(top), *_classes(top)]
    scope = Scope(
        chance,
        numbers=["a"],
        counts=["n", "p"],
        vectors=["x", "y"],
        matrices=["m"],
        of_number=top.of_number,
        of_vector=top.of_vector,
        classes=top.classes,
        fixed=frozenset(["x", "m"]) if chance.random() < 0.8 else frozenset(),
        fresh=top.fresh,
        returns="float",
        module=top.module,
        after=top.after,
        idioms=IDIOMS,
    )
    body = [f"y = {chance.choice(('x * 1.5', 'x.copy()', 'np.tanh(x)', 'x[::-1] * a', 'np.array(x)'))}"]
    for _ in range(chance.randint(2, 5)):
        body += block(scope, 2)
    told = [*scope.numbers, *(f"np.sum({name})" for name in scope.vectors)]
    # Whether a number is Python's or NumPy's is for the tables to tell: a list that a loop fills holds numbers of one class.
    body.append(f"return float({' + '.join(chance.sample(told, min(len(told), 5)))} + {number(scope)})")
    written = [*top.module, *lines, "def f(x, a, n, p, m):", *indented(body), *top.after]
    imports = [f"import {name}" for name in MODULES if any(f"{name}." in line for line in written)]
    return "\n".join((*imports, *written, ""))


def _helpers(top: Scope) -> Lines:
    """Up to three helpers of numbers and of vectors."""
    lines: Lines = []
    for _ in range(top.chance.randint(0, 2)):
        name = top.name("law")
        scope = Scope(
            top.chance,
            numbers=["u", "w"],
            vectors=["np.array([u, w, 0.5])"],
            fixed=frozenset(["np.array([u, w, 0.5])"]),
            fresh=top.fresh,
            module=top.module,
            idioms=IDIOMS,
        )
        start = top.chance.choice(
            ([], [f"if u > {constant(scope)}:", f"    return {number(scope, 1)}"], [f"w = {number(scope, 1)}"])
        )
        lines += [f"def {name}(u, w):", *indented([*start, f"return {number(scope)}"])]
        top.of_number.append(name)
    for _ in range(top.chance.randint(0, 2)):
        name = top.name("map")
        scope = Scope(top.chance, numbers=["k"], vectors=["q"], of_number=list(top.of_number), fresh=top.fresh, returns="vector")
        scope.module, scope.after, scope.idioms = top.module, top.after, IDIOMS
        scope.fixed = frozenset() if top.chance.random() < 0.3 else frozenset(["q"])
        lines += [f"def {name}(q, k):", *indented([*block(scope, 2), f"return {vector(scope)}"])]
        top.of_vector.append(name)
    return lines


def _classes(top: Scope) -> Lines:
    """At most one class with state."""
    if top.chance.random() < 0.5:
        return []
    name = top.name("Model")
    scope = Scope(
        top.chance,
        numbers=["self.rate", "k", "self.total"],
        vectors=["self.state"],
        fresh=top.fresh,
        of_number=list(top.of_number),
    )
    top.classes.append(name)
    return [
        f"class {name}:",
        "    def __init__(self, rate, state):",
        f"        self.rate, self.state = rate, {top.chance.choice(('state', 'state.copy()', 'np.asarray(state)'))}",
        "        self.total = 0",
        "        self.count = 0",
        "    def step(self, k):",
        f"        self.state = {vector(scope)}",
        f"        self.total += {number(scope, 1)}",
        "        self.count += 1",
        "    def relax(self, k):",
        f"        self.state[{top.chance.choice(('0', '1:', '-1'))}] *= {number(scope, 1)}",
        "        return self",
        "    @property",
        "    def size(self):",
        "        return len(self.state)",
        "    def energy(self):",
        "        k = self.rate",
        f"        return {number(scope)} / self.size",
    ]


def arguments(seed: int) -> tuple[Any, ...]:
    """The point at which the program of a seed is judged."""
    values = np.random.default_rng(seed)
    x = values.uniform(-1.2, 1.2, LENGTH)
    matrix = values.uniform(-1.0, 1.0, (LENGTH, LENGTH))
    exponent: Any = values.choice([1, 2, 3])
    return x, float(values.uniform(-1.0, 1.0)), int(values.integers(1, 4)), int(exponent), matrix


def left_outside(text: str, seed: int, run: Callable[[Cell], object]) -> dict[str, str]:
    """What the program `text` has left outside of its functions, under names that begin with ``STATE``, after one `run` of it."""
    cell = cell_of(text, seed)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run(cell)
    found = {name: value for name, value in cell.function.__globals__.items() if name.startswith("STATE")}
    return {name: repr(vars(value) if hasattr(value, "__dict__") else value) for name, value in found.items()}


def is_moderate(cell: Cell) -> bool:
    """Whether the program has a value, in the range in which differences tell something."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bool(abs(cell.function(*copy.deepcopy(cell.args))) < MOST)
        except Exception:  # the tables tell what is raised where
            return False


def overflows(cell: Cell) -> bool:
    """Whether something overflows on the way to the value of the program."""
    with np.errstate(over="raise", invalid="ignore", divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            cell.function(*copy.deepcopy(cell.args))
        except FloatingPointError:
            return True
    return False


def cancels(cell: Cell, difference: float) -> bool:
    """Whether the rounding of the largest number on the way to the value of the program is as large as `difference`.

    Slopes as large are added up in one mode where the other subtracts beforehand: of ``np.sum(x - x.copy()) * big + small``
    reverse mode has ``big - big`` beside the slope of ``small``; and differences of the value tell nothing.
    """
    return difference <= 8 * np.finfo(float).eps * largest(cell)


def jumps(cell: Cell) -> bool:
    """Whether the program has another value at its point than right beside it, so that differences tell of other branches.

    Rounding decides such a branch: of ``max(a, a + sum(d) * b, key=f)`` where the `d` cancel but for their last digits.
    """
    flat, at = flat_function(cell.function, cell.args, tuple(range(len(cell.args))))
    beside = STEP_BESIDE * np.random.default_rng(5).normal(size=at.size)
    rounding = 64 * np.finfo(float).eps * largest(cell)
    with np.errstate(all="ignore"):
        here, there = flat(at), (flat(at + beside) + flat(at - beside)) / 2
    return bool(np.any(np.abs(here - there) > 10 * STEP_BESIDE * (1 + np.abs(here)) + rounding))


def leaves_range(cell: Cell) -> bool:
    """Whether a number on the way to the value is so large that slopes of slopes of its square have no room in a float.

    Of ``np.log1p(v ** 2)`` the second slope has ``1 / (1 + v ** 2) ** 2``, which is zero for a `v` of 1e80.
    """
    return bool(largest(cell) > np.finfo(float).max ** 0.25)


def largest(cell: Cell) -> float:
    """The largest number on the way to the value of the program."""
    found = 0.0

    def watch(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal found
        if not frame.f_code.co_filename.startswith("<cell"):
            return None
        found = max((found, *(size for value in (*frame.f_locals.values(), arg) for size in _sizes(value))))
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        with np.errstate(all="ignore"):
            cell.function(*copy.deepcopy(cell.args))
    finally:
        sys.settrace(before)
    return found


def _sizes(value: Any) -> Iterator[float]:
    """How large the finite numbers in `value` are."""
    match value:
        case float() | int() | np.ndarray() if np.asarray(value).dtype.kind in "fiu":
            numbers = np.abs(np.asarray(value, float))
            yield float(np.max(numbers[np.isfinite(numbers)], initial=0.0))
        case dict():
            yield from (size for item in value.values() for size in _sizes(item))
        case list() | tuple():
            yield from (size for item in value for size in _sizes(item))
        case _ if hasattr(value, "__dict__") and not isinstance(value, type):
            yield from (size for item in vars(value).values() for size in _sizes(item))
        case _:
            return


def cell_of(text: str, seed: int) -> Cell:
    """The program `text` at the point of a seed."""
    return Cell(f"seed {seed}", program(text, __name__="random_program"), arguments(seed))

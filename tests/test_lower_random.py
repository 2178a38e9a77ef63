"""Random structured programs: interpreted untyped SSA does what Python does, effect by effect."""

from __future__ import annotations

import linecache
import random
import sys
from collections.abc import Callable
from typing import Any

import pytest

from adxform.frontend.lowering import statements
from adxform.frontend.lowering.lower import lower
from adxform.ir.prune import prune
from adxform.ir.text import read, show
from adxform.ir.verify import verify
from tests.interpret import interpret_call

NAMES = "abcde"
ARGUMENTS = ((0, 1, 2, 3), (3, -1, 0, 2), (5, 5, 1, -2))


class Enough(Exception):
    """The program has done enough."""


class Writer:
    """Writes a random program: nested loops and branches, early exits, names that not every path assigns."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines = ["def program(a, b, c, d, log, tick):"]

    def text(self) -> str:
        for _ in range(self.random.randint(2, 6)):
            self.statement(0, False)
        if self.random.random() < 0.7:
            self.line(0, "return (", self.value(), ", a, b, c, d)")
        return "\n".join(self.lines) + "\n"

    def line(self, depth: int, *parts: str) -> None:
        self.lines.append("    " * (depth + 1) + "".join(parts))

    def value(self, depth: int = 0) -> str:
        pick = self.random.random()
        if depth > 2 or pick < 0.3:
            return self.random.choice(NAMES[:4])
        if pick < 0.45:
            return str(self.random.randint(-2, 4))
        left, right = self.value(depth + 1), self.value(depth + 1)
        if pick < 0.75:
            return f"({left} {self.random.choice('+-*')} {right})"
        if pick < 0.8:
            return f"({left} if {self.condition(depth + 1)} else {right})"
        if pick < 0.85:
            return f"({left} and {right} or {self.value(depth + 1)})"
        return f"max([{left}, 0])" if pick < 0.9 else f"log({left})"

    def condition(self, depth: int = 0) -> str:
        pick = self.random.random()
        left, right = self.value(depth + 1), self.value(depth + 1)
        if pick < 0.6:
            return f"{left} {self.random.choice(['<', '>', '==', '<='])} {right}"
        return f"{left} < {right} < {self.value(depth + 1)}" if pick < 0.8 else f"not ({self.condition(depth + 1)})"

    def body(self, depth: int, in_loop: bool) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth, in_loop)

    def statement(self, depth: int, in_loop: bool) -> None:
        pick = self.random.random() * (0.4 if depth > 3 else 1.0)
        if pick < 0.2:
            self.line(depth, self.random.choice(NAMES), " = ", self.value())
        elif pick < 0.3:
            self.line(depth, self.random.choice(NAMES[:4]), " += ", self.value())
        elif pick < 0.33:
            self.line(depth, "a, b = b, ", self.value())
        elif pick < 0.36 and in_loop:
            self.line(depth, self.random.choice(["break", "continue"]))
        elif pick < 0.38:
            self.line(depth, "return ", self.value())
        elif pick < 0.4:
            self.line(depth, self.random.choice(["log(e)", "log(a)", "raise KeyError(a)"]))
        elif pick < 0.7:
            self.line(depth, "if ", self.condition(), ":")
            self.body(depth + 1, in_loop)
            if self.random.random() < 0.3:
                self.line(depth, "elif ", self.condition(), ":")
                self.body(depth + 1, in_loop)
            self.orelse(depth, in_loop, 0.5)
        else:
            self.loop(depth, in_loop, counted=pick < 0.88)

    def loop(self, depth: int, in_loop: bool, *, counted: bool) -> None:
        if counted:
            self.line(depth, "for ", self.random.choice(NAMES), " in range(", str(self.random.randint(0, 4)), "):")
        else:
            self.line(depth, "while ", self.condition() if self.random.random() < 0.7 else "True", ":")
            self.line(depth + 1, "if tick(): break")
        self.body(depth + 1, True)
        self.orelse(depth, in_loop, 0.3)

    def orelse(self, depth: int, in_loop: bool, chance: float) -> None:
        if self.random.random() < chance:
            self.line(depth, "else:")
            self.body(depth + 1, in_loop)


def outcome(call: Callable[..., Any]) -> tuple[object, ...]:
    """What a call returns or raises, and what it logged on the way."""
    trace: list[Any] = []
    ticks = 0

    def log(value: Any) -> Any:
        trace.append(value)
        if len(trace) > 200:
            raise Enough
        return value if isinstance(value, int) and abs(value) < 10**6 else 1

    def tick() -> bool:
        nonlocal ticks
        ticks += 1
        if ticks > 40:
            raise Enough
        return ticks % 5 == 0

    try:
        result: object = call(log, tick)
    except Exception as error:
        name = type(error).__name__
        result = "undefined" if name in ("UndefinedReadError", "UnboundLocalError") else name
    return result, trace, ticks


def compiled(seed: int) -> Callable[..., Any]:
    """The random program of `seed`, with its text where `linecache` finds it."""
    text, file = Writer(seed).text(), f"<random {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict[str, Any] = {}
    exec(compile(text, file, "exec"), scope)
    program: Callable[..., Any] = scope["program"]
    return program


def check(seed: int) -> None:
    """Compare the IR of the random program of `seed` with the program."""
    program = compiled(seed)
    fn = lower(program)
    verify(fn, typed=False)
    assert prune(fn) == fn
    assert read(show(fn)) == fn
    for args in ARGUMENTS:
        expected = outcome(lambda log, tick, args=args: program(*args, log, tick))
        assert outcome(lambda log, tick, args=args: interpret_call(fn, program, *args, log, tick)) == expected, args


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("start", range(0, 100, 20))
def test_random_programs(start: int) -> None:
    for seed in range(start, start + 20):
        check(seed)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_random_programs_strung_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "NESTING", 1)
    for seed in range(10_000, 10_040):
        check(seed)


if __name__ == "__main__":
    statements.NESTING = int(sys.argv[3]) if len(sys.argv) > 3 else statements.NESTING
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        try:
            check(number)
        except Exception as failure:
            print(number, type(failure).__name__, str(failure)[:300])

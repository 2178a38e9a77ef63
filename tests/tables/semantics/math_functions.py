"""The functions of `math` on operands of every kind and origin."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from tests.tables.cell import Cell
from tests.tables.semantics.operands import KINDS, SOME, SOURCES, Program, values

# How each function is called; a function without an entry is called with one argument.
CALLS: dict[str, tuple[str, ...]] = {
    "log": ("math.log({})", "math.log({}, {})", "math.log({}, 3)"),
    "hypot": ("math.hypot()", "math.hypot({})", "math.hypot({}, {})", "math.hypot({}, {}, x)", "math.hypot({}, {}, x, 2)"),
    "dist": ("math.dist([{}], [{}])", "math.dist(({}, x), (x * 3, {}))"),
    "fsum": ("math.fsum({})", "math.fsum([{}, {}])", "math.fsum(v for v in ({}, {}))"),
    "prod": ("math.prod({})", "math.prod([{}, {}])", "math.prod([{}], start={})"),
    "sumprod": ("math.sumprod([{}], [{}])", "math.sumprod({}, {})"),
    "isclose": ("math.isclose({}, {})", "math.isclose({}, {}, abs_tol=1.0)"),
    "gcd": ("math.gcd({})", "math.gcd({}, {})", "math.gcd({}, {}, 2)"),
    "lcm": ("math.lcm({})", "math.lcm({}, {})", "math.lcm({}, {}, 2)"),
    "perm": ("math.perm({})", "math.perm({}, {})"),
    "fma": ("math.fma({}, {}, x)",),
    "ldexp": ("math.ldexp({}, {})", "math.ldexp({}, 3)"),
    **{name: (f"math.{name}({{}}, {{}})",) for name in ("atan2", "pow", "copysign", "fmod", "remainder", "comb", "nextafter")},
}
POINTS = (0.3, 1.7, -0.6)
FUNCTIONS = tuple(name for name in dir(math) if callable(getattr(math, name)) and not name.startswith("_"))


def cells() -> Iterator[Cell]:
    """Each function on each kind from everywhere, or on pairs of kinds; outside of domains errors are compared."""
    for name in FUNCTIONS:
        for text in CALLS.get(name, (f"math.{name}({{}})",)):
            if text.count("{}") < 2:
                yield from _of_one(text)
            else:
                yield from _of_two(text)


def _of_one(text: str) -> Iterator[Cell]:
    origins = itertools.cycle(SOURCES)
    for point, (kind, made) in itertools.product(POINTS, KINDS.items()):
        for source in SOURCES if point == POINTS[0] else (next(origins),):
            written = Program(names={"math": math})
            operand = written.operand("a", made(point), source)
            yield written.cell(f"{text} {kind} {point} ({source})", text.format(operand))


def _of_two(text: str) -> Iterator[Cell]:
    origins = itertools.cycle(itertools.product(SOURCES, SOURCES))
    for left, a, right, b in values(1.7, 2.6):
        if {left, right}.issubset((*SOME, "str")):
            sources = next(origins)
            written = Program(names={"math": math})
            operands = [written.operand(name, value, source) for name, value, source in zip("ab", (a, b), sources, strict=True)]
            yield written.cell(f"{text} {left} {right} {sources}", text.format(*operands))

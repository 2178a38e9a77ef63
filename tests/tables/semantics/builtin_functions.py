"""Python's own functions of numbers: one to five arguments, iterables, keys and defaults."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from tests.tables.cell import Cell
from tests.tables.semantics.operands import KINDS, NUMBERS, SCALARS, SOME, SOURCES, Program, values

OF_ONE = (
    "abs({})", "round({})", "round({}, 1)", "round({}, None)", "round({}, -1)", "int({})", "float({})", "bool({})",
    "complex({})", "complex({}, x)", "len({})", "sum({})", "sum({}, x)", "any({})", "all({})", "sorted({})", "min({})", "max({})",
    "min({}, default=2.5)", "max({}, key=abs)", "max({}, key=lambda v: -v)", "list({})", "tuple({})", "sum(v * x for v in {})",
    "sum([v * v for v in {}])", "x * len(range({}))",
    "sum([x * k for k in range({})])", "x if {} else 2.0 * x", "x if not {} else 3.0",
    "{} and x", "{} or x", "np.sum(np.where({}, x, 2.0))", "sum([{0}, {0}])", "max([{0}])",
    "max([{0}, 0])", "min([{0}, x], key=abs)",
    "isinstance({}, float)", "isinstance({}, int)", "x * (2 if isinstance({}, np.ndarray) else 3)", "{}.real", "{}.imag",
    "{}.conjugate()", "{}.item()", "{}.is_integer()", "float({}) * x", "int({}) * x",
)  # fmt: skip
OF_TWO = (
    "max({}, {})", "min({}, {})", "pow({}, {})", "divmod({}, {})", "max([{}, {}])", "min(({}, {}))", "max({}, {}, key=abs)",
    "min([{}, {}], key=lambda v: -v)", "sum([{}, {}])", "sum(({},), {})", "sorted([{}, {}])", "sorted([{}, {}], reverse=True)[0]",
    "max(v for v in ({}, {}))", "any([{}, {}])", "all(({}, {}))", "round({}, {})", "complex({}, {})", "len(range({}, {}))",
    "max({}, {}) * x", "min({}, {}) * x", "pow({}, {}, 5)", "{} < {} < 3", "{} and {}", "{} or {}", "[{}, {}].count(x)",
    "max({}, {}) // 2", "max({}, {}) / 2", "x ** min({}, {})",
)  # fmt: skip
RUNNING = (
    "m = max(m, v)",
    "m = min(m, v)",
    "m = m if m > v else v",
    "m += v",
    "m = m + v",
    "m *= v",
    "m = max(v, m, 0)",
    "m = abs(m - v)",
)
INTO = ("list", "float", "float32", "float64", "longdouble", "int8", "int64", "mixed")


def cells() -> Iterator[Cell]:
    """Functions of one operand from everywhere, of two of some kinds, of several, and values that a loop carries on."""
    for text, (kind, made), source in itertools.product(OF_ONE, KINDS.items(), SOURCES):
        written = Program()
        yield written.cell(
            f"{text} {kind} ({source})", text.format(written.operand("a", made(1.7), source)), smooth="round" not in text
        )
    origins = itertools.cycle(itertools.product(SOURCES, SOURCES))
    for text, (left, a, right, b) in itertools.product(OF_TWO, values(1.7, 2.6)):
        if left in SOME and right in SOME:
            sources = next(origins)
            written = Program()
            operands = [written.operand(name, value, source) for name, value, source in zip("ab", (a, b), sources, strict=True)]
            yield written.cell(f"{text} {left} {right} {sources}", text.format(*operands), smooth="round" not in text)
    yield from several()
    yield from running()
    yield from conversions()


def several() -> Iterator[Cell]:
    """Extremes of three, four and five, each place the extreme once."""
    kinds = itertools.cycle(("int", "float", "bool", "float64", "int8", "float32", "0-d", "float", "longdouble", "int64", "one"))
    for fn, count, repeat in itertools.product(("max", "min"), (3, 4, 5, 6), range(2)):
        for place, star in itertools.product(range(count), ("{}", "[{}]", "*[{}]", "{}, key=lambda v: v * 0.5")):
            written = Program()
            numbers = [0.43 + 0.31 * ((k + repeat) % count) for k in range(count)]  # apart from each other and from integers
            numbers[place] = 3.7 if fn == "max" else -2.7
            names = [written.operand(f"a{k}", KINDS[next(kinds)](number), "argument") for k, number in enumerate(numbers)]
            text = f"{fn}({star.format(', '.join(names))})"
            yield written.cell(f"{text} at {place}, {repeat}", text)
            next(kinds)


def running() -> Iterator[Cell]:
    """``m = start; for v in xs: m = …``: a start of one kind, items of another."""
    for step, (start, made), into, use in itertools.product(RUNNING, KINDS.items(), INTO, ("m", "m * x")):
        if start not in NUMBERS:
            continue
        for first in (0.0, 2.2):
            written = Program()
            begin = written.operand("m", made(first), "argument")
            items = written.argument("vs", many(into))
            loop = [f"m = {begin}" + (".copy()" if "m += " in step or "m *= " in step else "")]
            if not isinstance(made(first), (np.ndarray, np.generic)):
                loop = [f"m = {begin}"]
            written.lines += [*loop, f"for v in {items}:", f"    {step}"]
            smooth = not (start.startswith("uint") and "-" in step)  # a difference below zero wraps around
            yield written.cell(f"{step} from {start} {first} over {into}, {use}", use, smooth=smooth)


def many(into: str) -> object:
    """Items that a loop goes over."""
    match into:
        case "list":
            return [0.3, 1.6, 0.85]
        case "mixed":
            return [1, 1.6, np.float32(0.85)]
        case "float":
            return np.array([0.3, 1.6, 0.85]).tolist()
        case _ if into.startswith(("int", "uint")):
            return np.array([1, 3, 2], into)
        case _:
            return np.array([0.3, 1.6, 0.85], into)


MAKERS = (
    "np.asarray(np.sum(a))", "np.array(a)", "np.array(np.sum(a))", "np.zeros(()) + a", "np.zeros(())", "np.sum(a)", "a[()]",
    "a[...]", "np.float32(a)", "np.float64(a)", "np.asarray(a, dtype=np.float32)", "np.int64(a)", "np.asarray(a)",
    "np.array([a])[0]", "np.ones(())[()] * a",
)  # fmt: skip
CHANGES = (
    "s += 2", "s *= x", "s -= a", "s **= 2", "s /= 2", "s += x", "s //= 2", "s[()] = x", "s[...] = x * a", "s[...] += x",
    "s = s + x",
)  # fmt: skip


def conversions() -> Iterator[Cell]:
    """Numbers made 0-d arrays and back, and 0-d arrays that augmented operators change in place."""
    for maker, change, kind in itertools.product(MAKERS, CHANGES, (*SCALARS, "0-d", "one", "array")):
        written = Program()
        operand = written.operand("a", KINDS[kind](1.7), "argument")
        written.lines += [
            f"a = {operand}",
            f"s = {maker}",
            *(["for _ in range(2):", f"    {change}"] if "+=" in change else [change]),
        ]
        # What is rounded to single precision on the way has steps that differences fall over.
        yield written.cell(f"{maker}; {change} of {kind}", "s", smooth="float32" not in maker)

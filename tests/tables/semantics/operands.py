"""Operands: their kinds, and the places from which a program takes them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from tests.oracle import is_float
from tests.tables.cell import Cell, Written, outcome, program

FLOATS = ("float16", "float32", "float64", "longdouble")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def _integer(name: str, value: float) -> Any:
    return np.dtype(name).type(abs(round(value)))


# Each kind as a function of the number that its values come from.
KINDS: dict[str, Callable[[float], Any]] = {
    "bool": lambda v: v > 2.0,
    "int": round,
    "float": float,
    **{name: np.dtype(name).type for name in FLOATS},
    "bool_": lambda v: np.bool_(v > 2.0),
    **{name: partial(_integer, name) for name in INTEGERS},
    "0-d": lambda v: np.array(v),
    "0-d int": lambda v: np.array(round(v)),
    "one": lambda v: np.array([v]),
    "array": lambda v: np.array([v, 0.5 * v]),
    "float32 array": lambda v: np.array([v, 0.5 * v], np.float32),
    "int array": lambda v: np.array([round(v), 1]),
    "bool array": lambda v: np.array([v > 2.0, True]),
    "None": lambda v: None,
    "str": lambda v: "a",
}
NUMBERS = tuple(kind for kind in KINDS if kind not in ("None", "str"))
SCALARS = ("bool", "int", "float", *FLOATS, "bool_", *INTEGERS)
SOME = ("bool", "int", "float", *FLOATS, "int8", "uint8", "int64", "0-d", "one", "array", "None")
SOURCES = ("argument", "literal", "element", "default", "global", "loop", "branch", "comprehension")


@dataclass(slots=True)
class Program:
    """The source of a function `f` under construction: its parameters, what they get, and the lines before the last."""

    parameters: list[str] = field(default_factory=list)
    defaults: list[str] = field(default_factory=list)
    args: list[Any] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)
    rounds: bool = False

    def argument(self, name: str, value: Any) -> str:
        """A parameter `name` that gets `value`; its name."""
        self.parameters.append(name)
        self.args.append(value)
        return name

    def operand(self, name: str, value: Any, source: str) -> str:
        """The text of an operand `name` with `value` that comes from `source`."""
        if source in ("literal", "global", "default"):
            self.rounds |= np.asarray(value).dtype in (np.float16, np.float32)
        match source:
            case "literal":
                return f"({literal(value)})"
            case "global":
                self.names[name.upper()] = value
                return name.upper()
            case "default":
                self.names[f"{name}_default"] = value
                self.defaults.append(f"{name}={name}_default")
                return name
            case "element":
                whole = self.argument(f"{name}_row", row(value))
                return f"{whole}[0]"
        given = self.argument(f"{name}0", value)
        match source:
            case "argument":
                return given
            case "loop":
                self.lines += [f"{name} = {given}", "for _ in range(2):", f"    {name} = {name} if _ else {given}"]
            case "branch":
                self.lines += ["if x > 0.5:", f"    {name} = {given}", "else:", f"    {name} = {given}"]
            case "comprehension":
                self.lines.append(f"{name} = [item for item in ({given}, {given})][1]")
            case _:
                raise ValueError(source)
        return name

    def text(self, result: str) -> str:
        """The source of `f` that returns `result`."""
        head = f"def f({', '.join(['x', *self.parameters, *self.defaults])}):"
        return "\n".join([head, *(f"    {line}" for line in self.lines), f"    return {result}", ""])

    def cell(self, name: str, expression: str, *, smooth: bool = True) -> Cell:
        """The cell of `expression`: a floating number is returned alone, so that the second order is asked; others beside `x`."""
        text, beside = self.text(expression), self.text(f"(x * x, {expression})")
        # A constant of single precision rounds what it is combined with, and differences fall over the steps.
        return Cell(name, Alone(text, self.names, beside), (0.7, *self.args), smooth and not self.rounds)


@dataclass(frozen=True, slots=True)
class Alone(Written):
    """A program that returns one floating number; where it returns something else, `beside` stands for it."""

    beside: str = ""

    def made(self, args: tuple[Any, ...]) -> Callable[..., Any]:
        """The program, to be judged at `args`."""
        alone = Written.made(self, args)
        plain = outcome(lambda: alone(*copy.deepcopy(args)))
        return alone if is_float(plain) and np.ndim(plain) == 0 else program(self.beside, **self.names)


def row(value: Any) -> Any:
    """Something whose first item is `value`."""
    return np.array([value, value]) if isinstance(value, np.generic) else [value, value]


def literal(value: Any) -> str:
    """The source of `value`."""
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r}, np.{value.dtype.name})" if value.dtype != np.longdouble else repr(value)
    return f"np.{type(value).__name__}({value.item()!r})" if isinstance(value, np.generic) else repr(value)


def values(first: float, second: float) -> Iterator[tuple[str, Any, str, Any]]:
    """Each pair of kinds with its values."""
    for left, make_left in KINDS.items():
        for right, make_right in KINDS.items():
            yield left, make_left(first), right, make_right(second)

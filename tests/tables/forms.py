"""Every primitive of the rule table in the forms in which programs write it: function, method, operator, keywords, ``out=``.

The forms come from the samples of the rules. Those of functions that are defined by others, of loads, stores and operators that
assign have no samples there and are written out here.
"""

from __future__ import annotations

import cmath
import copy
import inspect
import math
import string
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adxform import runtime
from adxform.primitives.record import Constant, Memory, Primitive
from adxform.primitives.table import TABLE
from tests.tables.cell import program

GLOBALS = {"cmath": cmath, "math": math, "runtime": runtime}
INFIX = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "mod": "%", "matmul": "@"}
PREFIX = {"neg": "-", "pos": "+"}


@dataclass(frozen=True)
class Form:
    """One way to write a call: `lines` compute ``r`` from `arrays` and `parameters`, by the names that these have there."""

    name: str
    lines: tuple[str, ...]
    arrays: dict[str, Any]
    parameters: dict[str, Any] = field(default_factory=dict)

    def value(self) -> Any:
        """What ``r`` is."""
        given = {name: np.copy(value) for name, value in self.arrays.items()}
        body = "".join(f"    {line}\n" for line in self.lines)
        text = f"def f({', '.join((*given, *self.parameters))}):\n{body}    return r\n"
        with np.errstate(all="ignore"):
            return program(text, **GLOBALS)(*given.values(), *self.parameters.values())


def forms() -> Iterator[Form]:
    """All forms, by name each once."""
    for record in TABLE.values():
        derived = not isinstance(record.derivative, Constant | Memory) and record.derivative is not None
        if "scipy" in record.name:  # it joined the table as a program met it, and has tests of its own
            continue
        if derived and record.fn is not runtime.unshifted:  # which raises where its operands differ, as they do in differences
            for number, sample in enumerate(record.samples):
                yield from _of_sample(record, number, sample)
    yield from _written_out()


def _of_sample(record: Primitive, number: int, sample: tuple[Any, ...]) -> Iterator[Form]:
    """The call of the primitive on one sample: numbers and other constants spelled out, then as arguments of the program."""
    name = record.name.removeprefix("adxform.")
    for arguments in (False, True):
        operands = _Operands(arguments)
        spelled = [operands.spelled(value) for value in sample]
        if not operands.arrays or (arguments and not operands.parameters):
            continue
        said = f"{name} {number}{' of arguments' if arguments else ''}"
        value = record.fn(*copy.deepcopy(sample))
        if isinstance(value, tuple):
            for place in range(len(value)):
                yield from operands.forms(f"{said} [{place}]", f"r = {_call(name, spelled)}[{place}]")
            continue
        yield from operands.forms(said, f"r = {_call(name, spelled)}")
        yield from _by_keyword(record.fn, said, name, spelled, operands)
        if isinstance(record.fn, np.ufunc):
            yield from _with_out(record.fn, said, f"{name}({', '.join(spelled)}", sample, operands)
        yield from _assigning(said, name, spelled, sample, operands)


def _with_out(fn: np.ufunc, said: str, call: str, sample: tuple[Any, ...], operands: _Operands) -> Iterator[Form]:
    """The call of a ufunc that writes into an array of the program, one of the operands among them."""
    shape = np.shape(fn(*sample))
    yield from operands.forms(f"{said} with out", f"r = np.full({shape}, 0.3)", f"{call}, out=r)")
    if shape == np.shape(sample[0]):
        yield from operands.forms(f"{said} in place", f"{call}, out=a)", "r = a * 1.0")


def _assigning(said: str, name: str, spelled: list[str], sample: tuple[Any, ...], operands: _Operands) -> Iterator[Form]:
    """The operator as one that assigns to all of its first operand, and to a part."""
    sign = INFIX.get(name.removeprefix("operator."), "@")
    if sign == "@" or not isinstance(sample[0], np.ndarray):
        return
    if np.broadcast_shapes(np.shape(sample[0]), np.shape(sample[1])) == np.shape(sample[0]):
        yield from operands.forms(f"{said} assigned", f"a {sign}= {spelled[1]}", "r = a * 1.0")
        yield from operands.forms(f"{said} assigned in part", f"a[1:] {sign}= {spelled[1]}", "r = a * 1.0")


class _Operands:
    """Spells the operands of a call, and notes which arrays and parameters it takes."""

    def __init__(self, arguments: bool) -> None:
        self.arguments = arguments
        self.arrays: dict[str, Any] = {}
        self.parameters: dict[str, Any] = {}

    def spelled(self, value: Any) -> str:
        """The text for `value`: an array by name, the element of one for a float, a literal, or a parameter."""
        match value:
            case np.ndarray():
                name = string.ascii_lowercase[len(self.arrays)]
                self.arrays[name] = value
                return name
            case float():
                if self.arguments:
                    return self.parameter(float(value))
                name = string.ascii_lowercase[len(self.arrays)]
                self.arrays[name] = np.array([value, value * 1.1])
                return f"{name}[0]"
            case list() | tuple() if any(isinstance(item, np.ndarray) for item in value):
                items = ", ".join(map(self.spelled, value))
                return f"[{items}]" if isinstance(value, list) else f"({items},)"
            case bool() | None | str() | type() | list() | tuple():
                return f"np.{value.__name__}" if isinstance(value, type) else repr(value)
            case _:
                return self.parameter(value) if self.arguments else repr(value)

    def parameter(self, value: Any) -> str:
        """The name of a new parameter."""
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return name

    def forms(self, name: str, *lines: str) -> Iterator[Form]:
        """The form of this name, where the plain function takes these operands."""
        form = Form(name, lines, self.arrays, self.parameters)
        try:
            form.value()
        except (TypeError, ValueError):
            return
        yield form


def _call(name: str, spelled: list[str], keywords: tuple[str, ...] = ()) -> str:
    """The call of the primitive `name` on operands, as programs spell it."""
    module, _, own = name.rpartition(".")
    if module == "operator" and own in INFIX:
        return f"{spelled[0]} {INFIX[own]} {spelled[1]}"
    if module == "operator" and own in PREFIX:
        return f"{PREFIX[own]}{spelled[0]}"
    if module == "operator":
        return f"{own}({', '.join(spelled)})"
    if module == "np.ndarray":
        return f"{spelled[0]}.{own}({', '.join((*spelled[1:], *keywords))})"
    return f"{name}({', '.join((*spelled, *keywords))})"


def _by_keyword(fn: Any, said: str, name: str, spelled: list[str], operands: _Operands) -> Iterator[Form]:
    """The call with what follows the arrays passed by keyword, where the function has names for it."""
    try:
        names = list(inspect.signature(getattr(np, name.rpartition(".")[2], fn)).parameters)
    except (TypeError, ValueError):
        return
    first = next((place for place, text in enumerate(spelled) if place and text not in operands.arrays), len(spelled))
    if first < len(spelled) <= len(names) and not name.startswith("operator."):
        keywords = tuple(f"{key}={text}" for key, text in zip(names[first:], spelled[first:], strict=False))
        yield from operands.forms(f"{said} by keyword", f"r = {_call(name, spelled[:first], keywords)}")


VECTOR, OTHER, SORTED = np.array([0.6, 1.7, 0.9, 1.3]), np.array([1.1, 0.4, 1.5, 0.8]), np.array([0.3, 0.9, 1.2, 1.9])
MATRIX = np.array([[0.6, 1.7, 0.9], [1.3, 0.4, 1.1]])
SQUARE = np.array([[2.1, 0.3, 0.4], [0.2, 1.7, 0.5], [0.6, 0.1, 2.4]])
SYMMETRIC = SQUARE + SQUARE.T
CALLS = {
    "np.ptp(a)": (VECTOR,),
    "np.ptp(a, axis=1)": (MATRIX,),
    "np.diff(a)": (VECTOR,),
    "np.diff(a, 2)": (VECTOR,),
    "np.diff(a, axis=0, prepend=b)": (MATRIX, np.array([[0.2, 0.4, 0.5]])),
    "np.trapezoid(a, b)": (VECTOR, SORTED),
    "np.trapezoid(a, dx=0.5)": (VECTOR,),
    "np.average(a, weights=b)": (VECTOR, OTHER),
    "np.median(a)": (VECTOR,),
    "np.median(a, axis=1)": (MATRIX,),
    "np.quantile(a, 0.3)": (VECTOR,),
    "np.percentile(a, 40.0)": (VECTOR,),
    "np.split(a, 2)[1] * np.split(a, [1])[0]": (VECTOR,),
    "np.array_split(a, 3)[0]": (VECTOR,),
    "np.hsplit(a, 3)[1]": (MATRIX,),
    "np.vsplit(a, 2)[1]": (MATRIX,),
    "np.hstack((a, b))": (VECTOR, OTHER),
    "np.vstack((a, b))": (VECTOR, OTHER),
    "np.dstack((a, b))": (VECTOR, OTHER),
    "np.column_stack((a, b))": (VECTOR, OTHER),
    "np.append(a, b)": (VECTOR, OTHER),
    "np.meshgrid(a, b)[0] * np.meshgrid(a, b)[1]": (VECTOR, OTHER),
    "divmod(a, b)[1]": (VECTOR, OTHER),
    "np.divmod(a, b)[1]": (VECTOR, OTHER),
    "np.linalg.slogdet(a)[1]": (SQUARE,),
    "np.linalg.matrix_power(a, 3)": (SQUARE,),
    "np.linalg.matrix_power(a, -2)": (SQUARE,),
    "np.interp(a, b, c)": (VECTOR, SORTED, OTHER),
    "np.polyval(a, b)": (VECTOR, OTHER),
    "np.select([a > 1.0, b > 1.0], [a * b, b], 0.5)": (VECTOR, OTHER),
    "np.cov(a)": (MATRIX,),
    "np.cov(a, b)": (VECTOR, OTHER),
    "np.vecdot(a, b)": (MATRIX, MATRIX[::-1]),
    "np.linalg.vecdot(a, b)": (MATRIX, MATRIX[::-1]),
    "np.linalg.multi_dot([a, b, c])": (MATRIX, SQUARE, np.array([0.3, 0.8, 1.2])),
    "np.add.outer(a, b)": (VECTOR, OTHER),
    "np.subtract.outer(a, b)": (VECTOR, OTHER),
    "np.multiply.outer(a, b)": (VECTOR, OTHER),
    "np.divide.outer(a, b)": (VECTOR, OTHER),
    "np.add.reduce(a, axis=1)": (MATRIX,),
    "np.multiply.reduce(a, axis=1)": (MATRIX,),
    "np.maximum.reduce(a)": (MATRIX,),
    "np.minimum.reduce(a)": (MATRIX,),
    "np.logaddexp.reduce(a)": (MATRIX,),
    "np.add.accumulate(a)": (VECTOR,),
    "np.linalg.cond(a)": (SQUARE,),
    "np.linalg.cond(a, 1)": (SQUARE,),
    "np.linalg.matrix_norm(a)": (MATRIX,),
    "np.linalg.matrix_norm(a, ord='nuc')": (MATRIX,),
    "np.linalg.vector_norm(a, ord=3)": (MATRIX,),
    "np.linalg.vector_norm(a, axis=(0, 1), keepdims=True)": (MATRIX,),
    "np.linalg.tensorinv(a, ind=1)": (SQUARE,),
    "np.linalg.tensorsolve(a, b)": (SQUARE, np.array([0.3, 0.8, 1.2])),
    "np.linalg.matmul(a, b)": (MATRIX, SQUARE),
    "np.linalg.outer(a, b)": (VECTOR, OTHER),
    "np.linalg.tensordot(a, b, axes=1)": (MATRIX, SQUARE),
    "np.linalg.cross(a, b)": (SQUARE, SQUARE[::-1]),
    "np.linalg.trace(a)": (SQUARE,),
    "np.linalg.diagonal(a)": (SQUARE,),
    "np.linalg.eigh(a)[0]": (SYMMETRIC,),
    "np.linalg.eigh(a)[1] ** 2": (SYMMETRIC,),
    "np.matrix_transpose(a)": (MATRIX,),
    "np.linalg.matrix_transpose(a)": (MATRIX,),
    "a.T": (MATRIX,),
    "a.T @ b": (MATRIX, MATRIX),
    "np.cumulative_sum(a)": (VECTOR,),
    "np.convolve(a, b)": (VECTOR, OTHER[:2]),
    "np.convolve(a, b, mode='same')": (VECTOR, OTHER[:2]),
    "np.nanmax(a)": (VECTOR,),
    "np.nanmin(a, axis=1)": (MATRIX,),
    "a[np.nonzero(a > 1.0)]": (VECTOR,),
    "a[a > 1.0]": (VECTOR,),
    "a[1:3]": (VECTOR,),
    "a[::-1]": (VECTOR,),
    "a[[2, 0, 2]]": (VECTOR,),
    "a[1]": (VECTOR,),
    "a[1] * b": (MATRIX, np.array([0.3, 0.8, 1.2])),
    "a[:, None] * b": (VECTOR, OTHER),
    "math.fsum(a)": (VECTOR,),
    "math.prod(a)": (VECTOR,),
    "math.dist(a, b)": (VECTOR, OTHER),
    "sum(a)": (VECTOR,),
    "sum(v * w for v, w in zip(a, b))": (VECTOR, OTHER),
    "max(a)": (VECTOR,),
    "np.array([v ** 2 for v in a])": (VECTOR,),
    "np.array([[a[0], a[1] * b[0]], [b[1], 1.0]])": (VECTOR, OTHER),
    "np.sum(a ** 2, axis=1, keepdims=True) * b": (MATRIX, MATRIX[::-1]),
    "np.where(a > 1.0, np.sqrt(a), b ** 2)": (VECTOR, OTHER),
    "np.exp(-((a[:, None] - b[None]) ** 2))": (VECTOR, OTHER),
    "np.sqrt(np.sum((a[:, None] - a[None]) ** 2, -1) + 1e-2)": (MATRIX,),
    "a / np.linalg.norm(a)": (VECTOR,),
    "np.exp(a) / np.sum(np.exp(a))": (VECTOR,),
    "np.tanh(a @ b + c)": (MATRIX, SQUARE, np.array([0.3, 0.8, 1.2])),
    "(lambda v: v * v)(a)": (VECTOR,),
    "np.linspace(a[0], a[1], 4) * b": (VECTOR, OTHER),
    "np.full(4, a[0]) * b": (VECTOR, OTHER),
    "np.full_like(a, b[0]) * a": (VECTOR, OTHER),
    "float(a[0]) * b": (VECTOR, OTHER),
    "a.item(1) * b": (VECTOR, OTHER),
    "a.ravel() * b": (VECTOR, OTHER),
    "a.reshape(2, 2) @ b.reshape(2, 2)": (VECTOR, OTHER),
    "a.astype(np.float64) ** 2": (VECTOR,),
    "np.asarray(a) ** 2": (VECTOR,),
    "np.array(a, copy=False) ** 2": (VECTOR,),
    "np.ascontiguousarray(a) ** 2": (VECTOR,),
}
POWERS = {
    "a ** p": 2,
    "p ** a": 2,
    "a ** -p": 3,
    "np.power(a, p)": 3,
    "np.float_power(a, p)": 3,
    "pow(a, p)": 2,
    "a ** p / (1.0 + a ** p)": 2,
    "np.linalg.matrix_power(np.outer(a, b), p)": 3,
    "np.linalg.norm(a, p)": 3,
    "np.clip(a, p, None) * b": 1,
    "np.maximum(a, p) * b": 1,
    "np.arctan2(a, p) * b": 1,
    "np.hypot(a, p) * b": 1,
    "np.where(a > p, a * b, b ** 2)": 1,
    "a[p] * b": 1,
    "a[p:] * b[p:]": 1,
    "np.roll(a, p) * b": 1,
    "np.diff(a, p)": 1,
    "np.tile(a, p)": 2,
    "np.repeat(a, p)": 2,
    "np.linspace(a[0], a[1], p) ** 2": 3,
    "np.sum(a.reshape(2, 2) ** 2, axis=p)": 1,
    "np.prod(a.reshape(2, 2), p)": 1,
    "np.var(a, ddof=p)": 1,
    "a % p": 2,
    "a // p + a / p": 2,
    "a - p * np.floor(a / p)": 2,
}
STATEMENTS = {
    "a += b": (VECTOR, OTHER),
    "a -= b ** 2": (VECTOR, OTHER),
    "a *= b": (VECTOR, OTHER),
    "a /= b": (VECTOR, OTHER),
    "a **= b": (VECTOR, OTHER),
    "a %= b": (VECTOR, OTHER),
    "a @= b": (SQUARE, SQUARE @ SQUARE),
    "a *= a": (VECTOR,),
    "a **= a": (VECTOR,),
    "a[1:] += b[:-1]": (VECTOR, OTHER),
    "a[1:] *= a[:-1]": (VECTOR,),
    "a[:2] **= b[1:3]": (VECTOR, OTHER),
    "a[0] *= b[1]": (VECTOR, OTHER),
    "a[0] **= b[1]": (VECTOR, OTHER),
    "a[b > 1.0] *= b[b > 1.0]": (VECTOR, OTHER),
    "a[[0, 2]] /= b[1:3]": (VECTOR, OTHER),
    "a[...] = np.exp(b)": (VECTOR, OTHER),
    "a[1:-1] = b[2:] * b[:-2]": (VECTOR, OTHER),
    "np.add.at(a, [0, 2, 0], b[:3] ** 2)": (VECTOR, OTHER),
    "np.subtract.at(a, [0, 2, 0], b[:3] ** 2)": (VECTOR, OTHER),
    "np.add.at(a, ([0, 2, 0], [1, 0, 1]), b[:3] ** 2)": (SQUARE, OTHER),
    "np.subtract.at(a, ([0, 2, 0], [1, 0, 1]), b[:3] ** 2)": (SQUARE, OTHER),
    "np.subtract.at(a, (slice(1, None), np.array([1, 0, 1])), b[:3] ** 2)": (SQUARE, OTHER),
    "np.subtract.at(a, (1, 2), b[1] ** 2)": (SQUARE, OTHER),
    "np.subtract.at(a, (..., np.array([0, 0])), b[:2])": (SQUARE, OTHER),
    "a.fill(b[1] ** 2)": (VECTOR, OTHER),
    "np.copyto(a, b ** 2)": (VECTOR, OTHER),
    "np.putmask(a, b > 1.0, b ** 2)": (VECTOR, OTHER),
    "np.put(a, [2, 0], b[:2] ** 2)": (VECTOR, OTHER),
    "np.fill_diagonal(a, b[0] ** 2)": (SQUARE, OTHER),
    "a.sort()": (VECTOR,),
    "np.exp(a, out=a)": (VECTOR,),
    "np.multiply(a, b, out=b)": (VECTOR, OTHER),
    "np.power(a, b, a)": (VECTOR, OTHER),
    "np.matmul(a, a, out=b)": (SQUARE, SQUARE @ SQUARE),
    "np.dot(a, a, out=b)": (SQUARE, SQUARE @ SQUARE),
    "np.cumsum(a, out=b)": (VECTOR, OTHER),
    "np.clip(a, 0.7, 1.5, out=a)": (VECTOR,),
    "a[:2], a[2:] = a[2:] * 1.0, a[:2] * 2.0": (VECTOR,),
    "a, b = b, a": (VECTOR, OTHER),
    "for i in range(1, 4): a[i] = a[i] * a[i - 1] ** p": (VECTOR,),
    "a[1:] = a[:-1] ** p": (VECTOR,),
    "a **= p": (VECTOR,),
    "a *= b ** p": (VECTOR, OTHER),
    "a += 0.1 / (1 + b ** p)": (VECTOR, OTHER),
    "np.power(a, p, out=a)": (VECTOR,),
}


def _written_out() -> Iterator[Form]:
    for text, arrays in CALLS.items():
        yield Form(text, (f"r = {text}",), dict(zip(string.ascii_lowercase, arrays, strict=False)))
    for text, p in POWERS.items():
        for kind, value in (("int", p), ("float", p + 0.5)):
            form = Form(f"{text}, {kind}", (f"r = {text}",), {"a": VECTOR, "b": OTHER}, {"p": value})
            try:
                form.value()
            except (TypeError, ValueError, IndexError):
                continue
            yield form
    for text, arrays in STATEMENTS.items():
        given = dict(zip(string.ascii_lowercase, arrays, strict=False))
        for p in (2, 1.5) if " p" in text else (None,):
            named = f"{text}, {type(p).__name__}" if p is not None else text
            yield Form(named, (text, "r = a * 1.0"), given, {} if p is None else {"p": p})

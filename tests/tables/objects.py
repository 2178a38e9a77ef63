"""Operators of objects that are no plain numbers, wherever the object comes from: each cell says what Python says.

The methods of the objects are not what the numbers under them would say, so that a derivative of the number's own operator shows.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from typing import Any

import numpy as np

from tests.tables.cell import Cell, Written

OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul"}
UNARY = {"-": "neg", "+": "pos", "~": "invert", "abs": "abs"}
COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
XS: dict[str, Any] = {"float": 0.7, "float64": np.float64(0.7), "array": np.array([0.7, 1.3])}

PLAIN, NUMBER, ARRAY = "K()", "K(2)", "np.array([1.5, 0.5]).view(K)"
BOTH, OWN, REFLECTED = ("own", "reflected"), ("own",), ("reflected",)
# Of each kind: the bases of its class, how one is made, which methods it has, and what else its class holds.
KINDS: dict[str, tuple[str, str, tuple[str, ...], str]] = {
    "plain": ("object", PLAIN, BOTH, ""),
    "with its own order only": ("object", PLAIN, OWN, ""),
    "with the reflected order only": ("object", PLAIN, REFLECTED, ""),
    "that says NotImplemented": ("object", PLAIN, ("no own", "reflected"), ""),
    "without operators": ("object", PLAIN, (), ""),
    "in place": ("object", PLAIN, (*BOTH, "in place"), ""),
    "float": ("float", NUMBER, BOTH, ""),
    "float with its own order only": ("float", NUMBER, OWN, ""),
    "float that changes nothing": ("float", NUMBER, (), ""),
    "float with __float__": ("float", NUMBER, (), "def __float__(self): return 7.0"),
    "int": ("int", NUMBER, BOTH, ""),
    "int that changes nothing": ("int", NUMBER, (), ""),
    "float64": ("np.float64", NUMBER, BOTH, ""),
    "float64 that changes nothing": ("np.float64", NUMBER, (), ""),
    "ndarray": ("np.ndarray", ARRAY, BOTH, ""),
    "ndarray with the reflected order only": ("np.ndarray", ARRAY, REFLECTED, ""),
    "ndarray that changes nothing": ("np.ndarray", ARRAY, (), ""),
    "ndarray of higher priority": ("np.ndarray", ARRAY, BOTH, "__array_priority__ = 10.0"),
    "no ufuncs": ("object", PLAIN, BOTH, "__array_ufunc__ = None"),
    "its own ufuncs": (
        "object",
        PLAIN,
        BOTH,
        "def __array_ufunc__(self, ufunc, method, *args, **kwargs): return 9.0 * args[0] ** 2",
    ),
    "of higher priority": ("object", PLAIN, BOTH, "__array_priority__ = 10.0"),
    "with __array__": ("object", PLAIN, BOTH, "def __array__(self, dtype=None, copy=None): return np.array([1.5, 0.5])"),
    "with __array__ alone": ("object", PLAIN, (), "def __array__(self, dtype=None, copy=None): return np.array([1.5, 0.5])"),
    "with __float__": ("object", PLAIN, (), "def __float__(self): return 1.5"),
}
GIVEN: dict[str, Any] = {"Decimal": Decimal(2), "Fraction": Fraction(3, 2), "IntEnum": IntEnum("Kind", {"two": 2})(2)}
# Where the object comes from: how the program is made around a body, which returns, and what the object is called in it.
SOURCES: dict[str, tuple[str, str]] = {
    "a global": ("def f(x):\n{body}", "o"),
    "a closure": ("def made(p):\n    def f(x):\n    {body}\n    return f\nf = made(o)", "p"),
    "a default": ("def f(x, p=o):\n{body}", "p"),
    "an attribute": ("def f(x):\n{body}", "box.o"),
    "an item of a list": ("def f(x):\n{body}", "items[0]"),
    "an item of a dict": ("def f(x):\n{body}", "named['o']"),
    "an argument": ("def g(p, x):\n{body}\nf = functools.partial(g, o)", "p"),
    "a loop": ("def f(x):\n    p = o\n    for _ in range(2):\n        p = p\n{body}", "p"),
    "a branch": ("def f(x):\n    if np.sum(x) > 0.1:\n        p = o\n    else:\n        p = o\n{body}", "p"),
    "a constructor": ("def f(x):\n    p = {make}\n{body}", "p"),
}
FEW = ("a global", "an argument")


def class_text(bases: str, methods: tuple[str, ...], name: str, more: str) -> str:
    """The source of the class `K` with the methods for the operator `name`."""
    bodies = {
        "own": f"def __{name}__(self, o): return 3.0 * o ** 2",
        "no own": f"def __{name}__(self, o): return NotImplemented",
        "reflected": f"def __r{name}__(self, o): return 5.0 * o ** 3",
        "in place": f"def __i{name}__(self, o): return 11.0 * o ** 2",
    }
    lines = [*(bodies[method] for method in methods), *([more] if more else [])] or ["pass"]
    return "".join(f"{line}\n" for line in (f"class K({bases}):", *(f"    {line}" for line in lines)))


def bodies(sign: str) -> dict[str, str]:
    """What is done with the object ``{o}`` by the binary operator `sign`: both orders, plain and augmented."""
    return {
        f"o {sign} x": f"    return {{o}} {sign} x",
        f"x {sign} o": f"    return x {sign} {{o}}",
        f"o {sign}= x": f"    y = {{o}}\n    y {sign}= x\n    return y",
        f"x {sign}= o": f"    y = x * 1.0\n    y {sign}= {{o}}\n    return y",
    }


def made(text: str, make: str | Any, source: str, body: str) -> Written:
    """The program with `body` on an object from `source`."""
    around, called = SOURCES[source]
    body = body.replace("{o}", called)
    if source == "a closure":
        body = body.replace("\n", "\n    ")
    names: dict[str, Any] = {"functools": functools}
    if isinstance(make, str):
        text += f"o = {make}\n"
    else:
        names["o"] = make
    text += "class Box: pass\nbox = Box()\nbox.o = o\nitems = [o]\nnamed = {'o': o}\n"
    return Written(text + around.replace("{body}", body).replace("{make}", str(make)) + "\n", names)


def cells() -> Iterator[Cell]:
    """Every operator in both orders with each kind of object; from every source for two of them, from a few for the others."""
    for (sign, name), (kind, (bases, make, methods, more)) in itertools.product(OPERATORS.items(), KINDS.items()):
        text = class_text(bases, methods, name, more)
        yield from _cells_of(sign, kind, text, make, tuple(SOURCES) if sign in ("+", "**") else FEW)
    for sign, (kind, value) in itertools.product(OPERATORS, GIVEN.items()):
        yield from _cells_of(sign, kind, "", value, tuple(SOURCES)[:-1] if sign in ("+", "**") else FEW)
    yield from _other_cells()
    yield from conversions()


def _cells_of(sign: str, kind: str, text: str, make: Any, sources: tuple[str, ...]) -> Iterator[Cell]:
    for (what, body), source, (x_kind, x) in itertools.product(bodies(sign).items(), sources, XS.items()):
        if what.startswith("o") and "=" in what and make == ARRAY and source != "a constructor":
            continue  # each call changes the object
        yield Cell(f"{what}: {kind} from {source}, x {x_kind}", made(text, make, source, body), (x,))


def _other_cells() -> Iterator[Cell]:
    """Unary operators, comparisons, subscripts, calls, conversions."""
    own = [(f"{sign} o", f"__{name}__", "(self): return 3.5", f"    return x ** ({sign}({{o}}))") for sign, name in UNARY.items()]
    own += [
        (f"{name}(o)", f"__{name}__", f"(self): return {value}", f"    return x * {name}({{o}}) * x")
        for name, value in (("float", "3.5"), ("int", "3"), ("bool", "False"), ("len", "3"), ("round", "4"))
    ]
    for sign, name in COMPARISONS.items():
        for what in (f"o {sign} x", f"x {sign} o"):
            asked = what.replace("o", "{o}")
            own.append(
                (what, f"__{name}__", f"(self, o): return {sign != '=='}", f"    return x * 2.0 if np.any({asked}) else x ** 3")
            )
    own += [
        ("o[x]", "__getitem__", "(self, o): return 3.0 * o ** 2", "    return {o}[x]"),
        ("o[1]", "__getitem__", "(self, o): return 3.0 * o", "    return x * {o}[1]"),
        ("o(x)", "__call__", "(self, o): return 3.0 * o ** 2", "    return {o}(x)"),
        ("x in o", "__contains__", "(self, o): return True", "    return x * 2.0 if x in {o} else x ** 3"),
        ("if o", "__bool__", "(self): return False", "    return x * 2.0 if {o} else x ** 3"),
        ("if o by length", "__len__", "(self): return 0", "    return x * 2.0 if {o} else x ** 3"),
        ("o is true", "__eq__", "(self, o): return True", "    return x * 2.0 if {o} else x ** 3"),
        ("sin(o)", "__float__", "(self): return 0.5", "    return x * np.sin({o})"),
        ("sum([x, o])", "__radd__", "(self, o): return 3.0 * o ** 2", "    return sum([x, {o}])"),
        ("sum([o, x])", "__radd__", "(self, o): return 3.0 + x_", "    return sum([{o}, x])"),
        ("stored", "__float__", "(self): return 0.5", "    y = np.zeros(2)\n    y[0] = {o}\n    return y * x"),
        ("divmod", "__divmod__", "(self, o): return (o ** 2, o ** 3)", "    return divmod({o}, x)[1]"),
        ("divmod of what divides", "__floordiv__", "(self, o): return o ** 2", "    return divmod({o}, x)[0]"),
        ("max(o, x)", "__add__", "(self, o): return 3.0 * o ** 2", "    return max({o}, x) + x"),
        ("min(x, o)", "__add__", "(self, o): return 3.0 * o ** 2", "    return min(x, {o}) + x"),
        ("max([o, 0.5])", "__add__", "(self, o): return 3.0 * o ** 2", "    return max([{o}, 0.5]) + x"),
        ("x.__add__(o)", "__radd__", "(self, o): return 3.0 * o ** 2", "    return x.__add__({o})"),
        ("x.__mul__(o)", "__mul__", "(self, o): return 3.0 * o ** 2", "    return x.__mul__({o})"),
    ]
    kinds = {name: KINDS[name] for name in ("plain", "float", "int", "float64", "ndarray", "in place")}
    for (what, method, text, body), (kind, (bases, make, _, _)), source, (x_kind, x) in itertools.product(
        own, kinds.items(), SOURCES, XS.items()
    ):
        for with_method in (True, False):
            more = f"def {method}{text}" if with_method else "pass"
            whole = f"class K({bases}):\n    {more}\n".replace("x_", "0.5")
            name = f"{what}: {kind} with{'' if with_method else 'out'} {method} from {source}, x {x_kind}"
            yield Cell(name, made(whole, make, source, body), (x,))


# What uses the methods by which an object becomes something else.
CONVERSIONS: dict[str, tuple[str, ...]] = {
    "__bool__": (
        "return x * 2.0 if {o} else x ** 3",
        "return x * (not {o})",
        "return x * bool({o})",
    ),
    "__len__": ("return x * 2.0 if {o} else x ** 3", "return x * len({o}) * x"),
    "__float__": ("return x * float({o}) * x", "return x * math.fabs({o})"),
    "__int__": ("return x * int({o}) * x",),
    "__index__": (
        "return x * float({o}) * x",
        "return x * int({o}) * x",
        "return x * [1.5, x, 2.5, x][{o}]",
        "return x * sum(range({o}))",
    ),
    "__contains__": ("return x * 2.0 if 1 in {o} else x ** 3", "return x * (1 not in {o})"),
    "__reversed__": ("return x * reversed({o})",),
    "__abs__": ("return x * abs({o})",),
}
RETURNED = (
    "True", "0", "2", "3.5", "-1", "None", "'3'", "[1]", "NotImplemented", "(self.kept > 0.1)", "self.kept", "np.float64(2.0)",
    "np.float32(2.0)", "np.int64(2)", "np.True_", "(self.kept > 0.1 and True)",
)  # fmt: skip


def conversions() -> Iterator[Cell]:
    """Objects that become truth values, numbers and lengths, by what their methods return; also a method that is ``None``."""
    for (method, uses), returned in itertools.product(CONVERSIONS.items(), (*RETURNED, None)):
        text = f"{method} = None" if returned is None else f"def {method}(self, *given): return {returned}"
        whole = f"import math\nclass K:\n    kept = 0.5\n    def __init__(self, kept): self.kept = kept\n    {text}\n"
        for use, (x_kind, x) in itertools.product(uses, XS.items()):
            moving = use.replace("{o}", "K(x)")
            yield Cell(
                f"{use}: {method} gives {returned}, made of x, {x_kind}", Written(f"{whole}def f(x):\n    {moving}\n"), (x,)
            )
            for source in (*FEW, "an attribute", "a branch"):
                made_of = made(whole, "K(0.7)", source, f"    {use}")
                yield Cell(f"{use}: {method} gives {returned}, from {source}, x {x_kind}", made_of, (x,))

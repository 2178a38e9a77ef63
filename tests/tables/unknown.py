"""Values of which adxform knows nothing, and what every kind of value says of itself: each cell says what Python says.

Three parts. *Unknown*: an object that a function returns which adxform cannot look into, in every operator, comparison, builtin
and walk, alone and with a display or a number on the other side. *Moving*: the same beside what the derivative is for.
*Metadata*: attributes such as ``__class__``, ``dtype.type`` and ``strides`` of every kind of value, by how they are used.
"""

from __future__ import annotations

import bisect
import collections
import collections.abc
import functools
import itertools
import numbers
import operator
import statistics
import types
import zlib
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from tests.tables.cell import Cell, program


class Labelled:
    """A series as pandas has them: its items go in one order, ``s[k]`` is the one with the label `k`."""

    def __init__(self, values: dict[int, float]) -> None:
        self.values = values

    def __iter__(self) -> Iterator[float]:
        return iter(self.values.values())

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, label: int) -> float:
        return self.values[label]

    def __add__(self, other: float) -> Labelled:
        return Labelled({label: value + other for label, value in self.values.items()})

    def __repr__(self) -> str:
        return f"Labelled({self.values})"


class Vector:
    """An object that says itself what operators mean, of tuples and lists too."""

    shape = (2, 3)

    def __add__(self, other: Any) -> str:
        return f"own +, {type(other).__name__}"

    def __radd__(self, other: Any) -> str:
        return f"reflected +, {type(other).__name__}"

    def __mod__(self, other: Any) -> str:
        return f"own %, {type(other).__name__}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple)

    def __hash__(self) -> int:
        return 1

    def __lt__(self, other: Any) -> bool:
        return isinstance(other, list)

    def __call__(self) -> int:
        return 3

    def __repr__(self) -> str:
        return "Vector()"


class Pair(NamedTuple):
    """A named tuple that can be called."""

    a: int
    b: float

    def __call__(self) -> float:
        return self.a + self.b


@runtime_checkable
class HasShape(Protocol):
    """A protocol with data, which `issubclass` does not take."""

    shape: Any


class Letters(dict[str, Any]):
    """A dict whose attributes are its items, so that one that is not there raises `KeyError`."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


UNKNOWN: dict[str, Callable[[], Any]] = {
    "tuple": lambda: (1, 2),
    "nested tuple": lambda: ((1, 2), (0, 3)),
    "empty tuple": lambda: (),
    "list": lambda: [2, 0, 1],
    "dict": lambda: {1: 2, 0: 3, 2: 1},
    "dict of texts": lambda: {"b": 1, "a": 2},
    "items": lambda: {1: 2, 0: 3}.items(),
    "set": lambda: {1},
    "text": lambda: "%s-%s",
    "bytes": lambda: b"ab",
    "int": lambda: 2,
    "bool": lambda: True,
    "float": lambda: 1.5,
    "float64": lambda: np.float64(1.5),
    "None": lambda: None,
    "range": lambda: range(3, 0, -1),
    "iterator": lambda: iter([2, 0, 1]),
    "generator": lambda: (k for k in (2, 0, 1)),
    "map": lambda: map(abs, [-2, 0, 1]),
    "labelled": lambda: Labelled({2: 1.5, 1: 0.5, 0: 2.5}),
    "vector": Vector,
    "named tuple": lambda: Pair(1, 2.0),
    "array": lambda: np.array([2.0, 0.5]),
    "ints": lambda: np.array([1, 0, 2]),
    "function": lambda: np.sin,
    "class": lambda: float,
    "fraction": lambda: Fraction(3, 2),
    "decimal": lambda: Decimal(2),
    "deque": lambda: collections.deque([2, 0, 1]),
    "letters": lambda: Letters(a=1),
}
BESIDE = {
    "tuple": "(1, 2)",
    "one tuple": "(3,)",
    "empty tuple": "()",
    "list": "[1, 2]",
    "text": "'%s-%s'",
    "int": "2",
    "float": "2.0",
    "None": "None",
    "dict": "{1: 2}",
    "set": "{1}",
    "array": "np.array([1.0, 2.0])",
    "array of x": "np.ones(x.shape)",
    "shape": "x.shape",
    "range": "range(3)",
    "zip": "zip([1], [2])",
    "itself": "made()",
}
OPERATORS = (
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "**",
    "@",
    "&",
    "|",
    "^",
    "<<",
    ">>",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "in",
    "not in",
)
AUGMENTED = ("+", "-", "*", "/", "%", "|")
UNARY = ("-o", "+o", "~o", "not o")
BUILTINS = (
    "len(o)", "bool(o)", "list(o)", "tuple(o)", "set(o)", "dict(o)", "sorted(o)", "sorted(o, reverse=True)", "sum(o)",
    "sum(o, 1)", "sum(o, ())", "sum([o, (3,)], ())", "sum([o, 1])", "min(o)", "max(o)", "max(o, default=7)", "max(o, 1)",
    "min(1, o)", "any(o)", "all(o)", "str(o)", "float(o)", "int(o)", "abs(o)", "round(o)", "callable(o)", "o()",
    "hash(o) == hash(o)", "isinstance(o, tuple)", "isinstance(o, (int, float))", "isinstance(o, collections.abc.Iterable)",
    "isinstance(o, HasShape)", "issubclass(type(o), tuple)", "type(o) is tuple", "type(o).__name__", "o.__class__ is tuple",
    "hasattr(o, '__len__')", "hasattr(o, 'values')", "getattr(o, 'shape', 3)", "o.shape", "o.__len__()", "o.__doc__ is None",
    "list(zip(o, [5, 6, 7]))", "list(zip([5, 6], o))", "list(zip(o, made()))", "list(enumerate(o))", "list(enumerate(o, 1))",
    "list(map(str, o))", "list(map(lambda v: v, o))", "list(map(lambda v, w: (v, w), o, [5, 6]))", "list(filter(None, o))",
    "list(filter(lambda v: v, o))", "list(reversed(o))", "list(zip([5, 6, 7], reversed(o)))", "list(iter(o))", "next(iter(o))",
    "list(itertools.chain(o, [7]))", "list(itertools.chain([7], o))", "list(itertools.chain.from_iterable([o, [7]]))",
    "list(itertools.islice(o, 2))", "list(itertools.accumulate(o))", "list(itertools.pairwise(o))",
    "list(itertools.product(o, [7]))", "list(itertools.combinations(o, 2))", "list(itertools.permutations(o, 2))",
    "list(itertools.starmap(lambda v, w: (v, w), zip(o, [5, 6])))", "functools.reduce(lambda v, w: (v, w), o)",
    "functools.reduce(lambda v, w: (v, w), o, 0)", "dict(zip(o, [5, 6, 7]))", "dict(enumerate(o))", "dict.fromkeys(o, 1)",
    "[*o]", "[1, *o]", "(*o, 1)", "{*o}", "{**o}", "len((1, *o))", "max(*o)", "print(*o, sep='', end='')",
    "(lambda *a: len(a))(*o)", "[v for v in o]", "[v for v in o if v]", "{v: 1 for v in o}", "sum(1 for v in o)",
    "sum(v for v in o)", "any(v for v in o)", "[(i, v) for i, v in enumerate(o)]", "[(k, v) for k, v in zip(o, [5, 6])]",
    "[(k, v) for k, v in o]", "sorted(o, key=lambda v: 1)", "f'{o}'", "f'{o!r:>20}'", "'{}'.format(o)", "'%s' % (o,)",
    "'%s' % o", "'%s-%s' % (o, 1)", "o % (1, 2)", "str(o) + 'a'", "o[0]", "o[-1]", "o[1:]", "o[:1] + (5,)", "(5,) + o[1:]",
    "o[0] == (1,)", "[5, 6, 7][o]", "(5, 6, 7)[o]", "'abc'[o]", "{1: 5, 2: 6}[o]", "{1: 5, 2: 6}.get(o)", "range(9)[o]",
    "range(o)", "[7] * o", "'a' * o", "','.join(o)", "o in [(1, 2), (3, 4)]", "o in ((1, 2), None)", "o in {1: 2}",
    "o in {1, 2}", "1 in o", "(1, 2) == o", "o == (1, 2)", "o >= (1, 1)", "(1, 3) > o", "o and 5", "o or 5", "5 if o else 6",
    "1 < o < 3", "slice(o)", "divmod(o, 2)", "pow(o, 2)", "o.count(1)", "o.index(2)", "np.zeros(o).shape",
    "np.zeros(o + (1,)).shape", "np.ones((1,) + o).shape", "np.shape(o)", "np.array(o)", "np.asarray(o)", "np.sum(o)",
    "np.add(o, 1)", "np.add(o, (1, 2))", "np.maximum(o, [1, 2])", "np.array([o, o])", "np.array([1, 2]) + o",
    "np.arange(6).reshape(o)", "np.transpose(np.ones((1, 1)), o)", "np.isscalar(o)", "np.size(o)", "np.ndim(o)", "len(o) + 1",
    "list(o.items())", "list(o.values())", "[(k, v) for k, v in o.items()]", "[k for i, k in enumerate(o.keys())]",
    "operator.add(o, (1,))", "operator.itemgetter(0)(o)", "operator.concat(o, (1,))", "statistics.mean(o)", "bytes(o)",
    "bisect.bisect_left([0, 1, 2], o)", "o is None", "None is not o", "id(o) == id(o)", "o.a", "o.missing",
    "getattr(o, 'missing', 3)", "hasattr(o, 'missing')", "vars(o)", "(o, 1)[0]", "[o, 1][0] == o", "{'k': o}['k']",
    "(lambda p: p)(o)", "(o,) == (1,)", "[o] == [(1, 2)]", "(o, 1) < (2, 1)", "max([o, o])", "sorted([o, o])", "o is made()",
)  # fmt: skip
STATEMENTS = {
    "a, b = o": "    a, b = o\n    r = (b, a)\n",
    "a, *b = o": "    a, *b = o\n    r = (b, a)\n",
    "*a, b = o": "    *a, b = o\n    r = (b, a)\n",
    "(a, b), c = o": "    (a, b), c = o\n    r = (c, a)\n",
    "for v in o": "    r = 0\n    for v in o:\n        r = v\n",
    "for k, v in o": "    r = 0\n    for k, v in o:\n        r = v\n",
    "for with break": "    r = 0\n    for v in o:\n        if v == 0:\n            break\n        r = v\n",
    "for i, v in enumerate(o)": "    r = 0\n    for i, v in enumerate(o):\n        r = (i, v)\n",
    "for v, w in zip(o, o)": "    r = 0\n    for v, w in zip(o, made()):\n        r = (v, w)\n",
    "for v, w in zip(x, o)": "    r = 0\n    for v, w in zip(x, o):\n        r = w\n",
    "for in zip with break": "    r = 0\n    for v, w in zip(x, o):\n        if w == 0:\n            break\n        r = w\n",
    "for v in reversed(o)": "    r = 0\n    for v in reversed(o):\n        r = v\n",
    "for v in map": "    r = 0\n    for v in map(str, o):\n        r = v\n",
    "two walks": "    e = enumerate(o)\n    r = (list(e), list(e))\n",
    "a walk of a walk": "    e = zip(o, o)\n    r = list(e)\n",
    "o += (1,)": "    p = o\n    o += (1,)\n    r = (o, p is o)\n",
    "t += o": "    t = (1,)\n    t += o\n    r = t\n",
    "s += o": "    s = [1]\n    s += o\n    r = s\n",
    "s.extend(o)": "    s = [1]\n    s.extend(o)\n    r = s\n",
    "s.append(o)": "    s = [1]\n    s.append(o)\n    r = s\n",
    "s[1:] = o": "    s = [1, 2]\n    s[1:] = o\n    r = s\n",
    "d.update(o)": "    d = {}\n    d.update(o)\n    r = d\n",
    "s.update(o)": "    s = {9}\n    s.update(o)\n    r = sorted(s)\n",
    "if o": "    r = 1\n    if o:\n        r = 2\n",
    "while o": "    r = 0\n    while o:\n        r += 1\n        o = None\n",
    "assert o": "    assert o\n    r = 1\n",
    "del o[0]": "    del o[0]\n    r = o\n",
    "o[0] = 5": "    o[0] = 5\n    r = o\n",
    "y[o] = 5": "    y = np.zeros(3)\n    y[o] = 5\n    r = y\n",
    "y += o": "    y = np.zeros(2)\n    y += o\n    r = y\n",
    "y[:] = o": "    y = np.zeros(2)\n    y[:] = o\n    r = y\n",
    "yielded": "    r = list((v, 1) for v in o)\n",
}
MOVING = (
    "o + x", "x + o", "o * x", "x * o", "x - o", "x ** o", "x @ o", "o @ x", "x / o", "np.multiply(x, o)", "np.maximum(x, o)",
    "x[o]", "x[o[0]]", "x[list(o)]", "x[:2] * np.array(o)", "x[0] * o", "o * x[0]", "x[0] + o", "float(x[0]) * o", "o - x[0]",
    "sum(w * float(v) for w, v in zip(x, o))", "sum(w * float(v) for v, w in zip(o, x))",
    "sum(x[i] * float(v) for i, v in enumerate(o))", "sum(map(lambda w, v: w * float(v), x, o))",
    "sum(w * float(v) for w, v in zip(x, reversed(o)))", "sum(x[i] * float(v) for i, v in enumerate(reversed(o)))",
    "sum(x[k] * v for k, v in o.items())", "sum(x[i] * v for i, (k, v) in enumerate(o.items()))",
    "sum(x[0] ** 2 * float(v) for v in o)", "sum([x[0], *o])", "sum([x[int(k)] for k in o])", "sum([x[k] for k in sorted(o)])",
    "max(x[0], o)", "max(o, x[0])", "min([x[0], o])", "sum(o, x[0])", "x[0] * len(o)", "x[0] * max(o)", "x[0] * sum(o)",
    "x.reshape(o)", "x[:2].reshape(o)", "np.sum(x, axis=o)", "np.full(o, x[0])", "np.zeros(o) + x[0]",
    "np.zeros(o + (2,)) + x[:2]", "x > o", "x == o", "x[0] == o", "x[0] in o", "o in x", "(x[0], 1) == o", "o == (x[0], 1)",
    "o < (x[0], 1)", "(x[0],) + o", "o + (x[0],)", "[x[0]] + o", "[x[0]] * o", "(x[0], x[1]) * o", "np.where(o, x, 0.0)",
    "np.sin(o) * x[0]", "np.dot(x, o)", "np.append(x, o)", "np.concatenate([x, o])", "np.repeat(x[:2], o)", "np.tile(x, o)",
    "np.array([x[0], *o])", "np.array([x[0], o])", "np.stack([x[:2], o])", "dict(zip(o, x))", "list(zip(o, x))",
    "f'{o}' and x[0]", "x[0] if o else x[1]", "x[0] if o == (1, 2) else x[1]", "x[0] if callable(o) else x[1]",
    "x[0] if isinstance(o, tuple) else x[1]", "{0: x[0], 1: x[1], 2: x[2]}[o]", "[x[0], x[1], x[2]][o]", "(x[0], x[1], x[2])[o]",
    "(lambda *a: a[0] * x[0])(*o)", "[v * x[0] for v in o]", "[*o, x[0]]", "(*o, x[0])", "np.linspace(0.0, x[0], o)",
    "x[0] * np.prod(o)", "x[0] * np.mean(o)", "x.dot(o)", "x.sum(o)", "x.reshape(*o)", "x.repeat(o)", "np.reshape(x, o + (1,))",
    "np.einsum('i,i', x[:2], o)", "np.interp(x[0], o, o)", "functools.reduce(lambda t, v: t * x[0] + v, o, 0.0)",
    "list(itertools.accumulate(o, lambda t, v: t * x[0] + v))", "max(o, key=lambda k: x[k])", "sorted(o, key=lambda k: x[k])",
    "any(x[0] > v for v in o)", "[w * v for w in x for v in o]", "[w * v for v in o for w in x]",
    "np.array([w * x[0] for w in o])", "sum(w * v for w, v in zip([x[0], x[1]], o))",
    "sum(w * v for v, w in zip(o, (x[0], x[1])))", "sum(w * u * v for w, u, v in zip(x, o, made()))",
    "sum(w * v for w, v in zip(x, list(o)))", "sum(w * v for w, v in zip(x, tuple(o)))",
    "sum(w * v for w, v in zip(x, sorted(o)))", "sum(w * float(v) for w, v in zip(x[:2], o, strict=True))",
)  # fmt: skip
METADATA: dict[str, str] = {
    "array": "x",
    "matrix": "np.outer(x, x)",
    "0-d": "np.array(x[0])",
    "element": "x[0]",
    "float": "float(x[0])",
    "int": "len(x)",
    "ints": "np.arange(len(x))",
    "int64": "np.arange(3)[1]",
    "truth": "x > 0",
    "bool_": "x[0] > 0",
    "bool": "float(x[0]) > 0",
    "float32": "x.astype(np.float32)",
    "complex": "1j",
    "literal": "2.5",
    "shape": "x.shape",
    "tuple": "(x[0], 1)",
    "list": "[x[0], 1.0]",
    "long list": "[w * 2.0 for w in x]",
    "dict": "{'a': x[0]}",
    "set": "{1, 2}",
    "text": "'ab'",
    "bytes": "b'ab'",
    "None": "None",
    "ellipsis": "...",
    "slice": "slice(1, 3)",
    "range": "range(len(x))",
    "named tuple": "Pair(1, 2.0)",
    "object": "Vector()",
    "function": "np.sin",
    "python function": "helper",
    "lambda": "(lambda v: v)",
    "method": "x.sum",
    "bound": "[1].append",
    "class": "Vector",
    "builtin class": "float",
    "module": "np",
    "dtype": "x.dtype",
    "zip": "zip(x, x)",
    "map": "map(abs, x)",
    "filter": "filter(None, [1])",
    "enumerate": "enumerate(x)",
    "reversed": "reversed([1, 2])",
    "iterator": "iter([1, 2])",
    "chain": "itertools.chain([1], [2])",
    "generator": "(v for v in [1, 2])",
    "keys": "{'a': 1}.keys()",
    "items": "{'a': 1}.items()",
    "fraction": "Fraction(1, 2)",
    "exception": "ValueError('a')",
    "partial": "functools.partial(helper, 1)",
    "letters": "GLOBAL",
    "unknown": "made()",
}
CLASSES = (
    "np.ndarray", "np.float64", "float", "int", "bool", "tuple", "list", "dict", "set", "str", "type(None)", "Pair", "Vector",
    "type", "zip", "map", "filter", "enumerate", "reversed", "range", "slice", "object", "np.generic", "np.dtype", "np.ufunc",
    "collections.abc.Iterator", "collections.abc.Iterable", "collections.abc.Callable", "collections.abc.Generator",
    "collections.abc.Sized", "collections.abc.Sequence", "collections.abc.Mapping", "collections.abc.Hashable", "HasShape",
    "numbers.Real", "types.FunctionType", "types.MethodType", "types.GeneratorType", "itertools.chain",
)  # fmt: skip
QUESTIONS = ("isinstance(v, {})", "type(v) is {}", "v.__class__ is {}", "issubclass(v.__class__, {})", "type(v) in ({}, None)")
NAMED = (
    "v.__class__", "v.__class__.__name__", "type(v).__name__", "type(v)", "v.__doc__ is None", "v.__len__()",
    "hasattr(v, '__len__')", "hasattr(v, '__next__')", "hasattr(v, '__iter__')", "hasattr(v, '__call__')", "hasattr(v, 'shape')",
    "hasattr(v, 'missing')", "hasattr(v, '__dict__')", "hasattr(v, 'dtype')", "getattr(v, 'ndim', 7)",
    "getattr(v, 'missing', 7)", "getattr(v, 'shape', 7)", "getattr(v, '__name__', 7)", "v.missing", "v.__name__", "v.__module__",
    "v.__hash__ is None", "callable(v)", "v.__call__ is None", "v.dtype", "v.dtype.type", "v.dtype.type is np.float64",
    "v.dtype.type == np.float64", "v.dtype.type in (np.float64, np.float32)", "issubclass(v.dtype.type, np.floating)",
    "v.dtype.type(1)", "v.dtype.type(1) / 3", "v.dtype.kind", "v.dtype.name", "v.dtype.char", "v.dtype.num", "v.dtype.str",
    "v.dtype.itemsize", "v.dtype.byteorder", "v.dtype.names", "v.dtype.shape", "v.dtype.subdtype", "v.dtype.newbyteorder('S')",
    "v.dtype.isbuiltin", "v.dtype.fields", "v.dtype.descr", "v.dtype.base", "v.dtype.__class__ is np.dtype", "v.dtype == float",
    "v.dtype == 'float64'", "v.dtype in (np.float64, np.float32)", "np.dtype(v.dtype.type) == v.dtype",
    "np.issubdtype(v.dtype, np.floating)", "np.finfo(v.dtype).eps", "np.zeros(2, v.dtype)", "np.zeros(2, v.dtype.type)",
    "v.shape", "v.shape[0]", "v.shape == (4,)", "v.shape.__class__ is tuple", "v.shape + (1,)", "v.shape.index(4)", "v.strides",
    "v.flags.writeable", "v.flags['C_CONTIGUOUS']", "v.flags.owndata", "v.ndim", "v.size", "v.itemsize", "v.nbytes",
    "v.T is None", "v.base is None", "v.real is None", "v.imag is None", "v.__array_priority__",
    "v.__array_interface__['shape']", "v.device", "v.flat is None", "v.data is None", "v.__add__(1) is None",
    "v.__eq__(1) is None", "v.__iter__ is None", "v.start", "v.stop", "v.is_integer()", "v.__dict__", "v.__annotations__",
    "v._fields", "v.__self__ is None", "v.__func__ is None", "v.numerator", "v.args", "v.__qualname__", "v.__mro__",
    "v.__bool__()", "v.__contains__(1)", "v.__defaults__", "v.__code__.co_argcount", "v.__sizeof__() > 0", "bool(v)",
    "v.__reduce__ is None", "v.nin", "v.func is None", "v.__next__ is None", "v.gi_frame is None", "v.__class__()", "type(v)()",
    "v.__class__ == type(v)", "v.__class__ is type(v)", "v.__class__ in (float, tuple)",
)  # fmt: skip
XS = np.array([0.3, -0.5, 0.7, 1.1])
GLOBALS: dict[str, Any] = {
    **{module.__name__: module for module in (bisect, functools, itertools, numbers, operator, statistics, types, zlib)},
    **{one.__name__: one for one in (Fraction, HasShape, Pair, Vector)},
    "collections": collections,
    "GLOBAL": Letters(a=1),
}
INTO_NUMBER = "    return x[0] * (zlib.crc32(repr(r).split(' at 0x')[0].encode()) % 97 + 1)\n"
"""What makes the derivative one of what a program found, by its text: of another class, order or value, it is another number."""


Plan = tuple[str, str, Callable[[], Any]]
"""The name of a cell, the body of its program, and what makes the object that is unknown in it."""


def opaque(make: Callable[[], Any]) -> Callable[[], Any]:
    """A function that adxform cannot look into; it calls `make` each time."""
    return functools.lru_cache(0)(make)


def cells(every: int = 1) -> Iterator[Cell]:
    """The cells of the three parts; or one in so many, for a sample that is made in no time."""
    for name, body, make in itertools.islice(plans(), 0, None, every):
        text = f"def helper(v):\n    return v\ndef f(x):\n{body}"
        yield Cell(name, program(text, made=opaque(make), **GLOBALS), (XS,), orders=1)


def plans() -> Iterator[Plan]:
    """The programs of the three parts."""
    for kind, make in UNKNOWN.items():
        for name, statements in alone():
            yield f"{name}: {kind}", f"    o = made()\n{statements}{INTO_NUMBER}", make
        for expression in MOVING:
            yield f"{expression}: {kind}, moving", f"    o = made()\n    return {expression}\n", make
    yield from metadata()


def alone() -> Iterator[tuple[str, str]]:
    """What is done with the unknown object `o` where nothing moves: what it comes to is called `r`."""
    yield from ((expression, f"    r = {expression}\n") for expression in (*UNARY, *BUILTINS))
    yield from STATEMENTS.items()
    for sign, (beside, other) in itertools.product(OPERATORS, BESIDE.items()):
        yield f"o {sign} {beside}", f"    r = o {sign} {other}\n"
        yield f"{beside} {sign} o", f"    r = {other} {sign} o\n"
    for sign, (beside, other) in itertools.product(AUGMENTED, BESIDE.items()):
        yield f"o {sign}= {beside}", f"    r = o\n    r {sign}= {other}\n"
        yield f"{beside} {sign}= o", f"    r = {other}\n    r {sign}= o\n"


def metadata() -> Iterator[Plan]:
    """What values say of themselves."""
    for (kind, value), attribute in itertools.product(METADATA.items(), NAMED):
        yield f"{attribute}: {kind}", f"    v = {value}\n    r = {attribute}\n{INTO_NUMBER}", Vector
    for (kind, value), question, cls in itertools.product(METADATA.items(), QUESTIONS, CLASSES):
        asked = question.format(cls)
        yield f"{asked}: {kind}", f"    v = {value}\n    return x[0] * (2.0 if {asked} else 3.0)\n", Vector

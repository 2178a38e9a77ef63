"""What is asked of values that are no numbers: functions, methods, iterators, views, classes, what the run chooses of them.

Each kind of value, made in the program, by what is asked of it: whether it is true, called, one with another, equal, of a class,
has an attribute or an item, what its copies and containers of it say. The answer is a number or a truth value.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from tests.tables.cell import Cell, Written

PRELUDE = """
import builtins, collections, collections.abc, contextlib, copy, dataclasses, enum, functools, itertools, math, numbers, operator
import types, typing
class Plain:
    def __init__(self, v=1.0):
        self.v = v
    def go(self, u):
        return u * self.v
    @property
    def half(self):
        return self.v * 0.5
    @staticmethod
    def fixed(u):
        return u
    @classmethod
    def built(cls, v):
        return cls(v)
class Callable(Plain):
    def __call__(self, u):
        return u * self.v
class Sized(Plain):
    def __len__(self):
        return 3
    def __getitem__(self, k):
        if k >= 3:
            raise IndexError(k)
        return self.v * k
class Falsy(Plain):
    def __bool__(self):
        return False
class Equal(Plain):
    def __eq__(self, other):
        return True
    def __hash__(self):
        return 3
@dataclasses.dataclass(frozen=True)
class Frozen:
    v: float
    n: int = 2
@dataclasses.dataclass
class Open:
    v: float
Named = collections.namedtuple("Named", "v n")
class Colour(enum.Enum):
    RED = 1
    BLUE = 2
class Level(enum.IntEnum):
    LOW = 0
    HIGH = 5
def module_function(u):
    return u * 2.0
def items(x):
    for v in x:
        yield v * 2.0
"""
VALUES = {
    "lambda": "lambda u: u * x[0]",
    "function of the module": "module_function",
    "function of the run": "(lambda u: u * x[0]) if x[0] > 0.1 else (lambda u: u * x[1])",
    "module functions of the run": "math.sin if x[0] > 0.1 else math.cos",
    "ufuncs of the run": "np.sin if x[0] > 5.0 else np.cos",
    "methods of the run": "Plain(x[0]).go if x[0] > 0.1 else Callable(x[1])",
    "function or None": "(lambda u: u) if x[0] > 0.1 else None",
    "None or function": "(lambda u: u) if x[0] > 5.0 else None",
    "number or None": "x[1] if x[0] > 0.1 else None",
    "None or number": "x[1] if x[0] > 5.0 else None",
    "array or None": "x * 2.0 if x[0] > 0.1 else None",
    "list or None": "[x[0], x[1]] if x[0] > 0.1 else None",
    "object or None": "Plain(x[0]) if x[0] > 0.1 else None",
    "text of the run": "'one' if x[0] > 0.1 else 'two'",
    "class of the run": "Plain if x[0] > 0.1 else Callable",
    "object of the run": "Plain(x[0]) if x[0] > 0.1 else Plain(x[1])",
    "objects of two classes": "Plain(x[0]) if x[0] > 0.1 else Callable(x[1])",
    "tuples of the run": "(x[0], 1) if x[0] > 0.1 else (x[1], 2)",
    "lists of the run": "[x[0], 1.0] if x[0] > 0.1 else [x[1]]",
    "dicts of the run": "{'a': x[0]} if x[0] > 0.1 else {'b': x[1]}",
    "ufunc": "np.sin",
    "builtin": "len",
    "function of math": "math.exp",
    "bound method": "Plain(x[0]).go",
    "method of an array": "x.sum",
    "method of a list": "[x[0]].append",
    "method of a class": "Plain.go",
    "static method": "Plain.fixed",
    "class method": "Plain.built",
    "partial": "functools.partial(np.multiply, x[0])",
    "operator.itemgetter": "operator.itemgetter(1)",
    "class": "Plain",
    "class of NumPy": "np.float64",
    "class of Python": "float",
    "exception": "ValueError('bad', 3)",
    "class of exceptions": "KeyError",
    "module": "math",
    "object": "Plain(x[0])",
    "object that is called": "Callable(x[0])",
    "object with a length": "Sized(x[0])",
    "false object": "Falsy(x[0])",
    "object that equals all": "Equal(x[0])",
    "frozen dataclass": "Frozen(x[0])",
    "dataclass": "Open(x[0])",
    "named tuple": "Named(x[0], 2)",
    "namespace": "types.SimpleNamespace(v=x[0])",
    "member of an enumeration": "Colour.RED",
    "whole member": "Level.LOW",
    "enumeration": "Colour",
    "generator": "items(x)",
    "generator expression": "(v for v in x)",
    "iterator of a list": "iter([x[0], x[1]])",
    "iterator of an array": "iter(x)",
    "zip": "zip(x, x)",
    "map": "map(math.sin, x)",
    "enumerate": "enumerate(x)",
    "reversed": "reversed(x)",
    "filter": "filter(None, [x[0], 0.0])",
    "chain": "itertools.chain([x[0]], [1.0])",
    "range": "range(3)",
    "empty range": "range(0)",
    "slice": "slice(0, 2)",
    "keys": "{'a': x[0]}.keys()",
    "values": "{'a': x[0]}.values()",
    "items": "{'a': x[0]}.items()",
    "no items": "{}.items()",
    "dict": "{'a': x[0]}",
    "empty dict": "dict()",
    "defaultdict": "collections.defaultdict(list, a=[x[0]])",
    "Counter": "collections.Counter('aab')",
    "set": "{1, 2}",
    "frozenset": "frozenset({1, 2})",
    "empty list": "[]",
    "list": "[x[0], 2.0]",
    "list of lists": "[[x[0]], [2.0]]",
    "tuple": "(x[0], 2.0)",
    "empty tuple": "()",
    "deque": "collections.deque([x[0], 1.0])",
    "text": "'abc'",
    "empty text": "''",
    "bytes": "b'ab'",
    "None": "None",
    "Ellipsis": "...",
    "NotImplemented": "NotImplemented",
    "dtype": "x.dtype",
    "shape": "x.shape",
    "flags": "x.flags",
    "flat": "x.flat",
    "number": "x[0]",
    "float": "float(x[0])",
    "whole number": "int(x[1] * 2.0)",
    "truth": "bool(x[0] > 0.1)",
    "truth of NumPy": "x[0] > 0.1",
    "complex": "complex(x[0], 1.0)",
    "array": "x * 1.0",
    "array of one": "x[:1] * 1.0",
    "array of none": "x[:0] * 1.0",
    "array without axes": "np.array(x[0])",
    "mask": "x > 0.5",
    "whole array": "np.arange(3)",
    "masked array": "np.ma.masked_array(x, x > 1.0)",
    "memoryview": "memoryview(x)",
    "random generator": "np.random.default_rng(1)",
    "polynomial": "np.poly1d([x[0], 1.0])",
    "property": "Plain.half",
    "lock of contexts": "contextlib.nullcontext(x[0])",
    "long list": "[v * 2.0 for v in x if v > 0.1]",
    "no long list": "[v * 2.0 for v in x if v > 10.0]",
    "long list of texts": "['a' for v in x if v > 0.1]",
    "long dict": "{float(v): v for v in x if v > 0.1}",
    "long set": "{int(v) for v in x}",
}
QUESTIONS = {
    "true": "bool(v)",
    "not": "not v",
    "if": "2.0 if v else 3.0",
    "and": "(v and 1) is v",
    "or": "(v or 7) == 7",
    "called": "callable(v)",
    "is itself": "v is v",
    "is a name of it": "v is w",
    "is None": "v is None",
    "is not None": "v is not None",
    "equals itself": "v == v",
    "equals None": "v == None",
    "differs from None": "v != None",
    "equals a number": "v == 3",
    "equals a text": "v == 'abc'",
    "equals a tuple": "v == (1, 2)",
    "in a list": "v in [v]",
    "in a tuple": "v in (None, v)",
    "place": "[None, v].index(v)",
    "count": "[v, v].count(v)",
    "number of them": "len([v, v])",
    "True": "v is True or v == True",
    "length": "len(v)",
    "of a float": "isinstance(v, float)",
    "of a number": "isinstance(v, numbers.Number)",
    "of an array": "isinstance(v, np.ndarray)",
    "of a scalar": "isinstance(v, np.generic)",
    "of a list or tuple": "isinstance(v, (list, tuple))",
    "of a dict": "isinstance(v, dict)",
    "of a function": "isinstance(v, types.FunctionType)",
    "of what is called": "isinstance(v, collections.abc.Callable)",
    "iterable": "isinstance(v, collections.abc.Iterable)",
    "iterator": "isinstance(v, collections.abc.Iterator)",
    "sequence": "isinstance(v, collections.abc.Sequence)",
    "mapping": "isinstance(v, collections.abc.Mapping)",
    "sized": "isinstance(v, collections.abc.Sized)",
    "hashable": "isinstance(v, collections.abc.Hashable)",
    "class of it": "isinstance(v, type)",
    "of a text": "isinstance(v, str)",
    "of Plain": "isinstance(v, Plain)",
    "of object": "isinstance(v, object)",
    "its class": "type(v) is type(w)",
    "its class is float": "type(v) is float",
    "its class is list": "type(v) == list",
    "its class is function": "type(v) is types.FunctionType",
    "__class__": "v.__class__ is type(v)",
    "name of its class": "len(type(v).__name__)",
    "subclass": "issubclass(type(v), object)",
    "has v": "hasattr(v, 'v')",
    "has __call__": "hasattr(v, '__call__')",
    "has __len__": "hasattr(v, '__len__')",
    "has __iter__": "hasattr(v, '__iter__')",
    "has shape": "hasattr(v, 'shape')",
    "has __name__": "hasattr(v, '__name__')",
    "attribute or another": "getattr(v, 'nothing', 2.5)",
    "shape": "np.shape(v) == ()",
    "axes": "np.ndim(v)",
    "size": "np.size(v)",
    "scalar": "np.isscalar(v)",
    "iterable of NumPy": "np.iterable(v)",
    "copy is it": "copy.copy(v) is v",
    "copy equals": "copy.copy(v) == v",
    "deep copy is it": "copy.deepcopy(v) is v",
    "one object": "id(v) == id(w)",
    "hash": "hash(v) == hash(w)",
    "key": "{v: 3.0}[w]",
    "in a set": "v in {w}",
    "list of it": "len(list(v))",
    "sum": "sum(v)",
    "any": "any(v)",
    "all": "all(v)",
    "max": "max(v)",
    "first": "v[0]",
    "next": "next(v)",
    "next or another": "next(v, 4.0)",
    "next of iter": "next(iter(v))",
    "starred": "len([*v])",
    "contains": "0.5 in v",
    "not in": "'a' not in v",
    "less": "v < 3",
    "negative": "-v",
    "times": "v * 2",
    "plus": "v + v",
    "float of it": "float(v)",
    "int of it": "int(v)",
    "abs": "abs(v)",
    "text": "len(str(v)) > 0",
    "text of it": "len(f'{v}') > 0",
    "match None": "{None}",
    "match class": "{Plain()}",
    "match sequence": "{[a, *b]}",
    "match number": "{int() | float()}",
    "identity in any": "any(one is v for one in (None, w))",
    "sorted by": "sorted([2.0, 1.0], key=lambda u: (v is None, u))[0]",
    "conditional chain": "1.5 if v is None else 2.5 if callable(v) else 3.5",
    "called with a number": "v(0.5)",
    "attribute v": "v.v",
    "unpacked": "(lambda *a: len(a))(*v)",
    "keywords": "(lambda **k: len(k))(**v)",
    "as array": "np.asarray(v).ndim",
    "as sum of an array": "np.sum(np.asarray(v))",
    "all of dir": "'v' in dir(v)",
    "vars": "len(vars(v))",
    "of a union": "isinstance(v, int | float | list)",
    "assert": "(lambda: 1.0)() if v is not None else 0.0",
}


def cells() -> Iterator[Cell]:
    """Each kind of value by each question."""
    for (kind, value), (asked, question) in itertools.product(VALUES.items(), QUESTIONS.items()):
        lines = [f"v = {value}", "w = v"]
        if question.startswith("{") and asked.startswith("match"):
            lines += ["q = 0.0", "match v:", f"    case {question[1:-1]}:", "        q = 1.0", "    case _:", "        q = 2.0"]
        else:
            lines += [f"q = {question}"]
        body = "".join(f"    {line}\n" for line in (*lines, "return x[0] * (1.5 + q)"))
        yield Cell(f"{kind}: {asked}", Written(f"{PRELUDE}\ndef f(x):\n{body}"), (np.array([0.7, 1.3, 0.4]),), orders=1)

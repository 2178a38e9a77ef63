"""What classes say of their objects and of themselves: wrong results that were found, each right or refused now."""

from __future__ import annotations

import collections
import linecache
import logging
import re
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import UnsupportedOperationError
from tests.tables.cell import Cell, judge

X = np.array([0.3, -0.5, 0.7, 1.1])
FOUND = {
    "None as a class attribute": """
class Solver:
    cache = None
    def __init__(self, x): self.x = x
    def get(self):
        if self.cache is None: self.cache = self.x * self.x
        return self.cache
def raw_error(x): return Solver(x[0]).get()
class Lazy:
    limit = None
    def __init__(self, x): self.x = x
    def __getattr__(self, name): return self.x * 10
def silent(x):
    s = Lazy(x[0])
    return x[0] if s.limit is None else s.limit
def default(x): return x[0] * (2.0 if getattr(Solver(x[0]), "cache", 5.0) is None else 3.0)
""",
    "how a metaclass makes an object": """
class Singleton(type):
    made = {}
    def __call__(cls, *a):
        if cls not in cls.made: cls.made[cls] = super().__call__(*a)
        return cls.made[cls]
class Config(metaclass=Singleton):
    def __init__(self): self.g = 9.8
Config().g = 1.5
def silent(x): return Config().g * x[0]
class Doubling(type):
    def __call__(cls, v): return super().__call__(2 * v)
class Box(metaclass=Doubling):
    def __init__(self, v): self.v = v
def silent2(x): return Box(x[0]).v * x[1]
import abc
class Abstract(abc.ABC):
    def __init__(self, v): self.v = v
    @abc.abstractmethod
    def area(self): ...
def no_error(x): return Abstract(x[0]).v * 2
""",
    "what a metaclass says of a class": """
class M(type):
    def __instancecheck__(cls, v): return v > 0
    def __bool__(cls): return False
    def __mul__(cls, v): return 3.0 * v * v
    def __rmul__(cls, v): return 5.0 * v
class Positive(metaclass=M): pass
def isinstance_(x): return (2.0 if isinstance(x[0], Positive) else 3.0) * x[0]
def truth(x): return (2.0 if Positive else 3.0) * x[0]
def operator_(x): return Positive * x[0]
class P(type):
    def __pow__(cls, v): return v ** 3
class Cube(metaclass=P): pass
def power(x): return Cube ** x[0]
""",
    "subclasses of named tuples": """
from collections import namedtuple
from typing import NamedTuple
class Point(namedtuple("Point", "x y")):
    __slots__ = ()
    def __new__(cls, x, y=1.0): return super(Point, cls).__new__(cls, 2 * x, y)
def new(x): return Point(x[0], x[1]).x
class Vec(NamedTuple):
    a: float
    b: float = 3.0
    def __len__(self): return 7
    def __getitem__(self, i): return 100.0
    def __iter__(self): return iter((1.0, 2.0, 3.0))
    def __bool__(self): return False
def length(x): return len(Vec(x[0])) * x[0]
def item(x): return Vec(x[0])[0] * x[0]
def iterate(x): return sum(v for v in Vec(x[0])) * x[0]
def unpack(x):
    a, b, c = Vec(x[0])
    return a * x[0]
def star(x): return (lambda a, b, c: a + b + c)(*Vec(x[0])) * x[0] if False else sum([*Vec(x[0])]) * x[0]
def truth_of_items(x): return (2.0 if Vec(x[0]) else 3.0) * x[0]
class Prop(namedtuple("Prop", "a b")):
    @property
    def a(self): return self[0] * 10
    b = 5.0
def prop(x): return Prop(x[0], x[1]).a
def classattr(x): return Prop(x[0], x[1]).b * x[2]
class Repl(namedtuple("Repl", "a")):
    def _replace(self, **k): return Repl(99.0)
    def _asdict(self): return {"a": 55.0}
def replaced(x): return Repl(x[0])._replace(a=x[1]).a * x[0]
def asdict_(x): return Repl(x[0])._asdict()["a"] * x[0]
class Init(namedtuple("Init", "a")):
    def __init__(self, a): self.extra = 2 * a
def init(x): return Init(x[0]).extra
""",
    "how a dataclass is made": """
from dataclasses import dataclass, field, InitVar
@dataclass
class Clamped:
    a: float
    def __setattr__(self, name, value): object.__setattr__(self, name, 2 * value)
def setattr_(x): return Clamped(x[0]).a * x[1]
@dataclass
class Radius:
    r: float
    @property
    def r(self): return self._r * 2
    @r.setter
    def r(self, v): self._r = v
def prop(x): return Radius(x[0]).r * x[1]
class Desc:
    def __set_name__(self, o, n): self.n = "_" + n
    def __get__(self, o, t=None): return 9.0 if o is None else getattr(o, self.n) * 2
    def __set__(self, o, v): setattr(o, self.n, v + 1)
@dataclass
class WithDesc:
    a: Desc = Desc()
def descriptor(x): return WithDesc(x[0]).a * x[1]
@dataclass
class Base:
    a: float
    b: float = 2.0
class Late(Base):
    def __post_init__(self): self.b = self.a * 3
def post_init(x): return Late(x[0]).b * x[1]
@dataclass
class New:
    a: float
    def __new__(cls, *a):
        o = object.__new__(Base); o.a = 5.0; o.b = a[0]
        return o
def made_by_new(x): return New(x[0]).a * x[1]
@dataclass
class Init:
    a: float
    scale: InitVar[float] = 2.0
    def __post_init__(self, scale): self.a = self.a * scale
def initvar(x): return Init(x[0], 3.0).a * x[1]
""",
    "calls of constructors that do not fit": """
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
N = namedtuple("N", "a b")
@dataclass
class D:
    a: float
    b: float = 2.0
def nt_too_many(x): return N(x[0], x[1], x[2]).a
def nt_unknown(x): return N(x[0], 1.0, zz=3).a
def nt_missing(x): return N(x[0]).a
def dc_too_many(x): return D(x[0], 1.0, 3.0).a
def dc_twice(x): return D(x[0], a=3.0).a
def dc_unknown(x): return D(x[0], zz=3.0).a
""",
    "how an object is copied": """
import copy
class C:
    def __init__(self, v): self.v = v
    def __copy__(self): return C(self.v * 2)
    def __deepcopy__(self, memo): return C(self.v * 3)
class S:
    def __init__(self, v): self.v = v
    def __getstate__(self): return {"v": 5.0}
    def __setstate__(self, d): self.v = d["v"] * 2
class R:
    def __init__(self, v): self.v = v
    def __reduce__(self): return R, (7.0,)
def shallow(x): return copy.copy(C(x[0])).v * x[1]
def deep(x): return copy.deepcopy(C(x[0])).v * x[1]
def nested(x): return copy.deepcopy([C(x[0])])[0].v * x[1]
def state(x): return copy.copy(S(x[0])).v * x[1]
def reduce_(x): return copy.copy(R(x[0])).v * x[1]
""",
    "methods of classes written in C": """
class P:
    def __init__(self, x): self.x = x
class S:
    __slots__ = ("x",)
def len_(x): return x.sum() * x.shape.__len__()
def getitem(x): return x.sum() * x.shape.__getitem__(0)
def contains(x): return x.sum() * x.shape.__contains__(4)
def eq(x): return x.sum() * (x.shape.__eq__((4,)))
def setattr_(x):
    p = P(x[0]); p.__setattr__("y", x[1])
    return p.x * p.y
def getattribute(x): return P(x[0]).__getattribute__("x") * x[1]
def hash_(x): return x[0] * (P(x[0]).__hash__() is not None)
def doc(x): return x[0] * (2.0 if P(x[0]).__doc__ is None else 3.0)
def unset_slot(x): return S().x * x[0]
""",
}
REFUSED = frozenset(
    {
        "silent2",
        "isinstance_",
        "new",
        "length",
        "item",
        "iterate",
        "unpack",
        "star",
        "truth_of_items",
        "init",
        "state",
        "reduce_",
        "hash_",
    }
)
"""The programs that are refused; the others have the value, or the exception, and the gradient of the plain function."""


def functions(title: str) -> dict[str, types.FunctionType]:
    """The functions of one argument that a text of `FOUND` defines, by their names, in a module whose source can be read."""
    file = f"<{title}>"
    linecache.cache[file] = (len(FOUND[title]), None, FOUND[title].splitlines(keepends=True), file)
    module = types.ModuleType(title)
    exec(compile(FOUND[title], file, "exec", dont_inherit=True), module.__dict__)
    return {name: vars(module)[name] for name in names(title)}


def names(title: str) -> list[str]:
    """The names of those functions."""
    return re.findall(r"^def (\w+)\(x\)", FOUND[title], re.MULTILINE)


PROGRAMS = [(title, name) for title in FOUND for name in names(title)]


@pytest.mark.parametrize(("title", "name"), PROGRAMS)
def test_it_means_what_python_says_or_is_refused(title: str, name: str) -> None:
    verdict = judge(Cell(name, functions(title)[name], (X,)))
    assert verdict.kind == ("refused" if name in REFUSED else "right"), verdict.reason


@dataclass
class Settings:
    level: float = 1.0


@dataclass(frozen=True)
class Frozen:
    level: float = 1.0


exec(compile("def unseen(settings):\n    if type(settings).__name__ == 'Settings': settings.level = 5.0\n", "<no file>", "exec"))
log = logging.getLogger(__name__)


def changed_unseen(x):
    settings = Settings()
    unseen(settings)  # type: ignore[name-defined]  # noqa: F821
    return x * settings.level


def frozen_unseen(x):
    settings = Frozen(x)
    log.debug("%s", Settings())
    unseen(Frozen())  # type: ignore[name-defined]  # noqa: F821
    return x * settings.level


def test_what_unseen_code_may_change_is_refused() -> None:
    with pytest.raises(UnsupportedOperationError, match="a Settings is passed to `unseen`"):
        adxform.grad(changed_unseen)(3.0)
    assert adxform.grad(frozen_unseen)(3.0) == 6.0


class SaysNothing(dict):
    """A dict that leaves each comparison to the other side."""

    def __eq__(self, other):
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]


COUNTED = (1, collections.Counter({1: 1}))
SILENT = (0, SaysNothing({1: 1.0}))
LEFT_OPEN: list[Callable[[Any], Any]] = [
    lambda x: x * (3.0 if COUNTED[1] == {1: 1.0} else 2.0),
    lambda x: x * (3.0 if COUNTED[1] == {1: 2.0} else 2.0),
    lambda x: x * (3.0 if COUNTED[1] != {1: 2.0} else 2.0),
    lambda x: x * (3.0 if COUNTED[1] == 5 else 2.0),
    lambda x: x * (3.0 if {1: 2.0} == COUNTED[1] else 2.0),  # noqa: SIM300 - the other side is asked first
    lambda x: x * (3.0 if COUNTED[1] in [{1: 2.0}] else 2.0),
    lambda x: x * (3.0 if SILENT[1] == {1: 1.0} else 2.0),
    lambda x: x * (3.0 if SILENT[1] == {1: 2.0} else 2.0),
]


@pytest.mark.parametrize("case", range(len(LEFT_OPEN)))
def test_a_method_that_leaves_a_comparison_open_is_no_answer(case: int) -> None:
    f = LEFT_OPEN[case]
    value, slope = adxform.value_and_grad(f)(1.5)
    assert (value, slope) == (f(1.5), f(1.5) / 1.5)

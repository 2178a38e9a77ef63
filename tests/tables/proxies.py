"""Objects that answer for themselves: for which class they are of, which attributes they have, whether they are equal.

Proxies, mocks and lazy imports say that they are what they stand for; some raise whatever they are asked. A program mostly has
them beside what it computes with, so that a derivative of it asks them nothing; and where it does not, it asks what Python asks.
"""

from __future__ import annotations

import types
import unittest.mock
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.tables.cell import Cell, Written, program


def _says(cls: type) -> Any:
    """An object that says it is of `cls`."""
    return type("Proxy", (), {"__class__": property(lambda self: cls)})()


def _raises(*names: str) -> Any:
    """An object that raises where it is asked by one of these methods."""

    def asked(self: Any, *args: Any) -> Any:
        raise RuntimeError("asked")

    return type("Unbound", (), dict.fromkeys(names, asked))()


class _Proxy:
    """What stands for another object, as proxies of libraries do."""

    def __init__(self, of: Any) -> None:
        object.__setattr__(self, "of", of)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.of, name)

    @property
    def __class__(self) -> Any:  # type: ignore[override]
        return type(self.of)

    def __call__(self, *args: Any) -> Any:
        return self.of(*args)

    def __eq__(self, other: object) -> Any:
        return self.of == other

    def __hash__(self) -> int:
        return hash(self.of)

    def __len__(self) -> int:
        return len(self.of)

    def __getitem__(self, k: Any) -> Any:
        return self.of[k]

    def __mul__(self, other: Any) -> Any:
        return self.of * other

    def __rmul__(self, other: Any) -> Any:
        return other * self.of

    def __float__(self) -> float:
        return float(self.of)


def _lazy_module() -> Any:
    made = types.ModuleType("lazy")

    def imported(name: str) -> Any:
        raise ImportError(f"nothing has {name}")

    made.__getattr__ = imported  # type: ignore[method-assign]
    return made


class _Quiet(type):
    """A metaclass whose classes say nothing."""

    def __getattribute__(cls, name: str) -> Any:
        raise RuntimeError("asked")


class _List(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        raise RuntimeError("asked")

    __len__ = __eq__ = __iter__  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


class _Dict(dict):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        raise RuntimeError("asked")

    __len__ = __eq__ = items = keys = __getitem__ = __iter__  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


class _Float(float):
    def __eq__(self, other: object) -> Any:
        raise RuntimeError("asked")

    __float__ = __repr__ = __eq__  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


def _itself(made: Any) -> Any:
    made[0] = made
    return made


def _dead() -> Any:
    return weakref.proxy(_Float(2.0))


SAID = (tuple, list, dict, float, int, str, set, frozenset, type(None), np.ndarray, np.float64, type, property,
        types.FunctionType, types.ModuleType, types.CodeType, types.MethodType)  # fmt: skip
HOOKS = ("__getattribute__", "__getattr__", "__eq__ __hash__", "__bool__", "__len__", "__repr__", "__iter__", "__array__",
         "__instancecheck__", "__call__", "__reduce_ex__", "__deepcopy__", "__getstate__", "__sizeof__", "__float__", "__index__",
         "__get__")  # fmt: skip
NAMES = ("__module__", "__name__", "__wrapped__", "__code__", "__self__", "__func__")
THINGS: dict[str, Callable[[], Any]] = {
    **{f"says {cls.__name__}": (lambda cls=cls: _says(cls)) for cls in SAID},
    **{f"raises in {hooks}": (lambda hooks=hooks: _raises(*hooks.split())) for hooks in HOOKS},
    "raises for its class": lambda: type("Unbound", (), {"__class__": property(lambda self: 1 / 0)})(),
    "raises for its dict": lambda: type("Unbound", (), {"__dict__": property(lambda self: 1 / 0)})(),
    "raises for its names": lambda: type("Unbound", (), dict.fromkeys(NAMES, property(lambda self: 1 / 0)))(),
    "lazy module": _lazy_module,
    "quiet class": lambda: _Quiet("Unasked", (), {}),
    "slots without values": lambda: type("Slots", (), {"__slots__": ("a",)})(),
    "equal by an array": lambda: type("Rows", (), {"__eq__": lambda self, other: np.array([True, False]), "__hash__": None})(),
    "list that holds itself": lambda: _itself([0]),
    "dict that holds itself": lambda: _itself({0: 0}),
    "mock": unittest.mock.Mock,
    "magic mock": unittest.mock.MagicMock,
    "mock of an array": lambda: unittest.mock.Mock(spec=np.ndarray),
    "mock of a float": lambda: unittest.mock.Mock(spec=float),
    "proxy of an array": lambda: _Proxy(np.arange(3.0)),
    "proxy of a float": lambda: _Proxy(2.0),
    "proxy of a list": lambda: _Proxy([1.0]),
    "proxy of a ufunc": lambda: _Proxy(np.sin),
    "proxy of a module": lambda: _Proxy(np),
    "proxy of a function": lambda: _Proxy(lambda v: v * v),
    "float that says nothing": lambda: _Float(2.0),
    "list that says nothing": lambda: _List([1.0]),
    "dict that says nothing": lambda: _Dict(a=1.0),
    "dead reference": _dead,
    "weak reference": lambda: weakref.proxy(types),
}
BESIDE = {
    "not met": """
def f(x):
    return np.sum(x * x) if True else S
""",
    "in a helper": """
def h():
    return S.a
def f(x):
    if x[0] > 100.0:
        h()
    return np.sum(x * x)
""",
    "a default": """
def f(x, s=S):
    return np.sum(x * x)
""",
    "a default asked for None": """
def f(x, s=S):
    return np.sum(x * x) if s is not None else 0.0
""",
    "captured": """
def made(s):
    def f(x):
        return np.sum(x * x) if s is not None else 0.0
    return f
f = made(S)
""",
    "in a tuple": """
T = (2.0, S)
def f(x):
    return np.sum(x * x) * T[0]
""",
    "in a list": """
T = [2.0, S]
def f(x):
    return np.sum(x * x) * T[0]
""",
    "in a dict": """
T = {'a': 2.0, 'b': S}
def f(x):
    return np.sum(x * x) * T['a']
""",
    "an attribute": """
class C:
    pass
T = C()
T.a, T.b = 2.0, S
def f(x):
    return np.sum(x * x) * T.a
""",
    "an attribute of a class": """
class C:
    a, b = 2.0, S
def f(x):
    return np.sum(x * x) * C.a
""",
    "an attribute of self": """
class C:
    def __init__(self):
        self.a, self.b = 2.0, S
    def run(self, x):
        return np.sum(x * x) * self.a
f = C().run
""",
    "an attribute of a function": """
def h(x):
    return x * x
h.s = S
def f(x):
    return np.sum(h(x))
""",
    "in a cached function": """
import functools
cached = functools.lru_cache(lambda k: (S, k)[1])
def f(x):
    cached(2)
    return np.sum(x * x)
""",
    "of a property": """
class C:
    a = 2.0
    @property
    def b(self):
        return S
T = C()
def f(x):
    return np.sum(x * x) * T.a if T.b is not None else 0.0
""",
    "in a hook": """
class C:
    def __getattr__(self, name):
        return S if name == 'q' else 2.0
T = C()
def f(x):
    return np.sum(x * x) * T.r
""",
    "a global of a method": """
class C:
    a = 2.0
    def m(self):
        return S
T = C()
def f(x):
    return np.sum(x * T.a)
""",
}
ASKED = {
    "is None": "S is None",
    "isinstance of an array": "isinstance(S, np.ndarray)",
    "isinstance of several": "isinstance(S, (float, list, tuple))",
    "isinstance of a class": "isinstance(2.0, S)",
    "type is": "type(S) is np.ndarray",
    "class is": "S.__class__ is np.ndarray",
    "truth": "S",
    "not": "not S",
    "==": "S == 2.0",
    "!=": "S != 2.0",
    "<": "S < 2.0",
    "in": "S in (1.0, 2.0)",
    "contains": "2.0 in S",
    "hasattr": "hasattr(S, 'shape')",
    "callable": "callable(S)",
}
TAKEN = {
    "times": "np.sum(x * S)",
    "times it": "np.sum(S * x)",
    "len": "np.sum(x * len(S))",
    "item": "np.sum(x * S[0])",
    "walk": "sum([v for v in S]) * np.sum(x)",
    "asarray": "np.sum(x * np.asarray(S))",
    "float": "np.sum(x * float(S))",
    "np.sum": "np.sum(x) * np.sum(S)",
    "text": "np.sum(x) * len(str(S)[:1])",
    "called": "np.sum(S(x))",
    "as a key": "np.sum(x) * {S: 2.0}[S]",
    "an attribute": "np.sum(x * S.shape[0])",
}
PROGRAMS = {
    **BESIDE,
    **{name: f"def f(x):\n    return np.sum(x * x) if {asked} else np.sum(x)\n" for name, asked in ASKED.items()},
    **{name: f"def f(x):\n    return {taken}\n" for name, taken in TAKEN.items()},
}


@dataclass(frozen=True, slots=True)
class _Beside(Written):
    """A program beside an object that is made when it is judged: asked once, a mock answers otherwise."""

    make: Callable[[], Any] = object

    def made(self, args: tuple[Any, ...]) -> Callable[..., Any]:
        return program(self.text, S=self.make())


def cells() -> Iterator[Cell]:
    """Each object in each place, and each question."""
    x = np.array([0.3, 1.2, 0.7])
    for thing, make in THINGS.items():
        for place, text in PROGRAMS.items():
            yield Cell(f"{thing}, {place}", _Beside(text, make=make), (x,), orders=1)

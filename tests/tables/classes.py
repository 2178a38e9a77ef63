"""What a class says of its objects and of itself: each hook, on each kind of class, by each syntax that asks for it."""

from __future__ import annotations

import abc
import copy
import dataclasses
import enum
import functools
import itertools
import re
import typing
from collections import namedtuple
from collections.abc import Iterator

import numpy as np

from tests.tables.cell import Cell, Written, program

X = np.array([0.7, 1.3, 0.4])
TWO = "    a: float\n    b: float = 2.0\n"
INIT = "    def __init__(self, a, b=2.0):\n        self.a = a\n        self.b = b\n"
# How a class with the lines ``{hook}`` is written.
KINDS = {
    "a plain class": f"class K:\n{INIT}{{hook}}",
    "a subclass": f"class B:\n{INIT}class K(B):\n{{hook}}",
    "a class that inherits": f"class B:\n{INIT}{{hook}}class K(B):\n    pass\n",
    "a dataclass": f"@dataclass\nclass K:\n{TWO}{{hook}}",
    "a frozen dataclass": f"@dataclass(frozen=True)\nclass K:\n{TWO}{{hook}}",
    "a dataclass with slots": f"@dataclass(slots=True)\nclass K:\n{TWO}{{hook}}",
    "an ordered dataclass": f"@dataclass(order=True)\nclass K:\n{TWO}{{hook}}",
    "an undecorated subclass of a dataclass": f"@dataclass\nclass B:\n{TWO}class K(B):\n{{hook}}",
    "an undecorated subclass of a frozen dataclass": f"@dataclass(frozen=True)\nclass B:\n{TWO}class K(B):\n{{hook}}",
    "a dataclass that inherits": f"@dataclass\nclass B:\n{TWO}{{hook}}@dataclass\nclass K(B):\n    c: float = 3.0\n",
    "a dataclass without its own __init__": f"@dataclass(init=False)\nclass K:\n{TWO}{INIT}{{hook}}",
    "a named tuple": "class K(namedtuple('K', 'a b', defaults=(2.0,))):\n{hook}",
    "a typed named tuple": f"class K(NamedTuple):\n{TWO}{{hook}}",
    "a subclass of a named tuple": f"class B(NamedTuple):\n{TWO}{{hook}}class K(B):\n    __slots__ = ()\n",
    "an abstract class's heir": f"class B(abc.ABC):\n{INIT}    @abc.abstractmethod\n    def area(self): ...\n"
    "class K(B):\n    def area(self): return 1.0\n{hook}",
    "an enum": "class K(enum.Enum):\n    one = 1.5\n    two = 2.5\n    @property\n    def a(self): return self.value\n"
    "    b = property(lambda self: 2.0)\n{hook}",
    "a metaclass": "class M(type):\n{hook}class K(metaclass=M):\n    a = 1.5\n    b = 2.0\n"
    "    def __init__(self, a=1.5, b=2.0):\n        self.a, self.b = a, b\n",
}
# Where the object comes from: what stands ahead of the body, and what the object is called in it.
SOURCES = {"made": "    o = K(x[0], x[1])\n", "from outside": "    o = given\n"}
MODULES = {"abc": abc, "copy": copy, "dataclasses": dataclasses, "enum": enum, "functools": functools, "namedtuple": namedtuple,
           "NamedTuple": typing.NamedTuple, "dataclass": dataclasses.dataclass, "field": dataclasses.field,
           "InitVar": dataclasses.InitVar}  # fmt: skip


def uses(text: str) -> tuple[str, ...]:
    """The uses in the lines of `text`, in which a semicolon ends a statement."""
    return tuple(line.replace("; ", "\n    ") for line in text.strip().splitlines())


READS = uses(
    """
return o.a * x[0]
return o.a * o.b * x[2]
return K(x[1]).a * K(x[1]).b
return K(b=x[0], a=x[1]).a * x[1]
"""
)
MAKES = (
    *READS,
    *uses(
        """
return K(x[0], x[1], x[2], x[0]).a
return K(x[0], zz=x[1]).a
return K(x[0], a=x[1]).a * x[1]
return K().a * x[0]
return K(*x[:2], **{'b': x[2]}).a
return x[0] * isinstance(o, K)
return x[0] * (type(o) is K)
"""
    ),
)
WRITES = uses(
    """
o.a = x[2]; return o.a * x[0]
o.c = x[2]; return o.c * o.a
setattr(o, 'a', x[2]); return o.a * x[0]
o.a += x[1]; return o.a * x[0]
o.__setattr__('a', x[2]); return o.a * x[0]
o.a = x[2]; return K(x[1], x[0]).a * x[1]
object.__setattr__(o, 'a', x[2]); return o.a * x[0]
"""
)
DELETES = uses(
    """
del o.a; return o.a * x[0]
delattr(o, 'a'); return x[0]
del o.zz; return x[0]
"""
)
ASKS = uses(
    """
return x[0] * (2.0 if o.cache is None else 3.0)
return x[0] * (2.0 if getattr(o, 'cache', 5.0) is None else 3.0)
return x[0] * (2.0 if hasattr(o, 'cache') else 3.0)
if o.cache is None: o.cache = x[1]; return o.cache * x[0]
return x[0] * (2.0 if K.cache is None else 3.0)
return x[0] * o.cache
return o.cache() * x[0]
return getattr(o, 'zz', x[1]) * x[0]
return x[0] * hasattr(o, 'zz')
return o.zz * x[0]
"""
)
LENGTHS = uses(
    """
return x[0] * len(o) * x[1]
return x[0] * o.__len__() * x[1]
return x[0] * (2.0 if o else 3.0)
return x[0] * bool(o)
return x[0] * (not o)
return x[0] * (2.0 if len(o) > 2 else 3.0)
return (o and x[2]) * x[0]
assert o; return x[1]
n = 0; while o and n < 2: n += 1; return x[0] * n
"""
)
WALKS = uses(
    """
t = 0.0; for v in o: t += v * x[0]; return t
a, b = o; return a * b * x[2]
a, *b = o; return a * x[0] * len(b)
a, b, c = o; return a * b * c * x[1]
return sum(o) * x[0]
return sum([*o]) * x[0]
return list(o)[0] * x[0]
return tuple(o)[-1] * x[0]
return sum(v * x[2] for v in o)
return sum(i * v for i, v in enumerate(o)) * x[0]
return sum(v * w for v, w in zip(o, o)) * x[1]
return max(o) * x[0]
return sorted(o)[0] * x[1]
return np.sum(np.array(o)) * x[0]
return (lambda *a: a[0] * len(a))(*o) * x[0]
return sum(map(lambda v: v * x[1], o))
return next(iter(o)) * x[0]
return list(reversed(o))[0] * x[0]
return x[0] * (2.0 in o)
"""
)
ITEMS = uses(
    """
return o[0] * x[0]
return o[-1] * x[0]
return o[x[1]] * x[0]
return o['a'] * x[0]
return o[0:2] * x[0]
return o.__getitem__(0) * x[0]
"""
)
STORES = uses(
    """
o[0] = x[2]; return o.a * x[0]
o[0] += x[2]; return o.a * x[0]
del o[0]; return o.a * x[0]
"""
)
HOLDS = (
    *uses(
        """
return x[0] * (2.0 if x[1] in o else 3.0)
return x[0] * (1.5 not in o)
return x[0] * o.__contains__(1.5)
"""
    ),
    WALKS[-1],
)
ORDERS = uses(
    """
return x[0] * (2.0 if o == p else 3.0)
return x[0] * (o != p)
return x[0] * (2.0 if o < p else 3.0)
return x[0] * (o <= p)
return x[0] * (2.0 if o > p else 3.0)
return x[0] * (o >= p)
return x[0] * ((o, 1) == (p, 1))
return x[0] * ([o] == [p])
return x[0] * (o in [p])
return x[0] * (o in (1.0, p))
return x[0] * ((1, o) < (1, p))
return x[0] * ({'k': o} == {'k': p})
return max([o, p]).a * x[0]
return sorted([p, o])[0].a * x[0]
return x[0] * (o == o)
return x[0] * (o == 1.5)
return x[0] * (1.5 == o)
return x[0] * (o is p)
return x[0] * ([p].count(o) + 1)
return x[0] * [p, o].index(o)
return x[0] * (o.__eq__(p) is True)
return x[0] * (o == (x[0], x[1]))
return x[0] * (o < (0.1, 5.0))
return x[0] * (2.0 if K(x[0], 1.0) == K(x[0], 1.0) else 3.0)
return x[0] * (2.0 if K(x[0], 1.0) < K(x[0], 2.0) else 3.0)
return x[0] * (2.0 if K(1.5) == K(1.5) else 3.0)
return x[0] * (2.0 if K(1.5) != K(1.5) else 3.0)
return x[0] * (2.0 if K(1.5) in [K(0.5), K(1.5)] else 3.0)
return x[0] * (2.0 if (K(1.5), x[0]) == (K(1.5), x[0]) else 3.0)
return x[0] * [K(1.5), K(0.5)].index(K(0.5))
return x[0] * {K(1.5): 2.0}[K(1.5)]
"""
)
HASHES = uses(
    """
return x[0] * {o: 2.0}[o]
return x[0] * len({o, p})
return x[0] * (hash(o) == hash(o))
return x[0] * (o.__hash__() == hash(o))
"""
)
CALLS = uses(
    """
return o(x[0])
return o(x[0], 2.0)
return o.__call__(x[0])
return x[0] * callable(o)
return sum(map(o, [x[0], x[1]]))
return functools.partial(o, x[0])()
"""
)
CONTEXTS = uses(
    """
with o as v: return v * x[0]
"""
)
NUMBERS = uses(
    """
return float(o) * x[0]
return int(o) * x[0]
return abs(o) * x[0]
return -o * x[0]
return round(o) * x[0]
return [x[0], x[1], x[2]][o] * x[0]
return x[o] * x[0]
return x[0] * len(range(o))
return np.sin(o) * x[0]
return complex(o).real * x[0]
return (o + x[0]) * x[1]
return (x[0] * o) * x[1]
return round(o, 2) * x[0]
return np.float64(o) * x[0]
return x * o
return math.floor(o) * x[0]
"""
)
TEXTS = uses(
    """
return x[0] * len(str(o))
return x[0] * len(f'{o}')
return x[0] * len(repr(o))
return x[0] * len(format(o, ''))
return x[0] * len('%s' % o)
return x[0] * len('{}'.format(o))
"""
)
COPIES = uses(
    """
return copy.copy(o).a * x[0]
return copy.deepcopy(o).a * x[0]
return copy.deepcopy([o])[0].a * x[0]
return copy.copy([o])[0].a * x[0]
return copy.deepcopy({'o': o})['o'].a * x[1]
return copy.deepcopy((o, o))[1].a * x[1]
p = copy.copy(o); return p.a * p.b * o.a
return dataclasses.replace(o, b=x[2]).b * x[0]
return dataclasses.asdict(o)['a'] * x[0]
return dataclasses.astuple(o)[0] * x[0]
return o._replace(a=x[2]).a * x[0]
return o._asdict()['a'] * x[0]
return K._make([x[0], x[2]]).a * x[0]
return vars(o)['a'] * x[0]
return o.__dict__['a'] * x[0]
return len(o._fields) * x[0]
"""
)
CLASSES = uses(
    """
return x[0] * (2.0 if isinstance(x[0], K) else 3.0)
return x[0] * isinstance(o, (int, K))
return x[0] * issubclass(float, K)
return x[0] * issubclass(K, (int, K))
return x[0] * (2.0 if K else 3.0)
return x[0] * len(K)
return K[0] * x[0]
return K['one'].a * x[0]
return sum(v.a for v in K) * x[0]
return sum(v for v in K) * x[0]
return x[0] * (o in K)
return x[0] * (1.5 in K)
return (K * x[0]) * x[1]
return (x[0] * K) * x[1]
return K ** x[0]
return -K * x[0]
return x[0] * (K == K)
return x[0] * (2.0 if K < K else 3.0)
return K(x[0]).a * x[1]
return K(1.5).a * x[1]
return K.a * x[0]
return K.zz * x[0]
return x[0] * callable(K)
return x[0] * len(K[int].__name__)
return K[float](x[0]).a * x[1]
return x[0] * (2.0 if not K else 3.0)
return x[0] * hasattr(K, 'zz')
return x[0] * len({K: 1})
"""
)
SPECIALS = uses(
    """
return x[0] * (o.__doc__ is None)
return o.__getattribute__('a') * x[0]
return x[0] * hasattr(o, '__name__')
return x[0] * len(K.__name__)
return x[0] * hasattr(o, '__dict__')
return x[0] * hasattr(o, 'mro')
return x[0] * (getattr(o, '__len__', None) is None)
return o.__module__ and x[0]
return x[0] * (o.__str__() == str(o))
return x[0] * (o.__ne__(p) is True)
return o.__init__(x[1], x[2]) or o.a * x[0]
return o.__add__((1,))[0] * x[0]
return o.__iter__() and x[0]
return x[0] * o.count(1.5)
return x[0] * o.index(o.a)
return object.__getattribute__(o, 'a') * x[0]
"""
)
# Of each hook: its lines, and the uses that ask for it.
HOOKS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "nothing": (
        ("pass",),
        (
            *MAKES,
            *WRITES,
            *DELETES,
            *ASKS,
            *LENGTHS,
            *WALKS,
            *ITEMS,
            *STORES,
            *HOLDS,
            *ORDERS,
            *HASHES,
            *CALLS,
            *CONTEXTS,
            *NUMBERS,
            *TEXTS,
            *COPIES,
            *CLASSES,
            *SPECIALS,
        ),
    ),
    "None": (("cache = None",), ASKS),
    "None and __getattr__": (("cache = None", "def __getattr__(self, name): return 10.0"), (*ASKS, *READS)),
    "a number": (("cache = 4.0",), ASKS),
    "a method": (("def cache(self): return self.a * 3",), ASKS),
    "a class": (("class cache: a = 3.0",), ASKS),
    "a static method": (("@staticmethod", "def cache(): return 3.0"), ASKS),
    "a class method": (("@classmethod", "def cache(cls): return 3.0"), ASKS),
    "a cached property": (("@functools.cached_property", "def cache(self): return self.a * 3"), ASKS),
    "a property": (("@property", "def cache(self): return self.a * 3"), ASKS),
    "a property that may be set": (
        ("@property", "def cache(self): return self.a * 3", "@cache.setter", "def cache(self, v): self.a = v * 2"),
        (*ASKS, "o.cache = x[2]\n    return o.a * x[0]"),
    ),
    "a property that raises": (("@property", "def cache(self): raise AttributeError('cache')"), ASKS),
    "a property that raises and __getattr__": (
        (
            "@property",
            "def cache(self): return self.zz",
            "def __getattr__(self, name):",
            "    if name == 'zz': raise AttributeError(name)",
            "    return 10.0",
        ),
        ASKS,
    ),
    "a property of a field": (
        ("@property", "def a(self): return 5.0", "@a.setter", "def a(self, v): self.__dict__['a'] = v"),
        (*READS, *WRITES),
    ),
    "a property kept elsewhere": (
        ("@property", "def a(self): return self._a * 2", "@a.setter", "def a(self, v): self._a = v + 1"),
        (*READS, *WRITES),
    ),
    "a read-only property of a field": (("@property", "def a(self): return 5.0"), (*READS, *WRITES)),
    "a class attribute of a field": (
        ("b = 5.0",),
        (*READS, "return K(x[0]).b * x[0]", "return o.b * x[0]", "return o[1] * x[0]"),
    ),
    "a descriptor": (("a = Descriptor()",), (*READS, *WRITES)),
    "a descriptor that is read": (("cache = Reader()",), ASKS),
    "two slots": (("__slots__ = ('cache', '_a')",), (*ASKS, *WRITES)),
    "no slots": (("__slots__ = ()",), (*ASKS, *WRITES)),
    "__new__": (("def __new__(cls, *a, **k):", "    o = object.__new__(cls)", "    return o"), MAKES),
    "__new__ of a tuple": (("def __new__(cls, a, b=1.0): return tuple.__new__(cls, (2 * a, b))",), (*MAKES, *COPIES)),
    "__new__ of another class": (("def __new__(cls, *a, **k): return 3.0",), READS[:1]),
    "__init__": (("def __init__(self, a=1.0, b=1.0):", "    self.a, self.b = 2 * a, b"), MAKES),
    "__init__ that returns": (("def __init__(self, a=1.0, b=1.0):", "    return a"), READS),
    "__init__ beside the fields": (("def __init__(self, a=1.0, b=1.0): self.extra = 2 * a",), (*READS, "return o.extra * x[0]")),
    "__post_init__": (("def __post_init__(self): self.b = self.a * 3",), MAKES),
    "__post_init__ by object": (("def __post_init__(self): object.__setattr__(self, 'b', self.a * 3)",), MAKES),
    "__post_init__ and InitVar": (
        ("scale: InitVar[float] = 2.0", "def __post_init__(self, scale): object.__setattr__(self, 'a', self.a * scale)"),
        (*MAKES, "return K(x[0], x[1], x[2]).a * x[0]", "return K(x[0], scale=x[2]).a * x[0]"),
    ),
    "a field without a parameter": (("c: float = field(init=False, default=4.0)",), (*MAKES, "return o.c * x[0]", *COPIES)),
    "a field of a factory": (
        ("c: list = field(default_factory=list)",),
        (*MAKES, "o.c.append(x[0])\n    return sum(o.c) * x[1]", *COPIES),
    ),
    "a field by keyword": (
        ("c: float = field(default=3.0, kw_only=True)",),
        (*MAKES, "return K(x[0], c=x[1]).c * x[0]", *COPIES),
    ),
    "a field that is not compared": (
        ("c: float = field(default=3.0, compare=False, repr=False)",),
        (*ORDERS, *TEXTS, "return x[0] * (K(1.0, 2.0, c=x[1]) == K(1.0, 2.0, c=x[2]))"),
    ),
    "a class variable": (("c: typing.ClassVar[float] = 3.0",), (*MAKES, "return o.c * x[0]")),
    "__init_subclass__": (("def __init_subclass__(cls, **k): cls.cache = 4.0",), ASKS),
    "__setattr__": (("def __setattr__(self, name, value): object.__setattr__(self, name, 2 * value)",), (*READS, *WRITES)),
    "__setattr__ that refuses": (("def __setattr__(self, name, value): raise TypeError(name)",), (*READS, *WRITES)),
    "__delattr__": (("def __delattr__(self, name): raise ValueError(name)",), DELETES),
    "__getattr__": (
        ("def __getattr__(self, name):", "    if name == 'zz': return self.a * 3", "    raise AttributeError(name)"),
        (*READS, *ASKS, *WRITES),
    ),
    "__getattribute__": (("def __getattribute__(self, name): return 7.0",), (*READS, *ASKS)),
    "__len__": (("def __len__(self): return 7",), (*LENGTHS, *WALKS)),
    "__len__ of none": (("def __len__(self): return 0",), LENGTHS),
    "__len__ is None": (("__len__ = None",), LENGTHS),
    "__bool__": (("def __bool__(self): return False",), LENGTHS),
    "__bool__ that asks": (("def __bool__(self): return bool(self.a > 1.0)",), LENGTHS),
    "__iter__": (("def __iter__(self): return iter((1.0, 2.0, 3.0))",), (*WALKS, *COPIES)),
    "__iter__ of the object": (("def __iter__(self): return iter((self.a, self.b))",), WALKS),
    "__iter__ that yields": (("def __iter__(self):", "    yield self.a", "    yield self.b"), WALKS),
    "__iter__ is None": (("__iter__ = None",), WALKS),
    "__next__": (("def __iter__(self): return self", "def __next__(self): raise StopIteration"), WALKS),
    "__getitem__": (("def __getitem__(self, i): return 100.0",), ITEMS),
    "__getitem__ that ends": (
        ("def __getitem__(self, i):", "    if i in (0, 1): return (self.a, self.b)[i]", "    raise IndexError(i)"),
        (*ITEMS, *WALKS),
    ),
    "__getitem__ and __len__": (
        (
            "def __len__(self): return 2",
            "def __getitem__(self, i):",
            "    if i == 2: raise IndexError(i)",
            "    return self.a * 3",
        ),
        (*ITEMS, *WALKS),
    ),
    "__setitem__": (
        ("def __getitem__(self, i): return self.a", "def __setitem__(self, i, v): self.a = 2 * v"),
        (*STORES, *ITEMS),
    ),
    "__delitem__": (("def __delitem__(self, i): self.a = 4.0",), STORES),
    "__contains__": (("def __contains__(self, v): return True",), HOLDS),
    "__contains__ is None": (("__contains__ = None",), HOLDS),
    "__reversed__": (("def __reversed__(self): return [9.0]",), WALKS),
    "__eq__": (("def __eq__(self, o): return True",), (*ORDERS, *HASHES)),
    "__eq__ by field": (("def __eq__(self, o): return self.b == o.b", "def __hash__(self): return 1"), (*ORDERS, *HASHES)),
    "__eq__ that never is": (("def __eq__(self, o): return False", "__hash__ = None"), (*ORDERS, *HASHES)),
    "__eq__ is None": (("__eq__ = None",), ORDERS),
    "__ne__": (("def __ne__(self, o): return True",), ORDERS),
    "__lt__": (("def __lt__(self, o): return self.b > o.b",), ORDERS),
    "__lt__ and __eq__": (("def __lt__(self, o): return True", "def __eq__(self, o): return False"), ORDERS),
    "__ge__": (("def __ge__(self, o): return False",), ORDERS),
    "total ordering": (("def __lt__(self, o): return self.b < o.b", "def __eq__(self, o): return self.b == o.b"), ORDERS),
    "__hash__": (("def __hash__(self): return 3",), HASHES),
    "__hash__ is None": (("__hash__ = None",), HASHES),
    "__call__": (("def __call__(self, v=2.0, w=1.0): return 3.0 * v ** 2 * w",), CALLS),
    "__call__ is None": (("__call__ = None",), CALLS),
    "__enter__": (("def __enter__(self): return 2.0", "def __exit__(self, *a): return None"), CONTEXTS),
    "__index__": (("def __index__(self): return 2",), NUMBERS),
    "__float__": (("def __float__(self): return 3.5",), NUMBERS),
    "__int__": (("def __int__(self): return 3",), NUMBERS),
    "__complex__": (("def __complex__(self): return 3j",), NUMBERS),
    "__abs__": (("def __abs__(self): return self.a * 3",), NUMBERS),
    "__neg__": (("def __neg__(self): return self.a * 3",), NUMBERS),
    "__round__": (("def __round__(self, n=0): return 4",), NUMBERS),
    "__floor__": (("def __floor__(self): return 4",), NUMBERS),
    "__add__ and __rmul__": (
        ("def __add__(self, o): return self.a * o * 3", "def __rmul__(self, o): return self.a * o * 5"),
        NUMBERS,
    ),
    "__array__": (("def __array__(self, dtype=None, copy=None): return np.array(3.5)",), NUMBERS),
    "__str__": (("def __str__(self): return 'seven'",), TEXTS),
    "__repr__": (("def __repr__(self): return 'seven'",), TEXTS),
    "__format__": (("def __format__(self, spec): return 'seven'",), TEXTS),
    "__copy__": (("def __copy__(self): return K(self.a * 2)",), COPIES),
    "__deepcopy__": (("def __deepcopy__(self, memo): return K(self.a * 3)",), COPIES),
    "__reduce__": (("def __reduce__(self): return K, (7.0,)",), COPIES),
    "__reduce_ex__": (("def __reduce_ex__(self, protocol): return K, (7.0,)",), COPIES),
    "__getstate__": (("def __getstate__(self): return {'a': 5.0}",), COPIES),
    "__setstate__": (("def __setstate__(self, d): self.a = 6.0",), COPIES),
    "__getnewargs__": (("def __getnewargs__(self): return (7.0, 8.0)",), COPIES),
    "__replace__": (("def __replace__(self, **k): return K(7.0)",), COPIES),
    "_replace and _asdict": (("def _replace(self, **k): return K(99.0)", "def _asdict(self): return {'a': 55.0}"), COPIES),
    "_make": (("@classmethod", "def _make(cls, items): return K(99.0)"), COPIES),
    "count": (("def count(self, v): return 7", "def index(self, v): return 8"), SPECIALS),
    "__doc__": (("'A text.'",), SPECIALS),
    "__class_getitem__": (("def __class_getitem__(cls, k): return cls",), CLASSES),
    "an abstract method": (("@abc.abstractmethod", "def perimeter(self): ..."), (*READS, "return o.perimeter() or x[0]")),
    "of the metaclass: __call__": (("def __call__(cls, *a): return type.__call__(cls, *(2 * v for v in a))",), CLASSES),
    "of the metaclass: __call__ of one": (
        (
            "made = []",
            "def __call__(cls, *a):",
            "    if not cls.made: cls.made.append(type.__call__(cls, *a))",
            "    return cls.made[0]",
        ),
        CLASSES,
    ),
    "of the metaclass: __instancecheck__": (("def __instancecheck__(cls, v): return v is not None",), CLASSES),
    "of the metaclass: __subclasscheck__": (("def __subclasscheck__(cls, v): return True",), CLASSES),
    "of the metaclass: __bool__": (("def __bool__(cls): return False",), CLASSES),
    "of the metaclass: __len__": (("def __len__(cls): return 0",), CLASSES),
    "of the metaclass: operators": (
        (
            "def __mul__(cls, v): return 3.0 * v * v",
            "def __rmul__(cls, v): return 5.0 * v",
            "def __pow__(cls, v): return v ** 3",
            "def __neg__(cls): return 2.0",
        ),
        CLASSES,
    ),
    "of the metaclass: items": (
        (
            "def __getitem__(cls, i): return 4.0",
            "def __iter__(cls): return iter((1.0, 2.0))",
            "def __contains__(cls, v): return True",
        ),
        CLASSES,
    ),
    "of the metaclass: __getattr__": (("def __getattr__(cls, name): return 4.0",), (*READS, *ASKS)),
    "of the metaclass: __eq__": (
        ("def __eq__(cls, o): return False", "def __hash__(cls): return 3", "def __lt__(cls, o): return True"),
        CLASSES,
    ),
    "of the metaclass: a property": (("a = property(lambda cls: 4.0)",), (*CLASSES, *READS)),
}
AHEAD = """
import math
import typing
class Descriptor:
    def __set_name__(self, owner, name): self.name = '_' + name
    def __get__(self, o, owner=None): return 9.0 if o is None else getattr(o, self.name) * 2
    def __set__(self, o, v): setattr(o, self.name, v + 1)
class Reader:
    def __get__(self, o, owner=None): return None if o is None else o.a * 2
"""


def cells() -> Iterator[Cell]:
    """Each hook on each kind of class that Python lets one write, by each of its uses."""
    for (hook, (lines, uses)), (kind, text), source in itertools.product(HOOKS.items(), KINDS.items(), SOURCES):
        if hook.startswith("of the metaclass") != (kind == "a metaclass") and hook != "nothing":
            continue
        if "metaclass" in kind and source == "made" and hook != "nothing":
            continue
        whole = AHEAD + text.replace("{hook}", "".join(f"    {line}\n" for line in lines))
        if hook == "total ordering":
            whole += "K = functools.total_ordering(K)\n"
        whole += _given(kind)
        if not _can_be_made(whole):
            continue
        for use in dict.fromkeys(uses):
            body = SOURCES["from outside" if kind == "an enum" else source]
            if re.search(r"\bp\b(?! =)", use):
                body += "    p = other\n" if source == "from outside" else "    p = K(x[1], x[0])\n"
            made = Written(f"{whole}def f(x):\n{body}    {use}\n", MODULES)
            yield Cell(f"{use.replace(chr(10), ';')}: {hook}, {kind}, {source}", made, (X,), smooth=use not in TEXTS)


@functools.cache
def _can_be_made(classes: str) -> bool:
    """Whether Python lets one write these classes."""
    try:
        program(f"{classes}def f(x): return x\n", **MODULES)
    except Exception:
        return False
    return True


def _given(kind: str) -> str:
    """The lines that make the objects from outside."""
    if kind == "an enum":
        return "given, other = K.one, K.two\n"
    if kind == "a metaclass":
        return "given, other = K, K\n"
    return "try:\n    given, other = K(1.5, 2.5), K(0.5, 2.5)\nexcept Exception:\n    given = other = None\n"

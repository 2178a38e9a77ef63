"""Classes that change between two calls: hooks that were not there, methods of another kind, what `dataclasses` wrote replaced.

What a change puts into a class is defined ahead, so that its source can be read.
"""

from __future__ import annotations

from tests.tables.changed_programs import Change, Kind

FEW = ("global", "closure", "attribute of an object", "self", "helper", "module attribute")
"""Ways to reach a class: what a class means does not hang on that."""
_NEW = """
import abc, copy, dataclasses, typing
def twice(self, name, value): object.__setattr__(self, name, 2 * value)
def ignored(self, name): pass
def told(self, name): return 2 * object.__getattribute__(self, name) if name == 'n' else object.__getattribute__(self, name)
def asked(self, name):
    if name.startswith("__"): raise AttributeError(name)
    return 9.0
def started(self, n=5.0): self.__dict__['n'] = 3 * n
def made(cls, *given):
    self = object.__new__(cls)
    self.__dict__['n'] = 7.0
    return self
def none_made(cls, *given): return Other()
def no(self, *other): return False
def yes(self, *other): return True
def two(self, *other): return 2
def real(self, *other): return 2.5
def text(self): return 'text'
def items(self): return iter([5.0, 6.0])
def copied(self, *memo): return type(self)(9.0)
def reduced(self, *protocol): return (type(self), (4.0,))
def counted(*given): return given[-1] ** 2 * len(given)
def entered(self): return 3.0
def left(self, *error): return None
def fresh(value): return property(lambda self: value, lambda self, new: None)
class Other: n = 8.0; k = 3.0
def stored(cls, x):
    it = cls(x)
    it.n = 2 * x
    return it.n
def removed(cls, x):
    it = cls(x)
    del it.n
    return it.n * x
def met(it, x):
    with it as found:
        return found * x
"""
_NUMBER = """class M(type): pass
class R: k = 2.0
class A(R, metaclass=M):
    def __init__(self, n): self.n = n
    def m(*given): return given[-1] ** 2 * len(given)
IT = A(2.0)"""


def _when(condition: str) -> str:
    return f"x * (2.0 if {condition} else 3.0)"


_MADE = (
    "x * STATE(x).n", "x * STATE(x).k", "STATE(x).m(x)", "STATE.m(x)", "stored(STATE, x)", "removed(STATE, x)",
    "x * STATE(x).new",
    "x * STATE().n", "x * STATE(x)", "STATE(x) + x", "x * len(STATE(x))", "x * float(STATE(x))", "x * STATE(x)(x)",
    "x * STATE.new",
    "x * STATE(x)[0]", "x * sum(STATE(x))", "met(STATE(x), x)", "x * abs(STATE(x))", "x * copy.copy(STATE(x)).n",
    "x * copy.deepcopy(STATE(x)).n", "x * (1.0, 2.0, 3.0)[STATE(x)]", "x * len(str(STATE(x)))",
    "x * getattr(STATE(x), 'new', 4.0)",
    _when("STATE(1.0) == STATE(1.0)"), _when("STATE(x) != STATE(x)"), _when("STATE(x)"), _when("STATE(x) < STATE(x)"),
    _when("2.0 in STATE(x)"), _when("hasattr(STATE(x), 'new')"), _when("hasattr(STATE(x), 'n')"),
    _when("callable(STATE(x))"),
    "x * IT.n", "x * IT.k", "IT.m(x)", "x * IT", "x * IT.new", "IT(x)", "x * len(IT)", _when("IT"), _when("IT == 1"),
    _when("IT != IT"),
    "x * float(IT)", "x * (1.0, 2.0, 3.0)[IT]", "x * sum(IT)", "met(IT, x)",
)  # fmt: skip
_HOOKS = (
    *(f"{cls}.{hook} = {new}" for cls in ("A", "R") for hook, new in (
        ("__setattr__", "twice"), ("__delattr__", "ignored"), ("__getattribute__", "told"), ("__getattr__", "asked"),
        ("__new__", "made"), ("__eq__", "yes"), ("__bool__", "no"), ("new", "7.0"), ("n", "fresh(5.0)"), ("k", "fresh(5.0)"))),
    "A.__init__ = started", "del A.__init__", "A.__new__ = none_made", "A.__ne__ = no", "A.__lt__ = yes", "A.__len__ = two",
    "A.__add__ = two", "A.__rmul__ = two", "A.__call__ = two", "A.__float__ = real", "A.__index__ = two",
    "A.__iter__ = items",
    "A.__contains__ = yes", "A.__getitem__ = two", "A.__enter__ = entered; A.__exit__ = left", "A.__abs__ = two",
    "A.__copy__ = copied", "A.__deepcopy__ = copied", "A.__reduce__ = reduced", "A.__str__ = text", "M.__call__ = none_made",
    "M.__getattr__ = asked", "M.new = 7.0", "A.m = staticmethod(A.__dict__['m'])", "A.m = classmethod(A.__dict__['m'])",
    "A.m = staticmethod(counted)", "del A.m", "A.m = None", "A.__hash__ = None", "IT.new = 7.0", "IT.__class__ = R",
)  # fmt: skip
_FIELDS = (
    "x * STATE(x).n", "x * STATE(x).b", "stored(STATE, x)", "x * STATE().n", "x * STATE(x).new", "x * len(STATE(x))",
    "x * dataclasses.replace(STATE(x), b=4.0).n", _when("STATE(1.0) == STATE(1.0)"), _when("STATE(1.0) != STATE(1.0)"),
    _when("STATE(x) < STATE(2 * x)"), "x * copy.copy(STATE(x)).n", "x * dataclasses.asdict(STATE(x))['n']",
    "x * len(str(STATE(1.0)))",
)  # fmt: skip
_OF_FIELDS = (
    "A.__init__ = started", "A.__init__.__defaults__ = (1.0, 2.0)", "A.__eq__ = no", "A.__ne__ = yes", "A.__lt__ = no",
    "del A.__eq__", "A.__setattr__ = twice", "A.__post_init__ = no", "A.n = fresh(5.0)", "A.b = 7.0", "A.new = 7.0",
    "A.__getattribute__ = told", "A.__new__ = made", "A.__len__ = two", "A.__repr__ = text", "A.__copy__ = copied",
    "A.__setattr__ = object.__setattr__",
)  # fmt: skip
_TUPLE = (
    "x * STATE(x).n", "x * STATE(x)[0]", "x * len(STATE(x))", "x * sum(STATE(x))", "x * STATE(x)._replace(n=2.0).n",
    "x * STATE(x).new",
    _when("STATE(1.0) == STATE(1.0)"), _when("1.0 in STATE(1.0)"), _when("STATE(x)"), "x * (STATE(x) + STATE(x))[1]",
    "x * STATE().n",
    "x * IT.n", "x * IT[0]", "x * len(IT)", "x * sum(IT)", "x * max(*IT)", _when("IT == (2.0, 1.0)"), "x * IT.new",
)  # fmt: skip
_OF_TUPLE = (
    "A.__new__ = none_made", "A.__init__ = ignored", "A.__len__ = two", "A.__iter__ = items", "A.__getitem__ = two",
    "A.__eq__ = no",
    "A.__add__ = yes", "A.__contains__ = no", "A.__bool__ = no", "A.n = fresh(5.0)", "A.new = 7.0", "A.__getattr__ = asked",
    "A.__new__.__defaults__ = (1.0, 2.0)", "A.__getattribute__ = told",
)  # fmt: skip
_VALUE = (
    _when("STATE == 'ab'"), _when("STATE in {'ab'}"), _when("STATE in ('ab', 1.0)"), "x * len(STATE)", _when("STATE"),
    "x * STATE",
    "x * {'ab': 2.0, 2.0: 3.0}[STATE]", "x + STATE", "x * float(STATE)", "x * sum(STATE)", "x * STATE.new",
    _when("STATE != 'ab'"),
    _when("hasattr(STATE, 'new')"), _when("[STATE] == ['ab']"), "x * max(2.0, STATE)",
)  # fmt: skip
_OF_VALUE = (
    "A.__eq__ = no", "A.__ne__ = no", "A.__len__ = two", "A.__bool__ = no", "A.__rmul__ = two", "A.__mul__ = two",
    "A.__radd__ = two",
    "A.__float__ = real", "A.__iter__ = items", "A.new = 7.0", "A.__hash__ = two", "A.__getattr__ = asked",
    "A.__eq__ = no; A.__hash__ = two",
)  # fmt: skip
_OF_TEXT = tuple(change for change in _OF_VALUE if "__r" not in change)
_INDEX = (
    "x * (1.0, 5.0, 9.0)[STATE]", "x * [1.0, 5.0, 9.0][STATE]", "x * [1.0, x, 9.0][STATE]", "x * ord('abc'[STATE])",
    "x * b'abc'[STATE]",
    "x * range(3)[STATE]", "x * sum([1.0, 5.0, 9.0][STATE:])", "x * sum((1.0, 5.0, 9.0)[:STATE])", "x * len('abc'[STATE:])",
    "x * sum([1.0, 5.0, 9.0][slice(STATE, None)])", "x * placed([1.0, 5.0, 9.0], STATE, x)",
    "x * cut([1.0, 5.0, 9.0], STATE, x)",
    "x * gone([1.0, 5.0, 9.0], STATE)", "x * [1.0, 5.0, 9.0].pop(STATE)", "x * between([1.0, 5.0, 9.0], STATE, x)",
    "x * more([1.0, 5.0, 9.0], STATE, x)", "x * [5.0, 1.0, 5.0, 5.0].index(5.0, STATE)",
    "x * [x * v for v in np.arange(3.0)][STATE]",
    "x * np.arange(3.0)[STATE]", "(x * np.arange(3.0))[STATE:].sum()", "x * len('ab' * STATE)", "x * operator.index(STATE)",
    "sum(x for i in range(STATE))", "x * list(enumerate([x, x], STATE))[1][0]", "x * math.factorial(STATE)",
    "x * int(STATE)",
    "x * float(STATE)", "x * list(zip([1.0, 2.0, 3.0]))[STATE][0]", "x * np.ones(STATE).sum()",
    "x * operator.getitem((1.0, 2.0, 3.0), STATE)",
    "x * N(1.0, 2.0, 3.0)[STATE]", "x * {STATE: 2.0}[STATE]",
)  # fmt: skip
_INDICES = """
import math, operator
import numpy as np
N = collections.namedtuple('N', 'a b c')
class A:
    k = 1
    def __index__(self): return self.k
def placed(row, at, x):
    row[at] = x
    return row[0] + 3 * row[1] + 5 * row[2]
def cut(row, at, x):
    row[at:] = [x]
    return row[0] + 3 * row[-1] + len(row)
def gone(row, at):
    del row[at]
    return row[0] + 3 * row[1]
def between(row, at, x):
    row.insert(at, x)
    return row[0] + 3 * row[1] + 5 * row[2]
def more(row, at, x):
    row[at] += x
    return row[0] + 3 * row[1] + 5 * row[2]
def raising(self): raise ValueError('no place')
def real(self): return 1.5
def two(self): return 2
"""


def _kind(name: str, made: str, questions: tuple[str, ...], changes: tuple[str, ...], classes: str) -> Kind:
    return Kind(name, made, questions, tuple(map(Change, changes)), classes, ways=FEW)


KINDS = {
    kind.name: kind
    for kind in (
        _kind("class and hooks", "A", _MADE, _HOOKS, _NEW + _NUMBER),
        *(
            _kind(
                f"dataclass{given} and hooks",
                "A",
                _FIELDS,
                _OF_FIELDS,
                f"{_NEW}@dataclasses.dataclass{given}\nclass A:\n    n: float\n    b: float = 2.0",
            )
            for given in ("", "(frozen=True)", "(order=True)", "(slots=True)")
        ),
        _kind(
            "named tuple and hooks",
            "A",
            _TUPLE,
            _OF_TUPLE,
            f"{_NEW}class A(typing.NamedTuple):\n    n: float\n    b: float = 1.0\nIT = A(2.0)",
        ),
        _kind("text of a class and hooks", "A('ab')", _VALUE, _OF_TEXT, f"{_NEW}class A(str): pass"),
        _kind("number of a class and hooks", "A(2.0)", _VALUE, _OF_VALUE, f"{_NEW}class A(float): pass"),
        _kind("tuple of a class and hooks", "A((2.0,))", _VALUE, _OF_VALUE, f"{_NEW}class A(tuple): pass"),
        _kind(
            "set of a class's objects and hooks",
            "{A()}",
            (_when("1 in STATE"), _when("IT in STATE"), _when("STATE == {1}"), "x * len(STATE)"),
            ("A.__eq__ = yes; A.__hash__ = two", "A.__eq__ = no; A.__hash__ = two", "A.__hash__ = None"),
            f"{_NEW}class A: pass\nIT = A()",
        ),
        _kind(
            "abstract class and hooks",
            "A",
            ("x * STATE().k", "x * Heir().k", "x * Heir().m()"),
            ("A.__abstractmethods__ = frozenset()", "Heir.__abstractmethods__ = frozenset()", "A.k = 7.0"),
            f"{_NEW}class A(abc.ABC):\n    k = 1.0\n    @abc.abstractmethod\n    def m(self): return 2.0\nclass Heir(A): pass",
        ),
        _kind(
            "place by __index__",
            "A()",
            _INDEX,
            ("STATE.k = 2", "A.k = 0", "A.__index__ = two", "A.__index__ = real", "A.__index__ = raising", "del A.__index__"),
            _INDICES,
        ),
    )
}

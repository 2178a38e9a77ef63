"""State outside of the arguments that a program asks, and that is another one at the next call: what was found wrong once."""

from __future__ import annotations

import collections
import contextlib
import copy
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import adxform
from adxform.errors import MissingRuleError, PreparationMismatchError, SourceUnavailableError, UnsupportedOperationError
from tests.tables.cell import program

CLASS = """
class P:
    k = 1.0
    table = {"a": 1.0}
    step = staticmethod(lambda v: 2 * v)

    def __init__(self, v):
        self.v = v

    def by_type(self):
        return type(self).k * self.v

    def by_class(self):
        return self.__class__.k * self.v

    def method(self):
        return self.v

    @classmethod
    def of_class(cls, v):
        return cls.k * v


class Q(P):
    pass


G = P(1.0)


def f(x):
    return ANSWER
"""


@pytest.mark.parametrize(
    "answer",
    [
        "type(G).k * x",
        "P(x).by_type()",
        "P(x).by_class()",
        "P(x).of_class(x)",
        "Q(x).by_type()",
        "type(P(x)).table['a'] * x",
        "type(P(x)).step(x)",
        "type(P(x)).method(P(x))",
        "x * (2.0 if hasattr(type(G), 'new') else 3.0)",
        "x * getattr(type(G), 'new', 3.0)",
        "x * (2.0 if callable(G) else 3.0)",
        "x * (2.0 if callable(P(x)) else 3.0)",
        "x * (2.0 if G == 1 else 3.0)",
    ],
)
def test_what_is_read_through_a_class(answer: str) -> None:
    f = program(CLASS.replace("ANSWER", answer))
    assert adxform.value_and_grad(f)(2.0)[0] == f(2.0)
    first, cls = f(2.0), f.__globals__["P"]
    cls.k, cls.new = 7.0, 1.0
    cls.table["a"] = 7.0
    cls.step = staticmethod(lambda v: 5 * v)
    cls.method = lambda self: 9 * self.v
    cls.__call__ = lambda self: 1.0
    cls.__eq__ = lambda self, other: True
    assert f(2.0) != first
    assert adxform.value_and_grad(f)(2.0) == (f(2.0), f(2.0) / 2.0)


@pytest.mark.parametrize(
    ("state", "answer", "change"),
    [
        *(
            ("{1}", answer, "S.add(2)")
            for answer in ("2 in S", "2 not in S", "S == {1}", "S <= {1}", "{2} <= S", "S & {2}", "S - {1}", "len(str(S)) > 4",
                           "sum(1 for v in (1, 2) if v not in S) == 1", "[v for v in (1, 2) if v in S] == [1]", "[S] == [{1}]")
        ),
        ("set(range(100))", "2000 in S", "S.add(2000)"),
        ("{1}", "S", "S.clear()"),
        ("{'a': {1}}", "2 in S['a']", "S['a'].add(2)"),
        ("{'a': {1}}", "S == {'a': {1}}", "S['a'].add(2)"),
        ("[{1}]", "S == [{1}]", "S[0].add(2)"),
        ("collections.defaultdict(set, a={1})", "2 in S['a']", "S['a'].add(2)"),
        ("types.SimpleNamespace(s={1})", "2 in S.s", "S.s.add(2)"),
        ("types.SimpleNamespace(k=1)", "len(str(S)) > 14", "S.k = 11"),
        ("bytearray(b'1')", "50 in S", "S.append(50)"),
        ("bytearray(b'1')", "S == b'1'", "S.append(50)"),
        ("memoryview(bytearray(b'1'))", "49 in S", "S[0] = 50"),
        ("D.keys()", "2 in S", "D[2] = 2.0"),
        ("D.keys()", "S == {1}", "D[2] = 2.0"),
        ("D.values()", "2 in S", "D[2] = 2.0"),
        ("D.items()", "(2, 2.0) in S", "D[2] = 2.0"),
        ("types.MappingProxyType(D)", "2 in S", "D[2] = 2.0"),
        ("types.MappingProxyType(D)", "S == {1: 1.0}", "D[2] = 2.0"),
        ("vars(C)", "'new' in S", "C.new = 1.0"),
        ("A({1})", "S == {1}", "S.add(2)"),
        ("A({1})", "S & {2}", "S.add(2)"),
        ("E.A", "S in (E.A,)", "S = E.B"),
        ("C()", "isinstance(S, B)", "C.__bases__ = (B,)"),
        ("C()", "isinstance(S, T)", "T.register(C)"),
        ("N(1.0)", "S.b == 1.0", "S = N(3.0); N.b = property(lambda self: 2.0)"),
        ("N", "S(1.0).b == 1.0", "N.__new__.__defaults__ = (7.0,)"),
        ("F", "S(1.0).b == 1.0", "F.__init__.__defaults__ = (7.0,)"),
    ],
)  # fmt: skip
def test_what_is_in_a_container(state: str, answer: str, change: str) -> None:
    f = program(f"{KINDS}\nS = {state}\ndef f(x):\n    return x * (2.0 if {answer} else 3.0)\n")
    prepared = adxform.prepare_gradient(f, 2.0)
    assert adxform.grad(f)(2.0) == prepared(2.0) == f(2.0) / 2.0
    first = f(2.0)
    exec(change, f.__globals__)
    assert f(2.0) != first
    assert adxform.value_and_grad(f)(2.0) == (f(2.0), f(2.0) / 2.0)
    with contextlib.suppress(PreparationMismatchError):
        assert prepared(2.0) == f(2.0) / 2.0


KINDS = """
import abc, collections, dataclasses, enum, types

class R: pass
class B(R): pass
class C(R): pass
class A(set): pass
class T(abc.ABC): pass

class E(enum.Enum):
    A = 1
    B = 2

@dataclasses.dataclass
class F:
    a: float
    b: float = 1.0

N = collections.namedtuple("N", "a b", defaults=(1.0,))
D = {1: 1.0}
"""


@pytest.mark.parametrize(
    ("state", "answer", "change"),
    [
        ("{1}", "2 in s", "S.add(2)"),
        ("{1}", "s == {1}", "S.add(2)"),
        ("[{1}]", "2 in s[0]", "S[0].add(2)"),
        ("F({1})", "2 in s.a", "S.a.add(2)"),
        ("types.SimpleNamespace(s={1})", "2 in s.s", "S.s.add(2)"),
        ("D.keys()", "2 in s", "D[2] = 2.0"),
        ("bytearray(b'1')", "s == b'1'", "S.append(50)"),
        ("C()", "hasattr(type(s), 'k')", "C.k = 1.0"),
    ],
)
def test_what_is_in_an_argument(state: str, answer: str, change: str) -> None:
    text = f"{KINDS}\nS = {state}\ndef f(x, s):\n    return x * x * (2.0 if {answer} else 3.0)\n"
    f = program(f"{text}def outer(x):\n    return x * grad(f)(x, S)\n", grad=adxform.grad)
    state = f.__globals__["S"]
    outer = f.__globals__["outer"]
    prepared = adxform.prepare_gradient(f, 2.0, state)
    assert adxform.grad(f)(2.0, state) == prepared(2.0, state) == adxform.grad(outer)(2.0) / 2.0 == f(2.0, state)
    first = f(2.0, state)
    exec(change, f.__globals__)
    assert f(2.0, state) != first
    assert adxform.grad(f)(2.0, state) == adxform.grad(outer)(2.0) / 2.0 == f(2.0, state)
    with contextlib.suppress(PreparationMismatchError):
        assert prepared(2.0, state) == f(2.0, state)


def test_equal_sets_are_two() -> None:
    a, b = {1}, {1}
    f = program("def f(x, v):\n    return x * (2.0 if v in A else 3.0) + x * (20.0 if v in B else 30.0)\n", A=a, B=b)
    assert adxform.grad(f)(1.0, 1) == 22.0
    b.clear()
    assert adxform.grad(f)(1.0, 1) == 32.0


def test_a_tuple_is_looked_for_as_it_is() -> None:
    counter = collections.Counter({1: 1.0})
    f = program("def f(x):\n    return x * (2.0 if (1, 1.0) in C.items() else 3.0)\n", C=counter)
    assert adxform.grad(f)(1.0) == 2.0
    counter[1] = 2.0
    assert adxform.grad(f)(1.0) == 3.0


def test_an_attribute_may_be_none() -> None:
    f = program("class P:\n    v = None\ndef f(x):\n    return x * (2.0 if P().v is None else 3.0)\n")
    assert adxform.grad(f)(1.0) == 2.0
    f.__globals__["P"].v = 1.0
    assert adxform.grad(f)(1.0) == 3.0


def test_methods_are_not_compared() -> None:
    f = program("class P:\n    def m(self): pass\nG = P()\nM = G.m\ndef f(x):\n    return x * (2.0 if M == G.m else 3.0)\n")
    with pytest.raises(UnsupportedOperationError, match="methods are equal"):
        adxform.grad(f)(1.0)


FORKING = """
import os, sys
import adxform
kept, os.environ["ADXFORM_CACHE_DIR"] = os.environ["ADXFORM_CACHE_DIR"], "off"
adxform.grad(lambda x: x)(1.0)
os.environ["ADXFORM_CACHE_DIR"] = kept
for now in sys.argv[1:]:
    os.environ["CHANGES"] = now
    child = os.fork()
    if not child:
        try:
            import asking
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""
forking = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")


def told_by_processes(module: str, asking: str, changes: Sequence[str], folder: Path) -> list[str]:
    """What `asking` says of `module` in processes, one after another on one cache, each with changes of its own.

    Each is a child of one that has loaded adxform and derived nothing of the module, so that all but that is as in a new process.
    """
    for name, text in (("state", module), ("asking", asking), ("forking", FORKING)):
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    path = os.pathsep.join([str(folder), str(Path(adxform.__file__).parent.parent)])
    places = {"ADXFORM_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": path}
    run = [sys.executable, str(folder / "forking.py"), *changes]
    done = subprocess.run(run, env={**os.environ, **places}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list((folder / "cache").rglob("cache.db"))
    said = done.stdout.splitlines()
    assert len(said) == len(changes)
    return said


@forking
def test_another_process_sees_its_own_class(tmp_path: Path) -> None:
    asking = """
import os, adxform
import state
k = float(os.environ["CHANGES"])
state.P.k, state.D["k"] = k, k
state.S.add(k)
print(adxform.grad(state.f)(1.0), state.f(1.0))
"""
    module = """
class P:
    k = 1.0
    @classmethod
    def of_class(cls): return cls.k
D = {"k": 1.0}
S = set()
def f(x): return x * type(P()).k * P().of_class() * P.k * D["k"] * (2.0 if 3.0 in S else 3.0)
"""
    for said in told_by_processes(module, asking, ("2.0", "3.0", "2.0"), tmp_path):
        got, plain = said.split()
        assert got == plain


ABSENT = """
import collections, copy, dataclasses, types
class A:
    pass
class B:
    __slots__ = ("k",)
class C:
    @property
    def k(self):
        if not K:
            raise ValueError("none yet")
        return K[0]
class D:
    def __getattr__(self, name):
        raise LookupError(name)
K = []
a, b, c, d, m, names = A(), B(), C(), D(), types.ModuleType("m"), types.SimpleNamespace()
row, q, table = [], collections.deque(), {}
def outer():
    if K:
        v = 1.0
    def f(x): return v * x
    return f
inner = outer()
def given(x, k): return k * x
def named(x, *, k): return k * x
@dataclasses.dataclass
class F:
    n: float
def f(x):
    return ANSWER
"""


@pytest.mark.parametrize(
    ("answer", "change"),
    [
        ("k * x", "k = 3.0"),
        ("h(x)", "def h(x): return 3.0 * x"),
        ("a.k * x", "a.k = 3.0"),
        ("a.k * x", "A.k = 3.0"),
        ("A.k * x", "A.k = 3.0"),
        ("A().k * x", "A.k = 3.0"),
        ("A().k * x", "A.__getattr__ = lambda self, name: 3.0"),
        ("a.m() * x", "A.m = lambda self: 3.0"),
        ("b.k * x", "b.k = 3.0"),
        ("c.k * x", "K.append(3.0)"),
        ("C().k * x", "K.append(3.0)"),
        ("d.k * x", "d.k = 3.0"),
        ("m.k * x", "m.k = 3.0"),
        ("names.k * x", "names.k = 3.0"),
        ("row[0] * x", "row.append(3.0)"),
        ("q[0] * x", "q.append(3.0)"),
        ("table['k'] * x", "table['k'] = 3.0"),
        ("types.MappingProxyType(table)['k'] * x", "table['k'] = 3.0"),
        ("inner(x)", "inner.__closure__[0].cell_contents = 3.0"),
        ("given(x)", "given.__defaults__ = (3.0,)"),
        ("named(x)", "named.__kwdefaults__ = {'k': 3.0}"),
        ("F().n * x", "F.__init__.__defaults__ = (3.0,)"),
        ("a(x)", "A.__call__ = lambda self, x: 3.0 * x"),
        ("A(x).k * x", "A.__init__ = lambda self, v: setattr(self, 'k', 3.0)"),
        ("a * x", "A.__mul__ = lambda self, x: 3.0 * x"),
        ("len(a) * x", "A.__len__ = lambda self: 3"),
        ("(1.0, 2.0, 3.0)[a] * x", "A.__index__ = lambda self: 2"),
        ("float(a) * x", "A.__float__ = lambda self: 3.0"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kept", ["in memory", "prepared"])
def test_an_error_lasts_as_long_as_its_cause(answer: str, change: str, kept: str) -> None:
    f = program(ABSENT.replace("ANSWER", answer))
    with pytest.raises(Exception) as plain:
        f(2.0)
    made = None
    try:
        made = adxform.prepare_value_and_gradient(f, 2.0) if kept == "prepared" else adxform.value_and_grad(f)
        made(2.0)
    except Exception as error:
        assert type(error) is plain.type  # noqa: PT017
    exec(compile(change, "<change>", "exec"), f.__globals__)
    try:
        assert f(2.0) == 6.0
        if made is not None:
            assert made(2.0) == (6.0, 3.0)
    except (UnsupportedOperationError, SourceUnavailableError, MissingRuleError, PreparationMismatchError):
        pass


HOOKS = """
import dataclasses
class R:
    k = 1.0
class A(R):
    def __init__(self, n): self.n = n
    def m(*given): return given[-1] * len(given)
@dataclasses.dataclass
class D:
    n: float
a = A(2.0)
def twice(self, name, value): object.__setattr__(self, name, 2 * value)
def told(self, n): self.n = 5 * n
def read(self, name): return object.__getattribute__(self, name)
def made(cls, n): return a
def f(x):
    return ANSWER
"""


@pytest.mark.parametrize(
    ("answer", "change"),
    [
        ("A(x).n", "A.__setattr__ = twice"),
        ("A(x).n", "R.__setattr__ = twice"),
        ("A(x).n", "A.__init__ = told"),
        ("A(x).n", "A.__new__ = made"),
        ("A(x).n", "A.n = property(lambda self: 7.0, lambda self, value: None)"),
        ("A(x).n", "R.n = property(lambda self: 7.0, lambda self, value: None)"),
        ("A(x).n", "A.__getattribute__ = read"),
        ("a.m(x)", "A.m = staticmethod(A.__dict__['m'])"),
        ("A(x).m(x)", "A.m = staticmethod(A.__dict__['m'])"),
        ("x * a.k", "A.k = property(lambda self: 7.0)"),
        ("D(x).n", "D.__init__ = told"),
        ("x if D(1.0) == D(1.0) else 2 * x", "D.__eq__ = lambda self, other: False"),
        ("x if a != A(1.0) else 2 * x", "A.__eq__ = lambda self, other: True"),
        ("x if a else 2 * x", "R.__bool__ = lambda self: False"),
    ],
)
def test_a_class_is_what_it_is_now(answer: str, change: str) -> None:
    f = program(HOOKS.replace("ANSWER", answer))
    prepared = adxform.prepare_value_and_gradient(f, 2.0)
    assert adxform.value_and_grad(f)(2.0)[0] == prepared(2.0)[0] == f(2.0)
    exec(compile(change, "<change>", "exec"), f.__globals__)
    with contextlib.suppress(UnsupportedOperationError, SourceUnavailableError, MissingRuleError):
        assert adxform.value_and_grad(f)(2.0)[0] == f(2.0)
    with pytest.raises(PreparationMismatchError, match=r"`[AD]` was changed since"):
        prepared(2.0)


def test_what_says_nothing_of_objects_may_change_in_a_class() -> None:
    f = program(
        "class A:\n    calls = 0\n    def __init__(self, n): self.n = n\na = A(2.0)\ndef f(x):\n    return A(x).n * a.n\n"
    )
    prepared = adxform.prepare_gradient(f, 1.5)
    assert prepared(1.5) == 2.0
    cls = f.__globals__["A"]
    cls.calls += 1
    cls.__doc__ = "Counted."
    copy.copy(f.__globals__["a"])
    builds = adxform.stats()["rule_builds"]
    assert prepared(1.5) == adxform.grad(f)(1.5) == 2.0
    assert adxform.stats()["rule_builds"] == builds


@pytest.mark.parametrize(
    "answer",
    [
        "x * (1.0, 2.0, 3.0)[i]", "x * [1.0, 2.0, 3.0][i]", "x * ord('abc'[i])", "x * b'abc'[i]", "x * range(3)[i]",
        "x * sum([1.0, 2.0, 3.0][i:])", "x * len('abc'[i:])", "x * sum([1.0, 2.0, 3.0][slice(i, None)])",
        "x * sum((1.0, 5.0)[cut])", "x * [1.0, 2.0, 3.0].pop(i)", "x * changed([1.0, 2.0, 3.0], x)",
        "x * [v * x for v in np.arange(3.0)][i]",
        "x * [5.0, 1.0, 5.0, 5.0].index(5.0, i)", "x * list(enumerate([x], i))[0][0]", "x * sum(itertools.islice([1.0, 2.0], i))",
    ],
)  # fmt: skip
def test_an_index_is_asked_by_each_call(answer: str) -> None:
    text = f"""
import itertools
import numpy as np
class I:
    k = 1
    def __index__(self): return self.k
i = I()
cut = slice(i, None)
def changed(row, x):
    row[i] = x
    row.insert(i, 2 * x)
    del row[i]
    row[i:] = [3 * x]
    return row[0] + len(row)
def f(x):
    return {answer}
"""
    f = program(text)
    prepared = adxform.prepare_value_and_gradient(f, 2.0)
    assert adxform.value_and_grad(f)(2.0)[0] == prepared(2.0)[0] == f(2.0)
    first = f(2.0)
    for k in (2, 0):
        f.__globals__["i"].k = k
        assert adxform.value_and_grad(f)(2.0)[0] == f(2.0)
        with contextlib.suppress(PreparationMismatchError):
            assert prepared(2.0)[0] == f(2.0)
    assert f(2.0) != first


CHANGES = ("", "k = 3.0", "A.k = 3.0", "A.__setattr__ = twice", "D.__init__ = told", "I.k = 1")


@forking
def test_another_process_sees_what_is_there(tmp_path: Path) -> None:
    module = """
import dataclasses, os
class A: pass
class P:
    def __init__(self, n): self.n = n
@dataclasses.dataclass
class D:
    n: float
class I:
    k = 0
    def __index__(self): return self.k
i = I()
def twice(self, name, value): object.__setattr__(self, name, 2 * value)
def told(self, n): self.n = 5 * n
def f0(x): return k * x
def f1(x): return A().k * x
def f2(x): return A(x).n if hasattr(A, "n") else P(x).n
def f3(x): return D(x).n
def f4(x): return x * (1.0, 2.0)[i]
exec(os.environ["CHANGES"].replace("A.__setattr__", "P.__setattr__"))
"""
    asking = """
import adxform
import state
said = []
for f in (state.f0, state.f1, state.f2, state.f3, state.f4):
    found = []
    for ask in (lambda: f(2.0), lambda: adxform.value_and_grad(f)(2.0)[0]):
        try:
            found.append(ask())
        except Exception as error:
            found.append(type(error).__name__)
    assert found[0] == found[1], (f.__name__, found)
    said.append(str(found[0]))
print(*said)
"""
    turns = [now for changes in CHANGES for now in ("", changes, "")]
    said = told_by_processes(module, asking, turns, tmp_path)
    assert len(set(said)) == len(CHANGES)


def test_a_name_in_the_place_of_another() -> None:
    f = program("class A:\n    def __bool__(self): return False\na = A()\ndef f(x):\n    return x * (2.0 if a else 3.0)\n")
    assert adxform.grad(f)(1.0) == 3.0
    cls = f.__globals__["A"]
    del cls.__bool__
    cls.k = None
    assert adxform.grad(f)(1.0) == f(1.0) == 2.0


@pytest.mark.parametrize(
    ("answer", "change"),
    [
        ("x * 2.0 if a.mode == 'a' else x**2", "a.__dict__ = {'mode': 'b'}"),
        ("a.step(x)", "a.__dict__ = {'step': math.cos}"),
        ("h(x)", "a.__dict__ = {'step': math.cos, 'mode': 'b'}"),
        ("a.step(x)", "a.__dict__ = {'mode': 'a', 'step': math.sin}"),
        ("g.mode(x)", "g.__dict__ = {'mode': math.cos}"),
        ("bound(x)", "bound.__setstate__((math.pow, (2.0,), {}, {}))"),
        ("bound.func(x, x)", "bound.__setstate__((math.pow, (2.0,), {}, {}))"),
        ("bound(x) * len(bound.args)", "bound.__setstate__((g, (), {'k': 2.0}, {}))"),
    ],
)
def test_what_holds_attributes_may_be_replaced(answer: str, change: str) -> None:
    text = f"""
import functools, math
class A:
    mode = "c"
    def step(self, x): return x * (2.0 if self.mode == "a" else 3.0)
def g(x, k=1.0): return k * x
g.mode = math.sin
a = A()
a.mode = "a"
h = a.step
bound = functools.partial(g, k=3.0)
bound.__setstate__((g, (3.0,), {{}}, {{}}))
def f(x): return {answer}
"""
    f = program(text)
    prepared = adxform.prepare_value_and_gradient(f, 3.0)
    assert adxform.value_and_grad(f)(3.0)[0] == prepared(3.0)[0] == f(3.0)
    exec(change, f.__globals__)
    assert adxform.value_and_grad(f)(3.0)[0] == f(3.0)
    with pytest.raises(PreparationMismatchError):
        prepared(3.0)


@pytest.mark.parametrize(
    "change",
    ["a.new = 1", "A.new = lambda self: 1", "A.new = None", "a.data = 1", "A.data = None", "g.new = 1", "a.__float__ = 1"],
)
def test_a_protocol_asks_an_object_what_it_has(change: str) -> None:
    text = """
import typing
@typing.runtime_checkable
class New(typing.Protocol):
    def new(self): ...
@typing.runtime_checkable
class Data(typing.Protocol):
    data: float
class A: pass
a = A()
def g(x): return x
def f(x):
    asked = (isinstance(a, New), isinstance(a, Data), isinstance(g, New), isinstance(a, (int, New)), isinstance(a, typing.SupportsFloat))
    return x * sum(2.0**k for k, there in enumerate(asked) if there) + x
"""  # noqa: E501
    f = program(text)
    prepared = adxform.prepare_value_and_gradient(f, 3.0)
    assert adxform.value_and_grad(f)(3.0)[0] == prepared(3.0)[0] == f(3.0)
    exec(change, f.__globals__)
    assert adxform.value_and_grad(f)(3.0)[0] == f(3.0)
    with contextlib.suppress(PreparationMismatchError):
        assert prepared(3.0)[0] == f(3.0)


def test_an_object_that_is_made_fits_a_protocol_by_its_class() -> None:
    text = """
import typing
@typing.runtime_checkable
class Stepping(typing.Protocol):
    def step(self): ...
class A:
    def step(self): return 1.0
class B: pass
def f(x):
    return x * (2.0 if isinstance(A(), Stepping) else 3.0)
def g(x):
    b = B()
    b.step = f
    return x * (2.0 if isinstance(b, Stepping) else 3.0)
"""
    f = program(text)
    assert adxform.value_and_grad(f)(3.0) == (6.0, 2.0)
    with pytest.raises(UnsupportedOperationError, match="the attributes of the protocol `Stepping` cannot be told"):
        adxform.grad(f.__globals__["g"])(3.0)


def test_how_a_class_is_copied_may_be_registered() -> None:
    text = """
import copy, copyreg
class T:
    def __init__(self, k): self.k = k
def doubled(t): return T, (2.0 * t.k,)
def f(x): return copy.copy(T(x)).k * copy.deepcopy([T(x)])[0].k
"""
    f = program(text)
    prepared = adxform.prepare_value_and_gradient(f, 3.0)
    assert adxform.value_and_grad(f)(3.0) == prepared(3.0) == (9.0, 6.0)
    exec("copyreg.pickle(T, doubled)", f.__globals__)
    with pytest.raises(UnsupportedOperationError, match="how `T` is copied is registered in `copyreg`"):
        adxform.grad(f)(3.0)
    with pytest.raises(PreparationMismatchError):
        prepared(3.0)

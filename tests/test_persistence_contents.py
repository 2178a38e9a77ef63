"""What is written of objects: names and contents that another process can check, and nothing that it cannot."""

from __future__ import annotations

import enum
import functools
import io
import math
import operator
import statistics
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from adxform.ir.ops import UNDEFINED, Lit
from adxform.runtime.dispatch.application import apply
from adxform.runtime.persistence import portable
from adxform.runtime.persistence.contents import ContentWriter, digest, resolve, seal_of
from adxform.runtime.persistence.references import NotPortable, Stale, fixed, place
from tests.corpus.catalogue import PROGRAMS


class Mode(enum.Enum):
    FAST = 1


@dataclass
class Settings:
    rate: float = 1.0

    def scaled(self, x):
        return self.rate * x


def plain(x):
    return x * x


@pytest.mark.parametrize(
    "value",
    [1, 1.0, True, None, ..., "x", b"x", 2j, -0.0, math.inf, (1, (2.0, "a")), frozenset({1}), slice(1, None), range(3),
     np.dtype("f4"), np.float32(0.5), np.sin, np.dot, np.add.at, np.ndarray.sum, np.linalg.solve, math.sin, operator.add,
     str.upper, len, float, np.float64, functools.partial, types.MethodType, type(None), np, math, plain, Settings,
     Settings.scaled, Mode.FAST],
    ids=lambda value: getattr(value, "__name__", None) or repr(value),
)  # fmt: skip
def test_values_come_back(value: Any) -> None:
    found = portable.loads(portable.dumps(Lit(value)))
    assert found == Lit(value)
    assert type(found.value) is type(value)
    assert digest(value) == digest(found.value)


def test_code_comes_back() -> None:
    code = portable.loads(portable.dumps(plain.__code__))
    assert code == plain.__code__
    assert digest(code) == digest(plain.__code__)


def test_the_undefined_is_one_object() -> None:
    assert portable.loads(portable.dumps(UNDEFINED)).value is UNDEFINED.value


@pytest.mark.parametrize(
    "value",
    [
        lambda x: x,
        io.StringIO(),
        np.random.default_rng(0),
        Settings(),
        [1],
        {},
        {1},
        frozenset({1, 2}),
        (frozenset({1, 2}),),
        np.ones(2),
        types.SimpleNamespace(),
        object(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_name_is_refused(value: Any) -> None:
    with pytest.raises(NotPortable):
        portable.dumps(Lit(value))


def test_digests_keep_values_apart() -> None:
    values = [1, 1.0, True, "1", b"1", 1 + 0j, np.float64(1.0), np.float32(1.0), np.int64(1), (1,), [1], ((1,),), 0.0, -0.0, None,
              "None", -1, -2, -1.0, -2.0, (1, 2), ("1", 2), (12,), frozenset({1}), slice(1), range(1), int, float]  # fmt: skip
    assert len({digest(value) for value in values}) == len(values)


def test_digests_see_all_of_a_function() -> None:
    def variant(text: str) -> bytes:
        space: dict[str, Any] = {}
        exec(compile(text, "<variant>", "exec"), space)
        return digest(space["f"].__code__)

    texts = ["def f(x): return x", "def f(x): return x + 1", "def f(x): return x + 1.0", "def f(x): return x + True",
             "def f(y): return y", "\ndef f(x): return x", "def f(x): return (lambda: x)()", "def f(x): return (lambda: -x)()",
             "def f(x): return sin(x)", "def f(x): return cos(x)", "def f(*x): return x", "def f(*, x): return x"]  # fmt: skip
    assert len({variant(text) for text in texts}) == len(texts)


def module_of(monkeypatch: pytest.MonkeyPatch, text: str) -> types.ModuleType:
    module = types.ModuleType("changing")
    exec(compile(text, "changing.py", "exec"), module.__dict__)
    monkeypatch.setitem(sys.modules, "changing", module)
    return module


@pytest.mark.parametrize(
    ("before", "after", "pick"),
    [
        ("def f(x): return x", "def f(x): return 2 * x", lambda m: m.f),
        ("class f:\n def m(self): return 1", "class f:\n def m(self): return 2", lambda m: m.f),
        ("class f:\n k = 1", "class f:\n k = 1.0", lambda m: m.f),
        ("class f:\n k = 1", "class f:\n j = 1", lambda m: m.f),
        ("class b:\n k = 1\nclass f(b): pass", "class b:\n k = 2\nclass f(b): pass", lambda m: m.f),
        ("class f:\n @property\n def p(self): return 1", "class f:\n @property\n def p(self): return 2", lambda m: m.f),
        ("class f:\n def m(self, k=1): return k", "class f:\n def m(self, k=2): return k", lambda m: m.f),
        ("f = 1", "f = 1\ng = 2", lambda m: m),
        ("__version__ = '1'", "__version__ = '2'", lambda m: m),
    ],
)
def test_changed_code_is_stale(before: str, after: str, pick: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    data = portable.dumps(Lit(pick(module_of(monkeypatch, before))))
    again = pick(module_of(monkeypatch, before))
    assert portable.loads(data).value is again
    module_of(monkeypatch, after)
    with pytest.raises(Stale):
        portable.loads(data)
    monkeypatch.delitem(sys.modules, "changing")
    with pytest.raises(Stale):
        portable.loads(data)


def test_a_function_that_hides_behind_its_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    module = module_of(monkeypatch, "def f(x): return x")
    hidden = module.f
    module.f = lambda x: x
    hidden.__module__ = "changing"
    with pytest.raises(NotPortable):
        place(hidden)


def test_libraries_need_no_seal() -> None:
    assert all(map(fixed, ("math", "numpy.linalg", "dataclasses")))
    assert not any(map(fixed, ("scipy.special", __name__)))
    assert seal_of(np.sin, "numpy") == b""
    assert resolve("numpy.linalg", "solve", b"") is np.linalg.solve
    with pytest.raises(Stale):
        resolve("numpy", "no_such_function", b"")


def test_deep_contents_see_what_a_function_reaches(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import math\nK = {}\ndef g(x): return {} * x\ndef f(x, d={}): return g(x) + K + math.sin(d)"

    def deep(*values: Any) -> bytes:
        writer = ContentWriter(deep=True)
        writer.add(module_of(monkeypatch, text.format(*values)).f)
        return writer.digest()

    found = [deep(1, 1, 1), deep(2, 1, 1), deep(1, 2, 1), deep(1, 1, 2), deep(1.0, 1, 1), deep("[0]", 1, 1)]
    assert len(set(found)) == len(found)
    assert deep(1, 1, 1) == found[0]
    with pytest.raises(NotPortable):
        deep("object()", 1, 1)


def test_recursive_functions_have_contents() -> None:
    def even(n):
        return n == 0 or odd(n - 1)

    def odd(n):
        return n != 0 and even(n - 1)

    writer = ContentWriter(deep=True)
    writer.add((even, odd))
    assert len(writer.digest()) == 32


@pytest.mark.parametrize("program", PROGRAMS[::7], ids=lambda program: program.name)
def test_rules_come_back_whole(program: Any) -> None:
    """What is read is equal in every stage, and what it runs is the same text."""
    with np.errstate(all="ignore"):
        call = apply(program.function, program.points[0].fresh(), {})
    wrt = tuple(leaf for leaf in call.wrt(program.wrt))
    rule = call.rule_to_cut("reverse", wrt)
    parts = call.entry.cut(rule)
    try:
        data = portable.dumps((call.entry.specialized, rule, parts))
    except NotPortable:
        pytest.skip("reaches something without a name")
    specialized, read, read_parts = portable.loads(data)
    assert specialized == call.entry.specialized
    for name in ("request", "typed", "adjoint", "optimised", "generated", "decisions", "private", "buffers"):
        assert getattr(read, name) == getattr(rule, name), name
    assert read.run is not rule.run
    assert read.run.__code__ == rule.run.__code__
    assert read_parts.forward == parts.forward
    assert read_parts.run_backward.__code__ == parts.run_backward.__code__


@pytest.mark.parametrize("instead", [np.cos, plain, lambda x: x, 3.0], ids=["ufunc", "function", "lambda", "number"])
def test_what_was_put_in_a_library_is_seen(instead: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for library, name in ((np, "sin"), (np.linalg, "solve"), (math, "sin"), (statistics, "mean")):
        data = portable.dumps(Lit(getattr(library, name)))
        with monkeypatch.context() as patched:
            patched.setattr(library, name, instead)
            with pytest.raises(Stale):
                portable.loads(data)


NESTED = """
import types
sub = types.ModuleType("changing.sub")
exec('''
kind = {kind}
def power(x): return x ** {power}
class Tools:
    @staticmethod
    def slope(x): return power(x) * {factor}
''', vars(sub))
lib = types.ModuleType("changing.lib")
lib.sub = sub
lib.lib = lib
"""


@pytest.mark.parametrize(
    "body", ["lib.sub.Tools.slope(x) * lib.sub.kind", "getattr(getattr(lib, 'sub').Tools, 'slope')(x) + lib.lib.sub.kind"]
)
def test_deep_contents_see_what_is_reached_through_modules(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def deep(**values: object) -> bytes:
        writer = ContentWriter(deep=True)
        text = NESTED.format(**{"kind": 1, "power": 1, "factor": 1, **values})
        writer.add(module_of(monkeypatch, f"{text}\ndef f(x): return {body}").f)
        return writer.digest()

    found = [deep(), deep(kind=2), deep(power=2), deep(factor=2)]
    assert len(set(found)) == len(found)
    assert deep() == found[0]

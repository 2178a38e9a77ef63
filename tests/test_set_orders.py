"""The order in which Python walks over a set: that of the plain function, in this process and in those that read its rules."""

from __future__ import annotations

import json
import marshal
import os
import pickle
import subprocess
import sys
import textwrap
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import UnsupportedOperationError
from adxform.ir.ops import Lit
from tests.tables.cell import Cell, judge, program

ROOT = Path(__file__).parent.parent
X = np.linspace(1.1, 2.9, 18)
L = [9, 2, 1, 17, 3]
EDGES = [(9, 2), (2, 16), (16, 0)]

PROGRAMS = {
    "unpacked": "a, b, c = {7, 0, 3}\nreturn x[a] + 2 * x[b] + 3 * x[c]",
    "unpacked with a star": "a, *b = {7, 0, 3}\nreturn x[a] + x[b[0]] * 2",
    "places": "return sum(x[i] * k for k, i in enumerate({7, 0, 3, 1}))",
    "of a range backwards": "return sum(x[i] * k for k, i in enumerate(set(range(7, -1, -1))))",
    "a generator over a display": "return list(x[i] for i in {16, 8, 0})[0] + 2 * any(i < 9 for i in {16, 8, 0}) * x[1]",
    "a comprehension": "return sum(x[i] * k for k, i in enumerate({i % 5 for i in (9, 3, 1)}))",
    "below zero": "return sum(x[i] * k for k, i in enumerate({-1, -2, -3}))",
    "pairs": "return sum(x[i] * k for k, (i, j) in enumerate({(1, 2), (0, 3), (4, 4)}))",
    "names": "t = 1.0\nfor i in {a, b, 1, 8}:\n    t = t * 0.5 + x[i]\nreturn t",
    "added": "s = {3, 1}\ns.add(0)\ns.update([5, 4])\ns.discard(1)\nreturn sum(x[i] * k for k, i in enumerate(s))",
    "a copy": "s = {3, 1}\ns |= {0}\nt = s.copy()\nt.add(2)\nreturn sum(x[i] * k for k, i in enumerate(t))",
    "taken out and added": "s = set(l)\ns.discard(l[0])\ns.add(l[0])\nt = 1.0\nfor i in s:\n    t = t * 0.5 + x[i]\nreturn t",
    "operators": (
        "t = 1.0\nfor i in [*(set(l) - {3}), *{16, 0}.union(l), *(set(l) & {9, 1, 17})]:\n    t = t * 0.5 + x[i]\nreturn t"
    ),
    "a dict of it": "d = dict.fromkeys(set(l), 0.0)\nt = 1.0\nfor i in d:\n    t = t * 0.5 + x[i]\nreturn t",
    "beside a list": "t = 1.0\nfor i, b in zip(set(l), [1.0, 2.0, 3.0]):\n    t = t * b + x[i]\nreturn t",
    "numbered nodes": (
        "nodes = set()\nfor i, j in e:\n    nodes.add(i)\n    nodes.add(j)\nplaces = {n: k for k, n in enumerate(nodes)}\n"
        "return sum(x[places[i]] * (places[j] + 1) for i, j in e)"
    ),
    "largest at ties": "return x[max({7, 0, 3}, key=lambda i: 0)] + x[min({9 % 8, 0, 3}, key=lambda i: 0)]",
    "sorted at ties": "return x[sorted({7, 0, 3}, key=lambda i: i % 1)[0]]",
    "text": "return x[0] * len(str({8, 0, 16}).split('8')[0]) + x[1] * len(f'{ {8, 0, 16} }'.split('16')[0])",
    "rounding": "t = 0.0\nfor v in {1e16, 1.0, -1e16, 0.5, 3.0}:\n    t += v\nreturn t * x[0]",
    "popped": "s = set(l)\nreturn x[s.pop()] + 2 * x[s.pop()] + len(s) * x[3]",
    "keys": "d = {7: 1, 0: 2, 3: 3}\nreturn sum(x[i] * k for k, i in enumerate([*set(d), *(d.keys() - {3})]))",
    "equal ones": "s = {1.0, 1, True, 0}\nreturn x[0] * sum(k * len(str(v)) for k, v in enumerate(s))",
    "outside": "return x[list(S)[0]] + 2 * x[[*S][1]] + 3 * x[max(S, key=lambda k: k % 2)] + 4 * x[list(F | {3})[0]]",
    "paths": "s = {9, 1}\nif x[0] > 0:\n    s.add(17)\n    r = x[[*s][0]]\nelse:\n    s.add(25)\n    r = x[[*s][0]]\nreturn r",
}


def made(body: str) -> Any:
    """The function with this `body`."""
    text = f"def f(x, a, b, l, e):\n{textwrap.indent(body, '    ')}\n"
    return program(text, S={9, 1, 17}, F=frozenset([17, 1, 9]))


@pytest.mark.parametrize("name", PROGRAMS)
def test_sets_are_walked_over_as_by_python(name: str) -> None:
    verdict = judge(Cell(name, made(PROGRAMS[name]), (X, 9, 2, L, EDGES), orders=1))
    assert (verdict.kind, verdict.reason) == ("right", "")


@pytest.mark.parametrize(
    "body",
    [
        "s = S | {2}\nreturn sum(x[i] * k for k, i in enumerate(s))",
        "s = set(S)\ns.add(2)\nreturn sum(x[i] * k for k, i in enumerate(s))",
        "s = frozenset(S)\nreturn sum(x[i] * k for k, i in enumerate(s))",
        "s = {float('nan'), 1.0}\nreturn sum(x[0] * k * i for k, i in enumerate(s))",
        "s = {9, 1}\nif x[0] > 0:\n    s.discard(1)\n    s.add(1)\nreturn sum(x[i] * k for k, i in enumerate(s))",
    ],
)
def test_what_cannot_be_told_is_refused_and_can_be_sorted(body: str) -> None:
    args = X, 9, 2, L, EDGES
    with pytest.raises(UnsupportedOperationError, match=r"(?s)the order of a set is asked for.*sort it first") as refused:
        adxform.grad(made(body))(*args)
    assert refused.value.span is not None
    f = made(body.replace("(s)", "(sorted(s))"))
    if "nan" not in body:
        assert adxform.value_and_grad(f)(*args)[0] == f(*args)


def test_a_set_from_outside_is_looked_at_by_each_call() -> None:
    f = made("t = 1.0\nfor i in S:\n    t = t * 0.5 + x[i]\nreturn t")
    found = f.__globals__["S"]
    for change in (lambda: None, lambda: found.add(2), lambda: (found.discard(2), found.discard(9), found.add(9)), found.clear):
        change()
        assert adxform.value_and_grad(f)(X, 9, 2, L, EDGES)[0] == f(X, 9, 2, L, EDGES)


def test_frozen_sets_in_different_orders_are_different_arguments() -> None:
    one, other = frozenset([9, 1, 17]), frozenset([17, 1, 9])
    assert one == other
    assert list(one) != list(other)
    assert Lit(one) != Lit(other)
    f = made("return sum(x[i] * k for k, i in enumerate(l))")
    for given in (one, other):
        assert adxform.value_and_grad(f)(X, 9, 2, given, EDGES)[0] == f(X, 9, 2, given, EDGES)


MODULE = """
def shown(x):
    t = 1.0
    for s in {'a', 'b', 'c', 'd'}:
        t = t * 0.5 + x[ord(s) - 97]
    return t

def joined(x):
    t = 1.0
    for s in {'a', 'b'} | {'c', 'd'}:
        t = t * 0.5 + x[ord(s) - 97]
    return t

def given(x, names=('a', 'b', 'c', 'd')):
    places = {n: i for i, n in enumerate(set(names) - {'zz'})}
    return x[places['a']]

def texts(x):
    return x[0] * ord(','.join({'a', 'b', 'c'})[0]) + x[1] * ord(str({'a', 'b', 'c'})[2])

FROZEN = frozenset('abcd')

def frozen(x):
    t = 1.0
    for s in FROZEN:
        t = t * 0.5 + x[ord(s) - 97]
    return t + x[ord(','.join(FROZEN)[0]) - 97]

SET = {'a', 'b', 'c', 'd'}

def outside(x):
    t = 1.0
    for s in SET:
        t = t * 0.5 + x[ord(s) - 97]
    return t

def nothing(x):
    t = 1.0
    for s in {None, 0, 1, 2}:
        t = t * 0.5 + (x[3] if s is None else x[s])
    return t

def one_place(x):
    t = 1.0
    for k in {16, 8, 0}:
        t = t * 0.5 + x[k // 8]
    places = {n: i for i, n in enumerate([16, 8, 0])}
    kept = {16, 8, 0, 24}
    for k in kept:
        t = t * 0.5 + x[k // 8]
    return t

def numbers(x):
    t = 1.0
    s = {3, 0}
    s.add(2)
    s.add(1)
    for k in s:
        t = t * 0.5 + x[k]
    return t

def in_order(x):
    t = 1.0
    for s in sorted({'d', 'a', 'c'} | {'b'}):
        t = t * 0.5 + x[ord(s) - 97]
    return t * ('a' in {'a', 'b', 'c'}) * len({'a', 'b', 'a'})
"""
SCRIPT = """
import json, sys
import numpy as np
import adxform
import orders
x = np.array([1.0, 10.0, 100.0, 1000.0])
wrong, found = [], {}
for name, f in vars(orders).items():
    if not callable(f):
        continue
    adxform.clear_cache()
    before = adxform.stats()["disk_hits"]
    value, gradient = adxform.value_and_grad(f)(x)
    found[name] = adxform.stats()["disk_hits"] - before
    slope = (f(x * (1 + 1e-6)) - f(x * (1 - 1e-6))) / 2e-6
    if value != f(x) or abs(gradient @ x - slope) > 1e-5 * abs(slope):
        wrong.append(name)
print(json.dumps([wrong, found]))
"""


def test_a_rule_is_not_used_where_sets_come_in_another_order(tmp_path: Path) -> None:
    (tmp_path / "orders.py").write_text(MODULE)
    (tmp_path / "script.py").write_text(SCRIPT)
    read = {}
    for seed in ("1", "2", "3", "3"):  # the first compiles the module, whose sets of constants later ones read in another order
        env = {**os.environ, "ADXFORM_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        done = subprocess.run([sys.executable, "script.py"], env=env, cwd=tmp_path, text=True, capture_output=True, check=True)
        wrong, read = json.loads(done.stdout)
        assert wrong == []
    assert min(read["numbers"], read["in_order"]) > 0
    assert max(read[name] for name in ("shown", "joined", "given", "frozen", "one_place")) == 0


def test_equal_code_may_have_its_sets_in_another_order() -> None:
    text = "def f(x):\n    t = 1.0\n    for k in {8, 0, 16}:\n        t = t * 0.5 + x[k]\n    return t\n"
    inner = "def g(x):\n    return f(x) * x[1]\n"
    for called in ("f", "g"):
        first = program(text + inner, called)
        other = types.FunctionType(first.__code__, dict(first.__globals__))
        helper = first.__globals__["f"]
        helper = types.FunctionType(marshal.loads(marshal.dumps(helper.__code__)), other.__globals__)  # as read from a file
        other.__globals__["f"] = helper
        other = helper if called == "f" else other
        assert helper.__code__ == first.__globals__["f"].__code__
        assert helper(X) != first.__globals__["f"](X)
        for f in (first, other, first):
            assert adxform.value_and_grad(f)(X)[0] == f(X)


@pytest.mark.parametrize("change", ["s.discard(k)\n    s.add(k)", "s.add(k + 30)", "s.clear()\n    s.update([8, 0, 16])"])
def test_a_set_that_its_own_walk_changes_is_refused(change: str) -> None:
    with pytest.raises(UnsupportedOperationError, match="changed while a loop walks over it"):
        adxform.grad(made(f"s = {{8, 0, 16}}\nfor k in s:\n    {change}\nreturn x[0]"))(X, 9, 2, L, EDGES)


def walked(x: Any) -> Any:
    """A function that walks over a set of texts."""
    return sum(x[ord(s) - 97] * k for k, s in enumerate({"c", "b", "a"}))


def walked_numbers(x: Any) -> Any:
    """A function that walks over a set of numbers."""
    return sum(x[i] * k for k, i in enumerate({2, 0, 1}))


def test_what_walks_over_texts_is_not_pickled() -> None:
    with pytest.raises(pickle.PicklingError, match="the order of a set, which is another one in each process"):
        pickle.dumps(adxform.prepare_gradient(walked, X))
    prepared = pickle.loads(pickle.dumps(adxform.prepare_gradient(walked_numbers, X)))
    assert np.array_equal(prepared(X), adxform.grad(walked_numbers)(X))


KEPT = frozenset({1, 2})


def test_a_method_of_a_frozen_set_is_that_of_the_set_of_each_call() -> None:
    global KEPT

    def f(x):
        return x * len(KEPT.union({9})) + x * KEPT.isdisjoint({3})

    derivative = adxform.prepare_gradient(f, 1.0)
    for kept in (frozenset({1, 2}), frozenset({2, 3, 4})):
        KEPT = kept
        assert adxform.grad(f)(1.0) == f(1.0)
    with pytest.raises(adxform.AdxError, match="changed"):
        derivative(1.0)

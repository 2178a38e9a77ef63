"""Lengths of arguments that have to be known: where nothing else can tell how many things a program makes."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError, PreparationMismatchError
from adxform.frontend.signature import FEW
from adxform.runtime import counters
from adxform.testing import check_derivatives
from tests.tables.cell import Cell, judge, program


@dataclass
class Body:
    """What an N-body program keeps of each."""

    mass: float
    x: Any
    v: Any
    name: str = "b"


def bodies_on_objects(x: Any, v: Any) -> Any:
    bodies = [Body(1.0 + i, x[i], v[i]) for i in range(len(x))]
    for _ in range(3):
        pulls = []
        for one in bodies:
            pull = np.zeros(2)
            for other in bodies:
                if other is not one:
                    d = other.x - one.x
                    pull = pull + other.mass * d / (d @ d + 0.1) ** 1.5
            pulls.append(pull)
        for one, pull in zip(bodies, pulls, strict=True):
            one.v = one.v + 0.01 * pull
            one.x = one.x + 0.01 * one.v
    return sum(0.5 * one.mass * (one.v @ one.v) for one in bodies) + bodies[0].x[1]


def sums_by_key(x: Any) -> Any:
    total: dict[int, Any] = defaultdict(float)
    for i, v in enumerate(x):
        total[i % 2] += v**2
    return total[0] * total[1]


def sums_by_name(x: Any) -> Any:
    total: dict[str, Any] = defaultdict(float)
    for i, v in enumerate(x):
        total[f"part {i % 2}"] += v**2
    return total["part 0"] * total["part 1"]


def layers_with_names(x: Any) -> Any:
    layers = [(f"w{i}", np.outer(x, x) * x[i]) for i in range(x.shape[0] - 1)]
    return sum(np.sum(layer) for name, layer in layers if name != "w1")


def table_by_name(x: Any) -> Any:
    table = {f"p{i}": x[i] for i in range(x.size)}
    return math.prod([table[name] for name in table]) + table["p0"] ** 2


def half_of_them(x: Any) -> Any:
    made = [{"v": x[k], "k": k} for k in range(len(x) // 2 + 1)]
    return sum(one["v"] ** (2 + one["k"]) for one in made)


def number_among_rows(x: Any) -> Any:
    rows = [x * t for t in x]
    rows[0] = x[0]
    return np.sum(rows[0]) * np.sum(rows[1])


def list_that_grows_under_its_loop(x: Any) -> Any:
    items = [v**2 for v in x]
    total = 0.0
    for v in items:
        total += v
        if len(items) < 8:
            items.append(v * 0.5)
    return total


def values_by_name(x: Any) -> Any:
    table: dict[str, Any] = {}
    for name, v in zip("abcdef", x, strict=False):
        table[name] = v * v
    table["a"] += table["b"]
    return sum(i * v for i, v in enumerate(table.values()))


def what_a_length_decides(x: Any) -> Any:
    scale = (x[0], "pair") if len(x) < 3 else {"mean": x[1]}
    return np.sum(x) * (scale[0] if len(x) < 3 else scale["mean"])


def keys_of_a_slice(x: Any) -> Any:
    table = {k: v for k, v in enumerate(x[1:])}  # noqa: C416 - what is judged
    table.update(dict(enumerate(x[:-1])))
    return sum((k + 1) * v**2 for k, v in table.items())


def sums_by_key_in_a_while_loop(x: Any) -> Any:
    total: dict[int, Any] = {}
    i = 0
    while i < len(x):
        total[i % 3] = total.get(i % 3, 0.0) + x[i] ** 2
        i += 1
    return sum(v * v for v in total.values())


PROGRAMS = {
    keys_of_a_slice: lambda n: (np.linspace(0.5, 1.5, n),),
    sums_by_key_in_a_while_loop: lambda n: (np.linspace(0.5, 1.5, n),),
    values_by_name: lambda n: (np.linspace(0.5, 1.5, n),),
    what_a_length_decides: lambda n: (np.linspace(0.5, 1.5, n),),
    bodies_on_objects: lambda n: (np.linspace(-1, 1, 2 * n).reshape(n, 2) ** 3, np.linspace(0.3, 1.2, 2 * n).reshape(n, 2)),
    sums_by_key: lambda n: (np.linspace(0.5, 1.5, n),),
    layers_with_names: lambda n: (np.linspace(0.5, 1.5, n),),
    table_by_name: lambda n: (np.linspace(0.5, 1.5, n),),
    number_among_rows: lambda n: (np.linspace(0.5, 1.5, n),),
    list_that_grows_under_its_loop: lambda n: (np.linspace(0.5, 1.5, n),),
    half_of_them: lambda n: (np.linspace(0.5, 1.5, n),),
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_derivatives(program: Any) -> None:
    for n in (3, 5, 2):
        assert [check.name for check in check_derivatives(program, *PROGRAMS[program](n)) if not check.ok] == []


def test_each_length_has_its_own_rule() -> None:
    """And what was derived for one is used again."""
    adxform.clear_cache()
    counters.reset()
    for n in (3, 4, 3, 4, 3):
        x = np.linspace(0.5, 1.5, n)
        assert np.allclose(adxform.grad(sums_by_key)(x), 2 * x * [sums(x, 1 - i % 2) for i in range(n)])
    assert counters.snapshot()["rule_builds"] == 2


def sums(x: Any, first: int) -> float:
    return float(np.sum(x[first::2] ** 2))


def test_prepared_for_one_length() -> None:
    """Another length is refused by name, or prepared anew."""
    prepared = adxform.prepare_gradient(sums_by_key, np.ones(3))
    assert np.allclose(prepared(np.array([1.0, 2.0, 3.0])), [8, 40, 24])
    with pytest.raises(PreparationMismatchError, match="`x`: expected 3 along axis 0, got 4"):
        prepared(np.ones(4))
    loose = adxform.prepare_gradient(sums_by_key, np.ones(3), strict=False)
    assert np.allclose(loose(np.array([1.0, 2.0, 3.0, 4.0])), [40, 40, 120, 80])
    assert prepared.fingerprint() != adxform.prepare_gradient(sums_by_key, np.ones(4)).fingerprint()


def test_what_is_known_is_not_asked_for() -> None:
    """A loop that can be followed as one stays one: its rule is for all lengths."""

    def f(x: Any) -> Any:
        found = [v * v for v in x]
        return sum(found) * len(x)

    counters.reset()
    for n in (3, 4, 5):
        assert np.allclose(adxform.grad(f)(np.ones(n)), 2.0 * n)
    assert counters.snapshot()["rule_builds"] == 1


def test_of_many_the_run_has_the_keys() -> None:
    """Code that is written out for each item would be long."""
    x = np.linspace(0.5, 1.5, FEW + 1)
    even, odd = np.sum(x[::2] ** 2), np.sum(x[1::2] ** 2)
    expected = 2.0 * x * np.where(np.arange(FEW + 1) % 2 == 0, odd, even)
    assert np.allclose(adxform.grad(sums_by_name)(x), expected)


DATA = np.linspace(0.5, 1.5, 4)


def test_lengths_of_what_a_function_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of arrays outside of the function too; each call reads them again."""

    def f(x: Any) -> Any:
        made = [{"v": v, "k": k} for k, v in enumerate(DATA)]
        made[0]["first"] = True
        return sum(one["v"] * x ** one["k"] for one in made)

    def slope(x: float) -> Any:
        return sum(k * v * x ** (k - 1) for k, v in enumerate(DATA))

    prepared = adxform.prepare_gradient(f, 0.7)
    assert np.isclose(adxform.grad(f)(0.7), slope(0.7))
    assert np.isclose(prepared(0.7), slope(0.7))
    monkeypatch.setitem(globals(), "DATA", np.linspace(0.5, 2.5, 6))
    assert np.isclose(adxform.grad(f)(0.7), slope(0.7))
    with pytest.raises(PreparationMismatchError, match="`DATA`: expected 4 along axis 0, got 6"):
        prepared(0.7)
    monkeypatch.setitem(globals(), "DATA", np.linspace(1.5, 2.5, 4))
    assert np.isclose(adxform.grad(f)(0.7), slope(0.7))
    assert np.isclose(prepared(0.7), slope(0.7))


SHORT = (
    "bonded = {frozenset((0, 1))}; r = sum(x[i] * x[j] for i, j in combinations(range(len(x)), 2) if {i, j} not in bonded)",
    "seen = set(); r = 0.0\nfor i in range(len(x)):\n    seen.add('abc'[i])\n    r += x[i] * len(seen)",
    "q = [0] * len(x); rows = [q, q]\nfor i in range(len(x)):\n    q[i] = x[i]\nr = sum(rows[1]) * x[0]",
    "names = [f'p{i}' for i in range(len(x))]; d = dict(zip(names, x * x)); r = d['p1'] * d['p0'] + d[names[-1]]",
)


@pytest.mark.parametrize("lines", SHORT)
def test_short_lengths_are_known_where_nothing_else_helps(lines: str) -> None:
    body = lines.replace("; ", "\n").replace("\n", "\n    ")
    text = f"from itertools import combinations\n\ndef f(x):\n    {body}\n    return r\n"
    verdict = judge(Cell(lines, program(text), (np.array([0.3, 1.7, 0.4]),), orders=1, bits=False))
    assert verdict.kind == "right", verdict.reason


def test_an_error_is_the_one_of_any_length() -> None:
    text = "def f(x):\n    seen = {len(x)}\n    seen.add(float(x[0]))\n    return x[0] * len(seen)\n"
    with pytest.raises(AdxError) as caught:
        adxform.grad(program(text))(np.array([0.3, 1.7]))
    assert caught.value.span.line in (2, 3)

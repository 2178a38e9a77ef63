"""Keys of dicts, and orders of texts, arrays and objects, that only the run can tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from adxform.errors import UnsupportedOperationError
from adxform.testing import check_derivatives
from tests.tables.cell import Cell, judge, program

X = np.array([0.3, 0.9, 0.5])
FOLLOWED: list[Callable[..., Any]] = []


@FOLLOWED.append
def weakest_bond(x):
    orders = {(0, 1): x[0], (1, 2): x[1] * 2, (2, 0): x[2]}
    weakest = min(orders, key=lambda bond: orders[bond])
    return orders[weakest] ** 2 + weakest[0]


@FOLLOWED.append
def tuple_as_a_key_is_stored(x):
    table = {(0, 1): x[0], (1, 2): x[1] * 2, (2, 0): x[2]}
    i, j = min(table, key=table.get)
    table[i, j] = 7.0 * x[1]
    table[i, j] += x[2] ** 2
    return sum(table.values()) + i + x[j]


@FOLLOWED.append
def tuple_of_a_text_and_a_truth_value(x):
    table = {("u", True): x[0], ("u", False): x[1] ** 2}
    return table["u", bool(x[0] > 0.5)] * 2 + table["u", x[1] > 0.5]


@FOLLOWED.append
def tuples_in_tuples(x):
    table = {((0, 1), "u"): x[0], ((1, 2), "v"): x[1]}
    return table[(int(np.argmax(x)), 2), "v"] ** 2


class Bond(NamedTuple):
    source: str
    target: str


@FOLLOWED.append
def named_tuples_of_texts(x):
    rates = {Bond("a", "b"): x[0], Bond("b", "c"): x[1], Bond("a", "c"): x[2]}
    logs = {bond: np.log(v) for bond, v in rates.items() if v > 0.4}
    ends = sum(v * (2.0 if bond.source == "a" else 3.0) for bond, v in logs.items())
    return sum(logs.get(Bond(p, q), -3.0 * x[0]) for p in "ab" for q in "bc") + ends


@FOLLOWED.append
def membership_and_defaults(x):
    table, known, i = {(0, 1): x[0], (1, 2): x[1] ** 2}, {(0, 1), (1, 2)}, int(np.argmax(x))
    total = table.get((i, 2), 0.5) * 3 + table.get((i, 9), x[2]) + ((i, 7) in table)
    if (i, 2) in known and (i, 5) not in table.keys():  # noqa: SIM118 - keys may be asked too
        total += x[0] * x[1]
    return total


@FOLLOWED.append
def array_under_a_key(x):
    table = {"a": x[:2], "b": x[1:]}
    best = max(table, key=lambda key: table[key].sum())
    return table[best] @ np.array([1.0, 2.0])


@FOLLOWED.append
def array_under_a_key_is_changed(x):
    y = x.copy()
    table = {"a": y[:2], "b": y[1:]}
    best = max(table, key=lambda key: table[key].sum())
    part = table[best]
    table[best] *= 2
    part[0] = 3 * x[2]
    y[1] += x[0] ** 2
    return table["a"] @ table["b"] + part.sum()


@FOLLOWED.append
def array_under_a_key_is_replaced(x):
    table = {"a": x[:2].copy(), "b": x[1:].copy()}
    key = "a" if x[0] > x[1] else "b"
    old = table[key]
    table[key] = old * 2
    old[0] = 7 * x[0]
    return table["a"] @ table["b"] + old.sum()


@FOLLOWED.append
def dict_in_a_dict(x):
    table = {"a": {"m": x[0], "n": 2.0}, "b": {"m": x[1], "n": 3.0}}
    best = max(table, key=lambda key: table[key]["m"])
    return table[best]["m"] ** 2 * table[best]["n"]


@FOLLOWED.append
def graph_that_is_walked(x):
    table = {0: {"left": 1, "right": 2, "v": x[0]}, 1: {"left": 2, "right": 0, "v": x[1]}, 2: {"left": 0, "right": 1, "v": x[2]}}
    node, total = 0, 0.0
    for _ in range(5):
        total = total * 0.5 + table[node]["v"] ** 2
        node = table[node]["left"] if total > 0.5 else table[node]["right"]
    return total


@FOLLOWED.append
def dict_with_a_default(x):
    table = defaultdict(float)
    for i in range(3):
        table[i % 2, "u"] += x[i]
    table[int(np.argmax(x)) % 2, "u"] *= 3
    return table[0, "u"] * table[1, "u"]


@FOLLOWED.append
def texts_in_order(x):
    rank = {"a": x[0], "b": x[1], "c": x[2]}
    while sum(rank.values()) > 1.2:
        rank = {name: 0.5 * value + 0.1 for name, value in rank.items()}
    first, *_, last = sorted(rank, key=rank.get, reverse=True)
    return rank[first] ** 2 + 2 * rank[last]


@FOLLOWED.append
def pairs_with_texts_in_order(x):
    table = {"a": x[0], "bb": x[1], "c": x[2]}
    (name, value), *rest = sorted(table.items(), key=lambda pair: -pair[1])
    return value * 2 + rest[0][1] * table[name] + len(name)


@FOLLOWED.append
def spanning_tree(x):
    parent, total = [0, 1, 2], 0.0

    def root(node):
        while parent[node] != node:
            node = parent[node]
        return node

    for (a, b), weight in sorted({(0, 1): x[0], (1, 2): x[1], (0, 2): x[2]}.items(), key=lambda edge: edge[1]):
        if root(a) != root(b):
            parent[root(a)] = root(b)
            total += weight**2
    return total


@FOLLOWED.append
def arrays_in_order(x):
    y = x.copy()
    parts = [y[:2], y[1:], y[::2] * 2]
    parts.sort(key=lambda part: part.sum())
    parts[1][0] = 5 * x[2]
    return y.sum() * y[1] + parts[0] @ parts[2]


@FOLLOWED.append
def eigenpairs_in_order(x):
    values, vectors = np.linalg.eigh(np.outer(x, x) + np.diag([1.0, 2.0, 3.0]))
    pairs = sorted(zip(values, vectors.T, strict=True), key=lambda pair: -pair[0])
    return pairs[0][1][0] ** 2 + pairs[1][0]


@FOLLOWED.append
def lists_in_order(x):
    rows = [[x[0], 1.0], [x[1]], [x[2], 2.0, 3.0]]
    rows.sort(key=lambda row: -sum(row))
    return sum(rows[0]) * sum(rows[1]) + len(rows[2]) * x[0]


@FOLLOWED.append
def new_keys_beside_known_ones(x):
    table = {0: x[0], 5: x[1]}
    for i in range(len(x)):
        table[i] = x[i] * 2
    order = sum(k * v * (j + 1) for j, (k, v) in enumerate(table.items()))
    return order + list(table)[1] + max(table.values()) + table[max(table, key=table.get)]


@FOLLOWED.append
def new_keys_where_only_the_run_knows_how_many(x):
    table, n = {0: x[0]}, 0
    same = table
    while x[n] < 0.6 and n < len(x) - 1:
        n += 1
        table[n] = table[n - 1] * x[n]
    return same[n] + same.get(n + 1, 5.0) + len(same)


@FOLLOWED.append
def new_keys_on_some_paths(x):
    table = {0: x[0]}
    for i in range(len(x)):
        if i in table and x[i] > 0.6:
            table[i + 1] = table[i] * x[i]
        elif i + 1 not in table:
            table[i + 1] = x[i]
    total = 0.0
    for key in sorted(table, reverse=True):
        total = total * 0.5 + table[key] * key
    return total


@FOLLOWED.append
def new_keys_beside_a_default(x):
    table = defaultdict(float, {0: x[0]})
    for i, v in enumerate(x):
        table[i * 2 % 5] += v * v
    return sum(key * v for key, v in table.items())


@FOLLOWED.append
def new_pairs_under_tuples(x):
    table = {(0, 0): (x[0], 1.0)}
    for i in range(1, len(x)):
        a, b = table[i - 1, 0]
        table[i, 0] = (a * x[i], b + a)
    return table[len(x) - 1, 0][0] * table[len(x) - 1, 0][1] + len(table)


@FOLLOWED.append
def keys_that_are_there_in_a_display(x):
    table = {0: 0.0, 1: 0.0, 2: 0.0}
    for v in x:
        table[int(v * 3 + 0.2) % 3] = v * v
    merged = {**table, 3: x[0]}
    return sum((key + 1) * v for key, v in merged.items())


@FOLLOWED.append
def keys_on_some_paths_of_a_loop_that_is_written_out(x):
    table = {}
    for i in range(3):
        if x[i] > 0.4:
            table[i] = x[i]
    return sum(key * v for key, v in table.items()) + len(table)


@FOLLOWED.append
def another_key_on_each_path(x):
    table = {7: x[2]}
    if x[1] > 0.6:
        table[1] = x[1]
    else:
        table[2] = x[0]
    return sum(key * v for key, v in table.items())


@FOLLOWED.append
def lists_under_keys_of_some_paths(x):
    table = defaultdict(list)
    for i in range(3):
        for j in range(3):
            if x[i] > x[j]:
                table[i, 0].append(x[j])
    return sum(sum(v) * (key[0] + 1) for key, v in table.items()) + len(table)


@FOLLOWED.append
def a_default_under_a_text_of_the_run(x):
    table = defaultdict(float)
    table["a"], table["b"] = x[0], x[1]
    return table["a" if x[0] > x[1] else "c"] + len(table) * x[2]


@FOLLOWED.append
def sums_under_texts_of_the_run(x):
    totals = {}
    for v in x:
        name = "large" if v > 0.6 else "small"
        if name not in totals:
            totals[name] = 0.0
        totals[name] += v * v
    return sum(w**2 * len(name) for name, w in totals.items()) + totals.get("huge", 1.0) * x[0]


@FOLLOWED.append
def lists_under_texts_of_the_run(x):
    groups = defaultdict(list)
    for v in x:
        groups["large" if v > 0.6 else "small"].append(v * v)
    return sum(np.mean(groups[name]) * (k + 1) for k, name in enumerate(sorted(groups)))


@FOLLOWED.append
def a_text_that_one_path_adds(x):
    parameters = {"a": x[0], "b": x[1]}
    if x[2] > 0.1:
        parameters["c"] = x[2] * x[0]
    return sum(v**2 for v in parameters.values()) + ("c" in parameters) * x[1]


@FOLLOWED.append
def values_kept_under_floats_of_the_run(x):
    memo, made = {}, 0
    for v in (*x, 0.5 * x[0], x[1]):
        if v not in memo:
            memo[v] = np.sin(v) * v
            made += 1
    return sum(value * (k + 1) for k, value in enumerate(memo.values())) * made + sum(key**2 for key in memo)


@FOLLOWED.append
def the_best_text_of_the_run(x):
    scores = {}
    for v in x:
        name = f"{int(v * 10)}"
        scores[name] = scores.get(name, 0.0) + v * v
    best = max(scores, key=scores.get)
    return scores[best] ** 2 + len(best) * x[0]


@pytest.mark.parametrize("program", FOLLOWED, ids=lambda program: program.__name__)
def test_what_the_run_chooses_has_its_derivative(program: Callable[..., Any]) -> None:
    records = check_derivatives(program, X.copy())
    assert all(record.ok for record in records), [record for record in records if not record.ok]


def test_a_missing_tuple_raises() -> None:
    def missing(x):
        return {(0, 1): x[0], (1, 2): x[1]}[int(np.argmax(x)), 5]

    with pytest.raises(KeyError):
        check_derivatives(missing, X.copy())


def test_an_array_in_a_tuple_is_no_key() -> None:
    def unhashable(x):
        return {(0, 1): x[0], (1, 2): x[1]}[x[:2], 1]

    with pytest.raises(TypeError, match="unhashable"):
        check_derivatives(unhashable, X.copy())


def test_a_default_is_not_made_under_a_new_key_beside_keys_of_other_kinds() -> None:
    def grows(x):
        table = defaultdict(float)
        table["a"], table[1] = x[0], x[1]
        return table["a" if x[0] > x[1] else "c"] + len(table)

    with pytest.raises(UnsupportedOperationError, match="a dict that does not have it") as caught:
        check_derivatives(grows, X.copy())
    assert caught.value.span.line > 0


def test_nan_is_no_key_of_the_run() -> None:
    def kept(x):
        memo = {}
        for v in x:
            memo[v] = v * v
        return sum(memo.values())

    with pytest.raises(UnsupportedOperationError, match="NaN is a key"):
        check_derivatives(kept, np.array([1.0, np.nan]))


@pytest.mark.parametrize("caught", ["RuntimeError", "NotImplementedError", "Exception"])
@pytest.mark.parametrize(
    "tried",
    [
        "for k in d:\n            d[k + 1] = d[k] * 2",
        "for k in d:\n            d.setdefault(k + 10, 1.0)",
        "for k, v in d.items():\n            d[k + 10] = v",
    ],
)
def test_no_handler_of_the_program_is_for_what_is_refused_of_a_walk(tried: str, caught: str) -> None:
    text = (
        "def f(x):\n    d, r = {1: 2.0}, 0.0\n    for v in x:\n        d[int(v * 2)] = v\n"
        f"    try:\n        {tried}\n    except {caught}:\n        r = 7.0\n    return r + sum(d.values())\n"
    )
    f = program(text)
    for x in (X, np.array([1.7, 0.2, 0.6, 2.3])):
        verdict = judge(Cell(text, f, (x,)))
        assert verdict.kind != "wrong", verdict.reason


_IN_DOUBT = "    d = {'a': x[0] * x[1]}\n    if x[0] > 0:\n        d['b'] = x[2] ** 2\n    if x[1] > 0:\n        d['c'] = x[3]\n"


@pytest.mark.parametrize(
    "tried",
    [
        "for v in d.values():\n        d['a'] = v * x[3]\n        d['c'] = d.get('c', 1.0) * 2\n        s = s * x[1] + v",
        "for i, (k, v) in enumerate(d.items()):\n        if 'b' in d:\n            d['b'] += v\n        s = s * x[1] + v * i",
        "for k, v in d.items():\n        for j in list(d):\n            d[j] = d[j] + v\n        s = s * x[1] + v",
        "for v in d.values():\n        d.update(b=x[2], c=v)\n        s = s * x[1] + v",
        "def g(v):\n        d['c'] = v + d.get('c', 2.0)\n        return v\n    s = sum(map(g, d.values()))",
        "for k in d:\n        d[k] = d[k] * x[0]\n    s = sum(d.values())",
        "for k in d:\n        d['z'] = x[0]\n        s += d[k]",
        "for k in d:\n        d[k + 'z'] = x[0]\n        s += d[k]",
        "for k in d:\n        if k == 'b':\n            del d['b']\n        else:\n            s += d[k]",
        "for k in d:\n        d.clear()\n        s += 1.0",
        "for k in list(d):\n        d[k + '1'] = d.pop(k) * x[1]\n    s = sum(d.values())",
    ],
)
def test_a_walk_sees_what_becomes_of_a_dict_in_doubt_or_is_refused(tried: str) -> None:
    text = f"def f(x):\n{_IN_DOUBT}    s = 0.0\n    {tried}\n    return s + len(d)\n"
    f = program(text)
    for x in (np.array([0.7, -1.3, 2.1, 0.4]), np.array([-0.6, 1.2, 0.3, -2.2]), np.array([1.5, 1.4, -0.5, 1.1])):
        verdict = judge(Cell(text, f, (x,)))
        assert verdict.kind != "wrong", verdict.reason


@pytest.mark.parametrize("stored", ["else:\n        d[True] = x[2]", "d[1.0] = x[2]", "d[True] = x[2]"])
def test_a_walk_shows_which_of_equal_keys_a_dict_has(stored: str) -> None:
    text = (
        f"def f(x):\n    d = {{}}\n    if x[0] > 0:\n        d[1] = x[1]\n    {stored}\n"
        "    s = 0.0\n    for k in d:\n        s += d[k] * len(str(k))\n    return s\n"
    )
    f = program(text)
    for x in (np.array([0.7, -1.3, 2.1]), np.array([-0.6, 1.2, 0.3])):
        verdict = judge(Cell(text, f, (x,)))
        assert verdict.kind != "wrong", verdict.reason

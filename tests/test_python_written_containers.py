"""Containers that Python has written in Python, made by a function: `UserDict`, `UserList`, `ChainMap`, `Counter`."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tables.cell import Cell, judge, program

HEAD = """
from collections import ChainMap, Counter, UserDict, UserList
from collections.abc import Mapping, MutableMapping, Sequence

DEFAULTS = {"a": 1.5, "c": 2.0}
TABLE = UserDict(a=2.0, b=3.0)
LAYERS = ChainMap({"a": 2.0}, {"b": 3.0})
COUNTS = Counter("aab")


class Registry(UserDict):
    def total(self):
        return sum(self.values())

    def __missing__(self, key):
        return 1.5


class Series(UserList):
    def mean(self):
        return sum(self) / len(self)


class Shares(Counter):
    def shares(self):
        whole = sum(self.values())
        return {key: value / whole for key, value in self.items()}


class Box(Mapping):
    def __init__(self, **parts):
        self.parts = parts

    def __getitem__(self, key):
        return self.parts[key]

    def __iter__(self):
        return iter(self.parts)

    def __len__(self):
        return len(self.parts)


class Row(Sequence):
    def __init__(self, *parts):
        self.parts = parts

    def __getitem__(self, k):
        return self.parts[k]

    def __len__(self):
        return len(self.parts)


class Lower(MutableMapping):
    def __init__(self, **parts):
        self.parts = dict(parts)

    def __getitem__(self, key):
        return self.parts[key.lower()]

    def __setitem__(self, key, value):
        self.parts[key.lower()] = value

    def __delitem__(self, key):
        del self.parts[key.lower()]

    def __iter__(self):
        return iter(self.parts)

    def __len__(self):
        return len(self.parts)


"""
PROGRAMS = (
    "d = UserDict(a=x[0]); d['b'] = x[1] ** 2; r = d['a'] * d['b'] + sum(d.values())",
    "d = UserDict({'a': x[0]}); d.update(b=x[1]); e = d.copy(); e['a'] = 1.0; r = d['a'] * d['b'] + e['a'] * len(e)",
    "d = UserDict(a=x[0], b=x[1]); r = d.pop('a') * d.get('z', 2.0) + d.setdefault('c', x[2]) * ('a' in d) + d['b'] ** 2",
    "d = Registry(); d['a'] = x[0]; d['b'] = x[1] ** 2; r = d.total() * len(d) + d['zz'] * x[2]",
    "d = Registry(a=x[0], b=x[1]); r = sum(v * (k == 'a') for k, v in d.items()) + d.total()",
    "u = UserList([x[0], 2.0]); u.append(x[1] ** 2); r = u[0] * u[-1] + sum(u) + len(u)",
    "u = Series([x[0], x[1]]); u.extend([x[2]]); r = u.mean() * u[0] + max(u)",
    "u = Series(x[0] * k for k in range(3)) + [x[1]]; r = u.mean() + u[1] ** 2",
    "m = ChainMap({'a': x[0]}, DEFAULTS); n = m.new_child({'b': x[1]}); r = m['a'] * n['b'] * n['c'] + m.get('z', x[2])",
    "m = ChainMap({'a': x[0]}, DEFAULTS); m['d'] = x[1] ** 2; r = sum(m[k] for k in ('a', 'c', 'd')) * ('d' in m.maps[0])",
    "c = Counter()\nfor k in 'aba':\n    c[k] += x[0]\nr = c['a'] * c['b'] + sum(c.values()) ** 2 + c['zz']",
    "c = Counter(a=x[0], b=2.0); c.update(a=x[1]); c.subtract({'b': x[0]}); d = c + Counter(b=9.0); r = c['a'] + d['b'] ** 2",
    "c = Shares(); c['a'] += x[0]; c['b'] += 1.0; r = c.shares()['a'] + c['z']",
    "c = Counter('aab'); r = x[0] ** c['a'] + x[1] * c.most_common(1)[0][1] + c['zz']",
    "b = Box(a=x[0], b=x[1] ** 2); r = sum(b.values()) + b.get('a') * b.get('z', 2.0) + sum(v for k, v in b.items() if k == 'b')",
    "b = Row(x[0], x[1] ** 2); r = sum(b) + sum(reversed(b)) * b[0] + len(b)",
    "b = Lower(A=x[0], b=x[1]); b['B'] = x[1] ** 2; b.update({'C': x[2]}); r = b['b'] * b['c'] + sum(b.values())",
    "r = x[0] * TABLE['a'] + x[1] ** 2 * sum(TABLE.values()) + LAYERS['b'] * x[0] + LAYERS.get('q', x[2]) + COUNTS['a'] * x[1]",
)


@pytest.mark.parametrize("line", PROGRAMS)
def test_their_own_methods_are_followed(line: str) -> None:
    body = line.replace("; ", "\n").replace("\n", "\n    ")
    verdict = judge(Cell(line, program(f"{HEAD}def f(x):\n    {body}\n    return r\n"), (np.array([0.7, 1.3, 0.4]),), bits=False))
    assert verdict.kind == "right", verdict.reason

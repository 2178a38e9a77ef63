"""Objects of subclasses of lists and dicts that a program defines: what the class defines, what is in them, how they are used.

What the class leaves to `list` or `dict` is theirs, wherever Python looks for it; what it defines counts where Python asks
for it, and nowhere else: `dict.update` stores past a `__setitem__`, and `np.array` takes the items past an `__iter__`.
"""

from __future__ import annotations

import itertools
import textwrap
from collections import OrderedDict, defaultdict
from collections.abc import Iterator

import numpy as np

from tests.tables.cell import Cell, Written

OF_LISTS = {
    "nothing": "pass",
    "a method": "def push(self, v):\n    self.append(v)",
    "attributes": "unit = 2.0\ndef __init__(self, *items):\n"
    "    super().__init__(items[0] if items else ())\n    self.scale = 3.0",
    "an `__init__` by its own name": "def __init__(self, items=()):\n    list.__init__(self, items)\n    self.n = len(self)",
    "no call of `__init__`": "def __init__(self, items=()):\n    for v in items:\n        self.append(v)",
    "`__getitem__`": "def __getitem__(self, k):\n    return 2.0 * super().__getitem__(k)",
    "`__setitem__`": "def __setitem__(self, k, v):\n    super().__setitem__(k, v * 3.0)",
    "`__len__`": "def __len__(self):\n    return 2",
    "`__iter__`": "def __iter__(self):\n    for k in range(list.__len__(self)):\n        yield list.__getitem__(self, k) * 5.0",
    "`__contains__`": "def __contains__(self, v):\n    return True",
    "`__bool__`": "def __bool__(self):\n    return False",
    "`__eq__`": "def __eq__(self, other):\n    return True\n__hash__ = None",
    "`__add__`": "def __add__(self, other):\n    return type(self)([a + b for a, b in zip(self, other)])",
    "`append`": "def append(self, v):\n    super().append(v * 7.0)",
    "`__call__`": "def __call__(self, k):\n    return self[k]",
    "`__getattr__`": "def __getattr__(self, name):\n"
    "    if name == 'first':\n        return self[0]\n    raise AttributeError(name)",
    "`__slots__`": "__slots__ = ('note',)",
}
LISTS = {
    "from items": "c = C([x[0], x[1] ** 2, x[2]])",
    "appended": "c = C()\nc.append(x[0])\nc.append(x[1] ** 2)\nc.append(x[2])",
    "of a list": "c = C(list(x))",
    "by +=": "c = C([x[0]])\nc += [x[1], x[2] * x[0]]",
    "extended": "c = C([x[2]])\nc.extend(v * v for v in x)",
}
USES_OF_LISTS = {
    "item": "r = c[0] * c[-1]",
    "slice": "p = c[1:]\nr = p[0] * len(p) + (1.0 if type(p) is list else 0.0)",
    "stored": "c[0] = x[1] * 2.0\nr = c[0] * c[1]",
    "slice stored": "c[:2] = [x[0] * 2.0, x[1]]\nr = c[0] * c[1] + len(c)",
    "deleted": "del c[0]\nr = c[0] * len(c)",
    "length": "r = x[0] * len(c)",
    "walked": "r = 0.0\nfor v in c:\n    r += v ** 2",
    "walked by places": "r = 0.0\nfor k in range(len(c)):\n    r += c[k] * k",
    "enumerated": "r = sum(k * v for k, v in enumerate(c))",
    "zipped": "r = sum(a * b for a, b in zip(c, x))",
    "reversed": "r = 0.0\nfor k, v in enumerate(reversed(c)):\n    r += k * v",
    "summed": "r = sum(c)",
    "sorted": "r = sorted(c)[0] * 2.0 + sorted(c)[1]",
    "largest": "r = max(c) * min(c)",
    "unpacked": "a, b, *rest = c\nr = a * b",
    "display": "t = [*c, x[0]]\nr = t[0] * t[-2] + len(t)",
    "call": "def g(*v):\n    return v[0] * v[1] + len(v)\nr = g(*c)",
    "as list": "t = list(c)\nr = t[0] * t[1]",
    "as tuple": "t = tuple(c)\nr = t[0] * t[1]",
    "as array": "r = np.sum(np.array(c) ** 2)",
    "in NumPy": "r = np.mean(c) + np.dot(c, c)",
    "in math": "import math\nr = math.fsum(c) + math.prod(c)",
    "added": "t = c + [x[0]]\nr = t[0] * t[1] + len(t) + (1.0 if type(t) is list else 0.0)",
    "added to": "t = [x[0]] + c\nr = t[0] * t[1] + len(t)",
    "repeated": "t = c * 2\nr = t[0] * t[-1] + len(t)",
    "in": "r = x[0] * (1.0 if 100.0 in c else 2.0)",
    "truth": "r = x[0] if c else x[1]",
    "not empty": "r = x[0]\nwhile c and len(c) > 1:\n    r += c.pop()",
    "equal": "r = x[0] if c == [1.0] else x[1]",
    "not equal": "r = x[0] if c != [1.0] else x[1]",
    "equal to its kind": "r = x[0] if c == C([1.0, 2.0, 3.0]) else x[1]",
    "popped": "r = c.pop() * c.pop(0)",
    "inserted": "c.insert(0, x[1])\nr = c[0] * c[1] * len(c)",
    "reversed in place": "c.reverse()\nr = c[0]",
    "sorted in place": "c.sort()\nr = c[0]",
    "sorted by a key": "c.sort(key=lambda v: -v)\nr = c[0]",
    "copied": "t = c.copy()\nt[0] = x[2]\nr = t[0] * c[0] + (1.0 if type(t) is list else 0.0)",
    "copied by `copy`": "import copy\nt = copy.copy(c)\nt[0] = x[2]\nr = t[0] * c[0] + (1.0 if type(t) is C else 0.0)",
    "copied deeply": "import copy\nt = copy.deepcopy(c)\nt[0] = x[2]\nr = t[0] * c[0] + (1.0 if type(t) is C else 0.0)",
    "index": "r = x[0] * c.index(c[1])",
    "count": "r = x[0] * c.count(100.0)",
    "cleared": "c.clear()\nr = x[0] * len(c)",
    "class": "r = x[0] * (isinstance(c, list) + 2 * isinstance(c, C) + 4 * (type(c) is list) + 8 * (type(c) is C))",
    "attribute": "c.note = x[1]\nr = c.note * c[0]",
    "attributes": "c.note = x[1]\nr = x[0] * len(vars(c)) if hasattr(c, '__dict__') else x[0]",
    "has": "r = x[0] * (hasattr(c, 'append') + 2 * hasattr(c, 'push') + 4 * hasattr(c, 'scale'))",
    "identity": "t = c\nr = x[0] if t is c else x[1]",
    "aliased": "t = c\nt.append(x[0] * x[1])\nr = c[-1] * len(c)",
    "iterator": "it = iter(c)\nr = next(it) * next(it)",
    "comprehension": "r = sum([v * 2.0 for v in c if v > 0.1])",
    "any": "r = x[0] if any(v > 50.0 for v in c) else x[1]",
    "accumulated": "import itertools\nr = list(itertools.accumulate(c))[-1]",
    "reduced": "import functools\nr = functools.reduce(lambda a, b: a * b, c)",
    "by an unbound method": "list.append(c, x[0])\nr = list.__getitem__(c, -1) * list.__len__(c)",
    "bound method kept": "add = c.append\nadd(x[0])\nadd(x[1])\nr = c[-1] * c[-2]",
    "matched": "match c:\n    case [a, b, *rest]:\n        r = a * b\n    case _:\n        r = x[0]",
    "matched by class": "match c:\n    case list():\n        r = x[0]\n    case _:\n        r = x[1]",
    "grown by the run": "s = x[0]\nwhile s > 0.1:\n    c.append(s)\n    s = s * 0.5\nr = c[-1] * c[-2] + len(c)",
    "chosen": "d = C([x[2], x[1]]) if x[0] > 0.0 else C([x[1]])\nr = d[0]",
    "changed on a path": "if x[0] > 0.2:\n    c.append(x[1] * 2.0)\nelse:\n    c.append(x[2])\nr = c[-1]",
    "in a loop of arrays": "for v in x:\n    c.append(v * v)\nr = c[-1] + sum(c)",
    "given to a function": "def g(c):\n    c.append(x[0])\n    return c[-1]\nr = g(c) * len(c)",
    "in a list": "boxes = [c, C([x[2]])]\nr = boxes[0][0] * boxes[1][0]",
    "heap": "import heapq\nheapq.heapify(c)\nheapq.heappush(c, x[1])\nr = heapq.heappop(c)",
    "bisect": "import bisect\nr = x[0] * bisect.bisect(c, 0.7)",
    "text": "t = f'{c}' + str(c)\nr = x[0] * (len(t) > 0)",
    "returned": "return c",
    "called": "r = c(0)",
    "push": "c.push(x[0])\nr = c[-1]",
    "scale": "r = c[0] * c.scale * c.unit",
    "first": "r = c.first",
}
OF_DICTS = {
    "nothing": "pass",
    "a method": "def total(self):\n    return sum(self.values())",
    "attributes": "def __init__(self, *args, **kwargs):\n    super().__init__(*args, **kwargs)\n    self.scale = 3.0",
    "`__getattr__`": "def __getattr__(self, name):\n    try:\n"
    "        return self[name]\n    except KeyError:\n        raise AttributeError(name)\n"
    "def __setattr__(self, name, value):\n    self[name] = value",
    "C's own for attributes": "__getattr__ = dict.__getitem__\n__setattr__ = dict.__setitem__\n__delattr__ = dict.__delitem__",
    "`get` for attributes": "__getattr__ = dict.get\n__setattr__ = dict.__setitem__",
    "itself for attributes": "def __init__(self, *args, **kwargs):\n    super().__init__(*args, **kwargs)\n"
    "    self.__dict__ = self",
    "`__missing__`": "def __missing__(self, key):\n    return 4.0",
    "`__missing__` that stores": "def __missing__(self, key):\n    self[key] = value = 4.0\n    return value",
    "`__getitem__`": "def __getitem__(self, k):\n    return 2.0 * super().__getitem__(k)",
    "`__setitem__`": "def __setitem__(self, k, v):\n    super().__setitem__(k, v * 3.0)",
    "`__contains__`": "def __contains__(self, k):\n    return True",
    "`__iter__`": "def __iter__(self):\n    return iter(['a'])",
    "`__len__`": "def __len__(self):\n    return 7",
    "`keys`": "def keys(self):\n    return ['b']",
    "`get`": "def get(self, key, default=None):\n    return self[key] * 9.0 if key in self else default",
    "`update`": "def update(self, other):\n    for k, v in other.items():\n        self[k] = v * 5.0",
}
DICTS = {
    "by name": "c = C(a=x[0], b=x[1] ** 2)",
    "of a dict": "c = C({'a': x[0], 'b': x[1] ** 2})",
    "of pairs": "c = C([('a', x[0]), ('b', x[1] * 2.0)])",
    "stored": "c = C()\nc['a'] = x[0]\nc['b'] = x[1] ** 2",
    "updated": "c = C()\nc.update({'a': x[0], 'b': x[1] * x[2]})",
}
USES_OF_DICTS = {
    "item": "r = c['a'] * c['b']",
    "missing item": "r = c['z'] * x[0]",
    "missing, then length": "try:\n    r = c['z'] * x[0]\nexcept KeyError:\n    r = x[1]\nr = r * len(c)",
    "attribute": "r = c.a * c.b",
    "missing attribute": "r = x[0] if hasattr(c, 'zz') else x[1]",
    "attribute by default": "v = getattr(c, 'zz', None)\nr = x[0] if v is None else x[1] * v",
    "set attribute": "c.d = x[2]\nr = c.d * x[0] + len(c)",
    "set and asked": "c.d = x[2]\nr = c['d'] if 'd' in c else c.d * 2.0",
    "deleted attribute": "c.d = x[2]\ndel c.d\nr = x[0] * len(c)",
    "get": "r = c.get('a') * c.get('z', 2.0)",
    "in": "r = x[0] if 'z' in c else x[1]",
    "deleted": "del c['a']\nr = c['b'] * len(c)",
    "popped": "r = c.pop('a') * len(c)",
    "default": "r = c.setdefault('a', 3.0) * c.setdefault('q', x[2])",
    "walked": "r = 0.0\nfor k in c:\n    r += c[k] ** 2",
    "items": "r = 0.0\nfor k, v in c.items():\n    r += v * len(k)",
    "values": "r = sum(c.values()) * max(c.values())",
    "keys": "r = x[0] * len(list(c.keys()))",
    "sorted": "r = sum(c[k] * i for i, k in enumerate(sorted(c)))",
    "length": "r = x[0] * len(c)",
    "truth": "r = x[0] if c else x[1]",
    "updated": "c.update(b=x[2]) if not hasattr(type(c), 'zz') else None\nr = c['b'] * c['a']",
    "updated by its kind": "d = C()\nd['q'] = x[2]\nt = {}\nt.update(c)\nt.update(d)\nr = t['a'] * t['q']",
    "display": "t = {**c, 'q': x[2]}\nr = t['a'] * t['q'] + len(t)",
    "call": "def g(a=1.0, b=2.0):\n    return a * b ** 2\nr = g(**c)",
    "as dict": "t = dict(c)\nr = t['a'] * t['b'] + (1.0 if type(t) is dict else 0.0)",
    "of its kind": "t = C(c)\nt['a'] = x[2]\nr = t['a'] * c['a'] * t['b']",
    "joined": "t = c | {'q': x[2]}\nr = t['a'] * t['q'] + (1.0 if type(t) is dict else 0.0)",
    "joined in place": "c |= {'a': x[2]}\nr = c['a'] * c['b']",
    "equal": "r = x[0] if c == {'a': 1.0} else x[1]",
    "copied": "t = c.copy()\nt['a'] = x[2]\nr = t['a'] * c['a'] + (1.0 if type(t) is dict else 0.0)",
    "copied by `copy`": "import copy\nt = copy.copy(c)\nt['a'] = x[2]\nr = t['a'] * c['a'] + (1.0 if type(t) is C else 0.0)",
    "copied deeply": "import copy\nt = copy.deepcopy(c)\nt['a'] = x[2]\nr = t['a'] * c['a'] + (1.0 if type(t) is C else 0.0)",
    "class": "r = x[0] * (isinstance(c, dict) + 2 * isinstance(c, C) + 4 * (type(c) is dict))",
    "comprehension": "t = {k: v * 2.0 for k, v in c.items()}\nr = t['a'] * t['b']",
    "nested": "c['n'] = C(a=x[2])\nr = c['n']['a'] * c['a']",
    "nested attribute": "c['n'] = C(a=x[2])\nr = c.n.a * c.a",
    "increased": "c['a'] += x[2]\nr = c['a'] * c['b']",
    "keyed by the run": "for v in x:\n    c[int(v * 4.0)] = v * v\nr = c[2]",
    "changed on a path": "if x[0] > 0.2:\n    c['b'] = x[2]\nr = c['a'] * c['b']",
    "key on a path": "if x[0] > 0.2:\n    c['q'] = x[2]\nr = c['a'] * c.get('q', 1.0)",
    "aliased": "t = c\nt['a'] = x[1] * x[2]\nr = c['a']",
    "by an unbound method": "dict.__setitem__(c, 'a', x[1])\nr = dict.__getitem__(c, 'a') * dict.__len__(c)",
    "cleared": "c.clear()\nr = x[0] * len(c)",
    "matched": "match c:\n    case {'a': a}:\n        r = a * x[1]\n    case _:\n        r = x[0]",
    "given to a function": "def g(c):\n    c['a'] = c['a'] * 2.0\n    return c['a']\nr = g(c) * c['b']",
    "text": "t = f'{c}' + str(c)\nr = x[0] * (len(t) > 0)",
    "returned": "return c",
    "total": "r = c.total()",
    "scale": "r = c['a'] * c.scale",
    "reversed": "r = x[0] * sum(len(k) for k in reversed(c))",
    "largest key": "best = max(c, key=c.get)\nr = c[best]",
    "in a list": "rows = [c, C(a=x[2])]\nr = sum(row['a'] for row in rows)",
    "rows of the run": "rows, s = [], x[0]\nwhile s > 0.1:\n    rows.append(C(a=s, b=s * s))\n"
    "    s = s * 0.5\nr = sum(row['a'] for row in rows) + rows[-1]['b']",
}
BASES = {"dict": "dict", "an ordered dict": "OrderedDict", "a dict with a default": "defaultdict"}
POINT = (np.array([0.6, 1.2, 0.9]),)


def _program(base: str, body: str, made: str, use: str) -> Written:
    defined, made, use = (textwrap.indent(text, "    ") for text in (body, made, use))
    end = "" if use.strip().startswith("return ") else "    return r\n"
    text = f"class C({base}):\n{defined}\ndef f(x):\n{made}\n{use}\n{end}"
    return Written(text, {"OrderedDict": OrderedDict, "defaultdict": defaultdict})


def cells() -> Iterator[Cell]:
    """Every use of what every class makes of its items, in every way."""
    for (kind, body), (way, made), (use, text) in itertools.product(OF_LISTS.items(), LISTS.items(), USES_OF_LISTS.items()):
        yield Cell(f"list with {kind}, {way}: {use}", _program("list", body, made, text), POINT)
    for base, (kind, body), (way, made), (use, text) in itertools.product(
        BASES, OF_DICTS.items(), DICTS.items(), USES_OF_DICTS.items()
    ):
        given = made.replace("C(", "C(float, ").replace(", )", ")") if BASES[base] == "defaultdict" else made
        yield Cell(f"{base} with {kind}, {way}: {use}", _program(BASES[base], body, given, text), POINT)

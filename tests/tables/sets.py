"""In which order Python walks over a set: by what its elements are, by how it came to be, by how it is walked over.

Many elements share a place in the small tables of sets, so that their order follows from which came first and from what was taken
out meanwhile.
"""

from __future__ import annotations

import copy
import functools
import itertools
import json
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.tables.cell import Cell, Written

ELEMENTS = {
    "small": ("7", "0", "3", "1", "5"),
    "of one place": ("8", "0", "16", "1", "24"),
    "below zero": ("-1", "-2", "-9", "0", "7"),
    "large": ("10**18 + 7", "2**61 - 1", "0", "2**61 + 7", "15"),
    "truth values": ("True", "0", "8", "2", "16"),
    "floats": ("2.5", "0.0", "-0.5", "8.0", "1e300"),
    "equal ones": ("1.0", "1", "True", "9", "0"),
    "texts": ("'ab'", "'c'", "''", "'abc'", "'d'"),
    "bytes": ("b'ab'", "b'c'", "b''", "b'abc'", "b'd'"),
    "tuples": ("(1, 2)", "(0, 'c')", "()", "(1.0, 2)", "((), 3)"),
    "None": ("8", "None", "0", "16", "None"),
    "texts and numbers": ("'ab'", "8", "'c'", "0", "16"),
    "frozen sets": ("frozenset((8, 0))", "frozenset(())", "frozenset((0,))", "8", "0"),
    "classes": ("int", "float", "str", "8", "0"),
}
MAKES = {
    "a display": "s = {{{a}, {b}, {c}, {d}, {e}}}",
    "a small display": "s = {{{a}, {b}}}",
    "a display of names": "p, q, r = {a}, {c}, {d}\n    s = {{p, q, r, {b}}}",
    "a display with a star": "l = [{b}, {c}]\n    s = {{{a}, *l, {d}, *{{{e}, {a}}}}}",
    "of a list": "s = set([{a}, {b}, {c}, {d}, {e}])",
    "of an argument": "s = set([l[k] for k in range(5)])",
    "of a tuple": "s = set(({a}, {c}, {b}))",
    "of a dict": "s = set({{k: 0 for k in [{a}, {b}, {c}, {d}, {e}]}})",
    "of an ordered dict": "s = set(OrderedDict([(k, 0) for k in [{a}, {b}, {c}, {d}, {e}]]))",
    "of the keys of a dict": "s = set({{k: 0 for k in [{a}, {b}, {c}, {d}, {e}]}}.keys())",
    "of the items of a dict": "s = {{k for k, v in set({{{a}: 1, {b}: 2, {c}: 3, {d}: 4}}.items())}}",
    "of a set": "s = set({{{a}, {b}, {c}, {d}, {e}}})",
    "of an iterator": "s = set(map(lambda v: v, [{a}, {b}, {c}, {d}, {e}]))",
    "of a range": "s = set(range(16, -1, -8))",
    "of a text": "s = set('cabd')",
    "a comprehension": "s = {{v for v in [{a}, {b}, {c}, {d}, {e}]}}",
    "a comprehension of a display": "s = {{v for v in {{{a}, {b}, {c}, {d}}}}}",
    "added": "s = set()\n    for v in [{a}, {b}, {c}, {d}, {e}]:\n        s.add(v)",
    "taken out and added": "s = {{{a}, {b}, {c}, {d}}}\n    s.discard({a})\n    s.discard({e})\n    s.add({e})\n    s.add({a})",
    "removed": "s = {{{a}, {b}, {c}, {d}, {e}}}\n    s.remove({b})\n    s |= {{{b}}}",
    "popped": "s = {{{a}, {b}, {c}, {d}}}\n    v = s.pop()\n    s.add({e})\n    s.add(v)",
    "cleared": "s = {{{a}, {b}}}\n    s.clear()\n    s.update([{c}, {a}], {{{b}, {d}}})",
    "updated by a dict": "s = {{{a}}}\n    s.update({{{b}: 1, {c}: 2, {d}: 3, {e}: 4}})",
    "once large": "s = {{{a}, {b}, {c}}}\n    s.update(range(100, 160))\n    for v in range(100, 160):\n        s.remove(v)",
    "a copy of one once large": (
        "s = set(range(100, 160))\n    s.update([{a}, {b}, {c}])\n    s -= set(range(100, 160))\n    s = s.copy()"
    ),
    "both": "s = {{{a}, {b}}} | {{{c}, {d}, {e}}}",
    "common": "s = {{{a}, {b}, {c}, {d}}} & {{{d}, {b}, {a}}}",
    "without": "s = {{{a}, {b}, {c}, {d}, {e}}} - {{{b}}}",
    "one of both": "s = {{{a}, {b}, {c}}} ^ {{{c}, {d}, {e}}}",
    "union": "s = {{{a}}}.union([{c}, {b}], {{{d}: 0}}, {{{e}}})",
    "intersection": "s = {{{a}, {b}, {c}, {d}}}.intersection([{d}, {a}, {c}])",
    "difference": "s = {{{a}, {b}, {c}, {d}}}.difference([{b}])",
    "symmetric difference": "s = {{{a}, {b}}}.symmetric_difference([{c}, {b}, {d}])",
    "in place": (
        "s = {{{a}, {b}, {c}}}\n    s |= {{{d}}}\n    s &= {{{d}, {c}, {a}}}\n    s ^= {{{e}, {c}}}\n    s -= {{{a}}}\n    s |= s"
    ),
    "changed by methods": (
        "s = {{{a}, {b}, {c}, {d}}}\n    s.intersection_update([{d}, {b}, {a}])\n    s.difference_update([{b}])\n"
        "    s.symmetric_difference_update([{c}, {b}, {e}])"
    ),
    "keys and": "s = {{{a}: 1, {b}: 2, {c}: 3}}.keys() & {{{c}, {a}}}",
    "keys or": "s = {{{a}: 1, {b}: 2}}.keys() | {{{c}, {d}}}",
    "or keys": "s = {{{a}, {b}}} | {{{c}: 1, {d}: 2}}.keys()",
    "keys without": "s = {{{a}: 1, {b}: 2, {c}: 3, {d}: 0}}.keys() - [{b}]",
    "a copy": "s = {{{a}, {b}, {c}, {d}}}.copy()\n    s.add({e})",
    "copy.copy": "s = copy.copy({{{a}, {b}, {c}, {d}}})",
    "copy.deepcopy": "s = copy.deepcopy({{{a}, {b}, {c}, {d}}})",
    "frozen": "s = frozenset([{a}, {b}, {c}, {d}, {e}])",
    "frozen from a set": "s = frozenset({{{a}, {b}, {c}, {d}}})",
    "frozen ones joined": "s = frozenset([{a}, {b}]) | {{{c}, {d}}}",
    "a method of a frozen one": "s = frozenset([{a}, {b}]).union([{c}, {d}])",
    "joined to a frozen one": "s = {{{a}, {b}}} | frozenset([{c}, {d}])",
    "of one path": (
        "s = {{{a}, {b}, {c}}}\n    if x[0] > 0.0:\n        s.add({d})\n        s.add({e})\n    else:\n        s.add({e})"
    ),
    "the same on two paths": (
        "s = {{{a}, {b}, {c}}}\n    if x[0] > 0.0:\n        s.add({a})\n    else:\n        s.discard({a})\n        s.add({a})"
    ),
    "changed in a loop": "s = {{{a}, {b}, {c}}}\n    while x[0] > len(s):\n        s.discard({a})\n        s.add({a})",
    "of another function": "s = built({a}, {b}, {c}, {d})",
    "global": "s = SET",
    "global and changed": "s = SET | {{{a}, {b}}}",
    "global and frozen": "s = FROZEN",
    "global, frozen and changed": "s = FROZEN - {{{a}}}",
    "a default": "s = given()",
}
"""`a` to `e` are elements, `l` is a list of them. ``SET`` and ``FROZEN`` hold some of them."""
WALKS = {
    "for": "r = 1.0\n    for k in s:\n        r = r * 0.5 + number(k, x)",
    "for with places": "r = 0.0\n    for i, k in enumerate(s):\n        r += i * number(k, x)",
    "a comprehension": "r = running([number(k, x) for k in s])",
    "a generator": "r = sum(number(k, x) * 0.1 for k in s)",
    "a dict of places": "w = {k: i for i, k in enumerate(s)}\n    r = sum([w[k] * number(k, x) for k in sorted(s, key=str)])",
    "list": "l = list(s)\n    r = running([number(l[k], x) for k in range(len(l))])",
    "tuple": "l = tuple(s)\n    r = number(l[0], x) + 3.0 * number(l[-1], x)",
    "a display with a star": "l = [*s, *s]\n    r = running([number(k, x) for k in l])",
    "unpacked": "p, *q = s\n    r = number(p, x) * 3.0 + running([number(k, x) for k in q])",
    "unpacked into two": "p, q = s\n    r = number(p, x) * 3.0 + number(q, x)",
    "arguments": "r = first(*s)",
    "sorted": "r = running([number(k, x) for k in sorted(s)])",
    "sorted by a key": "r = running([number(k, x) for k in sorted(s, key=lambda k: len(str(k)))])",
    "sorted backwards": "r = running([number(k, x) for k in sorted(s, key=lambda k: k is None, reverse=True)])",
    "zip": "r = sum([w * number(k, x) for k, w in zip(s, [1.0, 2.0, 4.0, 8.0, 16.0])])",
    "zip of two": "r = sum([number(k, x) * number(j, x) ** 2 for k, j in zip(s, list(s)[1:])])",
    "map": "r = running(list(map(lambda k: number(k, x), s)))",
    "filter": "r = running([number(k, x) for k in filter(lambda k: k is not None, s)])",
    "largest": "r = number(max(s), x)",
    "smallest": "r = number(min(s), x)",
    "largest by a key": "r = number(max(s, key=lambda k: len(str(k)) > 2), x)",
    "smallest by a key": "r = number(min(s, key=lambda k: 0), x)",
    "sum": "r = sum(s) * x[0]",
    "join": "r = len(','.join([str(k) for k in s]).split('8')[0]) * x[0]",
    "join of it": "r = ord((','.join(s) + ' ')[0]) * x[0]",
    "text": "r = sum([k * ord(c) for k, c in enumerate(str(s))]) * x[0]",
    "formatted": "r = sum([k * ord(c) for k, c in enumerate(f'{s}')]) * x[0]",
    "dict.fromkeys": "r = running([number(k, x) for k in dict.fromkeys(s, 0)])",
    "next": "r = number(next(iter(s)), x)",
    "pop": "s = set(s)\n    r = number(s.pop(), x) + 2.0 * number(s.pop(), x)",
    "reduce": "r = functools.reduce(lambda r, k: r * 0.5 + number(k, x), s, 1.0)",
    "pairs": "r = running([number(k, x) * number(j, x) ** 2 for k, j in itertools.combinations(s, 2)])",
    "chained": "r = running([number(k, x) for k in itertools.chain(s, [8], s)])",
    "accumulated": "r = running(list(itertools.accumulate([number(k, x) for k in s])))",
    "backwards": "r = running([number(k, x) for k in reversed(list(s))])",
    "an array": "r = np.sum(np.array([number(k, x) for k in s]) * np.arange(len(s)))",
    "an array of it": "r = np.sum(np.array(list(s)) * np.arange(len(s))) * x[0]",
    "a set of it": "r = running([number(k, x) for k in set(s)])",
    "a set with more": "r = running([number(k, x) for k in s | {24, 32}])",
    "both ways": "r = running([number(k, x) for k in {24, 32} | s])",
    "a frozen set of it": "r = running([number(k, x) for k in frozenset(s)])",
    "length": "r = len(s) * x[0]",
    "contained": "r = (8 in s) * x[0] + (None in s) * x[1] + ('c' not in s) * x[2]",
    "compared": "r = (s == {0, 8, 16}) * x[0] + (s <= {0, 1, 8, 16, 24}) * x[1] + s.isdisjoint([8]) * x[2]",
    "any": "r = (any(s) + 2 * all(s)) * x[0]",
    "equal to its list": "r = (list(s) == sorted(s, key=str)) * x[0] + x[1]",
    "an unseen function": "r = sum([k * ord(c) for k, c in enumerate(json.dumps(s, default=list))]) * x[0]",
}


def running(ks: list[float]) -> float:
    """A number that knows in which order its parts come."""
    total = 1.0
    for k in ks:
        total = total * 0.5 + k
    return total


def first(*ks: Any) -> float:
    """How many arguments there are, and whether the first is a number."""
    return len(ks) + 0.5 * isinstance(ks[0], int) + 0.25 * isinstance(ks[0], bool)


def built(*ks: Any) -> set[Any]:
    """A set that another function makes."""
    found = set(ks)
    found.discard(ks[0])
    found.add(ks[0])
    return found


def given(found: frozenset[Any] | set[Any] = frozenset((8, 0, 16))) -> Any:
    """A set that is a default."""
    return found


def cells() -> Iterator[Cell]:
    """Every walk over every set of every kind of elements."""
    library = {"copy": copy, "functools": functools, "itertools": itertools, "json": json, "OrderedDict": OrderedDict}
    helpers = {"running": running, "first": first, "built": built, "given": given}
    ranked = {}
    for elements, parts in ELEMENTS.items():
        values = [eval(part) for part in parts]
        ranked[elements] = values, {value: rank for rank, value in enumerate(dict.fromkeys([*values, *range(33), *"abcd"]))}
    for (elements, parts), (make, made), (walk, walked) in itertools.product(ELEMENTS.items(), MAKES.items(), WALKS.items()):
        if "{" not in made and elements != "small":
            continue
        names = dict(zip("abcde", parts, strict=True))
        values, ranks = ranked[elements]
        text = (
            "def number(k, x):\n    return x[RANKS[k] % 4] * (RANKS[k] + 1) + len(str(type(k)))\n"
            f"def f(x, l):\n    {made.format(**names)}\n    {walked}\n    return r * x[1] + r\n"
        )
        outside = {"SET": set(values[:4]), "FROZEN": frozenset(values[:4]), "RANKS": ranks}
        function = Written(text, library | helpers | outside)
        yield Cell(f"{elements}, {make}: {walk}", function, (np.array([0.7, 1.3, -0.4, 2.1]), [*values]), smooth=True, orders=1)

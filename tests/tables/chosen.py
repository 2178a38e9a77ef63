"""Containers and objects of which only a run tells which one a name holds, and of which one is changed by another name.

Two things, `a` and `b`, by what they are; `c` is one of them, by how the run chooses it; then one of the three is changed, by how
and where, and another one is read. What is changed by one name is changed by every other that has it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tests.tables.cell import Cell, Written

ARGS = (0.7, np.array([0.3, 1.7, -0.4]))
HEADER = """
import collections
import dataclasses

class Box:
    def __init__(self, v, w):
        self.v = v
        self.w = w

@dataclasses.dataclass
class Pair:
    v: float
    w: float

"""


@dataclass(frozen=True, slots=True)
class Thing:
    """What two names hold: how each is made, how one of them, `#`, is changed, and what is read of it."""

    first: str
    second: str
    changes: tuple[str, ...]
    read: str


OF_LISTS = (
    "#[0] = x * 3.0",
    "#[1] *= v[1]",
    "#.reverse()",
    "#.append(x)",
    "#.pop()",
    "#[:] = [x, x * x]",
    "#.clear()",
    "# += [x]",
)
OF_DICTS = ("#['p'] *= v[1]", "#.update(q=x)", "#['r'] = x", "del #['p']", "#.pop('q')", "#.clear()")
OF_OBJECTS = ("#.v *= v[1]", "#.v = x", "#.v, #.w = #.w, #.v", "setattr(#, 'w', x * x)")
THINGS = {
    "list": Thing("[v[0], x]", "[v[1], 2.0 * x]", OF_LISTS, "sum(t * (k + 1) for k, t in enumerate(#))"),
    "dict": Thing("{'p': v[0], 'q': x}", "{'p': v[1], 'q': x * x}", OF_DICTS, "sum(#.values()) * len(#) + #.get('p', 1.0)"),
    "defaultdict": Thing(
        "collections.defaultdict(float, p=v[0], q=x)",
        "collections.defaultdict(float, p=x, q=v[1])",
        OF_DICTS,
        "#['p'] * #['q'] ** 2",
    ),
    "deque": Thing(
        "collections.deque([v[0], x])",
        "collections.deque([v[1], x])",
        ("#.append(x)", "#.popleft()", "#.rotate(1)", "#.appendleft(v[2])"),
        "sum(t * (k + 1) for k, t in enumerate(#))",
    ),
    "object": Thing("Box(v[0], x)", "Box(v[1], x * x)", OF_OBJECTS, "#.v * #.w + #.w"),
    "dataclass": Thing("Pair(v[0], x)", "Pair(v[1], x * x)", OF_OBJECTS, "#.v * #.w + #.w"),
    "list in a list": Thing("[[v[0], x]]", "[[v[1], x]]", ("#[0][0] *= v[1]", "#[0].append(x)", "#[0] = [x]"), "sum(#[0]) ** 2"),
    "object in an object": Thing(
        "Box(Box(v[0], x), x)",
        "Box(Box(v[1], x), x)",
        ("#.v.v *= v[1]", "#.v = #.v.w", "#.v = Box(x, x)"),
        "getattr(#.v, 'v', x)",
    ),
    "list in an object": Thing("Box([v[0]], x)", "Box([v[1]], x)", ("#.v.append(x)", "#.v[0] *= x"), "sum(#.v) ** 2"),
    "array in an object": Thing("Box(v * x, x)", "Box(v + x, x)", ("#.v[0] *= 3.0", "#.v *= x", "#.v = #.v * x"), "#.v @ v"),
    "array": Thing("v * x", "v + x", ("#[0] *= 3.0", "#[1:] += #[:-1]", "np.sin(#, out=#)"), "# @ v"),
    "long list": Thing(
        "[t * x for t in v if t > 0.0]",
        "[t + x for t in v if t < 1.0]",
        ("#.append(x)", "#.pop()", "#.reverse()"),
        "sum(#) * #[0]",
    ),
}
TRUTHS = ("x > 0.5", "x > 5.0")
CHOICES = {
    "branch": "c = b\nif {}:\n    c = a",
    "conditional": "c = a if {} else b",
    "match": "match bool(v[0] > 0.0 and {}):\n    case True:\n        c = a\n    case _:\n        c = b",
    "early return": "def chosen():\n    for t in v:\n        if t > 1 and {}:\n            return a\n    return b\nc = chosen()",
    "break": "c = b\nfor t in v:\n    if t > 1.0 and {}:\n        c = a\n        break",
    "while": "c, k = b, x\nwhile k < 3.0 and {}:\n    c = a\n    k = k * 1.7",
    "handler": "c = b\ntry:\n    if {}:\n        raise ValueError\nexcept ValueError:\n    c = a",
    "generator": "def each():\n    yield a if {} else b\nfor c in each():\n    pass",
    "key": "c = min([a, b], key=lambda t: (t is b) == bool({}))",
    "place": "c = [b, a][int({})]",
    "dict": "c = {{0: b, 1: a}}[int({})]",
    "attribute": "held = Box(b, x)\nif {}:\n    held.v = a\nc = held.v",
    "item": "held = [b, x]\nif {}:\n    held[0] = a\nc = held[0]",
    "tuple": "held = (x, a) if {} else (v[0], b)\nc = held[1]",
    "closure": "c = b\ndef choose():\n    nonlocal c\n    if {}:\n        c = a\nchoose()",
    "nothing": "c = None\nif {}:\n    c = a\nc = b if c is None else c",
    "twice": "c = a if v[1] > 1.0 else [x]\nc = c if {} else b",
    "in a loop": "c = b\nfor t in v:\n    c = a if {} else c",
}
PLACES = {
    "after": "{}",
    "in a branch": "if v[1] > 1.0:\n    {}",
    "in a loop": "for turn in range(len(v) - 2):\n    {}",
    "in a while": "k = v[1]\nwhile k < 2.0:\n    {}\n    k = k * 1.5",
    "in a helper": "def change(held):\n    {}\nchange({name})",
}
ROLES = ("a c", "b c", "c a", "c b", "a b")


QUESTIONS = {
    "is": "c is a",
    "is not": "b is not c",
    "equals": "c == a",
    "differs": "c != b",
    "in": "c in [a]",
    "not in": "c not in (b, b)",
    "in two": "a in [b, c]",
    "equal tuples": "(x, c) == (x, a)",
    "equal lists": "[c, b] == [a, b]",
    "equal dicts": "{'k': c} == {'k': a}",
    "count": "[b, a].count(c) + [c, c].count(a) * 2",
    "place": "[b, a].index(c)",
    "others": "len([t for t in (a, b) if t is not c and t is a])",
    "unlike": "len([t for t in (a, b) if t != c and t == b])",
    "without": "last(left)",
    "any": "any(t is c for t in (b,))",
    "key": "max((a, b), key=lambda t: t is c) is a",
    "itself": "c == c and c is c",
}
"""What is asked of the two and the one of them that is chosen: numbers or truth values."""


def questions() -> Iterator[Cell]:
    """Each thing, by how it is chosen and what is asked of which one it is."""
    for (kind, thing), (way, choice), truth in itertools.product(THINGS.items(), CHOICES.items(), TRUTHS):
        for asked, question in QUESTIONS.items():
            lines = [f"a = {thing.first}", f"b = {thing.second}", choice.format(truth)]
            if asked == "without":
                lines += ["left = [b, a]", "left.remove(c)", "def last(held):\n    return held[0] is a"]
            lines += [f"return {thing.read.replace('#', 'c')} * (2.0 + ({question}))"]
            body = "\n".join(lines).replace("\n", "\n    ")
            yield Cell(f"{kind}, {way} {truth}: {asked}", Written(f"{HEADER}def f(x, v):\n    {body}\n"), ARGS, orders=1)


def cells() -> Iterator[Cell]:
    """Each thing, by how it is chosen, how and where it is changed, and what is read; and what is asked of which one it is."""
    yield from questions()
    for (kind, thing), (way, choice), truth, roles in itertools.product(THINGS.items(), CHOICES.items(), TRUTHS, ROLES):
        changed, read = roles.split()
        for change, (where, place) in itertools.product(thing.changes, PLACES.items()):
            held = "held" if where == "in a helper" else changed
            lines = [f"a = {thing.first}", f"b = {thing.second}", choice.format(truth)]
            lines += [f"before = {thing.read.replace('#', 'c')}", place.format(change.replace("#", held), name=changed)]
            lines += [f"return np.sin(before) + {thing.read.replace('#', read)}"]
            body = "\n".join(lines).replace("\n", "\n    ")
            name = f"{kind}, {way} {truth}: {change.replace('#', changed)} {where}, {read} is read"
            yield Cell(name, Written(f"{HEADER}def f(x, v):\n    {body}\n"), ARGS, orders=1)

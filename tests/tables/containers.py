"""Python's meaning of containers: operators, methods and builtins on lists, tuples, dicts, sets and strings of every content.

Three parts. *Operators*: each operator, augmented operator and comparison on each pair of operands of which one is a
container. *Operations*: what programs do with a container (`tests.tables.container_operations`) for each content, in one
way of coming by it, and *ways*: the same for each way of coming by it.
"""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from tests.oracle import is_float
from tests.tables.cell import Cell, Raised, outcome, program
from tests.tables.container_operations import LIST, MAPPING, SEQUENCE, SET, STRING, TUPLE

ARGS: dict[str, Any] = {
    "x": 0.7,
    "v": np.array([0.3, 1.7, -0.4]),
    "n": 2,
    "h": np.float32(1.5),
    "k": np.int64(2),
    "z": np.array(0.6),
}
CONTAINERS = {
    "list": "[x, 2.0]",
    "tuple": "(x, 2.0)",
    "dict": "{'a': x, 'b': 2.0}",
    "set": "{1, 2}",
    "str": "'ab'",
    "range": "range(2)",
    "None": "None",
    "empty list": "[]",
    "list of arrays": "[v, v * x]",
    "list of ints": "[1, 2]",
    "long list": "[t * x for t in v]",
}
NUMBERS = {
    "bool": "True",
    "int": "3",
    "negative int": "-1",
    "int argument": "n",
    "float": "2.0",
    "argument": "x",
    "float64": "v[0]",
    "float32": "h",
    "int64": "k",
    "0-d": "z",
    "length 1": "v[:1]",
    "length 2": "v[:2]",
    "length n": "v",
    "ints": "np.arange(2)",
}
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not")
CONTENTS: dict[str, tuple[str, str]] = {
    "floats": ("x", "2.0 * x"),
    "a constant": ("x", "3.0"),
    "elements": ("v[0]", "v[1]"),
    "arrays": ("v", "v * x"),
    "mixed": ("x", "3"),
    "ints": ("1", "2"),
    "bools": ("True", "False"),
    "None": ("x", "None"),
    "nested": ("[x, 1.0]", "[v[0]]"),
    "pairs": ("(x, 1.0)", "(v[0], x)"),
    "texts": ("'p'", "'q'"),
}
LONG = {
    "long": "[t * x for t in v]",
    "long integers": "[k for k in range(len(v))]",
    "long rows": "[v * t for t in v]",
    "long lists": "[[t, x] for t in v]",
    "long picked": "[t * x for t in v if t > 0.0]",
}
LONG_ITEMS = {
    "long": "x * v[0]",
    "long integers": "1",
    "long rows": "v * v[0]",
    "long lists": "[v[0], x]",
    "long picked": "x * v[0]",
}
DISPLAYS = {"list": "[{}, {}]", "tuple": "({}, {})", "dict": "{{'a': {}, 'b': {}}}"}
OPERATIONS = {"list": SEQUENCE + LIST, "tuple": SEQUENCE + TUPLE, "dict": MAPPING}
WAYS = {
    "display": "def f(x, v, n):\n    s = LIT\n",
    "argument": "def f(x, v, n, s):\n",
    "default": "def f(x, v, n, s=GIVEN):\n",
    "global": "S = GIVEN\ndef f(x, v, n):\n    s = S\n",
    "closure": "def make(s):\n    def f(x, v, n):\n        BODY\n        return r\n    return f\nf = make(GIVEN)\n",
    "captured": "def f(x, v, n):\n    s = LIT\n    def g():\n        BODY\n        return r\n    return g()\n",
    "captured late": "def f(x, v, n):\n    g = lambda: s\n    s = LIT\n    s = g()\n",
    "attribute": "class Box:\n    def __init__(self, s):\n        self.s = s\ndef f(x, v, n):\n    s = Box(LIT).s\n",
    "helper": "def g(x, v, n):\n    return LIT\ndef f(x, v, n):\n    s = g(x, v, n)\n",
    "parameter": "def g(s, x, v, n):\n    BODY\n    return r\ndef f(x, v, n):\n    return g(LIT, x, v, n)\n",
    "item": "def f(x, v, n):\n    s = {'s': (x, LIT)}['s'][1]\n",
    "unpacked": "def f(x, v, n):\n    (s, _), _ = (LIT, x), 3\n",
    "carried": "def f(x, v, n):\n    s, o = LIT, LIT\n    for q in v:\n        s, o = o, s\n",
    "joined": "def f(x, v, n):\n    if x > 0.5:\n        s = LIT\n    else:\n        s = LIT\n",
    "joined other": "def f(x, v, n):\n    s = LIT\n    if x < 0.5:\n        s = OTHER\n",
    "in a loop": "def f(x, v, n):\n    for q in v:\n        s = LIT\n",
    "conditional": "def f(x, v, n):\n    s = LIT if x > 0.5 else None\n",
}
BUILT = {
    "appended": "def f(x, v, n):\n    s = []\n    for q in LIT:\n        s.append(q)\n",
    "comprehension": "def f(x, v, n):\n    s = [q for q in LIT]\n",
    "list of tuple": "def f(x, v, n):\n    s = list((FIRST, SECOND))\n",
    "grown": "def f(x, v, n):\n    s = [FIRST]\n    if len(v) > 2:\n        s.append(SECOND)\n",
    "long": "def f(x, v, n):\n    s = []\n    for q in v[:2]:\n        s.append(FIRST)\n",
    "added": "def f(x, v, n):\n    s = [FIRST] + [SECOND]\n",
    "sliced": "def f(x, v, n):\n    s = [x, FIRST, SECOND][1:]\n",
}
"""Further ways to come by a list."""

MOVING = ("floats", "mixed", "floats", "arrays", "elements")
"""The contents of containers that come in other ways, in turns."""

KEPT = ("default", "global", "closure")
"""Ways in which the container outlives the call: operations that change it are left out, for the plain call would."""


Plan = Callable[[], Iterator[Cell]]
"""Makes the cells of one program, of which there are one or two."""


def cells(every: int = 1) -> Iterator[Cell]:
    """The cells of every program of the three parts; or of one in so many, for a sample that is made in no time."""
    for plan in itertools.islice(itertools.chain(operators(), operations(), ways()), 0, None, every):
        yield from plan()


def operators() -> Iterator[Plan]:
    """Every operator on each pair with a container, plainly, augmented (with what another name then holds) and compared."""
    operands = {**CONTAINERS, **NUMBERS}
    for (left, a), (right, b) in itertools.product(operands.items(), operands.items()):
        if left not in CONTAINERS and right not in CONTAINERS:
            continue
        names = tuple(name for name in ARGS if name == "x" or re.search(rf"\b{name}\b", f"{a} {b}"))
        start = f"def f({', '.join(names)}):\n    s = {a}\n    t = {b}\n"
        for sign in OPERATORS:
            yield partial(finished, f"{left} {sign} {right}", f"{start}    r = s {sign} t\n    return r\n", names)
            if left in CONTAINERS or sign in "+-*@":
                text = f"{start}    u = s\n    s {sign}= t\n    r = (s, u)\n    return r\n"
                yield partial(finished, f"{left} {sign}= {right}", text, names, curved=False)
        for sign in COMPARISONS:
            yield partial(finished, f"{left} {sign} {right}", f"{start}    r = s {sign} t\n    return r\n", names, curved=False)


def operations() -> Iterator[Plan]:
    """Every operation on containers of every content, made by a display."""
    for (kind, display), (content, items) in itertools.product(DISPLAYS.items(), CONTENTS.items()):
        for body in OPERATIONS[kind]:
            yield partial(placed, f"{body} | {kind} of {content}", WAYS["display"], body, display.format(*items), items)
    for (content, display), body in itertools.product(LONG.items(), OPERATIONS["list"]):
        yield partial(placed, f"{body} | {content}", WAYS["display"], body, display, (LONG_ITEMS[content], "x"))
    for name, display, bodies in (("set", "{1, 2}", SET), ("str", "'ab'", STRING), ("empty", "[]", OPERATIONS["list"])):
        for body in bodies:
            yield partial(placed, f"{body} | {name}", WAYS["display"], body, display, ("x", "x"))


def ways() -> Iterator[Plan]:
    """Every operation on containers that come in every way."""
    for kind, display in DISPLAYS.items():
        every = {**WAYS, **(BUILT if kind == "list" else {})}
        for place, (body, way) in enumerate(itertools.product(OPERATIONS[kind], every)):
            if way != "display" and not (way in KEPT and changes(body)):
                text, content = every[way], MOVING[place % len(MOVING)]
                items = CONTENTS[content]
                yield partial(placed, f"{body} | {kind} of {content}, {way}", text, body, display.format(*items), items)
    for (way, text), (kind, display, bodies) in itertools.product(
        WAYS.items(), (("set", "{1, 2}", SET), ("str", "'ab'", STRING))
    ):
        for body in bodies:
            if way not in ("display", "argument" if kind == "set" else "") and not (way in KEPT and changes(body)):
                yield partial(placed, f"{body} | {kind}, {way}", text, body, display, ("x", "x"))


def changes(body: str) -> bool:
    """Whether an operation changes the container itself."""
    written = r"\b[su](\[[^]]*\])?(, s\[1\])? *([-+*/|&^]|)= |\b[su]\.(append|extend|insert|pop|popitem|clear|remove|reverse|sort"
    return bool(re.search(written + r"|update|setdefault|add|discard)\(|\bdel s", body))


def placed(name: str, way: str, body: str, display: str, items: tuple[str, str]) -> Iterator[Cell]:
    """The program that comes by the container `display` in this `way` and does `body` with it."""
    first, second = items
    lines = [line.removeprefix(" ") if not line.startswith("    ") else line for line in body.split(";")]
    text = way if "BODY" in way else way + "    BODY\n    return r\n"
    indent = re.search(r"^( *)BODY", text, re.MULTILINE)
    assert indent is not None
    text = text.replace(indent.group(0), "\n".join(indent.group(1) + line for line in lines))
    other = display.replace(first, f"({first}) * 2", 1)
    for mark, given in (("LIT", display), ("OTHER", other), ("FIRST", first), ("SECOND", second), ("one", first)):
        text = re.sub(rf"\b{mark}\b", lambda _, given=given: given, text)  # type: ignore[misc]
    given = eval(display, {"np": np, **ARGS})
    names = ("x", "v", "n")
    yield from finished(name, text, names, (given,) if "(x, v, n, s):" in text else (), GIVEN=given)


def finished(
    name: str, text: str, names: tuple[str, ...], more: tuple[Any, ...] = (), *, curved: bool = True, **given: Any
) -> Iterator[Cell]:
    """The cell of a program; where it returns floats in a structure, another adds them up, so that there is a second order."""
    args = (*(ARGS[name] for name in names), *more)
    cell = Cell(name, program(text, **given), args)
    with np.errstate(all="ignore"):
        plain = outcome(lambda: cell.function(*copy.deepcopy(args)))
    if isinstance(plain, set | range | frozenset):  # what cannot be returned
        text = text.replace("return r\n", "return (len(r), list(r))\n")
        cell = Cell(name, program(text, **given), args)
    yield cell
    paths = [] if isinstance(plain, Raised) or (is_float(plain) and np.ndim(plain) == 0) else list(float_paths(plain, "r"))
    if paths and curved:
        total = " + ".join(f"{k + 1}.5 * np.sum(np.sin({path}))" for k, path in enumerate(paths))
        yield Cell(f"{name}; added up", program(text.replace("return r\n", f"return {total}\n"), **given), args)


def float_paths(tree: Any, path: str) -> Iterator[str]:
    """An expression for each floating leaf of `tree`, which `path` stands for."""
    match tree:
        case tuple() | list():
            for k, item in enumerate(tree):
                yield from float_paths(item, f"{path}[{k}]")
        case dict():
            for key, item in tree.items():
                yield from float_paths(item, f"{path}[{key!r}]")
        case _ if is_float(tree):
            yield path
        case _:
            return

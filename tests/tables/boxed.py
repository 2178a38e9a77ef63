"""What programs put into containers of every kind, how they fill them, and how they take it out: it comes out as it went in.

A container that adxform does not follow itself must not hold what moves: it would come out without its derivative.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from tests.tables.cell import Cell, Written

HEADER = """
import collections
import copy
import dataclasses
import heapq
import itertools
import queue
import types
import typing

class Box:
    def __init__(self, v, w):
        self.v = v
        self.w = w

class Held:
    def __init__(self):
        self.items = []
    def append(self, item):
        self.items.append(item)
    def __getitem__(self, k):
        return self.items[k]
    def __iter__(self):
        return iter(self.items)
    def __len__(self):
        return len(self.items)

class Stack(list):
    pass

@dataclasses.dataclass
class Pair:
    v: float
    w: float

@dataclasses.dataclass(frozen=True, slots=True)
class Fixed:
    v: float
    w: float

Point = collections.namedtuple("Point", "v w")

class Typed(typing.NamedTuple):
    v: float
    w: float = 2.0

"""
ITEMS = {
    "number": ("t", "#"),
    "product": ("t * x[1]", "#"),
    "whole number": ("k", "(# + x[0])"),
    "array": ("x * t", "#[1]"),
    "part of an array": ("y[k:]", "#[0]"),
    "list": ("[t, x[1]]", "(#[0] * #[1])"),
    "tuple": ("(t, k)", "(#[0] * (1 + #[1]))"),
    "named tuple": ("Point(t, x[1])", "(#.v * #.w)"),
    "typed tuple": ("Typed(t)", "(#.v * #.w)"),
    "dataclass": ("Pair(t, x[1])", "(#.v * #.w)"),
    "frozen dataclass": ("Fixed(t, x[1])", "(#.v * #.w)"),
    "object": ("Box(t, x[1])", "(#.v * #.w)"),
    "namespace": ("types.SimpleNamespace(v=t, w=x[1])", "(#.v * #.w)"),
    "dict": ("{'v': t, 'w': x[1]}", "(#['v'] * #['w'])"),
    "ordered dict": ("collections.OrderedDict(v=t)", "#['v']"),
    "number under a text": ("(f'{k}', t)", "(#[1] * len(#[0]))"),
    "tuple of an object": ("(k, Pair(t, x[1]))", "(#[1].v * #[1].w)"),
    "list of a named tuple": ("[Point(t, x[1])]", "(#[0].v * #[0].w)"),
    "number or None": ("(t if k != 1 else None)", "(1.0 if # is None else #)"),
    "function": ("(lambda s, t=t: s * t)", "#(x[1])"),
    "iterator": ("iter([t, x[1]])", "next(#)"),
    "values": ("{'v': t}.values()", "list(#)[0]"),
    "zero-dimensional array": ("np.array(t)", "(# * 1.0)"),
}
CONTAINERS = {
    "list": ("[]", "box.append({item})", "list(box)"),
    "list beside": ("[]", "box += [{item}]", "box[::-1]"),
    "deque": ("collections.deque()", "box.append({item})", "list(box)"),
    "bounded deque": ("collections.deque(maxlen=2)", "box.append({item})", "box"),
    "deque from the left": ("collections.deque()", "box.appendleft({item})", "[box.pop() for _ in range(len(box))]"),
    "dict": ("{{}}", "box[k] = {item}", "box.values()"),
    "dict of texts": ("{{}}", "box[f'{{k}}'] = {item}", "[box[key] for key in box]"),
    "ordered dict": ("collections.OrderedDict()", "box[k] = {item}", "box.values()"),
    "dict of lists": ("collections.defaultdict(list)", "box[k % 2].append({item})", "[e for es in box.values() for e in es]"),
    "set by default": ("{{}}", "box.setdefault(k, []).append({item})", "[e for es in box.values() for e in es]"),
    "object": ("Held()", "box.append({item})", "box"),
    "subclass of list": ("Stack()", "box.append({item})", "box"),
    "attribute": ("types.SimpleNamespace(items=[])", "box.items.append({item})", "box.items"),
    "tuple": ("()", "box = (*box, {item})", "box"),
    "sum of tuples": ("()", "box = box + ({item},)", "reversed(box)"),
    "queue": ("queue.Queue()", "box.put({item})", "[box.get() for _ in range(box.qsize())]"),
    "stack of a queue": ("queue.LifoQueue()", "box.put({item})", "[box.get() for _ in range(box.qsize())]"),
    "array of objects": ("np.empty(3, dtype=object)", "box[k] = {item}", "[e for e in box if e is not None]"),
    "heap": ("[]", "heapq.heappush(box, (-k, {item}))", "[heapq.heappop(box)[1] for _ in range(len(box))]"),
    "chain": ("itertools.chain()", "box = itertools.chain(box, [{item}])", "box"),
    "list of lists": ("[[], []]", "box[k % 2].append({item})", "box[0] + box[1]"),
    "user dict": ("collections.UserDict()", "box[k] = {item}", "box.values()"),
    "counter": ("collections.Counter()", "box[k] = {item}", "box.values()"),
}
FILLS = {
    "three": "for k in range(3):\n    t = x[k] * x[k]\n    {put}",
    "by conditions": "for k in range(3):\n    t = x[k] * x[k]\n    if t > 0.1:\n        {put}",
    "the run's": "k, t = 0, x[0]\nwhile t > 0.2 and k < 3:\n    t, k = t * 0.6, k + 1\n    {put_before}",
    "left": "for k in range(3):\n    t = x[k] + 1.0\n    if k > 1 and t < x[2]:\n        break\n    {put}",
    "in a helper": "def fill(held, k, t):\n    {helped}\nfor k in range(3):\n    fill(box, k, x[k] ** 2)",
}
READS = {
    "in turn": "total = 0.0\nfor j, e in enumerate({walked}):\n    total = total + (j + 1.0) * {read}\nreturn total * x[0]",
    "summed": "return sum({read} for e in {walked}) * x[0]",
    "listed": "found = [{read} for e in {walked}]\nreturn sum(found) * x[0] if found else x[1]",
    "copied": "return sum({read} for e in copy.copy(list({walked}))) * x[0]",
}


def cells() -> Iterator[Cell]:
    """Every item in every container, by how it is filled and how it is read."""
    axes = itertools.product(ITEMS.items(), CONTAINERS.items(), FILLS.items(), READS.items())
    for (kind, (made, read)), (box, (empty, put, walked)), (fill, text), (way, result) in axes:
        own = put.format(item=made)
        if fill == "in a helper" and "box =" in own:
            continue
        texts = {"put": own, "put_before": own.replace("[k]", "[k - 1]"), "helped": own.replace("box", "held")}
        lines = ["y = np.concatenate((x, x * x))", f"box = {empty.format()}", text.format(**texts)]
        lines.append(result.format(walked=walked, read=read.replace("#", "e")))
        body = "\n".join(lines).replace("\n", "\n    ")
        point = (np.array([0.5, 1.2, 0.7]),)
        yield Cell(f"{kind}, {box}, {fill}, {way}", Written(f"{HEADER}def f(x):\n    {body}\n"), point, orders=1)

"""Lets arrays whose lives do not overlap use one place, so that a function needs less memory, and finds it in the cache.

    np.sin(x, out=a)               np.sin(x, out=a)
    np.multiply(a, 2.0, out=b)     np.multiply(a, 2.0, out=a)
    np.cos(x, out=c)               np.cos(x, out=c)
    np.add(b, c, out=d)            np.add(a, c, out=a)

The memory of a place is alive from the first to the last op that touches any variable that may share memory with it, and all
through a loop where that reaches into the loop or out of it. What an elementwise operation makes may go where an operand of it
lies that nothing reads later: NumPy then reads each element before it writes there.

Source: Poletto and Sarkar, Linear Scan Register Allocation (1999).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Any

from adxform.ir.ops import Block, Call, For, Function, Lit, Operand, Var, While
from adxform.ir.types import Array, Type
from adxform.ir.walk import blocks, outs, reads, rename_block, variables_of
from adxform.primitives.alias import Aliases, alias_classes


@dataclass(slots=True)
class Life:
    """The positions of the first and of the last op that touches some memory, and the first op, where it is a call."""

    first: int
    last: int
    maker: Call | None


@dataclass(slots=True)
class _Places:
    """The places of one type: those `free`, the last one used at the end, and all uses in a heap by their end.

    The last use of each is known by its number.
    """

    free: list[Var] = field(default_factory=list)
    uses: list[tuple[int, int, Var]] = field(default_factory=list)
    latest: dict[Var, int] = field(default_factory=dict)

    def clear(self, at: int) -> None:
        """Find free what is used before the position `at` only."""
        while self.uses and self.uses[0][0] < at:
            _, number, place = heappop(self.uses)
            if self.latest[place] == number:
                self.free.append(place)

    def use(self, place: Var, number: int, last: int) -> None:
        """Note that `place` is used up to the position `last`."""
        self.latest[place] = number
        heappush(self.uses, (last, number, place))


def share_buffers(
    fn: Function, buffers: Sequence[Var], apart: Collection[Var], elementwise: Callable[[Any], bool]
) -> tuple[Function, tuple[Var, ...]]:
    """`fn` with fewer of the parameters `buffers`, those whose contents before and after it do not matter; and these.

    Those `apart` are left as they are. Functions that are `elementwise` may write where one of their operands lies.

    >>> import numpy as np
    >>> from adxform.ir.text import read, show
    >>> fn = read('''
    ... def f(x: f64[n], a: f64[n], b: f64[n], c: f64[n]):
    ...     np.sin(x, out=a)
    ...     np.multiply(a, x, out=b)
    ...     y: f64 = np.sum(b)
    ...     np.outer(y, x, out=c)
    ...     return c''')
    >>> fn, places = share_buffers(fn, fn.params[1:], (), [np.multiply].__contains__)
    >>> print(show(fn))
    def f(x: f64[n], a: f64[n]):
        np.sin(x, out=a)
        np.multiply(a, x, out=a)
        y: f64 = np.sum(a)
        np.outer(y, x, out=a)
        return a
    """
    classes = alias_classes(fn)
    lives = lives_of(fn, classes)
    found: dict[Type, _Places] = {}
    chosen: dict[Var, Var] = {}

    def begins(space: Var) -> int:
        return lives[classes.of(space)].first

    def alive(space: Var) -> bool:
        return classes.of(space) in lives

    movable = [space for space in buffers if isinstance(space.type, Array) and space not in apart]
    for number, space in enumerate(sorted(filter(alive, movable), key=begins)):
        class_ = classes.of(space)
        if class_ in classes.exposed:
            continue
        life = lives[class_]
        places = found.setdefault(space.type, _Places())
        places.clear(life.first)
        dying = [operand for operand in taken_over(space, life, classes, elementwise) if operand in chosen]
        dying = [operand for operand in dying if lives[classes.of(operand)].last == life.first]
        if dying:
            chosen[space] = chosen[dying[0]]
        else:
            chosen[space] = places.free.pop() if places.free else space
        places.use(chosen[space], number, life.last)
    mapping: dict[Var, Operand] = {space: place for space, place in chosen.items() if place != space}
    body = rename_block(Block((), fn.body.ops, fn.body.results), mapping)
    gone = {space for space in movable if space in mapping or not alive(space)}
    params = tuple(param for param in fn.params if param not in gone)
    left = tuple(space for space in buffers if space not in gone)
    return replace(fn, body=replace(body, params=params)), left


def taken_over(space: Var, life: Life, classes: Aliases, elementwise: Callable[[Any], bool]) -> Iterator[Var]:
    """The operands of the op that makes `space`, if it is `elementwise`, of whose memory it reads nothing by another name."""
    match life.maker:
        case Call(fn=Lit(fn), args=args, kwargs=kwargs) if elementwise(fn) and dict(kwargs).get("out") == space:
            known = variables_of((*args, *(value for _, value in kwargs)))
            for arg in args:
                same = [var for var in known if isinstance(arg, Var) and classes.of(var) == classes.of(arg)]
                if isinstance(arg, Var) and arg.type == space.type and all(var == arg for var in same):
                    yield arg
        case _:
            return


def lives_of(fn: Function, classes: Aliases) -> dict[int, Life]:
    """The life of the memory of each of the `classes` of `fn`, as far as an op touches it."""
    walk = _Walk(classes, {}, [])
    end = walk.block(fn.body, 0)
    walk.touch(fn.results, end)
    for start, stop in walk.loops:  # inner loops first
        for life in walk.lives.values():
            if life.first <= start < life.last < stop:
                life.last = stop
            elif start < life.first < stop <= life.last:
                life.first, life.maker = start, None
    return walk.lives


@dataclass(frozen=True, slots=True)
class _Walk:
    """Numbers ops in order, those of their blocks after them."""

    classes: Aliases
    lives: dict[int, Life]
    loops: list[tuple[int, int]]

    def block(self, block: Block, at: int) -> int:
        """Note what the ops of `block` touch, numbered from `at` on; return the next number."""
        for op in block.ops:
            start, maker = at, op if isinstance(op, Call) else None
            self.touch(reads(op), start, maker)
            at += 1
            for inner in blocks(op):
                self.touch(inner.params, start)
                at = self.block(inner, at)
                self.touch(inner.results, at)
                at += 1
            if maker is None:
                at += 1
            self.touch(outs(op), start if maker is not None else at - 1, maker)
            if isinstance(op, For | While):
                self.loops.append((start, at - 1))
        return at

    def touch(self, operands: Iterable[Operand], at: int, maker: Call | None = None) -> None:
        """Note that the memory of `operands`, and of what is on stacks among them, is touched at the position `at`."""
        for class_ in self.classes.reached(operands):
            life = self.lives.setdefault(class_, Life(at, at, maker))
            life.last = max(life.last, at)

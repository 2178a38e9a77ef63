"""Where each variable is live, as sorted lists of closed ranges of program points.

A program is steps in order, forks and loops. Step ``k`` reads at point ``2k`` and writes at point ``2k + 1``; a variable is live
from where it is written to where it is last read. Two variables may share a name if no point is in the ranges of both.
Every arm of a fork and every body of a loop holds at least one step.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adxform.errors import VerificationError
from adxform.ir.ops import Var

Range = tuple[int, int]
Ranges = list[Range]


@dataclass(frozen=True, slots=True)
class Step:
    """Everything in `reads` is read, then everything in `writes` is written, all at once."""

    at: int
    reads: tuple[Var, ...]
    writes: tuple[Var, ...]


@dataclass(frozen=True, slots=True)
class Fork:
    """One of the two arms runs. A variable that is live afterwards and written in one arm is written in both."""

    arms: tuple[tuple[Node, ...], tuple[Node, ...]]


@dataclass(frozen=True, slots=True)
class RepeatedBody:
    """The body runs any number of times. What it reads before writing is live when it begins and when it ends."""

    body: tuple[Node, ...]
    exposed: tuple[Var, ...]


Node = Step | Fork | RepeatedBody


def loop(body: Sequence[Node]) -> RepeatedBody:
    """The loop over `body`."""
    written: set[Var] = set()
    exposed: dict[Var, None] = {}
    for step in steps(body):
        for var in step.reads:
            if var not in written:
                exposed.setdefault(var)
        written.update(step.writes)
    return RepeatedBody(tuple(body), tuple(exposed))


def live_ranges(program: Sequence[Node]) -> dict[Var, Ranges]:
    """The ranges of every variable that `program` writes, in order of first writing."""
    walk = _Walk()
    walk.nodes(program)
    if walk.open:
        raise VerificationError(f"`{next(iter(walk.open)).name}` is read but never assigned")
    return {var: found[::-1] for var, found in reversed(walk.found.items())}


def overlap(a: Ranges, b: Ranges) -> bool:
    """Whether some point is in both."""
    if a[-1][1] < b[0][0] or b[-1][1] < a[0][0]:
        return False
    i = max(0, bisect(a, b[0]) - 1)
    j = max(0, bisect(b, a[0]) - 1)
    while i < len(a) and j < len(b):
        if a[i][1] < b[j][0]:
            i += 1
        elif b[j][1] < a[i][0]:
            j += 1
        else:
            return True
    return False


def union(a: Ranges, b: Ranges) -> Ranges:
    """The ranges of both; they do not overlap."""
    return sorted((*a, *b))


def _first(nodes: Sequence[Node]) -> int:
    node = nodes[0]
    while not isinstance(node, Step):
        node = node.arms[0][0] if isinstance(node, Fork) else node.body[0]
    return node.at


def _last(nodes: Sequence[Node]) -> int:
    node = nodes[-1]
    while not isinstance(node, Step):
        node = node.arms[1][-1] if isinstance(node, Fork) else node.body[-1]
    return node.at


def steps(nodes: Sequence[Node]) -> Iterator[Step]:
    """The steps of `nodes`, in order."""
    for node in nodes:
        match node:
            case Step():
                yield node
            case Fork(arms):
                for arm in arms:
                    yield from steps(arm)
            case RepeatedBody(body):
                yield from steps(body)


class _Walk:
    """Backwards over the program; `open` holds what is live and to where, `opened` what the current arm made live."""

    def __init__(self) -> None:
        self.open: dict[Var, int] = {}
        self.opened: list[list[Var]] = [[]]
        self.found: dict[Var, Ranges] = {}

    def close(self, var: Var, start: int, end: int) -> None:
        self.found.setdefault(var, []).append((start, self.open.pop(var, end)))

    def reopen(self, var: Var, point: int) -> None:
        if var not in self.open:
            self.open[var] = point
            self.opened[-1].append(var)

    def nodes(self, nodes: Sequence[Node]) -> None:
        for node in reversed(nodes):
            match node:
                case Step(at, reads, writes):
                    for var in reversed(writes):
                        self.close(var, 2 * at + 1, 2 * at + 1)
                    for var in reads:
                        self.reopen(var, 2 * at)
                case Fork():
                    self.fork(node)
                case RepeatedBody(body, exposed):
                    for var in exposed:
                        self.reopen(var, 2 * _last(body) + 1)
                    self.nodes(body)
                    for var in exposed:
                        self.reopen(var, 2 * _first(body))

    def fork(self, fork: Fork) -> None:
        first, second = fork.arms
        merged = [var for step in _last_steps(second) for var in step.writes if var in self.open]
        entering: dict[Var, None] = {}
        for arm in (second, first):
            if arm is first:
                for var in merged:
                    self.open.setdefault(var, 2 * _last(first) + 1)
            self.opened.append([])
            self.nodes(arm)
            for var in self.opened.pop():
                if var in self.open:
                    self.close(var, 2 * _first(arm), 0)
                    entering.setdefault(var)
        for var in entering:
            self.reopen(var, 2 * _first(first) - 1)


def _last_steps(nodes: Sequence[Node]) -> Iterator[Step]:
    node = nodes[-1]
    assert isinstance(node, Step)
    yield node

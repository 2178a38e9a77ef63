"""The adjoint of a stencil as a gather: each element takes what its neighbours give, instead of each giving to its neighbours."""

from __future__ import annotations

from dataclasses import replace

from adxform.engine.accesses import Accesses, Nest, Place
from adxform.engine.dependences import Contribution, Dependences, Group
from adxform.engine.replay import Given, Pass, Replay
from adxform.ir.ops import For, Function, Op
from adxform.ir.walk import Names
from adxform.opt.dce import eliminate_dead_code
from adxform.opt.rewriting import Rewriter, each_function
from adxform.rules.alias import Aliases


def gather_contributions(fn: Function) -> Function:
    """Let nests of loops that add to several neighbours of an element add to one element what its neighbours give.

    No two passes of the loops that result touch the same element, so that they can run in vectors. A neighbour that only some
    passes have, at the edges, gets its own loops. What neighbours share is computed for each of them, if that is cheap. The sums
    are the same to rounding. Nests in which something depends on the order of the additions stay as they are.

    >>> from adxform.ir.text import read, show
    >>> print(show(gather_contributions(read('''
    ... def f(x_ct: f64[x.0], y_ct: f64[x.0], n: int):
    ...     for i: int in range(n, 0, -1):
    ...         ct: f64 = operator.getitem(y_ct, i)
    ...         j: int = operator.sub(i, 1)
    ...         intrinsics.accumulate(x_ct, j, ct)
    ...         intrinsics.accumulate(x_ct, i, ct)
    ...     return x_ct'''))))
    def f(x_ct: f64[x.0], y_ct: f64[x.0], n: int):
        tmp: bool = operator.ge(n, 1)
        if tmp:
            ct.1: f64 = operator.getitem(y_ct, 1)
            intrinsics.accumulate(x_ct, 0, ct.1)
            for i.1: int in range(1, n, 1):
                tmp.1: int = operator.add(i.1, 1)
                ct.2: f64 = operator.getitem(y_ct, tmp.1)
                ct.3: f64 = operator.getitem(y_ct, i.1)
                tmp.2: f64 = operator.add(ct.2, ct.3)
                intrinsics.accumulate(x_ct, i.1, tmp.2)
            ct.4: f64 = operator.getitem(y_ct, n)
            intrinsics.accumulate(x_ct, n, ct.4)
        return x_ct
    """
    gathered = each_function(fn, lambda part, aliases: _Gathering(part, aliases).block(part.body))
    return fn if gathered is fn else eliminate_dead_code(gathered)


class _Gathering(Rewriter):
    """Puts what a nest contributes ahead of the nest, and leaves it there the rest of what it does."""

    def __init__(self, fn: Function, aliases: Aliases) -> None:
        super().__init__()
        self.fn = fn
        self.aliases = aliases
        self.accesses = Accesses(fn)
        self.names = Names.of(fn)

    def visit(self, op: Op, ops: list[Op]) -> None:
        """Append the gathers of a nest that starts at `op`, then what is left of it."""
        if isinstance(op, For) and (nest := self.accesses.nest(op)) is not None:
            taken: set[int] = set()
            for group in Dependences(nest, self.accesses, self.aliases).gatherable():
                ops.extend(_Emission(nest, self.accesses, self.names, op).gather(group))
                taken |= {id(contribution.op) for contribution in group}
            if taken:
                op = _without(nest, taken)
        super().visit(op, ops)


def _without(nest: Nest, taken: set[int]) -> For:
    """The nest without the ops `taken` of its innermost body."""
    body = replace(nest.body, ops=tuple(op for op in nest.body.ops if id(op) not in taken))
    inner = replace(nest.loops[-1].op, body=body)
    for loop, inside in zip(reversed(nest.loops[:-1]), reversed(nest.loops[1:]), strict=True):
        kept = tuple(inner if op is inside.op else op for op in loop.op.body.ops)
        inner = replace(loop.op, body=replace(loop.op.body, ops=kept))
    return inner


Member = tuple[Contribution, Pass]
"""A contribution, and the pass of the nest that it is of: by loop, as far as they are around, the item."""


class _Emission:
    """Writes the loops that gather the contributions of groups of one nest."""

    def __init__(self, nest: Nest, accesses: Accesses, names: Names, root: For) -> None:
        self.nest = nest
        self.replay = Replay(nest, accesses, names, root.span)

    def gather(self, group: Group) -> list[Op]:
        """The ops that do what `group` does in the nest; in a nest too small for every edge, as the nest does it."""
        members: list[Member] = [(contribution, ()) for contribution in group]
        widths = [max(offsets) - min(offsets) for offsets in zip(*(contribution.offsets for contribution in group), strict=True)]
        large = self.replay.reaches([(loop, width) for loop, width in zip(self.nest.loops, widths, strict=True) if width])
        self.replay.branch(large, lambda: self.inside(members, 0), lambda: self.loop(members, 0) if max(widths) > 1 else None)
        return self.replay.block()

    def inside(self, members: list[Member], level: int) -> None:
        """The loops from `level` on: first the elements that only some of `members` reach, then all others, then some again."""
        if level == len(self.nest.loops):
            self.add(members)
            return
        loop = self.nest.loops[level]
        offsets = [contribution.offsets[level] for contribution, _ in members]
        least, most = min(offsets), max(offsets)
        for edge in range(least, most):
            self.edge([member for member in members if member[0].offsets[level] <= edge], level, loop.low + edge)
        item = self.replay.enter(loop.item)
        self.inside(_reaching(members, level, Place(item, 0)), level + 1)
        self.replay.leave(item, loop.low + most, loop.high + least)
        for edge in range(least, most):
            self.edge([member for member in members if member[0].offsets[level] > edge], level, loop.high + edge)

    def edge(self, members: list[Member], level: int, place: Place) -> None:
        """The elements at one `place` of the axis of `level`: in loops for each offset on the others."""
        self.replay.stay()
        groups: dict[tuple[int, ...], list[Member]] = {}
        for contribution, pass_ in _reaching(members, level, place):
            groups.setdefault(contribution.offsets[level + 1 :], []).append((contribution, pass_))
        for group in groups.values():
            self.loop(group, level + 1)
        self.replay.go_on()

    def loop(self, members: list[Member], level: int) -> None:
        """The loops of the nest from `level` on, over the items that it has."""
        if level == len(self.nest.loops):
            self.add(members)
            return
        item = self.replay.enter(self.nest.loops[level].item)
        self.loop([(contribution, (*pass_, Place(item, 0))) for contribution, pass_ in members], level + 1)
        self.replay.leave(item, self.nest.loops[level].low, self.nest.loops[level].high)

    def add(self, members: list[Member]) -> None:
        """Add to each element what all `members` that reach it give."""
        elements: dict[tuple[Place, ...], list[Given]] = {}
        for contribution, pass_ in members:
            element = tuple(self.replay.shifted(place, pass_) for place in contribution.target.axes)
            elements.setdefault(element, []).append((contribution.op, self.replay.value(contribution.op.args[2], pass_)))
        base = members[0][0].target.base
        for element, given in elements.items():
            index = self.replay.index(element)
            for fn, value, span in self.replay.sums(given):
                self.replay.effect(fn, base, index, value, span)


def _reaching(members: list[Member], level: int, place: Place) -> list[Member]:
    """`members` in the passes in which they reach the elements at `place` of the axis of `level`."""
    return [(contribution, (*pass_, place + -contribution.offsets[level])) for contribution, pass_ in members]

"""The adjoint of a stencil as a gather: each element takes what its neighbours give, instead of each giving to its neighbours."""

from __future__ import annotations

import operator
from dataclasses import replace

from adxform.ir import intrinsics
from adxform.ir.ops import Block, Call, For, Function, Lit, Op
from adxform.ir.walk import Names
from adxform.passes.loops.accesses import Accesses, Cleared, Nest, Subscript
from adxform.passes.loops.dependences import Contribution, Dependences, Group
from adxform.passes.loops.slice_clone import Given, Pass, Replay
from adxform.passes.loops.zero_initialisation import Fills, emptied
from adxform.passes.scalar.dce import eliminate_dead_code
from adxform.passes.scalar.rewriting import Rewriter, classes_touched, each_function
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import is_removable


def gather_contributions(fn: Function) -> Function:
    """Let nests of loops that add to several neighbours of an element add to one element what its neighbours give.

    No two iterations of the loops that result touch the same element, so that they can run in vectors. A neighbour that only some
    iterations have, at the edges, gets its own loops. What neighbours share is computed for each of them, if that is cheap. The
    sums are the same to rounding. Nests in which something depends on the order of the additions stay as they are.

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


def gathered(fn: Function) -> list[str]:
    """The arrays, by the names that they have in `fn`, to which `gather_contributions` lets nests of loops add that way."""
    found: dict[str, None] = {}

    def visited(part: Function, aliases: Aliases) -> Block:
        gathering = _Gathering(part, aliases)
        body = gathering.block(part.body)
        found.update(gathering.targets)
        return body

    each_function(fn, visited)
    return list(found)


class _Gathering(Rewriter):
    """Puts what a nest contributes ahead of the nest, and leaves it there the rest of what it does."""

    def __init__(self, fn: Function, aliases: Aliases) -> None:
        super().__init__()
        self.fn = fn
        self.aliases = aliases
        self.accesses = Accesses(fn)
        self.fills = Fills(fn, aliases)
        self.names = Names.of(fn)
        self.targets: dict[str, None] = {}

    def visit(self, op: Op, ops: list[Op]) -> None:
        """Append the gathers of a nest that starts at `op`, then what is left of it."""
        if isinstance(op, For) and (nest := self.accesses.nest(op)) is not None:
            taken: set[int] = set()
            cleared = self.cleared_last(ops)
            for group in Dependences(nest, self.accesses, self.aliases).gatherable():
                emission = _Emission(nest, self.accesses, self.names, op)
                if cleared is not None and self.aliases.may_alias(group[0].target.base, cleared[1].base):
                    if emission.fills(group, cleared[1]):
                        del ops[cleared[0]]
                        emission.cleared = cleared[1]
                    cleared = None
                elif (position := self.fills.zeros(ops, group[0].target.base)) is not None:
                    whole = emission.whole(group, self.fills)
                    if whole is not None and emission.fills(group, whole):
                        ops[position] = emptied(ops[position])
                        emission.cleared = whole
                ops.extend(emission.gather(group))
                self.targets[group[0].target.base.base] = None
                taken |= {id(contribution.op) for contribution in group}
            if taken:
                op = _without(nest, taken)
        super().visit(op, ops)

    def cleared_last(self, ops: list[Op]) -> tuple[int, Cleared] | None:
        """Where the last nest of `ops` is, if it clears a part of an array that nothing after it touches; and that part."""
        for position in reversed(range(len(ops))):
            op = ops[position]
            if isinstance(op, For):
                found = None if (nest := self.accesses.nest(op)) is None else self.accesses.cleared(nest)
                later = (class_ for after in ops[position + 1 :] for class_ in classes_touched(after, self.aliases))
                return None if found is None or self.aliases.of(found.base) in later else (position, found)
            if not isinstance(op, Call) or not is_removable(op):
                return None
        return None


def _without(nest: Nest, taken: set[int]) -> For:
    """The nest without the ops `taken` of its innermost body."""
    body = replace(nest.body, ops=tuple(op for op in nest.body.ops if id(op) not in taken))
    inner = replace(nest.loops[-1].op, body=body)
    for loop, inside in zip(reversed(nest.loops[:-1]), reversed(nest.loops[1:]), strict=True):
        kept = tuple(inner if op is inside.op else op for op in loop.op.body.ops)
        inner = replace(loop.op, body=replace(loop.op.body, ops=kept))
    return inner


Member = tuple[Contribution, Pass]
"""A contribution, and the iteration of the nest that it is of: by loop, as far as they are around, the item."""


class _Emission:
    """Writes the loops that gather the contributions of groups of one nest."""

    def __init__(self, nest: Nest, accesses: Accesses, names: Names, root: For) -> None:
        self.nest = nest
        self.replay = Replay(nest, accesses, names, root.span)
        self.cleared: Cleared | None = None
        """What was to be cleared right ahead of the nest, a part that the elements inside fill."""

    def whole(self, group: Group, fills: Fills) -> Cleared | None:
        """All of the array that `group` adds to; ``None`` where the nest does not say how long that is."""
        target = group[0].target
        loops = [None if (level := self.level(place)) is None else self.nest.loops[level] for place in target.axes]
        ends = fills.whole(target.base, loops)
        found = tuple(loop.item for loop in loops if loop is not None)
        return None if ends is None or len(found) < len(loops) else Cleared(target.base, found, ends, group[0].op.span)

    def fills(self, group: Group, cleared: Cleared) -> bool:
        """Whether all elements that the whole of `group` reaches are in the part `cleared`."""
        target = group[0].target
        by_axis = [(self.level(place), low, high) for place, (low, high) in zip(target.axes, cleared.ends, strict=False)]
        return target.base == cleared.base and all(
            level is not None
            and (first := self.inner(group, level))[0].root == low.root
            and first[1].root == high.root
            and low.offset <= first[0].offset
            and first[1].offset <= high.offset
            for level, low, high in by_axis
        )

    def level(self, place: Subscript) -> int | None:
        return next((k for k, loop in enumerate(self.nest.loops) if place.root == loop.item), None)

    def inner(self, group: Group, level: int) -> tuple[Subscript, Subscript]:
        """From where to where on the axis of `level` all of `group` reach the elements."""
        offsets = [contribution.offsets[level] for contribution in group]
        return self.nest.loops[level].low + max(offsets), self.nest.loops[level].high + min(offsets)

    def clear(self, ends: list[tuple[Subscript, Subscript]]) -> None:
        """Clear the part of the array between the `ends` of each axis."""
        assert self.cleared is not None
        items = [self.replay.enter(item) for item in self.cleared.items[: len(ends)]]
        index = self.replay.index(tuple(Subscript(item, 0) for item in items))
        self.replay.effect(operator.setitem, self.cleared.base, index, Lit(0.0), self.cleared.span)
        for item, (low, high) in zip(reversed(items), reversed(ends), strict=True):
            self.replay.leave(item, low, high)

    def clear_edges(self, group: Group) -> None:
        """Clear what was to be cleared and is not filled: on each axis ahead and behind, where it is filled on those before."""
        if self.cleared is None:
            return
        inside: list[tuple[Subscript, Subscript]] = []
        for place, (low, high) in zip(group[0].target.axes, self.cleared.ends, strict=True):
            level = self.level(place)
            assert level is not None
            first, last = self.inner(group, level)
            rest = list(self.cleared.ends[len(inside) + 1 :])
            for ends in ((low, first), (last, high)):
                if ends[0] != ends[1]:
                    self.clear([*inside, ends, *rest])
            inside.append((first, last))

    def gather(self, group: Group) -> list[Op]:
        """The ops that do what `group` does in the nest; in a nest too small for every edge, as the nest does it."""
        members: list[Member] = [(contribution, ()) for contribution in group]
        widths = [max(offsets) - min(offsets) for offsets in zip(*(contribution.offsets for contribution in group), strict=True)]
        least = [(loop, width) for loop, width in zip(self.nest.loops, widths, strict=True) if width or self.cleared is not None]
        large = self.replay.reaches(least)

        def inside() -> None:
            self.clear_edges(group)
            self.inside(members, 0)

        def apart() -> None:
            if self.cleared is not None:
                self.clear(list(self.cleared.ends))
            if max(widths) > 1 or self.cleared is not None:
                self.loop(members, 0)

        self.replay.branch(large, inside, apart)
        return self.replay.block()

    def inside(self, members: list[Member], level: int) -> None:
        """The loops from `level` on: first the elements that only some of `members` reach, then all others, then some again."""
        if level == len(self.nest.loops):
            self.add(members, fresh=self.cleared is not None)
            return
        loop = self.nest.loops[level]
        offsets = [contribution.offsets[level] for contribution, _ in members]
        least, most = min(offsets), max(offsets)
        for edge in range(least, most):
            self.edge([member for member in members if member[0].offsets[level] <= edge], level, loop.low + edge)
        item = self.replay.enter(loop.item)
        self.inside(_reaching(members, level, Subscript(item, 0)), level + 1)
        self.replay.leave(item, loop.low + most, loop.high + least)
        for edge in range(least, most):
            self.edge([member for member in members if member[0].offsets[level] > edge], level, loop.high + edge)

    def edge(self, members: list[Member], level: int, place: Subscript) -> None:
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
        self.loop([(contribution, (*pass_, Subscript(item, 0))) for contribution, pass_ in members], level + 1)
        self.replay.leave(item, self.nest.loops[level].low, self.nest.loops[level].high)

    def add(self, members: list[Member], *, fresh: bool = False) -> None:
        """Add to each element what all `members` that reach it give; `fresh`: to nothing."""
        elements: dict[tuple[Subscript, ...], list[Given]] = {}
        for contribution, pass_ in members:
            element = tuple(self.replay.shifted(place, pass_) for place in contribution.target.axes)
            elements.setdefault(element, []).append((contribution.op, self.replay.value(contribution.op.args[2], pass_)))
        base = members[0][0].target.base
        for element, given in elements.items():
            index = self.replay.index(element)
            for fn, value, span in self.replay.sums(given):
                if fresh and fn is intrinsics.deduct:
                    self.replay.effect(operator.setitem, base, index, Lit(0.0), span)
                self.replay.effect(operator.setitem if fresh and fn is intrinsics.accumulate else fn, base, index, value, span)
                fresh = False


def _reaching(members: list[Member], level: int, place: Subscript) -> list[Member]:
    """`members` in the iterations in which they reach the elements at `place` of the axis of `level`."""
    return [(contribution, (*pass_, place + -contribution.offsets[level])) for contribution, pass_ in members]

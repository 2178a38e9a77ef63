"""Refuses programs that could tell the copies which lists hold from the arrays and lists that Python holds in their place.

A list whose length only a run can tell is one array, and has a copy of each array, or list, that a program puts into it. Where
the program writes to the original afterwards, Python's list has the new numbers, and the copy the old ones. Before that it may
write as it likes: `v = np.zeros(3); v[0] = a; rows.append(v)`, in a loop too, where each iteration has a `v` of its own.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from adxform.errors import UnsupportedOperationError
from adxform.ir.ops import Block, Call, For, Function, If, Invoke, Lit, Op, Operand, Pack, Var, While
from adxform.ir.spans import Span
from adxform.ir.walk import blocks, defined_variables, outs, reads
from adxform.primitives.alias import alias_classes
from adxform.primitives.effects import contents_read, effect_of, has_memory, memory, positions, writes
from adxform.primitives.record import OPAQUE


@dataclass(frozen=True, slots=True)
class Filled:
    """An array that is the items of a list: arrays or lists, which a program may change where they are."""

    items: Var


@dataclass(frozen=True, slots=True)
class HeldOutside(Filled):
    """A copy of an array that an object of a library's, which adxform has one of its own for, holds itself."""


@dataclass(frozen=True, slots=True)
class Taken:
    """An array taken out of a list, which is a view of the list's items."""

    item: Var


@dataclass(frozen=True, slots=True)
class Widened:
    """The items that a list of whole numbers had, which are another array now: `floats`."""

    items: Var
    floats: Var


Path = tuple[int, ...]
"""Where an op is: its place in the outermost block, then by turns the number of a block in it and the place in that."""


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where the memory of an array comes to be: op number `place` of a block; `carried`: what iterations are given as that."""

    block: Path
    place: int
    carried: Var | None = None

    def may_be(self, other: _Origin) -> bool:
        """Whether an array from here may be one from `other`: of what one iteration hands to the next nothing is known."""
        if self.carried is not None or other.carried is not None:
            return True
        one, two = (*self.block, self.place), (*other.block, other.place)
        return one[: len(two)] == two[: len(one)]


Origins = frozenset[_Origin] | None
"""Where the memory of an array may come from; ``None`` where that cannot be told."""


@dataclass(frozen=True, slots=True)
class _Copy:
    """A copy of `source`, an item of a list or all its items, that the op at `path` puts into `items`."""

    source: Var
    items: Var
    path: Path


def refuse_told_apart(function: Function, held: Sequence[Filled | Taken | Widened]) -> None:
    """Raise where `function`, or a helper of it, could tell what a list has copies of from these copies."""
    filled = {one.items: one for one in held if isinstance(one, Filled)}
    widened = [one for one in held if isinstance(one, Widened)]
    for fn in (function, *function.helpers) if held else ():
        own = {var.name for var in defined_variables(fn.body)}
        if any(var.name in own for var in filled):
            flow = _Flow(fn, filled)
            if (asked := flow.asked_whether_one()) is not None:
                message = "whether these are one object cannot be told"
                raise UnsupportedOperationError(message, span=asked.span, help="compare them with `==`, or compare their places")
            left = {flow.classes.of(one.items): one.floats for one in widened if flow.classes.knows(one.items)}
            for copy in flow.copies:
                if flow.tells_apart(copy) or left.get(flow.classes.of(copy.source), copy.items) != copy.items:
                    raise _told_apart(filled.get(copy.items), flow.ops[copy.path].span)


def refuse_read_of_spent(function: Function, spent: Sequence[tuple[Var, Var]], outside: Collection[Var]) -> None:
    """Raise where an array is read, or written to, that a function was let write to (`overwrite_a=True`): it was given a copy.

    `outside` are the parameters of `function` that are arrays from outside, which the next call reads again.
    """
    for fn in (function, *function.helpers) if spent else ():
        flow = _Flow(fn, ())
        for source, copy in spent:
            if copy in flow.defined and (fn is not function or flow.is_used_again(source, copy, outside)):
                message = "an array that a function may write to, as `overwrite_…=True` lets it, is read or written to afterwards"
                raise UnsupportedOperationError(
                    message, span=flow.ops[flow.defined[copy]].span, help="give it a copy: `a.copy()`"
                )


def _told_apart(holder: Filled | None, span: Span) -> UnsupportedOperationError:
    if isinstance(holder, HeldOutside):
        message = "an array is changed that an object, which was made of it, may hold itself"
        return UnsupportedOperationError(message, span=span, help="make the matrix of a copy: `x.copy()`")
    message = "an item of a list whose length only a run can tell is changed, and may be held in another place too"
    return UnsupportedOperationError(message, span=span, help="append or change a copy: `x.copy()`, `list(x)`")


class _Flow:
    """The order of the ops of a function, where the memory of its arrays comes from, and what lists get copies of.

    `filled` are the arrays that are the items of lists.
    """

    def __init__(self, fn: Function, filled: Collection[Var]) -> None:
        self.classes = alias_classes(fn)
        self.filled = {var for var in filled if self.classes.knows(var)}
        self.ops: dict[Path, Op] = {}
        self.ends: list[tuple[Path, Operand]] = []
        self.defined: dict[Var, Path] = {}
        self.params: dict[Var, Path] = dict.fromkeys(fn.params, ())
        self.carried: dict[Var, Path] = {}
        self._walk(fn.body, ())
        self.copies = [copy for path, op in self.ops.items() for copy in self._copies(path, op)]

    def _walk(self, block: Block, prefix: Path) -> None:
        for place, op in enumerate(block.ops):
            path = (*prefix, place)
            self.ops[path] = op
            self.defined.update(dict.fromkeys(outs(op), path))
            for number, inner in enumerate(blocks(op)):
                if isinstance(op, For | While):
                    self.carried.update(dict.fromkeys(inner.params, (*path, number)))
                self._walk(inner, (*path, number))
        self.ends += [((*prefix, len(block.ops)), result) for result in block.results]

    def _copies(self, path: Path, op: Op) -> Iterator[_Copy]:
        """The copies that `op` makes for lists."""
        if not isinstance(op, Call):
            return
        if op.fn == Lit(operator.setitem) and op.args[0] in self.filled:
            yield from (_Copy(var, op.args[0], path) for var in memory(op.args[2]) if isinstance(op.args[0], Var))
        for out in op.outs:
            if out in self.filled and effect_of(op).reads:
                yield from (_Copy(var, out, path) for var in memory(Pack("tuple", op.args)))

    def is_used_again(self, source: Var, copy: Var, outside: Collection[Var]) -> bool:
        """Whether `source` may be read or written to after it is copied: one of those from `outside` by the next call."""
        made, number = self.defined[copy], self.classes.of(source)
        used = [(path, var) for path, var in self._reads() if path != made and self.classes.of(var) == number]
        again = self._is_made_again(_Copy(source, copy, made)) or any(self.classes.of(var) == number for var in outside)
        return again or any(self._follows(made, path, source, var) for path, var in (*used, *self._writes(number)))

    def asked_whether_one(self) -> Call | None:
        """Where it is asked whether an item of a list, which is taken out anew each time, and another array are one object."""
        items = {self.classes.of(var) for var in self.filled}
        for op in self.ops.values():
            if isinstance(op, Call) and op.fn in (Lit(operator.is_), Lit(operator.is_not)):
                arrays = [var for var in op.args if isinstance(var, Var) and has_memory(var)]
                if len(arrays) == len(op.args) and any(self.classes.of(var) in items for var in arrays):
                    return op
        return None

    def tells_apart(self, copy: _Copy) -> bool:
        """Whether the program may see that there is a copy: it writes to the original, or to the copy and reads the original."""
        return self._changed(copy) or self._both(copy)

    def _changed(self, copy: _Copy) -> bool:
        """Whether the original is written to after the copy is made, other than by putting new items into a list."""
        written = [(path, var) for path, var in self._writes(self.classes.of(copy.source)) if var not in self.filled]
        return any(self._follows(copy.path, path, copy.source, var) for path, var in written)

    def _both(self, copy: _Copy) -> bool:
        """Whether an item is changed where it is after the copy is made, and the original is looked at."""
        if not any(map(self._is_changed, self._copies_of_copies(copy))):
            return False
        given = self.classes.of(copy.source)
        if self._is_made_again(copy) or (copy.source not in self.filled and self._is_of_a_list(copy.source)):
            return True
        read = [(path, var) for path, var in self._reads() if path != copy.path and self.classes.of(var) == given]
        return any(self._follows(copy.path, path, copy.source, var) for path, var in read)

    def _is_made_again(self, copy: _Copy) -> bool:
        """Whether the original may be copied more than once, in a loop that begins after it came to be."""
        origins, path = self.origins(copy.source), copy.path
        return origins is None or any(
            isinstance(self.ops[path[: depth + 1]], For | While)
            for origin in origins
            for depth in range(len(origin.block), len(path) - 1, 2)
        )

    def _copies_of_copies(self, copy: _Copy) -> list[_Copy]:
        """`copy`, and the copies that are made of what it made."""
        found, known = [copy], 0
        while known < len(found):
            known, items = len(found), {self.classes.of(one.items) for one in found}
            found += [one for one in self.copies if one not in found and self.classes.of(one.source) in items]
        return found

    def _is_changed(self, copy: _Copy) -> bool:
        """Whether an item is changed where it is after the copy is made."""
        written = [(path, var) for path, var in self._writes(self.classes.of(copy.items)) if var not in self.filled]
        return any(self._follows(copy.path, path, copy.items, var) for path, var in written)

    def _is_of_a_list(self, source: Var) -> bool:
        """Whether `source` is an item of a list, which the list goes on to hold."""
        return any(var != source and self.classes.of(var) == self.classes.of(source) for var in self.filled)

    def _writes(self, number: int) -> Iterator[tuple[Path, Var]]:
        """What is written to memory of this class, and where."""
        for path, op in self.ops.items():
            found: tuple[Var, ...] = ()
            if isinstance(op, Invoke) or (isinstance(op, Call) and effect_of(op) == OPAQUE):
                found = tuple(var for var in reads(op) if has_memory(var))
            elif isinstance(op, Call):
                found = tuple(writes(op))
            for var in found:
                if self.classes.of(var) == number:
                    yield path, var

    def _reads(self) -> Iterator[tuple[Path, Var]]:
        for path, op in self.ops.items():
            for var in contents_read(op) if isinstance(op, Call) else reads(op):
                if has_memory(var):
                    yield path, var
        for path, result in self.ends:
            for var in memory(result):
                yield path, var

    def _follows(self, made: Path, path: Path, source: Var, var: Var) -> bool:
        """Whether the op at `path`, on `var`, may come after the copy of `source` was `made`, while both are one array."""
        given, found = self.origins(source), self.origins(var)
        if found is None:
            return True
        same = [origin for origin in found if given is None or any(map(origin.may_be, given))]
        return any(self._after(made, path, origin, given) for origin in same)

    def _after(self, made: Path, path: Path, origin: _Origin, given: Origins) -> bool:
        if origin.carried is not None and given != frozenset([origin]):
            return True
        depth = len(origin.block)
        if path[:depth] != origin.block:
            return True
        if made[:depth] != origin.block or made[depth] < origin.place:
            return False  # at that time there was no such array
        return self._comes_after(made, path, depth)

    def _comes_after(self, first: Path, second: Path, depth: int) -> bool:
        """Whether `second` may be run after `first` in one run of the block at this depth of both."""
        if first[depth] != second[depth]:
            return first[depth] < second[depth]
        if len(first) == depth + 1 or len(second) == depth + 1:
            return False
        if isinstance(self.ops[first[: depth + 1]], If):
            return first[depth + 1] == second[depth + 1] and self._comes_after(first, second, depth + 2)
        return True

    def origins(self, var: Var, asked: frozenset[Var] = frozenset()) -> Origins:
        """Where the memory of `var` comes from."""
        if var in asked:
            return frozenset()
        asked |= {var}
        if var in self.params:
            return frozenset([_Origin((), -1)])
        if var in self.carried:
            return frozenset([_Origin(self.carried[var], -1, var)])
        path = self.defined.get(var)
        if path is None:
            return None
        op = self.ops[path]
        match op:
            case Call():
                effect = effect_of(op)
                viewed = positions(op, effect.views)
                if effect == OPAQUE:
                    return None
                return self._of_all(viewed, asked) if viewed else frozenset([_Origin(path[:-1], path[-1])])
            case If(outs=made, then=then, orelse=orelse):
                place = made.index(var)
                return self._lifted(self._of_all(memory(then.results[place]) + memory(orelse.results[place]), asked), path)
            case For(outs=made, inits=inits, body=body, breaks=breaks):
                place = made.index(var)
                return self._after_loop(path, body.params[1 + place], inits[place], body.results[breaks + place], asked)
            case While(outs=made, inits=inits, body=body):
                place = made.index(var)
                return self._after_loop(path, body.params[place], inits[place], body.results[place], asked)
            case _:
                return None

    def _after_loop(self, path: Path, param: Var, init: Operand, result: Operand, asked: frozenset[Var]) -> Origins:
        first = self._of_all(memory(init), asked)
        last = frozenset() if result == param else self._lifted(self._of_all(memory(result), asked), path)
        return None if first is None or last is None else first | last

    def _of_all(self, given: Sequence[Var], asked: frozenset[Var]) -> Origins:
        found: frozenset[_Origin] = frozenset()
        for var in given:
            more = self.origins(var, asked)
            if more is None:
                return None
            found |= more
        return found

    def _lifted(self, found: Origins, path: Path) -> Origins:
        """As seen from outside of the op at `path`: what comes to be in it does so there; what it carries cannot be told."""
        if found is None or any(origin.carried is not None and origin.block[: len(path)] == path for origin in found):
            return None
        return frozenset(_Origin(path[:-1], path[-1]) if origin.block[: len(path)] == path else origin for origin in found)

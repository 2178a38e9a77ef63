"""Which stores the reverse sweep must undo."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from adxform.ir.ops import Block, For, Function, While
from adxform.ir.walk import blocks, outs
from adxform.primitives.alias import Aliases

Path = tuple[int, ...]


def must_undo(
    fn: Function, aliases: Aliases, readers: Iterable[tuple[int, Path]], fresh: frozenset[Path] = frozenset()
) -> Callable[[int, Path], bool]:
    """Return the test whether the store at a path must be undone, given what the reverse sweep reads.

    `readers` are alias classes with the path of the op at which their contents are read. A path alternates the index of an op
    in its block and the number of the block in that op. A store need not be undone when every read of its memory comes after it.
    The iterations of a loop do that in either order, but for memory that each makes anew, and but for the loops `fresh`, whose
    iterations begin with their contents put back, whatever the others left.
    """
    by_class: dict[int, set[Path]] = {}
    for number, path in readers:
        by_class.setdefault(number, set()).add(path)
    loops = _loop_paths(fn.body, ()) - fresh
    homes = dict(_homes(fn.body, (), frozenset()))

    def undo(number: int, store: Path) -> bool:
        readers = by_class.get(number)
        return readers is not None and any(_may_precede(reader, store, lasting(number)) for reader in readers)

    def lasting(number: int) -> frozenset[Path]:
        """The loops through whose passes the memory of a class may last: all but those that have all its names inside."""
        if number in aliases.exposed or number in aliases.elements.values():
            return loops
        return loops - frozenset.intersection(*(homes.get(var.name, frozenset()) for var in aliases.members(number)))

    return undo


def _loop_paths(block: Block, path: Path) -> frozenset[Path]:
    found: set[Path] = set()
    for position, op in enumerate(block.ops):
        here = (*path, position)
        if isinstance(op, For | While):
            found.add(here)
        for number, inner in enumerate((op.body,) if isinstance(op, For | While) else blocks(op)):
            found |= _loop_paths(inner, (*here, number))
    return frozenset(found)


def _homes(block: Block, path: Path, around: frozenset[Path]) -> Iterator[tuple[str, frozenset[Path]]]:
    """By the name of each variable: the loops in each of whose passes it is defined anew; what a loop carries is not."""
    for position, op in enumerate(block.ops):
        here = (*path, position)
        yield from ((out.name, around) for out in outs(op))
        loop = isinstance(op, For | While)
        for number, inner in enumerate(blocks(op)):
            yield from ((param.name, around) for param in inner.params)
            yield from _homes(inner, (*here, 0 if loop else number), around | {here} if loop else around)


def _may_precede(reader: Path, store: Path, loops: frozenset[Path]) -> bool:
    common = 0
    while common < min(len(reader), len(store)) and reader[common] == store[common]:
        common += 1
    if any(reader[:length] in loops for length in range(1, common + 1)):
        return True
    if common == len(reader) or common == len(store):
        return True
    return common % 2 == 0 and reader[common] < store[common]

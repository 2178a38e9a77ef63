"""Which stores the reverse sweep must undo."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from adxform.ir.ops import Block, For, Function, While
from adxform.ir.walk import blocks

Path = tuple[int, ...]


def must_undo(
    fn: Function, readers: Iterable[tuple[int, Path]], fresh: frozenset[Path] = frozenset()
) -> Callable[[int, Path], bool]:
    """Return the test whether the store at a path must be undone, given what the reverse sweep reads.

    `readers` are alias classes with the path of the op at which their contents are read. A path alternates the index of an op
    in its block and the number of the block in that op. A store need not be undone when every read of its memory comes after it.
    The passes of the loops `fresh` begin with their contents put back, whatever the others left.
    """
    by_class: dict[int, set[Path]] = {}
    for number, path in readers:
        by_class.setdefault(number, set()).add(path)
    loops = _loop_paths(fn.body, ()) - fresh

    def undo(number: int, store: Path) -> bool:
        return any(_may_precede(reader, store, loops) for reader in by_class.get(number, ()))

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


def _may_precede(reader: Path, store: Path, loops: frozenset[Path]) -> bool:
    common = 0
    while common < min(len(reader), len(store)) and reader[common] == store[common]:
        common += 1
    if any(reader[:length] in loops for length in range(1, common + 1)):
        return True
    if common == len(reader) or common == len(store):
        return True
    return common % 2 == 0 and reader[common] < store[common]

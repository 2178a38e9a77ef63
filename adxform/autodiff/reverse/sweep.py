"""A block in the making with its reverse."""

from __future__ import annotations

from dataclasses import dataclass, field

from adxform.ir.ops import Block, Op, Operand, Var
from adxform.ir.walk import free_variables, outs, rename_block, substitute, variables


@dataclass(slots=True)
class Sweep:
    """A block in the making with its reverse.

    `entry` comes before the block's ops, `forward[k]` replaces op ``k``; `segments` are the reverse sweep in order, each with
    the index of the op it reverses (the number of ops for the prologue); `results` are what the reverse block yields.
    """

    block: Block
    path: tuple[int, ...]
    entry: list[Op] = field(default_factory=list)
    forward: list[list[Op]] = field(default_factory=list)
    segments: list[tuple[int, list[Op]]] = field(default_factory=list)
    results: tuple[Operand, ...] = ()

    def reverse_ops(self) -> tuple[Op, ...]:
        """The reverse sweep as one sequence."""
        return tuple(op for _, ops in self.segments for op in ops)

    def forward_ops(self) -> tuple[Op, ...]:
        """The forward sweep as one sequence."""
        return (*self.entry, *(op for ops in self.forward for op in ops))

    def needed(self) -> dict[Var, int]:
        """The variables of the block that its reverse reads, each with the index of the first segment (the last op) that does."""
        local = {var for op in self.forward_ops() for var in outs(op)} | set(self.block.params)
        found: dict[Var, int] = {}
        inside: set[Var] = set()
        for slot, ops in self.segments:
            block = Block((), tuple(ops), ())
            for var in free_variables(block):
                if var in local and var not in inside:
                    found.setdefault(var, slot)
            inside.update(out for op in ops for out in outs(op))
        for result in self.results:
            for var in variables(result):
                if var in local:
                    found.setdefault(var, -1)
        return found

    def rename(self, mapping: dict[Var, Operand]) -> None:
        """Replace the variables of `mapping` in the reverse sweep."""
        if not mapping:
            return
        replaced = []
        for slot, ops in self.segments:
            block = rename_block(Block((), tuple(ops), ()), mapping)
            replaced.append((slot, list(block.ops)))
        self.segments = replaced
        self.results = tuple(substitute(result, mapping) for result in self.results)

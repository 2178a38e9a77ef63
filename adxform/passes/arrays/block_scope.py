"""What is known where a block stands: where its arrays lie, which of them never change, and how lengths are had."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field

from adxform.ir.ops import Call, Lit, Op, Operand, Var
from adxform.ir.types import Array, Dim, Scalar, Size
from adxform.ir.walk import Names
from adxform.passes.arrays.doubts import Doubts
from adxform.passes.arrays.maps import Counted, NestAccess, spread, whole
from adxform.passes.arrays.units import Elements, Source
from adxform.primitives.alias import Aliases


@dataclass(slots=True)
class BlockScope:
    """What is known where a block stands: its function, where arrays lie, and which array has a length.

    With `fastmath`, what is added to one element may be added in any order.
    """

    aliases: Aliases
    names: Names
    doubts: Doubts
    takes: Callable[[Op], bool]
    fastmath: bool = True
    places: dict[str, NestAccess | Counted | Operand] = field(default_factory=dict)
    lengths: dict[Size, tuple[Var, int]] = field(default_factory=dict)
    chosen: dict[Size, tuple[Var, int, int]] = field(default_factory=dict)
    measured: dict[Size, Operand] = field(default_factory=dict)
    unsure: set[str] = field(default_factory=set)
    """Slices with variable bounds that could not be followed: loops look neither into them nor into views as long as they."""
    flat: dict[str, Elements] = field(default_factory=dict)
    """Of an array what all its elements are, in another shape: in the block where it is made."""
    indices: dict[str, Call] = field(default_factory=dict)
    """The calls that made tuples of tables of places, of literals alone."""
    from_zero: set[str] = field(default_factory=set)
    """The integers that are known not to be below zero."""
    listed: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """What short tables of places hold that is known, and never changes."""

    def inner(self, measured: Mapping[Size, Operand]) -> BlockScope:
        """The scope of a block inside, where the lengths `measured` are known."""
        known = dict(self.places), dict(self.lengths), dict(self.chosen), dict(measured)
        found = BlockScope(self.aliases, self.names, self.doubts, self.takes, self.fastmath, *known, set(self.unsure))
        found.indices, found.listed, found.from_zero = dict(self.indices), dict(self.listed), set(self.from_zero)
        return found

    def array(self, var: Var) -> None:
        """Note the lengths of `var`, an array that is there in any case."""
        if isinstance(var.type, Array) and not self.doubts.about(var):
            for axis, size in enumerate(var.type.shape or ()):
                if isinstance(size, Dim):
                    self.lengths.setdefault(size, (var, axis))

    def provider(self, size: Size) -> tuple[Var, int, int] | None:
        """An array, one of its axes, and what is to be added to the length of that to get `size`; or an integer for the array."""
        if not isinstance(size, Dim):
            return None
        if size not in self.chosen:
            if Dim(size.base) in self.lengths:
                self.chosen[size] = (*self.lengths[Dim(size.base)], size.offset)
            elif size in self.lengths:
                self.chosen[size] = (*self.lengths[size], 0)
        return self.chosen.get(size)

    def forget(self, gone: Set[Var]) -> None:
        """Forget the lengths that `gone` would have."""
        for known in (self.lengths, self.chosen):
            for size in [size for size, found in known.items() if found[0] in gone]:
                del known[size]

    def measurable(self, sizes: tuple[Size, ...]) -> bool:
        """Whether all of `sizes` can be computed."""
        return all(isinstance(size, int) or self.provider(size) is not None for size in sizes)

    def source(self, operand: Operand) -> NestAccess | Counted | Operand:
        """Where the elements of `operand` lie; a number for what is the same everywhere."""
        if isinstance(operand, Var) and isinstance(operand.type, Array):
            return self.places.get(operand.name) or whole(operand)
        return operand

    def fixed(self, var: Var) -> bool:
        """Whether the contents of `var` never change after it is made."""
        return self.aliases.of(var) not in self.aliases.written | self.aliases.exposed

    def spread(self, operand: Operand, shape: tuple[Size, ...]) -> Source | None:
        """What each iteration of the loops over `shape` takes of `operand`; ``None`` where that is not known."""
        if isinstance(operand, Lit):
            return operand
        if not isinstance(operand, Var) or not isinstance(operand.type, Scalar | Array):
            return None
        if isinstance(operand.type, Scalar):
            return operand
        own = operand.type.shape
        if own is None or (not own and shape == ()):
            return None
        source = self.source(operand)
        return spread(source, own, shape) if isinstance(source, NestAccess | Counted) else source

    def spread_all(self, operands: tuple[Operand, ...], shape: tuple[Size, ...]) -> tuple[Source, ...] | None:
        """What each iteration takes of all of `operands`; ``None`` where that is not known of one."""
        found = tuple(self.spread(operand, shape) for operand in operands)
        known = tuple(source for source in found if source is not None)
        return known if len(known) == len(found) else None

    def class_of(self, var: Var) -> int | str:
        """The alias class of `var`; its name if it was made here."""
        return self.aliases.of(var) if self.aliases.knows(var) else var.name

"""What a block does, as units that can be put into loops: their loops, the memory they touch, what they do at each iteration.

A unit without work is an op that stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from adxform.ir.ops import Op, Operand, Var
from adxform.ir.types import Size
from adxform.passes.arrays.lane_dtypes import Element
from adxform.passes.arrays.maps import AffineIndex, Counted, NestAccess


@dataclass(frozen=True, slots=True)
class Length:
    """A length as an operand."""

    size: Size


Source = NestAccess | Counted | Length | Operand
"""What a unit takes at each iteration: an element of an array, a place, a length, or a number."""


@dataclass(frozen=True, slots=True)
class Elements:
    """Elements in an array of `shape`: what `make` makes of those of `inputs`."""

    shape: tuple[Size, ...]
    inputs: tuple[Source, ...]
    make: Element


@dataclass(frozen=True, slots=True)
class Assign:
    """``target = value`` for each element."""

    target: NestAccess


@dataclass(frozen=True, slots=True)
class Increase:
    """``target += value`` (or another operation that reads and writes the element): `fn` is the primitive, or combines two.

    `some`: the lengths that must not be zero if the target has elements.
    """

    target: NestAccess
    fn: Callable[..., Any]
    commutes: bool
    some: tuple[Size, ...] = ()


@dataclass(frozen=True, slots=True)
class Reduce:
    """``out = fn(out, value)`` over all loops but the first `kept`, from `initial` on.

    `target` is where the result goes for each iteration of those; ``None``: `out` is a number. `dtype` is what is computed in.
    `count`: the lengths by whose product the result is divided. `some`: those that must not be zero.
    """

    out: Var
    target: NestAccess | None
    fn: Callable[..., Any]
    initial: Operand
    dtype: str
    kept: int
    count: tuple[Size, ...] = ()
    some: tuple[Size, ...] = ()


Work = Assign | Increase | Reduce


@dataclass(eq=False, slots=True)
class Unit:
    """A unit at place `order` of its block: `op` is what it comes from, `space` the lengths of its loops.

    `uses`: the variables that must be there before, arrays through which it reads included. `reads` and `writes` are alias
    classes, for an op that stays as it is.
    """

    order: int
    op: Op
    uses: tuple[Var, ...]
    outs: tuple[Var, ...]
    space: tuple[Size, ...] = ()
    work: Work | None = None
    inputs: tuple[Source, ...] = ()
    make: Element | None = None
    reads: frozenset[int] = frozenset()
    writes: frozenset[int] = frozenset()
    barrier: bool = False
    lazy: bool = False
    """Whether it belongs to the nest of what reads it."""
    scope: object = None
    """What was known where its blocks were read."""
    needs: dict[Unit, tuple[tuple[NestAccess, NestAccess], ...] | None] = field(default_factory=dict)
    """The earlier units it depends on: by which pairs of accesses, or altogether."""

    @property
    def target(self) -> NestAccess | None:
        """The elements that it writes."""
        return None if self.work is None else self.work.target

    @property
    def loads(self) -> tuple[NestAccess, ...]:
        """The elements that it reads, its target not among them."""
        direct = tuple(source for source in self.inputs if isinstance(source, NestAccess))
        return (*direct, *(entry for access in (*direct, *self.targets) for entry in access.tables))

    @property
    def targets(self) -> tuple[NestAccess, ...]:
        """The elements that it writes, as none or one."""
        return () if self.target is None else (self.target,)

    @property
    def target_places(self) -> tuple[AffineIndex, ...]:
        """The places of what it writes."""
        return () if self.target is None else self.target.places

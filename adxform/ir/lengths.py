"""Names of lengths on the two sides of a call: a helper has its own for those of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from adxform.ir.ops import Operand, Var
from adxform.ir.types import Array, Dim, Size, Type


@dataclass(slots=True)
class Lengths:
    """What each length that a helper names is for its caller; one that the helper makes is a new one, by `fresh`."""

    known: dict[str, Size]
    fresh: Callable[[], Dim]

    @classmethod
    def at(cls, params: Iterable[Var], args: Iterable[Operand], fresh: Callable[[], Dim]) -> Lengths:
        """Those of a call with `args` for `params`."""
        known: dict[str, Size] = {}
        for param, arg in zip(params, args, strict=False):
            if isinstance(arg, Var) and isinstance(param.type, Array) and isinstance(arg.type, Array):
                sizes = zip(param.type.shape or (), arg.type.shape or (), strict=False)
                known |= {size.base: given for size, given in sizes if isinstance(size, Dim) and not size.offset}
        return cls(known, fresh)

    def outside(self, type_: Type) -> Type:
        """`type_`, of a value of the helper, as its caller has it."""
        if not isinstance(type_, Array) or type_.shape is None:
            return type_
        return Array(type_.dtype, tuple(size if isinstance(size, int) else self._size(size) for size in type_.shape))

    def _size(self, size: Dim) -> Size:
        if size.base not in self.known:
            self.known[size.base] = self.fresh()
        match self.known[size.base]:
            case Dim(base, 0):
                return Dim(base, size.offset)
            case found if not size.offset:
                return found
            case _:
                return self.fresh()

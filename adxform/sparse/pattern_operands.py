"""How the operations of a traced function read their operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, assert_never

import numpy as np

from adxform import runtime
from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.types import Scalar, is_float
from adxform.sparse.pattern_values import Integers, NotKnown, concrete, ids_of, tagged

Frame = list[Any]
Step = Callable[[Frame], None]
Getter = Callable[[Frame], Any]
Values = Sequence[Any]
Compiled = tuple[list[Step], list[Getter]]
"""The steps of a block, and what reads its results."""


class Operands:
    """Makes closures that read operands of one routine, whose variables lie in `slots` of a frame."""

    def __init__(self, slots: Mapping[str, int]) -> None:
        self.slots = slots

    def plain(self, operand: Operand) -> Getter:
        """Reads `operand` as it lies in a variable."""
        match operand:
            case Var(name):
                slot = self.slots[name]
                return lambda frame: frame[slot]
            case Lit(float() | np.floating() as number):
                value: Any = float(number)
                return lambda frame: value
            case Lit(np.ndarray() as array):
                return lambda frame: np.asarray(ids_of(array)) if array.dtype.kind == "f" else array.astype(np.int64)
            case Lit(value):
                return lambda frame: value
            case Pack():
                return self.tagged(operand)
            case _:
                assert_never(operand)

    def tagged(self, operand: Operand) -> Getter:
        """Reads `operand` as primitives take it."""
        match operand:
            case Var(name, type_):
                slot = self.slots[name]
                return lambda frame: tagged(frame[slot], type_)
            case Lit(np.ndarray() as array) if array.dtype.kind in "biu":
                whole = Integers(array.astype(np.int64), array.dtype.name)
                return lambda frame: whole
            case Lit(value):
                return lambda frame: value
            case Pack(kind, items):
                getters = [self.tagged(item) for item in items]
                return lambda frame: runtime.aggregate(kind, [get(frame) for get in getters])
            case _:
                assert_never(operand)

    def truth(self, operand: Operand) -> Getter:
        """Reads whether `operand` is true; ``None`` where only a run can tell."""
        get = self.tagged(operand)

        def read(frame: Frame) -> bool | None:
            try:
                return bool(concrete(get(frame)))
            except NotKnown:
                return None

        if isinstance(operand, Var) and isinstance(operand.type, Scalar) and not is_float(operand.type):
            slot = self.slots[operand.name]
            return lambda frame: frame[slot]
        return read

    def places(self, variables: Sequence[Var]) -> list[int]:
        """The slots of `variables`."""
        return [self.slots[var.name] for var in variables]

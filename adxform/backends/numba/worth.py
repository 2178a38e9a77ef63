"""What compiling a derivative takes and saves, estimated from the IR of its function and the sizes of the arguments alone.

No clock and no cache has a say, so the same call runs on the same engine every time. The estimates are coarse, right within a
factor of about three: what they leave open is compiled where that takes a second or two, for it is done once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform.backends.numba.engine_policy import NUMBER, PASSES, Counting, Steps, call_steps, steps
from adxform.backends.protocol import BOUND, Worth
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, For, Function, Lit, Op, Operand, Var, While
from adxform.ir.types import Array, Dim, Size
from adxform.ir.walk import all_ops, outs
from adxform.primitives.effects import functions
from adxform.primitives.table import record_of
from adxform.threads.deep_recursion import on_deep_stack

# Fitted to the first gradients of the problems of `benchmarks.race`, and of functions that call a helper with three loops 2, 10
# and 40 times.
START, PER_NUMBER, PER_ARRAY, PER_LOOP = 0.1, 0.01, 0.08, 0.1
"""Seconds of compiling a gradient: in any case, and for each operation of the function on numbers, on arrays, and each loop."""
WEIGHTS: Mapping[str, float] = MappingProxyType({"primal": 0.3, "forward": 0.6, "reverse": 1.0, "hvp": 3.5, "second": 3.5})
"""How much more than a gradient a derivative is, in text and in steps."""
STEP = 1e-7
"""Seconds of a gradient in Python for each step of the function."""
ELEMENT = 0.01
"""Steps for each element of an array."""


@dataclass(slots=True)
class Estimate:
    """Of one specialised function: what compiling takes, once, and what it saves, for each choice of sizes."""

    function: Function
    takes: float = field(init=False)
    loops: bool = field(init=False)
    known: dict[tuple[Any, ...], Worth] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.takes, self.loops = on_deep_stack(lambda: (compiling(self.function), steps(self.function).looping > 0))

    def pays(self, mode: str, inputs: Callable[[], Sequence[Any]]) -> bool:
        """Whether it pays to compile the derivative in `mode` for arguments like `inputs`.

        Where nothing loops, nothing will be compiled, but for loops of rules: nobody asks unless that would take long.
        """
        brief = not self.loops and self.takes * WEIGHTS.get(mode, 1.0) <= BOUND
        return brief or self.worth(mode, inputs()).pays

    def worth(self, mode: str, inputs: Sequence[Any]) -> Worth:
        """What compiling the derivative in `mode` takes and saves for arguments like `inputs`."""
        sizes = tuple(
            [value.shape if isinstance(value, np.ndarray) else value if type(value) is int else None for value in inputs]
        )
        found = self.known.get((mode, sizes))
        if found is None:
            weight = WEIGHTS.get(mode, 1.0)
            found = Worth(self.takes * weight, on_deep_stack(lambda: spared(self.function, sizes)) * STEP * weight)
            if len(self.known) >= SIZES:
                self.known.clear()
            self.known[mode, sizes] = found
        return found


SIZES = 256


def compiling(fn: Function) -> float:
    """The seconds of compiling the gradient of `fn`, typed IR."""
    ops = [op for part in (fn, *fn.helpers) for op in all_ops(part.body)]
    calls = [op for op in ops if isinstance(op, Call)]
    arrays = sum(any(isinstance(out.type, Array) for out in outs(op)) for op in calls)
    loops = sum(isinstance(op, For | While) for op in ops)
    return START + PER_NUMBER * (len(calls) - arrays) + PER_ARRAY * arrays + PER_LOOP * loops


def spared(fn: Function, sizes: Sequence[Any]) -> float:
    """The steps of `fn` in Python where its parameters have these `sizes`: a shape, an integer, or neither."""
    lengths: dict[str, int] = {}
    numbers: dict[Var, int] = {}
    for param, size in zip(fn.params, sizes, strict=True):
        if isinstance(size, int):
            numbers[param] = size
        elif isinstance(size, tuple) and isinstance(param.type, Array):
            named = zip(param.type.shape or (), size, strict=False)
            lengths |= {dim.base: length - dim.offset for dim, length in named if isinstance(dim, Dim)}
    return _Sized(functions(fn), lengths, numbers).block(fn.body).all


class _Sized(Counting):
    """Counts steps for arguments of known sizes; what only the run can tell is as long as the longest that is known."""

    def __init__(self, known: Mapping[str, Function], lengths: Mapping[str, int], numbers: dict[Var, int]) -> None:
        super().__init__(known, {})
        self.lengths = lengths
        self.numbers = numbers
        self.most = max((PASSES, *lengths.values()))

    def op(self, op: Op) -> Steps:
        match op:
            case Call():
                self._note(op)
                elements = max((self._elements(out.type) for out in outs(op) if isinstance(out.type, Array)), default=0)
                return Steps(call_steps(op) + ELEMENT * elements)
            case For():
                times, middle = self._range(op)
                if middle is not None:
                    self.numbers[op.body.params[0]] = middle
                return self._times(self.block(op.body), times)
            case While(test=test, body=body):
                return self._times(self.block(test) + self.block(body), self.most)
            case _:
                return super().op(op)

    def _times(self, body: Steps, times: int) -> Steps:
        return Steps(NUMBER + times * (body.all + NUMBER))

    def _range(self, loop: For) -> tuple[int, int | None]:
        """How many iterations a loop has, and what its index is in the middle."""
        ends = [self._value(part) for part in loop.source]
        start, stop, step = ends if len(ends) == 3 else (None, None, None)
        if start is None or stop is None or not step:
            return self.most, None
        return len(range(start, stop, step)), (start + stop) // 2

    def _note(self, op: Call) -> None:
        """Keep the value of an integer that the sizes tell."""
        fn = callee(op)
        if len(op.outs) != 1:
            return
        value: int | None = None
        if fn is intrinsics.dim:
            array, axis = op.args
            shape = array.type.shape if isinstance(array, Var) and isinstance(array.type, Array) else None
            if shape is not None and isinstance(axis, Lit) and isinstance(axis.value, int):
                value = self._length(shape[axis.value])
        elif fn is not None and record_of(fn).whole and not op.kwargs:
            given = [self._value(arg) for arg in op.args]
            try:
                value = None if None in given else fn(*given)
            except ArithmeticError:
                value = None
        if type(value) is int:
            self.numbers[op.outs[0]] = value

    def _value(self, operand: Operand) -> int | None:
        match operand:
            case Lit(value=int(number)):
                return int(number)
            case Var():
                return self.numbers.get(operand)
            case _:
                return None

    def _length(self, size: Size) -> int | None:
        if isinstance(size, int):
            return size
        base = self.lengths.get(size.base)
        return None if base is None else max(base + size.offset, 0)

    def _elements(self, type_: Array) -> int:
        """The elements of an array; of lengths that nothing tells, the longest that is known in the place of the first."""
        known = [self._length(size) for size in type_.shape or ()]
        found = int(np.prod([length for length in known if length is not None], dtype=np.int64))
        return found * self.most if None in known else found

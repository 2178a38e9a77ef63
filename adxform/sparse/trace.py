"""A function run on dependences instead of numbers: its typed IR, made into closures, one for each operation.

What is known runs as it would: loops with known bounds, branches on known conditions, stores to known places. Of a condition that
only a run can tell both branches run, from the same memory, and what they leave is joined. A loop whose passes only a run can
tell runs on sets that stand for those of any iteration, until nothing new is written: `adxform.sparse.unbounded_loops`.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, assert_never

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.ops import Attribute, Block, Call, Closure, For, Free, Function, If, Invoke, Lit, Op, Raise, While
from adxform.ir.types import Array, Scalar
from adxform.ir.walk import defined_variables
from adxform.primitives.effects import functions
from adxform.sparse import control_flow, shortcuts
from adxform.sparse.graph import GiveUp, Graph
from adxform.sparse.pattern_branches import Branches
from adxform.sparse.pattern_memory import pop, put
from adxform.sparse.pattern_operands import Compiled, Frame, Operands, Step, Values
from adxform.sparse.pattern_values import untagged
from adxform.sparse.primitives import apply
from adxform.sparse.unbounded_loops import Ends


class Trace(Branches):
    """A run of a program: see `Branches`; with its functions, compiled when they are first called."""

    def __init__(self, graph: Graph, fn: Function) -> None:
        super().__init__(graph)
        known = functions(fn)
        self.routines: dict[str, Routine] = {}
        for name, helper in known.items():
            self.routines[name] = Routine(self, helper)
        self.main = self.routines[fn.name] if known[fn.name] is fn else Routine(self, fn)


class Routine:
    """A function of the program, compiled for the trace."""

    def __init__(self, trace: Trace, fn: Function) -> None:
        self.trace, self.fn = trace, fn
        self.slots: Mapping[str, int] = {var.name: i for i, var in enumerate(defined_variables(fn.body))}
        self.compiled: Compiled | None = None

    def __call__(self, args: Values) -> list[Any]:
        """The results for these arguments, as they lie in variables."""
        if self.compiled is None:
            self.compiled = Compiler(self).block(self.fn.body)
        steps, results = self.compiled
        frame: Frame = [None] * len(self.slots)
        for param, arg in zip(self.fn.params, args, strict=True):
            frame[self.slots[param.name]] = arg
        for step in steps:
            step(frame)
        return [get(frame) for get in results]


class Compiler:
    """Makes closures of the operations of one routine."""

    def __init__(self, routine: Routine) -> None:
        self.trace, self.at = routine.trace, Operands(routine.slots)

    def block(self, block: Block) -> Compiled:
        """The steps of `block`, and what reads its results."""
        return [self.op(op) for op in block.ops], [self.at.plain(result) for result in block.results]

    def op(self, op: Op) -> Step:
        """The step of one operation."""
        trace, at = self.trace, self.at
        match op:
            case Call():
                return self.call(op)
            case If():
                return control_flow.branch(trace, at, op, self.block(op.then), self.block(op.orelse))
            case For():
                return control_flow.counted(trace, at, op, self.block(op.body))
            case While():
                return control_flow.conditional(trace, at, op, self.block(op.test), self.block(op.body))
            case Invoke():
                return self.invoke(op)
            case Raise():
                return _raise
            case Free() | Attribute() | Closure():
                raise GiveUp("it is not typed")
            case _:
                assert_never(op)

    def call(self, op: Call) -> Step:
        """The step of a call: a short one for numbers and elements, where speed counts; else any."""
        if not isinstance(op.fn, Lit):
            raise GiveUp("it calls something that is not known")
        if any(isinstance(var.type, Scalar | Array) and np.dtype(var.type.dtype).kind not in "fbiu" for var in op.outs):
            raise GiveUp("it has values that are no real numbers")
        fn = op.fn.value
        if fn is intrinsics.turning_point:
            return _nothing
        if fn is intrinsics.new_stack:
            slot = self.at.slots[op.outs[0].name]
            return lambda frame: frame.__setitem__(slot, [])
        if fn is intrinsics.push:
            return self.push(op)
        if fn is intrinsics.pop:
            return self.pop(op)
        slow = self.any_call(op, fn)
        if op.kwargs:
            return slow
        if fn in (operator.getitem, operator.setitem, intrinsics.accumulate, intrinsics.deduct):
            return shortcuts.element(self.trace, self.at, op, fn, slow)
        if len(op.outs) == 1 and isinstance(op.outs[0].type, Scalar) and all(shortcuts.is_number(arg) for arg in op.args):
            return shortcuts.number(self.trace, self.at, op, fn, slow)
        return slow

    def any_call(self, op: Call, fn: Any) -> Step:
        """A call of any primitive on any operands."""
        trace, at = self.trace, self.at
        args = [at.tagged(arg) for arg in op.args]
        kwargs = [(key, at.tagged(value)) for key, value in op.kwargs]
        slots = [(at.slots[out.name], out.type) for out in op.outs]

        def step(frame: Frame) -> None:
            found = apply(trace, op, fn, [get(frame) for get in args], {key: get(frame) for key, get in kwargs})
            for (slot, type_), value in zip(slots, found if len(slots) > 1 else (found,), strict=False):
                frame[slot] = untagged(value, type_)

        return step

    def push(self, op: Call) -> Step:
        """A value put on a stack."""
        at, trace = self.at, self.trace
        stack, value = at.plain(op.args[0]), at.tagged(op.args[1])
        return lambda frame: put(stack(frame), value(frame), trace.log)

    def pop(self, op: Call) -> Step:
        """A value taken off a stack."""
        trace, stack = self.trace, self.at.plain(op.args[0])
        if not op.outs:

            def forget(frame: Frame) -> None:
                pop(stack(frame), trace.log)

            return forget
        out = op.outs[0]
        slot, type_ = self.at.slots[out.name], out.type

        def step(frame: Frame) -> None:
            value = pop(stack(frame), trace.log)
            frame[slot] = untagged(value, type_)

        return step

    def invoke(self, op: Invoke) -> Step:
        """A call of a helper."""
        routine = self.trace.routines[op.callee]
        args, slots = [self.at.plain(arg) for arg in op.args], self.at.places(op.outs)

        def step(frame: Frame) -> None:
            found = routine([get(frame) for get in args])
            for slot, value in zip(slots, found, strict=False):
                frame[slot] = value

        return step


def _raise(frame: Frame) -> None:
    raise Ends


def _nothing(frame: Frame) -> None:
    pass

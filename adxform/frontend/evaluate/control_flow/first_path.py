"""The path of the call at hand: which side of a branch in code of a package it takes, where following both is refused.

All that has been written so far is run with the arguments of the call. A branch of which that tells the side is that side, and
the run refuses another one: so no number follows from what is told here but that it was asked.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import numpy as np

from adxform import runtime
from adxform.analysis.stepping import Machine
from adxform.frontend.evaluate.signals import TooLong
from adxform.frontend.evaluate.state import Interpreter
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, Function, If, Lit, Op, Operand, Raise, Var
from adxform.ir.packages import is_installed
from adxform.ir.types import BOOL
from adxform.ir.walk import all_ops, blocks
from adxform.primitives.effects import is_opaque


class FirstCall:
    """What variables are in the call at hand, of what has been written outside of any branch and loop."""

    def __init__(self, root: Builder, values: Mapping[Var, Any]) -> None:
        self.builders = [root]
        """Of what is run once in the call: the function, and functions inside of which a derivative is taken."""
        self.values = {var: _apart(value) for var, value in values.items()}
        self.machine = Machine({}, {})
        self.done: dict[int, Op] = {}
        """What has been run, by its place in memory: what follows in a ``try`` is written apart first, then within a branch."""

    def truth(self, interp: Interpreter, cond: Operand) -> bool | None:
        """Whether `cond` is true in that call; ``None`` where that cannot be told without doing more than to compute."""
        for var, value in interp.outer.hidden_values.items():
            if var not in self.values:
                self.values[var] = _apart(value)
        self._run_what_is_new()
        found = self.values.get(cond) if isinstance(cond, Var) else None
        return None if found is None else bool(found)

    @contextmanager
    def inside(self, outer: Builder, builder: Builder, params: Sequence[Var], operands: Sequence[Operand]) -> Iterator[None]:
        """Meanwhile `builder` has the body of a function inside, called with `operands` for its `params` where `outer` ends."""
        if outer is not self.builders[-1]:
            yield
            return
        self._run_what_is_new()
        for param, operand in zip(params, operands, strict=True):
            with suppress(KeyError):
                self.values[param] = _apart(self.machine.value(operand, self.values))
        self.builders.append(builder)
        try:
            yield
        finally:
            self.builders.pop()

    def _run_what_is_new(self) -> None:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for one in self.builders:
                builder: Builder | None = one
                while builder is not None:
                    self._run_all(builder.ops)
                    builder = builder.rest

    def _run_all(self, ops: Sequence[Op]) -> None:
        for op in ops:
            if id(op) not in self.done:
                self.done[id(op)] = op
                self._run(op)

    def _run(self, op: Op) -> None:
        """Run `op`; its outs are not known where it does more than to compute, needs what is not known, or raises."""
        try:
            if isinstance(op, If):
                side = op.then if self.machine.read(op.cond, self.values) else op.orelse
                self._run_all(side.ops)
                for out, result in zip(op.outs, side.results, strict=True):
                    self.values[out] = self.machine.value(result, self.values)
            elif not _does_more(op):
                self.machine.step(op, self.values)
        except Exception:  # of the program's, or for want of a value
            return


def path_of(function: Function) -> Function | None:
    """`function` as far as it asks whether a call takes the path that is followed; ``None`` where it does more than compute."""
    ops = [op for op in function.body.ops if not (isinstance(op, Call) and op.fn == Lit(intrinsics.turning_point))]
    asking = [place for place, op in enumerate(ops) if isinstance(op, If) and not op.outs and _raises(op.orelse)]
    kept = ops[: asking[-1] + 1] if asking else ()
    if any(_does_more(op) for op in kept if not (isinstance(op, If) and _raises(op.orelse))):
        return None
    return replace(function, body=Block(function.params, tuple(kept), ()))


def _raises(block: Block) -> bool:
    return bool(block.ops) and isinstance(block.ops[-1], Raise)


def _does_more(op: Op) -> bool:
    """Whether `op` does more than to compute, or to raise what it has."""
    inside = (op, *(inner for block in blocks(op) for inner in all_ops(block)))
    return any(is_opaque(one) and not isinstance(one, Raise) for one in inside)


def _apart(value: Any) -> Any:
    """`value`, an array in memory of its own, that may be written to."""
    return np.array(value, order="K") if isinstance(value, np.ndarray) else value


LONG = 20_000
"""How many ops are written at most where code of packages is followed on all its paths: a thousand take a second to derive."""


def note_length(interp: Interpreter) -> None:
    """Note that an op is written. Raises `TooLong` where code of a package has become too long on all its paths."""
    interp.written += 1
    if interp.written > LONG and interp.first_call is None and not interp.knowledge.takes_all_paths and _in_package(interp):
        raise TooLong


def _in_package(interp: Interpreter) -> bool:
    """Whether what is run is code of an installed package."""
    return bool(interp.frames) and is_installed(interp.frames[-1].fn.span.file)


def taken(interp: Interpreter, cond: Operand) -> bool | None:
    """Which side of a branch by `cond` the call at hand takes, if that is asked for and can be told: the run refuses another."""
    call: FirstCall | None = interp.first_call
    if call is None or interp.builder is not call.builders[-1] or not _in_package(interp):
        return None
    found = call.truth(interp, cond)
    if found is not None:
        holds = cond if found else interp.emit(operator.not_, (cond,), BOOL)
        interp.require(holds, runtime.another_path)
    return found

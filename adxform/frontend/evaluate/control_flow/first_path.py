"""The path of the call at hand: which side of a branch in code of a package it takes, where following both is refused.

All that has been written so far is run with the arguments of the call. A branch of which that tells the side is that side, and
the run refuses another one: so no number follows from what is told here but that it was asked.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from adxform import runtime
from adxform.analysis.stepping import Machine
from adxform.frontend.evaluate.state import Interpreter
from adxform.ir.ops import Lit, Op, Operand, Var
from adxform.ir.packages import is_installed
from adxform.ir.walk import all_ops, blocks
from adxform.primitives.effects import is_opaque


class FirstCall:
    """What variables are in the call at hand, of what has been written outside of any branch and loop."""

    def __init__(self, values: Mapping[Var, Any]) -> None:
        self.values = {var: _apart(value) for var, value in values.items()}
        self.machine = Machine({}, {})
        self.done = 0

    def truth(self, interp: Interpreter, cond: Operand) -> bool | None:
        """Whether `cond` is true in that call; ``None`` where that cannot be told without doing more than to compute."""
        for var, value in interp.outer.hidden_values.items():
            if var not in self.values:
                self.values[var] = _apart(value)
        ops = interp.root.ops
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for op in ops[self.done :]:
                self._run(op)
        self.done = len(ops)
        found = self.values.get(cond) if isinstance(cond, Var) else None
        return None if found is None else bool(found)

    def _run(self, op: Op) -> None:
        """Run `op`; its outs are not known where it does more than to compute, needs what is not known, or raises."""
        inside = (inner for block in blocks(op) for one in block.ops for inner in (one, *all_ops(block)))
        if is_opaque(op) or any(map(is_opaque, inside)):
            return
        try:
            self.machine.step(op, self.values)
        except Exception:
            return


def _apart(value: Any) -> Any:
    """`value`, an array in memory of its own, that may be written to."""
    return np.array(value, order="K") if isinstance(value, np.ndarray) else value


def taken(interp: Interpreter, cond: Operand) -> bool | None:
    """Which side of a branch by `cond` the call at hand takes, if that is asked for and can be told: the run refuses another."""
    call = interp.first_call
    if call is None or not interp.unconditional or interp.root.rest is not None or not interp.frames:
        return None
    if not is_installed(interp.frames[-1].fn.span.file):
        return None
    found = call.truth(interp, cond)
    if found is not None:
        holds = cond if found else interp.operand(interp.call(Lit(operator.not_), (cond,)))
        interp.require(holds, runtime.another_path)
        interp.decided[cond] = found
    return found

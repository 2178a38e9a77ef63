"""What is asked of two values, and what can be asked of any array: for those that ask what a program tells by it."""

from __future__ import annotations

import operator

import numpy as np

from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, Lit, Var
from adxform.ir.walk import all_ops

EQUALITY = frozenset(
    map(Lit, (operator.eq, operator.ne, np.equal, np.not_equal, np.array_equal, np.array_equiv, np.allclose, np.isclose))
)
"""Whether two values are the same, or nearly."""
ORDERING = frozenset(map(Lit, (operator.lt, operator.le, operator.gt, operator.ge, operator.is_, operator.is_not, operator.not_)))
"""What gives truth values alone."""
OF_ANY_ARRAY = (np.sum, np.copy, np.ndarray.copy, np.zeros_like, np.ones_like, np.asarray)
"""What raises for no array, given nothing else."""


def asks_which_object(body: Block) -> bool:
    """Whether `body` asks of two values, neither of them a constant, if they are one object."""
    return any(_asks_which_object(op) for op in all_ops(body) if isinstance(op, Call))


def _asks_which_object(call: Call) -> bool:
    fn = callee(call)
    return (fn is operator.is_ or fn is operator.is_not) and all(isinstance(arg, Var) for arg in call.args)

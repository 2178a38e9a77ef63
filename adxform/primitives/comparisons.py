"""What is asked of two values, and what can be asked of any array: for those that ask what a program tells by it."""

from __future__ import annotations

import operator

import numpy as np

from adxform.ir.ops import Lit

EQUALITY = frozenset(
    map(Lit, (operator.eq, operator.ne, np.equal, np.not_equal, np.array_equal, np.array_equiv, np.allclose, np.isclose))
)
"""Whether two values are the same, or nearly."""
ORDERING = frozenset(map(Lit, (operator.lt, operator.le, operator.gt, operator.ge, operator.is_, operator.is_not, operator.not_)))
"""What gives truth values alone."""
OF_ANY_ARRAY = (np.sum, np.copy, np.ndarray.copy, np.zeros_like, np.ones_like, np.asarray)
"""What raises for no array, given nothing else."""

"""The operators and number functions of Python itself, on scalars and arrays."""

from __future__ import annotations

import operator

import numpy as np

from adxform.rules.declare import constant, scalar
from adxform.rules.record import Primitive

_A = np.array([0.5, -1.5, 2.0])
_B = np.array([[1.25], [-0.75]])

RECORDS: tuple[Primitive, ...] = (
    scalar(operator.add, lambda y, a, b: (1.0, 1.0), (1.5, 2.5), (_A, _B)),
    scalar(operator.sub, lambda y, a, b: (1.0, -1.0), (1.5, 2.5), (_A, _B)),
    scalar(operator.mul, lambda y, a, b: (b, a), (1.5, 2.5), (_A, _B), (_A, 3)),
    scalar(operator.neg, lambda y, x: -1.0, (1.5,), (_A,)),
    scalar(operator.pos, lambda y, x: 1.0, (1.5,), (_A,)),
    *(
        constant(fn)
        for fn in (
            operator.lt,
            operator.le,
            operator.eq,
            operator.ne,
            operator.gt,
            operator.ge,
            operator.not_,
            operator.is_,
            operator.is_not,
            operator.contains,
            operator.and_,
            operator.or_,
            operator.xor,
            operator.invert,
            operator.lshift,
            operator.rshift,
        )
    ),
)

"""How Numba compiles products of vectors. It imports Numba, as `adxform.engine.kernels` does.

Where NumPy raises because lengths do not fit, so does this, and the kernel's caller asks NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numba
import numba.extending
import numpy as np
from numba.core import imputils, types

from adxform.engine import products

place = np.uint64
"""Indices are unsigned, so that nobody asks whether they count from the end."""


def _of_vectors(a: Any, b: Any) -> float:
    if a.shape[0] != b.shape[0]:
        raise ValueError("lengths that do not fit")
    total = 0.0
    for i in range(place(a.shape[0])):
        total += a[i] * b[i]
    return total


FORMS: Mapping[tuple[int, int], Callable[..., Any]] = {
    (1, 1): _of_vectors,
}


@numba.extending.type_callable(products.product)
def _type_product(_context: Any) -> Callable[..., Any]:
    def result(a: Any, b: Any, out: Any = None) -> Any:
        return types.float64 if out is None else out

    return result


def _lower_product(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Calls the form for these ranks, which takes arrays of any layout."""
    given = [type_.copy(layout="A", readonly=False) for type_ in signature.args]
    values = [context.cast(builder, value, *pair) for value, *pair in zip(args, signature.args, given, strict=True)]
    form = FORMS[given[0].ndim, given[1].ndim]
    if len(given) == 2:
        return context.compile_internal(builder, form, types.float64(*given), values)
    context.compile_internal(builder, form, types.none(*given), values)
    return _returned(context, builder, signature.return_type, args[2])


_returned: Any = imputils.impl_ret_borrowed
_lower: Any = numba.extending.lower_builtin
for _count in (2, 3):
    _lower(products.product, *[types.Array] * _count)(_lower_product)

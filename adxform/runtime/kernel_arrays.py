"""What kernels call on arrays: products and transpositions under names of their own, of which their compiler has a short form."""

from __future__ import annotations

from typing import Any

import numpy as np


def product(a: Any, b: Any, out: Any = None) -> Any:
    """``a @ b``; where that is an array, in `out`."""
    return np.matmul(a, b, out=out)


def swapped(x: Any) -> Any:
    """`x` with its last two axes exchanged. To compile NumPy's way of saying so takes seconds, for what it may raise."""
    return np.swapaxes(x, -1, -2)

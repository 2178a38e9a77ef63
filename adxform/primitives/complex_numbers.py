"""What rules say otherwise of complex numbers than of real ones.

The cotangent ``ct`` of a complex number pairs with its tangent ``t`` as ``real(ct * t)``, without a conjugate: so the pullback of
what has a complex derivative is that of the real function, by the same formula (docs/complex.md). These are for all else; real
numbers pass them as they are, and nothing of them is left in what is generated.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def conjugate(x: Any) -> Any:
    """The complex conjugate of `x`: itself, where it is real."""
    return np.conjugate(x) if np.iscomplexobj(x) else x


def real_part(x: Any) -> Any:
    """The real part of `x`: itself, where it is real."""
    return np.real(x) if np.iscomplexobj(x) else x


def adjoint(a: Any) -> Any:
    """The conjugate transpose of a matrix, or of each of several."""
    return conjugate(np.swapaxes(a, -1, -2))

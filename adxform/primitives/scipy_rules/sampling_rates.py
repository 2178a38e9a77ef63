"""Signals that are filtered on the way to another rate of samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from adxform import runtime
from adxform.primitives.definitions.definition import Definition, Value, unsupported


def _upfirdn(h: Any, x: Any, up: Any = 1, down: Any = 1, axis: Any = -1) -> Any:
    """Zeros are put between the samples, which are filtered, and of these one in so many is kept.

    Source: Crochiere and Rabiner, Multirate Digital Signal Processing (1983), section 3.3.
    """
    h, x = np.asarray(h), np.asarray(x)
    if np.ndim(h) != 1:
        unsupported("scipy.signal.upfirdn has a derivative of a filter that is a vector")
    lines = np.moveaxis(x, axis, -1)
    if np.size(x) == 0:
        raise runtime.without_derivative("scipy.signal.upfirdn has no derivative of a signal without elements")
    spread = np.concatenate((lines[..., None], np.zeros((*lines.shape, up - 1))), axis=-1)
    wide = np.reshape(spread, (*lines.shape[:-1], lines.shape[-1] * up))[..., : (lines.shape[-1] - 1) * up + 1]
    filtered = signal.convolve(wide, np.reshape(h, (1,) * (np.ndim(x) - 1) + (-1,)))
    return np.moveaxis(filtered[..., ::down], -1, axis)


DEFINITIONS: tuple[Definition, ...] = (Definition(signal.upfirdn, _upfirdn, Value.OWN),)

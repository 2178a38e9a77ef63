"""Functions to which integers are lengths, places or values: that only a run knows them leaves open no more than a length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adxform import runtime

OPEN_INTEGERS: frozenset[Callable[..., Any]] = frozenset(
    {
        *(np.zeros, np.ones, np.empty, np.full, np.eye, np.identity, np.tri, np.arange, np.linspace),
        *(np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.array, np.asarray, np.float64, np.float32),
        *(np.reshape, np.ndarray.reshape, np.broadcast_to, np.roll, np.tile, np.repeat, np.ndarray.repeat, np.where),
        *(np.take, np.ndarray.take, np.ndarray.item, np.round, np.around, np.ndarray.round),
        *(runtime.unbroadcast, runtime.broadcast_like),
    }
)
"""For all others but elementwise ones an integer may decide of what kind the result is: how many axes it has, which are left."""

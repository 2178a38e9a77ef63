"""The functions of SciPy's packages without a rule, by package: they are recorded when a program first meets it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from adxform.primitives.refusals import scipy_arrays, scipy_models, scipy_special
from adxform.primitives.refusals.no_rule import Group

GROUPS: Mapping[str, tuple[Group, ...]] = MappingProxyType(
    {
        "scipy.special": scipy_special.GROUPS,
        "scipy.linalg": scipy_arrays.LINALG,
        "scipy.fft": scipy_arrays.FFT,
        "scipy.fftpack": scipy_arrays.FFTPACK,
        "scipy.signal": scipy_arrays.SIGNAL,
        "scipy.ndimage": scipy_arrays.NDIMAGE,
        "scipy.spatial": scipy_arrays.SPATIAL,
        "scipy.sparse": scipy_arrays.SPARSE,
        "scipy.stats": scipy_models.STATS,
        "scipy.integrate": scipy_models.INTEGRATE,
        "scipy.optimize": scipy_models.OPTIMIZE,
        "scipy.interpolate": scipy_models.INTERPOLATE,
    }
)

"""Rules of SciPy's functions, a module for each of its packages: brought in when a program calls a function of that package.

SciPy need not be installed, and is not imported by adxform before the program does.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_MODELS = "adxform.api.scipy_models"

FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "scipy.special": f"{__name__}.special",
        "scipy.linalg": f"{_MODELS}.dense_matrices.matrix_models",
        "scipy.fft": f"{__name__}.fourier",
        "scipy.fftpack": f"{__name__}.older_fourier",
        "scipy.signal": f"{_MODELS}.signals.signal_models",
        "scipy.ndimage": f"{_MODELS}.images.image_models",
        "scipy.sparse": f"{_MODELS}.sparse_matrices.sparse_models",
        "scipy.spatial": f"{_MODELS}.space.spatial_models",
        "scipy.stats": f"{_MODELS}.statistics.stats",
        "scipy.optimize": f"{_MODELS}.optimization.optimize",
        "scipy.interpolate": f"{_MODELS}.interpolation.interpolate",
        "scipy.integrate": f"{_MODELS}.integration.integrate",
    }
)
"""The modules by the packages of SciPy's; each has `RECORDS` and `DEFINITIONS`."""

ELSEWHERE: Mapping[str, str] = MappingProxyType({"scipy._lib": "scipy.sparse"})
"""The packages to which functions belong that say that they are of another one: `scipy.sparse.issparse`."""

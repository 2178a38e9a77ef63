"""Rules of SciPy's functions, a module for each of its packages: brought in when a program calls a function of that package.

SciPy need not be installed, and is not imported by adxform before the program does.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "scipy.special": f"{__name__}.special",
        "scipy.linalg": f"{__name__}.linalg",
        "scipy.fft": f"{__name__}.fourier",
        "scipy.signal": "adxform.api.scipy_models.signal_models",
        "scipy.ndimage": "adxform.api.scipy_models.image_models",
        "scipy.sparse": "adxform.api.scipy_models.sparse_models",
        "scipy.spatial": "adxform.api.scipy_models.spatial_models",
        **{f"scipy.{name}": f"adxform.api.scipy_models.{name}" for name in ("stats", "optimize", "interpolate", "integrate")},
    }
)
"""The modules by the packages of SciPy's; each has `RECORDS` and `DEFINITIONS`."""

"""Rules of SciPy's functions, a module for each of its packages: brought in when a program calls a function of that package.

SciPy need not be installed, and is not imported by adxform before the program does.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

FAMILIES: Mapping[str, str] = MappingProxyType(
    {f"scipy.{name}": f"{__name__}.{name}" for name in ("special", "linalg", "fft", "signal", "ndimage", "spatial", "sparse")}
    | {f"scipy.{name}": f"adxform.api.scipy_models.{name}" for name in ("stats", "optimize", "interpolate", "integrate")}
)
"""The modules by the packages of SciPy's; each has `RECORDS` and `DEFINITIONS`."""

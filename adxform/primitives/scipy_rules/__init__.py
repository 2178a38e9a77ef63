"""Rules of SciPy's functions, a module for each of its packages: brought in when a program calls a function of that package.

SciPy need not be installed, and is not imported by adxform before the program does.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "scipy.special": f"{__name__}.special",
        "scipy.stats": "adxform.api.scipy_models.stats",
        "scipy.optimize": "adxform.api.scipy_models.optimize",
        "scipy.interpolate": "adxform.api.scipy_models.interpolate",
        "scipy.integrate": "adxform.api.scipy_models.integrate",
    }
)
"""The modules here by the packages of SciPy's; each has `RECORDS` and `DEFINITIONS`."""

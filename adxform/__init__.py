"""Derivatives of ordinary Python and NumPy code, as Python source.

>>> import adxform
>>> adxform.grad(lambda x: x ** 2)(3.0)
6.0

``import adxform`` loads its locks alone, so that a fork waits for what another thread loads: what a name stands for is loaded
when it is first asked for, and a program that may not differentiate does not wait for a compiler.

Source: the way that SPEC 1 of the Scientific Python project describes.
"""

from typing import Any

from adxform.threads.locks import imported as _imported

__version__ = "0.1.0"

HOMES = {
    "adxform.api": ("grad", "jvp", "stop_gradient", "value_and_grad", "vjp"),
    "adxform.api.checkpointing": ("checkpoint",),
    "adxform.api.differentiable": ("differentiable",),
    "adxform.api.prepared": (
        "prepare_derivative",
        "prepare_gradient",
        "prepare_hessian",
        "prepare_hvp",
        "prepare_hvp_same_point",
        "prepare_jacobian",
        "prepare_jvp",
        "prepare_second_derivative",
        "prepare_value_and_gradient",
        "prepare_vjp",
    ),
    "adxform.api.rules": (
        "constant_rule",
        "linear_rule",
        "reference_rule",
        "register",
        "rule",
        "scalar_rule",
        "staged_rule",
        "tangent_rule",
    ),
    "adxform.api.second_order": ("hessian", "hvp", "jacobian"),
    "adxform.api.source": ("explain", "source"),
    "adxform.errors": ("AdxError",),
    "adxform.frontend.argument_contexts": ("constant", "scratch"),
    "adxform.runtime.cache": ("clear_cache", "stats"),
    "adxform.runtime.timing": ("times",),
    "adxform.testing": ("check_derivatives", "check_rule"),
}
MODULES = ("errors", "runtime", "testing")
"""Modules that are public themselves."""

__all__ = sorted(name for names in HOMES.values() for name in names)  # `__init__.pyi` has the same, for type checkers and editors


def __getattr__(name: str) -> Any:
    """What `name` stands for, from now on an attribute like any other."""
    home = next((home for home, names in HOMES.items() if name in names), None)
    if home is None and name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = _imported(f"{__name__}.{name}") if home is None else getattr(_imported(home), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *MODULES})

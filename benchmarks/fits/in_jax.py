"""The derivative of a fit once, by adxform and by JAX, where that is there and has the functions of the program."""

from __future__ import annotations

import importlib
import importlib.util
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import adxform
from benchmarks.fits.fit import Fit, slopes_by_differences
from benchmarks.timing import interleaved

STANDS_FOR = {
    "numpy": "jax.numpy",
    "scipy.linalg": "jax.scipy.linalg",
    "scipy.special": "jax.scipy.special",
    "scipy.stats": "jax.scipy.stats",
    "scipy.fft": "jax.numpy.fft",
    "scipy.signal": "jax.scipy.signal",
    "scipy.ndimage": "jax.scipy.ndimage",
}
"""The modules of JAX with the functions of these."""


def derivatives_beside(fit: Fit, p: Any, effort: Mapping[str, Any]) -> tuple[float, float | str, float | str, bool]:
    """What a gradient or a Jacobian at `p` takes, what it takes in JAX, and how far the two are apart.

    Last, whether JAX's is nearer to differences. Texts stand where JAX is missing, or a function that the program calls is.
    """
    own = adxform.prepare_gradient(fit.function, p) if fit.by == "minimize" else adxform.prepare_jacobian(fit.function, p)
    calls: dict[str, Callable[[], Any]] = {"own": lambda: own(p)}
    apart: float | str = "-"
    nearer = False
    if importlib.util.find_spec("jax") is not None:
        try:
            theirs = _in_jax(fit, p)
            found, wanted = np.asarray(theirs()), own(p)
        except (AttributeError, TypeError, ValueError, NotImplementedError, RuntimeError, IndexError) as error:
            apart = type(error).__name__  # what JAX has not, or does not trace
        else:
            calls["jax"] = theirs
            apart = float(np.max(np.abs(found - wanted)) / max(1.0, np.max(np.abs(wanted))))
            plain = slopes_by_differences(fit, p)
            nearer = bool(np.max(np.abs(found - plain)) < np.max(np.abs(wanted - plain)))
    times = interleaved(calls, **effort)
    return times["own"], times.get("jax", "-"), apart, nearer


def _in_jax(fit: Fit, p: Any) -> Callable[[], Any]:
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    function = _with_names_of_jax(fit.function)
    derivative = jax.jit(jax.grad(function) if fit.by == "minimize" else jax.jacfwd(function))
    at = jax.numpy.asarray(p)
    return lambda: jax.block_until_ready(derivative(at))


def _with_names_of_jax(function: Any) -> Any:
    """The same program with JAX's modules under the names of NumPy's and SciPy's, and so its helpers."""
    names = dict(function.__globals__)
    for name in function.__code__.co_names:
        held = names.get(name)
        if isinstance(held, types.ModuleType) and held.__name__ in STANDS_FOR:
            names[name] = importlib.import_module(STANDS_FOR[held.__name__])
        elif isinstance(held, types.FunctionType) and held.__module__ == function.__module__:
            names[name] = _with_names_of_jax(held)
    return types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)

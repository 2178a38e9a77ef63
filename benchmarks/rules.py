"""What the gradient of a rule costs beside its function, and what JAX takes for both, where it is there and has the function."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, signal, special
from scipy.spatial import distance

import adxform
from benchmarks.record import Claim, Result
from benchmarks.timing import effort, interleaved

RNG = np.random.default_rng(12)
Function = Callable[..., Any]


def svd(x: Any) -> Any:
    """Singular values and vectors, which count apart from their signs."""
    u, s, _ = np.linalg.svd(x, full_matrices=False)
    return np.sum(u[:, 0] ** 4) + np.sum(np.sqrt(s))


def eigh(x: Any) -> Any:
    """Eigenvalues and vectors of a symmetric matrix."""
    w, v = np.linalg.eigh(x + x.T)
    return np.sum(v[:, 0] ** 4) + np.sum(w**2)


def qr(x: Any) -> Any:
    """Both factors."""
    q, r = np.linalg.qr(x)
    return np.sum(q**3) + np.sum(r**2)


def expm(x: Any) -> Any:
    """The exponential of a matrix."""
    return np.sum(linalg.expm(x) ** 2)


def fft(x: Any) -> Any:
    """A power spectrum."""
    y = np.fft.rfft(x)
    return np.sum((y.real**2 + y.imag**2) ** 2)


def cholesky(x: Any) -> Any:
    """The triangular factor of a symmetric matrix, of which one triangle is read, or both."""
    return np.sum(np.linalg.cholesky(0.5 * (x + x.T)) ** 3)


def logsumexp(x: Any) -> Any:
    """Along rows."""
    return np.sum(special.logsumexp(x, axis=1) ** 2)


def convolve(x: Any, y: Any) -> Any:
    """A long line with a short one."""
    return np.sum(np.convolve(x, y) ** 2)


def gammaln(x: Any) -> Any:
    """Of each element."""
    return np.sum(special.gammaln(x) ** 2)


def interp(x: Any, y: Any) -> Any:
    """Between values at equal distances."""
    return np.sum(np.interp(x, np.linspace(0.0, 1.0, 64), y) ** 2)


def cdist(x: Any, y: Any) -> Any:
    """Distances of points."""
    return np.sum(distance.cdist(x, y) ** 3)


def lfilter(b: Any, a: Any, x: Any) -> Any:
    """A recursive filter, by its coefficients and its input."""
    return np.sum(signal.lfilter(b, a, x) ** 2)


@dataclass(frozen=True, slots=True)
class Case:
    """A function, its arguments, and whether JAX has the function."""

    function: Function
    args: tuple[Any, ...]
    jax: bool = False


def matrix(n: int, m: int) -> Any:
    """A matrix of a moderate size."""
    return RNG.normal(size=(n, m)) / n**0.5


CASES = (
    Case(svd, (matrix(120, 60),), True),
    Case(eigh, (matrix(100, 100),), True),
    Case(qr, (matrix(120, 60),), True),
    Case(expm, (matrix(60, 60),), True),
    Case(fft, (RNG.normal(size=1 << 14),), True),
    Case(cholesky, (np.eye(120) + np.ones((120, 120)) / 240.0,), True),
    Case(logsumexp, (RNG.normal(size=(300, 300)),), True),
    Case(convolve, (RNG.normal(size=20_000), RNG.normal(size=31)), True),
    Case(gammaln, (RNG.uniform(0.5, 9.0, size=50_000),), True),
    Case(interp, (RNG.uniform(size=20_000), RNG.normal(size=64)), True),
    Case(cdist, (RNG.normal(size=(150, 8)), RNG.normal(size=(120, 8)))),
    Case(lfilter, (np.array([0.5, 0.3, 0.1]), np.array([1.0, -0.4, 0.2]), RNG.normal(size=20_000))),
)


def rules(quick: bool) -> Result:
    """Time each function and its gradient, in turns with JAX's."""
    there = importlib.util.find_spec("jax") is not None
    rows: list[tuple[str | int | float, ...]] = []
    same = True
    for case in CASES[::6] if quick else CASES:
        places = tuple(range(len(case.args)))
        prepared = adxform.prepare_gradient(case.function, *case.args, argnums=places, engine="python")
        calls = {
            "function": lambda case=case: case.function(*case.args),
            "gradient": lambda case=case, prepared=prepared: prepared(*case.args),
        }
        if there and case.jax:
            calls |= in_jax(case, places)
            theirs = calls["gradient in jax"]()
            same &= all(np.allclose(a, b, rtol=1e-7, atol=1e-9) for a, b in zip(prepared(*case.args), theirs, strict=True))
        times = interleaved(calls, **effort(quick))
        other = [times.get("function in jax"), times.get("gradient in jax")]
        rows.append(
            (
                *(case.function.__name__, times["function"], times["gradient"], times["gradient"] / times["function"]),
                *("-" if one is None else one for one in other),
                "-" if None in other else other[1] / other[0],
            )
        )
    columns = ("rule", "function s", "gradient s", "gradient / function", "jax function s", "jax gradient s", "jax ratio")
    claims = (Claim("gradients are JAX's, where that was asked", same),)
    return Result("What the gradient of a rule costs", columns, tuple(rows), claims)


def in_jax(case: Case, places: tuple[int, ...]) -> dict[str, Function]:
    """The same program, compiled by JAX in double precision, and its gradient: its text with JAX's functions for names."""
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    jnp = importlib.import_module("jax.numpy")
    found = {
        "np": jnp,
        "linalg": importlib.import_module("jax.scipy.linalg"),
        "special": importlib.import_module("jax.scipy.special"),
    }
    function = type(rules)(case.function.__code__, found)
    alone, gradient = jax.jit(function), jax.jit(jax.grad(function, places))
    args = tuple(map(jnp.asarray, case.args))
    return {
        "function in jax": lambda: jax.block_until_ready(alone(*args)),
        "gradient in jax": lambda: jax.block_until_ready(gradient(*args)),
    }

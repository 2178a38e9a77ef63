"""Programs as users of SciPy write them, fitted with adxform's derivatives and with differences: one answer, in what time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.fits import likelihoods, models
from benchmarks.fits.fit import Fit, by_differences, slopes_differ, solved
from benchmarks.fits.in_jax import derivatives_beside
from benchmarks.record import Claim, Result
from benchmarks.timing import effort

FITS: tuple[Fit, ...] = (*likelihoods.FITS, *models.FITS)
SLOPES, ANSWERS = 1e-6, 1e-4
"""How far derivatives may be from differences, and answers from those that are known or found by differences."""


def fits(quick: bool) -> Result:
    """Solve each program both ways."""
    rows, slopes, answers, others = [], [], [], []
    for fit in FITS[:2] if quick else FITS:
        found, first = _timed(lambda fit=fit: solved(fit))
        _, again = _timed(lambda fit=fit: solved(fit))
        plain, differences = _timed(lambda fit=fit: by_differences(fit))
        answer = plain.x if fit.answer is None else fit.answer()
        slopes.append(max(slopes_differ(fit, p) for p in (fit.start, found.x)))
        answers.append(float(np.max(np.abs(found.x - answer)) / max(1.0, np.max(np.abs(answer)))))
        counts = f"{found.functions} + {found.derivatives}", str(plain.functions)
        own, theirs, apart, nearer = derivatives_beside(fit, found.x, effort(quick))
        others.append(isinstance(apart, str) or apart < SLOPES or not nearer)
        off = (f"{slopes[-1]:.0e}", f"{answers[-1]:.0e}")
        beside = (own, theirs, apart if isinstance(apart, str) else f"{apart:.0e}")
        rows.append((fit.name, fit.by, *counts, first, again, differences, *off, *beside))
    columns = (
        *("program", "by", "calls", "by differences", "first s", "again s", "differences s", "slopes off", "answer off"),
        *("slopes s", "jax slopes s", "jax off"),
    )
    claims = (
        Claim(f"derivatives are those of differences, to {SLOPES:g}", max(slopes) < SLOPES),
        Claim(
            f"derivatives are JAX's, where it has them, to {SLOPES:g}, or nearer to differences than JAX's",
            all(others),
        ),
        Claim(f"answers are the known ones, or those found by differences, to {ANSWERS:g}", max(answers) < ANSWERS),
    )
    return Result("Fits of programs that call SciPy", columns, tuple(rows), claims)


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    found = call()
    return found, time.perf_counter() - start

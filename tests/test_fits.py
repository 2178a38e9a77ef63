"""Promise: programs as users of SciPy write them have derivatives, and solvers find with these what they find without.

`python -m benchmarks --only fits` shows all of them with times.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy")

from benchmarks.fits import ANSWERS, FITS, SLOPES
from benchmarks.fits.fit import Fit, by_differences, slopes_differ, solved


@pytest.mark.parametrize("fit", FITS, ids=lambda fit: fit.name)
def test_a_program_is_fitted(fit: Fit) -> None:
    found = solved(fit).x
    assert slopes_differ(fit, fit.start) < SLOPES
    assert slopes_differ(fit, found) < SLOPES
    answer = by_differences(fit).x if fit.answer is None else fit.answer()
    np.testing.assert_allclose(found, answer, rtol=ANSWERS, atol=ANSWERS)


def test_there_are_twenty() -> None:
    assert len({fit.name for fit in FITS}) >= 20

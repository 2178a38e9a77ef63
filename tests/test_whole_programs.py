"""Whole programs, in every mode, against central differences; kernels of their gradients say what the rules say.

They are longer than the programs of the corpus, and each is many of these at once: they take turns.
"""

from __future__ import annotations

import numpy as np
import pytest

import adxform
from adxform.frontend.derivative_operators import EngineName
from tests import test_corpus
from tests.corpus.case import Program
from tests.corpus.catalogue import WHOLE
from tests.oracle import float_leaves, pack

whole_programs = pytest.mark.parametrize("program", WHOLE, ids=lambda program: program.name)


@whole_programs
def test_derivatives(program: Program) -> None:
    for judged in (
        test_corpus.test_value,
        test_corpus.test_gradient,
        test_corpus.test_forward,
        test_corpus.test_transpose,
        test_corpus.test_hessian_product,
        test_corpus.test_inputs_are_untouched,
        test_corpus.test_source_runs_alone,
    ):
        judged(program)


@whole_programs
@pytest.mark.usefixtures("interpreted")
def test_kernels_say_what_the_rule_says(program: Program) -> None:
    def gradient(engine: EngineName, args: tuple[object, ...]) -> test_corpus.Vector:
        return pack(float_leaves(adxform.value_and_grad(program.function, argnums=program.wrt, engine=engine)(*args)))

    for point in program.points:
        with np.errstate(all="ignore"):
            expected, found = gradient("python", point.fresh()), gradient("numba", point.fresh())
        test_corpus.close(found, expected, 1e-9, f"kernels at {point.args}")

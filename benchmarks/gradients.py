"""Gradient over primal, and over the adjoint written by hand, on the same work: equal to 1e-8 before any timing."""

from __future__ import annotations

import numpy as np

import adxform
from benchmarks.problems import PROBLEMS
from benchmarks.record import Result
from benchmarks.timing import interleaved


def gradients(quick: bool) -> Result:
    """Time primal, generated gradient and hand-written adjoint of every problem at every size, interleaved."""
    rows = []
    for problem in PROBLEMS:
        derivative = adxform.value_and_grad(problem.primal, argnums=problem.wrt)
        for size in problem.sizes[:1] if quick else problem.sizes:
            arguments = problem.arguments(size)
            value, got = derivative(*arguments)
            expected_value, *want = problem.by_hand(*arguments)
            np.testing.assert_allclose(value, expected_value, rtol=1e-8)
            for ours, theirs in zip(got, want, strict=True):
                np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8)
            seconds = interleaved(
                {
                    "primal": lambda: problem.primal(*arguments),
                    "adxform": lambda: derivative(*arguments),
                    "hand": lambda: problem.by_hand(*arguments),
                },
                rounds=3 if quick else 7,
            )
            primal, ours, theirs = seconds["primal"], seconds["adxform"], seconds["hand"]
            rows.append((problem.name, size, primal, ours, theirs, ours / primal, ours / theirs))
    columns = ("problem", "n", "primal s", "gradient s", "by hand s", "gradient / primal", "gradient / by hand")
    return Result("Gradients: generated, and written by hand in NumPy", columns, tuple(rows))

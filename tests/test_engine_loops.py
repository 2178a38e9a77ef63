"""Array expressions as fused loops: the loops, run by Python, against the array code that they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
import pytest

import adxform
from adxform import cache, cut, pipeline
from adxform.backend.emit import Generated, emit
from adxform.engine.loops import form_loops
from adxform.ir.ops import Function
from adxform.ir.verify import verify
from adxform.rules.alias import Aliases
from tests.corpus.case import Program
from tests.corpus.catalogue import PROGRAMS
from tests.oracle import float_leaves, is_float, leaves
from tests.test_corpus import SCALAR_PROGRAMS, like, weights


def emit_loops(fn: Function, *, aliases: Aliases | None = None, **options: Any) -> Generated:
    """Emit `fn` as loops, the IR of which is well-formed."""
    formed = form_loops(fn, HALVED[-1] if aliases is not None else None)
    verify(formed)
    return emit(formed, aliases=None if aliases is None else aliases.extended(formed), **options)


HALVED: list[Function] = []
"""The functions that were cut in two."""


def cutting(joint: Function, *args: Any, **options: Any) -> Any:
    """Cut `joint`, and remember it."""
    HALVED.append(joint)
    return cut.cut(joint, *args, **options)


@contextmanager
def looping() -> Iterator[None]:
    """Derive functions whose array code is loops."""
    adxform.clear_cache()
    patched = mock.patch.object
    with patched(pipeline, "emit", emit_loops), patched(cut, "emit", emit_loops), patched(cache, "cut", cutting):
        yield
    adxform.clear_cache()


def derivatives(program: Program) -> list[Any]:
    """Return the value, cotangents and tangents of a program at each of its points."""
    found: list[Any] = []
    for point in program.points:
        with np.errstate(all="ignore"):
            out, pullback = adxform.vjp(program.function, *point.fresh())
            seeds = [weights(np.size(leaf), 3).reshape(np.shape(leaf)) for leaf in leaves(out) if is_float(leaf)]
            found += leaves(out)
            flat = np.concatenate([np.ravel(seed) for seed in seeds]) if seeds else np.zeros(0)
            found += float_leaves(pullback(like(out, flat)))
            if program in SCALAR_PROGRAMS:
                found += float_leaves(adxform.grad(program.function, argnums=program.wrt)(*point.fresh()))
            tangents = [like(arg, weights(sum(map(np.size, float_leaves(arg))), 5)) for arg in point.fresh()]
            found += leaves(adxform.jvp(program.function, point.fresh(), tuple(tangents))[1])
    return found


def same(got: Any, wanted: Any) -> None:
    """Assert that two results are the same but for rounding."""
    assert np.shape(got) == np.shape(wanted)
    if not isinstance(wanted, np.ndarray | np.generic | float | int):
        return
    assert np.asarray(got).dtype == np.asarray(wanted).dtype
    single = np.asarray(wanted).dtype == np.float32
    np.testing.assert_allclose(got, wanted, rtol=1e-5 if single else 1e-11, atol=1e-6 if single else 1e-11)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_corpus(program: Program) -> None:
    wanted = derivatives(program)
    with looping():
        got = derivatives(program)
    assert len(got) == len(wanted)
    for one, other in zip(got, wanted, strict=True):
        same(one, other)

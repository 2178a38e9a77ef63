"""Array expressions as fused loops: the loops, run by Python, against the array code that they stand for."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

import adxform
from adxform.backends.protocol import Backend, Lowered, Uncut
from adxform.backends.python.backend import PythonBackend
from adxform.backends.python.emit import Generated, emit
from adxform.backends.python.free_names import Surroundings
from adxform.backends.python.loading import load
from adxform.backends.registry import PLAIN
from adxform.errors import UnsupportedOperationError, UnsupportedSyntaxError
from adxform.frontend.signature import Signature
from adxform.ir.ops import Function
from adxform.ir.verify import verify
from adxform.passes.arrays import form_loops
from adxform.primitives.alias import Aliases
from adxform.primitives.table import table_version
from adxform.runtime import cache
from adxform.runtime.dispatch import cache_entries, derivation, split
from adxform.runtime.dispatch.cache_entries import CacheEntry
from tests.corpus.case import Program
from tests.corpus.catalogue import PROGRAMS
from tests.derived import anew
from tests.oracle import central_jacobian, flat_function, float_leaves, is_float, leaves, pack
from tests.random_programs import MATRICES, VECTORS, Family, compiled, programs
from tests.test_corpus import SCALAR_PROGRAMS, like, weights
from tests.test_golden import MARK, primal_of
from tests.test_random_programs import MATRIX, VECTOR

HALVED: list[Function] = []
"""The functions that were cut in two."""


def emit_loops(fn: Function, *, aliases: Aliases | None = None, **options: Any) -> Generated:
    """Emit `fn` as loops, the IR of which is well-formed."""
    formed = form_loops(fn, HALVED[-1] if aliases is not None else None)
    verify(formed)
    return emit(formed, aliases=None if aliases is None else aliases.extended(formed), **options)


def realise_loops(
    backend: Backend, lowered: Lowered, surroundings: Surroundings, sure: object = None, aliases: Aliases | None = None
) -> tuple[Generated, Callable[..., Any]]:
    """Emit and load what was `lowered` as loops that Python runs."""
    generated = emit_loops(lowered.function, surroundings=surroundings, aliases=aliases)
    return generated, load(generated)


def cutting(joint: Function, *args: Any, **options: Any) -> Any:
    """Cut `joint`, and remember it."""
    HALVED[:] = [joint]
    return split.cut(joint, *args, **options)


class Plain:
    """The rules that run as array code, for those that run as loops to have all stages but the last from."""

    def __init__(self) -> None:
        self.buckets = cache._buckets
        self.derive, self.build = cache.read_or_made, derivation.build

    def entry(self, fn: Callable[..., Any], own: Hashable, signature: Signature, leaves: tuple[Any, ...]) -> CacheEntry:
        """An entry without rules for what was specialised before, or now."""
        bucket = self.buckets.get((own, signature, table_version()))
        found = None if bucket is None else bucket.find(fn, leaves)
        return self.derive(fn, own, signature, leaves) if found is None else CacheEntry(found.specialized)

    def rule(self, request: derivation.Request, *given: Any, **options: Any) -> derivation.DerivedRule:
        """The rule for `request`, whose last stage is made anew."""
        entries = (entry for bucket in tuple(self.buckets.values()) for entry in bucket.entries)
        alike = (entry for entry in entries if entry.specialized.function is request.function)
        known = next((rule for entry in alike for rule in entry.rules.values() if rule.request == request), None)
        if known is None:
            return self.build(request, *given, **options)
        generated, run = realise_loops(PLAIN, Uncut(known.optimised), request.surroundings)
        return replace(known, generated=generated, run=run)


@contextmanager
def looping() -> Iterator[None]:
    """Derive functions whose array code is loops, with a cache of their own."""
    plain = Plain()
    patched = mock.patch.object
    with (
        anew(),
        patched(PythonBackend, "realise", realise_loops),
        patched(cache_entries, "cut", cutting),
        patched(cache, "read_or_made", plain.entry),
        patched(derivation, "build", plain.rule),
    ):
        yield


def derivatives(function: Callable[..., Any], args: tuple[Any, ...], wrt: tuple[int, ...], *, scalar: bool) -> list[Any]:
    """Return the value, the cotangents, the gradient of a scalar function, and the tangents."""
    found: list[Any] = []
    with np.errstate(all="ignore"):
        out, pullback = adxform.vjp(function, *copy.deepcopy(args))
        seeds = [weights(np.size(leaf), 3) for leaf in leaves(out) if is_float(leaf)]
        found += leaves(out)
        found += float_leaves(pullback(like(out, np.concatenate([np.zeros(0), *seeds]))))
        if scalar:
            found += float_leaves(adxform.grad(function, argnums=wrt)(*copy.deepcopy(args)))
        tangents = tuple(like(arg, weights(sum(map(np.size, float_leaves(arg))), 5)) for arg in args)
        found += leaves(adxform.jvp(function, copy.deepcopy(args), tangents)[1])
    return found


def same(got: Any, wanted: Any, *, single: bool) -> None:
    """Assert that two results are the same but for rounding."""
    assert np.shape(got) == np.shape(wanted)
    if not isinstance(wanted, np.ndarray | np.generic | float | int):
        return
    assert np.asarray(got).dtype == np.asarray(wanted).dtype
    scale = max(1.0, float(np.max(np.abs(np.nan_to_num(wanted)), initial=0.0)))
    np.testing.assert_allclose(got, wanted, rtol=1e-5 if single else 1e-10, atol=scale * (1e-6 if single else 1e-12))


def agree(function: Callable[..., Any], args: tuple[Any, ...], wrt: tuple[int, ...], *, scalar: bool) -> None:
    """Assert that the derivatives of `function` are the same in loops."""
    wanted = derivatives(function, args, wrt, scalar=scalar)
    with looping():
        got = derivatives(function, args, wrt, scalar=scalar)
    assert len(got) == len(wanted)
    single = any(getattr(leaf, "dtype", None) == np.float32 for leaf in [*leaves(args), *wanted])
    for one, other in zip(got, wanted, strict=True):
        same(one, other, single=single)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_corpus(program: Program) -> None:
    for point in program.points:
        agree(program.function, point.args, program.wrt, scalar=program in SCALAR_PROGRAMS)


@pytest.mark.parametrize("count", [8, pytest.param(25, marks=pytest.mark.rest)])
@pytest.mark.parametrize(("of", "x"), [(VECTORS, VECTOR), (MATRICES, MATRIX)], ids=["vectors", "matrices"])
def test_random_programs(of: Family, x: Any, count: int) -> None:
    @settings(
        max_examples=count, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), phases=(Phase.generate,)
    )
    @given(programs(of))
    def check(text: str) -> None:
        program = compiled(text, of)
        args = (copy.deepcopy(x), 0.77, 3)
        try:
            agree(program, args, (0, 1), scalar=True)
        except (UnsupportedSyntaxError, UnsupportedOperationError, TypeError):
            return

    check()


def shifted(x, a):
    """Overlapping stores mean what they mean in NumPy: the right side first."""
    y = x * a
    y[1:] = y[:-1]
    y[:-1] += y[1:] * a
    y[::-1] -= 0.5 * y
    y[...] = y[::-1]
    return np.sum(y * y)


def broadcast(x, a):
    """Rows and columns of one vector."""
    table = x[:, None] * x[None, :] + a
    table -= np.max(table, axis=1, keepdims=True)
    column = np.sum(np.exp(table), axis=0)
    return np.mean(table / column) + np.mean(column, axis=0)


def rows_in_rows(x, a):
    """Views of views, integers and strides."""
    table = np.outer(x, np.sin(x))
    table[0] = table[-1] * a
    table[:, 1] += table[1]
    part = table[::2, ::-1]
    part *= 2.0
    table.T[1] -= table[:, 0]
    return np.sum(table[1:] * table[:-1]) + part[0] @ part[0]


def kinds(x, a):
    """Integers, logical values, choices and bounds."""
    places = np.arange(x.shape[0])
    even = places % 2 == 0
    chosen = np.where(even & (x > 0.0), x, -x * 2)
    held = np.clip(chosen, -0.5, 0.8) + even * x + places * a
    return np.sum(held**2) + np.count_nonzero(even) * np.sum(np.minimum(x, a))


def scans(x, a):
    """A loop over rows with expressions of rows."""
    total = 0.0
    state = np.zeros_like(x)
    for _ in range(3):
        state = np.tanh(state * a + x)
        total += state @ x + np.mean(state[1:])
        x = x * 0.9
    return total


FLOAT = np.array([0.4, -0.7, 1.1, 0.3, -0.2])
INPUTS = {
    "plain": FLOAT,
    "strided": np.repeat(FLOAT, 3)[::3],
    "backwards": FLOAT[::-1],
    "single": FLOAT.astype(np.float32),
    "two": FLOAT[:2],
    "column": np.asfortranarray(np.outer(FLOAT, FLOAT))[:, 1],
}


@pytest.mark.parametrize("x", INPUTS.values(), ids=INPUTS)
@pytest.mark.parametrize("function", [shifted, broadcast, rows_in_rows, kinds, scans], ids=lambda function: function.__name__)
def test_hard_cases(function: Callable[..., Any], x: Any) -> None:
    agree(function, (x, 0.6), (0, 1), scalar=True)
    if x.dtype == np.float64 and function is not kinds:
        jacobian = central_jacobian(*flat_function(function, (x, 0.6), (0, 1)))[0]
        with looping():
            gradient = adxform.grad(function, argnums=(0, 1))(x, 0.6)
        np.testing.assert_allclose(pack(float_leaves(gradient)), jacobian[0], rtol=1e-6, atol=1e-6)


def contracted(x, a):
    y = np.outer(x[0], x[1] * a) + np.einsum("ij,ik->jk", x, x)
    z = np.einsum("ij,j->i", x, x[0]) @ np.einsum("ij->i", x) + np.einsum("i,ij,ij", x[:, 0], x, x)
    small = np.zeros((2, 3))
    small[0, 1] = a
    small[1] = x[1, 0]
    turned = small @ np.eye(3) @ small.T
    return np.sum(y**2) + z + np.sum(turned @ np.array([a, 2.0])) + np.einsum("ij,ij->j", x, x)[0] + np.trace(turned)


def test_contractions() -> None:
    for columns in (1, 2, 5):
        x = np.sin(np.arange(3.0 * columns)).reshape(3, columns)
        agree(contracted, (x, 0.7), (0, 1), scalar=True)
    agree(contracted, (np.asfortranarray(np.cos(np.arange(8.0)).reshape(2, 4)), 0.7), (0, 1), scalar=True)


def by_diagonals(x, a):
    n = x.shape[0]
    square = x @ x.T + a * np.eye(n) + np.identity(n)
    lower = np.tril(square, -1) * np.triu(square.T) + np.tril(square) ** 2
    spread = np.diag(x[:, 0]) @ square + np.diag(np.diag(lower)) @ np.eye(n, n, 1)
    return np.sum(spread**2) + np.trace(lower) ** 2 + np.sum(np.diagonal(square) * np.expand_dims(x[:, 0], 0))


def test_diagonals() -> None:
    for rows in (1, 2, 4):
        x = np.sin(np.arange(3.0 * rows)).reshape(rows, 3)
        agree(by_diagonals, (x, 0.7), (0, 1), scalar=True)
    x[1, 1] = np.nan
    agree(by_diagonals, (x, 0.7), (0, 1), scalar=True)


def kronecker(x, y):
    z = np.kron(x, y * y)
    row = np.kron(x[0], y[:, 0])
    return np.sum(z) + np.mean(z) * np.sum(np.sin(row)) + np.sum(row) ** 2 + np.sum(z, axis=0)[0]


def the_same_everywhere(x, y):
    rows = np.sum(np.ones_like(x)[:, None, :] * (x * 2.0)[None, :, :], axis=(1, 2))
    wide = np.broadcast_to(np.sum(y), x.shape) * x
    return np.sum(np.outer(rows[: x.shape[0]], np.mean(wide, axis=0)) ** 2) + np.sum(np.kron(x, y))


@pytest.mark.parametrize("function", [kronecker, the_same_everywhere])
def test_products_with_an_axis_for_each_of_both(function: Callable[..., Any]) -> None:
    for shapes in (((2, 3), (3, 2)), ((1, 2), (2, 1)), ((1, 1), (1, 1)), ((3, 3), (3, 3))):
        x, y = (np.cos(np.arange(float(np.prod(shape)))).reshape(shape) for shape in shapes)
        agree(function, (x, y), (0, 1), scalar=True)


def smooth(x, y):
    """Elementwise, then a sum."""
    return np.sum(np.exp(x) * y + x / (1.0 + y * y))


def test_one_array_twice() -> None:
    agree(smooth, (FLOAT, FLOAT), (0, 1), scalar=True)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (1,), (1, 4), ()])
def test_empty_and_short(shape: tuple[int, ...]) -> None:
    x = np.full(shape, 0.3)
    agree(smooth, (x, x + 1.0), (0, 1), scalar=True)


def test_fortran_order() -> None:
    x = np.asfortranarray(np.arange(6.0).reshape(2, 3) / 7)
    agree(smooth, (x, x.T.copy().T), (0, 1), scalar=True)


def largest(x):
    """An extreme value of what may be nothing."""
    return np.max(np.sin(x))


def test_nothing_has_no_largest_element() -> None:
    with looping(), pytest.raises(ValueError, match="zero-size array"):
        adxform.grad(largest)(np.zeros(0))


def test_not_a_number_is_passed_on() -> None:
    x = np.array([0.1, np.nan, 3.0, -np.inf])
    agree(largest, (x,), (0,), scalar=True)
    agree(smooth, (x, x), (0, 1), scalar=True)


FOLDER = Path(__file__).parent / "golden" / "loops"
CASES = sorted(FOLDER.glob("*.py"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_golden(path: Path, update_golden: bool) -> None:
    function, example = primal_of(path)
    wrt = tuple(i for i, value in enumerate(example) if float_leaves(value))
    jacobian, _ = central_jacobian(*flat_function(function, example, wrt))
    with looping():
        gradient = adxform.grad(function, argnums=wrt)(*example)
        text = adxform.source(function, *example, mode="reverse", argnums=wrt)
    scale = max(1.0, float(np.max(np.abs(jacobian), initial=0.0)))
    assert np.max(np.abs(pack(float_leaves(gradient)) - jacobian[0]), initial=0.0) <= 1e-7 * scale
    head, _, expected = path.read_text(encoding="utf-8").partition(MARK)
    if update_golden:
        path.write_text(f"{head}{MARK}{text}", encoding="utf-8")
        return
    assert text == expected

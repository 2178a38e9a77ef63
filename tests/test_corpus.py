"""Every program of the corpus, in every mode, against central differences of the plain function.

One test per program and promise: the value, the cotangents, the tangents, that the two are each other's transpose, the
second order by forward and by reverse over reverse, that inputs are untouched, that a second call gives the same bits, and that
the emitted source, alone in a namespace with NumPy, Python's own modules and the runtime, gives them too.
"""

from __future__ import annotations

import builtins
import copy
import functools
import math
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import optree
import pytest

import adxform
from adxform.api.source import rule_of
from adxform.frontend.signature import describe
from tests.corpus.case import Point, Program
from tests.corpus.catalogue import CORPUS, PROGRAMS, RAISING
from tests.derived import differences
from tests.oracle import (
    Vector,
    central_jacobian,
    flat_function,
    float_leaves,
    is_float,
    leaves,
    pack,
    rebuild,
    registered,
    unpack,
)

DOUBLE, SINGLE = 1e-8, 3e-5
every_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)


def quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """Masked lanes may divide by zero in the plain program too: NumPy is not to warn about it."""

    @functools.wraps(function)
    def silent(*args: Any, **kwargs: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*args, **kwargs)

    return silent


def tolerance(point: Point) -> float:
    """How far a derivative may be from the oracle, relative to the largest entry."""
    single = any(getattr(leaf, "dtype", None) == np.float32 for leaf in leaves(point.args))
    return SINGLE if single else DOUBLE


def weights(count: int, seed: int) -> Vector:
    """Return weights in general position, of both signs."""
    found: Vector = np.mod((np.arange(count) + 1.0) * 0.7548776662466927 + 0.41 * seed, 1.0) * 2.0 - 1.1
    return found


def like(tree: Any, flat: Vector) -> Any:
    """Return a tangent of `tree`: `flat` in its float leaves, ``None`` in the others."""
    moving = float_leaves(tree)
    pieces = [
        piece.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(piece)
        for piece, leaf in zip(unpack(flat, moving), moving, strict=True)
    ]
    return rebuild(blank(tree), iter(pieces))


def blank(tree: Any) -> Any:
    """Return `tree` with ``None`` for everything that cannot move."""
    match tree:
        case tuple() if hasattr(tree, "_fields"):
            return type(tree)(*(blank(item) for item in tree))
        case tuple() | list():
            return type(tree)(blank(item) for item in tree)
        case dict():
            kept = copy.copy(tree)
            kept.update({key: blank(item) for key, item in tree.items()})
            return kept
        case _ if registered(tree):
            children, metadata, _, made = optree.tree_flatten_one_level(tree)
            return made(metadata, [blank(item) for item in children])
        case int() | np.integer() | np.bool_():
            return None
        case np.ndarray():
            return tree if is_float(tree) else None
        case _:
            return tree


def close(actual: Any, expected: Any, tol: float, what: str) -> None:
    """Assert that two vectors agree, relative to the largest entry of the expected one."""
    actual, expected = np.asarray(actual, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    assert actual.shape == expected.shape, what
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    error = float(np.max(np.abs(actual - expected), initial=0.0))
    assert error <= tol * scale, f"{what}: got {actual}, expected {expected}"


def each_point(program: Program) -> Iterator[tuple[Point, Vector]]:
    """Yield the points of a program with its Jacobian there, by central differences or as the point states it."""
    for point, found in zip(program.points, differences(program), strict=True):
        yield point, pack(float_leaves(point.gradient)).reshape(1, -1) if found is None else found[0]


def is_scalar(program: Program) -> bool:
    """Whether the program returns one real number."""
    with np.errstate(all="ignore"):
        result = program.function(*program.points[0].fresh())
    return is_float(result) and np.ndim(result) == 0


SCALAR_PROGRAMS = [program for program in PROGRAMS if is_scalar(program)]
scalar_programs = pytest.mark.parametrize("program", SCALAR_PROGRAMS, ids=lambda program: program.name)


def same_kind(gradient: Any, value: Any) -> None:
    """Assert that a gradient has the shapes and dtypes of its argument."""
    for got, leaf in zip(float_leaves(gradient), float_leaves(value), strict=True):
        assert np.shape(got) == np.shape(leaf)
        assert np.asarray(got).dtype == np.asarray(leaf).dtype


@every_program
@quiet
def test_value(program: Program) -> None:
    for point in program.points:
        expected = program.function(*point.fresh())
        out, _ = adxform.vjp(program.function, *point.fresh())
        assert isinstance(out, type(expected))
        for got, wanted in zip(leaves(out), leaves(expected), strict=True):
            assert np.asarray(got).dtype == np.asarray(wanted).dtype
            assert np.array_equal(got, wanted), (got, wanted)


@every_program
@quiet
def test_reverse(program: Program) -> None:
    for point, jacobian in each_point(program):
        out, pullback = adxform.vjp(program.function, *point.fresh())
        for seed in (1, 2):
            ct = weights(jacobian.shape[0], seed)
            gradient = pullback(like(out, ct))
            chosen = [gradient[i] for i in program.wrt]
            same_kind(chosen, [point.args[i] for i in program.wrt])
            close(pack(float_leaves(chosen)), ct @ jacobian, tolerance(point), f"vjp at {point.args}")


@scalar_programs
@quiet
def test_gradient(program: Program) -> None:
    for point, jacobian in each_point(program):
        value, gradient = adxform.value_and_grad(program.function, argnums=program.wrt)(*point.fresh())
        assert value == program.function(*point.fresh())
        same_kind(gradient, [point.args[i] for i in program.wrt])
        close(pack(float_leaves(gradient)), jacobian[0], tolerance(point), f"grad at {point.args}")


@every_program
@quiet
def test_forward(program: Program) -> None:
    for point, jacobian in each_point(program):
        tangent = weights(jacobian.shape[1], 3)
        primals = point.fresh()
        out, out_t = adxform.jvp(program.function, primals, tangents(program, point, tangent))
        same_kind(out_t, out)
        close(pack(float_leaves(out_t)), jacobian @ tangent, tolerance(point), f"jvp at {point.args}")


def tangents(program: Program, point: Point, flat: Vector) -> tuple[Any, ...]:
    """Return a tangent per argument: `flat` along the active ones, zero along the others."""
    active = like(tuple(point.args[i] for i in program.wrt), flat)
    return tuple(
        active[program.wrt.index(i)] if i in program.wrt else like(arg, np.zeros(pack(float_leaves(arg)).size))
        for i, arg in enumerate(point.args)
    )


@every_program
@quiet
def test_transpose(program: Program) -> None:
    for point, jacobian in each_point(program):
        tangent, ct = weights(jacobian.shape[1], 3), weights(jacobian.shape[0], 1)
        out, pullback = adxform.vjp(program.function, *point.fresh())
        gradient = pullback(like(out, ct))
        _, out_t = adxform.jvp(program.function, point.fresh(), tangents(program, point, tangent))
        chosen = pack(float_leaves([gradient[i] for i in program.wrt]))
        left, right = ct * pack(float_leaves(out_t)), chosen * tangent
        size = float(np.sum(np.abs(left)) + np.sum(np.abs(right)))
        single = tolerance(point) == SINGLE
        assert abs(np.sum(left) - np.sum(right)) <= (1e-5 if single else 1e-12) * max(1.0, size)


@scalar_programs
@quiet
def test_hessian_product(program: Program) -> None:
    gradient = adxform.grad(program.function, argnums=program.wrt)
    for point in program.points:
        if point.gradient is not None or tolerance(point) == SINGLE:
            continue
        flat, x = flat_function(lambda *args: gradient(*args), point.args, program.wrt)
        hessian, _ = central_jacobian(flat, x)
        tangent = weights(x.size, 3)
        v = like(tuple(point.args[i] for i in program.wrt), tangent)
        product = adxform.hvp(program.function, argnums=program.wrt)(*point.fresh(), v)
        close(pack(float_leaves(product)), hessian @ tangent, 1e-7, f"hvp at {point.args}")


@scalar_programs
@quiet
def test_reverse_over_reverse(program: Program) -> None:
    gradient = adxform.grad(program.function, argnums=program.wrt)
    for point in program.points:
        if point.gradient is not None:
            continue
        chosen = tuple(point.args[i] for i in program.wrt)
        v = like(chosen, weights(pack(float_leaves(chosen)).size, 3))
        product = adxform.hvp(program.function, argnums=program.wrt)(*point.fresh(), v)
        _, pullback = adxform.vjp(gradient, *point.fresh())
        found = pullback(v)
        expected = pack(float_leaves(product))
        close(pack(float_leaves([found[i] for i in program.wrt])), expected, tolerance(point), f"vjp of grad at {point.args}")


def snapshot(args: tuple[Any, ...]) -> list[bytes]:
    """Return the bytes of every leaf."""
    return [repr(leaf).encode() if not isinstance(leaf, np.ndarray) else leaf.tobytes() for leaf in leaves(args)]


@every_program
@quiet
def test_inputs_are_untouched(program: Program) -> None:
    for point in program.points:
        args = point.fresh()
        before = snapshot(args)
        out, pullback = adxform.vjp(program.function, *args)
        ct = like(out, weights(pack(float_leaves(out)).size, 1))
        kept = snapshot((ct,))
        pullback(ct)
        assert snapshot((ct,)) == kept
        assert snapshot(args) == before
        flat = weights(pack(float_leaves([args[i] for i in program.wrt])).size, 3)
        adxform.jvp(program.function, args, tangents(program, point, flat))
        assert snapshot(args) == before
        if program in SCALAR_PROGRAMS:
            adxform.hvp(program.function, argnums=program.wrt)(*args, like(tuple(args[i] for i in program.wrt), flat))
            assert snapshot(args) == before


@every_program
@quiet
def test_second_call_is_the_same(program: Program) -> None:
    for point in program.points:
        out, pullback = adxform.vjp(program.function, *point.fresh())
        ct = like(out, weights(pack(float_leaves(out)).size, 1))
        first = snapshot((out, pullback(ct)))
        assert snapshot((out, pullback(ct))) == first
        out, pullback = adxform.vjp(program.function, *point.fresh())
        assert snapshot((out, pullback(ct))) == first


@every_program
@quiet
def test_source_runs_alone(program: Program) -> None:
    for point in program.points:
        text = adxform.source(program.function, *point.fresh(), mode="reverse", argnums=program.wrt)
        assert text == adxform.source(program.function, *point.fresh(), mode="reverse", argnums=program.wrt)
        out, pullback = adxform.vjp(program.function, *point.fresh())
        ct = like(out, weights(pack(float_leaves(out)).size, 1))
        chosen = tuple(pullback(ct)[i] for i in program.wrt)
        call, rule = rule_of(program.function, point.fresh(), "reverse", program.wrt)
        assert rule.text == text
        alone = run_alone(text)(*call.inputs(), *rule.seeded(flattened(ct)))
        found, expected = list(leaves(alone)), [*flattened(out), *flattened(chosen)]
        assert np.array_equal(pack(found), pack(expected)), (alone, expected)
        assert [np.result_type(one) for one in found] == [np.result_type(one) for one in expected]


def flattened(tree: Any) -> list[Any]:
    """Return the leaves that can be numbers, in the order of generated functions."""
    return list(describe(tree, "value")[1])


def run_alone(text: str) -> Callable[..., Any]:
    """Execute emitted source where only NumPy, Python's own modules and the runtime can be imported; return its last function."""
    namespace: dict[str, Any] = {"__name__": "emitted", "__builtins__": {**vars(builtins), "__import__": importing}}
    exec(compile(text, "<emitted>", "exec"), namespace)
    functions = [value for value in namespace.values() if callable(value) and getattr(value, "__module__", "") == "emitted"]
    found: Callable[..., Any] = functions[-1]
    return found


def importing(name: str, globals_: Any = None, locals_: Any = None, fromlist: tuple[str, ...] = (), level: int = 0) -> ModuleType:
    """Import what emitted source may import: of the standard library, what the program itself calls."""
    allowed = (
        name.partition(".")[0] in ("numpy", *sys.stdlib_module_names)
        or name == "adxform.runtime"
        or (name == "adxform" and fromlist == ("runtime",))
    )
    assert allowed, f"emitted source imports {name}"
    return builtins.__import__(name, globals_, locals_, fromlist, level)


@pytest.mark.parametrize("program", RAISING, ids=lambda program: program.name)
def test_inputs_are_untouched_when_it_raises(program: Program) -> None:
    assert program.raises is not None
    for point in program.points:
        args = point.fresh()
        before = snapshot(args)
        with pytest.raises(program.raises):
            adxform.vjp(program.function, *args)
        assert snapshot(args) == before
        with pytest.raises(program.raises):
            adxform.grad(program.function, argnums=program.wrt)(*args)
        assert snapshot(args) == before
        with pytest.raises(program.raises):
            adxform.jvp(program.function, args, tuple(np.ones_like(a) if is_float(a) else None for a in args))
        assert snapshot(args) == before


def test_the_corpus_is_large_enough() -> None:
    memory = [p for p in CORPUS if p.name.partition(".")[0] in ("aliases", "views", "writes")]
    assert len(CORPUS) >= 120
    assert len(memory) >= 40
    assert math.isfinite(len(SCALAR_PROGRAMS))

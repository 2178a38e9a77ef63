"""The contenders: how each gets the derivative of a problem, and which package it needs."""

from __future__ import annotations

import importlib.util
import math
import types
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import adxform
from benchmarks.race import peers, vector_math
from benchmarks.race.peers import Arguments, Call, UnableError
from benchmarks.race.problem import Function, Problem, with_import
from benchmarks.timing import average, repeats

HAND, LIMIT, DIFFERENCES, FUNCTION = "NumPy, by hand", "Numba, by hand", "differences", "the function alone"
TOLERANCE, ROUGH = 1e-8, 1e-4
EVALUATIONS = 20_000
CHECKPOINTS = 100


@dataclass(frozen=True, slots=True)
class Contender:
    """One line of the table: `start` makes the call that is timed, and raises `UnableError` where it cannot."""

    name: str
    start: Callable[[Problem, Arguments], Call]
    package: str | None = None
    peer: bool = False
    tolerance: float | None = TOLERANCE
    extra: bool = False
    only: tuple[str, ...] = ()

    def races(self, problem: Problem) -> bool:
        """Whether it has a line in that table: a second form of a peer where there is one, some where they make sense."""
        return (not self.extra or self.name in problem.forms) and (not self.only or problem.name in self.only)

    def missing(self) -> str | None:
        """Why it cannot take part at all."""
        if self.package and importlib.util.find_spec(self.package) is None:
            return f"{self.package} is not installed: pip install 'adxform[bench]'"
        return None


def generated(problem: Problem, arguments: Arguments, **options: Any) -> Call:
    """A derivative prepared by adxform that was not there before: a rule holds for any size."""
    adxform.clear_cache()
    return prepared(problem, arguments, **options)


def prepared(problem: Problem, arguments: Arguments, into_out: bool = False, **options: Any) -> Call:
    """A derivative prepared by adxform. `options` go to the operator, as an engine does.

    `into_out`: results go into arrays that are there, as CasADi's do.
    """
    match problem.kind:
        case "gradient":
            argnums = problem.wrt if len(problem.wrt) > 1 else problem.wrt[0]
            run, given = adxform.prepare_gradient(problem.function, *arguments, argnums=argnums, **options), arguments
        case "product":
            run, given = adxform.prepare_hvp(problem.function, *problem.point(arguments), **options), arguments
        case "blocks":
            example = [x if place in problem.wrt else adxform.constant(x) for place, x in enumerate(arguments)]
            rows, cts = adxform.prepare_vjp(problem.function, *example, directions=2, **options), residuals(arguments)
            pulled = partial(rows.batch, out=room_for(rows.batch(arguments, cts))) if into_out else rows.batch
            return lambda: blocks_of(pulled(arguments, cts)[1], problem)
    if not into_out:
        return lambda: run(*given)
    out = room_for(run(*given))
    return lambda: run(*given, out=out)


def room_for(result: Any) -> Any:
    """What ``out=`` is given for results like this one; ``None`` for what it is not."""
    match result:
        case np.ndarray():
            return np.empty_like(result)
        case tuple():
            return tuple([room_for(part) for part in result])
        case _:
            return None


def into_out(problem: Problem, arguments: Arguments, **options: Any) -> Call:
    """The same, which writes into arrays that were made once."""
    if not any(isinstance(arguments[place], np.ndarray) for place in problem.wrt):
        raise UnableError("a number is returned, not written")
    return generated(problem, arguments, into_out=True, **options)


def function(problem: Problem, arguments: Arguments) -> Call:
    """What is differentiated: no contender, but what they all are measured by at first sight."""
    return lambda: problem.function(*problem.point(arguments))


def by_hand(problem: Problem, arguments: Arguments) -> Call:
    """The derivative written in NumPy."""
    return lambda: problem.by_hand(*arguments)


def limit(problem: Problem, arguments: Arguments) -> Call:
    """The derivative written as loops, compiled by Numba; on several threads where that is the faster."""
    import numba

    plain = problem.limit

    def call(parallel: bool) -> Call:
        names = {**plain.__globals__, **vector_math.forms(), "prange": numba.prange if parallel else range}
        copy = types.FunctionType(plain.__code__, names, plain.__name__, plain.__defaults__)
        compiled = numba.njit(fastmath=True, error_model="numpy", parallel=parallel)(copy)
        compiled(*arguments)
        return lambda: compiled(*arguments)

    if numba.config.NUMBA_NUM_THREADS == 1 or "prange" not in plain.__code__.co_names:
        return call(False)
    return min((call(False), call(True)), key=lambda call: average(call, repeats(call)))


def residuals(arguments: Arguments) -> np.ndarray:
    """Two cotangents of the residuals, each one for one of the two of every row: (2, n, 2)"""
    return np.broadcast_to(np.eye(2)[:, None, :], (2, len(arguments[0]), 2)).copy()


def blocks_of(rows: Any, problem: Problem) -> tuple[Any, ...]:
    """The blocks, from the cotangents of all arguments for the one residual and the other."""
    return tuple(rows[place].swapaxes(0, 1) for place in problem.wrt)


def differences(problem: Problem, arguments: Arguments) -> Call:
    """Central differences, one component at a time; of a Hessian product: of the gradient by hand along the vector."""
    if problem.kind == "product":
        raise UnableError("a difference of gradients needs gradients")
    if problem.kind == "blocks":
        return lambda: tuple(slopes_of_rows(problem.function, arguments, place) for place in problem.wrt)
    count = sum(np.size(arguments[place]) for place in problem.wrt)
    if count > EVALUATIONS:
        raise UnableError(f"{2 * count:,} evaluations of the function")
    return lambda: tuple(slopes(problem.function, arguments, place) for place in problem.wrt)


STEP = math.cbrt(np.finfo(float).eps)


def slopes_of_rows(f: Function, arguments: Arguments, place: int) -> Any:
    """The central differences of residuals: the same component of all rows is moved at once, for no row sees another."""
    x = arguments[place]
    columns = x.reshape(len(x), -1)
    result = np.empty((len(x), 2, columns.shape[1]))
    for column in range(columns.shape[1]):
        step = STEP * np.maximum(1.0, np.abs(columns[:, column]))
        values = []
        for moved in (columns[:, column] + step, columns[:, column] - step):
            other = columns.copy()
            other[:, column] = moved
            values.append(f(*arguments[:place], other.reshape(x.shape), *arguments[place + 1 :]))
        result[:, :, column] = (values[0] - values[1]) / (2.0 * step[:, None])
    return result.reshape(len(x), 2, *x.shape[1:])


def slopes(f: Function, arguments: Arguments, place: int) -> Any:
    """The central differences of `f` by the components of one argument."""
    x = np.asarray(arguments[place], dtype=float)
    result = np.empty_like(x)
    for index in np.ndindex(x.shape):
        step = STEP * max(1.0, abs(x[index]))
        values = []
        for moved in (x[index] + step, x[index] - step):
            other = x.copy()
            other[index] = moved
            given = other if isinstance(arguments[place], np.ndarray) else float(other)
            values.append(f(*arguments[:place], given, *arguments[place + 1 :]))
        result[index] = (values[0] - values[1]) / (2.0 * step)
    return result


def _peer(
    name: str, package: str, start: Callable[[Function, Problem, Arguments], Call], form: str, extra: bool = False
) -> Contender:
    """A peer that takes the form of that name."""

    def begin(problem: Problem, arguments: Arguments) -> Call:
        if form not in problem.forms:
            raise UnableError(problem.absent.get(form, "no program written for it"))
        return start(problem.forms[form](), problem, arguments)

    return Contender(name, begin, package, peer=True, extra=extra)


def _as_it_stands(name: str, package: str, start: Callable[[Function, Problem, Arguments], Call], numpy: str | None) -> Contender:
    """A peer that takes the user's NumPy code, with another import of NumPy where it has one, unless there is a form for it."""

    def begin(problem: Problem, arguments: Arguments) -> Call:
        if name in problem.absent:
            raise UnableError(problem.absent[name])
        if name in problem.forms:
            return start(problem.forms[name](), problem, arguments)
        f = problem.function
        if numpy is not None:
            f = with_import(f, "np", importlib.import_module(numpy))
        return start(f, problem, arguments)

    return Contender(name, begin, package, peer=True)


CONTENDERS: tuple[Contender, ...] = (
    Contender("adxform python", partial(generated, engine="python")),
    Contender("adxform numba", partial(generated, engine="numba"), "numba"),
    Contender("adxform numba, into out", partial(into_out, engine="numba"), "numba"),
    Contender(
        "adxform python, checkpoints", partial(generated, engine="python", checkpoint_steps=CHECKPOINTS), only=("time-loop",)
    ),
    Contender(
        "adxform numba, checkpoints",
        partial(generated, engine="numba", checkpoint_steps=CHECKPOINTS),
        "numba",
        only=("time-loop",),
    ),
    Contender(LIMIT, limit, "numba"),
    Contender(HAND, by_hand),
    Contender(FUNCTION, function, tolerance=None),
    _peer("jax", "jax", peers.with_jax, "jax"),
    _peer("jax, by an expert", "jax", peers.with_jax, "jax, by an expert", extra=True),
    _peer("torch", "torch", peers.with_torch, "torch"),
    _peer("torch.compile", "torch", peers.with_torch_compile, "torch"),
    _as_it_stands("autograd", "autograd", peers.with_autograd, "autograd.numpy"),
    _peer("casadi", "casadi", peers.with_casadi, "casadi"),
    _peer("casadi + cc", "casadi", peers.with_casadi_and_gcc, "casadi"),
    _as_it_stands("tangent", "tangent", peers.with_tangent, None),
    Contender(DIFFERENCES, differences, tolerance=ROUGH),
)

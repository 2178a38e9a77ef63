"""Compiled rules against the same rules in Python: equal results for the whole corpus, equal errors, nothing out of bounds."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
import pytest

import adxform
from adxform.api.source import rule_of
from adxform.backends.numba.compiled_rule import CompiledForm, Guarded
from adxform.backends.python.emit import emit
from adxform.backends.python.loading import load
from adxform.backends.registry import COMPILER
from adxform.frontend.derivative_operators import Engine
from adxform.ir.verify import verify
from adxform.runtime.dispatch.application import Application
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.split import as_tuple
from tests.corpus.case import Program
from tests.corpus.catalogue import PROGRAMS
from tests.derived import once
from tests.kernel_features import COVERING, held

Results = tuple[Any, ...]
NUMBA = Engine("numba")
MAY_ASK_PYTHON = ("singular.distances_by_", "singular.volume_by_its_logarithm", "left_out.", "frames.frames_without_their_mean")
"""Programs with points at which kernels raise, so that the call is Python's."""


def derived(fn: Callable[..., Any], args: Results, mode: str, wrt: tuple[int, ...]) -> tuple[Application, DerivedRule]:
    """The application of a function and its rule on the Python engine."""
    call, rule = rule_of(fn, args, mode, wrt)
    return call, rule


def seeds_for(rule: DerivedRule, inputs: list[Any]) -> list[Any]:
    """Cotangents of ones, or tangents in general position."""
    if rule.request.mode == "reverse":
        count = len(rule.typed.results)
        primal = as_tuple(primal_of(rule)(*copy.deepcopy(inputs)), count)
        floats = [value for value in primal if np.asarray(value).dtype.kind == "f"]
        return rule.seeded([np.ones_like(value) if isinstance(value, np.ndarray) else type(value)(1.0) for value in floats])
    wrt = [inputs[position] for position in rule.request.wrt]
    return [np.full_like(x, 0.3) if isinstance(x, np.ndarray) else type(x)(0.3) for x in wrt]


@once
def primal_of(rule: DerivedRule) -> Callable[..., Any]:
    """The function that `rule` is a derivative of, in Python."""
    return load(emit(rule.typed))


def results(rule: DerivedRule, run: Callable[..., Any], call: Application) -> Results:
    """What `run` returns at the point of `call`."""
    inputs = call.inputs()
    with np.errstate(all="ignore"):
        return as_tuple(run(*inputs, *seeds_for(rule, inputs)), len(rule.optimised.results))


def compiled(rule: DerivedRule) -> Guarded | None:
    """`rule` on the Numba engine; ``None`` where there is nothing to compile."""
    lowered = COMPILER.lower(rule.optimised, NUMBA)
    verify(lowered.function)
    _, run = COMPILER.realise(lowered, rule.request.surroundings)
    return run if isinstance(run, Guarded) else None


def agree(got: Results, expected: Results) -> None:
    """Assert that results are equal but for rounding in their own precision, in class, dtype and shape."""
    for one, other in zip(got, expected, strict=True):
        assert isinstance(one, type(other)) or isinstance(other, type(one))
        if isinstance(other, np.ndarray):
            assert one.dtype == other.dtype
            assert one.shape == other.shape
        if isinstance(other, np.ndarray | np.inexact | complex | float | int):
            single = getattr(other, "dtype", None) == np.float32
            np.testing.assert_allclose(one, other, **({"rtol": 1e-5, "atol": 1e-6} if single else {"rtol": 1e-9, "atol": 1e-11}))


MODES = ("reverse", "forward", "hvp")
COMPILED = [program for program in PROGRAMS if program.name in COVERING or program.name.startswith(("loops.", "models."))]


def is_number(program: Program) -> bool:
    """Whether the program returns one float."""
    with np.errstate(all="ignore"):
        return isinstance(program.function(*program.points[0].fresh()), float)


@pytest.mark.usefixtures("interpreted")
def test_kernels_say_what_the_rule_says(any_program: Program, mode: str) -> None:
    program = any_program
    if mode == "hvp" and not is_number(program):
        return
    kernels = once(compiled)
    for point in program.points:
        call, rule = derived(program.function, point.fresh(), mode, program.wrt)
        run = kernels(rule)
        if run is None:
            continue
        agree(
            results(rule, kernels_of(run, program), call),
            results(rule, rule.run, derived(program.function, point.fresh(), mode, program.wrt)[0]),
        )


def kernels_of(run: Any, program: Program) -> Callable[..., Any]:
    """What kernels say; where they leave a call to Python, as they may for some programs, what Python says, as in every call.

    Kernels note that a product has no finite sum, have no inverse of a singular matrix, and check what a loop would read.
    """
    if not program.name.startswith(MAY_ASK_PYTHON):
        return run.compiled  # type: ignore[no-any-return]

    def kernels(*args: Any) -> Any:
        try:
            return run.compiled(*args)
        except (ArithmeticError, IndexError, np.linalg.LinAlgError):
            return run.plain(*args)

    return kernels


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Compile a part of the corpus, and try modes but reverse with a part; with ``--compile-all`` all of it."""
    every = metafunc.config.getoption("--compile-all")
    chosen: tuple[Sequence[Program], ...] = (PROGRAMS,) * len(MODES)
    if "compiled_program" in metafunc.fixturenames:
        name, chosen = "compiled_program", chosen if every else (COMPILED, (), ())
    elif "any_program" in metafunc.fixturenames:
        name, chosen = "any_program", chosen if every else (PROGRAMS, PROGRAMS[::4], PROGRAMS[::2])
    else:
        return
    cases = [(program, mode) for mode, programs in zip(MODES, chosen, strict=True) for program in programs]
    left = pytest.mark.rest if name == "compiled_program" else ()
    metafunc.parametrize(
        (name, "mode"),
        [
            pytest.param(program, mode, id=f"{program.name}-{mode}", marks=() if program.name in COVERING else left)
            for program, mode in cases
        ],
    )


def test_compiled(compiled_program: Program, mode: str) -> None:
    program = compiled_program
    if mode == "hvp" and not is_number(program):
        return
    kernels = once(compiled)
    for point in program.points:
        call, rule = derived(program.function, point.fresh(), mode, program.wrt)
        run = kernels(rule)
        if run is None:
            return
        expected = results(rule, rule.run, derived(program.function, point.fresh(), mode, program.wrt)[0])
        agree(results(rule, kernels_of(run, program), call), expected)
        assert run.refusal is None


@pytest.mark.rest
def test_what_is_compiled_holds_what_any_kernel_does() -> None:
    """Whatever the kernels of a gradient hold, those of `COVERING` do."""
    found: dict[str, set[str]] = {}
    for program in PROGRAMS:
        rule = derived(program.function, program.points[0].fresh(), "reverse", program.wrt)[1]
        form = COMPILER.lower(rule.optimised, NUMBA)
        found[program.name] = set(held(form)) if isinstance(form, CompiledForm) else set()
        adxform.clear_cache()
    compiled = set().union(*(found[name] for name in COVERING))
    assert {name: what - compiled for name, what in found.items() if what - compiled} == {}


def gather_by_index(x, places):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(len(places)):
        total += x[places[k]] ** 2
    return total


def last_has_no_neighbour(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(x)):
        if i < len(x) - 1:
            total += x[i] * x[i + 1]
        else:
            total += x[i]
    return total


def periodic(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i - 1]
    return total


def from_the_end(a, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(n):
        total += a[i, -1] * a[-1, i] + a[-2, -1] * a[0, -3] ** 2
        a[i, -2] = total
        a[-1, -1] += a[1:, -1][i - 1 if i > 0 else 0]
    return total


def triangle(a, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(n):
        for j in range(i + 1):
            total += a[i, j] * a[j, i]
    return total


def every_second(x, start):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(start, 0, -2):
        total += x[i] ** 2
    return total


def flat(x, rows, columns):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            total += x[i * columns + j] ** 2
    return total


def strided(x, n, stride):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(n):
        total += x[(i * stride) % 5] ** 2
    return total


def inner_of_view(x):  # type: ignore[no-untyped-def]
    inner = x[2:]
    total = 0.0
    for i in range(len(inner)):
        total += inner[i] * x[i]
    return total


ROW = np.arange(1.0, 6.0)
SQUARE = np.arange(1.0, 10.0).reshape(3, 3)
INDEXED = (
    (
        gather_by_index,
        (ROW, np.array([0, 4, -5, 2])),
        (ROW, np.array([0, 5])),
        (ROW, np.array([-6])),
        (ROW, np.zeros(0, np.int64)),
    ),
    (last_has_no_neighbour, (ROW,), (ROW[:1],)),
    (periodic, (ROW,), (ROW[:1],), (ROW[:0],)),
    (from_the_end, (SQUARE, 2), (SQUARE[:, ::-1], 2), (SQUARE[:2], 1), (SQUARE[:, :2], 1), (SQUARE, 0), (SQUARE[:, :0], 1)),
    (triangle, (SQUARE, 3), (SQUARE, 2), (SQUARE, 0), (SQUARE, 4), (SQUARE[:2], 3), (SQUARE.T, 3)),
    (every_second, (ROW, 4), (ROW, 5), (ROW, 0), (ROW, -3)),
    (flat, (ROW, 1, 5), (ROW, 5, 1), (ROW, 2, 3), (ROW, 0, 9), (ROW, -1, 2), (ROW[::-1], 1, 5)),
    (strided, (ROW, 4, 3), (ROW, 4, -3), (ROW, 5, 2**62 + 1), (ROW, 5, 2**70)),
    (inner_of_view, (ROW,), (ROW[:2],), (ROW[:1],), (ROW[:0],), (ROW[::2],)),
)


def halved_until(x, least):  # type: ignore[no-untyped-def]
    count = 0
    while x > least:
        x = x / 2.0
        count += 1
    return x * count


def harmonic(x, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(n):
        total += x / float(k - 2) + 0.0 * x
    return total


def logarithms(x, n):  # type: ignore[no-untyped-def]
    total = x
    for _ in range(n):
        total = math.log(total)
    return total


def growing(x, n):  # type: ignore[no-untyped-def]
    for _ in range(n):
        x = x**2
    return x


def never_ends_compiled(x):  # type: ignore[no-untyped-def]
    y = x
    while y != 2.0:
        y = 1.0 / (y - x)
    return y


def factorial(x, n):  # type: ignore[no-untyped-def]
    product = 1
    for k in range(1, n):
        product *= k
    return x * product


def fibonacci(x, n):  # type: ignore[no-untyped-def]
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return x * a


def counted(x, n):  # type: ignore[no-untyped-def]
    count = 0
    for i in range(n):
        count += i * i
    return x * count


NUMBERS = (
    (halved_until, (5.0, 1.0), (0.5, 1.0)),
    (harmonic, (1.5, 2), (1.5, 4)),
    (logarithms, (5.0, 2), (5.0, 3), (5.0, 4), (1.0, 2)),
    (growing, (2.0, 3), (2.0, 9), (2.0, 12)),
    (never_ends_compiled, (1.0,)),
    (factorial, (1.5, 5), (1.5, 25)),
    (fibonacci, (1.5, 10), (1.5, 100)),
    (counted, (1.5, 10), (1.5, 0)),
)
CASES = [(fn, args) for fn, *points in (*INDEXED, *NUMBERS) for args in points]


@pytest.mark.parametrize(("fn", "args"), CASES, ids=lambda part: getattr(part, "__name__", ""))
def test_compiled_or_python_the_same(fn: Callable[..., Any], args: Results) -> None:
    """What Python raises is raised, what it computes is computed: never a place outside, never an integer that wraps."""
    call, rule = derived(fn, args, "reverse", (0,))
    _, run = COMPILER.realise(COMPILER.lower(rule.optimised, NUMBA), rule.request.surroundings)
    try:
        expected = results(rule, rule.run, call)
    except (ArithmeticError, ValueError, LookupError) as error:
        with pytest.raises(type(error)):
            results(rule, run, call)
        return
    agree(results(rule, run, call), expected)
    if isinstance(run, Guarded):
        assert run.refusal is None or any(isinstance(arg, int) and arg >= 2**63 for arg in args)


@pytest.mark.parametrize("fn", [case[0] for case in (*INDEXED, *NUMBERS) if case[0] not in (factorial, fibonacci, counted)])
def test_there_is_something_to_compile(fn: Callable[..., Any]) -> None:
    args = next(points[0] for known, *points in (*INDEXED, *NUMBERS) if known is fn)
    assert compiled(derived(fn, args, "reverse", (0,))[1]) is not None


def test_a_branch_that_guards_an_index_stays_compiled() -> None:
    call, rule = derived(last_has_no_neighbour, (ROW,), "reverse", (0,))
    run = compiled(rule)
    assert run is not None
    agree(results(rule, run.compiled, call), results(rule, rule.run, call))


def test_what_numba_cannot_compile_runs_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise numba.core.errors.TypingError("no")

    run = Guarded(refuse, lambda *args: sum(args))
    with pytest.raises(numba.core.errors.TypingError):
        run(1.0, 2.0)
    monkeypatch.delenv("ADXFORM_STRICT")
    for _ in range(5):
        assert run(1.0, 2.0) == 3.0
    assert run.tries == 0
    assert run.refusal is not None
    assert "no" in run.refusal


def test_every_derivative_takes_an_engine() -> None:
    x, v = np.linspace(0.5, 1.5, 6), np.linspace(-1.0, 1.0, 6)
    f = last_has_no_neighbour
    np.testing.assert_allclose(adxform.grad(f, engine="numba")(x), adxform.grad(f)(x))
    np.testing.assert_allclose(adxform.hvp(f, engine="numba")(x, v), adxform.hvp(f)(x, v))
    np.testing.assert_allclose(adxform.hessian(f, engine="numba")(x), adxform.hessian(f)(x))
    for prepare in (adxform.prepare_gradient, adxform.prepare_hessian):
        p, q = prepare(f, x, engine="numba"), prepare(f, x)
        out = np.empty_like(q(x))
        np.testing.assert_allclose(p(x), q(x))
        assert p(2.0 * x, out=out) is out
        np.testing.assert_allclose(out, q(2.0 * x))
        again = pickle.loads(pickle.dumps(p))
        np.testing.assert_allclose(again(x), q(x))
        assert again.fingerprint() == p.fingerprint() != q.fingerprint()
    p = adxform.prepare_hvp(f, x, engine="numba")
    out = np.empty(6)
    assert p(x, v, out=out) is out
    np.testing.assert_allclose(out, adxform.hvp(f)(x, v))


def test_an_engine_that_is_not_known() -> None:
    with pytest.raises(ValueError, match="fortran"):
        adxform.grad(np.sum, engine="fortran")  # type: ignore[arg-type]

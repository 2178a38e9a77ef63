"""Checkpoints: the same derivatives as without, bit for bit, in memory that does not grow with the number of passes."""

from __future__ import annotations

import pickle
import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adxform
from adxform import checkpoint
from adxform.errors import AdxError, AliasError, BudgetError, UnsupportedOperationError
from adxform.frontend.derivative_operators import ORDERS, EngineName
from tests.corpus.case import Program
from tests.corpus.catalogue import PROGRAMS
from tests.oracle import central_jacobian, flat_function, float_leaves
from tests.test_corpus import like, quiet, weights

X = np.linspace(0.1, 0.5, 6)
STEPS = (0, 1, 2, 3, 4, 5, 17)
COUNTS = (1, 3, 4)


def scalar(x, n):
    for t in range(n):
        x = np.sin(x) * x + 0.1 * t
    return x


def stepping(x, n):
    """Over numbers, from a start with a stride; `last` is known only behind the loop."""
    y, last = x, 0.0
    for t in range(3, 3 + 9 * n, 2):
        z = np.sin(y) + 0.01 * t
        y = y + 0.05 * z * np.cos(x)
        last = z * y
    return y * x + last


def functional(x, n):
    u = x * 1.0
    for t in range(1, n):
        u = u + 0.1 * np.sin(u) * t
    return np.sum(u * u)


def downwards(x, n):
    u = x * 1.0
    for t in range(2 * n, 0, -2):
        u = u + 0.1 * np.sin(u * t)
    return np.sum(u)


def swapped(x, n):
    u, v = x.copy(), np.zeros_like(x)
    for _ in range(n):
        for i in range(1, u.shape[0] - 1):
            v[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] * u[i] + u[i + 1])
        u, v = v, u
    return np.sum(u * u) + v[1]


def three_levels(x, n):
    """Leapfrog: three buffers go round."""
    old, now, new = x * 1.0, x * 0.9, np.zeros_like(x)
    for _ in range(n):
        new[1:-1] = 2 * now[1:-1] - old[1:-1] + 0.2 * np.sin(now[2:] - 2 * now[1:-1] + now[:-2])
        old, now, new = now, new, old
    return np.sum(now * now) + old[2]


def two_loops(x, n):
    """What the first loop ends with is what the second begins with."""
    u, v = x.copy(), np.zeros_like(x)
    for _ in range(n):
        v[1:] = u[:-1] * u[1:]
        u, v = v, u
    for _ in range(n + 1):
        v[:-1] = np.cos(u[1:])
        u, v = v, u
    return np.sum(u * u * v)


def substeps(x, n):
    """An inner loop swaps the buffers, too."""
    u, v = x.copy(), np.zeros_like(x)
    for t in range(n):
        for _ in range(t % 3):
            v[1:] = u[:-1] * 0.9 + 0.1 * u[1:] ** 2
            u, v = v, u
    return np.sum(u * u)


def in_place(x, n):
    u = x.copy()
    for _ in range(n):
        u[1:-1] = u[1:-1] * u[1:-1] * 0.3 + u[2:] * 0.8 + u[:-2] * 0.1
    return np.sum(u * u)


def through_views(x, n):
    """The state is written by way of a view, and read by another name."""
    field = np.stack([x, 2.0 * x])
    row = field[0]
    for _ in range(n):
        row[1:] *= np.cos(field[1, :-1])
        field[1] += row * row
    return np.sum(field)


def made_anew(x, n):
    u = x.copy()
    for _ in range(n):
        w = np.empty_like(u)
        w[1:-1] = u[1:-1] * u[2:] + 0.1
        w[0], w[-1] = u[0], w[-2]
        u = w
    return np.sum(u)


def copied_each_pass(x, n):
    u = x.copy()
    for _ in range(n):
        before = u.copy()
        u[1:-1] = before[1:-1] + 0.2 * before[1:-1] * (before[2:] - before[:-2])
    return np.sum(u**3)


def in_fortran_order(x, n):
    """What is a view of an array, and what a copy, depends on its layout: copies of it behave alike."""
    u = np.asfortranarray(np.outer(x, x))
    for t in range(n):
        flat = u.ravel()
        flat[1] = 7.0 * t * x[0]
        turned = u.T.ravel()
        turned[2] = np.sin(turned[1]) * (1.0 + t)
        u = np.asfortranarray(u * 0.9)
        u[1:, 1:] = u[1:, 1:] * u[:-1, :-1]
    return np.sum(u * u)


def strided(x, n):
    u = np.outer(x, x + 1.0)[:, ::2]
    v = np.outer(x, x + 2.0)[:, ::2]
    for t in range(n):
        flat = u.reshape(-1)
        flat[1] = 7.0 * t * x[0]
        v[1:] = u[1:] * np.cos(flat[:3])
        u, v = v, u
    return np.sum(u * v)


def written_behind(x, n):
    """What the loop reads, and what it ends with, is overwritten behind it."""
    w = np.cos(x)
    u = x * 1.0
    for _ in range(n):
        u = u + 0.1 * np.sin(u * w)
    s = np.sum(u * u)
    w[:] = 3.0
    u[1:] = w[1:] * u[:-1]
    return s + np.sum(u * w)


def a_diagonal(x, n):
    u = np.outer(x, x)
    d = np.diagonal(u)[1:]
    for _ in range(n):
        u[1, 1] = np.sin(u[1, 1]) + d[0] * d[1]
        u[2] *= 0.9
    return np.sum(u)


def deeper(x, n):
    """A function that calls itself, with a loop in each call."""

    def down(y, depth):
        for _ in range(n):
            y = np.sin(y) * y + 0.2
        if depth == 0:
            return y
        return down(y * 0.9, depth - 1) + y

    return np.sum(down(x, n))


def growing(x, n):
    u = x
    for t in range(n):
        u = np.concatenate([u, np.sin(u[-1:] * t)])
    return np.sum(u * u)


def history(x, n):
    """The history is written and never read in the loop: it is no part of the state."""
    u = x.copy()
    seen = np.zeros((n + 1, x.shape[0]))
    for t in range(n):
        seen[t] = u
        u = u + 0.1 * np.sin(u)
    return np.sum(seen * seen) + np.sum(u)


def read_before(x, n):
    """The reverse sweep reads, behind the loop, what the loop has overwritten."""
    u = x.copy()
    first = np.sum(np.exp(u) * u)
    for _ in range(n):
        u[:-1] = u[1:] * u[:-1]
    return first * np.sum(u)


def unused_sum(x, n):
    """The sum is carried, and no pass needs it again."""
    total, u = 0.0, x * 1.0
    for _ in range(n):
        u = u * np.cos(u)
        total += np.sum(u)
    return total


def broken_off(x, n):
    s = 0.0
    y = x[0]
    for _ in range(n):
        y = y * y * 0.3 + 0.5
        s += np.sin(y)
        if s > 5.0:
            break
    return s * y


def conditional(x, n):
    y = x[0] + 0.0
    k = 0
    while y < 50.0 and k < n:
        y = y + np.sin(y) ** 2 + 0.3
        k += 1
    return y * x[1]


def writing_while(x, n):
    u = x.copy()
    k = 0
    while np.sum(u) < 1e3 and k < n:
        u[1:] += u[:-1] ** 2
        k += 1
    return np.sum(u) + x[0]


def returned_early(x, n):
    u = x.copy()
    for t in range(n):
        u = u * np.sin(u + 1.0)
        if t == 9:
            return np.sum(u)
    return np.sum(u * u)


def in_a_branch(x, n):
    u = x.copy()
    if n > 1:
        for _ in range(n):
            u = np.sin(u) * u
    else:
        u = u * 3.0
    return np.sum(u)


def nested(x, n):
    s = 0.0
    for i in range(n):
        y = x[i % 6]
        for _ in range(n):
            y = np.sin(y) + 0.3 * s
        s = s + y
    return s


def listed(x, n):
    found = []
    y = x[0]
    for _ in range(n):
        y = np.sin(y)
        found.append(y * y)
    return sum(found) * x[1]


def guarded(x, n):
    y = x[1]
    for t in range(n):
        if y != y:
            raise ValueError(f"pass {t} gave no number")
        y = np.sin(y) * 1.5 + 0.01 * y
    return y


TIME_LOOPS = (
    scalar,
    stepping,
    functional,
    downwards,
    swapped,
    three_levels,
    two_loops,
    substeps,
    in_place,
    through_views,
    made_anew,
    copied_each_pass,
    in_fortran_order,
    strided,
    written_behind,
    a_diagonal,
    deeper,
    growing,
    history,
    read_before,
    unused_sum,
    broken_off,
    conditional,
    writing_while,
    returned_early,
    in_a_branch,
    nested,
    guarded,
    listed,
)
every_loop = pytest.mark.parametrize("f", TIME_LOOPS, ids=lambda f: f.__name__)


def start(f: Callable[..., Any]) -> Any:
    return 0.7 if f in (scalar, stepping) else X.copy()


def same(found: Any, expected: Any) -> None:
    for one, other in zip(float_leaves(found), float_leaves(expected), strict=True):
        assert np.array_equal(one, other)


def near(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-9, atol=1e-12)


@every_loop
def test_same_bits_as_without(f: Callable[..., Any]) -> None:
    for n in STEPS:
        expected = adxform.value_and_grad(f)(start(f), n)
        for count in COUNTS:
            x = start(f)
            same(adxform.value_and_grad(f, checkpoint_steps=count)(x, n), expected)
            assert np.array_equal(x, start(f))
        same(adxform.value_and_grad(f, max_memory=2000)(start(f), n), expected)
        near(adxform.grad(checkpoint(f))(start(f), n), expected[1])


@every_loop
def test_central_differences(f: Callable[..., Any]) -> None:
    expected, _ = central_jacobian(*flat_function(f, (start(f), 7), (0,)))
    found = np.asarray(adxform.grad(f, checkpoint_steps=2)(start(f), 7))
    np.testing.assert_allclose(found.ravel(), expected[0], rtol=1e-7, atol=1e-9)


@every_loop
@pytest.mark.parametrize("mode", ORDERS)
def test_second_order(f: Callable[..., Any], mode: Any) -> None:
    x, n = start(f), 6
    v = np.cos(np.arange(np.size(x)) + 1.0).reshape(np.shape(x))[()]
    expected = adxform.hvp(f)(x, n, v)
    near(adxform.hvp(checkpoint(f, checkpoint_steps=2), mode=mode)(x, n, v), expected)
    if mode == ORDERS[0]:
        near(adxform.hvp(checkpoint(f))(x, n, v), expected)


@every_loop
def test_prepared(f: Callable[..., Any]) -> None:
    x = start(f)
    prepared = adxform.prepare_gradient(f, x, 3, checkpoint_steps=2)
    again = pickle.loads(pickle.dumps(prepared))
    assert again.fingerprint() == prepared.fingerprint()
    for n in (3, 7, 0, 2):
        expected = adxform.grad(f)(x, n)
        same(prepared(x, n), expected)
        same(again(x, n), expected)
        if isinstance(x, np.ndarray):
            out = np.full_like(x, np.nan)
            prepared(x, n, out=out)
            same(out, expected)


@every_loop
def test_pullbacks_and_batches(f: Callable[..., Any]) -> None:
    x, n = start(f), 5
    expected = np.asarray(adxform.grad(f)(x, n))
    _, pullback = adxform.prepare_vjp(f, x, n, checkpoint_steps=2, directions=2)(x, n)
    for ct in (1.0, -2.0, 1.0):
        near(pullback(ct)[0], ct * expected)
    cts = np.array([1.0, 3.0, -1.0])
    near(pullback.batch(cts)[0], np.multiply.outer(cts, expected))


@every_loop
def test_in_differentiated_functions(f: Callable[..., Any]) -> None:
    def with_keyword(x, n):
        return np.sum(adxform.grad(f, checkpoint_steps=2)(x, n) * np.cos(x))

    def with_operator(x, n):
        run = checkpoint(max_memory=3000)(f)
        return np.sum(adxform.grad(run)(x, n) * np.cos(x))

    def plain(x, n):
        return np.sum(adxform.grad(f)(x, n) * np.cos(x))

    x = start(f)
    expected = adxform.grad(plain)(x, 5)
    near(adxform.grad(with_keyword)(x, 5), expected)
    near(adxform.grad(with_operator)(x, 5), expected)


@pytest.mark.parametrize("f", [scalar, stepping, listed, nested, in_a_branch], ids=lambda f: f.__name__)
def test_many_passes(f: Callable[..., Any]) -> None:
    """More passes than a strip has, and numbers of them beside its multiples."""
    for n in (63, 64, 65, 129, 300):
        expected = adxform.value_and_grad(f)(start(f), n)
        for count in (1, 2, 50):
            same(adxform.value_and_grad(f, checkpoint_steps=count)(start(f), n), expected)


def test_negative_numbers_of_passes() -> None:
    for n in (-1, -64, -200):
        same(adxform.grad(scalar, checkpoint_steps=2)(0.7, n), 1.0)


def test_inside_other_loops() -> None:
    def outer(x, n):
        s = 0.0
        for k in range(4):
            y = checkpoint(in_place, checkpoint_steps=2)(x * (1.0 + k), n)
            z = checkpoint(scalar)(np.sin(y), k)
            s = s + z * z
        return s

    def plain(x, n):
        s = 0.0
        for k in range(4):
            z = scalar(np.sin(in_place(x * (1.0 + k), n)), k)
            s = s + z * z
        return s

    near(adxform.grad(outer)(X, 5), adxform.grad(plain)(X, 5))
    near(adxform.hessian(outer)(X, 3), adxform.hessian(plain)(X, 3))


@checkpoint
def decorated(x, scale):
    """Doc."""
    y = x * scale["by"]
    y[1:] += np.sin(y[:-1])
    return {"sum": np.sum(y), "array": y}


def test_a_decorated_function() -> None:
    assert decorated(X, {"by": 2.0})["sum"] == np.sum(decorated.fn(X, {"by": 2.0})["array"])
    assert pickle.loads(pickle.dumps(decorated)) is decorated

    def loss(f, x, by):
        found = f(x, {"by": by})
        return found["sum"] * np.sum(found["array"] ** 2)

    expected = adxform.grad(lambda x, by: loss(decorated.fn, x, by), argnums=(0, 1))(X, 2.0)
    found = adxform.grad(lambda x, by: loss(decorated, x, by), argnums=(0, 1))(X, 2.0)
    near(found[0], expected[0])
    near(found[1], expected[1])


def test_what_is_kept_is_part_of_the_rule() -> None:
    """Checkpoints that differ in nothing but their number do not share a rule."""
    texts = {adxform.source(checkpoint(functional, checkpoint_steps=count), X, 5) for count in (2, 3)}
    texts.add(adxform.source(checkpoint(functional, max_memory=1000), X, 5))
    texts.add(adxform.source(functional, X, 5))
    assert len(texts) == 4


def test_loops_that_keep_nothing_stay_as_they_are() -> None:
    def dot(x, y):
        s = 0.0
        for i in range(x.shape[0]):
            s += x[i] * y[i]
        return s

    assert adxform.source(checkpoint(dot, checkpoint_steps=2), X, X) == adxform.source(dot, X, X)


def peak(call: Callable[[], Any]) -> int:
    call()
    tracemalloc.start()
    call()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


@pytest.mark.parametrize("f", [functional, swapped, in_place, made_anew, conditional], ids=lambda f: f.__name__)
def test_memory_grows_with_snapshots_and_not_with_passes(f: Callable[..., Any]) -> None:
    x = np.linspace(1e-3, 2e-3, 12 if f is swapped else 1000)

    def cost(n: int, **options: int) -> int:
        return peak(lambda: adxform.grad(f, **options)(x, n))

    few, many = cost(60, checkpoint_steps=5), cost(240, checkpoint_steps=5)
    assert many <= few + 3000
    if f not in (swapped, conditional):
        assert cost(240) > 3 * many
        ten = cost(240, checkpoint_steps=10)
        assert 4 * x.nbytes < ten - many < 7 * x.nbytes
        assert cost(240, max_memory=10 * x.nbytes) < 10 * x.nbytes + 8 * x.nbytes


@pytest.mark.parametrize("engine", ["python", "numba"])
def test_a_budget_that_is_too_small(engine: EngineName) -> None:
    with pytest.raises(BudgetError, match="one state of the loop takes") as caught:
        adxform.grad(functional, max_memory=100, engine=engine)(X, 5)
    line = Path(__file__).read_text().splitlines()[caught.value.span.line - 1]
    assert caught.value.span.file == __file__
    assert line.lstrip().startswith("for ")
    least = int(re.findall("takes ([0-9]+)", caught.value.message)[0])
    with pytest.raises(BudgetError):
        adxform.grad(functional, max_memory=least - 1, engine=engine)(X, 5)
    near(adxform.grad(functional, max_memory=least, engine=engine)(X, 5), adxform.grad(functional)(X, 5))


@pytest.mark.parametrize("memory", [0, -5, "a"])
def test_too_little_memory_is_an_error_of_adxforms(memory: Any) -> None:
    with pytest.raises(adxform.errors.OptionError, match="max_memory is"):
        adxform.grad(functional, max_memory=memory)


def test_options_that_make_no_sense() -> None:
    with pytest.raises(ValueError, match="not both"):
        adxform.grad(functional, checkpoint_steps=2, max_memory=100)
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="checkpoint_steps is"):
            checkpoint(functional, checkpoint_steps=wrong)  # type: ignore[call-overload]


def test_options_that_make_no_sense_inside_a_differentiated_function() -> None:
    def by_steps(x: Any, steps: int) -> Any:
        return checkpoint(functional, checkpoint_steps=steps)(x, 5)

    def by_memory(x: Any, memory: int) -> Any:
        return adxform.grad(functional, max_memory=memory)(x, 5).sum()

    for wrong in (0, -1):
        with pytest.raises(ValueError, match="checkpoint_steps is"):
            adxform.grad(by_steps)(X, wrong)
        with pytest.raises(ValueError, match="max_memory is"):
            adxform.grad(by_memory)(X, wrong)
    same(adxform.grad(by_steps)(X, 10**12), adxform.grad(functional)(X, 5))


def test_explain_names_the_state() -> None:
    text = adxform.explain(checkpoint(unused_sum, checkpoint_steps=4), X, 5)
    kept = [line for line in text.splitlines() if "snapshot" in line]
    assert len(kept) == 1
    assert "at most 4 of its states" in kept[0]
    assert "  u:" in kept[0]


# -- what is refused, and where


def draws(x, n):
    rng = np.random.default_rng(1)
    for _ in range(n):
        x = np.sin(x) * rng.normal()
    return x


def still_read(x, n):
    u = x
    for _ in range(n):
        u[0] = np.sin(u[1])
        u = u + 0.1
    return np.sum((u - x) ** 2)


def one_memory(x, n):
    u = x.copy()
    v = u
    for _ in range(n):
        u[1:] = v[:-1] * v[1:]
        u, v = v, u
    return np.sum(u)


def unassigned(x, n):
    for t in range(n):
        if t > 0:
            x = x * np.sin(y)  # noqa: F821
        y = x + 1.0  # noqa: F841
    return x


@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (draws, UnsupportedOperationError, "it calls"),
        (still_read, AliasError, "may be `x` as well"),
        (one_memory, AliasError, "`u` and `v`, which it writes to, may share memory"),
        (unassigned, UnsupportedOperationError, "may read `y` before that has a value"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_refused_with_a_place(f: Callable[..., Any], error: type[AdxError], message: str) -> None:
    x = X if f in (still_read, one_memory) else 0.4
    with pytest.raises(error, match=message) as caught:
        adxform.grad(f, checkpoint_steps=2)(x, 4)
    assert caught.value.span.file == __file__
    assert caught.value.help
    if f is not unassigned:
        adxform.grad(f)(x, 4)


# -- the corpus

ROOMS = ("aliases", "callees", "control_flow", "loops", "physics", "views", "writes", "recursion", "structures")
LOOPS = [program for program in PROGRAMS if program.name.partition(".")[0] in ROOMS]


@pytest.mark.parametrize("program", LOOPS, ids=lambda program: program.name)
def test_corpus(program: Program) -> None:
    """Every loop of the corpus either gives the same bits or is refused, with its place."""
    point = program.points[0]

    def pulled(f: Callable[..., Any]) -> list[Any]:
        value, pullback = quiet(adxform.vjp)(f, *point.fresh())
        moving = float_leaves(value)
        ct = like(value, weights(sum(np.size(leaf) for leaf in moving), 1))
        return [*moving, *float_leaves(quiet(pullback)(ct))]

    expected = pulled(program.function)
    try:
        found = pulled(checkpoint(program.function, checkpoint_steps=2))
    except AdxError as error:
        assert "keeps checkpoints" in error.message  # noqa: PT017
        assert error.span.line  # noqa: PT017
        return
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one, other, equal_nan=True)

"""Every prepared operator against every kind of wrong argument: an error with a line for each, or, loosely, the right answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError, PreparationMismatchError
from tests import prepared_programs
from tests.test_prepared import assert_same

FLAG = "sin"
SWITCH = True


def helper(a: Any) -> Any:
    return np.sin(a)


def other_helper(a: Any) -> Any:
    return np.cos(a)


def bent(a: Any, squared: bool = True) -> Any:
    return a * a if squared and SWITCH else a


def model(x: Any, t: Any, tree: Any, kind: Any, count: Any, scale: Any = 1.0, *, shift: Any = 0.0) -> Any:
    """A function of an array, a number, a structure, a static value, and an index that must be known."""
    y = helper(x) if kind == "sin" else np.cos(x)
    part = (y, t * y, t * t * y)[count]
    part = part if FLAG == "sin" else -part
    return np.sum(part * tree["w"] + bent(tree["pair"][0] * t)) * scale + shift


X = np.array([0.5, -1.0, 2.0])
TREE = {"w": np.array([[1.0], [2.0]]), "pair": (X, 2.0)}
ARGS: tuple[Any, ...] = (X, 1.5, TREE, "sin", 2)


def zeroed(value: Any) -> Any:
    """A tangent of `value`: zeros, and ``None`` where it has none."""
    if isinstance(value, dict):
        return {key: zeroed(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(zeroed(item) for item in value)
    if isinstance(value, np.ndarray):
        return np.full_like(value, 0.5) if value.dtype.kind == "f" else None
    if isinstance(value, float | np.floating):
        return type(value)(0.5)
    return None


@dataclass(frozen=True)
class Case:
    """A prepared operator: how to make it, how to call it, and the plain operator that it agrees with."""

    name: str
    prepare: Callable[..., Any]
    call: Callable[..., Any]
    plain: Callable[..., Any]
    argnums: Any = None
    keywords: bool = True

    def made(self, strict: bool = True, **kwargs: Any) -> Any:
        options = {} if self.argnums is None else {"argnums": self.argnums}
        return self.prepare(model, *ARGS, **options, strict=strict, **kwargs)


def last(args: tuple[Any, ...], argnums: Any) -> Any:
    """A vector for the arguments `argnums`."""
    return tuple(zeroed(args[n]) for n in argnums) if isinstance(argnums, tuple) else zeroed(args[argnums])


def along(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return args, tuple(zeroed(arg) for arg in args)


def slope(*args: Any, **kwargs: Any) -> Any:
    return adxform.jvp(lambda t: model(args[0], t, *args[2:], **kwargs), (args[1],), (type(args[1])(1),))[1]


def curvature(*args: Any, **kwargs: Any) -> Any:
    return adxform.jvp(lambda t: slope(args[0], t, *args[2:], **kwargs), (args[1],), (type(args[1])(1),))[1]


CASES = (
    Case("gradient", adxform.prepare_gradient, lambda p, a, **k: p(*a, **k), adxform.grad(model, (0, 2)), (0, 2)),
    Case(
        "value_and_gradient",
        adxform.prepare_value_and_gradient,
        lambda p, a, **k: p(*a, **k),
        adxform.value_and_grad(model, (0, 1)),
        (0, 1),
    ),
    Case("derivative", adxform.prepare_derivative, lambda p, a, **k: p(*a, **k), slope, 1),
    Case("second_derivative", adxform.prepare_second_derivative, lambda p, a, **k: p(*a, **k), curvature, 1),
    Case("jvp", adxform.prepare_jvp, lambda p, a: p(*along(a))[1], lambda *a: adxform.jvp(model, *along(a))[1], keywords=False),
    Case(
        "tangent",
        adxform.prepare_jvp,
        lambda p, a: p.tangent(*along(a)),
        lambda *a: adxform.jvp(model, *along(a))[1],
        keywords=False,
    ),
    Case("vjp", adxform.prepare_vjp, lambda p, a: p(*a)[1](2.0), lambda *a: adxform.vjp(model, *a)[1](2.0), keywords=False),
    Case(
        "cotangents",
        adxform.prepare_vjp,
        lambda p, a: p.cotangents(a, 2.0),
        lambda *a: adxform.vjp(model, *a)[1](2.0),
        keywords=False,
    ),
    Case("jacobian", adxform.prepare_jacobian, lambda p, a, **k: p(*a, **k), adxform.jacobian(model, 2), 2),
    Case(
        "hvp",
        adxform.prepare_hvp,
        lambda p, a, **k: p(*a, last(a, (0, 1)), **k),
        lambda *a, **k: adxform.hvp(model, (0, 1))(*a, last(a, (0, 1)), **k),
        (0, 1),
    ),
    Case(
        "hvp_same_point",
        adxform.prepare_hvp_same_point,
        lambda p, a, **k: p.at(*a, **k)(last(a, (0, 1))),
        lambda *a, **k: adxform.hvp(model, (0, 1))(*a, last(a, (0, 1)), **k),
        (0, 1),
    ),
    Case("hessian", adxform.prepare_hessian, lambda p, a, **k: p(*a, **k), adxform.hessian(model, 0), 0),
)


def changed(position: int, value: Any) -> tuple[Any, ...]:
    return (*ARGS[:position], value, *ARGS[position + 1 :])


WRONG: dict[str, tuple[tuple[Any, ...], dict[str, Any], str]] = {
    "dtype": (
        changed(0, X.astype(np.float32)),
        {},
        "`x`: expected an array of float64 of shape (n,), got an array of float32 of shape (n,)",
    ),
    "integers": (changed(0, np.array([1, 2, 3])), {}, "`x`: expected an array of float64 of shape (n,), got an array of int64"),
    "rank": (
        changed(0, np.ones((2, 3))),
        {},
        "`x`: expected an array of float64 of shape (n,), got an array of float64 of shape (n, n)",
    ),
    "no rank": (changed(0, 0.5), {}, "`x`: expected an array of float64 of shape (n,), got a Python float"),
    "length one": (
        changed(0, np.ones(1)),
        {},
        "`x`: expected an array of float64 of shape (n,), got an array of float64 of shape (1,)",
    ),
    "not length one": (
        changed(2, {"w": np.ones((2, 3)), "pair": (X, 2.0)}),
        {},
        "`tree['w']`: expected an array of float64 of shape (n, 1), got an array of float64 of shape (n, n)",
    ),
    "number": (changed(1, 2), {}, "`t`: expected a Python float, got a Python int"),
    "number of NumPy": (changed(1, np.float32(2)), {}, "`t`: expected a Python float, got a number of type float32"),
    "array for a number": (changed(1, np.ones(3)), {}, "`t`: expected a Python float, got an array of float64 of shape (n,)"),
    "none": (changed(0, None), {}, "`x`: expected an array of float64 of shape (n,), got None"),
    "list for an array": (changed(0, [1.0, 2.0]), {}, "`x`: expected an array of float64 of shape (n,), got a list of 2"),
    "missing key": (
        changed(2, {"w": TREE["w"]}),
        {},
        "`tree`: expected a dict with the keys 'w', 'pair', got a dict with the keys 'w'",
    ),
    "order of keys": (
        changed(2, {"pair": (X, 2.0), "w": TREE["w"]}),
        {},
        "`tree`: expected a dict with the keys 'w', 'pair', got a dict with the keys 'pair', 'w'",
    ),
    "container": (changed(2, {"w": TREE["w"], "pair": [X, 2.0]}), {}, "`tree['pair']`: expected a tuple of 2, got a list of 2"),
    "length of a tuple": (
        changed(2, {"w": TREE["w"], "pair": (X,)}),
        {},
        "`tree['pair']`: expected a tuple of 2, got a tuple of 1",
    ),
    "static value": (changed(3, "cos"), {}, "`kind`: expected 'sin', got 'cos'"),
    "static type": (changed(3, b"sin"), {}, "`kind`: expected 'sin', got b'sin'"),
    "known value": (changed(4, 1), {}, "`count`: expected the value 2, got 1"),
    "known type": (changed(4, True), {}, "`count`: expected a Python int, got a Python bool"),
    "too few": (ARGS[:4], {}, "expected 5 positional arguments, got 4"),
    "too many": ((*ARGS, 2.0), {}, "expected 5 positional arguments, got 6"),
    "keyword": (ARGS, {"shift": 1.0}, "`shift`: expected no such keyword argument, got one"),
    "unknown keyword": (ARGS, {"size": 1.0}, "`size`: expected no such keyword argument, got one"),
}


def lines_of(error: PreparationMismatchError) -> list[str]:
    return [line.strip() for line in error.message.splitlines()[1:]]


cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@cases
@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_argument_is_one_line_of_an_error(case: Case, kind: str) -> None:
    args, kwargs, expected = WRONG[kind]
    if kwargs and not case.keywords:
        pytest.skip("takes no keyword arguments")
    p = case.made()
    right = case.call(p, ARGS)
    mark = p.fingerprint()
    with pytest.raises(PreparationMismatchError) as caught:
        case.call(p, args, **kwargs)
    (line,) = lines_of(caught.value)
    assert line.startswith(expected)
    assert caught.value.span.file == model.__code__.co_filename
    assert "strict=False" in caught.value.help
    assert p.fingerprint() == mark
    assert_same(case.call(p, ARGS), right)


@cases
@pytest.mark.parametrize("kind", WRONG)
def test_loosely_prepared_it_is_answered_or_refused_as_the_plain_operator_does(case: Case, kind: str) -> None:
    args, kwargs, _ = WRONG[kind]
    if kwargs and not case.keywords:
        pytest.skip("takes no keyword arguments")
    p = case.made(strict=False)
    try:
        expected = case.plain(*args, **kwargs)
    except Exception as error:
        kinds = (type(error), AdxError, TypeError, IndexError)
        with pytest.raises(kinds):
            case.call(p, args, **kwargs)
        return
    answered = assert_close if case.name == "hvp_same_point" else assert_same  # another order of sweeps
    answered(case.call(p, args, **kwargs), expected)


@cases
def test_two_wrong_arguments_are_two_lines(case: Case) -> None:
    p = case.made()
    with pytest.raises(PreparationMismatchError) as caught:
        case.call(p, (X.astype(np.float32), 2, *ARGS[2:]))
    assert [line.partition(":")[0] for line in lines_of(caught.value)] == ["`x`", "`t`"]


@cases
def test_floats_of_python_and_of_numpy_stand_for_one_another(case: Case) -> None:
    p = case.made()
    assert_close(case.call(p, changed(1, np.float64(1.5))), case.call(p, ARGS))


def assert_close(found: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        found, expected = tuple(found.values()), tuple(expected.values())
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            assert_close(one, other)
    elif expected is not None:
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("case", [case for case in CASES if case.keywords], ids=lambda case: case.name)
def test_keyword_arguments(case: Case) -> None:
    p = case.made(shift=2.0, scale=1.0)
    right = case.call(p, ARGS, scale=3.0, shift=1.0)
    assert_same(right, case.plain(*ARGS, scale=3.0, shift=1.0))
    for kwargs, expected in (
        ({"shift": 1.0}, "`scale`: expected a keyword argument, got none"),
        ({"shift": 1.0, "scale": 1}, "`scale`: expected a Python float, got a Python int"),
        ({"shift": np.ones(2), "scale": 1.0}, "`shift`: expected a Python float, got an array of float64 of shape (n,)"),
    ):
        with pytest.raises(PreparationMismatchError) as caught:
            case.call(p, ARGS, **kwargs)
        assert lines_of(caught.value) == [expected]
    assert_same(case.call(p, ARGS, shift=1.0, scale=3.0), right)


@cases
def test_checking_alone(case: Case) -> None:
    p = case.made()
    extra = {"jvp": along, "tangent": along, "hvp": lambda a: (*a, last(a, (0, 1)))}.get(case.name, lambda a: a)
    p.check(*extra(ARGS))
    with pytest.raises(PreparationMismatchError, match="`t`: expected a Python float, got a Python int"):
        p.check(*extra(changed(1, 2)))


# -- vectors, tangents, cotangents --------------------------------------------------------------------------------------

PAIR = (X, 1.5)
SEEDED: dict[str, tuple[Callable[[], Any], Callable[[Any, Any], Any], Any]] = {
    "jvp": (lambda: adxform.prepare_jvp(seeded, *PAIR), lambda p, v: p(PAIR, v), PAIR),
    "tangent": (lambda: adxform.prepare_jvp(seeded, *PAIR), lambda p, v: p.tangent(PAIR, v), PAIR),
    "cotangents": (lambda: adxform.prepare_vjp(seeded, *PAIR), lambda p, v: p.cotangents(PAIR, v), PAIR),
    "hvp": (lambda: adxform.prepare_hvp(summed, *PAIR, argnums=(0, 1)), lambda p, v: p(*PAIR, v), PAIR),
    "gradient_and_hvp": (
        lambda: adxform.prepare_hvp(summed, *PAIR, argnums=(0, 1)),
        lambda p, v: p.gradient_and_hvp(*PAIR, v),
        PAIR,
    ),
    "hvp_same_point": (lambda: adxform.prepare_hvp_same_point(summed, *PAIR, argnums=(0, 1)), lambda p, v: p(v), PAIR),
}
BAD_SEEDS: dict[str, Any] = {
    "shape": (np.ones(4), 1.0),
    "length one": (np.ones(1), 1.0),
    "rank": (np.ones((3, 1)), 1.0),
    "dtype": (np.ones(3, np.float32), 1.0),
    "integers": (np.ones(3, int), 1.0),
    "none": (None, 1.0),
    "array for a number": (X, X),
    "number for an array": (1.0, 1.0),
    "complex": (X, 1j),
    "too few": (X,),
    "too many": (X, 1.0, 1.0),
    "structure": [X, 1.0],
}


def seeded(x: Any, t: Any) -> Any:
    return np.sin(x) * t, t * t


def summed(x: Any, t: Any) -> Any:
    return np.sum(np.sin(x) * t**2)


@pytest.mark.parametrize("name", SEEDED)
@pytest.mark.parametrize("kind", BAD_SEEDS)
def test_a_wrong_vector_is_refused(name: str, kind: str) -> None:
    prepare, call, right = SEEDED[name]
    given = BAD_SEEDS[kind]
    if kind == "structure" and name in ("jvp", "tangent"):
        pytest.skip("takes any sequence of tangents")
    p = prepare()
    call(p, right)
    with pytest.raises(PreparationMismatchError) as caught:
        call(p, given)
    (line,) = lines_of(caught.value)
    assert line.partition(":")[0].strip("`").partition("[")[0] in ("tangents", "cotangent", "vector")
    call(p, right)


def test_a_cotangent_is_checked_where_only_the_run_tells_its_shape() -> None:
    p = adxform.prepare_vjp(lambda x: x[x > 0.0], X)
    np.testing.assert_allclose(p.cotangents((X,), np.ones(2))[0], [1.0, 0.0, 1.0])
    for wrong in (np.ones(1), np.ones(3)):
        with pytest.raises(PreparationMismatchError, match="cotangent"):
            p.cotangents((X,), wrong)


# -- the function -------------------------------------------------------------------------------------------------------


@contextmanager
def instead(space: dict[str, Any], **values: Any) -> Iterator[None]:
    before = {name: space[name] for name in values}
    space.update(values)
    try:
        yield
    finally:
        space.update(before)


@contextmanager
def recoded(fn: FunctionType, code: Any) -> Iterator[None]:
    before = fn.__code__
    fn.__code__ = code
    try:
        yield
    finally:
        fn.__code__ = before


@contextmanager
def default_of(fn: FunctionType, *defaults: Any) -> Iterator[None]:
    before = fn.__defaults__
    fn.__defaults__ = defaults
    try:
        yield
    finally:
        fn.__defaults__ = before


CHANGES: dict[str, tuple[Callable[[], Any], str]] = {
    "redefined helper": (lambda: instead(globals(), helper=other_helper), "`helper` was redefined since"),
    "other code of a helper": (lambda: recoded(helper, other_helper.__code__), "`helper` was redefined since"),
    "helper that is no function": (lambda: instead(globals(), helper=3), "`helper` was redefined since"),
    "other code": (lambda: recoded(model, (lambda x, t, tree, kind, count, scale=1.0, *, shift=0.0: t).__code__), "the function"),
    "global string": (lambda: instead(globals(), FLAG="cos"), "`FLAG`: expected 'sin', got 'cos'"),
    "switch of the module": (lambda: instead(globals(), SWITCH=False), "`SWITCH`: expected True, got False"),
    "switch by default": (lambda: default_of(bent, False), "`squared`: expected True, got False"),
    "default": (lambda: default_of(model, 2), "`scale`: expected a Python float, got a Python int"),
}


@cases
@pytest.mark.parametrize("kind", CHANGES)
def test_what_was_redefined_since_is_told(case: Case, kind: str) -> None:
    change, expected = CHANGES[kind]
    strict, loose = case.made(), case.made(strict=False)
    right = case.call(strict, ARGS)
    with change():
        with pytest.raises(PreparationMismatchError) as caught:
            case.call(strict, ARGS)
        assert any(line.startswith(expected) for line in lines_of(caught.value)), caught.value
        try:
            anew = case.plain(*ARGS)
        except (AdxError, TypeError) as error:  # a number that is called raises as Python does
            with pytest.raises(type(error), match=re.escape(str(error))):
                case.call(loose, ARGS)
        else:
            assert_same(case.call(loose, ARGS), anew)
    assert_same(case.call(strict, ARGS), right)


@cases
def test_a_changed_number_is_read(case: Case) -> None:
    p = case.made()
    right = case.call(p, ARGS)
    with default_of(model, 2.5):
        assert_same(case.call(p, ARGS), case.plain(*ARGS))
    assert_same(case.call(p, ARGS), right)


@cases
def test_the_wrong_function(case: Case) -> None:
    with pytest.raises(PreparationMismatchError, match="expected a function with the code of `model`, got `looped`"):
        case.made().rebind(prepared_programs.looped)


@cases
def test_a_rule_that_was_registered_since(case: Case) -> None:
    def inner(a: Any) -> Any:
        return a**3

    def unrelated(a: Any) -> Any:
        return a

    def outer(x: Any, t: Any, tree: Any, kind: Any, count: Any) -> Any:
        return model(x, inner(t), tree, kind, count)

    options = {} if case.argnums is None else {"argnums": case.argnums}
    strict, loose = (case.prepare(outer, *ARGS, **options, strict=strict) for strict in (True, False))
    right = case.call(strict, ARGS)

    @adxform.rule(unrelated)
    def _(a: Any) -> Any:
        def pullback(ct: Any) -> Any:
            return ct

        return a, pullback

    assert_same(case.call(strict, ARGS), right)

    @adxform.rule(inner)
    def _(a: Any) -> Any:
        def pullback(ct: Any) -> Any:
            return 3 * a**2 * ct

        return a**3, pullback

    with pytest.raises(PreparationMismatchError, match=r"a rule for `.*inner` was registered since"):
        case.call(strict, ARGS)
    assert_close(case.call(loose, ARGS), right)


@cases
def test_a_cleared_cache_changes_nothing(case: Case) -> None:
    p = case.made()
    right, mark = case.call(p, ARGS), p.fingerprint()
    adxform.clear_cache()
    assert_same(case.call(p, ARGS), right)
    assert prepared_programs.building()[0] == 0
    assert p.fingerprint() == mark


# -- out= ---------------------------------------------------------------------------------------------------------------


def product_of(x: Any, y: Any) -> Any:
    return np.sum(np.sin(x) * y**2)


Y = np.array([1.0, 2.0, -0.5])


def filled(value: Any) -> Any:
    """Arrays like those of a result, and ``None`` for its numbers."""
    if isinstance(value, tuple):
        return tuple(map(filled, value))
    return np.full(np.shape(value), np.nan) if isinstance(value, np.ndarray) else None


BOTH = {"argnums": (0, 1)}
OUTS: dict[str, Callable[[Any], Any]] = {
    "gradient": lambda out: adxform.prepare_gradient(product_of, X, Y, **BOTH)(X, Y, out=out),
    "value_and_gradient": lambda out: adxform.prepare_gradient(product_of, X, Y, **BOTH).value_and_gradient(X, Y, out=out),
    "prepared value_and_gradient": lambda out: adxform.prepare_value_and_gradient(product_of, X, Y, **BOTH)(X, Y, out=out),
    "hvp": lambda out: adxform.prepare_hvp(product_of, X, Y, **BOTH)(X, Y, (Y, X), out=out),
    "gradient_and_hvp": lambda out: adxform.prepare_hvp(product_of, X, Y, **BOTH).gradient_and_hvp(X, Y, (Y, X), out=out),
    "value_gradient_and_hvp": lambda out: adxform.prepare_hvp(product_of, X, Y, **BOTH).value_gradient_and_hvp(
        X, Y, (Y, X), out=out
    ),
    "hessian": lambda out: adxform.prepare_hessian(product_of, X, Y, **BOTH)(X, Y, out=out),
    "gradient_and_hessian": lambda out: adxform.prepare_hessian(product_of, X, Y, **BOTH).gradient_and_hessian(X, Y, out=out),
    "value_gradient_and_hessian": lambda out: adxform.prepare_hessian(product_of, X, Y, **BOTH).value_gradient_and_hessian(
        X, Y, out=out
    ),
    "jacobian": lambda out: adxform.prepare_jacobian(outer_product, X, Y, **BOTH)(X, Y, out=out),
    "value_and_jacobian": lambda out: adxform.prepare_jacobian(outer_product, X, Y, **BOTH).value_and_jacobian(X, Y, out=out),
    "jvp": lambda out: adxform.prepare_jvp(outer_product, X, Y)((X, Y), (Y, X), out=out),
    "cotangents": lambda out: adxform.prepare_vjp(product_of, X, Y).cotangents((X, Y), 2.0, out=out),
    "derivative": lambda out: adxform.prepare_derivative(two_curves, 1.0)(0.5, out=out),
    "second_derivative": lambda out: adxform.prepare_second_derivative(two_curves, 1.0)(0.5, out=out),
    "value_and_derivative": lambda out: adxform.prepare_derivative(two_curves, 1.0).value_and_derivative(0.5, out=out),
}


def outer_product(x: Any, y: Any) -> Any:
    return x[:, None] * y


def two_curves(t: Any) -> Any:
    return np.sin(t) * X, t**2 * Y


def flat(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in flat(item)] if isinstance(value, tuple) else [value]


def nth(tree: Any, place: list[int], value: Any) -> Any:
    """`tree` with its array number ``place[0]`` replaced by `value`."""
    if isinstance(tree, tuple):
        return tuple(nth(item, place, value) for item in tree)
    if isinstance(tree, np.ndarray):
        place[0] -= 1
        return value(tree) if place[0] == -1 else tree
    return tree


def read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


BAD_OUTS: dict[str, Callable[[Any], Any]] = {
    "shape": lambda array: np.empty((*array.shape, 2)),
    "length": lambda array: np.empty((array.shape[0] + 1, *array.shape[1:])),
    "dtype": lambda array: np.empty(array.shape, np.float32),
    "list": lambda array: array.tolist(),
    "number": lambda array: 1.0,
    "read-only": read_only,
}


@pytest.mark.parametrize("name", OUTS)
def test_results_are_written_where_they_are_wanted(name: str) -> None:
    run = OUTS[name]
    expected = run(None)
    out = filled(expected)
    found = run(out)
    assert_same(found, expected)
    pairs = list(zip(flat(found), flat(out), strict=True))
    assert all(one is other for one, other in pairs if other is not None)
    first = nth(filled(expected), [0], lambda array: None)
    assert_same(run(first), expected)


@pytest.mark.parametrize("name", OUTS)
@pytest.mark.parametrize("kind", BAD_OUTS)
def test_a_wrong_out_is_refused_and_nothing_is_written(name: str, kind: str) -> None:
    run = OUTS[name]
    for place in range(2):
        out = nth(filled(run(None)), [place], BAD_OUTS[kind])
        with pytest.raises(PreparationMismatchError, match="`out"):
            run(out)
        assert all(np.isnan(leaf).all() for leaf in flat(out) if isinstance(leaf, np.ndarray) and kind == "read-only")


@pytest.mark.parametrize("name", [name for name in OUTS if "jac" not in name and "hess" not in name and name != "jvp"])
def test_an_out_that_shares_memory_is_refused(name: str) -> None:
    run = OUTS[name]
    expected = filled(run(None))
    kept = X.copy()
    if "deriv" not in name:
        with pytest.raises(PreparationMismatchError, match="memory of an argument"):
            run(nth(expected, [0], lambda array: X))
    np.testing.assert_array_equal(X, kept)
    shared = np.full(3, np.nan)
    out = nth(nth(expected, [0], lambda array: shared), [1], lambda array: shared)
    with pytest.raises(PreparationMismatchError, match="share memory"):
        run(out)
    assert np.isnan(shared).all()


@pytest.mark.parametrize("name", OUTS)
def test_an_out_of_another_structure_is_refused(name: str) -> None:
    run = OUTS[name]
    for out in ([], {"a": np.empty(3)}, np.empty(3), (np.empty(3),) * 5, "out"):
        with pytest.raises(PreparationMismatchError, match="`out"):
            run(out)

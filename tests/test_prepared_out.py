"""Compiled gradients and products written into the caller's arrays at once: right, or refused as ever, whatever these are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.api.prepared.calls.fast_path_writer import MISS
from adxform.errors import PreparationMismatchError
from adxform.runtime.strides import overlaps_itself

pytest.importorskip("numba")
NUMBERS = np.array([0.5, -1.0, 2.0, 0.25])


def squares(x: Any) -> Any:
    return np.sum(np.sin(x) ** 2)


def neighbours(x: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += (x[i + 1] - x[i] ** 2) ** 2
    return total


def distance(x: Any, y: Any) -> Any:
    return np.sum((x - y) ** 2 * np.exp(y))


def scaled(x: Any, k: Any) -> Any:
    return np.sum(np.cos(k * x))


def matrix(m: Any) -> Any:
    return np.sum(np.tanh(m) * m)


def slope(f: Callable[..., Any], args: tuple, place: int) -> np.ndarray:
    """The derivative by complex steps, or by differences where a function cannot take those."""
    x = np.array(args[place], dtype=float)
    found = np.empty_like(x)
    for index in np.ndindex(x.shape):
        moved = x.astype(complex)
        moved[index] += 1e-30j
        found[index] = np.imag(f(*args[:place], moved if x.ndim else complex(moved), *args[place + 1 :])) / 1e-30
    return found


def gradient(f: Callable[..., Any], *args: Any, argnums: Any = 0) -> Any:
    return adxform.prepare_gradient(f, *args, argnums=argnums, engine="numba")


@pytest.mark.parametrize("f", [squares, neighbours])
@pytest.mark.parametrize("x", [NUMBERS, np.ones(1), np.empty(0), np.linspace(0.0, 1.0, 7), NUMBERS[::-1]], ids=len)
def test_one_array(f: Callable[..., Any], x: np.ndarray) -> None:
    p = gradient(f, NUMBERS)
    p = p if len(x) != 1 else gradient(f, x)
    out = np.full(len(x), np.nan)
    assert p(x, out=out) is out
    np.testing.assert_allclose(out, slope(f, (x,), 0), rtol=1e-12)


def test_the_quick_way_takes_what_it_should() -> None:
    """Else these tests would show nothing."""
    p, out = gradient(squares, NUMBERS), np.empty(4)
    assert p._into((NUMBERS,), out) is out
    assert p._into((NUMBERS[:2].copy(),), np.empty(2)) is not MISS
    v = adxform.prepare_value_and_gradient(squares, NUMBERS, engine="numba")
    assert v._both_into((NUMBERS,), (None, out)) is not MISS
    both = gradient(distance, NUMBERS, NUMBERS, argnums=(0, 1))
    assert both._into((NUMBERS, NUMBERS + 1.0), (out, np.empty(4))) is not MISS
    assert gradient(scaled, NUMBERS, 2.0, argnums=(0, 1))._into((NUMBERS, 2.0), (out, None)) is not MISS
    h = adxform.prepare_hvp(neighbours, NUMBERS, engine="numba")
    assert h._into((NUMBERS, NUMBERS + 1.0), out) is out


LAYOUTS = {
    "rows": lambda shape: np.empty(shape),
    "columns": lambda shape: np.empty(shape, order="F"),
    "strided": lambda shape: np.empty((shape[0], 2 * shape[1]))[:, ::2],
    "reversed": lambda shape: np.empty(shape)[::-1],
    "a part": lambda shape: np.empty((shape[0] + 2, shape[1]))[1:-1],
    "unaligned": lambda shape: np.empty(8 * shape[0] * shape[1] + 1, np.uint8)[1:].view(float).reshape(shape),
}


@pytest.mark.parametrize("given", LAYOUTS)
@pytest.mark.parametrize("wanted", LAYOUTS)
def test_every_layout(given: str, wanted: str) -> None:
    shape = 3, 5
    m, out = LAYOUTS[given](shape), LAYOUTS[wanted](shape)
    m[...] = np.random.default_rng(0).normal(size=shape)
    p = gradient(matrix, m.copy())
    assert p(m, out=out) is out
    np.testing.assert_allclose(out, slope(matrix, (m,), 0), rtol=1e-12)


def test_several_arrays() -> None:
    x, y = NUMBERS, NUMBERS[::-1].copy()
    p = gradient(distance, x, y, argnums=(0, 1))
    out = np.empty(4), np.empty(4)
    found = p(x, y, out=out)
    assert all(one is other for one, other in zip(found, out, strict=True))
    np.testing.assert_allclose(out[0], slope(distance, (x, y), 0), rtol=1e-12)
    np.testing.assert_allclose(out[1], slope(distance, (x, y), 1), rtol=1e-12)
    one, fresh = p(x, y, out=(out[0], None))
    assert one is out[0]
    assert not np.shares_memory(fresh, out[1])
    np.testing.assert_array_equal(fresh, out[1])
    block = np.empty((2, 4))
    p(x, y, out=(block[0], block[1]))
    np.testing.assert_array_equal(block, out)


def test_a_number_beside_an_array() -> None:
    out = np.empty(4)
    p = gradient(scaled, NUMBERS, 2.0, argnums=(0, 1))
    for k in (2.0, np.float64(0.5)):
        found, slope_k = p(NUMBERS, k, out=(out, None))
        assert found is out
        np.testing.assert_allclose(out, slope(scaled, (NUMBERS, k), 0), rtol=1e-12)
        np.testing.assert_allclose(slope_k, slope(scaled, (NUMBERS, k), 1), rtol=1e-12)
        assert type(slope_k) is type(p(NUMBERS, k)[1])


def test_value_and_gradient() -> None:
    p, out = adxform.prepare_value_and_gradient(squares, NUMBERS, engine="numba"), np.empty(4)
    value, found = p(NUMBERS, out=(None, out))
    assert found is out
    expected = p(NUMBERS)
    assert (value, type(value)) == (expected[0], type(expected[0]))
    np.testing.assert_array_equal(found, expected[1])
    np.testing.assert_allclose(found, slope(squares, (NUMBERS,), 0), rtol=1e-12)


def test_products() -> None:
    p, v, out = adxform.prepare_hvp(neighbours, NUMBERS, engine="numba"), np.arange(4.0), np.empty(4)
    assert p(NUMBERS, v, out=out) is out
    step = 1e-6
    there, back = (slope(neighbours, (NUMBERS + h * v,), 0) for h in (step, -step))
    np.testing.assert_allclose(out, (there - back) / (2.0 * step), rtol=1e-8)


def test_what_is_not_a_number_stays_so() -> None:
    x, out = np.array([np.nan, 1.0, np.inf, -0.0]), np.zeros(4)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(gradient(matrix, x)(x, out=out), adxform.prepare_gradient(matrix, x, engine="python")(x))


def aliased() -> dict[str, tuple[tuple, Any]]:
    """Arguments, and what they share memory with."""
    x, block, memory = NUMBERS.copy(), np.arange(8.0), bytearray(64)
    mapped = np.frombuffer(memory, dtype=float)
    mapped[...] = 1.5
    whole = np.arange(4.0)
    strided = np.lib.stride_tricks.as_strided(whole)
    return {
        "itself": ((x,), x),
        "a view of it": ((x,), x[:]),
        "what it is a view of": ((block[2:6][:],), block[:4]),
        "its owner": ((whole[:],), whole),
        "a window of its owner": ((strided,), whole),
        "another view of a buffer": ((mapped[:4],), mapped[2:6]),
        "a view of its view": ((block[:4],), block[1:7][:4]),
    }


@pytest.mark.parametrize("case", aliased())
@pytest.mark.parametrize("f", [squares, neighbours])
def test_memory_of_an_argument_is_refused(f: Callable[..., Any], case: str) -> None:
    args, out = aliased()[case]
    before = args[0].copy()
    with pytest.raises(PreparationMismatchError, match="memory of an argument"):
        gradient(f, before)(*args, out=out)
    np.testing.assert_array_equal(args[0], before)


def test_memory_of_a_vector_or_of_one_another_is_refused() -> None:
    x, v, block = NUMBERS.copy(), np.ones(4), np.empty(6)
    with pytest.raises(PreparationMismatchError, match="memory of an argument"):
        adxform.prepare_hvp(neighbours, x, engine="numba")(x, v, out=v)
    p = gradient(distance, x, v, argnums=(0, 1))
    for out in ((block[:4], block[2:]), (block[:4], block[:4])):
        with pytest.raises(PreparationMismatchError, match="share memory"):
            p(x, v, out=out)


def test_memory_of_what_a_closure_holds_is_refused() -> None:
    held = np.ones(4)

    def f(x: Any) -> Any:
        return np.sum(x * np.sin(held * x))

    p = gradient(f, NUMBERS)
    with pytest.raises(PreparationMismatchError, match="memory of an argument"):
        p(NUMBERS, out=held)
    np.testing.assert_array_equal(held, np.ones(4))
    np.testing.assert_allclose(p(NUMBERS, out=np.empty(4)), slope(f, (NUMBERS,), 0), rtol=1e-12)


WRONG = {
    "longer": np.empty(5),
    "of another rank": np.empty((4, 1)),
    "of float32": np.empty(4, np.float32),
    "a list": [0.0] * 4,
    "a tuple": (np.empty(4),),
    "a number": 1.0,
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_does_not_fit_is_refused(kind: str) -> None:
    with pytest.raises(PreparationMismatchError, match="out"):
        gradient(squares, NUMBERS)(NUMBERS, out=WRONG[kind])


def test_what_may_not_be_written_is_refused() -> None:
    out = np.ones(4)
    out.flags.writeable = False
    with pytest.raises(PreparationMismatchError, match="read-only"):
        gradient(squares, NUMBERS)(NUMBERS, out=out)
    np.testing.assert_array_equal(out, np.ones(4))


@pytest.mark.parametrize("stride", [0, 4])
def test_elements_that_share_memory_are_refused(stride: int) -> None:
    out = np.lib.stride_tricks.as_strided(np.ones(8), (4,), (stride,))
    with pytest.raises(PreparationMismatchError, match="share memory"):
        gradient(squares, NUMBERS)(NUMBERS, out=out)
    assert out[0] == 1.0


def test_strides_without_a_place_in_common_are_taken() -> None:
    wanted = slope(squares, (NUMBERS,), 0)
    for out in (np.empty(8)[::2], np.empty(4)[::-1], np.lib.stride_tricks.as_strided(np.empty(16), (4,), (24,))):
        np.testing.assert_allclose(gradient(squares, NUMBERS)(NUMBERS, out=out), wanted, rtol=1e-12)
    assert not overlaps_itself(np.lib.stride_tricks.as_strided(np.empty(16), (2, 3), (8, 16)))
    assert overlaps_itself(np.lib.stride_tricks.as_strided(np.empty(16), (3, 3), (8, 16)))


def test_arguments_that_do_not_fit_leave_the_array_as_it_was() -> None:
    out = np.ones(4)
    with pytest.raises(PreparationMismatchError):
        gradient(squares, NUMBERS)(np.ones((4, 1)), out=out)
    np.testing.assert_array_equal(out, np.ones(4))


def test_a_kernel_that_gives_up_hands_over_to_python() -> None:
    def f(x: Any) -> Any:
        total = 0.0
        for i in range(x.shape[0]):
            total += 1.0 / float(x[i])
        return total

    p, out = gradient(f, NUMBERS), np.empty(4)
    np.testing.assert_allclose(p(NUMBERS, out=out), -1.0 / NUMBERS**2, rtol=1e-14)
    with pytest.raises(ZeroDivisionError):
        p(np.array([1.0, 0.0, 2.0, 3.0]), out=out)


def swept(x: Any) -> Any:
    """The gradient is made by the kernel, and the sweep works in memory that is kept."""
    y = x.copy()
    for _ in range(3):
        for i in range(1, y.shape[0] - 1):
            y[i] = (y[i - 1] * y[i] + y[i + 1]) / 3.0
    return np.sum(y)


def stretched(x: Any, k: Any) -> Any:
    """One gradient is a number, which the kernel returns."""
    y = k * x
    for _ in range(3):
        y[1:] = y[1:] + k * y[:-1] * y[1:]
    return np.sum(y)


def multiplied(a: Any, b: Any, c: Any) -> Any:
    """The gradients of factors are products, that of the rest is not."""
    return np.sum(a @ b) + np.sum(np.sin(c) * (a @ b))


def with_matrices(n: int, m: int, k: int) -> tuple[Any, Any, Any]:
    return tuple(np.random.default_rng(n + m + k).normal(size=shape) for shape in ((n, m), (m, k), (n, k)))


KEPT: list[tuple[Callable[..., Any], tuple[Any, ...], Any]] = [
    (swept, (NUMBERS,), 0),
    (stretched, (NUMBERS, 0.25), (0, 1)),
    (stretched, (NUMBERS, 0.25), 0),
    (multiplied, with_matrices(3, 2, 4), (0, 1, 2)),
]


def room(result: Any) -> Any:
    """Arrays for those of a result, full of NaN."""
    if isinstance(result, tuple):
        return tuple(map(room, result))
    return np.full_like(result, np.nan) if isinstance(result, np.ndarray) else None


@pytest.mark.parametrize(("f", "args", "argnums"), KEPT)
def test_where_memory_is_kept_or_the_kernel_makes_the_result(f: Callable[..., Any], args: tuple, argnums: Any) -> None:
    p = gradient(f, *args, argnums=argnums)
    places = argnums if isinstance(argnums, tuple) else (argnums,)
    for change in (1.0, -0.5, 1.0):
        now = tuple(change * arg for arg in args)
        out = room(p(*now))
        assert p._into(now, out) is not MISS
        found = p(*now, out=out)
        for place, one, given in zip(places, *(part if type(part) is tuple else (part,) for part in (found, out)), strict=True):
            assert given is None or one is given
            np.testing.assert_allclose(one, slope(f, now, place), rtol=1e-12)
        assert not any(np.shares_memory(arg, one) for one in p._into(now, out) for arg in now if isinstance(arg, np.ndarray))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 40])
@pytest.mark.parametrize("f", [swept, lambda x: stretched(x, 0.25)], ids=["swept", "stretched"])
def test_lengths_of_what_the_kernel_makes(f: Callable[..., Any], n: int) -> None:
    x = np.linspace(-1.0, 1.0, n)
    p = gradient(f, NUMBERS if n != 1 else x)
    for given in (x, x[::-1], np.repeat(x, 2)[::2]):
        out = np.full(n, np.nan)
        assert p(given, out=out) is out
        np.testing.assert_allclose(out, slope(f, (given,), 0), rtol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_matrices_without_elements_or_with_one(n: int) -> None:
    args = with_matrices(3, n, 4)
    p = gradient(multiplied, *with_matrices(3, n, 4), argnums=(0, 1, 2))
    out = room(args)
    found = p(*args, out=out)
    for place in range(3):
        assert found[place] is out[place]
        np.testing.assert_allclose(out[place], slope(multiplied, args, place), rtol=1e-12)


@pytest.mark.parametrize("wanted", LAYOUTS)
def test_every_layout_for_what_the_kernel_makes(wanted: str) -> None:
    args = with_matrices(3, 5, 4)
    p = gradient(multiplied, *args, argnums=(0, 1, 2))
    out = tuple(LAYOUTS[wanted](arg.shape) for arg in args)
    p(*args, out=out)
    for place in range(3):
        np.testing.assert_allclose(out[place], slope(multiplied, args, place), rtol=1e-12)


@pytest.mark.parametrize("case", aliased())
def test_memory_of_an_argument_is_refused_where_the_kernel_makes_the_result(case: str) -> None:
    args, out = aliased()[case]
    before = args[0].copy()
    with pytest.raises(PreparationMismatchError, match="memory of an argument"):
        gradient(swept, before)(*args, out=out)
    np.testing.assert_array_equal(args[0], before)


def test_arrays_that_share_memory_are_refused_where_the_kernel_makes_them() -> None:
    args = with_matrices(3, 3, 3)
    p, block = gradient(multiplied, *args, argnums=(0, 1, 2)), np.ones((4, 3))
    for out in (
        (block[1:], block[:3], np.ones((3, 3))),
        (block[1:], np.ones((3, 3)), block[:3]),
        (np.ones((3, 3)), *[block[1:]] * 2),
    ):
        with pytest.raises(PreparationMismatchError, match="share memory"):
            p(*args, out=out)
        assert all((one == 1.0).all() for one in out)
    with pytest.raises(PreparationMismatchError, match="memory of an argument"):
        p(*args, out=(np.ones((3, 3)), args[0], np.ones((3, 3))))


@pytest.mark.parametrize("kind", [*WRONG, "read-only"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_where_one_does_not_fit_nothing_is_written(kind: str, place: int) -> None:
    args = with_matrices(4, 4, 4)
    p = gradient(multiplied, *args, argnums=(0, 1, 2))
    out: list[Any] = [np.ones((4, 4)) for _ in range(3)]
    out[place] = WRONG.get(kind)
    if kind == "read-only":
        out[place] = np.ones((4, 4))
        out[place].flags.writeable = False
    with pytest.raises(PreparationMismatchError, match="out"):
        p(*args, out=tuple(out))
    for i, one in enumerate(out):
        assert i == place or (one == 1.0).all()
    assert kind != "read-only" or (out[place] == 1.0).all()


def test_what_is_not_a_number_stays_so_where_the_kernel_makes_the_result() -> None:
    x, out = np.array([np.nan, 1.0, np.inf, -0.0, 2.0]), np.zeros(5)
    plain = adxform.prepare_gradient(swept, x, engine="python")(x)
    np.testing.assert_array_equal(gradient(swept, x)(x, out=out), plain)

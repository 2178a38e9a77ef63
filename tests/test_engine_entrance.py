"""What kernels take from Python: arrays that lie row by row go straight to the machine code, and any other gets there too."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.backends.numba.compiled_rule import Guarded
from adxform.backends.numba.machine import entrance
from adxform.errors import PreparationMismatchError


def weighed(x: Any, w: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        total += w[i] * x[i] ** 2
    return total


def gradient(x: Any, w: Any) -> Any:
    return 2.0 * w * x


class Named(np.ndarray):
    """A subclass."""


def misaligned(x: Any) -> Any:
    room = np.zeros(x.nbytes + 1, dtype=np.uint8)
    found = room[1:].view(np.float64)
    found[:] = x
    assert not found.flags.aligned or not x.size
    return found


def read_only(x: Any) -> Any:
    found = x.copy()
    found.flags.writeable = False
    return found


def with_a_dtype_of_its_own(x: Any) -> Any:
    found = x.view(copy.deepcopy(np.dtype(np.float64)).newbyteorder("="))
    return pickle.loads(pickle.dumps(found))


SWAPPED = np.dtype(np.float64).newbyteorder()

KINDS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda x: x,
    "strided": lambda x: np.repeat(x, 2)[::2],
    "backwards": lambda x: x[::-1].copy()[::-1],
    "a column": lambda x: np.stack([x, x], axis=1)[:, 0],
    "broadcast": lambda x: np.broadcast_to(0.5, x.shape),
    "misaligned": misaligned,
    "swapped": lambda x: x.astype(SWAPPED),
    "read-only": read_only,
    "subclass": lambda x: x.view(Named),
    "own dtype": with_a_dtype_of_its_own,
}


@pytest.fixture(scope="module")
def prepared() -> Any:
    return adxform.prepare_gradient(weighed, np.ones(3), np.ones(3), argnums=0, engine="numba")


def test_foreign_byte_order_after_misaligned_arrays(prepared: Any) -> None:
    """Numba's dispatcher takes the one for the other."""
    x, w = np.linspace(-1.0, 2.0, 9), np.linspace(3.0, 4.0, 9)
    for turn in (misaligned, KINDS["swapped"], lambda x: misaligned(x)[::-1], lambda x: KINDS["swapped"](x)[::-1]):
        for args in ((turn(x), w), (x, turn(w)), (turn(x), turn(w))):
            np.testing.assert_allclose(prepared(*args), gradient(*args), rtol=1e-15)


@pytest.mark.parametrize("n", [0, 2, 3, 50])
@pytest.mark.parametrize("kind", KINDS)
def test_arrays_of_any_layout(prepared: Any, kind: str, n: int) -> None:
    x, w = np.linspace(-1.0, 2.0, n), np.linspace(3.0, 4.0, n)
    other = KINDS[kind](x)
    for args in ((other, w), (w, other), (other, other)):
        np.testing.assert_allclose(prepared(*args), gradient(*args), rtol=1e-15)


def test_one_array_twice(prepared: Any) -> None:
    x = np.linspace(-1.0, 2.0, 9)
    np.testing.assert_allclose(prepared(x, x), 2.0 * x * x, rtol=1e-15)


MISFITS: dict[str, Any] = {
    "rank": np.ones((3, 1)),
    "integers": np.ones(3, dtype=np.int64),
    "small": np.ones(3, dtype=np.float32),
    "swapped": np.ones(3, dtype=SWAPPED),
    "objects": np.ones(3, dtype=object),
    "list": [1.0, 1.0, 1.0],
    "number": 1.0,
    "nothing": None,
}


@pytest.mark.parametrize("kind", [kind for kind in MISFITS if kind != "swapped"])
def test_what_does_not_fit_is_refused(prepared: Any, kind: str) -> None:
    with pytest.raises(PreparationMismatchError):
        prepared(MISFITS[kind], np.ones(3))
    with pytest.raises(PreparationMismatchError):
        prepared(np.ones(3))
    with pytest.raises(PreparationMismatchError):
        prepared(np.ones(3), np.ones(3), np.ones(3))


@pytest.mark.parametrize("kind", MISFITS)
def test_machine_code_looks_at_what_it_is_given(prepared: Any, kind: str) -> None:
    """Called without any check ahead, it reads no memory that is not that of an array of its type."""
    run = prepared.rules[0].run
    assert isinstance(run, Guarded)
    (name,) = run.kernels
    machine = run.machine_code(name)
    assert entrance.KNOWN
    for place in range(len(run.kernels[name])):
        given = [np.ones(3) for _ in run.kernels[name]]
        given[place] = MISFITS[kind]
        with pytest.raises(TypeError):
            machine(*given)
    with pytest.raises(TypeError):
        machine(np.ones(3))
    assert machine(np.ones(3).view(Named), np.ones(3), np.ones(3)) is None
    for odd in ("strided", "misaligned", "read-only"):
        with pytest.raises(TypeError):
            machine(KINDS[odd](np.ones(3)), np.ones(3), np.ones(3))


def test_other_layouts_of_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where arrays are not in memory as they are known to be, Numba's own way takes them."""
    monkeypatch.setattr(entrance, "KNOWN", False)
    monkeypatch.setenv("ADXFORM_CACHE_DIR", "off")
    adxform.clear_cache()
    prepared = adxform.prepare_gradient(weighed, np.ones(4), np.ones(4), engine="numba")
    x, w = np.linspace(-1.0, 2.0, 9), np.linspace(3.0, 4.0, 9)
    np.testing.assert_allclose(prepared(x, w), gradient(x, w), rtol=1e-15)


def test_references_are_neither_lost_nor_kept(prepared: Any) -> None:
    x, w = np.ones(5), np.ones(5)
    before = sys.getrefcount(x), sys.getrefcount(w)
    for _ in range(100):
        found = prepared(x, w)
        prepared(x[::1], w)
        with pytest.raises(PreparationMismatchError):
            prepared(x, None)
    assert (sys.getrefcount(x), sys.getrefcount(w)) == before
    assert sys.getrefcount(found) == 2


def shifted(m: Any) -> Any:
    t = m.copy()
    t[:, :2] += m[:, 1:3]
    return np.sum(t**2)


@pytest.mark.parametrize("turn", [np.ascontiguousarray, np.asfortranarray, lambda m: np.repeat(m, 2, axis=1)[:, ::2]])
def test_kernels_that_return_arrays_look_at_those_they_are_given(turn: Callable[[Any], Any]) -> None:
    m = np.arange(10.0).reshape(2, 5) + 1.0
    prepared = adxform.prepare_gradient(shifted, m, engine="numba")
    t, expected = m.copy(), np.zeros((2, 5))
    t[:, :2] += m[:, 1:3]
    expected += 2.0 * t
    expected[:, 1:3] += 2.0 * t[:, :2]
    for _ in range(2):
        np.testing.assert_allclose(prepared(turn(m)), expected, rtol=1e-14)


def counted(x: Any, k: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        total += x * (k + i) * 1e-18
    return total


@pytest.mark.parametrize("first", [5, 2**31, 2**63])
@pytest.mark.parametrize("k", [-(2**63) - 1, -(2**31) - 1, -(2**31), 0, 2**31 - 1, 2**31, 2**62, 2**63 - 1, 2**63, 2**64, 2**80])
def test_integers_do_not_wrap(first: int, k: int) -> None:
    both = adxform.prepare_value_and_gradient(counted, 1.5, first, 3, engine="numba")
    expected = counted(1.5, k, 3)
    for found in (both(1.5, k, 3), both(1.5, k, 3, out=(None, None))):
        np.testing.assert_allclose(found[0], expected, rtol=1e-14)
        np.testing.assert_allclose(found[1], expected / 1.5, rtol=1e-14)


@pytest.mark.parametrize("k", [-(2**31), 2**31 - 1, 2**31, 2**62])
def test_integers_of_numpy_do_not_wrap_earlier_than_there(k: int) -> None:
    both = adxform.prepare_value_and_gradient(counted, 1.5, np.int64(5), 3, engine="numba")
    value, gradient = both(1.5, np.int64(k), 3)
    np.testing.assert_allclose((value, gradient), (counted(1.5, k, 3), counted(1.5, k, 3) / 1.5), rtol=1e-14)

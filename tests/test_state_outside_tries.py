"""State outside of a function that is changed in a `try`, a handler, a `finally`, a context manager or a generator.

Each program is run plainly and derived, from the same state: both raise the same or return the same, and leave the same.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError
from tests.test_state_outside import differences, outcome

LOG: list[Any] = []
TABLE: dict[str, Any] = {}
BUFFER = np.zeros(3)
CALLS = 0
X = np.array([0.7, 1.3, 1.9])


class Model:
    n: int
    last: float


MODEL = Model()


def begin() -> None:
    global CALLS
    LOG.clear()
    TABLE.clear()
    BUFFER[...] = 0.0
    CALLS = 0
    vars(MODEL).clear()
    vars(MODEL).update(n=0, last=0.0)


def left() -> str:
    return repr((LOG, TABLE, BUFFER.round(9).tolist(), CALLS, MODEL.n, round(float(MODEL.last), 9)))


def run(call: Callable[[], Any]) -> tuple[Any, str]:
    begin()
    found = outcome(call)
    return found, left()


# -- programs ---------------------------------------------------------------------------------------------------------


def body_raises(x):
    try:
        MODEL.n += 1
        LOG.append("a")
        MODEL.last = x[0] ** 2
        if x[0] > 0:
            raise ValueError("b")
        MODEL.n += 10
    except ValueError as error:
        MODEL.n += 100
        LOG.append(str(error))
    return MODEL.last * MODEL.n


def numpy_raises(x):
    try:
        MODEL.last = x[0] ** 2
        y = np.linalg.cholesky(-np.eye(3) * x[0]).sum()
        MODEL.last = 0.0
    except np.linalg.LinAlgError:
        MODEL.n += 1
        y = MODEL.last * 3
    return y + np.sum(x)


def all_parts(x):
    y = 0.0
    try:
        MODEL.n += 1
        y = math.log(x[0] - 5.0)
    except ValueError:
        LOG.append("handler")
        y = x[0] * MODEL.n
    else:
        LOG.append("else")
    finally:
        MODEL.n += 1
        LOG.append("finally")
    return y * x[1] * MODEL.n


def not_handled(x):
    try:
        MODEL.n += 1
        if x[0] > 0:
            raise ZeroDivisionError("z")
    except ValueError:
        MODEL.n += 10
    finally:
        MODEL.n += 100
        LOG.append("finally")
    return x.sum()


def list_and_dict(x):
    try:
        MODEL.n += 1
        LOG.pop()
        MODEL.n += 10
    except IndexError:
        MODEL.n += 100
        LOG.append("empty")
    try:
        TABLE["absent"]
        MODEL.n += 1000
    except KeyError:
        TABLE["absent"] = 3.0
    return np.sum(x**2) * MODEL.n


def global_variable(x):
    global CALLS
    try:
        CALLS += 1
        if x[1] > 0:
            raise ValueError
        CALLS += 10
    except ValueError:
        CALLS += 100
    finally:
        CALLS += 1000
    return np.sum(x**2) * CALLS


def array_outside(x):
    try:
        BUFFER[0] = x[0]
        BUFFER[1] += x[1] * 2
        BUFFER[MODEL.n + 7] = 1.0
    except IndexError:
        BUFFER[2] += x[2]
    return np.sum(BUFFER * x)


def tries_in_a_loop(x):
    s = 0.0
    for v in x:
        try:
            MODEL.n += 1
            s += math.sqrt(v - 1.5)
            MODEL.last = s
        except ValueError:
            LOG.append("small")
            s += v**2
            MODEL.last = s * 2
            continue
        finally:
            LOG.append("f")
        LOG.append("end")
    return s * MODEL.last


def out_of_a_loop(x):
    s = 0.0
    try:
        for v in x:
            MODEL.n += 1
            if v > 1.5:
                raise ValueError("big")
            s += v**2
            MODEL.last = s
    except ValueError:
        LOG.append("out")
    return s * MODEL.last


def endless_loop(x):
    i, s = 0, 0.0
    try:
        while True:
            MODEL.n += 1
            s += x[i] ** 2
            i += 1
    except IndexError:
        LOG.append(i)
    return s * MODEL.n


class Swallowing:
    def __enter__(self):
        MODEL.n += 1
        LOG.append("enter")
        return self

    def __exit__(self, kind, error, trace):
        MODEL.n += 10
        LOG.append("exit" if kind is None else "swallowed")
        return True


def swallowed(x):
    with Swallowing():
        MODEL.last = x[0] ** 3
        if x[0] > 0:
            raise ValueError
        MODEL.last = 0.0
    with contextlib.suppress(ValueError):
        MODEL.n += 100
        if x[1] > 0:
            raise ValueError
        MODEL.n += 1000
    return MODEL.last * MODEL.n


def items(x) -> Iterator[Any]:
    MODEL.n += 1
    LOG.append("start")
    for i in range(3):
        LOG.append(i)
        MODEL.last = x[i] ** 2
        yield x[i] * MODEL.last
        MODEL.n += 10
    LOG.append("end")


def generator_walked(x):
    s = 0.0
    for v, w in zip(items(x), x, strict=False):
        LOG.append("used")
        s += v * w * MODEL.n
    return s


def generator_left(x):
    s = 0.0
    for v in items(x):
        s += v
        LOG.append("used")
        if s > 1.0:
            break
    return s * MODEL.last * MODEL.n


def generator_by_next(x):
    given = items(x)
    LOG.append("made")
    a = next(given)
    LOG.append("between")
    return a * next(given) * MODEL.last


def generator_in_a_try(x):
    s = 0.0
    try:
        for v in items(x):
            s += v
            if s > 1.0:
                raise ValueError
            LOG.append("used")
    except ValueError:
        LOG.append("handler")
    return s * MODEL.last


def tried_items(x) -> Iterator[Any]:
    for i in range(3):
        try:
            MODEL.n += 1
            yield math.sqrt(x[i] - 1.5)
        except ValueError:
            LOG.append(i)
            yield x[i]
        finally:
            LOG.append("f")


def tries_in_a_generator(x):
    s = 0.0
    for v in tried_items(x):
        s += v
        LOG.append("used")
    return s


def generator_raises(x):
    def found():
        for i in range(3):
            if x[i] > 1.5:
                raise ValueError
            MODEL.n += 1
            yield x[i] ** 2

    s = 0.0
    try:
        for v in found():
            s += v
    except ValueError:
        LOG.append("handler")
    return s


def handled_items(x) -> Iterator[Any]:
    for i in range(3):
        try:
            MODEL.n += 1
            MODEL.last = x[i] * 2.0
            yield math.sqrt(x[i] - 1.0) * MODEL.n
        except ValueError:
            LOG.append(i)
            yield MODEL.last


def handlers_in_a_generator(x):
    s = 0.0
    for v in handled_items(x):
        s += v * MODEL.last
        LOG.append("used")
    return s


def closed_items(x) -> Iterator[Any]:
    try:
        MODEL.n += 1
        yield x[0]
        yield x[1]
    finally:
        MODEL.n += 100
        LOG.append("closed")


def generator_closed(x):
    s = 0.0
    for v in closed_items(x):
        s += v
        break
    return s * MODEL.n


PROGRAMS = [
    *(body_raises, numpy_raises, all_parts, not_handled, list_and_dict, global_variable, array_outside, tries_in_a_loop),
    *(out_of_a_loop, endless_loop, swallowed, generator_walked, generator_left, generator_by_next),
    *(generator_in_a_try, generator_raises, handlers_in_a_generator),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_as_a_plain_call(program: Callable[..., Any]) -> None:
    value, state = run(functools.partial(program, X.copy()))
    raises = isinstance(value, tuple)
    slope = None if raises else differences(lambda x: run(functools.partial(program, x))[0], X)

    def by_vjp() -> Any:
        found, pullback = adxform.vjp(program, X.copy())
        assert np.array_equal(pullback(1.0)[0], pullback(1.0)[0])
        return found, pullback(1.0)[0]

    for way in (lambda: adxform.value_and_grad(program)(X.copy()), by_vjp):
        found, after = run(way)
        assert after == state
        if raises:
            assert found == value
        else:
            np.testing.assert_allclose(found[0], value)
            np.testing.assert_allclose(found[1], slope, rtol=1e-6, atol=1e-6)
    found, after = run(lambda: adxform.jvp(program, (X.copy(),), (np.ones(3),)))
    assert after == state
    if raises:
        assert found == value
    else:
        np.testing.assert_allclose(found[1], slope.sum(), rtol=1e-6)  # type: ignore[union-attr]
    assert run(lambda: adxform.hvp(program)(X.copy(), np.ones(3)))[1] == state


def counted(v):
    MODEL.n += 1
    return v**2


def filtered(x):
    s = 0.0
    for v in filter(lambda v: counted(v) > 0.1, x):
        s += v * MODEL.n
    return s


def accumulated(x):
    s = 0.0
    for v in itertools.accumulate(x, lambda a, b: a * counted(b)):
        s += v * MODEL.n
    return s


def filtered_own(x):
    seen: list[Any] = []

    def keep(v):
        seen.append(v)
        return v > 0.1

    s = 0.0
    for v in filter(keep, x):
        s += v * len(seen)
    return s


def doubled(v):
    return v * MODEL.n


def mapped_twice(x):
    return sum(map(doubled, map(counted, x)))


def largest(x):
    return max(x, key=counted) * MODEL.n


def searched(x):
    return x.sum() * (2.0 if any(counted(v) > 1.0 for v in x) else 1.0)


@pytest.mark.parametrize("program", [tries_in_a_generator, generator_closed], ids=lambda program: program.__name__)
def test_what_python_does_when_it_closes_a_generator_is_refused(program: Callable[..., Any]) -> None:
    begin()
    before = left()
    with pytest.raises(AdxError, match="does something when Python closes the generator") as caught:
        adxform.grad(program)(X.copy())
    assert caught.value.span is not None
    assert left() == before


AHEAD = [filtered, accumulated, filtered_own, mapped_twice, largest, searched]


@pytest.mark.parametrize("program", AHEAD, ids=lambda program: program.__name__)
def test_what_is_asked_ahead_of_a_loop_changes_nothing(program: Callable[..., Any]) -> None:
    begin()
    before = left()
    with pytest.raises(AdxError, match=r"changes (something|it)") as caught:
        adxform.grad(program)(X.copy())
    assert caught.value.span is not None
    assert left() == before

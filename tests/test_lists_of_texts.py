"""Lists of texts and other objects of which only the run knows how many they are: logs, histories, states, events."""

from __future__ import annotations

import heapq
import json
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import MissingRuleError, UnsupportedOperationError
from adxform.testing import check_derivatives

POINTS = np.array([0.3, 1.2, -0.5, 0.8]), np.array([3.3, -1.2, 0.6, -0.2])
FOLLOWED: list[Callable[..., Any]] = []
"""Programs whose lists the run has, at points that take different paths."""


@FOLLOWED.append
def texts_beside_numbers(x):
    log = []
    y = 0.0
    for k, v in enumerate(x):
        if v > 0.4:
            log.append((k, "big", v * v))
        elif v < 0:
            log.append((k, "neg", v))
    for k, name, w in log:
        if name == "big":
            y += w * k
        else:
            y -= w * w
    return y + len(log)


@FOLLOWED.append
def filled_in_a_try(x):
    total = np.dot(x, x)
    try:
        if 3.0 < total < 12.0:
            raise KeyError("too large")
        log = []
        for i, item in enumerate(x):
            if item > 0.4:
                log.append(f"{i}")
        total = (1.0 if log else 2.0) * total + len(log)
    except KeyError:
        total = x[1] ** 2
    return total * x[0]


@FOLLOWED.append
def another_list_on_each_path(x):
    msgs = ["start"]
    if x[0] > 1:
        msgs = []
    elif x[1] > 1:
        msgs = [*msgs, "mid"]
    if msgs:
        return np.sum(x**2) * len(msgs)
    return np.sum(x)


@FOLLOWED.append
def messages_of_a_nested_function(x):
    log = []

    def note(text, *args):
        log.append(text.format(*args))

    y = x
    for i in range(3):
        y = np.sin(y) * (i + 1)
        if np.max(y) > 1:
            note("clip {}: {:.2f}", i, np.max(y))
            y = np.minimum(y, 1.0)
    return np.sum(y * x) * (1 + len(log))


@FOLLOWED.append
def lines_of_an_object(x):
    class Logger:
        def __init__(self):
            self.lines = []

        def __call__(self, line):
            self.lines.append(line)

        def __len__(self):
            return len(self.lines)

    log = Logger()
    for v in x:
        if v > 0.5:
            log(f"v={v}")
    return np.sum(x**2) * len(log)


@FOLLOWED.append
def texts_put_in_and_taken_out(x):
    names = ["a"]
    for v in x:
        if v > 0.5:
            names.extend(["p", "q"])
        else:
            names.insert(0, "n")
    last = names.pop()
    s = 2.0 if last == "q" else 3.0
    return np.sum(x) ** 2 * s * names.count("n") + names.index("n") * x[0]


@FOLLOWED.append
def what_exceptions_say(x):
    log = []
    y = 0.0
    for v in x:
        try:
            if v < 0:
                raise ValueError("negative")
            y += np.sqrt(v)
        except ValueError as e:
            log.append(str(e))
            y += v * v
        finally:
            log.append("done")
    return y * len(log)


@FOLLOWED.append
def the_last_texts_decide(x):
    trace = []
    y = x[0]
    while len(trace) < 5:
        if y > 0.5:
            y = y * 0.5
            trace.append("down")
        else:
            y = y * 1.5 + x[1]
            trace.append("up")
        if trace[-2:] == ["down", "down"]:
            y = y + x[2]
    return y * trace.count("up") + ("up" in trace) * x[3]


@FOLLOWED.append
def texts_that_a_helper_returns(x):
    def check(z):
        issues = []
        if np.any(z < 0):
            issues.append("negative")
        if np.sum(z) > 2:
            issues.append("large")
        return issues

    issues = check(x)
    y = np.where(x > 0, x, 0.1 * x)
    if "negative" in issues:
        y = y * 2
    more = check(y)
    return np.sum(y**2) + len(more) * x[0] + len(issues + more) * x[1]


@FOLLOWED.append
def copies_and_other_names(x):
    log = []
    if x[0] > 0.5:
        log.append("a")
    other = log
    second = list(log)
    third = log[:]
    log.append("b")
    return np.sum(x) * len(other) + np.sum(x**2) * len(second) + len(third) * x[1] + x[2] * len(sorted(log))


@FOLLOWED.append
def joined_texts(x):
    log = []
    for i, v in enumerate(x):
        if v > 0:
            log.append(f"{i}:{v:.1f}")
    text = ", ".join(log)
    return np.sum(x**3) * len(text)


@FOLLOWED.append
def texts_put_in_order_with_numbers(x):
    events = []
    for _i, v in enumerate(x):
        if v > 0:
            events.append((v * v, "rise"))
        else:
            events.append((-v, "fall"))
            events.append((1.5 - v, "end"))
    events.sort(key=lambda e: e[0])
    t, total = 0.0, 0.0
    for when, kind in events:
        if kind == "rise":
            total += (when - t) * 2
        else:
            total += (when - t) ** 2
        t = when
    return total


@FOLLOWED.append
def a_heap_with_texts(x):
    heap = []
    for i, v in enumerate(x):
        heapq.heappush(heap, (v * v, i, "go" if v > 0 else "stop"))
    total, w = 0.0, 1.0
    while heap:
        t, i, kind = heapq.heappop(heap)
        if kind == "go":
            total += t * w
            if t < 0.5:
                heapq.heappush(heap, (t + 1.0, i, "again"))
        w *= 0.5 + t
    return total


@FOLLOWED.append
def messages_of_a_descent(x):
    log, rate, before = [], 0.4, np.inf
    for k in range(12):
        cost = np.sum(x**2) + np.sum(np.sin(x))
        if abs(before - cost) < 1e-3:
            log.append(f"converged after {k}: {cost:.4f}")
            break
        if cost > before:
            log.append(f"step {k}: rate halved")
            rate *= 0.5
        x, before = x - rate * (2.0 * x + np.cos(x)), cost
    else:
        log.append("no convergence")
    return before + 0.01 * len(log) * x[0]


@FOLLOWED.append
def states_of_a_machine(x):
    state, trace, v = "start", ["start"], x[0]
    while state != "stop" and len(trace) < 12:
        if state == "start":
            state = "heat" if v < 0.5 else "cool"
        elif state == "heat":
            v = v + 0.2 * abs(x[1]) + 0.1
            state = "cool" if v > 0.6 else state
        else:
            v = v * 0.8
            state = "stop" if v < 0.35 else state
        trace.append(state)
    return v * len(trace) + 0.1 * trace.count("cool") * x[2]


@pytest.mark.parametrize("x", POINTS, ids=["first", "second"])
@pytest.mark.parametrize("program", FOLLOWED, ids=lambda program: program.__name__)
def test_lists_of_texts_have_what_python_puts_in_them(program: Callable[..., Any], x: Any) -> None:
    records = check_derivatives(program, x.copy())
    assert all(record.ok for record in records), [record for record in records if not record.ok]


def test_a_log_is_given_back() -> None:
    def logged(x):
        log = []
        for v in x:
            if v > 0:
                log.append(f"{v:.1f}")
        return np.sum(x**2), log

    slope, log = adxform.grad(logged, has_aux=True)(POINTS[0])
    assert log == logged(POINTS[0])[1]
    assert np.allclose(slope, 2.0 * POINTS[0])


def test_numbers_that_move_are_not_kept_beside_texts() -> None:
    def kept(x):
        log = ["start"]
        if x[0] > 1:
            log.append(x[1])
        return np.sum(x) * log[-1] if x[0] > 1 else x[0]

    with pytest.raises(UnsupportedOperationError) as caught:
        adxform.grad(kept)(POINTS[1])
    assert caught.value.span.line > 0


def of_a_list(x: Any) -> Any:
    log = []
    for v in x:
        if v > 0:
            log.append(f"{v}")
    return x[1] * float(log[-1])


def of_a_deque(x: Any) -> Any:
    log = deque(["1.0"])
    y = x[1]
    for _ in range(3):
        y = y * float(log[-1])
        log.append(f"{x[0]}")
    return y


def of_what_a_library_gives(x: Any) -> Any:
    log = deque()
    log.append(json.loads(json.dumps({"a": float(x[0])})))
    return log.pop()["a"] * x[1]


def stored_in_an_array(x: Any) -> Any:
    log, z = deque(), np.zeros(2)
    log.append(json.loads(json.dumps(float(x[0]))))
    z[0] = log[-1]
    return x[1] * z[0]


@pytest.mark.parametrize("program", [of_a_list, of_a_deque, of_what_a_library_gives, stored_in_an_array])
def test_a_number_that_comes_back_out_of_an_object_is_refused(program: Callable[..., Any]) -> None:
    with pytest.raises(MissingRuleError) as caught:
        adxform.grad(program)(POINTS[0])
    assert caught.value.span.line > 0


def test_whole_numbers_beside_texts_in_other_objects_are_followed() -> None:
    def walked(x):
        places, log, y = deque([0, 1]), deque(), 0.0
        log.append(f"{x[0]}")
        while places:
            k = places.popleft()
            y = y + x[k] * k
            log.append(f"{k} {y} {log[-1]}")
        return y

    assert np.allclose(adxform.grad(walked)(POINTS[0]), [0.0, 1.0, 0.0, 0.0])


class OfItsOwn:
    """A function that nothing may be compared with."""

    __hash__ = None  # type: ignore[assignment]

    def __call__(self, v: Any) -> Any:
        return 2.0 * v

    def __eq__(self, other: object) -> bool:
        raise ValueError("not comparable")


def test_functions_are_told_apart_by_what_they_are() -> None:
    doubled = OfItsOwn()

    def f(x):
        log = []
        for v in x:
            if v > 0.5:
                log.append("high")
        return doubled(x[0]) * len(log) + len(log) * x[1]

    x = np.array([0.9, 0.4, 1.3])
    assert np.allclose(adxform.grad(f)(x), [4.0, 2.0, 0.0])

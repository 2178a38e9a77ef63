"""Deques that a program makes, which keep what moves: delay lines, windows, queues."""

import collections
import copy
from collections import deque

import numpy as np

from tests.corpus.case import at, vec

VALUES = vec(0.3, 1.2, -0.7, 0.9)


class Delay:
    def __init__(self, taps):
        self.line = deque([0.0] * taps)

    def __call__(self, value):
        self.line.append(value * value)
        return self.line.popleft() * value


@at((VALUES,))
def delay_line_of_an_object(x):
    delay = Delay(2)
    total = 0.0
    for v in x:
        total += delay(v)
    return total


@at((VALUES,), (vec(0.5),))
def moving_window(x):
    window = deque(maxlen=3)
    total = 0.0
    for v in x:
        window.append(v * v)
        total += sum(window) / len(window) + max(window) * np.mean(window) + window[0]
    return total


@at((VALUES,))
def full_window_until_a_sum_is_reached(x):
    window = deque([x[0]], 3)
    total, k = 0.0, 0
    while total < 20.0:
        window.append(x[k % 4] ** 2 + total * 0.1)
        total = total + sum(window)
        k += 1
    return total + window[0] * window[-1]


@at((VALUES,))
def queue_of_pairs(x):
    queue = deque([(x[0], 0)])
    total = 0.0
    while queue:
        value, depth = queue.popleft()
        total += value * depth
        if depth < 3:
            queue.append((value * x[depth], depth + 1))
    return total


@at((VALUES,))
def both_ends(x):
    d = deque([1.0, 2.0])
    for v in x:
        if v > 0.5:
            d.append(v)
        else:
            d.appendleft(v * 2)
        d.rotate()
    return d.pop() + 2 * d.popleft() + 3 * d[0]


@at((VALUES,))
def bounded_at_either_end(x):
    d = deque(maxlen=3)
    d.extendleft(x)
    d.rotate(-2)
    d.extend([x[0] * 2, x[1] * 3])
    d += [x[2]]
    return d[0] + d[1] * 2 + d[2] * 3 * d.maxlen


@at((VALUES,))
def what_comparisons_say_of_deques(x):
    d, other = deque([x[0], x[1]]), collections.deque([x[0], x[2]])
    total = 0.0
    for factor, holds in [
        (2.0, d == [x[0], x[1]]),
        (3.0, d == deque([x[0], x[1]])),
        (5.0, d != other),
        (7.0, d < other),
        (11.0, isinstance(d, list)),
        (13.0, type(d) is deque),
        (17.0, x[1] in d),
    ]:
        if holds:
            total += factor
    return total * d[1] * x[0]


@at((VALUES,))
def copies_of_deques_are_apart(x):
    d = deque([x[0], x[1]], maxlen=2)
    deep, shallow, own = copy.deepcopy(d), copy.copy(d), d.copy()
    deep.append(x[2])
    shallow.appendleft(x[3])
    own.clear()
    return deep[0] * deep[1] + 3 * d[0] + shallow[0] * shallow[1] * len(shallow) + len(own)


@at((VALUES,))
def arrays_in_a_deque(x):
    recent = deque(maxlen=2)
    for k in range(4):
        recent.append(x * k)
    first, last = recent
    return np.sum(first * last)


@at((VALUES,))
def windows_by_name(x):
    windows = {"even": deque(maxlen=2), "odd": deque(maxlen=2)}
    for k, v in enumerate(x):
        windows["even" if k % 2 == 0 else "odd"].append(v * (k + 1))
    return sum(windows["even"]) * windows["odd"][0]


@at((VALUES,))
def texts_in_a_deque(x):
    log = deque(maxlen=3)
    for v in x:
        log.append(f"{v:.2f}")
    return x[0] * len(log)


@at((vec(0.6, 1.2, 0.7, 0.9),), (vec(0.2, 0.1, 0.8, 0.4),))
def bounded_deques_of_either_path(x):
    window = deque([v for v in x if v > 0.3], maxlen=2)
    if x[0] > 0.3:
        window = deque([v * v for v in x if v > 0.5], maxlen=2)
    other = window.copy()
    other.append(x[0])
    other.append(x[1])
    other.append(x[2])
    for k in range(2):
        if x[k] > 0.15:
            window = deque([v**3 for v in x if v > 0.1], maxlen=2)
        window = copy.copy(window)
        window.append(x[0])
        window.appendleft(x[3])
    return sum(other) * len(other) + sum((i + 1) * v for i, v in enumerate(window)) * window.maxlen


@at((vec(0.6, 1.2, 0.7, 0.9),), (vec(0.2, 0.1, 0.8, 0.4),))
def a_bounded_deque_or_none(x):
    window = None
    if x[0] > 0.3:
        window = deque([v * v for v in x if v > 0.1], maxlen=2)
    if window is None:
        return x[1] ** 2
    window = window.copy()
    for v in x:
        window.append(v * v)
    return sum(window) * len(window)


def _levels(k, window, x):
    own = window.copy()
    own.append(x[0])
    own.append(x[1])
    if x[2] * k > 2.0:
        return sum(own) * len(own)
    return _levels(k * 2, deque([x[0], x[2]], maxlen=3), x) * x[3] + sum(own)


@at((vec(0.6, 1.2, 0.7, 0.9),), (vec(0.2, 0.1, 0.8, 0.4),))
def deques_of_other_bounds_in_a_recursion(x):
    return _levels(1, deque([x[0], x[1]], maxlen=2), x)


@at((vec(0.6, 1.2, 0.7, 0.9),), (vec(0.3, 0.12, 0.8, 0.4, 0.7),))
def deques_of_tuples(x):
    queue = deque((v, v * v) for v in x if v > 0.25)
    total, level = 0.0, 0.4
    while queue:
        level += 0.17
        while queue and level > queue[0][0]:
            head, square = queue.popleft()
            level -= 0.1 * square
            total += head * level
    last = deque(maxlen=2)
    for i, v in enumerate(x):
        if v > 0.2:
            last.append((v, i))
        if v > 0.65:
            last.appendleft((v * v, 1))
    last.rotate(1)
    return total + sum((k + 1) * v * i for k, (v, i) in enumerate(last)) * len(last)


@at((vec(0.6, 1.2, 0.7, 0.9),), (vec(0.3, 0.12, 0.8, 0.4, 0.7),))
def neighbours_in_the_order_of_a_deque(x):
    queue = deque([(0, x[0])])
    total = 0.0
    while queue:
        k, weight = queue.popleft()
        total += weight * (k + 1)
        for j in range(k + 1, len(x)):
            if abs(x[j] - x[k]) < 0.45:
                queue.append((j, weight * x[j]))
    return total


@at((VALUES,), (vec(0.9, 0.2, 1.4, 0.6),))
def pairs_on_some_paths(x):
    held, total = deque(maxlen=2), 0.0
    for v in x:
        if v > 0.25:
            held.append((v, x * v))
        else:
            held.appendleft((v * 3.0, x + 1.0))
        held.rotate(1)
        total += held[0][0] * np.sum(held[-1][1])
    return total + sum(v * np.sum(w) for v, w in reversed(held)) * len(held)


def quasi_newton_direction(slope, history):
    """The two loops of L-BFGS."""
    direction = slope.copy()
    weights = []
    for step, change, scale in reversed(history):
        weight = scale * step.dot(direction)
        weights.append(weight)
        direction -= weight * change
    if history:
        step, change, _ = history[-1]
        direction *= step.dot(change) / change.dot(change)
    for (step, change, scale), weight in zip(history, reversed(weights), strict=True):
        direction += step * (weight - scale * change.dot(direction))
    return direction


@at((vec(0.7, 1.1, 0.4),), (vec(-0.3, 0.8, 1.2),))
def minimum_by_limited_memory(x):
    matrix = np.diag([1.0, 3.0, 5.0]) + 0.1

    def cost(p):
        return 0.5 * p @ matrix @ p - np.sum(x * p) + 0.1 * np.sum(p**4)

    def slope_at(p):
        return matrix @ p - x + 0.4 * p**3

    history = deque(maxlen=2)
    point = np.zeros(3)
    slope = slope_at(point)
    for _ in range(4):
        direction = quasi_newton_direction(slope, history)
        length = 1.0
        while cost(point - length * direction) > cost(point) - 1e-4 * length * slope.dot(direction):
            length *= 0.5
        following = point - length * direction
        step, change = following - point, slope_at(following) - slope
        if step.dot(change) > 1e-12:
            history.append((step, change, 1.0 / step.dot(change)))
        point, slope = following, slope_at(following)
    return cost(point) + np.sum(slope**2)


@at((VALUES,), (vec(0.3, -0.1),))
def messages_asked_and_then_added_to(x):
    log = deque()
    y = x * x
    if log:
        y = y * 3.0
    if y[0] > 0.05:
        log.append("large")
    log.append("end")
    return np.sum(y)


@at((VALUES,), (vec(3.3, -1.2, 0.5),))
def messages_asked_in_a_loop_that_adds_to_them(x):
    log = deque()
    y = x[0]
    for v in x:
        if log:
            y = y * v
        y = y * len(log) + np.sin(y) * v
        if y > 0.05:
            log.append("large")
        else:
            log.append("small")
            log.append("small")
    return y

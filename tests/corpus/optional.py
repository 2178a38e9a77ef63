"""Names that hold ``None`` until there is a number, an array or a tuple."""

import numpy as np

import adxform
from tests.corpus.case import at, smooth, vec

VALUES = vec(0.3, 1.2, -0.7, 0.9, 2.1)
ROWS = smooth(4, 3)


@at((VALUES,))
def best_none(x):
    best = None
    for v in x:
        if best is None or v < best:
            best = v
    return best**2


@at((VALUES,), (-VALUES,))
def pair_or_none(x):
    pair = (x[0], 2.0) if x[1] > 0.0 else None
    if pair == (x[0], 2.0):
        return x[0] * x[1]
    return x[2] ** 2 if pair != 3.0 else x[3]


@at((VALUES,))
def best_none_index(x):
    best, at_ = None, None
    for i in range(len(x)):
        v = (x[i] - 1.0) ** 2
        if best is None or v < best:
            best = v
            at_ = i
    return best * x[at_]


@at((VALUES,))
def prev_none(x):
    prev = None
    s = 0.0
    for v in x:
        if prev is not None:
            s += (v - prev) ** 2
        prev = v
    return s


@at((VALUES,))
def best_none_array(x):
    best = None
    for k in range(3):
        cand = x * (k + 1.0) - 1.0
        if best is None or np.sum(cand**2) < np.sum(best**2):
            best = cand
    return np.sum(best**3)


@at((1.5,))
def maybe_none(x):
    y = None
    if x > 1.0:
        y = x * x
    if y is None:
        return x
    return y * 3.0


@at((1.5,))
def number_or_none(x):
    y = None
    if x > 1.0:
        y = x * x
    return y + 1.0


@at((ROWS,))
def differences_of_rows(a):
    prev = None
    s = 0.0
    for r in a:
        if prev is not None:
            s += np.sum((r - prev) ** 2)
        prev = r * 1.5
    return s


@at((ROWS,))
def products_of_rows(a):
    prev = None
    s = 0.0
    for r in a:
        if prev is None:
            prev = r
        else:
            s += np.sum(prev * r)
            prev = prev + r * r
    return s + np.sum(prev)


@at((VALUES,))
def best_of_tuples(x):
    best = None
    for i, v in enumerate(x):
        if best is None or v > best[0]:
            best = (v, i)
    v, i = best
    return v * x[i - 1]


@at((VALUES,))
def started_in_a_while_loop(x):
    best = None
    while best is None or best < 4.0:
        best = x[1] if best is None else best * x[4]
    return best


def helper(v, w=None):
    if w is None:
        return v
    return v * w


@at((VALUES,))
def optional_argument(x):
    w = None
    s = 0.0
    for v in x:
        s += helper(v, w)
        w = v if v > 0 else None
    return s


class Differences:
    def __init__(self):
        self.last = None
        self.total = 0.0

    def see(self, v):
        if self.last is not None:
            self.total += (v - self.last) ** 2
        self.last = v


@at((VALUES,))
def optional_attribute(x):
    n = Differences()
    for v in x:
        n.see(v)
    return n.total


def find(x, t):
    for v in x:
        if v > t:
            return v
    return None


@at((VALUES,))
def found_or_not(x):
    a = find(x, 0.5)
    b = find(x, 10.0)
    s = 0.0
    if a is not None:
        s += a**2
    if b is not None:
        s += b**2
    if a:
        s += a
    return s + (0.0 if b else x[0])


@at((VALUES,))
def extremes(x):
    lo, hi = None, None
    for v in x:
        lo = v if lo is None else min(lo, v)
        hi = v if hi is None or v > hi else hi
    return hi - lo


@at((VALUES,))
def optional_item(x):
    d = {"best": None, "n": 0}
    for v in x:
        if d["best"] is None or v < d["best"]:
            d["best"] = v
            d["n"] += 1
    return d["best"] * d["n"]


@at((ROWS,))
def state_of_a_recurrence(a):
    h = None
    for r in a:
        h = np.tanh(r) if h is None else np.tanh(h + r)
    return np.sum(h * h)


@at((VALUES,))
def optional_mask(x):
    mask = None
    if x[0] > 0:
        mask = x > 0.5
    if mask is not None:
        return np.sum(x[mask] ** 2)
    return np.sum(x)


@at((VALUES,))
def raised_if_missing(x):
    r = None
    for v in x:
        if v > 1.0 and r is None:
            r = v
    if r is None:
        raise ValueError("none")
    return r**2 + x[0]


@at((ROWS,))
def made_on_the_first_pass(a):
    acc = None
    for r in a:
        if acc is None:
            acc = np.zeros(3)
        acc += r * r
    return np.sum(acc**2)


@at((ROWS,))
def best_row_changed(a):
    best = None
    for r in a:
        if best is None or np.sum(r) > np.sum(best):
            best = r.copy()
    best[0] = 3.0 * best[1]
    return np.sum(best**2)


def _largest(x):
    best = None
    for v in x:
        if best is None or v > best:
            best = v * v
    return best, np.sum(x**3)


@at((vec(0.5, 1.5, 1.1),))
def tangents_of_what_may_be_none(x):
    (_, total), (best_t, total_t) = adxform.jvp(_largest, (x,), (x * 0.5,))
    return best_t * total_t + total


@at((VALUES,), (-VALUES,))
def none_is_stored_as_nan(x):
    best, history, rows = None, np.zeros(5), np.outer(x, x)
    for i in range(5):
        history[i] = best
        if best is None or x[i] < best:
            best = x[i] ** 2
    rows[1] = x if x[0] > 0.0 else None
    return np.nansum(history**2) + np.nansum(rows * np.arange(5.0))


def _large(x, least):
    if x[0] < least:
        return None
    return [v * v for v in x if v > least]


@at((vec(0.6, 1.2, -0.7, 0.9),), (vec(0.2, 1.2, -0.7, 0.9),), (vec(0.7, 0.8),))
def a_list_or_none_walked(x):
    found = _large(x, 0.5)
    if found is None:
        return x[1] ** 3
    total = 0.0
    for k, v in enumerate(found):
        total += k * v
    for v, w in zip(found, x):
        total += v * w
    return total + sum(v * v for v in reversed(found)) + max(found) + len(found) * x[0]


@at((vec(0.6, 1.2, -0.7, 0.9),), (vec(0.2, 1.2, -0.7, 0.9),))
def a_list_or_another(x):
    values = _large(x, 0.5) or [x[0], x[1]]
    first, *others = values
    return first * sum(others) + sum(sorted(values)[:2]) + sum(map(np.sin, values))


@at((vec(0.6, 1.2, -0.7),), (vec(-0.2, 1.2, -0.7),))
def a_pair_an_array_and_a_dict_or_none(x):
    pair, row, named = None, None, None
    if x[0] > 0:
        pair, row, named = (x[0], x[1]), x * x, {"a": x[1], "b": x[2]}
    pair = (x[1], 2.0) if pair is None else pair
    row = x if row is None else row
    named = {"a": 1.0, "b": x[0]} if named is None else named
    total = 0.0
    for v in pair:
        total = total * x[2] + v
    for v in row:
        total = total * x[1] + v
    for key in named:
        total = total * x[2] + named[key]
    p, q = pair
    return total + p * q


@at((vec(0.6, 1.2, -0.7),), (vec(-0.2, 1.2, -0.7),))
def none_walked_in_a_try(x):
    values = None
    if x[0] > 0:
        values = [v * v for v in x]
    total = x[1]
    try:
        for v in values:
            total += v * x[1]
    except TypeError:
        total = total * x[2]
    return total


def _root(v):
    if v > 1.0:
        return None
    return v * v


@at((vec(0.8, 0.7, 2.1, 0.9),))
def results_that_are_there_go_into_lists(x):
    found, pairs = [], []
    for v in x:
        root = _root(v)
        if root is None:
            continue
        found.append(root)
        pairs.append((v, root))
    return np.sum(np.array(found) ** 2) + sum(a * b for a, b in pairs)


@at((vec(0.8, 0.7, 2.1, 0.9),))
def results_that_are_there_and_large(x):
    large, small, true = [], [], []
    for v in x:
        root = _root(v)
        if root is not None and root > 0.6:
            large.append(root)
        if root is None or root > 0.6:
            continue
        small.append(root * 3.0)
        if not root:
            continue
        true.append([root, v][0])
    return sum(large) * sum(small) + sum(true)


@at((0.8,))
def missing_results_are_left_out(x):
    found = [k * x if k * x < 1.0 else None for k in (0.1, 0.5, 2.0)]
    pairs = [None if k * x > 1.0 else (k * x, k + x) for k in (0.3, 0.7, 3.0)]
    good = [v for v in found if v is not None]
    best = max((v for v in found if v), default=0.0)
    return sum(good) / len(good) + best + found.count(None) + sum(a * b for a, b in [p for p in pairs if p is not None])


@at((vec(0.9, 0.7, 0.4),))
def work_that_goes_on_while_there_is_some(x):
    stack, total = [x[1]], 0.0
    while stack:
        root = _root(stack.pop())
        if root is not None and root > 0.05:
            stack.append(root)
            total = total + root * x[0]
    return total


def _step(x, limit):
    size = 1.0
    while size > 0.1:
        if (x - size * x) ** 2 + 0.5 * x < limit:
            return size, x - size * x
        size *= 0.5
    raise ArithmeticError


@at((1.3, 0.7), (1.3, 0.2))
def steps_that_a_function_finds_or_raises(x, limit):
    sizes = []
    for _ in range(3):
        try:
            size, x = _step(x, limit)
        except ArithmeticError:
            sizes.append(0.1 * x)
            break
        sizes.append(size)
        x = x + 0.4 * limit * size
    return x * sum(sizes)


@at((vec(0.3, 1.7, 0.9, 2.3, 0.55),), (vec(1.3, -1.7, 0.9, 0.3, 2.55),), (vec(-0.3, 0.7, 0.2, 0.4, 0.1),))
def bounds_of_slices(x):
    first = None if x[0] > 1.0 else 1
    last = None
    for k in range(len(x)):
        if x[k] > 2.0:
            last = k
    y = x * 2.0
    y[: -1 if x[-1] > 0.5 else None] += 1.0
    y[first:last] *= x[1]
    table = np.outer(x, y)
    s = np.sum(y[last:] ** 2) + np.sum(x[last::-1]) + np.sum(x[first::2] ** 3) + np.sum(table[first:, :last])
    return s + np.sum(y[last:first:-1] ** 2) * len(x[:last])

"""Generators: what gives items one after the other, and is at work in between."""

import functools
import itertools

import numpy as np

from tests.corpus.case import at, vec

VALUES = vec(0.3, 0.9, -0.4, 1.2)


def batches(x, y, size):
    for k in range(0, len(x), size):
        yield x[k : k + size], y[k : k + size]


@at((0.7, VALUES, vec(0.1, 0.2, 0.5, -0.3)))
def loss_over_batches(w, x, y):
    total = 0.0
    for xb, yb in batches(x, y, 3):
        total += np.sum((w * xb - yb) ** 2)
    return total


def recurrence(a, b):
    while True:
        yield a
        a, b = b, a * b + 1.0


@at((0.5, 0.6))
def endless_until_break(a, b):
    total, n = 0.0, 0
    for v in recurrence(a, b):
        total += v
        n += 1
        if n >= 5 or v > 100.0:
            break
    return total


@at((0.5, 0.6))
def endless_in_part(a, b):
    first = sum(itertools.islice(recurrence(a, b), 5))
    second = sum(itertools.takewhile(lambda v: v < 3.0, recurrence(a, b)))
    return first * second + sum(v * k for v, k in zip(recurrence(a, b), range(4), strict=False))


def stepping(state, n):
    for i in range(n):
        state[:] = state * 0.5 + np.sin(state)
        yield i


@at((VALUES,))
def array_written_on_both_sides(x):
    state, total = x.copy(), 0.0
    for i in stepping(state, 4):
        total += state[0] * state[i]
        state[1] = total
    return total + np.sum(state)


def positive(x):
    for v in x:
        if v > 0.0:
            yield v
            yield v * 3.0
    yield x[0]


@at((VALUES,))
def gathered(x):
    largest, smallest = max(positive(x)), min(v * v for v in positive(x))
    listed = np.array(list(positive(x)))
    first, *others = positive(x)
    return largest * smallest + np.prod(listed) + first * sum(others) + sorted(positive(x))[1] * len(tuple(positive(x)))


def twice(x, k):
    yield from positive(x)
    for v in positive(x * k):
        yield v
    yield from [x[1], x[2]]


@at((VALUES, 0.5), (VALUES * 3.0, 0.5))
def return_from_a_loop_over_nested_ones(x, k):
    def pairs(scale):
        for v in twice(x, k):
            yield v, scale

    total = 0.0
    for v, scale in pairs(x[1]):
        if v < 0.0:
            continue
        total += v * scale
        if total > 6.0:
            return total
    else:
        total += 100.0 * x[0]
    return total


class Tree:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right

    def __iter__(self):
        if self.left is not None:
            yield from self.left
        yield self.value
        if self.right is not None:
            yield from self.right

    def scaled(self, k):
        for value in self:
            self.last = value
            yield value * k


@at((VALUES,))
def tree_in_order(x):
    tree = Tree(x[0], Tree(x[1]), Tree(x[2], None, Tree(x[3])))
    total = 0.0
    for v in tree:
        total = total * 0.5 + v**2
    for v in tree.scaled(2.0):
        total += v * tree.last
    return total + sum(tree)


@at((VALUES,))
def wrapped(x):
    total = 0.0
    for i, v in enumerate(positive(x), 2):
        total += v * i
    for v, w, k in zip(x, positive(x), itertools.count(1), strict=False):
        total += v * w * k
    for v in itertools.chain(positive(x), [x[0]], x):
        total = 0.5 * total + v
    for v, w in itertools.pairwise(positive(x)):
        total += v * w
    for v in itertools.accumulate(positive(x)):
        total += v * v
    product = functools.reduce(lambda p, q: p * q, positive(x)) * functools.reduce(lambda p, q: p - q, positive(x), x[1])
    return total + product + sum(map(np.sin, positive(x))) + sum(filter(lambda v: v > 0.5, positive(x)))


@at((VALUES,))
def steps_of_itertools_over_an_array(x):
    total = sum(itertools.takewhile(lambda v: v > 0.0, x))
    for v in itertools.dropwhile(lambda v: v > 0.0, x):
        total = 0.5 * total + v * v
    for v in itertools.filterfalse(lambda v: v > 0.0, x):
        total += v**3
    for v in itertools.compress(x, [1, 0, 1, 1]):
        total = 0.5 * total + v * v
    for v, w in zip(x, itertools.cycle((x[0], x[1] ** 2)), strict=False):
        total += v * w
    return total + sum(v * w for v, w in zip(x, itertools.repeat(x[2]), strict=False))


@at((VALUES,))
def expressions_that_are_kept(x):
    squares, scale = (v * v for v in x if v > 0.0), 2.0
    late = (scale * v for v in x)
    scale = 3.0
    total = 0.0
    for v in squares:
        total += v
    return total + sum(squares) + sum(late)


@at((VALUES,))
def variables_are_read_when_items_are_asked_for(x):
    kept = []
    for i in range(3):

        def scaled():
            yield x[i] ** 2

        kept += [scaled(), (x[i] * v for v in x)]
    return sum(sum(items) for items in kept)


def relaxed(u, k):
    while True:
        new = u + k * np.sin(u)
        yield new, np.sum((new - u) ** 2)
        u = new


@at((VALUES,))
def until_it_settles(x):
    for i, (u, change) in enumerate(relaxed(x, 0.3)):
        if change < 1e-3 or i == 20:
            return np.sum(u**2)


@at((0.4, 0.3))
def one_by_one_and_the_rest(a, b):
    items = recurrence(a, b)
    total = next(items)
    for _ in range(4):
        total = total * 0.5 + next(items)
    for v in items:
        total += v
        if v > 50.0:
            break
    return total


@at((VALUES,))
def first_that_fits(x):
    return next(v for v in x if v > 0.5) ** 2 + next((v for v in x if v > 50.0), x[1])


@at((VALUES,))
def next_of_arrays_and_lists(x):
    rows, items, total = iter(x), iter([x[0], x[1]]), 0.0
    first = next(rows)
    for v in rows:
        total += v * first
    pairs = iter(x)
    for v in pairs:
        total += v * next(pairs)
    return total + next(items) * next(items) + next(items, x[2])


def growing(x, rows):
    for v in x:
        rows.append(v * 2.0)
        yield len(rows)


@at((VALUES,))
def list_that_the_generator_fills(x):
    rows, total = [], 0.0
    for n in growing(x, rows):
        total += rows[-1] * n
    return total + sum(rows)


@at((VALUES,))
def ends_by_return(x):
    def some(n):
        for i in range(n):
            if i == 3:
                return
            yield x[i] * i

    return sum(some(4)) + [v for v in some(2)][1] ** 2 + sum(some(len(x)))


@at((VALUES,))
def held_in_a_dict(x):
    found = {"a": positive(x), "b": positive(2.0 * x)}
    total = 0.0
    for name in ("a", "b"):
        for v in found[name]:
            if v > 2.0:
                continue
            total += v * v
    return total


@at((VALUES,))
def several_at_once(x):
    state, total = x.copy(), 0.0

    def sweep(k):
        for i in range(3):
            state[i] += k * state[i + 1]
            yield state[i]

    for u, v in zip(sweep(1.0), sweep(2.0), strict=False):
        state[3] *= u
        total += u * v
    for u, v in zip(recurrence(x[0], x[1]), recurrence(x[2], x[3]), strict=False):
        total += u * v
        if total > 20.0:
            break
    return total + np.sum(state)


@at((VALUES,))
def left_and_walked_again(x):
    items, total, n = recurrence(x[0], x[1]), 0.0, 0
    for v in items:
        total, n = total + v, n + 1
        if total > 4.0 or n > 8:
            break
    for v in items:
        total, n = total + v * x[2], n + 1
        if total > 20.0 or n > 12:
            break
    return total * next(items)


@at((VALUES,))
def pairs_of_one_iterator(x):
    items = iter(x)
    return sum(v * w for v, w in zip(items, items, strict=False)) + sum(v * w for v, w in zip(*[iter(x)] * 2, strict=False))


def squares(x):
    for v in x:
        yield v * v


@at((VALUES,))
def strict_zips(x):
    items = iter({1: 0.0, 0: 10.0, 3: 20.0, 2: 30.0}.values())
    pairs = sum(x[0] * a - x[1] * b for a, b in zip(items, items, strict=True))
    before = sum(a * b for a, b in zip(x, squares(x), strict=True))
    after = sum(a * b * k for a, b, k in zip(squares(x), x, range(len(x)), strict=True))
    both = sum(a * b for a, b in zip(squares(x), squares(x[::-1]), strict=True))
    return pairs + before * after + both


@at((VALUES,))
def strict_zips_that_do_not_fit(x):
    total = 0.0
    for first, second in ((x, squares(x[1:])), (squares(x), x[1:]), (squares(x[1:]), squares(x)), (squares(x), squares(x[1:]))):
        try:
            for a, b in zip(first, second, strict=True):
                total += a * b
        except ValueError as error:
            total *= len(str(error)) * x[3]
    return total

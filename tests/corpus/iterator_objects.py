"""Objects with `__next__` of their own: counters, batches, seeds and iterations that end by `StopIteration`."""

import numpy as np

from tests.corpus.case import at, vec

VALUES = vec(0.3, 1.21, 0.7, 0.9, 1.7, 0.1)


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


class EvenCountdown(Countdown):
    def __next__(self):
        k = super().__next__()
        while k % 2:
            k = super().__next__()
        return k


class Batches:
    def __init__(self, x, size):
        self.x, self.size, self.at = x, size, 0

    def __iter__(self):
        self.at = 0
        return self

    def __next__(self):
        if self.at >= len(self.x):
            raise StopIteration
        batch = self.x[self.at : self.at + self.size]
        self.at += self.size
        return batch


class Seeds:
    def __init__(self, state):
        self.state = state

    def __iter__(self):
        return self

    def __next__(self):
        self.state = (1103515245 * self.state + 12345) % 2**31
        return self.state / 2**31


class SquareRoot:
    def __init__(self, square, start, tolerance):
        self.square, self.x, self.tolerance = square, start, tolerance

    def __iter__(self):
        return self

    def __next__(self):
        last = self.x
        self.x = (last + self.square / last) / 2
        if abs(self.x - last) < self.tolerance:
            raise StopIteration
        return self.x


class Squares:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return SquaresIterator(self.x)


class SquaresIterator:
    def __init__(self, x):
        self.x, self.k = x, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.k == len(self.x) or self.x[self.k] > 1.6:
            raise StopIteration()
        self.k += 1
        return self.x[self.k - 1] ** 2, self.k


@at((VALUES,))
def counted_down(x):
    total = sum(x[k] for k in Countdown(3)) ** 2
    for k in EvenCountdown(6):
        total += x[k] * (k + 1)
    a, b, c = Countdown(3)
    return total + x[a] * x[b] + x[c] + len(list(Countdown(4))) * x[5]


@at((VALUES,))
def epochs_of_batches(x):
    weight = x[0]
    for epoch in range(2):
        for batch in Batches(x, 4):
            weight -= 0.1 * np.mean(weight * batch - batch**2) / (epoch + 1)
    return weight**2


@at((VALUES,), (vec(0.3, 1.21, 0.7, 0.9, 0.01, 0.1),))
def seeds_until_enough(x):
    seeds, total = Seeds(7), 0.0
    first = next(seeds) * x[1]
    for u in seeds:
        total += u * x[0]
        if total > x[4]:
            break
    return total * x[1] + first * next(seeds) + sum(u * v for v, u in zip(x, seeds, strict=False))


@at((VALUES,), (vec(4.0, 9.0, 0.7, 0.9, 1.7, 0.1),))
def iterations_until_they_settle(x):
    total, root = 0.0, x[0]
    for root in SquareRoot(x[1], x[0] + 1.0, 1e-13):
        total += root
    return total * root


@at((VALUES,), (VALUES[:4],), (vec(1.7, 0.2),))
def an_iterator_of_another_class(x):
    total = 0.0
    for square, k in Squares(x):
        total += square * k
    for square, k in Squares(x):
        if k > 2:
            break
        total += x[0] * square
    else:
        total *= x[1]
    return total + sum(a * b[0] for a, b in zip(x, Squares(x), strict=False)) + sum(k * v[0] for k, v in enumerate(Squares(x)))


@at((VALUES,))
def left_and_gone_on_with(x):
    count, total = Countdown(6), 0.0
    for a in count:
        for b in count:
            total += x[a] * x[b]
            if b % 2 == 0:
                break
    return total + x[next(count, 5)] * 3.0


@at((VALUES,))
def asked_one_by_one(x):
    count = Countdown(2)
    total = x[next(count)] + x[next(count, 4)] ** 2 + 2.0 * x[next(count, 4)]
    try:
        total += x[next(count)]
    except StopIteration:
        total *= x[5]
    squares = iter(Squares(x))
    first, second = next(squares)[0], next(squares)[0]
    return total + first * second * sum(square for square, _ in squares)

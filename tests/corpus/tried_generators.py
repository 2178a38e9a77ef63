"""Generators that are walked over in a ``try``, and that have one of their own around a ``yield``."""

import contextlib
import math
from collections import deque

import numpy as np

from tests.corpus.case import at, vec

SMOOTH, FAILING, LARGE = vec(0.7, 1.3, 1.9), vec(0.7, -1.3, 1.9), vec(3.7, 1.3, 5.9)
everywhere = at((SMOOTH,), (FAILING,), (LARGE,))


def roots(x):
    for v in x:
        yield math.sqrt(v)


def below(x, limit):
    for i in range(len(x)):
        if x[i] > limit:
            raise ValueError("large")
        yield i, x[i] * 2.0


@everywhere
def carried_until_it_raises(x):
    total = x[0]
    try:
        for r in roots(x):
            total += r * x[1]
    except ValueError:
        total = total * 3.0 + x[2]
    return total


@everywhere
def either_side_raises(x):
    s, last = 0.0, x[0]
    try:
        for _, v in below(x, 3.0):
            last = v * v
            s += last * math.log(v)
    except ValueError:
        s += last * 10.0
    return s + last


@everywhere
def raised_by_what_is_done_with_an_item(x):
    s, n = 0.0, 0
    try:
        for _, v in below(x, 30.0):
            n += 1
            s += v
            if v > 5.0:
                raise KeyError("k")
            s *= 1.5
    except KeyError:
        s = s * s * n
    except ValueError:
        s = -s
    return s


@everywhere
def assigned_in_the_loop_alone(x):
    try:
        for r in roots(x):
            q = r * 2.0
            w = q * q
    except ValueError:
        return q * w
    return w


def with_fallback(x):
    prev, n = x[0], 0
    for v in x:
        try:
            n += 1
            cur = math.sqrt(v) * prev
            yield cur
            prev = cur + math.log(cur)
        except ValueError:
            prev = prev * 2.0 + n
            yield prev * v
        else:
            prev *= 1.1


@everywhere
def handlers_of_a_generator(x):
    s = 0.0
    for k, v in enumerate(with_fallback(x)):
        s += v * (k + 1)
    return s


@everywhere
def handlers_of_a_generator_that_is_left(x):
    s = 0.0
    for k, v in enumerate(with_fallback(x)):
        s += v * (k + 1)
        if s > 3.0:
            break
    return s


@everywhere
def handlers_on_both_sides(x):
    s = 0.0
    try:
        for k, v in enumerate(with_fallback(x)):
            s += math.sqrt(v) * (k + 1)
    except ValueError:
        s *= x[1]
    return s


@everywhere
def handled_by_the_loop_and_not_by_the_generator(x):
    s = 0.0
    for r in with_fallback(x):
        try:
            s += math.log(r - 1.0)
        except ValueError:
            s += r * 5.0
    return s


@everywhere
def left_with_else_and_finally(x):
    s = 0.0
    try:
        for _, v in below(x, 30.0):
            s += math.sqrt(v)
            if s > 2.5:
                break
    except ValueError:
        s = x[1] * 2.0
    else:
        s *= 2.0
    finally:
        s += x[0]
    return s


def doubled(y):
    for i in range(3):
        y[i] = y[i] * 2.0
        if y[i] > 7.0:
            raise ValueError
        yield y[i]


@everywhere
def array_written_on_both_sides(x):
    y, t = x.copy(), np.zeros(3)
    try:
        for k, v in enumerate(doubled(y)):
            t[k] = v * x[k]
            y[0] += v
            if t[k] < 0:
                raise RuntimeError
    except (ValueError, RuntimeError):
        t[0] += y[0] * y[1]
    return np.sum(t * y)


@everywhere
def next_that_raises(x):
    g = roots(x)
    a = next(g)
    try:
        b = next(g) * a
    except ValueError:
        b = x[0] * 7.0
    return a * b


@everywhere
def tried_again(x):
    scale, s = 1.0, 0.0
    for _ in range(3):
        s = 0.0
        try:
            for v in roots(x * x * scale - 1.0):
                s += v * scale
        except ValueError:
            scale *= 2.0
            continue
        break
    else:
        s = x[0]
    return s


def twice(x):
    for i in range(2):
        for r in roots(x * (i + 1.0)):
            yield r * x[0]


def then_one_more(x):
    yield from twice(x)
    yield x[0] / (x[2] - x[1])


@everywhere
def generators_in_generators(x):
    s = x[0]
    try:
        for i, r in enumerate(then_one_more(x)):
            try:
                s += math.log(r) * i
            except ValueError:
                s += 100.0 * x[1]
    except ValueError:
        s *= 7.0
    return s


@at((SMOOTH,), (LARGE,), (vec(7.0, 1.0, 2.0),))
def until_it_is_too_much(x):
    def steps(v):
        while v < 20.0:
            v = v * v + 0.5
            if v > 9.0:
                raise OverflowError("too much")
            yield v

    t, v = 0.0, x[0]
    try:
        for v in steps(x[0]):
            t += v
    except OverflowError:
        t += v * v
    return t


class Decay:
    def __init__(self, a):
        self.a = a
        self.n = 0

    def steps(self, x):
        for v in x:
            self.n += 1
            self.a = self.a * math.sqrt(v)
            yield self.a


@everywhere
def method_and_its_object(x):
    m = Decay(x[0])
    try:
        for v in m.steps(x):
            m.a += v * x[1]
    except ValueError:
        return m.a * m.n
    return m.a + m.n


@everywhere
def list_that_is_filled(x):
    out = []
    try:
        for _, r in below(x, 3.0):
            if r > 0.5:
                out.append(r * x[0])
    except ValueError:
        out.append(x[1])
    return sum(out) * len(out)


@everywhere
def variable_of_the_generator_rebound(x):
    t = 0.0

    def running():
        nonlocal t
        for v in x:
            t += math.sqrt(v)
            yield t * 2.0

    s = x[0]
    try:
        for v in running():
            s += v * t
            t *= 1.1
    except ValueError:
        s = s * t
    return s + t


@everywhere
def try_in_a_try(x):
    a, b = x[0], x[1]
    try:
        try:
            for r in roots(x):
                a = a + r * b
                b = b * 1.5
                if r > 2.0:
                    raise KeyError
        except KeyError:
            b = b * a
            raise ValueError from None
        finally:
            a = a * 2.0
    except ValueError:
        a = a + b * b
    return a * b


@everywhere
def swallowed(x):
    s = x[0]
    with contextlib.suppress(ValueError):
        for r in roots(x):
            s = s * r + x[2]
        s = s * 10.0
    return s


@everywhere
def no_item_at_all(x):
    q = x[0]
    try:
        for r in roots(x[:0]):
            q = r * 2.0
        q = q * math.sqrt(x[1])
    except ValueError:
        return q * 5.0
    return q


@everywhere
def number_that_becomes_an_array(x):
    acc = 0
    try:
        for r in roots(x):
            acc = acc + r * x
    except ValueError:
        acc = acc * 2.0 + x
    return np.sum(acc * acc)


@everywhere
def reductions(x):
    try:
        return max(roots(x)) * min(roots(x + 0.1)) + sum(roots(x))
    except ValueError:
        return x[0] * x[1]


@everywhere
def list_of_all_items(x):
    try:
        vs = list(roots(x))
        n = len(vs)
    except ValueError:
        return x[0] * 3.0
    return sum(vs) * n


@everywhere
def extended_until_it_raises(x):
    out = [x[0]]
    try:
        out.extend(r * x[0] for r in roots(x))
        out += (r * x[2] for r in roots(x - 0.75))
    except ValueError:
        out.append(x[0] * x[1])
    return sum(out) * len(out)


@everywhere
def queue_extended_until_it_raises(x):
    out = deque([x[0]])
    try:
        out.extend(r * x[0] for r in roots(x))
    except ValueError:
        out.append(x[0] * x[1])
    return sum(out) * len(out)

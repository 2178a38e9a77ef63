"""Managers that `contextlib.contextmanager` makes of functions and methods of a module, which hold and give what moves."""

from contextlib import contextmanager

from tests.corpus.case import at, vec

POINT = (vec(1.5, 2.5),)


class Gauge:
    def __init__(self):
        self.scale = 2.0
        self.log = []

    @contextmanager
    def scaled(self, factor=2.0):
        before = self.scale
        self.scale = before * factor
        try:
            yield self
        finally:
            self.scale = before

    @contextmanager
    def logged(self, v):
        self.log.append(v)
        yield v * v
        self.log.append(v * 3.0)

    @contextmanager
    def counted(self, steps):
        share = self.scale / steps
        try:
            try:
                yield share
                self.log.append(share)
            finally:
                self.log.append(steps * share)
            self.log.append(share**2)
        finally:
            self.scale = self.scale + share


@contextmanager
def instead(table, key, value):
    before = table[key]
    table[key] = value
    try:
        yield table
    finally:
        table[key] = before


@at(POINT)
def attribute_set_for_a_while(x):
    gauge = Gauge()
    with gauge.scaled(x[0]) as same:
        a = same.scale * x[1]
    return a * gauge.scale


@at(POINT)
def before_and_after_without_a_try(x):
    gauge = Gauge()
    with gauge.logged(x[0]) as v:
        a = v * x[1]
    return a * gauge.log[0] * gauge.log[1]


@at(POINT)
def one_try_in_another(x):
    gauge = Gauge()
    with gauge.counted(x[1]) as share:
        a = share * x[0]
    return a * gauge.scale + gauge.log[0] * gauge.log[1] * gauge.log[2]


@at(POINT)
def item_set_for_a_while(x):
    table = {"a": x[0]}
    with instead(table, "a", x[1] * 2.0) as same:
        r = same["a"] ** 2
    return r * table["a"]


@at(POINT)
def exception_that_passes(x):
    gauge = Gauge()
    try:
        with gauge.scaled(x[0]), gauge.counted(x[1]):
            if x[1] > 0.0:
                raise ValueError("above")
    except ValueError:
        return gauge.scale * x[0] + len(gauge.log) * x[1]
    return x[1]


@at(POINT)
def left_by_return(x):
    table = {"a": x[0]}
    with instead(table, "a", x[1] * 2.0) as same:
        return same["a"] ** 2


@at(POINT)
def left_by_break(x):
    table, r = {"a": x[0]}, 0.0
    for v in x:
        with instead(table, "a", v * 2.0) as same:
            if v > 2.0:
                break
            r += same["a"] ** 2
    return r * table["a"]


@at(POINT)
def several_at_once(x):
    gauge = Gauge()
    with gauge.scaled(2.0), gauge.scaled(x[1]) as same, instead({"a": 1.0}, "a", x[1]) as table:
        r = same.scale * x[0] * table["a"]
    return r * gauge.scale

"""Objects that are other ones on each path are changed where nothing else is read that may be one object with them; else refused.

Each program is judged whole at two points that take other paths: it is right, or an error says where it is not followed.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.tables.cell import Cell, judge

PLACES = (np.array([1.3, 0.7, 2.1, 0.9]), np.array([0.6, 1.4, 0.8, 1.9]))
POINTS = ((1.3, 0.8), (0.6, 1.7))
FOLLOWED: list[Callable[..., Any]] = []
JUDGED: list[Callable[..., Any]] = []
CHOSEN: list[Callable[..., Any]] = []
MAYBE: list[Callable[..., Any]] = []


class Pair:
    def __init__(self, p, q=None):
        self.p = p
        self.q = q


@JUDGED.append
def two_names_of_what_a_path_makes(x, y):
    one = Pair(x)
    other = Pair(y)
    if x > 1:
        one = other = Pair(x * y)
    one.p = one.p * 3
    return one.p + other.p * y


@JUDGED.append
def a_name_from_before(x, y):
    one = Pair(x)
    other = one
    if x > 1:
        one = Pair(x * y)
    one.p = one.p * 3
    return one.p + other.p * y


@JUDGED.append
def a_list_from_before(x, y):
    one = Pair(x)
    lst = [one]
    if x > 1:
        one = Pair(x * y)
    one.p = one.p * 3
    return one.p + lst[0].p * y


@JUDGED.append
def the_one_of_the_iteration_before(x, y):
    one = Pair(x)
    prev = Pair(y)
    total = 0.0
    for k in range(4):
        one.p = one.p * 1.5
        total += prev.p * x
        prev = one
        if k * x > 2:
            one = Pair(one.p + y)
    return total + one.p


@JUDGED.append
def a_new_box_of_what_a_path_makes(x, y):
    one = Pair(x)
    b = Pair(0.0, Pair(y))
    if x > 1:
        one = Pair(x * y)
        b = Pair(0.0, one)
    one.p = one.p * 3
    return one.p + b.q.p * y


@JUDGED.append
def an_old_box_of_what_a_path_makes(x, y):
    one = Pair(x)
    b = Pair(0.0, Pair(y))
    if x > 1:
        one = Pair(x * y)
        b.q = one
    one.p = one.p * 3
    return one.p + b.q.p * y


@JUDGED.append
def the_item_of_an_old_box(x, y):
    one = Pair(x)
    b = Pair(0.0, Pair(y))
    if x > 1:
        one = Pair(x * y)
        b.q = one
    b.q.p = b.q.p * 3
    return one.p + b.q.p * y


@FOLLOWED.append
def one_of_two_that_nobody_reads(x, y):
    one = Pair(x)
    other = Pair(y)
    chosen = one if x > 1 else other
    chosen.p = chosen.p * 3
    return chosen.p


@FOLLOWED.append
def one_of_two_that_is_read(x, y):
    one = Pair(x)
    other = Pair(y)
    chosen = one if x > 1 else other
    chosen.p = chosen.p * 3
    return chosen.p + one.p


@FOLLOWED.append
def each_one_of_the_same_two(x, y):
    one = Pair(x)
    other = Pair(y)
    chosen = one if x > 1 else other
    second = other if x > 1 else one
    chosen.p = chosen.p * 3
    return chosen.p + second.p


@FOLLOWED.append
def one_of_two_by_two_names(x, y):
    one = Pair(x)
    other = Pair(y)
    chosen = one if x > 1 else other
    second = chosen
    chosen.p = chosen.p * 3
    second.p = second.p + y
    return chosen.p * second.p


@JUDGED.append
def chosen_and_changed_by_functions(x, y):
    one = Pair(x)

    def bump(o):
        o.p = o.p * y

    def pick(o):
        if o.p > 1:
            return o
        return Pair(o.p + 1)

    chosen = pick(one)
    bump(chosen)
    return chosen.p + one.p


@JUDGED.append
def chosen_by_a_function_and_changed_by_its_own_name(x, y):
    one = Pair(x)

    def pick(o):
        if o.p > 1:
            return o
        return Pair(o.p + 1)

    chosen = pick(one)
    one.p = one.p * y
    return chosen.p + one.p


@FOLLOWED.append
def two_that_are_exchanged(x, y):
    a, b = Pair(x), Pair(y)
    total = 0.0
    for _k in range(3):
        if a.p < b.p:
            a, b = b, a
        a.p = a.p * 0.7
        total += b.p * x
    return total + a.p * b.p


@JUDGED.append
def a_list_of_all(x, y):
    hist = []
    s = Pair(x)
    for _k in range(4):
        hist.append(s)
        if s.p > 1.5:
            s = Pair(s.p - 1)
        s.p = s.p * y
    return sum(h.p for h in hist)


@JUDGED.append
def the_first_is_kept(x, y):
    s = Pair(x)
    saved = s
    for _k in range(4):
        trial = Pair(s.p * 1.3)
        if trial.p < 3:
            s = trial
        s.p = s.p + 0.1 * y
    return s.p + saved.p


@FOLLOWED.append
def the_best_is_changed(x, y):
    s = Pair(x)
    best = s
    for k in range(4):
        s = Pair(s.p * 1.3 - 0.2 * k)
        if s.p > best.p:
            best = s
        best.p = best.p * 0.9
    return s.p + best.p


@FOLLOWED.append
def the_best_is_kept(x, y):
    s = Pair(x)
    best = s
    for k in range(4):
        s = Pair(s.p * 1.3 - 0.2 * k)
        if s.p > best.p:
            best = s
        s.p = s.p * 0.9
    return s.p + best.p


@JUDGED.append
def a_dict_by_two_names(x, y):
    d = {"a": x}
    e = {"a": y}
    if x > 1:
        d = e = {"a": x * y}
    d["a"] = d["a"] * 3
    return d["a"] + e["a"] * y


@JUDGED.append
def the_item_of_another_object(x, y):
    d = Pair(x, Pair(y))
    e = d.q
    if x > 1:
        d = Pair(y, Pair(x))
    d.q.p = d.q.p * 3
    return d.q.p + e.p * y


@FOLLOWED.append
def the_same_item_of_another_object(x, y):
    d = Pair(x, Pair(y))
    e = d.q
    if x > 1:
        d = Pair(y, e)
    d.q.p = d.q.p * 3
    return d.q.p + e.p * y


@JUDGED.append
def a_function_that_captured_one(x, y):
    d = Pair(x)
    f = lambda: d.p
    g = f
    if x > 1:
        e = Pair(y)
    else:
        e = d
    e.p = e.p * 3
    return g() + e.p


@JUDGED.append
def two_that_are_exchanged_while(x, y):
    one = Pair(x)
    other = Pair(y)
    k = 0
    while one.p < 4 and k < 5:
        one, other = other, one
        if one.p < other.p:
            one = Pair(other.p + 0.5)
        one.p = one.p * 1.2
        k += 1
    return one.p * other.p


@FOLLOWED.append
def an_element_of_an_array(x, y):
    one = Pair(np.array([x, y]))
    other = one
    if x > 1:
        one = Pair(np.array([y, x]))
    one.p[0] = one.p[0] * 3
    return one.p.sum() + other.p[0] * y


@JUDGED.append
def an_array_in_place(x, y):
    one = Pair(np.array([x, y]))
    other = one
    if x > 1:
        one = Pair(np.array([y, x]))
    one.p *= 3
    return one.p.sum() + other.p[0] * y


@FOLLOWED.append
def an_array_by_its_own_name(x, y):
    one = Pair(np.array([x, y]))
    w = one.p
    if x > 1:
        one = Pair(np.array([y, x]))
    one.p *= 3
    one.p = one.p + 1.0
    return one.p.sum() + w[0] * y


@FOLLOWED.append
def what_a_generator_gives(x, y):
    def gen():
        s = Pair(x)
        while True:
            yield s
            if s.p > 2:
                s = Pair(s.p - 1.5)
            s.p = s.p * 1.3

    total = 0.0
    for _k, s in zip(range(4), gen(), strict=False):
        total += s.p * y
        s.p = s.p + 0.1
    return total


@FOLLOWED.append
def made_when_there_is_none(x, y):
    one = None
    for k in range(3):
        if one is None or one.p > 2:
            one = Pair(x + k)
        one.p = one.p * y
    return one.p


@FOLLOWED.append
def made_in_a_try(x, y):
    one = Pair(x)
    try:
        if x > 1:
            raise ValueError
        one = Pair(y)
    except ValueError:
        pass
    one.p = one.p * 3
    return one.p


@JUDGED.append
def kept_beside_a_try(x, y):
    one = other = Pair(x)
    try:
        if x > 1:
            raise ValueError
        one = Pair(y)
    except ValueError:
        pass
    one.p = one.p * 3
    return one.p + other.p


@FOLLOWED.append
def one_in_a_list_of_known_ones(x, y):
    nodes = [Pair(x), Pair(y)]
    cur = nodes[0]
    if x > y:
        cur = nodes[1]
    cur.p = cur.p * 2
    return sum(n.p for n in nodes)


@JUDGED.append
def chosen_twice(x, y):
    one = Pair(x)
    other = one
    if x > 0.5:
        one = Pair(y)
    if x > 0.7:
        other = Pair(x * y)
    one.p = one.p * 2
    return one.p * other.p


@FOLLOWED.append
def chosen_and_exchanged(x, y):
    one = Pair(x)
    other = Pair(y)
    for _k in range(3):
        chosen = one
        if one.p > other.p:
            chosen = other
        chosen.p = chosen.p * 1.5
        one, other = other, chosen
    return one.p + other.p * 2


@JUDGED.append
def an_item_that_is_kept(x, y):
    o = Pair(x, Pair(y))
    inner = o.q
    for _k in range(3):
        if o.q.p > 1:
            o.q = Pair(o.q.p * 0.5)
        o.q.p = o.q.p + x
    return o.q.p + inner.p


@FOLLOWED.append
def an_item_that_holds_the_one_before(x, y):
    o = Pair(x, Pair(y))
    for _k in range(3):
        if o.q.p > 1:
            o.q = Pair(o.q.p * 0.5, o.q)
        o.q.p = o.q.p + x
    return o.q.p


class Body:
    def __init__(self, x, v=0.5, q=None):
        self.x, self.v, self.q = x, v, q
        self.n = 0

    def kick(self, dv):
        self.v = self.v + dv
        self.n += 1
        return self.v


def rec(n, p, o):
    if n <= 0:
        return p.x
    p.x = p.x * 1.1
    return rec(n - 1, o, p) + p.x


def recr(n, p):
    if n < 0.5:
        return 0.0
    p.x = p.x * 1.1
    return recr(n - 1, p) + p.x


@CHOSEN.append
def the_smallest_of_a_list(x):
    ps = [Body(x[0]), Body(x[1]), Body(x[2])]
    for _k in range(4):
        i = int(np.argmin([p.x for p in ps]))
        ps[i].x += x[3]
        ps[i].v *= 0.9
    return sum(p.x * p.v for p in ps)


@CHOSEN.append
def the_smaller_of_two(x):
    a, b = Body(x[0]), Body(x[1])
    for _k in range(4):
        s = a if a.x < b.x else b
        s.x = s.x + x[2]
        s.kick(x[3])
    return a.x * b.v + b.x * a.v + a.n


@CHOSEN.append
def servers_by_name_and_events_in_a_heap(x):
    servers = {"desk": Body(x[0]), "lab": Body(x[1])}
    events = [(x[2], "desk"), (x[3], "lab"), (x[0], "desk")]
    heap = []
    for e in events:
        heapq.heappush(heap, e)
    total = 0.0
    while heap:
        now, where = heapq.heappop(heap)
        s = servers[where]
        s.x = max(s.x, now) + s.v
        total += s.x
        if total < 5.0 and where == "desk":
            heapq.heappush(heap, (s.x, "lab"))
    return total + servers["lab"].x * servers["desk"].v


@CHOSEN.append
def neighbours_that_exchange(x):
    ps = [Body(x[0]), Body(x[1]), Body(x[2])]
    for v in x:
        i = int(v * 2) % 3
        p = ps[i]
        q = ps[(i + 1) % 3]
        p.x, q.x = q.x * 1.1, p.x
    return ps[0].x + 2 * ps[1].x + 3 * ps[2].x


@CHOSEN.append
def two_that_may_be_one(x):
    ps = [Body(x[0]), Body(x[1])]
    for v in x:
        p = ps[int(v > 1)]
        q = ps[int(v > 0.8)]
        p.x = p.x + 1.0
        q.x = q.x * v
    return ps[0].x + 2 * ps[1].x


@CHOSEN.append
def what_a_chosen_one_holds(x):
    ps = [Body(x[0], q=Body(x[1])), Body(x[2], q=Body(x[3]))]
    for v in x:
        p = ps[int(v > 1)]
        p.q.x = p.q.x * v
        p.x = p.x + p.q.x
    return ps[0].x + 2 * ps[1].q.x


@CHOSEN.append
def dicts_at_places(x):
    ps = [{"x": x[0], "v": 1.0}, {"x": x[1], "v": 2.0}]
    for v in x:
        d = ps[int(v > 1)]
        d["x"] += v * d["v"]
        d["v"] *= 0.5
    return ps[0]["x"] + 2 * ps[1]["x"]


@CHOSEN.append
def the_best_of_a_loop(x):
    ps = [Body(x[0]), Body(x[1])]
    best = ps[0]
    for p in ps:
        if p.x > best.x:
            best = p
    best.x = best.x * 3
    return ps[0].x + 2 * ps[1].x + best.x


@CHOSEN.append
def winner_and_loser(x):
    a, b = Body(x[0]), Body(x[1])
    winner = a if x[0] > x[1] else b
    loser = b if x[0] > x[1] else a
    gain = loser.x * 0.1
    winner.x = winner.x + gain
    loser.x = loser.x - gain
    return a.x * 2 + b.x * 3 + winner.x * loser.x


@CHOSEN.append
def winner_and_loser_at_once(x):
    a, b = Body(x[0]), Body(x[1])
    winner, loser = (a, b) if x[0] > x[1] else (b, a)
    winner.x, loser.x = winner.x + 0.1 * loser.x, loser.x * 0.9
    return a.x * 2 + b.x * 3 + winner.x * loser.x


@CHOSEN.append
def elements_of_arrays_that_chosen_ones_hold(x):
    a = np.array([x[0], x[1]])
    ps = [Body(a), Body(x[2:] * 1.0)]
    for v in x:
        p = ps[int(v > 1)]
        p.x[0] += v
        p.x *= 1.1
    return ps[0].x.sum() + 2 * ps[1].x.sum()


@CHOSEN.append
def ranks(x):
    ps = [Body(x[0]), Body(x[1]), Body(x[2])]
    order = sorted(range(3), key=lambda i: ps[i].x)
    for rank, i in enumerate(order):
        ps[i].v = rank * ps[i].x
    return ps[0].v + 2 * ps[1].v + 3 * ps[2].v


@CHOSEN.append
def the_smallest_by_a_key(x):
    ps = [Body(x[0]), Body(x[1]), Body(x[2])]
    m = min(ps, key=lambda p: p.x)
    m.x = m.x + x[3]
    return ps[0].x + 2 * ps[1].x + 3 * ps[2].x


@CHOSEN.append
def chosen_by_a_function(x):
    ps = [Body(x[0]), Body(x[1])]

    def pick(v):
        return ps[0] if v > 1 else ps[1]

    for v in x:
        pick(v).kick(v)
    return ps[0].v + 2 * ps[1].v


@CHOSEN.append
def changed_by_its_own_name_and_read(x):
    ps = [Body(x[0]), Body(x[1])]
    total = 0.0
    for v in x:
        p = ps[int(v > 1)]
        ps[0].x = ps[0].x * 1.1
        total += p.x
    return total


@CHOSEN.append
def changed_in_a_branch(x):
    ps = [Body(x[0]), Body(x[1])]
    total = 0.0
    for v in x:
        p = ps[int(v > 1)]
        p.x = p.x * 1.1
        if p.x > 1.5:
            p.x = p.x - 1.0
            p.n += 1
        total += p.x
    return total + ps[0].n + ps[1].x


@MAYBE.append
def carried_by_a_loop(x):
    ps = [Body(x[0]), Body(x[1])]
    p = ps[int(x[2] > 1)]
    k = 0
    while p.x < 3 and k < 6:
        p.x = p.x * 1.3
        k += 1
        p = ps[k % 2]
    return ps[0].x + 2 * ps[1].x


@CHOSEN.append
def others_in_the_list_now(x):
    ps = [Body(x[0]), Body(x[1])]
    p = ps[int(x[2] > 1)]
    ps[0] = Body(x[3])
    ps[1] = Body(x[2])
    p.x = p.x * 5
    return ps[0].x + 2 * ps[1].x + 3 * p.x


@CHOSEN.append
def changed_by_both_names_on_paths(x):
    a, b = Body(x[0]), Body(x[1])
    p = a if x[2] > 1 else b
    if x[3] > 0.5:
        a.x = a.x * 7
    r = p.x
    if x[3] > 2:
        b.x = b.x * 3
    else:
        p.x = p.x + 1
    return r + p.x * a.x + b.x


@CHOSEN.append
def the_last_one_is_read(x):
    ps = [Body(x[0]), Body(x[1])]
    last = Body(x[2])
    total = 0.0
    for v in x:
        p = ps[int(v > 1)]
        p.x = p.x + last.x
        last = p
        total += p.x
    return total


@CHOSEN.append
def the_last_one_is_changed(x):
    ps = [Body(x[0]), Body(x[1])]
    last = ps[0]
    total = 0.0
    for v in x:
        last.x = last.x * 1.1
        p = ps[int(v > 1)]
        total += p.x
        last = p
    return total + ps[0].x


@CHOSEN.append
def chosen_of_a_chosen_one(x):
    ps = [Body(x[0]), Body(x[1]), Body(x[2])]
    total = 0.0
    for v in x:
        p = ps[int(v > 1)]
        q = p if v > 0.8 else ps[2]
        q.x = q.x * 2
        total += p.x * v
    return total + sum((k + 1) * p.x for k, p in enumerate(ps))


@MAYBE.append
def what_it_holds_is_replaced(x):
    ps = [Body(x[0], q=Body(x[1])), Body(x[2], q=Body(x[3]))]
    first = ps[0].q
    for v in x:
        p = ps[int(v > 1)]
        c = p.q
        p.q = Body(c.x * v)
        c.x = c.x + 1
        p.q.x = p.q.x + c.x
    return ps[0].q.x + 2 * ps[1].q.x + first.x


@MAYBE.append
def keys_that_only_a_chosen_one_has(x):
    ds = [{"a": x[0]}, {"a": x[1]}]
    for v in x:
        d = ds[int(v > 1)]
        d["b"] = d["a"] * v
        d["a"] = d.get("b", 0.0) + 1
    return ds[0].get("b", 7.0) + ds[1]["a"]


@CHOSEN.append
def both_names_in_a_loop(x):
    a, b = Body(x[0]), Body(x[1])
    p = a if x[2] > 1 else b
    k = 0
    total = 0.0
    while k < 3:
        a.x = a.x * 1.2
        total += p.x
        p.x = p.x + 0.1
        k += 1
    return total + a.x + b.x


@CHOSEN.append
def functions_that_change_and_read(x):
    a, b = Body(x[0]), Body(x[1])
    p = a if x[2] > 1 else b

    def f():
        return p.x * 2

    def g(o):
        o.x = o.x + x[3]

    g(a)
    r = f()
    g(p)
    g(b)
    return r + f() + a.x


@CHOSEN.append
def changed_in_a_try(x):
    a, b = Body(x[0]), Body(x[1])
    p = a if x[2] > 1 else b
    total = 0.0
    for v in x:
        try:
            p.x = p.x * v
            if p.x > 2:
                raise ValueError
            b.x = b.x + 1
        except ValueError:
            p.x = p.x - 1.5
            total += a.x
    return total + p.x + b.x


@CHOSEN.append
def one_of_the_same(x):
    a = Body(x[0])
    p = [a, a][int(x[2] > 1)]
    q = [a, Body(x[1]), a][int(x[3] * 2)]
    q.x = q.x * 3
    p.x = p.x + 1
    return a.x + q.x


@CHOSEN.append
def an_array_that_it_held_before(x):
    ps = [Body(np.array([x[0], x[1]])), Body(np.array([x[2], x[3]]))]
    for v in x:
        p = ps[int(v > 1)]
        w = p.x
        p.x = p.x * v
        w[0] = 9.0
        p.x[1] += w[1]
    return ps[0].x @ ps[1].x


@CHOSEN.append
def arrays_in_place(x):
    ps = [Body(np.array([x[0], x[1]])), Body(np.array([x[2], x[3]]))]
    base = ps[0].x
    for v in x:
        p = ps[int(v > 1)]
        p.x += v
        p.v = p.x.sum()
    return ps[0].x @ ps[1].x + base.sum() + ps[0].v


@CHOSEN.append
def what_two_hold_together(x):
    o = Body(x[0], q=Body(x[1]))
    u = Body(x[2], q=o.q)
    s = o if x[3] > 0.5 else u
    s.q.x = s.q.x * 3
    return o.q.x + u.q.x * 2 + s.x


@MAYBE.append
def one_holds_what_the_other_does(x):
    o = Body(x[0], q=Body(x[1]))
    u = Body(x[2], q=Body(x[3]))
    s = o if x[3] > 0.5 else u
    c = s.q
    s.q = u.q
    c.x = c.x * 3
    s.q.x = s.q.x + 1
    return o.q.x + u.q.x * 2 + s.x * c.x


@CHOSEN.append
def what_a_generator_chooses(x):
    ps = [Body(x[0]), Body(x[1]), Body(x[2])]

    def walk():
        for v in x:
            yield ps[int(v) % 3]

    total = 0.0
    for p in walk():
        p.kick(p.x)
        total += ps[1].v
    return total


@CHOSEN.append
def places_that_a_loop_carries(x):
    ps = [Body(x[0]), Body(x[1])]
    i = 0
    for v in x:
        i = 1 - i if v > 0.8 else i
        ps[i].x, ps[1 - i].v = ps[1 - i].x * v, ps[i].x
    return ps[0].x * ps[1].v + ps[1].x


@CHOSEN.append
def in_a_function_that_calls_itself(x):
    a, b = Body(x[0]), Body(x[1])
    p = a if x[2] > 1 else b
    return rec(3, p, a) + b.x


@MAYBE.append
def in_a_function_that_the_run_calls_again(x):
    a, b = Body(x[0]), Body(x[1])
    p = a if x[2] > 1 else b
    r = recr(x[3] * 3, p)
    return r + b.x + a.x


@MAYBE.append
def chosen_or_new(x):
    a, b = Body(x[0]), Body(x[1])
    p = a if x[2] > 1 else b
    p = p if x[0] > 1 else Body(x[3])
    p.x = p.x * 2
    return p.x + a.x + b.x


@CHOSEN.append
def the_best_is_kept_of_chosen_ones(x):
    ps = [Body(x[0]), Body(x[1])]
    best = None
    for v in x:
        p = ps[int(v > 1)]
        if best is None or p.x > best.x:
            best = p
        p.x = p.x * 0.9
    return ps[0].x + best.x


@MAYBE.append
def whether_it_is_one(x):
    ps = [Body(x[0]), Body(x[1])]
    p = ps[int(x[2] > 1)]
    same = p is ps[1]
    p.x = p.x * 2
    return p.x + (3.0 if same else 4.0) * ps[1].x


@CHOSEN.append
def one_in_one_of_several_lists(x):
    rows = [[Body(x[0]), Body(x[1])], [Body(x[2]), Body(x[3])]]
    i, j = int(x[0] > 1), int(x[1] > 1)
    rows[i][j].x = rows[i][j].x * 3
    p = rows[i][1]
    p.x = p.x + x[0]
    return rows[0][0].x + 2 * rows[0][1].x + 3 * rows[1][0].x + 4 * rows[1][1].x * p.x


@CHOSEN.append
def a_grid_of_cells(x):
    grid = [[Body(x[0] * (i + 1) + j) for j in range(3)] for i in range(3)]
    for v in x:
        i, j = int(v * 1.4) % 3, int(v * 3) % 3
        grid[i][j].x = grid[i][j].x * v + grid[(i + 1) % 3][j].x
    return sum((3 * i + j + 1) * grid[i][j].x for i in range(3) for j in range(3))


@CHOSEN.append
def a_list_that_a_key_chooses(x):
    held = {"a": [Body(x[0]), Body(x[1])], "b": [Body(x[2]), Body(x[3])]}
    k = "a" if x[3] > 1 else "b"
    for p in held[k]:
        p.x = p.x * 2
    held["a"][0].x += 1
    held[k][0].x *= x[1]
    return held["a"][0].x + 2 * held["a"][1].x + 3 * held["b"][0].x + 4 * held["b"][1].x


@CHOSEN.append
def itself_on_both_paths(x):
    a, b = Body(x[0]), Body(x[1])
    p = a if x[2] > 1 else b
    q = (p, p)[int(x[3] > 1)]
    q.x = q.x * 3
    p.x = p.x + x[0]
    return a.x + b.x * x[2] + q.x


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("program", CHOSEN, ids=lambda program: program.__name__)
def test_one_of_several_that_the_run_chooses_is_changed(program: Callable[..., Any], place: int) -> None:
    found = judge(Cell(program.__name__, program, (PLACES[place],)))
    assert found.kind == "right", found.reason


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("program", MAYBE, ids=lambda program: program.__name__)
def test_one_of_several_is_changed_as_python_does_or_refused(program: Callable[..., Any], place: int) -> None:
    found = judge(Cell(program.__name__, program, (PLACES[place],)))
    assert found.kind != "wrong", found.reason


@pytest.mark.parametrize("args", POINTS)
@pytest.mark.parametrize("program", FOLLOWED, ids=lambda program: program.__name__)
def test_what_nothing_else_is_read_of_is_changed(program: Callable[..., Any], args: tuple[float, float]) -> None:
    found = judge(Cell(program.__name__, program, args))
    assert found.kind == "right", found.reason


@pytest.mark.parametrize("args", POINTS)
@pytest.mark.parametrize("program", JUDGED, ids=lambda program: program.__name__)
def test_what_may_be_one_with_what_is_read_is_right_or_refused(program: Callable[..., Any], args: tuple[float, float]) -> None:
    found = judge(Cell(program.__name__, program, args))
    assert found.kind != "wrong", found.reason

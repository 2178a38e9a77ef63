"""Dicts and objects that have a key, or an attribute, on some paths only: options, missing results, states of steps."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from tests.corpus.case import at, vec

both = at((vec(0.9, 0.45, 1.3, 0.62),), (vec(0.52, 0.85, 1.3, 0.62),), (vec(0.3, 0.2, 0.1, 0.4),))
there = at((vec(0.52, 0.85, 1.3, 0.62),), (vec(0.9, 0.7, 1.3, 0.62),))


class Fields:
    """What has the attributes that it is given."""


class Solver:
    """A step that leaves what it found for its caller."""

    def __init__(self, u):
        self.u = u
        self.n = 0

    def step(self):
        self.residual = np.sum(self.u**2)
        self.u = self.u * 0.7
        self.n += 1


class Differences:
    """What keeps the value before, from its second step on."""

    weight = 0.5

    def step(self, v):
        if hasattr(self, "before"):
            self.slope = v - self.before
        self.before = v


@both
def residual_of_the_last_step(x):
    s = Solver(x * 1.0)
    while s.n == 0 or s.residual > 0.05:
        s.step()
    return np.sum(s.u) + s.residual


@both
def attributes_that_nobody_reads(x):
    s = Solver(x * 1.0)
    error = 1.0
    while error > 0.05:
        s.step()
        error = np.sum(np.abs(s.u)) * 0.1
    return np.sum(s.u)


@both
def slopes_from_the_second_step_on(x):
    s = Differences()
    t = 0.0
    v = x[0]
    while v > 0.1:
        s.step(v)
        v *= 0.6 * x[1]
        t += getattr(s, "slope", s.weight) ** 2
    return t + getattr(s, "before", 0.0)


@both
def options_that_may_be_given(x):
    options = {"scale": x[0]}
    if x[1] > 0.6:
        options["shift"] = x[1] * 2
    return options["scale"] + options.get("shift", x[2])


@both
def asked_whether_it_is_there(x):
    found = {"a": x[0]}
    if x[1] > 0.6:
        found["b"] = x[1] * 2
    if "b" in found:
        return found["b"] * found["a"]
    return found["a"]


@both
def attribute_asked_for(x):
    p = Fields()
    p.a = x[0]
    if x[1] > 0.6:
        p.b = x[1]
    return p.b * p.a if hasattr(p, "b") else p.a


@both
def attribute_beside_that_of_the_class(x):
    s = Differences()
    if x[1] > 0.6:
        s.weight = x[1]
    return s.weight * x[0]


@both
def key_of_the_last_turn(x):
    last = {"n": 0.0}
    t = 0.0
    while t < 1.0:
        last["t"] = t * x[0]
        last["n"] += x[2]
        t += 0.3 * x[1] + 0.2
    return last["t"] + t * last["n"]


@both
def missing_keys_are_caught(x):
    d = {}
    if x[1] > 0.6:
        d["b"] = x[1] * 2
    try:
        return d["b"] * x[0]
    except KeyError:
        return x[2] * x[0]


@both
def missing_attributes_are_caught(x):
    p = Fields()
    if x[1] > 0.6:
        p.b = x[1]
    try:
        y = p.b
    except AttributeError:
        y = x[0] ** 2
    return y * x[3]


@both
def deleted_on_a_path(x):
    d = {"a": x[0], "b": x[1]}
    if x[1] > 0.6:
        del d["a"]
    y = d.pop("a", x[2] * 3)
    return y + d["b"] + (1.0 if "a" in d else 2.0)


@both
def set_where_it_is_missing(x):
    d = {"a": x[0], "b": x[1]}
    if x[1] > 0.6:
        d.pop("a")
    else:
        d["c"] = x[2] ** 2
    d.setdefault("a", x[3])
    d.setdefault("c", 1.5)
    d["a"] *= 2
    return d["a"] * d["c"] + d["b"]


@both
def arrays_written_where_they_are(x):
    d = {"u": x * 2}
    if x[1] > 0.6:
        d["v"] = x * 3
    for i in range(len(x)):
        if "v" in d:
            d["v"][i] *= x[0]
        d["u"][i] += 1.0
    return np.sum(d["v"] * d["u"]) if "v" in d else np.sum(d["u"] ** 2)


@both
def one_dict_by_two_names(x):
    outer = {"inner": {"a": x[0]}}
    inner = outer["inner"]
    if x[1] > 0.6:
        inner["b"] = x[2]
    inner["a"] = inner["a"] * 2
    return outer["inner"].get("b", x[3]) * outer["inner"]["a"]


@both
def one_of_two_dicts(x):
    o = {"a": x[0], "b": x[1]} if x[1] > 0.6 else {"a": x[2]}
    return o["a"] * o.get("b", 2.0)


@both
def one_of_two_objects(x):
    p = Fields()
    if x[1] > 0.6:
        p.u, p.w = x[0], x[3]
    else:
        q = Fields()
        q.u = x[2]
        p = q
    return p.u * (p.w if hasattr(p, "w") else 3.0)


@both
def sums_under_names(x):
    d = {}
    for v in x[x > 0.15]:
        if v > 0.8:
            d["big"] = d.get("big", 0.0) + v * v
        else:
            d["small"] = d.get("small", 1.0) * v
    return d.get("big", 3.0) + 2 * d.get("small", 5.0)


@both
def sums_from_a_default(x):
    d = defaultdict(float)
    for v in x[x > 0.15]:
        if v > 0.8:
            d["big"] += v * v
        else:
            d["small"] += v
    return d["big"] + 2 * d["small"] + len(d)


@both
def counts_become_floats(x):
    d = {"n": 0}
    for v in x[x > 0.15]:
        d["n"] += 1
        d["m"] = d["n"] if v > 0.8 else v
    return d.get("m", 1) * d["n"] * x[0]


@both
def a_helper_stores(x):
    def note(d, key, value):
        d[key] = value

    d = {"a": x[0]}
    if x[1] > 0.6:
        note(d, "b", x[1])
    note(d, "c", x[2])
    return d["a"] * d["c"] + d.get("b", 0)


@both
def a_helper_returns_early(x):
    def set_up(options):
        if x[1] > 0.6:
            options["k"] = x[2]
            return 1.0
        options["j"] = x[3]
        return 2.0

    options = {}
    s = set_up(options)
    return s * (options["k"] if "k" in options else options["j"])


@both
def a_dataclass_gets_more(x):
    @dataclass
    class State:
        a: float

    state = State(x[0])
    k = 0
    while k < 3 and state.a > 0.2:
        state.last = state.a
        state.a = state.a * x[1]
        k += 1
    return state.a + getattr(state, "last", 2.0)


@both
def stored_before_it_raises(x):
    d = {}
    try:
        d["a"] = x[0]
        if x[1] > 0.6:
            raise ValueError
        d["b"] = x[2]
    except ValueError:
        pass
    return d["a"] * d.get("b", x[3])


@both
def means_of_what_is_there(x):
    d = {"a": x[0]}
    if x[1] > 0.6:
        d["b"] = x[1] * 2
    if x[2] > 1.0:
        d["c"] = x[2]
    return sum(d.values()) / len(d) * (1.0 if d else 2.0)


@both
def fields_that_are_there(x):
    d = {"u": x * 2}
    if x[1] > 0.6:
        d["v"] = x * 3
    return sum(np.sum(v**2) for v in d.values())


@both
def copies_that_change_apart(x):
    d = {"a": x[0]}
    if x[1] > 0.6:
        d["b"] = x[1] * 2
    e = d.copy()
    e["a"] = 3 * x[2]
    f = dict(d)
    f["b"] = x[3]
    return e["a"] * d["a"] + e.get("b", 0.0) + f["a"] * f["b"]


@both
def updated_with_more(x):
    d = {"a": x[0]}
    if x[1] > 0.6:
        d["b"] = x[1] * 2
    d.update(c=x[2], a=x[3])
    d.update({"b": 1.5})
    return d["a"] * d["c"] * d["b"]


@both
def none_where_it_is_missing(x):
    d = {}
    if x[1] > 0.6:
        d["b"] = x[1]
    r = d.get("b")
    return x[0] if r is None else r * x[0]


@there
def read_where_it_is_there(x):
    d, p = {}, Fields()
    if x[1] > 0.6:
        d["b"] = x[1] * 2
        p.c = x[2]
    return d["b"] * p.c


def label(v):
    if v > 1.0:
        return "big"
    return "middle" if v > 0.7 else "small"


@both
def sums_under_labels(x):
    sums = {}
    for v in x:
        k = label(v)
        sums[k] = sums.get(k, 0.0) + v * v
    return sums.get("big", 0.0) * 2 + sums.get("small", 1.0) + len(sums)


@both
def defaults_under_labels(x):
    d = defaultdict(float)
    for v in x[x > 0.15]:
        d["high" if v > 0.7 else "low"] += v
    return sum(d[k] ** 2 for k in ("high", "low"))


@both
def labels_asked_for(x):
    d = {"big": 1.0}
    for v in x[x > 0.15]:
        k = label(v)
        if k in d:
            d[k] *= v
        else:
            d[k] = v
    return d["big"] + d.get("middle", 2.0) * d.get("small", 3.0)


@both
def states_of_a_machine(x):
    state = "start"
    seen = {}
    for v in x:
        if state == "start":
            state = "up" if v > 0.55 else "down"
        elif state == "up" and v < 0.7:
            state = "down"
        seen[state] = v
    return seen.get("up", 1.0) * seen.get("down", 2.0)


@both
def best_of_each_kind(x):
    best = {}
    for v in x:
        k = "even" if int(v * 9) % 2 == 0 else "odd"
        if k not in best or v > best[k]:
            best[k] = v
    return best.get("even", 0.5) - best.get("odd", 0.25)

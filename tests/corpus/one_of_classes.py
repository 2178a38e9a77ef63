"""Objects of several classes of which the run has one: a phase, a law, a state, each with methods and attributes of its own."""

import copy

import numpy as np

from tests.corpus.case import at, vec

FIRST, SECOND, THIRD = vec(0.7, 0.35, 0.9), vec(0.2, 1.9, 0.15), vec(0.95, 0.25, 0.45)
everywhere = at((FIRST,), (SECOND,), (THIRD,), (vec(0.05, 0.77, 0.62),))


class Law:
    def __init__(self, v):
        self.v = v
        self.calls = 0

    def f(self, x):
        self.calls += 1
        return self.v * x


class Square(Law):
    def __init__(self, v, w):
        super().__init__(v)
        self.w = w

    def f(self, x):
        return self.v * x**2 + self.w


class Cube(Law):
    def f(self, x):
        return self.v * x**3


class Rest:
    def __init__(self, k):
        self.k = k

    def step(self, v):
        return Run(self.k * 1.1) if v > 0.5 else self

    def out(self):
        return self.k


class Run(Rest):
    def step(self, v):
        return Rest(self.k + v) if v < 0.4 else self

    def out(self):
        return self.k**2


class Box:
    pass


SHARED = Law(1.7)


@everywhere
def a_law_by_a_limit(x):
    if x[0] > 0.8:
        law = Law(x[0])
    elif x[0] > 0.5:
        law = Square(x[1], x[2])
    else:
        law = Cube(x[2])
    return law.f(x[1]) + law.v


@everywhere
def one_of_those_made_before(x):
    a, b = Law(x[0]), Square(x[1], x[2])
    total = 0.0
    for v in x:
        law = a if v > 0.5 else b
        total += law.f(v) * law.v
        law.v *= 1.5
    return total + a.calls * a.v + b.v * b.w


@everywhere
def exchanged_by_a_loop(x):
    law, other, y = Law(x[0]), Square(x[1], 0.3), 0.0
    for _ in range(5):
        y = y + law.f(x[2])
        if y > 1.0:
            law = other
    return y + law.v


@everywhere
def made_anew_by_a_while(x):
    law, t, k = Law(x[0]), x[1], 0
    while t < 5.0 and k < 20:
        t = t + abs(law.f(t)) + 0.2
        k += 1
        if t > 1.0 and k % 2 == 0:
            law = Square(law.v * 0.5, x[2])
        elif t > 2.0:
            law = Cube(0.1 * law.v)
    return t + law.v


@everywhere
def taking_turns(x):
    a, b = Law(x[0]), Square(x[1], x[2])
    law, t, k = a, 0.3, 0
    while t < 3.0 and k < 20:
        t = t + abs(law.f(t)) + 0.2
        k += 1
        law.v = law.v * 0.9
        law = b if law is a else a
    return t + a.v + b.v * 2.0


@everywhere
def states_that_follow_one_another(x):
    state, total = Rest(x[0]), 0.0
    for v in (*x, *x):
        state = state.step(v)
        total += state.out() * v
    return total


@everywhere
def what_a_function_makes(x):
    def make(v):
        if v > 0.5:
            return Square(v, x[2])
        return Law(v * 2.0)

    return sum(make(v).f(x[0]) for v in x)


@everywhere
def in_a_dict_and_changed_there(x):
    laws = {}
    for key, v in zip("abc", x, strict=True):
        laws[key] = Square(v, x[2]) if v > 0.5 else Law(v)
    laws["a"].v = laws["a"].v * 2.0
    return sum(law.f(x[1]) for law in laws.values())


@everywhere
def in_a_list_and_changed_there(x):
    laws = []
    for v in x:
        law = Square(v, x[2]) if v > 0.5 else Law(v)
        laws.append(law)
    laws[0].v = laws[0].v * 2.0
    return sum(law.f(x[1]) for law in laws) + law.v


@everywhere
def changed_by_the_first_name(x):
    a = Law(x[0])
    law = Square(x[1], x[2]) if x[0] > 0.5 else a
    a.v = a.v * 3.0
    law.v = law.v + x[1]
    return law.f(x[1]) + a.v


@everywhere
def what_kind_it_is(x):
    law = Square(x[1], x[2]) if x[0] > 0.5 else Law(x[0])
    kind = 2.0 if type(law) is Law else 3.0
    if isinstance(law, Square):
        return law.w * x[0] * kind + hasattr(law, "w")
    return law.v * kind + hasattr(law, "w")


@everywhere
def sorted_by_what_moves(x):
    laws = [Law(x[0]), Square(x[1], 0.1), Cube(x[2])]
    laws.sort(key=lambda law: law.v)
    best = max(laws, key=lambda law: law.f(0.7))
    best.v = best.v * 2.0
    return sum((k + 1) * law.f(x[k]) for k, law in enumerate(laws)) + (best is laws[0]) * x[0]


@everywhere
def none_at_first(x):
    law = None
    if x[0] > 0.5:
        law = Square(x[1], x[2])
    elif x[0] > 0.1:
        law = Law(x[0])
    if law is None:
        return x[0]
    return law.f(x[1])


@everywhere
def captured_and_held(x):
    box = Box()
    box.law = Law(x[0])
    if x[0] > 0.5:
        box.law = Square(x[1], x[2])
    box.law.v = box.law.v + 1.0

    def g(y):
        return box.law.f(y) * 2.0

    return g(x[0]) + g(x[1])


@everywhere
def copied_then_changed(x):
    a, b = Law(x[0]), Square(x[1], x[2])
    law = a if x[0] > 0.5 else b
    other = copy.copy(law)
    other.v = 3.0 * x[0]
    return other.f(x[1]) + law.v


@everywhere
def from_outside_on_one_path(x):
    own = Law(x[0])
    law = own if x[1] > 0.5 else SHARED
    laws = [SHARED, Cube(x[0]), Law(x[2])]
    nearest = min(laws, key=lambda one: abs(one.v - x[1]))
    return law.v * x[1] + nearest.v * x[0] + np.sum(x) * law.v


@everywhere
def several_at_once(x):
    a, b = Law(x[0]), Square(x[1], x[2])
    if x[0] > 0.5:
        a, b = b, a
    a.v *= 2.0
    law, t = (a, x[0]) if x[1] > 0.3 else (Cube(b.v), x[1])
    return a.f(x[1]) + b.f(x[2]) + law.f(t)


@everywhere
def on_a_stack(x):
    stack = [Law(x[0]), Square(x[1], x[2])]
    stack.append(Cube(x[2]) if x[0] > 0.5 else Law(x[1]))
    stack.reverse()
    return stack.pop(0).f(x[0]) + sum(law.v for law in stack)

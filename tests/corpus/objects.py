"""Operators of objects that are no plain numbers, and what an instance has in the place of a method of its class."""

import functools
import types
from fractions import Fraction

import numpy as np

from tests.corpus.case import at, vec


class Cubing:
    """An object whose operators are not those of any number."""

    def __init__(self, k):
        self.k = k

    def __add__(self, other):
        return self.k * other**3

    def __rsub__(self, other):
        return other**2 - self.k

    def __iadd__(self, other):
        return other * self.k * other

    def __mul__(self, other):
        return NotImplemented

    def __rmul__(self, other):
        return self.k / other

    def __neg__(self):
        return self.k * 2.0

    def __getitem__(self, index):
        return index * index * self.k

    def __lt__(self, other):
        return other > 0.0

    def __bool__(self):
        return False

    def __float__(self):
        return self.k

    def __len__(self):
        return 3


class Squared(float):
    """A float that adds otherwise."""

    def __add__(self, other):
        return 3.0 * other**2

    def __radd__(self, other):
        return 5.0 * other**3


class Weights(np.ndarray):
    """An array that adds otherwise."""

    def __add__(self, other):
        return 3.0 * other**2


CUBING, HELD = Cubing(2.0), {"all": [Cubing(1.5)]}
SQUARED = Squared(2.0)
WEIGHTS = np.array([1.0, 2.0]).view(Weights)
HALF, KNOWN = Fraction(3, 2), np.array([2.5], dtype=object)


@at((1.5,), (-0.5,))
def added(x):
    return CUBING + x


@at((1.5,))
def subtracted_from(x):
    return x - HELD["all"][0]


@at((1.5,))
def not_implemented_then_reflected(x):
    return x * CUBING


@at((1.5,))
def in_place(x):
    y = CUBING
    y += x
    return y


@at((1.5,))
def negated_and_indexed(x):
    return x * -CUBING + CUBING[x]


@at((1.5,), (-1.5,))
def compared_and_asked(x):
    y = x * x if CUBING < x else x**3
    return y if CUBING else 2.0 * y


@at((1.5,))
def converted(x):
    return float(CUBING) * x**2 + len(CUBING) * x


@at((1.5,))
def float_of_a_subclass(x):
    return SQUARED + x + (x + SQUARED)


@at((vec(1.5, 0.5),))
def array_of_a_subclass(x):
    return np.sum(WEIGHTS + x)


@at((1.5,))
def carried_by_a_loop(x, start=SQUARED):
    held, y = start, x
    for _ in range(3):
        y = (held + y) * 0.1
        held = start
    return y


@at((1.5,))
def made_inside(x):
    return (Cubing(x) + x) * sum([SQUARED, x])


@at((1.5,))
def fraction_of_it(x):
    return HALF * x + x**HALF + x / HALF


@at((vec(1.5, 0.5),))
def exponent_that_only_the_run_knows(x):
    return np.sum(x ** KNOWN[0] * KNOWN[0])


class Activated:
    """A layer with a method that an instance may replace."""

    def act(self, v):
        return np.sin(v)

    def loss(self, x):
        return self.act(x) * x


PLAIN, REPLACED = Activated(), Activated()
REPLACED.act = np.exp
method_of_its_class = at((1.5,))(PLAIN.loss)
method_replaced = at((1.5,))(REPLACED.loss)


class Radius:
    """An area that is kept as a radius, and what it does not have is three."""

    def __init__(self, area):
        self.area = area

    @property
    def area(self):
        return self.radius**2

    @area.setter
    def area(self, area):
        self.radius = area**0.5

    def __getattr__(self, name):
        return 3.0


@at((1.3,))
def properties_that_are_set(x):
    disc = Radius(x)
    disc.area = x * 3.0
    disc.area += x**2
    return disc.radius * disc.area * disc.height


class Sized:
    """Has a width, by one way or another, and no depth."""

    height = 2.0

    def __init__(self, width):
        self.width = width

    @property
    def hidden(self):
        raise AttributeError("hidden")

    @property
    def area(self):
        return self.width * self.height


class Dynamic:
    """Has what its method says."""

    def __getattr__(self, name):
        if name == "width":
            return 5.0
        raise AttributeError(name)


class Slotted:
    __slots__ = ("depth", "width")

    def __init__(self, width):
        self.width = width


SIZED, DYNAMIC = Sized(3.0), Dynamic()


@at((1.5,))
def attributes_with_a_default_of_an_object_from_outside(x):
    there = getattr(SIZED, "width", x) * getattr(SIZED, "height", x) + getattr(SIZED, "area", x) * getattr(DYNAMIC, "width", x)
    return there * x + getattr(SIZED, "depth", x) * getattr(SIZED, "hidden", x) * getattr(DYNAMIC, "depth", x)


@at((1.5,))
def attributes_with_a_default_of_what_is_made(x):
    made, slotted = Sized(x), Slotted(x)
    there = getattr(made, "width", 7.0) * getattr(made, "height", 7.0) + getattr(slotted, "width", 7.0)
    return there * getattr(made, "depth", x * x) * getattr(slotted, "depth", x) + getattr(x, "depth", 2.0) * getattr(
        x, "real", 2.0
    )


def _by_attributes(o, x):
    return getattr(o, "width", x * x) * x + getattr(o, "hidden", x) * (2.0 if hasattr(o, "depth") else x)


ASKED = (Sized(2.5), Dynamic(), 3)


@at((1.5,))
def attributes_with_a_default_of_what_is_known(x):
    return sum(_by_attributes(o, x) for o in ASKED)


@at((1.5,))
def whether_there_are_attributes(x):
    made = Sized(x)
    there = [
        hasattr(made, "width"),
        hasattr(made, "height"),
        hasattr(Sized, "area"),
        hasattr(SIZED, "area"),
        hasattr([x], "sort"),
    ]
    gone = [hasattr(made, "depth"), hasattr(SIZED, "hidden"), hasattr(Slotted(x), "depth"), hasattr(x, "sort")]
    return x ** (1 + sum(there)) + x * sum(gone)


class Quadruple:
    def __init__(self, w, x, y, z):
        self.w, self.x, self.y, self.z = w, x, y, z

    def __iter__(self):
        return iter((self.w, self.x, self.y, self.z))

    def norm(self):
        return np.sqrt(sum(c * c for c in self))


class Walked:
    def __init__(self, items):
        self.items = items
        self.walks = 0

    def __iter__(self):
        self.walks += 1
        return iter(self.items)


@at((vec(0.3, 1.2, -0.7),))
def walks_over_an_object_of_few(v):
    q = Quadruple(v[0], v[1], v[2], v[0] * v[1])
    unit = Quadruple(*(c / q.norm() for c in q))
    total = 0.0
    for k, (a, b) in enumerate(zip(unit, v)):
        total += a * b * k
    for a in map(lambda t: t * t, q):
        total += a
    w, x, _, _ = q
    return total + list(q)[1] * w + sorted(q)[0] * x + [*unit][2] + max(q) + sum(q)


@at((vec(0.3, 1.2, -0.7),), (vec(0.4),))
def walks_over_an_object_are_counted(v):
    items = Walked(v * v)
    first, *rest = items
    return sum(items) * first + sum(x * y for x, y in zip(items, v)) * items.walks + len(rest) + np.sum(np.array(list(items)))


@at((vec(0.3, 1.2, -0.7),))
def object_of_an_array_and_a_number(v):
    u = v / np.linalg.norm(v)
    q = Quadruple(*(2.0 * u), v[0])
    return q.norm() * q.x


class _Link:
    def __init__(self, value, rest=None):
        self.value = value
        self.rest = rest


@at((vec(0.4, 1.7, -0.3),), (vec(1.1, 0.2),))
def linked_list(x):
    head = None
    for v in x:
        head = _Link(v, head)
    total, weight, link = 0.0, 1.0, head
    while link is not None:
        total += weight * link.value**2
        weight *= 0.5
        link.value *= 2.0
        link = link.rest
    return total + head.value * head.rest.value


@at((vec(0.4, 1.7, -0.3),))
def chosen_objects_that_change_between_the_choices(x):
    up, down, total = _Link(x[0]), _Link(x[1]), 0.0
    for i in range(len(x)):
        chosen = up if x[i] > 0.5 else down
        total += chosen.value * x[i]
        up.value += 1.0
        down.value *= x[i]
    return total


class _Pile:
    """Numbers one upon another; one that has none is false."""

    def __init__(self):
        self.held = []

    def __bool__(self):
        return len(self.held) > 0


@at((vec(0.4, 1.7, -0.3),), (vec(0.4, 0.2),))
def object_that_says_whether_a_loop_goes_on_that_may_stop(x):
    pile, total = _Pile(), 0.0
    for v in x:
        pile.held.append(v)
    while pile:
        total = total * 0.5 + pile.held.pop() ** 2
        if total > 2.0:
            break
    return total


class StepControl:
    """Steps of an equation as long as their errors allow, with counts of those that were taken and of others."""

    def __init__(self, slope, damped=None):
        self.slope, self.damped = slope, damped
        self.taken = self.refused = 0

    def solve(self, y, end, h):
        t = 0.0
        while t < end:
            if self.taken + self.refused > 100:
                raise RuntimeError("too many steps")
            h = min(h, end - t)
            new = y + h * self.slope(t, y)
            error = 10.0 * np.sqrt(np.mean((h * y) ** 2))
            if error <= 1.0:
                t, y = t + h, new
                self.taken += 1
            else:
                self.refused += 1
                if self.damped is not None:
                    y = self.damped(y)
            h *= min(5.0, max(0.2, 0.9 * (error + 1e-12) ** (-1 / 3)))
        return y


@at((0.7, vec(1.0, 0.4)), (1.2, vec(0.8, 0.3)))
def counts_beside_a_function_that_captured_what_moves(rate, y):
    control = StepControl(lambda t, y: np.array([-rate * y[0], y[0] * y[1]]))
    return np.sum(control.solve(y, 1.0, 0.3)) * control.taken + control.refused


class Damping:
    def __init__(self, share):
        self.share = share

    def apply(self, y):
        return y * self.share


@at((0.9, vec(1.3, 0.4)))
def counts_beside_a_method_that_is_held(share, y):
    control = StepControl(functools.partial(lambda k, t, y: -k * y, share), Damping(share).apply)
    return np.sum(control.solve(y, 1.0, 0.8)) * control.taken + control.refused


class Circuit:
    gain = 2.0

    def __init__(self, **parts):
        self.__dict__.update(dict(loss=0.5), **parts)
        self.level = 1.0

    def total(self):
        return sum(self.__dict__.values())


@at((vec(0.3, 1.2, -0.7),), (vec(-0.3, 0.4, 0.9),))
def attributes_stored_in_the_dict_of_an_object(x):
    circuit = Circuit(first=x[0], second=x[1] ** 2)
    circuit.level += circuit.first * circuit.gain
    other = Circuit(**vars(circuit))
    held = other.__dict__
    for k in range(2):
        held["second"] = held["second"] * x[k]
    if x[0] > 0:
        held["first"] = x[2] ** 2
    del held["loss"]
    held.setdefault("gain", x[1])
    return circuit.total() * other.second + other.first * other.gain + circuit.first * len(held)


@at((vec(0.3, 1.2, -0.7),), (vec(-0.3, 0.4, 0.9),))
def simple_namespaces(x):
    bodies = [types.SimpleNamespace(place=v, pace=x[0], past=[]) for v in (x[0], x[1], x[2])]
    control = types.SimpleNamespace(step=0.1, steps=3, done=0)
    while control.done < control.steps:
        for body in bodies:
            body.pace -= control.step * np.sin(body.place)
            body.place += control.step * body.pace
            body.past.append(body.place)
        control.done += 1
    first, last = bodies[0], bodies[-1]
    if first == types.SimpleNamespace(**vars(last)) or control != types.SimpleNamespace(step=0.1, steps=3, done=3):
        return x[0]
    if x[0] < 0:
        first = types.SimpleNamespace(place=x[1], pace=2.0, past=[])
    return first.place * first.pace + sum(sum(body.past) for body in bodies) * getattr(last, "mass", 2.0)


class Transform:
    def __init__(self, p):
        self.p = p

    def scaled(self, factor):
        return Transform(self.p * factor)


@at((vec(1.3, 0.7, 2.1, 0.9),))
def objects_made_anew_and_then_changed(x):
    fit = Transform(np.ones(2))
    for v in x:
        if v > 1.0:
            fit = fit.scaled(v)
        fit.p = fit.p - 0.1 * v
    settings = {"rate": x[0], "limit": x[1]}
    if x[0] > x[1]:
        settings = {"rate": x[1], "limit": x[2]}
    settings["rate"] = settings["rate"] * 3.0
    return np.sum(fit.p**2) + settings["rate"] * settings["limit"]


@at((vec(1.3, 0.7, 2.1, 0.9),))
def steps_that_are_taken_back(x):
    state, rejected = Transform(x * 0.5), 0
    for k in range(5):
        trial = state.scaled(1.0 + 0.3 * (k - 2))
        trial.p = trial.p + 0.1 * x
        if np.sum(trial.p) > 1.3 * np.sum(state.p):
            rejected += 1
            continue
        state = trial
        state.p *= 0.9
    best = None
    for v in state.p:
        if best is None or v > best.p:
            best = Transform(v)
    best.p = best.p * 2.0
    return np.sum(state.p**2) * best.p + rejected


class Asked:
    def __init__(self, width):
        self.width = width

    @property
    def area(self):
        if self.width < 0.0:
            raise AttributeError("area")
        return self.width**2


class Delegating(Asked):
    def __getattr__(self, name):
        if name == "depth":
            return 3.0 * self.width
        raise AttributeError(name)


@at((1.5,), (-0.5,))
def default_where_a_property_raises(x):
    return getattr(Asked(x), "area", 2.0) * x


@at((1.5,))
def default_where_a_method_says_what_there_is(x):
    made = Delegating(x)
    return getattr(made, "depth", 2.0) * x + getattr(made, "height", 2.0) * x**2 * (1 + hasattr(made, "depth"))

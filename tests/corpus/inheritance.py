"""Methods that go on with those of the next class, by ``super()``."""

import functools
from dataclasses import dataclass

import numpy as np

from tests.corpus.case import at, vec


class Model:
    order = 2.0

    def __init__(self, gain):
        self.gain = gain

    @property
    def scale(self):
        return self.gain**2

    @classmethod
    def unit(cls, gain):
        return cls(gain)

    @staticmethod
    def bend(x):
        return x**3

    def __call__(self, x):
        return self.gain * x


class Damped(Model):
    def __init__(self, gain, damping=0.5):
        super().__init__(gain)
        self.damping = damping

    @property
    def scale(self):
        return super().scale * self.damping

    @classmethod
    def unit(cls, gain):
        made = super().unit(gain * 2.0)
        made.damping = gain
        return made

    def __call__(self, x):
        return super().__call__(x) * np.exp(-self.damping * x) + super().bend(x) * super().order


class Shifted(Model):
    def __init__(self, gain, shift):
        super().__init__(gain)
        self.shift = shift

    def __call__(self, x):
        return super().__call__(x + self.shift)


class Both(Damped, Shifted):
    def __init__(self, gain, damping, shift):
        Shifted.__init__(self, gain, shift)
        self.damping = damping

    def __call__(self, x):
        return super().__call__(x)


class First:
    def __init__(self, first, **rest):
        super().__init__(**rest)
        self.first = first


class Second:
    def __init__(self, second, **rest):
        super(Second, self).__init__(**rest)
        self.second = second


class Cooperative(First, Second):
    def __init__(self, **given):
        super().__init__(**given)


@dataclass
class Point:
    x: float
    y: float = 2.0

    def norm(self):
        return self.x**2 + self.y**2


@dataclass
class Weighted(Point):
    weight: float = 1.0

    def __init__(self, x, weight):
        super().__init__(x * weight)
        self.weight = weight

    def norm(self):
        return super().norm() * self.weight


OUTSIDE = Both(1.5, 0.3, 0.2)


@at((0.7, 1.3))
def method_of_the_next_class(x, gain):
    model = Damped(gain)
    return model(x) * model.scale


@at((0.7, 1.3))
def class_method_of_the_next_class(x, gain):
    return Damped.unit(gain)(x)


@at((vec(0.3, 1.7), 1.3))
def several_bases(x, gain):
    total = 0.0
    for v in x:
        total += Both(gain, v, v * gain)(v)
    return total + OUTSIDE(x[0]) + OUTSIDE.scale


@at((0.7, 1.3))
def initialised_by_all(x, y):
    made = Cooperative(first=x, second=x * y)
    return made.first * made.second


@at((0.7, 1.3))
def initialised_by_a_dataclass(x, y):
    return Weighted(x, y).norm()


class Priced:
    """A visitor that has a method for each class."""

    @functools.singledispatchmethod
    def price(self, what, rate):
        raise TypeError(what)

    @price.register
    def _(self, what: float, rate):
        return what * np.exp(-rate)

    @price.register
    def _(self, what: list, rate):
        return sum(self.price(one, rate) for one in what)


@at((vec(0.5, 1.2, 0.3),))
def method_by_the_class_of_what_it_is_given(x):
    visitor = Priced()
    return visitor.price([1.0, [2.0, 0.5]], x[0]) * x[1] + visitor.price(3.0, x[2] * x[1])


class Begun:
    """An object that `__new__` begins and `__init__` completes."""

    def __new__(cls, x, y):
        point = super().__new__(cls)
        point.x = x
        return point

    def __init__(self, x, y):
        self.y = y

    def size(self):
        return self.x**2 + self.y**2


class BegunByTwo(Begun):
    def __new__(cls, x, y=2.0):
        point = super(BegunByTwo, cls).__new__(cls, x * 2, y)
        point.weight = 3.0
        return point

    def __init__(self, x, y=2.0):
        super().__init__(x, y)


class Area:
    """A class whose call makes an object of one of its subclasses."""

    def __new__(cls, kind, radius):
        if cls is Area:
            return object.__new__(Disc if kind == "disc" else Field)
        return object.__new__(cls)

    def __init__(self, kind, radius):
        self.radius = radius


class Disc(Area):
    def area(self):
        return np.pi * self.radius**2


class Field(Area):
    def area(self):
        return self.radius**2


class Doubled:
    """A class whose call gives a number."""

    def __new__(cls, v):
        return v * 2.0


class Raw:
    def __init__(self, v):
        self.v = v

    @classmethod
    def raw(cls, v):
        state = cls.__new__(cls)
        state.v = v * 3.0
        return state

    def copy(self):
        state = object.__new__(type(self))
        state.__dict__.update(self.__dict__)
        return state


@at((vec(0.7, 0.3, 1.1),))
def objects_begun_by_new(x):
    total = 0.0
    for k in range(3):
        total += Begun(x[0] * k, x[1]).size() * BegunByTwo(x[2]).size()
    return total * BegunByTwo(x[1], x[0]).weight


@at((vec(0.7, 0.3, 1.1),))
def objects_of_a_class_that_new_chooses(x):
    return Area("disc", x[0]).area() * Area("field", x[1]).area() + Field("", x[2]).area() + Doubled(x[1]) ** 2


@at((vec(0.7, 0.3, 1.1),))
def objects_made_without_their_constructor(x):
    state = Raw.raw(x[0])
    other = state.copy()
    other.v = other.v * x[1] + Raw(x[2]).copy().v
    return state.v + other.v**2


class Sized:
    """A class whose call makes an object of one of its subclasses, which the run chooses, and completes it once more."""

    def __new__(cls, v):
        if cls is Sized:
            return (Large if v > 0.5 else Small)(v)
        return object.__new__(cls)

    def __init__(self, v):
        self.v = v
        self.times = getattr(self, "times", 0) + 1


class Large(Sized):
    def size(self):
        return self.v**2 * self.times


class Small(Sized):
    def size(self):
        return self.v**3 * self.times


@at((vec(0.7, 0.3, 1.1),), (vec(0.2, 0.9, 1.1),))
def objects_that_new_makes_of_what_the_run_chooses(x):
    return Sized(x[0]).size() * Sized(x[1]).size() + Large(x[2]).size()


class AtMost:
    def __new__(cls, v):
        return None if v > 0.5 else object.__new__(cls)

    def __init__(self, v):
        self.v = v


@at((vec(0.7, 0.3, 1.1),), (vec(0.2, 0.9, 1.1),))
def objects_that_new_makes_or_not(x):
    found = AtMost(x[0])
    return x[1] ** 2 if found is None else found.v**3 * x[2]

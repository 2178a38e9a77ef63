"""Attributes that descriptors of the program make: what is kept once it was asked for, units, bounds, bound calls."""

import functools

import numpy as np

from tests.corpus.case import at, vec


class Kept:
    """A property that its object keeps under the same name once it has been asked for."""

    def __init__(self, method):
        self.method = method
        functools.update_wrapper(self, method)

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        value = self.method(instance)
        instance.__dict__[self.__name__] = value
        return value


class Lazily:
    """A property that its object keeps under another name."""

    def __init__(self, method):
        self.method = method

    def __set_name__(self, owner, name):
        self.name = f"_{name}"

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        if not hasattr(instance, self.name):
            setattr(instance, self.name, self.method(instance))
        return getattr(instance, self.name)


class Unit:
    """A length in another unit, read and set."""

    def __init__(self, factor):
        self.factor = factor

    def __get__(self, instance, owner=None):
        return self if instance is None else instance.metres / self.factor

    def __set__(self, instance, value):
        instance.metres = value * self.factor


class Scaled:
    """A method whose results are scaled by what its object has."""

    def __init__(self, method):
        self.method = method

    def __get__(self, instance, owner=None):
        def call(*args, **kwargs):
            return self.method(instance, *args, **kwargs) * instance.metres

        return call


class Length:
    km = Unit(1000.0)
    mm = Unit(0.001)

    def __init__(self, metres):
        self.metres = metres
        self.asked = 0

    @Kept
    def square(self):
        self.asked += 1
        return self.metres**2

    @Lazily
    def cube(self):
        self.asked += 1
        return self.metres**3

    @Scaled
    def times(self, factor, shift=0.0):
        return self.metres * factor + shift


class Width(Length):
    @property
    def twice(self):
        return super().km * 2.0 + self.square


@at((vec(0.4, -0.2, 1.1),))
def kept_once_asked_for(x):
    a, b = Length(x[0] * x[1]), Length(x[2])
    total = a.square * a.square + b.square * a.cube + a.cube**2
    a.metres = 10.0 * x[2]
    return total + a.square * a.asked + b.asked * x[1] + a.cube * a.km


@at((vec(0.4, -0.2, 1.1),))
def read_and_set_in_units(x):
    length = Length(x[0])
    length.km = length.mm * x[1]
    length.mm += x[2]
    return length.metres * length.km * length.square


@at((vec(0.4, -0.2, 1.1),))
def calls_bound_by_a_descriptor(x):
    length = Length(x[0] + 1.0)
    return length.times(x[1]) * length.times(2.0, shift=x[2])


@at((vec(0.4, -0.2, 1.1),))
def descriptors_of_objects_in_a_loop(x):
    total = 0.0
    for value in x:
        width = Width(value**2 + 0.5)
        total += width.twice * width.square - width.cube
    return total + np.sum(x) * Width(x[0]).twice

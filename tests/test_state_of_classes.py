"""Attributes of classes and of functions from outside that a function sets: counters, serial numbers, bests, caches.

Each program is run plainly and derived, from the same state: the value, the slope, and what is left in both agree.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.integrate import quad

import adxform
from adxform.errors import GlobalMutationError


def counted(fn: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return fn(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


@counted
def square(x):
    return x**2


@counted
def cube(x):
    return x**3


class Base:
    count = 0
    total = 0.0
    names: ClassVar[list[float]] = []
    best = None

    def __init__(self, k=1.0):
        type(self).count += 1
        self.k = k

    def scaled(self, x):
        Base.total += x
        return x * self.k * self.total

    @classmethod
    def make(cls, k):
        cls.made = getattr(cls, "made", 0) + 1
        return cls(k)

    @property
    def n(self):
        return self.count

    @counted
    def sine(self, x):
        return np.sin(x) * self.total

    def times(self, v):
        return v * self.total


class Sub(Base):
    def __init__(self, k):
        super().__init__(k)
        self.id = Base.count


class Slotted:
    __slots__ = ("a",)
    serial = 0

    def __init__(self, a):
        Slotted.serial += 1
        self.a = a


ONE, TWO = Base(3.0), Sub(2.0)
OWN = Base(1.0)
OWN.total = 4.0


# -- programs ---------------------------------------------------------------------------------------------------------


def counted_objects(x):
    return Base(x).scaled(x) * Base.count


def base_and_subclass(x):
    a, b = Base(x), Sub(x)
    return a.scaled(x) * b.scaled(x) * a.count + b.count * x + Base.count * x**2 + Sub.count * x**3 + b.id * x**4


def by_classmethod(x):
    return Base.make(x).scaled(x) + Sub.make(2 * x).scaled(x) * Sub.made + Base.made * x


def in_a_loop(x):
    for _ in range(3):
        x = Base(x).scaled(x) + 0.1
    return x * Base.count


def in_a_while_loop(x):
    s = 0.0
    while s < 5:
        s = s + Sub(x).scaled(x) + 1.0
    return s * Sub.count


def read_by_objects_from_outside(x):
    Base.count = 7
    return ONE.count * x + TWO.count * x**2 + TWO.n * x**3 + ONE.n * x


def by_class_of_an_object(x):
    TWO.__class__.count = 5
    Base.total = x * x
    return ONE.count * x + TWO.count * x**2 + TWO.n * x**3 + TWO.total * x


def a_new_name(x):
    Base.added = x * 2
    return Sub.added * x + TWO.added + Base(1.0).added


def asked_for(x):
    Base.added = 3.0
    asked = hasattr(TWO, "added") + 2 * hasattr(Sub(1.0), "added") + x**2 * hasattr(Sub, "added")
    return x * asked * getattr(TWO, "added", 7.0)


def on_one_path(x):
    if x > 0.5:
        Base.total = x
    return x * Base.total


def in_the_subclass_on_one_path(x):
    if x > 0.5:
        Sub.total = x
    return x * Sub.total + Base.total * x


def on_the_other_path(x):
    if x < 0.5:
        Sub.total = x
    return x * Sub.total + Base.total * x + Sub(1.0).total


def behind_an_attribute_of_the_object(x):
    b = Base(x)
    b.total = 5.0
    Base.total = x
    return b.total * x + TWO.total * x + OWN.total * x


def object_begins_with_the_class(x):
    b = Base(x)
    b.total += x
    return b.total * x + Base.total


def slotted(x):
    a, b = Slotted(x), Slotted(2 * x)
    return a.a * b.a * Slotted.serial * b.serial


def logged(x):
    Base.names.append(float(x))
    return x * 2


def kept_best(x):
    v = x**2
    if Base.best is None or v < Base.best:
        Base.best = v
    return v + Base.best


def another_list(x):
    Base.names = [x, 2 * x]
    return x**2


def by_setattr(x):
    setattr(Base, "total", x)  # noqa: B010
    return Base.total * TWO.total


def by_super(x):
    b = Sub(x)
    return super(Sub, b).count * x


def a_callback_reads_it(x):
    Base.total = 4.0
    return float(np.vectorize(TWO.times)(np.ones(1))[0]) * x


def an_integrand_reads_it(x):
    Base.total = x
    return quad(lambda t: t * TWO.total, 0, 2.0)[0]


def counted_function(x):
    y = square(x) * cube(x)
    return y * square.calls + cube.calls * x


def counted_method(x):
    b = Base(x)
    return b.sine(x) + b.sine(2 * x) * Base.sine.calls * b.sine.calls


def counted_in_a_loop(x):
    while x < 5:
        x = square(x) + 1.1
    return x * square.calls


def reset(x):
    square.calls = 0
    return square(square(x)) * square.calls


def kept_by_the_function_itself(x):
    kept_by_the_function_itself.best = x * 2
    return kept_by_the_function_itself.best * x


def by_two_names(x):
    s = square
    s.calls += 1
    return x * square.calls + square(x) * s.calls


def handed_over(x):
    return sum(called(f, x) for f in (square, cube))


def called(fn, x):
    fn.calls = 5
    return fn(x) * fn.calls


def functions_in_a_dict(x):
    return sum(f(x) * f.calls for f in {"a": square, "b": cube}.values())


def one_of_two_functions(x):
    f = square if x > 0.3 else cube
    return f(x)


# -- checks ----------------------------------------------------------------------------------------------------------

PROGRAMS = [
    counted_objects,
    base_and_subclass,
    by_classmethod,
    in_a_loop,
    in_a_while_loop,
    read_by_objects_from_outside,
    by_class_of_an_object,
    a_new_name,
    asked_for,
    on_one_path,
    in_the_subclass_on_one_path,
    on_the_other_path,
    behind_an_attribute_of_the_object,
    object_begins_with_the_class,
    slotted,
    logged,
    kept_best,
    another_list,
    by_setattr,
    by_super,
    a_callback_reads_it,
    an_integrand_reads_it,
    counted_function,
    counted_method,
    counted_in_a_loop,
    reset,
    kept_by_the_function_itself,
    by_two_names,
    handed_over,
    functions_in_a_dict,
    one_of_two_functions,
]
HELD = (Base, Sub, Slotted, square, cube, Base.sine, kept_by_the_function_itself)
BEGIN = [dict(vars(one)) for one in HELD]


@pytest.fixture(autouse=True)
def _as_before() -> Any:
    begin()
    yield
    begin()


def begin() -> None:
    for one, before in zip(HELD, BEGIN, strict=True):
        for name in set(vars(one)) - set(before):
            delattr(one, name)
        for name, value in before.items():
            if not name.startswith("__") and vars(one)[name] is not value:
                setattr(one, name, value)
    Base.names.clear()


def left() -> list[Any]:
    kinds = int | float | list | None
    return [
        (one.__name__, sorted((name, type(v), v) for name, v in vars(one).items() if name[:2] != "__" and isinstance(v, kinds)))
        for one in HELD
    ]


def fresh(call: Callable[[], Any]) -> tuple[Any, list[Any]]:
    begin()
    found = call()
    return found, left()


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives_set_what_a_plain_call_sets(f: Callable[[Any], Any]) -> None:
    x, step = 0.7, 1e-5
    value, after = fresh(lambda: f(x))
    slope = (fresh(lambda: f(x + step))[0] - fresh(lambda: f(x - step))[0]) / (2 * step)
    near = pytest.approx(slope, rel=1e-6)
    gradient = adxform.grad(f)
    for _ in range(2):
        assert fresh(lambda: gradient(x)) == (near, after)
    assert fresh(lambda: adxform.jvp(f, (x,), (1.0,))) == ((value, near), after)
    (found, pullback), state = fresh(lambda: adxform.vjp(f, x))
    assert (found, state) == (value, after)
    assert [pullback(1.0), pullback(2.0)] == [(near,), (pytest.approx(2 * slope, rel=1e-6),)]
    assert left() == after
    assert fresh(lambda: adxform.value_and_grad(f, engine="numba")(x)) == ((value, near), after)


@pytest.mark.parametrize("f", PROGRAMS)
def test_a_second_call_goes_on_from_the_first(f: Callable[[Any], Any]) -> None:
    expected = fresh(lambda: (f(0.7), f(0.9)))
    assert fresh(lambda: (adxform.vjp(f, 0.7)[0], adxform.vjp(f, 0.9)[0])) == expected


class Held:
    """What a global name stands for, which a program exchanges between calls."""

    it: Any = ONE


def exchanged(x):
    Base.total = x
    return Held.it.total * x


def test_each_call_sees_which_object_and_class_it_is() -> None:
    class Other(Base):
        total = 3.0

    class Deep(Base):
        pass

    gradient = adxform.grad(exchanged)
    for it, expected in ((ONE, 1.4), (Other(), 3.0), (Deep(), 1.4), (OWN, 4.0), (TWO, 1.4)):
        Held.it = it
        assert gradient(0.7) == pytest.approx(expected)
    Deep.total = 1.5
    Held.it = Deep()
    assert gradient(0.7) == 1.5


def another_method(x):
    Base.scaled = lambda self, x: x
    return x


def a_special_method(x):
    Base.__call__ = 3
    return x


def in_the_place_of_a_property(x):
    Base.n = 3
    return x


def deleted(x):
    del Base.total
    return x


def a_name_of_every_functions(x):
    square.__name__ = "sq"
    return square(x)


REFUSED = [another_method, a_special_method, in_the_place_of_a_property, deleted, a_name_of_every_functions]


@pytest.mark.parametrize("f", REFUSED)
def test_what_means_more_than_data_is_not_set(f: Callable[[Any], Any]) -> None:
    with pytest.raises(GlobalMutationError) as caught:
        adxform.grad(f)(0.7)
    assert caught.value.span.line

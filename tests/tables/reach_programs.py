"""Functions that reach another function by many ways, for the table of reaches.

Each builder takes the function to be reached, or ``None`` for the one that its class has, and returns a function of one number
that reaches it and what reaches another one from then on.
"""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Reached = Any
Built = tuple[Callable[[float], Any], Callable[[Reached], None]]


class Holder:
    """What the builders set attributes of."""

    act: Any

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


class Shadowed:
    """A class with a method that an instance may have an attribute in the place of."""

    def act(self, v: Any) -> Any:
        return np.sin(v)

    def loss(self, x: Any) -> Any:
        return self.act(x) * x


class Inherited(Shadowed):
    """A class that inherits both."""


class Overriding(Shadowed):
    """A class that overrides the method."""

    def act(self, v: Any) -> Any:
        return np.cos(v) * v


def fresh(base: type = Shadowed) -> Any:
    """A class of its own, so that setting its attributes is seen by no other program."""
    return type("Fresh", (base,), {"__module__": __name__})


def rebinding(owner: Any, name: str = "act") -> Callable[[Reached], None]:
    return lambda other: setattr(owner, name, other)


def shadowing_instance(v: Reached, base: type = Shadowed) -> Built:
    made = base()
    if v is not None:
        made.act = v
    return made.loss, rebinding(made)


def inheriting_instance(v: Reached) -> Built:
    return shadowing_instance(v, Inherited)


def overriding_instance(v: Reached) -> Built:
    return shadowing_instance(v, Overriding)


class Only:
    def loss(self, x: Any) -> Any:
        return self.act(x) * x  # type: ignore[attr-defined]


def instance_only(v: Reached) -> Built:
    made = Only()
    rebinding(made)(v or np.sin)
    return made.loss, rebinding(made)


def class_attribute(v: Reached) -> Built:
    cls = fresh()
    if v is not None:
        cls.act = staticmethod(v)
    return cls().loss, lambda other: setattr(cls, "act", staticmethod(other))


def attribute_of_base(v: Reached) -> Built:
    base = fresh()
    cls = fresh(base)
    if v is not None:
        base.act = staticmethod(v)
    return cls().loss, lambda other: setattr(base, "act", staticmethod(other))


def overridden_later(v: Reached) -> Built:
    cls = fresh(fresh())
    if v is not None:
        cls.act = staticmethod(v)
    return cls().loss, lambda other: setattr(cls, "act", staticmethod(other))


class Outer:
    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def loss(self, x: Any) -> Any:
        return self.inner.inner.act(x) * x

    def at(self, x: Any) -> Any:
        return self.inner[0](x) * x

    def named(self, x: Any) -> Any:
        return self.inner["act"](x) * x

    def deep(self, x: Any) -> Any:
        return self.inner["all"][1][0](x) * x


def nested(v: Reached) -> Built:
    inner = Shadowed()
    if v is not None:
        rebinding(inner)(v)
    return Outer(Holder(inner=inner)).loss, rebinding(inner)


def in_list(v: Reached) -> Built:
    acts = [v or np.sin, np.cos]
    return Outer(acts).at, lambda other: acts.__setitem__(0, other)


def in_tuple(v: Reached) -> Built:
    made = Outer((v or np.sin, np.cos))
    return made.at, lambda other: setattr(made, "inner", (other, np.cos))


def in_dict(v: Reached) -> Built:
    acts = {"act": v or np.sin}
    return Outer(acts).named, lambda other: acts.__setitem__("act", other)


def deep_inside(v: Reached) -> Built:
    acts = [v or np.sin]
    return Outer({"all": [np.cos, acts]}).deep, lambda other: acts.__setitem__(0, other)


def in_closure(v: Reached) -> Built:
    act = v or np.sin

    def loss(x: Any) -> Any:
        return act(x) * x

    def rebind(other: Reached) -> None:
        nonlocal act
        act = other

    return loss, rebind


def in_closure_of_helper(v: Reached) -> Built:
    act = v or np.sin

    def helper(x: Any) -> Any:
        return act(x)

    def rebind(other: Reached) -> None:
        nonlocal act
        act = other

    return lambda x: helper(x) * x, rebind


SETTINGS: Any = Holder(act=np.sin)
ACT: Any = np.sin


def by_global(x: Any) -> Any:
    return ACT(x) * x


def of_global(x: Any) -> Any:
    return SETTINGS.act(x) * x


def global_name(v: Reached) -> Built:
    globals()["ACT"] = v or np.sin
    return by_global, lambda other: globals().__setitem__("ACT", other)


def attribute_of_global(v: Reached) -> Built:
    SETTINGS.act = v or np.sin
    return of_global, rebinding(SETTINGS)


def module_attribute(v: Reached) -> Built:
    module: Any = types.ModuleType("reached")
    module.act = v or np.sin
    return lambda x: module.act(x) * x, rebinding(module)


def in_default(v: Reached) -> Built:
    def loss(x: Any, act: Any = v or np.sin) -> Any:
        return act(x) * x

    return loss, lambda other: setattr(loss, "__defaults__", (other,))


def in_keyword_default(v: Reached) -> Built:
    def loss(x: Any, *, act: Any = v or np.sin) -> Any:
        return act(x) * x

    return loss, lambda other: setattr(loss, "__kwdefaults__", {"act": other})


class ByProperty:
    def __init__(self, chosen: Any) -> None:
        self.chosen = chosen

    @property
    def act(self) -> Any:
        return self.chosen

    @classmethod
    def of_class(cls, x: Any) -> Any:
        return cls.held(x) * x  # type: ignore[attr-defined]

    def loss(self, x: Any) -> Any:
        return self.act(x) * x

    def __call__(self, x: Any) -> Any:
        return self.chosen(x) * x


def by_property(v: Reached) -> Built:
    made = ByProperty(v or np.sin)
    return made.loss, rebinding(made, "chosen")


def callable_object(v: Reached) -> Built:
    made = ByProperty(v or np.sin)
    return made, rebinding(made, "chosen")


def called_object(v: Reached) -> Built:
    made = ByProperty(v or np.sin)
    return lambda x: made(x) * 2.0, rebinding(made, "chosen")


def classmethod_of_class(v: Reached) -> Built:
    cls: Any = fresh(ByProperty)
    cls.held = staticmethod(v or np.sin)
    return cls.of_class, lambda other: setattr(cls, "held", staticmethod(other))


def classmethod_of_instance(v: Reached) -> Built:
    cls: Any = fresh(ByProperty)
    cls.held = staticmethod(v or np.sin)
    made = cls(None)
    return lambda x: made.of_class(x) + x, lambda other: setattr(cls, "held", staticmethod(other))


def replaced_classmethod(v: Reached) -> Built:
    cls: Any = fresh(ByProperty)
    act = v or np.sin
    cls.made = classmethod(lambda own, x: act(x))
    made = cls(None)
    return lambda x: made.made(x) * x, lambda other: setattr(cls, "made", classmethod(lambda own, x: other(x)))


def apply(act: Any, x: Any) -> Any:
    return act(x) * x


def partial_function(v: Reached) -> Built:
    made = Holder(act=functools.partial(apply, v or np.sin))
    return lambda x: made.act(x), lambda other: setattr(made, "act", functools.partial(apply, other))


def partial_by_name(v: Reached) -> Built:
    made = Holder(act=functools.partial(apply, x=2.0, act=v or np.sin))
    return lambda x: made.act(x=x), lambda other: setattr(made, "act", functools.partial(apply, act=other))


def function_attribute(v: Reached) -> Built:
    def helper(x: Any) -> Any:
        return helper.act(x)  # type: ignore[attr-defined]

    helper.act = v or np.sin  # type: ignore[attr-defined]
    return lambda x: helper(x) * x, rebinding(helper)


class Slotted:
    __slots__ = ("act",)

    def loss(self, x: Any) -> Any:
        return self.act(x) * x


def slot(v: Reached) -> Built:
    made = Slotted()
    made.act = v or np.sin
    return made.loss, rebinding(made)


@dataclass
class Settings:
    scale: float

    def act(self, v: Any) -> Any:
        return np.sin(v) * self.scale


def of_dataclass(v: Reached) -> Built:
    made: Any = Settings(1.5)
    if v is not None:
        made.act = v
    return lambda x: made.act(x) * x, rebinding(made)


def dataclass_argument(v: Reached) -> Built:
    made: Any = Settings(1.5)
    if v is not None:
        made.act = v

    def inner(settings: Any, x: Any) -> Any:
        return settings.act(x) * x

    return functools.partial(inner, made), rebinding(made)


def object_argument(v: Reached) -> Built:
    made = Shadowed()
    if v is not None:
        rebinding(made)(v)

    def inner(settings: Any, x: Any) -> Any:
        return settings.act(x) * x

    return functools.partial(inner, made), rebinding(made)


BUILDERS: tuple[Callable[[Reached], Built], ...] = (
    shadowing_instance, inheriting_instance, overriding_instance, instance_only, class_attribute, attribute_of_base,
    overridden_later, nested, in_list, in_tuple, in_dict, deep_inside, in_closure, in_closure_of_helper, global_name,
    attribute_of_global, module_attribute, in_default, in_keyword_default, by_property, callable_object, called_object,
    classmethod_of_class, classmethod_of_instance, replaced_classmethod, partial_function, partial_by_name, function_attribute,
    slot, of_dataclass, dataclass_argument, object_argument,
)  # fmt: skip


def square(v: Any) -> Any:
    return v * v


def scaled(k: float) -> Any:
    return lambda v: k * v * v


def product(a: Any, b: Any) -> Any:
    return a * b * b


def product_of_three(a: Any, b: Any, c: Any = 5.0) -> Any:
    return a * b * c


class Times:
    """A callable with a number of its own."""

    def __init__(self, k: float) -> None:
        self.k = k

    def __call__(self, v: Any) -> Any:
        return self.k * v * v

    def method(self, v: Any) -> Any:
        return self.k * np.sin(v)

    @classmethod
    def of_class(cls, v: Any) -> Any:
        return np.exp(v) * v

    @staticmethod
    def static(v: Any) -> Any:
        return np.cos(v) * v


class Cubes(Times):
    def __call__(self, v: Any) -> Any:
        return self.k * v**3


REACHED: dict[str, Reached] = {
    "the class's own": None,
    "a ufunc": np.exp,
    "another ufunc": np.tanh,
    "a builtin of math": math.exp,
    "another builtin of math": math.sinh,
    "abs": abs,
    "float": float,
    "a function": square,
    "a lambda with 2": scaled(2.0),
    "a lambda with 3": scaled(3.0),
    "partial with 2": functools.partial(product, 2.0),
    "partial with 3": functools.partial(product, 3.0),
    "partial of three with 3": functools.partial(product_of_three, 3.0),
    "partial of three with 3 and 4": functools.partial(product_of_three, 3.0, 4.0),
    "partial of three with a name": functools.partial(product_of_three, 3.0, c=7.0),
    "a callable with 2": Times(2.0),
    "a callable with 3": Times(3.0),
    "a callable of a subclass": Cubes(3.0),
    "a method with 2": Times(2.0).method,
    "a method with 3": Times(3.0).method,
    "a classmethod": Times.of_class,
    "a staticmethod": Times.static,
}

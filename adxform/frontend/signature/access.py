"""How a specialised function finds again, at each call, what it read from outside its arguments, and checks what it assumed."""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import is_
from pickle import PicklingError
from typing import Any, Literal, Protocol, assert_never

from adxform.frontend.signature import Tree, describe, registration, same_static
from adxform.frontend.signature.class_meaning import Means
from adxform.ir.code_constants import set_orders
from adxform.ir.ops import Lit
from adxform.ir.spans import own_attribute, own_dict

StepKind = Literal["cell", "global", "default", "attribute", "item", "registration", "call"]
Step = tuple[StepKind, Any]


@dataclass(frozen=True, slots=True)
class Access:
    """A path from the entry function (or from the object `root`) to a value: cells, globals, defaults, attributes, items.

    A call on the way is one of a function under `functools.lru_cache`, which gives what it has kept for these constants.
    """

    steps: tuple[Step, ...] = ()
    root: Lit | None = None

    def to(self, kind: StepKind, key: Any) -> Access:
        """This path and one step more."""
        return Access((*self.steps, (kind, key)), self.root)

    def read(self, fn: Callable[..., Any]) -> Any:
        """The value at the end of the path, now. Raises whatever Python does when there is none."""
        value: Any = fn if self.root is None else self.root.value
        for kind, key in self.steps:
            value = _step(value, kind, key)
        return value

    def __str__(self) -> str:
        name = self.root.value.__name__ if self.root is not None and not self.steps and isinstance(self.root.value, type) else ""
        for kind, key in self.steps:
            match kind:
                case "cell" | "global" | "default" | "registration":
                    name = str(key)
                case "attribute":
                    name = f"{name}.{key}" if name else str(key)
                case "item":
                    name = f"{name}[{key!r}]"
                case "call":
                    name = f"{name}({', '.join(repr(arg.value) for arg in key)})"
        return name or "the function"

    @property
    def hint(self) -> str:
        """A variable name made from the last steps of the path."""
        parts: list[str] = []
        for kind, key in self.steps:
            parts = [*parts, str(key)] if kind == "item" else parts if kind == "call" else [str(key)]
        name = "_".join(part if part.isidentifier() or part.isdigit() else "k" for part in parts)
        return name if name.isidentifier() else f"k_{name}" if name else "k"


def path_to(access: Access | None, *steps: Step) -> Access | None:
    """The path `access` and `steps` more; ``None`` to what is found again by no path."""
    return None if access is None else Access((*access.steps, *steps), access.root)


def _step(value: Any, kind: StepKind, key: Any) -> Any:
    match kind:
        case "cell":
            code = value.__code__
            return value.__closure__[code.co_freevars.index(key)].cell_contents
        case "global":
            space = value.__globals__
            if key not in space and not hasattr(builtins, key):
                raise NameError(f"name '{key}' is not defined")
            return space[key] if key in space else getattr(builtins, key)
        case "default":
            return default_of(value, key)
        case "attribute":
            return getattr(value, key)
        case "item":
            return value[key]
        case "registration":
            return registration(value)
        case "call":
            return value(*(arg.value for arg in key))
        case _:
            assert_never(kind)


def default_of(fn: types.FunctionType, name: str) -> Any:
    """The default value of the parameter `name`."""
    if fn.__kwdefaults__ and name in fn.__kwdefaults__:
        return fn.__kwdefaults__[name]
    code = fn.__code__
    defaults = fn.__defaults__ or ()
    position = code.co_varnames.index(name) - (code.co_argcount - len(defaults))
    if not 0 <= position < len(defaults):
        raise LookupError(name)
    return defaults[position]


METHODS = types.MethodType, types.BuiltinMethodType, types.MethodWrapperType


@dataclass(frozen=True, slots=True, eq=False)
class Is:
    """The very object."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Is) and self.met(other.value)

    def __hash__(self) -> int:
        return hash(self.value) if isinstance(self.value, METHODS) else id(self.value)

    def met(self, value: Any) -> bool:
        """Whether `value` is it: of a bound method, which each look makes anew, the same function bound to the same object."""
        kept = self.value
        return value is kept or (isinstance(kept, METHODS) and type(value) is type(kept) and value == kept)


@dataclass(frozen=True, slots=True)
class HasCode:
    """A function with this code."""

    code: types.CodeType

    def met(self, value: Any) -> bool:
        """Whether `value` is one."""
        if not isinstance(value, types.FunctionType):
            return False
        code = value.__code__
        return code is self.code or (code == self.code and set_orders(code) == set_orders(self.code))


@dataclass(frozen=True, slots=True)
class HasClass:
    """An object of exactly this class."""

    cls: type

    def met(self, value: Any) -> bool:
        """Whether `value` is one."""
        return type(value) is self.cls


@dataclass(frozen=True, slots=True)
class Equals:
    """This value and type: ``1``, ``1.0`` and ``True`` differ."""

    lit: Lit

    def met(self, value: Any) -> bool:
        """Whether `value` is that."""
        return same_static(self.lit.value, value)


@dataclass(frozen=True, slots=True)
class Holds:
    """A set, or the keys of a dict, of these elements, which come in this order."""

    lit: Lit

    def met(self, value: Any) -> bool:
        """Whether `value` is one: at most calls of the very same objects, which are compared fast."""
        kept = self.lit.value
        return len(value) == len(kept) and (all(map(is_, kept, value)) or self.lit == Lit(tuple(value)))


@dataclass(frozen=True, slots=True)
class Contains:
    """A set, or the keys of a dict, that has `item` in it, or one that does not."""

    item: Lit
    there: bool

    def met(self, value: Any) -> bool:
        """Whether that is so of `value`."""
        return (self.item.value in value) is self.there


@dataclass(frozen=True, slots=True)
class InThisProcess:
    """A function of which something was told that follows from hashes, which another process has others of.

    `orders`: in which order sets come that are among the constants of its code.
    """

    orders: tuple[tuple[Any, ...], ...] = ()

    def met(self, value: Any) -> bool:
        """Whether `value` is one; another process is not told of it."""
        code = own_attribute(value, "__code__")
        return code is None or set_orders(code) == self.orders

    def __reduce__(self) -> Any:
        raise PicklingError("it follows the order of a set, which is another one in each process")


@dataclass(frozen=True, slots=True)
class LooksLike:
    """Numbers, arrays or a structure of them that `describe` describes by `tree`."""

    tree: Tree
    name: str

    def met(self, value: Any) -> bool:
        """Whether `value` is described so."""
        return describe(value, self.name)[0] == self.tree


@dataclass(frozen=True, slots=True)
class HasLength:
    """An array that has this length along an axis."""

    axis: int
    length: int

    def met(self, value: Any) -> bool:
        """Whether that is so of `value`."""
        return bool(value.shape[self.axis] == self.length)


@dataclass(frozen=True, slots=True)
class Has:
    """An object with the attribute `name`, or one without it."""

    name: str
    there: bool

    def met(self, value: Any) -> bool:
        """Whether that is so of `value`."""
        return hasattr(value, self.name) is self.there


@dataclass(frozen=True, slots=True)
class Owns:
    """An object that has the attribute `name` of its own, in the place of what its class has, or one without it."""

    name: str
    there: bool

    def met(self, value: Any) -> bool:
        """Whether that is so of `value`."""
        return (self.name in own_dict(value)) is self.there


@dataclass(frozen=True, slots=True)
class Defines:
    """A class that defines the attribute `name`, or inherits it, or one that does not."""

    name: str
    there: bool

    def met(self, value: Any) -> bool:
        """Whether that is so of `value`."""
        return any(self.name in vars(base) for base in value.__mro__) is self.there


@dataclass(frozen=True, slots=True)
class Derives:
    """A class that is a subclass of `classes`, which are one or a tuple of them, or one that is not."""

    classes: Lit
    there: bool

    def met(self, value: Any) -> bool:
        """Whether that is so of `value`."""
        return issubclass(value, self.classes.value) is self.there


@dataclass(frozen=True, slots=True)
class Fits:
    """An object that is an instance of `classes`, one or a tuple of them with a protocol among them, or one that is not."""

    classes: Lit
    there: bool

    def met(self, value: Any) -> bool:
        """Whether that is so of `value`."""
        return isinstance(value, self.classes.value) is self.there


@dataclass(frozen=True, slots=True)
class Binds:
    """A `functools.partial` of so many positional arguments and of these named ones."""

    count: int
    names: tuple[str, ...]

    def met(self, value: Any) -> bool:
        """Whether `value` is one."""
        return len(value.args) == self.count and tuple(value.keywords) == self.names


@dataclass(frozen=True, slots=True)
class Raises:
    """Nothing: to look there raises an error of this class, with this text."""

    error: type[Exception]
    text: str

    def met(self, value: Any) -> bool:
        """Not where there is a `value`."""
        return False

    def met_by(self, error: Exception) -> bool:
        """Whether `error`, which a look raised, is that."""
        return type(error) is self.error and str(error) == self.text


@dataclass(frozen=True, slots=True)
class SameAs:
    """The very object that another path leads to, or another one."""

    access: Access
    there: bool = True

    def met(self, value: Any) -> bool:
        """Asked of `Guard.holds`, which knows the function."""
        raise AssertionError(value)


class Told(Protocol):
    """What is assumed of a whole function by those who know more of it than its signature."""

    def met(self, value: Any) -> bool:
        """Whether that is so of `value`."""


Expectation = (
    (
        SameAs
        | Is
        | HasCode
        | HasClass
        | Equals
        | Holds
        | Contains
        | InThisProcess
        | LooksLike
        | HasLength
        | Has
        | Owns
        | Defines
        | Derives
        | Fits
        | Binds
        | Raises
    )
    | Means
    | Told
)


@dataclass(frozen=True, slots=True)
class Guard:
    """What a specialisation assumed of the value at `access`."""

    access: Access
    expectation: Expectation

    def holds(self, fn: Callable[..., Any], leaves: Sequence[Any] = ()) -> bool:
        """Whether the assumption still holds for `fn`."""
        try:
            value = self.access.read(fn)
            if isinstance(self.expectation, SameAs):
                return (self.expectation.access.read(fn) is value) is self.expectation.there
        except Exception as error:  # whatever else the lookup raises, the assumption does not hold
            return isinstance(self.expectation, Raises) and self.expectation.met_by(error)
        return self.expectation.met(value)


def guards_hold(guards: Iterable[Guard], fn: Callable[..., Any]) -> bool:
    """Whether every one of `guards` holds for `fn`."""
    for guard in guards:  # noqa: SIM110 - asked at every call: a generator would cost more than the loop
        if not guard.holds(fn):
            return False
    return True

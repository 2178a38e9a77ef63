"""What is known of a value while a function is specialised: a variable, a literal, a structure of those, or a callable.

A `Var` is known by its type, a `Lit` by its value. Structures hold values and never occur at run time unless something
opaque takes them. Lists, dicts and instances have identity: a `Ref` names one, and its contents are in the `Heap`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any, Literal, NamedTuple

from adxform.frontend.signature.access import Access
from adxform.ir.kinds import scalar_type
from adxform.ir.ops import UNDEFINED, Function, Lit, Operand, Var
from adxform.ir.types import Object, Scalar

RefKind = Literal["list", "dict", "set", "instance", "iterator", "carried"]


@dataclass(frozen=True, slots=True)
class Tuple:
    """A tuple, or a named tuple of class `cls`."""

    items: tuple[Value, ...]
    cls: type = tuple


@dataclass(frozen=True, slots=True)
class Slice:
    """``slice(start, stop, step)``"""

    start: Value
    stop: Value
    step: Value


@dataclass(frozen=True, slots=True)
class Range:
    """``range(start, stop, step)``"""

    start: Value
    stop: Value
    step: Value


@dataclass(frozen=True, slots=True)
class Zip:
    """``zip(*parts)``"""

    parts: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Mapped:
    """``itertools.starmap(fn, items)``, of which each item is computed when it is looked at."""

    fn: Value
    items: Value


@dataclass(frozen=True, slots=True)
class Enumerate:
    """``enumerate(items, start)``"""

    items: Value
    start: Value


@dataclass(frozen=True, slots=True)
class Reversed:
    """``reversed(items)``, of a list whose items are known: from the item before place `first` on, wherever its end is now."""

    items: Value
    first: int | None = None


@dataclass(frozen=True, slots=True)
class View:
    """``d.keys()``, ``d.values()`` or ``d.items()`` of a dict: what it holds when it is looked at."""

    of: Ref
    part: Literal["keys", "values", "items"]


Steps = Literal["", "calls", "all", "some"]
"""Whether a walk takes item by item, with other code in between: all of them, or as many as it likes; if not, at once.

A walk that `calls` is at once here, where Python calls a function of the program between the items.
"""


@dataclass(frozen=True, slots=True)
class Rest:
    """What an iterator goes through that is left of `items`, which are known one by one, after `taken` of them."""

    items: Value
    taken: int


@dataclass(frozen=True, slots=True)
class Stream:
    """What goes through an object of which nothing is known, one item after the other, with a cursor; or `part` of each item.

    It `asks` for the next item, unless another stream beside it does. `of` is what that part goes through, where that is known.
    """

    cursor: Var
    part: int | None = None
    of: Value | None = None
    asks: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Once:
    """What `zip`, `map` and their kin return, to be walked over once: `open` gives what it goes through.

    `open` is told how it is walked over, see `Steps`. It looks at `early` in any case, before the first item.

    The contents of `state` say how far it has been walked: see `control_flow/walks`. `cls` is the class that it has for Python.
    `unknown`: it goes through something of which nothing is known, and which may be an iterator itself.
    `behind`: what else is changed by whoever takes its items, each object with its contents after the last, and until then.
    `streams`: what it went through of which nothing is known, which may be an iterator; ``None`` for what a loop went through.
    `generator`: the code that makes the items, if that is what it is. `openings`: what it looked at, once it was opened.
    """

    state: Ref
    open: Callable[[Steps], Value]
    early: tuple[Value, ...] = ()
    cls: type | None = None
    unknown: bool = False
    behind: tuple[tuple[Ref, Any, Poison], ...] = ()
    streams: tuple[Var | None, ...] = ()
    generator: Generator | None = None
    openings: list[Any] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Generator:
    """The body of a generator function, called with `args`, for a walk to its end and for one that may be left."""

    whole: FunctionValue
    part: FunctionValue
    args: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Static:
    """An object from outside the function: a module, a class, a function, anything that is not numbers.

    `access` says how each call finds it again, so that what is read from it can be guarded; without one it is a constant.
    """

    value: Any
    access: Access | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


@dataclass(frozen=True, slots=True)
class FoundOutside:
    """The identity of a container of the caller's program: it is `value`, which `access` leads to."""

    value: Any
    access: Access


@dataclass(frozen=True, slots=True, eq=False)
class PlaceOutside:
    """The attribute `name` of the object `owner` from outside, found by `access`, which the function sets.

    Of a variable of a module, `owner` is the module. It is `joined` where it is read after paths of which some set it.
    """

    owner: Any
    access: Access
    name: str
    joined: bool = False

    @property
    def key(self) -> tuple[int, str]:
        """What is the same of all paths that lead to it: a module is its variables, as its functions know it."""
        return id(vars(self.owner) if isinstance(self.owner, ModuleType) else self.owner), self.name


@dataclass(frozen=True, slots=True)
class Namespace:
    """Where the free names of a function's code are looked up: in the Python function it was written in."""

    fn: FunctionType
    access: Access | None


class LoopTurn:
    """An iteration of a loop."""


ENDED = LoopTurn()
"""One of several iterations, of which all but one are over."""


@dataclass(frozen=True, slots=True, eq=False)
class FunctionValue:
    """A nested ``def`` or ``lambda`` with the values it captured. `itself` is the name by which it captured itself.

    Those of variables of a loop are theirs in the iteration `turn` only. `own` is the object that holds its attributes; there
    is none where two paths have made the function, each with attributes of its own.
    """

    fn: Function
    captures: tuple[tuple[str, Value], ...]
    defaults: tuple[tuple[str, Value], ...]
    scope: Namespace | None
    itself: str | None = None
    turn: LoopTurn | None = None
    own: Ref | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """`fn` with its first arguments bound: a bound method, or a `partial` application."""

    fn: Value
    args: tuple[Value, ...]
    kwargs: tuple[tuple[str, Value], ...] = ()
    partial: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class OneOf:
    """One of several `things`, functions and objects: that with the number `which`, as `Cells.number_of` has it."""

    which: Value
    things: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class InnerPullback:
    """The second result of ``vjp``: the derived `joint` function, which takes `operands` and a cotangent per float result."""

    joint: Function
    operands: tuple[Operand, ...]
    out: Value
    primals: tuple[Value, ...]
    results: int


@dataclass(frozen=True, slots=True, eq=False)
class Ref:
    """The identity of a list, a dict, a set or an instance of the class `cls`. `outside`: it belongs to the caller's program.

    `meta` is what a ``defaultdict`` calls for a missing key: a constant, or a local function that captures nothing.
    """

    kind: RefKind
    cls: type
    outside: bool = False
    shared: bool = False
    meta: Value | None = None


@dataclass(frozen=True, slots=True)
class Maybe:
    """`value` where `present` is true at run time, else ``None``."""

    present: Value
    value: Value


class Poison(NamedTuple):
    """A value that differs in kind between two paths. Using it is an error, which says `why`.

    It would be one kind of value if the parameters `params`, which may be promoted, were known. One that is `lost` stands
    for what a refused op would have given, so that refusals after it are found.
    """

    why: str
    params: frozenset[Var] = frozenset()
    lost: bool = False
    way: str = "make it the same kind of value on every path"


Value = (
    Var
    | Lit
    | Tuple
    | Slice
    | Range
    | Zip
    | Mapped
    | Enumerate
    | Reversed
    | Rest
    | Stream
    | View
    | Once
    | Static
    | FunctionValue
    | Method
    | OneOf
    | InnerPullback
    | Ref
    | Maybe
    | Poison
)
LOST = Poison("it comes of what is refused", lost=True)

NONE = Lit(None)


def is_undefined(value: Value) -> bool:
    """Whether `value` is that of a name no path has assigned."""
    return isinstance(value, Lit) and value.value is UNDEFINED.value


def is_unknown(value: Value) -> bool:
    """Whether `value` is an object of which nothing is known."""
    return isinstance(value, Var) and isinstance(value.type, Object)


def is_number(value: Value) -> bool:
    """Whether `value` is a number, known or not, or an array: what a variable of numeric type can hold."""
    match value:
        case Var(_, type_):
            return not isinstance(type_, Object)
        case Lit(literal):
            return scalar_type(literal) is not None
        case _:
            return False


def is_int(value: Value) -> bool:
    """Whether `value` is an integer scalar."""
    match value:
        case Var(_, Scalar(dtype)):
            return dtype.startswith(("int", "uint"))
        case Lit(literal):
            return isinstance(literal, int) and not isinstance(literal, bool)
        case _:
            return False

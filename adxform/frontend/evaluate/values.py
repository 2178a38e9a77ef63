"""What is known of a value while a function is specialised: a variable, a literal, a structure of those, or a callable.

A `Var` is known by its type, a `Lit` by its value. Structures hold values and never occur at run time unless something
opaque takes them. Lists, dicts and instances have identity: a `Ref` names one, and its contents are in the `Heap`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
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
    `generator`: the code that makes the items, if that is what it is.
    """

    state: Ref
    open: Callable[[Steps], Value]
    early: tuple[Value, ...] = ()
    cls: type | None = None
    unknown: bool = False
    behind: tuple[tuple[Ref, Any, Poison], ...] = ()
    streams: tuple[Var | None, ...] = ()
    generator: Generator | None = None


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

    Those of variables of a loop are theirs in the iteration `turn` only.
    """

    fn: Function
    captures: tuple[tuple[str, Value], ...]
    defaults: tuple[tuple[str, Value], ...]
    scope: Namespace | None
    itself: str | None = None
    turn: LoopTurn | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """`fn` with its first arguments bound: a bound method, or a `partial` application."""

    fn: Value
    args: tuple[Value, ...]
    kwargs: tuple[tuple[str, Value], ...] = ()
    partial: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class OneFunction:
    """One of several `functions`, of which the run knows which: that with the number `which`, as `Cells.number_of` has it."""

    which: Value
    functions: tuple[Value, ...]


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
class Contents:
    """What a `Ref` holds now: values by key (position, dict key or attribute name)."""

    keys: tuple[Any, ...]
    items: tuple[Value, ...]

    def get(self, key: Any) -> Value | None:
        """The value under `key`, if any."""
        for own, item in zip(self.keys, self.items, strict=True):
            if own is key or (type(own) is type(key) and own == key) or own == key:
                return item
        return None

    def put(self, key: Any, value: Value) -> Contents:
        """These contents with `value` under `key`."""
        if self.get(key) is None:
            return Contents((*self.keys, key), (*self.items, value))
        pairs = zip(self.keys, self.items, strict=True)
        return Contents(self.keys, tuple(value if own == key else item for own, item in pairs))

    def without(self, key: Any) -> Contents:
        """These contents with nothing under `key`."""
        kept = [own for own in zip(self.keys, self.items, strict=True) if own[0] != key]
        return Contents(tuple(own for own, _ in kept), tuple(item for _, item in kept))


class Made:
    """How a set came to be."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class SetElements(Contents):
    """What a set holds now, in the order in which Python walks over it; where nobody can tell how it was `made`, in any order."""

    made: Made | None


ZERO = Lit(0)


@dataclass(frozen=True, slots=True)
class Collected:
    """The contents of a list whose length only a run can tell: an array of its items.

    While a loop fills it with at most one item on each iteration, they are the first `count` of `buffer`, which has room for
    `total`. `count` follows from the number of the iteration unless the list is `counted`: the loop then carries it. Once it is
    `done` the items are the whole of `buffer`, and the list may grow and shrink by taking another one. `weak`: the items are
    Python's own numbers. `kinds`: what they may be, where whole numbers are beside floats.

    With `nested`, the items are such lists themselves, each a row of the buffer, copies of the lists `copied`; `row_of` says of
    which list, with which buffer, this one is a row. The items would be known one by one if the parameters `params`, which may
    be promoted, were.
    """

    buffer: Var
    count: Value = ZERO
    total: Value = ZERO
    params: frozenset[Var] = frozenset()
    passed: int = 0
    done: bool = False
    counted: bool = False
    nested: int = 0
    weak: bool = False
    kinds: tuple[Scalar, ...] = ()
    row_of: tuple[Ref, Var] | None = None
    copied: frozenset[Ref] = frozenset()


@dataclass(frozen=True, slots=True)
class Columns:
    """The contents of a list of tuples of class `cls` whose length only a run can tell: a list for each place in them."""

    lists: tuple[Ref, ...]
    cls: type = tuple


@dataclass(frozen=True, slots=True, eq=False)
class ListFamily:
    """Lists of which only the run knows which one is meant: all their items are in the list `pairs`, each beside its place.

    What `made` holds is how many such lists there are.
    """

    pairs: Ref
    made: Ref


@dataclass(frozen=True, slots=True)
class Portion:
    """The contents of a list of a family: the second items of those of its pairs of which the first is `place`.

    `group` are all of these lists that the program has by names of their own, each at its place. `index`: where this one was
    found in a list of lists that held `among` then: these, or all lists of a family.
    """

    of: ListFamily
    place: Value
    group: tuple[Ref, ...] = ()
    index: Value | None = None
    among: tuple[Value, ...] | ListFamily | None = None

    @property
    def pairs(self) -> Ref:
        """The list that has the items of all lists of the family."""
        return self.of.pairs


@dataclass(frozen=True, slots=True)
class Portions:
    """The contents of a list of lists, as many as only a run can tell, which are of one family.

    They are at the places that the list `places` has; without one it has all lists of the family, each at its own place.
    """

    of: ListFamily
    places: Ref | None = None

    @property
    def pairs(self) -> Ref:
        """The list that has the items of all lists of the family."""
        return self.of.pairs


@dataclass(frozen=True, slots=True)
class Keyed:
    """The contents of a dict of which only the run knows the keys: a list of these, and one of what is under them.

    With the parameters `params` known, the keys might be.
    """

    keys: Ref
    items: Ref
    params: frozenset[Var] = frozenset()


@dataclass(frozen=True, slots=True)
class Doubtful:
    """The contents of a dict or an instance of which only the run knows which of the `keys` it has.

    What is under a key is one of `items`, where the truth value in the same place of `there` says so. Those that are there came
    in the order of `keys`, if they are `ordered`, and are those keys, and not only equal to them, as ``1`` is to ``True``.
    """

    keys: tuple[Any, ...] = ()
    items: tuple[Value, ...] = ()
    there: tuple[Value, ...] = ()
    ordered: bool = True

    def get(self, key: Any) -> tuple[Value, Value] | None:
        """Whether there is a value under `key`, and which; ``None`` where there surely is none."""
        own = zip(self.keys, self.there, self.items, strict=True)
        return next(((there, item) for name, there, item in own if name == key), None)

    def put(self, key: Any, value: Value) -> Doubtful:
        """These contents with `value` under `key`."""
        held = self.get(key)
        if held is None:
            return Doubtful((*self.keys, key), (*self.items, value), (*self.there, Lit(True)), self.ordered)
        changed = [name == key for name in self.keys]
        items = tuple(value if own else item for own, item in zip(changed, self.items, strict=True))
        there = tuple(Lit(True) if own else before for own, before in zip(changed, self.there, strict=True))
        return Doubtful(self.keys, items, there, self.ordered and (held[0] == Lit(True) or Lit(self.keys[-1]) == Lit(key)))

    def without(self, key: Any) -> Doubtful:
        """These contents with nothing under `key`."""
        kept = [own for own in zip(self.keys, self.items, self.there, strict=True) if own[0] != key]
        keys, items, there = zip(*kept, strict=True) if kept else ((), (), ())
        return Doubtful(keys, items, there, self.ordered)


def in_doubt(contents: Contents | Doubtful) -> Doubtful:
    """`contents` as those of an object that may come to have other keys on some paths."""
    if isinstance(contents, Doubtful):
        return contents
    return Doubtful(contents.keys, contents.items, (Lit(True),) * len(contents.keys))


@dataclass(frozen=True, slots=True)
class HeldByRun:
    """The contents of a list or set of texts and other objects, as many as only a run can tell: that which the run has in `var`.

    `of`: what the elements of a set are.
    """

    var: Var
    of: Any = None


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
    | OneFunction
    | InnerPullback
    | Ref
    | Maybe
    | Poison
)
LOST = Poison("it comes of what is refused", lost=True)

NONE = Lit(None)

_OF_CHANGED_LISTS = Poison("it has a list that is changed after it was put in", way="put in a copy: `list(…)`")

_OUTDATED = Poison("it may be the same object as another, which is changed", way="copy it, or change it by this name alone")


@dataclass(frozen=True, slots=True)
class Originals:
    """The objects that one which stands for what paths have may be; the parameters `params`, if any, decide which."""

    refs: frozenset[Ref] = frozenset()
    params: frozenset[Var] = frozenset()


NO_OTHERS = Originals()


AnyContents = Contents | Collected | Columns | Portion | Portions | Keyed | Doubtful | HeldByRun | SetElements | Poison
"""What an object may hold: items known one by one, a list of the run's length, a set's elements, or why it cannot be told."""

TakenPortions = dict[tuple[Ref, Value], tuple[tuple["AnyContents", ...], Ref]]
"""Lists of the items of portions, by where these are, with what the lists held then of which they were made."""


class Cells(dict[Ref, AnyContents]):
    """Contents by object. What belongs to the caller's program never changes and is shared by all snapshots.

    So are the `originals` of objects that stand for what paths have, and by each original what stands for it; by dicts that are
    the `attributes` of objects, these objects; and all lists that were `copied` into arrays, and `numbers` of functions.
    """

    def __init__(self, cells: dict[Ref, AnyContents], foreign: dict[Ref, AnyContents]) -> None:
        super().__init__(cells)
        self.foreign = foreign
        self.originals: dict[Ref, Originals] = {}
        self.standing: dict[Ref, list[Ref]] = {}
        self.attributes: dict[Ref, Ref] = {}
        self.taken: TakenPortions = {}
        self.copied: set[Ref] = set()
        self.numbers: dict[Any, tuple[int, Any]] = {}

    def number_of(self, function: Any) -> int:
        """By which number the run knows `function` among others: those of one code have the same."""
        code = code_of(function)
        return self.numbers.setdefault(code, (len(self.numbers), function))[0]  # which keeps what has that place in memory

    def __missing__(self, ref: Ref) -> AnyContents:
        return self.foreign[ref]


class Heap:
    """The contents of every `Ref`; a copy is a snapshot."""

    def __init__(self, cells: Cells | None = None) -> None:
        self.contents = Cells({}, {}) if cells is None else cells

    def new(
        self,
        kind: RefKind,
        cls: type,
        keys: tuple[Any, ...],
        items: tuple[Value, ...],
        *,
        shared: bool = False,
        meta: Value | None = None,
    ) -> Ref:
        """A fresh object."""
        ref = Ref(kind, cls, shared=shared, meta=meta)
        self.contents[ref] = Contents(keys, items)
        return ref

    def foreign(
        self, kind: RefKind, cls: type, keys: tuple[Any, ...], items: tuple[Value, ...], meta: Value | None = None
    ) -> Ref:
        """An object of the caller's program."""
        ref = Ref(kind, cls, outside=True, meta=meta)
        self.contents.foreign[ref] = Contents(keys, items)
        return ref

    def copy(self) -> Heap:
        """A snapshot."""
        cells = Cells(self.contents, self.contents.foreign)
        cells.originals, cells.standing = self.contents.originals, self.contents.standing
        cells.attributes, cells.copied = self.contents.attributes, self.contents.copied
        cells.numbers = self.contents.numbers
        cells.taken = dict(self.contents.taken)
        return Heap(cells)

    def note_originals(self, ref: Ref, originals: Originals) -> None:
        """Note that `ref`, which has contents of its own, is one of `originals` in the run."""
        self.contents.originals[ref] = originals
        for original in originals.refs:
            self.contents.standing.setdefault(original, []).append(ref)

    def note_attributes(self, ref: Ref, owner: Ref) -> None:
        """Note that the dict `ref` is the attributes of `owner`, as long as these are changed through it alone."""
        self.contents.attributes[ref] = owner
        self.note_originals(ref, Originals(frozenset((owner,))))

    def outdate(self, ref: Ref) -> None:
        """Note that `ref` is changed: what may be the same object in the run has other contents than it is taken to have."""
        for copy in self.contents.standing.get(ref, ()):
            if copy in self.contents:
                params = self.contents.originals[copy].params
                self.contents[copy] = _OUTDATED._replace(params=params)
        for other, held in tuple(self.contents.items()) if ref in self.contents.copied else ():
            if isinstance(held, Collected) and ref in held.copied:
                self.contents[other] = _OF_CHANGED_LISTS


def code_of(function: Any) -> Any:
    """What tells functions apart of which a run chooses one: not what they captured, nor what is bound to them."""
    match function:
        case FunctionValue(fn):
            return "code", id(fn)
        case Method(fn, args, kwargs, partial):
            return "method", code_of(fn), len(args), tuple(name for name, _ in kwargs), partial
        case Static(value) | Lit(value):
            return "object", id(value)
        case _:
            return "other", id(function)


def is_function(value: Any) -> bool:
    """Whether `value` is a function, or a class, that the run may choose among others."""
    match value:
        case FunctionValue() | Method() | OneFunction():
            return True
        case Static(found) | Lit(found):
            return callable(found)
        case _:
            return False


def bound_in(function: FunctionValue | Method) -> tuple[Value, ...]:
    """What a function has beside its code: what it captured and its defaults, or what is bound, by place and by name."""
    if isinstance(function, FunctionValue):
        return tuple(value for _, value in (*function.captures, *function.defaults))
    return (function.fn, *function.args, *(value for _, value in function.kwargs))


def with_bound(function: Any, bound: Iterable[Any]) -> Any:
    """`function` with `bound` for what `bound_in` gives of it."""
    items = iter(bound)
    if isinstance(function, FunctionValue):
        captures, defaults = (tuple((name, next(items)) for name, _ in pairs) for pairs in (function.captures, function.defaults))
        return replace(function, captures=captures, defaults=defaults)
    fn = next(items)
    args = tuple(next(items) for _ in function.args)
    return replace(function, fn=fn, args=args, kwargs=tuple((name, next(items)) for name, _ in function.kwargs))


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


def list_contents(items: tuple[Value, ...]) -> Contents:
    """The contents of a list of `items`."""
    return Contents(tuple(range(len(items))), items)

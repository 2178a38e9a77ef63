"""What the objects of the program hold: items known one by one, or what only the run knows.

A `Ref` is the identity of a list, a dict, a set or an instance; what it holds now is one of these, in the `Heap`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from adxform.frontend.evaluate.values import Poison, Ref, Value
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Scalar


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


class PutIn:
    """The objects of which lists have copies, from when they were put in; those that a loop makes may be of any iteration.

    One of them may be `repeated` in these lists, if it is not known that each is in one place; one has been `changed` there.
    """

    __slots__ = ("changed", "refs", "repeated")

    def __init__(self, *, repeated: bool) -> None:
        self.refs: set[Ref] = set()
        self.repeated = repeated
        self.changed = False


@dataclass(frozen=True, slots=True)
class Columns:
    """The contents of a list of tuples of class `cls` whose length only a run can tell: a list for each place in them.

    With `keys` the items are dicts or objects of that class, and there is a list for each of their keys or attributes; the list
    has copies of what was `copied` into it, or into another of which it was made.
    """

    lists: tuple[Ref, ...]
    cls: type = tuple
    keys: tuple[Any, ...] | None = None
    copied: frozenset[PutIn] = field(default=frozenset(), compare=False)


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


AnyContents = Contents | Collected | Columns | Portion | Portions | Keyed | Doubtful | HeldByRun | SetElements | Poison
"""What an object may hold: items known one by one, a list of the run's length, a set's elements, or why it cannot be told."""


def list_contents(items: tuple[Value, ...]) -> Contents:
    """The contents of a list of `items`."""
    return Contents(tuple(range(len(items))), items)

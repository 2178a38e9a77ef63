"""The contents of every object of the program: what each holds, and which of them may be one in the run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from adxform.frontend.evaluate.objects.functions_apart import code_key
from adxform.frontend.evaluate.objects.object_contents import AnyContents, Collected, Columns, Contents
from adxform.frontend.evaluate.values import Poison, Ref, RefKind, Value
from adxform.ir.ops import Lit, Var

_OF_CHANGED_LISTS = Poison("it has a list that is changed after it was put in", way="put in a copy: `list(…)`")

_OF_CHANGED_OBJECTS = Poison(
    "it has an object that is changed after it was put in, or taken out",
    way="change it before, or put in another: `dict(…)`, `copy.copy(…)`",
)

_OUTDATED = Poison("it may be the same object as another, which is changed", way="copy it, or change it by this name alone")


@dataclass(frozen=True, slots=True)
class Originals:
    """The objects that one which stands for what paths have may be; the parameters `params`, if any, decide which.

    `refs` there were before the paths parted; `made` were made on them, and have no name of their own after these.
    """

    refs: frozenset[Ref] = frozenset()
    params: frozenset[Var] = frozenset()
    made: frozenset[Ref] = field(default=frozenset(), compare=False)


NO_OTHERS = Originals()


@dataclass(frozen=True, slots=True)
class ChosenObject:
    """Which of `objects` one is that stands for them: the first where the condition `which` holds, or the one at that place."""

    which: Var | Lit
    objects: tuple[Ref, ...]
    by_place: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Where an object comes from that was taken from a list: the item at `index` of `owner`, as long as that holds `held`."""

    owner: Ref
    index: Value
    held: tuple[AnyContents, ...]


TakenPortions = dict[tuple[Ref, Value], tuple[tuple[AnyContents, ...], Ref]]
"""Lists of the items of portions, by where these are, with what the lists held then of which they were made."""


class Cells(dict[Ref, AnyContents]):
    """Contents by object. What belongs to the caller's program never changes and is shared by all snapshots.

    So are the `originals` of objects that stand for what paths have, and by each original what stands for it; what calls have
    `returned`, which may be anything that they were given; which of them one is that was `chosen`, and of which lists they are
    `rows`; by dicts that are the `attributes` of objects, these objects; and all lists that were `copied` into arrays, and
    `numbers` of functions.
    """

    def __init__(self, cells: dict[Ref, AnyContents], foreign: dict[Ref, AnyContents]) -> None:
        super().__init__(cells)
        self.foreign = foreign
        self.originals: dict[Ref, Originals] = {}
        self.standing: dict[Ref, list[Ref]] = {}
        self.attributes: dict[Ref, Ref] = {}
        self.taken: TakenPortions = {}
        self.copied: set[Ref] = set()
        self.returned: set[Ref] = set()
        self.chosen: dict[Ref, ChosenObject] = {}
        self.numbers: dict[Any, tuple[int, Any]] = {}
        self.rows: dict[Ref, Row] = {}

    def number_of(self, function: Any, code: Any = None) -> int:
        """By which number the run knows `function` among others: those of one `code` have the same."""
        code = code_key(function) if code is None else code
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
        cells.numbers, cells.returned, cells.chosen = self.contents.numbers, self.contents.returned, self.contents.chosen
        cells.rows = self.contents.rows
        cells.taken = dict(self.contents.taken)
        return Heap(cells)

    def note_originals(self, ref: Ref, originals: Originals) -> None:
        """Note that `ref`, which has contents of its own, is one of `originals` in the run."""
        self.contents.originals[ref] = originals
        for original in originals.refs | originals.made:
            self.contents.standing.setdefault(original, []).append(ref)

    def note_attributes(self, ref: Ref, owner: Ref) -> None:
        """Note that the dict `ref` is the attributes of `owner`, as long as these are changed through it alone."""
        self.contents.attributes[ref] = owner
        self.note_originals(ref, Originals(frozenset((owner,))))

    def note_choice(self, ref: Ref, choice: ChosenObject) -> None:
        """Note that `choice` says which object `ref` is, and so which ones what it holds are; one that is itself is none."""
        if ref.kind not in ("instance", "dict", "list") or not ref.shared or ref in choice.objects:
            return
        if ref.kind != "list":
            self.contents.chosen[ref] = choice
        found = [self.contents[one] for one in (ref, *choice.objects)]
        held = [one for one in found if isinstance(one, Contents) and one.keys == getattr(found[0], "keys", None)]
        for own, *items in zip(*(one.items for one in held), strict=True) if len(held) == len(found) else ():
            inner = tuple(item for item in items if isinstance(item, Ref) and item is not own)
            if isinstance(own, Ref) and len(inner) == len(items):
                self.note_choice(own, replace(choice, objects=inner))

    def others(self, ref: Ref) -> set[Ref] | None:
        """All that may be one object with `ref`, which stands for what paths have; ``None`` where one of them is not known."""
        originals, found, left = self.contents.originals, {ref}, [ref]
        while left:
            one = left.pop()
            if one in self.contents.returned or one.outside or (one.shared and one not in originals):
                return None
            known = originals.get(one, NO_OTHERS)
            new = {*known.refs, *known.made, *self.contents.standing.get(one, ())} - found
            found |= new
            left += new
        return found - {ref}

    def outdate_others(self, ref: Ref, others: set[Ref]) -> None:
        """Note that `ref` is changed, which may be one object with `others`."""
        self._outdate_copies({ref, *others})
        params = self.contents.originals[ref].params
        for other in others & self.contents.keys():
            self.contents[other] = _OUTDATED._replace(params=params)

    def is_outdated(self, ref: Ref) -> bool:
        """Whether `ref` is one of several objects, of which it is known which, and that may have been changed by another name."""
        held: object = self.contents.get(ref)
        return isinstance(held, Poison) and held.why == _OUTDATED.why and ref in self.contents.chosen

    def outdate(self, ref: Ref) -> None:
        """Note that `ref` is changed: what may be the same object in the run has other contents than it is taken to have."""
        for copy in self.contents.standing.get(ref, ()):
            if copy in self.contents:
                params = self.contents.originals[copy].params
                self.contents[copy] = _OUTDATED._replace(params=params)
        self._outdate_copies({ref})

    def _outdate_copies(self, changed: set[Ref]) -> None:
        """Note that the objects `changed`, of which one is changed, are not what lists have copies of."""
        for other, held in () if changed.isdisjoint(self.contents.copied) else tuple(self.contents.items()):
            if isinstance(held, Collected) and not changed.isdisjoint(held.copied):
                self.contents[other] = _OF_CHANGED_LISTS
            if isinstance(held, Columns) and not all(changed.isdisjoint(one.refs) for one in held.copied):
                self.contents[other] = _OF_CHANGED_OBJECTS._replace(params=self.deciding(held))

    def deciding(self, columns: Columns) -> frozenset[Var]:
        """The parameters that decide how long a list of tuples or objects is, if nothing else does."""
        for part in columns.lists:
            held = self.contents[part]
            found = self.deciding(held) if isinstance(held, Columns) else getattr(held, "params", frozenset())
            if isinstance(held, Columns | Collected):
                return found
        return frozenset()

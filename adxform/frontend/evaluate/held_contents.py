"""What the lists, dicts, sets and objects of a program hold: asked for, and given anew."""

from __future__ import annotations

from typing import Any

from adxform.errors import AdxError, UnsupportedOperationError
from adxform.frontend.evaluate.above import Above
from adxform.frontend.evaluate.objects.heap import Heap
from adxform.frontend.evaluate.objects.object_contents import (
    AnyContents,
    Collected,
    Columns,
    Contents,
    Doubtful,
    HeldByRun,
    Keyed,
    ListFamily,
    Portion,
    Portions,
)
from adxform.frontend.evaluate.presence import There
from adxform.frontend.evaluate.records.knowledge import Given
from adxform.frontend.evaluate.records.loops_around import LoopsAround
from adxform.frontend.evaluate.records.of_run import OfRun
from adxform.frontend.evaluate.signals import Grows, Lost, Promote
from adxform.frontend.evaluate.values import (
    FoundOutside,
    Poison,
    Ref,
    Value,
)
from adxform.ir.ops import Lit, Var
from adxform.ir.spans import NOWHERE, Span


class HeldContents(Above):
    """The objects of one specialisation, by what they hold."""

    def __init__(self) -> None:
        self.span: Span = NOWHERE
        self.heap = Heap()
        self.loops = LoopsAround()
        self.of_run = OfRun()
        self.identities: dict[int, tuple[Value, FoundOutside | Given]] = {}
        self.changed: dict[Ref, tuple[tuple[Any, ...], Span]] = {}
        self.assumed: There = frozenset()
        self.decided: dict[Var, bool] = {}
        """Of values that only the run knows, whether they are true, where that is known."""

    def seen(self, value: Value) -> Value:
        """`value`; what the run has in the place of a list that it holds."""
        held = self.heap.contents.get(value) if isinstance(value, Ref) else None
        if not isinstance(held, HeldByRun):
            return value
        if isinstance(value, Ref) and value.kind == "set":
            self.of_run.sets[held.var] = held.of
        else:
            self.of_run.lists.add(held.var)
        return held.var

    def identity(self, value: Value) -> FoundOutside | Given | None:
        """What is known of the identity of a container that this function does not make."""
        known = self.identities.get(id(value))
        return None if known is None else known[1]

    def identify(self, value: Value, known: FoundOutside | Given) -> None:
        """Note the identity of `value`, which is kept, so that no other value has its place."""
        self.identities[id(value)] = value, known

    def contents_or_doubt(self, ref: Ref) -> Contents | Doubtful:
        """What `ref` holds now, items one by one or some of them in doubt."""
        return self.doubtful(ref) or self.contents(ref)

    def contents(self, ref: Ref) -> Contents:
        """What `ref` holds now."""
        if self.heap.is_outdated(ref):
            self.renew_chosen(ref)
        contents: Any = self._held(ref)
        if isinstance(contents, Poison):
            if contents.lost:
                raise Lost
            if contents.params:
                raise Promote(contents.params)
            own = contents.way != Poison("").way
            way = contents.way if own else "build it outside of the condition or loop"
            raise self.error(f"this {ref.cls.__name__} cannot be followed: {contents.why}", way)
        if isinstance(contents, Doubtful):
            unsure = next((key for key, there in zip(contents.keys, contents.there, strict=True) if there != Lit(True)), None)
            message = f"this needs all that a {ref.cls.__name__} holds, and only the run knows whether it has {unsure!r}"
            raise self.error(message, "ask for what it holds by name, or give it all names on every path")
        if isinstance(contents, Keyed):
            if contents.params:
                raise Promote(contents.params)
            message = "the keys of this dict are known only when the program runs, and this needs them before"
            raise self.error(message, "walk over the dict, or keep what belongs together in lists")
        if isinstance(contents, Collected | Columns | Portions):
            params = self.deciding(ref)
            if params:
                raise Promote(params)
            message = "the items of this list must be known one by one, but only a run can tell how many there are"
            raise self.error(message, "make it an array with `np.array(…)`")
        if isinstance(contents, HeldByRun):
            raise self.error(
                f"the items of this {ref.cls.__name__} must be known one by one, but only a run knows them",
                "keep them in a tuple",
            )
        assert isinstance(contents, Contents)
        return contents

    def filled(self, value: Value) -> Collected | None:
        """What a list holds whose length only a run can tell; ``None`` for any other value."""
        contents = self._held(value)
        return contents if isinstance(contents, Collected) else None

    def columns(self, value: Value) -> Columns | None:
        """What a list of tuples holds whose length only a run can tell; ``None`` for any other value."""
        contents = self._held(value)
        return contents if isinstance(contents, Columns) else None

    def counted_list(self, columns: Columns) -> Ref:
        """One of the lists for the places in tuples: an array of numbers, which tells how many they are."""
        return next(part for part in columns.lists if self.seen(part) is part)

    def portion(self, value: Value) -> Portion | None:
        """Which one of several lists a list is whose items are in one; ``None`` for any other value."""
        contents = self.heap.contents[value] if isinstance(value, Ref) else None
        return contents if isinstance(contents, Portion) else None

    def portions(self, value: Value) -> Portions | None:
        """What a list holds of as many lists as only a run can tell; ``None`` for any other value."""
        contents = self.heap.contents[value] if isinstance(value, Ref) else None
        return contents if isinstance(contents, Portions) else None

    def made_lists(self, family: ListFamily) -> Value:
        """How many lists of a family there are so far."""
        return self.contents(family.made).items[0]

    def keyed(self, value: Value) -> Keyed | None:
        """What a dict holds of which only a run can tell the keys; ``None`` for any other value."""
        contents = self.heap.contents.get(value) if isinstance(value, Ref) and value.kind == "dict" else None
        return contents if isinstance(contents, Keyed) else None

    def doubtful(self, value: Value) -> Doubtful | None:
        """What a dict or an instance holds of which only the run knows which keys it has; ``None`` for any other value."""
        contents = self.heap.contents[value] if isinstance(value, Ref) else None
        return contents if isinstance(contents, Doubtful) else None

    def _held(self, value: Value) -> AnyContents | None:
        """What an object holds: of one of several lists, the items as they are now."""
        portion = self.portion(value)
        if portion is not None:
            value = self.taken(portion)
        return self.heap.contents[value] if isinstance(value, Ref) else None

    def is_long(self, value: Value) -> bool:
        """Whether `value` is a list whose length only a run can tell."""
        return self.filled(value) is not None or self.columns(value) is not None

    def write(self, ref: Ref, contents: AnyContents) -> None:
        """Give `ref` new contents."""
        if parts := self.parts_walked(ref):
            self._refuse_unseen(ref, contents, parts)
        self.hold(ref, contents)
        self.heap.outdate(ref)

    def parts_walked(self, owner: Value | Keyed) -> set[str]:
        """Which parts of a dict or set the loops around walk over as they were when these began."""
        shown = (self.loops.walked_as[ref] for refs in self.loops.walking for ref in refs if ref in self.loops.walked_as)
        return {part for own, part in shown if owner in (own, self.keyed(own))}

    def _refuse_unseen(self, ref: Ref, contents: AnyContents, parts: set[str]) -> None:
        """Raise where a walk over `parts` of a dict, as it was, would not see that `contents` are what it holds now."""
        held = self.heap.contents[ref]
        if isinstance(held, Doubtful) and isinstance(contents, Doubtful) and held.keys == contents.keys and parts == {"keys"}:
            pairs = zip(held.there, contents.there, strict=True)
            if all(now == there or there in self.assumed for there, now in pairs):
                return
        raise self.walked_change(ref.kind)

    def walked_change(self, what: str) -> AdxError:
        """The error for `what`, a dict or set, that changes while a loop walks over it."""
        return self.error(f"a {what} changes while it is walked over", "walk over a copy: `for item in list(…):`")

    def hold(self, ref: Ref, contents: AnyContents) -> None:
        """Give `ref` contents that say in another way what is in it."""
        portion = self.portion(ref)
        if portion is not None:
            self.put(portion, contents)
            return
        if (owner := self.heap.contents.attributes.get(ref)) is not None:
            self.change_attributes(owner, contents)
            self.heap.contents[ref] = contents
            return
        if ref.outside:
            raise self.outside_change(ref)
        if ref.shared:
            together = self._lists_behind(ref)
            if together:
                raise Grows(together[0], together=together, reason=self.shared_change(ref))
            if self.change_chosen(ref, contents):
                return
            others = self._others(ref)
            if others is None:
                raise self.shared_change(ref)
            self.heap.outdate_others(ref, others)
        given = self.identity(ref)
        if isinstance(given, Given):
            self.changed.setdefault(ref, (given.keys, self.span))
        self.heap.contents[ref] = contents

    def _others(self, ref: Ref) -> set[Ref] | None:
        """What may be one object with `ref`, which may be changed if nothing reads that by its name; else ``None``."""
        if ref.kind not in ("instance", "dict", "list") or ref not in self.heap.contents.originals:
            return None
        others = self.heap.others(ref)
        own = others is not None and not any(
            one in self.heap.contents.attributes or self.identity(one) is not None for one in (ref, *others)
        )
        return others if own else None

    def _lists_behind(self, ref: Ref) -> tuple[Ref, ...]:
        """The lists of the program's own of which `ref` is one in the run, or one that a path made."""
        behind = self.heap.contents.originals.get(ref)
        if behind is None or behind.params or ref.kind != "list" or ref.cls is not list:
            return ()
        known = self.heap.contents.originals
        lists = {own for own in behind.refs if own not in known}
        found = tuple(own for own in self.heap.contents if own in lists)
        if len(lists) == 1 and not self.loops.chooses:
            self.loops.would_choose = True
            return ()
        return found if len(found) == len(lists) else ()

    def shared_change(self, ref: Ref) -> AdxError:
        """The error for a change to an object that may be one of several."""
        message = f"this {ref.cls.__name__} is held in another place too, so a change to it cannot be followed"
        return self.error(message, "build a new one instead of changing it")

    def error(
        self, message: str, help_: str, cls: type[AdxError] = UnsupportedOperationError, span: Span | None = None
    ) -> AdxError:
        """An error located at the op being run."""
        return cls(message, span=span or self.span, help=help_)

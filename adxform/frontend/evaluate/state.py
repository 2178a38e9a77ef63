"""The state of one specialisation.

A handler takes an `Interpreter` and values, and returns a value. It calls the handlers that it needs by name, and asks the
interpreter for what would go in a circle: see `above`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adxform import runtime
from adxform.errors import AdxError, UnsupportedOperationError
from adxform.frontend.evaluate.above import Above
from adxform.frontend.evaluate.levels import Frame, TryLevel
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
    list_contents,
)
from adxform.frontend.evaluate.presence import Told
from adxform.frontend.evaluate.records.from_outside import FromOutside
from adxform.frontend.evaluate.records.known_integers import KnownIntegers
from adxform.frontend.evaluate.records.loops_around import LoopsAround
from adxform.frontend.evaluate.records.of_run import OfRun
from adxform.frontend.evaluate.records.to_check import ToCheck
from adxform.frontend.evaluate.signals import Grows, Lost, Promote
from adxform.frontend.evaluate.values import (
    FoundOutside,
    Maybe,
    PlaceOutside,
    Poison,
    Ref,
    Slice,
    Static,
    Tuple,
    Value,
    is_undefined,
)
from adxform.frontend.signature.access import Access
from adxform.frontend.signature.shared_lengths import Equalities
from adxform.frontend.types.sampled_types import with_fresh
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Function, If, Lit, Operand, Raise, Var
from adxform.ir.spans import NOWHERE, Span
from adxform.ir.types import Array, Type, is_unknown
from adxform.ir.walk import Names, rename_callees, variables
from adxform.primitives.unruled import missing_rule

Derive = Callable[[str, Function, tuple[int, ...]], Function]
NAMELESS = ("tmp", "result")


@dataclass(slots=True)
class Knowledge:
    """What restarts have taught: which hidden values are known when compiling, which calls are recursive, what is set outside."""

    hidden: dict[Access, Lit] = field(default_factory=dict)
    recursive: dict[Any, None] = field(default_factory=dict)
    walked_again: dict[Span, None] = field(default_factory=dict)
    """Where generators are made of which a loop leaves some for later: they run from one item to the next."""
    put_again: bool = False
    """Whether objects may be in several places of lists of the run's length, from the first."""
    lengths: dict[tuple[Access, int], int] = field(default_factory=dict)
    """Of axes of hidden arrays."""
    places: dict[tuple[int, str], PlaceOutside] = field(default_factory=dict)
    containers: dict[int, FoundOutside] = field(default_factory=dict)
    follows_deques: bool = False
    """Whether the items of deques that the function makes are known, and no object of the run."""
    writes_out: bool = False
    """Whether loops that fill lists are written out however long that gets, where the run need not count the items."""
    follows_structures: bool = True
    """Whether structured arrays that the function makes are sets of arrays, and no objects of the run."""
    follows_records: bool = True
    """Whether lists of dicts and objects may be of the run's length, and need not be known one by one."""
    adds_keys: bool = True
    """Whether a dict with known keys gets new ones that only the run knows, and is no choice among those that it has."""


@dataclass(frozen=True, slots=True)
class Given:
    """The identity of a container in the arguments: the first one that is the same object has this number, if it is known.

    `keys` are those that it comes with.
    """

    number: int | None
    keys: tuple[Any, ...] = ()


@dataclass(slots=True)
class Helper:
    """A function being specialised on its own. `result` is what is known of its result so far, all of it when `settled`."""

    name: str
    template: Any
    params: tuple[Var, ...]
    result: Any = None
    function: Function | None = None
    free: tuple[Var, ...] = ()
    uses: list[Access] = field(default_factory=list)
    settled: bool = False


class Interpreter(Above):
    """The state of one specialisation."""

    def __init__(self, names: Names, derive: Derive, knowledge: Knowledge | None = None, *, assumes: bool = False) -> None:
        self.names = names
        self.assumes = assumes
        self.derive = derive
        self.knowledge = knowledge or Knowledge()
        self.builder = Builder(names, watch=lambda builder, op: self.watch(builder, op))
        self.root = self.builder
        self.integers = KnownIntegers(names)
        self.equal = Equalities(self.integers.counts)
        self.outer = FromOutside()
        self.to_check = ToCheck()
        self.of_run = OfRun()
        self.loops = LoopsAround()
        self.heap = Heap()
        self.span: Span = NOWHERE
        self.frames: list[Frame] = []
        self.identities: dict[int, tuple[Value, FoundOutside | Given]] = {}
        self.changed: dict[Ref, tuple[tuple[Any, ...], Span]] = {}
        self.named: dict[Var, str] = {}
        self.parameters: dict[str, Var] = {}
        self.caching = 0
        """How many calls of functions under a cache are being run: each key of these is run once, so they may be deep."""
        self.assumed: frozenset[Var] = frozenset()
        self.told: Told = {}
        """What conditions tell of values that may be ``None``."""
        self.attended: set[Ref] = set()
        """Context managers whose ``__exit__`` is followed with an exception too."""
        self.helpers: dict[Any, Helper] = {}
        self.kept = False
        self.adopted: dict[str, Function] = {}
        self.renamed: dict[tuple[Function, ...], dict[str, str]] = {}
        self.anew: Grows | None = None
        """What was held anew last, where paths meet."""
        self.collects = False
        """Whether lists are arrays of their items that a loop, written out, would have had one by one."""
        self.makes_deques = False
        self.makes_records = False
        """Whether the run makes deques, into which nobody looks."""
        self.makes_structures = False
        """Whether structured arrays are made that are sets of arrays here."""
        self.adds_keys = False
        """Whether a dict with known keys has become one of which only the run knows them."""
        self.level: TryLevel | None = None
        """Where an exception is looked for, if a ``try`` is run."""
        self.managers: list[tuple[Frame | None, Value]] = []
        """The context managers that were entered and not left, and may see what ends their ``with``; and in which call."""
        self.floats = False
        """Whether floating point errors of NumPy may raise."""
        self.refused: list[AdxError] | None = None
        """What is refused, where that is looked for; ``None`` where the first refusal ends it."""

    def use(self, value: Value) -> Value:
        """`value`, given that it can be used; otherwise a located error, or the end of the path."""
        if isinstance(value, Poison):
            if value.lost:
                raise Lost
            if value.params:
                raise Promote(value.params)
            raise self.error(f"this value cannot be followed: {value.why}", value.way)
        if is_undefined(value):
            self.fail(UnboundLocalError, "a variable is used before it is assigned")
        return self.seen(value)

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

    def new_list(self, items: tuple[Value, ...]) -> Ref:
        """A fresh list."""
        contents = list_contents(items)
        return self.heap.new("list", list, contents.keys, contents.items)

    def force(self, value: Value, *, returned: bool = False, kind: type[Exception] = TypeError, said: str = "") -> Value:
        """`value`, which may be ``None``, where Python would raise a `kind` then; or where it is `returned`, which is refused."""
        if not isinstance(value, Maybe):
            return value
        if isinstance(value.present, Var) and value.present not in self.assumed:
            if returned:
                self.require(value.present, runtime.absent)
            else:
                self.require(value.present, kind, said or "a value is None where a number is needed")
            self.assumed |= {value.present}
        return self.use(value.value)

    def there(self, value: Value) -> Value:
        """`value`, as what it is where this path has asked, and it is not ``None``."""
        return self.use(value.value) if isinstance(value, Maybe) and value.present in self.assumed else value

    def given(self, value: Value) -> Value:
        """`value`, which may be ``None``, where it is not followed what becomes of that: the run refuses it."""
        if not isinstance(value, Maybe):
            return value
        if isinstance(value.present, Var) and value.present not in self.assumed:
            message = (
                "a value is None here, which is given to what nobody follows with None, and a number or an array on another path"
            )
            self._raise_unless(value.present, runtime.without_derivative, message)
            self.assumed |= {value.present}
        return self.use(value.value)

    def require(self, cond: Operand, exception: Callable[..., Exception], *message: str) -> None:
        """Write the raising of `exception` where `cond` does not hold: no ``try`` of the program catches what adxform refuses."""
        if self.level is not None and not isinstance(exception(*message), AdxError):
            self.raise_unless(cond, exception, message)
            return
        self._raise_unless(cond, exception, *message)

    def _raise_unless(self, cond: Operand, exception: Callable[..., Exception], *message: str) -> None:
        missing = Builder(self.names, self.span)  # which nothing watches: what is made here raises nothing
        error = missing.call(exception, *map(Lit, message), span=self.span)
        missing.emit(Raise(error, self.span))
        self.builder.emit(If((), cond, Block((), (), ()), missing.block((), ()), self.span))

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
        if ref.kind not in ("instance", "dict") or ref not in self.heap.contents.originals:
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

    def in_library(self) -> bool:
        """Whether what is being run is adxform's own, in the place of a call that the user wrote."""
        return not self.frames or self.frames[-1].fn.span.is_own

    def emit(
        self,
        fn: Callable[..., Any],
        args: Sequence[Operand],
        type_: Type,
        hint: str = "tmp",
        kwargs: Mapping[str, Operand] | None = None,
    ) -> Var:
        """Append the call of a primitive and return its out."""
        type_ = self.equal.type(with_fresh(type_, self.integers.fresh_dim))
        out = self.builder.call(fn, *args, type=type_, hint=hint, kwargs=kwargs, span=self.span)
        if is_unknown(type_):  # what is made of an unknown value is as unknown
            given = (var for arg in (*args, *(kwargs or {}).values()) for var in variables(arg))
            found = next((self.of_run.unruled[var] for var in given if var in self.of_run.unruled), None)
            if found is not None:
                self.of_run.unruled[out] = found
        return out

    def unknown(self, message: str, help_: str, *values: Value, cls: type[AdxError] = UnsupportedOperationError) -> AdxError:
        """An error of what is not known of `values`; where that comes of a function without a rule, the error says so instead."""
        found = next(
            (self.of_run.unruled[value] for value in values if isinstance(value, Var) and value in self.of_run.unruled), None
        )
        if found is not None:
            return missing_rule(*found, "what it returns is not known before it runs")
        self.promote_for_rank(values)
        return self.error(message, help_, cls)

    def promote_for_rank(self, values: Iterable[Value | Operand]) -> None:
        """Start again where the run must tell whether one of `values` is a number or an array, if parameters may tell it."""
        unsure = any(isinstance(value, Var) and isinstance(value.type, Array) and value.type.shape is None for value in values)
        params = self.loops.of_unknown_rank.union(*self.loops.deciding)
        if unsure and params:
            raise Promote(frozenset(params))

    @property
    def unconditional(self) -> bool:
        """Whether what is being run runs in every call that ends without an exception."""
        return self.builder is self.root

    @property
    def in_own_code(self) -> bool:
        """Whether what is being run is adxform's own: a rule, or a function by its meaning."""
        return bool(self.frames) and self.frames[-1].fn.span.is_own

    def static(self, value: Value, what: str) -> Any:
        """The run-time value of `value`, which must be known when compiling."""
        match value:
            case Lit(literal):
                return self.use(value) and literal
            case Static():
                return self.settle(value)
            case Tuple(items, cls):
                parts = [self.static(item, what) for item in items]
                return tuple(parts) if cls is tuple else tuple.__new__(cls, parts)
            case Ref(kind="list"):
                return [self.static(item, what) for item in self.contents(value).items]
            case Slice(start, stop, step):
                return slice(*(self.static(part, what) for part in (start, stop, step)))
            case Var():
                origin = self.integers.followed(value)
                if origin:
                    raise Promote(origin)
                raise self.error(f"{what} must be known before the program runs", "make it a constant or an integer argument")
            case _:
                raise self.error(f"{what} must be a constant", "pass a plain value")

    def fail(self, exception: type[Exception], message: Any) -> Value:
        """Write the raising of `exception`: what follows on this path is never reached."""
        error = self.builder.call(exception, Lit(message), span=self.span)
        return self.throw(error, (exception,))

    def helper_functions(self) -> tuple[Function, ...]:
        """The functions called by name so far."""
        own = [helper.function for helper in self.helpers.values() if helper.function is not None]
        return (*own, *self.adopted.values())

    def helper_name(self, hint: str) -> str:
        """A name that no function called by name has yet."""
        taken = {*self.adopted, *(helper.name for helper in self.helpers.values())}
        while (name := self.names.fresh(f"%{hint}").removeprefix("%").replace(".", "_")) in taken:
            pass
        return name

    def adopt(self, fn: Function) -> Function:
        """`fn`, whose helpers are taken over; under other names where another function has one of theirs.

        Those of a derivative are this interpreter's own, made from the same source with the same parameters and results, or new.
        """
        own = {helper.name: helper.function for helper in self.helpers.values()}

        def is_own(helper: Function) -> bool:
            known = own.get(helper.name)
            return known is not None and shape(known) == shape(helper)

        def shape(helper: Function) -> tuple[Span, int, int]:
            return helper.span, len(helper.params), len(helper.results)

        new = {helper.name: helper for helper in fn.helpers if not is_own(helper)}
        if any(name in own or self.adopted.get(name, helper) != helper for name, helper in new.items()):
            if fn.helpers not in self.renamed:
                self.renamed[fn.helpers] = {name: self.helper_name(name) for name in new}
            names = self.renamed[fn.helpers]
            fn = rename_callees(fn, names)
            new = {helper.name: helper for helper in fn.helpers if helper.name in names.values()}
        self.adopted |= new
        return fn

    def name(self, name: str, value: Value) -> None:
        """Let a number or an array that nobody named yet be called as the user calls it first."""
        if not isinstance(value, Var) or value.base not in NAMELESS or value in self.named:
            return
        if name.isidentifier() and name not in NAMELESS and self.frames and not self.frames[-1].fn.span.is_own:
            self.named[value] = name

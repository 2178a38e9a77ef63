"""The state of one specialisation.

A handler takes an `Interpreter` and values, and returns a value. It calls the handlers that it needs by name, and asks the
interpreter for what would go in a circle: see `above`.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from adxform import runtime
from adxform.errors import AdxError, UnsupportedOperationError
from adxform.frontend.evaluate.held_contents import HeldContents
from adxform.frontend.evaluate.levels import Frame, TryLevel
from adxform.frontend.evaluate.objects.heap import Heap
from adxform.frontend.evaluate.objects.object_contents import (
    list_contents,
)
from adxform.frontend.evaluate.presence import Other, Told
from adxform.frontend.evaluate.records.from_outside import FromOutside
from adxform.frontend.evaluate.records.knowledge import Helper, Knowledge
from adxform.frontend.evaluate.records.known_integers import KnownIntegers
from adxform.frontend.evaluate.records.to_check import ToCheck
from adxform.frontend.evaluate.signals import Grows, Lost, Promote
from adxform.frontend.evaluate.values import (
    Maybe,
    OneOf,
    Poison,
    Ref,
    Slice,
    Static,
    Tuple,
    Value,
    is_undefined,
)
from adxform.frontend.signature.shared_lengths import Equalities
from adxform.frontend.types.sampled_types import with_fresh
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Function, If, Lit, Operand, Raise, Var
from adxform.ir.spans import Span
from adxform.ir.types import Array, Object, Type, is_unknown
from adxform.ir.walk import Names, rename_callees, variables
from adxform.primitives.definitions.real_spectra import CARRIED
from adxform.primitives.unruled import missing_rule

Derive = Callable[[str, Function, tuple[int, ...]], Function]
NAMELESS = ("tmp", "result")


class Interpreter(HeldContents):
    """The state of one specialisation."""

    def __init__(self, names: Names, derive: Derive, knowledge: Knowledge | None = None, *, assumes: bool = False) -> None:
        super().__init__()
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
        self.frames: list[Frame] = []
        self.grown: dict[int, tuple[Heap, int]] = {}
        """By functions that call themselves: what objects there were before, and how many calls were given others since."""
        self.written_out: collections.Counter[Any] = collections.Counter()
        """How many calls within one another were written out, of functions that call themselves."""
        self.named: dict[Var, str] = {}
        self.parameters: dict[str, Var] = {}
        self.caching = 0
        """How many calls of functions under a cache are being run: each key of these is run once, so they may be deep."""
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
        self.makes_deques = self.makes_counters = self.begins_objects = False
        self.copying: set[int] = set()
        """Objects from outside that are being copied deeply, by their places in memory."""
        """Whether the run makes deques, into which nobody looks."""
        self.makes_records = False
        """Whether lists of dicts or objects have become lists for each of their parts."""
        self.makes_structures = False
        """Whether structured arrays are made that are sets of arrays here."""
        self.adds_keys = False
        """Whether a dict with known keys has become one of which only the run knows them."""
        self.hands_managers = False
        """Whether context managers are left to the run of which it may be followed what they do when an exception passes."""
        self.level: TryLevel | None = None
        """Where an exception is looked for, if a ``try`` is run."""
        self.managers: list[tuple[Frame | None, Value]] = []
        """The context managers that were entered and not left, and may see what ends their ``with``; and in which call."""
        self.outlived: dict[Var, Span] = {}
        """Arrays of which objects hold the view that has another shape since that was set, and where: no other name is read."""
        self.in_compiled = False
        """Whether what is being run is code that Numba compiles."""
        self.floats = False
        """Whether floating point errors of NumPy may raise."""
        self.written = 0
        """How many ops were written so far."""
        self.first_call: Any = None
        """What the call at hand gives, where branches in code of packages are the side that it takes."""
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
        """`value`, as what it is where this path has asked: not ``None``, and the one of several things that is left."""
        if isinstance(value, OneOf):
            return self.left(value)
        return self.use(value.value) if isinstance(value, Maybe) and value.present in self.assumed else value

    def left(self, value: OneOf) -> Value:
        """The things that `value` may be where this path has asked."""
        which = value.which
        if not self.assumed or not isinstance(which, Var):
            return value
        number_of = self.heap.contents.number_of
        things = tuple(one for one in value.things if Other(which, number_of(one)) not in self.assumed)
        return value if len(things) == len(value.things) else things[0] if len(things) == 1 else OneOf(which, things)

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
        self.integers.note_part(out, args)
        if type_ == Object() and self.of_run.makes_text(fn, args):
            self.of_run.made[out] = str
        if is_unknown(type_):  # what is made of an unknown value is as unknown
            given = [var for arg in (*args, *(kwargs or {}).values()) for var in variables(arg)]
            found = next((self.of_run.unruled[var] for var in given if var in self.of_run.unruled), None)
            maker = next((self.of_run.makers[var] for var in given if var in self.of_run.makers), None)
            if maker is not None:
                self.of_run.makers[out] = maker
            if found is not None:
                self.of_run.unruled[out] = found
                self._carry(fn, args, out)
        return out

    def _carry(self, fn: Callable[..., Any], args: Sequence[Operand], out: Var) -> None:
        """Follow `out` as complex numbers, where it is made of eigenvalues that may be real."""
        followed = self.of_run.followed
        if fn in CARRIED and any(isinstance(arg, Var) and arg in followed for arg in args):
            given = [followed.get(arg, arg) if isinstance(arg, Var) else arg for arg in args if isinstance(arg, Var | Lit)]
            followed[out] = self.call(Lit(fn), given)

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

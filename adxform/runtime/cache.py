"""The rule cache: what was specialised and derived, found again by value and checked by guards at every call.

A *bucket* holds what was built for one code object and signature. Its entries differ in what the function reached by
name when they were built (helpers, closures, defaults, modules): the guards of an entry say what that was, so a redefined helper
or a rebound name finds another entry or makes one. Numbers and arrays reached by name are read at every call and need no guard.
"""

from __future__ import annotations

import gc
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MethodType, ModuleType
from typing import Any, TypeVar

from adxform.backends.protocol import Appraisal
from adxform.backends.python.free_names import Surroundings
from adxform.backends.registry import COMPILER, may_compile
from adxform.errors import AdxError
from adxform.frontend.derivative_operators import PYTHON, USUAL, Engine, Operator, Order
from adxform.frontend.evaluate.signals import Unassumed
from adxform.frontend.signature import Signature, equal_lengths
from adxform.frontend.signature.access import Access, Is, guards_hold
from adxform.frontend.signature.assumed_lengths import has_unknown_lengths
from adxform.frontend.signature.watched_rules import renew_changed
from adxform.frontend.specialisation import span_of
from adxform.frontend.specialize import specialize
from adxform.frontend.specialized import Specialized
from adxform.ir.ops import Function, Lit
from adxform.ir.spans import Span, own_attribute, own_signature
from adxform.passes.pipeline import suited_to_kernels
from adxform.primitives.table import table_version
from adxform.runtime import counters, timing
from adxform.runtime.defects import deriving
from adxform.runtime.dispatch import derivation
from adxform.runtime.dispatch.buffered_rules import BufferedRule, buffered
from adxform.runtime.dispatch.derivation import Closed, DerivedRule, Request
from adxform.runtime.dispatch.derivative_orders import Mode
from adxform.runtime.dispatch.split import CutRule, cut, widened
from adxform.runtime.memos import forget_all
from adxform.runtime.persistence.disk import Shelf, shelf_for
from adxform.runtime.timing import phase
from adxform.threads.deep_recursion import with_deep_stack
from adxform.threads.locks import Turn, new_lock

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")

ENTRIES = 64
BUCKETS = 4096
ORPHANS = 256
"""How many of the buckets may be for functions that are gone: they may come again, as a closure does that each call makes."""
GLANCE = 64
EQUALITIES = 4


@dataclass(slots=True, weakref_slot=True)
class CacheEntry:
    """One specialisation of a function, and the rules that were derived from it.

    One that assumes lengths, or is `tabled` (see `suited_to_kernels`), has the `general` one beside it, whose rules run
    where its own find that lengths are others, or where sums have to keep their order.
    """

    specialized: Specialized
    turn: Turn = field(default_factory=Turn)
    rules: dict[Hashable, DerivedRule] = field(default_factory=dict)
    cuts: dict[Hashable, CutRule] = field(default_factory=dict)
    buffered_rules: dict[Hashable, BufferedRule] = field(default_factory=dict)
    plans: dict[Hashable, Any] = field(default_factory=dict)
    shelf: Shelf | None = None
    general: CacheEntry | None = None
    tabled: bool = False
    _appraisal: Appraisal | None = None

    @property
    def appraisal(self) -> Appraisal:
        """What compiling derivatives of the function takes and saves."""
        if self._appraisal is None:
            self._appraisal = COMPILER.appraise(self.specialized.function)
        return self._appraisal

    def holds(self, fn: Callable[..., Any], leaves: tuple[Any, ...]) -> bool:
        """Whether the entry is for what `fn` reaches now and for the leaves that had to be known."""
        return self.specialized.takes(leaves) and guards_hold(self.specialized.guards, fn)

    def rule(
        self,
        mode: Mode,
        wrt: tuple[int, ...],
        outputs: int,
        scratch: tuple[int, ...] = (),
        order: Order = USUAL,
        directions: int = 1,
        engine: Engine = PYTHON,
        seeds: tuple[float, ...] = (),
        valued: bool = True,
    ) -> DerivedRule:
        """The derived rule, built at the first call: see `Request`. For one vector at a time where it cannot be for more."""
        key = (mode, wrt, outputs, scratch, order, directions, engine, seeds, valued)

        def made() -> DerivedRule:
            one = self.specialized
            how = scratch, order, directions, engine, seeds, valued, one.written
            request = Request(one.function, mode, wrt, outputs, surroundings(one), *how)
            return self._found(key, request)

        return self._kept(self.rules, key, made)

    def asked(self, request: Request) -> DerivedRule:
        """The rule for `request`, which is like that of a rule of this entry."""
        key = key_of(request)
        return self._kept(self.rules, key, lambda: self._found(key, request))

    def _found(self, key: Hashable, request: Request) -> DerivedRule:
        if self.general is None:
            return self._read_or_built(key, request)
        if self.tabled and not request.engine.fastmath:
            return self.general.for_all(request)
        opened = replace(request, seeds=(), valued=True, engine=PYTHON)
        if request.seeds and self.asked(opened).request.function != request.function:
            return self.general.for_all(request)
        rule = self._read_or_built(key, request, self._fallback(request))
        left = may_compile(request.engine) and not may_compile(rule.choice.engine)
        fits = request.seeds or rule.takes_place_of(self.general.for_all(opened))
        return rule if fits and not left else self.general.for_all(request)

    def _fallback(self, request: Request) -> Callable[..., Any]:
        """What runs where `request` assumes lengths that are others: Python, with the seeds put in."""
        assert self.general is not None
        rule = self.general.for_all(replace(request, seeds=(), valued=True, engine=PYTHON))
        skipped = 0 if request.valued else len(rule.typed.results)
        return Closed(rule.run, request.seeds, len(rule.optimised.results), skipped) if request.seeds else rule.run

    def for_all(self, request: Request) -> DerivedRule:
        """The rule of this entry, which assumes no lengths, for what is requested of one that does."""
        own = self.specialized
        return self.asked(replace(request, function=own.function, surroundings=surroundings(own)))

    def cut(self, rule: DerivedRule, engine: Engine = PYTHON) -> CutRule:
        """`rule`, whose last sweep is a reverse one, in two parts that run on `engine`, made at the first call.

        The forward part of a rule for several vectors is that of the rule for one. So is the backward part where it has to be.
        """
        if self.general is not None:
            return self.general.cut(self.general.for_all(rule.request), engine)  # a half cannot begin anew
        key = key_of(rule.request), engine
        return self._kept(self.cuts, key, lambda: self._read_or_cut(key, rule, engine))

    def buffered(self, rule: DerivedRule) -> BufferedRule:
        """`rule`, one of this entry, in the form that writes into memory that it is given; made at the first call."""
        if self.general is not None and rule.request.function != self.specialized.function:
            return self.general.buffered(rule)
        key = key_of(rule.request)
        return self._kept(self.buffered_rules, key, lambda: self._read_or_buffered(key, rule))

    def _kept(self, known: dict[_K, _V], key: _K, make: Callable[[], _V]) -> _V:
        """What `known` holds at `key`, made by one thread alone where it holds nothing yet."""
        found = known.get(key)
        if found is not None:
            return found
        return with_deep_stack(lambda: self.turn.alone(lambda: self._made(known, key, make)), *place(self.specialized.function))

    def _made(self, known: dict[_K, _V], key: _K, make: Callable[[], _V]) -> _V:
        if key not in known:
            with phase("transform"), deriving(function=self.specialized.function):
                made = make()
            return known.setdefault(key, made)
        return known[key]

    def _read_or_built(self, key: Hashable, request: Request, fallback: Callable[..., Any] | None = None) -> DerivedRule:
        found: DerivedRule | None = None if self.shelf is None else self.shelf.read(("rule", key), DerivedRule)
        if found is not None and found.request in (request, replace(request, seeds=(), valued=True)):
            return found
        if request.seeds:
            given = request.mode, request.wrt, request.outputs, request.scratch, request.order
            rule = derivation.closed(self.rule(*given), request.seeds, request.valued, request.engine, fallback)
        elif (known := self._sibling(request)) is not None:
            rule = derivation.moved(known, request.engine, fallback)
        elif request.directions == 1:
            beside = next((rule for rule in self.rules.values() if derivation.starts_as(request, rule.request)), None)
            rule = derivation.build(request, fallback, beside)
        else:
            rule = derivation.widened(self._single(request), request.directions, fallback)
        if self.shelf is not None:
            self.shelf.write(("rule", key), rule)
        return rule

    def _sibling(self, request: Request) -> DerivedRule | None:
        """The rule for `request` on another engine, if there is one."""
        return next((rule for rule in self.rules.values() if replace(rule.request, engine=request.engine) == request), None)

    def _single(self, request: Request) -> DerivedRule:
        """The rule for one vector that `request` asks for several of."""
        return self.rule(request.mode, request.wrt, request.outputs, request.scratch, request.order, engine=request.engine)

    def _read_or_buffered(self, key: Hashable, rule: DerivedRule) -> BufferedRule:
        fn = rule.optimised
        found: tuple[Function, BufferedRule] | None = (
            None if self.shelf is None else self.shelf.read(("buffered", key), Function, BufferedRule)
        )
        if found is not None and found[0] == fn:
            return found[1]
        request = rule.request if rule.seeds == 0 else replace(rule.request, seeds=())
        fallback = None if self.general is None else self._fallback(replace(request, valued=True))
        form = buffered(fn, rule.request.surroundings, rule.choice.engine, fallback)
        if self.shelf is not None:
            self.shelf.write(("buffered", key), (fn, form))
        return form

    def _read_or_cut(self, key: Hashable, rule: DerivedRule, engine: Engine) -> CutRule:
        joint, request = rule.optimised, rule.request
        found: tuple[Function, CutRule] | None = None if self.shelf is None else self.shelf.read(("cut", key), Function, CutRule)
        if found is not None and found[0] == joint:
            return found[1]
        inputs, often = len(rule.typed.params), request.mode == "second"
        if request.directions == 1:
            parts = cut(joint, inputs, rule.early, request.surroundings, engine, often=often)
        else:
            single = self._single(request)
            given = self.cut(single, engine), single.optimised, joint, inputs, rule.early, request.surroundings, engine
            parts = widened(*given, often=often)
        if self.shelf is not None:
            self.shelf.write(("cut", key), (joint, parts))
        return parts


def key_of(request: Request) -> Hashable:
    """What a `CacheEntry` finds the rule for `request` by."""
    given = request.mode, request.wrt, request.outputs, request.scratch, request.order, request.directions, request.engine
    return *given, request.seeds, request.valued


def place(fn: Function) -> tuple[str, Span]:
    """What a refusal of `fn` names."""
    return fn.name, fn.span


def surroundings(specialized: Specialized) -> Surroundings:
    """What a specialised function finds outside of its arguments, as generated code names it."""
    params = specialized.function.params
    read = tuple(param.name for param in params[len(params) - len(specialized.hidden) :])
    expected = ((guard.expectation, guard.access) for guard in specialized.guards)
    named = (owned(found.value, access) for found, access in expected if isinstance(found, Is))
    return Surroundings(read, tuple((value, access.hint) for value, access in named if not isinstance(value, ModuleType)))


def owned(value: Any, access: Access) -> tuple[Any, Access]:
    """The object that the method `value` belongs to, or `value` itself, and the path by which the user reaches it."""
    match access.steps:
        case (*steps, ("attribute", _), ("attribute", "__self__")):
            return value, replace(access, steps=tuple(steps))
        case (*steps, ("attribute", _)) if hasattr(value, "__self__"):
            return value.__self__, replace(access, steps=tuple(steps))
        case _:
            return value, access


@dataclass(slots=True)
class Bucket:
    """The entries for one code object and signature, the latest used first; the `equalities` of lengths that have their own.

    `of` is the function that they were asked for last, as long as there is one.
    """

    of: Callable[[], Any] = lambda: None
    turn: Turn = field(default_factory=Turn)
    entries: list[CacheEntry] = field(default_factory=list)
    equalities: dict[tuple[int, ...], None] = field(default_factory=dict)

    def find(self, fn: Callable[..., Any], leaves: tuple[Any, ...]) -> CacheEntry | None:
        """The entry whose guards hold."""
        for entry in tuple(self.entries):
            if entry.holds(fn, leaves):
                return entry
        return None


_lock = new_lock()
_buckets: OrderedDict[Hashable, Bucket] = OrderedDict()
_looked = [0]
"""How many buckets there were when they were looked through for those whose function is gone."""
_dropped = [0]
_cleared = [0]


def entry_for(fn: Callable[..., Any], own: Hashable, signature: Signature, leaves: tuple[Any, ...]) -> CacheEntry:
    """The specialisation of `fn`, of identity `own`, for arguments like these; made when there is none yet."""
    renew_changed()
    bucket = bucket_for((own, signature, table_version()), fn)
    entry = bucket.find(fn, leaves)
    if entry is not None:
        counters.count("cache_hits")
        return entry

    def made() -> CacheEntry:
        entry = bucket.find(fn, leaves)
        if entry is None:
            check_call(fn, signature.args, dict(signature.kwargs))
            with phase("transform"), deriving(fn, signature):
                entry = read_or_made(fn, own, signature, leaves)
            bucket.entries = [entry, *bucket.entries[: ENTRIES - 1]]
        return entry

    return with_deep_stack(lambda: bucket.turn.alone(made), getattr(fn, "__name__", type(fn).__name__), span_of(fn))


def sized(fn: Any, own: Hashable, signature: Signature, leaves: tuple[Any, ...]) -> Signature:
    """`signature`, of `fn`, of identity `own`, with the lengths that are equal in `leaves`, for a form that assumes more.

    Without the former where there are forms of the function for enough other equalities: what is said of none is always good.
    """
    bucket, found = bucket_for((own, signature, table_version()), fn), equal_lengths(leaves)
    with _lock:
        if found and len(bucket.equalities) < EQUALITIES:
            bucket.equalities[found] = None
    return replace(signature, lengths=found if found in bucket.equalities else (), assumed=True)


def read_or_made(fn: Callable[..., Any], own: Hashable, signature: Signature, leaves: tuple[Any, ...]) -> CacheEntry:
    """An entry from the disk, where another process left one whose guards hold, or a new one."""
    general = entry_for(fn, own, replace(signature, assumed=False), leaves) if signature.assumed else None
    assumes = general is None or has_unknown_lengths(general.specialized.function)
    if general is not None and not assumes and suited_to_kernels(general.specialized.function) is general.specialized.function:
        return general
    shelf = shelf_for(own, signature)
    specialized = None if shelf is None else shelf.find(fn, leaves)
    if specialized is None:
        try:
            derive = derivation.derive if general is None else assuming_nothing
            specialized = specialize(fn, signature, leaves, derive) if general is None or assumes else general.specialized
        except (AdxError, Unassumed):
            if general is not None:
                return general
            if not signature.lengths:
                raise
            return entry_for(fn, own, replace(signature, lengths=()), leaves)
        if shelf is not None:
            shelf.keep(specialized)
    if general is None:
        return CacheEntry(specialized, shelf=shelf)
    if not specialized.takes_place_of(general.specialized):
        return general
    function = suited_to_kernels(specialized.function)
    tabled = function is not specialized.function
    return CacheEntry(replace(specialized, function=function), shelf=shelf, general=general, tabled=tabled)


def assuming_nothing(kind: str, function: Function, wrt: tuple[int, ...]) -> Function:
    """What derives functions inside of one that assumes lengths: none."""
    raise Unassumed


def check_call(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Raise the `TypeError` of Python itself when `fn` does not take arguments of this number and these names."""
    try:
        parameters = own_signature(fn)
    except (TypeError, ValueError):
        return
    try:
        parameters.bind(*args, **kwargs)
    except TypeError as error:
        name = getattr(fn, "__qualname__", type(fn).__name__)
        raise TypeError(f"{name}(): {error}") from None


def bucket_for(key: Hashable, fn: Any) -> Bucket:
    """The bucket of `key`, asked for `fn`; the oldest ones go when there are too many."""
    with _lock:
        bucket = _buckets.get(key)
        if bucket is None:
            bucket = _buckets[key] = Bucket()
            if len(_buckets) > BUCKETS:
                _buckets.popitem(last=False)
        else:
            _buckets.move_to_end(key)
        bucket.of = reference(fn)
    if len(_buckets) >= 1.5 * _looked[0] + GLANCE:
        drop_orphans()
    return bucket


def reference(fn: Any) -> Callable[[], Any]:
    """What returns `fn`, or ``None`` once there is no such function any more."""
    target = fn.__func__ if isinstance(fn, MethodType) else fn
    try:
        return weakref.ref(target)
    except TypeError:
        return lambda: target


def drop_orphans() -> None:
    """Drop the oldest buckets of those whose function is gone, as that of a cell is which was run anew, beyond `ORPHANS`."""
    gc.collect()  # many are gone as soon as somebody looks
    weight = 0
    with _lock:
        for key, bucket in reversed(tuple(_buckets.items())):
            if bucket.of() is None and (weight := weight + weight_of(bucket)) > ORPHANS:
                del _buckets[key]
                _dropped[0] += 1
        _looked[0] = len(_buckets)
    tidy()


def weight_of(bucket: Bucket) -> int:
    """What a bucket takes of the memory: as much as one rule in Python, and what backends keep for others."""
    rules = [rule for entry in tuple(bucket.entries) for rule in tuple(entry.rules.values())]
    return 1 + sum(rule.backend.weight for rule in rules)


def tidy() -> None:
    """Have the collector take what was dropped, once it is much: rules hold themselves, and lie where it seldom looks."""
    if _dropped[0] >= GLANCE:
        _dropped[0] = 0
        gc.collect()
        gc.collect()  # what the text of a function is kept for goes with the function


def identity(fn: Any) -> Hashable:
    """What stands for `fn` in a key: its code, compared by value, and the file it came from."""
    match fn:
        case Operator():
            return type(fn), fn.kind, fn.argnums, fn.has_aux, fn.holomorphic, identity(fn.fn)
        case MethodType():
            return "method", identity(fn.__func__)
        case partial():
            return "partial", identity(fn.func)
        case _:
            code = own_attribute(fn, "__code__")
            return (code, code.co_filename) if code is not None else Lit(fn)


def epoch() -> tuple[int, int]:
    """What an entry that is kept elsewhere is good for: it changes when the cache is cleared or a rule is registered."""
    renew_changed()
    return _cleared[0], table_version()


def clear_cache() -> None:
    """Forget every derived rule and start the counters again from zero."""
    with _lock:
        _dropped[0] += len(_buckets)
        _looked[0] = 0
        _buckets.clear()
        _cleared[0] += 1
    forget_all()
    counters.reset()
    timing.reset()
    tidy()


def stats() -> dict[str, int]:
    """The counters: rules built, cache hits, parses, compilations, buffers allocated, and calls of a primal.

    Buffers are the cotangent buffers, tapes and private copies that a rule makes at every call, whatever branch it takes: those
    inside its loops, branches and helpers are not counted, nor the arrays that expressions make, nor those of compiled gradients.
    """
    return counters.snapshot()

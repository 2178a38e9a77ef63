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
from types import MethodType
from typing import Any

from adxform.errors import AdxError
from adxform.frontend.derivative_operators import Operator
from adxform.frontend.evaluate.signals import Unassumed
from adxform.frontend.signature import Signature, equal_lengths
from adxform.frontend.signature.assumed_lengths import has_unknown_lengths, meets_literals
from adxform.frontend.signature.watched_rules import renew_changed
from adxform.frontend.specialisation import span_of
from adxform.frontend.specialize import specialize
from adxform.ir.ops import Function, Lit
from adxform.ir.spans import own_attribute, own_signature
from adxform.passes.pipeline import suited_to_kernels
from adxform.primitives.table import table_version
from adxform.runtime import counters, timing
from adxform.runtime.defects import deriving
from adxform.runtime.dispatch import derivation
from adxform.runtime.dispatch.cache_entries import CacheEntry
from adxform.runtime.memos import forget_all
from adxform.runtime.persistence.disk import shelf_for
from adxform.runtime.timing import phase
from adxform.threads.deep_recursion import with_deep_stack
from adxform.threads.locks import Turn, new_lock

ENTRIES = 64
BUCKETS = 4096
ORPHANS = 256
"""How many of the buckets may be for functions that are gone: they may come again, as a closure does that each call makes."""
GLANCE = 64
EQUALITIES = 4


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
    plain = None if general is None else general.specialized.function
    assumes = plain is None or has_unknown_lengths(plain) or meets_literals(plain)
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

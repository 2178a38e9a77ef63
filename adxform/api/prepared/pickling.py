"""A prepared derivative for another process: its function by name, and its rules as they were derived and compiled.

Reading it parses, derives and compiles nothing. What the rules assume of the function, of what it reaches and of the versions is
checked once when it is read, and at every call as ever.
"""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any

from adxform.api.prepared.calls.preparation import preparation
from adxform.api.prepared.calls.surroundings import Watch
from adxform.errors import PreparationMismatchError
from adxform.frontend.signature.access import guards_hold
from adxform.frontend.signature.watched_access import Trail
from adxform.frontend.specialized import Specialized
from adxform.runtime.dispatch.application import Application, unwrapped
from adxform.runtime.dispatch.cache_entries import CacheEntry, key_of
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.refusals import definition, name_of
from adxform.runtime.persistence import portable
from adxform.runtime.persistence.disk import live
from adxform.runtime.persistence.references import NotPortable, Stale
from adxform.runtime.persistence.versions import digest_of, environment, versions

HELP = "prepare it anew in this process"
OWN = ("fn", "made")
FORM = b"adxform prepared derivative 1\n"  # the number changes with what stands behind the digest
DAMAGED = "the pickle of a prepared derivative is damaged, or another version of adxform wrote it"


def reduced(prepared: Any) -> tuple[Any, ...]:
    """How `pickle` makes `prepared` again.

    Raises:
        PicklingError: the function, or something that the rules refer to, has no name in another process.
    """
    call, made = prepared.call, prepared.made
    values = {field.name: getattr(prepared, field.name) for field in dataclasses.fields(prepared) if field.name not in OWN}
    rules = {key_of(rule.request): rule for rule in prepared.rules}
    cuts = {key: parts for key, parts in call.entry.cuts.items() if key in {(known, call.engine) for known in rules}}
    forms = {key_of(rule.request): call.entry.buffered(rule) for rule, _ in made.buffered if isinstance(rule, DerivedRule)}
    entry = call.entry.specialized, rules, cuts, forms
    try:
        named = pickle.dumps((type(prepared), prepared.fn))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        message = f"`{name_of(prepared.fn)}` cannot be pickled ({error}): define the function at the top of a module"
        raise pickle.PicklingError(message) from None
    try:
        data = portable.dumps((entry, call.signature, call.held, call.scratch, made.contexts, values))
        registered = digest_of(made.reached)
    except NotPortable as error:
        raise pickle.PicklingError(f"{prepared!r} cannot be pickled: {error}") from None
    return restored, (sealed(pickle.dumps((environment(), versions(), registered, named, data))),)


def sealed(content: bytes) -> bytes:
    """`content` behind the version of its form and a digest of both."""
    return FORM + sha256(FORM + content).digest() + content


def opened(data: Any) -> bytes:
    """What was sealed as `data`.

    Raises:
        PreparationMismatchError: `data` is not, to the bit, what `sealed` made.
    """
    content = data[len(FORM) + sha256().digest_size :] if isinstance(data, bytes) else b""
    if data != sealed(content):
        raise PreparationMismatchError(DAMAGED, help=HELP)
    return content


def restored(written: bytes) -> Any:
    """The prepared derivative that `reduced` took apart. Nothing is unpickled before its digest was compared.

    Raises:
        PreparationMismatchError: it was damaged, prepared under other versions, or for code that has changed since.
    """
    stamp, made_under, rules, named, data = pickle.loads(opened(written))
    if stamp is None or stamp != environment():
        other = f"prepared under {made_under}, read under {versions()}, or under other sources of these"
        raise PreparationMismatchError(f"a prepared derivative does not fit this process\n    {other}", help=HELP)
    cls, fn = pickle.loads(named)
    try:
        entry, signature, held, scratch, contexts, values = portable.loads(data)
    except Stale as changed:
        raise refused(fn, [f"`{changed}` was changed since"]) from None
    prepared = object.__new__(cls)
    for name, value in {**values, "fn": fn}.items():
        object.__setattr__(prepared, name, value)
    target, lead, keywords = unwrapped(prepared.applied(fn))
    specialized, derived, cuts, forms = entry
    lines = misfits(specialized, target)
    if lines:
        raise refused(fn, lines)
    kept = CacheEntry(live(specialized, target), rules=derived, cuts=cuts, buffered_rules=forms)
    call = Application(target, signature, (), kept, len(lead), held, scratch, prepared.engine)
    buffered = [rule for rule in prepared.rules if key_of(rule.request) in forms]
    made = preparation(prepared.applied(fn), call, lead, keywords, contexts, prepared.rules, buffered, cuts.values())
    if digest_of(made.reached) != rules:
        raise refused(fn, ["a rule was registered since"])
    object.__setattr__(prepared, "made", made)
    return prepared


def misfits(specialized: Specialized, fn: Callable[..., Any]) -> list[str]:
    """A line for each name that is not, for `fn`, what `specialized` assumed."""
    if guards_hold(specialized.guards, fn):
        return []
    return list(Watch(fn, Trail(fn, specialized.guards), ()).misfits())


def refused(fn: Callable[..., Any], lines: Iterable[str]) -> PreparationMismatchError:
    """The error for a derivative of `fn` that cannot be used here."""
    text = "\n".join(f"    {line}" for line in lines)
    message = f"a prepared derivative of `{name_of(fn)}` does not fit this process\n{text}"
    return PreparationMismatchError(message, span=definition(fn), help=HELP)

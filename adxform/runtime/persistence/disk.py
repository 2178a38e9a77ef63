"""Specialisations and their rules on the disk: what another process derived for the same code, found again.

A *shelf* holds what was specialised for one function, by the content of its code, and signature. Like a bucket in memory it has
room for several *volumes* that differ in what the function reached by name; the guards of a volume are checked against
the live function when it is read. The rules of a volume lie under the digest of its specialisation.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from adxform.frontend.signature import Signature
from adxform.frontend.signature.access import HasCode, guards_hold
from adxform.frontend.specialized import Specialized
from adxform.runtime import counters
from adxform.runtime.persistence import portable
from adxform.runtime.persistence.contents import digest
from adxform.runtime.persistence.references import NotPortable
from adxform.runtime.persistence.store import Store, store, warn
from adxform.runtime.persistence.versions import environment, registered_rules, versions
from adxform.runtime.timing import phase

VOLUMES = 8


@dataclass(slots=True)
class Shelf:
    """Where what is derived for one function and signature lies, and its volume for one specialisation once that is known."""

    store: Store
    key: bytes
    rules: bytes
    volume: bytes = b""
    specialized: Specialized | None = None

    @phase("disk")
    def find(self, fn: Callable[..., Any], leaves: tuple[Any, ...]) -> Specialized | None:
        """The specialisation whose guards hold for `fn` and `leaves`."""
        for number in range(VOLUMES):
            data = self.store.get(self._place(number))
            if data is None:
                return None
            found = fitting(data, fn, leaves)
            if found is not None:
                counters.count("disk_hits")
                self.volume = sha256(data).digest()
                self.specialized = found
                return found
        return None

    def keep(self, specialized: Specialized) -> None:
        """Let rules of `specialized` be written."""
        self.specialized = specialized

    @phase("disk")
    def read(self, name: Hashable, *classes: type[Any]) -> Any:
        """The rule `name` of the volume, of one class, or a tuple with an item of each; ``None`` where there is no such thing."""
        data = self.store.get(self._rule(name)) if self.volume else None
        found = None if data is None else read(data)
        if not of_classes(found if len(classes) > 1 else (found,), classes):
            return None
        counters.count("disk_hits")
        return found

    @phase("disk")
    def write(self, name: Hashable, rule: Any) -> None:
        """Write the rule `name` of the volume, and the volume itself where that was not done; nothing if not portable."""
        if self.specialized is None or registered_rules() != self.rules:
            return
        try:
            data = portable.dumps(rule)
            if (self.volume or self._new_volume(self.specialized)) and self.store.put(self._rule(name), data):
                counters.count("disk_writes")
        except NotPortable:
            self.specialized = None

    def _new_volume(self, specialized: Specialized) -> bool:
        data = portable.dumps(specialized)
        for number in range(VOLUMES):
            if self.store.add(self._place(number), data):
                break
            there = self.store.get(self._place(number))
            if (
                there is not None and is_whole(found := read(there), Specialized) and found == specialized
            ):  # another process was faster
                data = there
                break
        else:
            number = int.from_bytes(sha256(data).digest()[:4]) % VOLUMES
            if not self.store.put(self._place(number), data):
                return False
        self.volume = sha256(data).digest()
        return True

    def _place(self, number: int) -> bytes:
        return self.key + bytes((number,))

    def _rule(self, name: Hashable) -> bytes:
        return sha256(self.key + self.volume + digest(name)).digest()


@phase("disk")
def shelf_for(own: Hashable, signature: Signature) -> Shelf | None:
    """The shelf for a function of identity `own`; ``None`` where there is none: no disk, or something without a name."""
    where = store()
    stamp = environment() if where is not None else None
    rules = registered_rules() if stamp is not None else None
    if where is None or stamp is None or rules is None:
        return None
    try:
        key = sha256(stamp + rules + digest(own, signature)).digest()
    except NotPortable:
        return None
    announce(where)
    return Shelf(where, key, rules)


_announced: set[Path] = set()


def announce(where: Store) -> None:
    """Say so where the folder was filled by other versions only: they are not asked, and rules are derived anew."""
    if where.folder in _announced:
        return
    _announced.add(where.folder)
    mine, known = versions(), filled_under(where)
    if mine not in known:
        where.put(b"versions", "\n".join((*known, mine)).encode())
        if known:
            warn(f"{where.folder} was filled under {known[-1]}; rules are derived anew under {mine}")


def filled_under(where: Store) -> list[str]:
    """The versions under which entries were written, the latest to come last."""
    return (where.get(b"versions") or b"").decode(errors="replace").splitlines()


def read(data: bytes) -> Any:
    """The value that was written as `data`; ``None`` where it is for code that has changed."""
    try:
        return portable.loads(data)
    except RecursionError:  # the stack is ours, and there may be room on another
        raise
    except Exception:  # whatever a reference to changed code raises, the entry is not for this process
        return None


def of_classes(found: Any, classes: tuple[type[Any], ...]) -> bool:
    """Whether `found` is a tuple of whole instances of `classes`: what stands in the place of an entry may be another's."""
    return type(found) is tuple and len(found) == len(classes) and all(map(is_whole, found, classes))


def is_whole(value: Any, cls: type[Any]) -> bool:
    """Whether `value` is an instance of the dataclass `cls`, and its fields are of the classes that are stated there."""
    missing = object()
    return isinstance(value, cls) and all(_is_of(getattr(value, name, missing), hint) for name, hint in stated(cls).items())


def stated(cls: type[Any]) -> dict[str, Any]:
    """What the fields of the dataclass `cls` are stated to be."""
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in fields(cls)}


def _is_of(value: Any, hint: Any) -> bool:
    """Whether `value` is what `hint` says, of itself; what it holds is not looked at."""
    origin = get_origin(hint) or hint
    if origin in (Union, types.UnionType):
        return any(_is_of(value, each) for each in get_args(hint))
    if origin is Literal:
        return value in get_args(hint)
    return isinstance(value, origin) if isinstance(origin, type) else True


def fitting(data: bytes, fn: Callable[..., Any], leaves: tuple[Any, ...]) -> Specialized | None:
    """The specialisation that was written as `data`, if that is what it is, and its guards hold for `fn` and `leaves`."""
    found = read(data)
    try:
        if is_whole(found, Specialized) and found.takes(leaves) and guards_hold(found.guards, fn) and found.follows(fn, leaves):
            return live(found, fn)
    except (AttributeError, IndexError, TypeError):  # its fields are not those of a specialisation
        pass
    return None


def live(specialized: Specialized, fn: Callable[..., Any]) -> Specialized:
    """`specialized` with the code objects of this process in its guards, which are then compared by identity."""
    guards = tuple(
        replace(guard, expectation=HasCode(guard.access.read(fn).__code__)) if isinstance(guard.expectation, HasCode) else guard
        for guard in specialized.guards
    )
    return replace(specialized, guards=guards)

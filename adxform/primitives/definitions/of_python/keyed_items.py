"""Dicts of which only a run knows the keys, as a list of these and one of the items; the front end inlines these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def place_under(keys: Any, key: Any) -> int:
    """The place of the one of `keys` that equals `key`; -1 where none does."""
    found = -1
    for place in range(len(keys)):
        if keys[place] == key:
            found = place
    return found


def is_under(keys: Any, key: Any) -> Any:
    """``key in d``, as Python's own bool."""
    found = False
    for place in range(len(keys)):
        if keys[place] == key:
            found = True
    return found


def found_under(keys: Any, items: Any, key: Any) -> Any:
    """``d[key]``"""
    place = place_under(keys, key)
    if place < 0:
        raise KeyError(key)
    return items[place]


def item_or_missing(items: Any, missing: Any, key: Any) -> Any:
    """``d[key]`` of a dict whose class says by `missing` what it has under a key that it lacks."""
    return items[key] if key in items else missing(key)


def made_under(keys: Any, items: Any, key: Any, make: Any) -> Any:
    """``d[key]`` of a dict whose default `make` makes."""
    place = place_under(keys, key)
    if place < 0:
        place = len(keys)
        keys.append(key)
        items.append(make())
    return items[place]


def kept_under(keys: Any, items: Any, key: Any, default: Any) -> Any:
    """``d.setdefault(key, default)``"""
    place = place_under(keys, key)
    if place < 0:
        place = len(keys)
        keys.append(key)
        items.append(default)
    return items[place]


def got_under(keys: Any, items: Any, key: Any, default: Any) -> Any:
    """``d.get(key, default)``"""
    place = place_under(keys, key)
    return default if place < 0 else items[place]


def put_under(keys: Any, items: Any, key: Any, value: Any) -> None:
    """``d[key] = value``"""
    place = place_under(keys, key)
    if place < 0:
        keys.append(key)
        items.append(value)
    else:
        items[place] = value


def of_pairs(pairs: Any) -> Any:
    """``dict(pairs)``"""
    found = {}
    for key, item in pairs:
        found[key] = item
    return found


def taken_under(keys: Any, items: Any, key: Any) -> Any:
    """``d.pop(key)``"""
    place = place_under(keys, key)
    if place < 0:
        raise KeyError(key)
    keys.pop(place)
    return items.pop(place)


def taken_or(keys: Any, items: Any, key: Any, default: Any) -> Any:
    """``d.pop(key, default)``"""
    place = place_under(keys, key)
    if place < 0:
        return default
    keys.pop(place)
    return items.pop(place)


CHANGING: frozenset[Callable[..., Any]] = frozenset({made_under, kept_under, put_under, taken_under, taken_or})
"""Those that change what they are given: they run in the place of the program, whatever is known of that."""

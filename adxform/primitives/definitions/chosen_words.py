"""Keys of dicts that the run chooses among a few texts: each text by its own branch. The front end inlines these."""

from __future__ import annotations

from typing import Any


def found_under(box: Any, key: Any, words: Any) -> Any:
    """``box[key]``"""
    for word in words:
        if key == word:
            return box[word]
    raise KeyError(key)


def put_under(box: Any, key: Any, words: Any, value: Any) -> None:
    """``box[key] = value``"""
    for word in words:
        if key == word:
            box[word] = value


def got_under(box: Any, key: Any, words: Any, default: Any) -> Any:
    """``box.get(key, default)``"""
    for word in words:
        if key == word:
            return box.get(word, default)
    return default


def is_under(box: Any, key: Any, words: Any) -> Any:
    """``key in box``"""
    for word in words:
        if key == word:
            return word in box
    return False

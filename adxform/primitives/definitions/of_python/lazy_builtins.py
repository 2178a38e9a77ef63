"""Builtins and `itertools` of a generator, by what they mean: each gives what it has of an item before it asks for the next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def item_of(source: Any, k: int) -> Any:
    """Item `k` of what is gone through by position. Before specialisation only."""
    raise NotImplementedError(source, k)


def next_of_each(sources: tuple[Any, ...], strict: bool) -> tuple[Any, ...] | None:
    """The next item of each iterator; ``None`` where one has none, or all if `strict`. Before specialisation only."""
    raise NotImplementedError(sources, strict)


def asked(advance: Any) -> Iterator[Any]:
    """What the items are of an object whose ``__next__`` is `advance`."""
    going = True
    while going:
        try:
            item = advance()
        except StopIteration:
            going = False
        if going:
            yield item


def asked_or(advance: Any, default: Any) -> Any:
    """``next(source, default)`` of an object whose ``__next__`` is `advance`."""
    try:
        found = advance()
    except StopIteration:
        found = default
    return found


def counted(source: Any, start: int = 0) -> Iterator[Any]:
    """``enumerate(source, start)``"""
    k = start
    for item in source:
        yield k, item
        k += 1


def longest(sources: tuple[Any, ...], filling: Any) -> Iterator[Any]:
    """``itertools.zip_longest(*sources, fillvalue=filling)`` of what is gone through by position."""
    k = 0
    live = tuple([True for _ in sources])
    while True:
        live = tuple([going and k < len(source) for going, source in zip(live, sources, strict=True)])
        if not any(live):
            return
        yield tuple([source[k] if going else filling for going, source in zip(live, sources, strict=True)])
        k += 1


def mapped(fn: Any, source: Any) -> Iterator[Any]:
    """``map(fn, source)``"""
    for item in source:
        yield fn(item)


def mapped_apart(fn: Any, source: Any) -> Iterator[Any]:
    """``itertools.starmap(fn, source)``"""
    for items in source:
        yield fn(*items)


def kept(fn: Any, source: Any) -> Iterator[Any]:
    """``filter(fn, source)``"""
    for item in source:
        if item if fn is None else fn(item):
            yield item


def left_out(fn: Any, source: Any) -> Iterator[Any]:
    """``itertools.filterfalse(fn, source)``"""
    for item in source:
        if not (item if fn is None else fn(item)):
            yield item


def taken_while(fn: Any, source: Any) -> Iterator[Any]:
    """``itertools.takewhile(fn, source)``"""
    for item in source:
        if not fn(item):
            break
        yield item


def dropped_while(fn: Any, source: Any) -> Iterator[Any]:
    """``itertools.dropwhile(fn, source)``"""
    dropping = True
    for item in source:
        dropping = dropping and bool(fn(item))
        if not dropping:
            yield item


def together(before: tuple[Any, ...], source: Any, after: tuple[Any, ...], first: int, last: int) -> Iterator[Any]:
    """``zip(*before, source, *after)``, where those `before` have `first` items and those `after` it `last`."""
    k = 0
    if first > 0:
        for item in source:
            if k >= last:
                break
            yield (*(item_of(part, k) for part in before), item, *(item_of(part, k) for part in after))
            k += 1
            if k >= first:
                break


def together_to_the_end(
    before: tuple[Any, ...], source: Any, after: tuple[Any, ...], count: int, longer: str, shorter: str
) -> Iterator[Any]:
    """``zip(*before, source, *after, strict=True)``, where those `before` and `after` have `count` items each."""
    k = 0
    for item in source:
        if k >= count:
            raise ValueError(longer)
        yield (*(item_of(part, k) for part in before), item, *(item_of(part, k) for part in after))
        k += 1
    if k < count:
        raise ValueError(shorter)


def abreast(sources: tuple[Any, ...], strict: bool) -> Iterator[Any]:
    """``zip(*sources, strict=strict)``, of which several are generators."""
    items = next_of_each(sources, strict)
    while items is not None:
        yield items
        items = next_of_each(sources, strict)


def piece(source: Any, start: int, stop: int, step: int) -> Iterator[Any]:
    """``itertools.islice(source, start, stop, step)``, which takes no item beyond the last that it needs."""
    count, wanted = 0, start
    if count < wanted or count < stop:
        for item in source:
            place = count
            count += 1
            if place == wanted:
                wanted = min(wanted + step, stop)
                yield item
            if count >= wanted and count >= stop:
                break


def chained(*sources: Any) -> Iterator[Any]:
    """``itertools.chain(*sources)``"""
    for source in sources:
        yield from source


def chained_from(sources: Any) -> Iterator[Any]:
    """``itertools.chain.from_iterable(sources)``"""
    for source in sources:
        yield from source


def accumulated(source: Any, fn: Any) -> Iterator[Any]:
    """``itertools.accumulate(source, fn)``"""
    begun = False
    for item in source:
        if not begun:
            begun, total = True, item
        else:
            total = fn(total, item)
        yield total


def accumulated_from(source: Any, fn: Any, start: Any) -> Iterator[Any]:
    """``itertools.accumulate(source, fn, initial=start)``"""
    total = start
    yield total
    for item in source:
        total = fn(total, item)
        yield total


def neighbours(source: Any) -> Iterator[Any]:
    """``itertools.pairwise(source)``"""
    begun = False
    for item in source:
        if not begun:
            begun, last = True, item
        else:
            yield last, item
            last = item


def compressed(data: Any, selectors: Any) -> Iterator[Any]:
    """``itertools.compress(data, selectors)``"""
    for item, wanted in zip(data, selectors, strict=False):
        if wanted:
            yield item


def repeated(item: Any, times: int) -> Iterator[Any]:
    """``itertools.repeat(item, times)``"""
    for _ in range(times):
        yield item


def repeated_on(item: Any) -> Iterator[Any]:
    """``itertools.repeat(item)``"""
    while True:
        yield item


def cycled(source: Any) -> Iterator[Any]:
    """``itertools.cycle(source)``, of a source that does not change."""
    while len(source) > 0:
        yield from source


def reduced(fn: Any, source: Any) -> Any:
    """``functools.reduce(fn, source)``"""
    begun = False
    for item in source:
        if not begun:
            begun, total = True, item
        else:
            total = fn(total, item)
    if not begun:
        raise TypeError("reduce() of empty iterable with no initial value")
    return total


def first_of(source: Any) -> Any:
    """``next(source)``"""
    for item in source:
        return item
    raise StopIteration


def first_or(source: Any, default: Any) -> Any:
    """``next(source, default)``"""
    for item in source:
        return item
    return default


def attribute_or(owner: Any, name: str, default: Any) -> Any:
    """``getattr(owner, name, default)``, where code of the program tells whether there is such an attribute."""
    try:
        found = getattr(owner, name)
    except AttributeError:
        found = default
    return found


def has_attribute(owner: Any, name: str) -> bool:
    """``hasattr(owner, name)``, where code of the program tells."""
    try:
        getattr(owner, name)
    except AttributeError:
        return False
    return True


class Groups:
    """What ``itertools.groupby(source, key)`` returns: runs of items whose keys are equal, each an iterator while it is the last.

    Keys are asked for, and items taken, when Python does so: a group has nothing left once the next one is asked for.
    """

    def __init__(self, source: Any, key: Any = None) -> None:
        self.key, self.source = key, iter(source)
        self.begun = False
        self.found: Any = None
        self.wanted: Any = None
        self.item: Any = None
        self.turn = 0

    def __iter__(self) -> Any:
        return self

    def advance(self) -> None:
        """Take the next item, and ask for its key."""
        self.item = next(self.source)
        self.found = self.item if self.key is None else self.key(self.item)

    def __next__(self) -> Any:
        self.turn += 1
        while not self.begun or self.found == self.wanted:
            self.begun = True
            self.advance()
        self.wanted = self.found
        return self.found, self.group(self.wanted, self.turn)

    def group(self, wanted: Any, turn: int) -> Iterator[Any]:
        """The items of one group, until another one is asked for."""
        while self.turn == turn and self.found == wanted:
            yield self.item
            try:
                self.advance()
            except StopIteration:
                return


def groups_of(iterable: Any, key: Any = None) -> Any:
    """``itertools.groupby(iterable, key)``"""
    return Groups(iterable, key)

"""Functions of Python's modules through which no derivative is followed: why, and what to do instead."""

from __future__ import annotations

import functools
import itertools
import operator
import statistics

from adxform.primitives.refusals.no_rule import Group, NoRule

_LOCAL = "write the loop, or a list of what it gives: `[… for … in …]`"

_STATISTICS = (
    Group("StatisticsError", "is raised"),
    Group("mode multimode", "takes what comes most often, which jumps", "wrap the call in `stop_gradient`"),
    Group("median_grouped", "takes numbers for the middles of intervals", "use `statistics.median`"),
    Group(
        "NormalDist", "makes an object, whose methods are not followed", "use `math.erf` and `math.exp`, or `scipy.stats.norm`"
    ),
)

_OPERATOR = (
    Group("concat", "joins sequences where no code can be seen", "write `a + b`"),
    Group("attrgetter itemgetter", "gives a part of what it is called with", "write `x.name`, `x[place]`"),
    Group("countOf indexOf length_hint", "gives a whole number"),
    Group("iconcat", "changes a list where no code can be seen", "write `items += more`"),
    Group("methodcaller call", "calls what only a run may know", "call it: `x.sum()`"),
)

_FUNCTOOLS = (
    Group("wraps total_ordering cached_property partialmethod", "changes a class or a function when it is made"),
    Group(
        "cache lru_cache",
        "keeps what a function returned, so that a derivative of a later call would be none",
        "call the function behind the cache, its `__wrapped__`",
    ),
    Group("singledispatch singledispatchmethod", "chooses a function by a class", "choose it yourself: `if isinstance(x, …)`"),
)

_ITERTOOLS = (
    Group("zip_longest", "walks an iterator in steps that are not followed", "make a list of it first: `list(…)`"),
    Group("tee", "walks an iterator twice", "make a list of it: `list(…)`"),
    Group("groupby", "makes iterators that share one", _LOCAL),
)

REFUSED: tuple[NoRule, ...] = tuple(
    one
    for module, groups in (
        (statistics, _STATISTICS),
        (operator, _OPERATOR),
        (functools, _FUNCTOOLS),
        (itertools, _ITERTOOLS),
    )
    for group in groups
    for one in group.of(module)
)

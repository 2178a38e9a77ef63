"""Objects of which the run chose one, and which are changed then: by ``elif``, ``break``, ``next``, swaps, and in other objects."""

import numpy as np

from tests.corpus.case import at, vec

VALUES = vec(0.7, 0.3, 1.1)
OTHERS = vec(0.1, 0.8, 0.6)


class Part:
    def __init__(self, weight, v):
        self.weight, self.v = weight, v


class Search:
    def __init__(self, start):
        self.best = start


def parts(x):
    return [Part(1.0, x[0]), Part(2.0, x[1]), Part(3.0, x[2])]


def total(items):
    return sum((k + 1) * item.weight * item.v**2 for k, item in enumerate(items))


@at((VALUES,), (OTHERS,), (vec(0.4, 0.5, 0.9),))
def chosen_by_elif(x):
    a, b, c = parts(x)
    if x[0] < 0.2:
        found = a
    elif x[1] < 0.4:
        found = b
    else:
        found = c
    found.v = found.v * 3.0
    return total([a, b, c])


@at((VALUES,), (OTHERS,))
def chosen_by_nested_expressions(x):
    a, b, c = parts(x)
    found = (a if x[0] < 0.2 else c) if x[1] > 0.2 else (b if x[2] > 1.0 else c)
    found.v *= 3.0
    other = [a, b, c][int(np.argmin(x))] if x[2] > 0.9 else [c, b, a][int(np.argmax(x))]
    other.weight += found.v
    return total([a, b, c])


@at((VALUES,), (OTHERS,))
def chosen_by_a_function_that_returns_early(x):
    items = parts(x)

    def first_below(limit):
        for item in items:
            if item.v < limit:
                return item
        return None

    hit, none = first_below(0.5), first_below(-1.0)
    if hit is not None:
        hit.v *= 3.0
    if none is not None:
        none.v = 7.0
    return total(items)


@at((VALUES,), (OTHERS,))
def chosen_by_break_and_next(x):
    items = parts(x)
    hit = None
    for item in items:
        if item.v < 0.5:
            hit = item
            break
    hit.v = hit.v * 3.0
    heavy = next(item for item in items if item.weight * item.v > 0.8)
    heavy.weight += x[1]
    return total(items)


@at((VALUES,), (OTHERS,))
def chosen_in_an_attribute_a_list_and_a_dict(x):
    a, b, c = parts(x)
    search, last, by_name = Search(a), [a], {"best": a}
    for item in (b, c):
        if item.v < search.best.v:
            search.best = item
        if item.v > last[0].v:
            last[0] = item
        if item.v > 0.5:
            by_name["best"] = item
    search.best.v *= 3.0
    last[0].weight += x[1]
    by_name["best"].v += search.best.v
    return total([a, b, c])


@at((VALUES,), (OTHERS,))
def swapped_and_sorted_by_hand(x):
    a, b, c = parts(x)
    if a.v > b.v:
        a, b = b, a
    a.v = a.v * 2.0
    items = [a, b, c]
    for k in range(len(items)):
        for j in range(len(items) - 1 - k):
            if items[j].v > items[j + 1].v:
                items[j], items[j + 1] = items[j + 1], items[j]
    items[0].v = items[0].v * 2.0
    return total([a, b, c]) + total(items)


@at((VALUES,), (OTHERS,))
def chosen_again_after_a_change(x):
    items = parts(x)
    one, two = items[int(np.argmin(x))], items[1]
    items[1].v *= 2.0
    again = one if x[0] > 0.2 else two
    again.v += 1.0
    other = [again, items[2]]
    return total(items) + other[int(np.argmax(x)) - 1].v ** 2


@at((VALUES,), (OTHERS,))
def stored_where_the_run_says_and_changed(x):
    items = parts(x)
    a, b, c = items
    if b.v < 0.5:
        items[int(np.argmin(x))] = c
    items[1].weight += a.v
    items[0], items[2] = items[2], items[0]
    items[0].v *= 2.0
    return total(items) + total([a, b, c])


@at((VALUES,), (OTHERS,))
def sorted_on_one_path(x):
    items = parts(x)
    a, b, c = items
    items.sort(key=lambda item: item.weight * item.v)
    if x[2] > 0.9:
        b.v += 1.3 * x[1]
        if x[0] > 0.2:
            items.sort(key=lambda item: item.v)
    items[0].v *= 2.0
    return total(items) + total([a, b, c])

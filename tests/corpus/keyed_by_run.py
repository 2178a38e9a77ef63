"""Lists of lists and dicts of which only the run knows what is taken: groups, buckets, cells, tables by numbers."""

import itertools
import math
from collections import defaultdict

import numpy as np

from tests.corpus.case import at, vec

everywhere = at((vec(0.7, 1.3, 1.9, -0.4),), (vec(0.1, 2.3, 1.1, 3.3),), (vec(0.1, 0.2, 0.3, 0.4),))
signs = at((vec(0.7, 1.3, 1.9, -0.4),), (vec(0.1, 2.3, 1.1, 3.3),), (vec(0.1, -0.2, 0.3, 0.4),))


def place(v):
    return int(abs(v))


@everywhere
def split_where_large(x):
    groups = [[]]
    for v in x:
        if v > 1.0:
            groups.append([])
        groups[-1].append(v)
    s = 0.0
    for k, g in enumerate(groups):
        t = 0.0
        for v in g:
            t += v * v
        s += t * t * (k + 1)
    return s


@everywhere
def chained_by_distance(x):
    groups = [[x[0]]]
    for i in range(1, len(x)):
        if abs(x[i] - groups[-1][-1]) < 0.7:
            groups[-1].append(x[i])
        else:
            groups.append([x[i]])
    s = 0.0
    for g in groups:
        m = sum(g) / len(g)
        s += sum(((v - m) ** 2 for v in g)) + m * m * m
    return s


@everywhere
def cells_replaced_by_longer_ones(x):
    cells = [[] for _ in range(3)]
    for v in x:
        k = place(v) % 3
        cells[k] = cells[k] + [v]
    return sum((sum(c) ** 2 for c in cells))


@everywhere
def cells_emptied_when_full(x):
    cells = [[] for _ in range(3)]
    s = 0.0
    for v in x:
        k = place(v) % 3
        cells[k].append(v)
        if len(cells[k]) > 1:
            s += sum(cells[k]) ** 2
            cells[k] = []
    return s + sum((sum(c) ** 3 for c in cells))


@everywhere
def set_default_of_a_list(x):
    d = {}
    for i, v in enumerate(x):
        d.setdefault(place(v), []).append(v * (i + 1))
    s = 0.0
    for k in d:
        s += sum(d[k]) ** 2 * (k + 1)
    return s


@everywhere
def pairs_as_keys(x):
    d = {}
    for i, v in enumerate(x):
        for j, w in enumerate(x):
            d.setdefault((place(v), place(w)), []).append(v * w)
    s = 0.0
    for (a, b), vals in d.items():
        s += sum(vals) ** 2 * (a + 1) / (b + 2)
    return s


@everywhere
def default_lists(x):
    d = defaultdict(list)
    for v in x:
        d[place(v)].append(v)
    return sum((sum(vs) ** 2 for vs in d.values()))


@everywhere
def neighbours_by_get(x):
    d = defaultdict(list)
    for i, v in enumerate(x):
        d[place(v)].append(i)
    s = 0.0
    for i, v in enumerate(x):
        for c in (place(v) - 1, place(v), place(v) + 1):
            for j in d.get(c, []):
                if j != i:
                    s += (v - x[j]) ** 2
    return s


@everywhere
def made_where_missing(x):
    d = {}
    for v in x:
        k = place(v)
        if k not in d:
            d[k] = []
        d[k].append(v)
    s = 0.0
    for k in sorted(d):
        s = s * 0.5 + sum(d[k]) ** 2
    return s


@everywhere
def default_numbers(x):
    d = defaultdict(float)
    for v in x:
        d[place(v)] += v * v
    return sum((t * t for t in d.values()))


@everywhere
def arrays_under_keys(x):
    d = {}
    for i, v in enumerate(x):
        k = place(v)
        if k in d:
            d[k] = d[k] + v * x
        else:
            d[k] = v * x
    return sum((np.sum(a * a) for a in d.values()))


@everywhere
def lists_of_arrays_under_keys(x):
    d = defaultdict(list)
    for i, v in enumerate(x):
        d[place(v)].append(x * v)
    s = 0.0
    for k, vs in d.items():
        for a in vs:
            s += np.sum(a * a) * (k + 1)
    return s


@everywhere
def a_cell_that_is_replaced_and_kept(x):
    cells = [[] for _ in range(4)]
    s = 0.0
    for v in x:
        k = place(v)
        cells[k].append(v)
        old = cells[k]
        if len(old) > 1:
            cells[k] = []
            cells[k].append(v * 3)
            old.append(v * v)
            s += sum(old) ** 2 + 10 * sum(cells[k])
    return s + sum((sum(c) ** 3 for c in cells))


@everywhere
def one_cell_for_another(x):
    cells = [[x[0]], [x[1], x[2]], [], [x[3]]]
    k = place(x[1])
    j = place(x[2])
    cells[k] = cells[j]
    cells[k].append(x[0] * x[1])
    return sum((sum(c) ** 2 * (i + 1) for i, c in enumerate(cells)))


@everywhere
def a_cell_that_has_a_name(x):
    cells = [[] for _ in range(4)]
    a = [x[0]]
    cells[place(x[1])] = a
    a.append(x[2])
    cells[place(x[3])].append(x[1])
    a.append(x[3] ** 2)
    return sum((sum(c) ** 2 * (i + 1) for i, c in enumerate(cells))) + len(a) * sum(a)


@everywhere
def one_list_under_many_keys(x):
    d = {}
    a = []
    for v in x:
        d[place(v)] = a
        a.append(v)
    s = 0.0
    for k, held in d.items():
        s += (k + 1) * sum(held) ** 2
    return s


@everywhere
def deleted_and_stored_again(x):
    d = {}
    for v in x:
        d[place(v)] = v * v
    k = place(x[0])
    del d[k]
    d[k] = x[0] * 7
    s = 0.0
    for k, v in d.items():
        s = s * 0.5 + v * (k + 1)
    return s * len(d)


@everywhere
def popped(x):
    d = {}
    for v in x:
        d[place(v)] = v * v
    a = d.pop(place(x[1]))
    b = d.pop(77, x[2])
    c = d.pop(place(x[1]), x[3])
    return a + b * 2 + c * 3 + sum(d.values()) + len(d)


@everywhere
def as_many_as_there_are(x):
    d = {}
    for v in x:
        if v > 1:
            d[place(v)] = v
    if d:
        return sum(d.values()) * len(d)
    return x[0]


@everywhere
def in_order_of_keys(x):
    d = {}
    for v in x:
        d[place(v)] = d.get(place(v), 0.0) + v * v
    s = 0.0
    for k in sorted(d):
        s = s * 0.5 + d[k] * (k + 1)
    for k in sorted(d.keys(), reverse=True):
        s = s * 0.3 + d[k]
    return s


@everywhere
def listed_items(x):
    d = {}
    for v in x:
        d[place(v)] = d.get(place(v), 0.0) + v * v
    held = list(d.items())
    return sum((k * v for k, v in held)) + max(d.values()) + held[0][1]


@everywhere
def counted(x):
    n = defaultdict(int)
    s = 0.0
    for v in x:
        n[place(v)] += 1
    for v in x:
        s += v / n[place(v)]
    for k, c in n.items():
        for _ in range(c):
            s *= 1.1
    return s


class Grid:
    def __init__(self):
        self.cells = {}

    def add(self, v, i):
        self.cells.setdefault((place(v), place(v * 2)), []).append(i)

    def near(self, v):
        out = []
        a, b = (place(v), place(v * 2))
        for da in (-1, 0, 1):
            for db in (-1, 0, 1):
                if (a + da, b + db) in self.cells:
                    out.extend(self.cells[a + da, b + db])
        return out


@everywhere
def grid_of_cells(x):
    g = Grid()
    for i, v in enumerate(x):
        g.add(v, i)
    s = 0.0
    for i, v in enumerate(x):
        for j in g.near(v):
            if j > i:
                s += (v - x[j]) ** 2
    return s


@everywhere
def tuples_under_keys(x):
    d = {}
    for i, v in enumerate(x):
        d[place(v)] = (v, i, v * v)
    return sum((a * c + b * k for k, (a, b, c) in d.items()))


@everywhere
def sums_and_squares(x):
    d = {}
    for i, v in enumerate(x):
        k = place(v)
        if k not in d:
            d[k] = [0.0, 0.0]
        d[k][0] += v
        d[k][1] += v * v
    return sum((m * m + q for m, q in d.values()))


@everywhere
def begun_anew(x):
    s = 0.0
    for r in range(3):
        d = {}
        for v in x:
            d[place(v * r)] = d.get(place(v * r), 1.0) * v
        s += sum(d.values())
    return s


@everywhere
def cleared(x):
    s = 0.0
    d = {}
    for r in range(3):
        for v in x:
            d[place(v * r)] = d.get(place(v * r), 1.0) * v
        s += sum(d.values())
        d.clear()
    return s


@everywhere
def missing_keys_handled(x):
    d = {}
    s = 0.0
    for v in x:
        try:
            s += d[place(v)] * v
        except KeyError:
            d[place(v)] = v * v
    return s + sum(d.values())


@everywhere
def filled_by_while(x):
    d = {}
    i = 0
    while i < len(x):
        d.setdefault(place(x[i]), []).append(i)
        i += 1
    return sum((x[j] ** (2 + len(held)) for held in d.values() for j in held if x[j] > 0))


@everywhere
def comprehension(x):
    d = {place(v): v * v for v in x}
    return sum(d.values())


@everywhere
def stored_while_walked(x):
    d = {}
    for v in x:
        d[place(v)] = v
    for k in d:
        d[k] = d[k] * 2 + k
    return sum(d.values())


@everywhere
def largest_item(x):
    d = {}
    for v in x:
        d[place(v)] = d.get(place(v), 0.0) + v
    k = max(d, key=d.get)
    return d[k] * k + d[k] ** 2


@everywhere
def on_one_path_only(x):
    if x[0] > 0.5:
        d = {}
        for v in x:
            d[place(v)] = v
        s = sum(d.values())
    else:
        s = x[1]
    return s


@everywhere
def got_changed_and_stored(x):
    d = {}
    for v in x:
        held = d.get(place(v), [])
        held.append(v)
        d[place(v)] = held
    return sum((sum(held) ** 2 for held in d.values()))


@everywhere
def defaults_that_are_dropped(x):
    d = {}
    for v in x:
        d.setdefault(place(v), []).append(v)
    held = d.get(9, [])
    held.append(x[0])
    m = d.get(9, [])
    return sum(held) * 2 + len(m) + sum((sum(q) ** 2 for q in d.values()))


@everywhere
def filled_by_a_helper(x):

    def fill(d, x):
        for v in x:
            d[place(v)] = v * v
        return d

    d = {}
    e = fill(d, x)
    e[100] = x[0]
    return sum(d.values()) * d[100]


@everywhere
def copied(x):
    d = {}
    for v in x:
        d[place(v)] = v
    e = dict(d)
    e[place(x[0])] = x[1] * 5
    return sum(d.values()) + 3 * sum(e.values())


@everywhere
def updated(x):
    d = {}
    for v in x:
        d[place(v)] = v
    d.update({0: x[0] * 2})
    return sum(d.values())


@everywhere
def a_name_for_the_last_group(x):
    groups = []
    cur = []
    groups.append(cur)
    for v in x:
        if v > 1.0:
            cur = []
            groups.append(cur)
        cur.append(v)
    return sum((sum(g) ** 2 * (i + 1) for i, g in enumerate(groups)))


@everywhere
def merged_groups(x):
    comps = [[i] for i in range(len(x))]
    for i in range(len(x)):
        j = place(x[i])
        if j != i and j < len(x):
            comps[j] = comps[j] + comps[i]
            comps[i] = []
    return sum((sum((x[k] for k in c)) ** 2 for c in comps))


@everywhere
def sorted_where_they_are(x):
    d = defaultdict(list)
    for v in x:
        d[place(v)].append(v)
    s = 0.0
    for k in d:
        d[k].sort()
        s += d[k][0] * 3 + d[k][-1]
    return s


@everywhere
def means_of_lists(x):
    d = defaultdict(list)
    for v in x:
        d[place(v)].append(v)
    return sum((np.mean(held) ** 2 + np.array(held).var() for held in d.values()))


@everywhere
def copied_with_pairs_as_keys(x):
    d = {}
    for v in x:
        d[place(v), place(v * 2)] = v
    e = dict(d)
    e[place(x[0]), 1] = x[1] * 5
    return sum(d.values()) + 3 * sum(e.values())


@everywhere
def keys_and_values_as_arrays(x):
    d = {}
    for v in x:
        d[place(v)] = v
    ks = list(d)
    vs = list(d.values())
    ar = np.array(vs)
    return np.sum(ar**2) * ks[0] + vs[-1] + np.sum(np.array(list(d.values())))


@everywhere
def walked_with_others(x):
    d = {}
    for v in x:
        d[place(v)] = v
    s = 0.0
    for i, (k, v) in enumerate(d.items()):
        s += i * v * (k + 1)
    for a, b in zip(d.keys(), d.values()):
        s += a * b
    return s


@everywhere
def renamed_keys(x):
    d = {}
    for v in x:
        d[place(v)] = v
    for k in list(d):
        d[k + 50] = d[k] * 2
        del d[k]
    return sum(d.values()) * len(d)


@everywhere
def dict_in_an_attribute(x):

    class C:
        pass

    c = C()
    c.d = {}
    for v in x:
        c.d[place(v)] = v
    for k, v in c.d.items():
        c.d[k] = v * v + k
    return sum(c.d.values())


@everywhere
def dicts_in_a_list(x):
    ds = [{}, {}]
    for i, v in enumerate(x):
        ds[0][place(v)] = v
        ds[1][place(v)] = v * v
    return sum(ds[0].values()) * sum(ds[1].values())


@everywhere
def stored_on_conditions(x):
    d = {}
    for v in x:
        if v > 0.5:
            if place(v) in d:
                d[place(v)] *= v
            else:
                d[place(v)] = v + 1
    s = x[0]
    for k, v in d.items():
        if v > 2:
            s += v
    return s


@everywhere
def arithmetic_under_pairs(x):
    d = {}
    for v in x:
        for w in x:
            k = (place(v), place(w))
            d[k] = d.get(k, 0.0) + np.sin(v * w) * np.exp(v - w)
    return sum((t * t * t for t in d.values()))


@everywhere
def largest_pair(x):
    d = {}
    for v in x:
        d[place(v)] = d.get(place(v), 0.0) + v
    a, b = max(d.items(), key=lambda kv: kv[1])
    return a * b + b * b


@everywhere
def new_lists_of_differing_lengths(x):
    cells = [[] for _ in range(4)]
    for v in x:
        c = [v] if v > 1 else [v, v]
        cells[place(v)] = c
        c.append(v * 3)
    return sum(sum(q) ** 2 * len(q) for q in cells)


@everywhere
def cells_swapped(x):
    cells = [[x[0]], [x[1], x[2]], [x[3]]]
    i, j = place(x[0]) % 3, place(x[1]) % 3
    cells[i], cells[j] = cells[j], cells[i]
    cells[i].append(x[0] * 2)
    return sum(sum(q) ** 2 * (k + 1) for k, q in enumerate(cells))


@everywhere
def one_new_list_in_two_places(x):
    cells = [[] for _ in range(3)]
    new = []
    cells[place(x[0]) % 3] = new
    cells[place(x[1]) % 3] = new
    for v in x:
        cells[place(v) % 3].append(v)
    return sum(sum(q) ** 2 * (k + 1) for k, q in enumerate(cells)) + sum(new)


@everywhere
def default_lists_walked_over(x):
    d = defaultdict(list)
    for v in x:
        d[place(v)].append(v)
    s = 0.0
    for k in d:
        for w in d[k]:
            s += w * w
        if k + 1 in d:
            s += sum(d[k + 1])
    return s


@everywhere
def touched_by_a_default(x):
    d = defaultdict(float)
    for v in x:
        if d[place(v)] < 1.0:
            d[place(v)] += v
    return sum(d.values()) * len(d)


@everywhere
def groups_of_tuples(x):
    groups = [[]]
    for i, v in enumerate(x):
        if v > 1:
            groups.append([])
        groups[-1].append((i, v * v))
    return sum(v * (i + 1) * (k + 1) for k, q in enumerate(groups) for i, v in q)


@signs
def list_that_a_try_fills(x):
    out = [x[0]]
    for v in x:
        try:
            out.append(v * 2)
            out.append(math.sqrt(v))
            out.append(math.log(v) * v)
        except ValueError:
            out.append(-v)
    return sum(out) * len(out)


@signs
def dict_that_a_try_fills(x):
    d, s = {}, 0.0
    for v in x:
        try:
            d[place(v)] = math.sqrt(v) * 2
            s += d[place(v) + 1]
        except (KeyError, ValueError):
            s += v * 3
    return s + sum(d.values())


@signs
def cell_replaced_in_a_try(x):
    cells = [[] for _ in range(2)]
    try:
        cells[place(x[3])] = [x[0]]
    except IndexError:
        return x[1] * 2
    return sum(cells[0]) + sum(cells[1]) * 3


@signs
def lists_of_tries_in_tries(x):
    out = []
    try:
        for v in x:
            try:
                out.append(v)
                out.append(math.sqrt(v))
                if v > 3:
                    raise KeyError
            finally:
                out.append(1.5)
    except (ValueError, KeyError):
        out.append(x[2])
    return sum(q * (k + 1) for k, q in enumerate(out))


@signs
def pairs_that_a_try_logs(x):
    log = []
    for i, v in enumerate(x):
        try:
            log.append((i, math.sqrt(v)))
        except ValueError:
            continue
    return sum(i * v for i, v in log)


@everywhere
def discount_factors_from_par_rates(x):
    rates = 0.03 + 0.01 * x
    factors = {0: 1.0}
    for year, rate in enumerate(rates, start=1):
        coupons = sum(rate * factors[t] for t in range(1, year))
        factors[year] = (1.0 - coupons) / (1.0 + rate)
    forwards = [factors[t - 1] / factors[t] - 1.0 for t in sorted(factors) if t]
    return 100.0 * sum(f * t for t, f in enumerate(forwards, 1))


@everywhere
def neighbours_in_cells_of_a_grid(x):
    grid = {}
    for i in range(len(x)):
        grid.setdefault(place(x[i]), []).append(i)
    total = 0.0
    for cell, members in grid.items():
        for step in (-1, 0, 1):
            for j in grid.get(cell + step, []):
                for i in members:
                    if i < j:
                        total += x[i] * x[j] * (cell + 1)
    return total


@everywhere
def a_default_that_is_filled_in_a_walk(x):
    groups = {}
    for v in x:
        groups.setdefault(place(v), []).append(v)
    total = 0.0
    for key, values in groups.items():
        default = [x[0]]
        near = groups.get(key - 1, default)
        near.append(2.0 * x[1])
        total += sum(default) * len(values)
    return total + sum(map(sum, groups.values()))


@everywhere
def bonds_under_pairs(x):
    bonds = {(i, j): x[i] * x[j] for i in range(len(x)) for j in range(i) if x[i] != x[j]}
    bonds[1, 0] = 3.0 * x[0]
    return sum(v * (i + 2 * j + 1) for (i, j), v in bonds.items()) + bonds.get((0, 9), 0.5) + len(bonds)


@everywhere
def neighbours_under_defaults(x):
    near = defaultdict(list)
    for i, j in itertools.combinations(range(len(x)), 2):
        if abs(x[i] - x[j]) < 1.3:
            near[i].append(j)
    return sum(x[i] * sum(x[j] ** 2 for j in others) for i, others in near.items())


@everywhere
def equal_starts_under_numbers(x):
    weights = dict.fromkeys(range(len(x)), 0.5)
    for i in range(len(x)):
        weights[i] = weights[i] + x[i] * 2.0
    return sum(weights.values()) * weights[1]

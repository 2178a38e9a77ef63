"""Lists whose length only a run can tell, and the builtins and `itertools` that walk over arrays."""

import copy
import functools
import itertools
import math
from typing import NamedTuple

import numpy as np

from tests.corpus.case import at, smooth, vec

VALUES = vec(0.3, 1.2, -0.7, 0.9, 2.1)
MATRIX = smooth(4, 4) + np.diag([2.0, 3.0, 1.0, 4.0])


@at((VALUES,))
def array_of_list(x):
    idx = np.array([i for i in range(5) if i % 2 == 0])
    return np.sum(x[idx] ** 2)


@at((VALUES,))
def neighbours(x):
    nb = {0: [1, 2], 1: [0], 2: [0, 3, 4], 3: [2], 4: [2]}
    s = 0.0
    for k, others in nb.items():
        for o in others:
            s += (x[k] - x[o]) ** 2
    return s


@at((VALUES,))
def map_array(x):
    return sum(map(lambda v: v * v, x))


@at((VALUES,))
def map_list(x):
    return np.sum(np.array(list(map(math.sin, x))))


@at((VALUES, VALUES))
def map_two(x, y):
    return sum(map(lambda a, b: a * b * b, x, y))


@at((VALUES,))
def comp_filter_np(x):
    return np.sum(np.array([v * v for v in x if v > 0]))


@at((VALUES,))
def comp_filter_len(x):
    p = [v for v in x if v > 0]
    return sum(p) / len(p) + p[0] * p[-1]


@at((VALUES,))
def filter_(x):
    return sum(filter(lambda v: v > 0, x))


@at((VALUES,))
def max_gen(x):
    return max(v * v for v in x) + min(v**3 for v in x)


@at((VALUES,))
def max_list_x(x):
    return max(list(x)) + min(x.tolist()) + max(x) * min(x)


@at((VALUES,))
def max_key(x):
    return max(x, key=lambda v: abs(v - 1.0)) ** 2


@at((VALUES,))
def min_key_range(x):
    k = min(range(len(x)), key=lambda i: x[i])
    return x[k] ** 2


@at((VALUES,))
def any_gen(x):
    s = np.sum(x * x)
    if any(v > 2.0 for v in x):
        s *= x[0]
    if all(v > -1.0 for v in x):
        s += x[1]
    return s


@at((VALUES,))
def sorted_x(x):
    return sum(v * k for k, v in enumerate(sorted(x)))


@at((VALUES,))
def sorted_rev(x):
    s = sorted(x, reverse=True)
    return s[0] * s[1] + np.sum(np.array(s[2:]) ** 2)


@at((VALUES,))
def sorted_key_range(x):
    order = sorted(range(len(x)), key=lambda i: x[i])
    s = 0.0
    for k, i in enumerate(order):
        s += k * x[i] ** 2
    return s


@at((VALUES,))
def list_sort(x):
    items = list(x * x)
    items.sort()
    return items[0] + 2.0 * items[1] + items[-1] ** 2


@at((VALUES,))
def reduce_(x):
    return functools.reduce(lambda a, b: a * 0.5 + b, x)


@at((VALUES,))
def reduce_init(x):
    return functools.reduce(lambda a, b: a * b + 1.0, x, 1.0)


@at((VALUES,))
def accumulate_(x):
    return sum(v * v for v in itertools.accumulate(x))


@at((VALUES,))
def accumulate_fn(x):
    return np.sum(np.array(list(itertools.accumulate(x, lambda a, b: a * b))) ** 2)


@at((VALUES,))
def it_product_len(x):
    n = len(x)
    s = 0.0
    for i, j in itertools.product(range(n), repeat=2):
        s += x[i] * x[j] ** 2
    return s


@at((VALUES,))
def it_combinations(x):
    s = 0.0
    for i, j in itertools.combinations(range(len(x)), 2):
        s += (x[i] - x[j]) ** 4
    return s


@at((VALUES,))
def it_combinations_x(x):
    return sum((a - b) ** 4 for a, b in itertools.combinations(x, 2))


@at((VALUES,))
def it_permutations(x):
    s = 0.0
    for i, j, k in itertools.permutations(range(3)):
        s += x[i] * x[j] ** 2 * x[k] ** 3
    return s


@at((VALUES,))
def it_pairwise(x):
    return sum((b - a) ** 2 for a, b in itertools.pairwise(x))


@at((VALUES, VALUES[:3]))
def it_chain(x, y):
    return sum(v**3 for v in itertools.chain(x, y))


@at((VALUES,))
def it_chain_list(x):
    return sum(v**3 for v in itertools.chain([1.0, x[0]], (x[1],)))


@at((VALUES,))
def it_islice(x):
    return sum(v**3 for v in itertools.islice(x, 1, 3))


@at((VALUES,))
def it_count_zip(x):
    return sum(k * v for k, v in zip(itertools.count(1), x))


@at((VALUES,))
def it_starmap(x):
    return sum(itertools.starmap(lambda a, b: a * b, zip(x, x[1:])))


@at((VALUES,))
def append_if(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v * v)
    return np.sum(np.array(out) ** 2)


@at((VALUES,))
def append_if_sum(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v * v)
    return sum(out) / len(out)


@at((VALUES,))
def append_if_both(x):
    pos, neg = [], []
    for v in x:
        if v > 0:
            pos.append(v)
        else:
            neg.append(v * 2)
    return sum(pos) * sum(neg)


@at((VALUES,))
def append_while(x):
    out = []
    v = x[0]
    while v < 5.0:
        v = v * 1.5 + x[1] * 0.1
        out.append(v)
    return np.sum(np.array(out)) + out[-1]


@at((VALUES,))
def append_while_init(x):
    hist = [x[0]]
    while hist[-1] < 5.0:
        hist.append(hist[-1] * 1.5 + 0.1)
    return sum(hist) + hist[-1] ** 2 + len(hist)


@at((VALUES,))
def append_stack(x):
    out = []
    v = x
    while v[0] < 5.0:
        v = v * 1.5 + 0.1
        out.append(v)
    return np.sum(np.stack(out) ** 2)


@at((VALUES,))
def hist_len(x):
    hist = [x[0]]
    for k in range(1, len(x)):
        hist.append(hist[-1] * x[k] + hist[k - 1])
    return hist[-1] + np.sum(np.array(hist) ** 2)


@at((VALUES,))
def hist_break(x):
    hist = [x[0]]
    for k in range(100):
        new = 0.5 * (hist[-1] + x[4] / hist[-1])
        hist.append(new)
        if abs(new - hist[-2]) < 1e-10:
            break
    return hist[-1]


@at((VALUES,))
def hist_arrays(x):
    traj = [x]
    for k in range(10):
        traj.append(traj[-1] * 0.9 + 0.1)
        if traj[-1][0] > 0.6:
            break
    return np.sum(traj[-1] ** 2) + len(traj)


@at((VALUES,))
def list_extend_loop(x):
    out = []
    for v in x:
        out.extend([v, v * v])
    return np.sum(np.array(out) * np.arange(10.0))


@at((VALUES,))
def list_index_assign_len(x):
    n = len(x)
    d = [0.0] * n
    for i in range(n):
        d[i] = x[i] ** 2
    return sum(d)


@at((VALUES,))
def list_of_lists(x):
    n = 3
    m = [[x[i] * x[j] for j in range(n)] for i in range(n)]
    return m[0][1] * m[2][2] + np.sum(np.array(m))


@at((VALUES,))
def copy_copy(x):
    y = copy.copy(x)
    y[0] = y[1] ** 2
    return np.sum(y * x)


@at((VALUES,))
def copy_deepcopy(x):
    y = copy.deepcopy(x)
    y[0] = y[1] ** 2
    return np.sum(y * x)


@at((VALUES,))
def tolist(x):
    items = x.tolist()
    return items[0] * items[1] + sum(items)


@at((VALUES,))
def tolist_loop(x):
    s = 0.0
    for v in x.tolist():
        s += v * v
    return s


@at((MATRIX,))
def tolist2(a):
    items = a.tolist()
    total = items[0][1] * items[1][2]
    for r in items:
        for v in r:
            total += v
    return total


@at((VALUES,))
def list_x(x):
    items = list(x)
    return items[0] * items[-1] + sum(items)


@at((VALUES,))
def tuple_x(x):
    t = tuple(x)
    return t[0] * t[-1] + sum(t)


@at((VALUES,))
def list_modify(x):
    items = list(x)
    for i in range(1, len(items)):
        items[i] = items[i] + items[i - 1] * 0.5
    return items[-1] ** 2


class History:
    def __init__(self):
        self.values = []

    def add(self, v):
        self.values.append(v)


@at((VALUES,))
def history_obj(x):
    h = History()
    for v in x:
        h.add(v * v)
    return sum(h.values) * h.values[-1]


@at((VALUES,))
def list_chosen_by_a_branch(x):
    if x[0] > 0:
        parts = [v for v in x if v > 0]
    else:
        parts = [v for v in x if v < 0]
    return sum(parts) * parts[0]


@at((VALUES, vec(0.5, 1.0, 2.0, -1.0)))
def edit_distance(x, y):
    previous = [0.5 * j for j in range(len(y) + 1)]
    for i in range(len(x)):
        current = [0.5 * (i + 1)]
        for j in range(len(y)):
            change = previous[j] + (x[i] - y[j]) ** 2
            current.append(min(change, previous[j + 1] + 0.5, current[j] + 0.5))
        previous = current
    return previous[-1]


@at((VALUES,))
def table_of_lists(x):
    n = len(x)
    table = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i, n):
            table[i][j] = x[i] * x[j] + (table[i][j - 1] if j > i else 0.0)
    return sum(row[-1] for row in table) + table[1][2] ** 2


@at((VALUES,))
def list_as_a_queue(x):
    waiting = [v for v in x if v > 0]
    total = 0.0
    while len(waiting) > 1:
        first = waiting.pop(0)
        total += first * waiting[-1]
        if first > 1.0:
            waiting.append(first * 0.5)
    return total


@at((VALUES,))
def appended_in_two_loops(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v * v)
    for v in x:
        out.append(v)
    while out[-1] > 0.5:
        out.append(out[-1] * 0.6)
    return sum(out) * out[3] + len(out)


@at((VALUES,))
def appended_in_an_inner_loop(x):
    out = []
    for i in range(len(x)):
        for j in range(i):
            if x[i] > x[j]:
                out.append(x[i] - x[j])
    return np.mean(np.array(out) ** 2)


@at((VALUES,))
def appended_by_a_helper(x):
    def keep(values, v):
        if v > 0:
            values.append(v**2)

    kept = []
    for v in x:
        keep(kept, v)
    return np.sum(np.array(kept) ** 2)


@at((smooth(4, 3),))
def rows_kept_on_a_condition(a):
    kept = []
    for row in a:
        if np.sum(row) > 2.5:
            kept.append(row * 2.0)
    return np.sum(np.array(kept) ** 2) + len(kept)


@at(({"a": vec(1.0, 2.0), "b": [vec(0.5, 1.5), 2.0]},))
def deep_copy_of_a_tree(p):
    q = copy.deepcopy(p)
    q["a"][0] = 3.0
    q["b"][0][1] *= q["b"][1]
    return np.sum(q["a"] ** 2) + np.sum(q["b"][0] * p["b"][0])


@at((vec(0.7, 0.3, 1.9),))
def arrays_answer_for_lists(x):
    s = [x[0], 2.0]
    first = s
    s += x[:1] * 5.0
    t = (x[1], x[2])
    t += x[:2]
    return np.sum(s * s) + len(first) * np.sum(t**2) + np.sum([x[0], 3.0] + x[1:] * (x[0], 1.0))


@at((vec(0.7, 0.3, 1.9), 2))
def lists_are_joined_and_repeated(x, n):
    s = [x[0], x[1]] * np.int64(n) + n * [x[2] ** 2]
    alias = s
    s *= n
    alias += (x[0],)
    t = (x[0],) * n + (x[1] * x[2],)
    return sum(a * a for a in s) + len(alias) * t[-1] * t[0]


@at((vec(0.7, 0.3, 1.9),))
def sets_and_dicts_have_operators(x):
    keys = {0, 1} | {2}
    keys &= {0, 2, 5}
    other = keys
    other -= {0}
    parts = {"a": x[0], "b": x[1]} | {"b": x[2]}
    known = parts == {"b": x[2], "a": x[0]} and [x[0], 1.0] == [x[0], 1] and (x[0], x[1]) != (x[0],)
    return sum(x[k] ** 2 for k in keys) * parts["b"] * (parts["a"] if known else 1.0)


@at((smooth(2, 2), smooth(2, 2, seed=1)))
def product_in_place(a, b):
    whole = a
    a @= b
    return np.sum(whole * a)


@at((vec(0.7, 0.3, 1.9), 5.0), wrt=(0,))
def items_are_looked_for(x, y):
    s = [x[0], x[1], x[2]]
    s.remove(s[0])
    place = [x[0], y, x[2]].index(y)
    total = s[0] * x[place] + [x[0], y, y].count(5.0) * s[1]
    last = {"a": x[0], "b": x[1] ** 2}.popitem()
    return total * last[1] if (y in [x[0], y]) is True else total


@at((vec(0.7, 0.3, 1.9),))
def truth_of_a_list_that_a_loop_fills(x):
    s = [t * t for t in x if t > 0.5]
    return sum(s) * (2.0 if bool(s) and not not s else 1.0)


@at((0.7, 1.6))
def methods_by_the_class_of_a_container(x, y):
    rows, table, marks = [y], {}, {1}
    list.append(rows, x * y)
    list.extend(rows, (x, 2.0))
    list.reverse(rows)
    dict.update(table, a=x, b=rows[0])
    set.add(marks, 2)
    last = list.pop(rows)
    return sum(rows) * dict.get(table, "a") + table["b"] * last * len(marks) + rows[1] ** 2


@at((VALUES,))
def items_in_descending_order_of_truth_and_of_integers(x):
    first = sorted(x, key=lambda v: v > 0.5, reverse=True)
    second = sorted([x[0], x[1], x[2]], key=lambda v: v > 0.5, reverse=True)
    third = sorted(x, key=lambda v: int(2 * v), reverse=True)
    return sum(k * v for k, v in enumerate(first)) + second[0] * second[-1] ** 2 + third[0] * third[1] + third[-1] ** 2


@at((vec(1.0, 3.0, 2.0),))
def least_by_a_key_that_counts(x):
    """The key is asked for once for each item."""
    asked = []

    def key(v):
        asked.append(1)
        return -v

    return min([x[0], x[1], x[2]], key=key) * len(asked) + max((x[1] * x[0], x[2]), key=lambda v: v * v)


@at((VALUES, 3), (VALUES, 12))
def product_of_whole_numbers(x, n):
    numbers = [10**10 + k for k in range(n)]
    return math.prod(numbers) * 1e-90 * x[0]


@at((VALUES, 25))
def factorial_by_reduce(x, n):
    return x[0] ** 2 / functools.reduce(lambda a, b: a * b, range(1, n)) * 1e20


@at((VALUES, 25))
def powers_of_a_reversed_range(x, n):
    places = list(reversed(range(n)))
    return x[1] * float(places[0] ** 20) * 1e-20


@at((VALUES, 25))
def longest_common_part(x, n):
    table = [[0 for _ in range(n)] for _ in range(n)]
    for i in range(1, n):
        for j in range(1, n):
            if x[i % 5] > x[j % 5]:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return float(table[n - 1][n - 1] ** 30) * 1e-30 * x[0]


@at((VALUES, 5))
def text_of_whole_numbers(x, n):
    numbers = [10**10 + k for k in range(n)]
    return math.fsum(numbers) * 1e-10 * x[0] + len(str(numbers)) * x[1]


@at((vec(0.3, 1.2, 2.0), 4))
def arrays_after_numbers(x, n):
    numbers = [1.0 for _ in range(n)]
    numbers.extend(x - 2.0)
    return x[0] * np.exp(-1.0 / abs(numbers[n] * numbers[-1]))


@at((VALUES.astype(np.float32), 4))
def singles_after_a_float(x, n):
    sums = [0.0]
    for k in range(n):
        sums.append(sums[-1] + x[k])
    return sums[1] * x[0] + sums[-1]


@at((VALUES.astype(np.float32), 3))
def float_beside_singles(x, n):
    weights = [0.1]
    for k in range(n):
        weights.append(x[k])
    return np.sum(weights[0] * x * x)


@at((VALUES, np.arange(5), 3))
def whole_number_of_python_beside_those_of_numpy(x, c, n):
    places = [3]
    for k in range(n):
        places.append(c[k])
    return x[0] * float(places[0] ** 50 % 1009) + x[1] * places[-1]


@at((VALUES.astype(np.float32),))
def numbers_of_python_from_singles(x):
    numbers = x.tolist()
    return numbers[0] * x[1] + sum(numbers) * numbers[1]


@at((vec(0.7, 1.3, 2.1, 0.4), 4))
def places_by_a_key_of_two_parts(x, n):
    order = sorted(range(n), key=lambda k: (x[k] > 1.0, -x[k]))
    return x[order[0]] * x[order[1]] ** 2 + x[order[3]] * 3.0


@at((vec(0.7, 1.3, 2.1, 0.4),))
def pairs_in_order(x):
    ranked = sorted(((v, k) for k, v in enumerate(x)), reverse=True)
    return ranked[0][0] * ranked[1][1] + ranked[2][0] ** 2


@at((vec(0.7, 1.3, 2.1, 0.4),))
def items_by_a_key_of_two_parts(x):
    ranked = sorted(x, key=lambda v: (v > 1.0, -v))
    return ranked[0] * ranked[1] ** 2 + ranked[3] * 3.0


@at((VALUES,))
def display_of_lists_times_a_number(x):
    left = [v * 1.0 for v in x]
    right = [v * v for v in x]
    both = np.multiply([left, right], 2.0)
    return np.sum(both[0] * both[1]) + np.sum(np.add((left, right), 1.0)[1])


@at((VALUES,))
def lists_of_times_and_values(x):
    times = []
    values = []
    t = 0.0
    for v in x:
        t += v * v + 0.1
        times.append(t)
        values.append(np.sin(t))
    return np.trapezoid(values, times) + np.interp(1.0, times, values) + np.sum(np.diff(times) * np.gradient(values)[1:])


@at((VALUES,))
def array_of_a_list_is_its_own(x):
    values = [v * 1.0 for v in x]
    table = np.asarray(values)
    table[0] = 5.0
    values[1] = 7.0
    return values[0] * values[1] + table[0] * table[1]


@at((VALUES,))
def view_of_a_list_is_its_own(x):
    values = [v * 1.0 for v in x]
    row = np.ravel(values)
    turned = np.flip(values)
    row *= 2.0
    turned[0] = x[0] ** 2
    values[2] = 100.0
    return sum(values) + np.sum(row * row) + turned[0] * turned[2]


@at((vec(0.5, 1.2, -0.7), 1.0))
def arrays_filled_before_they_are_appended(x, s):
    u, history, path = x.copy(), [], []
    while s > 0.2:
        new = np.zeros(3)
        new[0] = u[0] * s
        for j in range(1, 3):
            new[j] = u[j] - 0.1 * new[j - 1]
        u = new
        history.append(u)
        path.append([s * u[0], u[1]])
        s *= 0.5
    a, b = path[-1]
    return np.sum(np.array(history) ** 2) + a * b + np.sum(np.vstack(path)[:, 1])


@at((vec(0.3, 0.7),))
def padded_lists(x):
    row = np.pad([x[0], x[1] * 2.0], 1)
    table = np.pad([x, x * x], [(1, 2), [0, 1]], "reflect")
    return np.sum(row * np.arange(4.0)) + np.sum(np.cos(table))


class Peak(NamedTuple):
    weight: float
    mean: float
    width: float


@at((VALUES,), (vec(0.3, 1.2, -0.7, 0.9, 2.1, 1.4),), (vec(-0.2, 0.4),))
def peaks_until_settled(x):
    peaks = [Peak(1.0 / len(x), mean, 1.0) for mean in x]
    old = -np.inf
    for step in range(4):
        level = sum(peak.weight * np.exp(-((peak.mean - 0.1) ** 2) / peak.width) for peak in peaks)
        fitted = []
        for k, peak in enumerate(peaks):
            fitted.append(peak._replace(weight=peak.weight / level, mean=peak.mean + 0.1 * x[k], width=1.0 + 0.1 * level))
        peaks = fitted
        if abs(level - old) < 0.05:
            break
        old = level
    return sum(peak.weight * peak.mean * peak.width for peak in peaks) + old


@at((VALUES,), (-VALUES,), (vec(0.3, -0.4, 0.8),))
def tuples_of_either_path(x):
    pairs = [(v, 2.0) for v in x]
    before = pairs
    if x[0] > 0:
        pairs = [(w + 1.0, v * v) for v, w in pairs if v > 0]
    elif x[1] > 0:
        pairs = [(x[0], x[1]), (1.0, x[1] ** 2)]
    shifted = [(v, w + len(pairs)) for v, w in before]
    return sum((i + 1) * v * w for i, (v, w) in enumerate(pairs)) + sum(v * v * w for v, w in shifted)


@at((VALUES,), (vec(0.5, 1.2, 0.7),))
def best_tuples_so_far(x):
    best = []
    top = -1.0
    for centre in x:
        near = [(v * centre, (v, len(best))) for v in x if abs(v - centre) < 1.3]
        score = sum(p for p, _ in near)
        if score > top:
            top, best = score, near
    return sum((i + 1) * p * v + n * v for i, (p, (v, n)) in enumerate(best)) + top


@at((VALUES,), (-VALUES,))
def tuples_or_none(x):
    found = None
    rest = [(v, v * v) for v in x]
    if x[0] > 0:
        found = [(v, 1.0) for v in x if v > 0.5]
    pairs = rest if found is None else found
    rest = [*rest, (x[0], x[1])]
    return sum(v * w for v, w in rest) + sum(v * w * w for v, w in pairs)


@at((1.3, vec(1.0, 2.0, 1.0, 1.7)), wrt=(0,))
def solutions_that_were_not_found_before(x, starts):
    found = []
    for start in starts:
        root = start
        for _ in range(30):
            step = (root * root - x) / (2.0 * root)
            root = root - step
            if abs(step) < 1e-12:
                break
        else:
            continue
        if all(abs(root - other) > 1e-3 for other, _ in found):
            found.append((root, x / root))
    return found[0][0] * found[-1][1] + len(found)


@at((1.3, vec(1.0, 2.0, 1.0, 1.7)), wrt=(0,))
def centres_that_are_far_from_all_others(x, starts):
    centres = []
    for start in starts:
        near = None
        for k, (place, weight) in enumerate(centres):
            if abs(place - start * x) < 0.5:
                near = k
        if near is None:
            centres.append((start * x, 1.0))
        else:
            place, weight = centres[near]
            centres[near] = ((place * weight + start * x) / (weight + 1.0), weight + 1.0)
    return sum(place**2 * weight for place, weight in centres)

"""What is walked over while it changes, and what is walked over once: lists, dicts, `zip` and its kin."""

import itertools

import numpy as np

from tests.corpus.case import at, vec

VALUES = vec(0.31, 1.23, -0.74, 0.92, 2.17)


@at((VALUES,))
def list_that_grows_under_the_loop(x):
    found = [x[0]]
    for v in found:
        if len(found) < 4:
            found.append(v * x[len(found)])
    return sum(found) + found[-1] ** 2


@at((VALUES,))
def next_item_is_set(x):
    items = [x[0], x[1], x[2]]
    total = 0.0
    for i, v in enumerate(items):
        total += v**2
        if i < 2:
            items[i + 1] = v * x[3]
    return total


@at((VALUES,))
def last_item_is_set_in_a_branch(x):
    items = [x[0], x[1], x[2]]
    total = 0.0
    for v in items:
        total += v**2
        if total > 0.01:
            items[2] = v * x[3]
    return total


@at((VALUES,))
def zipped_lists_change(x):
    left, right = [x[0], x[1], x[2]], [x[2], x[3], x[4]]
    total = 0.0
    for i, (a, b) in enumerate(zip(left, right, strict=False)):
        total += a * b
        right[2] = a**2
        left[(i + 1) % 3] += b
    return total


@at((VALUES,))
def first_item_is_set_from_the_end(x):
    items = [x[0], x[1], x[2]]
    total = 0.0
    for a in reversed(items):
        total += a**2
        items[0] = total * x[1]
    return total


@at((VALUES,))
def list_shrinks_under_the_loop(x):
    items = [x[0], x[1], x[2], x[3]]
    total = 0.0
    for a in items:
        total = total * 0.5 + a**2
        del items[0]
    return total


@at((VALUES,))
def filled_list_changes_ahead(x):
    items = [v**2 for v in x]
    total = 0.0
    for i, v in enumerate(items):
        total += v**2
        items[(i + 1) % len(items)] = v * x[3]
    return total


@at((VALUES,))
def dict_values_are_set(x):
    table = {"a": x[0], "b": x[1], "c": x[2]}
    total = 0.0
    for _, v in table.items():
        total += v**2
        table["c"] = total * x[3]
    for v in table.values():
        total += v * 2
        table["b"] = total**2
    return total


@at((VALUES,))
def dict_views_are_live(x):
    table = {"a": x[0], "b": x[1]}
    keys, values = table.keys(), table.values()
    table["c"] = x[2]
    table["a"] = x[3]
    return len(keys) * sum(values) + len(table)


@at((VALUES,))
def map_is_late_and_once(x):
    items = [x[0], x[1]]
    doubled = map(lambda v: v * 2, items)
    items[0] = x[3]
    return sum(doubled) + 10 * sum(doubled)


@at((VALUES,))
def generator_walked_over_twice(x):
    def total(items):
        found = 0.0
        for v in items:
            found += v
        for v in items:
            found += 10 * v
        return found

    return total(v**2 for v in x)


@at((VALUES,))
def combinations_walked_over_twice(x):
    chosen = itertools.combinations([0, 1, 2], 2)
    total = 0.0
    for i, j in chosen:
        total += x[i] * x[j]
    for i, _ in chosen:
        total += 10 * x[i]
    return total


def neighbours(x):
    return zip(x, x[1:], strict=False)


@at((VALUES,))
def returned_zip_walked_over_twice(x):
    pairs = neighbours(x)
    first, second = list(pairs), list(pairs)
    return sum(a * b for a, b in first) + len(second)


@at((VALUES, True), (VALUES, False))
def zip_used_up_on_both_sides(x, forward):
    pairs = zip(x, x[::-1], strict=True)
    total = 0.0
    if forward:
        for a, b in pairs:
            total += a * b
    else:
        total = sum(a for a, _ in pairs)
    return total + len(list(pairs))


@at((VALUES,))
def entries_replaced_under_items(x):
    model = {"w": {"a": x * 1.0, "b": x**2}, "k": 2.0}
    for _, layer in model.items():
        if isinstance(layer, dict):
            for k, v in layer.items():
                v *= 2.0
                layer[k] = v + 1.0
    return sum(np.sum(v**2) for v in model["w"].values()) * model["k"]


@at((VALUES,))
def membership_of_views(x):
    left, right = {"a": x[0], "b": x[1]}, {"b": x[2]}
    total = sum(left[k] * right[k] for k in left.keys() if k in right.keys())  # noqa: SIM118
    for k in list(left.keys()):  # noqa: SIM118
        left[k + "2"] = left[k] ** 2
    return total + len(left.keys()) * max(left.values()) + (x[3] if ("b", 1) in [(k, 1) for k in right] else x[4])


@at((VALUES,))
def map_of_an_array_that_is_written_ahead(x):
    y = x * 1.0
    s = 0.0
    k = 0
    for v in map(lambda v: 2.0 * v, y):
        s += v**2
        k += 1
        if k < y.shape[0]:
            y[k] = v * y[k]
    return s


@at((VALUES,))
def numbered_map_of_two_arrays(x):
    y = x * 1.0
    s = 0.0
    for i, v in enumerate(map(lambda a, b: a * b, y, x)):
        s += v
        if i + 1 < y.shape[0]:
            y[i + 1] += v * v
    return s


@at((VALUES,))
def map_whose_function_reads_a_list(x):
    w = [1.0]
    s = 0.0
    for v in map(lambda v: v * w[0], [x[0], x[1], x[2]]):
        w[0] += v
        s += v
    return s


@at((VALUES,))
def zip_of_known_weights_and_a_written_array(x):
    y = np.array([x[0], x[1] * 2, x[2]])
    s = 0.0
    for k, (c, v) in enumerate(zip((1.0, 2.0, 3.0), y, strict=True)):
        s += c * v
        if k < 2:
            y[k + 1] = v * v
    return s


@at((VALUES,))
def starmap_of_shifted_views(x):
    y = x * 1.0
    s = 0.0
    k = 0
    for v in itertools.starmap(lambda a, b: a * b, zip(y, y[1:], strict=False)):
        s += v
        y[k + 1] += s
        k += 1
    return s


@at((VALUES, vec(0.4, -0.2, 1.3)), wrt=(0, 1))
def sums_of_chosen_items_inside_expressions(x, y):
    near = 1.0 + sum(v for v in x if -1.0 < v < 1.0) * sum(v if v > 0.5 else v * v for v in x)
    pairs = 2.0 * sum(v * sum(w if w > v else 0.5 for w in y if w > 0.0 or w < -0.5) for v in x if 0.0 < v < 1.0 < 2.0)
    return near - pairs if sum(v for v in y if 0.0 < v < 2.0) > 1 and sum(v * v for v in y if v > 0 and v < 1) < 10 else near


RATES = (0.5, 1.5, 2.5)
REACTIONS = [({0: 1}, {1: 1}), ({1: 2}, {0: 1}), ({0: 1, 1: 1}, {})]


@at((VALUES, vec(0.7, 1.9)), (vec(0.4, 2.2, 1.1), vec(0.7, 1.9)), (vec(1.3), vec(0.7, 1.9)), (vec(), vec(0.7, 1.9)), wrt=(0, 1))
def known_and_unknown_lengths_together(x, c):
    change = np.zeros(2)
    total = 0.0
    for k, (rate, (taken, made)) in enumerate(zip(x, REACTIONS, strict=False)):
        flow = rate + k
        for place, count in taken.items():
            flow *= c[place] ** count
            change[place] -= count * flow
        for place, count in made.items():
            change[place] += count * flow
        if rate > 2.0:
            total += flow
            break
    else:
        total = sum(w * v * v for w, v in zip(RATES, x, strict=False)) * c[0]
    return total + change @ change + sum([w * v for v, w in zip(c, RATES, strict=False)])


@at((VALUES,), (vec(0.4, 2.2),))
def parameters_named_by_items(x):
    named = {"birth": 1.0, "death": 2.0, "rest": 0.5}
    for name, value in zip(named, x, strict=False):
        named[name] = named[name] * value**2
    return named["birth"] / named["death"] + named["rest"]


@at((1.3, 4), (0.7, 5))
def integers_of_python_in_pairs(a, n):
    total = 0.0
    for i, j in itertools.product(range(n), range(1, 3)):
        total += a * (i + 1) ** -j
    for i, j in itertools.combinations(range(1, n), 2):
        total += a / 10 ** (i * j * 2)
    scaled = [a * k for k in range(n)]
    for (u, w), v in zip(itertools.pairwise(scaled), itertools.chain(range(n), range(2)), strict=False):
        total += v - u * w
    for u, k in itertools.product(scaled, [1, 2]):
        total += u * k
    return total, max(i * j for i, j in itertools.permutations(range(n), 2))


@at((np.array([[0.6, 1.7, 0.9], [1.3, 0.4, 1.1]]), VALUES), (np.zeros((0, 3)), VALUES), wrt=(0, 1))
def places_of_arrays(m, v):
    out = np.zeros((2, 2))
    for (i, j), w in np.ndenumerate(v[:4].reshape(2, 2)):
        out[j, i] += w * w * (i + 2 * j)
    for i, j in np.ndindex(m.shape):
        m[i, j] = m[i, j] ** 2 + m[i, (j + 2) % 3] / (1 + i)
    for k in np.ndindex(2, 2):
        out[k] *= sum(k) + 1
    for (i,), w in np.ndenumerate(v):
        v[i - 1] += 0.5 * w
    return np.sum(m) * np.sum(out) + v @ v


@at((VALUES,), (np.array([0.6, 1.7]),))
def generator_taken_apart_in_a_call(v):
    def ends(first, *others, scale=1.0):
        return scale * first * others[-1] + len(others)

    inner = ends(*(w * w for w in (v[0], v[1])))
    outer = ends(2.0, *(k * w for k, w in enumerate((v[0], v[1]), start=1)), scale=v[1])
    return inner * outer + max([*(w**3 for w in (v[0], v[1]))])


@at((VALUES,), (vec(0.31),), (vec(),))
def accumulated_items(v):
    highest = list(itertools.accumulate(v, max))
    products = itertools.accumulate([2.0 * w for w in v], lambda p, w: p * w)
    return sum(k * h for k, h in enumerate(highest, start=1)) + sum(products) + len(highest) * np.sum(v)


@at((VALUES,))
def loop_and_its_body_take_turns(x):
    items, total = iter([x[0], x[1], x[2], x[3], x[4]]), 0.0
    for a in items:
        total = total * 0.5 + a**2
        for b in items:
            total += a * b
            break
    return total


@at((VALUES,))
def looked_for_and_then_added_up(x):
    places = iter([3, 1, 2, 0])
    found = 1 in places
    return found * sum(x[k] ** 2 for k in places)


@at((VALUES,))
def backwards_from_where_the_list_ended(x):
    items = [x[0], x[1]]
    backwards = reversed(items)
    items.append(x[2])
    items[0] = x[3]
    return sum(v**2 * i for i, v in enumerate(backwards))


@at((VALUES,))
def counted_down(x):
    return sum(k * v**2 for k, v in zip(itertools.count(2, -1), x, strict=False))


@at((VALUES,))
def range_that_is_asked_for_its_ends(x):
    inner = range(1, len(x), 2)
    return sum(x[i] ** 2 for i in inner) * inner.step + x[inner.start] ** 3 * inner.stop


@at((VALUES,))
def longest_of_several(x):
    filled = []
    for v in x:
        if v > 0.5:
            filled.append(v)
    s = 0.0
    for a, b, c in itertools.zip_longest(filled, x, [x[0], x[1]], fillvalue=x[2]):
        s = s * 0.5 + a * b * c
    for a, b in itertools.zip_longest([x[0], x[1]], (1, 2, 3)):
        s += b * x[2] if a is None else a * b
    return s


@at((VALUES,))
def longest_of_a_list_that_grows(x):
    s, grown = 0.0, [x[0]]
    for a, b in itertools.zip_longest(grown, range(4), fillvalue=2.0):
        if len(grown) < 3:
            grown.append(x[b])
        s += a * (b + 1)
    return s


ROWS = np.array([[0.31, 1.23], [-0.74, 0.92], [2.17, 0.4]])


@at((ROWS,))
def rows_in_pairs_are_written(rows):
    now = rows.copy()
    for a, b in itertools.combinations(now, 2):
        a += 0.1 * b
    for a, b in itertools.permutations(now, 2):
        b -= 0.2 * a * b
    for a, b in itertools.combinations_with_replacement(now, 2):
        a *= 1.0 + b
    return np.sum(now**2)


@at((ROWS,))
def rows_of_a_list_in_pairs_are_written(rows):
    now = [row * 2 for row in rows]
    for a, b in itertools.combinations(now, 2):
        a += 0.1 * b
    return sum(row @ row for row in now)


@at((ROWS,))
def rows_change_while_pairs_are_walked_over(rows):
    now, total = rows.copy(), 0.0
    for a, b in itertools.combinations(now, 2):
        total = 0.9 * total + a @ b
        now[2] = 0.5 * total
    return total


@at((ROWS,))
def rows_crossed_with_rows_are_written(rows):
    now = rows.copy()
    for a, b in itertools.product(now, now[::-1]):
        a += 0.1 * b
    for column, k, v in itertools.product(now.T, range(2), now[:, 0]):
        column[k] += v
        now[1, 0] *= 0.9
    return np.sum(now**2)


@at((ROWS,))
def best_pair_of_rows_is_written(rows):
    now, best = rows.copy(), None
    for a, b in itertools.combinations(now, 2):
        if best is None or a @ b > best[0] @ best[1]:
            best = (a, b)
    best[0][:] = 3 * rows[0]
    return np.sum(now**2)


@at((VALUES,))
def numbers_change_while_triples_are_walked_over(x):
    now, total = x.copy(), 0.0
    for a, b, c in itertools.combinations(now, 3):
        total = 0.9 * total + a * b**2 * c
        now[2] = 0.5 * total
    for i, a, b in itertools.product(range(len(x)), now, [1.0, 2.0]):
        total += x[i] * a * b
        now[1] = 0.5 * a
    return total


@at((VALUES,))
def triples_of_places(x):
    total, places = 0.0, np.arange(-1, 2)
    for i, j, k in itertools.product(range(len(x)), repeat=3):
        if i == j:
            continue
        total = 0.99 * total + x[i] * x[j] ** 2 * x[k] ** 3 / (1 + i * k)
    for p in itertools.product(places, repeat=3):
        total += np.exp(-np.dot(p, p) * x[0] ** 2)
    return total + len(list(itertools.product(x, x, x))) * x[1]


@at((VALUES,))
def permutations_of_three(x):
    return sum(a * b**2 * c**3 for a, b, c in itertools.permutations(x, 3))

"""Lists of which only the run knows which one is taken: cells, buckets and neighbours, that grow and are walked over."""

import numpy as np

from tests.corpus.case import at, smooth, vec

VALUES = vec(0.3, 1.21, 0.7, 0.9, 1.7, 0.1)
NEIGHBOURS = [[(1, 2.0)], [(0, 1.0), (2, 0.5), (3, 1.5)], [], [(1, 1.0), (2, 2.0)]]


def cells_of(x, width, count):
    cells = [[] for _ in range(count)]
    for i, v in enumerate(x):
        cells[int(v / width)].append(i)
    return cells


@at((VALUES,), (vec(1.9, 1.8, 0.1, 0.2, 1.7, 0.3),))
def forces_between_neighbouring_cells(x):
    cells, energy = cells_of(x, 0.5, 4), 0.0
    for i in range(len(x)):
        own = int(x[i] / 0.5)
        for near in (own - 1, own, own + 1):
            if 0 <= near < len(cells):
                for j in cells[near]:
                    if j != i:
                        energy += np.exp(-((x[i] - x[j]) ** 2))
    return energy


@at((smooth(30, high=9.9),))
def many_cells(x):
    cells, energy = cells_of(x, 0.25, 40), 0.0
    for c in cells:
        for a in range(len(c)):
            for b in range(a + 1, len(c)):
                energy += (x[c[a]] - x[c[b]]) ** 2
    return energy + sum(len(c) * x[0] for c in cells)


@at((VALUES, np.array([0, 2, 1, 0, 0, 2])), (VALUES, np.array([1, 1, 1, 1, 1, 1])))
def groups_by_label(x, labels):
    groups = [[] for _ in range(3)]
    for v, label in zip(x, labels, strict=True):
        groups[label].append(v)
    return sum(len(g) * np.mean(np.array(g)) ** 2 for g in groups if len(g) > 0)


@at((VALUES, np.array([[0, 1], [1, 2], [2, 3], [0, 3], [1, 3]])))
def weighted_graph(w, edges):
    adjacent = [[] for _ in range(4)]
    for k in range(len(edges)):
        i, j = edges[k]
        adjacent[i].append((j, w[k]))
        adjacent[j].append((i, w[k]))
    heat = vec(1.0, 0.0, 0.0, 2.0)
    for _ in range(3):
        new = heat.copy()
        for i in range(4):
            for j, conductance in adjacent[i]:
                new[i] += 0.1 * conductance * (heat[j] - heat[i])
        heat = new
    return np.sum(heat**2)


@at((VALUES,))
def cells_in_a_plane(x):
    grid = [[[] for _ in range(2)] for _ in range(2)]
    for k in range(3):
        grid[int(x[2 * k] > 0.5)][int(x[2 * k + 1] > 1.0)].append((x[2 * k], x[2 * k + 1]))
    return sum(len(cell) * a * b**2 for row in grid for cell in row for a, b in cell)


@at((VALUES,))
def buckets_under_keys(x):
    low, by_tens = {"low": [], "high": []}, {k: [] for k in range(4)}
    for v in x:
        low["low" if v < 0.5 else "high"].append(v)
        by_tens[int(v / 0.5)].append(v * v)
    return sum(low["low"]) * sum(low["high"]) + sum(k * sum(c) ** 2 for k, c in by_tens.items())


@at((VALUES,))
def one_side_or_the_other(x):
    left, right = [], [x[0]]
    for v in x:
        side = left if v < 0.8 else right
        side.append(v)
        (right if v < 0.8 else left).append(2.0 * v)
    return sum(left) ** 2 * max(right) + len(left) * right[-1]


@at((VALUES,))
def stacks_that_are_emptied(x):
    stacks, total = [[], []], 0.0
    for v in x:
        stacks[int(v > 0.8)].append(v)
    for k in range(2):
        while stacks[k]:
            total += stacks[k].pop() * (k + 1) * len(stacks[k])
    return total


@at((VALUES,))
def changed_in_the_middle(x):
    cells = [[] for _ in range(4)]
    first = cells[0]
    for v in x:
        cells[int(v / 0.5)] += [v, 2.0 * v]
    place = int(x[1])
    before = cells[place].copy()
    cells[place][0] = 5.0 * x[0]
    cells[place].sort()
    cells[1][-1] += x[1]
    first.append(x[2] ** 2)
    del cells[3 - place][0]
    cells[-1].insert(0, x[3])
    return sum((k + 1) * sum(c) ** 2 for k, c in enumerate(cells)) + before[0] * cells[place][0] + sum(first)


@at((VALUES,))
def binned_again_at_each_step(x):
    x = x.copy()
    for _ in range(3):
        force = np.zeros(len(x))
        for c in cells_of(x, 0.5, 5):
            for i in c:
                for j in c:
                    if i != j:
                        force[i] += 0.1 * (x[i] - x[j])
        x = x + 0.1 * force
    return np.sum(x**2)


@at((VALUES,))
def walk_over_a_graph(x):
    place, total = int(x[1]), 0.0
    for step in range(4):
        near = NEIGHBOURS[place]
        for j, weight in near:
            total += x[j] * weight * (step + 1)
        place = near[int(x[place] * 7) % len(near)][0] if near else 0
    return total


@at((VALUES,))
def the_longest_of_them(x):
    cells = [[] for _ in range(4)]
    for v in x:
        cells[int(v / 0.5)].append(v)
    best = cells[0]
    for c in cells:
        if len(c) >= len(best):
            best = c
    best.append(x[0])
    return sum(best) ** 2 + sum(map(sum, cells)) + sum(max(cells, key=len)) ** 3


@at((VALUES,), (vec(0.1, 0.2, 0.3, 0.1, 0.2, 0.3),))
def cells_that_stay_empty(x):
    cells = [[] for _ in range(3)]
    for v in x:
        if v > 1.5:
            cells[int(v)].append(v)
    return x[0] * len(cells[int(x[1])]) + sum(cells[1]) + x[1] * sum(len(c) == 0 for c in cells)


@at((VALUES, 2.1, 0.5), (vec(0.65, 0.1, 0.7), 1.0, 0.3), wrt=(0,))
def as_many_cells_as_the_box_has(x, box, width):
    cells, total = [[] for _ in range(int(box / width))], 0.0
    for i in range(len(x)):
        cells[int(x[i] / width)].append(i)
    for i in range(len(x)):
        own = int(x[i] / width)
        for near in (own - 1, own, own + 1):
            if 0 <= near < len(cells):
                for j in cells[near]:
                    total += (x[i] - x[j]) ** 2 * (i + 1)
    return total * len(cells)


@at((VALUES,), (vec(3.3, 0.2, 3.1, 3.2),), (vec(0.1, 0.2),))
def cells_up_to_the_largest(x):
    cells = []
    for _ in range(int(np.ceil(np.max(x) / 0.5))):
        cells.append([])
    for i, v in enumerate(x):
        cells[int(v / 0.5)].append((i, v))
    total = 0.0
    for k, c in enumerate(cells):
        for i, v in c:
            total += v * x[i] * (k + 1)
        total += x[0] if not c else len(c) * x[1]
    last = cells[-1]
    last.append((0, x[0] ** 2))
    return total + sum(v for _, v in cells[-1]) ** 2 + sum(max(v for _, v in c) for c in cells if c)


@at((VALUES, 2.1, 0.5), wrt=(0,))
def as_many_cells_at_each_step(x, box, width):
    total = 0.0
    for step in range(2):
        cells = [[] for _ in range(int(box / width) + step)]
        for v in x:
            cells[int(v / width)].append(v * (step + 1))
        for c in cells:
            for v in c:
                for w in c:
                    total += v * w
    return total


@at((VALUES,), (vec(3.3, 0.2, 3.1, 3.2),))
def cells_emptied_at_each_step(x):
    cells, total, scale = [[] for _ in range(4)], 0.0, 1.0
    while scale > 0.3:
        for c in cells:
            c.clear()
        for v in x:
            cells[int(v * scale)].append(v)
        total += sum(len(c) * sum(c) ** 2 for c in cells)
        scale *= 0.6
    return total


@at((vec(0.3, 0.7, 1.2),), (vec(0.3, 1.7, 1.2),))
def lists_of_a_try_that_the_run_chooses(x):
    try:
        if x[1] > 1:
            raise ValueError
        cells = [[] for _ in range(2)]
        for t in x:
            cells[int(t > 0.5)].append(t)
        total = sum(t * t for t in cells[1])
    except ValueError:
        total = x[0] * x[1]
    return total


@at((vec(0.3, 0.7, 1.2),), (vec(0.3, 0.2, 1.2),), (vec(0.6, 0.7, 1.2),))
def lists_of_a_try_that_is_left_once_they_are_filled(x):
    cells = [[x[2]], []]
    try:
        cells, k = [[] for _ in range(2)], 0
        while k < len(x):
            cells[int(x[k] > 0.5)].append(x[k] * k)
            k += 1
        if len(cells[1]) != 2:
            raise ValueError
        total = sum(cells[0]) + 2.0 * sum(cells[1])
    except ValueError:
        total = sum(cells[1]) ** 2 * len(cells[0])
    return total

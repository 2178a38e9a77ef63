"""Lists that begin empty and are filled and replaced in a loop: runs, segments, clusters, episodes, and lists of those."""

import itertools
import math

import numpy as np

from tests.corpus.case import at, vec

VALUES = vec(0.5, 0.7, -0.3, -0.9, 1.2, 0.4, -0.2, 0.9)
points = at((VALUES,), (vec(-0.4, -0.7, -1.1),), (vec(0.6, 1.3),))
ALL_RISING = vec(0.1, 0.4, 1.3)


def runs_of(x):
    runs, run = [], []
    for v in x:
        if run and v < run[-1]:
            runs.append(run)
            run = []
        run.append(v)
    runs.append(run)
    return runs


@points
def run_lengths(x):
    groups = []
    cur = []
    for i in range(x.shape[0]):
        if cur and (x[i] > 0) != (cur[-1] > 0):
            groups.append(cur)
            cur = []
        cur.append(x[i])
    if cur:
        groups.append(cur)
    return np.sum(np.array([sum(g) ** 2 for g in groups]))


@points
def means_between_marks(x):
    groups = []
    cur = []
    for v in x:
        if v > 0:
            cur.append(v)
        else:
            groups.append(cur)
            cur = []
    groups.append(cur)
    return 0.0 + sum(np.mean(g) ** 2 for g in groups if len(g) > 0)


@at((VALUES,), (ALL_RISING,))
def longest_of_them(x):
    best = max(runs_of(x), key=len)
    return sum(best) + np.prod(best)


@points
def read_by_index(x):
    groups = []
    cur = []
    for v in x:
        cur.append(v)
        if sum(cur) > 1.0:
            groups.append(cur)
            cur = []
    s = 0.0
    for k in range(len(groups)):
        for j in range(len(groups[k])):
            s = s + groups[k][j] ** 2 * (j + 1) / (k + 1)
    return s


@at((VALUES, np.array([0, 0, 1, 0, 1, 0, 0, 0]), 0.9), (VALUES, np.zeros(8, int), 0.9))
def returns_of_episodes(rewards, done, gamma):
    episodes = []
    episode = []
    for r, d in zip(rewards, done, strict=True):
        episode.append(r)
        if d:
            episodes.append(episode)
            episode = []
    if len(episode) > 0:
        episodes.append(episode)
    total = 0.0
    for one in episodes:
        back = 0.0
        for r in reversed(one):
            back = r + gamma * back
        total += back**2
    return total / len(episodes)


@at((vec(0.0, 0.1, 0.2, 0.3, 1.5, 1.2, 1.6, 1.1, 3.0, 3.2).reshape(5, 2),))
def centres_of_points(p):
    groups = []
    cur = []
    for q in p:
        if cur and np.sum((q - cur[-1]) ** 2) > 0.5:
            groups.append(cur)
            cur = []
        cur.append(q)
    groups.append(cur)
    return sum(np.sum(np.mean(np.array(g), axis=0) ** 2) for g in groups)


@points
def lists_under_two_names(x):
    times, heights = [], []
    t, h = [], []
    for i in range(len(x)):
        if x[i] < 0 and t:
            times.append(t)
            heights.append(h)
            t, h = [], []
        t.append(float(i))
        h.append(x[i])
    times.append(t)
    heights.append(h)
    return sum(np.dot(np.array(a), np.array(b)) for a, b in zip(times, heights, strict=True))


class Segments:
    def __init__(self):
        self.closed = []
        self.open = []

    def push(self, v):
        if self.open and v < self.open[-1]:
            self.closed.append(self.open)
            self.open = []
        self.open.append(v)

    def close(self):
        if self.open:
            self.closed.append(self.open)
        self.open = []
        return self.closed


@points
def segments_of_an_object(x):
    segments = Segments()
    for v in x:
        segments.push(v)
    return sum(np.mean(g) ** 2 for g in segments.close())


@points
def flushed_by_a_nested_function(x):
    groups = []
    cur = []

    def flush():
        nonlocal cur
        if cur:
            groups.append(cur)
            cur = []

    for v in x:
        if v < 0:
            flush()
        cur.append(v)
    flush()
    return sum(np.prod(g) for g in groups)


@points
def parts_under_keys(x):
    state = {"groups": [], "cur": []}
    for v in x:
        if v < 0:
            state["groups"].append(state["cur"])
            state["cur"] = []
        state["cur"].append(v)
    state["groups"].append(state["cur"])
    return sum(sum(g) ** 2 for g in state["groups"])


@points
def ended_by_an_exception(x):
    groups = []
    cur = []
    for v in x:
        try:
            cur.append(math.sqrt(v))
        except ValueError:
            groups.append(cur)
            cur = []
    groups.append(cur)
    return 0.0 + sum(sum(g) ** 2 for g in groups)


@points
def one_list_put_in_twice(x):
    groups = []
    cur = []
    for v in x:
        cur.append(v)
        groups.append(cur)
        if v < 0:
            cur = []
    return sum((k + 1) * sum(g) ** 2 for k, g in enumerate(groups))


@points
def places_in_groups(x):
    groups = []
    cur = [0]
    for i in range(1, len(x)):
        if x[i] < x[i - 1]:
            groups.append(cur)
            cur = [i]
        else:
            cur.append(i)
    groups.append(cur)
    return sum(sum(x[j] for j in g) ** 2 for g in groups)


@points
def taken_out_and_put_back(x):
    runs = runs_of(x)
    last = runs.pop()
    runs.insert(0, last)
    runs.append([x[0], x[1]])
    runs.reverse()
    del runs[-1]
    runs[0].append(2.0 * x[0])
    return sum((k + 1) * sum(g) ** 2 for k, g in enumerate(runs)) + len(last) * sum(last)


@points
def in_order_of_their_lengths(x):
    runs = runs_of(x)
    by_length = sorted(runs, key=len, reverse=True)
    runs.sort(key=lambda g: g[0])
    return sum((k + 1) * sum(g) ** 2 for k, g in enumerate(by_length)) * sum(k * sum(g) for k, g in enumerate(runs, 1))


@points
def slices_and_neighbours(x):
    runs = runs_of(x)
    first, *rest = runs
    return sum(first) ** 2 + sum(sum(a) * sum(b) for a, b in zip(runs, runs[1:], strict=False)) + sum(map(sum, rest[::-1]))


@points
def joined_again(x):
    runs = runs_of(x)
    joined = np.concatenate(runs)
    chained = list(itertools.chain.from_iterable(runs))
    added = sum(runs, [])
    both = runs + [[x[0] ** 2]]
    return np.sum(joined**2 * np.arange(len(x))) + chained[-1] * added[0] + sum(both[-1]) * len(both)


@at((VALUES,))
def rows_of_an_array(x):
    rows, row = [], []
    for v in x:
        row.append(v)
        if len(row) == 2:
            rows.append(row)
            row = []
    matrix = np.array(rows)
    return np.sum(matrix @ matrix.T) + np.sum(np.mean(rows, axis=0) ** 3)


@points
def rising_parts_in_a_while(x):
    i = 0
    groups = []
    while i < len(x):
        cur = [x[i]]
        i += 1
        while i < len(x) and x[i] > x[i - 1]:
            cur.append(x[i])
            i += 1
        groups.append(cur)
    return sum((k + 1) * sum(g) ** 2 for k, g in enumerate(groups))


@points
def squares_of_parts(x):
    squares = [[v * v for v in run] for run in runs_of(x)]
    return sum(sum(g[1:]) * len(g) for g in squares) + sum(squares[-1])


@points
def the_best_run_so_far(x):
    best = []
    cur = []
    for v in x:
        if cur and v < cur[-1]:
            cur = []
        cur.append(v)
        if len(cur) > len(best):
            best = cur
    return sum(best) ** 2


@points
def a_window_that_moves(x):
    window = []
    means = []
    for v in x:
        window.append(v)
        if len(window) > 3:
            window = window[1:]
        means.append(sum(window) / len(window))
    return np.sum(np.array(means) ** 2)


def in_parts(x):
    cur = []
    for v in x:
        if v < 0 and cur:
            yield cur
            cur = []
        cur.append(v)
    if cur:
        yield cur


@points
def parts_of_a_generator(x):
    return sum(sum(g) ** 2 for g in in_parts(x))


def above(x):
    return [[v for v in x if v > t] for t in x]


def weighed(lists):
    return sum((i + 1) * sum((j + 1) * v for j, v in enumerate(one)) for i, one in enumerate(lists))


@points
def a_list_put_at_its_own_place_in_one_turned(x):
    g = above(x)
    h = g[::-1]
    for i, one in enumerate(g):
        h[i] = one
        h[i].append(x[i] ** 2)
    return weighed(g) * 10 + weighed(h)


@points
def a_list_put_back_where_another_was(x):
    g = above(x)
    for i in range(len(g)):
        old = g[i]
        g[i] = [2.0]
        g[i].append(x[i])
        g[i] = old
    return weighed(g)

"""Texts and places that only the run knows: state machines, tables by name, orders."""

import datetime as dt
import re

import numpy as np

from tests.corpus.case import at, smooth, vec

VALUES = vec(0.3, 1.2, -0.7, 0.9)
CORNERS = [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)]
NESTED = [((1, 2.0), 3), ((4, 5.0), 6)]
UNITS = {"km": 1e3, "h": 3600.0}


@at((VALUES,), (vec(1.3, -0.2, 0.4, 0.1),))
def state_machine_of_texts(x):
    state = "closed"
    total = 0.0
    for v in x:
        if state == "closed":
            total += v * v
            if v > 1.0:
                state = "open"
        elif state == "open":
            total -= 3.0 * v
            if v < 0.0:
                state = "half"
        else:
            total += v
    return total + (1.0 if state == "half" else 2.0) * x[0]


@at((VALUES,), (vec(0.3, 0.2, 0.4, 0.1),))
def rates_by_state(x):
    state = "a"
    rates = {"a": 1.0, "b": x[2], "c": 3}
    moves = {"a": ("b", 2.0), "b": ("c", x[3]), "c": ("a", 0.5)}
    total = 0.0
    for v in x:
        total += v * rates[state]
        if v > 0.5:
            state = "b" if state == "a" else "c"
    return total * moves["b"][1]


@at((VALUES,))
def schedule_of_days(x):
    day, factor, total = 0, 1.0, 0.0
    schedule = {2: 0.5, 3: 2.0}
    for v in x:
        day += 1 if v > 0 else 2
        if day in schedule:
            factor = schedule[day] * v
        total += factor * v + schedule.get(day, v * v)
    return total


@at((VALUES,), (vec(0.3, 2.6, -0.7, 0.9),))
def tuples_of_a_list_at_run_time(x):
    i = int(x[1] * 2)
    gx, gy = CORNERS[i % 4]
    (a, b), c = NESTED[i % 2]
    pairs = [(0, x[1]), (1, x[2]), (2, 3.0)]
    place, weight = pairs[int(np.argmax(x))]
    return x[0] * gx + x[2] * gy * a + b * c * x[1] + x[place] * weight + pairs[-i % 3][1] ** 2


@at((vec(0.4, 0.1, 0.25, 0.2),), (vec(0.1, 0.15, 0.5, 0.32),))
def smallest_two_are_merged(p):
    nodes = [(w, i) for i, w in enumerate(p)]
    cost, label = 0.0, len(nodes)
    while len(nodes) > 1:
        nodes.sort()
        (a, _), (b, _) = nodes[0], nodes[1]
        cost += a + b * label
        nodes = nodes[2:] + [(a + b, label)]
        label += 1
    return cost


@at((vec(0.9, 0.4, 1.3, 0.7, 0.2),))
def spanning_tree(w):
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    parent = list(range(4))

    def find(a):
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        return a

    total = 0.0
    for k in sorted(range(len(edges)), key=lambda k: w[k]):
        a, b = find(edges[k][0]), find(edges[k][1])
        if a != b:
            parent[a] = b
            total += w[k] ** 2
    return total


@at((VALUES,))
def orders_by_keys_of_the_run(x):
    order = sorted(range(4), key=lambda i: (x[i] > 0, abs(x[i])))
    pairs = sorted([(v, k * 2.0) for k, v in enumerate(x)], key=lambda p: p[0], reverse=True)
    ranked = sum((i + 1) * a * b for i, (a, b) in enumerate(pairs))
    return sum(x[i] * (k + 1) for k, i in enumerate(order)) + x[order[0]] ** 2 + ranked


@at((smooth(2),))
def families_in_the_order_of_their_names(x):
    families = {"b": (x[0], lambda v: v), "a": (x[1], lambda v: v * 2)}
    total = 1.0
    for _, (v, link) in sorted(families.items()):
        total = total * link(v) + v
    return total


@at((vec(0.05, 0.02),))
def interest_between_dates(x):
    last, amount = dt.date(2021, 1, 31), 1.0
    for day in [dt.date(2021, 7, 31), dt.date(2022, 1, 31)]:
        years = (day - last).days / 365.0
        if day.weekday() >= 5:
            years += 2 / 365.0
        amount *= 1 + x[0] * years
        last = day
    return amount * x[1]


@at((vec(72.0, 2.0),))
def units_in_a_text(x):
    top, bottom = re.fullmatch(r"(\w+)(?:/(\w+))?", "km/h").groups()
    factor = UNITS[top]
    if bottom:
        factor /= UNITS[bottom]
    speeds = [x[int(place)] * len(name) for name, place in re.findall(r"([a-z]+)(\d)", "a0bc1")]
    return sum(speeds) ** 2 * factor


@at((VALUES,))
def conditions_that_ask_lists(x):
    rows, total, steps = [], 0.0, 0
    for v in x:
        if not rows or v > rows[-1]:
            rows.append(v)
        total += 2.0 * v if rows and len(rows) > 1 else v
    waiting = [1.0, 2.0]
    while waiting and steps < 10:
        total += waiting.pop() * x[steps]
        steps += 1
    return total + sum(rows)

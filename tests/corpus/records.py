"""Lists of dicts and objects, as many as only the run knows: histories, events, work left to do; and which of them one is."""

import copy
from collections import deque, namedtuple
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from tests.corpus.case import at, vec

VALUES = vec(1.3, 0.7, -0.4, 0.9)


@dataclass
class Sample:
    t: float
    y: float
    label: str = "step"


class Particle:
    def __init__(self, place, mass):
        self.place = place
        self.mass = mass

    @property
    def energy(self):
        return 0.5 * self.mass * np.sum(self.place**2)

    def scaled(self, factor):
        return Particle(self.place * factor, self.mass)


Event = namedtuple("Event", "time size")


@at((VALUES,), (vec(0.3, 0.2, 0.1, 0.4),))
def history_of_a_solver(x):
    history, v = [], x.copy()
    for k in range(12):
        v = v * 0.7
        history.append({"iter": k, "norm": float(np.sum(v)), "step": v - x})
        if history[-1]["norm"] < 0.3:
            break
    last = history[-1]
    return last["norm"] * len(history) + np.sum(last["step"] ** 2) + sum(h["norm"] * h["iter"] for h in history)


class Solver:
    def __init__(self):
        self.history: list[Any] = []

    def log(self, k, r):
        self.history.append({"iter": k, "res": r, "msg": f"it {k}"})

    def run(self, x):
        k, r = 0, x[0]
        while r > 0.1:
            r = r * 0.7 + 0.001 * x[1]
            self.log(k, r)
            k += 1
        return self.history


@at((VALUES,), (vec(0.3, 0.2, 0.1, 0.4),))
def history_in_an_attribute(x):
    solver = Solver()
    found = solver.run(x)
    late = [h for h in found if h["msg"] != "it 0"]
    return sum(h["res"] for h in late) * solver.history[-1]["iter"] + len(late)


@at((VALUES,))
def samples_in_every_order(x):
    samples, y = [], x[0]
    while y > 0.1:
        y = y * 0.8
        samples.append(Sample(1 / (1 + y), y * np.sin(5 * y)))
    total = 0.0
    for s in sorted(samples, key=lambda s: s.y):
        total = total * 0.9 + s.y
    for i, s in enumerate(reversed(samples)):
        total += i * s.y
    for a, b in zip(samples, samples[1:], strict=False):
        total += (b.t - a.t) * (a.y + b.y)
    total += min(samples, key=lambda s: s.t).y + max(samples, key=lambda s: s.y).t
    longer = list([*samples, Sample(1.0, total)])
    longer.insert(1, longer.pop())
    longer.extend(samples)
    del longer[0]
    first, *between, end = longer
    return total + sum(s.y * s.t for s in longer) + first.y * end.t + len(between)


@at((VALUES,), (vec(0.4, 0.7, -0.4, 0.9),))
def intervals_left_to_halve(x):
    left, total = [{"lo": 0.0, "hi": 1.0, "depth": 0}], 0.0
    while left:
        n = left.pop()
        middle = 0.5 * (n["lo"] + n["hi"])
        f = np.sin(3 * middle * x[0])
        if n["depth"] < 6 and (n["hi"] - n["lo"]) * abs(f) > 0.08:
            left.append({"lo": n["lo"], "hi": middle, "depth": n["depth"] + 1})
            left.append({"lo": middle, "hi": n["hi"], "depth": n["depth"] + 1})
        else:
            total += (n["hi"] - n["lo"]) * f
    return total


@at((VALUES,))
def nodes_in_a_queue(x):
    class Node:
        def __init__(self, value, weight):
            self.value = value
            self.weight = weight

    queue, total = deque([Node(x[0], 1.0)]), 0.0
    while queue:
        node = queue.popleft()
        total += node.value * node.weight
        if node.weight > 0.2:
            queue.append(Node(node.value * x[1], node.weight * abs(node.value) * 0.5))
            queue.append(Node(node.value + 0.1, node.weight * 0.4))
    return total


@at((VALUES,))
def pairs_joined_until_one_is_left(x):
    parts = [{"count": 1, "value": v} for v in x if v > 0]
    while len(parts) > 1:
        parts.sort(key=lambda p: p["value"])
        a, b = parts.pop(0), parts.pop(0)
        parts.append({"count": a["count"] + b["count"], "value": a["value"] * b["value"] + 0.5})
    return parts[0]["value"] * parts[0]["count"]


@at((VALUES,))
def those_that_are_far_enough_go_on(x):
    parts, total = [Particle(x * k, 1.0 + 0.1 * k) for k in range(1, 6)], 0.0
    for _ in range(4):
        parts = [p.scaled(0.9) for p in parts if np.sum(p.place**2) > 1.0]
        total += sum(p.energy for p in parts)
    return total


@at((VALUES,), (vec(0.3, 0.2, 0.1, 0.4),))
def copies_of_a_state_that_goes_on(x):
    state, kept = Sample(0.0, x[0]), []
    while state.y > 0.1:
        state.y = state.y * 0.8
        kept.append(copy.copy(state))
        state.t += 0.5
    first = replace(kept[0], y=x[1])
    return sum(s.y * s.t for s in kept) + first.y * first.t + state.y


@dataclass
class Track:
    start: Sample
    moves: list = field(default_factory=list)


@at((VALUES,))
def objects_with_objects_and_lists_in_them(x):
    tracks, y = [], x[0]
    while y > 0.1:
        y = y * 0.8
        tracks.append(Track(Sample(y, y * x[1]), [y, 2.0 * y]))
    return sum(t.start.t * t.start.y + t.moves[0] * t.moves[1] for t in tracks)


@at((VALUES,))
def objects_under_keys_of_the_run(x):
    by, y = {"large": [], "small": []}, x[0]
    while y > 0.1:
        y = y * 0.8
        by["large" if y > 0.4 else "small"].append({"y": y})
    return sum(r["y"] for r in by["large"]) * 2 + sum(r["y"] for r in by["small"])


@at((VALUES,), (vec(0.9, 0.2, 0.1, 0.4),))
def steps_that_are_changed_in_the_history(x):
    history, y = [], x[0]
    while y > 0.1:
        y = y * 0.8
        if len(history) > 2:
            history[1]["y"] *= 1.5
            history[-1]["tries"] += 1
        history.append({"y": y, "tries": 0, "tag": "new"})
        first = history[0]
        first["y"] = first["y"] * 1.1
    for step in reversed(history):
        step["y"] += 0.5 * x[1]
        if step["y"] > 1.3:
            step["tag"] = "large"
    large = [s for s in history if s["tag"] == "large"]
    return sum(s["y"] * (k + 1 + s["tries"]) for k, s in enumerate(history)) + len(large) * x[2]


@at((VALUES,), (vec(0.9, 0.2, 0.1, 0.4),))
def masses_that_even_out(x):
    parts, y = [], x[0]
    while y > 0.1:
        y = y * 0.8
        parts.append(Particle(x * y, y))
    for i in range(len(parts)):
        for j in range(i + 1, len(parts)):
            flow = 0.1 * (parts[i].mass - parts[j].mass)
            parts[i].mass -= flow
            parts[j].mass += flow
    parts.sort(key=lambda p: p.energy)
    parts[0].mass = x[0] * 3.0
    for p in parts:
        for q in parts:
            p.mass = p.mass + 0.01 * q.mass
    return sum(p.mass**2 for p in parts)


@at((VALUES,))
def named_tuples_in_a_deque(x):
    last, t = deque(maxlen=3), x[0]
    while t > 0.1:
        t = t * 0.6
        last.append(Event(t, x[1]))
    return sum((j + 1) * e.time * e.size for j, e in enumerate(last)) * x[0]


@at((VALUES,), (vec(0.3, 0.9, 0.8, 0.1),))
def all_but_the_chosen_one(x):
    parts = [Particle(x, x[0]), Particle(x * 2, x[1]), Particle(x * x, x[2])]
    best = max(parts, key=lambda p: p.mass)
    others = sum(p.mass for p in parts if p != best) + sum(p.energy for p in parts if p is not best)
    return others + 2.0 * parts.index(best) * best.mass + parts.count(best) + (best in parts[:2]) * x[3]


@at((VALUES,), (vec(0.3, 0.9, 0.8, 0.1),))
def the_chosen_one_is_taken_out(x):
    parts = [Particle(x, x[0]), Particle(x * 2, x[1]), Particle(x * x, x[2])]
    worst = min(parts, key=lambda p: p.mass)
    parts.remove(worst)
    return sum(p.energy for p in parts) * worst.mass


@at((VALUES,), (vec(0.3, 0.9, 0.8, 0.1),))
def taken_at_places_of_the_run(x):
    todo = [{"cost": x[0], "k": 0}, {"cost": x[1], "k": 1}, {"cost": x[2], "k": 2}]
    numbers, total = [x[0], x[1], x[3]], 0.0
    del numbers[int(np.argmax(x[:3]))]
    while todo:
        k = min(range(len(todo)), key=lambda i: todo[i]["cost"])
        one = todo.pop(k)
        total = total * 0.5 + one["cost"] * one["k"]
    return total + sum(n * n for n in numbers)


@at((VALUES, 0.7), (VALUES, 0.2))
def a_chosen_array_among_others(x, s):
    a, b = x * s, x + s
    c = a if s > 0.5 else b
    return s * (2.0 + (c is a)) + (1.0 + (c is b)) * np.sum(c**2)


@at((VALUES,), (vec(0.9, 0.2, 0.1, 0.4),))
def a_step_that_comes_to_stand_in_two_places(x):
    steps, y = [], x[0]
    while y > 0.1:
        y = y * 0.8
        steps.append({"y": y})
    for _ in range(3):
        steps[0] = {"y": steps[0]["y"] + x[1]}
        steps[0] = steps[1]
    return sum(s["y"] * (k + 1) for k, s in enumerate(steps))


@dataclass
class Orbit:
    period: float
    eccentricity: float

    @classmethod
    def from_values(cls, values):
        return cls(**{f.name: values[f.name] for f in fields(cls)})


TEXT = """
name      test
period    2.5  fit
eccentricity 0.1 fit
phase     0.4
"""


@at((vec(0.7, 0.35, 0.9),), (vec(0.2, 1.9, 0.15),))
def read_from_text_and_made_by_its_fields(x):
    table = {}
    for line in TEXT.strip().splitlines():
        key, *rest = line.split()
        entry = {"fit": False}
        for token in rest:
            if token == "fit":
                entry["fit"] = True
                continue
            try:
                entry["value"] = float(token)
            except ValueError:
                entry["value"] = token
        table[key] = entry
    start = {key: entry["value"] for key, entry in table.items() if not isinstance(entry["value"], str)}
    fitted = [key for key, entry in table.items() if entry["fit"]]
    orbit = Orbit.from_values({**start, **dict(zip(fitted, x, strict=False))})
    return orbit.period**2 * x[2] + orbit.eccentricity * start["phase"] + len(table["name"]["value"]) * x[0]

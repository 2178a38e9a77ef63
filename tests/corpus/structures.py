"""Tuples, lists, dicts, named tuples and dataclasses, in and out; methods; code that has nothing to do with numbers."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tests.corpus.case import at, smooth, vec


class State(NamedTuple):
    position: object
    velocity: object


@dataclass(frozen=True)
class Spring:
    stiffness: float
    rest: float

    def force(self, x):
        return -self.stiffness * (x - self.rest)


@dataclass
class Layer:
    weight: np.ndarray
    bias: np.ndarray

    def __call__(self, x):
        return np.tanh(self.weight @ x + self.bias)

    @property
    def size(self):
        return self.bias.shape[0]


@at(((1.5, 0.5),))
def tuple_argument(pair):
    x, y = pair
    return x * y + pair[0]


@at(((1.5, (0.5, 2.5)), 2.0))
def nested_tuple_argument(tree, s):
    a, (b, c) = tree
    return a * b * c * s + tree[1][0]


@at(([1.5, 0.5, 2.0],))
def list_argument(values):
    total = 0.0
    for i, value in enumerate(values):
        total += value ** (i + 1)
    return total * len(values)


@at(({"w": smooth(2, 2), "b": smooth(2)}, smooth(2, seed=1)))
def dict_argument(params, x):
    return np.sum(np.tanh(params["w"] @ x + params["b"]))


@at(({"layer": [smooth(2, 2), smooth(2)], "scale": 0.5}, smooth(2, seed=1)))
def nested_dict_argument(params, x):
    w, b = params["layer"]
    return np.sum(w @ x * b) * params["scale"]


@at((State(1.5, 0.5),))
def named_tuple_argument(state):
    moved = state._replace(position=state.position + state.velocity * 0.1)
    return moved.position**2 + state.velocity


@at((vec(0.5, 1.5, -0.5),))
def named_tuples_made_of_items(x):
    states = list(map(State._make, zip(x, x[::-1] ** 2, strict=True))) + [State._make(x[1:])]
    energy = sum(one.velocity**2 + np.cos(one.position) for one in states)
    try:
        return State._make(x).position * energy
    except TypeError as error:
        return energy * State._make([2.0, x[0] * len(str(error))]).velocity


@at((Spring(2.0, 0.5), 1.7))
def dataclass_argument(spring, x):
    return spring.force(x) * x + spring.rest


@at((Layer(smooth(2, 2), smooth(2)), smooth(2, seed=1)))
def dataclass_called(layer, x):
    return np.sum(layer(layer(x))) * layer.size


@at((1.5, 0.5))
def tuple_result(x, y):
    return x * y, (x + y, np.array([x, y]) * x)


@at((1.5, vec(0.5, 1.0)))
def dict_result(x, v):
    return {"loss": x * np.sum(v), "grads": [v * x, v + x]}


@at((State(1.5, 0.5), 0.1))
def named_tuple_result(state, dt):
    return State(state.position + dt * state.velocity, state.velocity - dt * state.position)


@at((1.5, 0.5))
def dataclass_result(k, r):
    return Spring(k * r, k - r)


@at((1.5, 0.5, 3), (1.5, 0.5, 0))
def tuple_carried_in_loop(x, v, n):
    state = (x, v)
    for _ in range(n):
        x, v = state
        state = (x + 0.1 * v, v - 0.1 * x * x)
    return state[0] * state[1]


@at((1.5, 0.5, 3))
def named_tuple_carried_in_loop(x, v, n):
    state = State(x, v)
    for _ in range(n):
        state = State(state.position + 0.1 * state.velocity, state.velocity - 0.1 * state.position**2)
    return state.position * state.velocity


@at((vec(1.0, 2.0, 3.0),))
def list_grown_and_summed(x):
    parts = []
    parts.append(x[0] * x[1])
    parts.append(x[2] ** 2)
    parts = parts + [x[0]]
    return sum(parts) * parts[0]


@at((1.5, 3), (1.5, 0))
def list_grown_in_loop(x, n):
    parts = [x]
    for i in range(n):
        parts.append(x * i)
    return sum(parts) + parts[-1] ** 2 * len(parts)


@at((vec(1.0, 2.0, 3.0),))
def list_of_rows_made_into_array(x):
    rows = []
    for i in range(len(x)):
        rows.append(x * x[i])
    table = np.array(rows)
    return np.sum(table**2) + table[0, 1]


@at((1.5, 0.7))
def dictionary_as_record(x, y):
    state = {"a": x, "b": y}
    state["a"] = state["a"] * state["b"]
    state["c"] = state["a"] + x
    total = 0.0
    for key in ("a", "b", "c"):
        total += state[key] ** 2
    return total


@at((vec(1.0, 2.0, 3.0),))
def inactive_code_runs(x):
    name = "x"
    label = f"{name} has {len(x)} entries, first {x[0]:.2f}"
    assert len(label) > 3, "a label has letters"
    n, half = x.shape[0], x.size // 2
    rows = np.arange(n)
    assert rows.shape == (n,)
    return np.sum(x[:half]) ** 2 * n + x[n - 1] * x.ndim


@at((vec(1.0, 2.0, 3.0),))
def shape_arithmetic(x):
    n = len(x)
    table = np.zeros((n, 2 * n - 1))
    table[:, n - 1] = x
    table[0, : n - 1] = x[0] * x[1]
    return np.sum(table.reshape(-1)[:: n - 1] ** 2) / table.shape[1]


@at((vec(1.0, 2.0, 3.0, 4.0),))
def shape_unpacked(x):
    grid = x.reshape((2, 2))
    rows, columns = grid.shape
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            total += grid[i, j] * (i * columns + j)
    return total * total


class Model:
    """A plain object: its numbers are read at every call."""

    def __init__(self, scale, table):
        self.scale = scale
        self.table = table

    def value(self, x):
        return self.scale * np.sum(self.table * x * x)


MODEL = Model(2.0, np.array([0.5, 1.5]))


@at((vec(1.0, 2.0),))
def method_of_global_object(x):
    return MODEL.value(x) * MODEL.scale


@at((vec(1.0, 2.0),))
def ndarray_methods(x):
    y = x.copy().reshape(1, 2).T.sum(axis=1)
    return y.dot(x) + x.max() * x.mean() + (x.clip(0.0, 1.5) ** 2).sum() + x.astype(np.float64).prod()


@at((vec(0.31, 1.23, -0.74, 0.92),))
def smallest_pair(x):
    best, k = min([(x[i] ** 2, i) for i in range(3)])
    return best * k + x[k]


@at((vec(0.31, 1.23, -0.74, 0.92),))
def largest_tuple(x):
    return max((x[0], x[1]), (x[2], x[3]))[1] ** 2


@at((vec(0.31, 1.23, -0.74, 0.92),))
def tuples_in_order(x):
    total = x[0] if (x[0], 1) < (x[1], 0) else x[1] ** 2
    for i in range(3):
        for j in range(3):
            if (i, j) >= (1, 2):
                total += x[i] * x[j]
    return total


@dataclass(frozen=True)
class Rates:
    birth: float
    death: float = 0.3
    label: str = "rates"

    def faster(self, factor):
        return replace(self, birth=self.birth * factor)


@at((0.8, 1.7))
def dataclasses_with_fields_replaced(birth, factor):
    start = Rates(birth)
    later = replace(start.faster(factor), death=start.birth**2)
    return later.birth / later.death + start.faster(factor).death * len(later.label)

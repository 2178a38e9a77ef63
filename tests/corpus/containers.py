"""Containers with a class of their own: ordered dicts, dicts with defaults, and classes registered with `optree`, in and out."""

import copy
import enum
from collections import OrderedDict, defaultdict
from functools import partial

import numpy as np
from optree import register_pytree_node, register_pytree_node_class
from optree.registry import __GLOBAL_NAMESPACE as EVERYWHERE

import adxform as adx
from tests.corpus.case import at, smooth, vec


class Affine:
    """A class whose instances are taken apart by functions that stand beside it."""

    def __init__(self, weight, bias, name="affine"):
        self.weight = weight
        self.bias = bias
        self.name = name

    def __call__(self, x):
        return self.weight @ x + self.bias


def affine_parts(layer):
    return (layer.weight, layer.bias), layer.name, ("weight", "bias")


def affine_of(name, parts):
    return Affine(*parts, name=name)


register_pytree_node(Affine, affine_parts, affine_of, namespace=EVERYWHERE)


@register_pytree_node_class(namespace=EVERYWHERE)
class Polynomial:
    """A class that takes itself apart. Its power is no part of it: it is known when the derivative is made."""

    def __init__(self, factors, power):
        self.factors = factors
        self.power = power

    def __call__(self, x):
        return np.sum(self.factors * x**self.power)

    def __tree_flatten__(self):
        return (self.factors,), self.power

    @classmethod
    def __tree_unflatten__(cls, power, parts):
        return cls(parts[0], power)


@register_pytree_node_class(namespace=EVERYWHERE)
class Interval:
    """A class with the names that `optree` had before."""

    def __init__(self, low, high):
        self.low = low
        self.high = high

    def tree_flatten(self):
        return (self.low, self.high), None

    @classmethod
    def tree_unflatten(cls, _, parts):
        return cls(*parts)


def ordered(**items):
    return OrderedDict(items)


def defaults(kind, **items):
    return defaultdict(kind, items)


@at((ordered(b=smooth(2), a=0.5), vec(1.0, -0.5)))
def ordered_argument(params, x):
    return np.sum(params["b"] * x) * params["a"] ** 2 + len(params)


@at((1.5, vec(0.5, 1.0)))
def ordered_result(x, v):
    found = OrderedDict(loss=np.sum(v) * x)
    found["grad"] = v * x
    found["loss"] += x
    return found


@at((ordered(b=1.5, a=0.5),))
def ordered_items(params):
    total = 0.0
    for place, (key, value) in enumerate(params.items()):
        total = total * params["a"] + value ** (place + 1) * len(key)
    return total * params.pop("c", default=2.0)


@at((ordered(b=1.5, a=0.5),), (ordered(b=-1.5, a=0.5),))
def ordered_changed_in_branch(params):
    params = params.copy()
    if params["b"] > 0.0:
        params["b"] = params["a"] * params["b"]
    other = params | {"c": params["a"] ** 2}
    return other["b"] * other["c"] * isinstance(other, OrderedDict)


@at((defaults(float, a=1.5), 0.5))
def default_for_missing(counts, x):
    counts = counts.copy()
    counts["b"] += x * counts["a"]
    counts["a"] += counts["b"] ** 2
    return counts["a"] * counts["b"] + counts["c"]


@at((vec(0.5, 1.5, -0.5, 2.0), 2.0))
def gathered_in_default_lists(x, s):
    found = defaultdict(list)
    for place, key in enumerate("abab"):
        found[key].append(x[place] * s)
    return found["a"][0] * found["a"][1] + found["b"][0] * found["b"][1]


@at((vec(0.5, 1.5), 3), (vec(0.5, 1.5), 0))
def default_arrays_summed_in_loop(x, n):
    sums = defaultdict(lambda: np.zeros(2))
    sums["even"] += x
    sums["odd"] += 0.0
    for k in range(n):
        sums["odd" if k % 2 else "even"] += x**2 * k if k % 2 == 0 else x
    return np.sum(sums["even"] * x) + np.sum(sums["odd"])


@at((vec(0.5, 1.5),))
def default_result(x):
    found = defaultdict(float)
    for place, key in enumerate("ab"):
        found[key] += x[place] ** 2
    return found


@at((Affine(smooth(2, 2), smooth(2)), smooth(2, seed=1)))
def registered_argument(layer, x):
    return np.sum(np.tanh(layer(layer(x)))) * len(layer.name)


@at(({"layers": [Affine(smooth(2, 2), smooth(2)), Affine(smooth(2, 2, seed=3), 0.5, "shift")]}, smooth(2, seed=1)))
def registered_in_structures(net, x):
    for layer in net["layers"]:
        x = np.tanh(layer(x)) if layer.name == "affine" else layer(x)
    return np.sum(x * x)


@at((Polynomial(vec(1.0, -0.5, 2.0), 3), vec(0.5, 1.5, -0.5)))
def registered_by_methods(polynomial, x):
    return polynomial(x) * polynomial.power


@at((Interval(0.5, 2.0), 1.5))
def registered_by_old_names(interval, x):
    middle = 0.5 * (interval.low + interval.high)
    return Interval(interval.low * x, middle**2)


@at((Affine(smooth(2, 2), smooth(2)), 1.5))
def registered_result(layer, s):
    return Affine(layer.weight * s, layer.bias**2, name="scaled")


@at((Affine(smooth(2, 2), smooth(2)), smooth(2, seed=1)))
def registered_written(layer, x):
    layer.bias[0] = x[1] * layer.weight[0, 1]
    layer.weight[1] *= x
    return np.sum(layer(x) ** 2)


@at((Interval(0.5, 2.0), 3), (Interval(0.5, 2.0), 0))
def registered_carried_in_loop(interval, n):
    for _ in range(n):
        interval = Interval(interval.low + 0.1 * interval.high, interval.high * interval.low)
    return interval.low * interval.high


@at((Interval(0.5, 2.0),), (Interval(2.0, 0.5),))
def registered_rebound_in_branch(interval):
    other = copy.copy(interval)
    if interval.low > interval.high:
        other = Interval(interval.high, interval.low)
        other.low *= 2.0
    return other.low * other.high**2 + interval.low


def width(interval, s):
    return (interval.high - interval.low) ** 2 * s * interval.high


@at((Interval(0.5, 2.0), 1.5))
def gradient_of_registered_inside(interval, s):
    slopes = adx.grad(width)(interval, s)
    return slopes.low * slopes.high * s


@at((Interval(0.5, 2.0), 1.5))
def tangent_of_registered_inside(interval, s):
    out, moved = adx.jvp(registered_by_old_names, (interval, s), (Interval(s, 1.0), 0.5))
    return out.low * moved.high + moved.low


@at((Interval(0.5, 2.0), 1.5))
def pullback_of_registered_inside(interval, s):
    out, pullback = adx.vjp(registered_by_old_names, interval, s)
    found, slope = pullback(Interval(out.high, s))
    return found.low * found.high + slope


@at((ordered(b=1.5, a=0.5), 1.5))
def product_of_ordered_inside(params, s):
    found = adx.hvp(ordered_items)(params, OrderedDict(b=s, a=1.0))
    return found["a"] * found["b"] * isinstance(found, OrderedDict)


@at((defaults(float, a=1.5), 0.5))
def gradient_of_default_inside(counts, x):
    found = adx.grad(default_for_missing)(counts, x)
    return found["a"] * x * isinstance(found, defaultdict)


@at((vec(0.5, 1.5), 2))
def default_by_partial(x, n):
    rows = defaultdict(partial(np.ones, 2))
    for k in range(3):
        rows[k] *= x * (k + n)
    return np.sum(rows[0] * rows[2])


@at((vec(0.5, 1.5, -0.5, 2.0), [(9, 2), (2, 16), (16, 0)]), (vec(1.5, 1.5, 0.5, 1.0), [(8, 0), (0, 24), (24, 16)]))
def nodes_numbered_as_a_set_has_them(x, edges):
    nodes = set()
    for a, b in edges:
        nodes.add(a)
        nodes.add(b)
    places = {node: k for k, node in enumerate(nodes)}
    first, *others = {16, 8, 0, *nodes} - {24}
    return sum(x[places[a]] * x[places[b]] ** 2 for a, b in edges) * (first + 2.0) + len(others)


class Times(enum.IntEnum):
    TWO = 2
    THREE = 3


@at((0.7, vec(0.3, 1.2)))
def lists_repeated_by_members_of_an_enumeration(x, v):
    items = [x, 2.0 * x]
    same = items
    same *= Times.TWO
    pair = (x, v[0]) * Times.THREE
    return sum(k * item**2 for k, item in enumerate(items)) + pair[5] ** 2 * len(Times.TWO * [v]) + np.isscalar(Times.TWO) * x


@at((0.7,))
def keys_beside_what_can_be_gone_through(x):
    held = {"a": x, "b": 2.0}
    new = ["c", "a"] - held.keys()
    return sum(held[key] ** 2 for key in sorted(("a", "q") & held.keys())) * len(new) + len("ab" | held.keys()) * x

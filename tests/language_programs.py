"""A program for each entry of the table of the language (`adxform.frontend.language`), by its name; `SHOWN` has them.

Each is a function of one array, `VALUES`. What is called supported is right in both modes, what is refused raises its error.
"""

import bisect
import cmath
import collections
import contextlib
import dataclasses
import decimal
import enum
import fractions
import functools
import heapq
import itertools
import math
import operator
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

SHOWN: dict[str, Callable[..., Any]] = {}
VALUES = np.array([0.3, 0.9, -0.4, 1.2])
SCALE = 2.0
TABLE = {"a": 1.5, "b": -0.5}
CALLS = 0
HISTORY: list[float] = []
LOG: dict[str, float] = {}
FIXED = np.array([1.0, 2.0, 3.0, 4.0])


def shown(fn):
    """Keep a program under its name."""
    SHOWN[fn.__name__] = fn
    return fn


# -- statements -------------------------------------------------------------------------------------------------------


@shown
def nested_function(x):
    def square(v, k=2.0):
        return k * v * v

    return np.sum(square(x)) + square(x[0], k=3.0)


@shown
def async_function(x):
    async def later():
        return x

    return np.sum(x)


@shown
def class_statement(x):
    class Box:
        scale = 2.0

        def __init__(self, v):
            self.v = v

    return np.sum(Box(x).v) * Box.scale


@shown
def class_of_local_values(x):
    class Box:
        v = x

    return np.sum(Box.v)


@shown
def returned(x):
    if x[0] > 0.0:
        return np.sum(x**2), {"first": x[0]}
    return np.sum(x), {"first": x[1]}


@shown
def deleted(x):
    y, items, table = x * 2.0, [x[0], x[1], x[2]], {"a": x[0], "b": x[1]}
    del items[0], table["a"]
    total = np.sum(y) * items[0] * table["b"]
    del y
    return total


@shown
def assigned(x):
    a = b = x * 2.0
    (c, d), *e = (x[0], x[1]), x[2], x[3]
    [f, g] = c, d
    return np.sum(a * b) + f * g + e[0] * e[1]


@shown
def annotated(x):
    scale: float = 2.0
    total: Any
    total = np.sum(x) * scale
    return total


@shown
def augmented(x):
    y, n = x.copy(), 3
    y += 1.0
    y[0] *= x[1]
    y[1:] -= x[:-1]
    n **= 2
    return np.sum(y**2) / n


@shown
def for_statement(x):
    total = 0.0
    for i, v in enumerate(x):
        if v < 0.0:
            continue
        total += v**2 * (i + 1)
        if total > 100.0:
            break
    else:
        total *= x[1]
    return total


@shown
def async_for(x):
    async def later(items):
        async for item in items:
            print(item)

    return np.sum(x)


@shown
def while_statement(x):
    v, n = x[0], 0
    while v < 5.0 and n < 50:
        v = v * 1.5 + x[1]
        n += 1
    return v


@shown
def if_statement(x):
    if x[0] > 1.0:
        y = x**2
    elif x[0] > 0.0:
        y = x**3
    else:
        y = x
    return np.sum(y)


@shown
def with_statement(x):
    with np.errstate(divide="ignore"), contextlib.nullcontext(2.0) as k:
        return np.sum(np.sqrt(x**2 + k))


@shown
def async_with(x):
    async def later(manager):
        async with manager:
            print()

    return np.sum(x)


@shown
def match_statement(x):
    match (len(x), x[0]):
        case (4, v) if v > 0.0:
            return np.sum(x**2)
        case _:
            return np.sum(x)


@shown
def raised(x):
    if x[0] > 100.0:
        raise ValueError("too large")
    return np.sum(x**2)


@shown
def raised_from(x):
    if x[0] > 100.0:
        raise ValueError("too large") from None
    return np.sum(x**2)


@shown
def try_statement(x):
    try:
        return np.sum(x**2)
    except ValueError:
        return np.sum(x)


@shown
def try_group(x):
    try:
        return np.sum(x**2)
    except* ValueError:
        print()


@shown
def asserted(x):
    assert x[0] > 0.0, "not positive"
    return np.sum(x**2)


@shown
def imported(x):
    import math as m
    from operator import mul

    return mul(m.sin(x[0]), x[1])


@shown
def global_read(x):
    return np.sum(x) * SCALE * TABLE["a"]


@shown
def global_written(x):
    global CALLS
    CALLS += 1
    return np.sum(x)


@shown
def nonlocal_written(x):
    total = 0.0

    def add(v):
        nonlocal total
        total += v**2

    for v in x:
        add(v)
    return total


@shown
def passed(x):
    if x[0] > 0.0:
        pass
    ...
    "a text by itself"
    return np.sum(x)


# -- expressions ------------------------------------------------------------------------------------------------------


@shown
def boolean_operators(x):
    y = x[0] or x[1]
    z = x[0] > 0.0 and x[1]
    return y * z + (x[2] if not x[0] > 1.0 else 0.0)


@shown
def assignment_expression(x):
    if (y := x[0] * 2.0) > 0.5:
        return y * x[1]
    return [z := y**2, z * x[1]][1]


@shown
def binary_operators(x):
    a, b = x[0], x[1]
    return a + b - a * b / (a**2) + a // b + a % b + np.sum(np.outer(x, x) @ x)


@shown
def integer_operators(x):
    n = ((5 << 2 >> 1) | 3) & 7 ^ 2
    return np.sum(x) * n + x[~0]


@shown
def unary_operators(x):
    return np.sum(-x) + +x[0] * (not x[0] > 5.0) + x[-1]


@shown
def lambda_expression(x):
    scale = lambda v, k=2.0: v * k
    return np.sum(scale(x)) + (lambda *v: v[0] * v[1])(*x[:2])


@shown
def conditional_expression(x):
    return x[0] ** 2 if x[0] > 0.0 else x[1]


@shown
def dict_display(x):
    table = {"a": x[0], **{"b": x[1]}}
    return table["a"] * table["b"]


@shown
def set_display(x):
    return x[0] * len({1, 2, *(2, 3)})


@shown
def set_of_floats(x):
    return sum({x[0], x[1]})


@shown
def list_comprehension(x):
    return sum([v * w for v in x if v > 0.0 for w in x])


@shown
def set_comprehension(x):
    return x[0] * sum({k % 3 for k in range(5)})


@shown
def dict_comprehension(x):
    table = {k: v**2 for k, v in enumerate(x)}
    return table[0] * table[3]


@shown
def comprehension_that_binds(x):
    return sum([(y := v * 2.0) * y for v in x])


@shown
def generator_that_binds(x):
    pairs = ((y := v * 2.0) * y for v in x)
    return sum(list(pairs))


@shown
def generator_expression(x):
    squares = (v**2 for v in x if v > 0.0)
    return next(squares) * x[1] if len(x) == 0 else sum(squares)


@shown
def generator_function(x):
    def pairs(size):
        for k in range(0, len(x), size):
            yield x[k : k + size]

    return sum(np.sum(part) ** 2 for part in pairs(2))


@shown
def generator_in_a_try(x):
    def roots():
        for v in x:
            try:
                yield math.sqrt(v - 0.5)
            except ValueError:
                yield v**2

    s = 0.0
    try:
        for r in roots():
            s += r * math.log(r)
    except ValueError:
        s *= 2.0
    return s


@shown
def generator_with_finally(x):
    def items():
        try:
            yield x[0]
        finally:
            x[1] = 0.0

    return sum(items())


@shown
def yield_from(x):
    def inner():
        yield x[0]
        yield x[1] ** 2

    def outer():
        yield from inner()
        yield from x

    return sum(outer())


@shown
def value_sent(x):
    def scaled():
        k = 1.0 + (yield x[0])
        yield k * x[1]

    items = scaled()
    return next(items) * items.send(2.0)


@shown
def awaited(x):
    async def later(task):
        return await task

    return np.sum(x)


@shown
def comparisons(x):
    a = 0.0 < x[0] < x[1] <= 5.0
    b = x[0] == x[1] or x[0] != x[2] or x[0] >= 1.0 > x[1]
    return np.sum(x) * a + x[0] * b


@shown
def identity_and_membership(x):
    y = x
    return np.sum(x) * (y is x) + x[0] * (2 in (1, 2)) + x[1] * ("c" not in TABLE) * (x is not None)


@shown
def calls(x):
    def f(a, /, b, *rest, k=1.0, **named):
        return a * b + rest[0] * k + named["n"]

    return f(x[0], x[1], *(x[2], x[3]), k=2.0, **{"n": x[0]})


@shown
def formatted_text(x):
    return np.sum(x) * len(f"{len(x)!r:>4} values, the first is {x[0]:.1f}")


@shown
def constants(x):
    return x[0] * 2 + 1.5 * x[1] + (0 if ... is None else x[2]) * True + abs(1j) * x[3] + len("text" + b"text".decode()) * x[0]


@shown
def attributes(x):
    return np.sum(x.T) * x.size + x.real[0]


@shown
def subscripts(x):
    m = np.outer(x, x)
    return m[0, 1] + np.sum(m[1:, ::2]) + np.sum(m[..., None, 0]) + x[-1]


@shown
def starred(x):
    first, *rest = x[0], x[1], x[2]
    both = [*rest, first]
    return both[0] * both[2] + math.hypot(*(x[0], x[1]))


@shown
def names(x):
    y = x
    x = x * 2.0
    return np.sum(x * y)


@shown
def displays(x):
    row, pair = [x[0], x[1]], (x[2], x[3])
    return row[0] * pair[1] + row[1] * pair[0]


# -- patterns ---------------------------------------------------------------------------------------------------------


class Point(NamedTuple):
    a: Any
    b: Any


@shown
def value_patterns(x):
    match x.ndim:
        case 2:
            return np.sum(x)
        case math.pi | 1:
            return np.sum(x**2)


@shown
def singleton_patterns(x):
    match None if len(x) > 3 else True:
        case None:
            return np.sum(x**2)
        case True:
            return np.sum(x)


@shown
def sequence_patterns(x):
    match [x[0], x[1], x[2]]:
        case [first, *rest]:
            return first * rest[1]


@shown
def mapping_patterns(x):
    match {"kind": "scale", "by": x[0], "of": x[1]}:
        case {"kind": "scale", "by": k, **rest}:
            return k * rest["of"]


@shown
def class_patterns(x):
    match Point(x[0], x[1]):
        case Point(a, b=b) as whole:
            return a * b + whole.a
        case _:
            return x[0]


# -- names ------------------------------------------------------------------------------------------------------------


@shown
def closure_cell(x):
    k = 1.0
    scaled = lambda v: v * k
    k = x[1]
    return np.sum(scaled(x))


@shown
def late_binding(x):
    functions = [lambda v: v * i for i in range(3)]
    total = 0.0
    for f in functions:
        total += f(x[0])
    return total


@shown
def helper_defined_later(x):
    return np.sum(defined_later(x))


def defined_later(v):
    return v**2


@shown
def mutually_recursive(x):
    def even(n):
        return x[0] if n == 0 else odd(n - 1) * x[1]

    def odd(n):
        return x[2] if n == 0 else even(n - 1) + x[3]

    return even(4)


@shown
def mutable_default(x):
    def f(v, held=[]):  # noqa: B006
        held.append(v)
        return held[-1] * len(held)

    return f(x[0]) + f(x[1])


def doubled(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        return 2.0 * fn(*args, **kwargs)

    return inner


@doubled
def cubed(v, k=3):
    return v**k


@shown
def decorated_by_wraps(x):
    return np.sum(cubed(x)) + cubed(x[0], k=2)


@functools.lru_cache(maxsize=None)
def steps(n):
    return n * 2


@shown
def cached_function(x):
    return np.sum(x) * int(steps(3))


@functools.lru_cache(maxsize=None)
def squared(v):
    return v**2


@shown
def manager_of_a_generator(x):
    used = []

    @contextlib.contextmanager
    def scaled(factor):
        used.append(factor)
        try:
            yield factor * x
        finally:
            used.append(0.0)

    with scaled(x[1]) as y:
        total = np.sum(y**2)
    return total * len(used)


@shown
def manager_with_code_after_a_return(x):
    @contextlib.contextmanager
    def noted():
        yield
        print("left")

    with noted():
        return np.sum(x)


@contextlib.contextmanager
def instead(table, key, value):
    before = table[key]
    table[key] = value
    try:
        yield before * value
    finally:
        table[key] = before


@shown
def manager_of_a_module(x):
    table = {"rate": x[0]}
    with instead(table, "rate", x[1] ** 2) as product:
        total = product * table["rate"]
    return total + table["rate"]


class Stack(list):
    def push(self, *items):
        for item in items:
            self.append(item)
        return self


@shown
def own_list(x):
    stack = Stack().push(x[0], x[1] ** 2)
    stack += [x[2] * x[3]]
    return stack.pop() * sum(stack) + len(stack)


class Options(dict):
    def __getattr__(self, name):
        return self[name]

    def __missing__(self, key):
        return 0.5


@shown
def own_dict(x):
    options = Options(rate=x[0], size=x[1])
    options["rate"] *= x[2]
    return options.rate * options.size + options.other * x[3]


@functools.singledispatch
def worth(kind, v):
    return v


@worth.register
def _(kind: int, v):
    return kind * v**2


@shown
def dispatched_function(x):
    return worth("bond", x[0]) * worth(3, x[1])


@shown
def grouped_items(x):
    total = 0.0
    for name, group in itertools.groupby(zip(["a", "a", "b", "b"], [x[0], x[1], x[2], x[3]]), key=lambda pair: pair[0]):
        total += sum(v for _, v in group) ** 2 * len(name)
    return total


@shown
def cached_nested_function(x):
    @functools.lru_cache(maxsize=None)
    def polynomial(k):
        return x[k % 4] if k < 2 else x[0] * polynomial(k - 1) - polynomial(k - 2)

    return polynomial(7)


@shown
def cached_function_of_floats(x):
    return squared(float(x[0]))


class Shape:
    count = 0

    def __init__(self, a, b):
        self.a, self.b = a, b

    @property
    def area(self):
        return self.a * self.b

    @area.setter
    def area(self, value):
        self.a = value / self.b

    @functools.cached_property
    def ratio(self):
        return self.a / self.b

    @staticmethod
    def scaled(v):
        return v * 2.0

    @classmethod
    def square(cls, a):
        return cls(a, a)

    def __call__(self, k):
        return self.area * k

    def __getitem__(self, k):
        return (self.a, self.b)[k]

    def __len__(self):
        return 2

    def __iter__(self):
        yield self.a
        yield self.b

    def __add__(self, other):
        return type(self)(self.a + other.a, self.b + other.b)

    def __eq__(self, other):
        return self.a == other.a

    __hash__ = None


class Cube(Shape):
    def __init__(self, a):
        super().__init__(a, a)

    @property
    def area(self):
        return 6.0 * super().area


@shown
def methods_and_properties(x):
    shape = Shape(x[0], x[1])
    return shape.area * Shape.scaled(x[2]) + Shape.square(x[3]).area


@shown
def property_setter(x):
    shape = Shape(x[0], x[1])
    shape.area = x[2]
    return shape.a


@shown
def cached_property(x):
    shape = Shape(x[0], x[1])
    return shape.ratio * shape.ratio


@shown
def inheritance(x):
    return Cube(x[0]).area * super(Cube, Cube(x[1])).area


@shown
def special_methods(x):
    shape = Shape(x[0], x[1]) + Shape(x[2], x[3])
    return shape(2.0) + shape[1] * len(shape) + sum(v for v in shape) * (shape == shape)


@shown
def partial_application(x):
    return functools.partial(cubed, k=2)(x[0]) * functools.partial(operator.mul, x[1])(x[2])


# -- state outside ----------------------------------------------------------------------------------------------------


@shown
def printed(x):
    print(end="")
    return np.sum(x)


@shown
def global_list_grows(x):
    HISTORY.append(1.0)
    return np.sum(x)


@shown
def global_dict_written(x):
    LOG["last"] = x[0]
    return np.sum(x)


@shown
def global_array_written(x):
    FIXED[0] = x[0]
    return np.sum(x * FIXED)


class Counter:
    def __init__(self):
        self.calls = 0


COUNTER = Counter()


@shown
def attribute_counted(x):
    COUNTER.calls += 1
    return np.sum(x)


@shown
def argument_written(x):
    x[0] = x[1] * 2.0
    return np.sum(x**2)


# -- containers -------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Body:
    position: Any
    mass: float = 1.0
    name: str = "body"


class Kind(enum.Enum):
    LINEAR = "linear"
    SQUARE = "square"


@shown
def lists(x):
    items = [x[0], x[1]]
    items.append(x[2])
    items.insert(0, items.pop() * 2.0)
    items[1:2] = [x[3], x[3]]
    items.reverse()
    return items[0] * items[-1] + sum(items[1:]) * len(items)


@shown
def lists_that_loops_fill(x):
    path = [x[0]]
    for v in x:
        path.append(path[-1] * 0.5 + v)
    return np.sum(np.array(path) ** 2) + path[1]


@shown
def lists_of_lists(x):
    rows = [[] for _ in range(3)]
    for i, row in enumerate(rows):
        for v in x[:2]:
            row.append(v * i)
    return sum(sum(row) for row in rows) + rows[2][1]


@shown
def arrays_of_differing_shapes(x):
    weights = [x[:3].reshape(3, 1), x[:1], np.outer(x, x)]
    return np.sum(weights[0] @ weights[1]) + np.sum(weights[2]) + sum(np.sum(w) for w in weights)


@shown
def dicts(x):
    table = {"a": x[0]}
    table["b"] = x[1] * table["a"]
    table.update(c=x[2])
    total = table.pop("a") + table.setdefault("d", x[3])
    return total + sum(table.values()) + sum(v for k, v in table.items() if k != "b") + table.get("e", x[0])


@shown
def product_of_a_dict(x):
    return math.prod({"a": x[0], "b": x[1]}.values())


@shown
def dict_index_of_the_run(x):
    table = {0: x[0], 1: x[1], 2: x[2]}
    return table[int(x[3] > 1.0)] ** 2


@shown
def list_index_of_the_run(x):
    items = [x[0], x[1] ** 2, x[2]]
    return items[int(x[3] > 1.0)] ** 2


@shown
def adjacency_lists(x):
    neighbours, total = [[1], [0, 2], [1, 3], [2]], 0.0
    for i in range(4):
        for j in neighbours[i]:
            total += x[i] * x[j]
    return total


@shown
def cell_lists(x):
    cells = [[] for _ in range(2)]
    for i, v in enumerate(x):
        cells[int(v > 0.5)].append(i)
    return sum(x[i] ** 2 for i in cells[1])


@shown
def groups(x):
    found = [[x[0]]]
    for k in range(1, len(x)):
        if x[k] > x[k - 1] + 0.4:
            found.append([])
        found[-1].append(x[k])
    return sum(sum(group) ** 2 for group in found)


@shown
def runs(x):
    found, run = [], []
    for v in x:
        if run and v < run[-1]:
            found.append(run)
            run = []
        run.append(v)
    found.append(run)
    return sum(np.mean(run) ** 2 for run in found) + sum(max(found, key=len))


@shown
def cells_replaced(x):
    cells = [[] for _ in range(3)]
    for v in x:
        k = int(v) % 3
        cells[k] = [*cells[k], v] if v > 0.5 else []
    return sum(sum(cell) ** 2 for cell in cells)


@shown
def keys_of_some_paths(x):
    found, steps, v = {"first": x[0]}, types.SimpleNamespace(), x[1]
    while v > 0.1:
        steps.last = v
        v = v * 0.5
    if hasattr(steps, "last"):
        found["last"] = steps.last
    return found.get("last", 1.0) * found["first"] + sum(found.values()) * len(found)


@shown
def keys_of_a_few_texts(x):
    totals = {}
    for v in x:
        kind = "large" if v > 1.0 else "small"
        totals[kind] = totals.get(kind, 0.0) + v * v
    return totals.get("large", 1.0) - 2.0 * totals.get("small", 0.5)


@shown
def dict_keyed_by_run(x):
    totals = {}
    for v in x:
        k = (int(v), int(2.0 * v))
        totals[k] = totals.get(k, 0.0) + v
    return sum((a + b + 1) * total**2 for (a, b), total in totals.items())


@shown
def lists_keyed_by_run(x):
    buckets, cells = {}, collections.defaultdict(list)
    for k, v in enumerate(x):
        buckets.setdefault(int(v), []).append(v)
        cells[int(2.0 * v)].append(k)
    return sum(sum(bucket) ** 2 for bucket in buckets.values()) + sum(x[k] for cell in cells.values() for k in cell)


@shown
def dict_keyed_by_floats(x):
    found = {}
    for v in x:
        found[np.floor(v)] = v
    return sum(found.values())


@shown
def log_of_texts(x):
    log = []
    for k, v in enumerate(x):
        if v > 0.0:
            log.append(f"{k}: {v:.2f}")
    return np.sum(x**2) * len(log)


@shown
def records_of_the_run(x):
    steps, y = [], x[0]
    while y > 0.1 and len(steps) < 50:
        y *= 0.8
        steps.append({"count": len(steps), "value": y * x[1]})
    best = min(steps, key=lambda step: (step["value"] - 0.1) ** 2)
    return best["value"] * best["count"] + sum(step["value"] for step in steps)


@shown
def sets_of_the_run(x):
    cells = {int(v * 4.0) for v in x}
    return sum(v**2 for v in x if int(v * 4.0) + 1 in cells) + len(cells) * x[0]


@shown
def chosen_function(x):
    total = 0.0
    for v in x:
        step = np.sin if v > 0.0 else np.cos
        total += step(v) * v
    return total


@shown
def sets(x):
    seen, total = set(), 0.0
    for k in (1, 2, 2, 3):
        if k not in seen:
            seen.add(k)
            total += x[k]
    return total


@shown
def named_tuples(x):
    point = Point(x[0], x[1])
    return point.a * point[1] + point._replace(a=x[2]).a


@shown
def dataclass_fields(x):
    body = Body(x[:2], mass=x[2], name="first")
    other = dataclasses.replace(body, mass=x[3])
    return np.sum(body.position) * other.mass * len(body.name)


@shown
def enums(x):
    kind = Kind.SQUARE
    return np.sum(x**2) if kind is Kind.SQUARE and kind.value == "square" else np.sum(x)


@shown
def string_flags(x):
    total = 0.0
    for kind in ("sin", "cos"):
        if kind == "sin":
            total += np.sum(np.sin(x))
        else:
            total += np.sum(getattr(np, kind)(x))
    return total


@shown
def default_dict(x):
    total = collections.defaultdict(float)
    for k, v in zip("abab", (x[0], x[1], x[2], x[3]), strict=True):
        total[k] += v
    return total["a"] * total["b"]


@shown
def ordered_dict(x):
    table = collections.OrderedDict(a=x[0], b=x[1])
    return list(table.values())[1] * table["a"]


@shown
def counter(x):
    found = collections.Counter()
    for name, weight in zip("abca", x, strict=False):
        found[name] += weight
    return found["a"] * found["b"] + found["d"] + found.total()


@shown
def deque_inactive(x):
    window = collections.deque([1, 2, 3], maxlen=3)
    window.append(4)
    return np.sum(x) * len(window)


@shown
def deque_of_floats(x):
    window = collections.deque(maxlen=2)
    for k in range(4):
        window.append(x[k])
    return window[0] * window[1]


@shown
def heap_of_floats(x):
    heap = []
    for k in range(3):
        heapq.heappush(heap, x[k])
    return heapq.heappop(heap) ** 2


@shown
def bisected(x):
    edges = [0.0, 0.5, 1.0]
    return x[bisect.bisect(edges, 0.7)] * bisect.bisect_left(edges, x[0])


@shown
def sorted_by_key(x):
    items = sorted([(x[0], 2), (x[1], 1), (x[3], 3)], key=lambda item: item[1])
    return items[0][0] * items[1][0] ** 2 + sorted(x, reverse=True)[0]


@shown
def transposed_lists(x):
    rows = [(x[0], x[1]), (x[2], x[3])]
    left, right = zip(*rows, strict=True)
    return left[0] * right[1] + sum(left)


@shown
def list_grows_while_walked(x):
    items = [x[0]]
    for v in items:
        if len(items) < 4:
            items.append(v * x[len(items)])
    return sum(items)


@shown
def iterators(x):
    items = iter(x)
    total = next(items)
    for v in items:
        total = total * 0.5 + v
    return total + next(items, 0.0)


@shown
def iterator_functions(x):
    total = 0.0
    for (i, v), w in zip(enumerate(x), reversed(x), strict=True):
        total += v * w * i
    for a, b in itertools.combinations([x[0], x[1], x[2]], 2):
        total += a * b
    return total + sum(map(np.sin, x)) + sum(filter(lambda v: v > 0.0, x)) + list(itertools.accumulate(x))[-1]


@shown
def zip_longest(x):
    s = 0.0
    for a, b in itertools.zip_longest(x, [0.5, x[0]], fillvalue=2.0):
        s = s * 0.5 + a * b
    return s


@shown
def unbounded_iterators(x):
    total = 0.0
    for k in itertools.count():
        if k == 4:
            break
        total += x[k] * k
    return total + sum(v * w for v, w in zip(x, itertools.cycle((1.0, -1.0)), strict=False))


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        self.n -= 1
        if self.n < 0:
            raise StopIteration
        return self.n


@shown
def iterator_class(x):
    return sum(x[k] for k in Countdown(3))


# -- arrays -----------------------------------------------------------------------------------------------------------


@shown
def masks_and_integer_arrays(x):
    y = x.copy()
    y[x > 0.5] = x[:2]
    y[[0, 0, 1]] += x[1]
    return np.sum(y**2) + np.sum(x[np.array([0, 0, 2])]) + np.sum(x[x > 0.0])


@shown
def views(x):
    y = x.reshape(2, 2).T
    z = y.copy()
    row = z[0]
    row *= 2.0
    return np.sum(z * y) + np.sum(z.ravel() ** 2)


@shown
def shape_assigned(x):
    y = x.copy()
    y.shape = (2, 2)
    return np.sum(y[0] * y[1])


@shown
def shape_assigned_in_a_list(x):
    rows = [x.copy()]
    rows[0].shape = (2, 2)
    return np.sum(rows[0][1])


@shown
def shape_assigned_before_a_closure(x):
    y = x.copy()

    def axes():
        return y.ndim

    rows = [y]
    rows[0].shape = (2, 2)
    return np.sum(y[0]) * axes()


@shown
def array_by_its_class(x):
    y = np.ndarray((2,), float)
    y[0], y[1] = x[0], x[1]
    return y[0] * y[1]


@shown
def flat_iterator(x):
    m = np.outer(x, x)
    return sum(v**2 for v in m.flat) + m.flat[3] * np.sum(m.T.flat[1:3]) + np.sum(m.flat[m.ravel() > 0.5])


@shown
def flat_written(x):
    m = np.outer(x, x)
    m.flat[1] = x[2]
    m.flat[:: m.shape[0] + 1] += 1.0
    m.T.flat[2:4] = x[:2]
    return np.sum(m**2)


@shown
def flat_walked_and_indexed(x):
    entries = np.outer(x, x).flat
    return sum(entries) + entries[1]


@shown
def nditer_walked(x):
    m, total = np.outer(x, x), 0.0
    walk = np.nditer(m, flags=["multi_index"], op_flags=["readwrite"])
    for v in walk:
        i, j = walk.multi_index
        v[...] = v * v + x[i] * j
        total += v
    for a, b in np.nditer([m, x], order="C"):
        total += a * b
    return total


@shown
def nditer_in_memory_order(x):
    return sum(float(v) ** 2 for v in np.nditer(np.outer(x, x).T))


@shown
def ndindex_walked(x):
    m, total = np.outer(x, x), 0.0
    for i, j in np.ndindex(2, 3):
        total += m[i, j] * (i + 1)
    return total + sum(v * k for (k,), v in np.ndenumerate(x))


@shown
def vectorized(x):
    return np.sum(np.vectorize(lambda v: v**2 if v > 0.0 else v)(x))


@shown
def from_python_function(x):
    return np.sum(np.frompyfunc(lambda v: v**2 if v > 0.0 else v, 1, 1)(x).astype(float))


@shown
def objects_from_python_function(x):
    return np.sum(np.frompyfunc(lambda v: v**2, 1, 1)(x))


@shown
def along_an_axis(x):
    m = np.outer(x, x)
    return np.sum(np.apply_along_axis(lambda row: row[0] * row[1], 1, m))


@shown
def piecewise(x):
    return np.sum(np.piecewise(x, [x < 0.0, x >= 0.0], [lambda v: v**2, lambda v: v**3]))


@shown
def joined_by_indexing(x):
    return np.sum(np.r_[x, 0.0, x[:2]] ** 2) + np.sum(np.c_[x, x] ** 2) + np.sum(np.outer(x, x)[np.ix_([0, 1], [2, 3])])


@shown
def stores_by_functions(x):
    y, m = x.copy(), np.outer(x, x)
    np.copyto(y, x[::-1], where=x > 0.5)
    np.put(y, [0], x[2])
    np.place(y, y < 0.0, [1.5])
    np.put_along_axis(y, np.array([1]), x[3], 0)
    np.add.at(y, [0, 0], x[:2])
    np.fill_diagonal(m, x)
    return np.sum(y**2) + np.sum(m * m)


@shown
def sorted_in_place(x):
    y = x * 2.0
    y.sort()
    z = x.copy()
    z.partition(1)
    return y[0] * y[1] + z[0]


@shown
def where_and_out(x):
    y = np.zeros(4)
    np.multiply(x, 2.0, out=y, where=x > 0.0)
    return np.sum(y**2)


@shown
def where_alone(x):
    return np.sum(np.multiply(x, 2.0, where=x > 0.0, out=None)[x > 0.0])


@shown
def structured_by_field(x):
    table = np.zeros(4, dtype=[("a", float), ("b", float)])
    table["a"] = x
    return np.sum(table["a"] ** 2)


@shown
def structured_as_a_whole(x):
    table = np.zeros(4, dtype=[("a", float), ("b", float)])
    table["a"] = x
    return np.sum(np.sort(table, order="a")["a"][:2])


@shown
def structured_inactive(x):
    table = np.zeros(4, dtype=[("a", float), ("b", int)])
    table["b"] = 3
    return np.sum(x) * float(table["b"].sum())


@shown
def matrices_by_name(x):
    return np.sum(np.matrix(np.outer(x, x)) * 2.0)


@shown
def joins_of_filled_lists(x):
    rows = []
    for v in x:
        rows.append(x * v)
    return np.sum(np.concatenate(rows) ** 2) + np.sum(np.vstack(rows)[0]) + np.sum(np.block([[x], [x * x]]))


@shown
def ranges_as_indices(x):
    y = x.copy()
    for i in range(len(x))[::-1]:
        y[i] = y[i] * y[i - 1]
    return np.sum(y)


@shown
def empty_and_zero_dimensional(x):
    return np.sum(x[:0]) + np.asarray(x[0]) ** 2 + np.array(x[1])[()]


@shown
def fortran_order(x):
    m = np.asfortranarray(np.outer(x, x))
    return np.sum(m[:, 0] * x)


# -- numbers ----------------------------------------------------------------------------------------------------------


@shown
def kinds_along_a_loop(x):
    total = 0
    for v in x:
        total = total + v**2
    return total


@shown
def conversions(x):
    return float(x[0]) ** 2 + x[1] * int(x[3]) + x[2] * bool(x[0]) + (complex(x[0], x[1]) * 1j).real


@shown
def rounded(x):
    whole, part = divmod(x[3], 1.0)
    return x[0] * round(x[1]) + part * whole


@shown
def parsed(x):
    return x[0] * float("1.5") + x[1] * int("3") + len(str(len(x))) * x[3]


@shown
def exact_numbers(x):
    return x[0] * float(fractions.Fraction(1, 3)) + x[1] * float(decimal.Decimal("0.5"))


@shown
def decimals_of_floats(x):
    return decimal.Decimal(x[0]) * 2


@shown
def complex_numbers(x):
    z = complex(x[0], x[1])
    return abs(z * z) + cmath.exp(1j * x[2]).real


@shown
def function_with_attributes(x):
    def reached(v):
        return v - x[0]

    reached.terminal, reached.level = True, x[1]
    return reached(reached.level * x[2]) if getattr(reached, "terminal", False) else x[0]

"""Functions as values: closures over active values, lambdas, nested definitions, functions as arguments."""

import math
from functools import partial

import numpy as np

from tests.corpus.case import at, smooth, vec

SCALE = 1.7
TABLE = np.array([0.5, 1.5, 2.5])


def scaled_by(factor):
    def scaled(x):
        return factor * x * x

    return scaled


closure_minus_one = at((1.5,))(scaled_by(-1.0))
closure_minus_two = at((1.5,))(scaled_by(-2.0))
closure_over_array = at((vec(1.0, 2.0),), (1.5,))(scaled_by(3.0))
square_lambda = at((1.5,))(lambda x: x * x + math.sin(x))
two_lambdas = at((1.5,))(lambda x: x**3), at((1.5,))(lambda x: x**4)
first_lambda, second_lambda = two_lambdas


def with_array(weights):
    def weighted(x):
        return np.sum(weights * x * x)

    return weighted


weights_in_closure = at((vec(1.0, 2.0),))(with_array(np.array([0.3, 0.7])))


@at((1.5,))
def global_number(x):
    return SCALE * x * x


@at((vec(1.0, 2.0, 3.0),))
def global_array(x):
    return np.sum(TABLE * x * x) + x[0] * TABLE[1]


@at((1.5, 0.5))
def nested_definition(x, y):
    def inner(t):
        return t * x + y

    return inner(y) * inner(inner(x))


@at((1.5, 0.5))
def lambda_over_active(x, y):
    f = lambda t, k=x: k * t + y  # noqa: E731
    return f(y) + f(x, k=y) * f(1.0)


def integrate(f, a, b, n):
    h = (b - a) / n
    total = 0.5 * (f(a) + f(b))
    for i in range(1, n):
        total = total + f(a + i * h)
    return total * h


@at((0.2, 1.5, 0.7, 4))
def function_as_argument(a, b, k, n):
    return integrate(lambda t: math.exp(-k * t) * t, a, b, n)


def compose(f, g):
    return lambda x: f(g(x))


@at((0.7,))
def composed_functions(x):
    return compose(math.sin, lambda t: t * t * x)(x) + compose(abs, math.cos)(x)


@at((0.7, 3), (0.7, 0))
def closure_called_in_loop(x, n):
    def step(y):
        return math.sin(y) * x + 0.1

    y = x
    for _ in range(n):
        y = step(y)
    return y


@at((vec(1.0, 2.0, 3.0),))
def closure_writes_captured_array(x):
    y = x * x

    def update(i, value):
        y[i] = value * y[i - 1]

    for i in range(3):
        update(i, x[i])
    return np.sum(y)


@at((0.7, True), (0.7, False))
def function_chosen_by_flag(x, flag):
    f = math.sin if flag else math.cos
    return f(x) * x


@at((0.7,))
def functions_in_tuple(x):
    total = x
    for f in (math.sin, math.exp, lambda t: t * x):
        total = f(total) + x
    return total


@at((1.5, 4))
def nested_recursion(x, n):
    def power(k):
        return 1.0 if k == 0 else x * power(k - 1)

    return power(n) + power(2)


@at((smooth(2, 2), vec(0.3, 0.4)))
def nested_three_deep(a, b):
    def layer(h):
        def act(t):
            def bend(s):
                return np.tanh(s) * b[0]

            return bend(t) + b

        return act(a @ h)

    return np.sum(layer(layer(b)))


class Counted:
    def __init__(self, function):
        self.function = function
        self.calls = 0
        self.known = {}

    def __call__(self, n):
        self.calls += 1
        if n not in self.known:
            self.known[n] = self.function(n)
        return self.known[n]


@at((vec(0.3, 1.2, -0.7), 0.7))
def decorated_by_an_object_and_called_by_its_own_name(x, a):
    @Counted
    def term(n):
        return x[n] if n < 2 else term(n - 1) * a + term(n - 2)

    return term(6) * term.calls + len(term.known) * x[2]


@at((vec(0.3, 1.2, -0.7, 0.9), 0.7))
def decorated_anew_in_each_iteration(x, a):
    total = 0.0
    for k in range(3):

        def scaled(f, by=k + a):
            return lambda n: f(n) * by

        @scaled
        def power(n):
            return power(n - 1) * x[k] if n else x[3]

        total += power(2)
    return total


@at((vec(0.3, 1.2, -0.7, 0.9),))
def generator_decorated_and_called_by_its_own_name(x):
    def doubled(f):
        def inner(n):
            for v in f(n):
                yield v * 2

        return inner

    @doubled
    def walk(n):
        yield x[n] ** 2
        if n:
            yield from walk(n - 1)

    return sum(walk(3))


@at((vec(0.3, 1.2, -0.7), 0.7))
def functions_of_one_definition_that_hold_one_another(x, a):
    chained = lambda v: v
    for k in (x[0], x[1], a, x[2], a):
        chained = (lambda f, k: lambda v: f(v) * k + 1)(chained, k)

    def halving(f, k):
        def half(v):
            return half(v * 0.5) + k if v > 1 else f(v) * k

        return half

    square = halving(halving(lambda v: v * v, x[0]), x[1])
    triple = halving(halving(lambda v: v * 3 + x[2], x[0]), x[1])
    return chained(a) + square(x[1] * 3) + 10 * triple(x[1] * 3) + halving(square, a)(2.0)


@at((vec(0.3, 0.7, 1.2), 4), (vec(0.3, 0.7, 1.2), 0))
def functions_made_anew_by_a_loop_that_call_one_another(x, n):
    total, k = x[2] ** 2, 0
    while k < n and x[0] > 0.2:

        def even(i):
            return x[0] if i == 0 else odd(i - 1) * x[1]

        def odd(i):
            return x[1] ** k if i == 0 else even(i - 1)

        total += even(3) * k
        k += 1
    return total


@at((vec(0.3, 0.7, 1.2), 4))
def a_function_sees_what_a_loop_assigns_after_it(x, n):
    scaled, total, k = lambda t: t * w.sum(), 0.0, 0
    while k < n and x[0] < 9.0:
        w = np.ones(3) * x[k % 3]
        w[0] = x[1]
        total += scaled(x[1])
        w *= 2
        total += scaled(x[2])
        k += 1
    return total


@at((vec(0.3, 0.7, 1.2), 4))
def what_a_function_and_a_loop_assign_in_turn(x, n):
    def doubled():
        nonlocal w
        w = w * 2 if x[2] > 0 else x[1]
        return w

    total, k = 0.0, 0
    while k < n and x[0] < 9.0:
        w = x[k % 3] ** 2
        total += doubled() + w
        k += 1
    return total + w


@at((vec(0.3, 0.7, 1.2),), (vec(0.3, 0.2, 0.4),))
def a_variable_that_a_function_may_find_unassigned(x):
    def found():
        return best * 2.0

    for v in x:
        if v > 0.5:
            best = v**2
    try:
        return found() * x[0]
    except NameError as error:
        return x[1] * len(str(error))


def _scaled(v, k=1.0, shift=0.0):
    return v * k + shift


def _scaling(s, t=0.5):
    def scale(v, s=s, *, t=t):
        return v * s + t

    return scale


PATHS = (vec(0.31, 0.52, 0.73, 0.22),), (vec(0.29, 0.12, 0.43, 0.92),)


@at(*PATHS)
def defaults_of_a_function_of_either_path(x):
    f, g = _scaling(x[0]), _scaling(2.0, 3.0)
    if x[1] > 0.3:
        f, g = _scaling(x[1], x[3] ** 2), _scaling(3.0)
    h = lambda v, k=(x[0], 1.0): v * k[0]  # noqa: E731 - as people write them
    return f(x[2]) * g(x[0]) + h(x[3])


@at(*PATHS)
def bound_by_name_on_either_path(x):
    f, g = partial(_scaled, k=x[0]), partial(_scaled, k=2.0)
    if x[1] > 0.3:
        f, g = partial(_scaled, k=x[1]), partial(_scaled, k=3.0)
    h = partial(partial(_scaled, k=x[0]), shift=x[3])
    if x[2] > 0.5:
        h = partial(partial(_scaled, k=x[3] ** 2), shift=x[1])
    return f(x[2]) * g(x[3]) + h(x[1])


@at(*PATHS)
def functions_with_defaults_in_a_loop(x):
    f, g, last = _scaling(x[0]), partial(_scaled, k=x[0]), None
    for i in range(len(x)):
        if x[i] > 0.4:
            f, g = _scaling(f(x[i]), t=g(x[3])), partial(_scaled, k=x[i] ** 2)
        elif last is None:
            last = partial(_scaled, shift=x[i])
        g = partial(_scaled, k=g(x[1]))
    return f(x[2]) * g(x[1]) + (x[0] if last is None else last(x[3]))


@at(*PATHS)
def functions_with_defaults_chosen_by_key_and_place(x):
    by_name = {"one": partial(_scaled, k=x[0]), "other": partial(_scaled, k=x[1] ** 2)}
    by_place = [_scaling(x[0]), _scaling(x[1], x[2]), _scaling(2.0)]
    return by_name["one" if x[2] > 0.5 else "other"](x[3]) * by_place[int(x[2] * 3)](x[1])


def _in_turn(n, f, g, x):
    if n * x[0] > 1.0:
        return f(x[1]) * g(x[3])
    return _in_turn(n * 2, _scaling(3.0, x[1] * n), partial(_scaled, k=3.0), x) + f(x[2]) * g(x[2])


@at(*PATHS)
def functions_with_defaults_in_a_recursion(x):
    return _in_turn(1, _scaling(2.0), partial(_scaled, k=2.0), x)


def _within(c):
    return partial(lambda v, k: v * k * c, k=2.0)


def _in_turn_within(n, f, x):
    if n * x[0] > 1.0:
        return f(x[1])
    return _in_turn_within(n * 2, _within(x[1] * n), x) + f(x[2])


@at(*PATHS)
def a_closure_that_is_bound_by_name(x):
    f = _within(x[0])
    for i in range(len(x)):
        if x[i] > 0.4:
            f = _within(x[i] ** 2)
    return f(x[2]) + _in_turn_within(1, f, x)


@at(*PATHS)
def a_default_made_on_one_path(x):
    f = None
    if x[1] > 0.3:
        pair = [x[0], x[1]]
        f = lambda v, pair=pair: v * pair[0] * len(pair)  # noqa: E731 - as people write them
    if f is None:
        return x[3] ** 2
    return f(x[2])


@at(*PATHS)
def attributes_of_a_function(x):
    def law(v):
        return v * law.scale + x[0]

    law.scale, law.calls = x[1] ** 2, 0
    for v in x:
        law.calls += 1
        law.scale = law.scale * v if v > 0.35 else law.scale + v
    again = law
    again.terminal = True
    if getattr(law, "terminal", False) and not hasattr(law, "direction"):
        return law(x[2]) * law.calls + getattr(law, "direction", 0.5)
    return x[3]


def _marked(k):
    reached = lambda t: t * k - 1.0  # noqa: E731 - as people write them
    reached.direction = k
    return reached


@at(*PATHS)
def an_attribute_set_where_the_function_is_made(x):
    f = _marked(x[0])
    f.direction = f.direction * x[1]
    del f.direction
    g = _marked(x[2])
    return f(x[3]) * g.direction + g(x[1])


@at((vec(0.7, 1.3, 0.4),))
def deleted_and_caught(x):
    def double():
        return z * 2

    z = x[0]
    first = double()
    del z
    try:
        second = double()
    except NameError:
        second = x[2] ** 2
    z = x[1]
    return first * second + double()


@at((vec(0.7, 1.3, 0.4),), (vec(0.7, 0.3, 0.4),))
def deleted_on_one_path(x):
    def double():
        return z * 2  # noqa: F821 - deleted below on one path

    z = x[0]
    if x[1] > 1.0:
        del z
    else:
        z = x[1] ** 2
    total = 0.0 if x[1] > 1.0 else double()
    for k in range(3):
        z = x[k] * x[0]
        total = total + double()
        del z
    return total


@at((vec(0.7, 1.3, 0.4),))
def deleted_by_the_inner_function(x):
    def take():
        nonlocal z
        z = z * 2
        taken = z
        del z
        return taken

    z = x[0]
    y = take()
    try:
        return z
    except NameError:
        return y * x[1]

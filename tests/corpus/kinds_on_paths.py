"""What is of one kind on one path and of another on the other: a number or an array, a list or an array, an object or zero."""

import numpy as np

from tests.corpus.case import at, vec

everywhere = at((vec(0.3, 0.7, 1.1),), (vec(1.2, 0.4, 0.35),), (vec(0.45, 0.15, 0.9),), (vec(0.6, 1.3, 0.2),))


def number_or_array(x):
    return x[0] * 2.0 if x[2] > 0.5 else x * 3.0


def list_or_array(x):
    return [x[0] * 2.0, x[1]] if x[2] > 0.5 else x * 3.0


def tuple_or_array(x):
    return (x[0], x[1] * x[2]) if x[2] > 0.5 else x[:2] ** 2


@everywhere
def asked_whether_it_is_a_number(x):
    v = number_or_array(x)
    return v * v if isinstance(v, (int, float)) else np.sum(v * v * x)


@everywhere
def asked_whether_it_is_an_array(x):
    v = number_or_array(x)
    if isinstance(v, np.ndarray):
        return np.sum(v**3)
    return v


@everywhere
def neither_a_list_nor_a_tuple(x):
    v = number_or_array(x)
    return 1.0 if isinstance(v, (list, tuple)) else np.sum(v)


@everywhere
def made_an_array_where_it_is_none(x):
    v = number_or_array(x)
    if not isinstance(v, np.ndarray):
        v = np.array([v, v])
    return np.sum(v * v)


@everywhere
def made_a_list_where_it_is_a_number(x):
    v = number_or_array(x)
    if isinstance(v, float):
        v = [v, v * x[1]]
    return np.sum(np.asarray(v) ** 2)


@everywhere
def its_length_or_one(x):
    v = number_or_array(x)
    try:
        n = len(v)
    except TypeError:
        n = 1
    return np.sum(v) / n + np.sum(np.atleast_1d(v)) * len(np.atleast_1d(v))


@everywhere
def items_of_a_list_or_an_array(x):
    v = list_or_array(x)
    return v[0] * v[-1] + len(v) * x[0] + max(v)


@everywhere
def gone_through(x):
    v, total = list_or_array(x), 0.0
    for one in v:
        total += one * one
    return total * sum([one * 2 for one in v])


@everywhere
def taken_apart(x):
    u, w = tuple_or_array(x)
    return u * w + np.max(tuple_or_array(x))


@everywhere
def made_an_array(x):
    v = list_or_array(x)
    return np.sum(np.asarray(v) ** 2) + np.dot(v[:2], v[:2]) + np.vstack([v[:2], x[:2]]).sum()


@everywhere
def twice_as_long_or_twice_as_much(x):
    v = list_or_array(x) * 2
    return np.sum(v) + len(v) * x[0]


@everywhere
def changed_whatever_it_is(x):
    v = list_or_array(x)
    w = v
    w[0] = x[2] ** 2
    return v[0] * v[1]


@everywhere
def changed_where_it_is_a_list(x):
    v = list_or_array(x)
    if isinstance(v, list):
        v.append(x[2])
        return sum(v)
    return v.sum() * 2


@everywhere
def one_of_two_lists_that_grows(x):
    v = [x[0], x[1]] if x[2] > 0.5 else [x[2], x[0]]
    v.append(x[1] ** 2)
    v[1] *= x[0]
    return v[0] * v[1] + v[2]


@everywhere
def one_of_two_lists_under_two_names(x):
    v = [x[0], x[1]] if x[2] > 0.5 else [x[2], x[0]]
    w = v
    w.append(x[1] ** 2)
    return v[2] * w[0] + len(v)


@everywhere
def zeros_where_an_equation_has_no_solution(x):
    found = np.zeros(3)
    for k in range(3):
        try:
            if x[k] > 0.5:
                raise np.linalg.LinAlgError("singular")
            beta = np.linalg.solve(np.diag(x[:2] + x[k]), x[1:] ** 2)
        except np.linalg.LinAlgError:
            beta = [0, 1]
        found[k] = beta[0] + beta[1] * x[k]
    return np.sum(found**2)


@everywhere
def a_number_or_its_list(x):
    v = [x[0], 2.0] if x[2] > 0.5 else x[1]
    if isinstance(v, list):
        return v[0] ** 2 * v[1]
    return v * 3


@everywhere
def a_pair_that_becomes_a_number(x):
    v = (x[0], 1.0) if x[2] > 0.5 else x[1]
    if isinstance(v, tuple):
        v = v[0]
    return v * v


@everywhere
def a_dict_or_a_number(x):
    v = {"rate": x[0]} if x[2] > 0.5 else x[1]
    return v["rate"] ** 2 if isinstance(v, dict) else v * 3


class Force:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return Force(self.x + (other.x if isinstance(other, Force) else other))

    __radd__ = __add__


@everywhere
def an_object_or_zero(x):
    force = 0
    if x[2] > 0.5:
        force = Force(x[0])
    return (Force(x[1] ** 2) + force).x * x[2] + (force + Force(x[0])).x


@everywhere
def a_force_or_zero(x):
    force = 0
    if x[2] > 0.5:
        force = np.array([x[0], x[1] ** 2])
    total = np.zeros(2) + force
    return np.sum(total * total) + np.sum(force)


@everywhere
def kept_in_a_dict(x):
    kept = {"v": list_or_array(x), "k": 2}
    return kept["v"][0] * kept["k"] + max(kept["v"])


def length_of(v):
    if isinstance(v, np.ndarray) and v.shape == (3,):
        return v
    return np.zeros((2, 2))


@everywhere
def axes_by_a_length(x):
    return np.sum(np.r_[length_of(x), 1.0] ** 2)


@everywhere
def nothing_or_a_number(x):
    v = [] if x[2] > 0.5 else x[0] - 1.3
    w = () if x[2] > 0.7 else v
    return (x[1] ** 2 if v else x[0] ** 3) + (x[2] if not w else x[1])


@everywhere
def a_list_in_the_place_of_nothing(x):
    v = [] if x[2] > 0.5 else (x[0],)
    v = v or [x[1], 2.0]
    while v and len(v) < 2:
        v = [v[0] * x[2], x[1]]
    return v[0] ** 2 * len(v)


@everywhere
def methods_that_both_have(x):
    v = list_or_array(x)
    copied = v.copy
    w = v.copy()
    v[0] = x[2] ** 3
    return w[0] * v[0] * copied()[0]


class Counted:
    def __init__(self, x):
        self.x = x

    def __bool__(self):
        return bool(self.x > 0.5)


class Stack:
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return 1 if self.x < 0.5 else 0


@everywhere
def objects_that_say_whether_they_are_true(x):
    one = Counted(x[0]) if x[2] > 0.5 else Stack(x[1])
    other = Stack(x[2]) if x[0] > 0.5 else 0
    return (one.x**2 if one else x[2] * one.x) + (x[1] if not other else x[0] ** 3)

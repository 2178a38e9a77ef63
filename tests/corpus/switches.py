"""Code of libraries: switches that leave much out, paths that numbers known by default rule out, what is imported late."""

import inspect
import math

import numpy as np

from tests.corpus.case import at, vec

MATRIX = np.array([[2.0, 0.3, 0.1], [0.2, 1.7, 0.4], [0.15, 0.25, 1.3]])
FACTORS = (1.02, 0.98, 1.11, 0.9, 1.3, 0.7, 1.7, 0.4, 2.5, 0.1, 6.0, 0.02)
length = None


def secant(
    residual, start, args=(), most=100, low=None, high=None, xtol=1.5e-13, ytol=None, wider=False, guarded=False, damping=1.0
):
    """A zero of `residual` by the secant method, with what a library offers besides."""
    p0 = 1.0 * start
    p1 = p0 * 1.0001 + (1e-4 if p0 >= 0.0 else -1e-4)
    if low is not None and p1 < low:
        p1 = low
    q0 = residual(p0, *args)
    if math.isnan(q0) or math.isinf(q0):
        raise ArithmeticError(f"{p0} has {q0}: bad first point")
    if (ytol is not None and abs(q0) < ytol) or q0 == 0.0:
        return p0
    q1 = residual(p1, *args)
    if q1 == q0 and wider:
        for factor in FACTORS:
            p1 = p0 * factor
            q1 = residual(p1, *args)
            if abs(q1 - q0) > 1e-10:
                break
    if guarded:
        a = p0 if q0 < 0.0 else p1
        b = p1 if q0 < 0.0 else p0
    for k in range(most):
        p = p1 - q1 * (p1 - p0) / (q1 - q0) * damping if q1 != q0 else p1
        if low is not None and p < low:
            p = low
        if high is not None and p > high:
            p = high
        if guarded and not a < p < b:
            p = 0.5 * (a + b)
        if ytol is not None and xtol is not None:
            if abs(q1) < ytol and abs(p1 - p0) <= abs(xtol * p0):
                return p
        elif xtol is not None:
            if abs(p1 - p0) <= abs(xtol * p0):
                return p
        if q1 == q0:
            if wider:
                for factor in FACTORS:
                    p = p0 * factor
                    if residual(p, *args) * q0 < 0.0:
                        break
            else:
                raise ArithmeticError(f"{p1} has {q1}: " + "two points of one residual")
        p0, q0, p1 = p1, q1, p
        q1 = residual(p1, *args)
        if math.isnan(q1) or math.isinf(q1):
            raise ArithmeticError(f"{p1} has {q1}: " + "bad point")
        if q1 == 0.0:
            return p1
    raise ArithmeticError(f"{p1} has {q1}: " + "no end")


@at((2.3, 0.3), wrt=(0, 1))
def friction_by_a_search_with_many_switches(reynolds, roughness):
    def residual(f, re, eps):
        root = 1.0 / math.sqrt(abs(f))
        return root + 2.0 * math.log10(eps * 0.27 + 2.51 / re * root)

    try:
        guess = 0.03164 / math.sqrt(math.sqrt(reynolds))
    except ValueError:
        guess = 0.02
    return abs(secant(residual, guess, args=(1e4 * reynolds, 0.01 * roughness)))


def quaternion_of(matrix, version=3, scaled=False):
    trace = np.trace(matrix)
    if version in (1, 2) and not scaled:
        return "versions 1 and 2 are of scaled matrices"
    if version == 1 and trace > 0.0:
        return None
    return np.array([0.5 * np.sqrt(1.0 + trace), matrix[2, 1] - matrix[1, 2]])


@at((MATRIX,))
def a_path_that_a_number_by_default_rules_out(matrix):
    return np.sum(quaternion_of(matrix) ** 2)


@at((MATRIX, 3), wrt=(0,))
def paths_that_differ_by_a_number_that_is_given(matrix, version):
    held = quaternion_of(matrix, version, scaled=not version < 3)
    if version % 2 == 0 and matrix[0, 0] > 0.0:
        held = {"version": version}
    return held[0] * held[1]


def length_of(x):
    global length
    if length is None:
        from numpy.linalg import norm as length
    return length(x)


@at((vec(0.4, -0.2, 1.1),))
def a_length_by_what_is_imported_late(x):
    return length_of(x) * length_of(x[1:])


@at((MATRIX, vec(0.4, -0.2, 1.1)), wrt=(0, 1))
def a_rigid_motion_put_together(rotation, shift):
    motion = np.r_[np.c_[rotation, shift], [[0, 0, 0, 1]]]
    back = np.r_[np.c_[rotation.T, -rotation.T @ shift], [[0.0, 0.0, 0.0, 1.0]]]
    twist = np.r_[[motion[2, 1], motion[0, 2], motion[1, 0]], (motion[0, 3], motion[1, 3]), motion[2, 3]]
    return np.sum((motion @ back) ** 3) + np.sum(twist**2)


@at((vec(0.4, -0.2, 1.1, 0.8),))
def slices_and_lists_in_a_row(x):
    row = np.r_[0:3, x, 5:1:-1, [x[0], 2], 0:1:3j]
    columns = np.c_[x, 0:4, [1, 2, 3, x[2]]]
    return np.sum(row * row[::-1]) + np.sum(columns**3)


@at((vec(0.4, -0.2, 1.1),))
def numbers_and_arrays_by_a_truth_value(x):
    distance = np.sum(x)
    root = np.zeros(distance.shape)
    root[distance > 0.0] = np.sqrt(distance[distance > 0.0])
    y = 2.0 * x
    y[x[0] > 0.0] += x**2
    y[x[1] > 0.0] = 100.0
    return np.sum(y * x) + root + np.sum(x[x[2] > 0.0]) + distance[...] * distance[()]


def cumulated(x):
    total = 0.0
    for v in x:
        total = total + v
        yield total


@at((vec(0.4, -0.2, 1.1),))
def generators_that_end_together(x):
    weighted = 0.0
    for (k, v), total in zip(enumerate(x), cumulated(x), strict=True):
        weighted = weighted + (k + 1) * v * total
    try:
        return sum(a * b for a, b in zip(cumulated(x), cumulated(x[1:]), strict=True))
    except ValueError:
        return weighted


@at((vec(1.0, 2.0, 3.0), True), (vec(1.0, 2.0, 3.0), False))
def an_iterator_used_up_as_a_flag_says(x, early):
    pairs = zip(x, x[::-1], strict=True)
    total = 0.0
    if early:
        for a, b in pairs:
            total += a * b
    for a, _ in pairs:
        total += a * a
    return total


@at((vec(0.4, -0.2, 1.1),))
def truth_values_as_places_in_lists(x):
    y = list(x)
    y[bool(x[0] > 0.0)] = x[2] * 3.0
    return y[True] * y[False] + (x[0], x[1] * 2.0)[bool(x[1] > 0.0)] * [1.0, 2.0][bool(x[2] > x[0])]


class Task:
    """What is computed row by row or of all rows at once, as the object says: the other way does not fit."""

    def __init__(self, row_by_row, kind="bowl", order=2):
        self.row_by_row = row_by_row
        self.kind = kind
        self.order = order

    def rows(self, points):
        return np.sum(points[:, :-1] ** self.order, axis=1) + points[:, 0]

    def row(self, point):
        a, *others = point
        return a * sum(others)

    def value(self, points):
        found = {}
        if self.row_by_row:
            found["f"] = np.array([self.row(p) for p in points])
        else:
            found["f"] = self.rows(points)
        if self.order > 5 and not self.row_by_row:
            found["f"] = found["f"] @ points[0, 0, :]
        return found["f"]


AT_ONCE = Task(False)
ROW_BY_ROW = Task(True)


@at((vec(0.4, 1.7, -0.3, 0.9, 1.1, 0.2).reshape(2, 3),))
def objects_that_say_how_rows_are_taken(x):
    return np.sum(AT_ONCE.value(x) * ROW_BY_ROW.value(x))


@at((vec(0.4, 1.7, -0.3, 0.9), 1), (vec(0.4, 1.7, -0.3, 0.9), 2))
def an_argument_that_says_how_many_axes_there_are(x, axes):
    table = x.reshape(2, 2) if axes == 2 else x
    if axes == 2:
        return np.sum(table[:, 0] ** 2) * table[1, 1]
    return np.sum(table**3)


@at((vec(0.7, 1.3, 0.4),))
def taken_whole_or_not_at_all(x):
    y = x * 2.0
    taken, left = y[True], y[False]
    taken[0, 1] = x[2]
    left += 3.0
    return np.sum(taken * x) * np.sum(y) + np.sum(left * x) + taken.shape[0] + left.shape[0]


class Rate:
    """What a library asks of the parameters of its classes: the names that ``__init__`` takes are attributes."""

    def __init__(self, base=1.0, factor=0.5, *, shift=0.1):
        self.base = base
        self.factor = factor
        self.shift = shift

    @classmethod
    def names(cls):
        taken = inspect.signature(cls.__init__).parameters
        return sorted(p.name for p in taken.values() if p.name != "self" and p.kind is not p.VAR_KEYWORD)

    def parameters(self):
        return {name: getattr(self, name) for name in self.names()}


@at((vec(0.4, -0.2, 1.1),))
def parameters_by_signature(x):
    rate = Rate(x[0], shift=x[1] ** 2)
    found = rate.parameters()
    other = Rate(**{**found, "factor": x[2]})
    bound = inspect.signature(rate.parameters).parameters
    return found["base"] * found["factor"] + other.factor * other.shift + x[0] * len(bound)


@at((vec(0.4, -0.2, 1.1),))
def parameters_by_specification(x):
    rate = Rate(x[0], x[1], shift=x[2])
    names = inspect.getfullargspec(rate.__init__)[0]
    names.pop(0)
    names += inspect.getfullargspec(Rate.__init__).kwonlyargs
    return math.prod(getattr(rate, name) for name in names) * len(names)


def all_given(x, scale=2.0, power=None, *, shift=0.3, **others):
    given = locals()
    return {name: value for name, value in given.items() if value is not None and name != "others"}


@at((vec(0.4, -0.2, 1.1),))
def names_as_a_dict(x):
    total = 0.0
    for place, value in enumerate(all_given(x[0], x[1], shift=x[2], more=1.0).values()):
        total += value**2 * (place + 1)
    return total


@at((vec(0.4, -0.2, 1.1),), (vec(-0.4, 0.2, 1.1),))
def names_as_a_dict_later(x):
    a = x[0] * x[1]
    if a > 0.0:
        b = np.sin(a)
    else:
        b = np.cos(a)
    held = locals()
    a = 10.0 * x[2]
    return held["a"] * held["b"] + a + np.sum(held["x"]) * len(held)


@at((vec(0.4, -0.2, 1.1),), (vec(-0.4, 0.2, 1.1),))
def modules_that_are_not_there(x):
    try:
        import a_module_that_nobody_has as fast
    except ImportError:
        fast = None
    if x[0] > 5.0:
        import another_module_that_nobody_has

        return another_module_that_nobody_has.solve(x)
    return np.sum(x**2) if fast is None else fast.solve(x)


@at((vec(0.4, -0.2, 1.1),))
def ranges_between_brackets(x):
    count = len(x)
    rows = np.r_[range(count), range(count)]
    columns = np.r_[range(0, count), range(count, 2 * count)]
    matrix = np.zeros((count, 2 * count))
    matrix[rows, columns] = np.r_[x, x**2]
    return np.sum(matrix @ np.r_[range(1, 2 * count + 1)] * x)

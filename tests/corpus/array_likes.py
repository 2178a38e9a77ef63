"""Objects of which NumPy makes arrays by their `__array__`: quantities, parameters, fields."""

import numpy as np

from tests.corpus.case import at, vec


class Quantity:
    def __init__(self, value):
        self.value = value

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.value)

    def __mul__(self, other):
        return 3.0 * self.value * other

    __rmul__ = __mul__


class Parameter:
    def __init__(self, value):
        self.value = value

    def __array__(self, dtype=None, copy=None):
        return np.array(float(self.value))


SCALE = Quantity(2.5)
SHIFT = Parameter(0.4)


@at((vec(0.3, 1.7, 0.9, 2.3),))
def operators_of_arrays_and_objects(x):
    """An array asks the object which array it is; a number of Python's asks it what the operator means."""
    q, p = Quantity(x[0]), Parameter(x[1])
    return np.sum(x * q) + np.sum(q * x) + 2.0 * q + np.sum((x - p) ** 2 / p) + np.sum(x**SHIFT - SCALE) + np.float64(2.0) * p


@at((vec(0.3, 1.7, 0.9, 2.3),))
def functions_of_objects(x):
    q, p = Quantity(x), Parameter(x[2])
    s = np.sum(np.asarray(q) ** 2) + np.sum(np.exp(q)) + np.max(np.abs(q)) + np.dot(q, x)
    return s + np.sin(p) * np.sum(np.multiply(x, SCALE)) + np.sum(np.where(x > 1.0, q, p)) + np.sum(np.maximum(q, SHIFT))

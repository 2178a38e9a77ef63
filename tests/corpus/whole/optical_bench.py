"""ABCD optics, Gaussian beam q parameter, Zernike wavefront and Strehl: elements as subclasses."""

from abc import ABC, abstractmethod
from functools import reduce
from math import comb, factorial

import numpy as np

from tests.corpus.case import at

WAVELENGTH = 633e-6


class Element(ABC):
    @abstractmethod
    def matrix(self): ...

    def __matmul__(self, other):
        return Compound([other, self])


class Space(Element):
    def __init__(self, d, n=1.0):
        self.d, self.n = d, n

    def matrix(self):
        return np.array([[1.0, self.d / self.n], [0.0, 1.0]])


class Lens(Element):
    def __init__(self, f):
        self.f = f

    def matrix(self):
        return np.array([[1.0, 0.0], [-1.0 / self.f, 1.0]])


class ThickLens(Element):
    def __init__(self, r1, r2, thickness, index):
        self.r1, self.r2, self.t, self.n = r1, r2, thickness, index

    def surface(self, radius, n1, n2):
        return np.array([[1.0, 0.0], [(n1 - n2) / (radius * n2), n1 / n2]])

    def matrix(self):
        into, out = self.surface(self.r1, 1.0, self.n), self.surface(self.r2, self.n, 1.0)
        return out @ np.array([[1.0, self.t], [0.0, 1.0]]) @ into


class Compound(Element):
    def __init__(self, parts):
        self.parts = list(parts)

    def matrix(self):
        return reduce(lambda acc, part: part.matrix() @ acc, self.parts, np.eye(2))


class Beam:
    def __init__(self, q):
        self.q = q

    @classmethod
    def from_waist(cls, w0, z=0.0):
        return cls(complex(z, np.pi * w0**2 / WAVELENGTH))

    def through(self, element):
        (a, b), (c, d) = element.matrix()
        return Beam((a * self.q + b) / (c * self.q + d))

    @property
    def width(self):
        return np.sqrt(-WAVELENGTH / (np.pi * (1.0 / self.q).imag))

    @property
    def curvature(self):
        return (1.0 / self.q).real


def radial(n, m, rho):
    out = np.zeros_like(rho)
    for k in range((n - abs(m)) // 2 + 1):
        coef = (-1) ** k * factorial(n - k) / (factorial(k) * factorial((n + abs(m)) // 2 - k) * factorial((n - abs(m)) // 2 - k))
        out += coef * rho ** (n - 2 * k)
    return out


def zernike(n, m, rho, theta):
    norm = np.sqrt((2 - (m == 0)) * (n + 1))
    return norm * radial(n, m, rho) * (np.cos(m * theta) if m >= 0 else np.sin(-m * theta))


def noll(j):
    n = 0
    while (n + 1) * (n + 2) // 2 <= j:
        n += 1
    k = j - n * (n + 1) // 2
    return n, -n + 2 * k


GRID = np.linspace(-0.95, 0.95, 9)
X, Y = np.meshgrid(GRID, GRID)
RHO, THETA = np.hypot(X, Y), np.arctan2(Y, X)
PUPIL = RHO <= 1.0
MODES = {j: zernike(*noll(j), RHO, THETA) for j in range(3, 9)}


def strehl(coefficients):
    phase = sum(c * MODES[j] for j, c in coefficients.items())
    field = np.where(PUPIL, np.exp(2j * np.pi * phase), 0.0)
    return np.abs(field.sum()) ** 2 / PUPIL.sum() ** 2


@at((150.0, np.array([80.0, 120.0, 60.0]), np.array([90.0, 110.0]), np.array([0.02, -0.03, 0.05, 0.01, -0.02, 0.03])))
def beam_and_wavefront(f, spacing, radii, aberration):
    relay = Compound([Space(spacing[0]), Lens(f), Space(spacing[1]), ThickLens(radii[0], -radii[1], 4.0, 1.515)])
    system = Space(spacing[2]) @ relay
    beam = Beam.from_waist(0.3).through(system)
    assert isinstance(system, Element)
    wave = {j: a * (1.0 + 0.1 * beam.curvature) for j, a in zip(MODES, aberration)}
    det = np.linalg.det(system.matrix())
    return np.log(beam.width) - np.log(strehl(wave)) + 1e2 * beam.curvature**2 + comb(4, 2) * det

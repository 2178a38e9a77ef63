"""Beam line: abstract Element, subclasses with class attributes, Lattice(list), Twiss tracking, tune by trace."""

import math
from abc import ABC, abstractmethod

import numpy as np

from tests.corpus.case import at


class Element(ABC):
    length = 0.0
    name = "element"

    @abstractmethod
    def matrix(self): ...

    def __matmul__(self, other):
        return self.matrix() @ other.matrix()


class Drift(Element):
    name = "drift"

    def __init__(self, length):
        self.length = length

    def matrix(self):
        return np.array([[1.0, self.length], [0.0, 1.0]])


class Quad(Element):
    name = "quad"

    def __init__(self, k, length=0.3):
        self.k = k
        self.length = length

    def matrix(self):
        if abs(self.k) < 1e-12:
            return Drift(self.length).matrix()
        root = math.sqrt(abs(self.k))
        phi = root * self.length
        if self.k > 0:
            return np.array([[math.cos(phi), math.sin(phi) / root], [-root * math.sin(phi), math.cos(phi)]])
        return np.array([[math.cosh(phi), math.sinh(phi) / root], [root * math.sinh(phi), math.cosh(phi)]])


class ThinSextupole(Element):
    name = "sextupole"

    def __init__(self, strength):
        self.strength = strength

    def matrix(self):
        return np.eye(2)

    def kick(self, state):
        state[1] -= 0.5 * self.strength * state[0] ** 2
        return state


class Lattice(list):
    def __init__(self, *elements, periods=1):
        super().__init__(elements)
        self.periods = periods

    @property
    def length(self):
        return self.periods * sum(e.length for e in self)

    def one_turn(self):
        m = np.eye(2)
        for e in self:
            m = e.matrix() @ m
        return np.linalg.matrix_power(m, self.periods)

    def track(self, state):
        for _ in range(self.periods):
            for e in self:
                state = e.matrix() @ state
                if isinstance(e, ThinSextupole):
                    state = e.kick(state)
        return state


@at((1.1, 1.3, 0.8, 0.02))
def tune_of_a_beam_line(kf, kd, sext, x0):
    cell = Lattice(Quad(kf / 2), Drift(1.0), Quad(-kd), Drift(1.0), Quad(kf / 2), ThinSextupole(sext), periods=3)
    trace = np.trace(Lattice(*cell).one_turn())
    if abs(trace) >= 2.0:
        return 1e6
    tune = math.acos(trace / 2) / (2 * math.pi)
    end = cell.track(np.array([x0, 0.0]))
    return (tune - 0.2) ** 2 + end @ end + 1e-3 * cell.length

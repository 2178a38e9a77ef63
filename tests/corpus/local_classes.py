"""Classes defined where they are used."""

from dataclasses import dataclass, field

import numpy as np

from tests.corpus.case import at, vec


@at((0.7, 1.3))
def plain_class(x, k):
    class Box:
        """What it holds, twice."""

        scale = 2.0

        def __init__(self, held):
            self.held = held

        @property
        def twice(self):
            return self.scale * self.held

        @staticmethod
        def bend(v, power=3):
            return np.sin(v) ** power

    class Larger(Box):
        def __init__(self, held, by):
            super().__init__(held)
            self.by = by

        @property
        def twice(self):
            return super().twice * self.by

    return Box(x).twice * Box.bend(k) + Larger(x, k).twice


@at((vec(0.3, 1.7, 0.4),))
def dataclass_inside(x):
    @dataclass(frozen=True)
    class State:
        position: float
        path: list = field(default_factory=list)
        speed: float = 1.5

    state = State(x[0])
    for v in x:
        match state:
            case State(p, speed=s):
                state = State(p * v, state.path, s * v)
    return state.position * state.speed

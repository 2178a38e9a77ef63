"""A transfer with impulsive and finite maneuvers scheduled by events; J2, Kepler check, history by phase."""

import math
from dataclasses import dataclass, replace
from typing import Callable, Optional

import numpy as np

from tests.corpus.case import at

MU = 398600.4418
RE = 6378.137
J2 = 1.08263e-3
G0 = 9.80665e-3


@dataclass(frozen=True)
class State:
    t: float
    r: np.ndarray
    v: np.ndarray
    m: float

    @property
    def energy(self):
        return 0.5 * self.v @ self.v - MU / np.linalg.norm(self.r)

    @property
    def sma(self):
        return -MU / (2.0 * self.energy)


@dataclass(frozen=True)
class Burn:
    start: float
    duration: float
    thrust: float
    isp: float
    pitch: float = 0.0


@dataclass(frozen=True)
class Impulse:
    when: float
    dv: float
    direction: str = "prograde"


def gravity(r):
    d = np.linalg.norm(r)
    z2 = (r[2] / d) ** 2
    k = 1.5 * J2 * (RE / d) ** 2
    factor = np.array([1.0 + k * (1 - 5 * z2), 1.0 + k * (1 - 5 * z2), 1.0 + k * (3 - 5 * z2)])
    return -MU / d**3 * r * factor


def frame(r, v):
    t = v / np.linalg.norm(v)
    h = np.cross(r, v)
    n = h / np.linalg.norm(h)
    return {"prograde": t, "normal": n, "radial": np.cross(t, n)}


def derivative(state, burn: Optional[Burn]):
    a = gravity(state.r)
    mdot = 0.0
    if burn is not None:
        axes = frame(state.r, state.v)
        direction = math.cos(burn.pitch) * axes["prograde"] + math.sin(burn.pitch) * axes["radial"]
        a = a + burn.thrust / state.m * direction
        mdot = -burn.thrust / (burn.isp * G0)
    return state.v, a, mdot


def shift(state, k, h):
    return State(state.t + h, state.r + h * k[0], state.v + h * k[1], state.m + h * k[2])


def rk4(state, h, burn):
    k1 = derivative(state, burn)
    k2 = derivative(shift(state, k1, h / 2), burn)
    k3 = derivative(shift(state, k2, h / 2), burn)
    k4 = derivative(shift(state, k3, h), burn)
    avg = tuple((a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(k1, k2, k3, k4))
    return shift(state, avg, h)


def coast(state, duration, n, burn=None, observer: Callable = lambda s: None):
    h = duration / n
    for _ in range(n):
        state = rk4(state, h, burn)
        observer(state)
    return state


def fly(state, plan):
    apogee = [np.linalg.norm(state.r)]

    def watch(s):
        apogee.append(max(apogee[-1], np.linalg.norm(s.r)))

    for item in plan:
        if isinstance(item, Impulse):
            state = coast(state, item.when - state.t, 6, observer=watch)
            axis = frame(state.r, state.v)[item.direction]
            state = replace(state, v=state.v + item.dv * axis)
        elif isinstance(item, Burn):
            state = coast(state, item.start - state.t, 4, observer=watch)
            state = coast(state, item.duration, 5, item, watch)
        else:
            raise TypeError(item)
    return state, apogee[-1]


@at((0.08, 4.0, 200.0, 0.9))
def transfer_by_a_plan_of_maneuvers(dv, thrust, start, inclination):
    r0 = np.array([RE + 500.0, 0.0, 0.0])
    speed = math.sqrt(MU / r0[0])
    v0 = speed * np.array([0.0, math.cos(inclination), math.sin(inclination)])
    plan = [Impulse(60.0, dv), Burn(start, 120.0, thrust, 320.0, 0.05), Impulse(600.0, 0.02, "normal")]
    end, high = fly(State(0.0, r0, v0, 2000.0), plan)
    return (end.sma - 7200.0) ** 2 / 1e4 + (2000.0 - end.m) / 100.0 + (high - RE) / 1000.0

"""Attitude: a Quaternion class with operators, MEKF-like fusion of gyro and accelerometer, slerp of a schedule."""

import bisect
import math
from functools import total_ordering

import numpy as np

from tests.corpus.case import at


class Quaternion:
    __slots__ = ("w", "x", "y", "z")

    def __init__(self, w, x=0.0, y=0.0, z=0.0):
        self.w, self.x, self.y, self.z = w, x, y, z

    @classmethod
    def from_axis_angle(cls, axis, angle):
        ax = np.asarray(axis) / np.linalg.norm(axis)
        s = math.sin(angle / 2)
        return cls(math.cos(angle / 2), *(s * ax))

    def __iter__(self):
        yield from (self.w, self.x, self.y, self.z)

    def __add__(self, other):
        return Quaternion(*(a + b for a, b in zip(self, other)))

    def __neg__(self):
        return Quaternion(*(-a for a in self))

    def __mul__(self, o):
        if isinstance(o, (int, float)):
            return Quaternion(*(a * o for a in self))
        return Quaternion(
            self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
            self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
            self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
            self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w,
        )

    __rmul__ = __mul__

    def __truediv__(self, s):
        return self * (1.0 / s)

    def __abs__(self):
        return math.sqrt(sum(a * a for a in self))

    def __invert__(self):
        return Quaternion(self.w, -self.x, -self.y, -self.z) / (abs(self) ** 2)

    def __pow__(self, t):
        n = abs(self)
        angle = math.acos(self.w / n)
        v = math.sqrt(self.x**2 + self.y**2 + self.z**2)
        k = n**t * math.sin(t * angle) / v
        return Quaternion(n**t * math.cos(t * angle), self.x * k, self.y * k, self.z * k)

    def dot(self, other):
        return sum(a * b for a, b in zip(self, other))

    def normalized(self):
        return self / abs(self)

    def rotate(self, v):
        _, *r = self * Quaternion(0.0, *v) * ~self
        return np.array(r)

    def __repr__(self):
        return "Quaternion({:.3f}, {:.3f}, {:.3f}, {:.3f})".format(*self)


@total_ordering
class Key:
    def __init__(self, t, q):
        self.t, self.q = t, q

    def __eq__(self, other):
        return self.t == other.t

    def __lt__(self, other):
        return self.t < other.t


def slerp(a, b, t):
    if a.dot(b) < 0:
        b = -b
    return a * ((~a * b) ** t)


class Schedule:
    def __init__(self, keys):
        self.keys = sorted(keys)
        self.times = [k.t for k in self.keys]

    def __call__(self, t):
        i = bisect.bisect_right(self.times, t) - 1
        i = min(max(i, 0), len(self.keys) - 2)
        a, b = self.keys[i], self.keys[i + 1]
        return slerp(a.q, b.q, (t - a.t) / (b.t - a.t))


def fuse(q, gyro, acc, dt, gain):
    omega = Quaternion(0.0, *gyro)
    q = (q + 0.5 * dt * (q * omega)).normalized()
    up = (~q).rotate(np.array([0.0, 0.0, 1.0]))
    err = np.cross(acc / np.linalg.norm(acc), up)
    return (q + 0.5 * gain * (q * Quaternion(0.0, *err))).normalized()


@at(
    (
        np.array([[0.1, 0.4, 0.3], [0.2, 0.5, 0.1], [0.3, 0.2, -0.1], [0.5, 0.1, 0.0], [0.6, -0.2, 0.1]]),
        np.array([0.01, -0.02, 0.03]),
        0.1,
        0.8,
    )
)
def attitude_along_a_schedule(rates, bias, gain, angle):
    plan = Schedule(
        [
            Key(1.0, Quaternion.from_axis_angle([0, 1, 1], angle)),
            Key(0.0, Quaternion(1.0)),
            Key(2.0, Quaternion.from_axis_angle([1, 0, 0], 0.7)),
        ]
    )
    q = Quaternion(1.0)
    cost = 0.0
    for k, rate in enumerate(rates):
        q = fuse(q, rate - bias, np.array([0.1, -0.05 * k, 1.0]), 0.25, gain)
        target = plan(0.25 * (k + 1))
        error = ~target * q
        cost += error.x**2 + error.y**2 + error.z**2
    return cost + abs(q) + math.log1p(q.rotate([1.0, 0.5, 0.2])[0] ** 2)

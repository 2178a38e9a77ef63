"""SPICE-like netlist: parsed components of several classes, MNA stamps, diode Newton, transient by trapezoid."""

import math
import re

import numpy as np

from tests.corpus.case import at

NETLIST = """
* half-wave rectifier with filter
V1 in 0 SIN(0 5 50)
R1 in a 10
D1 a out
C1 out 0 470u
R2 out 0 {rload}
L1 out tail 10m
R3 tail 0 220
"""

SUFFIX = {"p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "meg": 1e6}


def number(text, params):
    if text.startswith("{"):
        return params[text.strip("{}")]
    m = re.fullmatch(r"([-+0-9.eE]+)(meg|[pnumk])?", text)
    return float(m[1]) * SUFFIX.get(m[2], 1.0)


class Component:
    def __init__(self, name, a, b):
        self.name, self.a, self.b = name, a, b

    def conductance(self, G, g):
        for x, y, s in ((self.a, self.a, 1), (self.b, self.b, 1), (self.a, self.b, -1), (self.b, self.a, -1)):
            if x >= 0 and y >= 0:
                G[x, y] += s * g

    def current(self, rhs, i):
        if self.a >= 0:
            rhs[self.a] -= i
        if self.b >= 0:
            rhs[self.b] += i

    def voltage(self, x):
        return (x[self.a] if self.a >= 0 else 0.0) - (x[self.b] if self.b >= 0 else 0.0)

    def commit(self, x, dt):
        pass


class Resistor(Component):
    def __init__(self, name, a, b, r):
        super().__init__(name, a, b)
        self.r = r

    def stamp(self, G, rhs, x, t, dt):
        self.conductance(G, 1.0 / self.r)


class Capacitor(Component):
    def __init__(self, name, a, b, c):
        super().__init__(name, a, b)
        self.c, self.v, self.i = c, 0.0, 0.0

    def stamp(self, G, rhs, x, t, dt):
        g = 2.0 * self.c / dt
        self.conductance(G, g)
        self.current(rhs, -(g * self.v + self.i))

    def commit(self, x, dt):
        v = self.voltage(x)
        self.i = 2.0 * self.c / dt * (v - self.v) - self.i
        self.v = v


class Inductor(Component):
    def __init__(self, name, a, b, henry):
        super().__init__(name, a, b)
        self.l, self.i = henry, 0.0

    def stamp(self, G, rhs, x, t, dt):
        self.conductance(G, dt / self.l)
        self.current(rhs, self.i)

    def commit(self, x, dt):
        self.i = self.i + dt / self.l * self.voltage(x)


class Diode(Component):
    isat, vt = 1e-9, 0.026 * 1.8

    def stamp(self, G, rhs, x, t, dt):
        v = min(self.voltage(x), 0.8)
        e = math.exp(v / self.vt)
        g = self.isat / self.vt * e + 1e-9
        self.conductance(G, g)
        self.current(rhs, self.isat * (e - 1.0) - g * v)


class Source(Component):
    def __init__(self, name, a, b, offset, amplitude, freq, scale):
        super().__init__(name, a, b)
        self.wave = lambda t: offset + scale * amplitude * math.sin(2 * math.pi * freq * t)

    def stamp(self, G, rhs, x, t, dt):
        self.conductance(G, 1e3)
        self.current(rhs, -1e3 * self.wave(t))


def build(text, params):
    nodes = {"0": -1}
    parts = []
    for line in text.strip().splitlines():
        if line.startswith("*"):
            continue
        name, n1, n2, *rest = line.split(None, 3)
        a, b = (nodes.setdefault(n, len(nodes) - 1) for n in (n1, n2))
        kind = name[0]
        if kind == "V":
            offset, amp, freq = map(float, rest[0][4:-1].split())
            parts.append(Source(name, a, b, offset, amp, freq, params["gain"]))
        elif kind == "D":
            parts.append(Diode(name, a, b))
        else:
            cls = {"R": Resistor, "C": Capacitor, "L": Inductor}[kind]
            value = number(rest[0], params)
            if name in params:
                value = value * params[name]
            parts.append(cls(name, a, b, value))
    return nodes, parts


def transient(nodes, parts, dt, steps):
    n = len(nodes) - 1
    x = np.zeros(n)
    trace = []
    for k in range(1, steps + 1):
        for _ in range(6):
            G, rhs = 1e-9 * np.eye(n), np.zeros(n)
            for part in parts:
                part.stamp(G, rhs, x, k * dt, dt)
            x = np.linalg.solve(G, rhs)
        for part in parts:
            part.commit(x, dt)
        trace.append(x[nodes["out"]])
    return np.array(trace)


@at((1.1, 100.0, 0.05))
def rectifier_from_a_netlist(gain, rload, c_factor):
    nodes, parts = build(NETLIST, {"gain": gain, "rload": rload, "C1": c_factor})
    out = transient(nodes, parts, 5e-4, 12)
    return out[-1] + out.max() + np.ptp(out[6:]) ** 2

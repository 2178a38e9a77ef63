"""Particles in cells in one dimension: deposition by np.add.at, field by FFT, species in a UserDict, a decorator that records."""

from __future__ import annotations

from collections import UserDict
from dataclasses import dataclass, field
from functools import wraps

import numpy as np

from tests.corpus.case import at


def diagnostic(name):
    def deco(fn):
        @wraps(fn)
        def inner(self, *args, **kw):
            out = fn(self, *args, **kw)
            self.record.setdefault(name, []).append(out)
            return out

        return inner

    return deco


@dataclass
class Species:
    x: np.ndarray
    v: np.ndarray
    q: float
    m: float = 1.0

    @property
    def kinetic(self):
        return 0.5 * self.m * np.sum(self.v**2)


class SpeciesDict(UserDict):
    def total_charge(self):
        return sum(len(s.x) * s.q for s in self.values())


@dataclass
class PIC:
    L: float
    nx: int
    species: SpeciesDict = field(default_factory=SpeciesDict)
    record: dict = field(default_factory=dict)

    @property
    def dx(self):
        return self.L / self.nx

    def weights(self, x):
        g = x / self.dx
        i = np.floor(g).astype(int)
        f = g - i
        return i % self.nx, (i + 1) % self.nx, f

    def deposit(self):
        rho = np.zeros(self.nx)
        for s in self.species.values():
            i, j, f = self.weights(s.x)
            np.add.at(rho, i, s.q * (1 - f) / self.dx)
            np.add.at(rho, j, s.q * f / self.dx)
        return rho - rho.mean()

    @diagnostic("field")
    def field_energy(self, E):
        return 0.5 * np.sum(E**2) * self.dx

    def efield(self):
        k = 2 * np.pi * np.fft.fftfreq(self.nx, self.dx)
        rk = np.fft.fft(self.deposit())
        ek = np.zeros_like(rk)
        ek[1:] = rk[1:] / (1j * k[1:])
        return np.fft.ifft(ek).real

    def step(self, dt):
        E = self.efield()
        self.field_energy(E)
        for s in self.species.values():
            i, j, f = self.weights(s.x)
            s.v = s.v + dt * s.q / s.m * ((1 - f) * E[i] + f * E[j])
            s.x = (s.x + dt * s.v) % self.L


@at(
    (
        0.11,
        0.3,
        20.0,
    )
)
def energy_of_particles_in_cells(amp, v0, mass):
    n = 8
    x = np.linspace(0, 2 * np.pi, n, endpoint=False) + 0.037
    pic = PIC(2 * np.pi, 4)
    pic.species["electrons"] = Species(x + amp * np.cos(x), v0 * np.sin(x), -0.5)
    pic.species["ions"] = Species(x[::2].copy(), np.zeros(n // 2), 1.0, mass)
    for _ in range(3):
        pic.step(0.2)
    return sum(pic.record["field"]) + sum(s.kinetic for s in pic.species.values()) + pic.species.total_charge()

"""Newton-Raphson power flow of a small grid: buses with enumerated kinds, branches as named tuples."""

import enum
from typing import NamedTuple

import numpy as np

from tests.corpus.case import at


class BusType(enum.Enum):
    SLACK = "slack"
    PV = "pv"
    PQ = "pq"


class Bus(NamedTuple):
    name: str
    kind: BusType
    p: float = 0.0
    q: float = 0.0
    v: float = 1.0


class Branch(NamedTuple):
    f: str
    t: str
    r: float
    x: float
    b: float = 0.0
    tap: float = 1.0


class Grid:
    def __init__(self, buses, branches):
        self.buses = {b.name: b for b in buses}
        self.order = list(self.buses)
        self.branches = branches
        self.iterations = 0

    def admittance(self):
        n = len(self.order)
        Y = np.zeros((n, n), dtype=complex)
        pos = {name: i for i, name in enumerate(self.order)}
        for br in self.branches:
            y = 1.0 / complex(br.r, br.x)
            i, j = pos[br.f], pos[br.t]
            Y[i, i] += (y + 0.5j * br.b) / br.tap**2
            Y[j, j] += y + 0.5j * br.b
            Y[i, j] -= y / br.tap
            Y[j, i] -= y / br.tap
        return Y

    def select(self, *kinds):
        return [i for i, name in enumerate(self.order) if self.buses[name].kind in kinds]

    def solve(self, tol=1e-9, maxiter=20):
        Y = self.admittance()
        buses = [self.buses[n] for n in self.order]
        vm = np.array([b.v for b in buses])
        va = np.zeros(len(buses))
        spec = np.array([b.p + 1j * b.q for b in buses])
        pvpq = self.select(BusType.PV, BusType.PQ)
        pq = self.select(BusType.PQ)
        for self.iterations in range(1, maxiter + 1):
            V = vm * np.exp(1j * va)
            current = Y @ V
            mis = V * np.conj(current) - spec
            F = np.concatenate([mis.real[pvpq], mis.imag[pq]])
            if np.max(np.abs(F)) < tol:
                break
            dS_dva = 1j * np.diag(V) @ np.conj(np.diag(current) - Y @ np.diag(V))
            Vn = V / vm
            dS_dvm = np.diag(V) @ np.conj(Y @ np.diag(Vn)) + np.conj(np.diag(current)) @ np.diag(Vn)
            J = np.block(
                [
                    [dS_dva.real[np.ix_(pvpq, pvpq)], dS_dvm.real[np.ix_(pvpq, pq)]],
                    [dS_dva.imag[np.ix_(pq, pvpq)], dS_dvm.imag[np.ix_(pq, pq)]],
                ]
            )
            step = np.linalg.solve(J, -F)
            va[pvpq] += step[: len(pvpq)]
            vm[pq] += step[len(pvpq) :]
        else:
            raise RuntimeError(f"no convergence after {maxiter}")
        return vm, va

    def losses(self, vm, va):
        V = vm * np.exp(1j * va)
        where = self.order.index
        out = 0.0
        for br in self.branches:
            i, j = where(br.f), where(br.t)
            current = (V[i] / br.tap - V[j]) / complex(br.r, br.x)
            out += br.r * abs(current) ** 2
        return out


@at((np.array([0.9, 0.3, 0.7, 0.25]), 0.6, 0.98, 0.12))
def losses_of_a_small_grid(load, gen, tap, reactance):
    buses = [
        Bus("north", BusType.SLACK, v=1.04),
        Bus("east", BusType.PV, p=gen, v=1.02),
        Bus("south", BusType.PQ, -load[0], -load[1]),
        Bus("west", BusType.PQ, -load[2], -load[3]),
    ]
    branches = [
        Branch("north", "south", 0.01, reactance, 0.05),
        Branch("north", "west", 0.02, 0.16, tap=tap),
        Branch("east", "south", 0.015, 0.11),
        Branch("east", "west", 0.012, 0.09, 0.03),
    ]
    grid = Grid(buses, branches)
    vm, va = grid.solve()
    penalty = sum(max(0.0, abs(v - 1.0) - 0.02) ** 2 for v in vm)
    return 100.0 * grid.losses(vm, va) + 10.0 * penalty + va[-1] ** 2

"""Physics and chemistry: whole programs as people write them."""

import itertools
import logging
import math
import warnings
from typing import NamedTuple

import numpy as np
import numpy.linalg as la
from numpy import exp, pi, sqrt

from tests.corpus.case import at, smooth, vec

log_ = logging.getLogger(__name__)


def brent(f, a, b, tol=1e-14, maxiter=100):
    fa, fb = f(a), f(b)
    if fa * fb > 0:
        raise ValueError("root not bracketed")
    if abs(fa) < abs(fb):
        a, b, fa, fb = b, a, fb, fa
    c, fc, d, mflag = a, fa, a, True
    for _ in range(maxiter):
        if fb == 0 or abs(b - a) < tol:
            break
        if fa != fc and fb != fc:
            s = (
                a * fb * fc / ((fa - fb) * (fa - fc))
                + b * fa * fc / ((fb - fa) * (fb - fc))
                + c * fa * fb / ((fc - fa) * (fc - fb))
            )
        else:
            s = b - fb * (b - a) / (fb - fa)
        low, high = sorted([(3 * a + b) / 4, b])
        if not low < s < high or (mflag and abs(s - b) >= abs(b - c) / 2) or (not mflag and abs(s - b) >= abs(c - d) / 2):
            s = (a + b) / 2
            mflag = True
        else:
            mflag = False
        fs = f(s)
        d, c, fc = c, b, fb
        if fa * fs < 0:
            b, fb = s, fs
        else:
            a, fa = s, fs
        if abs(fa) < abs(fb):
            a, b, fa, fb = b, a, fb, fa
    return b


@at((0.3, 1.7))
def kepler_orbit_radius(ecc, mean_anomaly):
    E = brent(lambda E: E - ecc * math.sin(E) - mean_anomaly, 0.0, 2 * math.pi)
    for _ in range(2):
        E -= (E - ecc * math.sin(E) - mean_anomaly) / (1 - ecc * math.cos(E))
    r = 1 - ecc * math.cos(E)
    nu = 2 * math.atan2(math.sqrt(1 + ecc) * math.sin(E / 2), math.sqrt(1 - ecc) * math.cos(E / 2))
    return r * math.cos(nu)


@at((0.5, 0.05, 2.0))
def pipe_pressure_drop(diameter, roughness, velocity):
    rho, mu, length = 998.0, 1e-2, 10.0
    Re = rho * velocity * diameter / mu
    regime = "laminar" if Re < 2300 else "turbulent"
    if regime == "laminar":
        f = 64 / Re
    else:
        f, previous = 0.02, None
        while previous is None or abs(f - previous) > 1e-14:
            previous = f
            f = (-2 * math.log10(roughness / diameter / 3.7 + 2.51 / (Re * math.sqrt(f)))) ** -2
    return f * length / diameter * 0.5 * rho * velocity**2 / 1e4


ANTOINE = {"benzene": (6.90565, 1211.033, 220.79), "toluene": (6.95464, 1344.8, 219.482), "xylene": (6.99052, 1453.43, 215.307)}


@at((95.0, vec(0.4, 0.35, 0.25), 760.0))
def flash_drum(T, z, P):
    K = np.array([10 ** (A - B / (C + T)) / P for A, B, C in ANTOINE.values()])
    K = K * 1.15
    lo, hi = 1 / (1 - K.max()) + 1e-6, 1 / (1 - K.min()) - 1e-6

    def rr(v):
        return np.sum(z * (K - 1) / (1 + v * (K - 1)))

    v = 0.5
    for it in range(40):
        g = rr(v)
        dg = -np.sum(z * (K - 1) ** 2 / (1 + v * (K - 1)) ** 2)
        step = g / dg
        new = v - step
        if new <= lo or new >= hi:
            new = (lo + hi) / 2
        v = new
        if abs(step) < 1e-14:
            break
    x = z / (1 + v * (K - 1))
    y = K * x
    return v + y[0] - x[2]


@at(
    (1.1, 0.9),
)
def van_der_waals_liquid(T, P):
    # reduced: (P + 3/V^2)(3V - 1) = 8 T
    coeffs = [3 * P, -(P + 8 * T), 9.0, -3.0]
    V = 3.0
    for _ in range(60):
        p = dp = 0.0
        for c in coeffs:
            dp = dp * V + p
            p = p * V + c
        V -= p / dp
        if abs(p) < 1e-14:
            break
    return V**2 + math.log(3 * V - 1)


@at((vec(0.02, 0.3, 0.1), 42), wrt=(0,))
def mean_field_gillespie(rates, seed):
    rng = np.random.default_rng(seed)
    stoich = np.array([[-1, 1, 0], [0, -1, 1], [1, 0, -1]])
    propensities = [lambda s: rates[0] * s[0] * s[1], lambda s: rates[1] * s[1], lambda s: rates[2] * s[2]]
    state = np.array([50, 5, 0], dtype=float)
    for _ in range(5):
        a = np.array([p(state) for p in propensities])
        noise = rng.standard_normal(3)
        fires = a * 0.1 + np.sqrt(a * 0.1 + 1e-6) * noise * 0.1
        state = state + fires @ stoich
    return state[1] / state.sum()


W9 = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
CX = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
CY = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
OPP = [0, 3, 4, 1, 2, 7, 8, 5, 6]


@at((0.8, smooth(4, 4, low=0.9, high=1.1)))
def lattice_boltzmann(tau, rho0):
    obstacle = np.zeros((4, 4), dtype=bool)
    obstacle[1, 2] = True
    f = W9[:, None, None] * rho0
    for _ in range(3):
        for i in range(9):
            f[i] = np.roll(np.roll(f[i], CX[i], axis=1), CY[i], axis=0)
        bounced = f[:, obstacle][OPP]
        rho = f.sum(axis=0)
        ux = np.tensordot(CX, f, axes=1) / rho
        uy = np.tensordot(CY, f, axes=1) / rho
        feq = np.zeros_like(f)
        for i, (cx, cy, w) in enumerate(zip(CX, CY, W9)):
            cu = cx * ux + cy * uy
            feq[i] = rho * w * (1 + 3 * cu + 4.5 * cu**2 - 1.5 * (ux**2 + uy**2))
        f += -(f - feq) / tau
        f[:, obstacle] = bounced
        ux[obstacle] = 0
    return np.sum(ux**2 + uy**2) * 1e3 + f[3, 0, 1]


@at((smooth(5, 2, low=0.0, high=3.0), 1.0, 0.3))
def lennard_jones_cluster(pos, eps, sigma):
    box = np.array([3.0, 3.0])
    pairs = [(i, j) for i, j in itertools.combinations(range(len(pos)), 2)]
    i, j = np.array(pairs).T
    vel = np.zeros_like(pos)
    dt = 0.01
    for _ in range(2):
        d = pos[i] - pos[j]
        d -= box * np.round(d / box)
        r2 = np.einsum("ij,ij->i", d, d)
        s6 = (sigma**2 / r2) ** 3
        fmag = 24 * eps * (2 * s6**2 - s6) / r2
        F = np.zeros_like(pos)
        np.add.at(F, i, fmag[:, None] * d)
        np.subtract.at(F, j, fmag[:, None] * d)
        vel += dt * F
        pos = (pos + dt * vel) % box
    return np.sum(4 * eps * (s6**2 - s6)) + np.sum(vel**2) + pos[0, 0]


@at((vec(1.0, -1.0), smooth(2, 3, low=0.0, high=1.0), 1.4))
def ewald_energy(q, r, alpha):
    L = 1.0
    energy = 0.0
    images = list(itertools.product((0, 1), repeat=3))
    for n in images:
        shift = np.array(n) * L
        for i in range(2):
            for j in range(2):
                if n == (0, 0, 0) and i == j:
                    continue
                d = la.norm(r[i] - r[j] + shift)
                energy += 0.5 * q[i] * q[j] * math.erfc(alpha * d) / d
    for k in images:
        if k == (0, 0, 0):
            continue
        kv = 2 * pi / L * np.array(k)
        k2 = kv @ kv
        S = sum(q[i] * np.exp(1j * (kv @ r[i])) for i in range(2))
        energy += 2 * pi / L**3 * exp(-k2 / (4 * alpha**2)) / k2 * abs(S) ** 2
    energy -= alpha / sqrt(pi) * np.sum(q**2)
    return energy


@at((1.2, 0.5))
def two_level_scf(bond, U):
    S = np.array([[1.0, np.exp(-bond)], [np.exp(-bond), 1.0]])
    h = np.array([[-1.0, -0.8 * np.exp(-0.5 * bond)], [-0.8 * np.exp(-0.5 * bond), -0.6]])
    s, V = np.linalg.eigh(S)
    X = V @ np.diag(s**-0.5) @ V.T
    D = np.zeros((2, 2))
    energy_old = 0.0
    converged = False
    for cycle in range(60):
        F = h + U * np.diag(np.diag(D))
        e, C = np.linalg.eigh(X.T @ F @ X)
        C = X @ C
        occ = C[:, :1]
        D_new = occ @ occ.T
        D = 0.5 * D + 0.5 * D_new
        energy = np.sum(D * (h + F))
        if abs(energy - energy_old) < 1e-13:
            converged = True
            break
        energy_old = energy
    if not converged:
        warnings.warn("SCF did not converge")
    return energy


class Layer(NamedTuple):
    name: str
    thickness: float
    absorption: float
    scattering: float


@at((vec(0.2, 0.5, 0.3), vec(1.0, 0.4, 2.0), 1.0))
def two_stream_atmosphere(absorption, thickness, mu0):
    layers = [Layer(n, t, a, 0.3) for n, t, a in zip(("cloud", "haze", "clear"), thickness, absorption)]
    R, T = 0.3, 1.0
    for layer in reversed(layers):
        tau = layer.thickness * (layer.absorption + layer.scattering)
        w = layer.scattering / (layer.absorption + layer.scattering)
        g = 0.85 if layer.name == "cloud" else 0.6
        gamma1 = (7 - w * (4 + 3 * g)) / 4
        gamma2 = -(1 - w * (4 - 3 * g)) / 4
        k = math.sqrt(gamma1**2 - gamma2**2)
        r = gamma2 * math.sinh(k * tau) / (k * math.cosh(k * tau) + gamma1 * math.sinh(k * tau))
        t = k / (k * math.cosh(k * tau) + gamma1 * math.sinh(k * tau))
        R = r + t * t * R / (1 - r * R)
        T *= t
    return R + T / mu0


@at((vec(0.3, 0.8, 0.2, 1.1),))
def approximate_optimisation_of_a_cut(angles):
    edges, n = [(0, 1), (1, 2), (2, 0)], 3
    bits = np.array(list(itertools.product([0, 1], repeat=n)))
    cut = sum(bits[:, i] ^ bits[:, j] for i, j in edges)
    psi = np.full(2**n, 2 ** (-n / 2), dtype=np.complex128)
    for phase, turn in zip(angles[::2], angles[1::2], strict=True):
        psi = psi * np.exp(-1j * phase * cut)
        psi = psi.reshape([2] * n)
        gate = np.array([[np.cos(turn), -1j * np.sin(turn)], [-1j * np.sin(turn), np.cos(turn)]])
        for q in range(n):
            psi = np.moveaxis(np.tensordot(gate, psi, axes=(1, q)), 0, q)
        psi = psi.ravel()
    return np.real(np.vdot(psi, cut * psi))

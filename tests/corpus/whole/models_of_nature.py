"""Models of nature: whole programs as people write them."""

import math
from dataclasses import dataclass, field

import numpy as np

from tests.corpus.case import at, smooth, vec


class Reach:
    def __init__(self, k, x, upstream=()):
        self.k, self.x, self.upstream = k, x, upstream

    def outflow(self, inflows, dt=1.0):
        if self.upstream:
            q_in = sum(r.outflow(inflows, dt) for r in self.upstream)
        else:
            q_in = inflows
        d = 2 * self.k * (1 - self.x) + dt
        c0, c1 = (dt - 2 * self.k * self.x) / d, (dt + 2 * self.k * self.x) / d
        c2 = 1 - c0 - c1
        out = np.empty_like(q_in)
        out[0] = q_in[0]
        for t in range(1, len(q_in)):
            out[t] = c0 * q_in[t] + c1 * q_in[t - 1] + c2 * out[t - 1]
        return out


@at((vec(1.5, 2.0, 1.2), 0.2, vec(1.0, 3.0, 6.0, 4.0, 2.0)))
def river_routing(k, x, inflow):
    left, right = Reach(k[0], x), Reach(k[1], x)
    outlet = Reach(k[2], x / 2, (left, right))
    q = outlet.outflow(inflow)
    return q.max() + 0.1 * (q**2).sum()


@at(
    (vec(0.4, -0.3), smooth(6, 2, low=-1.0, high=1.0), np.array([5.0, 3.0, 3.0, 8.0, 1.0, 7.0]), np.array([1, 1, 1, 0, 1, 1])),
    wrt=(0, 1),
)
def cox_efron(beta, X, time, event):
    order = np.argsort(-time, kind="stable")
    X, time, event = X[order], time[order], event[order]
    risk = np.exp(X @ beta)
    ll = 0.0
    cumulative = 0.0
    i = 0
    while i < len(time):
        j = i
        tied_risk = 0.0
        tied_count = 0
        tied_eta = 0.0
        while j < len(time) and time[j] == time[i]:
            cumulative += risk[j]
            if event[j]:
                tied_count += 1
                tied_risk += risk[j]
                tied_eta += X[j] @ beta
            j += 1
        ll += tied_eta
        for m in range(tied_count):
            ll -= np.log(cumulative - m / tied_count * tied_risk)
        i = j
    return ll


@at((vec(1.0, 0.8, 1.3, 0.9, 1.1), [3, 5, 5, 7, 9], [True, True, False, True, False]), wrt=(0,))
def weighted_kaplan_meier(weights, times, observed):
    surv = 1.0
    curve = {}
    for t in sorted(set(times)):
        at_risk = sum(w for w, ti in zip(weights, times) if ti >= t)
        deaths = sum(w for w, ti, o in zip(weights, times, observed) if ti == t and o)
        surv *= 1 - deaths / at_risk
        curve[t] = surv
    area, last_t, last_s = 0.0, 0, 1.0
    for t, s in curve.items():
        area += last_s * (t - last_t)
        last_t, last_s = t, s
    return area + curve[7] ** 2


@at(
    (vec(0.0, 1.2, 1.8), vec(0.5, 0.7), vec(10.0, 6.0, 3.0)),
)
def leslie_growth(fecundity, survival, n0):
    L = np.zeros((3, 3))
    L[0] = fecundity
    L[np.arange(1, 3), np.arange(2)] = survival
    n = n0
    totals = [n.sum()]
    for year in range(5):
        crowding = 1 / (1 + totals[-1] / 50)
        M = L.copy()
        M[0, :] *= crowding
        n = M @ n
        totals.append(n.sum())
    return np.log(totals[-1] / totals[0]) + n[0] / n.sum()


KERNELS = dict(
    gaussian=lambda r, eps: np.exp(-((eps * r) ** 2)),
    multiquadric=lambda r, eps: np.sqrt(1 + (eps * r) ** 2),
)


@dataclass
class RBF:
    centers: np.ndarray
    values: np.ndarray
    kernel: str = "gaussian"
    eps: float = 1.0
    weights: np.ndarray = field(init=False)

    def __post_init__(self):
        diff = self.centers[:, None, :] - self.centers[None, :, :]
        r = np.sqrt(np.sum(diff**2, axis=-1) + 1e-12)
        self.weights = np.linalg.solve(KERNELS[self.kernel](r, self.eps), self.values)

    def __call__(self, points):
        r = np.sqrt(((points[:, None] - self.centers) ** 2).sum(-1) + 1e-12)
        return KERNELS[self.kernel](r, self.eps) @ self.weights


@at((smooth(4, 2, low=-1.0, high=1.0), smooth(4, seed=6), 1.3))
def rbf_surfaces(centers, values, eps):
    points = np.array([[0.1, 0.2], [-0.4, 0.5], [0.7, -0.3]])
    total = 0
    for name in KERNELS:
        total += np.sum(RBF(centers, values, name, eps)(points) ** 2)
    return total


@at(
    (vec(-0.5, 0.1, 0.3, 1.9, 2.2, 2.6), vec(0.0, 2.0), vec(0.5, 0.6)),
)
def em_mixture(data, mu, sd):
    pi = np.array([0.5, 0.5])
    for _ in range(3):
        dens = np.exp(-0.5 * ((data[:, np.newaxis] - mu) / sd) ** 2) / (sd * np.sqrt(2 * np.pi))
        joint = pi * dens
        resp = joint / joint.sum(axis=1, keepdims=True)
        nk = resp.sum(axis=0)
        pi = nk / len(data)
        mu = (resp * data[:, None]).sum(0) / nk
        sd = np.sqrt((resp * (data[:, None] - mu) ** 2).sum(0) / nk)
    return np.log(joint.sum(axis=1)).sum() + mu[1] - mu[0]


@at((vec(0.5, -0.2), vec(0.3, 0.8), 0.1))
def hamiltonian_error(q, p, eps):
    def potential(z):
        return 0.5 * z[0] ** 2 + 5 * (z[1] - z[0] ** 2) ** 2

    def grad_potential(z):
        common = 10 * (z[1] - z[0] ** 2)
        return np.array([z[0] - 2 * z[0] * common, common])

    H0 = potential(q) + 0.5 * p @ p
    q, p = q.copy(), p.copy()
    p -= 0.5 * eps * grad_potential(q)
    for i in range(5):
        q += eps * p
        if i != 4:
            p -= eps * grad_potential(q)
    p -= 0.5 * eps * grad_potential(q)
    H1 = potential(q) + 0.5 * p @ p
    return min(1.0, math.exp(H0 - H1)) + 10 * (H1 - H0)


@at((vec(0.4, 0.1), np.array([[1, -1, 1], [1, 1, -1], [-1, 1, 1]])), wrt=(0,))
def ising_pseudolikelihood(params, spins):
    coupling, external = params
    rows, cols = spins.shape
    ll = 0.0
    for i in range(rows):
        for j in range(cols):
            neighbours = spins[(i + 1) % rows, j] + spins[i - 1, j] + spins[i, (j + 1) % cols] + spins[i, j - 1]
            field_ = coupling * neighbours + external
            ll -= np.log1p(np.exp(-2 * spins[i, j] * field_))
    return ll

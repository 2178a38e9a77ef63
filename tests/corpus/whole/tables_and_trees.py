"""Tables and trees: whole programs as people write them."""

import functools
import re

import numpy as np

from tests.corpus.case import at, smooth, vec


class Joint:
    def __init__(self, length):
        self.length = length

    def transform(self, q):
        raise NotImplementedError


class Revolute(Joint):
    def transform(self, q):
        c, s = np.cos(q), np.sin(q)
        return np.array([[c, -s, self.length * c], [s, c, self.length * s], [0, 0, 1]])


class Prismatic(Joint):
    def transform(self, q):
        T = np.eye(3)
        T[0, 2] = self.length + q
        return T


class Arm:
    def __init__(self, joints):
        self.joints = joints

    def forward(self, q):
        T = functools.reduce(np.matmul, (j.transform(qi) for j, qi in zip(self.joints, q)), np.eye(3))
        return T[:2, 2]

    def jacobian(self, q, h=1e-4):
        cols = []
        for k in range(len(q)):
            dq = np.zeros_like(q)
            dq[k] = h
            cols.append((self.forward(q + dq) - self.forward(q - dq)) / (2 * h))
        return np.stack(cols, axis=-1)


@at((vec(0.3, 0.6, 0.2), vec(1.0, 0.8, 0.3), vec(1.2, 1.0)))
def inverse_kinematics(q, lengths, target):
    arm = Arm([Revolute(lengths[0]), Revolute(lengths[1]), Prismatic(lengths[2])])
    for _ in range(3):
        e = target - arm.forward(q)
        J = arm.jacobian(q)
        q = q + J.T @ np.linalg.solve(J @ J.T + 0.05 * np.eye(2), e)
    return np.sum((target - arm.forward(q)) ** 2) + 0.1 * q[2]


def rotate_bilinear(img, angle):
    n = img.shape[0]
    c = (n - 1) / 2
    ys, xs = np.mgrid[0:n, 0:n] - c
    x = np.cos(angle) * xs + np.sin(angle) * ys + c
    y = -np.sin(angle) * xs + np.cos(angle) * ys + c
    x0, y0 = np.floor(x).astype(int), np.floor(y).astype(int)
    fx, fy = x - x0, y - y0
    out = np.zeros_like(img)
    for dx, dy in [(0, 0), (0, 1), (1, 0), (1, 1)]:
        xi, yi = x0 + dx, y0 + dy
        ok = (xi >= 0) & (xi < n) & (yi >= 0) & (yi < n)
        w = (fx if dx else 1 - fx) * (fy if dy else 1 - fy)
        out[ok] += w[ok] * img[yi[ok], xi[ok]]
    return out


@at((smooth(4, 4), vec(0.1, 0.5, 1.1)))
def radon_misfit(img, angles):
    sino = np.array([rotate_bilinear(img, a).sum(axis=0) for a in angles])
    return np.sum((sino - 2.0) ** 2) / sino.size


@at((smooth(6, low=-1.0, high=1.0), smooth(6, seed=2, low=-1.0, high=1.0)))
def phase_retrieval(re, im):
    x = re + 1j * im
    masks = np.exp(1j * np.outer(np.arange(3), np.arange(6)) * 0.7)
    truth = np.array([0.3, 0.5 + 0.1j, -0.2, 0.9j, 0.1, -0.6])
    loss = 0.0
    for m in masks:
        measured = np.abs(np.fft.fft(m * truth))
        model = np.fft.fft(m * x)
        estimate = measured * model / np.abs(model)
        loss += np.linalg.norm(model - estimate) ** 2
    return loss / (2 * len(masks))


@at((vec(0.5, 1.0), 0.05))
def split_step(params, dt):
    x0, k0 = params
    n = 16
    x = np.linspace(-4, 4, n, endpoint=False)
    k = 2 * np.pi * np.fft.fftfreq(n, d=x[1] - x[0])
    psi = np.exp(-((x - x0) ** 2)) * np.exp(1j * k0 * x)
    psi /= np.sqrt(np.sum(np.abs(psi) ** 2))
    expV = np.exp(-0.5j * dt * 0.5 * x**2)
    expT = np.exp(-0.5j * dt * k**2)
    for _ in range(4):
        psi = expV * psi
        psi = np.fft.ifft(expT * np.fft.fft(psi))
        psi *= expV
    density = (psi.conj() * psi).real
    return np.sum(density * x) + np.sum(density**2)


UNITS = {"m": 1.0, "km": 1e3, "cm": 0.01, "s": 1.0, "min": 60.0, "h": 3600.0}


def convert(value, unit):
    match_ = re.fullmatch(r"(\w+)(?:/(\w+))?", unit)
    top, bottom = match_.groups()
    factor = UNITS[top]
    if bottom:
        factor /= UNITS[bottom]
    return value * factor


@at(
    (30.0, 72.0, 0.7),
)
def stopping_distance(reaction, speed, friction):
    config = {"speed_unit": "km/h", "gravity": 9.81, "reaction_unit": "s"}
    v = convert(speed, config["speed_unit"])
    t = convert(reaction / 20, config["reaction_unit"])
    return v * t + v**2 / (2 * friction * config["gravity"])


@at((vec(1.0, 0.5, 2.0, 1.0, 0.7, 1.2), 0.85))
def page_rank(weights, damping):
    src = np.array([0, 0, 1, 2, 3, 3])
    dst = np.array([1, 2, 2, 0, 2, 0])
    n = 4
    out = np.zeros(n)
    np.add.at(out, src, weights)
    p = weights / out[src]
    rank = np.ones(n) / n
    for it in range(60):
        new = np.bincount(dst, weights=p * rank[src], minlength=n)
        new = damping * new + (1 - damping) / n
        err = np.abs(new - rank).sum()
        rank = new
        if err < 1e-13:
            break
    return -np.sum(rank * np.log(rank))


NETLIST = """
R1 in a 100
C1 a 0 1e-6
L1 a out 0.01
R2 out 0 {load}
"""


@at(
    (vec(100.0, 1e-1, 1.0, 50.0), 800.0),
)
def netlist_gain(values, frequency):
    lines = [ln.split() for ln in NETLIST.strip().splitlines()]
    nodes = sorted({n for _, a, b, _ in lines for n in (a, b)} - {"0", "in"})
    index = {name: k for k, name in enumerate(nodes)}
    w = 2 * np.pi * frequency * 1e-2
    Y = np.zeros((len(nodes), len(nodes)), dtype=complex)
    rhs = np.zeros(len(nodes), dtype=complex)
    for (name, a, b, _), value in zip(lines, values):
        kind = name[0]
        if kind == "R":
            y = 1 / value
        elif kind == "C":
            y = 1j * w * value * 1e-2
        elif kind == "L":
            y = 1 / (1j * w * value)
        for p, q in ((a, b), (b, a)):
            if p in index:
                Y[index[p], index[p]] += y
                if q in index:
                    Y[index[p], index[q]] -= y
                elif q == "in":
                    rhs[index[p]] += y
    v = np.linalg.solve(Y, rhs)
    return 20 * np.log10(np.abs(v[index["out"]]))

"""Pseudo-spectral vorticity solver: cached wavenumbers, dealiasing mask, integrating factor, diagnostics recorder."""

import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tests.corpus.case import at


@lru_cache(maxsize=8)
def wavenumbers(n):
    k = np.fft.fftfreq(n, 1.0 / n)
    kx, ky = np.meshgrid(k, k, indexing="ij")
    k2 = kx**2 + ky**2
    inv = np.divide(1.0, k2, out=np.zeros_like(k2), where=k2 > 0)
    mask = (np.abs(kx) < n / 3) & (np.abs(ky) < n / 3)
    return kx, ky, k2, inv, mask


class Timer:
    def __init__(self):
        self.totals = {}

    @contextmanager
    def section(self, name):
        t0 = time.perf_counter()
        try:
            yield
        finally:
            self.totals[name] = self.totals.get(name, 0.0) + time.perf_counter() - t0


@dataclass
class Recorder:
    every: int = 1
    energy: list = None
    enstrophy: list = None

    def __post_init__(self):
        self.energy = []
        self.enstrophy = []

    def __call__(self, step, what):
        if step % self.every:
            return
        _, _, k2, inv, _ = wavenumbers(what.shape[0])
        n = what.size
        self.energy.append(0.5 * np.sum(np.abs(what) ** 2 * inv) / n**2)
        self.enstrophy.append(0.5 * np.sum(np.abs(what) ** 2) / n**2)


def nonlinear(what):
    kx, ky, k2, inv, mask = wavenumbers(what.shape[0])
    psi = what * inv
    u = np.fft.ifft2(1j * ky * psi).real
    v = np.fft.ifft2(-1j * kx * psi).real
    wx = np.fft.ifft2(1j * kx * what).real
    wy = np.fft.ifft2(1j * ky * what).real
    return -np.fft.fft2(u * wx + v * wy) * mask


def step(what, dt, nu, forcing):
    _, _, k2, _, _ = wavenumbers(what.shape[0])
    E = np.exp(-nu * k2 * dt)
    k1 = nonlinear(what) + forcing
    k2_ = nonlinear(E * (what + dt * k1)) + forcing
    return E * (what + 0.5 * dt * k1) + 0.5 * dt * k2_


@at(
    (
        np.random.default_rng(2).normal(size=(4, 4)) * 0.5,
        0.05,
        0.3,
    )
)
def decay_of_spectral_vorticity(w0, nu, amp):
    timer = Timer()
    rec = Recorder()
    n = w0.shape[0]
    grid = np.arange(n) * 2 * np.pi / n
    forcing = np.fft.fft2(amp * np.cos(grid)[:, None] * np.ones(n))
    what = np.fft.fft2(w0)
    for i in range(3):
        with timer.section("step"):
            what = step(what, 0.1, nu, forcing)
        rec(i, what)
    decay = rec.energy[0] - rec.energy[-1]
    return decay + rec.enstrophy[-1] + 0.1 * np.fft.ifft2(what).real[1, 2] ** 2

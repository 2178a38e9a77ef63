"""D2Q9 lattice Boltzmann with obstacles mask, params via SimpleNamespace, in-place streaming with np.roll, probes by property."""

from types import SimpleNamespace

import numpy as np

from tests.corpus.case import at

C = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
W = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
OPP = [0, 3, 4, 1, 2, 7, 8, 5, 6]


class LBM:
    def __init__(self, shape, cfg):
        self.cfg = cfg
        self.f = W[:, None, None] * np.ones((9, *shape))
        self.solid = np.zeros(shape, dtype=bool)
        self.t = 0

    @property
    def rho(self):
        return self.f.sum(axis=0)

    @property
    def velocity(self):
        return np.einsum("qi,qxy->ixy", C, self.f) / self.rho

    def equilibrium(self, rho, u):
        cu = np.einsum("qi,ixy->qxy", C, u)
        usq = (u**2).sum(axis=0)
        return rho * W[:, None, None] * (1 + 3 * cu + 4.5 * cu**2 - 1.5 * usq)

    def step(self):
        cfg = self.cfg
        u = self.velocity
        u[0] += cfg.force / self.rho
        feq = self.equilibrium(self.rho, u)
        post = self.f - (self.f - feq) / cfg.tau
        bounced = post[OPP]
        post[:, self.solid] = bounced[:, self.solid]
        for q, (cx, cy) in enumerate(C):
            self.f[q] = np.roll(post[q], (cx, cy), axis=(0, 1))
        self.t += 1
        return self

    def run(self, n, every=2):
        for k in range(n):
            self.step()
            if k % every == 0:
                yield self.t, self.velocity[0][~self.solid].mean()


@at((0.8, 0.01, 0.1))
def flow_past_an_obstacle(tau, force, spread):
    sim = LBM((5, 4), SimpleNamespace(tau=tau, force=force))
    sim.solid[2, 1] = True
    sim.f[1] *= 1 + spread * np.sin(np.arange(5.0))[:, None]
    series = dict(sim.run(4))
    return 1e2 * list(series.values())[-1] + sim.rho.std() + sum(t * v for t, v in series.items())

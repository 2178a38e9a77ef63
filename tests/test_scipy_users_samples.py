"""Promise: what SciPy's users do with samples, places and sparse matrices has its derivative.

The judge is that of the tables: value to the bit, both modes, differences and second order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
from scipy import sparse, spatial, stats
from scipy.sparse.linalg import lsmr, lsqr, svds
from scipy.sparse.linalg import norm as spnorm
from scipy.spatial.transform import Rotation, Slerp

from tests.tables.cell import Cell, judge

P = np.array([1.3, 0.7, 0.4])
T = np.linspace(0.0, 4.0, 25)
NOISE = np.random.default_rng(3).normal(size=25) * 0.1
PTS = np.random.default_rng(4).uniform(-1, 1, (12, 2))
P3 = np.random.default_rng(4).uniform(-1, 1, (9, 3))
FIXED = Rotation.from_euler("xyz", [0.1, 0.2, 0.3])
SEVERAL = Rotation.from_euler("xyz", [[0.1, 0.2, 0.3], [0.5, -0.3, 0.2], [1.0, 0.4, 0.1]])
PROGRAMS: list[Callable[[Any], Any]] = []


def program(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROGRAMS.append(f)
    return f


def samples(p: Any) -> Any:
    return p[0] * np.sin(T) + NOISE, p[1] * T * 0.2 + NOISE[::-1], p[2] * np.cos(T) + NOISE**2


@program
def spearman(p: Any) -> Any:
    a, b, c = samples(p)
    r = stats.spearmanr(a, b)
    rho, _pv = stats.spearmanr(a, c)
    return r.statistic * p[1] + r.pvalue * p[0] + rho * p[2] + r.correlation * p[2] + r[0] * p[1]


@program
def kendall(p: Any) -> Any:
    a, b, c = samples(p)
    return (
        stats.kendalltau(a, b).statistic * p[1]
        + stats.mannwhitneyu(a, b).pvalue * p[0]
        + stats.wilcoxon(a, b)[0] * p[0]
        + stats.ranksums(a, c).statistic * p[0]
        + stats.ks_2samp(a, b, alternative="less").statistic * p[0]
    )


@program
def kruskal(p: Any) -> Any:
    a, b, c = samples(p)
    h, pv = stats.kruskal(a, b, c)
    return h * p[0] + pv * p[1] + stats.friedmanchisquare(a, b, c).statistic * p[0]


@program
def levene(p: Any) -> Any:
    a, b, c = samples(p)
    w, pv = stats.levene(a, b, c)
    return w + pv + stats.levene(a, c[:10], center="mean").statistic


@program
def bartlett(p: Any) -> Any:
    a, b, c = samples(p)
    w, pv = stats.bartlett(a, b, c)
    return w + pv + stats.bartlett(a, c[:10]).statistic


@program
def binned(p: Any) -> Any:
    r = stats.binned_statistic(T, p[0] * np.sin(p[1] * T), statistic="mean", bins=5)
    s, e, _n = stats.binned_statistic(T * p[0], p[0] * np.sin(p[1] * T), statistic="std", bins=4)
    return (
        np.sum(r.statistic**2)
        + np.sum(r.binnumber * p[0])
        + np.sum(s**2)
        + np.sum(e**2)
        + np.sum(stats.binned_statistic(T, p[0] * T, "sum", bins=4, range=(1.0, 3.0))[0] ** 2)
    )


@program
def h2d(p: Any) -> Any:
    h, _xe, _ye = np.histogram2d(PTS[:, 0], PTS[:, 1], bins=3, weights=np.exp(p[0] * PTS[:, 0]))
    k, a, b = np.histogram2d(PTS[:, 0] * p[1], PTS[:, 1], bins=[2, 4], density=True, weights=np.exp(p[0] * PTS[:, 0]))
    g = np.histogram2d(
        PTS[:, 0] * p[1], PTS[:, 1], bins=[2, 4], range=[[-0.5, 0.5], [-1, 0.7]], weights=np.exp(p[0] * PTS[:, 0])
    )[0]
    return np.sum(h**2) + np.sum(k**3) + np.sum(a**2) + np.sum(b) + np.sum(g**2)


@program
def tmeans(p: Any) -> Any:
    return (
        stats.tmean(p[0] * T, (0.5, 3.03))
        + stats.tvar(p[0] * T)
        + stats.tstd(T * p[1], (None, 2.01))
        + stats.tsem(T * p[2])
        + np.sum(stats.tmean(np.outer(p, T), axis=0) ** 2)
        + stats.tvar(p[0] * T, (0.5, 3.03), (False, True), ddof=0)
    )


@program
def fits(p: Any) -> Any:
    a, b, c = samples(p)
    m, s = stats.norm.fit(a)
    low, w = stats.expon.fit(b)
    u, v = stats.uniform.fit(c)
    return m * s + low * w + u * v


@program
def first_fixed(p: Any) -> Any:
    r = FIXED * Rotation.from_rotvec(p)
    return np.sum(r.apply([1.0, 2.0, 3.0]) ** 3) + (FIXED * FIXED).as_quat()[0] * p[0]


@program
def several_fixed(p: Any) -> Any:
    r = SEVERAL * Rotation.from_rotvec(p) * SEVERAL
    return np.sum(r.apply([1.0, 2.0, 3.0]) ** 3) + r[1].as_quat()[0] + np.sum(r[:2].as_rotvec() ** 3)


@program
def slerp(p: Any) -> Any:
    key = Rotation.from_rotvec(np.array([[0.0, 0.0, 0.0], [0.1, 0.2, 0.3], [0.4, -0.5, 0.6]]) * p[0])
    s = Slerp([0.0, 1.0, 3.0], key)
    return np.sum(s([0.3 * p[1], 1.9]).apply([1.0, 2.0, 3.0]) ** 3) + s(p[2]).as_quat()[1]


@program
def slerp_fixed(p: Any) -> Any:
    s = Slerp([0.0, 1.0, 3.0], SEVERAL)
    return np.sum(s(p * 2).as_matrix() ** 3)


@program
def slerp_knots(p: Any) -> Any:
    key = Rotation.from_rotvec(np.array([[0.0, 0.0, 0.0], [0.1, 0.2, 0.3], [0.4, -0.5, 0.6]]) * p[0])
    s = Slerp([0.0, p[1], 3.0], key)
    return np.sum(s(np.array([0.3, 1.9])).as_euler("xyz"))


@program
def procr(p: Any) -> Any:
    a = PTS * p[0] + np.array([p[1], p[2]]) * PTS**2
    m1, m2, d = spatial.procrustes(PTS, a)
    return d + np.sum(m2**3) + np.sum(m1) * p[0]


@program
def procr3(p: Any) -> Any:
    m1, m2, d = spatial.procrustes(P3 * p, P3**2 + p)
    return d + np.sum(m2**3) + np.sum(m1**3)


@program
def dmat(p: Any) -> Any:
    return (
        np.sum(spatial.distance_matrix(PTS * p[0], PTS[:4] * p[1]) ** 3)
        + np.sum(spatial.distance_matrix(PTS * p[0], PTS[:4] * p[1], p=1))
        + np.sum(spatial.minkowski_distance(PTS * p[0], PTS * p[1] + 0.1, 3))
        + np.sum(spatial.distance_matrix(PTS * p[0], PTS * p[0]))
    )


def band(p: Any, **kw: Any) -> Any:
    return sparse.diags([-p[0] * np.ones(7), 2 * p[1] + np.arange(8.0), -p[2] * np.ones(7)], [-1, 0, 1], format="csr")


def dup(p):
    return sparse.coo_matrix((np.array([p[0], p[1], p[2], p[0]]), ([0, 0, 1, 2], [1, 1, 2, 0])), shape=(3, 3)).tocsr()


@program
def sums(p: Any) -> Any:
    A = band(p)
    B = sparse.csr_array(A)
    r = np.asarray(A.sum(axis=1)).ravel()
    return (
        np.sum(r**2)
        + np.sum(B.sum(axis=0) ** 3)
        + np.sum(B.sum(axis=-1) ** 2)
        + A.mean() ** 2
        + np.sum(A.sum(axis=0).A1 ** 2)
        + np.sum(np.array(A.sum(0)).flatten() ** 3)
    )


@program
def laplacian(p: Any) -> Any:
    W = band(p)
    d = np.asarray(W.sum(axis=1)).flatten()
    L = sparse.diags(d) - W
    return np.sum((L @ np.arange(8.0)) ** 2)


@program
def power(p: Any) -> Any:
    return band(p).power(2).sum() + np.sum(dup(p).power(3).toarray() ** 2) + dup(p).power(2).sum()


@program
def norms(p: Any) -> Any:
    A = band(p)
    return spnorm(A) + spnorm(dup(p), "fro") + spnorm(A, 1) + spnorm(A, np.inf) + np.sum(spnorm(A, axis=1) ** 3)


@program
def svd(p: Any) -> Any:
    A = sparse.csr_matrix(np.outer(np.arange(1.0, 7), np.cos(np.arange(5.0))) * p[0] + np.eye(6, 5) * p[1])
    u, s, vt = svds(A, k=2, random_state=0)
    return np.sum(s**3) + np.sum((u * s) @ vt)


@program
def least(p: Any) -> Any:
    A = sparse.csr_matrix(np.vander(np.linspace(0, 1, 6), 3) * p[0])
    x = lsqr(A, np.cos(np.arange(6.0) * p[1]), atol=1e-15, btol=1e-15)[0]
    y, _istop, _itn, r1, *_rest = lsqr(A, np.cos(np.arange(6.0) * p[1]), damp=0.3, atol=1e-15, btol=1e-15)
    return np.sum(x**2) + np.sum(y**3) + r1


@program
def leastm(p: Any) -> Any:
    A = sparse.csr_matrix(np.vander(np.linspace(0, 1, 6), 3) * p[0])
    x, _istop, _itn, normr, *_rest = lsmr(A, np.cos(np.arange(6.0) * p[1]), atol=1e-15, btol=1e-15)
    return np.sum(x**2) + normr**2


@program
def expect(p: Any) -> Any:
    return stats.norm(p[0], p[1]).expect(lambda x: x**3 * p[2])


@program
def expect_gamma(p: Any) -> Any:
    logarithm = stats.gamma.expect(lambda x: np.log(x), args=(p[0],), scale=p[1], lb=0.1, ub=10.0)
    return logarithm + stats.gamma.expect(args=(p[0],), scale=p[1], lb=0.2, conditional=True)


@program
def expect_frozen(p: Any) -> Any:
    d = stats.gamma(2.0 + p[0], scale=p[1])
    return d.expect(lambda x: np.tanh(x * p[2])) + stats.uniform(0.0, p[0]).expect(lambda x: np.cos(x))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f: Callable[[Any], Any]) -> None:
    found = judge(Cell(f.__name__, f, (P,)))
    assert (found.kind, found.reason) == ("right", "")

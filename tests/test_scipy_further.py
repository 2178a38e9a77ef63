"""Promise: functions of matrices, samples, signals and places that users meet now and then have SciPy's numbers, and the
right derivative in both modes and to second order, at zero sizes and in single precision too; where there is none they say so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError

pytest.importorskip("scipy")

from scipy import integrate, interpolate, linalg, optimize, signal, spatial, special, stats
from scipy.spatial.transform import Rotation

from tests.tables.cell import Cell, judge

RNG = np.random.default_rng(20261128)
TALL, OTHER, WIDE, NEARLY = (RNG.normal(size=shape) for shape in ((4, 2), (4, 2), (2, 4), (3, 4)))
SQUARE, V, W, R4 = RNG.normal(size=(3, 3)), RNG.normal(size=5), RNG.normal(size=40), RNG.normal(size=4)
BANDS = np.array([[7.0, 0.3, -0.2, 0.1], [2.0, 3.0, 2.5, 1.8]])
LOWER = np.array([[2.0, 3.0, 2.5, 1.8], [0.3, -0.2, 0.1, 7.0], [0.1, 0.2, 7.0, 7.0]])
SAMPLE = RNG.normal(size=12) + 0.3 * RNG.exponential(size=12)
ROWS = RNG.normal(size=(10, 2))
POSITIVE = np.array([1.2, 0.5, 2.7, 3.9, 0.8, 1.7])
TABLE = np.array([[10.0, 4.0, 5.5], [3.0, 9.0, 7.0]])
SPD2 = np.array([[2.0, 0.4], [0.4, 1.5]])
SPD3 = np.array([[1.2, -0.2, 0.1], [-0.2, 1.0, 0.3], [0.1, 0.3, 0.9]])
RATES = np.array([0.2, 0.5, 0.3, 0.6, 0.1, 0.7])


def stationary(p: Any) -> Any:
    """The shares of a chain of states, by the vector that the transposed generator takes to zero."""
    rates = np.array([[0.0, p[0], p[1]], [p[2], 0.0, p[3]], [p[4], p[5], 0.0]])
    generator = rates - np.diag(rates.sum(axis=1))
    v = linalg.null_space(generator.T)[:, 0]
    return np.sum(v / v.sum() * np.array([2.0, 1.0, -1.0]))


def factored(a: Any, b: Any, lower: Any) -> Any:
    c = linalg.cholesky_banded(a, lower=lower)
    return np.sum(linalg.cho_solve_banded((c, lower), b) ** 2) + np.sum(np.log(c[0 if lower else -1]))


def along_a_circle(a: Any, b: Any, t: Any) -> Any:
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    way = spatial.geometric_slerp(a, b, t)
    return np.sum(way * W[:6].reshape(2, 3)) + np.sum(spatial.geometric_slerp(a, b, t[0]) ** 2 * W[:3])


def designed(p: Any) -> Any:
    b, a = signal.iirfilter(2, p[:2], ftype="butter")
    sections = signal.iirfilter(3, p[0], rp=1.0, rs=40.0, btype="lowpass", ftype="cauer", output="sos")
    c = signal.iirfilter(2, p[1], 1.0, btype="high", ftype="Chebyshev1")
    d = signal.iirfilter(2, p[1], rs=30.0, btype="low", ftype="cheby2", fs=3.0)
    return np.sum(b * W[:5]) + np.sum(a**2) + np.sum(sections * W[:12].reshape(2, 6)) + np.sum(c[1] ** 2) + np.sum(d[0])


def contingency(t: Any) -> Any:
    chi, p, dof, expected = stats.chi2_contingency(t[:, :2], correction=False)
    found, other = stats.chi2_contingency(t[:, 1:]), stats.chi2_contingency(t, lambda_="log-likelihood")
    return chi + p * dof + expected[0, 1] + found.statistic * found.pvalue + other.statistic + found[3][1, 0] + len(found)


def interval(x: Any, alpha: Any) -> Any:
    y, power, (low, high) = stats.boxcox(x, alpha=alpha[0])
    return np.sum(y) + power + 2.0 * low - high


def aligned(p: Any, q: Any, w: Any) -> Any:
    """Turns that bring places near others: equal weights, weights, two places, and a mirror image."""
    found, apart = Rotation.align_vectors(q, p)
    heavy, _ = Rotation.align_vectors(q, p, w)
    pair, length = Rotation.align_vectors(p[:2], p[2:4], weights=[2.0, 1.0])
    mirror, _ = Rotation.align_vectors(p * np.array([1.0, 1.0, -1.0]), p)
    turned = found.as_matrix() + heavy.as_matrix() + pair.as_matrix() + mirror.as_matrix()
    return np.sum(turned * W[:9].reshape(3, 3)) + apart + length**2 + np.sum(heavy.apply(p)[:, 0] ** 2) + found.magnitude()


MADE_OUTSIDE = interpolate.Rbf(ROWS[:, 0], ROWS[:, 1], W[:10])


def radial(p: Any, v: Any, q: Any) -> Any:
    """Interpolants of each kind, of two coordinates, and of one and three."""
    made = [interpolate.Rbf(p[:, 0], p[:, 1], v, function=kind) for kind in ("inverse", "linear", "cubic", "thin-plate")]
    total = np.sum(interpolate.Rbf(p[:, 0], p[:, 1], v)(q, q[::-1]) ** 2) + np.sum(MADE_OUTSIDE(q[0], q[1]))
    for one in made:
        total = total + np.sum(one(q[0], q[1]))
    smooth = interpolate.Rbf(p[:, 0], p[:, 1], v, function="gaussian", epsilon=v[0], smooth=q[0, 0] ** 2)
    return total + smooth(p[0, 0], 0.3) + interpolate.Rbf(p[:, 0], v, p[:, 1], v, function="quintic")(0.1, 0.2, 0.3)


CASES: dict[str, tuple[Any, ...]] = {
    "range": (lambda a: np.sum(linalg.orth(a) ** 3), TALL),
    "range, wide": (lambda a: np.sum(linalg.orth(a, 1e-9) ** 3), WIDE),
    "range, square": (lambda a: np.sum(linalg.orth(a) ** 2 * W[:3]), SQUARE),
    "range as a space": (lambda a: (linalg.orth(a) @ linalg.orth(a).T)[0, 1], TALL),
    "range, complex": (lambda a, b: np.sum(np.abs(linalg.orth(a + 1j * b)) ** 3), TALL, OTHER),
    "range of nothing": (lambda a: np.sum(linalg.orth(a)), np.zeros((3, 0))),
    "range, single": (lambda a: np.sum(linalg.orth(a) ** 3), TALL.astype(np.float32)),
    "null vector": (lambda a: np.sum(linalg.null_space(a) ** 2 * np.arange(4.0)[:, None]), NEARLY),
    "null vector, complex": (lambda a: np.abs(np.sum(linalg.null_space(a + 1j * a**2) * np.arange(4.0)[:, None])), NEARLY),
    "no null vector": (lambda a: np.sum(linalg.null_space(a) ** 2), SQUARE),
    "null vector of nothing": (lambda a: np.sum(linalg.null_space(a)), np.zeros((0, 1))),
    "null vector of a chain": (stationary, RATES),
    "angles": (lambda a, b: np.sum(linalg.subspace_angles(a, b) ** 2), TALL, OTHER),
    "angles, small": (lambda a, b: np.sum(linalg.subspace_angles(a, b) ** 2), TALL + 1e-3 * OTHER, TALL),
    "angles of unlike spaces": (lambda a, b: np.sum(linalg.subspace_angles(a[:, :1], b) ** 2), TALL, OTHER),
    "angles, complex": (lambda a, b: np.sum(linalg.subspace_angles(a + 1j * b, b + 0.3j * a**2) ** 2), TALL, OTHER),
    "companion": (lambda a: np.sum(linalg.companion(a) * W[:16].reshape(4, 4)), V),
    "companion, complex": (lambda a: np.sum(np.abs(linalg.companion(a + 1j)) ** 2), V),
    "companion, short": (lambda a: np.sum(linalg.companion(a)), V[:2]),
    "companion, single": (lambda a: np.sum(linalg.companion(a) ** 2), V.astype(np.float32)),
    **{
        f"convolution {mode} of {n}": (lambda a, mode=mode, n=n: np.sum((linalg.convolution_matrix(a[:n], 4, mode) @ R4) ** 2), V)
        for mode in ("full", "same", "valid")
        for n in (5, 2)
    },
    "leslie": (lambda f, s: np.sum(linalg.leslie(f, s) ** 3 * W[:25].reshape(5, 5)), V, R4),
    "fiedler": (lambda a: np.sum(linalg.fiedler(a) * W[:25].reshape(5, 5)), V),
    "bands": (lambda a, b: factored(a, b, False), BANDS, R4),
    "bands, lower": (lambda a, b: factored(a, b, True), LOWER, TALL),
    "bands, one": (lambda a, b: factored(a, b, False), BANDS[:, :1], R4[:1]),
    "bands as they are": (
        lambda a: np.sum(linalg.cholesky_banded(a) ** 3) + np.sum(linalg.cholesky_banded(a + 1.0, lower=True)),
        BANDS[::-1],
    ),
    "eigenvalues of bands": (lambda a: np.sum(linalg.eigvals_banded(a) ** 3 * R4), BANDS),
    "eigenvalues of lower bands": (lambda a: np.sum(linalg.eigvals_banded(a, lower=True) ** 3 * R4), LOWER),
    "cumulants": (lambda x: stats.kstat(x, 1) + stats.kstat(x) ** 2 + stats.kstat(x, 3) - stats.kstat(x, 4), SAMPLE),
    "cumulants of rows": (
        lambda x: np.sum(stats.kstat(x, 3, axis=0) ** 2) + stats.kstatvar(x, 1) + np.sum(stats.kstatvar(x, 2, axis=1)),
        ROWS,
    ),
    "skewness": (lambda x: stats.skewtest(x).statistic + stats.skewtest(x, alternative="less")[1] ** 2, SAMPLE),
    "skewness of rows": (lambda x: np.sum(stats.skewtest(x, axis=0).statistic * stats.skewtest(x).pvalue), ROWS),
    "kurtosis": (lambda x: stats.kurtosistest(x).pvalue - stats.kurtosistest(x, alternative="greater")[0] ** 2, SAMPLE),
    "both": (lambda x: stats.normaltest(x)[0] - stats.normaltest(x, axis=None).pvalue, SAMPLE),
    "few": (lambda x: stats.skewtest(x).statistic + stats.kurtosistest(x).statistic, V[:4]),
    "contingency": (contingency, TABLE),
    "contingency of one row": (lambda t: np.sum(stats.chi2_contingency(t[:1]).expected_freq ** 2), TABLE),
    "inverse wishart": (
        lambda x, d, s: stats.invwishart.logpdf(x, d[0], s) + stats.invwishart(d[0], s).pdf(x @ x.T),
        SPD2,
        np.array([4.5]),
        SPD2[::-1, ::-1].copy(),
    ),
    "matrix normal": (
        lambda x, r, c: stats.matrix_normal.logpdf(x, np.ones((2, 3)), r, c) + stats.matrix_normal(x, r, c).pdf(0.5 * x),
        RNG.normal(size=(2, 3)),
        SPD2,
        SPD3,
    ),
    "interval of a power": (interval, POSITIVE, np.array([0.1])),
    "interval of a power, fixed": (lambda x: stats.boxcox(x, None, 0.2)[2][0], POSITIVE),
    "power as given": (lambda x: np.sum(stats.boxcox(x, 0.3, 0.05)), POSITIVE),
    "wiener": (lambda x: np.sum(signal.wiener(x) * W[:12]) + np.sum(signal.wiener(x, 5, 0.3) ** 2), SAMPLE),
    "wiener of an image": (
        lambda x: np.sum(signal.wiener(x, (3, 1)) ** 2) + np.sum(signal.wiener(x, 3, noise=x[0, 0] ** 2) ** 2),
        ROWS,
    ),
    "rates": (
        lambda h, x: np.sum(signal.upfirdn(h, x) * W[:16]) + np.sum(signal.upfirdn(h, x, 3, 2) ** 2 + 0.0),
        V,
        SAMPLE,
    ),
    "rates, one": (lambda h, x: np.sum(signal.upfirdn(h, x, 2, 3) ** 2), V[:1], V[:1]),
    "rates, single": (lambda h, x: np.sum(signal.upfirdn(h, x, 2, 3) ** 2), V.astype(np.float32), V.astype(np.float32)),
    "designs": (designed, np.array([0.2, 0.6])),
    "slerp": (along_a_circle, SAMPLE[:3], SAMPLE[3:6], np.array([0.2, 0.7])),
    "powers of distances": (
        lambda x, y: (
            np.sum(spatial.minkowski_distance_p(x, y, 3) * W[:10])
            + np.sum(spatial.minkowski_distance_p(x, y, np.inf) + spatial.minkowski_distance_p(x, y))
            + np.sum(spatial.minkowski_distance_p(x[:1], y, 1))
        ),
        ROWS,
        ROWS[::-1] + 1.0,
    ),
    "rosen": (lambda x, p: np.sum(optimize.rosen_hess_prod(x, p) * R4), SAMPLE[:4], SAMPLE[4:8]),
    "alignment": (aligned, RNG.uniform(-1.0, 1.0, (6, 3)), RNG.uniform(-1.0, 1.0, (6, 3)), RNG.uniform(0.5, 1.5, 6)),
    "radial functions": (radial, RNG.uniform(-1.0, 1.0, (7, 2)), RNG.uniform(0.5, 1.0, 7), RNG.uniform(-1.0, 1.0, (2, 3))),
    "pchip": (
        lambda y, q: (
            np.sum(interpolate.pchip_interpolate(np.arange(5.0), y, q))
            + interpolate.pchip_interpolate([0.0, 1, 2, 3, 4], y, q[0], der=1)
        ),
        V,
        np.array([1.2, 2.6]),
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_value_and_derivatives(name: str) -> None:
    function, *args = CASES[name]
    verdict = judge(Cell(name, function, tuple(args)))
    assert verdict.kind == "right", verdict.reason


@pytest.mark.parametrize(
    ("function", "arg", "said"),
    [
        (lambda a: np.sum(linalg.orth(a)), np.ones((3, 2)), "full rank"),
        (lambda a: np.sum(linalg.null_space(a)), WIDE, "one column"),
        (lambda a: np.sum(linalg.subspace_angles(a, a[:, :1])), np.ones((3, 2)), "full rank"),
        (lambda x: stats.multivariate_normal.cdf(x, np.zeros(4), np.eye(4)), R4, "three components"),
        (lambda x: signal.iirfilter(2, x[0], ftype="bessel", btype="low")[0][0], np.array([0.3]), "iirfilter"),
        (lambda x: Rotation.align_vectors(x[:1], np.eye(3)[:1])[1], np.eye(3), "as near"),
        (lambda x: interpolate.Rbf(x, x, function="nothing")(0.1), V, "by name"),
        (lambda x: stats.chi2_contingency(x).statistic, np.array([3.0, 4.0]), "rows and columns"),
    ],
)
def test_what_is_not_determined_says_so(function: Callable[..., Any], arg: Any, said: str) -> None:
    with pytest.raises(AdxError, match=said) as raised:
        adxform.grad(function)(arg)
    assert raised.value.span.line


def test_three_normal_numbers() -> None:
    """SciPy draws random numbers, so the derivatives are compared with an integral over the first of the numbers."""
    cov = np.array([[1.0, 0.3, -0.2], [0.3, 2.0, 0.5], [-0.2, 0.5, 1.5]])
    x = np.array([0.5, -0.3, 0.8])

    def share(x: Any, cov: Any) -> Any:
        return stats.multivariate_normal.cdf(x, np.zeros(3), cov, maxpts=2000, rng=np.random.default_rng(3))

    def exact(x: Any, cov: Any) -> Any:
        slopes, rest = cov[1:, 0] / cov[0, 0], cov[1:, 1:] - np.outer(cov[1:, 0], cov[1:, 0]) / cov[0, 0]

        def density(t: float) -> Any:
            below = stats.multivariate_normal.cdf(x[1:], slopes * t, rest, abseps=1e-12, releps=1e-12, maxpts=10**5)
            return below * stats.norm.pdf(t, scale=np.sqrt(cov[0, 0]))

        return density

    assert adxform.value_and_grad(share)(x, cov)[0] == share(x, cov)
    whole = integrate.quad(lambda t: exact(x, cov)(t), -9.0, x[0], epsabs=1e-9)[0]
    assert whole == pytest.approx(share(x, cov), abs=3e-5)
    np.testing.assert_allclose(adxform.grad(share)(x, cov)[0], exact(x, cov)(x[0]), rtol=1e-5)
    # Plackett (1954): the slope by a covariance is the second derivative by the two places.
    bent, by_cov = adxform.hessian(share)(x, cov), adxform.grad(share, 1)(x, cov)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert by_cov[i, j] == pytest.approx(bent[i, j], rel=1e-9)
    np.testing.assert_allclose(np.diagonal(by_cov), np.diagonal(bent) / 2.0, rtol=1e-9)
    rows = np.array([x, x + 0.2])
    logs = adxform.grad(lambda x: np.sum(stats.multivariate_normal.logcdf(x, cov=cov, rng=3)))(rows)
    np.testing.assert_allclose(logs[0] * share(x, cov), adxform.grad(share)(x, cov), rtol=1e-4)
    assert special.ndtr(0.5) == pytest.approx(share(np.array([0.5, 50.0, 50.0]), np.eye(3)), abs=1e-4)

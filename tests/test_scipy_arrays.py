"""Rules of SciPy's functions of arrays: both modes and the second order against differences of SciPy; its bits; refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError

pytest.importorskip("scipy")

from scipy import fft, linalg, ndimage, signal, sparse
from scipy.spatial import distance

from tests.scipy_calls import (
    COORDINATES,
    FA,
    FB,
    FFT,
    IMAGE,
    K2,
    K23,
    LINALG,
    LINE,
    NDIMAGE,
    PLACES,
    PRODUCTS,
    SBATCH,
    SIGNAL,
    SPATIAL,
    TALL,
    X2,
    X9,
    A,
    S,
    V,
)


def judge(f: Callable[..., Any], *args: Any, second: bool = True, scale: float = 1.0) -> None:
    """Products of `f`, of real arrays, in both modes agree with differences, with each other, and give its bits."""
    numbers = np.random.default_rng(7)
    places = tuple(range(len(args)))
    tangents = tuple(numbers.normal(size=np.shape(arg)) for arg in args)
    y = f(*args)
    ct = numbers.normal(size=np.shape(y))
    step = 1e-6 * scale
    moved = [f(*(arg + sign * step * t for arg, t in zip(args, tangents, strict=True))) for sign in (1.0, -1.0)]
    expected = (moved[0] - moved[1]) / (2 * step)
    size = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    value, y_t = adxform.jvp(f, args, tangents)
    np.testing.assert_array_equal(value, y)
    np.testing.assert_allclose(y_t, expected, rtol=2e-6, atol=2e-7 * size)

    def paired(ct: Any, *args: Any) -> Any:
        return np.sum(f(*args) * ct)

    gradient = adxform.grad(paired, argnums=tuple(k + 1 for k in places))
    cts = gradient(ct, *args)
    for arg, arg_ct in zip(args, cts, strict=True):
        assert np.shape(arg_ct) == np.shape(arg)
        assert np.asarray(arg_ct).dtype == np.asarray(arg).dtype
    there = float(np.sum(ct * y_t))
    back = float(sum(np.sum(t * c) for t, c in zip(tangents, cts, strict=True)))
    assert abs(there - back) <= 1e-9 * max(1.0, abs(there), size)
    if not second:
        return

    def bent(*args: Any) -> Any:
        return np.sum(np.sin(f(*args)) * ct)

    slopes = adxform.grad(bent, argnums=places)
    ends = [slopes(*(arg + sign * step * t for arg, t in zip(args, tangents, strict=True))) for sign in (1.0, -1.0)]
    ct2 = np.concatenate([np.ravel((a - b) / (2 * step)) for a, b in zip(*ends, strict=True)])
    got = np.concatenate([np.ravel(one) for one in adxform.jvp(slopes, args, tangents)[1]])
    np.testing.assert_allclose(got, ct2, rtol=2e-5, atol=2e-6 * max(1.0, float(np.max(np.abs(ct2), initial=0.0))))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", LINALG)
def test_linalg(case: str) -> None:
    judge(*LINALG[case])


@pytest.mark.parametrize("shape", [(61, 61), (2, 100, 100)])
def test_factors_of_several_blocks(shape: tuple[int, ...]) -> None:
    a = np.random.default_rng(3).normal(size=shape) / 10.0
    judge(lambda a: np.linalg.cholesky(np.eye(a.shape[-1]) + a @ np.swapaxes(a, -1, -2)), a)
    judge(lambda a: np.imag(np.linalg.cholesky(np.eye(a.shape[-1]) + 0.1j * a)), a)


@pytest.mark.parametrize("case", FFT)
def test_fft(case: str) -> None:
    judge(*FFT[case])


@pytest.mark.parametrize("case", SIGNAL)
def test_signal(case: str) -> None:
    judge(*SIGNAL[case])


@pytest.mark.parametrize("case", NDIMAGE)
def test_ndimage(case: str) -> None:
    judge(*NDIMAGE[case])


@pytest.mark.parametrize("case", SPATIAL)
def test_spatial(case: str) -> None:
    judge(*SPATIAL[case])


def test_a_distance_of_zero_has_slope_zero() -> None:
    def total(x: Any) -> Any:
        return np.sum(distance.cdist(x, x))

    got = adxform.grad(total)(PLACES)
    d = PLACES[:, None] - PLACES
    lengths = np.linalg.norm(d, axis=-1) + np.eye(5)
    np.testing.assert_allclose(got, 2 * np.sum(d / lengths[..., None], axis=1), rtol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "correlation", "cityblock"])
@pytest.mark.parametrize("shapes", [((0, 3), (4, 3)), ((4, 3), (0, 3)), ((2, 3), (4000, 3))])
def test_distances_of_no_points_and_of_many(metric: str, shapes: tuple[Any, Any]) -> None:
    x, y = (np.random.default_rng(k).normal(size=shape) for k, shape in enumerate(shapes))
    judge(lambda x, y: distance.cdist(x, y, metric), x, y, second=min(x.size, y.size) > 0)


def test_slopes_of_distances_have_no_rate_of_change_where_points_meet_and_part() -> None:
    """Of each point from itself the distance does not change, of two that are at one place it does."""

    def total(x: Any) -> Any:
        return np.sum(distance.cdist(x, x))

    assert np.all(np.isfinite(adxform.hvp(total)(PLACES, np.ones_like(PLACES))))
    assert np.all(np.isfinite(adxform.hvp(total)(PLACES, np.sin(PLACES))))
    twice = PLACES[[0, 1, 1]]
    assert np.all(np.isfinite(adxform.hvp(total)(twice, np.ones_like(twice))))
    moved = adxform.hvp(total)(twice, np.arange(12.0).reshape(3, 4))
    assert np.all(np.isfinite(moved[0]))
    assert np.all(np.isnan(moved[1:]))


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
def test_slopes_of_distances_keep_what_points_that_lie_close_have_apart(metric: str) -> None:
    """Far from the origin, and near one another: sums of points lose all digits of what sums of differences keep."""
    x = 1e6 + np.array([[0.0, 2.0**-20], [2.0**-21, 0.0]])
    y = 1e6 + np.array([[2.0**-22, 0.0]])
    d = x[:, None] - y
    weights = 2.0 if metric == "sqeuclidean" else 1.0 / np.linalg.norm(d, axis=-1, keepdims=True)
    got = adxform.grad(lambda x: np.sum(distance.cdist(x, y, metric)))(x)
    np.testing.assert_allclose(got, np.sum(weights * d, axis=1), rtol=1e-14)


@pytest.mark.parametrize("case", PRODUCTS)
def test_sparse(case: str) -> None:
    judge(*PRODUCTS[case])


def test_a_line_resampled_by_rates_that_the_run_knows() -> None:
    """Both are integers of which nothing is known: equal ones would leave the length as it is."""

    def f(x: Any, up: int, down: int) -> Any:
        y = signal.resample_poly(x, up, down)
        return np.sum(np.arange(6.0) * y * (1.0 + y))

    x = np.array([1.0, 2.0, 3.0, 4.0])
    weights = np.arange(6.0) * (1.0 + 2.0 * signal.resample_poly(x, 3, 2))
    expected = np.array([weights @ signal.resample_poly(unit, 3, 2) for unit in np.eye(4)])
    np.testing.assert_allclose(adxform.grad(f)(x, 3, 2), expected, rtol=1e-12)


def test_a_sparse_matrix_that_changes_is_read_at_each_call() -> None:
    matrix = sparse.csr_array(np.eye(2))

    def total(x: Any) -> Any:
        return np.sum(matrix @ x)

    x = np.ones(2)
    np.testing.assert_array_equal(adxform.grad(total)(x), [1.0, 1.0])
    matrix.data *= 3.0
    np.testing.assert_array_equal(adxform.grad(total)(x), [3.0, 3.0])


REFUSED: dict[str, tuple[Any, ...]] = {
    "overwrite_a": (lambda a: linalg.inv(a, overwrite_a=True) + a, A),
    "assume_a": (lambda a: linalg.solve(a, V, assume_a="tridiagonal"), A),
    "eig": (lambda a: linalg.eig(a, S)[1].real, A),
    "schur": (lambda a: linalg.schur(a)[0], A),
    "matrix_balance": (lambda a: linalg.matrix_balance(a)[0], A),
    "full_matrices": (lambda a: linalg.svd(a)[0], TALL),
    "mode": (lambda a: linalg.qr(a)[0], TALL),
    "pivoting": (lambda a: linalg.qr(a, mode="economic", pivoting=True)[0], TALL),
    "subset": (lambda a: linalg.eigh(a, subset_by_index=[0, 1])[0], S),
    "stack": (lambda a: linalg.eigh(a)[0], SBATCH),
    "boundary": (lambda x: signal.convolve2d(x, K2, boundary="wrap"), X2),
    "fillvalue": (lambda c: signal.convolve2d(X2, K2, fillvalue=c), np.float64(0.0)),
    "savgol_filter cval": (lambda c: signal.savgol_filter(X9, 5, 2, mode="constant", cval=c), np.float64(1.0)),
    "savgol_filter delta": (lambda c: signal.savgol_filter(X9, 5, 2, deriv=1, delta=c), np.float64(1.0)),
    "freqz fs": (lambda c: signal.freqz(FB, FA, 8, fs=c)[1].real, np.float64(1.0)),
    "gaussian cval": (lambda c: ndimage.gaussian_filter(IMAGE, 1.0, mode="constant", cval=c), np.float64(1.0)),
    "shift cval": (lambda c: ndimage.shift(X9, 1.5, cval=c), np.float64(1.0)),
    "zoom by": (lambda c: ndimage.zoom(X9, c), np.float64(1.5)),
    "map_coordinates cval": (lambda c: ndimage.map_coordinates(IMAGE, COORDINATES, cval=c), np.float64(1.0)),
    "axes": (lambda x: signal.fftconvolve(x, X2, axes=1), X2),
    "method": (lambda x: signal.filtfilt(FB, FA, x, method="gust"), X2),
    "window": (lambda s: signal.windows.chebwin(5, s), np.float64(1.0)),
    "sigma": (lambda s: ndimage.gaussian_filter1d(X9, s), np.float64(1.0)),
    "output": (lambda x: ndimage.sobel(x, output=np.float64), IMAGE),
    "modes": (lambda x: ndimage.uniform_filter(x, mode=["wrap", "nearest"]), IMAGE),
    "cval": (lambda x: ndimage.convolve(x, K23, mode="constant", cval=1.0), IMAGE),
    "rotate of a block": (lambda x: ndimage.rotate(np.stack((x, x)), 20.0), IMAGE),
    "affine_transform axes": (lambda x: ndimage.affine_transform(x, [[1.0], [0.5]], output_shape=(3,)), IMAGE),
    "order": (lambda x: ndimage.map_coordinates(x, COORDINATES, order=6), IMAGE),
    "metric": (lambda x: distance.cdist(x, x, "hamming"), PLACES),
    "full": (lambda x: fft.fft(x, plan=1).real, LINE),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_derivative_is_refused_where_it_is_called(case: str) -> None:
    f, x = REFUSED[case]
    with pytest.raises(AdxError) as caught:
        adxform.jvp(f, (x,), (np.ones_like(x),))
    assert caught.value.span.line


@pytest.mark.parametrize("f", [linalg.logm, linalg.sqrtm])
def test_a_function_of_a_matrix_that_is_not_real_is_refused(f: Any) -> None:
    with pytest.raises(ValueError, match="complex"):
        adxform.jvp(lambda a: f(a), (-np.eye(2),), (np.eye(2),))


def test_a_pseudoinverse_is_refused_where_it_jumps() -> None:
    with pytest.raises(adxform.AdxError, match="full rank"):
        adxform.jvp(lambda a: linalg.pinv(a), (np.ones((3, 2)),), (np.ones((3, 2)),))


JUMPS: dict[str, tuple[Callable[..., Any], Any]] = {
    "lstsq": (lambda a: linalg.lstsq(a, np.arange(3.0))[0], np.ones((3, 2))),
    "pinvh": (lambda a: linalg.pinvh(a), np.ones((2, 2))),
    "gives no residue": (lambda a: linalg.lstsq(a, np.arange(2.0))[1], np.eye(2)),
}


@pytest.mark.parametrize("message", JUMPS)
def test_least_squares_are_refused_where_they_jump_or_where_there_is_no_residue(message: str) -> None:
    f, a = JUMPS[message]
    with pytest.raises(adxform.AdxError, match=message):
        adxform.jvp(f, (a,), (a,))


def test_least_squares_give_a_vector_where_there_is_no_residue_to_read() -> None:
    a, b = np.array([[2.0, 0.5], [0.25, 1.0]]), np.array([1.0, -2.0])
    x, _, rank, values = linalg.lstsq(a, b)
    y, y_t = adxform.jvp(lambda b: linalg.lstsq(a, b)[0], (b,), (b,))
    np.testing.assert_array_equal(y, x)
    np.testing.assert_allclose(y_t, x, rtol=1e-12)

    def both(b: Any) -> Any:
        x, _, rank, values = linalg.lstsq(a, b)
        return rank * np.sum(x) + np.sum(values)

    np.testing.assert_allclose(adxform.grad(both)(b), 2.0 * np.linalg.solve(a.T, np.ones(2)), rtol=1e-12)
    assert both(b) == rank * np.sum(x) + np.sum(values)


@pytest.mark.parametrize("f", [linalg.polar, lambda a: linalg.fractional_matrix_power(a, 0.5)], ids=["polar", "power"])
def test_factors_and_powers_that_are_not_determined_are_refused(f: Any) -> None:
    with pytest.raises((ValueError, adxform.AdxError)):
        adxform.jvp(lambda a: f(a)[0], (-np.ones((2, 2)),), (np.eye(2),))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("table", [LINALG, FFT, SIGNAL, NDIMAGE, SPATIAL, PRODUCTS], ids=range(6))
def test_single_precision_stays(table: Any) -> None:
    """A few cases of each table: cotangents have the dtype of their arguments, tangents that of the result."""
    for name in [name for name in table if name != "logm"][::6]:
        f, *args = table[name]
        single = [np.asarray(arg, np.float32) for arg in args]
        y, y_t = adxform.jvp(f, tuple(single), tuple(single))
        assert np.asarray(y_t).dtype == np.asarray(y).dtype == np.asarray(f(*single)).dtype, name

        def total(*args: Any, f: Any = f) -> Any:
            return np.sum(f(*args))

        cts = adxform.grad(total, argnums=tuple(range(len(args))))(*single)
        assert all(ct.dtype == np.float32 for ct in cts), name

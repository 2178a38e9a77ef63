"""Calls of SciPy's functions of arrays, by what they are named for: a function of real arrays, and where it is judged.

`tests/test_scipy_arrays.py` judges them, and the table `primitives` by parameter, dtype, mode and order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft, linalg, ndimage, signal, sparse
from scipy.sparse.linalg import spsolve
from scipy.spatial import distance

RNG = np.random.default_rng(20261126)
RNG_3 = np.random.default_rng(3)


def spd(n: int, *batch: int) -> Any:
    """Symmetric positive definite matrices, of which each element may move alone."""
    m = RNG.normal(size=(*batch, n, n))
    return m @ np.swapaxes(m, -1, -2) + n * np.eye(n)


def general_matrix(n: int, *batch: int) -> Any:
    return RNG.normal(size=(*batch, n, n)) + n * np.eye(n)


def complex_of(f: Any, *args: Any) -> Any:
    """`f` of complex arrays made of real ones."""
    return f(*(arg + 1j * np.cos(arg) for arg in args))


A, S, V, B2 = general_matrix(3), spd(3), RNG.normal(size=3), RNG.normal(size=(3, 2))
BATCH, SBATCH = general_matrix(3, 2), spd(3, 2)
WIDE, TALL = RNG.normal(size=(2, 4)), RNG.normal(size=(4, 2))
AB = np.array([[0.0, 0.5, -0.25, 1.0], [4.0, 3.5, 5.0, 6.0], [0.25, -0.5, 0.75, 0.0], [0.3, 0.1, 0.0, 0.0]])
B4 = RNG.normal(size=4)
TC, TR = np.array([4.0, 0.5, -0.25, 0.3]), np.array([4.0, -0.5, 0.125, 0.7])

LINALG: dict[str, tuple[Any, ...]] = {
    "solve": (lambda a, b: linalg.solve(a, b), A, V),
    "solve columns": (lambda a, b: linalg.solve(a, b, check_finite=False), A, B2),
    "solve batch": (lambda a, b: linalg.solve(a, b), BATCH, RNG.normal(size=(2, 3, 2))),
    "solve general": (lambda a, b: linalg.solve(a, b, assume_a="gen"), A, V),
    "solve transposed": (lambda a, b: linalg.solve(a, b, transposed=True), A, B2),
    "solve pos": (lambda a, b: linalg.solve(a, b, assume_a="pos"), S, V),
    "solve sym lower": (lambda a, b: linalg.solve(a, b, lower=True, assume_a="sym"), S, B2),
    "solve complex": (lambda a, b: np.abs(complex_of(linalg.solve, a, b)) ** 2, A, B2),
    "solve mixed": (lambda a, b: np.abs(linalg.solve(a, b + 1j * b**2)) ** 2, A, V),
    "solve sym complex": (lambda a, b: np.abs(complex_of(lambda a, b: linalg.solve(a, b, assume_a="sym"), a, b)) ** 2, S, V),
    "solve_triangular complex": (lambda a, b: np.abs(complex_of(lambda a, b: linalg.solve_triangular(a, b, "T"), a, b)), A, V),
    "lu_solve complex": (
        lambda a, b: np.abs(complex_of(lambda a, b: linalg.lu_solve(linalg.lu_factor(a), b, trans=1), a, b)),
        A,
        V,
    ),
    "cholesky complex": (lambda a, b: np.imag(linalg.cholesky(a + 0.1j * b)), S, A),
    "cholesky complex lower": (lambda a, b: np.imag(linalg.cholesky(a + 0.1j * b, lower=True)), S, A),
    "cho_factor complex": (lambda a, b: np.imag(linalg.cho_factor(a + 0.1j * b)[0]), S, A),
    "cho_factor complex lower": (lambda a, b: np.imag(linalg.cho_factor(a + 0.1j * b, True)[0]), S, A),
    "cho_solve complex": (lambda a, b: np.imag(linalg.cho_solve(linalg.cho_factor(a + 0.1j * a @ a), b)), S, V),
    "cho_solve complex lower": (
        lambda a, b: np.imag(linalg.cho_solve((a + 0.1j * a @ a, True), b + 1j * b**2)),
        S,
        B2,
    ),
    "sylvester complex": (lambda a, b, q: np.abs(complex_of(linalg.solve_sylvester, a, b, q)), A, S, A.T),
    "sqrtm complex": (lambda a: np.imag(complex_of(linalg.sqrtm, a)), S),
    "logm complex": (lambda a: np.imag(complex_of(linalg.logm, a)), S),
    "toeplitz complex": (lambda c, b: np.abs(linalg.solve_toeplitz(c + 0.3j * c**2, b + 1j * b**2)), TC, B4),
    "toeplitz matrix complex": (lambda c: np.imag(linalg.toeplitz(c + 0.3j * c**2)), TC),
    "solve_triangular": (lambda a, b: linalg.solve_triangular(a, b), A, V),
    "solve_triangular lower": (lambda a, b: linalg.solve_triangular(a, b, lower=True), A, B2),
    "solve_triangular T": (lambda a, b: linalg.solve_triangular(a, b, trans="T", lower=True), A, B2),
    "solve_triangular unit": (lambda a, b: linalg.solve_triangular(a, b, trans=1, unit_diagonal=True), A, V),
    "solve_triangular batch": (lambda a, b: linalg.solve_triangular(a, b), BATCH, RNG.normal(size=(2, 3, 2))),
    "inv": (lambda a: linalg.inv(a), A),
    "inv batch": (lambda a: linalg.inv(a, check_finite=False), BATCH),
    "inv complex": (lambda a: np.real(complex_of(linalg.inv, a)), A),
    "det": (lambda a: linalg.det(a), A),
    "det batch": (lambda a: linalg.det(a), BATCH),
    "det complex": (lambda a: np.real(complex_of(linalg.det, a)), A),
    "pinv": (lambda a: linalg.pinv(a), TALL),
    "pinv wide": (lambda a: linalg.pinv(a), WIDE),
    "pinv square": (lambda a: linalg.pinv(a), A),
    "lstsq": (lambda a, b: linalg.lstsq(a, b)[0], TALL, B4),
    "lstsq wide": (lambda a, b: linalg.lstsq(a, b, lapack_driver="gelsy")[0], WIDE, np.array([0.5, -1.25])),
    "lstsq columns": (
        lambda a, b: np.concatenate((linalg.lstsq(a, b)[0].ravel(), linalg.lstsq(a, b, 1e-9)[1])),
        TALL,
        RNG_3.normal(size=(4, 3)),
    ),
    "lstsq residue": (lambda a, b: linalg.lstsq(a, b)[1] * linalg.lstsq(a, b, lapack_driver="gelss")[3], TALL, B4),
    "lstsq wide columns": (lambda a, b: linalg.lstsq(a, b)[0], WIDE, RNG_3.normal(size=(2, 3))),
    "pinvh": (lambda a: linalg.pinvh(a), S),
    "pinvh upper": (lambda a: linalg.pinvh(a, lower=False, return_rank=True)[0], S),
    "polar": (lambda a: linalg.polar(a)[0] @ linalg.polar(a)[1] ** 2, A),
    "polar tall": (lambda a: linalg.polar(a)[0] @ linalg.polar(a)[1] ** 2, TALL),
    "polar wide": (lambda a: linalg.polar(a)[0] @ linalg.polar(a)[1] ** 2, WIDE),
    "polar left": (lambda a: linalg.polar(a, "left")[1] ** 2 @ linalg.polar(a, side="left")[0], TALL),
    "polar left wide": (lambda a: linalg.polar(a, "left")[1] ** 2 @ linalg.polar(a, side="left")[0], WIDE),
    "polar of equal stretches": (lambda a: linalg.polar(a)[0] * linalg.polar(a)[1], np.eye(3)),
    "procrustes": (
        lambda a, b: linalg.orthogonal_procrustes(a, b)[0] * linalg.orthogonal_procrustes(a, b)[1],
        TALL,
        RNG_3.normal(size=(4, 2)),
    ),
    "matrix power": (lambda a: linalg.fractional_matrix_power(a, 0.4), S),
    "matrix power of a power": (lambda a, t: linalg.fractional_matrix_power(a, t[0]), S, np.array([-1.3])),
    "frechet": (lambda a, e: linalg.expm_frechet(a, e)[0] @ linalg.expm_frechet(a, e)[1], A / 5.0, S / 9.0),
    "frechet alone": (lambda a, e: linalg.expm_frechet(a, e, compute_expm=False), A / 5.0, S / 9.0),
    "tanm": (lambda a: linalg.tanm(a) + linalg.tanhm(a), A / 9.0),
    "circulant solve": (lambda c, b: linalg.solve_circulant(c, b), TC, B4),
    "circulant solve columns": (lambda c, b: linalg.solve_circulant(c, b), TC, RNG_3.normal(size=(4, 2))),
    "toeplitz product": (lambda c, r, x: linalg.matmul_toeplitz((c, r), x), TC, TR, B4),
    "toeplitz product columns": (lambda c, x: linalg.matmul_toeplitz(c, x), TC, RNG_3.normal(size=(4, 2))),
    "cho_solve": (lambda a, b: linalg.cho_solve(linalg.cho_factor(a), b), S, V),
    "cho_solve lower": (lambda a, b: linalg.cho_solve(linalg.cho_factor(a, lower=True), b), S, B2),
    "cho_factor": (lambda a: linalg.cho_factor(a)[0], S),
    "cho_factor lower": (lambda a: linalg.cho_factor(a, True)[0], S),
    "cho_solve of its own": (lambda c, b: linalg.cho_solve((c, True), b), S, V),
    "lu_solve": (lambda a, b: linalg.lu_solve(linalg.lu_factor(a[::-1]), b), A, V),
    "lu_solve trans": (lambda a, b: linalg.lu_solve(linalg.lu_factor(a[::-1]), b, trans=1), A, B2),
    "lu_factor": (lambda a: linalg.lu_factor(a[::-1])[0], A),
    "lu": (lambda a: sum(linalg.lu(a[::-1])[1:]), A),
    "lu wide": (lambda a: np.concatenate((linalg.lu(a)[1], linalg.lu(a)[2]), axis=1), WIDE),
    "lu tall": (lambda a: linalg.lu(a)[1], TALL),
    "cholesky": (lambda a: linalg.cholesky(a), S),
    "cholesky lower": (lambda a: linalg.cholesky(a, lower=True), S),
    "cholesky batch": (lambda a: linalg.cholesky(a, lower=True), SBATCH),
    "qr q": (lambda a: linalg.qr(a, mode="economic")[0], TALL),
    "qr r": (lambda a: linalg.qr(a, mode="economic")[1], TALL),
    "qr wide": (lambda a: linalg.qr(a, mode="economic")[1], WIDE),
    "qr complex": (lambda a: np.abs(complex_of(lambda a: np.sum(linalg.qr(a, mode="economic")[0] ** 2, 1), a)), TALL),
    "qr wide complex": (lambda a: np.abs(complex_of(lambda a: linalg.qr(a, mode="economic")[1], a)), WIDE),
    "svd complex": (lambda a: np.abs(complex_of(lambda a: linalg.svd(a, full_matrices=False)[0], a)), TALL),
    "svdvals complex": (lambda a: complex_of(linalg.svdvals, a), TALL),
    "eigh complex": (lambda a: np.abs(complex_of(lambda a: linalg.eigh(a, lower=False)[1], a)), S),
    "eigh complex values": (lambda a: complex_of(lambda a: linalg.eigh(a)[0] * linalg.eigvalsh(a), a), S),
    "svd u": (lambda a: linalg.svd(a, full_matrices=False)[0], TALL),
    "svd v": (lambda a: linalg.svd(a, full_matrices=False, lapack_driver="gesvd")[2], WIDE),
    "svd in full": (lambda a: linalg.svd(a)[0] @ linalg.svd(a, lapack_driver="gesvd")[2] * linalg.svd(a)[1], A),
    "svd s": (lambda a: linalg.svd(a, full_matrices=False)[1], A),
    "svd values": (lambda a: linalg.svd(a, compute_uv=False), WIDE),
    "svdvals": (lambda a: linalg.svdvals(a), TALL),
    "eigh w": (lambda a: linalg.eigh(a)[0], S),
    # Squares, since the signs of vectors are as LAPACK happens to choose them.
    "eigh v": (lambda a: linalg.eigh(a)[1] ** 2, S),
    "eigh upper": (lambda a: linalg.eigh(a, lower=False)[1] ** 2, S),
    "eig": (lambda a: np.abs(linalg.eig(a + 0j)[0]) + np.abs(linalg.eig(a + 0j)[1]), A),
    "eig left": (lambda a: np.imag(linalg.eig(a + 0.2j * a @ a, left=True, right=False)[1]), A),
    "eig both": (lambda a: np.real(linalg.eig(a + 0.2j * a @ a, None, True)[1] * linalg.eig(a + 0j)[1]), A),
    "eig of turns": (lambda a: np.imag(linalg.eig(a - a.T + np.eye(3))[1] ** 2), A),
    "eigh b": (lambda a, b: linalg.eigh(a, b)[1] ** 2, S, spd(3)),
    "eigh b w": (lambda a, b: linalg.eigh(a, b)[0], S, spd(3)),
    "eigh values": (lambda a: linalg.eigh(a, eigvals_only=True), S),
    "eigvalsh": (lambda a: linalg.eigvalsh(a, lower=False), S),
    "eigvalsh b": (lambda a, b: linalg.eigvalsh(a, b), S, spd(3)),
    "eigvalsh batch": (lambda a: linalg.eigvalsh(a), SBATCH),
    "eigh_tridiagonal w": (lambda d, e: linalg.eigh_tridiagonal(d, e)[0], TC, V),
    "eigh_tridiagonal v": (lambda d, e: linalg.eigh_tridiagonal(d, e)[1] ** 2, TC, V),
    "eigh_tridiagonal some": (
        lambda d, e: linalg.eigh_tridiagonal(d, e, select="i", select_range=(1, 2))[1] ** 2,
        TC,
        V,
    ),
    "eigh_tridiagonal values": (lambda d, e: linalg.eigh_tridiagonal(d, e, eigvals_only=True), TC, V),
    "eigvalsh_tridiagonal": (lambda d: linalg.eigvalsh_tridiagonal(d, d[1:] * d[:-1], select="i", select_range=(0, 1)), TC),
    "solve_continuous_are": (
        lambda a, b, q, r: linalg.solve_continuous_are(a, b, q.T @ q + np.eye(3), np.diag(r[:2] ** 2 + 1.0)),
        A,
        B2,
        A,
        V,
    ),
    "solve_discrete_are": (
        lambda a, b, q, r: linalg.solve_discrete_are(a / 3.0, b, q.T @ q + np.eye(3), np.diag(r[:2] ** 2 + 1.0)),
        A,
        B2,
        A,
        V,
    ),
    "expm": (lambda a: linalg.expm(a / 3.0), A),
    "expm batch": (lambda a: linalg.expm(a / 3.0), BATCH),
    "expm complex": (lambda a: np.real(complex_of(linalg.expm, a / 3.0)), A),
    "expm of zero": (lambda a: linalg.expm(a), np.zeros((2, 2))),
    "logm": (lambda a: linalg.logm(a), A),
    "sqrtm": (lambda a: linalg.sqrtm(a), A),
    "cosm": (lambda a: linalg.cosm(a / 3.0), A),
    "coshm": (lambda a: linalg.coshm(a / 3.0), A),
    "sinhm": (lambda a: linalg.sinhm(a / 3.0), A),
    "sinm": (lambda a: linalg.sinm(a / 3.0), A),
    "solve_sylvester": (lambda a, b, q: linalg.solve_sylvester(a, b, q), A, spd(2), B2),
    "solve_continuous_lyapunov": (lambda a, q: linalg.solve_continuous_lyapunov(a, q), A, RNG.normal(size=(3, 3))),
    "solve_discrete_lyapunov": (lambda a, q: linalg.solve_discrete_lyapunov(a, q), A / 9.0, RNG.normal(size=(3, 3))),
    "solve_banded": (lambda ab, b: linalg.solve_banded((2, 1), ab, b), AB, B4),
    "solve_banded columns": (lambda ab, b: linalg.solve_banded((1, 1), ab[:3], b), AB, RNG.normal(size=(4, 2))),
    "solveh_banded": (lambda ab, b: linalg.solveh_banded(ab[:2], b), AB, B4),
    "solveh_banded lower": (lambda ab, b: linalg.solveh_banded(ab[1:], b, lower=True), AB, RNG.normal(size=(4, 2))),
    "solve_toeplitz": (lambda c, b: linalg.solve_toeplitz(c, b), TC, B4),
    "solve_toeplitz pair": (lambda c, r, b: linalg.solve_toeplitz((c, r), b), TC, TR, RNG.normal(size=(4, 2))),
    "solve_toeplitz of slices": (lambda c: linalg.solve_toeplitz((c[:-1], c[:-1]), c[1:]), TC),
    "toeplitz": (lambda c: linalg.toeplitz(c), TC),
    "toeplitz pair": (lambda c, r: linalg.toeplitz(c, r), TC, TR[:3]),
    "hankel": (lambda c: linalg.hankel(c), TC),
    "hankel pair": (lambda c, r: linalg.hankel(c, r), TC, TR[:3]),
    "circulant": (lambda c: linalg.circulant(c), TC),
    "block_diag": (lambda a, b, c: linalg.block_diag(a, b, c), A, B2, V),
    "khatri_rao": (lambda a, b: linalg.khatri_rao(a, b), B2, RNG.normal(size=(4, 2))),
    "norm": (lambda a: linalg.norm(a), A),
    "norm of a vector": (lambda a: linalg.norm(a, 3), V),
    "norm axis": (lambda a: linalg.norm(a, 1, axis=1, keepdims=True), A),
}


LINE, PLANE = RNG.normal(size=5), RNG.normal(size=(4, 6))


def power(y: Any) -> Any:
    """Of complex numbers something real that tells them apart."""
    return np.real(y) + 0.5 * np.imag(y) ** 2


def complex_line(x: Any) -> Any:
    return x + 1j * np.sin(x)


FFT: dict[str, tuple[Any, ...]] = {
    "fft": (lambda x: power(fft.fft(x)), LINE),
    "fft cut": (lambda x: power(fft.fft(complex_line(x), 3, 0, "ortho")), PLANE),
    "ifft": (lambda x: power(fft.ifft(complex_line(x), n=8, norm="forward")), PLANE),
    "rfft": (lambda x: power(fft.rfft(x)), LINE),
    "rfft even": (lambda x: power(fft.rfft(x, 8, axis=0, norm="ortho", workers=1)), PLANE),
    "irfft": (lambda x: fft.irfft(complex_line(x)), LINE),
    "irfft odd": (lambda x: fft.irfft(complex_line(x), 7, norm="forward"), PLANE),
    "hfft": (lambda x: fft.hfft(complex_line(x)), LINE),
    "hfft norm": (lambda x: fft.hfft(complex_line(x), 7, norm="ortho"), PLANE),
    "ihfft": (lambda x: power(fft.ihfft(x)), LINE),
    "ihfft norm": (lambda x: power(fft.ihfft(x, 4, axis=0, norm="forward")), PLANE),
    "fft2": (lambda x: power(fft.fft2(x)), PLANE),
    "ifft2": (lambda x: power(fft.ifft2(complex_line(x))), PLANE),
    "fftn": (lambda x: power(fft.fftn(complex_line(x), (3, 7))), PLANE),
    "fftn axes": (lambda x: power(fft.fftn(x, axes=(0,), norm="ortho")), PLANE),
    "ifftn": (lambda x: power(fft.ifftn(complex_line(x), norm="ortho")), PLANE),
    "rfft2": (lambda x: power(fft.rfft2(x)), PLANE),
    "rfftn": (lambda x: power(fft.rfftn(x, (5, 7), norm="ortho")), PLANE),
    "irfft2": (lambda x: fft.irfft2(complex_line(x)), PLANE),
    "irfftn": (lambda x: fft.irfftn(complex_line(x), (3, 9), norm="forward"), PLANE),
    "fftshift": (lambda x: fft.fftshift(x, 1), PLANE),
    "ifftshift": (lambda x: fft.ifftshift(x), LINE),
    "fftfreq": (lambda x: x * fft.fftfreq(x.shape[0], 0.5), LINE),
    "rfftfreq": (lambda x: np.real(fft.rfft(x)) * fft.rfftfreq(5), LINE),
    "next_fast_len": (lambda x: power(fft.rfft(x, fft.next_fast_len(x.shape[0] + 2, True))), LINE),
    **{
        f"{name} {kind} {norm} {orthogonal}": (
            lambda x, name=name, kind=kind, norm=norm, orthogonal=orthogonal: getattr(fft, name)(
                x, kind, norm=norm, orthogonalize=orthogonal
            ),
            LINE,
        )
        for name in ("dct", "idct", "dst", "idst")
        for kind in (1, 2, 3, 4)
        for norm, orthogonal in ((None, None), ("ortho", None), ("forward", True), ("ortho", False))
    },
    "dct cut": (lambda x: fft.dct(x, 2, 3, 0), PLANE),
    "idst filled": (lambda x: fft.idst(x, 3, 9, norm="ortho"), PLANE),
    "dctn": (lambda x: fft.dctn(x), PLANE),
    "idctn": (lambda x: fft.idctn(x, 1, (3, 8), norm="ortho"), PLANE),
    "dstn": (lambda x: fft.dstn(x, axes=(1,)), PLANE),
    "idstn": (lambda x: fft.idstn(x, 3, norm="forward"), PLANE),
}


X9, H4, X2 = RNG.normal(size=9), RNG.normal(size=4), RNG.normal(size=(3, 12))
K2, W4 = RNG.normal(size=(2, 3)), RNG.uniform(0.1, 3.0, size=4)
FB, FA = np.array([0.5, 0.3, -0.2]), np.array([1.5, -0.4, 0.2, 0.1])
SOS = np.array([[0.5, 0.2, 0.1, 1.0, -0.3, 0.1], [1.0, -0.5, 0.3, 1.0, 0.2, 0.05]])

SIGNAL: dict[str, tuple[Any, ...]] = {
    **{
        f"{fn} {mode}": (lambda x, h, fn=fn, mode=mode: getattr(signal, fn)(x, h, mode), *operands)
        for fn, operands in (
            ("convolve", (X9, H4)),
            ("fftconvolve", (X9, H4)),
            ("oaconvolve", (X2, K2)),
            ("correlate", (X9, H4)),
            ("convolve2d", (X2, K2)),
            ("correlate2d", (X2, K2)),
        )
        for mode in ("full", "same", "valid")
    },
    "convolve short": (lambda x, h: signal.convolve(x, h, "same"), H4, X9),
    "convolve valid short": (lambda x, h: signal.convolve(x, h, "valid", "fft"), H4, X9),
    "correlate same short": (lambda x, h: signal.correlate(x, h, "same"), H4, X9),
    "correlate valid short": (lambda x, h: signal.correlate(x, h, "valid"), H4, X9),
    "correlate even": (lambda x, h: signal.correlate(x, h, "same", method="direct"), X2, RNG.normal(size=(2, 4))),
    "convolve complex": (lambda x, h: power(signal.convolve(complex_line(x), complex_line(h))), X9, H4),
    "fftconvolve complex": (lambda x, h: power(signal.fftconvolve(complex_line(x), complex_line(h), "same")), X9, H4),
    "convolve2d complex": (lambda x, h: power(signal.convolve2d(complex_line(x), complex_line(h))), X2, K2),
    "correlate complex": (lambda x, h: power(signal.correlate(complex_line(x), complex_line(h))), X9, H4),
    "lfilter": (lambda b, a, x: signal.lfilter(b, a, x), FB, FA, X9),
    "lfilter axis": (lambda b, a, x: signal.lfilter(b, a, x, axis=0), FA, FB, X2),
    "lfilter of one": (lambda b, x: signal.lfilter(b, 2.0, x), FB, X9),
    "lfilter zi": (lambda b, a, x, z: signal.lfilter(b, a, x, zi=z)[0], FB, FA, X9, RNG.normal(size=3)),
    "lfilter zf": (lambda b, a, x, z: signal.lfilter(b, a, x, zi=z)[1], FB, FA, X9, RNG.normal(size=3)),
    "lfilter zf of few": (lambda b, a, x, z: signal.lfilter(b, a, x, zi=z)[1], FB, FA, X9[:2], RNG.normal(size=3)),
    "lfilter_zi": (lambda b, a: signal.lfilter_zi(b, a), FB, FA),
    "sosfilt": (lambda x: signal.sosfilt(SOS, x), X2),
    "sosfilt sections": (
        lambda b, a, x: signal.sosfilt(np.concatenate((b, np.ones((2, 1)), a), axis=1), x, axis=0),
        SOS[:, :3],
        SOS[:, 4:],
        X2,
    ),
    "filtfilt": (lambda x: signal.filtfilt(FB, FA, x), np.concatenate((X9, X9[::-1]))),
    "filtfilt even": (lambda b, x: signal.filtfilt(b, FA, x, axis=0, padtype="even", padlen=2), FB, X2.T),
    "filtfilt constant": (lambda x: signal.filtfilt(FB, FA, x, padtype="constant", padlen=3), X2),
    "filtfilt none": (lambda x: signal.filtfilt(FB, FA, x, padtype=None), X2),
    "detrend": (lambda x: signal.detrend(x), X9),
    "detrend constant": (lambda x: signal.detrend(x, axis=0, type="constant"), X2),
    "detrend parts": (lambda x: signal.detrend(x, bp=[4]), X2),
    "savgol_filter": (lambda x: signal.savgol_filter(x, 5, 2), X2),
    "savgol_filter short": (lambda x: signal.savgol_filter(x, 5, 2, deriv=1, delta=0.5), X9),
    "savgol_filter nearest": (lambda x: signal.savgol_filter(x, 5, 2, mode="nearest", axis=0), X2.T),
    "hilbert": (lambda x: power(signal.hilbert(x)), X9),
    "hilbert filled": (lambda x: power(signal.hilbert(x, 14, axis=1)), X2),
    "resample": (lambda x: signal.resample(x, 6), X9),
    "resample up": (lambda x: signal.resample(x, 15, axis=1, window="hann"), X2),
    "resample_poly": (lambda x: signal.resample_poly(x, 3, 2, axis=1), X2),
    "freqz": (lambda b, a: power(signal.freqz(b, a, 16)[1]), FB, FA),
    "freqz frequencies": (lambda b, a, w: power(signal.freqz(b, a, w)[1]) + signal.freqz(b, a, w)[0], FB, FA, W4),
    "freqz of one": (lambda b: power(signal.freqz(b)[1]), FB),
    "freqz fs": (lambda b, a: power(signal.freqz(b, a, worN=8, fs=10.0, whole=True)[1]), FB, FA),
    "window": (lambda x: x * signal.windows.hann(x.shape[0]) * signal.windows.kaiser(9, 2.0), X9),
}


IMAGE = RNG.normal(size=(5, 6))
K3, K23 = RNG.normal(size=3), RNG.normal(size=(2, 3))
COORDINATES = RNG.uniform(0.1, 3.9, size=(2, 7))
BORDERS = ("reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-constant", "grid-wrap")

TURN = np.array([[0.9137, 0.2291], [-0.3073, 1.0711]])

NDIMAGE: dict[str, tuple[Any, ...]] = {
    **{
        f"correlate {mode}": (lambda x, w, mode=mode: ndimage.correlate(x, w, mode=mode, origin=(0, 1)), IMAGE, K23)
        for mode in BORDERS
    },
    "convolve": (lambda x, w: ndimage.convolve(x, w), IMAGE, K23),
    "of lists": (lambda x: ndimage.zoom(list(x), 1.5)[:4, :4] + ndimage.shift([x[0, :4]] * 4, 0.4), IMAGE),
    "convolve by a list": (lambda x: ndimage.convolve(list(x[0]), [1.0, 2.0]), IMAGE),
    "convolve origin": (lambda x, w: ndimage.convolve(x, w, mode="nearest", origin=(-1, 0)), IMAGE, K23),
    "convolve wide": (lambda x, w: ndimage.convolve(x, w, mode="mirror"), IMAGE[0, :2], RNG.normal(size=7)),
    "convolve1d": (lambda x, w: ndimage.convolve1d(x, w, axis=0, mode="constant"), IMAGE, H4),
    "correlate1d": (lambda x, w: ndimage.correlate1d(x, w, mode="wrap", origin=1), IMAGE, H4),
    "gaussian_filter": (lambda x: ndimage.gaussian_filter(x, 1.5), IMAGE),
    "gaussian_filter order": (lambda x: ndimage.gaussian_filter(x, (1.0, 2.0), order=(0, 1), mode="nearest", radius=3), IMAGE),
    "gaussian_filter1d": (lambda x: ndimage.gaussian_filter1d(x, 0.7, 0, 2, mode="constant", cval=2.0, truncate=3.0), IMAGE),
    "uniform_filter": (lambda x: ndimage.uniform_filter(x, (2, 3), mode="mirror"), IMAGE),
    "uniform_filter default": (lambda x: ndimage.uniform_filter(x), IMAGE),
    "uniform_filter1d": (lambda x: ndimage.uniform_filter1d(x, 4, origin=-1), IMAGE),
    "sobel": (lambda x: ndimage.sobel(x), IMAGE),
    "prewitt": (lambda x: ndimage.prewitt(x, axis=0, mode="constant", cval=1.0), IMAGE),
    "laplace": (lambda x: ndimage.laplace(x, mode="wrap"), IMAGE),
    "gaussian_laplace": (lambda x: ndimage.gaussian_laplace(x, (1.0, 0.7), mode="nearest"), IMAGE),
    "gaussian_gradient_magnitude": (lambda x: ndimage.gaussian_gradient_magnitude(x, 1.0), IMAGE),
    "shift": (lambda x: ndimage.shift(x, (0.7, -1.2)), IMAGE),
    "shift 1": (lambda x: ndimage.shift(x, 0.4, order=1, mode="nearest"), IMAGE),
    "shift 2": (lambda x: ndimage.shift(x, (1.3, 0.2), order=2, mode="reflect", cval=1.0, prefilter=False), IMAGE),
    "zoom": (lambda x: ndimage.zoom(x, 1.7), IMAGE),
    "zoom less": (lambda x: ndimage.zoom(x, (0.5, 2.0), order=1, mode="nearest"), IMAGE),
    "zoom grid": (lambda x: ndimage.zoom(x, 2.0, mode="grid-constant", grid_mode=True), IMAGE),
    "spline_filter1d": (lambda x: ndimage.spline_filter1d(x, 3, 0), IMAGE),
    "map_coordinates": (lambda x, c: ndimage.map_coordinates(x, c), IMAGE, COORDINATES),
    "map_coordinates far": (lambda x, c: ndimage.map_coordinates(x, c - 2.0), IMAGE, COORDINATES),
    **{
        f"map_coordinates {order} {mode}": (
            lambda x, c, order=order, mode=mode: ndimage.map_coordinates(x, 4 * c - 7.3, order=order, mode=mode, cval=0.7),
            IMAGE,
            COORDINATES,
        )
        for order in range(6)
        for mode in BORDERS
    },
    **{
        f"map_coordinates unfiltered {mode}": (
            lambda x, c, mode=mode: ndimage.map_coordinates(x, 4 * c - 7.3, order=4, mode=mode, cval=0.7, prefilter=False),
            IMAGE,
            COORDINATES,
        )
        for mode in BORDERS
    },
    "map_coordinates of a line": (lambda x, c: ndimage.map_coordinates(x, [c], order=2, mode="mirror"), IMAGE[0], COORDINATES[0]),
    "map_coordinates of one": (lambda x, c: ndimage.map_coordinates(x, c, mode="reflect"), IMAGE[:, :1], COORDINATES),
    "map_coordinates of a block": (
        lambda x, c: ndimage.map_coordinates(np.stack((x, x**2, x**3)), np.concatenate((c, c[:1])), order=1, mode="grid-wrap"),
        IMAGE,
        COORDINATES,
    ),
    **{
        f"shift {order} {mode}": (
            lambda x, s, order=order, mode=mode: ndimage.shift(x, s, order=order, mode=mode, cval=0.7),
            IMAGE,
            np.array([1.3, -2.6]),
        )
        for order, mode in zip((3, 5, 4, 2, 1, 3, 0, 2), BORDERS, strict=True)
    },
    **{
        f"affine_transform {order} {mode}": (
            lambda x, a, b, order=order, mode=mode: ndimage.affine_transform(x, a, b, order=order, mode=mode, cval=0.7),
            IMAGE,
            TURN,
            np.array([0.3719, -0.2237]),
        )
        for order, mode in zip((1, 2, 3, 4, 5, 0, 3, 2), BORDERS, strict=True)
    },
    "affine_transform shape": (lambda x, a: ndimage.affine_transform(x, a, 0.13, (3, 6), mode="mirror"), IMAGE, TURN),
    "affine_transform scales": (
        lambda x, a, b: ndimage.affine_transform(x, a, b, (3, 6), mode="grid-constant", cval=0.4),
        IMAGE,
        np.array([0.7, 1.3]),
        np.array([0.3719, -0.2237]),
    ),
    "affine_transform homogeneous": (
        lambda x, a: ndimage.affine_transform(x, a, order=2, mode="nearest"),
        IMAGE,
        np.column_stack((TURN, [0.3719, -0.2237])),
    ),
    "affine_transform of a line": (lambda x, a: ndimage.affine_transform(x, a, [0.3]), IMAGE[0], np.array([[0.8]])),
    "rotate": (lambda x, a: ndimage.rotate(x, a), IMAGE, np.float64(33.0)),
    "rotate within": (lambda x, a: ndimage.rotate(x, a, reshape=False, order=1, mode="reflect"), IMAGE, np.float64(-110.0)),
    "rotate back": (lambda x: ndimage.rotate(x, 90.0, (0, 1), order=4, mode="grid-constant", cval=2.0), IMAGE),
    "map_coordinates of nowhere": (lambda x, c: ndimage.map_coordinates(x, c[:, :0]), IMAGE, COORDINATES),
    "map_coordinates complex": (
        lambda x, c: np.abs(ndimage.map_coordinates(x + 1j * x**2, c, mode="grid-wrap")) ** 2,
        IMAGE,
        COORDINATES,
    ),
}


U, U2, W = RNG.normal(size=4), RNG.normal(size=4), RNG.uniform(0.5, 2.0, size=4)
PLACES, OTHERS, VI = RNG.normal(size=(5, 4)), RNG.normal(size=(3, 4)), spd(4)

SPATIAL: dict[str, tuple[Any, ...]] = {
    **{
        f"cdist {metric}": (lambda x, y, metric=metric: distance.cdist(x, y, metric), PLACES, OTHERS)
        for metric in ("euclidean", "sqeuclidean", "cityblock", "cosine", "correlation", "chebyshev", "canberra", "braycurtis")
    },
    **{
        f"cdist {metric} of as many columns as the program says": (
            lambda x, y, metric=metric: (
                distance.cdist(np.reshape(x, (5, 4)), y, metric) + distance.cdist(y, np.reshape(x, (5, 4)), metric).T
            ),
            np.linspace(0.3, 1.9, 20) ** 2,
            OTHERS,
        )
        for metric in ("euclidean", "sqeuclidean", "cosine", "correlation")
    },
    "cdist minkowski": (lambda x, y: distance.cdist(x, y, "minkowski", p=3.0), PLACES, OTHERS),
    "cdist weights": (lambda x, y, w: distance.cdist(x, y, w=w), PLACES, OTHERS, W),
    "cdist mahalanobis": (lambda x, y, v: distance.cdist(x, y, "mahalanobis", VI=v), PLACES, OTHERS, VI),
    "cdist seuclidean": (lambda x, y, v: distance.cdist(x, y, metric="seuclidean", V=v), PLACES, OTHERS, W),
    "pdist": (lambda x: distance.pdist(x), PLACES),
    "pdist cosine": (lambda x: distance.pdist(x, "cosine"), PLACES),
    "pdist square": (lambda x: distance.squareform(distance.pdist(x, "sqeuclidean")), PLACES),
    "squareform of a matrix": (lambda x: distance.squareform(x, checks=False), PLACES[:4]),
    **{
        name: (lambda u, v, name=name: getattr(distance, name)(u, v), U, U2)
        for name in (
            "euclidean",
            "sqeuclidean",
            "cityblock",
            "minkowski",
            "chebyshev",
            "cosine",
            "correlation",
            "canberra",
            "braycurtis",
        )
    },
    "jensenshannon": (lambda u, v: distance.jensenshannon(u**2, v**2, base=2.0), U, U2),
    "euclidean weights": (lambda u, v, w: distance.euclidean(u, v, w), U, U2, W),
    "cosine weights": (lambda u, v, w: distance.cosine(u, v, w), U, U2, W),
    "mahalanobis": (lambda u, v, vi: distance.mahalanobis(u, v, vi), U, U2, VI),
    "seuclidean": (lambda u, v, w: distance.seuclidean(u, v, w), U, U2, W),
}


SPARSE, SQUARE = sparse.csr_array(np.array([[1.0, 0.0, 2.0, 0.5], [0.0, 3.0, 0.0, 0.0]])), sparse.csc_matrix(A)

PRODUCTS: dict[str, tuple[Any, ...]] = {
    "A @ x": (lambda x: SPARSE @ x, B4),
    "A @ columns": (lambda x: SPARSE @ x, RNG.normal(size=(4, 3))),
    "A.T @ x": (lambda x: SPARSE.T @ x, V[:2]),
    "x @ A": (lambda x: x @ SPARSE, V[:2]),
    "A.dot": (lambda x: SQUARE.dot(x), V),
    "spsolve": (lambda x: spsolve(SQUARE, x), V),
    "spsolve columns": (lambda x: spsolve(SQUARE, x), B2),
}

"""Programs with infinite slopes in lanes that are left out, weighted by zero, or reached by nothing that moves."""

import math

import numpy as np

from tests.corpus.case import at, vec

PLACES = np.array([[0.3, -1.2], [0.7, 0.4], [-0.5, 1.1]])
WEIGHTS = np.array([[0.5, 2.0, -1.0], [0.25, 1.5, 0.75], [3.0, -0.5, 1.25]])
APART = PLACES[:, None] - PLACES[None]
LENGTHS = np.sqrt(np.sum(APART**2, -1))
ALONG = APART / (LENGTHS + np.eye(3))[..., None]
PULLS = np.sum((WEIGHTS + WEIGHTS.T)[..., None] * ALONG, axis=1)


@at((PLACES, WEIGHTS), gradient=(PULLS, LENGTHS), wrt=(0, 1))
def weighted_distances(p, w):
    """Of a place from itself: zero, wherever it goes."""
    return np.sum(w * np.sum((p[None] - p[:, None]) ** 2, -1) ** 0.5)


@at((PLACES, WEIGHTS), gradient=(PULLS, LENGTHS), wrt=(0, 1))
def distances_by_root(p, w):
    d = p[None] - p[:, None]
    return np.sum(np.sqrt((d * d).sum(axis=2)) * w)


@at((PLACES, WEIGHTS), gradient=(PULLS, LENGTHS), wrt=(0, 1))
def distances_by_einsum(p, w):
    d = p[None] - p[:, None]
    return np.sum(w * np.einsum("ijk,ijk->ij", d, d) ** 0.5)


@at((PLACES, WEIGHTS), gradient=(PULLS, LENGTHS), wrt=(0, 1))
def distances_by_matmul(p, w):
    d = p[None] - p[:, None]
    return np.sum(w * np.sqrt((d[:, :, None] @ d[..., None])[..., 0, 0]))


@at((np.array([[1.0, 2.0], [2.0, 4.0]]),), gradient=(np.zeros((2, 2)),))
def volume_by_its_logarithm(a):
    """Of a singular matrix: the logarithm has no slope there, times that of the exponential, zero."""
    sign, size = np.linalg.slogdet(a)
    return sign + np.exp(size)


@at((PLACES, WEIGHTS), gradient=(PULLS, LENGTHS), wrt=(0, 1))
def distances_of_elements(p, w):
    total = 0.0
    for i in range(p.shape[0]):
        for j in range(p.shape[0]):
            squared = 0.0
            for k in range(p.shape[1]):
                squared += (p[i, k] - p[j, k]) ** 2
            total += w[i, j] * math.sqrt(squared)
    return total


@at((PLACES, WEIGHTS, 0.5), gradient=(PULLS, LENGTHS), wrt=(0, 1))
def distances_with_exponent(p, w, half):
    return np.sum(w * np.sum((p[None] - p[:, None]) ** 2, -1) ** half)


@at((vec(-1.0, 4.0, -0.5), vec(3.0, 2.0, 1.0)), gradient=(vec(0.0, 0.5, 0.0), vec(0.0, 2.0, 0.0)), wrt=(0, 1))
def roots_of_positive_parts(x, w):
    return np.sum(w * np.sqrt(np.maximum(x, 0.0)))


@at((vec(0.0, 4.0), vec(0.0, 2.0)), gradient=(vec(0.0, 0.5), vec(0.0, 2.0)), wrt=(0, 1))
def roots_with_zero_weights(x, w):
    return np.sum(w * np.sqrt(x))


@at((vec(0.0, 0.5, 0.25), vec(1.0, 2.0, 3.0)), gradient=(vec(0.0, 2 + 2 * np.log(0.5), 3 + 3 * np.log(0.25)),), wrt=(0,))
def entropy_of_what_is_there(p, w):
    return np.sum(np.where(p > 0, p * np.log(p), 0.0) * w)


@at((vec(0.0, 2.0), vec(3.0, 4.0)), gradient=(vec(0.0, -1.0), vec(0.0, 0.5)), wrt=(0, 1))
def quotients_that_are_numbers(y, x):
    return np.sum(np.nan_to_num(x / y, nan=0.0, posinf=0.0) / np.array([1.0, 2.0]) * 2.0)


@at((vec(0.0, -2.0),), gradient=(vec(0.0, -1.0),))
def root_of_square(x):
    return np.sum(np.sqrt(x**2))


SMALL = np.array([-128, 100, 3, -1, 127], np.int8)
COUNTS = np.array([0, 1, 2, 200, 255], np.uint8)


@at((vec(0.3, -1.2, 0.7, 2.0, -0.5), SMALL), wrt=(0,))
def angles_of_small_integers(x, k):
    return np.sum((np.arctan2(k, x) + np.arctan2(x, k)) * np.arange(1.0, 6.0))


@at((vec(0.3, -1.2, 0.7, 2.0, 0.5), COUNTS), wrt=(0,))
def powers_with_small_integers(x, k):
    return np.sum(np.power(0.1 * x + 1.0, k) + x**k * 1e-60) + np.sum((k + np.uint8(1)) ** (0.1 * x))


@at((vec(0.3, 1.2, 0.7), 0.0), (vec(0.5, 2.0, 3.0), 1.0), wrt=(0, 1))
def exponent_that_is_zero_or_one(x, p):
    return np.sum(x**p * vec(1.0, 2.0, 3.0)) ** 2


@at((vec(0.3, 1.2, 0.7), vec(0.0, 1.0, 2.0)), wrt=(0, 1))
def exponents_that_are_zero_and_one(x, p):
    return np.sum(x**p * vec(1.0, 2.0, 3.0)) ** 2


@at((vec(1.0, np.nan, 2.0),), gradient=(np.zeros(3),))
def largest_where_one_is_missing(x):
    return np.nan_to_num(np.max(x) + np.min(x.reshape(1, 3), axis=1)[0])


@at((vec(0.0, 2.0, -1.0),), gradient=(vec(0.0, 1.0 + np.sqrt(0.5), -1.0 - np.sqrt(2.0)),))
def norm_below_one_with_a_zero(x):
    return np.linalg.norm(x, 0.5) + np.linalg.norm(x, -1)


@at((PLACES,))
def distances_by_norm(p):
    """Of each place from itself, too: that stays zero, and so do its first and second derivative."""
    return np.sum(np.linalg.norm(p[None] - p[:, None], axis=-1) * WEIGHTS) ** 2


@at((PLACES,))
def distances_by_hypotenuse(p):
    d = p[None] - p[:, None]
    return np.sum(np.exp(-np.hypot(d[..., 0], d[..., 1])) * WEIGHTS)


@at((PLACES,))
def distances_of_three_kinds(p):
    total = 0.0
    for i in range(p.shape[0]):
        for j in range(p.shape[0]):
            r = p[i] - p[j]
            total += np.sqrt(r @ r) * (i + 1) + math.sqrt(r[0] ** 2) + np.linalg.norm(r) * j
            total += math.hypot(r[0], r[1]) * math.dist(p[i], p[j]) + np.linalg.norm(r, 3) * np.sqrt(i + 1.0)
    return total


@at((PLACES, 0.5), wrt=(0, 1))
def lengths_of_what_moves_together(p, shift):
    """Places that coincide and move together, a spread of equal numbers, and an angle that nothing turns."""
    q = np.concatenate((p, p)) + shift**2
    apart = np.linalg.norm(q[:3] - q[3:], axis=1, keepdims=True) + np.hypot(q[:3, 0] - q[3:, 0], 0.0)[:, None]
    same = np.std(np.full(4, shift**3)) + np.arctan2(shift - shift, (shift - shift) * shift)
    return np.sum(apart * p[:, :1]) + same + np.sum(np.hypot(q[:, 0], q[:, 1]))


@at((vec(0.0, 0.0, 0.0),), gradient=(vec(0.0, 0.0, 0.0),))
def root_of_product(x):
    return np.sqrt(np.prod(x))


def huber(a, b, k=0.5):
    d = abs(a - b)
    return 0.5 * d**2 if d < k else k * (d - 0.5 * k)


@at((vec(0.0, 0.6, -2.0, 0.75), vec(0.25, 0.75), 0.25))
def robust_losses_of_residuals_that_are_zero(y, slope, offset):
    fit = slope[0] * np.arange(4.0) * (slope[1] + offset)
    one_by_one = sum(huber(a, b) for a, b in zip(y, fit, strict=True))
    d = np.abs(y - fit)
    return one_by_one + np.sum(np.where(d < 0.5, 0.5 * d * d, 0.5 * d - 0.125)) + np.sum((d / (2.0 + offset)) ** 2)

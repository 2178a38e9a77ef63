"""Edges of an image: stages joined by `>>`, convolutions, suppression by masks, histograms with weights."""

from functools import partial, reduce

import numpy as np

from tests.corpus.case import at


class Stage:
    def __init__(self, fn, name=None):
        self.fn, self.name = fn, name or getattr(fn, "__name__", "stage")

    def __rshift__(self, other):
        return Stage(lambda im: other.fn(self.fn(im)), f"{self.name}>{other.name}")

    def __call__(self, im):
        return self.fn(im)


def conv2(im, kernel, mode="edge"):
    kh, kw = kernel.shape
    p = np.pad(im, ((kh // 2,) * 2, (kw // 2,) * 2), mode=mode)
    out = np.zeros_like(im)
    for i in range(kh):
        for j in range(kw):
            out += kernel[i, j] * p[i : i + im.shape[0], j : j + im.shape[1]]
    return out


def gaussian(sigma, radius=1):
    x = np.arange(-radius, radius + 1)
    g = np.exp(-0.5 * (x / sigma) ** 2)
    g /= g.sum()
    return np.outer(g, g)


SOBEL = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]]) / 8.0


def gradient(im):
    gx, gy = conv2(im, SOBEL), conv2(im, SOBEL.T)
    mag = np.hypot(gx, gy) + 1e-9
    horizontal = np.abs(gx) > np.abs(gy)
    left = np.roll(mag, 1, axis=1)
    right = np.roll(mag, -1, axis=1)
    up, down = np.roll(mag, 1, axis=0), np.roll(mag, -1, axis=0)
    peak = np.where(horizontal, (mag >= left) & (mag >= right), (mag >= up) & (mag >= down))
    return np.where(peak, mag, 0.1 * mag)


def histogram_features(mag, bins=4, top=None):
    top = mag.max() if top is None else top
    idx = np.minimum((mag / top * bins).astype(int), bins - 1)
    return np.bincount(idx.ravel(), weights=mag.ravel(), minlength=bins)


@at((np.sin(np.arange(36.0) * 1.7).reshape(6, 6), 0.9))
def features_of_an_image(image, sigma):
    pipe = Stage(partial(conv2, kernel=gaussian(sigma))) >> Stage(gradient) >> Stage(lambda m: m / (1 + m))
    mag = pipe(image)
    feats = histogram_features(mag)
    return reduce(lambda s, kv: s + kv[0] * kv[1], enumerate(feats, 1), 0.0) + len(pipe.name) * 0.0

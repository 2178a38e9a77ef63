"""XPS/Raman peak fit: peak shapes in an Enum with methods, baseline by match, residual with mask and bounds dict."""

import enum

import numpy as np

from tests.corpus.case import at


class Shape(enum.Enum):
    GAUSS = "gauss"
    LORENTZ = "lorentz"
    VOIGT = "pseudo-voigt"

    def __call__(self, x, center, width, eta=0.5):
        u = (x - center) / width
        match self:
            case Shape.GAUSS:
                return np.exp(-np.log(2) * u**2)
            case Shape.LORENTZ:
                return 1 / (1 + u**2)
            case Shape.VOIGT:
                return eta * Shape.LORENTZ(x, center, width) + (1 - eta) * Shape.GAUSS(x, center, width)


def baseline(x, spec):
    match spec:
        case None | {"kind": "none"}:
            return np.zeros_like(x)
        case {"kind": "linear", "a": a, "b": b}:
            return a + b * x
        case {"kind": "poly", "coeffs": [*cs]}:
            return sum(c * x**k for k, c in enumerate(cs))
        case ("shirley", scale):
            return scale * np.cumsum(np.ones_like(x)) / len(x)
        case _:
            raise ValueError(f"unknown baseline {spec}")


class Model:
    def __init__(self, *peaks, background=None):
        self.peaks = peaks
        self.background = background

    def __call__(self, x):
        y = baseline(x, self.background)
        for shape, params in self.peaks:
            params = dict(params)
            height = params.pop("height")
            y = y + height * shape(x, **params)
        return y

    def __add__(self, other):
        return Model(*self.peaks, *other.peaks, background=self.background or other.background)


@at((np.array([1.2, -0.7, 0.8, 1.1, 0.5, 0.02]), np.array([0.1, 0.2, 0.4, 0.9, 1.1, 0.6, 0.4, 0.5, 0.8, 0.9, 0.5, 0.2])))
def peaks_of_a_spectrum(p, data):
    x = np.linspace(-3, 3, len(data))
    a = Model((Shape.GAUSS, {"height": p[0], "center": p[1], "width": 0.6}), background={"kind": "linear", "a": 0.1, "b": p[5]})
    b = Model((Shape("pseudo-voigt"), {"height": p[2], "center": p[3], "width": p[4], "eta": 0.3}))
    model = a + b
    y = model(x)
    mask = np.abs(x) > 0.2
    res = (y - data)[mask] / np.sqrt(np.maximum(data[mask], 0.05))
    bounds = {"height": (0.0, 5.0), "width": (0.1, 2.0)}
    penalty = 0.0
    for (lo, hi), v in zip(bounds.values(), (p[0], p[4])):
        if not lo < v < hi:
            penalty += min(abs(v - lo), abs(v - hi)) ** 2
    return res @ res / (mask.sum() - len(p)) + penalty

"""Functions and rules kept behind boundaries: in every derivative their calls stay calls."""

from dataclasses import dataclass

import numpy as np

import adxform
from tests.corpus.case import at, smooth, vec

SCALE = 2.0
POINT = vec(0.5, 1.0, 0.3)


@adxform.differentiable(boundary=True)
def layer(w, x, b=0.5):
    h = w @ x + b
    return np.tanh(h) * SCALE, np.sum(h * h)


@at((smooth(3, 3), POINT))
def two_layers(w, x):
    h, one = layer(w, x)
    h, other = layer(w, h, b=0.1)
    return np.sum(h) + one * other


@adxform.differentiable(boundary=True)
def smoothed(p, x):
    u = x.copy()
    for i in range(1, x.shape[0]):
        u[i] = u[i] + p["k"] * u[i - 1] ** 2
    return {"u": u, "energy": np.sum(np.exp(u) * p["c"])}


@at((0.3, 0.7, POINT))
def structures_in_and_out(k, c, x):
    one = smoothed({"k": k, "c": c}, x)
    other = smoothed({"k": c, "c": k}, one["u"] * 0.1)
    return one["energy"] * 0.1 + other["energy"] + np.sum(one["u"])


@dataclass
class Net:
    w: np.ndarray
    scale: float

    @adxform.differentiable(boundary=True)
    def apply(self, x):
        return self.scale * np.tanh(self.w @ x)


@at((Net(smooth(3, 3), 0.7), POINT))
def method_behind_a_boundary(net, x):
    return np.sum(net.apply(net.apply(x)) ** 2)


@at((POINT,))
def decorated_inside(x):
    @adxform.differentiable(boundary=True)
    def bent(y):
        return y * y * np.sin(y) + x[0]

    return bent(x[1]) + np.sum(bent(x))


@adxform.differentiable(boundary=True)
def fill(out, x):
    out[0] = np.sin(x[0])
    for i in range(1, x.shape[0]):
        out[i] = out[i - 1] * x[i]
    out *= 2.0


@adxform.differentiable(boundary=True)
def weighted(x, y, k):
    return np.sum(x * y * np.exp(x)) * k


@adxform.differentiable(boundary=True)
def root(a):
    z = a
    while abs(z * z - a) > 1e-12:
        z = 0.5 * (z + a / z)
    return z


@adxform.differentiable(boundary=True)
def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


@at((POINT, vec(0.3, -0.2, 0.9)))
def writes_loops_and_recursion(x, y):
    buffer = np.empty(x.shape[0])
    fill(buffer, x)
    total = weighted(x, y, 2.0) + weighted(buffer, x, 1.0) + root(x[0] ** 2 + 1.0)
    fill(buffer, buffer * 0.1)
    return total + np.sum(buffer**2) + power(x[1], 3)


@at((vec(0.5, 1.0, -0.3), 3), (vec(0.5, 1.0, -0.3), 0))
def calls_in_loops_and_branches(x, n):
    total = 0.0
    for i in range(n):
        if x[i] > 0.0:
            total = total + root(x[i] + total * total)
        x = x * (1.0 + 0.1 * weighted(x, x, 0.3))
    return total


@at((POINT,))
def gradient_of_a_boundary(x):
    slope = adxform.grad(lambda z: weighted(z, z * x, 1.0))(x)
    return np.sum(slope * root(x[0] ** 2 + 2.0))


@adxform.differentiable(boundary=True)
def buffer_and_view(n):
    whole = np.zeros(n)
    return whole, whole[1:]


@adxform.differentiable(boundary=True)
def itself(x):
    return x


@adxform.differentiable(boundary=True)
def tail(x):
    return x[1:]


@at((POINT,))
def two_names_for_what_is_returned(x):
    whole, view = buffer_and_view(3)
    view[0] = np.sin(x[0])
    whole[2] = x[1] ** 2
    whole[0] += view[1] * view[0]
    view *= x[2]
    return np.sum(whole * whole)


@at((POINT,))
def views_that_are_returned(x):
    y = x * x
    same = itself(y)
    rest = tail(same)
    same[1] *= y[0]
    rest[1] = rest[0] * y[0]
    return np.sum(y * np.sin(rest[0]))


@at((vec(0.4, -0.3, 0.8),), (vec(0.2, -0.3, 0.8),))
def result_that_is_written_later(x):
    rest = tail(x) if x[0] > 0.3 else tail(x) * 2.0
    w = np.exp(rest)
    again = itself(w)
    w[0] = 3.0 * again[1]
    return np.sum(w * again)


@adxform.differentiable(boundary=True)
def exponential(x):
    return np.exp(x)


@at((POINT,))
def residual_that_is_written_later(x):
    y = exponential(x)
    z = y * 1.0
    y[0] = x[1] * z[2]
    return np.sum(y * z)


@at((POINT[:0],), (POINT[:1],), (POINT.astype(np.float32),))
def empty_one_and_single(x):
    return weighted(x, x, 0.5) + np.sum(exponential(x) * x)


def bent(x):
    return np.sin(x) * x


@adxform.rule(bent, boundary=True)
def bent_rule(x):
    s = np.sin(x)

    def pullback(y_ct):
        return (y_ct * (s + x * np.cos(x)),)

    return s * x, pullback


def mixed(a, x, *, power):
    return a @ x**power


@adxform.rule(mixed, boundary=True)
def mixed_rule(a, x, *, power):
    def pullback(y_ct):
        return np.outer(y_ct, x**power), (y_ct @ a) * power * x ** (power - 1)

    return a @ x**power, pullback


@at((POINT,))
def rule_in_a_loop(x):
    total = 1.0
    for i in range(x.shape[0]):
        total = total * bent(bent(x[i]) + total)
    return total + np.sum(bent(x))


@at((smooth(3, 3), POINT))
def rule_of_several_arguments(a, x):
    return np.sum(np.sin(mixed(a, mixed(a, x, power=2), power=3)))


def grown(x):
    return x**2 * np.exp(x)


@adxform.rule(grown, boundary=True)
def grown_rule(x):
    e = exponential(x)

    def pullback(y_ct):
        return (y_ct * (power(x, 2) * e + 2.0 * x * exponential(x)),)

    return x**2 * e, pullback


@at((POINT,))
def rule_that_calls_boundaries(x):
    return grown(x[0] * x[1]) + grown(x[2])


def halved(x):
    return np.sin(x) if x < 1.0 else 2.0 * halved(x / 2.0)


def steep(x):
    return x * halved(x)


@adxform.rule(steep)
def steep_rule(x):
    def pullback(y_ct):
        return (y_ct * (halved(x) + x * derivative_of_halved(x)),)

    return x * halved(x), pullback


def derivative_of_halved(x):
    return np.cos(x) if x < 1.0 else derivative_of_halved(x / 2.0)


@at((vec(0.5, 1.3, 4.1),))
def rule_that_calls_recursive_functions(x):
    return steep(x[0]) * steep(x[1]) + steep(x[2])

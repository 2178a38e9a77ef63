"""Programs that take derivatives themselves: in loops and branches, of closures and methods, and that go on writing to arrays."""

import functools

import numpy as np

import adxform
from tests.corpus.case import at, smooth, vec


@at((vec(1.0, 2.0, 0.5),))
def write_before_the_pullback(x):
    y = x * 1.0
    _, pullback = adxform.vjp(lambda z: np.sum(z * z * z), y)
    y[0] = 7.0 * x[1]
    (first,) = pullback(1.0)
    (second,) = pullback(2.0)
    return np.sum(first * second) + np.sum(y)


@at((vec(1.0, 2.0, 0.5),))
def write_to_what_was_captured_before_the_pullback(x):
    y = x * 2.0
    _, pullback = adxform.vjp(lambda z: np.sum(z * z * y), x)
    y[0] = 7.0 * x[1]
    (g,) = pullback(x[2])
    return np.sum(g * g) + np.sum(y)


@at((vec(1.0, 2.0, 0.5),))
def write_to_the_value_before_the_pullback(x):
    value, pullback = adxform.vjp(lambda z: z * z[0], x)
    value[:] = 3.0 * x
    (g,) = pullback(value)
    return np.sum(g * value)


@at((vec(1.0, 2.0, 0.5),))
def write_to_a_gradient(x):
    y = x * 2.0
    g = adxform.grad(lambda z: np.sum(z * y))(x)
    g[0] = 5.0 * x[1]
    return y[0] * y[1] + np.sum(g) * x[2]


@at((vec(1.0, 2.0, 0.5),))
def write_to_a_jacobian(x):
    j = adxform.jacobian(lambda s: s * x)(x[0])
    j[1] = j[0] * x[2]
    return np.sum(x * j)


@at((vec(0.4, 0.9, 1.3), 2))
def newton(x, steps):
    u = x * 0.5

    def energy(v):
        return np.sum(v**4) + np.sum((v - x) ** 2)

    for _ in range(steps):
        u = u - np.linalg.solve(adxform.hessian(energy)(u), adxform.grad(energy)(u))
    return np.sum(u * x)


@at((vec(1.0, 0.6, 0.5),))
def branches_of_operators(x):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.55:
            total = total + np.sum(adxform.hessian(lambda z, i=i: np.sum(z**3) * x[i])(x))
        else:
            total = total + adxform.grad(adxform.grad(lambda z: z**4 * x[0]))(x[i])
    return total


@at((vec(1.0, 0.6, 0.5),))
def operators_made_anew(x):
    slopes = [adxform.grad(lambda z, k=k: z ** (k + 2) * x[k]) for k in range(3)]
    return slopes[0](x[1]) * slopes[1](x[2]) + slopes[2](x[0])


def applied(operator, f, x):
    return operator(f)(x)


@at((vec(1.0, 0.6, 0.5),))
def operators_as_arguments(x):
    def f(z):
        return np.sum(z**3) * x[0]

    both = applied(adxform.grad, f, x) + applied(functools.partial(adxform.value_and_grad, argnums=0), f, x)[1]
    return np.sum(both) + np.sum(applied(adxform.hessian, f, x) @ x)


@at((vec(1.0, 0.6, 0.5),))
def partial_of_an_operator(x):
    slope = functools.partial(adxform.grad(lambda a, b: np.sum(a * a * b * b)), x)
    curve = adxform.hvp(functools.partial(lambda k, z: np.sum(k * z**3), x))
    return np.sum(slope(x * x)) + np.sum(curve(x * 2.0, x * x))


class Spring:
    def __init__(self, k):
        self.k = k

    @adxform.differentiable
    def energy(self, x):
        return self.k * np.sum(x**3)

    force = adxform.grad(lambda self, x: self.k * np.sum(x**4), 1)


SPRING = Spring(1.5)


@at((vec(1.0, 0.6, 0.5),))
def methods_with_derivatives(x):
    made = Spring(x[0])
    total = made.energy(x) * np.sum(made.energy.grad(x)) + np.sum(made.energy.hvp(x, x * x))
    total = total + np.sum(made.energy.hessian(x)) + np.sum(made.energy.jacobian(x)) + np.sum(made.force(x))
    value, tangent = SPRING.energy.jvp((x,), (x * x,))
    _, pullback = SPRING.energy.vjp(x)
    return total + value * tangent + np.sum(pullback(x[1])[0] * SPRING.force(x))


@at((smooth(4), 3))
def perturbations_at_three_levels(x, n):
    def outer(y):
        def inner(z):
            return np.sum(x * y * z**2)

        return np.sum(adxform.grad(inner)(y * x)) * y[0]

    return np.sum(adxform.grad(outer)(x)) ** n


@at((vec(1.0, 0.6, 0.5),))
def sensitivities_by_forward_mode(x):
    def flow(state, rate):
        for _ in range(3):
            state = state + 0.1 * np.sin(state * rate)
        return state

    out, tangent = adxform.jvp(flow, (x, x[0]), (np.zeros(3), 1.0))
    rows = adxform.jacobian(flow, (0, 1))(x, x[1])
    return np.sum(out * tangent) + np.sum(rows[0] @ rows[1])

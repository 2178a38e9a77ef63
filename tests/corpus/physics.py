"""A module of helper functions that programs of the corpus import."""

import numpy as np

GRAVITY = 9.81


def drag(velocity, coefficient=0.1):
    return coefficient * velocity * abs(velocity)


def scale_in_place(values, factor):
    values *= factor


def relax_once(u, k):
    for i in range(1, len(u) - 1):
        u[i] += k * (u[i - 1] - 2.0 * u[i] + u[i + 1])


def energy(position, velocity):
    return 0.5 * np.sum(velocity**2) + GRAVITY * np.sum(position)

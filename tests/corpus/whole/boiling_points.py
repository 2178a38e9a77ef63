"""Vapor pressure regression: retries with halved damping on exceptions, warnings counted, results as list of dicts."""

import math

import numpy as np

from tests.corpus.case import at


def antoine(T, A, B, C):
    return 10.0 ** (A - B / (C + T))


def boiling_point(p, params, guess=80.0, damping=1.0, tol=1e-9):
    T = guess
    for it in range(1, 40):
        r = math.log(antoine(T, *params)) - math.log(p)
        dr = math.log(10.0) * params[1] / (params[2] + T) ** 2
        T_new = T - damping * r / dr
        if T_new < -params[2] + 1.0:
            raise FloatingPointError(f"left the domain after {it}")
        if abs(T_new - T) < tol:
            return T_new, it
        T = T_new
    raise FloatingPointError("too many")


def robust_boiling_point(p, params):
    damping, attempt, last = 1.0, 0, None
    while attempt < 6:
        try:
            T, its = boiling_point(p, params, damping=damping)
        except (FloatingPointError, OverflowError, ZeroDivisionError) as err:
            last = err
            damping *= 0.5
            attempt += 1
            continue
        else:
            return {"T": T, "iterations": its, "attempts": attempt, "damping": damping}
        finally:
            pass
    raise RuntimeError("all attempts failed") from last


@at((np.array([8.07, 1730.6, 233.4]), np.array([0.7, 120.0, 400.0, 760.0])))
def heat_of_vaporisation(params, pressures):
    rows = []
    for p in pressures:
        try:
            rows.append(robust_boiling_point(p, params))
        except RuntimeError as e:
            print("skipped", e)
            continue
    if not rows:
        return 0.0
    T = np.array([row["T"] for row in rows])
    place, height = np.log(pressures), 1.0 / (T + 273.15)
    slope = np.sum((place - place.mean()) * (height - height.mean())) / np.sum((place - place.mean()) ** 2)
    intercept = height.mean() - slope * place.mean()
    heat = -8.314 * intercept / slope if abs(slope) > 1e-12 else 0.0
    return 100 * intercept + heat * 1e-3 + 0.001 * sum(row["attempts"] for row in rows) + T.mean() / 100

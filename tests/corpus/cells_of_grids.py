"""Whole numbers that are made of floats: cells of grids, periods, the nearest image; and the least of several neighbours."""

import numpy as np

from tests.corpus.case import at, smooth, vec


@at((vec(0.3, 2.7, 4.1, 6.6, 7.9), vec(1.0, 0.5, 0.8, 1.2, 0.4)))
def charges_on_a_ring_of_cells(places, charges):
    cells, width = 5, 8.0 / 5
    density = np.zeros(cells)
    for p in range(len(places)):
        scaled = places[p] / width
        cell = int(np.floor(scaled))
        right = scaled - cell
        density[cell % cells] += charges[p] * (1 - right)
        density[(cell + 1) % cells] += charges[p] * right
    return np.sum(density**2)


@at((smooth(5, 4), np.array([[0.3, 1.6], [2.2, 0.7], [3.7, 2.4], [1.1, 1.3]])))
def image_between_its_points(image, places):
    total = 0.0
    for k in range(len(places)):
        x, y = places[k]
        i, j = int(x), int(y)
        a, b = x - i, y - j
        upper = image[i, j] * (1 - b) + image[i, j + 1] * b
        lower = image[i + 1, j] * (1 - b) + image[i + 1, j + 1] * b
        total += (upper * (1 - a) + lower * a) ** 2
    return total


@at((smooth(6, 3) * 4.0, 1.7))
def nearest_images_number_by_number(places, side):
    energy = 0.0
    for i in range(len(places)):
        for j in range(i + 1, len(places)):
            square = 0.1
            for k in range(3):
                apart = places[i, k] - places[j, k]
                apart -= side * round(apart / side)
                square += apart * apart
            if square < 2.0:
                energy += 1.0 / square**3
    return energy


@at((smooth(6, 3) * 4.0, 1.7))
def nearest_images_by_vectors(places, side):
    energy = 0.0
    for i in range(len(places)):
        for j in range(i + 1, len(places)):
            apart = places[i] - places[j]
            apart = apart - side * np.round(apart / side)
            square = np.dot(apart, apart)
            if square < 2.0:
                energy += 1.0 / (square + 0.1) ** 3
    return energy


@at((vec(0.3, 1.1, 0.7, 1.9), vec(0.35, 0.9, 0.8, 1.4, 2.1)))
def cheapest_of_three_ways(a, b):
    costs = np.full((len(a) + 1, len(b) + 1), np.inf)
    costs[0, 0] = 0.0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            before = min(costs[i - 1, j], costs[i, j - 1], costs[i - 1, j - 1])
            costs[i, j] = (a[i - 1] - b[j - 1]) ** 2 + before
    return costs[-1, -1] + max(a[0], b[1], a[2] * b[2])


@at((smooth(6, 4), smooth(4, 4), True), (smooth(6, 4), smooth(5, 4), False))
def best_ways_of_few_states(scores, moves, follow):
    best = scores[0].copy()
    for t in range(1, len(scores)):
        new = np.zeros(4)
        for j in range(4):
            new[j] = scores[t, j] + (np.max(best + moves[:, j]) if follow else np.sum(moves[:, j] ** 2))
        best = new
    return np.max(best) * len(moves)

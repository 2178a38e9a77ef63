"""Loops that make the next state of something in an array of its own, fill it and go on with it."""

import numpy as np

from tests.corpus.case import at, smooth, vec

STATE = vec(1.3, 0.7, -0.4, 0.9, 0.55)


@at((STATE, 4), (STATE, 0), (STATE, 1))
def steps_into_new_arrays(x, steps):
    u = x.copy()
    for _ in range(steps):
        v = np.zeros_like(u)
        v[1:-1] = u[1:-1] ** 2 + u[:-2] * 0.3
        v[0] = u[-1]
        u = v
    return np.sum(u * u)


@at((smooth(6, 5), 4))
def wave_with_two_old_states(x, steps):
    before, u = x.copy(), x.copy()
    for _ in range(steps):
        new = np.zeros_like(u)
        around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        new[1:-1, 1:-1] = 2 * u[1:-1, 1:-1] - before[1:-1, 1:-1] + 0.3 * around * u[1:-1, 1:-1]
        before, u = u, new
    return np.sum(u**2) + before[2, 2]


@at((STATE,))
def two_names_of_a_new_state(x):
    u, w = x.copy(), x.copy()
    for _ in range(3):
        v = np.zeros_like(u)
        v[:] = u * 0.5 + w
        u = v
        w = v
        w[0] = u[1] * x[2]
    return np.sum(u * w)


@at((STATE,))
def new_state_changed_by_the_next_step(x):
    u = x.copy()
    for _ in range(3):
        u[0] = u[1] * 2.0
        v = np.empty(5)
        for i in range(5):
            v[i] = u[i] * u[i - 1]
        u = v
    return u[0] + u[4]


@at((STATE,))
def states_kept_and_changed_afterwards(x):
    u, history = x.copy(), []
    for _ in range(3):
        v = np.zeros(5)
        v[1:] = u[:-1] * x[1:]
        history.append(v)
        u = v
    history[1][2] = x[0] ** 2
    return np.sum(u) + np.sum(history[1] ** 2) + history[2][3]


@at((STATE, 3), (STATE, 0))
def first_state_changed_after_the_steps(x, steps):
    u = np.zeros(5)
    u[1:] = x[1:] ** 2
    first = u
    for _ in range(steps):
        v = np.empty_like(u)
        v[0] = u[4]
        v[1:] = u[:-1] * 1.1
        u = v
    first[2] = x[3] * 5.0
    return np.sum(u * first)


@at((STATE,))
def states_filled_in_branches(x):
    u = x.copy()
    for t in range(4):
        if t % 2 == 0:
            v = np.zeros(5)
            v[2:] = u[2:] * x[0]
        else:
            v = u.copy()
            v[0] = v[1] * v[2]
        u = v
    return np.sum(u**3)


@at((STATE,))
def view_of_a_new_state_handed_on(x):
    u = np.concatenate((x, x))
    for _ in range(3):
        v = np.zeros(10)
        v[1:] = u[:-1] * 1.5
        w = v[::1]
        v[3] = u[3] * x[0]
        u = w
    return np.sum(u**2)


@at((STATE,))
def new_state_for_one_of_two(x):
    a, b = x.copy(), x * 2.0
    for t in range(4):
        v = np.zeros(5)
        v[:3] = a[:3] * b[2:]
        if t % 2:
            a = v
        else:
            b = v
    return np.sum(a * b) + a[0] * b[1]


@at((STATE,))
def two_states_that_begin_as_one(x):
    start = np.zeros(5)
    start[2] = x[2] ** 2
    a, b = start, start
    for _ in range(3):
        v = np.zeros(5)
        v[1:] = a[:-1] + b[1:] * x[1:]
        v[0] = b[2]
        a, b = b, v
    return np.sum(a * b + start)


@at((STATE,))
def state_changed_between_two_loops(x):
    u = x.copy()
    for _ in range(2):
        v = np.zeros(5)
        v[1:] = u[:-1] * x[0]
        u = v
    u[3] = x[4] ** 2
    for _ in range(2):
        v = np.zeros(5)
        v[1:] = u[:-1] * x[0]
        v[0] = u[3]
        u = v
    return np.sum(u * u)


@at((STATE,))
def steps_while_large(x):
    u, k = x.copy(), 0
    while np.sum(u * u) > 0.5 and k < 6:
        v = np.zeros(5)
        for i in range(4):
            v[i] = 0.5 * u[i + 1] + 0.1 * x[i]
        u = v
        k += 1
    return np.sum(u * u) + u[0]


@at((smooth(7, 3), smooth(3, 3) + 1.0, vec(0.5, 0.8, 1.1)))
def hidden_states_by_loops(log_likelihoods, transitions, start):
    steps, states = log_likelihoods.shape
    moves = np.log(transitions / transitions.sum(1, keepdims=True))
    alpha = np.log(start / start.sum()) + log_likelihoods[0]
    for t in range(1, steps):
        new = np.empty(states)
        for j in range(states):
            given = alpha + moves[:, j]
            top = np.max(given)
            new[j] = top + np.log(np.sum(np.exp(given - top))) + log_likelihoods[t, j]
        alpha = new
    return np.log(np.sum(np.exp(alpha)))


@at((smooth(5, 3), vec(0.7, 1.1, 0.4, 0.9, 1.3)))
def pulls_of_all_but_oneself(places, masses):
    pulls = np.zeros((len(masses), 3))
    for i in range(len(masses)):
        for j in range(len(masses)):
            if i != j:
                apart = places[j] - places[i]
                square = apart[0] ** 2 + apart[1] ** 2 + apart[2] ** 2 + 0.01
                pulls[i] += masses[j] * apart / (square * np.sqrt(square))
    return np.sum(pulls**2)


@at((smooth(5, 3), 0.9))
def pulls_of_those_nearby(places, reach):
    pulls = np.zeros((5, 3))
    for i in range(5):
        for j in range(5):
            if i == j:
                continue
            apart = places[j] - places[i]
            square = apart @ apart
            if square < reach:
                pull = apart * (reach - square)
                if square > 0.1:
                    pull = pull * np.exp(-square)
                pulls[i] += pull * pull[0]
    return np.sum(pulls**2)


@at((smooth(4, 3),), (smooth(1, 1),))
def neighbours_across_the_edges(spins):
    rows, columns = spins.shape
    energy = 0.0
    for i in range(rows):
        for j in range(columns):
            around = (
                spins[(i + 1) % rows, j] + spins[(i - 1) % rows, j] + spins[i, (j + 1) % columns] + spins[i, (j - 1) % columns]
            )
            energy -= spins[i, j] * around * spins[i, (j + columns // 2) % columns]
    return energy


@at((smooth(12), 3), (smooth(12), 5))
def rows_and_columns_of_places(x, width):
    total = 0.0
    for k in range(len(x)):
        total += x[k] * x[k // width] * (k % width + 1) * x[-k % width]
    return total


@at((smooth(6, 5),), (smooth(2, 2),))
def means_and_deviations_of_patches(image):
    rows, columns = image.shape
    out = np.zeros_like(image)
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            patch = image[i - 1 : i + 2, j - 1 : j + 2]
            out[i, j] = np.mean(patch) ** 2 + np.std(patch) * patch[1, 1]
    return np.sum(out**2)


@at((smooth(6), 2), (smooth(6), 0), (smooth(4, 3)[:, 0], 3))
def products_with_a_lag_that_wraps(x, lag):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i - lag] ** 2
    return total


@at((smooth(4, 5),), (smooth(1, 1),))
def neighbours_half_way_around(spins):
    rows, columns = spins.shape
    energy = 0.0
    for i in range(rows):
        for j in range(columns):
            energy -= spins[i, j] * spins[i, j - columns // 2] ** 2
    return energy

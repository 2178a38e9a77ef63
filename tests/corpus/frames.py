"""Arrays in lists, as long as only a run can tell: frames of signals, windows, a basis that grows."""

import numpy as np

from tests.corpus.case import at, vec

_SIGNAL = vec(0.3, 0.7, 1.1, 0.25, 0.9, -0.4, 0.5, 0.6, 0.8)
_MATRIX = np.array([[0.9, 0.2, -0.4], [0.3, 1.1, 0.5], [0.7, -0.6, 0.8]])


@at((_SIGNAL, 4))
def energies_of_windowed_frames(x, n):
    window = np.hanning(n + 2)[1:-1]
    frames = [window * x[i : i + n] for i in range(0, len(x) - n + 1, n // 2)]
    return np.sum(np.log1p(np.sum(np.array(frames) ** 2, axis=1)))


@at((_SIGNAL, 4), (_SIGNAL[:3], 4))
def frames_without_their_mean(x, n):
    frames, start = [], 0
    while start + n <= len(x):
        frame = x[start : start + n]
        frames.append(frame - frame.mean())
        start += n // 2
    return sum(f[0] * f[-1] for f in frames) + x[0] * len(frames)


@at((_SIGNAL, 3))
def distances_of_delay_vectors(x, m):
    delayed = np.array([x[i : i + m] for i in range(len(x) - m + 1)])
    total = 0.0
    for i in range(len(delayed)):
        for j in range(i):
            total += np.exp(-np.sum((delayed[i] - delayed[j]) ** 2))
    return total


@at((_MATRIX,))
def basis_that_grows(a):
    basis = []
    for row in a:
        w = row.copy()
        for b in basis:
            w -= np.dot(row, b) * b
        length = np.linalg.norm(w)
        if length > 1e-10:
            basis.append(w / length)
    return basis[-1][0] + basis[0][1] * len(basis) + np.sum(np.stack(basis)[:, 2])


@at((_SIGNAL, 1.2))
def frames_chosen_by_their_energy(x, least):
    loud = []
    for i in range(len(x) - 2):
        part = x[i : i + 3]
        if np.sum(part**2) > least:
            loud.append(part**2)
        else:
            loud.append(part * 0.5)
    turned = [part[::-1] * part for part in loud]
    return np.sum(np.concatenate(turned)) + loud[-1] @ turned[0]

"""States and paths: whole programs as people write them."""

import itertools
import math
from collections import defaultdict

import numpy as np

from tests.corpus.case import at, smooth, vec


class ExtendedKalman:
    def __init__(self, x0, P0, Q, R):
        self.x = x0
        self.P = P0
        self.Q, self.R = Q, R
        self.loglik = 0.0

    def predict(self, dt):
        F = np.array([[1.0, dt], [-dt * np.cos(self.x[0]), 1.0 - 0.1 * dt]])
        self.x = np.array([self.x[0] + dt * self.x[1], self.x[1] - dt * np.sin(self.x[0]) - 0.1 * dt * self.x[1]])
        self.P = F @ self.P @ F.T + self.Q

    def update(self, z):
        H = np.array([[np.cos(self.x[0]), 0.0]])
        y = z - np.sin(self.x[0])
        S = H @ self.P @ H.T + self.R
        K = self.P @ H.T @ np.linalg.inv(S)
        self.x = self.x + K[:, 0] * y
        self.P = (np.eye(2) - K @ H) @ self.P
        self.loglik += -0.5 * (np.log(2 * np.pi * S[0, 0]) + y**2 / S[0, 0])


@at((vec(0.4, 0.1), vec(0.02, 0.1), vec(0.35, 0.5, math.nan, 0.3)), wrt=(0, 1))
def pendulum_kalman(x0, noise, observations):
    q, r = noise
    kf = ExtendedKalman(x0, 0.1 * np.eye(2), q * np.eye(2), np.array([[r]]))
    for z in observations:
        kf.predict(0.1)
        if np.isnan(z):
            continue
        kf.update(z)
    return kf.loglik


def systematic(weights, u):
    n = len(weights)
    positions = (np.arange(n) + u) / n
    indexes = np.zeros(n, dtype=int)
    cumulative = np.cumsum(weights)
    i, j = 0, 0
    while i < n:
        if positions[i] < cumulative[j] or j == n - 1:
            indexes[i] = j
            i += 1
        else:
            j += 1
    return indexes


@at((0.9, 0.5, vec(0.3, 0.7, -0.1), 7), wrt=(0, 1))
def particle_filter(phi, sigma, ys, seed):
    rng = np.random.default_rng(seed)
    n = 6
    particles = rng.normal(size=n)
    log_evidence = 0.0
    for y in ys:
        particles = phi * particles + sigma * rng.normal(size=n)
        logw = -0.5 * (y - particles) ** 2 - 0.5 * np.log(2 * np.pi)
        m = logw.max()
        w = np.exp(logw - m)
        log_evidence += m + np.log(w.mean())
        w /= w.sum()
        ess = 1 / np.sum(w**2)
        if ess < 0.95 * n:
            particles = particles[systematic(w, rng.uniform())]
    return log_evidence


STATES = ("healthy", "fever")


@at((0.7, 0.4, {"healthy": vec(0.5, 0.4, 0.1), "fever": vec(0.1, 0.3, 0.6)}, ["normal", "cold", "dizzy", "cold"]), wrt=(0, 1, 2))
def doctor_hmm(stay_healthy, stay_fever, emission, symptoms):
    names = ["normal", "cold", "dizzy"]
    trans = {
        "healthy": {"healthy": stay_healthy, "fever": 1 - stay_healthy},
        "fever": {"healthy": 1 - stay_fever, "fever": stay_fever},
    }
    start = {"healthy": 0.6, "fever": 0.4}
    alpha = {s: start[s] * emission[s][names.index(symptoms[0])] for s in STATES}
    loglik = 0.0
    for symptom in symptoms[1:]:
        k = names.index(symptom)
        total = sum(alpha.values())
        loglik += math.log(total)
        alpha = {s: emission[s][k] * sum(alpha[r] / total * trans[r][s] for r in STATES) for s in STATES}
    return loglik + math.log(sum(alpha.values()))


@at((smooth(3, 3, low=-2.0, high=-0.1), smooth(3, 5, seed=4, low=-3.0, high=-0.2)))
def viterbi_score(log_trans, log_emit):
    K, T = log_emit.shape
    delta = np.full((T, K), -np.inf)
    back = np.zeros((T, K), dtype=np.int64)
    delta[0] = log_emit[:, 0] - np.log(K)
    for t in range(1, T):
        for k in range(K):
            scores = delta[t - 1] + log_trans[:, k]
            back[t, k] = np.argmax(scores)
            delta[t, k] = scores[back[t, k]] + log_emit[k, t]
    path = [int(np.argmax(delta[-1]))]
    for t in range(T - 1, 0, -1):
        path.append(back[t, path[-1]])
    path.reverse()
    score = log_emit[path[0], 0]
    for t in range(1, T):
        score += log_trans[path[t - 1], path[t]] + log_emit[path[t], t]
    return score + 0.1 * np.max(delta[-1]) ** 2


def softmin(a, b, c, gamma):
    z = -np.array([a, b, c]) / gamma
    m = np.max(z)
    return -gamma * (m + np.log(np.sum(np.exp(z - m))))


@at((vec(0.1, 0.5, 0.9, 0.4), vec(0.2, 0.8, 0.3), 0.5))
def soft_dtw(x, y, gamma):
    n, m = len(x), len(y)
    D = np.zeros((n + 1, m + 1)) + 1e4
    D[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (x[i - 1] - y[j - 1]) ** 2
            D[i, j] = cost + softmin(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1], gamma)
    return D[n, m]


@at((1.3, -0.7, -1.1, -0.4, "GATTACA", "GCATGA"), wrt=(0, 1, 2, 3))
def affine_alignment(match, mismatch, gap_open, gap_extend, a, b):
    neg = -1e9
    M = [[neg] * (len(b) + 1) for _ in range(len(a) + 1)]
    X = [[neg] * (len(b) + 1) for _ in range(len(a) + 1)]
    Y = [[neg] * (len(b) + 1) for _ in range(len(a) + 1)]
    M[0][0] = 0.0
    for i in range(1, len(a) + 1):
        X[i][0] = gap_open + gap_extend * (i - 1)
    for j in range(1, len(b) + 1):
        Y[0][j] = gap_open + gap_extend * (j - 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            s = match if a[i - 1] == b[j - 1] else mismatch
            M[i][j] = s + max(M[i - 1][j - 1], X[i - 1][j - 1], Y[i - 1][j - 1])
            X[i][j] = max(M[i - 1][j] + gap_open, X[i - 1][j] + gap_extend)
            Y[i][j] = max(M[i][j - 1] + gap_open, Y[i][j - 1] + gap_extend)
    return max(M[-1][-1], X[-1][-1], Y[-1][-1]) ** 2


SUB = {("A", "A"): 0, ("C", "C"): 0, ("G", "G"): 0, ("T", "T"): 0}


@at((vec(2.0, -1.0), 0.6, "ACGTAC", "AGTC"), wrt=(0, 1))
def local_alignment(scores, gap, s, t):
    H = np.zeros((len(s) + 1, len(t) + 1))
    best = 0.0
    for (i, a), (j, b) in itertools.product(enumerate(s, 1), enumerate(t, 1)):
        kind = SUB.get((a, b), 1)
        H[i, j] = max(0, H[i - 1, j - 1] + scores[kind], H[i - 1, j] - gap, H[i, j - 1] - gap)
        if H[i, j] > best:
            best = H[i, j]
    return best * best + H.sum()


@at((vec(-0.04, 1.0, -1.0), 0.9))
def gridworld(rewards, discount):
    world = ["...+", ".#.-", "...."]
    V = np.zeros((3, 4))
    R = np.zeros((3, 4))
    terminal = set()
    for i, line in enumerate(world):
        for j, ch in enumerate(line):
            if ch == "+":
                R[i, j] = rewards[1]
                terminal.add((i, j))
            elif ch == "-":
                R[i, j] = rewards[2]
                terminal.add((i, j))
            else:
                R[i, j] = rewards[0]
    moves = [(0, 1), (0, -1), (1, 0), (-1, 0)]
    for _ in range(4):
        new = V.copy()
        for i in range(3):
            for j in range(4):
                if world[i][j] == "#":
                    continue
                if (i, j) in terminal:
                    new[i, j] = R[i, j]
                    continue
                best = -1e30
                for di, dj in moves:
                    ni, nj = i + di, j + dj
                    if not (0 <= ni < 3 and 0 <= nj < 4) or world[ni][nj] == "#":
                        ni, nj = i, j
                    best = max(best, V[ni, nj])
                new[i, j] = R[i, j] + discount * best
        V = new
    return V[0, 0] + V[2, 3] * V[0, 2]


@at((vec(1.0, 2.5, 0.7, 1.1, 3.0, 0.4),))
def bellman_ford(w):
    edges = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e"), ("c", "e")]
    graph = defaultdict(list)
    for k, (u, v) in enumerate(edges):
        graph[u].append((v, w[k]))
    dist = {n: math.inf for n in "abcde"}
    dist["a"] = 0.0
    for _ in range(len(dist) - 1):
        changed = False
        for u in list(graph):
            for v, cost in graph[u]:
                if dist[u] + cost < dist[v]:
                    dist[v] = dist[u] + cost
                    changed = True
        if not changed:
            break
    return sum(d**2 for d in dist.values())


def jukes_cantor(t, mu):
    same = 0.25 + 0.75 * math.exp(-4 / 3 * mu * t)
    diff = 0.25 - 0.25 * math.exp(-4 / 3 * mu * t)
    return np.full((4, 4), diff) + (same - diff) * np.eye(4)


class Node:
    def __init__(self, name=None, children=(), branch=None):
        self.name = name
        self.children = list(children)
        self.branch = branch

    def is_leaf(self):
        return not self.children


def partial_likelihood(node, lengths, mu, site):
    if node.is_leaf():
        vector = np.zeros(4)
        vector["ACGT".index(site[node.name])] = 1.0
        return vector
    result = np.ones(4)
    for child in node.children:
        P = jukes_cantor(lengths[child.branch], mu)
        result *= P @ partial_likelihood(child, lengths, mu, site)
    return result


TREE = Node(children=[Node(children=[Node("human", branch=0), Node("chimp", branch=1)], branch=2), Node("mouse", branch=3)])
SITES = [dict(human="A", chimp="A", mouse="C"), dict(human="G", chimp="T", mouse="G"), dict(human="C", chimp="C", mouse="C")]


@at((vec(0.1, 0.2, 0.15, 0.4), 1.1))
def felsenstein(lengths, mu):
    return sum(math.log(0.25 * partial_likelihood(TREE, lengths, mu, site).sum()) for site in SITES)


@at((100.0, 95.0, 0.05, 0.2, "put", 5), wrt=(0, 1, 2, 3))
def american_binomial(spot, strike, rate, vol, kind, steps):
    dt = 1.0 / steps
    up = math.exp(vol * math.sqrt(dt))
    down = 1 / up
    p = (math.exp(rate * dt) - down) / (up - down)
    disc = math.exp(-rate * dt)
    sign = {"call": 1, "put": -1}[kind]
    values = [max(sign * (spot * up**j * down ** (steps - j) - strike), 0.0) for j in range(steps + 1)]
    for i in range(steps - 1, -1, -1):
        for j in range(i + 1):
            hold = disc * (p * values[j + 1] + (1 - p) * values[j])
            exercise = sign * (spot * up**j * down ** (i - j) - strike)
            values[j] = max(hold, exercise)
        values.pop()
    return values[0]

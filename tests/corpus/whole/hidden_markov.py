"""A hidden Markov model as a class: forward-backward, Baum-Welch posterior, Viterbi path, log space."""

import logging

import numpy as np

from tests.corpus.case import at

STATES = ("exon", "intron", "splice")
SYMBOLS = {c: i for i, c in enumerate("ACGT")}
SEQUENCE = "ACGGTTAGCATGCCGTTA"


def logsumexp(a, axis=None):
    m = np.max(a, axis=axis, keepdims=True)
    out = m + np.log(np.sum(np.exp(a - m), axis=axis, keepdims=True))
    return out.item() if axis is None else np.squeeze(out, axis=axis)


class HMM:
    def __init__(self, start, trans, emit):
        self.log_start = self._norm(start)
        self.log_trans = self._norm(trans)
        self.log_emit = self._norm(emit)
        self._cache = {}

    @staticmethod
    def _norm(x):
        return x - np.expand_dims(np.asarray(logsumexp(x, axis=-1)), -1)

    @property
    def n(self):
        return len(self.log_start)

    def encode(self, text):
        if text not in self._cache:
            self._cache[text] = [SYMBOLS[c] for c in text]
        return self._cache[text]

    def forward(self, text):
        obs = self.encode(text)
        alpha = np.empty((len(obs), self.n))
        alpha[0] = self.log_start + self.log_emit[:, obs[0]]
        for t in range(1, len(obs)):
            alpha[t] = logsumexp(alpha[t - 1][:, None] + self.log_trans, axis=0) + self.log_emit[:, obs[t]]
        return alpha

    def backward(self, text):
        obs = self.encode(text)
        beta = np.zeros((len(obs), self.n))
        for t in reversed(range(len(obs) - 1)):
            beta[t] = logsumexp(self.log_trans + self.log_emit[:, obs[t + 1]] + beta[t + 1], axis=1)
        return beta

    def posterior(self, text):
        alpha, beta = self.forward(text), self.backward(text)
        gamma = alpha + beta
        gamma -= logsumexp(gamma, axis=1)[:, np.newaxis]
        return np.exp(gamma)

    def viterbi(self, text):
        obs = self.encode(text)
        score = self.log_start + self.log_emit[:, obs[0]]
        back = []
        for o in obs[1:]:
            cand = score[:, None] + self.log_trans
            back.append(np.argmax(cand, axis=0))
            score = cand.max(axis=0) + self.log_emit[:, o]
        path = [int(np.argmax(score))]
        for ptr in reversed(back):
            path.append(int(ptr[path[-1]]))
        return path[::-1], score.max()

    def __repr__(self):
        return f"HMM({self.n} states)"


def path_logprob(model, path, text):
    total = model.log_start[path[0]]
    for (a, b), c in zip(zip(path, path[1:]), text[1:]):
        total += model.log_trans[a, b] + model.log_emit[b, SYMBOLS[c]]
    return total + model.log_emit[path[0], SYMBOLS[text[0]]]


@at(
    (
        np.random.default_rng(3).normal(size=3),
        np.random.default_rng(4).normal(size=(3, 3)) + 1.5 * np.eye(3),
        np.random.default_rng(5).normal(size=(3, 4)),
    )
)
def gene_model_with_a_log(start, trans, emit):
    model = HMM(start, trans, emit)
    logging.debug("model %r", model)
    evidence = logsumexp(model.forward(SEQUENCE)[-1])
    path, best = model.viterbi(SEQUENCE)
    again = path_logprob(model, path, SEQUENCE)
    gamma = model.posterior(SEQUENCE)
    entropy = -np.sum(gamma * np.log(gamma + 1e-12))
    occupancy = {name: gamma[:, k].sum() for k, name in enumerate(STATES)}
    return -evidence + 0.1 * entropy - 0.01 * best + 0.02 * again + 0.3 * occupancy["splice"] ** 2

"""Quantum circuit simulator: gates registry by decorator, Circuit builder with method chaining, complex state, expectation."""

import math
from functools import reduce

import numpy as np

from tests.corpus.case import at

GATES = {}


def gate(name, nparams=0):
    def wrap(fn):
        fn.nparams = nparams
        GATES[name] = fn
        return fn

    return wrap


@gate("h")
def hadamard():
    return np.array([[1, 1], [1, -1]], dtype=complex) / math.sqrt(2)


@gate("rx", 1)
def rx(t):
    c, s = np.cos(t / 2), np.sin(t / 2)
    return np.array([[c, -1j * s], [-1j * s, c]])


@gate("rz", 1)
def rz(t):
    return np.array([[np.exp(-0.5j * t), 0], [0, np.exp(0.5j * t)]])


class Circuit:
    def __init__(self, n):
        self.n, self.ops = n, []

    def __getattr__(self, name):
        if name not in GATES:
            raise AttributeError(name)

        def add(wire, *params):
            if len(params) != GATES[name].nparams:
                raise TypeError(name)
            self.ops.append((name, wire, params))
            return self

        return add

    def cz(self, a, b):
        self.ops.append(("cz", (a, b), ()))
        return self

    def run(self):
        state = np.zeros((2,) * self.n, dtype=complex)
        state[(0,) * self.n] = 1.0
        for name, wire, params in self.ops:
            if name == "cz":
                index = [slice(None)] * self.n
                index[wire[0]] = index[wire[1]] = 1
                state[tuple(index)] *= -1
            else:
                state = np.moveaxis(np.tensordot(GATES[name](*params), state, axes=(1, wire)), 0, wire)
        return state


def expectation(state, pauli):
    ops = {"I": np.eye(2), "Z": np.diag([1.0, -1.0]), "X": np.array([[0.0, 1.0], [1.0, 0.0]])}
    full = reduce(np.kron, [ops[p] for p in pauli])
    v = state.ravel()
    return np.real(np.conj(v) @ full @ v)


@at((np.array([0.3, 1.1, -0.7, 0.5]),))
def expectation_of_a_circuit(theta):
    c = Circuit(3).h(0).rx(1, theta[0]).cz(0, 1).rz(1, theta[1]).rx(2, theta[2]).cz(1, 2).rx(0, theta[3])
    s = c.run()
    return expectation(s, "ZZI") + 0.5 * expectation(s, "IXZ") - 0.3 * expectation(s, "ZIX")

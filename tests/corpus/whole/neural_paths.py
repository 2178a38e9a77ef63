"""Small MLP as Sequential(list) of layers with params in OrderedDict; flat-parameter view via slices; RK and loss."""

import math
from collections import OrderedDict

import numpy as np

from tests.corpus.case import at


class Module:
    def __init__(self):
        self.params = OrderedDict()

    def __call__(self, *args):
        return self.forward(*args)

    def load(self, flat, offset=0):
        for name, value in self.params.items():
            n = value.size
            self.params[name] = flat[offset : offset + n].reshape(value.shape)
            offset += n
        return offset


class Linear(Module):
    def __init__(self, nin, nout, bias=True):
        super().__init__()
        self.params["W"] = np.zeros((nin, nout))
        if bias:
            self.params["b"] = np.zeros(nout)

    def forward(self, x):
        y = x @ self.params["W"]
        return y + self.params["b"] if "b" in self.params else y


class Activation(Module):
    def __init__(self, fn=np.tanh):
        super().__init__()
        self.fn = fn

    def forward(self, x):
        return self.fn(x)


class Sequential(list):
    def load(self, flat):
        offset = 0
        for layer in self:
            offset = layer.load(flat, offset)
        if offset != len(flat):
            raise ValueError(f"{offset} parameters, got {len(flat)}")
        return self

    def __call__(self, x):
        for layer in self:
            x = layer(x)
        return x


def odeint(f, y, t):
    out = [y]
    for a, b in zip(t[:-1], t[1:]):
        h = b - a
        k1 = f(y)
        k2 = f(y + 0.5 * h * k1)
        y = y + h * k2
        out.append(y)
    return np.stack(out)


@at((np.linspace(-0.5, 0.7, 15), np.array([1.0, 0.2])))
def path_of_a_network(theta, y0):
    net = Sequential([Linear(2, 3), Activation(), Linear(3, 2, bias=False)]).load(theta)
    path = odeint(net, y0, np.linspace(0, 1, 5))
    target = np.array([math.cos(1.0), math.sin(1.0)])
    return np.sum((path[-1] - target) ** 2) + 1e-3 * theta @ theta

"""Networks and geometry: whole programs as people write them."""

import abc
import itertools
import math

import numpy as np

from tests.corpus.case import at, smooth, vec


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lstm_cell(x, h, c, params):
    z = np.concatenate([x, h])
    gates = {}
    for name in "ifog":
        pre = params["W" + name] @ z + params["b" + name]
        gates[name] = np.tanh(pre) if name == "g" else sigmoid(pre)
    c = gates["f"] * c + gates["i"] * gates["g"]
    return gates["o"] * np.tanh(c), c


LSTM = {f"W{n}": smooth(2, 3, seed=k, low=-0.7, high=0.7) for k, n in enumerate("ifog")}
LSTM.update({f"b{n}": smooth(2, seed=k + 9, low=-0.1, high=0.1) for k, n in enumerate("ifog")})


@at((LSTM, smooth(4, 1, seed=3, low=-1.0, high=1.0)))
def lstm_loss(params, sequence):
    h = c = np.zeros(2)
    outputs = []
    for x in sequence:
        h, c = lstm_cell(x, h, c, params)
        outputs.append(h)
    outputs = np.array(outputs)
    target = np.roll(sequence, -1, axis=0)
    return np.mean((outputs - target) ** 2)


class Layer(abc.ABC):
    @abc.abstractmethod
    def forward(self, x): ...


class Conv2D(Layer):
    def __init__(self, kernels, stride=1):
        self.kernels, self.stride = kernels, stride

    def forward(self, x):
        k = self.kernels.shape[-1]
        oh = (x.shape[0] - k) // self.stride + 1
        ow = (x.shape[1] - k) // self.stride + 1
        cols = np.empty((k * k, oh * ow))
        for idx, (i, j) in enumerate(itertools.product(range(oh), range(ow))):
            cols[:, idx] = x[i * self.stride : i * self.stride + k, j * self.stride : j * self.stride + k].ravel()
        return (self.kernels.reshape(len(self.kernels), -1) @ cols).reshape(-1, oh, ow)


class Relu(Layer):
    def forward(self, x):
        return np.maximum(x, 0.1 * x)


class MaxPool(Layer):
    def forward(self, x):
        c, h, w = x.shape
        return x[:, : h // 2 * 2, : w // 2 * 2].reshape(c, h // 2, 2, w // 2, 2).max(axis=(2, 4))


class Dense(Layer):
    def __init__(self, W, b):
        self.W, self.b = W, b

    def forward(self, x):
        return self.W @ x.flatten() + self.b


@at(
    (
        smooth(5, 5, low=-1.0, high=1.0),
        smooth(2, 2, 2, seed=4, low=-1.0, high=1.0),
        smooth(3, 8, seed=5, low=-0.5, high=0.5),
        vec(0.1, 0.0, -0.1),
    )
)
def small_convnet(image, kernels, W, b):
    network = [Conv2D(kernels), Relu(), MaxPool(), Dense(W, b)]
    out = image
    for layer in network:
        out = layer.forward(out)
    shifted = out - out.max()
    return np.log(np.exp(shifted).sum()) - shifted[1]


def simpson(f, a, fa, b, fb):
    m = 0.5 * (a + b)
    fm = f(m)
    return m, fm, abs(b - a) / 6 * (fa + 4 * fm + fb)


def adaptive(f, a, fa, b, fb, m, fm, whole, eps, depth):
    lm, flm, left = simpson(f, a, fa, m, fm)
    rm, frm, right = simpson(f, m, fm, b, fb)
    delta = left + right - whole
    if abs(delta) <= 15 * eps or depth > 12:
        return left + right + delta / 15
    return adaptive(f, a, fa, m, fm, lm, flm, left, eps / 2, depth + 1) + adaptive(
        f, m, fm, b, fb, rm, frm, right, eps / 2, depth + 1
    )


@at((1.3, 0.4))
def adaptive_simpson(omega, decay):
    def integrand(t):
        return math.exp(-decay * t) * math.cos(omega * t) + decay * t

    a, b = 0.0, 2.0
    fa, fb = integrand(a), integrand(b)
    m, fm, whole = simpson(integrand, a, fa, b, fb)
    return adaptive(integrand, a, fa, b, fb, m, fm, whole, 1e-5, 0)


def legendre_nodes(n):
    nodes, weights = [], []
    for i in range(1, n + 1):
        x = math.cos(math.pi * (i - 0.25) / (n + 0.5))
        for _ in range(50):
            p0, p1 = 1.0, x
            for k in range(2, n + 1):
                p0, p1 = p1, ((2 * k - 1) * x * p1 - (k - 1) * p0) / k
            dp = n * (x * p1 - p0) / (x * x - 1)
            dx = p1 / dp
            x -= dx
            if abs(dx) < 1e-15:
                break
        nodes.append(x)
        weights.append(2 / ((1 - x * x) * dp * dp))
    return np.array(nodes), np.array(weights)


@at((0.3, 2.0, vec(1.0, -0.5, 0.2)))
def quadratures(a, b, c):
    f = lambda x: np.exp(-x) * np.polyval(c, x)
    x, w = legendre_nodes(5)
    gauss = 0.5 * (b - a) * np.sum(w * f(0.5 * (b - a) * x + 0.5 * (a + b)))
    R = np.zeros((4, 4))
    h = b - a
    R[0, 0] = 0.5 * h * (f(a) + f(b))
    for i in range(1, 4):
        h /= 2
        R[i, 0] = 0.5 * R[i - 1, 0] + h * sum(f(a + k * h) for k in range(1, 2**i, 2))
        for j in range(1, i + 1):
            R[i, j] = R[i, j - 1] + (R[i, j - 1] - R[i - 1, j - 1]) / (4**j - 1)
    return gauss + R[3, 3] ** 2


def gammln(x):
    cof = [
        76.18009172947146,
        -86.50532032941677,
        24.01409824083091,
        -1.231739572450155,
        0.1208650973866179e-2,
        -0.5395239384953e-5,
    ]
    y = x
    tmp = x + 5.5
    tmp -= (x + 0.5) * math.log(tmp)
    ser = 1.000000000190015
    for c in cof:
        y += 1
        ser += c / y
    return -tmp + math.log(2.5066282746310005 * ser / x)


def gamma_p(a, x):
    if x < 0 or a <= 0:
        raise ValueError("domain")
    if x == 0:
        return 0.0
    gln = gammln(a)
    if x < a + 1:
        ap, total = a, 1 / a
        delta = total
        while True:
            ap += 1
            delta *= x / ap
            total += delta
            if abs(delta) < abs(total) * 1e-16:
                return total * math.exp(-x + a * math.log(x) - gln)
    tiny = 1e-300
    b = x + 1 - a
    c = 1 / tiny
    d = 1 / b
    h = d
    for i in range(1, 200):
        an = -i * (i - a)
        b += 2
        d = an * d + b
        if abs(d) < tiny:
            d = tiny
        c = b + an / c
        if abs(c) < tiny:
            c = tiny
        d = 1 / d
        step = d * c
        h *= step
        if abs(step - 1) < 1e-15:
            break
    return 1 - math.exp(-x + a * math.log(x) - gln) * h


@at((1.7, 0.9, 4.2))
def chi_square_table(a, x1, x2):
    return gamma_p(a, x1) + 2 * gamma_p(a, x2)


@at((2.3,), (0.7,))
def bessel_miller(x):
    top = 2 * ((int(x) + 30) // 2)
    upper, current = 0.0, 1e-30
    norm = 0.0
    j0 = j1 = 0.0
    for m in range(top, 0, -1):
        lower = 2 * m / x * current - upper
        upper, current = current, lower
        if (m - 1) % 2 == 0:
            norm += current if m == 1 else 2 * current
        if m == 2:
            j1 = current
    j0 = current
    return j0 / norm + (j1 / norm) ** 2

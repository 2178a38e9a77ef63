"""Programs for the specialiser, as users write them: its typed IR, interpreted, must give what they give."""

# ruff: noqa: B007, B905, C417, F841, PIE804, RET505

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []


def case(*args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make the decorated function a case, called with `args`."""

    def add(f: Callable[..., Any]) -> Callable[..., Any]:
        CASES.append((f, args))
        return f

    return add


X = np.array([0.5, 1.5, -0.7, 2.0])
M = np.arange(6.0).reshape(2, 3) + 0.5
S = np.array([[2.0, 0.5], [0.5, 1.0]])


@case(X)
def listappend(x):
    out = []
    for v in x:
        out.append(v * 2)
    return np.array(out).sum()


@case(X, 3)
def listappend_n(x, n):
    out = []
    for i in range(n):
        out.append(x[i] ** 2)
    return sum(out)


@case(X)
def timeseries(x):
    h = [0.5]
    for i in range(len(x)):
        h.append(0.9 * h[-1] + x[i])
    return np.sum(np.array(h) ** 2), h[-1]


@case(M)
def rows(m):
    out = []
    for r in m:
        out.append(r * 2)
    return np.array(out).sum(axis=0)


@case(M)
def stackrows(m):
    return np.stack([r**2 for r in m])


@case(X)
def dictstate(x):
    st = {"a": 0.0, "b": 1.0}
    for v in x:
        st["a"] += v
        st["b"] = st["b"] * v
    return st


@dataclass
class P:
    w: float
    b: float = 0.1

    def f(self, x):
        return self.w * x + self.b

    @property
    def norm(self):
        return abs(self.w) + self.b

    @classmethod
    def make(cls, w):
        return cls(w, 0.3)

    @staticmethod
    def sq(x):
        return x * x


@case(P(2.0), 3.0)
def dc(p, x):
    return p.f(x) * p.norm + P.make(x).b + P.sq(x)


@case(P(2.0), 3.0)
def dcset(p, x):
    p.b = x * 2
    q = P(p.b)
    for i in range(3):
        q.w = q.w * x
    return q.f(x) + p.f(x)


class NT(NamedTuple):
    a: float
    b: float = 2.0


@case(NT(1.0, 2.0))
def nt(p):
    q = p._replace(a=p.b * 2)
    return q.a * q.b, NT(q.a)


@case(2.0)
def closures(x):
    def mul(k):
        return lambda y: k * y * x

    fs = [mul(1.0), mul(2.0)]
    return fs[0](x) + fs[1](3.0)


@case(2.0, 3)
def powloop(x, n):
    def p(b, e):
        return 1.0 if e == 0 else b * p(b, e - 1)

    return p(x, n)


@case(2.0)
def lambdadef(x, k=3.0):
    return (lambda a, b=x: a * b + k)(x)


@case(2.0)
def varargs(x):
    def f(*a, **k):
        return sum(a) + k["z"] * len(a)

    return f(x, x * 2, *[x, 1.0], **{"z": x})


@case(X)
def boolmask(x):
    y = x.copy()
    y[y < 0] = 0.0
    return y[y > 0.4].sum()


@case(X)
def fancy(x):
    idx = np.array([0, 2, 2])
    y = x[idx] * 2
    x[[0, 1]] += 1.0
    return y, x[[3, 0]], x[idx, None]


@case(M)
def shapes(m):
    n, k = m.shape
    z = np.zeros((n, k))
    o = np.ones(k - 1)
    return (z + m[:, ::-1]).T @ np.ones(n) + 0.0 * m.size, o + m[0, 1:], m[:, 1:-1].ndim


@case(X)
def whil(x):
    i = 0
    s = 0.0
    while i < len(x) and s < 10:
        s += x[i]
        i += 1
    else:
        s *= 2
    return s, i


@case(X)
def brk(x):
    for i, v in enumerate(x):
        if v < 0:
            break
    else:
        i = -1
    return x[i] * i


@case(X)
def early(x):
    for i in range(len(x)):
        for j in range(i):
            if x[i] * x[j] < 0:
                return x[i] - x[j]
    return 0.0


@case(X)
def noneinit(x):
    best = None
    for i in range(4):
        if best is None or x[i] > best:
            best = x[i]
    return best


@case(3.0)
def strs(x):
    mode = "a"
    s = f"{x:.2f} {mode!r}"
    if mode == "a" and isinstance(x, float):
        return x * 2
    return x


@case(X)
def inplace(x):
    y = x.copy()
    z = y[1:3]
    z *= 2
    y += x
    y -= 1.0
    y /= 2
    y **= 2
    return y


@case(X)
def outarg(x):
    y = np.empty_like(x)
    np.exp(x, out=y)
    np.multiply(y, 2.0, out=y)
    return y


@case(np.float32(2.0), np.ones(3, np.float32))
def f32(a, b):
    return a * b + 1.0, a * 2


@case(X)
def scal(x):
    a = 0
    for v in x:
        a = a + v
    return a


@case(X)
def rowacc(x):
    acc = 0.0
    for i in range(3):
        acc = acc + x * i
    return acc


@case(M)
def rowacc2(m):
    acc = np.zeros(m.shape[1])
    for r in m:
        acc += r
    return acc


@case(2.0)
def tupswap(x):
    a, b = x, 1.0
    for _ in range(4):
        a, b = b * x, a
    return a, b


@case(X)
def reversed_(x):
    s = 0.0
    for i in reversed(range(len(x))):
        s = s * 0.5 + x[i]
    for v in reversed(x):
        s = s * 0.5 + v
    for i, v in zip(range(1, 5), x):
        s += i * v
    for (a, b), c in zip(zip(x, x[::-1]), x):
        s += a * b * c
    return s


@case(2.0)
def trynumbers(x):
    return (
        float(x),
        int(3.7) * x,
        max(x, 1.0, 3.0),
        min([x, 1.0]),
        sum([x, x]),
        abs(-x),
        round(2.6) * x,
        divmod(7, 2)[1] * x,
        pow(x, 2),
        any([x > 1, x > 5]),
        all([True, x > 1]),
    )


@case(2.0)
def reduce_(x):
    return functools.reduce(lambda a, b: a * b, [x, x, 3.0])


@case(2.0)
def maps(x):
    return sum(map(lambda v: v * x, [1.0, 2.0])), [v * x for v in (1.0, 2.0)], {k: v * x for k, v in zip("ab", (1, 2))}


@case(X)
def condexpr(x):
    return np.sum(x) if x[0] > 0 else -np.sum(x)


@case(X)
def scalar_array_join(x):
    y = x if x[0] > 5 else 0.0
    return np.sum(y * x)


@case(X, True)
def flag(x, f):
    if f:
        y = x
    else:
        y = None
    return y.sum()


@case(X, 1)
def axisarg(x, k):
    return np.sum(np.stack([x, x]), axis=k)


@case((1.0, [2.0, {"a": X}]))
def nested(t):
    a, (b, d) = t
    return a * b * d["a"].sum()


@case(X)
def listrebind(x):
    st = [0.0, 1.0]
    for v in x:
        st = [st[1] + v, st[0] * v]
    return st


@case(X)
def listmut(x):
    st = [0.0, 1.0]
    for v in x:
        st[0] += v
        st[1], st[0] = st[0], st[1]
    return st


@case(X)
def newtonwhile(x):
    y = 1.0
    it = 0
    while abs(y * y - 2.0) > 1e-12:
        y = y - (y * y - 2.0) / (2 * y)
        it += 1
    return y * x[0], it


@case(5)
def intonly(n):
    s = 0
    for i in range(n):
        s += i
    return s * 1.0


@case(X)
def fib_list(x):
    a = [x[0], x[1]]
    for i in range(5):
        a.append(a[-1] + a[-2])
    return a


@case(X)
def nested_lists(x):
    g = [[0.0] * 3 for _ in range(2)]
    for i in range(2):
        for j in range(3):
            g[i][j] = x[i] * j
    return np.array(g)


@case(X)
def matmul3(x):
    A = np.outer(x, x)
    B = np.zeros((4, 4))
    for i in range(4):
        for j in range(4):
            for k in range(4):
                B[i, j] += A[i, k] * A[k, j]
    return B


@case(X)
def wherex(x):
    return np.where(x > 0, np.sqrt(np.abs(x)), 0.0)


@case(X)
def rawshape(x):
    return x.reshape(2, -1).sum(axis=0), x.reshape((2, 2)).T, np.concatenate([x, x[1:]])


@case(2.0)
def deepchain(x):
    if x > 3:
        return 1.0
    elif x > 2.5:
        return 2.0
    if 1 < x < 2.2:
        y = x
    elif x == 7:
        raise ValueError("no")
    else:
        y = x * 2
    assert y > 0, f"bad {y}"
    return y


@case(X)
def lenops(x):
    n = len(x)
    h = n // 2
    return x[:h].sum() + x[h:n].sum() + x[n - 1] + x[-1] + np.arange(n) @ x + np.linspace(0.0, 1.0, n) @ x


class Mod:
    scale = 2.0

    def __init__(self, w):
        self.w = w
        self.h = None

    def __call__(self, x):
        return self.w * x * self.scale

    def fwd(self, x):
        self.h = self(x)
        return self.h

    def __add__(self, o):
        return Mod(self.w + o.w)


@case(2.0)
def modobj(x):
    m = Mod(x)
    a = m.fwd(3.0)
    b = (m + Mod(1.0))(x)
    return a + b + m.h


G = {"lr": 0.1, "v": np.array([1.0, 2.0])}


@case(2.0)
def gdict(x):
    return x * G["lr"] + G["v"].sum()


@case(X)
def sortedkeys(x):
    d = {"b": x[0], "a": x[1]}
    return [d[k] for k in sorted(d)], "a" in d, list(d.keys()) == ["b", "a"]


@case(X)
def rng_const(x):
    r = np.random.default_rng(0).normal(size=4)
    return np.sum(x * r)


@case(2.0)
def partial_(x):
    return functools.partial(lambda a, b: a * b, x)(b=3.0)


@case(X)
def ifexp_idx(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] if i % 2 == 0 else -x[i]
        x[i] += x[i - 1] if i > 0 else 0.0
    return s, x


@case(X)
def whiletrue(x):
    i = 0
    while True:
        i += 1
        if x[i] < 0:
            return x[i] * i


@case(X)
def loopcarriedarr(x):
    y = x
    for _ in range(3):
        y = np.tanh(y * 2)
    for _ in range(2):
        y = np.concatenate([y, y[:1]])
    return y.sum()


@case(X)
def shrink(x):
    while len(x) > 1:
        x = x[1:] + x[:-1]
    return x[0]

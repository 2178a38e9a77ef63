"""Programs for the specialiser, as users write them: its typed IR, interpreted, must give what they give."""

# ruff: noqa: B007, B905, C416, C417, E741, F841, PIE804, RET505, RUF007

from __future__ import annotations

import functools
import math
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


S = np.array([[2.0, 0.5], [0.5, 1.0]])


@case(X)
def list_alias(x):
    y = x * 2
    rows = [y, y]
    rows[0][1] = x[0] * 5
    return rows[1].sum() * y[1]


@case(X)
def swap_refs(x):
    a = [x[0], 1.0]
    b = [x[1], 2.0]
    for i in range(3):
        a, b = b, a
    return a[0] * b[1]


@case(X)
def swap_arrays(x):
    u = x.copy()
    v = np.zeros_like(x)
    for i in range(5):
        v[1:] = u[:-1] * 0.5
        u, v = v, u
    return u @ x + v.sum()


@case(X)
def dyn_swap(x):
    u = x.copy()
    v = x * 3
    if x[0] > 0:
        u, v = v, u
    u[0] = x[1]
    return u @ v


@case(X)
def listinif(x):
    l = [x[0]]
    if x[1] > 0:
        l[0] = l[0] * 2
    else:
        l[0] = 0.0
    return l[0]


@case(X)
def dictinwhile(x):
    d = {"s": 0.0, "n": 0}
    while d["n"] < 3:
        d["s"] += x[d["n"]]
        d["n"] += 1
    return d["s"]


@case(X)
def objinloop(x):
    class_ = Acc(0.0)
    for v in x:
        if v < 0:
            continue
        class_.add(v)
        if class_.t > 3:
            break
    return class_.t, class_.n * 1.0


class Acc:
    def __init__(self, t):
        self.t = t
        self.n = 0

    def add(self, v):
        self.t += v * v
        self.n += 1
        return self


@case(X)
def newobj(x):
    a = Acc(x[0])
    for v in x:
        a = Acc(a.t * v)
    return a.t


@case(X, 2)
def negidx(x, k):
    return x[-k] * x[-1] + x[len(x) - k]


@case(M)
def colviews(m):
    c = m[:, 1]
    c *= 2.0
    m[0] += c[0]
    return m.sum(axis=0), m[:, ::2], m[1, 1:]


@case(X)
def masks(x):
    m = (x > 0) & (x < 1.8) | (x == 2.0)
    y = np.where(m, x, 0.0)
    y[~m] += 1.0
    x[m] *= 2
    return y @ x, x[m].sum(), np.count_nonzero(m) * x[0]


@case(X)
def addat(x):
    y = np.zeros(3)
    np.add.at(y, [0, 0, 2], x[:3])
    y[[1, 1]] += x[3]
    return y


@case(X)
def gather(x):
    s = 0.0
    idx = [2, 0, 3]
    for i in idx:
        s += x[i] * i
    for i, j in [(0, 1), (2, 3)]:
        s += x[i] * x[j]
    return s


@case(2.0, 3)
def intpow(x, n):
    return x**n + x**-n + 2.0**x + n**x + x // 1 + x % 0.7


@case(X)
def chain_cmp(x):
    return 1.0 * x[0] if 0 < x[0] < 1 < x[1] <= 2 else 0.0


@case(X)
def andor(x):
    a = x[0] and x[1]
    b = x[2] or x[3]
    c = 0.0 or x[0]
    return a * b * c * (not x[0] > 5)


@case(X)
def nested_break(x):
    t = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            if j > i:
                break
            if x[j] < 0:
                continue
            t += x[i] * x[j]
        else:
            t *= 1.5
        if t > 20:
            break
    return t


@case(X)
def ret_in_while(x):
    i = 0
    while i < 10:
        j = 0
        while True:
            if j >= len(x):
                break
            if x[j] * i > 3:
                return x[j] * i, j
            j += 1
        i += 1
    return 0.0, -1


@case(X)
def uninit(x):
    for v in x:
        last = v * 2
    return last


@case(X)
def cond_uninit(x):
    if x[0] > 0:
        y = x * 2
    if x[0] > 0:
        return y.sum()
    return 0.0


@case(X)
def shapes2(x):
    a = x[:, None] * x
    b = a.reshape(-1)
    c = b.reshape(4, 4).T
    d = np.ravel(c)[::5]
    e = np.broadcast_to(x, (3, 4))
    f = np.tile(x, 2)
    g = np.repeat(x, 3)
    return d, e.sum(), f @ np.arange(8.0), g.sum(), np.squeeze(a[:1]), np.expand_dims(x, 0).shape[1] * x[0]


@case(X)
def stats(x):
    return (
        x.mean(),
        x.std(),
        x.var(ddof=1),
        np.median(x),
        x.max(),
        x.min(),
        np.prod(x),
        np.cumsum(x),
        np.diff(x),
        np.linalg.norm(x),
        x.argmax() * x[0],
    )


@case(S)
def lin(s):
    return (
        np.linalg.solve(s, np.ones(2)),
        np.linalg.inv(s),
        np.linalg.det(s),
        s @ s.T,
        np.trace(s),
        np.diag(s),
        np.linalg.cholesky(s @ s.T),
        np.linalg.slogdet(s)[1],
    )


@case(X)
def concat(x):
    return np.concatenate([x, x * 2, [1.0]]), np.stack([x, x], axis=1), np.vstack([x, x]), np.hstack([x, x]), np.append(x, 1.0)


@case(X)
def einsum(x):
    a = np.outer(x, x)
    return np.einsum("ij,j->i", a, x), np.einsum("ii", a), np.tensordot(a, a, axes=([1], [0])).sum(), np.einsum("ij,jk->ik", a, a)


@case(X)
def clips(x):
    return (
        np.clip(x, 0.0, 1.0),
        np.maximum(x, 0),
        np.minimum(x, x[::-1]),
        np.abs(x),
        np.sign(x) * x,
        np.floor(x) * x,
        np.heaviside(x, 0.5) * x,
    )


@case(X)
def sorts(x):
    return np.sort(x), x[np.argsort(x)], np.sort(x)[::-1] * x, sorted([3, 1, 2])[0] * x[0]


@case(np.float32(1.5), np.ones(3, np.float32))
def f32b(a, x):
    s = 0.0
    for v in x:
        s += v * a
    y = np.zeros(3, np.float32)
    y[0] = a * 2.5
    y += x
    return s, y, y.astype(np.float64) * 2, np.float32(3) * a, float(a) * 2


@case(X)
def funcs_in_dict(x):
    ops = {"s": np.sin, "c": lambda v: v * 2}
    r = x
    for k in ("s", "c", "s"):
        r = ops[k](r)
    return r


@case(2.0)
def kwonly(x):
    def f(a, /, b=2.0, *c, d, e=x, **k):
        return a * b + sum(c) * d + e * k.get("z", 1.0)

    return f(x, d=3.0) + f(x, 1.0, 2.0, 3.0, d=x, z=x, e=1.0)


@case(X)
def comp2(x):
    return np.array([[xi * xj for xj in x] for xi in x])


@case(X)
def condlist(x):
    return sum(v for v in x if v > 0), np.array([v if v > 0 else 0.0 for v in x])


@case(X)
def longif(x):
    t = 0.0
    for i, v in enumerate(x):
        if i == 0:
            t += v
        elif i == 1:
            t -= v
        elif v > 0:
            t *= v
        else:
            pass
    return t


@case(X, 3)
def stack_op(x, n):
    st = [x[0]]
    for i in range(n):
        st.append(st[-1] * x[i + 1])
    r = 0.0
    while st:
        r += st.pop()
    return r


@case(1.3)
def fixedpoint(x):
    y = 0.0
    for _ in range(50):
        yn = math.cos(y) * x
        if abs(yn - y) < 1e-10:
            break
        y = yn
    return y


@case(X)
def ufunc_methods(x):
    return np.add.reduce(x), np.multiply.outer(x, x).sum(), np.maximum.accumulate(x)


@case(X)
def iters(x):
    it = 0.0
    for a, b in zip(x[:-1], x[1:]):
        it += a * b
    for i in range(len(x) - 1, 0, -2):
        it += x[i] * i
    for i in range(0, len(x), 2):
        it -= x[i]
    return it


@case(X)
def global_fn(x):
    return HELP["f"](x) + CONST[1]


def _h(x):
    return x * SCALE


SCALE = 2.0
HELP = {"f": _h}
CONST = (1.0, np.float64(2.0))


@case(X)
def unpackrow(x):
    a, b = x.reshape(2, 2)
    (c, d), e = (a, b)
    return c * d + e


@case(X)
def ternary_arr(x):
    y = x * 2 if x.sum() > 0 else x[:2]
    return y.sum()


@case(X)
def while_arr(x):
    y = x.copy()
    while y.sum() > 0.1:
        y[0] -= 0.5
        y *= 0.9
    return y


@case(X)
def bool_count(x):
    c = 0
    for v in x:
        c += v > 0
    return c * x[0]


@case(X)
def atleast(x):
    return np.atleast_2d(x) @ x, np.asarray([x[0], 2.0]), np.array(3.0) * x[0], np.array([x, x]).sum()


@case(X)
def before(x):
    out = []
    s = 0
    for v in x:
        out.append(s)
        s = s + v
    return sum(out)


@case(X, 3)
def comp3(x, n):
    return np.array([[x[i] * j for j in range(n)] for i in range(len(x))])


@case(X)
def comp2b(x):
    k = [[xi * xj for xj in x] for xi in x]
    s = 0.0
    for row in k:
        for v in row:
            s += v * v
    return s + k[1][2] + len(k) * k[-1][0]


@case(X)
def slices(x):
    out = [v * 2 for v in x]
    a = out[1:]
    b = out[:-1]
    return sum(p * q for p, q in zip(a, b)) + out[-1]


@case(X)
def growslice(x):
    h = [x[0], x[1]]
    for i in range(2, len(x)):
        h.append(h[-1] * 0.5 + h[-2] * x[i] + sum(h[-2:]))
    return np.array(h)


@case(M)
def arrs(m):
    hs = [m[0] * 0]
    for r in m:
        hs.append(np.tanh(hs[-1] + r))
    return np.array(hs), hs[-1].sum(), len(hs) * 1.0


@case(M)
def rnn(m):
    h = np.zeros(3)
    out = []
    for r in m:
        h = np.tanh(h + r)
        out.append(h)
    return np.stack(out).sum() + np.concatenate(out).sum()


@case(X)
def ints(x):
    idx = [i for i in range(len(x))]
    return sum(x[i] for i in idx)


@case(X, 2)
def twolists(x, n):
    a = []
    b = []
    for i in range(n):
        a.append(x[i])
        b.append(x[i] * a[-1])
    return sum(a) * sum(b)

"""Functions of SciPy's that take a function, by what that function is, how a value that moves reaches it, and what is read.

Solvers stop when they are near enough: differences of what they give tell fewer digits, and no second derivative.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse.linalg
from scipy import integrate, optimize, stats

from tests.tables.cell import Cell, Written

NAMES = {"integrate": integrate, "optimize": optimize, "stats": stats, "spl": scipy.sparse.linalg}
STOPS = 3e-7


@dataclass(frozen=True, slots=True)
class Form:
    """A call that takes a function ``G``, what is read of its result ``r``, and what ``G(u)``, or ``G(u, t)``, is.

    ``<args>`` is where further arguments of ``G`` go, if the call takes any. `noise`: how far the result may be from what
    it stands for.
    """

    call: str
    reads: tuple[str, ...]
    body: str
    params: str = "u"
    noise: float = 0.0


CUBIC = "u ** 3 + p[0] * u - 3.0 * p[1]"
QUARTIC = "(u - p[0]) ** 4 + (u - p[1]) ** 2"
SYSTEM = "np.array([u[0] ** 3 + p[0] * u[1] - p[1], u[1] + p[0] * u[0] - 1.0])"
LISTED = "[u[0] ** 3 + p[0] * u[1] - p[1], u[1] + p[0] * u[0] - 1.0]"
VALLEY = "np.sum((u - p) ** 2) + 0.1 * np.sum(u ** 4) + p[0] * u[0] * u[1]"
RESIDUALS = "np.array([u[0] - p[0], u[1] * u[0] - p[1], 0.3 * u[1] - p[0] ** 2])"
DECAY = "-p * t * u"
FINE = "xtol=1e-14, gtol=1e-14, ftol=1e-14"
TIGHT = "rtol=1e-9, atol=1e-9"
PLANE = "lambda u: u[0] + u[1] - p[1]"
BENDS = "lambda t, a, b: a * np.exp(-b * t)"
ENDS = "lambda a, b: np.array([a[0] - p[0], b[0] - p[1]])"
START = "np.array([0.5, 1.0])"
FORMS = {
    "quad": Form("integrate.quad(G, 0.1, 1.3<args>)", ("r[0]", "r[0] * 2.0 + r[0]", "first"), "np.exp(-p[0] * u) + p[1] * u"),
    "quad to infinity": Form("integrate.quad(G, 0.1, np.inf<args>)", ("r[0]", "first"), "np.exp(-p[0] * u * u) * p[1]"),
    "quad, moving bounds": Form("integrate.quad(G, p[0] * 0.1, p[1]<args>)", ("r[0]",), "np.exp(-p[0] * u) + p[1] * u"),
    "quad_vec": Form("integrate.quad_vec(G, 0.1, 1.3<args>)", ("np.sum(r[0])", "first"), "np.exp(-p * u) + p[1] * u"),
    "fixed_quad": Form("integrate.fixed_quad(G, 0.1, 1.3<args>, n=4)", ("r[0]", "first"), "np.exp(-p[0] * u) + p[1] * u"),
    "brentq": Form("optimize.brentq(G, 0.0, 5.0<args>)", ("r",), CUBIC),
    "brentq with all": Form("optimize.brentq(G, 0.0, 5.0<args>, full_output=True)", ("r[0]", "first", "r[1].root"), CUBIC),
    "bisect": Form("optimize.bisect(G, 0.0, 5.0<args>, xtol=1e-13)", ("r",), CUBIC),
    "toms748": Form("optimize.toms748(G, 0.0, 5.0<args>)", ("r",), CUBIC),
    "newton": Form("optimize.newton(G, 1.0<args>, tol=1e-13)", ("r",), CUBIC),
    "newton with all": Form("optimize.newton(G, 1.0<args>, tol=1e-13, full_output=True)", ("r[0]", "first", "r[1].root"), CUBIC),
    "newton of several": Form("optimize.newton(G, np.ones(2)<args>, tol=1e-13)", ("np.sum(r)",), CUBIC),
    "root_scalar": Form(
        "optimize.root_scalar(G, bracket=[0.0, 5.0]<args>)", ("r.root", "r['root']", "getattr(r, 'root')"), CUBIC
    ),
    "root_scalar by secants": Form(
        "optimize.root_scalar(G, x0=1.0, x1=2.0, method='secant', xtol=1e-13<args>)", ("r.root",), CUBIC
    ),
    "minimize_scalar": Form("optimize.minimize_scalar(G<args>)", ("r.x", "r['x'] + r.fun", "r.fun"), QUARTIC, noise=STOPS),
    "minimize_scalar, bounded": Form(
        "optimize.minimize_scalar(G, bounds=(-3.0, 4.0), method='bounded'<args>, options={'xatol': 1e-11})",
        ("r.x", "r.fun"),
        QUARTIC,
        noise=STOPS,
    ),
    "brent": Form("optimize.brent(G<args>)", ("r",), QUARTIC, noise=STOPS),
    "golden": Form("optimize.golden(G<args>)", ("r",), QUARTIC, noise=1e-6),
    "fixed_point": Form("optimize.fixed_point(G, 0.5<args>, xtol=1e-13)", ("r",), "np.cos(p[0] * u) * 0.5 + 0.1 * p[1]"),
    "fixed_point of several": Form(
        "optimize.fixed_point(G, np.array([0.5, 0.6])<args>, xtol=1e-13)", ("np.sum(r)",), "np.cos(p[0] * u) * 0.5 + 0.1 * p[1]"
    ),
    "root": Form(
        f"optimize.root(G, {START}<args>, tol=1e-13)",
        ("np.sum(r.x)", "np.sum(r['x'])", "r.x[0] * r.x[1] + np.sum(r.fun)"),
        SYSTEM,
    ),
    "root by lm": Form(f"optimize.root(G, {START}<args>, method='lm', tol=1e-13)", ("np.sum(r.x)",), SYSTEM),
    "root of a list": Form("optimize.root(G, [0.5, 1.0]<args>, tol=1e-13)", ("np.sum(r.x)",), LISTED),
    "fsolve": Form("optimize.fsolve(G, [0.5, 1.0]<args>, xtol=1e-13)", ("np.sum(r)", "r[1]"), LISTED),
    "fsolve with all": Form(
        f"optimize.fsolve(G, {START}<args>, xtol=1e-13, full_output=True)",
        ("np.sum(r[0])", "np.sum(first)", "np.sum(r[1]['fvec']) + r[0][1]"),
        LISTED,
    ),
    "fsolve of a number": Form("optimize.fsolve(G, 1.0<args>, xtol=1e-13)", ("r[0]", "np.sum(r)"), CUBIC),
    "broyden1": Form(f"optimize.broyden1(G, {START}, f_tol=1e-12)", ("np.sum(r)",), SYSTEM),
    "minimize": Form(
        f"optimize.minimize(G, {START}<args>, tol=1e-10)",
        ("np.sum(r.x)", "r.fun", "r['x'][0] + r['fun']", "np.sum(r.get('x'))"),
        VALLEY,
        noise=STOPS,
    ),
    "minimize by Nelder-Mead": Form(
        f"optimize.minimize(G, {START}<args>, method='Nelder-Mead', options={{'xatol': 1e-9, 'fatol': 1e-13}})",
        ("np.sum(r.x)", "r.fun"),
        VALLEY,
        noise=1e-6,
    ),
    "minimize with bounds": Form(
        f"optimize.minimize(G, {START}<args>, bounds=[(-1.0, 0.6), (0.2, None)], tol=1e-12)",
        ("np.sum(r.x)", "r.fun", "np.sum(r.x ** 2)"),
        VALLEY,
        noise=STOPS,
    ),
    "minimize under a condition": Form(
        f"optimize.minimize(G, {START}<args>, method='SLSQP', constraints={{'type': 'eq', 'fun': {PLANE}}}, tol=1e-13)",
        ("np.sum(r.x ** 2)", "r.fun"),
        VALLEY,
        noise=STOPS,
    ),
    "minimize from a list": Form(
        "optimize.minimize(G, [0.5, 1.0]<args>, tol=1e-10)",
        ("np.sum(r.x)", "r.fun"),
        "(u[0] - p[0]) ** 2 + (u[1] - p[1]) ** 2 + 0.1 * u[0] ** 4",
        noise=STOPS,
    ),
    "minimize of a number": Form(
        "optimize.minimize(G, 0.5<args>, tol=1e-10)",
        ("np.sum(r.x)", "r.fun", "r.x[0]"),
        "(u[0] - p[0]) ** 2 + 0.1 * u[0] ** 4 * p[1]",
        noise=STOPS,
    ),
    "fmin": Form(f"optimize.fmin(G, {START}<args>, disp=False, xtol=1e-9, ftol=1e-13)", ("np.sum(r)",), VALLEY, noise=STOPS),
    "fmin_bfgs": Form(f"optimize.fmin_bfgs(G, {START}<args>, disp=0, gtol=1e-9)", ("np.sum(r)",), VALLEY, noise=STOPS),
    "fminbound": Form("optimize.fminbound(G, -3.0, 4.0<args>, xtol=1e-11)", ("r",), QUARTIC, noise=STOPS),
    "fmin_slsqp": Form(f"optimize.fmin_slsqp(G, {START}<args>, iprint=0, acc=1e-14)", ("np.sum(r)",), VALLEY, noise=STOPS),
    "fmin_l_bfgs_b": Form(
        f"optimize.fmin_l_bfgs_b(G, {START}<args>, approx_grad=True, pgtol=1e-10, factr=1.0)",
        ("np.sum(r[0])", "r[1]", "first[0]"),
        VALLEY,
        noise=STOPS,
    ),
    "least_squares": Form(
        f"optimize.least_squares(G, {START}<args>, {FINE})",
        ("np.sum(r.x)", "r.cost", "np.sum(r.fun ** 2)", "np.sum(r['x'])"),
        RESIDUALS,
        noise=STOPS,
    ),
    "least_squares with bounds": Form(
        f"optimize.least_squares(G, {START}<args>, bounds=([-5.0, -5.0], [0.52, 6.0]), {FINE})",
        ("np.sum(r.x)", "r.cost"),
        RESIDUALS,
        noise=STOPS,
    ),
    "least_squares with a loss": Form(
        f"optimize.least_squares(G, {START}<args>, loss='soft_l1', f_scale=0.7, {FINE})",
        ("np.sum(r.x)", "r.cost"),
        RESIDUALS,
        noise=STOPS,
    ),
    "least_squares of a list": Form(
        f"optimize.least_squares(G, [0.5, 1.0]<args>, {FINE})",
        ("np.sum(r.x)",),
        "[u[0] - p[0], u[1] * u[0] - p[1], 0.3 * u[1] - p[0] ** 2]",
        noise=STOPS,
    ),
    "leastsq": Form(
        f"optimize.leastsq(G, {START}<args>, xtol=1e-14, ftol=1e-14)",
        ("np.sum(r[0])", "np.sum(first)"),
        RESIDUALS,
        noise=STOPS,
    ),
    "leastsq with all": Form(
        f"optimize.leastsq(G, {START}<args>, full_output=True, xtol=1e-14, ftol=1e-14)",
        ("np.sum(r[0])", "np.sum(r[1])", "np.sum(r[2]['fvec'] ** 2)"),
        RESIDUALS,
        noise=STOPS,
    ),
    "curve_fit": Form(
        f"optimize.curve_fit({BENDS}, np.arange(4.0), G(np.arange(4.0)), p0=[1.0, 0.4], xtol=1e-14, ftol=1e-14)",
        ("np.sum(r[0])", "np.sum(r[1])", "first[0]"),
        "p[0] * np.exp(-p[1] * u) + 0.1 * u ** 2",
        noise=STOPS,
    ),
    "solve_ivp": Form(
        f"integrate.solve_ivp(G, (0.0, 1.0), [1.0, 0.5]<args>, {TIGHT})",
        ("np.sum(r.y[:, -1])", "r['y'][0, -1]", "r.y[1][-1]"),
        "[-p[0] * t[0], p[1] * t[1]]",
        "u, t",
    ),
    "solve_ivp at times": Form(
        f"integrate.solve_ivp(G, (0.0, 1.0), np.array([1.0, 0.5])<args>, t_eval=[0.2, 1.0], {TIGHT})",
        ("np.sum(r.y)", "r['y'][0, 0]", "r.y[1][-1] * np.sum(r.t)"),
        DECAY,
        "u, t",
    ),
    "solve_ivp, dense": Form(
        f"integrate.solve_ivp(G, (0.0, 1.0), np.array([1.0, 0.5])<args>, dense_output=True, {TIGHT})",
        ("np.sum(r.sol(0.3))", "np.sum(r.sol(np.array([0.1, p[0] * 0.5])))"),
        DECAY,
        "u, t",
    ),
    "solve_ivp by Radau": Form(
        f"integrate.solve_ivp(G, (0.0, 1.0), np.array([1.0, 0.5])<args>, method='Radau', {TIGHT})",
        ("np.sum(r.y[:, -1])",),
        DECAY,
        "u, t",
        noise=STOPS,
    ),
    "solve_ivp, moving start": Form(
        f"integrate.solve_ivp(G, (0.0, p[1]), p * 1.0<args>, {TIGHT})", ("np.sum(r.y[:, -1])", "r.t[-1]"), DECAY, "u, t"
    ),
    "odeint": Form(
        "integrate.odeint(G, [1.0, 0.5], [0.0, 0.4, 1.0]<args>, rtol=1e-10, atol=1e-10)",
        ("np.sum(r[-1])", "np.sum(r)"),
        "[-p[0] * u[0], p[1] * u[1]]",
        "u, t",
        noise=STOPS,
    ),
    "odeint, time first": Form(
        "integrate.odeint(G, [1.0, 0.5], [0.0, 0.4, 1.0]<args>, tfirst=True, rtol=1e-10, atol=1e-10)",
        ("np.sum(r[-1])",),
        "[-p[0] * t[0], p[1] * t[1]]",
        "u, t",
        noise=STOPS,
    ),
    "dblquad": Form(
        "integrate.dblquad(G, 0.0, 1.0, 0.0, lambda s: p[0] * s<args>)", ("r[0]",), "np.exp(-p[0] * u) + p[1] * t", "u, t"
    ),
    "nquad": Form("integrate.nquad(G, [[0.0, 1.0], [0.0, 0.7]]<args>)", ("r[0]",), "np.exp(-p[0] * u) + p[1] * t", "u, t"),
    "expect": Form("stats.norm(p[0], p[1]).expect(G)", ("r",), "u * u * p[1]"),
    "cg of an operator": Form(
        "spl.cg(spl.LinearOperator((2, 2), matvec=G), np.array([1.0, p[0]]), rtol=1e-13)",
        ("np.sum(r[0])", "np.sum(first)"),
        "np.array([3.0 * u[0] + p[0] * u[1], p[0] * u[0] + 2.0 * u[1]])",
    ),
    "differential_evolution": Form(
        "optimize.differential_evolution(G, [(-2.0, 3.0), (-2.0, 3.0)]<args>, seed=1, tol=1e-9, maxiter=60)",
        ("np.sum(r.x)", "r.fun"),
        VALLEY,
        noise=3e-5,
    ),
    "solve_bvp": Form(
        f"integrate.solve_bvp(G, {ENDS}, np.linspace(0.0, 1.0, 6), np.ones((2, 6)), tol=1e-8)",
        ("np.sum(r.y[:, 2])", "r.sol(0.33)[0]", "r.yp[0, 2]"),
        "np.vstack((t[1], -p[0] * t[0]))",
        "u, t",
        noise=STOPS,
    ),
    "apply_along_axis": Form("np.apply_along_axis(G, 0, np.outer(p, [1.0, 2.0, 0.5]))", ("np.sum(r * p[0])",), "u @ p"),
    "vectorize": Form("np.vectorize(G)(np.array([0.3, 1.2]) * p[0])", ("np.sum(r)", "r[1]"), "u * p[1] + u * u"),
    "piecewise": Form(
        "np.piecewise(np.array([0.3, 1.2]) * p[0], [np.array([True, False])], [G, 1.5])", ("np.sum(r)",), "u * p[1] + u * u"
    ),
    "fromfunction": Form("np.fromfunction(G, (2, 3))", ("np.sum(r)", "r[1, 2]"), "p[0] * u + p[1] * t * t", "u, t"),
    "map": Form("list(map(G, [0.3, p[1]]))", ("sum(r)", "r[1]"), "u * p[1] + u * u"),
    "reduce": Form("functools.reduce(G, [0.3, p[1], 1.4], 0.1)", ("r",), "u * p[0] + t", "u, t"),
    "accumulate": Form("list(itertools.accumulate([0.3, p[1], 1.4], G))", ("r[2]", "sum(r)"), "u * p[0] + t", "u, t"),
    "sorted": Form("sorted([1.1, p[1], 0.4, p[0]], key=G)", ("r[0]", "r[3] * r[1] ** 2"), "-(u - p[0]) ** 2 + 0.01 * u"),
    "max": Form("max([1.2, p[1] * 0.9, 0.4], key=G)", ("r",), "u * p[0] - u * u"),
    "filter": Form("list(filter(G, [p[0], 2.5, p[1] * 0.3]))", ("sum(r)", "r[0]"), "u > p[0] * 0.9"),
    "takewhile": Form("list(itertools.takewhile(G, [p[0], 2.5, p[1] * 0.3]))", ("sum(r)", "r[0]"), "u > p[0] * 0.9"),
    "starmap": Form("list(itertools.starmap(G, [(0.3, p[1]), (1.0, 2.0)]))", ("sum(r)", "r[1]"), "u * p[0] + t * t", "u, t"),
}


@dataclass(frozen=True, slots=True)
class Kind:
    """How ``G`` is made: lines of the function, lines of its module, and what the call is given as further arguments."""

    lines: str
    module: str = ""
    args: str = ""
    later: str = ""


MODULE_FUNCTION = "def H(<S>, p):\n    return <B>\n"
INIT = "class M:\n    def __init__(self, p):\n        self.p = p\n"
CLASS = f"{INIT}    def go(self, <S>):\n        p = self.p\n        return <B>\n"
OUTER = "def outer(k):\n    def G(<S>):\n        p = k\n        return <B>\n    return G\n"
KEEPS = "def G(<S>):\n    if 'p' not in seen:\n        seen['p'] = p * 1.0\n"
KINDS = {
    "lambda": Kind("G = lambda <S>: <B>"),
    "local function": Kind("def G(<S>):\n    return <B>"),
    "names of its own": Kind("def G(<S>):\n    q = p * 1.0\n    r = <BQ>\n    return r"),
    "function of the module, with args": Kind("G = H", MODULE_FUNCTION, "(p,)"),
    "numbers as args": Kind("G = H", "def H(<S>, a, b):\n    p = np.array([a, b])\n    return <B>\n", "(p[0], p[1])"),
    "lambda with args": Kind("G = lambda <S>, p: <B>", "", "(p,)"),
    "args of another name": Kind("G = lambda <S>, q: (lambda p: <B>)(q)", "", "(p * 1.0,)"),
    "partial by keyword": Kind("G = functools.partial(H, p=p)", MODULE_FUNCTION),
    "partial by position": Kind("G = functools.partial(H, p)", "def H(p, <S>):\n    return <B>\n"),
    "default": Kind("def G(<S>, p=p):\n    return <B>"),
    "default of a lambda": Kind("G = lambda <S>, p=p * 1.0: <B>"),
    "keyword of its own": Kind("def G(<S>, *, p=p * 1.0):\n    return <B>"),
    "bound method": Kind("G = M(p).go", CLASS),
    "method of a base": Kind("G = N(p).go", CLASS + "class N(M):\n    pass\n"),
    "callable object": Kind("G = M(p)", CLASS.replace("go", "__call__")),
    "bound method with args": Kind(
        "G = M(2.0).go",
        "class M:\n    def __init__(self, k):\n        self.k = k\n    def go(self, <S>, p):\n        return <B>\n",
        "(p,)",
    ),
    "static method": Kind("G = M.go", "class M:\n    @staticmethod\n    def go(<S>, p):\n        return <B>\n", "(p,)"),
    "class method": Kind("G = M.go", "class M:\n    @classmethod\n    def go(cls, <S>, p):\n        return <B>\n", "(p,)"),
    "name bound anew": Kind("q = p * 1.0\nG = lambda <S>: <BQ>\nq = p * 1.1"),
    "name bound anew later": Kind("q = p * 1.0\nG = lambda <S>: <BQ>", later="q = p * 1.1"),
    "item of a list": Kind("box = [p * 1.0]\ndef G(<S>):\n    p = box[0]\n    return <B>\nbox[0] = p * 1.1"),
    "item of a dict": Kind("box = {'p': p * 1.0}\ndef G(<S>):\n    p = box['p']\n    return <B>\nbox['p'] = p * 1.1"),
    "item of a dict later": Kind(
        "box = {'p': p * 1.0}\ndef G(<S>):\n    p = box['p']\n    return <B>", later="box['p'] = p * 1.1"
    ),
    "attribute": Kind("box = types.SimpleNamespace(p=p)\ndef G(<S>):\n    p = box.p\n    return <B>\nbox.p = p * 1.1"),
    "attribute of its object": Kind("m = M(p)\nG = m.go\nm.p = p * 1.1", CLASS),
    "attribute of its object later": Kind("m = M(p)\nG = m.go", CLASS, later="m.p = p * 1.1"),
    "array that changes": Kind("q = p.copy()\nG = lambda <S>: <BQ>\nq *= 1.1"),
    "array that changes later": Kind("q = p.copy()\nG = lambda <S>: <BQ>", later="q *= 1.1"),
    "view that changes later": Kind("q = p.copy()\nw = q[:1]\nG = lambda <S>: <BQ>", later="w *= 1.1"),
    "array of its object that changes later": Kind("m = M(p.copy())\nG = m.go", CLASS, later="m.p *= 1.1"),
    "made by a function": Kind(
        "def outer(k):\n    def G(<S>):\n        p = k\n        return <B>\n    return G\nG = outer(p * 1.0)"
    ),
    "wrapped": Kind("@functools.wraps(H)\ndef G(<S>):\n    return H(<S>, p)", MODULE_FUNCTION),
    "decorated": Kind("@twice\ndef G(<S>):\n    return <B>", "def twice(g):\n    return lambda *a: g(*a)\n"),
    "starred": Kind("def G(*a):\n    return H(*a, p)", MODULE_FUNCTION),
    "keywords given on": Kind("kw = dict(p=p)\nG = lambda *a: H(*a, **kw)", MODULE_FUNCTION),
    "item of functions": Kind("G = [lambda <S>: 0.0, lambda <S>: <B>][1]"),
    "chosen by the run": Kind("G = (lambda <S>: <B>) if p[0] > 0.1 else (lambda <S>: <B>)"),
    "branch inside": Kind("def G(<S>):\n    if p[0] > 0:\n        return <B>\n    return 2.0"),
    "loop inside": Kind("def G(<S>):\n    for k in range(2):\n        r = <B>\n    return r"),
    "memo inside": Kind(f"seen = {{}}\n{KEEPS}    q = seen['p']\n    return <BQ>"),
    "two numbers": Kind("a, b = p\ndef G(<S>):\n    p = np.array([a, b])\n    return <B>"),
    "numbers of Python": Kind("a, b = float(p[0]), float(p[1])\ndef G(<S>):\n    p = np.array([a, b])\n    return <B>"),
    "counts its calls": Kind("n = [0]\ndef G(<S>):\n    n[0] += 1\n    return <B>"),
    "nonlocal count": Kind("n = 0\ndef G(<S>):\n    nonlocal n\n    n += 1\n    return <B>"),
}
PLACES = {
    "once": "r = <X>\n<U>return <R>",
    "in a loop": "s = 0.0\nfor k in range(2):\n    r = <X>\n    <U>s = s * 0.5 + <R>\nreturn s",
    "in a loop that moves": "s = 0.0\nfor k in range(2):\n    p = p * 1.01\n    r = <X>\n    <U>s = s * 0.5 + <R>\nreturn s",
    "twice": "r = <X>\n<U>s = <R>\nr = <X>\n<U>return s * <R>",
    "in a branch": "if p[0] > 0.0:\n    r = <X>\n    <U>return <R>\nreturn 0.0",
    "in a helper": "def go():\n    r = <X>\n    <U>return <R>\nreturn go() * 2.0",
    "weighted": "r = <X>\n<U>return <R> * p[1] + p[0]",
    "in a comprehension": "return sum([(lambda r: <R>)(<X>) for k in range(2)])",
    "in a try": "try:\n    r = <X>\nexcept (ValueError, RuntimeError):\n    return 0.0\n<U>return <R>",
    "in a while": "s, k = 0.0, 0\nwhile k < 2:\n    r = <X>\n    <U>s, k = s * 0.5 + <R>, k + 1\nreturn s",
}


def cells(every: int = 1) -> Iterator[Cell]:
    """Each call, by what its function is, where it stands and what is read; or one in `every`."""
    axes = itertools.product(FORMS.items(), KINDS.items(), PLACES.items())
    each = ((*one, read) for one in axes for read in one[0][1].reads)
    for (named, form), (kind, how), (place, body), read in itertools.islice(each, 0, None, every):
        text = written(form, how, body, read)
        if text:
            args = (np.array([0.7, 1.2]),)
            orders = 1 if form.noise else 2
            yield Cell(f"{named}, {kind}, {place}: {read}", Written(text, NAMES), args, True, orders, False, noise=form.noise)


def written(form: Form, how: Kind, body: str, read: str) -> str:
    """The program; empty where the call takes no further arguments, or the first result has no name."""
    unpacked = "first" in read
    if (how.args and "<args>" not in form.call) or ((unpacked or how.later) and "(lambda r" in body):
        return ""
    call = form.call.replace("<args>", f", args={how.args}" if how.args else "")
    lines = [*how.lines.splitlines()]
    for line in body.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        if "<U>" in line and unpacked:
            lines += [f"{indent}first, *_ = r"]
        lines += [line.replace("<U>", "")]
        if "<X>" in line and how.later:
            lines += [f"{indent}{how.later}"]
    main = "".join(f"    {line}\n" for line in lines).replace("<X>", call).replace("<R>", f"({read})")
    text = f"import functools, itertools, types\n{how.module}def f(p):\n{main}"
    renamed = form.body.replace("p[", "q[").replace("-p ", "-q ").replace("- p)", "- q)").replace("@ p", "@ q")
    return text.replace("<BQ>", renamed).replace("<B>", form.body).replace("<S>", form.params)

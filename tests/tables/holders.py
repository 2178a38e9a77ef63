"""Objects that are made of an array, by what changes the array afterwards, and how often they are made and asked.

Some hold the array itself (views, iterators, bound methods, ``interp1d`` with ``copy=False``), some a copy, some what they found
of it when they were made; a change of the array is seen in the first alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import scipy.sparse.linalg
from scipy import sparse, spatial
from scipy.spatial.transform import Rotation

from tests.tables.cell import Cell, Written
from tests.tables.scipy_operands import ARGS, NAMES, TOTAL

ALL_NAMES = {**NAMES, "sparse": sparse, "spatial": spatial, "spl": scipy.sparse.linalg, "Rotation": Rotation}
VECTOR = "y1 * 1.0"
THREE = "y1[:3] * 1.0"
SQUARE = "M * 1.0"
SYMMETRIC = "M @ M.T"
GRID = "np.cumsum(y1)"
PLACES = "p7 * (1.0 + y1[0] * 0.1)"

INTERPOLANTS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "CubicSpline": (
        "interpolate.CubicSpline(x1, A)",
        ("o(0.3)", "o([0.3, 1.1])", "o.derivative()(0.4)", "o.integrate(0.1, 1.0)", "o(y1[0], 1)", "o.c"),
        VECTOR,
    ),
    "places of CubicSpline": ("interpolate.CubicSpline(A, y1)", ("o(0.8)", "o([0.3, 1.1])", "o.x"), GRID),
    "interp1d": ("interpolate.interp1d(x1, A)", ("o(0.3)", "o([0.3, 1.1])", "o.y"), VECTOR),
    "interp1d without a copy": ("interpolate.interp1d(x1, A, copy=False)", ("o(0.3)", "o([0.3, 1.1])"), VECTOR),
    "interp1d by cubics": ("interpolate.interp1d(x1, A, kind='cubic')", ("o(0.3)", "o([0.3, 1.1])"), VECTOR),
    "places of interp1d": ("interpolate.interp1d(A, y1)", ("o(0.8)",), GRID),
    "PchipInterpolator": ("interpolate.PchipInterpolator(x1, A)", ("o(0.3)", "o.derivative()(0.4)"), VECTOR),
    "Akima1DInterpolator": ("interpolate.Akima1DInterpolator(x1, A)", ("o(0.3)",), VECTOR),
    "BSpline": (
        "interpolate.BSpline(np.arange(10.0), A, 2)",
        ("o(3.3)", "o.derivative()(3.4)", "o.integrate(3.0, 4.0)", "o.c"),
        VECTOR,
    ),
    "knots of BSpline": ("interpolate.BSpline(A, y1, 2)", ("o(3.3)", "o.t"), "np.arange(10.0) + y1[0] * 0.1"),
    "make_interp_spline": ("interpolate.make_interp_spline(x1, A)", ("o(0.3)", "o.c"), VECTOR),
    "PPoly": (
        "interpolate.PPoly(A, [0.0, 1.0, 2.0])",
        ("o(0.3)", "o.derivative()(1.4)", "o.integrate(0.0, 1.5)", "o.c"),
        "y2[:, :2] * 1.0",
    ),
    "breaks of PPoly": ("interpolate.PPoly(y2[:, :2], A)", ("o(0.3)", "o.x"), "np.array([0.0, y1[0], 2.0])"),
    "BPoly": ("interpolate.BPoly(A, [0.0, 1.0, 2.0])", ("o(0.3)", "o.c"), "y2[:, :2] * 1.0"),
    "CubicHermiteSpline": ("interpolate.CubicHermiteSpline(x1, A, y1)", ("o(0.3)",), VECTOR),
    "slopes of CubicHermiteSpline": ("interpolate.CubicHermiteSpline(x1, y1, A)", ("o(0.3)",), VECTOR),
    "RegularGridInterpolator": ("interpolate.RegularGridInterpolator((x1,), A)", ("o([[0.3], [1.1]])", "o.values"), VECTOR),
    "RegularGridInterpolator of a plane": (
        "interpolate.RegularGridInterpolator((x1[:3], x1), A)",
        ("o([[0.3, 0.4]])", "o((0.3, 0.7))"),
        "y2 * 1.0",
    ),
    "places of RegularGridInterpolator": ("interpolate.RegularGridInterpolator((A,), y1)", ("o([[0.8]])",), GRID),
    "RBFInterpolator": ("interpolate.RBFInterpolator(x1[:, None], A)", ("o([[0.3]])",), VECTOR),
    "places of RBFInterpolator": ("interpolate.RBFInterpolator(A, y1)", ("o([[0.8]])",), "np.cumsum(y1)[:, None]"),
    "LinearNDInterpolator": ("interpolate.LinearNDInterpolator(p7, A)", ("o([[0.4, 0.5]])", "o(0.4, 0.5)"), VECTOR),
    "places of LinearNDInterpolator": ("interpolate.LinearNDInterpolator(A, y1)", ("o([[0.4, 0.5]])",), PLACES),
    "NearestNDInterpolator": ("interpolate.NearestNDInterpolator(p7, A)", ("o([[0.4, 0.5]])",), VECTOR),
    "places of NearestNDInterpolator": ("interpolate.NearestNDInterpolator(A, y1)", ("o([[0.4, 0.5]])",), PLACES),
    "CloughTocher2DInterpolator": ("interpolate.CloughTocher2DInterpolator(p7, A)", ("o([[0.4, 0.5]])",), VECTOR),
    "KroghInterpolator": ("interpolate.KroghInterpolator(x1, A)", ("o(0.3)",), VECTOR),
    "places of KroghInterpolator": ("interpolate.KroghInterpolator(A, y1)", ("o(0.8)",), GRID),
    "BarycentricInterpolator": ("interpolate.BarycentricInterpolator(x1, A)", ("o(0.3)",), VECTOR),
    "places of BarycentricInterpolator": ("interpolate.BarycentricInterpolator(A, y1)", ("o(0.8)",), GRID),
    "UnivariateSpline": (
        "interpolate.UnivariateSpline(x1, A, s=0)",
        ("o(0.3)", "o.derivative()(0.4)", "o.integral(0.0, 1.0)"),
        VECTOR,
    ),
    "UnivariateSpline that smooths": ("interpolate.UnivariateSpline(x1, A, s=0.5)", ("o(0.3)",), VECTOR),
    "splrep": (
        "interpolate.splrep(x1, A)",
        ("interpolate.splev(0.3, o)", "interpolate.splint(0.0, 1.0, o)", "o[1]"),
        VECTOR,
    ),
    "coefficients of splev": ("(np.arange(10.0), A, 2)", ("interpolate.splev(3.3, o)",), VECTOR),
    "RectBivariateSpline": (
        "interpolate.RectBivariateSpline(x1[:3], x1, A, kx=2)",
        ("o(0.3, 0.4)", "o.ev([0.3], [0.4])"),
        "y2 * 1.0",
    ),
}
DISTRIBUTIONS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "gaussian_kde": ("stats.gaussian_kde(A)", ("o(0.3)", "o.pdf([0.3, 0.4])", "o.evaluate(0.5)"), VECTOR),
    "norm": ("stats.norm(A, 1.3)", ("o.logpdf(0.3)", "o.cdf(0.4)", "o.mean()", "o.ppf(0.3)"), VECTOR),
    "scale of norm": ("stats.norm(loc=0.3, scale=A)", ("o.logpdf(0.3)", "o.sf(0.4)", "o.std()", "o.interval(0.9)"), VECTOR),
    "multivariate_normal": (
        "stats.multivariate_normal(A, M @ M.T)",
        ("o.logpdf(y1[:3])", "o.pdf(y2.T)", "o.mean"),
        THREE,
    ),
    "covariance of multivariate_normal": (
        "stats.multivariate_normal(y1[:3], A)",
        ("o.logpdf(y1[3:6])", "o.entropy()"),
        SYMMETRIC,
    ),
    "multivariate_t": ("stats.multivariate_t(y1[:3], A, df=4)", ("o.logpdf(y1[3:6])",), SYMMETRIC),
    "dirichlet": (
        "stats.dirichlet(A)",
        ("o.logpdf(np.array([0.2, 0.3, 0.5]))", "o.mean()", "o.var()", "o.entropy()"),
        THREE,
    ),
    "multinomial": ("stats.multinomial(4, A)", ("o.logpmf([1, 2, 1])",), "y1[:3] / np.sum(y1[:3])"),
    "wishart": ("stats.wishart(5.0, A)", ("o.logpdf(M @ M.T)",), SYMMETRIC),
    "gamma": ("stats.gamma(A)", ("o.logpdf(0.3)", "o.sf(1.0)", "o.var()", "o.entropy()"), VECTOR),
}
MATRICES: dict[str, tuple[str, tuple[str, ...], str]] = {
    "csr_matrix": (
        "sparse.csr_matrix(A)",
        ("o @ y1[:3]", "o.T @ y1[:3]", "o.toarray()", "(o @ o).toarray()", "o.sum()", "o.data"),
        SQUARE,
    ),
    "coo_matrix": (
        "sparse.coo_matrix((A, ([0, 1, 2], [1, 0, 2])), shape=(3, 3))",
        ("o @ y1[:3]", "o.toarray()", "o.tocsr() @ y1[:3]"),
        THREE,
    ),
    "coo_matrix made compressed": (
        "sparse.coo_matrix((A, ([0, 1, 2], [1, 0, 2])), shape=(3, 3)).tocsr()",
        ("o @ y1[:3]", "o.toarray()"),
        THREE,
    ),
    "csr_matrix of places": (
        "sparse.csr_matrix((A, ([0, 1, 2], [1, 0, 2])), shape=(3, 3))",
        ("o @ y1[:3]", "o.toarray()"),
        THREE,
    ),
    "csr_matrix of its arrays": (
        "sparse.csr_matrix((A, [1, 0, 2], [0, 1, 2, 3]), shape=(3, 3))",
        ("o @ y1[:3]", "o.toarray()", "o.data"),
        THREE,
    ),
    "diags": ("sparse.diags([A, A[:-1]], [0, 1])", ("o @ y1", "o.sum()", "o.tocsr() @ y1"), VECTOR),
    "splu": ("spl.splu(sparse.csc_matrix(A))", ("o.solve(y1[:3])",), SQUARE),
    "factorized": ("spl.factorized(sparse.csc_matrix(A))", ("o(y1[:3])",), SQUARE),
    "lu_factor": ("linalg.lu_factor(A)", ("linalg.lu_solve(o, y1[:3])", "o[0]"), SQUARE),
    "lu_factor that overwrites": ("linalg.lu_factor(A, overwrite_a=True)", ("linalg.lu_solve(o, y1[:3])",), SQUARE),
    "cho_factor": ("linalg.cho_factor(A)", ("linalg.cho_solve(o, y1[:3])",), SYMMETRIC),
    "aslinearoperator": ("spl.aslinearoperator(A)", ("o @ y1[:3]", "o.matvec(y1[:3])"), SQUARE),
    "LinearOperator": (
        "spl.LinearOperator((3, 3), matvec=lambda v: A @ v)",
        ("o @ y1[:3]", "o.matvec(y1[:3])", "spl.cg(o, y1[:3], rtol=1e-13)[0]"),
        SYMMETRIC,
    ),
    "Rotation of a vector": (
        "Rotation.from_rotvec(A)",
        ("o.apply(y1[:3])", "o.as_matrix()", "o.as_quat()", "(o * o).as_rotvec()", "o.magnitude()"),
        "y1[:3] * 0.5",
    ),
    "Rotation of a quaternion": (
        "Rotation.from_quat(A)",
        ("o.apply(y1[:3])", "o.inv().as_matrix()"),
        "y1[:4] * 1.0",
    ),
    "cKDTree": (
        "spatial.cKDTree(A)",
        ("o.query(np.array([0.3, 0.4]))[0]", "o.query(y2.T[:, :2], k=2)[0]", "o.data"),
        "np.array(y2.T[:, :2], order='C')",
    ),
    "KDTree": ("spatial.KDTree(A)", ("o.query(np.array([0.3, 0.4]))[0]",), "np.array(y2.T[:, :2], order='C')"),
    "ConvexHull": ("spatial.ConvexHull(A)", ("o.volume", "o.area", "o.points"), "p7 * y1[:, None]"),
    "Delaunay": ("spatial.Delaunay(A)", ("o.points", "o.points[o.simplices[0]]"), PLACES),
}
SYSTEMS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "solve_ivp": (
        "integrate.solve_ivp(lambda t, u: -A[:2] * u, (0.0, 1.0), [1.0, 0.5], dense_output=True, rtol=1e-9, atol=1e-9)",
        ("o.sol(0.3)", "o.y[:, -1]"),
        VECTOR,
    ),
    "start of solve_ivp": (
        "integrate.solve_ivp(lambda t, u: -u, (0.0, 1.0), A, dense_output=True, rtol=1e-9, atol=1e-9)",
        ("o.sol(0.3)", "o.y[:, 0]"),
        VECTOR,
    ),
    "times of solve_ivp": (
        "integrate.solve_ivp(lambda t, u: -u, (0.0, 60.0), [1.0], t_eval=A, rtol=1e-9, atol=1e-9)",
        ("o.t", "o.y"),
        GRID,
    ),
    "fsolve": ("optimize.fsolve(lambda u: 2.0 * u - A, np.ones(3), xtol=1e-13)", ("o", "o[1]"), THREE),
    "root": ("optimize.root(lambda u: 2.0 * u - A, np.ones(3), tol=1e-13)", ("o.x", "o.x[1]"), THREE),
    "start of root": ("optimize.root(lambda u: u - y1[:3], A, tol=1e-12)", ("o.x",), THREE),
    "TransferFunction": (
        "signal.TransferFunction(A, [1.0, 0.4])",
        ("signal.impulse(o, T=np.linspace(0.0, 1.0, 4))[1]", "o.freqresp([1.0, 2.0])[1]", "o.num"),
        "y1[:1] * 1.0",
    ),
    "denominator of TransferFunction": (
        "signal.TransferFunction([1.0], A)",
        ("signal.impulse(o, T=np.linspace(0.0, 1.0, 4))[1]", "o.freqresp([1.0, 2.0])[1]"),
        "y1[:2] * 1.0",
    ),
    "StateSpace": (
        "signal.StateSpace(A, np.ones((3, 1)), np.ones((1, 3)), np.zeros((1, 1)))",
        ("signal.step(o, T=np.linspace(0.0, 1.0, 4))[1]", "o.A"),
        "-M * 0.3",
    ),
    "poly1d": ("np.poly1d(A)", ("o(0.3)", "o.deriv()(0.4)", "(o * o)(0.2)", "o.c", "o[0]"), THREE),
    "Polynomial": (
        "np.polynomial.Polynomial(A)",
        ("o(0.3)", "o.deriv()(0.4)", "(o * o)(0.2)", "o.coef", "(-o).coef", "o.copy()(0.3)", "np.array(list(o))"),
        THREE,
    ),
    "Chebyshev": ("np.polynomial.Chebyshev(A)", ("o(0.3)", "o.integ()(0.4)"), THREE),
}
OF_PYTHON: dict[str, tuple[str, tuple[str, ...], str]] = {
    "partial": ("functools.partial(np.dot, A)", ("o(y1)",), VECTOR),
    "partial by keyword": ("functools.partial(np.dot, b=A)", ("o(y1)",), VECTOR),
    "bound method": ("A.dot", ("o(y1)",), VECTOR),
    "bound sum": ("A.sum", ("o()",), VECTOR),
    "bound __getitem__": ("A.__getitem__", ("o(1)", "o(slice(1, 3))"), VECTOR),
    "iter": ("iter(A)", ("next(o)", "sum(o)", "list(o)"), VECTOR),
    "reversed": ("reversed(A)", ("next(o)", "sum(o)"), VECTOR),
    "enumerate": ("enumerate(A)", ("next(o)[1]", "sum(k * v for k, v in o)"), VECTOR),
    "zip": ("zip(A, A[1:])", ("next(o)[1]", "sum(v * w for v, w in o)"), VECTOR),
    "map": ("map(np.sin, A)", ("next(o)", "sum(o)"), VECTOR),
    "filter": ("filter(lambda v: v > 0.1, A)", ("next(o)", "sum(o)"), VECTOR),
    "generator": ("(v * v for v in A)", ("next(o)", "sum(o)"), VECTOR),
    "generator of what it reads": ("(A[k] * v for k, v in enumerate(y1))", ("next(o)", "sum(o)"), VECTOR),
    "chain": ("itertools.chain(A, A)", ("next(o)", "sum(o)"), VECTOR),
    "accumulate": ("itertools.accumulate(A)", ("next(o)", "sum(o)"), VECTOR),
    "islice": ("itertools.islice(A, 1, 4)", ("next(o)", "sum(o)"), VECTOR),
    "rows": ("iter(A)", ("next(o)", "sum(row @ row for row in o)"), "y2 * 1.0"),
    "flat": ("A.flat", ("next(o)", "sum(o)", "o[2]"), "y2 * 1.0"),
    "ndenumerate": ("np.ndenumerate(A)", ("next(o)[1]", "sum(v * v for k, v in o)"), VECTOR),
    "nditer": ("np.nditer(A)", ("sum(float(v) * v for v in o)",), VECTOR),
    "list": ("list(A)", ("sum(o)", "o[0]"), VECTOR),
    "list of rows": ("list(A)", ("o[0]", "o[2] @ o[1]"), "y2 * 1.0"),
    "tolist": ("A.tolist()", ("sum(o)",), VECTOR),
    "list with it": ("[A, 1.0]", ("o[0]", "o"), VECTOR),
    "tuple with it": ("(1.0, A)", ("o[1]", "o"), VECTOR),
    "dict with it": ("{'a': A}", ("o['a']", "list(o.values())[0]"), VECTOR),
    "object with it": ("types.SimpleNamespace(a=A)", ("o.a", "o.a[1:]"), VECTOR),
    "copied object": ("copy.copy(types.SimpleNamespace(a=A))", ("o.a",), VECTOR),
    "deeply copied object": ("copy.deepcopy(types.SimpleNamespace(a=A))", ("o.a",), VECTOR),
    "dataclass": ("Kept(A, A)", ("o.a * o.b", "dataclasses.astuple(o)[0]", "dataclasses.asdict(o)['b']"), VECTOR),
    "dataclass replaced": ("dataclasses.replace(Kept(y1, A), a=y1)", ("o.a * o.b",), VECTOR),
    "named tuple": ("Named(A, 2.0)", ("o.a * o.b", "o._asdict()['a']", "o._replace(b=1.0).a"), VECTOR),
    "mapping proxy": ("types.MappingProxyType({'a': A})", ("o['a']",), VECTOR),
    "ChainMap": ("collections.ChainMap({'a': A}, {})", ("o['a']",), VECTOR),
    "deque of it": ("collections.deque(A)", ("o[0]", "sum(o)"), VECTOR),
    "deque with it": ("collections.deque([A], maxlen=2)", ("o[0]", "o.pop()"), VECTOR),
    "default of a function": ("make_default(A)", ("o()",), VECTOR),
    "lambda": ("lambda: A * 2.0", ("o()",), VECTOR),
    "lambda with a default": ("lambda a=A: a * 2.0", ("o()",), VECTOR),
    "closure": ("make_closure(A)", ("o()",), VECTOR),
    "method of an object": ("Model(A).total", ("o()", "o() * y1"), VECTOR),
    "callable object": ("Model(A)", ("o(y1)", "o.total()"), VECTOR),
    "property": ("Model(A)", ("o.half", "o.first"), VECTOR),
    "cached property": ("Model(A)", ("o.found",), VECTOR),
    "itemgetter": ("operator.itemgetter(0, 2)(A)", ("o", "o[0]"), VECTOR),
    "view": ("A[1:4]", ("o", "o * o"), VECTOR),
    "reshaped": ("A.reshape(-1)", ("o",), "y2 * 1.0"),
    "reshaped without a copy where it can": ("A.T.reshape(-1)", ("o",), "y2 * 1.0"),
    "ravel": ("A.ravel()", ("o",), "y2 * 1.0"),
    "ravel of columns": ("A.T.ravel()", ("o",), "y2 * 1.0"),
    "ravel as it lies": ("A.T.ravel('K')", ("o",), "y2 * 1.0"),
    "flatten": ("A.flatten()", ("o",), "y2 * 1.0"),
    "transposed": ("A.T", ("o", "o @ o.T"), "y2 * 1.0"),
    "diagonal": ("np.diagonal(A)", ("o",), SQUARE),
    "diag": ("np.diag(A)", ("o",), SQUARE),
    "real part": ("A.real", ("o",), VECTOR),
    "real part of what is complex": ("A.real", ("o",), "y1 + 0.3j * y1"),
    "imaginary part": ("A.imag", ("o",), "y1 + 0.3j * y1"),
    "conjugate": ("A.conj()", ("o",), VECTOR),
    "asarray": ("np.asarray(A)", ("o",), VECTOR),
    "array": ("np.array(A)", ("o",), VECTOR),
    "array without a copy": ("np.array(A, copy=None)", ("o",), VECTOR),
    "asarray of another dtype": ("np.asarray(A, np.complex128)", ("o",), VECTOR),
    "astype without a copy": ("A.astype(float, copy=False)", ("o",), VECTOR),
    "ascontiguousarray": ("np.ascontiguousarray(A)", ("o",), "y2 * 1.0"),
    "asfortranarray": ("np.asfortranarray(A)", ("o",), "y2 * 1.0"),
    "atleast_2d": ("np.atleast_2d(A)", ("o",), VECTOR),
    "squeeze": ("np.squeeze(A)", ("o",), "y1[None] * 1.0"),
    "broadcast_to": ("np.broadcast_to(A, (2, 7))", ("o", "o[1]"), VECTOR),
    "broadcast_arrays": ("np.broadcast_arrays(A, y2)[0]", ("o",), VECTOR),
    "sliding_window_view": ("np.lib.stride_tricks.sliding_window_view(A, 3)", ("o", "o @ y1[:3]"), VECTOR),
    "split": ("np.split(A, [2, 4])", ("o[0]", "o"), VECTOR),
    "meshgrid": ("np.meshgrid(A, A[:2])", ("o[0]", "o[1]"), VECTOR),
    "meshgrid without copies": ("np.meshgrid(A, A[:2], copy=False)", ("o[0]",), VECTOR),
    "ix_": ("np.ix_([0, 1], [2])", ("A[o]",), "y2 * 1.0"),
    "rollaxis": ("np.rollaxis(A, 1)", ("o",), "y2 * 1.0"),
    "flip": ("np.flip(A)", ("o",), VECTOR),
    "roll": ("np.roll(A, 1)", ("o",), VECTOR),
    "rot90": ("np.rot90(A)", ("o",), "y2 * 1.0"),
    "nan_to_num": ("np.nan_to_num(A, copy=False)", ("o",), VECTOR),
    "take": ("np.take(A, [0, 2])", ("o",), VECTOR),
    "einsum view": ("np.einsum('ii->i', A)", ("o",), SQUARE),
    "einsum transposed": ("np.einsum('ij->ji', A)", ("o",), "y2 * 1.0"),
    "positive": ("+A", ("o",), VECTOR),
    "where": ("np.where(A > 0.5, A, 0.0)", ("o",), VECTOR),
    "memoryview": ("memoryview(A)", ("np.asarray(o)", "o[0]"), VECTOR),
    "matrix": ("np.asmatrix(A)", ("np.asarray(o)", "o @ y1"), SQUARE),
    "masked array": ("np.ma.masked_array(A, A > 1.0)", ("o.filled(0.5)", "np.asarray(o)"), VECTOR),
    "object array": ("np.array([A, None], object)", ("o[0]",), VECTOR),
}
OBJECTS = {**INTERPOLANTS, **DISTRIBUTIONS, **MATRICES, **SYSTEMS, **OF_PYTHON}
"""For each: what is made of the array ``A``, what is asked of the object ``o`` then, and what the array is at first."""

CHANGES = {
    "nothing": "pass",
    "scaled": "A *= 1.3",
    "an item": "A[0] = A[0] * 1.2 + 0.01",
    "all items": "A[...] = A * 1.1",
    "the name": "A = A * 5.0",
    "a view": "B = A[:1]; B *= 1.1",
    "out": "np.add(A, 0.05, out=A)",
    "filled": "A.fill(y1[0])",
    "sorted": "A.sort()",
    "by a helper": "scale(A)",
}
SHAPES = {
    "plain": ("A = <A>", "o = <O>", "<C>", "return total(<Q>)"),
    "asked twice": ("A = <A>", "o = <O>", "s = total(<Q>)", "<C>", "return s * total(<Q>)"),
    "made in a loop": (
        *("A = <A>", "s = 0.0", "for k in range(2):", "    o = <O>", "    <C>", "    s = s + total(<Q>) * (k + 1)"),
        "return s",
    ),
    "asked in a loop": (
        *("A = <A>", "o = <O>", "s = 0.0", "for k in range(2):", "    <C>", "    s = s + total(<Q>) * (k + 1)"),
        "return s",
    ),
    "kept in an attribute": ("A = <A>", "box = types.SimpleNamespace(o=<O>)", "<C>", "o = box.o", "return total(<Q>)"),
    "changed in a branch": ("A = <A>", "o = <O>", "if y1[0] > 0.0:", "    <C>", "return total(<Q>)"),
    "asked in a branch": ("A = <A>", "o = <O>", "r = 0.0", "if y1[0] > 0.0:", "    <C>", "    r = total(<Q>)", "return r"),
    "made in a branch": (
        *("A = <A>", "o = None", "if y1[0] > 0.0:", "    o = <O>", "<C>", "r = total(<Q>) if o is not None else 0.0"),
        "return r",
    ),
    "several in a list": (
        *("A = <A>", "several = [<O> for k in range(2)]", "<C>", "s = 0.0", "for o in several:", "    s = s + total(<Q>)"),
        "return s",
    ),
    "made by a helper": ("A = <A>", "def make():", "    return <O>", "o = make()", "<C>", "return total(<Q>)"),
    "made of an argument": ("def make(A):", "    return <O>", "A = <A>", "o = make(A)", "<C>", "return total(<Q>)"),
    "made of a view": ("W = <A>", "A = W[:]", "o = <O>", "A = W", "<C>", "return total(<Q>)"),
}
PRELUDE = f"""import collections, copy, dataclasses, functools, itertools, operator, types
{TOTAL}
@dataclasses.dataclass
class Kept:
    a: object
    b: object
Named = collections.namedtuple("Named", "a b")
class Model:
    def __init__(self, a):
        self.a = a
    def total(self):
        return np.sum(self.a)
    def __call__(self, v):
        return self.a * v
    @property
    def half(self):
        return self.a * 0.5
    @property
    def first(self):
        return self.a[:2]
    @functools.cached_property
    def found(self):
        return self.a * 0.5
def make_default(a):
    def g(b=a):
        return b * 2.0
    return g
def make_closure(a):
    def g():
        return a * 2.0
    return g
def scale(a):
    a *= 1.2
"""


def cells(every: int = 1) -> Iterator[Cell]:
    """Each object, by what is asked of it, by what is changed and how it is made; or one in `every`."""
    axes = itertools.product(OBJECTS.items(), CHANGES.items(), SHAPES.items())
    each = ((*one, asked) for one in axes for asked in one[0][1][1])
    for (kind, (made, _, array)), (change, line), (shape, body), asked in itertools.islice(each, 0, None, every):
        text = "".join(f"    {part}\n" for part in (*body[:-1], f"{body[-1]} + 0.3 * np.sum(np.abs(A) ** 2)"))
        for place, what in (("<A>", array), ("<O>", made), ("<C>", line), ("<Q>", asked)):
            text = text.replace(place, what)
        name = f"{kind}, {shape}, {change} changed: {asked}"
        yield Cell(name, Written(f"{PRELUDE}\ndef f(y1, y2, M):\n{text}", ALL_NAMES), ARGS, orders=1, bits=False)

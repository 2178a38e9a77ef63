"""The call forms that the table of edges judges: expressions in the operands ``x``, ``y`` and ``z``, with the kinds of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

Form = tuple[str, str]

WITHOUT: dict[str, str] = {
    "np.ndarray.fill": "writes; returns nothing",
    "np.ndarray.sort": "writes; returns nothing",
    "np.copyto": "writes; returns nothing",
    "np.putmask": "writes; returns nothing",
    "np.put": "writes; returns nothing",
    "np.fill_diagonal": "writes; returns nothing",
    "np.add.at": "writes; returns nothing",
    "np.subtract.at": "writes; returns nothing",
    "np.empty": "what it holds is not defined",
    "np.empty_like": "what it holds is not defined",
}
"""Functions whose value is not judged here, with the reason."""

ARRAYS = "number vector matrix cubes"


def _forms(kinds: str, *expressions: str) -> tuple[Form, ...]:
    return tuple((expression, kinds) for expression in expressions)


def _reduction(name: str, *more: str, method: bool = True, dtype: bool = True) -> Iterator[tuple[str, tuple[Form, ...]]]:
    """The forms of a reduction: over everything, an axis, several, none; with the axes kept; with further keywords `more`."""
    common = ("", "axis=0", "axis=-1", "keepdims=True", "axis=0, keepdims=True", *more, *(("dtype=np.float64",) if dtype else ()))
    two = ("axis=1", "axis=(0, 1)", "axis=(0, 1), keepdims=True", "axis=()", "axis=1, keepdims=True")
    stated: list[Form] = []
    for given in common:
        stated.append((f"np.{name}(x{', ' * bool(given)}{given})", "vector matrix" if given else "number vector matrix cubes"))
    stated += [(f"np.{name}(x, {given})", "matrix") for given in two]
    stated += [(f"np.{name}(x, {given})", "cubes") for given in ("axis=1", "axis=(0, 2)", "axis=-2, keepdims=True")]
    stated += [(f"np.{name}(x, axis=2)", "table flat")]
    yield f"np.{name}", tuple(stated)
    if method:
        calls = [f"x.{name}({given})" for given in ("", *common[1:])]
        yield f"np.ndarray.{name}", (*_forms("flat table", *calls), *_forms("table", f"x.{name}(1)", f"x.{name}(axis=(0, 1))"))


def _both(name: str, kinds: str, *arguments: str, method: bool = True) -> Iterator[tuple[str, tuple[Form, ...]]]:
    """The forms of a function of one array with further `arguments`, and of the method of the same name."""
    yield f"np.{name}", _forms(kinds, *(f"np.{name}(x{', ' * bool(given)}{given})" for given in arguments))
    if method:
        yield f"np.ndarray.{name}", _forms(kinds.replace("number ", ""), *(f"x.{name}({given})" for given in arguments))


_WHERE = ("where=x > 0", "where=x > 0, axis=-1")

REDUCTIONS = (
    *_reduction("sum", "initial=1.5", *_WHERE, "axis=0, initial=1.5", "dtype=np.float32"),
    *_reduction("mean", *_WHERE, "dtype=np.float32"),
    *_reduction("prod", "initial=1.5", *_WHERE, "dtype=np.float32"),
    *_reduction("max", "initial=1.5", "initial=-5.0, where=x > 0", "axis=0, initial=1.5", dtype=False),
    *_reduction("min", "initial=1.5", "initial=5.0, where=x > 0", "axis=0, initial=1.5", dtype=False),
    *_reduction("amax", method=False, dtype=False),
    *_reduction("amin", method=False, dtype=False),
    *_reduction("var", "ddof=1", "axis=0, ddof=1", "ddof=0.5", "correction=1", *_WHERE),
    *_reduction("std", "ddof=1", "axis=0, ddof=1", "ddof=0.5", "correction=1", *_WHERE),
    *_reduction("nansum", method=False),
    *_reduction("nanmean", method=False),
    *_reduction("nanmax", "initial=1.5", method=False, dtype=False),
    *_reduction("nanmin", "initial=1.5", method=False, dtype=False),
    *_reduction("ptp", method=False, dtype=False),
    *_reduction("median", method=False, dtype=False),
    *_reduction("any", dtype=False),
    *_reduction("all", dtype=False),
    *_reduction("count_nonzero", method=False, dtype=False),
    *_both("argmax", "vector matrix", "", "axis=0", "axis=-1", "keepdims=True"),
    *_both("argmin", "vector matrix", "", "axis=0", "axis=-1", "keepdims=True"),
    *_both("cumsum", "number vector matrix", "", "axis=0", "axis=-1", "dtype=np.float64", "0"),
    *_both("cumprod", "number vector matrix", "", "axis=0", "axis=-1", "dtype=np.float64", "0"),
    *_both(
        "cumulative_sum",
        "vector table",
        "axis=0",
        "axis=-1",
        "include_initial=True, axis=0",
        "dtype=np.float64, axis=0",
        method=False,
    ),
    *_both("sort", "vector matrix", "", "axis=0", "axis=-1", "axis=None", "stable=True", "kind='stable'", method=False),
    *_both("argsort", "vector matrix", "", "axis=0", "axis=-1"),
    *_both("trapezoid", "vector matrix", "", "dx=0.5", "axis=0", "axis=-1", method=False),
    *_both("diff", "vector matrix", "", "2", "0", "axis=0", "1, 0", "-1", "prepend=0.5", "append=0.5", "3", method=False),
)

_Q = ("0.3", "0.0", "1.0", "0.5", "[0.25, 0.75]", "np.array([0.1, 0.5, 1.0])", "0.3, axis=0", "0.3, axis=-1", "0.3, keepdims=True",
      "0.3, axis=0, keepdims=True", "[0.25, 0.75], axis=0", "[0.25, 0.75], axis=-1, keepdims=True", "1.5", "np.float32(0.3)", "1", "[]",
      "0.3, method='nearest'", "0.3, method='lower'", "np.array([[0.1, 0.2], [0.3, 0.9]])", "0.3, axis=(0,)")  # fmt: skip

QUANTILES = (
    (
        "np.quantile",
        (
            *_forms("vector matrix", *(f"np.quantile(x, {q})" for q in _Q)),
            *_forms("table", "np.quantile(x, 0.3, axis=(0, 1))", "np.quantile(x, 0.3, axis=None)"),
        ),
    ),
    (
        "np.percentile",
        _forms(
            "vector table",
            *(
                f"np.percentile(x, {q})"
                for q in (
                    "30",
                    "0",
                    "100",
                    "50.5",
                    "[25, 75]",
                    "30, axis=0",
                    "30, axis=-1",
                    "30, keepdims=True",
                    "[25, 75], axis=0",
                    "101",
                )
            ),
        ),
    ),
    (
        "np.average",
        (
            *_forms(
                "number vector matrix",
                "np.average(x)",
                "np.average(x, axis=0)",
                "np.average(x, keepdims=True)",
                "np.average(x, returned=True)",
                "np.average(x, axis=0, returned=True)",
            ),
            *_forms(
                "weighted",
                "np.average(x, weights=y)",
                "np.average(x, axis=0, weights=y)",
                "np.average(x, weights=y, returned=True)",
                "np.average(x, axis=0, weights=y, returned=True)",
                "np.average(x, weights=y, keepdims=True)",
                "np.average(x, 0, y)",
            ),
            *_forms(
                "matrix",
                "np.average(x, axis=1, weights=[0.5, 1.0, 2.0])",
                "np.average(x, axis=0, weights=np.array([0.5, 1.0]))",
                "np.average(x, axis=-1, weights=[1, 2, 3])",
            ),
        ),
    ),
)

NORMS = (
    ("np.linalg.norm", (
        *_forms("vector", *(f"np.linalg.norm(x, {order})" for order in ("1", "2", "np.inf", "-np.inf", "0", "3", "0.5", "-1", "-2", "2.5", "None"))),
        *_forms("vector matrix cubes", "np.linalg.norm(x)", "np.linalg.norm(x, axis=0)", "np.linalg.norm(x, keepdims=True)", "np.linalg.norm(x, axis=-1, keepdims=True)"),
        *_forms("matrix", "np.linalg.norm(x, 'fro')", "np.linalg.norm(x, 1, 1)", "np.linalg.norm(x, np.inf, 0)", "np.linalg.norm(x, axis=(0, 1))", "np.linalg.norm(x, 2, axis=1, keepdims=True)", "np.linalg.norm(x, 0, axis=0)", "np.linalg.norm(x, 3, axis=-1)", "np.linalg.norm(x, 'nuc')", "np.linalg.norm(x, 2)", "np.linalg.norm(x, 1)"),
    )),
)  # fmt: skip

LINEAR_ALGEBRA = (
    ("np.linalg.solve", _forms("systems", "np.linalg.solve(x, y)")),
    ("np.linalg.inv", _forms("square stack", "np.linalg.inv(x)")),
    ("np.linalg.det", _forms("square stack", "np.linalg.det(x)")),
    ("np.linalg.slogdet", _forms("square stack", "np.linalg.slogdet(x)", "np.linalg.slogdet(x)[1]", "np.linalg.slogdet(x).logabsdet")),
    ("np.linalg.qr", _forms("regular", "np.linalg.qr(x)", "np.linalg.qr(x)[0]", "np.linalg.qr(x).R", "np.linalg.qr(x, 'r')", "np.linalg.qr(x[:, :1])", "np.linalg.qr(x[:1])", "np.linalg.qr(x, mode='complete')")),
    ("np.linalg.svdvals", _forms("matrix square stack", "np.linalg.svdvals(x)")),
    ("np.linalg.svd", (
        *_forms("definite", "np.linalg.svd(x, full_matrices=False)", "np.linalg.svd(x, False)[0]", "np.linalg.svd(x[:, :1], False)", "np.linalg.svd(x[:1], False).Vh", "np.linalg.svd(x)"),
        *_forms("matrix square stack", "np.linalg.svd(x, full_matrices=False).S", "np.linalg.svd(x, compute_uv=False)"),
    )),
    ("np.linalg.cholesky", _forms("definite", "np.linalg.cholesky(x)", "np.linalg.cholesky(x, upper=True)")),
    ("np.linalg.eigvalsh", _forms("definite", "np.linalg.eigvalsh(x)", "np.linalg.eigvalsh(x, UPLO='U')")),
    ("np.linalg.eigh", _forms("definite", "np.linalg.eigh(x)", "np.linalg.eigh(x)[0]", "np.linalg.eigh(x).eigenvectors", "np.linalg.eigh(x, 'U')[0]", "np.linalg.eigh(x, UPLO='L').eigenvalues")),
    ("np.linalg.pinv", _forms("regular", "np.linalg.pinv(x)", "np.linalg.pinv(x[:, :1])", "np.linalg.pinv(x[:1], rtol=None)", "np.linalg.pinv(x, hermitian=True)")),
    ("np.linalg.lstsq", _forms("regular", "np.linalg.lstsq(x, x[0])[0]", "np.linalg.lstsq(x[:, :1], x)[1]", "np.linalg.lstsq(x[:1], x[:1])[0]", "np.linalg.lstsq(x, x[0])[3]")),
    ("np.linalg.cond", _forms("regular", "np.linalg.cond(x)", "np.linalg.cond(x, 1)", "np.linalg.cond(x, 'fro')")),
    ("np.linalg.eig", _forms("regular", "np.linalg.eig(x + 0j)[0].real", "np.linalg.eig(x)[0]")),
    ("np.linalg.eigvals", _forms("regular", "np.linalg.eigvals(x + 0j).real", "np.linalg.eigvals(x)")),
    ("np.linalg.matrix_rank", _forms("matrix square", "np.linalg.matrix_rank(x) * x")),
    ("np.linalg.matrix_norm", _forms("matrix cubes", "np.linalg.matrix_norm(x)", "np.linalg.matrix_norm(x, keepdims=True)")),
    ("np.linalg.vector_norm", _forms("vector matrix cubes", "np.linalg.vector_norm(x)", "np.linalg.vector_norm(x, axis=(0, -1) if x.ndim > 1 else 0, keepdims=True, ord=3)")),
    ("np.linalg.tensorinv", _forms("square", "np.linalg.tensorinv(x, ind=1)")),
    ("np.linalg.tensorsolve", _forms("systems", "np.linalg.tensorsolve(x, y)")),
    ("np.linalg.matmul", _forms("products", "np.linalg.matmul(x, y)")),
    ("np.linalg.outer", _forms("vectors", "np.linalg.outer(x, y)")),
    ("np.linalg.tensordot", _forms("products", "np.linalg.tensordot(x, y, axes=1)")),
    ("np.linalg.cross", _forms("vectors", "np.linalg.cross(x, y)")),
    ("np.linalg.trace", _forms("matrix cubes", "np.linalg.trace(x)", "np.linalg.trace(x, offset=1)")),
    ("np.linalg.diagonal", _forms("matrix cubes", "np.linalg.diagonal(x)", "np.linalg.diagonal(x, offset=1)")),
    ("np.linalg.matrix_power", _forms("square stack", *(f"np.linalg.matrix_power(x, {n})" for n in (0, 1, 2, 3, 5, 6, -1, -2)))),
    ("np.linalg.multi_dot", (*_forms("products", "np.linalg.multi_dot([x, y])"), *_forms("square", "np.linalg.multi_dot([x, x, x])", "np.linalg.multi_dot([x, x[:, 0], ])", "np.linalg.multi_dot([x, x[:, :1], x[:1], x])", "np.linalg.multi_dot((x, x.T, x, x[0]))"))),
    ("np.matmul", _forms("products", "np.matmul(x, y)")),
    ("operator.matmul", _forms("products", "x @ y")),
    ("np.dot", _forms("products", "np.dot(x, y)")),
    ("np.ndarray.dot", _forms("products", "x.dot(y)")),
    ("np.vdot", _forms("products", "np.vdot(x, x)", "np.vdot(y, y)", "np.vdot(x, y)")),
    ("np.inner", _forms("products", "np.inner(x, y)", "np.inner(y, y)", "np.inner(x, x)")),
    ("np.outer", _forms("vectors products", "np.outer(x, y)")),
    ("np.tensordot", _forms("products", "np.tensordot(x, y, 1)", "np.tensordot(x, x)", "np.tensordot(x, y, 0)", "np.tensordot(x, y, axes=((-1,), (0,)))", "np.tensordot(x, y, ([-1], [0]))")),
    ("np.einsum", (
        *_forms("products", "np.einsum('ij,j->i', x, y)", "np.einsum('...j,j', x, y)", "np.einsum('i,j', x, y)", "np.einsum(x, [0, 1], y, [1], [0])", "np.einsum('ij,j->i', x, y, optimize=True)"),
        *_forms("square", "np.einsum('ii', x)", "np.einsum('ii->i', x)", "np.einsum('ij->ji', x)", "np.einsum('ij,jk,kl->il', x, x, x)", "np.einsum('ij->', x)", "np.einsum('ij->j', x)"),
    )),
    ("np.trace", _forms("square matrix", "np.trace(x)", "np.trace(x, 1)", "np.trace(x, offset=-1)")),
    ("np.ndarray.trace", _forms("square", "x.trace()", "x.trace(1)")),
    ("np.cross", _forms("vectors", "np.cross(x, y)", "np.cross(x, x)")),
    ("np.kron", _forms("vectors products", "np.kron(x, y)")),
    ("np.vecdot", _forms("products pair broadcast", "np.vecdot(x, y)", "np.vecdot(x, x)", "np.vecdot(x, y, axis=0)")),
    ("np.linalg.vecdot", _forms("products pair", "np.linalg.vecdot(x, y)", "np.linalg.vecdot(x, y, axis=0)")),
    ("np.matrix_transpose", _forms("matrix cubes flat", "np.matrix_transpose(x)")),
    ("np.linalg.matrix_transpose", _forms("matrix cubes", "np.linalg.matrix_transpose(x)")),
    ("np.cov", (
        *_forms("vector matrix", "np.cov(x)", "np.cov(x, bias=True)", "np.cov(x, ddof=0)", "np.cov(x, rowvar=False)", "np.cov(x, ddof=2)"),
        *_forms("pair", "np.cov(x, y)", "np.cov(x, y, bias=True)", "np.cov(x, y=y)"),
        *_forms("weighted", "np.cov(x, aweights=y)"),
    )),
    ("np.convolve", _forms("vectors pair", "np.convolve(x, y)", "np.convolve(x, y, 'same')", "np.convolve(x, y, mode='valid')", "np.convolve(y, x)")),
)  # fmt: skip

PIECES = (
    ("np.interp", (*_forms("knots", "np.interp(x, y, z)", "np.interp(x, y, z, left=-1.5)", "np.interp(x, y, z, right=2.5)", "np.interp(x, y, z, -1.5, 2.5)", "np.interp(x, y, z, period=3.0)"),)),
    ("np.polyval", (*_forms("vectors pair", "np.polyval(x, y)", "np.polyval(y, x)", "np.polyval(x, 0.7)", "np.polyval(x, 2)"), *_forms("number vector", "np.polyval([1.0, 0.3, -2.0], x)", "np.polyval(np.array([0.1]), x)", "np.polyval([], x)"))),
    ("np.select", (*_forms("number vector matrix", "np.select([x > 1, x > 0], [x * 2.0, x], -1.0)", "np.select([x > 1], [x])", "np.select([x > 0, x > 1], [x, 2.0 * x], default=x * x)"),)),
    ("np.where", (*_forms("pair broadcast", "np.where(x > 0, x, y)", "np.where(x > y, x, 1.0)", "np.where(x > 0, 0, y)", "np.where(True, x, y)"), *_forms("vector", "np.where(x > 0)[0]", "np.where(np.isnan(x), 0.0, x)"))),
    ("np.clip", (*_forms("number vector matrix", "np.clip(x, -1.0, 1.0)", "np.clip(x, None, 0.5)", "np.clip(x, 0.0, None)", "np.clip(x, 1.0, -1.0)", "np.clip(x, a_min=0, a_max=1)", "np.clip(x, min=0.0, max=1.0)", "np.clip(x, np.nan, 1.0)"), *_forms("pair broadcast", "np.clip(x, y, 1.0)", "np.clip(x, y, y)", "np.clip(x, -1.0, y)"))),
    ("np.ndarray.clip", _forms("vector table", "x.clip(-1.0, 1.0)", "x.clip(min=0.0)", "x.clip(max=0.0)", "x.clip(None, 0.5)")),
    ("np.nan_to_num", _forms("number vector matrix", "np.nan_to_num(x)", "np.nan_to_num(x, nan=1.5)", "np.nan_to_num(x, posinf=1.0, neginf=-1.0)", "np.nan_to_num(x, True, 2.0)")),
    ("np.heaviside", _forms("pair broadcast", "np.heaviside(x, y)", "np.heaviside(x, 0.5)")),
    ("np.round", _forms("number vector matrix", "np.round(x)", "np.round(x, 1)", "np.round(x, decimals=-1)")),
    ("np.around", _forms("number vector", "np.around(x)", "np.around(x, 1)")),
    ("np.ndarray.round", _forms("vector", "x.round()", "x.round(1)")),
    ("np.isclose", _forms("pair broadcast", "np.isclose(x, y)", "np.isclose(x, y, equal_nan=True)")),
    ("np.allclose", _forms("pair", "np.allclose(x, y)")),
    ("np.array_equal", _forms("pair", "np.array_equal(x, y)")),
    ("np.isin", _forms("pair", "np.isin(x, y)")),
    ("np.ptp", _forms("vector matrix", "np.ptp(x)", "np.ptp(x, 0)", "np.ptp(x, axis=-1, keepdims=True)")),
    ("np.divmod", _forms("pair broadcast numbers", "np.divmod(x, y)", "np.divmod(x, y)[1]")),
    ("divmod", _forms("pair broadcast numbers", "divmod(x, y)", "divmod(x, y)[1]")),
)  # fmt: skip

UFUNC_METHODS = (
    *((f"np.{name}.outer", _forms("pair products", f"np.{name}.outer(x, y)")) for name in ("add", "subtract", "multiply", "divide", "maximum", "minimum")),
    *((f"np.{name}.reduce", (*_forms("vector matrix", f"np.{name}.reduce(x)", f"np.{name}.reduce(x, axis=-1)", f"np.{name}.reduce(x, axis=None)", f"np.{name}.reduce(x, 0)"),
        *_forms("flat table", f"np.{name}.reduce(x, keepdims=True)", f"np.{name}.reduce(x, axis=0, initial=1.5)", f"np.{name}.reduce(x, axis=(0,))"))) for name in ("add", "multiply", "maximum", "minimum", "logaddexp")),
    *((f"np.{name}.accumulate", _forms("vector matrix number", f"np.{name}.accumulate(x)", f"np.{name}.accumulate(x, axis=-1)", f"np.{name}.accumulate(x, 0)")) for name in ("add", "multiply", "maximum", "minimum", "fmax", "fmin")),
    ("np.gradient", _forms("vector matrix", "np.gradient(x)", "np.gradient(x, 0.5)", "np.gradient(x, axis=-1)", "np.gradient(x, 0.5, axis=0)")),
)  # fmt: skip

SHAPES: tuple[tuple[str, tuple[Form, ...]], ...] = (
    ("np.reshape", _forms("vector matrix number", "np.reshape(x, -1)", "np.reshape(x, (1, -1))", "np.reshape(x, x.shape)" , "np.reshape(x, (-1,), order='F')", "np.reshape(x, (3, 2))", "np.reshape(x, -1, copy=True)")),
    ("np.ndarray.reshape", _forms("vector matrix", "x.reshape(-1)", "x.reshape(1, -1)", "x.reshape((-1, 1))", "x.reshape(3, 2, order='F')")),
    *_both("ravel", "number vector matrix", "", "order='F'", "'C'", "order='K'"),
    *_both("transpose", "vector matrix", "", "None"),
    ("np.swapaxes", _forms("matrix cubes flat", "np.swapaxes(x, 0, 1)", "np.swapaxes(x, -1, 0)")),
    ("np.ndarray.swapaxes", _forms("matrix flat", "x.swapaxes(0, 1)")),
    ("np.ndarray.view", _forms("vector matrix", "x.view()")),
    ("np.moveaxis", _forms("matrix cubes flat", "np.moveaxis(x, 0, -1)", "np.moveaxis(x, (0, 1), (1, 0))")),
    *_both("squeeze", "number vector matrix", "", "axis=0"),
    ("np.expand_dims", _forms("number vector matrix", "np.expand_dims(x, 0)", "np.expand_dims(x, -1)", "np.expand_dims(x, (0, 1))")),
    *((f"np.atleast_{k}d", _forms("number vector matrix cubes", f"np.atleast_{k}d(x)")) for k in (1, 2, 3)),
    ("np.lib.stride_tricks.sliding_window_view", _forms("vector matrix", "np.lib.stride_tricks.sliding_window_view(x, 1, -1)", "np.lib.stride_tricks.sliding_window_view(x, x.shape)")),
    ("np.broadcast_to", _forms("number vector matrix", "np.broadcast_to(x, (2, *np.shape(x)))", "np.broadcast_to(x, np.shape(x))", "np.broadcast_to(x, (2, 3))")),
    *_both("diagonal", "matrix square cubes flat", "", "1", "offset=-1"),
    ("np.diag", _forms("vector matrix square number", "np.diag(x)", "np.diag(x, 1)", "np.diag(x, k=-1)")),
    ("np.flip", _forms("vector matrix", "np.flip(x)", "np.flip(x, 0)", "np.flip(x, axis=-1)", "np.flip(x, axis=(0,))")),
    *((f"np.{name}", _forms("matrix flat", f"np.{name}(x)")) for name in ("flipud", "fliplr", "rot90")),
    ("np.ndarray.flatten", _forms("vector matrix", "x.flatten()", "x.flatten('F')", "x.flatten(order='A')")),
    *_both("copy", "number vector matrix", "", "order='F'"),
    ("np.ndarray.astype", _forms("vector matrix", "x.astype(np.float64)", "x.astype(np.float32)", "x.astype(float)", "x.astype(np.float64, copy=False)", "x.astype('float32')")),
    ("np.ndarray.item", _forms("flat table", "x.item()", "x.item(0)", "x.item(-1)", "x.item((0,))")),
    ("np.concatenate", _forms("vector matrix", "np.concatenate((x, x))", "np.concatenate([x, x * 2], axis=-1)", "np.concatenate((x, x), axis=None)", "np.concatenate((x, x), dtype=np.float64)", "np.concatenate((x, [1.0]))", "np.concatenate([x])", "np.concatenate((x, x), axis=2)")),
    ("np.stack", _forms("vector matrix number", "np.stack((x, x))", "np.stack([x, x * 2], axis=-1)", "np.stack((x, x), 1)", "np.stack([x], axis=3)")),
    ("np.block", (*_forms("number vector matrix", "np.block([x, x])", "np.block([[x], [x * 2]])"), *_forms("pair broadcast", "np.block([x, y])"))),
    *((f"np.{name}", (*_forms("number vector matrix", f"np.{name}((x, x))", f"np.{name}([x, x * 2])"), *_forms("pair broadcast", f"np.{name}((x, y))"))) for name in ("hstack", "vstack", "dstack", "column_stack")),
    ("np.append", (*_forms("number vector matrix", "np.append(x, x)", "np.append(x, 1.5)"), *_forms("pair broadcast", "np.append(x, y)", "np.append(x, y, axis=0)", "np.append(x, [y, y])"))),
    ("np.roll", _forms("vector matrix number", "np.roll(x, 1)", "np.roll(x, -2)", "np.roll(x, 1, axis=0)", "np.roll(x, (1, 2), axis=(0, -1))", "np.roll(x, 7)")),
    *((f"np.{name}", _forms("matrix flat square", f"np.{name}(x)", f"np.{name}(x, 1)", f"np.{name}(x, k=-1)")) for name in ("triu", "tril")),
    ("np.tile", _forms("number vector matrix", "np.tile(x, 2)", "np.tile(x, (2, 1))", "np.tile(x, (2, 1, 3))", "np.tile(x, 0)", "np.tile(x, ())")),
    *_both("repeat", "vector matrix", "2", "3, axis=0", "0", "repeats=2", "2, -1"),
    *_both("take", "vector matrix", "0", "[0, 0]", "np.array([[0]])", "0, axis=-1", "[0], axis=0", "indices=[0, 0], axis=0", "9", "[1, -1], mode='wrap'", "[0, 50], mode='clip'"),
    ("np.take_along_axis", _forms("vector matrix", "np.take_along_axis(x, np.argsort(x, axis=-1), axis=-1)", "np.take_along_axis(x, np.argsort(x, axis=0), 0)", "np.take_along_axis(x, np.argsort(x, axis=None), axis=None)")),
    ("np.pad", _forms("vector matrix", "np.pad(x, 1)", "np.pad(x, (1, 2))", "np.pad(x, 1, constant_values=1.5)", "np.pad(x, 1, 'edge')", "np.pad(x, 1, mode='reflect')", "np.pad(x, 2, 'symmetric')", "np.pad(x, 1, 'wrap')", "np.pad(x, 0)", "np.pad(x, 5, 'reflect')")),
    *((f"np.{name}", _forms("matrix vector cubes", f"np.{name}(x, 2)", f"np.{name}(x, 3)", f"np.{name}(x, [1])", f"np.{name}(x, [1, 7])", f"np.{name}(x, [2, 1])", f"np.{name}(x, 0)")) for name in ("split", "array_split", "hsplit", "vsplit") if name != "hsplit"),
    ("np.hsplit", _forms("matrix vector", "np.hsplit(x, 3)", "np.hsplit(x, [1])")),
    ("np.meshgrid", _forms("pair vectors", "np.meshgrid(x, y)", "np.meshgrid(x, y, indexing='ij')", "np.meshgrid(x)", "np.meshgrid(x, y, x)", "np.meshgrid(x, y, sparse=True)")),
)  # fmt: skip

CREATION = (
    ("np.array", (*_forms("number vector matrix", "np.array(x)", "np.array(x, ndmin=2)", "np.array([x, x])", "np.array((x, 2.0 * x))", "np.array(x, dtype=np.float64)", "np.array(x, dtype=np.float32)", "np.array(x, float)", "np.array([[x], [x]])", "np.array(x, copy=None)", "np.array(x, order='F')"), *_forms("numbers pair", "np.array([x, y])", "np.array([[x, y], [y, 1.0]])", "np.array([x, 1, y])"))),
    *((f"np.{name}", _forms("number vector matrix", f"np.{name}(x)", f"np.{name}([x, x])", f"np.{name}(x, dtype=np.float64)", f"np.{name}(x, np.float32)")) for name in ("asarray", "asanyarray", "asfortranarray", "ascontiguousarray")),
    ("np.full", (*_forms("number vector", "np.full((2, 3), x)", "np.full(4, x)", "np.full((), x)", "np.full((2, 3), x, dtype=np.float32)", "np.full(0, x)", "np.full(3, fill_value=x)"),)),
    ("np.full_like", (*_forms("number vector matrix", "np.full_like(x, 0.5)", "np.full_like(x, x)", "np.full_like(x, 2, dtype=float)"), *_forms("pair broadcast", "np.full_like(x, y)", "np.full_like(y, x)"))),
    *((f"np.{name}", _forms("number vector matrix", f"np.{name}(x)", f"np.{name}(x, dtype=np.float64)")) for name in ("zeros_like", "ones_like")),
    ("np.linspace", (
        *_forms("numbers", "np.linspace(x, y, 4)", "np.linspace(x, y, num=5, endpoint=False)", "np.linspace(x, y, 3, retstep=True)", "np.linspace(x, y, 1)", "np.linspace(x, y, 0)", "np.linspace(x, y, 7, dtype=np.float32)"),
        *_forms("pair broadcast", "np.linspace(x, y, 4)", "np.linspace(x, y, 3, endpoint=False)", "np.linspace(x, y, 4, axis=-1)", "np.linspace(x, y)", "np.linspace(0.5, y, 3)", "np.linspace(x, 1.5, 3)"),
    )),
    ("np.zeros", _forms("flat", "np.zeros(3) + np.sum(x)", "np.zeros(x.shape, x.dtype) + x")),
    ("np.ones", _forms("flat", "np.ones(3) * np.sum(x)", "np.ones(x.shape, dtype=x.dtype) * x")),
    ("np.eye", _forms("flat", "np.eye(2, 3) * np.sum(x)", "np.eye(3, k=1, dtype=np.float32) * np.sum(x)")),
    ("np.identity", _forms("flat", "np.identity(2) * np.sum(x)")),
    ("np.tri", _forms("flat", "np.tri(2, 3) * np.sum(x)")),
    ("np.indices", _forms("flat", "np.indices((2, 2)) * np.sum(x)")),
    ("np.arange", _forms("flat", "np.arange(3) * np.sum(x)", "np.arange(0.0, 1.0, 0.3) * np.sum(x)")),
)  # fmt: skip

PLACES = (
    ("np.searchsorted", _forms("pair", "np.searchsorted(x, y)", "np.searchsorted(x, y, side='right')")),
    ("np.ndarray.searchsorted", _forms("pair", "x.searchsorted(y)")),
    ("np.flatnonzero", _forms("vector matrix", "x.ravel()[np.flatnonzero(x)]", "np.flatnonzero(x)")),
    ("np.nonzero", _forms("vector matrix", "x[np.nonzero(x)]", "np.nonzero(x)")),
    ("np.ndarray.nonzero", _forms("vector matrix", "x[x.nonzero()]")),
    ("np.argwhere", _forms("vector matrix", "np.argwhere(x)")),
    ("np.digitize", _forms("vector", "np.digitize(x, np.array([0.0, 1.0]))")),
    ("np.argpartition", _forms("vector", "np.argpartition(x, 1)")),
    ("np.ndarray.argpartition", _forms("vector", "x.argpartition(1)")),
    ("np.lexsort", _forms("pair", "np.lexsort((x, y))")),
    ("np.triu_indices", _forms("square", "x[np.triu_indices(2)]")),
    ("np.tril_indices", _forms("square", "x[np.tril_indices(2, -1)]")),
    ("np.triu_indices_from", _forms("square", "x[np.triu_indices_from(x)]")),
    ("np.tril_indices_from", _forms("square", "x[np.tril_indices_from(x, -1)]")),
    ("np.diag_indices", _forms("square", "x[np.diag_indices(1)]")),
    ("np.diag_indices_from", _forms("square", "x[np.diag_indices_from(x)]")),
    ("np.ix_", _forms("square", "x[np.ix_([0], [0, 0])]")),
    ("np.unravel_index", _forms("square", "x[np.unravel_index(0, x.shape)]", "x[np.unravel_index(np.argmax(x), x.shape)]")),
    ("np.ravel_multi_index", _forms("square", "x.ravel()[np.ravel_multi_index((0, 0), x.shape)]")),
    ("np.unique", _forms("vector", "np.unique(x)")),
    ("np.bincount", _forms("vector", "np.bincount(np.array([0, 1, 1])) * np.sum(x)")),
    ("np.shape", _forms("vector matrix", "np.shape(x)")),
    ("np.ndim", _forms("vector matrix", "np.ndim(x)")),
    ("np.size", _forms("vector matrix", "np.size(x)", "np.size(x) * x")),
    ("len", _forms("vector matrix", "len(x) * x")),
)  # fmt: skip

NUMBERS = (
    ("float", _forms("number flat", "float(x)")),
    ("int", _forms("number", "int(x)")),
    ("bool", _forms("number", "bool(x)")),
    ("round", _forms("number", "round(x)", "round(x, 1)")),
    ("abs", _forms("number vector matrix", "abs(x)")),
    ("pow", _forms("numbers broadcast", "pow(x, y)")),
    (
        "max",
        (
            *_forms("numbers", "max(x, y)", "max(x, y, 0.5)", "max([x, y])", "max(x, y, 0.1, -2.0)"),
            *_forms("vector", "max(x)", "max(x, default=1.0)"),
        ),
    ),
    ("min", (*_forms("numbers", "min(x, y)", "min(x, y, 0.5)", "min((x, y))"), *_forms("vector", "min(x)"))),
    ("np.float64", _forms("number vector", "np.float64(x)")),
    ("np.float32", _forms("number vector", "np.float32(x)")),
    *((f"np.{name}", _forms("number vector", f"np.{name}(x)")) for name in ("float16", "longdouble")),
    *((f"np.{name}", _forms("number", f"np.{name}(x)")) for name in ("int64", "int32", "bool")),
    ("np.real", _forms("number vector matrix", "np.real(x)")),
    ("np.ndarray.conj", _forms("vector matrix", "x.conj()")),
    ("np.ndarray.conjugate", _forms("vector matrix", "x.conjugate()")),
    ("np.sinc", _forms("number vector matrix", "np.sinc(x)")),
    ("np.fix", _forms("number vector matrix", "np.fix(x)")),
    *((f"np.{name}", _forms("number vector", f"np.{name}(x)")) for name in ("isneginf", "isposinf")),
    ("operator.pow", _forms("pair broadcast numbers", "x ** y")),
    ("operator.is_", _forms("number", "x is None")),
    ("operator.is_not", _forms("number", "x is not None")),
    ("operator.contains", _forms("pair", "0.5 in x", "y[0] in x")),
    ("operator.invert", _forms("vector", "~(x > 0)")),
    *(
        (f"operator.{name}", _forms("integer_pair", f"operator.{name}(x, y)"))
        for name in ("and_", "or_", "xor", "lshift", "rshift")
    ),
    ("operator.index", _forms("integers", "operator.index(x)")),
)

_ON_NUMBERS = ("degrees", "radians")

MATH = (
    ("math.log", (*_forms("number", "math.log(x)"), *_forms("numbers", "math.log(x, y)"))),
    ("math.hypot", (*_forms("number", "math.hypot(x)"), *_forms("numbers", "math.hypot(x, y)", "math.hypot(x, y, 0.5)", "math.hypot()"))),
    ("math.fsum", (*_forms("vector", "math.fsum(x)", "math.fsum([x[0], 1.0])"), *_forms("numbers", "math.fsum([x, 1e100, y, -1e100])", "math.fsum((x, y, 1e-20))", "math.fsum([])"))),
    ("math.prod", (*_forms("vector", "math.prod(x)", "math.prod(x, start=2.0)"), *_forms("numbers", "math.prod([x, y, 0.3])", "math.prod((x, y), start=0.5)", "math.prod([])"))),
    ("math.dist", (*_forms("pair vectors", "math.dist(x, y)"), *_forms("numbers", "math.dist([x, y], [0.5, 1.0])", "math.dist((x,), (y,))"))),
    *((f"math.{name}", _forms("integers", f"math.{name}(x)")) for name in ("factorial", "isqrt")),
    *((f"math.{name}", _forms("integer_pair", f"math.{name}(x, y)")) for name in ("gcd", "lcm", "comb", "perm")),
)  # fmt: skip


def collected(*groups: Iterable[tuple[str, tuple[Form, ...]]]) -> dict[str, tuple[Form, ...]]:
    """The forms by the names of their functions."""
    made: dict[str, tuple[Form, ...]] = {}
    for group in groups:
        for name, stated in group:
            made[name] = (*made.get(name, ()), *stated)
    return made


FORMS = collected(REDUCTIONS, QUANTILES, NORMS, LINEAR_ALGEBRA, PIECES, UFUNC_METHODS, SHAPES, CREATION, PLACES, NUMBERS, MATH)

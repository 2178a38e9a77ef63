"""The call forms of functions of several operands: each operand of each form is made the only one that moves.

Letters stand for operands: ``x``, ``y`` and ``z`` for arrays, lists and numbers of every rank. The forms of functions of one
operand, and those that broadcast, are those of the table of edges.
"""

from __future__ import annotations

JOINED = ("hstack", "vstack", "dstack", "column_stack", "concatenate", "stack", "block")

SEVERAL: tuple[str, ...] = (
    *(f"np.atleast_{k}d({given})[{n}]" for k in (1, 2, 3) for given, n in (("x, y", 0), ("x, y", 1), ("x, y, z", 2))),
    *("np.ix_(x)[0]", "np.ix_(x, y)[0]", "np.ix_(x, y)[1]", "np.ix_(x, y, z)[1]", "np.ix_([0, 1], x)[1]", "np.ix_(x, [0, 1])[1]"),
    *("np.trapezoid(x, y)", "np.trapezoid(x, y, axis=0)", "np.trapezoid(y=x, x=y)", "np.trapezoid(x, None, y)", "np.trapezoid(x, dx=0.5, axis=0)"),
    *("np.diff(x, 1, -1, y)", "np.diff(x, 1, 0, y)", "np.diff(x, append=y)", "np.diff(x, prepend=y, append=z)", "np.diff(x, 2, -1, y, z)"),
    *("np.average(x, weights=y)", "np.average(x, 0, y)", "np.average(x, -1, weights=y)", "np.average(x, weights=y, returned=True)[1]"),
    *("np.average(x, weights=y, keepdims=True)", "np.average(x, 1, y, True)"),
    *("np.cov(x, y)", "np.cov(x, y, False)", "np.cov(x, rowvar=False)", "np.cov(x, y, ddof=0)"),
    *("np.interp(x, [0.1, 0.5, 1.9], y)", "np.interp(x, y, [0.2, 0.9, 0.4])", "np.interp(0.7, np.arange(3) * 0.5, x)", "np.interp(x, [0.1, 0.5, 0.6], [0.2, 0.9, 0.4], y)"),
    *("np.interp(x, [0.4, 0.5, 0.6], [0.2, 0.9, 0.4], 0.1, y)", "np.interp(x, y, z)"),
    *("np.gradient(x, y)", "np.gradient(x, y, axis=0)", "np.gradient(x, y, z)[0]", "np.gradient(x, y, z)[1]"),
    *("np.polyval(x, y)", "np.select([x > 0.5], [x], y)", "np.select([x > 0.5, x > 0.3], [x, y], z)", "np.select([y > 0.5], [x])"),
    *("np.where(x > 0.5, y, z)", "np.where(x, y, z)", "np.where(x > 0.5, x, y)", "np.where([True, False, True], x, y)"),
    *("np.nan_to_num(x, True, y)", "np.nan_to_num(x, nan=y)", "np.nan_to_num(x, posinf=y)", "np.nan_to_num(x, copy=y)"),
    *("np.clip(x, y, z)", "np.clip(x, y, None)", "np.clip(x, None, y)", "np.clip(x, a_max=y, a_min=z)", "np.clip(x, max=y, min=0.1)", "np.clip(0.4, x, y)"),
    *("np.full_like(x, y)", "np.full((2, 3), x)", "np.full(3, x)", "np.append(x, y)", "np.append(x, y, 0)", "np.append(x, y, axis=-1)"),
    *(f"np.{name}({given})" for name in JOINED for given in ("x", "[x, y]", "(x, y, z)", "[x, [0.5, 0.7, 0.2]]", "[x, 0.5]", "[x]")),
    *(f"np.{name}({given})" for name in ("concatenate", "stack") for given in ("x, 1", "x, axis=-1", "x, axis=None", "[x, y], 1", "(x, y), axis=-1", "(x, y), None", "x, -2")),
    *("np.block([[x, y], [z, x]])", "np.block([[x], [y]])", "np.array([x, y])", "np.array([x, [0.5, 0.7, 0.2], y])", "np.array([[x, 1], [2, y]])"),
    *("np.meshgrid(x, y)[0]", "np.meshgrid(x, y)[1]", "np.meshgrid(x, y, indexing='ij')[0]", "np.meshgrid(x, y, z)[2]", "np.meshgrid(x)[0]"),
    *("np.broadcast_arrays(x, y)[0]", "np.broadcast_arrays(x, y)[1]", "np.linalg.multi_dot([x, y])", "np.linalg.multi_dot([x, y, z])", "np.linalg.multi_dot(x)"),
    *(f"np.{name}(x, y)" for name in ("dot", "matmul", "inner", "outer", "vdot", "kron", "cross", "vecdot", "tensordot", "convolve", "linalg.vecdot", "linalg.solve")),
    *("np.tensordot(x, y, 1)", "np.tensordot(x, y, 0)", "np.tensordot(x, y, ([0], [0]))", "np.tensordot(x, y, axes=[[-1], [-1]])", "x @ y", "x.dot(y)"),
    *("np.convolve(x, y, 'same')", "np.convolve(x, y, 'valid')", "np.convolve(x, y, mode=2)"),
    *("np.einsum('i,i', x, y)", "np.einsum('ij,j->i', x, y)", "np.einsum('...i,...i->...', x, y)", "np.einsum('i,ij,j', x, y, x)", "np.einsum('...,...', x, y)", "np.einsum('i,j,k->ijk', x, y, z)"),
    *("np.linspace(x, y, 3)", "np.linspace(x, y, 3, axis=-1)", "np.linspace(0.1, x, 4, False)", "np.linspace(x, y, 3, retstep=True)[1]"),
    *("np.take(x, 1.3)", "np.take(x, y)", "np.take(x, [0, 1], 0)", "x.take([1.2, 0])", "np.take(x, [[0, 1], [1, 0]], axis=-1)", "np.take(x, 1, mode='wrap')"),
    *("np.searchsorted(x, y)", "np.isin(x, y)", "np.digitize(x, y)", "np.isclose(x, y)", "np.array_equal(x, y)"),
    *("np.repeat(x, [1, 2, 0])", "np.repeat(x, 2, -1)", "np.tile(x, [2, 1])", "np.roll(x, [1, 2], [0, 1])", "np.roll(x, 1, [0])", "np.broadcast_to(x, [2, 2, 3])"),
    *("np.pad(x, 1, constant_values=y)", "np.pad(x, [1, 2])", "np.pad(x, [[1, 2], [0, 1]])", "np.pad(x, np.array([1, 2]))"),
    *("np.quantile(x, y)", "np.quantile(x, [0.2, y])", "np.percentile(x, [20, 70], 0)", "np.quantile(x, 0.3, [0, 1])", "np.quantile(x, 0.3, (0, 1))", "np.quantile(x, np.array([0.2, 0.7]))"),
    *("np.linalg.norm(x, 2, [0, 1])", "np.linalg.norm(x, axis=[0, 1])", "np.linalg.norm(x, 3, 0)", "np.linalg.norm(x, axis=(0, 1))", "np.linalg.norm(x, y)"),
    *("np.copysign(x > 0.5, y)", "np.maximum(x > 0.5, y)", "np.hypot(x > 0.5, y)", "np.logaddexp(x > 0.5, y)", "np.power(x > 0.5, y)", "np.power(y, x > 0.5)"),
    *("np.arctan2(x > 0.5, y)", "np.fmax(x > 0.5, y)", "np.remainder(y, 1 + (x > 0.5))", "np.heaviside(x > 0.5, y)", "np.float_power(y, x > 0.5)", "np.divide(y, True)"),
    *("np.multiply(x > 0.5, y)", "np.add(True, y)", "np.nextafter(x > 0.5, y)", "np.fmod(y, 1 + (x > 0.5))", "np.clip(y, x > 0.9, True)", "np.where(y > 0.4, x > 0.5, y)"),
    *("np.add.reduce(x, [0])", "np.add.outer(x, y)", "np.multiply.outer(x, y)", "np.divide.outer(x, y)", "np.subtract.outer(x, y)", "np.maximum.outer(x, y)", "np.minimum.outer(x, y)"),
    *("np.hypot(x, y)", "np.logaddexp(x, y)", "np.logaddexp2(x, y)", "np.arctan2(x, y)", "np.fmax(x, y)", "np.fmin(x, y)", "np.heaviside(x, y)", "np.float_power(x, y)", "np.ldexp(x, 2)"),
    *("math.dist(x, y)", "math.hypot(x, y, 0.3)", "math.fsum(x)", "math.prod(x, start=0.7)", "math.prod([x, y])", "math.fsum([x, y])", "math.atan2(x, y)", "math.copysign(x, y)", "math.pow(x, y)", "math.fmod(x, y)", "math.log(x, y)"),
    *("np.unravel_index(1, np.shape(x))[0] * x", "np.size(x, [1, 0]) * x", "np.size(x, -1) * x", "np.size(x, (0, 1)) * x", "len(x) * np.asarray(x)", "np.shape(x)[-1] * np.asarray(x)"),
    *("np.ndarray.conj(x)", "np.ndarray.conj(x, y * 2)", "np.ndarray.conjugate(x, y * 2)", "np.real(x)", "np.nonzero(x)[0] * np.sum(x)", "np.argsort(x) * np.sum(x)", "np.lexsort((x, y)) * np.sum(x)"),
    *("np.take_along_axis(x, np.argsort(y, axis=-1), -1)", "np.array_split(x, [1, 2])[1]", "np.split(x, np.array([1]))[0]", "np.split(x, (1,), -1)[1]", "np.moveaxis(x, [0, 1], [1, 0])", "np.moveaxis(x, (0,), (-1,))"),
    *("np.expand_dims(x, [0, 1])", "np.expand_dims(x, np.int64(0))", "np.squeeze(x, ())", "np.flip(x, np.int64(0))", "np.transpose(x, [1, 0])", "np.rot90(x, 1, [1, 0])", "np.swapaxes(x, np.int64(0), -1)"),
    *("np.diag(x, np.int64(1))", "np.triu(x, np.int64(1))", "np.cumsum(x, np.int64(0))", "np.sort(x, np.int64(0))", "np.reshape(x, [-1])", "np.reshape(x, np.int64(-1))", "np.linalg.matrix_power(x, np.int64(2))"),
)  # fmt: skip

AXES = ("None", "-1", "(0,)", "[0]", "(0, 1)", "[1, 0]", "np.int64(0)", "(np.int64(0), 1)", "True", "()", "np.array(0)")
"""Axes as programs write them; those that NumPy does not take are left out."""

ALONG = ("sum", "mean", "prod", "max", "min", "var", "std", "median", "nansum", "nanmean", "nanmax", "nanmin", "ptp", "any", "all", "argmax", "cumsum", "cumprod",
         "sort", "argsort", "count_nonzero", "size", "diff", "trapezoid", "average", "flip", "gradient", "linalg.norm", "add.reduce", "maximum.reduce", "add.accumulate",
         "multiply.reduce", "logaddexp.reduce", "squeeze", "expand_dims", "cumulative_sum", "logical_and.reduce", "amax", "amin")  # fmt: skip
"""Functions with an ``axis``."""

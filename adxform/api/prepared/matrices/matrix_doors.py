"""The doors to prepared Jacobians and Hessians, dense or sparse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, overload

from adxform.api import checked_argnums, checked_engine
from adxform.api.prepared.matrices.hessians import PreparedHessian
from adxform.api.prepared.matrices.jacobians import SWEEPS, JacobianMode, PreparedJacobian
from adxform.api.prepared.matrices.sparse_derivatives import PreparedSparseHessian, PreparedSparseJacobian
from adxform.api.second_order import checked_order
from adxform.api.second_order_definitions import hessian_at, holomorphic_jacobian_at, jacobian_at
from adxform.errors import OptionError
from adxform.frontend.derivative_operators import USUAL, EngineName, Order, operator
from adxform.runtime.dispatch.application import Argnums
from adxform.runtime.dispatch.tracebacks import for_users


@overload
def prepare_jacobian(
    f: Callable[..., Any],
    /,
    *example_args: Any,
    argnums: Argnums = ...,
    mode: JacobianMode = ...,
    holomorphic: bool = ...,
    strict: bool = ...,
    engine: EngineName = ...,
    fastmath: bool = ...,
    sparse: Literal[False] = ...,
    **example_kwargs: Any,
) -> PreparedJacobian: ...


@overload
def prepare_jacobian(
    f: Callable[..., Any],
    /,
    *example_args: Any,
    argnums: Argnums = ...,
    mode: JacobianMode = ...,
    holomorphic: bool = ...,
    strict: bool = ...,
    engine: EngineName = ...,
    fastmath: bool = ...,
    sparse: Literal[True],
    pattern: Any = ...,
    **example_kwargs: Any,
) -> PreparedSparseJacobian: ...


@operator("jacobian", jacobian_at, PreparedJacobian, holomorphic_jacobian_at)
@for_users
def prepare_jacobian(
    f: Callable[..., Any],
    /,
    *example_args: Any,
    argnums: Argnums = 0,
    mode: JacobianMode = "auto",
    holomorphic: bool = False,
    strict: bool = True,
    engine: EngineName = "auto",
    fastmath: bool = True,
    sparse: bool = False,
    pattern: Any = None,
    **example_kwargs: Any,
) -> PreparedJacobian:
    """The Jacobian of `f`, derived now for arguments like the example: see `adxform.jacobian`.

    `engine` is as for `adxform.grad`, `holomorphic` as for `adxform.jacobian`.

    With `sparse` it is a ``scipy.sparse.csr_array``, found by a product for each colour of its sparsity pattern. The pattern is
    that of the program at the sizes and whole numbers of the example, or `pattern`, a sparse matrix or an array of booleans.

    Raises:
        PatternError: `pattern` has another shape, or no pattern can be told and a full one would be too large.
        MissingExtraError: `sparse` without SciPy.

    >>> import numpy as np
    >>> prepare_jacobian(lambda x: np.array([x[0] * x[1], x[0]]), np.ones(2))(np.array([2.0, 3.0]))
    array([[3., 2.],
           [1., 0.]])
    >>> p = prepare_jacobian(lambda x: x[1:] * x[:-1], np.ones(1000), sparse=True)
    >>> p.pattern.nnz, p.products
    (1998, 2)
    """
    if mode not in SWEEPS:
        raise OptionError(f"mode is {mode!r}; it is one of {', '.join(SWEEPS)}")
    options = {
        "argnums": checked_argnums(f, argnums),
        "mode": mode,
        "holomorphic": bool(holomorphic),
        "strict": strict,
        "engine": checked_engine(engine, fastmath, prepared=True),
    }
    if sparse:
        return PreparedSparseJacobian.of(f, example_args, example_kwargs, {**options, "pattern": pattern})
    return PreparedJacobian.of(f, example_args, example_kwargs, options)


@overload
def prepare_hessian(
    f: Callable[..., Any],
    /,
    *example_args: Any,
    argnums: Argnums = ...,
    mode: Order = ...,
    strict: bool = ...,
    engine: EngineName = ...,
    fastmath: bool = ...,
    sparse: Literal[False] = ...,
    **example_kwargs: Any,
) -> PreparedHessian: ...


@overload
def prepare_hessian(
    f: Callable[..., Any],
    /,
    *example_args: Any,
    argnums: Argnums = ...,
    mode: Order = ...,
    strict: bool = ...,
    engine: EngineName = ...,
    fastmath: bool = ...,
    sparse: Literal[True],
    pattern: Any = ...,
    **example_kwargs: Any,
) -> PreparedSparseHessian: ...


@operator("hessian", hessian_at, PreparedHessian)
@for_users
def prepare_hessian(
    f: Callable[..., Any],
    /,
    *example_args: Any,
    argnums: Argnums = 0,
    mode: Order = USUAL,
    strict: bool = True,
    engine: EngineName = "auto",
    fastmath: bool = True,
    sparse: bool = False,
    pattern: Any = None,
    **example_kwargs: Any,
) -> PreparedHessian:
    """The Hessian of `f`, derived now for arguments like the example: see `adxform.hessian`.

    `engine` is as for `adxform.grad`.

    With `sparse` it is a ``scipy.sparse.csr_array``, found by a Hessian product for each colour: see `prepare_jacobian`. A given
    `pattern` is united with its transpose.

    Raises:
        PatternError: `pattern` has another shape, or no pattern can be told and a full one would be too large.
        MissingExtraError: `sparse` without SciPy.

    >>> import numpy as np
    >>> p = prepare_hessian(lambda x: (x ** 3).sum(), np.ones(2))
    >>> p.gradient_and_hessian(np.array([1.0, 2.0]))
    (array([ 3., 12.]), array([[ 6.,  0.],
           [ 0., 12.]]))
    >>> p = prepare_hessian(lambda x: (x[1:] * x[:-1] ** 2).sum(), np.ones(1000), sparse=True)
    >>> p.pattern.nnz, p.products
    (2997, 3)
    """
    own = {"argnums": checked_argnums(f, argnums), "mode": checked_order(mode), "directions": None}
    options = {**own, "strict": strict, "engine": checked_engine(engine, fastmath, prepared=True)}
    if sparse:
        return PreparedSparseHessian.of(f, example_args, example_kwargs, {**options, "pattern": pattern})
    return PreparedHessian.of(f, example_args, example_kwargs, options)

"""Which elements of a Jacobian can be different from zero, found from the typed IR at the sizes of an example.

Source: Griewank and Walther, "Evaluating Derivatives" (2nd ed., 2008), section 7.1: index domains carried through operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adxform.errors import PatternError
from adxform.ir.ops import Function, Operand, Var
from adxform.ir.spans import Span
from adxform.ir.types import Array, Scalar, is_float
from adxform.sparse.graph import CONST, FIRST, GiveUp, Graph
from adxform.sparse.scipy_sparse import require
from adxform.sparse.trace import Trace
from adxform.sparse.unbounded_loops import Ends

LARGEST = 50_000_000


def dependences(fn: Function, inputs: Sequence[Any], wrt: Sequence[int], results: Sequence[int]) -> Any:
    """The pattern of the Jacobian of results of `fn` by its parameters `wrt`: a boolean ``csr_array``.

    Rows stand for the numbers in the results, in order, columns for those in the parameters. `inputs` are values of the
    parameters, of which shapes, whole numbers and booleans count, floats do not. Every element that is not zero at some point is
    in the pattern, whatever branches are taken.

    Raises:
        PatternError: the dependences cannot be followed, and a full pattern would be too large.
    """
    sizes = [int(np.size(inputs[place])) for place in wrt]
    graph = Graph(sum(sizes))
    starts = dict(zip(wrt, np.cumsum([FIRST, *sizes]).tolist(), strict=False))
    try:
        given = enumerate(zip(fn.params, inputs, strict=True))
        args = [_argument(param, value, starts.get(place)) for place, (param, value) in given]
        found = Trace(graph, fn).main(args)
        wanted = [_ids(fn.results[place], found[place]) for place in results]
        return graph.leaves(np.concatenate(wanted) if wanted else [])
    except Ends:
        raise GiveUp("it raises an error") from None
    except RecursionError:
        raise GiveUp("it calls itself too deeply") from None


def full(rows: int, columns: int, why: str, span: Span) -> Any:
    """The pattern that leaves nothing out.

    Raises:
        PatternError: it would be too large.
    """
    if rows * columns > LARGEST:
        message = f"which elements of a derivative of {rows} by {columns} numbers can differ from zero cannot be told: {why}"
        raise PatternError(message, span=span, help="pass `pattern=`, a sparse matrix or an array of booleans of that shape")
    return require("scipy.sparse").csr_array(np.ones((rows, columns), bool))


def _argument(param: Var, value: Any, start: int | None) -> Any:
    match param.type:
        case Scalar() | Array() if is_float(param.type):
            if start is not None:
                ids = np.arange(start, start + int(np.size(value))).reshape(np.shape(value))
                return ids if isinstance(value, np.ndarray) else start
            return np.full(value.shape, CONST) if isinstance(value, np.ndarray) else CONST
        case Array(dtype):
            if np.dtype(dtype).kind not in "biu":
                raise GiveUp(f"it has values of type {dtype}")
            return np.asarray(value).astype(np.int64)
        case Scalar():
            return value.item() if isinstance(value, np.generic) else value
        case _:
            return value


def _ids(result: Operand, found: Any) -> Any:
    if isinstance(result, Var) and not isinstance(found, float):
        return np.ravel(found)
    return np.array([CONST])

"""Keywords that say what holds anyway, as rules that hand on all of their arguments leave behind."""

from __future__ import annotations

from dataclasses import replace

from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Function, Lit, Op
from adxform.passes.scalar.rewriting import Rewriter, each_body
from adxform.primitives.facets import Reduces
from adxform.primitives.table import having

WITH_KEYWORDS = frozenset(
    {
        *(Reduces.SUM, Reduces.PRODUCT, Reduces.LARGEST, Reduces.SMALLEST, Reduces.MEAN, Reduces.SPREAD, Reduces.VARIANCE),
        *(Reduces.ANY, Reduces.ALL),
    }
)
REDUCTIONS = having(lambda record: record.reduces in WITH_KEYWORDS)
DEFAULTS = (("axis", Lit(None)), ("keepdims", Lit(False)))


def drop_default_keywords(fn: Function) -> Function:
    """Write reductions without keywords that are at their defaults.

    >>> from adxform.ir.text import read, show
    >>> print(show(drop_default_keywords(read('''
    ... def f(x: f64[x.0]):
    ...     a: f64 = np.max(x, axis=None, keepdims=False)
    ...     return a'''))))
    def f(x: f64[x.0]):
        a: f64 = np.max(x)
        return a
    """
    return each_body(fn, lambda part: _Dropping().block(part.body))


class _Dropping(Rewriter):
    def visit(self, op: Op, ops: list[Op]) -> None:
        if isinstance(op, Call) and op.kwargs and callee(op) in REDUCTIONS:
            kwargs = tuple(pair for pair in op.kwargs if pair not in DEFAULTS)
            op = op if len(kwargs) == len(op.kwargs) else replace(op, kwargs=kwargs)
        ops.append(self.descend(op))

"""The sums that loops of a kernel carry, taken in any order, so that such loops run in vectors."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from adxform import runtime
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, Var
from adxform.ir.types import FLOAT, Scalar
from adxform.ir.walk import Names, all_ops, blocks, operands, variables_of
from adxform.passes.scalar.rewriting import Rewriter
from adxform.primitives.table import spelled


def reassociate_sums(kernel: Function) -> Function:
    """`kernel` with the sums of its loops in any order: numbers that iterations only add to or take from.

    The error of a sum is at most ``(n - 1) u Σ |x|`` to first order, whatever the order.

    Source: Higham, Accuracy and Stability of Numerical Algorithms (2002), section 4.2.

    >>> from adxform.ir.text import read, show
    >>> print(show(reassociate_sums(read('''
    ... def f(x: f64[x.0], n: int):
    ...     s: f64 = for i: int in range(0, n, 1) with t: f64 = 0.0:
    ...         v: f64 = operator.getitem(x, i)
    ...         u: f64 = operator.add(t, v)
    ...         yield u
    ...     return s'''))))
    def f(x: f64[x.0], n: int):
        s: f64 = for i: int in range(0, n, 1) with t: f64 = 0.0:
            v: f64 = operator.getitem(x, i)
            u: f64 = runtime.add_up(t, v)
            yield u
        return s
    """
    body = _Loosening(Names.of(kernel), uses_of(kernel)).block(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


def uses_of(fn: Function) -> Counter[str]:
    """How often each variable of `fn` is taken, by its name."""
    uses = Counter(var.name for op in all_ops(fn.body) for var in _taken(op))
    uses.update(var.name for var in variables_of(fn.body.results))
    return uses


def _taken(op: Op) -> tuple[Var, ...]:
    """The variables that `op` takes, and those that its blocks yield."""
    return variables_of((*operands(op), *(result for block in blocks(op) for result in block.results)))


class _Loosening(Rewriter):
    def __init__(self, names: Names, uses: Mapping[str, int]) -> None:
        super().__init__()
        self.names = names
        self.uses = uses
        self.loose: set[str] = set()

    def visit(self, op: Op, ops: list[Op]) -> None:
        """Append `op`, an addition to a sum of the loop around it among them."""
        if isinstance(op, For):
            for param, result in zip(op.body.params[1:], op.body.results[op.breaks :], strict=True):
                self.loose |= chain(op.body, param, result, self.uses) or set()
        match op:
            case Call(outs=(out,), args=(a, b)) if out.name in self.loose:
                if spelled(callee(op)) is operator.sub:
                    assert isinstance(b, Var | Lit)
                    less = Var(self.names.fresh("tmp"), b.type if isinstance(b, Var) else FLOAT)
                    ops.append(Call((less,), Lit(operator.neg), (b,), (), op.span))
                    b = less
                ops.append(replace(op, fn=Lit(runtime.add_up), args=(a, b)))
            case _:
                super().visit(op, ops)


def chain(body: Block, param: Var, result: Operand, uses: Mapping[str, int]) -> set[str] | None:
    """The outs of the additions that lead from `param`, a number that a loop carries, to `result`; ``None`` if there is more.

    Loops inside that take it on are among them, and not looked into. `uses`: how often each variable is taken, see `uses_of`.
    """
    found: set[str] = set()
    total: Var = param
    for op in body.ops:
        if total not in _taken(op):
            continue
        match op:
            case _ if uses[total.name] != 1 or not _is_float(total):
                return None
            case Call(outs=(out,), args=(a, b)) if _adds(op, total) and _is_float(out) and _is_float(a) and _is_float(b):
                found.add(out.name)
                total = out
            case For(inits=inits, outs=outs) if total in inits:
                total = outs[inits.index(total)]
                found.add(total.name)
            case _:
                return None
    return found if total == result and uses[total.name] == 1 else None


def _adds(op: Call, total: Var) -> bool:
    """Whether `op` adds to `total`, or takes from it."""
    return not op.kwargs and (_is_sum(callee(op)) or (spelled(callee(op)) is operator.sub and op.args[0] == total))


def _is_float(operand: Operand) -> bool:
    match operand:
        case Var(type=Scalar("float64")):
            return True
        case Lit(float()):
            return True
        case _:
            return False


def _is_sum(fn: object) -> bool:
    return spelled(fn) is operator.add or fn is runtime.add_up

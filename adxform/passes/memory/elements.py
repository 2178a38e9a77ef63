"""Which indices surely name different elements of one array: ``i`` and ``i + 1`` where a loop says that neither is negative."""

from __future__ import annotations

import operator

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, For, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.types import Scalar
from adxform.ir.walk import all_ops, blocks
from adxform.passes.scalar.rewriting import classes_named, classes_written
from adxform.primitives.alias import Aliases
from adxform.primitives.memory import ACCESSES

SHAPES = frozenset({intrinsics.dim, len})


class IntegerFacts:
    """What is known of the integers of a function: ``variable + offset``, and lower bounds of the items of loops.

    >>> from adxform.ir.text import read
    >>> fn = read('''
    ... def f(x: f64[x.0], n: int):
    ...     for i: int in range(1, n, 1):
    ...         j: int = operator.sub(i, 1)
    ...         k: int = operator.sub(i, 2)
    ...     return x''')
    >>> known = IntegerFacts(fn)
    >>> i, j, k = (Var(name, Scalar("int64", weak=True)) for name in "ijk")
    >>> known.differ(i, j), known.differ(i, k), known.differ(i, i)
    (True, False, False)
    """

    def __init__(self, fn: Function) -> None:
        self.sums: dict[str, tuple[str, int]] = {}
        self.lowest: dict[str, int] = {}
        for op in all_ops(fn.body):
            match op:
                case Call(outs=(out,), args=args) if isinstance(out.type, Scalar) and out.type.dtype == "int64":
                    self.learn(out, op, args)
                case For(source=(start, stop, Lit(int() as step)), body=body):
                    bound = self.lower(start) if step > 0 else self.lower(stop, 1)
                    if bound is not None:
                        self.lowest[body.params[0].name] = bound
                case _:
                    pass

    def learn(self, out: Var, op: Call, args: tuple[Operand, ...]) -> None:
        """Note what `out`, an integer that `op` computes, is in terms of others."""
        fn = callee(op)
        match args:
            case (Var() as base, Lit(int() as offset)) if fn is operator.add or fn is operator.sub:
                self.sums[out.name] = self.sum(base, offset if fn is operator.add else -offset)
            case (Lit(int() as offset), Var() as base) if fn is operator.add:
                self.sums[out.name] = self.sum(base, offset)
            case _ if fn in SHAPES:
                self.lowest[out.name] = 0
            case (_, Lit(int() as least)) if fn is max:
                self.lowest[out.name] = least
            case _:
                pass

    def sum(self, base: Var, offset: int) -> tuple[str, int]:
        """`base` plus `offset` in terms of a variable that is no such sum itself."""
        root, before = self.sums.get(base.name, (base.name, 0))
        return root, before + offset

    def lower(self, operand: Operand, more: int = 0) -> int | None:
        """A number that `operand` plus `more` is never less than."""
        match operand:
            case Lit(bool()):
                return None
            case Lit(int() as value):
                return value + more
            case Var():
                root, offset = self.sum(operand, more)
                least = self.lowest.get(root)
                return None if least is None else least + offset
            case _:
                return None

    def differ(self, a: Operand, b: Operand) -> bool:
        """Whether `a` and `b`, indices of one axis, are surely different places of it."""
        if isinstance(a, Var) and isinstance(b, Var):
            (root, offset), (other_root, other_offset) = self.sum(a, 0), self.sum(b, 0)
            low, other_low = self.lower(a), self.lower(b)
            from_the_front = low is not None and other_low is not None and low >= 0 and other_low >= 0
            return root == other_root and offset != other_offset and from_the_front
        match a, b:
            case Lit(int() as one), Lit(int() as other) if not isinstance(one, bool) and not isinstance(other, bool):
                return one != other and (one < 0) == (other < 0)
            case _:
                return False

    def apart(self, a: Operand, b: Operand) -> bool:
        """Whether the basic indices `a` and `b` surely select different elements of one array."""
        ours, others = _axes(a), _axes(b)
        return ours is not None and others is not None and any(map(self.differ, ours, others))

    def leaves_alone(self, op: Op, x: Var, index: Operand, aliases: Aliases) -> bool:
        """Whether `op`, with its blocks, surely neither reads nor writes ``x[index]``."""
        class_ = aliases.of(x)
        if isinstance(op, Call) and callee(op) in ACCESSES and op.args[0] == x:
            rest = (*op.args[1:], *op.outs)
            return class_ not in aliases.classes(rest) and self.apart(op.args[1], index)
        if class_ in classes_named(op, aliases) or (not blocks(op) and class_ in classes_written(op, aliases)):
            return False
        return all(
            class_ not in aliases.classes((*block.params, *block.results))
            and all(self.leaves_alone(inner, x, index, aliases) for inner in block.ops)
            for block in blocks(op)
        )


def _axes(index: Operand) -> tuple[Operand, ...] | None:
    """The items of `index` by axis, from the first on; ``None`` where they do not go axis by axis."""
    items = index.items if isinstance(index, Pack) and index.kind == "tuple" else (index,)
    return items if all(map(_is_place, items)) else None


def _is_place(item: Operand) -> bool:
    match item:
        case Pack("slice"):
            return True
        case Lit(value):
            return isinstance(value, int) and not isinstance(value, bool)
        case Var(type=Scalar(dtype)):
            return dtype == "int64"
        case _:
            return False

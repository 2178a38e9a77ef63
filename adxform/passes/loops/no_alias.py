"""Which arrays surely share no memory although some name may stand for either: buffers that a loop swaps."""

from __future__ import annotations

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, Lit, Var
from adxform.ir.types import Array, Stack
from adxform.ir.walk import all_ops, blocks, defined_variables, outs, reads, variables_of
from adxform.primitives.effects import effect_of

_ELSEWHERE = (Call((), Lit(intrinsics.turning_point), ()), -1)
"""A use of a tape that is neither a push nor a pop."""


class Apart:
    """Tells arrays apart by where they come from: each allocation makes memory of its own, and a loop may pass it around.

    >>> from adxform.ir.text import read
    >>> fn = read('''
    ... def f(x: f64[x.0], n: int):
    ...     a: f64[x.0] = np.copy(x)
    ...     b: f64[x.0] = np.copy(x)
    ...     c: f64[x.0], d: f64[x.0] = for i: int in range(0, n, 1) with p: f64[x.0] = a, q: f64[x.0] = b:
    ...         yield q, p
    ...     return c''')
    >>> found = Apart(fn)
    >>> a, b, p, q, c, d = (found.named[name] for name in "abpqcd")
    >>> found.are_apart(a, b), found.are_apart(p, q), found.are_apart(p, a), found.are_apart(c, d)
    (True, True, False, True)
    """

    def __init__(self, fn: Function) -> None:
        self.named = {var.name: var for var in defined_variables(fn.body)}
        self.order = {name: number for number, name in enumerate(self.named)}
        self.fresh: set[str] = set()
        self.swapped: dict[str, tuple[Var, ...]] = {}
        """By the name of an array that a loop carries, or that is left of it: all that were there before the loop."""
        self.beside: dict[str, tuple[Var, ...]] = {}
        """And all that are there with it, itself among them."""
        self.taped: dict[str, tuple[Var, int, int]] = {}
        """By the name of an array popped from a tape with one push and one pop: what is pushed, and the blocks of the two."""
        self._pair(fn.body)
        for op in all_ops(fn.body):
            if isinstance(op, Call):
                effect = effect_of(op)
                if not (effect.views or effect.opaque or effect.writes):
                    self.fresh.update(out.name for out in outs(op) if isinstance(out.type, Array) and out.type.shape is not None)
            elif isinstance(op, For):
                self._carried(op)

    def _pair(self, body: Block) -> None:
        """Note the pops of tapes that are pushed to in one place, and popped from in one, and go nowhere else."""
        uses: dict[str, list[tuple[Call, int]]] = {}
        waiting = [body]
        for number, block in enumerate(waiting):
            for op in block.ops:
                waiting += blocks(op)
                for var in (var for var in reads(op) if isinstance(var.type, Stack)):
                    uses.setdefault(var.name, []).append((op, number) if isinstance(op, Call) else _ELSEWHERE)
            for var in variables_of(block.results):
                uses.setdefault(var.name, []).append(_ELSEWHERE)
        for found in uses.values():
            match sorted(found, key=lambda use: callee(use[0]) is intrinsics.pop):
                case [(push, here), (pop, there)] if callee(push) is intrinsics.push and callee(pop) is intrinsics.pop:
                    if isinstance(push.args[1], Var) and not isinstance(push.args[1].type, Stack):
                        self.taped[pop.outs[0].name] = push.args[1], here, there

    def _carried(self, op: For) -> None:
        """Note the arrays that `op` carries, if each iteration hands all of them on, in any order."""
        results = op.body.results[op.breaks :]
        places = [k for k, out in enumerate(op.outs) if isinstance(out.type, Array)]
        params = tuple(op.body.params[1 + k] for k in places)
        before = tuple(init for k in places if isinstance(init := op.inits[k], Var))
        after = [result for k in places if isinstance(result := results[k], Var)]
        if len(before) == len(params) and sorted(var.name for var in after) == sorted(var.name for var in params):
            for group in (params, tuple(op.outs[k] for k in places)):
                self.swapped |= {var.name: before for var in group}
                self.beside |= {var.name: group for var in group}

    def are_apart(self, a: Var, b: Var) -> bool:
        """Whether `a` and `b`, that are both known at one place, surely share no memory."""
        if a.name == b.name:
            return False
        earlier, later = sorted((a, b), key=lambda var: self.order[var.name])
        if later.name in self.fresh:
            return True
        if a.name in self.taped and b.name in self.taped:
            (one, *places), (other, *others) = self.taped[a.name], self.taped[b.name]
            return places == others and self.are_apart(one, other)
        if later.name not in self.swapped:
            return False
        before = self.swapped[later.name]
        if earlier in self.beside[later.name]:
            return all(self.are_apart(one, other) for k, one in enumerate(before) for other in before[:k])
        return all(self.are_apart(one, earlier) for one in before)

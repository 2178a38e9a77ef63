"""Loops one after the other over the same items become one, where iterations of the later read what the earlier wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, Var
from adxform.ir.types import Scalar
from adxform.ir.walk import all_ops, blocks, defined_variables, outs, reads_with_blocks, rename_block
from adxform.passes.loops.accesses import Accesses, Loop, Subscript, adds
from adxform.passes.loops.reassociation import chain, uses_of
from adxform.passes.loops.vector_forms import has_vector_form
from adxform.passes.loops.zero_initialisation import Fills
from adxform.passes.scalar.rewriting import Rewriter, classes_read, classes_written, each_function
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import effect_of, is_opaque, is_removable

MOST = 10
"""A loop over more arrays may need too many tests of whether they overlap to run in vectors."""


def fuse_loops(fn: Function) -> Function:
    """`fn` with loops joined whose iterations may come in any order, and of which one reads what another writes.

    An array that is only there to bring values from the one to the other, a tape above all, is then not loaded from, once its
    stores are known to be in bounds (see `finished`).

    Source: Kennedy and McKinley, Maximizing Loop Parallelism and Improving Data Locality via Loop Fusion and Distribution (1993).

    >>> from adxform.ir.text import read, show
    >>> print(show(fuse_loops(read('''
    ... def f(x: f64[x.0], y: f64[x.0]):
    ...     n: int = intrinsics.dim(x, 0)
    ...     t: f64[?0] = np.empty(n)
    ...     for i: int in range(0, n, 1):
    ...         a: f64 = operator.getitem(x, i)
    ...         b: f64 = np.sin(a)
    ...         operator.setitem(t, i, b)
    ...     m: int = operator.sub(n, 1)
    ...     for j: int in range(m, -1, -1):
    ...         c: f64 = operator.getitem(t, j)
    ...         operator.setitem(y, j, c)
    ...     return y'''))))
    def f(x: f64[x.0], y: f64[x.0]):
        n: int = intrinsics.dim(x, 0)
        t: f64[?0] = np.empty(n)
        m: int = operator.sub(n, 1)
        for i: int in range(0, n, 1):
            a: f64 = operator.getitem(x, i)
            b: f64 = np.sin(a)
            operator.setitem(t, i, b)
            c: f64 = operator.getitem(t, i)
            operator.setitem(y, i, c)
        return y
    """
    return each_function(fn, lambda part, aliases: _Joining(part, aliases).block(part.body))


class _Joining(Rewriter):
    def __init__(self, fn: Function, aliases: Aliases) -> None:
        super().__init__()
        self.aliases = aliases
        self.accesses = Accesses(fn)
        self.lengths = Fills(fn, aliases).lengths
        self.uses: Counter[str] = uses_of(fn)
        self.items: dict[str, str] = {}
        """By the name of an item: that of the loop which its loop has joined."""

    def visit(self, op: Op, ops: list[Op]) -> None:
        """Append `op`, or let it join the last loop of `ops`."""
        super().visit(op, ops)
        last = ops[-1] if ops else None
        if isinstance(last, For) and (joined := self.joined(ops[:-1], last)) is not None:
            ops[:] = joined

    def joined(self, ops: list[Op], later: For) -> list[Op] | None:
        """`ops` with `later` in the last loop among them, and in their order what had to move."""
        at = next((k for k in reversed(range(len(ops))) if not isinstance(ops[k], Call)), -1)
        earlier = ops[at] if at >= 0 else None
        if not isinstance(earlier, For) or not self.may_join(earlier, later):
            return None
        made, needed = set(earlier.outs), set(reads_with_blocks(later))
        written = self.written(earlier), self.written(later)
        ahead: list[Op] = []
        behind: list[Op] = []
        for op in ops[at + 1 :]:
            if callee(op) is intrinsics.turning_point:
                continue
            if not isinstance(op, Call) or not is_removable(op):
                return None
            taken, read = set(reads_with_blocks(op)), set(classes_read(op, effect_of(op), self.aliases))
            if taken.isdisjoint(made) and read.isdisjoint(written[0]):
                ahead.append(op)
            elif needed.isdisjoint(op.outs) and read.isdisjoint(written[1]):
                behind.append(op)
                made.update(op.outs)
            else:
                return None
        if not needed.isdisjoint(made):
            return None
        return [*ops[:at], *ahead, self.merged(earlier, later), *behind]

    def merged(self, earlier: For, later: For) -> For:
        """One loop that does an iteration of `earlier`, then that of `later`."""
        item, own = earlier.body.params[0], later.body.params[0]
        self.items[own.name] = self.representative(item)
        body = rename_block(Block(later.body.params[1:], later.body.ops, later.body.results), {own: item})
        params = (item, *earlier.body.params[1:], *body.params)
        results = (*earlier.body.results, *body.results)
        source = earlier.source if earlier.source[2] == Lit(1) else later.source
        inner = self.block(Block(params, (*earlier.body.ops, *body.ops), results))
        return replace(
            earlier, outs=(*earlier.outs, *later.outs), source=source, inits=(*earlier.inits, *later.inits), body=inner
        )

    def representative(self, item: Var) -> str:
        return self.items.get(item.name, item.name)

    def may_join(self, earlier: For, later: For) -> bool:
        """Whether an iteration of `later` needs of `earlier` nothing but the same iteration, and it pays."""
        one, other = self.accesses.loop(earlier), self.accesses.loop(later)
        if (
            one is None
            or other is None
            or any(self.end(a) != self.end(b) for a, b in ((one.low, other.low), (one.high, other.high)))
        ):
            return False
        if earlier.source[2] != Lit(1) and not set(later.source).isdisjoint(defined_variables(Block((), (earlier,), ()))):
            return False
        written = self.written(earlier), self.written(later)
        if written[0].isdisjoint(self.read(later)):
            return False
        both = [*self.calls(earlier), *self.calls(later)]
        if lose_lanes((*earlier.body.ops, *later.body.ops)):
            return False
        if len({var.name for op in both if (var := self.base(op)) is not None}) > MOST:
            return False
        return (
            self.is_independent(earlier, one)
            and self.is_independent(later, other)
            and all(self.is_by_rows(class_, both, (one, other)) for class_ in written[0] | written[1])
        )

    def end(self, place: Subscript) -> tuple[object, int]:
        root = place.root
        return (None if root is None else self.lengths.get(root.name, root)), place.offset

    def is_independent(self, op: For, loop: Loop) -> bool:
        """Whether the iterations of `op` may come in any order: what it carries are sums, what it writes are rows of its own."""
        carried = zip(op.body.params[1:], op.body.results, strict=True)
        inner = [inner for inner in all_ops(op.body) if not isinstance(inner, Call)]
        plain = all(isinstance(var.type, Scalar) for one in inner for var in outs(one))
        calls = self.calls(op)
        return (
            plain
            and not any(map(is_opaque, all_ops(op.body)))
            and all(self.is_sum(op.body, param, result) for param, result in carried)
            and all(self.is_by_rows(class_, calls, (loop,)) for class_ in self.written(op))
        )

    def is_sum(self, body: Block, param: Var, result: Operand) -> bool:
        """Whether `param`, which `body` carries, is only added to, in the loops inside as well."""
        links = chain(body, param, result, self.uses)
        through = {param.name, *(links or ())}
        return links is not None and all(
            self.is_sum(op.body, own, end)
            for op in body.ops
            if isinstance(op, For)
            for init, own, end in zip(op.inits, op.body.params[1:], op.body.results[op.breaks :], strict=True)
            if isinstance(init, Var) and init.name in through
        )

    def is_by_rows(self, class_: int, ops: Iterable[Call], loops: tuple[Loop, ...]) -> bool:
        """Whether each iteration touches rows of its own in `class_`, or all that is done to it is adding."""
        touching = [op for op in ops if class_ in self.touched(op)]
        if all(map(adds, touching)):
            return True
        items = {self.representative(loop.item) for loop in loops}
        rows: frozenset[tuple[int, int]] | None = None
        bases: set[str] = set()
        for op in touching:
            access = self.accesses.of(op)
            if access is None:
                return False
            bases.add(access.base.name)
            own = frozenset(
                (axis, place.offset)
                for axis, place in enumerate(access.axes)
                if place.root is not None and self.representative(place.root) in items and self.accesses.from_the_front(place)
            )
            rows = own if rows is None else rows & own
        return len(bases) == 1 and bool(rows)

    def base(self, op: Call) -> Var | None:
        access = self.accesses.of(op)
        return None if access is None else access.base

    def calls(self, op: For) -> list[Call]:
        return [inner for inner in all_ops(op.body) if isinstance(inner, Call)]

    def touched(self, op: Call) -> set[int]:
        return {*classes_read(op, effect_of(op), self.aliases), *classes_written(op, self.aliases)}

    def written(self, op: For) -> set[int]:
        return set(classes_written(op, self.aliases))

    def read(self, op: For) -> set[int]:
        return {class_ for inner in self.calls(op) for class_ in classes_read(inner, effect_of(inner), self.aliases)}


def lose_lanes(ops: Iterable[Op]) -> bool:
    """Whether some of `ops`, in one loop, would run in vectors but for the loops that others are; see `loops.fusion`."""
    given = list(ops)
    inside = [op for outer in given for block in blocks(outer) for op in all_ops(block)]
    own = [op for op in given if has_vector_form(callee(op))]
    return any(isinstance(op, For) for op in given) and bool(own) and not any(has_vector_form(callee(op)) for op in inside)

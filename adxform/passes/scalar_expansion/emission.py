"""Writes loops whose iterations run in lockstep."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Lit, Op, Operand, Pack, Var
from adxform.ir.types import FLOAT, INT, Array, Dim, Scalar
from adxform.ir.walk import all_ops, operands, outs, reads_with_blocks, rename_block, variables_of
from adxform.passes.loops.accesses import ElementAccess, Subscript, adds
from adxform.passes.scalar_expansion.lockstep_loops import KernelReader, LockstepLoop, empty, is_float
from adxform.passes.scalar_expansion.turned import Turned, permuted
from adxform.runtime import kernel_scalars

BLOCK = 64


@dataclass(slots=True)
class Move:
    """``row[iteration] = value``, after all else of a loop over iterations."""

    row: Var
    value: Operand


@dataclass(slots=True)
class Writing:
    """Writes one loop anew; `top` makes what is made once."""

    reading: KernelReader
    lockstep: LockstepLoop
    turned: Turned
    top: Builder
    rows: dict[str, Var] = field(default_factory=dict)
    """By the name of a number that varies: a number for each iteration of a block."""
    lanes: dict[str, Var] = field(default_factory=dict)
    """By the name of an array: one with a last axis for the iterations of a block."""
    uses: Counter[str] = field(default_factory=Counter)
    start: Var = field(init=False)
    end: Var = field(init=False)
    width: Var = field(init=False)
    """How many iterations the first block has: no other one has more."""

    def ops(self) -> list[Op]:
        """The loop, and what it needs ahead."""
        op, names = self.lockstep.op, self.top.names
        ahead = Builder(names, op.span)
        low, high = (self.bound(place, ahead) for place in (self.lockstep.loop.low, self.lockstep.loop.high))
        count = ahead.call(max, ahead.call(operator.sub, high, low, type=INT, hint="n"), Lit(0), type=INT, hint="n")
        self.width = ahead.call(min, count, Lit(BLOCK), type=INT, hint="lanes")
        self.start, self.end = Var(names.fresh("start"), INT), Var(names.fresh("end"), INT)
        self.count(op.body)
        for name, kind in self.lockstep.kinds.items():
            if kind == "private":
                self.with_lanes(self.reading.accesses.named[name], 0, ahead)
        body = Builder(names, op.span)
        after = body.call(operator.add, self.start, Lit(BLOCK), type=INT)
        body.emit(Call((self.end,), Lit(min), (after, high), (), op.span))
        self.packed(ahead, body)
        body.ops += self.written(op.body.ops, [])
        block = Block((self.start, *op.body.params[1:]), tuple(body.ops), op.body.results)
        return [*ahead.ops, replace(op, source=(low, high, Lit(BLOCK)), body=block)]

    def bound(self, place: Subscript, ahead: Builder) -> Operand:
        """`place` computed."""
        if place.root is None or not place.offset:
            return Lit(place.offset) if place.root is None else place.root
        return ahead.call(operator.add, place.root, Lit(place.offset), type=INT)

    def count(self, block: Block) -> None:
        """Note how often each variable is taken in `block`."""
        for op in block.ops:
            if isinstance(op, For):
                self.uses.update(var.name for var in variables_of((*operands(op), *op.body.results)))
                self.count(op.body)
            else:
                self.uses.update(var.name for var in self.taken(op))

    def taken(self, op: Op | Move) -> dict[Var, None]:
        """What `op`, no loop, takes: of an element, what its places are in terms of as well."""
        if isinstance(op, Move):
            return dict.fromkeys(variables_of((op.value,)))
        access = self.reading.accesses.of(op)
        roots = () if access is None else tuple([place.root for place in access.axes if place.root is not None])
        return dict.fromkeys((*reads_with_blocks(op), *roots))

    def with_lanes(self, array: Var, first: int, ahead: Builder) -> Var:
        """An array like `array`, from the axis `first` on, for the iterations of a block."""
        assert isinstance(array.type, Array)
        shape = (array.type.shape or ())[first:]
        lengths = [ahead.call(intrinsics.dim, array, Lit(first + axis), type=INT, hint="n") for axis in range(len(shape))]
        out = ahead.var(f"{array.base}_columns", Array(array.type.dtype, (*shape, Dim(ahead.names.fresh("?lanes")))))
        ahead.emit(empty(Pack("tuple", (*lengths, self.width)), array.type.dtype, out))
        self.lanes[array.name] = out
        return out

    def packed(self, ahead: Builder, body: Builder) -> None:
        """Have rows that iterations read from the first element to the last copied into columns ahead of each block."""
        loops = {inner.body.params[0]: inner for inner in all_ops(self.lockstep.op.body) if isinstance(inner, For)}
        for op in all_ops(self.lockstep.op.body):
            access = self.reading.accesses.of(op)
            if access is None or callee(op) is not operator.getitem or access.base.name in self.lanes or len(access.axes) != 2:
                continue
            along = loops.get(access.axes[1].root) if access.axes[1].root is not None and not access.axes[1].offset else None
            if along is not None and self.is_row(access.base, along):
                columns = self.with_lanes(access.base, 1, ahead)
                self.into_columns(access, along.body.params[0].name, columns, body)

    def is_row(self, array: Var, along: For) -> bool:
        """Whether each iteration reads a row of its own of `array`, which nothing changes, and `along` goes through all of it."""
        fixed = array.name not in self.lockstep.kinds and array.name not in self.turned.axes and is_float(array)
        assert isinstance(array.type, Array)
        size = (array.type.shape or ())[1]
        return fixed and self.lockstep.owned.get(array.name) == 0 and self.reading.is_whole(along, size)

    def into_columns(self, access: ElementAccess, name: str, columns: Var, body: Builder) -> None:
        """Append the loops that copy the rows of a block's iterations, as `access` reads them by places of that `name`."""
        array, offset = access.base, access.axes[0].offset
        first, last = self.shifted(self.start, offset, body), self.shifted(self.end, offset - 1, body)
        body.effect(kernel_scalars.check_places, first, last, body.call(intrinsics.dim, array, Lit(0), type=INT, hint="n"))
        column = body.var(name, INT)
        item, lane = body.var(self.lockstep.loop.item.name, INT), body.nested()
        at = lane.call(operator.sub, item, self.start, type=INT, hint="at")
        place = self.shifted(item, offset, lane)
        value = lane.call(operator.getitem, array, Pack("tuple", (place, column)), type=Scalar("float64"))
        lane.effect(operator.setitem, columns, Pack("tuple", (column, at)), value)
        inner = For((), (self.start, self.end, Lit(1)), (), lane.block((item,), ()), span=self.lockstep.op.span)
        stop = body.call(intrinsics.dim, array, Lit(1), type=INT, hint="n")
        body.emit(For((), (Lit(0), stop, Lit(1)), (), Block((column,), (inner,), ()), span=self.lockstep.op.span))

    @staticmethod
    def shifted(item: Operand, offset: int, builder: Builder) -> Operand:
        """`item` plus `offset`."""
        return item if not offset else builder.call(operator.add, item, Lit(offset), type=INT)

    def row(self, var: Var) -> Var:
        """The numbers of `var` for each iteration of a block."""
        if var.name not in self.rows:
            assert isinstance(var.type, Scalar)
            self.rows[var.name] = out = self.top.var(f"{var.base}_row", Array(var.type.dtype, (BLOCK,)))
            self.top.emit(empty(Lit(BLOCK), var.type.dtype, out))
        return self.rows[var.name]

    def written(self, given: Sequence[Op], moves: list[Move]) -> list[Op]:
        """The `given` ops for all iterations of a block, then the `moves`."""
        done: list[Op] = []
        pending: list[Op | Move] = []
        for op in given:
            if isinstance(op, Call) and op.outs and op.outs[0].name in self.reading.accesses.views:
                if not self.lockstep.vary(op.outs):
                    done.append(op)
            elif callee(op) is intrinsics.dim and isinstance(op, Call):
                done.append(self.length(op))
            elif self.lockstep.is_uniform(op):
                done.append(self.turned.renewed(op))
            elif isinstance(op, For):
                done += self.loop(op, pending)
                pending = []
            else:
                pending.append(op)
        return [*done, *self.flushed([*pending, *moves])]

    def loop(self, op: For, pending: list[Op | Move]) -> list[Op]:
        """What is `pending`, and then `op`, a loop in all iterations of a block: what it carries and varies is kept in rows."""
        carried = [*zip(op.outs, op.body.params[1:], op.inits, op.body.results, strict=True)]
        rows = [one for one in carried if self.lockstep.vary(one[:2])]
        for out, param, init, _ in rows:
            self.rows[out.name] = row = self.row(param)
            pending.append(Move(row, init))
        ahead = self.flushed(pending)
        inner = self.written(op.body.ops, [Move(self.row(param), result) for _, param, _, result in rows])
        left = [one for one in carried if one not in rows]
        body = Block((op.body.params[0], *(one[1] for one in left)), tuple(inner), tuple([one[3] for one in left]))
        return [*ahead, replace(op, outs=tuple([one[0] for one in left]), inits=tuple([one[2] for one in left]), body=body)]

    def length(self, op: Call) -> Op:
        """`op`, a length of an array, of the one that a view is of."""
        array = op.args[0]
        view = self.reading.accesses.views.get(array.name) if isinstance(array, Var) else None
        if view is None or not isinstance(op.args[1], Lit):
            return self.turned.renewed(op)
        return self.turned.renewed(replace(op, args=(view.base, Lit(op.args[1].value + len(view.axes)))))

    def flushed(self, pending: list[Op | Move]) -> list[Op]:
        """A loop over the iterations of a block that does what is `pending`."""
        if not pending:
            return []
        names = self.top.names
        span = next((op.span for op in pending if isinstance(op, Call)), self.lockstep.op.span)
        item, lane = Var(names.fresh(self.lockstep.loop.item.base), INT), Builder(names, span)
        at = lane.call(operator.sub, item, self.start, type=INT, hint="at")
        taken = [var for op in pending for var in self.taken(op)]
        mapping = {self.lockstep.loop.item: item, **self.loaded(pending, dict.fromkeys(taken), at, lane)}
        within = Counter(var.name for var in taken)
        sums: list[tuple[Var, Operand, Var, Operand]] = []
        after: list[Op] = []
        kept: list[Move] = []
        for op in pending:
            if isinstance(op, Move):
                kept.append(op)
                continue
            if isinstance(op, Call) and op.outs and op.outs[0] in self.lockstep.op.body.results:
                before, value = op.args
                assert isinstance(before, Var)
                sums.append((Var(names.fresh(before.base), before.type), before, op.outs[0], value))
            elif isinstance(op, Call) and adds(op) and self.is_one_place(op):
                total = Var(names.fresh("total"), FLOAT)
                sums.append((Var(names.fresh("total"), FLOAT), Lit(0.0), total, op.args[2]))
                after.append(replace(op, args=(*op.args[:2], total)))
            else:
                lane.emit(self.placed(op, at, lane))
                kept += [Move(self.row(out), out) for out in outs(op) if self.uses[out.name] > within[out.name]]
        for move in kept:
            lane.effect(operator.setitem, move.row, at, move.value)
        results: list[Operand] = []
        for param, _, _, value in sums:
            results.append(lane.call(runtime.add_up, param, value, type=param.type, hint=param.base))
        body = rename_block(Block((), tuple(lane.ops), tuple(results)), mapping)
        block = Block((item, *(one[0] for one in sums)), body.ops, body.results)
        inits = tuple([one[1] for one in sums])
        return [For(tuple([one[2] for one in sums]), (self.start, self.end, Lit(1)), inits, block, span=span), *after]

    def loaded(self, pending: list[Op | Move], taken: Iterable[Var], at: Operand, lane: Builder) -> Mapping[Var, Operand]:
        """What `pending` ops take that earlier ones made, loaded in `lane` from the rows that it is kept in."""
        defined = {out.name for op in pending if not isinstance(op, Move) for out in outs(op)}
        kept = self.lockstep.varying - defined - {param.name for param in self.lockstep.op.body.params}
        rows = [var for var in taken if isinstance(var.type, Scalar) and var.name in kept]
        return {var: lane.call(operator.getitem, self.row(var), at, type=var.type, hint=var.name) for var in rows}

    def is_one_place(self, op: Call) -> bool:
        """Whether `op` adds to an element that is the same in all iterations, and not each iteration's own."""
        access = self.reading.accesses.of(op)
        own = access is None or self.lockstep.kinds.get(access.base.name) == "private"
        return not own and not self.lockstep.vary(op.args[:2])

    def placed(self, op: Op, at: Var, lane: Builder) -> Op:
        """`op`, if it is about an element, of the array where that now is."""
        access = self.reading.accesses.of(op)
        if access is None or not isinstance(op, Call):
            return op
        base, places = access.base, access.axes
        if base.name in self.lanes:
            chosen = places if self.lockstep.kinds.get(base.name) == "private" else places[1:]
            return self.element(op, self.lanes[base.name], [*(self.place(place, lane) for place in chosen), at])
        if base.name in self.turned.axes:
            turned = permuted(places, self.turned.axes[base.name])
            return self.element(op, self.turned.array(base), [self.place(place, lane) for place in turned])
        if base != op.args[0]:
            return self.element(op, base, [self.place(place, lane) for place in places])
        return op

    def place(self, place: Subscript, lane: Builder) -> Operand:
        """`place` computed in a loop over iterations."""
        return Lit(place.offset) if place.root is None else self.shifted(place.root, place.offset, lane)

    @staticmethod
    def element(op: Call, array: Var, places: list[Operand]) -> Call:
        """`op` for the element of `array` at `places`."""
        index = places[0] if len(places) == 1 else Pack("tuple", tuple(places))
        return replace(op, args=(array, index, *op.args[2:]))

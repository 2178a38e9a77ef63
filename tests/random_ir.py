"""Random well-formed typed IR over scalars and shared memory: views, stores, tapes, branches, loops, opaque and helper calls."""

from __future__ import annotations

import operator
import random
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, For, Function, If, Invoke, Lit, Operand, Pack, Var, While
from adxform.ir.types import BOOL, INT, Array, Dim, Scalar, Stack, Type
from adxform.ir.walk import Names

F64 = Scalar("float64")
VECTOR = Array("float64", (4,))
MATRIX = Array("float64", (Dim("m.0"), 4))
ALL = Pack("slice", (Lit(None), Lit(None), Lit(None)))


def scribble(x: Any) -> None:
    """An opaque function that writes to its argument."""
    x[0] += 1.0


def look(x: Any) -> float:
    """An opaque function that reads its argument."""
    return float(x[1])


HELPER_X, HELPER_S = Var("x", VECTOR), Var("s", F64)
HELPER = Function(
    "bump",
    Block(
        (HELPER_X, HELPER_S),
        (
            Call((Var("v", F64),), Lit(operator.getitem), (HELPER_X, Lit(2))),
            Call((), Lit(operator.setitem), (HELPER_X, Lit(3), HELPER_S)),
        ),
        (Var("v", F64), HELPER_X),
    ),
)


def arguments() -> tuple[Any, ...]:
    """Fresh arguments of every random program."""
    return (
        np.array([0.5, -1.25, 2.0, 0.75]),
        np.array([1.5, 0.25, -0.5, 3.0]),
        np.arange(12.0).reshape(3, 4) / 8,
        np.float64(1.5),
        2,
    )


def random_function(seed: int, size: int = 14) -> Function:
    """A function of ``(x, y, m, s, n)``, the same for the same seed."""
    rng = random.Random(seed)
    names = Names()
    params = tuple(
        Var(names.fresh(name), type_) for name, type_ in [("x", VECTOR), ("y", VECTOR), ("m", MATRIX), ("s", F64), ("n", INT)]
    )
    maker = _Maker(
        rng, Builder(names), {VECTOR: list(params[:2]), MATRIX: [params[2]], F64: [params[3]], INT: [params[4]], BOOL: []}
    )
    for _ in range(size):
        maker.statement(3)
    results = [maker.scalar() for _ in range(2)] + rng.sample(maker.scope[VECTOR], min(2, len(maker.scope[VECTOR])))
    return Function("f", maker.b.block(params, tuple(results)), (), (HELPER,))


class _Maker:
    def __init__(self, rng: random.Random, b: Builder, scope: dict[Type, list[Any]]) -> None:
        self.rng = rng
        self.b = b
        self.scope = scope
        self.items: list[tuple[Var, int]] = []

    def nested(self) -> _Maker:
        inner = _Maker(self.rng, self.b.nested(), {type_: list(found) for type_, found in self.scope.items()})
        inner.items = list(self.items)
        return inner

    def define(self, fn: Any, *args: Operand, type: Type, hint: str = "t") -> Var:  # noqa: A002
        var = self.b.call(fn, *args, type=type, hint=hint)
        self.scope[type].append(var)
        return var

    def scalar(self) -> Operand:
        return self.rng.choice([*self.scope[F64][-6:], *self.scope[F64][-6:], Lit(0.0), Lit(1.0), Lit(-1.0), Lit(2.0)])

    def vector(self) -> Var:
        return self.rng.choice(self.scope[VECTOR])

    def index(self) -> Operand:
        if self.items and self.rng.random() < 0.6:
            item, highest = self.rng.choice(self.items)
            more = self.rng.randrange(-3, 4 - highest)
            fn = operator.add if self.rng.random() < 0.5 else operator.sub
            return self.b.call(fn, item, Lit(more if fn is operator.add else -more), type=INT, hint="at") if more else item
        if self.rng.random() < 0.6:
            return Lit(self.rng.randrange(4))
        return self.b.call(operator.mod, self.rng.choice(self.scope[INT]), Lit(4), type=INT, hint="k")

    def statement(self, depth: int) -> None:
        kinds = [
            self.arithmetic, self.arithmetic, self.load, self.load, self.store, self.store, self.accumulate, self.clear_and_add,
            self.allocate, self.whole, self.view, self.elementwise, self.reduce, self.row, self.opaque, self.invoke, self.integer,
        ]  # fmt: skip
        if depth:
            kinds += [self.branch, self.branch, self.loop, self.loop, self.tape]
        chosen = self.rng.choice(kinds)
        chosen(depth) if chosen in (self.branch, self.loop, self.tape) else chosen()  # type: ignore[call-arg]

    def arithmetic(self) -> None:
        if self.rng.random() < 0.2:
            self.define(operator.neg, self.rng.choice(self.scope[F64]), type=F64)
        else:
            fn = self.rng.choice([operator.add, operator.sub, operator.mul])
            self.define(fn, *self.rng.sample([self.scalar(), self.rng.choice(self.scope[F64])], 2), type=F64)

    def integer(self) -> None:
        fn = self.rng.choice([operator.add, operator.sub])
        n = self.b.call(fn, self.rng.choice(self.scope[INT]), Lit(self.rng.randrange(3)), type=INT)
        self.define(operator.mod, n, Lit(5), type=INT, hint="j")

    def load(self) -> None:
        self.define(operator.getitem, self.vector(), self.index(), type=F64, hint="e")

    def store(self) -> None:
        self.b.effect(operator.setitem, self.vector(), self.index(), self.scalar())

    def accumulate(self) -> None:
        self.b.effect(self.rng.choice([intrinsics.accumulate, intrinsics.deduct]), self.vector(), self.index(), self.scalar())

    def clear_and_add(self) -> None:
        x, i = self.vector(), self.index()
        self.b.effect(operator.setitem, x, i, Lit(0.0))
        for _ in range(self.rng.randrange(2)):
            self.rng.choice([self.accumulate, self.arithmetic, self.load])()
        self.b.effect(intrinsics.accumulate, x, i, self.scalar())

    def allocate(self) -> None:
        z = self.define(np.zeros_like, self.vector(), type=VECTOR, hint="z")
        if self.rng.random() < 0.7:
            if self.rng.random() < 0.5:
                self.elementwise()
            self.b.effect(
                intrinsics.accumulate, z, Lit(...), self.rng.choice([self.vector(), self.scalar(), self.scope[VECTOR][-2]])
            )

    def whole(self) -> None:
        fn = self.rng.choice([intrinsics.accumulate, intrinsics.deduct, operator.setitem])
        self.b.effect(fn, self.vector(), Lit(...), self.rng.choice([self.vector(), self.scalar()]))

    def view(self) -> None:
        back = Pack("slice", (Lit(None), Lit(None), Lit(-1)))
        self.define(operator.getitem, self.vector(), self.rng.choice([ALL, back]), type=VECTOR, hint="w")

    def row(self) -> None:
        self.define(operator.getitem, self.scope[MATRIX][0], Lit(self.rng.randrange(3)), type=VECTOR, hint="row")

    def elementwise(self) -> None:
        other = self.rng.choice([self.vector(), self.scalar()])
        args = self.rng.sample([self.vector(), other], 2)
        self.define(self.rng.choice([operator.add, operator.sub, operator.mul]), *args, type=VECTOR, hint="a")
        if self.rng.random() < 0.3:
            self.define(self.rng.choice([operator.neg, np.copy]), self.vector(), type=VECTOR, hint="a")

    def reduce(self) -> None:
        if self.rng.random() < 0.5:
            self.define(runtime.unbroadcast, self.vector(), self.rng.choice(self.scope[F64]), type=F64, hint="u")
        else:
            self.define(runtime.unbroadcast, self.vector(), self.vector(), type=VECTOR, hint="u")

    def opaque(self) -> None:
        if self.rng.random() < 0.15:
            if self.rng.random() < 0.5:
                self.b.effect(scribble, self.vector())
            else:
                self.b.call(look, self.vector(), hint="o")

    def invoke(self) -> None:
        outs = (self.b.var("r", F64), self.b.var("q", VECTOR))
        self.b.emit(Invoke(outs, "bump", (self.vector(), self.rng.choice(self.scope[F64]))))
        self.scope[F64].append(outs[0])
        self.scope[VECTOR].append(outs[1])

    def condition(self) -> Operand:
        if self.rng.random() < 0.1:
            return Lit(self.rng.random() < 0.5)
        return self.b.call(operator.gt, self.scalar(), self.rng.choice(self.scope[F64]), type=BOOL, hint="c")

    def branch(self, depth: int) -> None:
        cond = self.condition()
        makers = [self.nested(), self.nested()]
        for maker in makers:
            for _ in range(self.rng.randrange(4)):
                maker.statement(depth - 1)
        if self.rng.random() < 0.3:
            x, i = self.vector(), Lit(1)
            for maker in makers:
                maker.b.effect(operator.setitem, x, i, maker.rng.choice(maker.scope[F64]))
        types = [self.rng.choice([F64, VECTOR]) for _ in range(self.rng.randrange(3))]
        outs = tuple(self.b.var("p", type_) for type_ in types)
        then, orelse = (maker.b.block((), tuple(maker.rng.choice(maker.scope[type_]) for type_ in types)) for maker in makers)
        self.b.emit(If(outs, cond, then, orelse))
        self.carry(outs)

    def carry(self, outs: tuple[Var, ...]) -> None:
        for out in outs:
            self.scope[out.type].append(out)

    def loop(self, depth: int) -> None:
        types = [self.rng.choice([F64, VECTOR]) for _ in range(self.rng.randrange(3))]
        inits = tuple(self.rng.choice(self.scope[type_]) for type_ in types)
        outs = tuple(self.b.var("o", type_) for type_ in types)
        if self.rng.random() < 0.25:
            self.repeat_while(types, inits, outs, depth)
            return
        body = self.nested()
        item, *params = (body.b.var("i", INT), *(body.b.var("l", type_) for type_ in types))
        body.carry((item, *params))
        start, stop = self.rng.randrange(2), self.rng.choice([Lit(0), Lit(1), Lit(2), Lit(3), self.rng.choice(self.scope[INT])])
        down = self.rng.random() < 0.3
        body.items.append((item, 3))
        if isinstance(stop, Lit):
            body.items[-1] = item, max(stop.value - 1, 1)
        for _ in range(1 + self.rng.randrange(4)):
            body.statement(depth - 1)
        breaks = self.rng.random() < 0.2
        keep = [body.condition()] if breaks else []
        results = (*keep, *(self.rng.choice(body.scope[type_][-4:]) for type_ in types))
        block = body.b.block((item, *params), results)
        last = self.b.call(operator.sub, stop, Lit(1), type=INT, hint="last") if down else stop
        source = (last, Lit(start - 1), Lit(-1)) if down else (Lit(start), stop, Lit(1))
        self.b.emit(For(outs, source, inits, block, breaks))
        self.carry(outs)

    def repeat_while(self, types: list[Type], inits: tuple[Operand, ...], outs: tuple[Var, ...], depth: int) -> None:
        test, body = self.nested(), self.nested()
        count = self.b.var("count", INT)
        t, *test_params = (test.b.var("t", INT), *(test.b.var("l", type_) for type_ in types))
        test.carry(tuple(test_params))
        if self.rng.random() < 0.5:
            test.statement(0)
        going = test.b.call(operator.lt, t, Lit(2), type=BOOL)
        k, *params = (body.b.var("k", INT), *(body.b.var("l", type_) for type_ in types))
        body.carry((k, *params))
        for _ in range(1 + self.rng.randrange(3)):
            body.statement(depth - 1)
        following = body.b.call(operator.add, k, Lit(1), type=INT)
        results = (following, *(self.rng.choice(body.scope[type_][-4:]) for type_ in types))
        loop = While(
            (count, *outs), (Lit(0), *inits), test.b.block((t, *test_params), (going,)), body.b.block((k, *params), results)
        )
        self.b.emit(loop)
        self.carry(outs)

    def tape(self, depth: int) -> None:
        """Push in one loop, pop in the next, as a reverse sweep does."""
        stack = self.b.call(intrinsics.new_stack, type=Stack(), hint="tape")
        stop = self.rng.choice([Lit(2), self.rng.choice(self.scope[INT])])
        type_ = self.rng.choice([F64, VECTOR])
        pushing, popping = self.nested(), self.nested()
        for maker in (pushing, popping):
            item = maker.b.var("i", INT)
            if maker is popping:
                popped = maker.define(intrinsics.pop, stack, type=type_, hint="popped")
            for _ in range(1 + self.rng.randrange(2)):
                maker.statement(depth - 1)
            if maker is pushing:
                value = maker.rng.choice(maker.scope[type_][-4:])
                maker.b.effect(intrinsics.push, stack, value)
            elif maker.rng.random() < 0.6:
                loaded = popped if type_ == F64 else maker.b.call(operator.getitem, popped, Lit(0), type=F64)
                maker.b.effect(intrinsics.accumulate, self.vector(), Lit(0), loaded)
            self.b.emit(For((), (Lit(0), stop, Lit(1)), (), maker.b.block((item,), ())))

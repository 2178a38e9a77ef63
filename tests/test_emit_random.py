"""Random structured programs: emitted Python computes what the IR does, whatever swaps, loops, branches and aliases it has."""

from __future__ import annotations

import copy
import operator
import random
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adxform.analysis.stepping import interpret
from adxform.backends.python.emit import emit
from adxform.backends.python.loading import load
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import UNDEFINED, Block, For, Function, If, Lit, Operand, Pack, Var, While
from adxform.ir.text import show
from adxform.ir.types import BOOL, FLOAT, INT, Array, Dim, Scalar, Stack
from adxform.ir.verify import verify
from adxform.ir.walk import Names

ROW = Array("int64", (Dim("x.0"),))
HINTS = ("a", "b", "t", "c", "x_ct", "t", "t")
LOG: list[int] = []


def note(value: int) -> int:
    """An opaque function with an effect."""
    LOG.append(int(value))
    return int(value) % 7


def peek(array: Any) -> int:
    """An opaque function that reads and writes memory."""
    array[0] += 1
    LOG.append(int(array.sum()))
    return int(array.sum()) % 5


class Scope:
    """What a block under construction may use: numbers, arrays, values that may be undefined, and pushes not yet popped."""

    def __init__(self, builder: Builder, outer: Scope | None = None) -> None:
        self.builder = builder
        self.numbers: list[Var] = list(outer.numbers) if outer else []
        self.conditions: list[Var] = list(outer.conditions) if outer else []
        self.arrays: list[Var] = list(outer.arrays) if outer else []
        self.doubtful: list[Var] = list(outer.doubtful) if outer else []
        self.pushed = 0


class Programs:
    """Draws random blocks. All numbers are integers, and exact; some programs say that theirs are floats."""

    def __init__(self, rng: random.Random, stack: Var) -> None:
        self.rng = rng
        self.stack = stack
        self.type = rng.choice([INT, FLOAT])

    def number(self, scope: Scope) -> Operand:
        if not scope.numbers or self.rng.random() < 0.15:
            return Lit(self.rng.randrange(-2, 4))
        return self.rng.choice(scope.numbers[-6:] if self.rng.random() < 0.7 else scope.numbers)

    def carried(self, scope: Scope) -> Operand:
        if scope.doubtful and self.rng.random() < 0.1:
            return self.rng.choice(scope.doubtful)
        return UNDEFINED if self.rng.random() < 0.05 else self.number(scope)

    def place(self) -> Operand:
        return Lit(self.rng.randrange(4))

    def statements(self, scope: Scope, size: int, depth: int) -> None:
        plain = [self.arithmetic] * 6 + [
            self.load,
            self.store,
            self.accumulate,
            self.opaque,
            self.tape,
            self.compare,
            self.update,
        ]
        nesting = [self.branch] * 3 + [self.counted, self.counted, self.conditional, self.choose, self.view_deeper]
        for _ in range(self.rng.randrange(1, size + 1)):
            if depth and self.rng.random() < 0.4:
                self.rng.choice(nesting)(scope, depth)
            else:
                self.rng.choice(plain)(scope)

    def hint(self) -> str:
        return self.rng.choice(HINTS)

    def arithmetic(self, scope: Scope) -> None:
        fn = self.rng.choice([operator.add, operator.sub, operator.mul, operator.iadd])
        left, right = self.number(scope), self.number(scope)
        if self.rng.random() < 0.3:
            right = scope.builder.call(operator.neg, right, type=self.type)
        value = scope.builder.call(fn, left, right, type=self.type, hint=self.hint())
        low = (
            scope.builder.call(operator.mod, value, Lit(97), type=self.type, hint=self.hint())
            if self.rng.random() < 0.3
            else value
        )
        scope.numbers.append(low)

    def compare(self, scope: Scope) -> None:
        fn = self.rng.choice([operator.lt, operator.ge, operator.eq, operator.ne])
        out = scope.builder.call(fn, self.number(scope), self.number(scope), type=BOOL, hint=self.hint())
        if self.rng.random() < 0.2:
            out = scope.builder.call(operator.not_, out, type=BOOL, hint=self.hint())
        scope.conditions.append(out)

    def condition(self, scope: Scope) -> Var:
        if not scope.conditions or self.rng.random() < 0.6:
            self.compare(scope)
            return scope.conditions[-1]
        return self.rng.choice(scope.conditions)

    def load(self, scope: Scope) -> None:
        array = self.rng.choice(scope.arrays)
        scope.numbers.append(scope.builder.call(operator.getitem, array, self.place(), type=Scalar("int64"), hint=self.hint()))

    def view_deeper(self, scope: Scope, _: int) -> None:
        array = self.rng.choice(scope.arrays)
        whole = Pack("slice", (Lit(None), Lit(None), Lit(self.rng.choice([-1, None]))))
        scope.arrays.append(scope.builder.call(operator.getitem, array, whole, type=ROW, hint=self.rng.choice(["v", "t", "a"])))

    def store(self, scope: Scope) -> None:
        scope.builder.effect(operator.setitem, self.rng.choice(scope.arrays), self.place(), self.bounded(scope))

    def update(self, scope: Scope) -> None:
        array, place = self.rng.choice(scope.arrays), self.place()
        old = scope.builder.call(operator.getitem, array, place, type=Scalar("int64"))
        if self.rng.random() < 0.3:
            self.store(scope)
        new = scope.builder.call(operator.mul, old, Lit(3), type=Scalar("int64"))
        new = scope.builder.call(operator.mod, new, Lit(101), type=Scalar("int64"))
        scope.builder.effect(operator.setitem, array, place, new)

    def accumulate(self, scope: Scope) -> None:
        fn = self.rng.choice([intrinsics.accumulate, intrinsics.deduct])
        scope.builder.effect(fn, self.rng.choice(scope.arrays), self.rng.choice([self.place(), Lit(...)]), self.bounded(scope))

    def bounded(self, scope: Scope) -> Var:
        return scope.builder.call(operator.mod, self.number(scope), Lit(1009), type=INT)

    def opaque(self, scope: Scope) -> None:
        if self.rng.random() < 0.5:
            out = scope.builder.call(note, self.number(scope), type=INT, hint=self.hint())
        else:
            out = scope.builder.call(peek, self.rng.choice(scope.arrays), type=INT, hint=self.hint())
        scope.numbers.append(out)

    def tape(self, scope: Scope) -> None:
        if scope.pushed and self.rng.random() < 0.6:
            scope.pushed -= 1
            scope.numbers.append(scope.builder.call(intrinsics.pop, self.stack, type=INT, hint=self.hint()))
        else:
            scope.pushed += 1
            scope.builder.effect(intrinsics.push, self.stack, self.number(scope))

    def choose(self, scope: Scope, depth: int) -> None:
        """A conditional that is an expression, often ``and``, ``or``, ``not``."""
        cond = self.condition(scope)
        kind = self.rng.randrange(4)
        then, orelse = Scope(scope.builder.nested(), scope), Scope(scope.builder.nested(), scope)
        if kind == 3:
            self.arithmetic(then)
            self.load(orelse)
            out = scope.builder.var("t", INT)
            arms = (then.builder.block((), (then.numbers[-1],)), orelse.builder.block((), (orelse.numbers[-1],)))
            scope.numbers.append(out)
        else:
            self.compare(then)
            self.compare(orelse)
            pairs: list[tuple[Operand, Operand]] = [
                (cond, orelse.conditions[-1]),
                (then.conditions[-1], cond),
                (Lit(False), Lit(True)),
            ]
            a, b = pairs[kind]
            out = scope.builder.var("t", BOOL)
            arms = (then.builder.block((), (a,)), orelse.builder.block((), (b,)))
            scope.conditions.append(out)
        scope.builder.emit(If((out,), cond, arms[0], arms[1]))

    def nested(self, scope: Scope, size: int, depth: int) -> Scope:
        inner = Scope(scope.builder.nested(), scope)
        self.statements(inner, size, depth)
        return inner

    def branch(self, scope: Scope, depth: int) -> None:
        cond = self.condition(scope)
        arms = [
            self.nested(scope, 5, depth - 1) if self.rng.random() < 0.8 else Scope(scope.builder.nested(), scope)
            for _ in range(2)
        ]
        sources = [[self.carried(arm) for _ in range(self.width)] for arm in arms]
        outs = [scope.builder.var(self.hint(), INT) for _ in range(len(sources[0]))]
        arrays = [self.rng.choice(arm.arrays) for arm in arms] if self.rng.random() < 0.3 else []
        if arrays:
            outs.append(scope.builder.var("v", ROW))
        blocks = [
            arm.builder.block((), (*source, *arrays[k : k + 1]))
            for k, (arm, source) in enumerate(zip(arms, sources, strict=True))
        ]
        scope.builder.emit(If(tuple(outs), cond, blocks[0], blocks[1]))
        for out, *pair in zip(outs, *sources, strict=False):
            (scope.doubtful if self.is_doubtful(scope, arms, pair) else scope.numbers).append(out)
        scope.arrays += outs[len(sources[0]) :]

    width = 2

    def is_doubtful(self, scope: Scope, inner: list[Scope], pair: list[Operand]) -> bool:
        return any(value == UNDEFINED or any(value in arm.doubtful for arm in inner) for value in pair)

    def loop_state(self, scope: Scope) -> tuple[list[Operand], list[Var], list[Var]]:
        inits = [self.carried(scope) for _ in range(self.rng.randrange(4))]
        return inits, [scope.builder.var(self.hint(), INT) for _ in inits], [scope.builder.var(self.hint(), INT) for _ in inits]

    def enter(self, scope: Scope, inits: list[Operand], params: list[Var]) -> Scope:
        """The scope of a loop body: what may be undefined at first may be undefined there."""
        inner = Scope(scope.builder.nested(), scope)
        for init, param in zip(inits, params, strict=True):
            (inner.doubtful if init == UNDEFINED or init in scope.doubtful else inner.numbers).append(param)
        return inner

    def sure(self, scope: Scope, inits: list[Operand], params: list[Var], inner: Scope) -> list[Operand]:
        """What is carried on: a defined value for a parameter that counts as defined; often a rotation of the parameters."""
        sound = [param for param in params if param in inner.numbers]
        rotated = dict(zip(sound, sound[1:] + sound[:1], strict=True))
        swap = self.rng.random() < 0.4
        return [
            (rotated[param] if swap and self.rng.random() < 0.8 else self.number(inner))
            if param in rotated
            else self.carried(inner)
            for param in params
        ]

    def leave(self, scope: Scope, inits: list[Operand], params: list[Var], outs: list[Var], inner: Scope) -> None:
        for param, out in zip(params, outs, strict=True):
            (scope.numbers if param in inner.numbers else scope.doubtful).append(out)

    def counted(self, scope: Scope, depth: int) -> None:
        inits, params, outs = self.loop_state(scope)
        inner = self.enter(scope, inits, params)
        index = scope.builder.var(self.rng.choice(["i", "a", "t"]), INT)
        inner.numbers.append(index)
        self.statements(inner, 4, depth - 1)
        breaks = self.rng.random() < 0.4
        results: list[Operand] = self.sure(scope, inits, params, inner)
        if breaks:
            keep: Operand = self.keep_going(inner, depth)
            results = [keep, *results]
        source = (Lit(self.rng.randrange(2)), Lit(self.rng.randrange(5)), Lit(self.rng.choice([1, 1, 2])))
        body = inner.builder.block((index, *params), tuple(results))
        scope.builder.emit(For(tuple(outs), source, tuple(inits), body, breaks))
        self.leave(scope, inits, params, outs, inner)

    def keep_going(self, inner: Scope, depth: int) -> Operand:
        """A condition; often the out of a last `If` that says it in so many words."""
        if self.rng.random() < 0.5:
            return self.condition(inner)
        if self.rng.random() < 0.1:
            return self.rng.choice(inner.numbers)
        keep = inner.builder.var("keep", BOOL)
        cond = self.condition(inner)
        arms = [self.nested(inner, 2, 0) for _ in range(2)]
        results: list[Operand] = [Lit(True), Lit(False)]
        if depth and self.rng.random() < 0.4:
            results[0] = self.keep_going(arms[0], depth - 1)
        if self.rng.random() < 0.5:
            arms.reverse()
            results.reverse()
        out = inner.builder.var(self.hint(), INT)
        blocks: list[Block] = [
            arm.builder.block((), (result, self.number(arm))) for arm, result in zip(arms, results, strict=True)
        ]
        inner.builder.emit(If((keep, out), cond, blocks[0], blocks[1]))
        inner.numbers.append(out)
        return keep

    def conditional(self, scope: Scope, depth: int) -> None:
        inits, params, outs = self.loop_state(scope)
        count, out = scope.builder.var("n", INT), scope.builder.var("n", INT)
        tested = [scope.builder.var(param.base, INT) for param in params]
        own = scope.builder.var("n", INT)
        test = self.enter(scope, inits, tested)
        if self.rng.random() < 0.3:
            self.statements(test, 2, 0)
        more = test.builder.call(operator.lt, own, Lit(self.rng.randrange(4)), type=BOOL)
        inner = self.enter(scope, inits, params)
        inner.numbers.append(count)
        self.statements(inner, 4, depth - 1)
        results = self.sure(scope, inits, params, inner)
        following = inner.builder.call(operator.add, count, Lit(1), type=INT)
        body = inner.builder.block((count, *params), (following, *results))
        testing = test.builder.block((own, *tested), (more,))
        scope.builder.emit(While((out, *outs), (Lit(0), *inits), testing, body))
        scope.numbers.append(out)
        self.leave(scope, inits, params, outs, inner)


def program(rng: random.Random) -> Function:
    """A random function of three integers and two arrays."""
    builder = Builder(Names())
    numbers = [builder.var(base, INT) for base in ("a", "b", "c")]
    arrays = [builder.var(base, ROW) for base in ("x", "y")]
    stack = builder.call(intrinsics.new_stack, type=Stack(), hint="x_tape")
    programs = Programs(rng, stack)
    programs.width = rng.randrange(1, 4)
    scope = Scope(builder)
    scope.numbers, scope.arrays = list(numbers), list(arrays)
    programs.statements(scope, rng.choice([4, 10, 25]), rng.choice([1, 2, 3]))
    results = [programs.number(scope) for _ in range(rng.randrange(1, 5))]
    return Function("f", builder.block((*numbers, *arrays), tuple(results)))


def outcome(run: Any, point: tuple[Any, ...]) -> tuple[Any, ...]:
    """What `run` returns and leaves behind."""
    LOG.clear()
    args = copy.deepcopy(point)
    result = run(*args)
    return result, [array.tolist() for array in args[3:]], list(LOG)


POINT = (3, -1, 2, np.array([1, 5, 2, 7]), np.array([4, 0, 3, 6]))


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**40))
def test_emitted_code_computes_what_the_ir_computes(seed: int) -> None:
    fn = program(random.Random(seed))
    verify(fn, typed=True)
    generated = emit(fn)
    assert emit(fn) == generated
    expected = outcome(lambda *args: interpret(fn, *args), POINT)
    assert outcome(load(generated), POINT) == expected, show(fn) + generated.text

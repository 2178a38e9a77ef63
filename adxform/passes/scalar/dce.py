"""Dead code elimination, through memory: a buffer that is only fed goes with all that feeds it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from adxform.ir.ops import Block, Call, For, Function, If, Invoke, Op, Operand, Raise, Var, While
from adxform.ir.walk import blocks, operands, outs, reads, variables_of
from adxform.passes.scalar.rewriting import classes_read, classes_written, each_function
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import effect_of


def eliminate_dead_code(fn: Function) -> Function:
    """Drop every op that neither the results, nor the caller's memory, nor anything outside depends on.

    Starts from what must stay and marks what that needs: a store is needed when something that stays reads from memory
    that it may have written. So unread tapes and cotangent buffers go, with their stores, and so do unused carried values.
    What comes before a `Raise` in its block stays: it may raise another error. So does what raises where its derivatives do not.

    >>> from adxform.ir.text import read, show
    >>> print(show(eliminate_dead_code(read('''
    ... def f(x: f64, n: int):
    ...     tape: f64[?0] = np.empty(n)
    ...     a: f64, b: f64 = for i: int in range(0, n, 1) with a.1: f64 = x, b.1: f64 = x:
    ...         operator.setitem(tape, i, a.1)
    ...         a.2: f64 = operator.mul(a.1, x)
    ...         b.2: f64 = operator.add(b.1, a.1)
    ...         yield a.2, b.2
    ...     return a'''))))
    def f(x: f64, n: int):
        a: f64 = for i: int in range(0, n, 1) with a.1: f64 = x:
            a.2: f64 = operator.mul(a.1, x)
            yield a.2
        return a
    """
    return each_function(fn, lambda part, aliases: _Sweep(part, aliases).body())


class _Sweep:
    """Ops are numbered in the order of a walk; a value that leaves a control op by place `k` is `(op, k)`."""

    def __init__(self, fn: Function, aliases: Aliases) -> None:
        self.fn = fn
        self.aliases = aliases
        self.ops: list[Op] = []
        self.parents: list[int] = []
        self.ends: list[int] = []
        self.calls: dict[str, int] = {}
        self.places: dict[str, tuple[int, int]] = {}
        self.writers: dict[int, list[int]] = {}
        self.live_places: set[tuple[int, int]] = set()
        self.waiting: list[int] = []
        self.roots: list[int] = []
        self.scan(fn.body, -1)
        self.live = [False] * len(self.ops)

    def scan(self, block: Block, parent: int) -> None:
        raises = any(isinstance(op, Raise) for op in block.ops)  # what comes before that may raise first
        for op in block.ops:
            raises &= not isinstance(op, Raise)
            number = len(self.ops)
            self.ops.append(op)
            self.parents.append(parent)
            self.ends.append(number + 1)
            if isinstance(op, Call):
                for out in op.outs:
                    self.calls[out.name] = number
                effect = effect_of(op)
                if effect.opaque or effect.raises or raises:
                    self.roots.append(number)
                if effect.writes or effect.opaque:
                    self.write(op, number)
                continue
            self.note(outs(op), number)
            match op:
                case Invoke():
                    self.write(op, number)
                    if self.aliases.summaries[op.callee].opaque:
                        self.roots.append(number)
                case For(body=body):
                    self.places[body.params[0].name] = number, -1
                    self.note(body.params[1:], number)
                case While(test=test, body=body):
                    self.note(test.params, number)
                    self.note(body.params, number)
                case If():
                    pass
                case _:
                    self.roots.append(number)
            for inner in blocks(op):
                self.scan(inner, number)
                self.ends[number] = len(self.ops)

    def note(self, carried: Sequence[Var], number: int) -> None:
        """Note where each of `carried` stands among what op `number` carries or makes."""
        self.places.update({var.name: (number, place) for place, var in enumerate(carried)})

    def write(self, op: Op, number: int) -> None:
        for class_ in classes_written(op, self.aliases):
            self.writers.setdefault(class_, []).append(number)

    # Mark

    def mark_op(self, number: int) -> None:
        if number >= 0 and not self.live[number]:
            self.live[number] = True
            self.waiting.append(number)

    def mark(self, given: Iterable[Var]) -> None:
        stack = list(given)
        while stack:
            name = stack.pop().name
            number = self.calls.get(name)
            if number is not None:
                self.mark_op(number)
                continue
            found = self.places.get(name)
            if found is not None and found not in self.live_places:
                self.live_places.add(found)
                number, place = found
                self.mark_op(number)
                stack += variables_of(self.feeds(self.ops[number], place))

    def feeds(self, op: Op, place: int) -> tuple[Operand, ...]:
        """What comes out of control op `op` by `place`."""
        match op:
            case If(then=then, orelse=orelse):
                return then.results[place], orelse.results[place]
            case For(inits=inits, body=body, breaks=breaks) if place >= 0:
                return inits[place], body.results[place + breaks]
            case While(inits=inits, body=body):
                return inits[place], body.results[place]
            case _:
                return ()

    def mark_class(self, class_: int) -> None:
        for number in self.writers.pop(class_, ()):
            self.mark_op(number)

    def mark_needs(self, number: int) -> None:
        """Mark what the op `number`, which stays, needs in any case."""
        self.mark_op(self.parents[number])
        op = self.ops[number]
        match op:
            case Call():
                if self.writers:
                    for class_ in classes_read(op, effect_of(op), self.aliases):
                        self.mark_class(class_)
                self.mark(reads(op))
            case Invoke() | Raise():
                for class_ in self.aliases.reached(operands(op)):
                    self.mark_class(class_)
                self.mark(reads(op))
            case For(source=source, body=body, breaks=breaks):
                self.mark(variables_of((*source, *body.results[:breaks])))
            case While(test=test):
                self.mark(variables_of(test.results))
            case _:
                self.mark(reads(op))

    def mark_all(self) -> None:
        self.mark(variables_of(self.fn.results))
        for class_ in (*self.aliases.reached((*self.fn.params, *self.fn.results)), *sorted(self.aliases.exposed)):
            self.mark_class(class_)
        for number in self.roots:
            self.mark_op(number)
        while self.waiting:
            self.mark_needs(self.waiting.pop())

    # Sweep

    def body(self) -> Block:
        self.mark_all()
        if all(self.live) and not self.prunes():
            return self.fn.body
        return self.sweep(self.fn.body, iter(range(len(self.ops))))

    def prunes(self) -> bool:
        """Whether some control op that stays has an out that does not."""
        return any(
            (number, place) not in self.live_places
            for number, op in enumerate(self.ops)
            if isinstance(op, If | For | While) and self.live[number]
            for place in range(len(op.outs))
        )

    def sweep(self, block: Block, numbers: Iterator[int], results: tuple[Operand, ...] | None = None) -> Block:
        kept: list[Op] = []
        for op in block.ops:
            number = next(numbers)
            if self.live[number]:
                kept.append(op if isinstance(op, Call) else self.kept(op, number, numbers))
            else:
                for _ in range(number + 1, self.ends[number]):
                    next(numbers)
        return Block(block.params, tuple(kept), block.results if results is None else results)

    def kept(self, op: Op, number: int, numbers: Iterator[int]) -> Op:
        places = [place for place in range(len(outs(op))) if (number, place) in self.live_places]

        def at(given: tuple[Operand, ...]) -> tuple[Operand, ...]:
            return tuple(given[place] for place in places)

        match op:
            case If(outs=all_outs, then=then, orelse=orelse):
                then = self.sweep(then, numbers, at(then.results))
                orelse = self.sweep(orelse, numbers, at(orelse.results))
                return replace(op, outs=tuple(all_outs[place] for place in places), then=then, orelse=orelse)
            case For(outs=all_outs, inits=inits, body=body, breaks=breaks):
                results = (*body.results[:breaks], *at(body.results[breaks:]))
                params = (body.params[0], *(body.params[place + 1] for place in places))
                body = replace(self.sweep(body, numbers, results), params=params)
                return replace(op, outs=tuple(all_outs[place] for place in places), inits=at(inits), body=body)
            case While(outs=all_outs, inits=inits, test=test, body=body):
                test = replace(self.sweep(test, numbers), params=tuple(test.params[place] for place in places))
                results = at(body.results)
                body = replace(self.sweep(body, numbers, results), params=tuple(body.params[place] for place in places))
                return replace(op, outs=tuple(all_outs[place] for place in places), inits=at(inits), test=test, body=body)
            case _:
                return op

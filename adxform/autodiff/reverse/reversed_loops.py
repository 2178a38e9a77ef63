"""The reverse of loops: by loops that run backwards, with the cotangents that go from iteration to iteration."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from adxform import runtime
from adxform.autodiff.fitting import same_shape, zeros
from adxform.autodiff.reverse.blocks import BlockReversal
from adxform.autodiff.reverse.sweep import Sweep
from adxform.errors import UnsupportedOperationError
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, For, Invoke, Lit, Operand, Var, While
from adxform.ir.types import INT, Array, Dim, Type
from adxform.ir.walk import all_ops, free_variables
from adxform.primitives.effects import effect_of


@dataclass(frozen=True, slots=True)
class ReversedBody:
    """The sweeps of one iteration of a loop, and the cotangents that go from iteration to iteration.

    Those of what the loop carries at the places `flows` come first, then those of variables from outside: `carried` are the
    primals of all, `params` the cotangents at the start of an iteration, `inits` those at the end of the loop.
    """

    sweep: Sweep
    flows: tuple[int, ...]
    carried: tuple[Var, ...]
    inits: tuple[Operand, ...]
    params: tuple[Var, ...]


class LoopReversal(BlockReversal):
    """Reverses loops, whose iterations run in the reverse order."""

    def carried_cts(self, op: For | While, carried: Sequence[Var]) -> tuple[Var, ...]:
        """As `fresh_cts` of the variables `carried` by the reverse of `op`: those of what `op` carries are of each iteration.

        Where it is longer in one iteration than in another, nothing is known of the length of a cotangent that goes through all.
        """
        params, results = (
            (op.body.params[1:], op.body.results[op.breaks :]) if isinstance(op, For) else (op.body.params, op.body.results)
        )
        turns = {
            param: [given.type for given in values if isinstance(given, Var)]
            for param, *values in zip(params, op.inits, results, op.outs, strict=False)
        }
        return self.fresh_cts(carried, [self.common(var.type, turns.get(var, ())) for var in carried])

    def common(self, type_: Type, others: Sequence[Type]) -> Type:
        """`type_` with new names for the lengths that arrays of the types `others` do not have."""
        if not isinstance(type_, Array) or type_.shape is None:
            return type_
        shapes = [other.shape for other in others if isinstance(other, Array) and other.shape is not None]
        shapes = [shape for shape in shapes if len(shape) == len(type_.shape or ())]
        sizes = (
            size if all(shape[axis] == size for shape in shapes) else Dim(self.names.fresh("?"))
            for axis, size in enumerate(type_.shape)
        )
        return replace(type_, shape=tuple(sizes))

    def shaped_cts(self, cts: tuple[Var, ...], inits: Sequence[Operand], primals: Sequence[Var]) -> tuple[Var, ...]:
        """`cts`, of known shape where they start as arrays of that: then they are arrays in every iteration."""
        found: list[Var] = []
        for ct, init, var in zip(cts, inits, primals, strict=True):
            sure = isinstance(init, Var) and init not in self.loose and same_shape(init.type, var.type)
            found.append(Var(ct.name, var.type) if ct in self.loose and sure else ct)
            if found[-1] is not ct:
                self.loose.discard(ct)
        return tuple(found)

    def loop(self, op: For, b: Builder, f: Builder) -> None:
        """Reverse a counted loop by one that counts backwards, from the iteration that broke out where there is a `break`."""
        index = op.body.params[0]
        back = Var(self.names.fresh(index.name), INT)
        count: Var | None = None
        if op.breaks:
            op, count = self.count_iterations(op)
        source = self.reverse_range(op, count, b)
        self.reverse_loop(op, op.body.params[1:], op.body.results[op.breaks :], source, back, None if op.breaks else op, b, f)

    def while_(self, op: While, b: Builder, f: Builder) -> None:
        """Count the iterations, and reverse that many."""
        counted, count = self.counted_while(op)
        back = Var(self.names.fresh("k"), INT)
        self.reverse_loop(counted, counted.body.params, counted.body.results, (Lit(0), count, Lit(1)), back, None, b, f)

    def counted_while(self, op: While) -> tuple[While, Var]:
        """`op` with one more carried value, the number of passes it makes."""
        if any(isinstance(inner, Call) and effect_of(inner).writes for inner in all_ops(op.test)):
            raise UnsupportedOperationError(
                "a `while` whose condition writes to memory", span=op.span, help="compute the condition at the end of the body"
            )
        count_in, count_next, count = (Var(self.names.fresh("iterations"), INT) for _ in range(3))
        test_in = Var(self.names.fresh("iterations"), INT)
        step = Call((count_next,), Lit(operator.add), (count_in, Lit(1)), (), op.span)
        body = Block((*op.body.params, count_in), (*op.body.ops, step), (*op.body.results, count_next))
        test = replace(op.test, params=(*op.test.params, test_in))
        return replace(op, outs=(*op.outs, count), inits=(*op.inits, Lit(0)), test=test, body=body), count

    def count_iterations(self, op: For) -> tuple[For, Var]:
        """`op` with one more carried value, the number of passes it makes."""
        count_in, count_next, count = (Var(self.names.fresh("iterations"), INT) for _ in range(3))
        step = Call((count_next,), Lit(operator.add), (count_in, Lit(1)), (), op.span)
        body = Block((*op.body.params, count_in), (*op.body.ops, step), (*op.body.results, count_next))
        counted = replace(op, outs=(*op.outs, count), inits=(*op.inits, Lit(0)), body=body)
        return counted, count

    def reverse_range(self, op: For, count: Var | None, b: Builder) -> tuple[Operand, Operand, Operand]:
        """The arguments of the range that visits the iterations of `op` backwards."""
        start, stop, step = op.source

        def arithmetic(fn: Callable[..., int], one: Operand, other: Operand) -> Operand:
            if isinstance(one, Lit) and isinstance(other, Lit):
                return Lit(fn(one.value, other.value))
            return b.call(fn, one, other, type=INT, hint="last")

        if count is None and step == Lit(1):
            return arithmetic(operator.sub, stop, Lit(1)), arithmetic(operator.sub, start, Lit(1)), Lit(-1)
        if count is None and step == Lit(-1):
            return arithmetic(operator.add, stop, Lit(1)), arithmetic(operator.add, start, Lit(1)), Lit(1)
        iterations = count if count is not None else b.call(runtime.trip_count, start, stop, step, type=INT, hint="iterations")
        last = arithmetic(operator.add, start, arithmetic(operator.mul, arithmetic(operator.sub, iterations, Lit(1)), step))
        down = Lit(-step.value) if isinstance(step, Lit) else b.call(operator.neg, step, type=INT, hint="step")
        return last, arithmetic(operator.sub, start, step), down

    def reverse_loop(
        self,
        op: For | While,
        params: tuple[Var, ...],
        results: tuple[Operand, ...],
        source: tuple[Operand, Operand, Operand],
        back: Var,
        known: For | None,
        b: Builder,
        f: Builder,
    ) -> None:
        """Append the forward loop to `f` and the loop that reverses it to `b`."""
        reversed_ = self.reverse_body(op, params, results, b)
        sweep = reversed_.sweep
        index = back if isinstance(op, For) else None
        taped = self.recorder.tapes
        f.ops.extend(self.recorder.recover_loop(sweep, op, known, index))
        if op.snapshots is not None and (self.recorder.tapes > taped or any(isinstance(i, Invoke) for i in all_ops(op.body))):
            self.taping.add(self.path)
        self.emit_loop(op, sweep, f)
        outs = self.carried_cts(op, reversed_.carried)
        body = Block((back, *reversed_.params), sweep.reverse_ops(), sweep.results)
        b.emit(For(outs, source, reversed_.inits, body, False, op.span))
        self.after_loop(op, reversed_, outs, b)

    def flows_by_value(self, param: Var, out: Var) -> bool:
        """Whether the cotangent of what a loop carries, as `param` and then as `out`, goes from iteration to iteration."""
        return (param in self.active or out in self.active) and param not in self.companions and out not in self.companions

    def reverse_body(self, op: For | While, params: tuple[Var, ...], results: tuple[Operand, ...], b: Builder) -> ReversedBody:
        """The sweeps of one iteration of `op`, which carries `params` and yields `results`; what they start with goes to `b`."""
        flows = tuple(place for place, pair in enumerate(zip(params, op.outs, strict=True)) if self.flows_by_value(*pair))
        inits: list[Operand] = [self.complete(op.outs[place], b) for place in flows]
        captured = tuple(
            var
            for var in free_variables(op.body)
            if var in self.active and self.plan.mode(var) == "value" and var not in self.buffers
        )
        inits += [self.cts[var] if var in self.cts else self.zeros_for(b, var) for var in captured]
        carried = (*(params[place] for place in flows), *captured)
        outer_vars = [op.outs[place] for place in flows] + [*captured]
        inner_params = self.carried_cts(op, carried)
        self.loose.update(ct for ct, var in zip(inner_params, outer_vars, strict=True) if var in self.plan.undefined)
        inner_params = self.shaped_cts(inner_params, inits, carried)
        outer_cts = self.cts
        self.cts = dict(zip(captured, inner_params[len(flows) :], strict=True))
        companions = tuple(self.companions[param] for param in params if param in self.companions)
        sweep = Sweep(replace(op.body, params=op.body.params + companions), (*self.path, 0))
        seeds = [(results[place], ct) for place, ct in zip(flows, inner_params, strict=False)]
        outer_path, self.path = self.path, sweep.path
        self.loops += 1
        self.sweep_block(sweep, seeds)
        self.loops -= 1
        self.path = outer_path
        last = Builder(self.names, op.span)
        ends = zip(flows, inner_params, strict=False)
        finals: list[Operand] = [self.final_ct(params[place], op.outs[place], incoming, last) for place, incoming in ends]
        finals += [self.cts[var] for var in captured]
        sweep.segments.append((-1, last.ops))
        sweep.results = tuple(finals)
        self.cts = outer_cts
        return ReversedBody(sweep, flows, carried, tuple(inits), inner_params)

    def final_ct(self, param: Var, out: Var, incoming: Var, b: Builder) -> Operand:
        """The cotangent of `param`, which a loop carries to `out`, as an iteration starts; `incoming` is that of its end."""
        ct = self.take(param, b)
        if ct is None:
            same = all(same_shape(other.type, param.type) for other in (incoming, out))
            undefined = param in self.plan.undefined and incoming in self.loose
            return Lit(0.0) if undefined else zeros(b, incoming if same else param, f"{param.base}_ct")
        if ct in self.loose and incoming not in self.loose:
            like = incoming if same_shape(incoming.type, param.type) else param
            return b.call(runtime.broadcast_like, ct, like, type=like.type, hint=incoming.base)
        return ct

    def after_loop(self, op: For | While, reversed_: ReversedBody, outs: tuple[Var, ...], b: Builder) -> None:
        """Pass on `outs`, the cotangents that the reverse of `op` ends with."""
        flows = reversed_.flows
        for var, out in zip(reversed_.carried[len(flows) :], outs[len(flows) :], strict=True):
            self.cts[var] = out
            self.contributed.append(var)
        for place, out in zip(flows, outs, strict=False):
            self.contribute(op.inits[place], out, b)

    def emit_loop(self, op: For | While, sweep: Sweep, f: Builder) -> None:
        """Append the forward loop, which carries companions beside the arrays that it rebinds."""
        params = op.body.params[1:] if isinstance(op, For) else op.body.params
        results = op.body.results[op.breaks :] if isinstance(op, For) else op.body.results
        places = [place for place, param in enumerate(params) if param in self.companions]
        ops = list(sweep.forward_ops())
        more_inits = tuple(self.companion_of(op.inits[place], f.ops) for place in places)
        more_results = tuple(self.companion_of(results[place], ops) for place in places)
        more_params = tuple(self.companions[params[place]] for place in places)
        more_outs = tuple(self.companions[op.outs[place]] for place in places)
        body = Block(op.body.params + more_params, tuple(ops), op.body.results + more_results)
        if isinstance(op, For):
            f.emit(replace(op, outs=op.outs + more_outs, inits=op.inits + more_inits, body=body, snapshots=None))
        else:
            more_tests = tuple(Var(self.names.fresh(var.name), var.type) for var in more_params)
            test = replace(op.test, params=op.test.params + more_tests)
            outs, inits = op.outs + more_outs, op.inits + more_inits
            f.emit(replace(op, outs=outs, inits=inits, test=test, body=body, snapshots=None))

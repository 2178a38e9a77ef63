"""The reverse of blocks, branches and loops."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

import numpy as np

from adxform import runtime
from adxform.autodiff.boundary import is_behind
from adxform.autodiff.fitting import same_shape, zeros
from adxform.autodiff.reverse.call_pullbacks import CallReversal
from adxform.autodiff.reverse.cotangents import Path, Task
from adxform.autodiff.reverse.residuals import ResidualRecorder
from adxform.autodiff.reverse.sweep import Sweep
from adxform.autodiff.reverse.witnesses import witnesses
from adxform.errors import UnsupportedOperationError
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import UNDEFINED, Attribute, Block, Call, Closure, For, Free, If, Invoke, Lit, Op, Operand, Raise, Var, While
from adxform.ir.types import INT, Array, Dim, Scalar, Stack, Type, is_inexact
from adxform.ir.walk import all_ops, defined_variables, free_variables, outs, reads, rename_block
from adxform.primitives.effects import effect_of
from adxform.primitives.record import General, Partials
from adxform.primitives.table import derivative_of


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


class BlockReversal(CallReversal, ABC):
    """Reverses blocks from their last op to their first; what the reverse needs of the forward sweep, `recorder` provides."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.recorder = ResidualRecorder(self.names, self.aliases, self.callees, self.plan.undefined | self.plan.numbers)
        self.loops = 0
        self.taping: set[Path] = set()
        self.rewound: set[int] = set()

    def sweep_block(self, sweep: Sweep, seeds: Sequence[tuple[Operand, Operand]]) -> None:
        """Fill `sweep` with the forward ops of its block and their reverse, which starts by contributing `seeds`."""
        block = sweep.block
        prologue = Builder(self.names)
        for var in _defined_here(block):
            if var in self.active:
                self.prologues[var] = prologue
                if self.plan.mode(var) == "buffer":
                    self.buffers[var] = self.make_buffer(var, prologue)
        after = Builder(self.names)
        for target, value in seeds:
            self.contribute(target, value, after)
        known = {(op.fn, op.args, op.kwargs) for op in block.ops if isinstance(op, Call)}
        segments: list[tuple[int, list[Op]]] = []
        forward: list[list[Op]] = []
        outer = self.path
        for position in range(len(block.ops) - 1, -1, -1):
            op = block.ops[position]
            self.path = (*outer, position)
            b, f = Builder(self.names, op.span), Builder(self.names, op.span)
            start = len(self.contributed)
            self.op(op, b, f)
            if b.ops:
                behind = self.pruned(b.ops, self.contributed[start:])
                if isinstance(op, Call) and not is_behind(op):
                    ahead, behind = self.parted(behind, f, known)
                    f.ops += ahead
                segments.append((position, behind))
                self.note_readers(op, behind)
                if isinstance(op, Call):
                    segments[-1] = position, [*witnesses(op, behind, f, self.aliases, self.companions.values()), *behind]
            forward.append(f.ops)
        self.path = outer
        sweep.forward = forward[::-1]
        sweep.segments = [(len(block.ops), prologue.ops + after.ops), *segments]

    def pruned(self, ops: list[Op], contributed: list[Var]) -> list[Op]:
        """`ops`, which contribute to `contributed`, without the pure calls that nobody reads: halves of a rule not asked for."""
        later = {ct for var in contributed if isinstance(ct := self.cts.get(var), Var)}
        kept: list[Op] = []
        for op in reversed(ops):
            if isinstance(op, Call):
                if later.isdisjoint(op.outs) and _is_pure(op):
                    continue
                later.update(reads(op))
            else:
                later.update(free_variables(Block((), (op,), ())))
            kept.append(op)
        return kept[::-1]

    def parted(self, ops: list[Op], f: Builder, known: Container[object]) -> tuple[list[Op], list[Op]]:
        """`ops`, which reverse one call, as those to run right after the call and the others.

        The functions that a partial derivative calls, and what they are called on, go ahead where no cotangent is needed: those
        that the primal calls too, which are among `known`, and where the derivative will be differentiated all of them. Each
        is then found beside the call, and what they have in common is computed once.
        """
        cotangents = set(self.companions.values())
        there: set[Var] = set()
        for op in f.ops:
            of_cotangents = not cotangents.isdisjoint((*outs(op), *reads(op)))
            (cotangents if of_cotangents else there).update(outs(op))
        early: list[Call] = []
        for op in ops:
            if isinstance(op, Call) and _may_go_ahead(op) and all(var in there or self.is_computed(var) for var in reads(op)):
                there.update(op.outs)
                early.append(op)
        needed: set[Var] = set()
        for op in reversed(early):
            wanted = _is_function(op) and (self.task.again or (op.fn, op.args, op.kwargs) in known)
            if wanted or not needed.isdisjoint(op.outs):
                needed.update((*op.outs, *reads(op)))
        ahead: list[Op] = [op for op in early if not needed.isdisjoint(op.outs)]
        return ahead, [op for op in ops if op not in ahead]

    def is_computed(self, var: Var) -> bool:
        """Whether `var` is the primal's, and no condition that may be computed later."""
        return var in self.primal and var not in self.guards.conds

    def op(self, op: Op, b: Builder, f: Builder) -> None:
        """Append `op` to the forward sweep `f` and its reverse to `b`."""
        match op:
            case Call():
                self.call(op, b, f)
            case If():
                self.branch(op, b, f)
            case For():
                self.loop(op, b, f)
            case While():
                self.while_(op, b, f)
            case Raise():
                f.emit(op)
            case Invoke():
                self.invoke(op, b, f)
            case Free() | Attribute() | Closure():
                raise AssertionError("untyped IR reached the reverse transform")
            case _:
                assert_never(op)

    @abstractmethod
    def invoke(self, op: Invoke, b: Builder, f: Builder) -> None:
        """Reverse the call of a helper."""

    def branch(self, op: If, b: Builder, f: Builder) -> None:
        """Reverse the branch that was taken; cotangents that either side changes are results of the reverse `If`."""
        seeds = [None if out in self.companions else self.take(out, b) for out in op.outs]
        base = dict(self.cts)
        sweeps: list[Sweep] = []
        afters: list[dict[Var, Operand]] = []
        for number, block in enumerate((op.then, op.orelse)):
            self.cts = dict(base)
            sweep = Sweep(block, (*self.path, number))
            given = [(result, ct) for result, ct in zip(block.results, seeds, strict=True) if ct is not None]
            outer, self.path = self.path, sweep.path
            self.sweep_block(sweep, given)
            self.path = outer
            sweeps.append(sweep)
            afters.append(self.cts)
        self.cts = base
        inside = {var for block in (op.then, op.orelse) for var in defined_variables(block)}
        changed = [
            var
            for var in dict.fromkeys((*afters[0], *afters[1]))
            if var not in inside and not (afters[0].get(var) == base.get(var) == afters[1].get(var))
        ]
        extra: list[tuple[Var, ...]] = []
        for sweep, after in zip(sweeps, afters, strict=True):
            last = Builder(self.names, op.span)
            sweep.results = tuple(after[var] if var in after else self.zeros_for(last, var) for var in changed)
            sweep.segments.append((-1, last.ops))
            kept, before = self.recorder.recover_branch(sweep, self.loops > 0)
            extra.append(kept)
            f.ops.extend(before)
        renamed = self.emit_branch(op, sweeps, extra, f)
        outs = self.fresh_cts(changed)
        then, orelse = (Block((), sweep.reverse_ops(), sweep.results) for sweep in sweeps)
        if then.ops or orelse.ops or outs:
            mapping: dict[Var, Operand] = {var: new for kept in renamed for var, new in kept}
            b.emit(
                If(
                    outs,
                    op.cond,
                    rename_block(then, dict(mapping)),
                    rename_block(orelse, dict(mapping)),
                    op.span,
                )
            )
        self.cts.update(zip(changed, outs, strict=True))
        self.contributed += changed

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

    def fresh_cts(self, primals: Sequence[Var], types: Sequence[Type] = ()) -> tuple[Var, ...]:
        """Variables for the cotangents of `primals`: of no known shape where one may be the number zero.

        They are of the same types otherwise, or of those given.
        """
        fresh: list[Var] = []
        for var, type_ in zip(primals, types or [var.type for var in primals], strict=True):
            type_ = Array(type_.dtype, None) if var in self.plan.undefined and isinstance(type_, Array) else type_
            fresh.append(Var(self.names.fresh(f"{var.base}_ct"), type_))
            self.loosened(var, fresh[-1])
        return tuple(fresh)

    def shaped_cts(self, cts: tuple[Var, ...], inits: Sequence[Operand], primals: Sequence[Var]) -> tuple[Var, ...]:
        """`cts`, of known shape where they start as arrays of that: then they are arrays in every iteration."""
        found: list[Var] = []
        for ct, init, var in zip(cts, inits, primals, strict=True):
            sure = isinstance(init, Var) and init not in self.loose and same_shape(init.type, var.type)
            found.append(Var(ct.name, var.type) if ct in self.loose and sure else ct)
            if found[-1] is not ct:
                self.loose.discard(ct)
        return tuple(found)

    def emit_branch(self, op: If, sweeps: list[Sweep], extra: list[tuple[Var, ...]], f: Builder) -> list[list[tuple[Var, Var]]]:
        """Append the forward branch; values that the reverse needs become more of its results, and are returned with those."""
        companions = [(position, self.companions[out]) for position, out in enumerate(op.outs) if out in self.companions]
        blocks_ = []
        outs = [*op.outs, *(companion for _, companion in companions)]
        pairs: list[list[tuple[Var, Var]]] = [
            [(var, Var(self.names.fresh(var.name), var.type)) for var in kept] for kept in extra
        ]
        outs += [new for kept in pairs for _, new in kept]
        for side, sweep in enumerate(sweeps):
            results: list[Operand] = list(sweep.block.results)
            ops = list(sweep.forward_ops())
            for position, _ in companions:
                results.append(self.companion_of(sweep.block.results[position], ops))
            for other, kept in enumerate(pairs):
                results += [var if other == side else self.absent(var, ops) for var, _ in kept]
            blocks_.append(Block((), tuple(ops), tuple(results)))
        f.emit(replace(op, outs=tuple(outs), then=blocks_[0], orelse=blocks_[1]))
        return pairs

    def absent(self, var: Var, ops: list[Op]) -> Operand:
        """What stands for a kept value on the other branch; inside a loop or a helper it goes on a tape there, unread."""
        if not self.loops and self.task.shared is None:
            return UNDEFINED
        if isinstance(var.type, Scalar):
            return Lit(np.dtype(var.type.dtype).type(0).item())
        if isinstance(var.type, Stack):
            ops.append(Call((empty := Var(self.names.fresh(var.name), var.type),), Lit(intrinsics.new_stack), ()))
            return empty
        return Lit(None) if is_inexact(var.type) else Lit(0)

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

    def reverse_body(self, op: For | While, params: tuple[Var, ...], results: tuple[Operand, ...], b: Builder) -> ReversedBody:
        """The sweeps of one iteration of `op`, which carries `params` and yields `results`; what they start with goes to `b`."""
        flows = tuple(
            place
            for place, (param, out) in enumerate(zip(params, op.outs, strict=True))
            if (param in self.active or out in self.active) and param not in self.companions and out not in self.companions
        )
        inits: list[Operand] = []
        for place in flows:
            inits.append(self.complete(op.outs[place], b))
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


def _defined_here(block: Block) -> list[Var]:
    from_ops = [out for op in block.ops for out in _outs(op)]
    return [*block.params, *from_ops]


def _outs(op: Op) -> tuple[Var, ...]:
    match op:
        case Call(outs=outs) | If(outs=outs) | For(outs=outs) | While(outs=outs) | Invoke(outs=outs):
            return outs
        case _:
            return ()


def _is_function(call: Call) -> bool:
    """Whether `call` calls a function that has a derivative: neither an operator, nor what moves or makes arrays."""
    derivative = derivative_of(call)
    module = getattr(call.fn.value, "__module__", None) if isinstance(call.fn, Lit) else None
    return isinstance(derivative, Partials | General) and module not in ("_operator", "operator", "builtins")


def _is_pure(call: Call) -> bool:
    effect = effect_of(call)
    return not effect.writes and not effect.opaque


def _may_go_ahead(call: Call) -> bool:
    """Whether what `call` makes is the same wherever its arguments are known, and no name of other memory."""
    return bool(call.outs) and _is_pure(call) and not effect_of(call).views

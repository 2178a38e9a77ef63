"""The row of stages: from a specialised function to the derived rule that runs.

``protect`` keeps the caller's arrays as they are, ``transform`` differentiates, ``optimise`` cleans, and the backend that is
chosen makes it source text and callable. A `DerivedRule` holds what each stage returned, so that any of them can be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from adxform import runtime
from adxform.analysis.unseen_code import writes_unseen
from adxform.autodiff.batching import batch
from adxform.autodiff.reverse.residuals import Decision
from adxform.backends.choice import choose, realise
from adxform.backends.protocol import Backend, Choice, Lowered
from adxform.backends.python.emit import Generated
from adxform.backends.python.free_names import Surroundings
from adxform.backends.registry import backend_of, may_compile
from adxform.frontend.derivative_operators import PYTHON, USUAL, Engine, Order
from adxform.frontend.evaluate.rule_bodies.expander import RuleExpander
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, Function, Lit, Operand, Var
from adxform.ir.types import Array, Scalar, is_inexact
from adxform.ir.walk import Names, all_ops, canonical, reads, rename_block
from adxform.passes.driver import checked, note
from adxform.passes.pipeline import clean, optimise
from adxform.passes.scalar.chosen_values import defined_values, has_values, kernel_values, own_values
from adxform.passes.scalar.unused_helpers import drop_unused_helpers
from adxform.primitives import table
from adxform.primitives.alias import Aliases, alias_classes
from adxform.runtime.dispatch.derivative_orders import Mode, aux_stopped, is_number, transform
from adxform.runtime.memos import Memo

PRIVATE = Lit(runtime.private)


@dataclass(frozen=True, slots=True)
class Request:
    """What to derive. `wrt` are parameters of `function`; the first `outputs` results are differentiated, the rest are aux.

    The parameters `scratch` are work space: the derivative writes to them where the function does. `order` is that of the sweeps
    of a second derivative. The rule takes tangents or cotangents for `directions` vectors, and runs on `engine`.
    Cotangents that are always the same, `seeds`, are put in; what runs leaves out the results of a function that is not `valued`.
    The parameters `written` are those that a function writes of which `function` takes a derivative.
    """

    function: Function
    mode: Mode
    wrt: tuple[int, ...]
    outputs: int
    surroundings: Surroundings = field(default_factory=Surroundings)
    scratch: tuple[int, ...] = ()
    order: Order = USUAL
    directions: int = 1
    engine: Engine = PYTHON
    seeds: tuple[float, ...] = ()
    valued: bool = True
    written: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DerivedRule:
    """What each stage returned for a request."""

    request: Request
    typed: Function
    differentiated: Function
    adjoint: Function
    optimised: Function
    generated: Generated
    run: Callable[..., Any]
    decisions: tuple[Decision, ...]
    choice: Choice
    private: tuple[int, ...]
    buffers: int

    @property
    def text(self) -> str:
        """The generated module."""
        return self.generated.text

    @property
    def compiled(self) -> list[str]:
        """What is compiled of it, in words."""
        return self.backend.report(self.optimised, self.choice.engine)

    @property
    def backend(self) -> Backend:
        """What runs it."""
        return backend_of(self.choice.engine)

    @property
    def seeds(self) -> int:
        """How many tangents or cotangents the rule takes after its inputs."""
        return len(self.optimised.params) - len(self.typed.params)

    @property
    def returned(self) -> int:
        """How many results `run` returns."""
        return len(self.optimised.results) - (0 if self.request.valued else len(self.typed.results))

    @property
    def early(self) -> int:
        """How many of the results are there before the last sweep: the function's, and the gradient of a second derivative."""
        return len(self.typed.results) + (len(self.request.wrt) if self.request.mode == "second" else 0)

    def takes_place_of(self, other: DerivedRule) -> bool:
        """Whether it takes and returns what `other` does, and copies the same arguments."""

        def outside(rule: DerivedRule) -> tuple[Any, ...]:
            counts = len(rule.typed.params), len(rule.optimised.params), len(rule.optimised.results), rule.request.directions
            return counts, rule.takes(), rule.private

        return outside(self) == outside(other)

    def seeded(self, cotangents: Sequence[Any]) -> list[Any]:
        """Those of `cotangents`, one for each float result, that the rule takes: a literal has none."""
        return [ct for ct, takes in zip(cotangents, self.takes(), strict=True) if takes]

    def spread(self, tangents: Sequence[Any]) -> Iterator[Any]:
        """One of `tangents` for each float result, and zero where it is a literal."""
        found = iter(tangents)
        return iter([next(found) if takes else 0.0 for takes in self.takes()])

    def takes(self) -> list[bool]:
        """For each float result whether it is a variable, and no literal."""
        both = zip(self.typed.results, self.differentiated.results, strict=True)
        return [isinstance(result, Var) for typed, result in both if is_number(typed)]


def build(request: Request, fallback: Callable[..., Any] | None = None, beside: DerivedRule | None = None) -> DerivedRule:
    """Take `request` through every stage; `fallback` runs where what its function assumes does not hold.

    A rule `beside` it, for which the function is to be the same (see `starts_as`), has the first stages behind it.
    """
    typed = checked(protect(aux_stopped(request.function, request.outputs), request.scratch)) if beside is None else beside.typed
    note("typed", typed)
    differentiated = note("clean", cleaned(typed) if beside is None else beside.differentiated)
    adjoint, decisions = transform(
        request.mode, differentiated, request.wrt, request.outputs, RuleExpander(derive), request.order
    )
    note("adjoint", adjoint)
    optimised = note("optimised", checked(protect(optimise(checked(adjoint)), request.scratch)))
    choice, lowered, optimised = settled(optimised, request.engine)
    generated, run = realise(backend_of(choice.engine), lowered, request.surroundings, fallback)
    private = tuple(sorted({*private_parameters(typed), *request.scratch, *request.written}))
    buffers = buffers_of(optimised) - buffers_of(request.function)
    built = typed, differentiated, adjoint, optimised, generated, run
    return DerivedRule(request, *built, decisions, choice, private, max(buffers, 0))


def starts_as(request: Request, other: Request) -> bool:
    """Whether what is differentiated for both is the same."""
    same = request.function is other.function and request.outputs == other.outputs
    return same and request.scratch == other.scratch


def settled(fn: Function, engine: Engine, skipped: int = 0) -> tuple[Choice, Lowered, Function]:
    """What `adxform.backends.choice.choose` says of `fn`, and `fn` with the values that this takes."""
    if not has_values(fn):
        return *choose(fn, engine, skipped), fn
    if may_compile(engine):
        compiled = checked(optimise(kernel_values(fn), "values"))
        choice, lowered = choose(compiled, engine, skipped)
        if may_compile(choice.engine):
            return choice, lowered, compiled
        engine = choice.engine
    plain = checked(optimise(own_values(fn), "values"))
    return *choose(plain, engine, skipped), plain


def unsettled(rule: DerivedRule) -> Function:
    """What `rule` runs, before the values of functions that have definitions are settled."""
    if not has_values(rule.adjoint):
        return rule.optimised
    return checked(protect(optimise(rule.adjoint), rule.request.scratch))


def traceable(rule: DerivedRule) -> Function:
    """What `rule` runs, in terms of functions whose dependences can be followed."""
    return optimise(defined_values(rule.adjoint)) if has_values(rule.adjoint) else rule.optimised


def moved(rule: DerivedRule, engine: Engine, fallback: Callable[..., Any] | None = None) -> DerivedRule:
    """`rule` for another engine: only its last stage is made anew, and that where another engine is chosen.

    `fallback` is as for `build`.
    """
    request = replace(rule.request, engine=engine)
    choice, lowered, optimised = settled(unsettled(rule), engine)
    if choice.engine == rule.choice.engine:
        return replace(rule, request=request, choice=choice)
    generated, run = realise(backend_of(choice.engine), lowered, request.surroundings, fallback)
    return replace(rule, request=request, optimised=optimised, choice=choice, generated=generated, run=run)


def widened(rule: DerivedRule, directions: int, fallback: Callable[..., Any] | None = None) -> DerivedRule:
    """`rule` for vectors `directions` at a time; itself where it can only be for one (see `adxform.autodiff.batching.batch`).

    `fallback` is as for `build`.
    """
    request = replace(rule.request, directions=directions)
    shared = 0 if request.mode == "hvp" else rule.early
    batched = batch(rule.optimised, len(rule.typed.params), shared, directions)
    if batched is None:
        return rule
    batched = checked(drop_unused_helpers(batched))
    choice, lowered = choose(batched, request.engine)
    generated, run = realise(backend_of(choice.engine), lowered, request.surroundings, fallback)
    buffers = buffers_of(batched) - buffers_of(request.function)
    made = replace(rule, request=request, optimised=batched, generated=generated, run=run, choice=choice)
    return replace(made, buffers=max(buffers, 0))


def closed(
    rule: DerivedRule, seeds: tuple[float, ...], valued: bool, engine: Engine, fallback: Callable[..., Any] | None = None
) -> DerivedRule:
    """`rule`, of Python's engine, with `seeds` for its cotangents; without the function's own results where it is not `valued`.

    `rule` itself where `engine` compiles nothing of it. `fallback` is as for `build`.
    """
    request = replace(rule.request, seeds=seeds, valued=valued, engine=engine)
    fn = unsettled(rule)
    count = len(rule.typed.params)
    known: dict[Var, Operand] = {param: Lit(seed) for param, seed in zip(fn.params[count:], seeds, strict=False)}
    body = rename_block(Block(fn.params[:count], fn.body.ops, fn.body.results), known)
    optimised = checked(optimise(replace(fn, body=body)))
    skipped = 0 if valued else len(rule.typed.results)
    choice, lowered, optimised = settled(optimised, engine, skipped)
    if not may_compile(choice.engine):
        return replace(rule, request=replace(rule.request, engine=engine), choice=choice)
    generated, run = realise(backend_of(choice.engine), lowered, request.surroundings, fallback)
    return replace(rule, request=request, optimised=optimised, generated=generated, run=run, choice=choice, buffers=0)


@dataclass(frozen=True, slots=True)
class Closed:
    """Calls `run`, which returns `count` results, with `seeds` after what it is given, and leaves out the first results."""

    run: Callable[..., Any]
    seeds: tuple[float, ...]
    count: int
    skipped: int

    def __call__(self, *given: Any) -> Any:
        """What `run` returns; one result alone comes bare."""
        found = self.run(*given, *self.seeds)
        found = (found if self.count > 1 else (found,))[self.skipped :]
        return found if len(found) > 1 else found[0]


def cleaned(fn: Function) -> Function:
    """`fn` ready to be differentiated: the less it computes and stores, the less there is to record.

    A float result that turns out to be a known number stays a variable: who calls the derivative gives it a cotangent.
    """
    simple = clean(fn)
    builder = Builder(Names.of(simple), fn.span)
    results = tuple(
        builder.call(intrinsics.stop_gradient, now, type=before.type, hint=before.base)
        if isinstance(now, Lit) and isinstance(before, Var) and is_inexact(before.type)
        else now
        for before, now in zip(fn.results, simple.results, strict=True)
    )
    return checked(replace(simple, body=Block(simple.params, (*simple.body.ops, *builder.ops), results)))


def derive(kind: str, function: Function, wrt: tuple[int, ...]) -> Function:
    """The derivative of a typed function inside another one, each built once: ``"reverse"`` or ``"forward"``."""
    alike = canonical(function)
    return _inner.get((kind, alike, wrt, table.table_version()), lambda: _derived(kind, alike, wrt))


_inner: Memo[tuple[str, Function, tuple[int, ...], int], Function] = Memo(256)


def _derived(kind: str, function: Function, wrt: tuple[int, ...]) -> Function:
    typed = protect(function)
    mode: Mode = "reverse" if kind == "reverse" else "forward"
    derived, _ = transform(mode, cleaned(typed), wrt, len(function.results), RuleExpander(derive))
    return optimise(checked(protect(derived)))


def protect(fn: Function, scratch: tuple[int, ...] = ()) -> Function:
    """Let `fn` work on private copies of array parameters, but for `scratch`, that it or what it calls may write to."""
    classes = alias_classes(fn)
    touched = classes.written | (classes.exposed if fn.helpers else handed_over(fn, classes))
    own = [p for i, p in enumerate(fn.params) if isinstance(p.type, Array) and i not in scratch]
    written = [p for p in own if classes.of(p) in touched]
    if not written:
        return fn
    builder = Builder(Names.of(fn), fn.span)
    mapping: dict[Var, Operand] = {
        param: builder.call(runtime.private, param, type=param.type, hint=param.base) for param in written
    }
    body = rename_block(Block((), fn.body.ops, fn.body.results), mapping)
    return replace(fn, body=Block(fn.params, (*builder.ops, *body.ops), body.results))


def handed_over(fn: Function, classes: Aliases) -> set[int]:
    """The alias classes of what `fn` hands to a function without a record that may write to it."""
    return {
        classes.of(var)
        for op in all_ops(fn.body)
        if isinstance(op, Call) and isinstance(op.fn, Lit) and table.record_called(op) is None and writes_unseen(op)
        for var in reads(op)
        if not isinstance(var.type, Scalar)
    }


def private_parameters(fn: Function) -> tuple[int, ...]:
    """The positions of the parameters of which `fn` takes private copies: by `protect`, or for a derivative inside it."""
    calls = [op for op in all_ops(fn.body) if isinstance(op, Call) and op.fn == PRIVATE]
    if not calls:
        return ()
    classes = alias_classes(fn)
    copied = {classes.of(op.args[0]) for op in calls if isinstance(op.args[0], Var)}
    return tuple(i for i, param in enumerate(fn.params) if isinstance(param.type, Array) and classes.of(param) in copied)


def buffers_of(fn: Function) -> int:
    """How many cotangent buffers, tapes and private copies `fn` makes at every call: not those in loops and branches."""
    return sum(isinstance(op, Call) and isinstance(op.fn, Lit) and _is_buffer(op.fn.value) for op in fn.body.ops)


def _is_buffer(fn: object) -> bool:
    return table.record_of(fn).blank or fn in (intrinsics.new_stack, runtime.private)

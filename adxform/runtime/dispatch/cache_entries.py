"""What was derived of one specialisation, which the cache of rules finds by value and checks by guards."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, TypeVar

from adxform.backends.protocol import Appraisal
from adxform.backends.python.free_names import Surroundings
from adxform.backends.registry import COMPILER, may_compile
from adxform.errors import MissingRuleError, together
from adxform.frontend.derivative_operators import PYTHON, USUAL, Engine, Order
from adxform.frontend.signature.access import Access, Is, guards_hold
from adxform.frontend.specialized import Specialized
from adxform.ir.ops import Function
from adxform.ir.spans import Span
from adxform.runtime.defects import deriving
from adxform.runtime.dispatch import derivation
from adxform.runtime.dispatch.buffered_rules import BufferedRule, buffered
from adxform.runtime.dispatch.derivation import Closed, DerivedRule, Request
from adxform.runtime.dispatch.derivative_orders import Mode
from adxform.runtime.dispatch.split import CutRule, cut, widened
from adxform.runtime.persistence.disk import Shelf
from adxform.runtime.timing import phase
from adxform.threads.deep_recursion import with_deep_stack
from adxform.threads.locks import Turn

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


@dataclass(slots=True, weakref_slot=True)
class CacheEntry:
    """One specialisation of a function, and the rules that were derived from it.

    One that assumes lengths, or is `tabled` (see `suited_to_kernels`), has the `general` one beside it, whose rules run
    where its own find that lengths are others, or where sums have to keep their order.
    """

    specialized: Specialized
    turn: Turn = field(default_factory=Turn)
    rules: dict[Hashable, DerivedRule] = field(default_factory=dict)
    cuts: dict[Hashable, CutRule] = field(default_factory=dict)
    buffered_rules: dict[Hashable, BufferedRule] = field(default_factory=dict)
    plans: dict[Hashable, Any] = field(default_factory=dict)
    shelf: Shelf | None = None
    general: CacheEntry | None = None
    tabled: bool = False
    _appraisal: Appraisal | None = None

    @property
    def appraisal(self) -> Appraisal:
        """What compiling derivatives of the function takes and saves."""
        if self._appraisal is None:
            self._appraisal = COMPILER.appraise(self.specialized.function)
        return self._appraisal

    def holds(self, fn: Callable[..., Any], leaves: tuple[Any, ...]) -> bool:
        """Whether the entry is for what `fn` reaches now and for the leaves that had to be known."""
        one = self.specialized
        return one.takes(leaves) and guards_hold(one.guards, fn) and one.follows(fn, leaves)

    def rule(
        self,
        mode: Mode,
        wrt: tuple[int, ...],
        outputs: int,
        scratch: tuple[int, ...] = (),
        order: Order = USUAL,
        directions: int = 1,
        engine: Engine = PYTHON,
        seeds: tuple[float, ...] = (),
        valued: bool = True,
    ) -> DerivedRule:
        """The derived rule, built at the first call: see `Request`. For one vector at a time where it cannot be for more."""
        key = (mode, wrt, outputs, scratch, order, directions, engine, seeds, valued)

        def made() -> DerivedRule:
            one = self.specialized
            how = scratch, order, directions, engine, seeds, valued, one.written
            request = Request(one.function, mode, wrt, outputs, surroundings(one), *how)
            try:
                return self._found(key, request)
            except MissingRuleError as error:
                raise together((error, *one.left)) from error.__cause__

        return self._kept(self.rules, key, made)

    def asked(self, request: Request) -> DerivedRule:
        """The rule for `request`, which is like that of a rule of this entry."""
        key = key_of(request)
        return self._kept(self.rules, key, lambda: self._found(key, request))

    def _found(self, key: Hashable, request: Request) -> DerivedRule:
        if self.general is None:
            return self._read_or_built(key, request)
        if self.tabled and not request.engine.fastmath:
            return self.general.for_all(request)
        opened = replace(request, seeds=(), valued=True, engine=PYTHON)
        if request.seeds and self.asked(opened).request.function != request.function:
            return self.general.for_all(request)
        rule = self._read_or_built(key, request, self._fallback(request))
        left = may_compile(request.engine) and not may_compile(rule.choice.engine)
        fits = request.seeds or rule.takes_place_of(self.general.for_all(opened))
        return rule if fits and not left else self.general.for_all(request)

    def _fallback(self, request: Request) -> Callable[..., Any]:
        """What runs where `request` assumes lengths that are others: Python, with the seeds put in."""
        assert self.general is not None
        rule = self.general.for_all(replace(request, seeds=(), valued=True, engine=PYTHON))
        skipped = 0 if request.valued else len(rule.typed.results)
        return Closed(rule.run, request.seeds, len(rule.optimised.results), skipped) if request.seeds else rule.run

    def for_all(self, request: Request) -> DerivedRule:
        """The rule of this entry, which assumes no lengths, for what is requested of one that does."""
        own = self.specialized
        return self.asked(replace(request, function=own.function, surroundings=surroundings(own)))

    def cut(self, rule: DerivedRule, engine: Engine = PYTHON) -> CutRule:
        """`rule`, whose last sweep is a reverse one, in two parts that run on `engine`, made at the first call.

        The forward part of a rule for several vectors is that of the rule for one. So is the backward part where it has to be.
        """
        if self.general is not None:
            return self.general.cut(self.general.for_all(rule.request), engine)  # a half cannot begin anew
        key = key_of(rule.request), engine
        return self._kept(self.cuts, key, lambda: self._read_or_cut(key, rule, engine))

    def buffered(self, rule: DerivedRule) -> BufferedRule:
        """`rule`, one of this entry, in the form that writes into memory that it is given; made at the first call."""
        if self.general is not None and rule.request.function != self.specialized.function:
            return self.general.buffered(rule)
        key = key_of(rule.request)
        return self._kept(self.buffered_rules, key, lambda: self._read_or_buffered(key, rule))

    def _kept(self, known: dict[_K, _V], key: _K, make: Callable[[], _V]) -> _V:
        """What `known` holds at `key`, made by one thread alone where it holds nothing yet."""
        found = known.get(key)
        if found is not None:
            return found
        return with_deep_stack(lambda: self.turn.alone(lambda: self._made(known, key, make)), *place(self.specialized.function))

    def _made(self, known: dict[_K, _V], key: _K, make: Callable[[], _V]) -> _V:
        if key not in known:
            with phase("transform"), deriving(function=self.specialized.function):
                made = make()
            return known.setdefault(key, made)
        return known[key]

    def _read_or_built(self, key: Hashable, request: Request, fallback: Callable[..., Any] | None = None) -> DerivedRule:
        found: DerivedRule | None = None if self.shelf is None else self.shelf.read(("rule", key), DerivedRule)
        if found is not None and found.request in (request, replace(request, seeds=(), valued=True)):
            return found
        if request.seeds:
            given = request.mode, request.wrt, request.outputs, request.scratch, request.order
            rule = derivation.closed(self.rule(*given), request.seeds, request.valued, request.engine, fallback)
        elif (known := self._sibling(request)) is not None:
            rule = derivation.moved(known, request.engine, fallback)
        elif request.directions == 1:
            beside = next((rule for rule in self.rules.values() if derivation.starts_as(request, rule.request)), None)
            rule = derivation.build(request, fallback, beside)
        else:
            rule = derivation.widened(self._single(request), request.directions, fallback)
        if self.shelf is not None:
            self.shelf.write(("rule", key), rule)
        return rule

    def _sibling(self, request: Request) -> DerivedRule | None:
        """The rule for `request` on another engine, if there is one."""
        return next((rule for rule in self.rules.values() if replace(rule.request, engine=request.engine) == request), None)

    def _single(self, request: Request) -> DerivedRule:
        """The rule for one vector that `request` asks for several of."""
        return self.rule(request.mode, request.wrt, request.outputs, request.scratch, request.order, engine=request.engine)

    def _read_or_buffered(self, key: Hashable, rule: DerivedRule) -> BufferedRule:
        fn = rule.optimised
        found: tuple[Function, BufferedRule] | None = (
            None if self.shelf is None else self.shelf.read(("buffered", key), Function, BufferedRule)
        )
        if found is not None and found[0] == fn:
            return found[1]
        request = rule.request if rule.seeds == 0 else replace(rule.request, seeds=())
        fallback = None if self.general is None else self._fallback(replace(request, valued=True))
        form = buffered(fn, rule.request.surroundings, rule.choice.engine, fallback)
        if self.shelf is not None:
            self.shelf.write(("buffered", key), (fn, form))
        return form

    def _read_or_cut(self, key: Hashable, rule: DerivedRule, engine: Engine) -> CutRule:
        joint, request = rule.optimised, rule.request
        found: tuple[Function, CutRule] | None = None if self.shelf is None else self.shelf.read(("cut", key), Function, CutRule)
        if found is not None and found[0] == joint:
            return found[1]
        inputs, often = len(rule.typed.params), request.mode == "second"
        if request.directions == 1:
            parts = cut(joint, inputs, rule.early, request.surroundings, engine, often=often)
        else:
            single = self._single(request)
            given = self.cut(single, engine), single.optimised, joint, inputs, rule.early, request.surroundings, engine
            parts = widened(*given, often=often)
        if self.shelf is not None:
            self.shelf.write(("cut", key), (joint, parts))
        return parts


def key_of(request: Request) -> Hashable:
    """What a `CacheEntry` finds the rule for `request` by."""
    given = request.mode, request.wrt, request.outputs, request.scratch, request.order, request.directions, request.engine
    return *given, request.seeds, request.valued


def place(fn: Function) -> tuple[str, Span]:
    """What a refusal of `fn` names."""
    return fn.name, fn.span


def surroundings(specialized: Specialized) -> Surroundings:
    """What a specialised function finds outside of its arguments, as generated code names it."""
    params = specialized.function.params
    read = tuple(param.name for param in params[len(params) - len(specialized.hidden) :])
    expected = ((guard.expectation, guard.access) for guard in specialized.guards)
    named = (owned(found.value, access) for found, access in expected if isinstance(found, Is))
    return Surroundings(read, tuple((value, access.hint) for value, access in named if not isinstance(value, ModuleType)))


def owned(value: Any, access: Access) -> tuple[Any, Access]:
    """The object that the method `value` belongs to, or `value` itself, and the path by which the user reaches it."""
    match access.steps:
        case (*steps, ("attribute", _), ("attribute", "__self__")):
            return value, replace(access, steps=tuple(steps))
        case (*steps, ("attribute", _)) if hasattr(value, "__self__"):
            return value.__self__, replace(access, steps=tuple(steps))
        case _:
            return value, access

"""A function prepared for arguments like an example: what every call of a prepared derivative checks, and passes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from adxform.api.prepared.calls.arguments import (
    Check,
    Pair,
    call_shape,
    check_of,
    equal_pairs,
    fitted,
    lengths_check,
    line,
    misfit,
    static_described,
    tree_misfits,
)
from adxform.api.prepared.calls.fast_path import entrance
from adxform.api.prepared.calls.fast_path_writer import Expected
from adxform.api.prepared.calls.surroundings import Watch, dependencies, registered_since, watch
from adxform.errors import PreparationMismatchError
from adxform.frontend.argument_contexts import Context, ContextKind, bare
from adxform.frontend.derivative_operators import PYTHON, Engine, Operator
from adxform.frontend.signature import MUTABLE, Node, Signature, Tree, parameter_names, same_static, shared
from adxform.frontend.signature.watched_rules import renew_changed
from adxform.ir.ops import Lit
from adxform.primitives.record import Primitive
from adxform.primitives.table import registered
from adxform.runtime.cache import identity
from adxform.runtime.dispatch.application import Application, Argnums, apply, unwrapped
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.refusals import definition, name_of, signed
from adxform.runtime.dispatch.result_structures import leaves_of
from adxform.runtime.dispatch.split import CutRule
from adxform.runtime.dispatch.workspaces import Pool
from adxform.runtime.pools import Pools

Places = tuple[int | Lit, ...]
NONE: Mapping[str, Any] = MappingProxyType({})
HELP = "prepare anew for arguments like these, or prepare with `strict=False`"


@dataclass(frozen=True)
class Preparation:
    """The function `fn` applied in `call`, which holds no values, with `lead` and `keywords` that a `functools.partial` adds.

    `contexts` are those of the caller's arguments, `names` what the function calls all of them, `rules` the registered rules
    then, and `reached` the functions whose rules matter; `harmless` are later ones that differ in others only. `buffered` has the
    pool of each derived rule, or of the backward part of one that is cut, that runs in buffers which outlive a call; all pools,
    those of kernels too, are in `pools`, and `running` are rules that take workspaces out of them by themselves. `others` are the
    same preparation for calls of which other lengths are equal.
    """

    fn: Callable[..., Any]
    call: Application
    lead: tuple[Any, ...]
    keywords: Mapping[str, Any]
    contexts: Mapping[int | str, ContextKind]
    names: tuple[str, ...]
    checks: tuple[Check, ...]
    named: tuple[tuple[str, Check], ...]
    containers: bool
    watch: Watch
    rules: Mapping[Callable[..., Any], Primitive]
    reached: frozenset[Any]
    buffered: tuple[tuple[DerivedRule | CutRule, Pool], ...]
    harmless: dict[str, Mapping[Callable[..., Any], Primitive]] = field(default_factory=dict)
    others: dict[tuple[int, ...], Any] = field(default_factory=dict)
    pools: Pools = field(default_factory=Pools)
    running: dict[int, tuple[DerivedRule, DerivedRule]] = field(default_factory=dict)

    @property
    def signature(self) -> Signature:
        """What a call looks like, arguments of a `functools.partial` included."""
        return self.call.signature

    @cached_property
    def expected(self) -> Expected | None:
        """What calls are like, where that is quickly told of positional arguments: none is added to them, none given twice."""
        if self.lead or self.named or self.containers:
            return None
        known = dict(self.call.entry.specialized.promoted)
        around = self.pairs, self.watch, self.rules, self.surroundings_fit
        return Expected(self.signature.args, known, *around, pools=self.pools)

    @cached_property
    def pairs(self) -> list[Pair]:
        """The lengths that are equal in what rules take, or known."""
        specialized = self.call.entry.specialized
        known = [(self.call.parameters([leaf])[0], axis, -1, length) for leaf, axis, length in specialized.lengths]
        return [*equal_pairs(self.signature, {position for position, _ in specialized.promoted}), *known]

    @cached_property
    def fits(self) -> Callable[[Sequence[Any]], bool] | None:
        """Whether lengths that the rules take for equal are equal."""
        return lengths_check(self.pairs)

    @cached_property
    def enter(self) -> Callable[[tuple[Any, ...]], list[Any] | None]:
        """`quickly` for positional arguments, chosen once."""
        return self._generally if self.expected is None else entrance(self.expected)

    def quickly(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any] | None:
        """What a rule takes for these arguments; ``None`` where that takes a closer look."""
        return self._generally(args, kwargs) if kwargs else self.enter(args)

    def surroundings_fit(self) -> bool:
        """Whether what the function reaches by name, and the rules registered for it, are what they were."""
        renew_changed()
        now = registered()
        if now is not self.rules and self.harmless.get("rules") is not now:
            if any(registered_since(self.rules, self.reached)):
                return False
            self.harmless["rules"] = now
        return self.watch.trail.holds()

    def _generally(self, args: tuple[Any, ...], kwargs: Mapping[str, Any] = NONE) -> list[Any] | None:
        leaves: list[Any] = []
        args = (*self.lead, *args)
        if len(args) != len(self.checks) or not all(check(arg, leaves) for check, arg in zip(self.checks, args, strict=True)):
            return None
        given = {**self.keywords, **kwargs}
        if len(given) != len(self.named):
            return None
        for name, check in self.named:
            if name not in given or not check(given[name], leaves):
                return None
        if self.containers and shared((*args, *self._ordered(kwargs).values())) != self.signature.shared:
            return None
        if self.containers and self.call.entry.specialized.changes(self.call.fn, (*args, *given.values())) is not None:
            return None
        if self.fits is not None and not self.fits(leaves):
            return None
        return leaves if self.surroundings_fit() and self.watch.append_hidden(leaves) else None

    def closely(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[list[Any], list[str]]:
        """What a rule takes for these arguments, and a line for each that does not fit."""
        args, given, contexts = bare(args, kwargs)
        lines = [*self._context_misfits(contexts)]
        if contexts and not lines and (found := self.quickly(args, given)) is not None:
            return found, []
        args, given = (*self.lead, *args), self._ordered(given)
        lines += self._count_misfits(args, given)
        leaves: list[Any] = []
        if not lines:
            signature, values = signed(self.call.fn, args, given)
            lines += self._misfits(signature)
            lines += [] if lines else self._value_misfits(values)
            if not lines and signature.shared != self.signature.shared:
                lines.append("a list, dict or dataclass is given twice where it was given once, or the other way round")
            changed = self.call.entry.specialized.changes(self.call.fn, (*args, *given.values()))
            lines += [] if changed is None else [f"`{changed}`, which the function changes, is given as an argument as well"]
            if not lines:
                leaves = self._fitted(values)
        lines += [*registered_since(self.rules, self.reached), *self.watch.misfits()]
        if not lines and not self.watch.append_hidden(leaves):
            lines.append("what the function reads outside of its arguments was changed since")
        return leaves, lines

    def mismatch(self, what: str, lines: Sequence[str], way_out: str = HELP) -> PreparationMismatchError:
        """The error for a call of the derivative `what` with these lines."""
        text = "\n".join(f"    {one}" for one in lines)
        message = f"`{what}` was not prepared for this call\n{text}"
        return PreparationMismatchError(message, span=definition(self.fn), help=way_out)

    def tree_misfits(self, args: Sequence[Tree | None], kwargs: Mapping[str, Tree | None]) -> list[str]:
        """A line for each argument that does not fit, as far as it could be described when its caller was compiled."""
        expected = self.signature.args[len(self.lead) :]
        wanted = {name: tree for name, tree in self.signature.kwargs if name in kwargs or name not in self.keywords}
        return tree_misfits(self.names[len(self.lead) :], expected, wanted, args, kwargs)

    def pool(self, rule: DerivedRule | CutRule) -> Pool:
        """The pool of the workspaces of `rule`, one of those prepared."""
        for known, pool in self.buffered:
            if known is rule:
                return pool
        raise KeyError(rule)

    def pooled(self, rule: DerivedRule) -> DerivedRule:
        """`rule` as it runs here: in memory that outlives a call, if it works in any."""
        found = self.running.get(id(rule))
        if found is None:
            run = rule.backend.pooled(rule.run, rule.generated, self.pools)
            found = self.running.setdefault(id(rule), (rule, replace(rule, run=run)))
        return found[1]

    def release(self) -> None:
        """Let go of the memory that is kept."""
        self.pools.release()
        for other in tuple(self.others.values()):
            other.made.release()

    def places(self, leaves: Sequence[int]) -> Places:
        """Where `values_at` finds these leaves of the signature."""
        known = dict(self.call.entry.specialized.promoted)
        params = self.call.parameters(leaves)
        return tuple(known.get(leaf, param) for leaf, param in zip(leaves, params, strict=True))

    def rebound(self, fn: Callable[..., Any], of: Callable[..., Any]) -> Preparation | list[str]:
        """The same preparation for `fn`, which has the code that `of` has; or what is wrong with it."""
        target, lead, keywords = unwrapped(fn)
        if identity(fn) != identity(of) or len(lead) != len(self.lead) or tuple(keywords) != tuple(self.keywords):
            return [f"expected a function with the code of `{name_of(self.fn)}`, got {static_described(innermost(fn))}"]
        watched = watch(target, self.call.entry.specialized)
        lines = [*watched.misfits()]
        call = replace(self.call, fn=target)
        return lines or replace(self, fn=innermost(fn), call=call, lead=lead, keywords=keywords, watch=watched)

    def in_contexts(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments in the contexts that they were prepared with."""

        def inside(key: int | str, arg: Any) -> Any:
            found = self.contexts.get(key)
            return arg if found is None or isinstance(arg, Context) else Context(found, arg)

        return tuple(inside(i, arg) for i, arg in enumerate(args)), {name: inside(name, arg) for name, arg in kwargs.items()}

    def _ordered(self, kwargs: Mapping[str, Any]) -> dict[str, Any]:
        given = {**self.keywords, **kwargs}
        known = [name for name, _ in self.named if name in given]
        return {name: given[name] for name in (*known, *(name for name in given if name not in known))}

    def _context_misfits(self, contexts: Mapping[int | str, ContextKind]) -> Iterator[str]:
        for key, found in contexts.items():
            expected = self.contexts.get(key)
            if found != expected:
                position = len(self.lead) + key if isinstance(key, int) else len(self.names)
                name = self.names[position] if position < len(self.names) else str(key)
                yield line(name, "the bare argument" if expected is None else f"`{expected}(…)`", f"`{found}(…)`")

    def _count_misfits(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Iterator[str]:
        if len(args) != len(self.checks):
            lead = len(self.lead)
            yield f"expected {call_shape(len(self.checks) - lead, ())}, got {len(args) - lead}"
        names = [name for name, _ in self.named]
        yield from (f"`{name}`: expected a keyword argument, got none" for name in names if name not in kwargs)
        yield from (f"`{name}`: expected no such keyword argument, got one" for name in kwargs if name not in names)

    def _misfits(self, signature: Signature) -> Iterator[str]:
        expected = (*self.signature.args, *(tree for _, tree in self.signature.kwargs))
        got = (*signature.args, *(tree for _, tree in signature.kwargs))
        names = (*self.names, *(name for name, _ in self.named))
        for one, other, name in zip(expected, got, names, strict=True):
            found = misfit(one, other, name)
            if found is not None:
                yield line(*found)

    def _value_misfits(self, leaves: list[Any]) -> Iterator[str]:
        specialized = self.call.entry.specialized
        for position, lit in specialized.promoted:
            if not same_static(leaves[position], lit.value):
                yield line(specialized.names[position], f"the value {lit.value!r}", f"{leaves[position]!r}")
        for position, axis, length in specialized.lengths:
            found = leaves[position].shape[axis]
            if found != length:
                yield line(specialized.names[position], f"{length} along axis {axis}", str(found))

    def _fitted(self, leaves: list[Any]) -> list[Any]:
        known = dict(self.call.entry.specialized.promoted)
        trees = (*self.signature.args, *(tree for _, tree in self.signature.kwargs))
        types = [leaf.type for tree in trees for leaf in leaves_of(tree)]
        return [fitted(leaf, type_) for i, (leaf, type_) in enumerate(zip(leaves, types, strict=True)) if i not in known]


def values_at(inputs: Sequence[Any], places: Places) -> list[Any]:
    """The values of leaves among what a rule takes, `inputs`, and what is known."""
    return [inputs[place] if type(place) is int else place.value for place in places]  # type: ignore[union-attr]


def prepare(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    argnums: Argnums | None = None,
    engine: Engine = PYTHON,
) -> tuple[Application, Callable[..., Preparation]]:
    """`fn` applied to the example, and what makes a preparation of it once its rules are built.

    That is called with the rules, with those of them that run in memory that is kept, where these are not all, and with those of
    which the backward part does.
    """
    call = apply(fn, args, kwargs, argnums, engine)
    _, lead, keywords = unwrapped(fn)
    contexts = bare(args, kwargs)[2]

    def made(
        rules: Sequence[DerivedRule], buffered: Sequence[DerivedRule] | None = None, parted: Sequence[CutRule] = ()
    ) -> Preparation:
        for rule in rules:
            rule.backend.finish(rule.run)
        return preparation(innermost(fn), call, lead, keywords, contexts, rules, rules if buffered is None else buffered, parted)

    return call, made


def preparation(
    fn: Callable[..., Any],
    call: Application,
    lead: tuple[Any, ...],
    keywords: Mapping[str, Any],
    contexts: Mapping[int | str, ContextKind],
    rules: Sequence[DerivedRule],
    buffered: Sequence[DerivedRule],
    parted: Iterable[CutRule],
) -> Preparation:
    """The preparation of `fn` for calls like `call`, answered by `rules`.

    Those `buffered` can run in buffers that outlive a call, and so can the backward parts of those `parted`.
    """
    names = parameter_names(fn, len(call.signature.args))
    specialized = call.entry.specialized
    known = dict(specialized.promoted)
    trees = (*call.signature.args, *(tree for _, tree in call.signature.kwargs))
    count = sum(1 for tree in trees for _ in leaves_of(tree))
    values: Iterator[Lit | None] = iter([known.get(position) for position in range(count)])
    checks = tuple([check_of(tree, values) for tree in call.signature.args])
    named = tuple([(name, check_of(tree, values)) for name, tree in call.signature.kwargs])
    watched = watch(call.fn, specialized)
    reached = dependencies(watched, specialized, rules)
    containers = sum(map(mutable_nodes, trees)) > (not call.entry.specialized.changed)
    empty = replace(call, leaves=())
    pools = Pools()
    with_pools: list[tuple[DerivedRule | CutRule, Pool]] = []
    for rule in buffered:
        form = call.entry.buffered(rule)
        run = rule.backend.pooled(form.run, form.generated, pools)
        with_pools.append((rule, Pool(replace(form, run=run), pools.new())))
    with_pools += [(parts, Pool(parts.buffered, pools.new())) for parts in parted if parts.buffered is not None]
    return Preparation(
        fn,
        empty,
        lead,
        keywords,
        contexts,
        names,
        checks,
        named,
        containers,
        watched,
        registered(),
        reached,
        tuple(with_pools),
        pools=pools,
    )


def innermost(fn: Any) -> Callable[..., Any]:
    """The function that a chain of operators and partial applications was made of."""
    while True:
        if isinstance(fn, Operator):
            fn = fn.fn
        elif isinstance(fn, partial):
            fn = fn.func
        else:
            return unwrapped(fn)[0]


def mutable_nodes(tree: Tree) -> int:
    """How many lists, dicts and dataclasses there are in `tree`."""
    match tree:
        case Node(kind, _, _, children):
            return (kind in MUTABLE) + sum(map(mutable_nodes, children))
        case _:
            return 0


def picker(places: Places) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """`values_at` for these places."""
    match places:
        case (int(place),):
            return lambda inputs: (inputs[place],)
        case _ if places and all(isinstance(place, int) for place in places):
            return itemgetter(*places)
        case _:
            return lambda inputs: values_at(inputs, places)

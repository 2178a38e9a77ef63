"""A function applied to arguments: its cached rule, the values that the rule takes, and the results put together again."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from adxform.backends.registry import may_compile
from adxform.errors import AliasError, ArgnumsError, NonScalarOutputError
from adxform.frontend.argument_contexts import bare
from adxform.frontend.derivative_operators import PYTHON, USUAL, Decorated, Engine, Operator, Order
from adxform.frontend.signature import Node, Signature, Tree, containers_in, equal_lengths, parameter_names
from adxform.ir.spans import own_signature
from adxform.ir.types import Type, is_inexact
from adxform.ir.walk import never_ends
from adxform.primitives.compiled_by_numba import converts, python_code
from adxform.primitives.table import lookup
from adxform.runtime import counters
from adxform.runtime.cache import entry_for, epoch, identity, sized
from adxform.runtime.dispatch.cache_entries import CacheEntry
from adxform.runtime.dispatch.call_sites import KINDS, CallSiteEntry, code_of_target, kinds_of, site_of
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.derivative_orders import Mode
from adxform.runtime.dispatch.execution import Residuals, apart, called, check_sharing, execute
from adxform.runtime.dispatch.leaf_flattening import placed
from adxform.runtime.dispatch.refusals import definition, differentiated_output, known_sizes, name_of, refuse, signed
from adxform.runtime.dispatch.result_structures import leaves_of, named_ends
from adxform.runtime.dispatch.split import CutRule
from adxform.runtime.strides import to_be_read
from adxform.threads.locks import new_lock

Argnums = int | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Application:
    """`fn` at `signature`, with the values `leaves`. `lead` arguments come from a `functools.partial`, ahead of the caller's.

    The caller's arguments `held` are in a context, those of the leaves `scratch` in that of work space. Rules run on `engine`.
    """

    fn: Callable[..., Any]
    signature: Signature
    leaves: tuple[Any, ...]
    entry: CacheEntry
    lead: int
    held: frozenset[int] = frozenset()
    scratch: tuple[int, ...] = ()
    engine: Engine = PYTHON

    @property
    def result(self) -> Tree:
        """The structure of what the function returns."""
        return self.entry.specialized.result

    def argument(self, argnum: int) -> Tree:
        """The structure of the caller's argument `argnum`, which may count from the end."""
        return self.signature.args[self.lead + argnum % (len(self.signature.args) - self.lead)]

    def point(self, argnums: Argnums) -> Tree:
        """The structure of what is differentiated: that of one argument, or a tuple of several."""
        if not isinstance(argnums, tuple):
            return self.argument(argnums)
        trees = tuple(map(self.argument, argnums))
        return Node("tuple", tuple, tuple(range(len(trees))), trees)

    def wrt(self, argnums: Argnums) -> tuple[int, ...]:
        """The positions among `leaves` of the arguments `argnums`."""
        return positions(self.fn, self.signature, self.lead, argnums, self.held)

    def float_leaves(self) -> tuple[int, ...]:
        """The positions among `leaves` of every float in the caller's positional arguments that are in no context."""
        owned = ((number - self.lead, leaf) for number, arg in enumerate(self.signature.args) for leaf in leaves_of(arg))
        free = enumerate((number >= 0 and number not in self.held, leaf) for number, leaf in owned)
        return tuple(i for i, (differentiated, leaf) in free if differentiated and is_inexact(leaf.type))

    def free(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """`values`, one for each of the caller's arguments, with ``None`` for what is in a context."""
        return tuple(None if i in self.held else value for i, value in enumerate(values)) if self.held else tuple(values)

    def placed(self, leaves: Iterator[Any]) -> tuple[Any, ...]:
        """`leaves`, those of `float_leaves`, in the structures of the caller's positional arguments; ``None`` for all else."""
        trees = enumerate(self.signature.args[self.lead :])
        return tuple(None if i in self.held else placed(tree, leaves, None) for i, tree in trees)

    def named_arguments(self, argnums: Argnums) -> list[tuple[str, Tree]]:
        """The arguments `argnums` by name, with their structures."""
        names = parameter_names(self.fn, len(self.signature.args))
        numbers = argnums if isinstance(argnums, tuple) else (argnums,)
        count = len(self.signature.args) - self.lead
        return [(names[self.lead + number % count], self.argument(number)) for number in numbers]

    def output(self, wrt: Sequence[int], has_aux: bool, *, holomorphic: bool = False) -> tuple[Any, int]:
        """The seed of the one real number that the function returns, and how many of its results are differentiated.

        Of a function that is `holomorphic` it is a complex number.

        Raises:
            MissingRuleError: what it returns comes from a function without a rule.
            NonScalarOutputError: it returns something else.
        """
        sizes = known_sizes(self.signature, self.leaves)
        try:
            return differentiated_output(self.fn, self.result, sizes, has_aux, holomorphic=holomorphic)
        except NonScalarOutputError as error:
            refused = error
        function = self.entry.specialized.function
        if never_ends(function.body):  # the call is to raise what the function raises
            return 1.0, len(function.results)
        self.rule("reverse", wrt)  # a function without a rule on the way is the better explanation
        raise refused

    def types(self, wrt: Sequence[int]) -> tuple[Type, ...]:
        """The types of the leaves `wrt` of the positional arguments."""
        found = [leaf.type for arg in self.signature.args for leaf in leaves_of(arg)]
        return tuple(found[position] for position in wrt)

    def parameters(self, wrt: Sequence[int]) -> tuple[int, ...]:
        """The parameters of the specialised function that stand for the leaves `wrt`."""
        promoted = [position for position, _ in self.entry.specialized.promoted]
        return tuple(leaf - sum(1 for position in promoted if position < leaf) for leaf in wrt)

    def rule(
        self,
        mode: Mode,
        wrt: Sequence[int],
        outputs: int | None = None,
        order: Order = USUAL,
        directions: int = 1,
        seeds: tuple[float, ...] = (),
        valued: bool = True,
    ) -> DerivedRule:
        """The derived rule with respect to the leaves `wrt`, for the first `outputs` results: see `CacheEntry.rule`."""
        count = len(self.entry.specialized.function.results) if outputs is None else outputs
        scratch = self.parameters(self.scratch)
        given = mode, self.parameters(wrt), count, scratch, order, directions, self.engine
        return self.entry.rule(*given, seeds, valued)

    def rule_to_cut(self, mode: Mode, wrt: Sequence[int], order: Order = USUAL, directions: int = 1) -> DerivedRule:
        """The derived rule for `run_forward`, cut in two: what it tapes is its own, work space of the caller or not."""
        count = len(self.entry.specialized.function.results)
        rule = self.entry.rule(mode, self.parameters(wrt), count, (), order, directions)
        self.cut(rule)
        return rule

    def cut(self, rule: DerivedRule) -> CutRule:
        """Both parts of `rule`, one that `rule_to_cut` returned."""
        return self.entry.cut(rule, self.engine)

    def in_python(self) -> Application:
        """The same call, run in Python."""
        return replace(self, entry=self.entry.general or self.entry, engine=replace(self.engine, name="python"))

    def inputs(self) -> list[Any]:
        """The value of each parameter of the specialised function: leaves, then what is read from its surroundings."""
        specialized = self.entry.specialized
        if not specialized.promoted and not specialized.hidden:
            return [*self.leaves]
        promoted = {position for position, _ in specialized.promoted}
        given = [leaf for i, leaf in enumerate(self.leaves) if i not in promoted] if promoted else list(self.leaves)
        return given + [access.read(self.fn) for access in specialized.hidden]

    def run(self, rule: DerivedRule, inputs: Sequence[Any], *seeds: Any) -> tuple[Any, ...]:
        """What `rule` returns for these inputs and these cotangents or tangents."""
        return execute(self.fn, rule, inputs, seeds)

    def keep(self, rule: DerivedRule, inputs: Sequence[Any]) -> list[Any]:
        """Copies of the caller's `inputs` of `rule`, which may be written to later, but of what the function keeps as it is.

        Raises:
            AliasError: the function writes to one that shares memory with another.
        """
        check_sharing(self.fn, rule, inputs)
        kept = self.cut(rule).kept
        return [
            to_be_read(value) if isinstance(value, np.ndarray) and place not in kept else value
            for place, value in enumerate(inputs)
        ]

    def run_forward(self, rule: DerivedRule, inputs: list[Any]) -> tuple[tuple[Any, ...], Residuals]:
        """The early results of `rule` for `inputs`, which are the tape's from now on, and what the last sweep needs.

        Where they came from a caller, they went through `keep`.
        """
        parts = self.cut(rule)
        counters.count("primal_calls")
        if rule.buffers:
            counters.count("buffer_allocs", rule.buffers)
        found = called(parts.run_forward, parts.forward, parts.results + parts.tape, *inputs)
        values = found[parts.results :]
        arrays = [value for value in values if isinstance(value, np.ndarray)]
        results = tuple(apart(value, arrays) for value in found[: parts.results])
        return results, Residuals(parts, values, new_lock())


def positions(
    fn: Callable[..., Any], signature: Signature, lead: int, argnums: Argnums, held: Container[int] = ()
) -> tuple[int, ...]:
    """The positions among the leaves of `signature` of the arguments `argnums`, counted after the first `lead`.

    Raises:
        ArgnumsError: out of range, one argument twice, or one of those `held` in a context.
        NonDifferentiableError: one of them holds something without a derivative.
    """
    numbers = argnums if isinstance(argnums, tuple) else (argnums,)
    count = len(signature.args) - lead
    names = parameter_names(fn, len(signature.args))
    found: list[int] = []
    for number in numbers:
        if not -count <= number < count:
            raise ArgnumsError(
                f"argnums is {number}, but `{name_of(fn)}` was called with {count} positional argument{'s' * (count != 1)}",
                span=definition(fn),
                help="count positional arguments from 0, and pass by position what is differentiated",
            )
        if number % count in held:
            message = f"argument {number} of `{name_of(fn)}` is in a context, and is not differentiated"
            raise ArgnumsError(message, span=definition(fn), help="pass it as it is, or choose other arguments with `argnums`")
        position = lead + number % count
        for path, end in named_ends(signature.args[position], names[position]):
            refuse(fn, path, end)
        start = sum(1 for arg in signature.args[:position] for _ in leaves_of(arg))
        found += range(start, start + sum(1 for _ in leaves_of(signature.args[position])))
    if len({number % count for number in numbers}) < len(numbers):
        raise ArgnumsError(f"argnums {argnums} names one argument twice", span=definition(fn), help="name each argument once")
    return tuple(found)


def apply(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    argnums: Argnums | None = None,
    engine: Engine = PYTHON,
    mode: str = "reverse",
) -> Application:
    """`fn` specialised for these arguments, from the cache where it was before, to be run on `engine`.

    With `argnums`, what is wrong with them is said before anything that is wrong with the function. Where `engine` is ``"auto"``
    and compiling a derivative in `mode` does not pay for arguments of these sizes, it runs in Python.
    """
    call = applied(fn, args, kwargs, argnums, engine)
    if engine.name != "auto" or engine.prepared:
        return call
    return call if call.entry.appraisal.pays(mode, call.inputs) else call.in_python()


def applied(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], argnums: Argnums | None, engine: Engine
) -> Application:
    """`fn` specialised for these arguments, whatever compiling it takes."""
    plain = kinds_of(args, kwargs)
    site = None if plain is None else site_of(fn)
    if site is None or plain is None:
        return found_or_made(fn, args, kwargs, argnums, engine)
    kinds, leaves = plain
    if may_compile(engine):
        kinds = (*kinds, equal_lengths(leaves))
    known = site.get(kinds)
    if known is not None and (entry := known.entry(fn, leaves)) is not None:
        counters.count("cache_hits")
        return Application(known.target or fn, known.signature, leaves, entry, 0, engine=engine)
    call = found_or_made(fn, args, kwargs, argnums, engine)
    if not call.lead and not (call.entry.specialized.changed and containers_in((*args, *kwargs.values()))):
        if len(site) >= KINDS:
            site.clear()
        target = None if call.fn is fn else call.fn
        site[kinds] = CallSiteEntry(target, call.signature, weakref.ref(call.entry), epoch(), code_of_target(call.fn))
    return call


def found_or_made(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], argnums: Argnums | None, engine: Engine
) -> Application:
    """`fn` specialised for these arguments, by way of their signature."""
    target, lead, keywords = unwrapped(fn)
    args, named, contexts = bare(args, kwargs)
    signature, found = signed(target, (*lead, *args), {**keywords, **named})
    leaves = tuple(found)
    held = frozenset(key for key in contexts if isinstance(key, int))
    if argnums is not None:
        positions(target, signature, len(lead), argnums, held)
    if may_compile(engine):
        signature = sized(target, identity(fn), signature, leaves)
    work = {key + len(lead) if isinstance(key, int) else key for key, kind in contexts.items() if kind == "scratch"}
    entry = entry_for(target, identity(fn), signature, leaves)
    changed = entry.specialized.changes(target, (*lead, *args, *named.values(), *keywords.values()))
    if changed is not None:
        message = f"`{changed}`, which `{name_of(target)}` changes, is given as an argument as well"
        raise AliasError(message, span=definition(target), help="pass a copy of it")
    return Application(target, signature, leaves, entry, len(lead), held, leaves_at(signature, work), engine)


def leaves_at(signature: Signature, keys: Container[int | str]) -> tuple[int, ...]:
    """The positions among the leaves of `signature` of those of the arguments `keys`, positions and names."""
    owned = (key for key, tree in (*enumerate(signature.args), *signature.kwargs) for _ in leaves_of(tree))
    return tuple(i for i, key in enumerate(owned) if key in keys)


def unwrapped(fn: Any) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
    """The function behind `fn`, and the arguments that a `functools.partial` or an operator object adds to it."""
    lead: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}
    while True:
        if isinstance(fn, Decorated):
            fn = fn.__adx_function__
        elif isinstance(fn, partial):
            lead, keywords, fn = (*fn.args, *lead), {**fn.keywords, **keywords}, fn.func
        elif lookup(fn) is None and (python := python_code(fn)) is not None and not converts(fn):
            fn = python
        elif isinstance(fn, Operator):
            return as_function(fn), lead, keywords
        elif inspect.isroutine(fn) or inspect.isclass(fn) or lookup(fn) is not None or isinstance(fn, np.ufunc):
            return fn, lead, keywords
        else:
            fn = method_of(fn)


def method_of(instance: object) -> Callable[..., Any]:
    """The method that calling `instance` calls."""
    if not callable(instance):
        raise TypeError(f"a function is needed, not {type(instance).__name__}")
    cls: Any = type(instance)  # an attribute of the instance alone is not what a call looks at
    method: Callable[..., Any] = cls.__call__.__get__(instance, cls)
    return method


def as_function(operator: Any) -> Callable[..., Any]:
    """A plain function that calls `operator`, so that it has source like any other."""

    def derivative(*args: Any, **kwargs: Any) -> Any:
        return operator(*args, **kwargs)

    derivative.__name__ = derivative.__qualname__ = operator.__name__
    derivative.__wrapped__ = operator.fn  # type: ignore[attr-defined]
    if operator.kind == "hvp":  # it takes a vector that the function does not
        derivative.__signature__ = inspect.signature(derivative, follow_wrapped=False)  # type: ignore[attr-defined]
    elif isinstance(operator.fn, FunctionType) and hasattr(operator.fn, "__wrapped__"):
        derivative.__signature__ = own_signature(operator.fn)  # type: ignore[attr-defined]
    return derivative

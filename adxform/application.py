"""A function applied to arguments: its cached rule, the values that the rule takes, and the results put together again."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from types import FunctionType
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from adxform import counters
from adxform.backend.emit import Generated
from adxform.backend.loading import annotate
from adxform.cache import Entry, entry_for, epoch, identity, sized
from adxform.contexts import bare
from adxform.cut import Contents, CutRule, as_tuple, put_back, saved
from adxform.errors import AliasError, ArgnumsError, NonScalarOutputError
from adxform.frontend.signature import Node, Signature, Tree, equal_lengths, parameter_names
from adxform.ir.types import Type, is_float
from adxform.ir.walk import never_ends
from adxform.operators import PYTHON, USUAL, Engine, Operator, Order
from adxform.perturbations import placed
from adxform.pipeline import DerivedRule
from adxform.refusals import definition, differentiated_output, known_sizes, name_of, refuse, signed
from adxform.rules.table import lookup
from adxform.transforms import Mode
from adxform.trees import leaves_of, named_ends
from adxform.workspace import Pool, Workspace

Argnums = int | tuple[int, ...]
one_more_call = counters.stepper("primal_calls")


@dataclass(frozen=True, slots=True)
class Application:
    """`fn` at `signature`, with the values `leaves`. `lead` arguments come from a `functools.partial`, ahead of the caller's.

    The caller's arguments `held` are in a context, those of the leaves `scratch` in that of work space. Rules run on `engine`.
    """

    fn: Callable[..., Any]
    signature: Signature
    leaves: tuple[Any, ...]
    entry: Entry
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
        return tuple(i for i, (differentiated, leaf) in free if differentiated and is_float(leaf.type))

    def free(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """`values`, one for each of the caller's arguments, with ``None`` for what is in a context."""
        return tuple(None if i in self.held else value for i, value in enumerate(values)) if self.held else tuple(values)

    def placed(self, leaves: Iterator[Any]) -> tuple[Any, ...]:
        """`leaves`, those of `float_leaves`, in the structures of the caller's positional arguments."""
        trees = enumerate(self.signature.args[self.lead :])
        return tuple(None if i in self.held else placed(tree, leaves) for i, tree in trees)

    def output(self, wrt: Sequence[int], has_aux: bool) -> tuple[Any, int]:
        """The seed of the one real number that the function returns, and how many of its results are differentiated.

        Raises:
            MissingRuleError: what it returns comes from a function without a rule.
            NonScalarOutputError: it returns something else.
        """
        sizes = known_sizes(self.signature, self.leaves)
        try:
            return differentiated_output(self.fn, self.result, sizes, has_aux)
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
        """The derived rule with respect to the leaves `wrt`, for the first `outputs` results: see `Entry.rule`."""
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

    def inputs(self) -> list[Any]:
        """The value of each parameter of the specialised function: leaves, then what is read from its surroundings."""
        specialized = self.entry.specialized
        promoted = {position for position, _ in specialized.promoted}
        given = [leaf for i, leaf in enumerate(self.leaves) if i not in promoted] if promoted else list(self.leaves)
        return given + [access.read(self.fn) for access in specialized.hidden]

    def run(self, rule: DerivedRule, inputs: Sequence[Any], *seeds: Any) -> tuple[Any, ...]:
        """What `rule` returns for these inputs and these cotangents or tangents."""
        return execute(self.fn, rule, inputs, seeds)

    def run_forward(self, rule: DerivedRule, inputs: list[Any]) -> tuple[tuple[Any, ...], Tape]:
        """The early results of `rule` for `inputs`, which are the tape's from now on, and what the last sweep needs."""
        parts = self.cut(rule)
        check_sharing(self.fn, rule, inputs)
        counters.count("primal_calls")
        if rule.buffers:
            counters.count("buffer_allocs", rule.buffers)
        found = called(parts.run_forward, parts.forward, parts.results + parts.tape, *inputs)
        values = found[parts.results :]
        arrays = [value for value in values if isinstance(value, np.ndarray)]
        results = tuple(apart(value, arrays) for value in found[: parts.results])
        return results, Tape(parts, values, Lock())


@dataclass(frozen=True, slots=True)
class Lent:
    """`rule`, derived of `fn`, in memory of `pool`, to be given back: results are good until the next run, or until then."""

    fn: Callable[..., Any]
    rule: DerivedRule
    pool: Pool
    work: Workspace

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.pool.give_back(self.work)

    def run(self, inputs: Sequence[Any], seeds: Sequence[Any], outs: Sequence[Any] = ()) -> tuple[Any, ...]:
        """What the rule returns for these inputs and these cotangents or tangents.

        Of `outs`, an array or ``None`` for each result, those that can be are written to at once.
        """
        rule, form = self.rule, self.work.rule
        if rule.private:
            check_sharing(self.fn, rule, inputs, seeds)
        if form.contiguous and not form.takes([*inputs, *seeds]):
            return execute(self.fn, rule, inputs, seeds)
        one_more_call()
        try:
            found = form.run(*inputs, *seeds, *self.work.given(outs))
        except Exception as error:
            annotate(error, form.generated)
            raise
        return as_tuple(found, len(form.homes))


def called(run: Callable[..., Any], generated: Generated, count: int, *given: Any) -> tuple[Any, ...]:
    """The `count` results of `run`, the function of `generated`."""
    try:
        found = run(*given)
    except Exception as error:
        annotate(error, generated)
        raise
    return as_tuple(found, count)


def execute(fn: Callable[..., Any], rule: DerivedRule, inputs: Sequence[Any], seeds: Sequence[Any]) -> tuple[Any, ...]:
    """What `rule`, derived of `fn`, returns for these inputs and these cotangents or tangents."""
    if rule.private:
        check_sharing(fn, rule, inputs, seeds)
    one_more_call()
    if rule.buffers:
        counters.count("buffer_allocs", rule.buffers)
    try:
        found = rule.run(*inputs, *seeds)
    except Exception as error:
        annotate(error, rule.generated)
        raise
    results = as_tuple(found, rule.returned)
    if not rule.request.scratch:
        return results
    work = [inputs[i] for i in rule.request.scratch]
    return tuple(apart(value, work) for value in results)


def runner(fn: Callable[..., Any], rule: DerivedRule) -> Callable[[Sequence[Any], Sequence[Any]], tuple[Any, ...]]:
    """`execute` of `rule`, which is derived of `fn`: takes inputs, and cotangents or tangents."""
    if rule.private or rule.buffers or rule.request.scratch:
        return partial(execute, fn, rule)
    run, generated, count, one_more = rule.run, rule.generated, rule.returned, one_more_call

    def plain(inputs: Sequence[Any], seeds: Sequence[Any]) -> tuple[Any, ...]:
        one_more()
        try:
            found = run(*inputs, *seeds)
        except Exception as error:
            annotate(error, generated)
            raise
        return found if count > 1 else as_tuple(found, count)

    return plain


@dataclass(frozen=True, slots=True)
class Tape:
    """What the backward part of a rule takes beside cotangents; the same before and after each `run`.

    What a run changes is saved at the first one, and put back after each.
    """

    parts: CutRule
    values: tuple[Any, ...]
    lock: Any
    contents: list[Contents] = field(default_factory=list)

    def run(
        self, seeds: Sequence[Any], wide: CutRule | None = None, work: Workspace | None = None, outs: Sequence[Any] = ()
    ) -> tuple[Any, ...]:
        """What the backward part returns for these cotangents: that of the rule, or that of `wide`, for several vectors.

        In `work`, memory of the form for it, results are good until the next run, and those of `outs`, an array or ``None`` for
        each, that can be are written to at once.
        """
        parts = wide or self.parts
        if not parts.changed:
            return self._run(parts, seeds, work, outs)
        with self.lock:
            if not self.contents:
                self.contents.extend(saved((self.values[i], deep) for i, deep in parts.changed))
            try:
                return self._run(parts, seeds, work, outs)
            finally:
                put_back(self.contents)

    def _run(self, parts: CutRule, seeds: Sequence[Any], work: Workspace | None, outs: Sequence[Any]) -> tuple[Any, ...]:
        if work is None:
            return called(parts.run_backward, parts.backward, parts.gradients, *self.values, *seeds)
        form = work.rule
        return called(form.run, form.generated, parts.gradients, *self.values, *seeds, *work.given(outs))


def apart(value: Any, arrays: list[Any]) -> Any:
    """`value`, copied if it is an array that shares memory with one of `arrays`."""
    if isinstance(value, np.ndarray) and any(np.may_share_memory(value, array) for array in arrays):
        return value.copy()
    return value


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
) -> Application:
    """`fn` specialised for these arguments, from the cache where it was before, to be run on `engine`.

    With `argnums`, what is wrong with them is said before anything that is wrong with the function.
    """
    plain = kinds_of(args, kwargs)
    site = None if plain is None else site_of(fn)
    if site is None or plain is None:
        return found_or_made(fn, args, kwargs, argnums, engine)
    kinds, leaves = plain
    if engine.name != "python":
        kinds = (*kinds, equal_lengths(leaves))
    known = site.get(kinds)
    if known is not None and known.good(fn, leaves):
        counters.count("cache_hits")
        return Application(known.target or fn, known.signature, leaves, known.entry, 0, engine=engine)
    call = found_or_made(fn, args, kwargs, argnums, engine)
    if not call.lead:
        if len(site) >= KINDS:
            site.clear()
        target = None if call.fn is fn else call.fn
        site[kinds] = Known(target, call.signature, call.entry, epoch(), code_of_target(call.fn))
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
    if engine.name != "python":
        signature = sized(identity(fn), signature, leaves)
    work = {key + len(lead) if isinstance(key, int) else key for key, kind in contexts.items() if kind == "scratch"}
    entry = entry_for(target, identity(fn), signature, leaves)
    return Application(target, signature, leaves, entry, len(lead), held, leaves_at(signature, work), engine)


def leaves_at(signature: Signature, keys: Container[int | str]) -> tuple[int, ...]:
    """The positions among the leaves of `signature` of those of the arguments `keys`, positions and names."""
    owned = (key for key, tree in (*enumerate(signature.args), *signature.kwargs) for _ in leaves_of(tree))
    return tuple(i for i, key in enumerate(owned) if key in keys)


@dataclass(frozen=True, slots=True)
class Known:
    """An entry that may be good for the next call with arguments of the same kinds; `target` is ``None`` for the function."""

    target: Callable[..., Any] | None
    signature: Signature
    entry: Entry
    epoch: tuple[int, int]
    code: Any

    def good(self, fn: Callable[..., Any], leaves: tuple[Any, ...]) -> bool:
        """Whether it is: nothing was cleared or registered, the code is the same, and the guards hold."""
        target = self.target or fn
        return self.epoch == epoch() and self.code is code_of_target(target) and self.entry.holds(target, leaves)


Site = dict[tuple[Any, ...], Known]
KINDS = 64
DEPTH = 6
UNKNOWN = "more than is quickly told"
NUMBERS = frozenset([float, int, bool, np.float64, np.float32])
_sites: WeakKeyDictionary[Any, Site] = WeakKeyDictionary()


def site_of(fn: Any) -> Site | None:
    """Where the latest applications of a function or an operator object are kept, by the kinds of their arguments."""
    match fn:
        case FunctionType():
            site = _sites.get(fn)
            return _sites.setdefault(fn, {}) if site is None else site
        case Operator():
            own: Site = vars(fn).setdefault("_site", {})
            return own
        case _:
            return None


def kinds_of(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
    """What the signature of a call depends on, and its leaves; ``None`` where the arguments hold more than is quickly told.

    >>> kinds_of((1.0, {"n": 2}), {})
    ((<class 'float'>, (<class 'dict'>, ('n',), <class 'int'>)), (1.0, 2))
    """
    leaves: list[Any] = []
    kinds = [kind_of(arg, leaves, DEPTH) for arg in args]
    for name, value in kwargs.items():
        kinds += (name, kind_of(value, leaves, DEPTH))
    return None if UNKNOWN in kinds else (tuple(kinds), tuple(leaves))


def kind_of(value: Any, leaves: list[Any], depth: int) -> Any:
    """The kind of one argument, whose leaves are appended to `leaves`."""
    cls = type(value)
    if cls is np.ndarray:
        leaves.append(value)
        return (value.dtype, *[length == 1 for length in value.shape])
    if cls in NUMBERS:
        leaves.append(value)
        return cls
    if value is None:
        return None
    if depth and (cls is tuple or cls is list):
        kinds = (cls, *[kind_of(item, leaves, depth - 1) for item in value])
    elif depth and cls is dict:
        kinds = (cls, tuple(value), *[kind_of(item, leaves, depth - 1) for item in value.values()])
    else:
        return UNKNOWN
    return UNKNOWN if UNKNOWN in kinds else kinds


def code_of_target(fn: Callable[..., Any]) -> Any:
    """The code that calling `fn` runs, if it is a function."""
    return getattr(fn, "__code__", None)


def unwrapped(fn: Any) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
    """The function behind `fn`, and the arguments that a `functools.partial` or an operator object adds to it."""
    lead: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}
    while True:
        inner = getattr(fn, "__adx_function__", None)
        if inner is not None:
            fn = inner
        elif isinstance(fn, partial):
            lead, keywords, fn = (*fn.args, *lead), {**fn.keywords, **keywords}, fn.func
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
    method: Callable[..., Any] = instance.__call__
    return method


def as_function(operator: Any) -> Callable[..., Any]:
    """A plain function that calls `operator`, so that it has source like any other."""

    def derivative(*args: Any, **kwargs: Any) -> Any:
        return operator(*args, **kwargs)

    derivative.__name__ = derivative.__qualname__ = operator.__name__
    derivative.__wrapped__ = operator.fn  # type: ignore[attr-defined]
    if operator.kind == "hvp":  # it takes a vector that the function does not
        derivative.__signature__ = inspect.signature(derivative, follow_wrapped=False)  # type: ignore[attr-defined]
    return derivative


def check_sharing(fn: Callable[..., Any], rule: DerivedRule, inputs: Sequence[Any], seeds: Sequence[Any] = ()) -> None:
    """Raise where an array that the function writes shares memory with another of its arrays, or work space with a seed.

    Each is copied before it is written, so that the other one would not see the write. Work space is not, so that a tangent or
    cotangent would.
    """
    written = rule.private
    for i in written:
        for j, other in enumerate(inputs):
            if i != j and isinstance(other, np.ndarray) and (j not in written or i < j) and overlap(inputs[i], other):
                raise _shared(fn, rule, i, f"`{rule.typed.params[j].base}`")
    for i in rule.request.scratch:
        if any(isinstance(seed, np.ndarray) and overlap(inputs[i], seed) for seed in seeds):
            raise _shared(fn, rule, i, "a tangent or cotangent")


def _shared(fn: Callable[..., Any], rule: DerivedRule, written: int, other: str) -> AliasError:
    return AliasError(
        f"`{name_of(fn)}` may write to `{rule.typed.params[written].base}`, which shares memory with {other}",
        span=definition(fn),
        help="pass a copy of one of them",
    )


def overlap(a: Any, b: Any) -> bool:
    """Whether two arrays share an element, as far as that is quickly told."""
    if a is not b and a.flags.owndata and b.flags.owndata:
        return False
    if not np.may_share_memory(a, b):
        return False
    try:
        return bool(np.shares_memory(a, b, max_work=10_000))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True

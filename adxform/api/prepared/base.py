"""What all prepared derivatives share: they are frozen, know what they were prepared for, and check every call."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, ClassVar, Self

import numpy as np

from adxform.api import Derivative
from adxform.api.prepared.calls.arguments import line, tree_misfits
from adxform.api.prepared.calls.outputs import LATER, Destination, destination
from adxform.api.prepared.calls.preparation import Preparation
from adxform.api.prepared.fingerprint import digest, signature_text, static_text
from adxform.api.prepared.pickling import reduced
from adxform.errors import OptionError
from adxform.frontend.derivative_operators import Described
from adxform.frontend.signature import Signature, Tree, equal_lengths
from adxform.runtime.cache import EQUALITIES
from adxform.runtime.dispatch.application import Application
from adxform.runtime.dispatch.batches import Batch, MisfitsError, batched
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.execution import InWorkspace
from adxform.runtime.dispatch.leaf_flattening import MisfitError, matching
from adxform.runtime.dispatch.refusals import name_of, refuse_repeated
from adxform.runtime.dispatch.tracebacks import for_users

Args = tuple[Any, ...]
Kwargs = Mapping[str, Any]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Prepared(Derivative):
    """A derivative of `fn` for arguments like an example, with all of its rules derived and compiled.

    It holds no value of the example. It is never changed: not by a call, not by `clear_cache`; an attribute cannot be set.
    """

    made: Preparation
    strict: bool = True
    form: ClassVar[str]

    @property
    @abstractmethod
    def rules(self) -> tuple[DerivedRule, ...]:
        """The derived rules that a call runs, the main one first."""

    @classmethod
    @abstractmethod
    def of(cls, fn: Callable[..., Any], args: Args, kwargs: Kwargs, options: Mapping[str, Any]) -> Self:
        """The preparation of `fn` for arguments like these, everything built."""

    @property
    def word(self) -> str:
        """What the operator is called."""
        return self.form

    @property
    def call(self) -> Application:
        """The function as it was specialised, without values."""
        return self.made.call

    @property
    def signature(self) -> Signature:
        """What the function's arguments look like."""
        return self.made.signature

    @property
    def source(self) -> str:
        """The generated module of the main rule."""
        return self.rules[0].text

    def refuse_repeated(self) -> None:
        """Raise where the function changes state outside of it, which is not done once for each of several vectors."""
        refuse_repeated(self.call.entry.specialized.function)

    @property
    def options(self) -> dict[str, Any]:
        """What it was prepared with, beside the function and the arguments."""
        own = {"argnums": self.argnums, "has_aux": self.has_aux, "holomorphic": self.holomorphic}
        return {**own, "strict": self.strict, "engine": self.engine}

    def __repr__(self) -> str:
        return f"prepare_{self.form}({name_of(self.fn)}, argnums={self.argnums})"

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(self)

    def fingerprint(self) -> str:
        """What this derivative is, as 64 hexadecimal digits: its sources, its signature, and what they take for known.

        It is the same before and after any call, and for the same preparation in another process.
        """
        specialized = self.call.entry.specialized
        known = [f"{specialized.names[position]} {static_text(lit.value)}" for position, lit in specialized.promoted]
        known += [f"{specialized.names[position]}.{axis} {length}" for position, axis, length in specialized.lengths]
        contexts = [f"{key} {kind}" for key, kind in self.made.contexts.items()]
        options = [f"{name} {value!r}" for name, value in self.options.items()]
        sources = [text for rule in self.rules for text in (rule.request.mode, rule.text, *externals_of(rule))]
        return digest([self.form, *options, signature_text(self.signature), *known, *contexts, *sources])

    @for_users
    def check(self, *args: Any, **kwargs: Any) -> None:
        """Say whether a call with these arguments would fit.

        Raises:
            PreparationMismatchError: it would not.
        """
        self.fitting(args, kwargs)

    def release(self) -> None:
        """Let go of the memory that is kept between calls; the next call makes it again."""
        self.made.release()

    @property
    def prepared_for(self) -> str:
        """The fingerprint of the signature, where the preparation is strict."""
        return digest([signature_text(self.signature)]) if self.strict else ""

    def refusals(self, form: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[str]:
        """Why a call of the method `form` inside a differentiated function, with arguments of these descriptions, is refused."""
        return self.made.tree_misfits(self.described(form, args), kwargs)

    @classmethod
    def unlike(cls, example: Described, form: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[str]:
        """As `refusals`, of an object that the program itself makes for arguments like `example`."""
        names = (f"argument {i}" for i in count())
        return tree_misfits(names, example[0], dict(example[1]), cls.described(form, args), kwargs)

    @classmethod
    def described(cls, form: str, args: Sequence[Any]) -> Sequence[Tree | None]:
        """The descriptions of the function's arguments in those of a call of the method `form`."""
        return args

    @for_users
    def rebind(self, g: Callable[..., Any]) -> Self:
        """The same preparation for `g`, another function object with the same code: a closure made anew.

        Raises:
            PreparationMismatchError: `g` has other code, or reaches something else by its names.
        """
        made = self.made.rebound(self.applied(g), self.applied(self.fn))
        if isinstance(made, list):
            raise self.made.mismatch(self.__name__, made)
        return replace(self, fn=g, made=made)

    def applied(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """What is specialised for `fn`."""
        return fn

    def at(self, args: Args, kwargs: Kwargs) -> tuple[Self, list[Any]]:
        """The preparation that answers a call with these arguments, itself as a rule, and what its rules take."""
        inputs = self.made.quickly(args, kwargs)
        if inputs is not None:
            return self, inputs
        inputs, lines = self.made.closely(args, kwargs)
        if lines and self.strict:
            raise self.made.mismatch(self.__name__, lines)
        if not lines and (self.made.fits is None or self.made.fits(inputs)):
            return self, inputs
        given = self.made.in_contexts(args, kwargs)
        if not lines:
            return self.for_lengths(equal_lengths(inputs), *given), inputs
        anew = self.of(self.fn, *given, self.options)
        return anew, anew.fitting(*given)

    def for_lengths(self, found: tuple[int, ...], args: Args, kwargs: Kwargs) -> Self:
        """The same preparation, for calls of which other lengths are equal: those `found` in what rules take at `args`."""
        others = self.made.others
        other: Self | None = others.get(found)
        if other is None:
            other = self.of(self.fn, args, kwargs, self.options)
            for one in tuple(others)[EQUALITIES - 1 :]:
                others.pop(one, None)
            others[found] = other
        return other

    def fitting(self, args: Args, kwargs: Kwargs) -> list[Any]:
        """What the rules take for these arguments; a `PreparationMismatchError` where they do not fit."""
        inputs, lines = self.made.closely(args, kwargs)
        if lines:
            raise self.made.mismatch(self.__name__, lines)
        return inputs

    def perturbation(self, what: str, tree: Tree, values: Sequence[Any], given: Any) -> list[Any]:
        """The leaves of `given`, a tangent or cotangent of the structure `tree` with the leaves `values`.

        Raises:
            PreparationMismatchError: structure, shape or dtype differ.
        """
        try:
            return matching(what, tree, values, given)
        except MisfitError as misfit:
            lines = [line(misfit.path, misfit.expected, misfit.got)]
            way_out = f"give the {what} the structure, shape and dtype of the value that it belongs to"
            raise self.made.mismatch(self.__name__, lines, way_out) from None

    def vectors(self, what: str, tree: Tree, values: Sequence[Any], given: Any) -> Batch:
        """The vectors in `given`, a batch of tangents or cotangents of the structure `tree` with the leaves `values`.

        Raises:
            PreparationMismatchError: structure, shape, dtype or number differ; with a line for each leaf.
        """
        try:
            return batched(what, tree, values, given)
        except MisfitsError as error:
            way_out = f"give the {what} the structure and dtype of the value, each leaf with one more axis, the first"
            raise self.made.mismatch(self.__name__, [line(*misfit) for misfit in error.misfits], way_out) from None

    def in_workspace(self, rule: DerivedRule, taken: Sequence[Any]) -> InWorkspace:
        """`rule`, one of `rules`, in memory for calls with `taken`: its inputs and then its tangents or cotangents."""
        pool = self.made.pool(rule)
        return InWorkspace(self.call.fn, rule, pool, pool.take(taken))

    def answered(
        self, rule: DerivedRule, inputs: list[Any], seeds: Sequence[Any], arranged: Callable[[Sequence[Any]], Any], out: Any
    ) -> Any:
        """What `arranged` makes of the results of `rule`, in the arrays of `out`."""
        taken = [*inputs, *seeds]
        to = self.destination(LATER, out, taken)
        with self.in_workspace(rule, taken) as work:
            return to.delivered(arranged(work.run(inputs, seeds)))

    def destination(self, like: Any, out: Any, taken: Sequence[Any]) -> Destination:
        """Where a result like `like`, made of `taken`, goes: into the arrays of `out`.

        Raises:
            PreparationMismatchError: `out` does not fit.
        """

        def refused(lines: list[str]) -> Exception:
            way_out = "give arrays like those of the result, and `None` for what is to be returned as it is"
            return self.made.mismatch(self.__name__, lines, way_out)

        return destination(like, out, taken, refused)


def apart_from_one_another(*rules: DerivedRule) -> tuple[DerivedRule, ...]:
    """`rules` without those that stand further ahead already."""
    return tuple(rule for i, rule in enumerate(rules) if not any(rule is other for other in rules[:i]))


def checked_directions(directions: Any) -> int:
    """`directions` as a positive int.

    Raises:
        OptionError: it is something else.
    """
    if isinstance(directions, bool) or not isinstance(directions, int | np.integer) or directions < 1:
        raise OptionError(f"directions is {directions!r}; it is how many vectors one sweep takes, 1 or more")
    return int(directions)


def externals_of(rule: DerivedRule) -> list[str]:
    """What the source of `rule` is given by keyword, as text."""
    return [f"{name} {static_text(value)}" for name, value in rule.generated.externals.items()]

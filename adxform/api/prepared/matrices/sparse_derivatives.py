"""Prepared sparse Jacobians and Hessians: a pattern found once, then one product for each colour at every call."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self, TypeVar

import numpy as np

from adxform.api.prepared.base import Args, Kwargs, Prepared
from adxform.api.prepared.calls.arguments import line
from adxform.api.prepared.calls.outputs import LATER, ExpectedArray
from adxform.api.prepared.calls.preparation import prepare, values_at
from adxform.api.prepared.fingerprint import digest, static_text
from adxform.api.prepared.matrices.columns import WIDTH, total
from adxform.api.prepared.matrices.hessians import PreparedHessian
from adxform.api.prepared.matrices.jacobians import PreparedJacobian
from adxform.api.prepared.second import Parts
from adxform.ir.ops import Function
from adxform.ir.spans import Span
from adxform.ir.types import is_inexact
from adxform.passes.pipeline import optimise
from adxform.runtime.dispatch.application import Application
from adxform.runtime.dispatch.batches import split
from adxform.runtime.dispatch.derivation import traceable
from adxform.runtime.dispatch.derivative_orders import restricted
from adxform.runtime.dispatch.leaf_flattening import placed
from adxform.runtime.dispatch.refusals import definition, jacobian_ends, refuse_repeated
from adxform.runtime.dispatch.result_structures import leaves_of, rebuild
from adxform.runtime.dispatch.tracebacks import for_users
from adxform.sparse.graph import GiveUp
from adxform.sparse.pattern import dependences, full
from adxform.sparse.recovery import Compression, compress, given_pattern, symmetrised, tidied

SMALL = 4096
"""Up to so many numbers, a sweep for several products takes less time than several sweeps; from there on memory counts."""
_S = TypeVar("_S", bound="Sparse")


@dataclass(frozen=True, slots=True)
class Bound:
    """An input of the rules called `name`: it has to have this `shape`, and where the pattern depends on it this `value`."""

    name: str
    shape: tuple[int, ...]
    value: Any

    def misfit(self, given: Any) -> str | None:
        """A line that says how `given` differs, if it does."""
        if np.shape(given) != self.shape:
            return line(self.name, f"the shape {self.shape}", f"{np.shape(given)}")
        if self.value is None or np.array_equal(given, self.value):
            return None
        if self.shape:
            return line(self.name, "the whole numbers that the pattern was found for", "others")
        return line(self.name, f"the value {self.value!r}", f"{given!r}")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Sparse(Prepared):
    """A derivative that is a sparse matrix: a row for each number of the value, a column for each of the arguments, in order.

    `given`: the pattern is the caller's.
    """

    compression: Compression
    bound: tuple[Bound, ...]
    given: bool

    @property
    def pattern(self) -> Any:
        """The elements that can be different from zero: a boolean ``csr_array``."""
        return self.compression.pattern

    @property
    def colours(self) -> Any:
        """A colour for each column (for each row where products are by cotangents): one product each; -1 for empty ones."""
        return self.compression.colours.copy()

    @property
    def products(self) -> int:
        """How many products a call makes: the number of colours."""
        return len(self.compression.places)

    @property
    def options(self) -> dict[str, Any]:
        """What it was prepared with."""
        return {**super().options, "pattern": self.pattern if self.given else None}

    def fingerprint(self) -> str:
        """What this derivative is: see `Prepared.fingerprint`; the pattern and the colours belong to it."""
        found = self.compression
        return digest([super().fingerprint(), found.by, *map(static_text, (found.indptr, found.indices, found.colours))])

    @property
    def prepared_for(self) -> str:
        """What the calls inside differentiated functions that it takes have in common: there are none."""
        return "sparse"

    def refusals(self, form: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[str]:
        """Why a call inside a differentiated function is refused: a sparse matrix cannot be followed there."""
        return ["a sparse derivative cannot be differentiated: prepare it without `sparse=True` there"]

    def at(self, args: Args, kwargs: Kwargs) -> tuple[Self, list[Any]]:
        """The preparation that answers a call with these arguments, and what its rules take: see `Prepared.at`."""
        this, inputs = super().at(args, kwargs)
        if this is self or self.strict:
            lines = self._unbound(inputs)
            if lines and not self.strict:
                args, given = self.made.in_contexts(args, kwargs)
                anew = self.of(self.fn, args, given, self.options)
                return anew, anew.fitting(args, given)
            self._refuse(lines)
        return this, inputs

    def fitting(self, args: Args, kwargs: Kwargs) -> list[Any]:
        """What the rules take for these arguments; a `PreparationMismatchError` where they do not fit."""
        inputs = super().fitting(args, kwargs)
        self._refuse(self._unbound(inputs))
        return inputs

    def target(self, out: Any, count: int, dtype: Any) -> tuple[Any, Any]:
        """`out` with an array of elements in place of its sparse matrix, the last of `count` parts, and that matrix, if any.

        Raises:
            PreparationMismatchError: the matrix is no CSR matrix of elements of `dtype` in the places of the pattern.
        """
        if out is None or (count > 1 and (type(out) is not tuple or len(out) != count or out[-1] is None)):
            return out, None
        matrix, path = (out, "out") if count == 1 else (out[-1], f"out[{count - 1}]")
        lines = [line(path, *parts) for parts in self.compression.misfits(matrix, dtype)]
        if lines:
            raise self.made.mismatch(self.__name__, lines, "give a matrix that such a call returned, or a copy of one")
        return (matrix.data if count == 1 else (*out[:-1], matrix.data)), matrix

    def returned(self, result: Any, matrix: Any) -> Any:
        """`result` with the sparse matrix in place of its elements, the last part: a new one where `matrix` is ``None``."""
        data = result[-1] if isinstance(result, tuple) else result
        found = self.compression.matrix(data) if matrix is None else matrix
        return (*result[:-1], found) if isinstance(result, tuple) else found

    def _unbound(self, inputs: Sequence[Any]) -> list[str]:
        lines = (bound.misfit(value) for bound, value in zip(self.bound, inputs, strict=True))
        return [found for found in lines if found is not None]

    def _refuse(self, lines: Sequence[str]) -> None:
        if lines:
            raise self.made.mismatch(self.__name__, lines)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PreparedSparseHessian(Sparse, PreparedHessian):
    """``prepare_hessian(f, …, sparse=True)``: the Hessian as a ``csr_array``, by a Hessian product for each colour."""

    forms = MappingProxyType({})

    @classmethod
    def of(cls, fn: Callable[..., Any], args: Args, kwargs: Kwargs, options: Mapping[str, Any]) -> Self:
        """The preparation of `fn` for arguments like these, its pattern included."""
        call, _ = prepare(fn, args, kwargs, options["argnums"])
        refuse_repeated(call.entry.specialized.function)
        wrt = call.wrt(options["argnums"])
        call.output(wrt, False)
        inputs = call.inputs()
        size = total([call.leaves[place] for place in wrt])
        if options["pattern"] is None:
            gradient = gradient_function(call, wrt)
            seeds = [1.0] * (len(gradient.params) - len(inputs))
            found = pattern_of(
                gradient, [*inputs, *seeds], call.parameters(wrt), range(len(gradient.results)), (size, size), definition(fn)
            )
        else:
            found = given_pattern(options["pattern"], (size, size), definition(fn))
        compression = compress(symmetrised(found), "symmetric")
        dense = PreparedHessian.of(
            fn, args, kwargs, {**options, "directions": compression.at_once(WIDTH if size <= SMALL else 1)}
        )
        return extended(cls, dense, compression, inputs, options)

    @for_users
    def _answer(self, args: Args, kwargs: Kwargs, out: Any, parts: Parts) -> Any:
        this, inputs = self.at(args, kwargs)
        values = values_at(inputs, this.places)
        like = ExpectedArray(this.compression.indices.shape, common_dtype(values))
        directions, vectors = this.product.request.directions, values * this.product.request.directions
        elements, matrix = this.target(out, len(range(*parts.value.indices(3))), like.dtype)
        to = this.destination(parts.of(LATER, placed(this.point, iter(values)), like), elements, inputs)
        taken = [*inputs, *vectors]
        first = nullcontext() if parts is Parts.LAST else this.in_workspace(this.whole, taken)
        with this.in_workspace(this.product, taken) as product, first as whole:
            ahead = [None] * len(this.whole.typed.results) + ([] if whole is None else to.beside(values))
            (data,) = to.blocks([like])
            value, gradient = None, values
            last: Sequence[Any]
            zeros = product.workspace.zeros(vectors)
            for numbers, seeds in this.compression.sweeps(zeros, directions):
                if whole is None:
                    last = product.run(inputs, seeds)
                else:
                    value, gradient, last = this.results(whole.run(inputs, seeds, [*ahead, *[None] * len(seeds)]), None)
                    whole = None
                for number, found in zip(numbers, split(last, 0, directions), strict=False):
                    this.compression.read(data, number, flat(found, values))
            if whole is not None:
                value, gradient, _ = this.results(whole.run(inputs, zeros), None)
            return this.returned(to.delivered(parts.of(value, placed(this.point, iter(gradient)), data)), matrix)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PreparedSparseJacobian(Sparse, PreparedJacobian):
    """``prepare_jacobian(f, …, sparse=True)``: the Jacobian as a ``csr_array``, by a tangent or cotangent for each colour."""

    forms = MappingProxyType({})

    @classmethod
    def of(cls, fn: Callable[..., Any], args: Args, kwargs: Kwargs, options: Mapping[str, Any]) -> Self:
        """The preparation of `fn` for arguments like these: by columns or by rows, whichever takes fewer products."""
        argnums, mode = options["argnums"], options["mode"]
        call, _ = prepare(fn, args, kwargs, argnums)
        refuse_repeated(call.entry.specialized.function)
        wrt = call.wrt(argnums)
        given = call.named_arguments(argnums)
        mode = jacobian_ends(call.fn, given, call.result, mode, holomorphic=options["holomorphic"])
        inputs = call.inputs()
        primal = call.rule("primal", ())
        floats = [i for i, leaf in enumerate(leaves_of(call.result)) if is_inexact(leaf.type)]
        outs = call.run(primal, inputs)
        size = sum(int(np.size(inputs[place])) for place in call.parameters(wrt))
        shape = (sum(int(np.size(outs[place])) for place in floats), size)
        if options["pattern"] is None:
            found = pattern_of(traceable(primal), inputs, call.parameters(wrt), floats, shape, definition(fn))
        else:
            found = given_pattern(options["pattern"], shape, definition(fn))
        by_columns = None if mode == "reverse" else compress(found, "columns")
        by_rows = None if mode == "forward" else compress(found, "rows")
        chosen = by_columns or by_rows
        assert chosen is not None
        if by_rows is not None and len(by_rows.places) < len(chosen.places):
            chosen = by_rows
        sweep = "reverse" if chosen.by == "rows" else "forward"
        dense = PreparedJacobian.of(
            fn, args, kwargs, {**options, "mode": sweep, "directions": chosen.at_once(WIDTH if max(shape) <= SMALL else 1)}
        )
        return extended(cls, dense, chosen, inputs, options)

    @for_users
    def _answer(self, args: Args, kwargs: Kwargs, out: Any, *, with_value: bool) -> Any:
        this, inputs = self.at(args, kwargs)
        values = values_at(inputs, this.places)
        rule, compression = this.sweeps[0], this.compression
        count, directions = len(rule.typed.results), rule.request.directions
        with this.in_workspace(this.primal, inputs) as primal:
            results = primal.run(inputs, ())
            value = rebuild(this.call.result, iter(results))
            pairs = zip(results, leaves_of(this.call.result), strict=True)
            outs = [result for result, leaf in pairs if is_inexact(leaf.type)]
            like = ExpectedArray(compression.indices.shape, common_dtype([*values, *outs]))
            elements, matrix = this.target(out, 1 + with_value, like.dtype)
            to = this.destination((value, like) if with_value else like, elements, inputs)
            if with_value:
                to.beside(results)
            (data,) = to.blocks([like])
            ends, seeded = (outs, values) if compression.by == "columns" else (values, outs)

            def given(vectors: list[Any]) -> list[Any]:
                if compression.by == "columns":
                    return vectors
                return [seed for vector in split(vectors, 0, directions) for seed in rule.seeded(vector)]

            with this.in_workspace(rule, [*inputs, *given(seeded * directions)]) as work:
                for numbers, vectors in compression.sweeps(work.workspace.zeros(seeded * directions), directions):
                    found = split(work.run(inputs, given(vectors)), count, directions)
                    for number, parts in zip(numbers, found, strict=False):
                        leaves = list(rule.spread(parts)) if compression.by == "columns" else parts
                        compression.read(data, number, flat(leaves, ends))
            return this.returned(to.delivered((value, data) if with_value else data), matrix)


def gradient_function(call: Application, wrt: Sequence[int]) -> Function:
    """The gradient of `call` as typed IR: its parameters and a cotangent; its results are the cotangents of the leaves `wrt`."""
    rule = call.rule("reverse", tuple(wrt))
    count = len(rule.typed.results)
    joint = traceable(rule)
    return optimise(restricted(joint, range(count, len(joint.results))))


def pattern_of(
    fn: Function, inputs: Sequence[Any], wrt: Sequence[int], results: Sequence[int], shape: tuple[int, int], span: Span
) -> Any:
    """The pattern of results of `fn` by its parameters `wrt`; a full one where the dependences cannot be followed."""
    try:
        return tidied(dependences(fn, inputs, wrt, results))
    except GiveUp as why:
        return full(*shape, str(why), span)


def extended(cls: type[_S], dense: Prepared, compression: Compression, inputs: Sequence[Any], options: Mapping[str, Any]) -> _S:
    """The derivative `cls` made of the dense one, for arguments like `inputs`."""
    fields = {field.name: getattr(dense, field.name) for field in dataclasses.fields(dense)}
    given = options["pattern"] is not None
    return cls(**fields, compression=compression, bound=tuple(bounds(dense, inputs, not given)), given=given)


def bounds(dense: Prepared, inputs: Sequence[Any], by_value: bool) -> Iterator[Bound]:
    """What each input has to be like: its shape, and with `by_value` its value where it holds whole numbers or booleans."""
    specialized = dense.call.entry.specialized
    promoted = {position for position, _ in specialized.promoted}
    names = [name for i, name in enumerate(specialized.names) if i not in promoted]
    names += [str(access) for access in specialized.hidden]
    for name, value in zip(names, inputs, strict=True):
        whole = by_value and np.asarray(value).dtype.kind in "biu"
        yield Bound(name, np.shape(value), (value.copy() if isinstance(value, np.ndarray) else value) if whole else None)


def common_dtype(values: Sequence[Any]) -> Any:
    """The dtype that holds all of `values`."""
    return np.result_type(*values) if values else np.dtype(float)


def flat(parts: Sequence[Any], values: Sequence[Any]) -> Any:
    """`parts`, one for each of `values`, as one vector."""
    rows = [np.ravel(np.broadcast_to(part, np.shape(value))) for part, value in zip(parts, values, strict=True)]
    return rows[0] if len(rows) == 1 else np.concatenate(rows)

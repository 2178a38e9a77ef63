"""A prepared batch as one function, written for one signature: each sweep of a compiled rule writes into its rows of the result.

    def f_vjp_2_call(args):
        try:
            x, result_ct = args
            …
            count, n_1 = result_ct.shape
            if not count or count % 2 or n_1 != n:
                return miss
            x_ct = np.empty((count, n))
            for row in range(0, count, 2):
                result_ct0 = result_ct[row]
                result_ct1 = result_ct[row + 1]
                x_ct0 = x_ct[row]
                x_ct1 = x_ct[row + 1]
                result = np.empty(n)
                f_vjp_2_kernel(x, result_ct0, result_ct1, result, x_ct0, x_ct1)
            return value((result,)), arrange((x_ct,))
        except Exception:
            return miss

Batches that are no multiple of what a sweep takes go the general way, which copies.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from adxform.api.prepared.calls.fast_path import Answer, code_of, is_settled
from adxform.api.prepared.calls.fast_path_writer import Expected, Writer, writer_around
from adxform.backends.protocol import FastPathCode
from adxform.backends.python.written_syntax import LOAD, STORE, call, different, loaded, negated
from adxform.frontend.signature import Leaf, Node, Tree
from adxform.ir.kinds import alternatives
from adxform.ir.types import Array, Dim, Scalar, Size, Type
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.result_structures import leaves_of

Returns = Callable[[Writer, list[ast.expr], list[ast.expr]], ast.expr]
LENGTHS = (ast.Name, ast.Constant, ast.BinOp, ast.operator, ast.Subscript, ast.Attribute, ast.Call, ast.expr_context)
"""What lengths are written with."""


def batch_answer(
    expected: Expected, vectors: Tree, rule: DerivedRule, shared: int, types: Sequence[Type], returns: Returns
) -> Answer | None:
    """What answers a call with `vectors` after the arguments `expected`, all leaves of which have one more axis, the first.

    It returns what `returns` makes of the `shared` results of `rule`, which is compiled, and of arrays that hold a derivative of
    each of `types` for each vector; `MISS` where the call does not fit. ``None`` where there can be no such function.
    """
    code, tree, directions = code_of(rule), stacked(vectors), rule.request.directions
    if code is None or tree is None or not types or len(code.found) != shared + directions * len(types):
        return None
    seeds = [param.type for param in rule.optimised.params[len(rule.typed.params) :]]
    own = [*types] * directions
    fit = len(seeds) == directions * sum(1 for _ in leaves_of(tree)) and all(map(is_row, [*seeds, *types]))
    if not fit or not is_settled(rule, range(shared, len(code.found)), own):
        return None
    allocations = allocations_of(code, {part.id for part in code.found[shared:] if isinstance(part, ast.Name)})
    arrays = [part for part, type_ in zip(code.found[shared:], own, strict=True) if isinstance(type_, Array)]
    if any(not isinstance(part, ast.Name) or part.id not in allocations.arrays for part in arrays):
        return None
    writer = writer_around(code, replace(expected, vector=tree, like=()))
    return Sweeps(code, writer, rule, shared, len(types), allocations).answer(returns)


def stacked(tree: Tree) -> Tree | None:
    """`tree` with one more axis ahead of those of each leaf; ``None`` where it holds anything but `is_row`."""
    match tree:
        case Leaf(Scalar(dtype) as type_) if is_row(type_):
            return Leaf(Array(dtype, (Dim("count"),)))
        case Leaf(Array(dtype, tuple(shape)) as type_) if is_row(type_):
            return Leaf(Array(dtype, (Dim("count"), *shape)))
        case Node(children=children):
            found = [stacked(child) for child in children]
            known = tuple([child for child in found if child is not None])
            return replace(tree, children=known) if len(known) == len(found) else None
        case _:
            return None


def is_row(type_: Type) -> bool:
    """Whether a number or an array of that type is an element of a batch."""
    match type_:
        case Array("float64", tuple(shape)):
            return bool(shape)
        case _:
            return isinstance(type_, Scalar) and all(kind.dtype == "float64" for kind in alternatives(type_))


@dataclass(frozen=True, slots=True)
class Allocations:
    """What is done once for all sweeps: `ahead`, lengths; and what makes each of `arrays`, by their names. The `rest` is not."""

    ahead: list[ast.stmt]
    arrays: dict[str, ast.Call]
    rest: list[ast.stmt]


def allocations_of(code: FastPathCode, wanted: set[str]) -> Allocations:
    """The body of `code`, without what makes those arrays among `wanted` of which the lengths are the same in each sweep."""
    once = {name for name, count in code.stores.items() if count == 1}
    known = {*code.params, "np", "max", "min", "len"}
    allocations = Allocations([], {}, [])
    for stmt in code.body:
        match stmt:
            case ast.Assign(
                [ast.Name(name)], ast.Call(ast.Attribute(ast.Name("np"), "empty" | "zeros"), [shape], []) as made
            ) if name in wanted & once and are_lengths(shape, known):
                allocations.arrays[name] = made
            case ast.Assign([ast.Name(name)], value) if name in once and are_lengths(value, known):
                allocations.ahead.append(stmt)
                known.add(name)
            case _:
                allocations.rest.append(stmt)
    return allocations


def are_lengths(value: ast.expr, known: set[str]) -> bool:
    """Whether `value` is an expression of lengths, or some, that are `known`, and of lengths of arrays that are."""
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    nodes = [node for part in parts for node in ast.walk(part)]
    return all(
        isinstance(node, LENGTHS)
        and not (isinstance(node, ast.Name) and node.id not in known)
        and not (isinstance(node, ast.Attribute) and node.attr != "shape")
        and not (isinstance(node, ast.Call) and not isinstance(node.func, ast.Name))
        for node in nodes
    )


@dataclass(frozen=True, slots=True)
class Sweeps:
    """Writes the function of a batch; of what `rule` returns, the first `shared`, then `width` derivatives for each vector."""

    code: FastPathCode
    writer: Writer
    rule: DerivedRule
    shared: int
    width: int
    allocations: Allocations

    def answer(self, returns: Returns) -> Answer | None:
        """The function."""
        writer, code, directions = self.writer, self.code, self.rule.request.directions
        inputs = code.params[: len(self.rule.typed.params)]
        seeds = code.params[len(inputs) :]
        vectors = [writer.fresh("vectors") for _ in seeds[: len(seeds) // directions]]
        names = iter([*inputs, *vectors])
        if writer.checks(lambda: next(names)) != [*inputs, *vectors] or any(name in code.stored for name in code.params):
            return None
        count, row = writer.fresh("count"), writer.fresh("row")
        if not self.same_lengths(count, vectors):
            return None
        found = [code.found[self.shared + k :: self.width][:directions] for k in range(self.width)]
        blocks = [writer.fresh("rows") for _ in found]
        writer.body += self.allocations.ahead
        ahead: list[ast.stmt] = []
        after: list[ast.stmt] = []
        for block, parts in zip(blocks, found, strict=True):
            writer.body.append(ast.Assign([ast.Name(block, STORE)], self.block(count, parts)))
            for j, part in enumerate(parts):
                element = ast.Subscript(loaded(block), at(row, j), LOAD)
                if isinstance(part, ast.Name) and part.id in self.allocations.arrays:
                    ahead.append(ast.Assign([ast.Name(part.id, STORE)], element))
                else:
                    after.append(ast.Assign([ast.Subscript(loaded(block), at(row, j), STORE)], part))
        types = [param.type for param in self.rule.optimised.params[len(inputs) :]]
        for k, (seed, type_) in enumerate(zip(seeds, types, strict=True)):
            element = ast.Subscript(loaded(vectors[k % len(vectors)]), at(row, k // len(vectors)), LOAD)
            weak = isinstance(type_, Scalar) and type_.weak
            value = call(writer.constant("float", float), element) if weak else element
            ahead.append(ast.Assign([ast.Name(seed, STORE)], value))
        body = [*ahead, *writer.run_once(code, self.allocations.rest, [*code.params, *self.allocations.arrays]), *after]
        passes = call(writer.constant("range", range), ast.Constant(0), loaded(count), ast.Constant(directions))
        writer.body.append(ast.For(ast.Name(row, STORE), passes, body, []))
        value = returns(writer, [*code.found[: self.shared]], [loaded(block) for block in blocks])
        writer.body.append(ast.Return(value))
        return writer.written(f"{self.rule.generated.entry}_call")

    def same_lengths(self, count: str, vectors: Sequence[str]) -> bool:
        """Give up where one of `vectors` does not fit, or where there are none, or no multiple of what a sweep takes.

        They are as many as `count` says. False where lengths cannot be told.
        """
        writer, rule = self.writer, self.rule
        inputs = rule.optimised.params[: len(rule.typed.params)]
        places: dict[str, ast.expr] = {}
        for name, param in zip(self.code.params, inputs, strict=False):
            for axis, size in enumerate((param.type.shape or ()) if isinstance(param.type, Array) else ()):
                if isinstance(size, Dim) and not size.offset:
                    places.setdefault(size.base, self.length(name, axis))
        writer.body.append(ast.Assign([ast.Name(count, STORE)], self.length(vectors[0], 0)))
        tests = [negated(loaded(count)), ast.BinOp(loaded(count), ast.Mod(), ast.Constant(rule.request.directions))]
        tests += [different(self.length(name, 0), loaded(count)) for name in vectors[1:]]
        for name, param in zip(vectors, rule.optimised.params[len(inputs) :], strict=False):
            for axis, size in enumerate((param.type.shape or ()) if isinstance(param.type, Array) else ()):
                wanted = length_as(size, places)
                if wanted is None:
                    return False
                tests.append(different(self.length(name, axis + 1), wanted))
        writer.refuse(*tests)
        return True

    def length(self, name: str, axis: int) -> ast.expr:
        """The length of an axis of an array."""
        if name in self.writer.lengths:
            return loaded(self.writer.lengths[name][axis])
        return ast.Subscript(ast.Attribute(loaded(name), "shape", LOAD), ast.Constant(axis), LOAD)

    def block(self, count: str, parts: Sequence[ast.expr]) -> ast.expr:
        """What makes the array of one derivative, or number, for every vector: `parts` are those of one sweep."""
        arrays = self.allocations.arrays
        made = [arrays[part.id] for part in parts if isinstance(part, ast.Name) and part.id in arrays]
        if not made:
            return call(self.writer.constant("empty", np.empty), loaded(count))
        (shape,) = made[0].args
        lengths = shape.elts if isinstance(shape, ast.Tuple) else [shape]
        zeros = any(isinstance(one.func, ast.Attribute) and one.func.attr == "zeros" for one in made)
        fn = self.writer.constant("zeros", np.zeros) if zeros else self.writer.constant("empty", np.empty)
        return call(fn, ast.Tuple([loaded(count), *lengths], LOAD))


def at(row: str, j: int) -> ast.expr:
    """``row + j``"""
    return ast.BinOp(loaded(row), ast.Add(), ast.Constant(j)) if j else loaded(row)


def length_as(size: Size, places: dict[str, ast.expr]) -> ast.expr | None:
    """The length `size`, where the lengths in `places` tell it."""
    if not isinstance(size, Dim):
        return ast.Constant(size)
    found = places.get(size.base)
    return found if found is None or not size.offset else ast.BinOp(found, ast.Add(), ast.Constant(size.offset))
